"""OpenAI Responses: request bodies with `input`, responses with `output`, logs of both, and bare lists of items.

The system prompt in `instructions` is the first row; its origin has the index -1, so that it clashes with no item (in
JSON Lines of requests every row has the index of its line). Items of a logged response follow those of its request, and
are numbered after them. A `compaction` item stands for everything before it but the instructions: the server ignores
the items that clients still send. With `previous_response_id` the recording is incomplete by design.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from inspector.formats.format import Conversation, Format, Recording
from inspector.formats.openai_chat import WRAPPERS, at
from inspector.formats.response_items import Items, is_item, is_strong
from inspector.formats.rows import Place, Rows, Spot, on_lines
from inspector.formats.shapes import as_count, as_dict, as_list, as_text, dicts, lines_of, unreadable
from inspector.message import Body, Compaction, Usage

INSTRUCTIONS = -1
"""Native number of the instructions, which are no item."""
_ANSWERS = ("/response/body", "/response", "/output", "")
_OWN_KEYS = ("instructions", "previous_response_id", "max_output_tokens", "reasoning", "truncation", "store")
_SAMPLED = 50


@dataclass(frozen=True, slots=True)
class _Place:
    """The items of one conversation."""

    items: list[Any]
    pointer: str
    holder: Body
    holder_pointer: str
    output: list[Any]
    output_pointer: str
    answer: Body
    line: int | None
    numbers: tuple[int, ...] = ()
    """Where the items are lines of their own: which."""

    def where(self, native: int) -> Place:
        if self.numbers:
            return on_lines()(self.numbers[native])
        line, index = (None, native) if self.line is None else (self.line + 1, self.line)
        if native == INSTRUCTIONS:
            return Place(index, f"{self.holder_pointer}/instructions", line)
        after = native - len(self.items)
        pointer = f"{self.output_pointer}/{after}" if after >= 0 else f"{self.pointer}/{native}"
        return Place(index, pointer, line)


def recognise(recording: Recording) -> bool:
    """Whether a recording holds Responses items that no other format has, or a body that only this API takes."""
    if not recording.lines:
        return any(map(_is_own, _places(recording.document, "", None)))
    values = recording.sample(_SAMPLED)
    return any(map(is_strong, values)) or any(
        _is_own(place) for value in values if isinstance(value, dict) for place in _places(value, "", 0)
    )


def _is_own(place: _Place) -> bool:
    if any(map(is_strong, place.items[:_SAMPLED])) or any(map(is_strong, place.output[:_SAMPLED])):
        return True
    holder = place.holder
    if "messages" in holder or not all(map(is_item, place.items)):
        return False
    return holder.get("object") == "response" or ("model" in holder and any(key in holder for key in _OWN_KEYS))


def read(recording: Recording) -> list[Conversation]:
    """All conversations of a recording, in the order of the file."""
    if not recording.lines:
        return [_conversation(place) for place in _places(recording.document, "", None)]
    lines = lines_of(recording)
    if any(is_strong(value) for _, value in lines[:_SAMPLED]):
        values, numbers = [value for _, value in lines], tuple(line for line, _ in lines)
        return [_conversation(_Place(values, "", {}, "", [], "", {}, None, numbers))]
    return [_conversation(place) for line, value in lines for place in _places(value, f"/{line}", line)]


def _places(value: Any, pointer: str, line: int | None) -> Iterator[_Place]:
    if isinstance(value, dict):
        place = _in_record(value, pointer, line)
        if place is not None:
            yield place
    elif isinstance(value, list) and any(map(is_strong, value[:_SAMPLED])):
        yield _Place(value, pointer, {}, pointer, [], "", {}, line)
    elif isinstance(value, list):
        for index, element in enumerate(value):
            if isinstance(element, dict):
                yield from _places(element, f"{pointer}/{index}", line)


def _in_record(record: Body, pointer: str, line: int | None) -> _Place | None:
    answer, answer_pointer = _answer(record)
    output = as_list(answer.get("output"))
    for wrapper in WRAPPERS:
        holder = at(record, wrapper)
        given = holder.get("input") if isinstance(holder, dict) else None
        if isinstance(given, str) and (output or any(key in holder for key in _OWN_KEYS)):
            given = [{"role": "user", "content": given}]
        if isinstance(given, list):
            inside = f"{pointer}{wrapper}"
            answer_at = f"{pointer}{answer_pointer}/output"
            return _Place(given, f"{inside}/input", holder, inside, output, answer_at, answer, line)
    if not output:
        return None
    inside = f"{pointer}{answer_pointer}"
    return _Place([], inside, answer, inside, output, f"{inside}/output", answer, line)


def _answer(record: Body) -> tuple[Body, str]:
    """The recorded response of a logged record, with its pointer."""
    for pointer in _ANSWERS:
        answer = at(record, pointer)
        if isinstance(answer, dict) and _is_response(answer):
            return answer, pointer
    return {}, ""


def _is_response(answer: Body) -> bool:
    output = answer.get("output")
    if not isinstance(output, list):
        return False
    return answer.get("object") == "response" or any(map(is_strong, output[:_SAMPLED]))


def _conversation(place: _Place) -> Conversation:
    rows, damage = Rows(), []
    instructions = place.holder.get("instructions") or place.answer.get("instructions")
    if isinstance(instructions, str):
        rows.put(INSTRUCTIONS, {"role": "system", "content": instructions}, Spot(INSTRUCTIONS, ""))
    items = Items(rows)
    for native, item in enumerate((*place.items, *place.output)):
        if isinstance(item, dict):
            items.take(native, item)
        else:
            index, pointer, line = place.where(native)
            damage.append(unreadable(index, pointer, item, numbered=line is not None))
    items.close()
    kept = (0,) if rows.native[:1] == [INSTRUCTIONS] else ()
    return Conversation(
        messages=rows.messages,
        origin=rows.origins(place.where),
        title=f"line {place.line + 1}" if place.line is not None else "",
        model=as_text(place.holder.get("model")) or as_text(place.answer.get("model")) or None,
        tools=dicts(place.holder.get("tools")),
        usage=_usage(items.answer, place.answer.get("usage")),
        compactions=tuple(Compaction(row, "compaction", kept=kept) for row in items.compactions),
        damage=tuple(damage),
    )


def _usage(row: int | None, usage: Any) -> tuple[Usage, ...]:
    found = as_dict(usage)
    taken, made = as_count(found.get("input_tokens")), as_count(found.get("output_tokens"))
    if row is None or not (taken or made):
        return ()
    cached = as_count(as_dict(found.get("input_tokens_details")).get("cached_tokens"))
    return (Usage(row, taken, cached, made),)


FORMAT = Format(
    name="openai_responses",
    title="OpenAI Responses",
    recognise=recognise,
    read=read,
    help="Request bodies and responses of the Responses API, logs and JSON Lines of them, and lists of its items.",
    shape="back_items.ITEMS",
)
