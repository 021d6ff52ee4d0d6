"""Lengths as other languages count them: Rust in UTF-8 bytes, JavaScript in UTF-16 units.

Products in those languages decide and cut by them, and one emoji is four of the first and two of the second.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from inspector.message import Body, Context, ToolCall, calls_of


def utf8_bytes(text: str) -> int:
    """The length of a text in UTF-8; half of a surrogate pair is three bytes."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def utf16_units(text: str) -> int:
    """The length of a text as JavaScript has it."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def ends(text: str, head: int, tail: int) -> tuple[str, str]:
    """The beginning and the end of a text: at most so many UTF-8 bytes of each, cut between characters."""
    if text.isascii():
        return text[:head], text[max(head, len(text) - tail) :]
    raw = text.encode("utf-8", "surrogatepass")
    stop, start = min(head, len(raw)), max(0, len(raw) - tail)
    while 0 < stop < len(raw) and _continues(raw[stop]):
        stop -= 1
    start = max(start, stop)
    while start < len(raw) and _continues(raw[start]):
        start += 1
    return raw[:stop].decode("utf-8", "surrogatepass"), raw[start:].decode("utf-8", "surrogatepass")


def _continues(byte: int) -> bool:
    return byte & 0xC0 == 0x80


def visible_units(context: Context) -> list[int]:
    """UTF-16 units of what a model reads of each message: texts, reasoning, and calls with their arguments as JSON."""
    return [_units(body) for body in context.messages]


def _units(body: Body) -> int:
    content, thinking = body.get("content"), body.get("thinking")
    if isinstance(content, str):
        units = utf16_units(content)
    else:
        units = sum(map(utf16_units, _texts(content))) if isinstance(content, list) else 0
    if isinstance(thinking, str):
        units += utf16_units(thinking)
    if body.get("tool_calls") or body.get("function_call"):
        units += sum(utf16_units(call.name) + json_units(call.arguments) for call in called(body))
    return units


def called(body: Body) -> tuple[ToolCall, ...]:
    """The calls of a message, the one of old recordings too."""
    function = body.get("function_call")
    return calls_of(body) or (calls_of({"tool_calls": [{"function": function}]}) if isinstance(function, dict) else ())


def json_units(given: str) -> int:
    """UTF-16 units of arguments as JavaScript writes them: without the spaces that others put after `:` and `,`.

    Counted, not written anew: at every request of a run there are thousands. Spaces within lists of numbers stay.
    """
    spaces = given.count('": ') - given.count('\\": ')
    return utf16_units(given) - (spaces + given.count(', "') if spaces else 0)


def _texts(parts: Iterable[Any]) -> Iterator[str]:
    for part in parts:
        text = part.get("text") if isinstance(part, dict) else part
        if isinstance(text, str):
            yield text
