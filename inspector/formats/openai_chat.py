"""OpenAI Chat Completions: message lists and the many wrappers that they are logged in (FORMATS.md, section 2).

The messages are the file's own dicts. An entry that is no message is named and skipped, never guessed at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inspector.finding import Finding
from inspector.formats.damage import message_index
from inspector.formats.format import Conversation, Format, Recording
from inspector.formats.shapes import as_text
from inspector.message import Body, Origin, Usage, listed

LISTS = ("messages", "traj", "conversation")
"""Keys under which a wrapper keeps its message list."""
WRAPPERS = ("", "/request", "/body", "/request/body", "/kwargs")
"""Pointers of the object, inside a logged record, that keeps the list."""
ANSWERS = ("/response", "/response/body", "/response_body", "/output", "")
"""Pointers of the object that holds a recorded answer (`choices`)."""
SAMPLED = 50

_SAYS = frozenset(("content", "tool_calls", "function_call", "thinking", "images"))
"""Keys of which a chat message has one; other formats keep what is said elsewhere (`parts`, `message`)."""
_ITEMS = frozenset(("function_call", "function_call_output", "reasoning", "item_reference", "custom_tool_call"))
"""Types of OpenAI Responses items, which stand in a list without a role."""


@dataclass(frozen=True, slots=True)
class Place:
    """A message list inside a file."""

    entries: list[Any]
    pointer: str
    line: int | None
    """0-based physical line in a JSON Lines file."""
    holder: Body
    """The object that keeps the list: model and tools stand in it."""
    record: Body
    """The whole logged record: answer and usage stand in it."""
    record_pointer: str


def recognise(recording: Recording) -> bool:
    """Whether a recording holds messages with roles, as a list, in a wrapper, or one a line."""
    if not recording.lines:
        found = next(_places(recording.document, "", None), None)
        return found is not None and looks_like_messages(found.entries)
    values = [value for value in recording.sample(SAMPLED) if isinstance(value, dict)]
    return looks_like_messages(values) or any(
        looks_like_messages(place.entries) for value in values for place in _places(value, "", 0)
    )


def looks_like_messages(entries: Sequence[Any]) -> bool:
    """Whether the first entries of a list are chat messages, at least half of them, and none is of another format.

    An empty list is one too: whoever calls it `messages` says so.
    """
    some = entries[:SAMPLED]
    if not some:
        return True
    chat = sum(is_message(entry) and not _SAYS.isdisjoint(entry) for entry in some)
    return 2 * chat >= len(some) and not any(map(_is_item, some))


def is_message(entry: Any) -> bool:
    """Whether an entry is an object with a role."""
    return isinstance(entry, dict) and isinstance(entry.get("role"), str)


def _is_item(entry: Any) -> bool:
    return isinstance(entry, dict) and "role" not in entry and as_text(entry.get("type")) in _ITEMS


def read(recording: Recording) -> list[Conversation]:
    """All conversations of a recording, in the order of the file."""
    if not recording.lines:
        return [_conversation(place) for place in _places(recording.document, "", None)]
    values = [record.value for record in recording.records]
    if looks_like_messages([value for value in values if isinstance(value, dict)]):
        return [_one_a_line(recording)]
    places = (place for record in recording.records for place in _places(record.value, f"/{record.line}", record.line))
    return [_conversation(place) for place in places]


def _places(value: Any, pointer: str, line: int | None) -> Iterator[Place]:
    """The message lists of a value: the value itself, in a wrapper, or those of its elements."""
    if isinstance(value, dict):
        place = _in_wrapper(value, pointer, line)
        if place:
            yield place
    elif isinstance(value, list) and any(map(is_message, value[:SAMPLED])):
        yield Place(value, pointer, line, {}, {}, pointer)
    elif isinstance(value, list):
        for index, element in enumerate(value):
            inside = element if isinstance(element, dict) or _is_list_of_messages(element) else None
            yield from _places(inside, f"{pointer}/{index}", line)


def _is_list_of_messages(value: Any) -> bool:
    return isinstance(value, list) and any(map(is_message, value[:SAMPLED]))


def _in_wrapper(record: Body, pointer: str, line: int | None) -> Place | None:
    for wrapper in WRAPPERS:
        holder = at(record, wrapper)
        for key in LISTS if isinstance(holder, dict) else ():
            entries = holder.get(key)
            if isinstance(entries, list):
                return Place(entries, f"{pointer}{wrapper}/{key}", line, holder, record, pointer)
    if answer_of(record):
        return Place([], pointer, line, record, record, pointer)
    return None


def at(value: Any, pointer: str) -> Any:
    """The value inside objects at a pointer; None where there is none."""
    for key in pointer.split("/")[1:]:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _conversation(place: Place) -> Conversation:
    messages, origin, damage = kept(place.entries, place.pointer, place.line)
    answer = answer_of(place.record)
    if answer and (not messages or messages[-1] != answer[0]):
        body, pointer = answer
        before, native = (
            origin,
            Origin(_native(place, len(messages)), place.record_pointer + pointer, _line(place.line)),
        )
        messages, origin = [*messages, body], _with_last(before, len(messages), native)
    return Conversation(
        messages=messages,
        origin=origin,
        title=_title(place),
        model=_text(place.holder.get("model")) or _text(at(place.record, "/response/model")) or None,
        tools=_dicts(place.holder.get("tools") or place.holder.get("functions")),
        usage=_usage(place, messages) if answer else (),
        damage=damage,
    )


def _native(place: Place, row: int) -> int:
    return row if place.line is None else place.line


def _line(line: int | None) -> int | None:
    return None if line is None else line + 1


def _with_last(before: Callable[[int], Origin], last: int, native: Origin) -> Callable[[int], Origin]:
    return lambda row: native if row == last else before(row)


def kept(
    entries: list[Any], pointer: str, line: int | None
) -> tuple[Sequence[Body], Callable[[int], Origin], tuple[Finding, ...]]:
    """The entries of a list that are messages (the list itself where all are), their origins, and the others named."""
    if all(map(is_message, entries)):
        return entries, _origins(pointer, line, None), ()
    rows = [index for index, entry in enumerate(entries) if is_message(entry)]
    others = enumerate(entries)
    damage = tuple(no_message(entry, f"{pointer}/{at}", line) for at, entry in others if not is_message(entry))
    return [entries[index] for index in rows], _origins(pointer, line, rows), damage


def _origins(pointer: str, line: int | None, rows: Sequence[int] | None) -> Callable[[int], Origin]:
    if line is not None:
        return lambda row: Origin(line, f"{pointer}/{rows[row] if rows else row}", line + 1)
    if rows is None:
        return listed(pointer)
    native = listed(pointer)
    return lambda row: native(rows[row])


def no_message(entry: Any, pointer: str, line: int | None) -> Finding:
    """The finding about an entry that is no message."""
    why = (
        "it has no role" if isinstance(entry, dict) else f"it is {_KINDS.get(type(entry), 'no object')}, not an object"
    )
    index = message_index(pointer) if line is None else line
    place = pointer if line is None else f"line {line + 1:,}, {pointer}"
    says = f"{place}: {why}; it is skipped"
    return Finding("unparseable-record", "warning", says, index, pointer, _line(line))


_KINDS: Mapping[type, str] = {
    str: "a string", int: "a number", float: "a number", bool: "a boolean", type(None): "null", list: "a list",
}  # fmt: skip


def _one_a_line(recording: Recording) -> Conversation:
    """JSON Lines with one message a line."""
    records = [record for record in recording.records if is_message(record.value)]
    places = [record.line for record in records]
    return Conversation(
        messages=[record.value for record in records],
        origin=lambda row: Origin(places[row], f"/{places[row]}", places[row] + 1),
        damage=tuple(
            no_message(record.value, f"/{record.line}", record.line)
            for record in recording.records
            if not is_message(record.value)
        ),
    )


def answer_of(record: Body) -> tuple[Body, str] | None:
    """The answer that a logged record holds, and its pointer in the record."""
    for pointer in ANSWERS:
        choices = at(record, f"{pointer}/choices")
        first = choices[0] if isinstance(choices, list) and choices else None
        message = at(first, "/message")
        if is_message(message):
            return message, f"{pointer}/choices/0/message"
    return None


def _usage(place: Place, messages: Sequence[Body]) -> tuple[Usage, ...]:
    for pointer in ANSWERS:
        usage = at(place.record, f"{pointer}/usage")
        if isinstance(usage, dict) and count(usage.get("prompt_tokens")):
            cached = count(at(usage, "/prompt_tokens_details/cached_tokens"))
            row = len(messages) - 1
            return (Usage(row, count(usage["prompt_tokens"]), cached, count(usage.get("completion_tokens"))),)
    return ()


def count(value: Any) -> int:
    """A recorded figure; 0 where there is none."""
    return value if type(value) is int and value > 0 else 0


def _title(place: Place) -> str:
    for key in ("title", "name", "custom_id", "id", "task_id"):
        value = place.record.get(key)
        if isinstance(value, (str, int)) and not isinstance(value, bool):
            return str(value)
    if place.line is not None:
        return f"line {place.line + 1:,}"
    return place.pointer.removesuffix("/messages") or ""


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _dicts(value: Any) -> tuple[Body, ...]:
    return tuple(item for item in value if isinstance(item, dict)) if isinstance(value, list) else ()


FORMAT = Format(
    name="openai_chat",
    title="OpenAI Chat Completions",
    recognise=recognise,
    read=read,
    help="a message list, a request or its log as JSON, or JSON Lines of requests or of messages",
    shape="own_messages.SHAPE",
)
