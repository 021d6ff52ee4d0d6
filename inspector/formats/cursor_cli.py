"""Cursor: agent transcripts of JSON Lines, `{role, message: {content}}` with Anthropic blocks.

Calls often have no id while results have one. Such a result answers the open call without an id that stands first in
its turn; its own id says nothing then, and is left out so that pairing goes by place.
"""

from __future__ import annotations

from collections import deque
from typing import Any

from inspector.formats.blocks import Place, Rows, origins
from inspector.formats.format import Conversation, Format, Recording
from inspector.formats.shapes import as_list, as_text, objects_of
from inspector.message import Body


def recognise(recording: Recording) -> bool:
    """Whether a recording's lines hold a role beside a message that has content and no role of its own."""
    values = recording.sample() if recording.lines else [recording.document]
    return any(map(_is_own, values))


def _is_own(value: Any) -> bool:
    if not isinstance(value, dict) or value.get("role") not in ("user", "assistant", "system", "tool"):
        return False
    message = value.get("message")
    return isinstance(message, dict) and "content" in message and "uuid" not in value and "type" not in value


def read(recording: Recording) -> list[Conversation]:
    """The one conversation of a transcript."""
    lines, damage = objects_of(recording)
    rows = Rows()
    for line, value in lines:
        message = value.get("message")
        if isinstance(message, dict):
            rows.add(line, as_text(value.get("role")) or "other", message.get("content"))
    _pair_by_place(rows.messages)
    return [Conversation(messages=rows.messages, origin=origins(rows, _line), damage=tuple(damage))]


def _pair_by_place(messages: list[Body]) -> None:
    known: set[str] = set()
    nameless: deque[str] = deque()
    for body in messages:
        if body["role"] == "assistant":
            calls = as_list(body.get("tool_calls"))
            known.update(call["id"] for call in calls if isinstance(call.get("id"), str))
            nameless.extend(call["function"]["name"] for call in calls if not call.get("id"))
        elif body["role"] == "tool" and nameless and as_text(body.get("tool_call_id")) not in known:
            body.pop("tool_call_id", None)
            name = nameless.popleft()
            if name:
                body["name"] = name


def _line(number: int) -> Place:
    return Place(number, f"/{number}/message", f"/{number}/message/content", number + 1)


FORMAT = Format(
    name="cursor_cli",
    title="Cursor",
    recognise=recognise,
    read=read,
    help="Agent transcripts under ~/.cursor/projects/PROJECT/agent-transcripts.",
)
