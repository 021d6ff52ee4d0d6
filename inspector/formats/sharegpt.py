"""ShareGPT: data sets of `{"conversations": [{"from", "value"}]}`, with LLaMA-Factory's tools, images and pairs.

- A `function_call` turn is an assistant message whose value is the call as JSON text, without an id; an `observation`
  is the tool's result.
- `<image>` marks in the texts stand for the record's `images`, in order: the text stays whole, the images follow it.
- Of a preference pair the chosen answer is read, the rejected one is a branch that was left.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from inspector.formats.datasets import arguments, take_calls, tools_of
from inspector.formats.entries import Entry, entries_of, samples_of, where
from inspector.formats.format import Conversation, Format, Recording
from inspector.formats.rows import Draft, Rows, Spot, image_part
from inspector.formats.shapes import as_list, as_text, unreadable
from inspector.message import Body

ROLES: Mapping[str, str] = {
    "human": "user", "user": "user", "gpt": "assistant", "chatgpt": "assistant", "assistant": "assistant",
    "model": "assistant", "bing": "assistant", "bard": "assistant", "system": "system", "function_call": "assistant",
    "observation": "tool", "tool": "tool", "function": "tool", "function_response": "tool",
}  # fmt: skip
IMAGE = "<image>"
_LISTS = ("conversations", "conversation")


def recognise(recording: Recording) -> bool:
    """Whether records hold turns with `from` and `value`."""
    return any(_is_record(value) for value in samples_of(recording))


def _is_record(value: Any) -> bool:
    return isinstance(value, dict) and any(_is_turn(turn) for key in _LISTS for turn in as_list(value.get(key))[:50])


def _is_turn(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("from"), str) and "value" in value


def read(recording: Recording) -> list[Conversation]:
    """One conversation a record."""
    return [_conversation(entry) for entry in entries_of(recording) if _holds_turns(entry.value)]


def _holds_turns(value: Any) -> bool:
    return isinstance(value, dict) and any(isinstance(value.get(key), list) for key in _LISTS)


def _conversation(record: Entry) -> Conversation:
    turns = [turn for key in (*_LISTS, "chosen") for turn in _turns(record, key)]
    images = iter([image for image in as_list(record.value.get("images")) if isinstance(image, str)])
    said = record.at("system")
    entries = [said, *turns] if as_text(said.value) else turns
    rows = _rows(entries, images)
    name = record.value.get("id")
    return Conversation(
        messages=rows.messages,
        origin=rows.origins(where(entries)),
        title=str(name) if isinstance(name, (str, int)) else f"record {record.place.native + 1:,}",
        tools=tools_of(record.value.get("tools")),
        abandoned=tuple(_rows(_turns(record, "rejected"), iter(())).messages),
        damage=tuple(
            unreadable(turn.place.native, turn.place.pointer, turn.value, numbered=turn.place.line is not None)
            for turn in turns
            if not _is_turn(turn.value)
        ),
    )


def _turns(record: Entry, key: str) -> list[Entry]:
    inner = record.at(key)
    return [inner] if isinstance(inner.value, dict) else record.each(key)


def _rows(entries: Sequence[Entry], images: Iterator[str]) -> Rows:
    rows = Rows()
    for native, entry in enumerate(entries):
        if isinstance(entry.value, str):
            draft = Draft()
            draft.say(Spot(native, ""), entry.value)
            rows.add(native, "system", draft)
        elif _is_turn(entry.value):
            _add(rows, native, entry.value, images)
    return rows


def _add(rows: Rows, native: int, turn: Body, images: Iterator[str]) -> None:
    kind, spot = turn["from"].lower(), Spot(native, "/value")
    role, draft = ROLES.get(kind, "other"), Draft()
    if kind == "function_call":
        take_calls(draft, spot, turn["value"])
    else:
        _say(draft, spot, arguments(turn["value"]), images)
    if role == "tool":
        rows.result(spot, None, draft.body(role)["content"])
    else:
        rows.add(native, role, draft)


def _say(draft: Draft, spot: Spot, text: str, images: Iterator[str]) -> None:
    draft.say(spot, text)
    for _ in range(text.count(IMAGE)):
        path = next(images, None)
        if path is not None:
            draft.say(spot, image_part(path))


FORMAT = Format(
    name="sharegpt",
    title="ShareGPT",
    recognise=recognise,
    read=read,
    help="A data set of conversations with from and value, as JSON or JSON Lines.",
)
