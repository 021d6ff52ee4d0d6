"""opencode's export of one session, `{info, messages: [{info, parts}]}`, or a list of such exports."""

from __future__ import annotations

from typing import Any

from inspector.finding import Finding
from inspector.formats.entries import Entry, entries_of, samples_of
from inspector.formats.format import Conversation, Format, Recording
from inspector.formats.opencode import Piece, Said, Told, conversations_of
from inspector.formats.shapes import as_dict, unreadable


def recognise(recording: Recording) -> bool:
    """Whether a recording holds messages that are each an `info` and `parts`."""
    return any(map(_is_export, samples_of(recording, 20)))


def _is_export(value: Any) -> bool:
    messages = value.get("messages") if isinstance(value, dict) else None
    if not isinstance(messages, list) or "info" not in value:
        return False
    return not messages or any(isinstance(one, dict) and "info" in one and "parts" in one for one in messages[:50])


def read(recording: Recording) -> list[Conversation]:
    """The exported sessions."""
    damage: list[Finding] = []
    told = [_told(entry, damage) for entry in entries_of(recording) if _is_export(entry.value)]
    return conversations_of(told, damage)


def _told(entry: Entry, damage: list[Finding]) -> Told:
    messages: list[Said] = []
    for one in entry.each("messages"):
        info = one.at("info")
        if isinstance(info.value, dict):
            messages.append(Said(Piece(info.value, one.place), _parts(one, damage)))
        else:
            damage.append(_unreadable(one))
    return Told(as_dict(entry.value.get("info")), messages)


def _parts(message: Entry, damage: list[Finding]) -> list[Piece]:
    found = []
    for part in message.each("parts"):
        part = Entry(part.value, part.place._replace(native=message.place.native))
        if isinstance(part.value, dict):
            found.append(Piece(part.value, part.place))
        else:
            damage.append(_unreadable(part))
    return found


def _unreadable(entry: Entry) -> Finding:
    index, pointer, line = entry.place
    return unreadable(index, pointer, entry.value, numbered=line is not None)


FORMAT = Format(
    name="opencode_export",
    title="opencode export",
    recognise=recognise,
    read=read,
    help="What `opencode export` writes.",
    shape="back_opencode.SHAPE",
)
