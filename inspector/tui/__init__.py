"""The interface: one screen that holds the state, and widgets that draw it."""
