"""LangChain's approximate token count, which deepagents uses too (`count_tokens_approximately`, langchain-core 1.8.3).

A message is its characters through 4, rounded up, and 3; an image is 85. The characters are those of the content, of
the calls as Python writes a list of dicts, of the call id, the role and the name.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any

from inspector.message import IMAGE_PARTS, TOOL, Body, Context, ToolCall
from inspector.policies.zoo import arguments
from inspector.policies.zoo.cuts import ceil4
from inspector.policies.zoo.exchanges import Exchanges

MESSAGE_TOKENS = 3
IMAGE_TOKENS = 85
_CALL = len("{'name': , 'args': , 'id': , 'type': 'tool_call'}")
_SEPARATOR = len(", ")


class Approximate:
    """The count of each message, and what it is made of. Ask for it as `context.derived(Approximate)`."""

    def __init__(self, context: Context) -> None:
        exchanges = context.derived(Exchanges)
        self._messages = context.messages
        self.args: dict[int, tuple[int, ...]] = {}
        """Of each message with calls: the characters of each call's arguments as Python writes them."""
        self.calls: dict[int, int] = {}
        """Of each message with calls: the characters of all of them."""
        for row, calls in exchanges.calls.items():
            self.args[row] = tuple(written(arguments.read(call.arguments)) for call in calls)
            self.calls[row] = _calls_chars(calls, self.args[row])
        self.chars = array("q", map(_frame_chars, context.messages, exchanges.kinds))
        self.images = array("q", bytes(8 * len(self.chars)))
        for row, body in enumerate(context.messages):
            content = body.get("content")
            if isinstance(content, str):
                self.chars[row] += len(content) + self.calls.get(row, 0)
            elif isinstance(content, list):
                chars, self.images[row] = parts_size(content)
                self.chars[row] += chars
            else:
                self.chars[row] += self.calls.get(row, 0)
        self.tokens = [
            tokens(chars, images) if images else (chars + 15) // 4
            for chars, images in zip(self.chars, self.images, strict=True)
        ]
        """Tokens of each message."""

    def with_content(self, row: int, content: str | Sequence[Any]) -> int:
        """Tokens of a message with another content."""
        return self.with_chars(row, len(content)) if isinstance(content, str) else self._with_parts(row, content)

    def with_chars(self, row: int, chars: int) -> int:
        """Tokens of a message with a string of so many characters as its content."""
        return tokens(self._frame(row) + self.calls.get(row, 0) + chars)

    def _with_parts(self, row: int, parts: Sequence[Any]) -> int:
        chars, images = parts_size(parts)
        return tokens(self._frame(row) + chars, images)

    def _frame(self, row: int) -> int:
        body = self._messages[row]
        content = body.get("content")
        if isinstance(content, list):
            return self.chars[row] - parts_size(content)[0]
        return self.chars[row] - self.calls.get(row, 0) - (len(content) if isinstance(content, str) else 0)


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


def _frame_chars(body: Body, kind: int) -> int:
    """Characters of what stands around content and calls."""
    role, name, answers = body.get("role"), body.get("name"), body.get("tool_call_id")
    chars = len(role) if isinstance(role, str) else 0
    if isinstance(name, str):
        chars += len(name)
    return chars + len(answers) if kind == TOOL and isinstance(answers, str) else chars


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
