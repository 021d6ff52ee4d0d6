"""Writing back where the loaded messages are the file's own values: a change of one is a change of the file."""

from __future__ import annotations

from typing import Any

from inspector.formats.difference import differences
from inspector.formats.native import Native
from inspector.formats.rewriting import Change, New, Row, Shape
from inspector.message import Body


def change(native: Native, row: Row, after: Body) -> Change:
    """What differs in a message."""
    return Change(list(differences(row.site, row.body, after)))


def encode(new: New) -> list[Any]:
    """New messages as they are."""
    return list(new.bodies)


SHAPE = Shape(change=change, encode=encode, own=True)
