"""Factory's Droid: session files of JSON Lines, messages of Anthropic blocks linked to their parents.

The live path leads from the last message to the `session_start` line. `todo_state`, `session_settings` and lines of
other types are links at most.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inspector.finding import Finding
from inspector.formats.blocks import Place, Rows, origins
from inspector.formats.format import Conversation, Format, Recording
from inspector.formats.shapes import as_dict, as_text, objects_of
from inspector.formats.tree import Linked, branches_of, live_path
from inspector.message import Body


def recognise(recording: Recording) -> bool:
    """Whether a recording begins a session, or has linked messages of type "message" with blocks."""
    values = recording.sample() if recording.lines else [recording.document]
    return any(map(_is_own, values))


def _is_own(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    if value.get("type") == "session_start":
        return "id" in value
    message = as_dict(value.get("message"))
    return value.get("type") == "message" and "parentId" in value and message.get("role") in ("user", "assistant")


def read(recording: Recording) -> list[Conversation]:
    """The one conversation of a session file."""
    lines, damage = objects_of(recording)
    records = [Linked(line, value, as_text(value.get("id")), value.get("parentId")) for line, value in lines]
    leaf = max((place for place, (_, value) in enumerate(lines) if _speaks(value)), default=-1)
    return [_conversation(records, leaf, damage)]


def _conversation(records: Sequence[Linked], leaf: int, damage: Sequence[Finding]) -> Conversation:
    speaking = [_speaks(record.value) for record in records]
    path = live_path(records, leaf, "parentId", speaking)
    rows = Rows()
    left = Rows(rows.names)
    for place in path.live:
        _tell(rows, records[place])
    for place in path.left:
        _tell(left, records[place])
    head: Body = next((record.value for record in records if record.value.get("type") == "session_start"), {})
    leaves, branches = branches_of(path, records, speaking, rows.native, _alone)
    return Conversation(
        messages=rows.messages,
        origin=origins(rows, _line),
        title=as_text(head.get("sessionTitle")) or as_text(head.get("title")),
        damage=(*damage, *path.damage),
        abandoned=tuple(left.messages),
        branches=branches,
        read_branch=lambda number: _conversation(records, leaves[number], damage),
    )


def _speaks(value: Body) -> bool:
    return value.get("type") == "message" and isinstance(value.get("message"), dict)


def _tell(rows: Rows, record: Linked) -> None:
    if _speaks(record.value):
        message = record.value["message"]
        rows.add(record.line, as_text(message.get("role")) or "other", message.get("content"))


def _alone(record: Linked) -> Sequence[Body]:
    rows = Rows()
    _tell(rows, record)
    return rows.messages


def _line(number: int) -> Place:
    return Place(number, f"/{number}/message", f"/{number}/message/content", number + 1)


FORMAT = Format(
    name="droid_cli",
    title="Droid",
    recognise=recognise,
    read=read,
    help="Session files under ~/.factory/sessions.",
)
