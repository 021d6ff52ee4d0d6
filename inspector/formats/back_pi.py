"""Writing back pi sessions: entries in a tree, and in version 1 in a line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from inspector.change import Doing, Patch, Site, replaced
from inspector.formats.format import CannotWrite
from inspector.formats.links import linked
from inspector.formats.native import Native
from inspector.formats.pieces import Pieces
from inspector.formats.rewriting import Moves, New, Row, Shape
from inspector.formats.shapes import as_dict
from inspector.message import Body

_LINK = linked("id", "parentId")


def _held(entry: Any) -> Sequence[str]:
    content = as_dict(as_dict(entry).get("message")).get("content")
    return [f"/message/content/{place}" for place in range(len(content))] if isinstance(content, list) else ()


def _encode(new: New) -> list[Any]:
    beside = as_dict(new.beside)
    return [_entry(beside, _message(body), new) for body in new.bodies]


def _entry(beside: Body, message: Body, new: New) -> Body:
    entry: Body = {"type": "message"}
    if "id" in beside:
        entry |= {"id": new.native.fresh()[:8], "parentId": None}
    if "timestamp" in beside:
        entry["timestamp"] = beside["timestamp"]
    if "timestamp" in as_dict(beside.get("message")):
        message["timestamp"] = beside["message"]["timestamp"]
    return {**entry, "message": message}


def _message(body: Body) -> Body:
    role, said = body.get("role"), body.get("content")
    if role not in ("user", "assistant", "tool") or not isinstance(said, str):
        raise CannotWrite(f"a new message of role {role} has no place in a pi session")
    content = [{"type": "text", "text": said}]
    if role == "tool":
        named = {"toolCallId": body.get("tool_call_id"), "toolName": body.get("name") or ""}
        return {"role": "toolResult", **named, "content": content, "isError": False}
    return {"role": role, "content": content}


def _link(native: Native, rows: Sequence[Row], moves: Moves) -> Iterator[Patch]:
    """The tree, and what compactions say that they kept."""
    yield from _LINK(native, rows, moves)
    file = rows[0].site.file if rows else ""
    entries = [(site, as_dict(value)) for site, value in native.entries(file)]
    for site, value in entries:
        if value.get("type") == "compaction" and site not in moves.gone:
            yield from _kept(site, value, entries, moves)


def _kept(site: Site, value: Body, entries: Sequence[tuple[Site, Body]], moves: Moves) -> Iterator[Patch]:
    named, index = value.get("firstKeptEntryId"), value.get("firstKeptEntryIndex")
    staying = [(one, entry) for one, entry in entries if one not in moves.gone]
    if isinstance(named, str):
        places = [place for place, (_, entry) in enumerate(entries) if entry.get("id") == named]
        if places and entries[places[0]][0] in moves.gone:
            after = (entry for one, entry in entries[places[0] :] if one not in moves.gone)
            yield replaced(site.under("/firstKeptEntryId"), next(after, value).get("id"))
    elif type(index) is int and 0 < index < len(entries):
        line = entries[index][0].line or 0
        fewer = sum((one.line or 0) < line for one, _ in staying)
        more = sum(len(one.values) for one in moves.placed if _comes_before(one.site, one.doing, line))
        if fewer + more != index:
            yield replaced(site.under("/firstKeptEntryIndex"), fewer + more)


def _comes_before(site: Site, doing: Doing, line: int) -> bool:
    return (site.line or 0) < line or (site.line == line and doing is Doing.BEFORE)


SHAPE = Shape(change=Pieces().change, encode=_encode, holds=_held, link=_link)
