"""The console script, and `python -m inspector`: the last line of defence before a traceback reaches a user."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress

INTERRUPTED = 130
UNUSABLE = 2
DEBUG_VARIABLE = "INSPECTOR_DEBUG"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status.

    0 fine; 1 an error finding; 2 usage or unreadable input, with one sentence on stderr; 130 ctrl-c. With
    `INSPECTOR_DEBUG=1` a fault that nobody foresaw is raised, so that its traceback shows.
    """
    try:
        from inspector.cli import run

        return run(sys.argv[1:] if arguments is None else arguments)
    except SystemExit:
        raise
    except KeyboardInterrupt:
        return INTERRUPTED
    except BaseException as fault:  # a panic in Rust is no Exception
        if os.environ.get(DEBUG_VARIABLE):
            raise
        _tell(fault)
        return UNUSABLE


def _tell(fault: BaseException) -> None:
    with suppress(Exception):
        from inspector.text import visible_line

        print(f"inspector: {visible_line(_sentence(fault))}", file=sys.stderr)  # noqa: T201


def _sentence(fault: BaseException) -> str:
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


if __name__ == "__main__":
    sys.exit(main())
