"""Data sets of message lists: LLaMA-Factory's typed parts (`{"type", "value"}`), and preference pairs.

- One record is one conversation. `tools` may be a JSON string. A part of type `tool_call` holds its call as a JSON
  string and has no id; `reasoning` parts are the thinking.
- Of a preference pair the chosen answer is read, the rejected one is a branch that was left.
- Plain message lists, one a line, are Chat Completions (`openai_chat`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inspector.formats.blocks import part_of
from inspector.formats.datasets import arguments, take_calls, tools_of
from inspector.formats.entries import Entry, entries_of, samples_of, where
from inspector.formats.format import Conversation, Format, Recording
from inspector.formats.openai_chat import is_message
from inspector.formats.rows import Draft, Rows, Spot, call_entry, image_part
from inspector.formats.shapes import as_dict, as_list, as_text, unreadable
from inspector.message import Body

_PARTS = frozenset(("text", "reasoning", "tool_call", "image_url", "video_url", "audio_url"))
_LISTS = ("prompt", "messages", "conversations", "chosen")
_REJECTED = ("rejected", "rejected_messages")


def recognise(recording: Recording) -> bool:
    """Whether records hold messages with `value` parts, or pairs of a chosen and a rejected answer."""
    return any(map(_is_record, samples_of(recording)))


def _is_record(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    if "chosen" in value and "rejected" in value:
        return any(map(is_message, _listed(value["chosen"])))
    lists = [as_list(value.get(key)) for key in ("messages", "conversations")]
    messages = [message for some in lists for message in some[:50] if is_message(message)]
    typed = any(_is_part(part) for message in messages for part in as_list(message.get("content")))
    return typed or any(map(is_message, as_list(value.get("conversations"))))


def _is_part(part: Any) -> bool:
    return isinstance(part, dict) and "value" in part and as_text(part.get("type")) in _PARTS


def _listed(value: Any) -> list[Any]:
    return [value] if isinstance(value, dict) else as_list(value)


def read(recording: Recording) -> list[Conversation]:
    """One conversation a record."""
    return [_conversation(entry) for entry in entries_of(recording) if _is_record_like(entry.value)]


def _is_record_like(value: Any) -> bool:
    return isinstance(value, dict) and not value.keys().isdisjoint(_LISTS)


def _conversation(record: Entry) -> Conversation:
    entries = [entry for key in _LISTS for entry in _entries(record, key)]
    rows = _rows(entries)
    rejected = [entry for key in _REJECTED for entry in _entries(record, key)]
    name = record.value.get("id", record.value.get("custom_id"))
    line = record.place.line
    return Conversation(
        messages=rows.messages,
        origin=rows.origins(where(entries)),
        title=str(name) if isinstance(name, (str, int)) else f"record {record.place.native + 1:,}",
        tools=tools_of(record.value.get("tools")),
        abandoned=tuple(_rows(rejected).messages),
        damage=tuple(
            unreadable(entry.place.native, entry.place.pointer, entry.value, numbered=line is not None)
            for entry in entries
            if not is_message(entry.value)
        ),
    )


def _entries(record: Entry, key: str) -> list[Entry]:
    inner = record.at(key)
    return [inner] if isinstance(inner.value, dict) else record.each(key)


def _rows(entries: Sequence[Entry]) -> Rows:
    rows = Rows()
    for native, entry in enumerate(entries):
        if is_message(entry.value):
            _add(rows, native, entry.value)
    return rows


def _add(rows: Rows, native: int, message: Body) -> None:
    draft, content = Draft(), message.get("content")
    if isinstance(content, list):
        for number, part in enumerate(content):
            _take(draft, Spot(native, f"/content/{number}"), part)
    elif content is not None:
        draft.say(Spot(native, "/content"), arguments(content))
    if message["role"] == "tool":
        body = draft.body("tool")
        rows.result(Spot(native, "/content"), message.get("tool_call_id"), body["content"], name=_name(message))
        return
    for number, call in enumerate(as_list(message.get("tool_calls"))):
        function = as_dict(as_dict(call).get("function"))
        entry = call_entry(as_dict(call).get("id"), function.get("name"), arguments(function.get("arguments")))
        draft.call(Spot(native, f"/tool_calls/{number}"), entry)
    rows.add(native, message["role"], draft)


def _name(message: Body) -> str:
    return as_text(message.get("name"))


def _take(draft: Draft, spot: Spot, part: Any) -> None:
    if not _is_part(part):
        said = part.get("text") if isinstance(part, dict) and part.get("type") == "text" else None
        draft.say(spot, said if isinstance(said, str) else part_of(part))
        return
    kind, value = part["type"], part["value"]
    if kind == "tool_call":
        take_calls(draft, spot, value)
    elif kind == "reasoning":
        draft.think(spot, arguments(value))
    elif kind == "image_url" and isinstance(value, str):
        draft.say(spot, image_part(value))
    elif kind == "text":
        draft.say(spot, arguments(value))
    else:
        draft.say(spot, part)


FORMAT = Format(
    name="messages_jsonl_dataset",
    title="message data set",
    recognise=recognise,
    read=read,
    help="A fine-tuning set of message lists with typed parts, or of preference pairs, as JSON or JSON Lines.",
    shape="own_messages.SHAPE",
)
