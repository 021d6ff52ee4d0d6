"""LangChain's approximate token count, which deepagents uses too (`count_tokens_approximately`, langchain-core 1.8.3).

A message is its characters through 4, rounded up, and 3; an image is 85. The characters are those of the content, of
the calls as Python writes a list of dicts, of the call id, the role and the name.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from inspector.message import FUNCTION, IMAGE_PARTS, TOOL, Body, Context, ToolCall, role_code
from inspector.policies.zoo import arguments
from inspector.policies.zoo.cuts import ceil4
from inspector.policies.zoo.exchanges import Asked, asked_of

MESSAGE_TOKENS = 3
IMAGE_TOKENS = 85
_CALL = len("{'name': , 'args': , 'id': , 'type': 'tool_call'}")
_SEPARATOR = len(", ")


class Size(NamedTuple):
    """What the count of a message is made of."""

    tokens: int
    chars: int
    """All characters that count."""
    images: int
    around: int
    """The characters around content and calls."""
    calls: int
    """The characters of the calls."""
    args: tuple[int, ...]
    """Of each call: the characters of its arguments, as Python writes them."""


def size_of(body: Body, asked: Asked | None) -> Size:
    """The size of a message that calls this."""
    content, around = body.get("content"), _frame_chars(body)
    args = tuple(written(arguments.read(call.arguments)) for call in asked.calls) if asked else ()
    calls = _calls_chars(asked.calls, args) if asked else 0
    if isinstance(content, list):
        chars, images = parts_size(content)
        return Size(tokens(around + chars, images), around + chars, images, around, calls, args)
    chars = around + calls + (len(content) if isinstance(content, str) else 0)
    return Size(tokens(chars), chars, 0, around, calls, args)


class Approximate:
    """The count of each message, and what it is made of. Ask for it as `context.derived(Approximate)`."""

    def __init__(self, context: Context) -> None:
        self.sizes = context.each(size_of, asked_of)
        self.tokens = [size.tokens for size in self.sizes]
        """Tokens of each message."""

    def with_content(self, row: int, content: str | Sequence[Any]) -> int:
        """Tokens of a message with another content."""
        if isinstance(content, str):
            return self.with_chars(row, len(content))
        chars, images = parts_size(content)
        return tokens(self.sizes[row].around + chars, images)

    def with_chars(self, row: int, chars: int) -> int:
        """Tokens of a message with a string of so many characters as its content."""
        return tokens(self.sizes[row].around + self.sizes[row].calls + chars)


def tokens(chars: int, images: int = 0) -> int:
    """Tokens of a message with so many characters and images."""
    return ceil4(chars) + MESSAGE_TOKENS + IMAGE_TOKENS * images


def written(value: Any) -> int:
    """Characters of a value as Python writes it."""
    try:
        return len(repr(value))
    except RecursionError:
        return 0


def _calls_chars(calls: Sequence[ToolCall], args: Sequence[int]) -> int:
    names = sum(len(repr(call.name)) + len(repr(call.id)) for call in calls)
    return 2 + names + sum(args) + _CALL * len(calls) + _SEPARATOR * (len(calls) - 1)


def _frame_chars(body: Body) -> int:
    """Characters of what stands around content and calls."""
    role, name, answers = body.get("role"), body.get("name"), body.get("tool_call_id")
    chars = len(role) if isinstance(role, str) else 0
    if isinstance(name, str):
        chars += len(name)
    return chars + len(answers) if role_code(body) in (TOOL, FUNCTION) and isinstance(answers, str) else chars


def parts_size(parts: Sequence[Any]) -> tuple[int, int]:
    """Characters and images of a list of parts."""
    chars = images = 0
    for part in parts:
        if isinstance(part, str):
            chars += len(part)
        elif isinstance(part, dict) and part.get("type") in IMAGE_PARTS:
            images += 1
        elif isinstance(part, dict) and isinstance(part.get("text"), str):
            chars += len(part["text"])
        else:
            chars += written(part)
    return chars, images
