"""Ollama chat: requests, message lists and recorded answers, streamed or whole (FORMATS.md, section 15).

Its messages are OpenAI-shaped but for three things: calls have no ids, their arguments are objects, and images are
strings beside the content. The messages are the file's own dicts, except an answer that came in several pieces.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from inspector.finding import Finding
from inspector.formats.format import Conversation, Format, Record, Recording
from inspector.formats.openai_chat import SAMPLED, count, is_message, kept, looks_like_messages, no_message
from inspector.message import Body, Origin, Usage, listed

REQUEST_MARKS = frozenset(("options", "keep_alive", "think"))
"""Keys of a request that no other chat API has."""
ANSWER_MARKS = frozenset(("done", "created_at"))


def recognise(recording: Recording) -> bool:
    """Whether the messages are Ollama's: by their calls, images and names, or by the request or answer around them."""
    if recording.lines:
        values = [value for value in recording.sample(SAMPLED) if isinstance(value, dict)]
        return any(map(_is_marked, values)) or _are_ollama(values)
    document = recording.document
    return _is_marked(document) if isinstance(document, dict) else _are_ollama(document)


def _is_marked(value: Body) -> bool:
    if _is_answer(value):
        return True
    messages = value.get("messages")
    if not isinstance(messages, list) or not looks_like_messages(messages) or _are_foreign(messages):
        return False
    return not REQUEST_MARKS.isdisjoint(value) or _are_ollama(messages)


def _is_answer(value: Any) -> bool:
    return isinstance(value, dict) and value.keys() >= ANSWER_MARKS and is_message(value.get("message"))


def _are_ollama(entries: Sequence[Any]) -> bool:
    messages = [entry for entry in entries if is_message(entry)]
    return not _are_foreign(messages) and looks_like_messages(entries) and any(map(_is_ollama, messages))


def _are_foreign(entries: Sequence[Any]) -> bool:
    return any(map(_is_foreign, entries))


def _is_foreign(entry: Any) -> bool:
    """Whether a message has what Ollama has not: content that is a list, ids, argument strings."""
    if not isinstance(entry, dict):
        return False
    calls = entry.get("tool_calls")
    return (
        "tool_call_id" in entry
        or isinstance(entry.get("content"), list)
        or (isinstance(calls, list) and any(_has_text_arguments(call) for call in calls))
    )


def _has_text_arguments(call: Any) -> bool:
    function = call.get("function") if isinstance(call, dict) else None
    return isinstance(function, dict) and isinstance(function.get("arguments"), str)


def _is_ollama(message: Body) -> bool:
    calls, images = message.get("tool_calls"), message.get("images")
    return (
        (isinstance(images, list) and bool(images) and all(isinstance(image, str) for image in images))
        or (isinstance(calls, list) and any(_is_nameless(call) for call in calls))
        or "tool_name" in message
        or isinstance(message.get("thinking"), str)
    )


def _is_nameless(call: Any) -> bool:
    function = call.get("function") if isinstance(call, dict) else None
    return isinstance(function, dict) and isinstance(function.get("arguments"), dict) and not call.get("id")


def read(recording: Recording) -> list[Conversation]:
    """All conversations: one a request, with the answer that follows it; or one of all messages or answers."""
    if not recording.lines:
        return [_document(recording.document)]
    groups = _by_request(recording.records)
    return [_of_records(group) for group in groups]


def _document(document: Any) -> Conversation:
    if isinstance(document, list):
        messages, origin, damage = kept(document, "", None)
        return Conversation(messages=messages, origin=origin, damage=damage)
    entries, answer = document.get("messages"), document.get("message")
    if isinstance(entries, list):
        messages, origin, damage = kept(entries, "/messages", None)
        return _conversation(messages, origin, damage, document)
    if not isinstance(answer, dict):
        return _conversation([], listed(""), (no_message(answer, "/message", None),), document)
    return _conversation([answer], lambda row: Origin(row, "/message"), (), document, _usage([document], 0))


def _conversation(
    messages: Sequence[Body],
    origin: Callable[[int], Origin],
    damage: tuple[Finding, ...],
    holder: Body,
    usage: tuple[Usage, ...] = (),
    title: str = "",
) -> Conversation:
    model, tools = holder.get("model"), holder.get("tools")
    return Conversation(
        messages=messages,
        origin=origin,
        title=title,
        model=model if isinstance(model, str) else None,
        tools=tuple(tool for tool in tools if isinstance(tool, dict)) if isinstance(tools, list) else (),
        usage=usage,
        damage=damage,
    )


def _by_request(records: Sequence[Record]) -> list[Sequence[Record]]:
    """The records of each request: it and what follows until the next one."""
    starts = [place for place, record in enumerate(records) if _is_request(record.value)]
    if not starts or starts[0] > 0:
        starts.insert(0, 0)
    return [records[start:end] for start, end in pairwise([*starts, len(records)])]


def _is_request(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("messages"), list)


def _of_records(records: Sequence[Record]) -> Conversation:
    messages: list[Body] = []
    origins: list[Origin] = []
    usage: list[Usage] = []
    damage: list[Finding] = []
    pieces: list[Record] = []
    for record in records:
        value, place = record.value, Origin(record.line, f"/{record.line}", record.line + 1)
        if _is_request(value):
            bodies, origin, odd = kept(value["messages"], f"{place.pointer}/messages", record.line)
            messages += bodies
            origins += map(origin, range(len(bodies)))
            damage += odd
        elif is_message(value):
            messages.append(value)
            origins.append(place)
        elif isinstance(value, dict) and isinstance(value.get("message"), dict):
            pieces.append(record)
            if value.get("done", True):
                _close(pieces, messages, origins, usage)
        else:
            damage.append(no_message(value, place.pointer, record.line))
    _close(pieces, messages, origins, usage)
    first = next((record.value for record in records if isinstance(record.value, dict)), {})
    title = f"line {records[0].line + 1:,}" if records else ""
    return _conversation(messages, origins.__getitem__, tuple(damage), first, tuple(usage), title)


def _close(pieces: list[Record], messages: list[Body], origins: list[Origin], usage: list[Usage]) -> None:
    """Add the answer that came in these pieces, and begin another."""
    if pieces:
        values = [piece.value for piece in pieces]
        usage += _usage(values, len(messages))
        messages.append(_merged([value["message"] for value in values]))
        line = pieces[0].line
        parts = tuple(f"/{piece.line}/message" for piece in pieces) if len(pieces) > 1 else ()
        origins.append(Origin(line, f"/{line}/message", line + 1, parts))
        pieces.clear()


def _merged(pieces: Sequence[Body]) -> Body:
    """The message that was streamed in pieces: texts joined, calls and images in a row. One piece stays as it is."""
    if len(pieces) == 1:
        return pieces[0]
    gathered: dict[str, list[Any]] = {"role": [], "content": []}
    for piece in pieces:
        for key, value in piece.items():
            if value is not None:
                gathered.setdefault(key, []).append(value)
    whole = {key: _joined(values) for key, values in gathered.items()}
    whole["role"] = next((piece["role"] for piece in pieces if is_message(piece)), "assistant")
    return whole


def _joined(values: list[Any]) -> Any:
    if all(isinstance(value, str) for value in values):
        return "".join(values)
    if all(isinstance(value, list) for value in values):
        return [item for value in values for item in value]
    return values[-1]


def _usage(pieces: Sequence[Body], row: int) -> tuple[Usage, ...]:
    for piece in reversed(pieces):
        if count(piece.get("prompt_eval_count")):
            return (Usage(row, count(piece["prompt_eval_count"]), 0, count(piece.get("eval_count"))),)
    return ()


FORMAT = Format(
    name="ollama",
    title="Ollama chat",
    recognise=recognise,
    read=read,
    help="a request or a message list as JSON, or the answers of /api/chat as JSON Lines",
    shape="back_ollama.SHAPE",
)
