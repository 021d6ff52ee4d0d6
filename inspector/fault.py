"""Faults in one sentence: what a person is told in place of a traceback, which might print parts of a recording."""

from __future__ import annotations

DEBUG_VARIABLE = "INSPECTOR_DEBUG"
"""Set to 1, a fault that nobody foresaw shows where it happened."""


STDIN_NAME = "-: "
"""How a sentence about standard input begins, since its path is "-"."""


def named(says: str) -> str:
    """A sentence about a file, with standard input called by its name."""
    return f"standard input: {says.removeprefix(STDIN_NAME)}" if says.startswith(STDIN_NAME) else says


def sentence(fault: BaseException) -> str:
    """What happened, without the place in our code, and without more of its words than one line holds."""
    if isinstance(fault, RecursionError):
        return "this is nested too deeply to be read"
    if isinstance(fault, MemoryError):
        return "there is not enough memory for this"
    if isinstance(fault, OSError):
        place = f"{fault.filename}: " if isinstance(fault.filename, str) else ""
        return f"{place}{fault.strerror or fault}"
    if isinstance(fault, UnicodeError):
        return f"some text cannot be read or written here: {fault}"[:300]
    name, first = type(fault).__name__, str(fault).partition("\n")[0][:200]
    return f"a fault of inspector's own ({name}: {first}); {DEBUG_VARIABLE}=1 shows where"
