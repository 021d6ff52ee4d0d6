"""Writing back opencode sessions: the storage folder, a file for each message and each part, and exports.

A call and its result are one part. So a result is written into its call, and of the two one cannot go alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from inspector.change import Patch, Site, replaced
from inspector.formats.format import CannotWrite
from inspector.formats.native import Native
from inspector.formats.pieces import Content, Part, Pieces
from inspector.formats.rewriting import New, Row, Shape
from inspector.formats.shapes import as_dict, as_list
from inspector.message import Body


def _said(text: str, row: Row) -> Body:
    raise CannotWrite(f"row {row.number:,}: a new text beside its parts has no place in an opencode session")


def _result(native: Native, site: Site) -> Content:
    """The output of a tool, then its attachments."""
    attached = site._replace(pointer=site.pointer.rpartition("/")[0] + "/attachments")
    count = len(as_list(native.value(attached)))
    parts = [Part(site, site if isinstance(native.value(site), str) else None)]
    return Content([*parts, *(Part(attached.under(f"/{place}"), None) for place in range(count))], None)


def _is_thought(native: Native, site: Site) -> bool:
    part = native.value(site._replace(pointer=site.pointer.removesuffix("/text")))
    return as_dict(part).get("type") == "reasoning"


def _answer(native: Native, call: Site, body: Body) -> Iterable[Patch]:
    """A result in the part of its call: the tool was cut off, which opencode records as an error."""
    state = as_dict(as_dict(native.value(call)).get("state"))
    if state.get("status") in ("completed", "error"):
        raise CannotWrite("a call of the opencode session has a result already")
    return [replaced(call.under("/state/status"), "error"), replaced(call.under("/state/error"), body.get("content"))]


def _held(entry: Any) -> Sequence[str]:
    parts = as_dict(entry).get("parts")
    return [f"/parts/{place}" for place in range(len(parts))] if isinstance(parts, list) else ()


def _entry(row: Row, site: Site) -> Site:
    """A file, or a message of an export."""
    if site.file:
        return Site("", None, site.file)
    return site._replace(pointer=site.pointer.partition("/parts/")[0])


def _no_new(new: New) -> list[Any]:
    raise CannotWrite("an opencode session keeps no message that opencode has not made, so none can be put in")


def _whole(native: Native, entry: Site) -> Iterable[Site]:
    """The file of a message with those of its parts, which nobody would find without it."""
    name = as_dict(native.value(entry)).get("id")
    if not entry.file or not isinstance(name, str) or "message" not in entry.file.split("/"):
        return [entry]
    return [entry, *(Site("", None, path) for path in native.files() if path.split("/")[-2:-1] == [name])]


PIECES = Pieces(said=_said, result=_result, thought=_is_thought)
SHAPE = Shape(change=PIECES.change, encode=_no_new, entry=_entry, holds=_held, answer=_answer, whole=_whole)
