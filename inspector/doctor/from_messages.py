"""OpenAI's messages as turns: files of that shape, lists that a caller holds, and sent views."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from inspector.doctor.native import Kind, Part, Role, Turn
from inspector.message import Body, Origin

ROLES: Mapping[object, Role] = {
    "system": Role.SYSTEM, "developer": Role.SYSTEM, "user": Role.USER, "assistant": Role.ASSISTANT,
    "tool": Role.RESULT, "function": Role.RESULT,
}  # fmt: skip
TEXT, RESULT, OTHER = Kind.TEXT, Kind.RESULT, Role.OTHER
ASSISTANT, RESULT_TURN = Role.ASSISTANT, Role.RESULT
PART_KINDS: Mapping[str, Kind] = {
    "text": Kind.TEXT, "input_text": Kind.TEXT, "output_text": Kind.TEXT, "refusal": Kind.TEXT,
    "image_url": Kind.IMAGE, "input_image": Kind.IMAGE, "image": Kind.IMAGE,
    "thinking": Kind.THINKING, "redacted_thinking": Kind.THINKING,
}  # fmt: skip


def turns_of(bodies: Sequence[Body], origin: Callable[[int], Origin]) -> list[Turn]:
    """One turn a message; its parts are found below the message's own pointer."""
    turns = []
    for row, body in enumerate(bodies):
        place = origin(row)
        turns.append(message_turn(row, body, place.index, place.pointer, place.line))
    return turns


def role_of(body: Body) -> Role:
    """Who speaks in a message."""
    role = body.get("role")
    return ROLES.get(role, OTHER) if type(role) is str else OTHER


def message_turn(row: int, body: Body, index: int, pointer: str, line: int | None) -> Turn:
    """A message as a turn, numbered by its row."""
    role = role_of(body)
    parts: list[Part] = []
    if role is RESULT_TURN:
        parts.append(_result(body, pointer, row))
    content = body.get("content")
    if type(content) is str:
        if role is not RESULT_TURN:
            parts.append(Part(TEXT, f"{pointer}/content", content, row, None, "", row))
    elif content:
        parts += content_parts(content, f"{pointer}/content", row, row)
    if role is ASSISTANT and ("tool_calls" in body or "function_call" in body):
        parts += _calls(body, pointer, row)
    images = body.get("images")
    if type(images) is list:
        parts += [Part(Kind.IMAGE, f"{pointer}/images/{at}", image, row, None, "", row)
                  for at, image in enumerate(images)]  # fmt: skip
    return Turn(role, index, pointer, line, body, parts, row)


def content_parts(content: Any, pointer: str, turn: int, row: int) -> Iterator[Part]:
    """The parts of a content list."""
    for at, item in enumerate(content if isinstance(content, list) else [content]):
        kind = item.get("type") if isinstance(item, dict) else None
        known = PART_KINDS.get(kind, Kind.OTHER) if isinstance(kind, str) else Kind.OTHER
        if isinstance(item, str):
            known = Kind.TEXT
        yield Part(known, f"{pointer}/{at}", item, turn, None, "", row)


def _result(body: Body, pointer: str, row: int) -> Part:
    name = body.get("name") or body.get("tool_name")
    return Part(RESULT, pointer, body, row, text_or_none(body.get("tool_call_id")), as_name(name), row)


def _calls(body: Body, pointer: str, row: int) -> Iterator[Part]:
    calls = body.get("tool_calls")
    for at, call in enumerate(calls if isinstance(calls, list) else ()):
        if isinstance(call, dict):
            function = call.get("function") or call.get("custom")
            name = function.get("name") if isinstance(function, dict) else call.get("name")
            where = f"{pointer}/tool_calls/{at}"
            yield Part(Kind.CALL, where, call, row, text_or_none(call.get("id")), as_name(name), row)
    legacy = body.get("function_call")
    if isinstance(legacy, dict):
        yield Part(Kind.CALL, f"{pointer}/function_call", legacy, row, None, as_name(legacy.get("name")), row)


def text_or_none(value: Any) -> str | None:
    """An id: a string that is not empty, nor a remark that a publisher put in its place."""
    return value if isinstance(value, str) and value and not is_scrubbed(value) else None


def is_scrubbed(value: object) -> bool:
    """Whether an id was taken out before the file was published, as "[trimmed for fixture]" says."""
    return isinstance(value, str) and value[:1] in ("[", "<") and " " in value


def as_name(value: Any) -> str:
    """A name, empty where there is none."""
    return value if isinstance(value, str) else ""
