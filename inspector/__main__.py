"""The console script, and `python -m inspector`: the last line of defence before a traceback reaches a user."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress

from inspector.fault import DEBUG_VARIABLE

INTERRUPTED = 130
UNUSABLE = 2


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
        from inspector.fault import sentence
        from inspector.text import visible_line

        print(f"inspector: {visible_line(sentence(fault))}", file=sys.stderr)  # noqa: T201


if __name__ == "__main__":
    sys.exit(main())
