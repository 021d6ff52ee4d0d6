"""A client's own record as turns: the rows that it was loaded as, with the places that their origins give.

Where the recording has a value at such a place it is the part's value; where it has none (in a folder or a database)
the loaded message stands in.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from inspector.doctor.from_messages import as_name, content_parts, message_turn, role_of, text_or_none
from inspector.doctor.lookup import MISSING, Lookup, holder_of
from inspector.doctor.native import Kind, Part, Role, Turn
from inspector.doctor.shapes import Shape
from inspector.formats import Conversation
from inspector.message import Body, calls_of

_TEXTS = ("text", "input_text", "output_text")


def turns_of(conversation: Conversation, lookup: Lookup, shape: Shape) -> list[Turn]:
    """One turn a row."""
    turns = []
    for row, body in enumerate(conversation.messages):
        origin = conversation.origin(row)
        inside = lookup.within(origin.file)
        value = inside.at(origin.pointer)
        if value is body:
            turns.append(message_turn(row, body, origin.index, origin.pointer, origin.line))
            continue
        parts = tuple(_parts(row, body, origin.pointer, origin.parts, inside, shape))
        native = body if value is MISSING else value
        turns.append(Turn(role_of(body), origin.index, origin.pointer, origin.line, native, parts, row))
    return turns


def _parts(row: int, body: Body, pointer: str, spots: Sequence[str], lookup: Lookup, shape: Shape) -> Iterator[Part]:
    calls = calls_of(body) if role_of(body) == Role.ASSISTANT else ()
    entries = [entry for entry in body.get("tool_calls") or () if isinstance(entry, dict)] if calls else []
    for at, (call, entry) in enumerate(zip(calls, entries, strict=False)):
        where = spots[at] if at < len(spots) else f"{pointer}/tool_calls/{at}"
        yield Part(Kind.CALL, where, _value(lookup, where, entry), row, call.id, call.name, row)
    if role_of(body) == Role.RESULT:
        where = pointer if shape.whole_results or not spots else spots[0]
        name = as_name(body.get("name"))
        yield Part(
            Kind.RESULT, where, _value(lookup, where, body), row, text_or_none(body.get("tool_call_id")), name, row
        )
        return
    yield from _said(row, body, pointer, spots[len(calls) :], lookup)


def _said(row: int, body: Body, pointer: str, spots: Sequence[str], lookup: Lookup) -> Iterator[Part]:
    """The texts of a message, each where it stands; as one where the recording does not show them apart."""
    content = body.get("content")
    texts = [_text_place(spot, lookup) for spot in spots]
    found = [(spot, value) for spot, value in texts if _is_text(value)]
    if found:
        for spot, value in found:
            yield Part(Kind.TEXT, spot, value, row, None, "", row)
    elif isinstance(content, str) and content:
        yield Part(Kind.TEXT, pointer, content, row, None, "", row)
    elif isinstance(content, list):
        yield from content_parts(content, f"{pointer}/content", row, row)


def _text_place(spot: str, lookup: Lookup) -> tuple[str, object]:
    """Where the part stands whose text is at a spot, and what stands there."""
    part = holder_of(spot)
    value = lookup.at(part) if spot.endswith("/text") else None
    return (part, value) if isinstance(value, dict) else (spot, lookup.at(spot))


def _is_text(value: object) -> bool:
    if isinstance(value, str):
        return True
    return isinstance(value, dict) and isinstance(value.get("text"), str) and value.get("type", "text") in _TEXTS


def _value(lookup: Lookup, pointer: str, otherwise: object) -> object:
    value = lookup.at(pointer)
    return otherwise if value is MISSING else value
