"""Writing a sent view in the session's own format: what `compact --native` does."""

from __future__ import annotations

import os
import sys
import uuid
from typing import TYPE_CHECKING

from inspector.cli.output import Trouble
from inspector.writing import STDIO, WriteRefused, write_new, write_new_folder

if TYPE_CHECKING:
    from inspector.message import Session
    from inspector.policies import SentView


def write_natively(session: Session, view: SentView, output: str, raw: bytes | None, *, force: bool) -> None:
    """Write a view in the shape of its session to a new file or folder; - is standard output.

    `raw` is what came from standard input. Raises `Trouble` with one sentence.
    """
    from inspector.formats import UnreadableSession
    from inspector.formats.writing_back import CannotWrite, written_back

    rows = view.plan.context.source
    source = [rows[row] if row >= 0 else row for row in view.source]
    try:
        written = written_back(session, view.messages, source, lambda: str(uuid.uuid4()), raw)
        if os.path.isdir(session.file):
            if output == STDIO:
                raise Trouble("a folder cannot be written to standard output; name a new folder with -o")
            write_new_folder(output, session.file, written)
        elif output == STDIO:
            sys.stdout.buffer.write(written[""] or b"")
            sys.stdout.buffer.flush()
        else:
            write_new(output, written[""] or b"", inputs=[session.file], force=force)
    except (CannotWrite, UnreadableSession, WriteRefused) as fault:
        raise Trouble(str(fault)) from None
    except OSError as fault:
        raise Trouble(f"cannot write {output}: {fault.strerror or fault}") from None
