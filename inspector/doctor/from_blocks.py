"""Anthropic's and Bedrock's content blocks as turns: every block of a message, also those that loading joins or drops.

The rows of one native message share its pointer; the lines of a streamed message are told by the places of its blocks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from inspector.doctor.from_messages import as_name, text_or_none
from inspector.doctor.lookup import MISSING, Lookup, holder_of, place_order
from inspector.doctor.native import Kind, Part, Role, Turn
from inspector.doctor.shapes import Shape
from inspector.formats import Conversation
from inspector.message import Origin

_KINDS = {
    "text": Kind.TEXT,
    "tool_use": Kind.CALL,
    "tool_result": Kind.RESULT,
    "thinking": Kind.THINKING,
    "redacted_thinking": Kind.THINKING,
    "image": Kind.IMAGE,
    "server_tool_use": Kind.SERVER_CALL,
    "mcp_tool_use": Kind.SERVER_CALL,
}
_KEYED = {
    "text": Kind.TEXT, "toolUse": Kind.CALL, "toolResult": Kind.RESULT, "reasoningContent": Kind.THINKING,
    "image": Kind.IMAGE,
}  # fmt: skip
_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT, "system": Role.SYSTEM, "tool": Role.USER}


class _Row(NamedTuple):
    row: int
    role: str
    origin: Origin


def turns_of(conversation: Conversation, lookup: Lookup, shape: Shape) -> list[Turn]:
    """One turn a native message, as its reader merged it."""
    rows = (
        _Row(row, str(body.get("role")), conversation.origin(row)) for row, body in enumerate(conversation.messages)
    )
    groups = groupby(rows, key=lambda row: (row.origin.file, row.origin.pointer))
    return [_turn(number, list(group), lookup, shape) for number, (_, group) in enumerate(groups)]


def _turn(number: int, rows: Sequence[_Row], lookup: Lookup, shape: Shape) -> Turn:
    origin = rows[0].origin
    lookup = lookup.within(origin.file)
    value = lookup.at(origin.pointer)
    speaks = next((row for row in rows if row.role != "tool"), rows[0])
    role = _ROLES.get(speaks.role, Role.OTHER)
    entry = origin.pointer.removesuffix(shape.entry)
    note = shape.moves_notes and role == Role.USER and _is_note(lookup.at(entry))
    parts = tuple(_parts(number, rows, value, lookup))
    return Turn(role, origin.index, entry, origin.line, value, parts, speaks.row, note)


def _is_note(line: Any) -> bool:
    return isinstance(line, dict) and line.get("isMeta") is True


def _parts(number: int, rows: Sequence[_Row], value: Any, lookup: Lookup) -> Iterator[Part]:
    row_of = {spot: row.row for row in rows for spot in row.origin.parts}
    first = rows[0].row
    for holder in _holders(rows, value):
        content = lookup.at(holder)
        if isinstance(content, list):
            for at, block in enumerate(content):
                where = f"{holder}/{at}"
                yield _part(block, where, number, row_of.get(where, first))
        elif isinstance(content, str):
            yield Part(Kind.TEXT, holder, content, number, None, "", first)
        elif content is not MISSING and content is not None:
            yield Part(Kind.OTHER, holder, content, number, None, "", first)


def _holders(rows: Sequence[_Row], value: Any) -> list[str]:
    """The pointers of the lists that hold the blocks of a message."""
    pointer = rows[0].origin.pointer
    if isinstance(value, dict):
        own = f"{pointer}/content"
        spots = (spot for row in rows for spot in row.origin.parts)
        found = {holder_of(spot) if spot[-1:].isdecimal() else spot for spot in spots} | {own}
        return sorted(found, key=place_order) if len(found) > 1 else [own]
    return [pointer]


def _part(block: Any, pointer: str, turn: int, row: int) -> Part:
    if not isinstance(block, dict):
        return Part(Kind.TEXT if isinstance(block, str) else Kind.OTHER, pointer, block, turn, None, "", row)
    kind = block.get("type")
    if not isinstance(kind, str):
        return _keyed(block, pointer, turn, row)
    known = _KINDS.get(kind)
    if known is None:
        known = Kind.SERVER_RESULT if kind.endswith("tool_result") else Kind.OTHER
    if known == Kind.TEXT:
        return Part(known, pointer, block, turn, None, "", row)
    if known in (Kind.RESULT, Kind.SERVER_RESULT):
        return Part(known, pointer, block, turn, text_or_none(block.get("tool_use_id")), "", row)
    return Part(known, pointer, block, turn, text_or_none(block.get("id")), as_name(block.get("name")), row)


def _keyed(block: dict[str, Any], pointer: str, turn: int, row: int) -> Part:
    """A block of Bedrock's, which is told by its key."""
    key = next((key for key in _KEYED if key in block), "")
    kind = _KEYED.get(key, Kind.OTHER)
    inner = block.get(key)
    held = inner if isinstance(inner, dict) else {}
    return Part(kind, pointer, block, turn, text_or_none(held.get("toolUseId")), as_name(held.get("name")), row)
