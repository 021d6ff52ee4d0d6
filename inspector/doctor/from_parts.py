"""Gemini's contents as turns, with every part that loading joins, drops or takes out of its order."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from inspector.doctor.from_messages import as_name, text_or_none
from inspector.doctor.lookup import MISSING, Lookup
from inspector.doctor.native import Kind, Part, Role, Turn
from inspector.formats import Conversation

_ROLES = {"user": Role.USER, "model": Role.ASSISTANT, "function": Role.USER, "tool": Role.USER}
_CALL = ("functionCall", "function_call")
_RESPONSE = ("functionResponse", "function_response")
_DATA = ("inlineData", "inline_data", "fileData", "file_data")


def turns_of(conversation: Conversation, lookup: Lookup) -> list[Turn]:
    """One turn a content; the system instruction is one as well."""
    turns: list[Turn] = []
    rows = ((row, conversation.origin(row)) for row in range(len(conversation.messages)))
    for _, group in groupby(rows, key=lambda row: row[1].pointer):
        members = list(group)
        row, origin = members[0]
        value = lookup.at(origin.pointer)
        row_of = {spot: number for number, place in members for spot in place.parts}
        system = conversation.messages[row].get("role") == "system"
        role = Role.SYSTEM if system else _role(value)
        parts = () if system else tuple(_parts(len(turns), value, origin.pointer, row_of, row))
        turns.append(Turn(role, origin.index, origin.pointer, origin.line, value, parts, row))
    return turns


def _role(value: Any) -> Role:
    role = value.get("role", "user") if isinstance(value, dict) else "user"
    return _ROLES.get(role, Role.OTHER) if isinstance(role, str) else Role.OTHER


def _parts(turn: int, value: Any, pointer: str, row_of: dict[str, int], row: int) -> Iterator[Part]:
    if isinstance(value, str):
        yield Part(Kind.TEXT, pointer, value, turn, None, "", row)
        return
    parts = value.get("parts") if isinstance(value, dict) and value is not MISSING else None
    for at, part in enumerate(parts if isinstance(parts, list) else ()):
        where = f"{pointer}/parts/{at}"
        yield _part(part, where, turn, row_of.get(where, row))


def _part(part: Any, pointer: str, turn: int, row: int) -> Part:
    if not isinstance(part, dict):
        return Part(Kind.TEXT if isinstance(part, str) else Kind.OTHER, pointer, part, turn, None, "", row)
    for keys, kind in ((_CALL, Kind.CALL), (_RESPONSE, Kind.RESULT)):
        key = next((key for key in keys if isinstance(part.get(key), dict)), None)
        if key:
            inner = part[key]
            return Part(kind, pointer, part, turn, text_or_none(inner.get("id")), as_name(inner.get("name")), row)
    if part.get("thought"):
        return Part(Kind.THINKING, pointer, part, turn, None, "", row)
    if isinstance(part.get("text"), str):
        return Part(Kind.TEXT, pointer, part, turn, None, "", row)
    kind = Kind.IMAGE if any(key in part for key in _DATA) else Kind.OTHER
    return Part(kind, pointer, part, turn, None, "", row)
