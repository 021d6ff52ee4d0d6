"""Screens that ask one thing and close with the answer: `None` means that nothing was chosen."""
