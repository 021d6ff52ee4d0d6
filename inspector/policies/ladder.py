"""What each step of the cascade would make of every message, and what it would save.

A budget then only chooses how far to go: the reference re-estimates the whole list after each stub, which is quadratic.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

import orjson

from inspector.change import Action
from inspector.message import IMAGE_PARTS, TOOL, Body, Context, image_count, text_of
from inspector.text import json_chars

IMAGE_TOKENS = 1_000
MESSAGE_TOKENS = 4
STUB = Action.PLACEHOLDER
SHORT = 200
"""Results with fewer characters are not worth a stub."""

REASONS = (
    "within the budget or protected: sent as recorded",
    "an older screenshot: dropped first, since it costs most",
    "an old result: one line stands for it until the target is met",
    "replaced by the summary of earlier steps",
    "a result stubbed to stay under the ceiling",
    "a long result: cut when it entered the transcript",
)
KEPT, OLD_IMAGE, OLD_RESULT, SUMMARISED, OVER_CEILING, ENTRY_CAP = range(len(REASONS))


def cap_result(text: str, limit: int) -> str:
    """A result as it enters the transcript: up to `limit` characters, cut back to a line end, and a marker."""
    limit = max(0, limit)
    if len(text) <= limit:
        return text
    kept = _kept(text, limit)
    return f"{text[:kept]}\n\n{_truncated(kept, len(text))}"


def _kept(text: str, limit: int) -> int:
    line_end = text.rfind("\n", 0, limit)
    return line_end if line_end > 0 else limit


def _truncated(kept: int, total: int) -> str:
    return (
        f"[TRUNCATED after {kept:,} of {total:,} characters. Re-run with a narrower command - grep, tail, "
        "or a specific path - if you need the rest; do not assume what was cut.]"
    )


def result_stub(body: Body, chars: int) -> str:
    """The line that stands for a dropped result."""
    return f"[dropped to save context: {body.get('_label') or 'a tool result'}, {chars:,} characters]"


def image_stub(count: int) -> str:
    """The line that stands for a message's dropped pictures."""
    return (
        f"[screenshot dropped to save context - {count} image(s). "
        "Take another with screenshot() if you need to look again.]"
    )


def without_images(body: Body) -> Body:
    """A message without its pictures, and with the line that says so. A list of parts stays a list."""
    line, content = image_stub(image_count(body)), body.get("content")
    kept = {key: value for key, value in body.items() if key != "images"}
    if isinstance(content, list):
        parts = [p for p in content if not (isinstance(p, dict) and p.get("type") in IMAGE_PARTS)]
        return {**kept, "content": [*parts, {"type": "text", "text": line}]}
    text = content.strip() if isinstance(content, str) else ""
    return {**kept, "content": f"{text}\n{line}".strip()}


class Sizes:
    """What the estimate is made of, in columns: one int a message."""

    def __init__(self, context: Context) -> None:
        messages = context.messages
        contents = [body.get("content") for body in messages]
        self.content = array("q", [len(c) if isinstance(c, str) else 0 for c in contents])
        """Characters of string contents; anything else counts 0, as the reference has it."""
        self.strings = bytes([isinstance(content, str) for content in contents])
        self.thinking = array("q", [_string_chars(body.get("thinking")) for body in messages])
        self.calls = array("q", [_json_chars(body.get("tool_calls")) for body in messages])
        self.images = array("q", list(map(image_count, messages)))
        self.with_images = [row for row, count in enumerate(self.images) if count]
        self.results = [row for row, role in enumerate(context.columns.role) if role == TOOL]
        self.ladder = lru_cache(maxsize=3)(lambda per_token, cap: Ladder(context, self, per_token, cap))
        """The steps that depend on no budget, for a number of chars per token and an entry cap."""

    def tokens(self, per_token: float, content: Sequence[int]) -> list[int]:
        """Estimated tokens of each message, with these lengths of its content."""
        columns = zip(content, self.thinking, self.calls, self.images, strict=True)
        return [
            int(text / per_token)
            + int(thought / per_token)
            + int(calls / per_token)
            + IMAGE_TOKENS * images
            + MESSAGE_TOKENS
            for text, thought, calls, images in columns
        ]


def _string_chars(value: object) -> int:
    return len(value) if isinstance(value, str) else 0


def _json_chars(calls: object) -> int:
    """Length of the ASCII-escaped JSON of a message's calls, as `json.dumps` writes it."""
    if not calls:
        return 0
    try:
        data = orjson.dumps(calls)
        if data.isascii() and b"\x7f" not in data:
            return json_chars(calls)
        return len(json.dumps(calls))
    except (TypeError, ValueError, RecursionError):
        return _escaped_chars(calls)


def _escaped_chars(calls: object) -> int:
    try:
        return len(json.dumps(calls))
    except (TypeError, ValueError, RecursionError):
        return json_chars(calls)


@dataclass(slots=True)
class Stage:
    """Every row at one stage of the cascade."""

    action: bytearray
    reason: bytearray
    content: array[int]
    """Characters of string contents, as the estimate sees them."""
    chars: array[int]
    """Characters of the texts, list contents included, as a screen shows them."""

    def copy(self) -> Stage:
        """The same, to be written on."""
        return Stage(self.action[:], self.reason[:], self.content[:], self.chars[:])

    def set(self, row: int, action: Action, reason: int, content: int, chars: int | None = None) -> None:
        """What becomes of a row."""
        self.action[row], self.reason[row], self.content[row] = action, reason, content
        self.chars[row] = content if chars is None else chars

    def take(self, other: Stage, start: int, stop: int) -> None:
        """These rows as another stage has them."""
        for name in ("action", "reason", "content", "chars"):
            getattr(self, name)[start:stop] = getattr(other, name)[start:stop]


class Ladder:
    """What each step would make of every row, and what it would save: budgets then only choose how far to go.

    The reference stubs one result, estimates the whole list, and looks again. Each stub saves the same wherever the
    budget lies, so the savings add up once, and a budget is found in the running sums.
    """

    def __init__(self, context: Context, sizes: Sizes, per_token: float, cap: int | None) -> None:
        self.context, self.sizes, self.per_token, self.cap = context, sizes, per_token, cap
        self.entered = self._entered()
        tokens = sizes.tokens(per_token, self.entered.content)
        self.total = sum(tokens)
        """Estimate of the list as it entered the transcript."""
        self.pictured = self.entered.copy() if len(sizes.with_images) > 1 else self.entered
        self._drop_images(tokens)
        self.sums = array("q", accumulate(tokens, initial=0))
        """Running estimates after the pictures are dropped."""
        self.stubbed = self.pictured.copy()
        self.rows, self.saved = self._stubs()
        """Rows worth a stub, and the running sums of what their stubs save."""

    def _entered(self) -> Stage:
        rows, cap = len(self.context), self.cap
        stage = Stage(bytearray(rows), bytearray(rows), self.sizes.content[:], self.context.columns.chars[:])
        for row in self.sizes.results if cap is not None else ():
            chars = stage.content[row]
            if cap is not None and chars > cap:
                kept = _kept(self.context.messages[row]["content"], cap)
                stage.set(row, Action.HEAD, ENTRY_CAP, kept + 2 + len(_truncated(kept, chars)))
        return stage

    def _drop_images(self, tokens: list[int]) -> None:
        for row in self.sizes.with_images[:-1]:
            body = without_images(self.entered_body(row))
            text = body["content"]
            content = len(text) if isinstance(text, str) else self.pictured.content[row]
            tokens[row] += self._tokens(content) - self._tokens(self.pictured.content[row])
            tokens[row] -= IMAGE_TOKENS * self.sizes.images[row]
            self.pictured.set(row, Action.DROP_IMAGE, OLD_IMAGE, content, len(text_of(body)))

    def _stubs(self) -> tuple[list[int], array[int]]:
        rows, saved, per_token = [], [], self.per_token
        content, strings, messages, stage = (
            self.pictured.content,
            self.sizes.strings,
            self.context.messages,
            self.stubbed,
        )
        plain = len(result_stub({}, 0)) - 1
        for row in self.sizes.results:
            chars = content[row]
            if chars < SHORT or not (strings[row] or stage.action[row] == Action.DROP_IMAGE):
                continue
            label = messages[row].get("_label")
            size = len(result_stub(messages[row], chars)) if label else plain + len(f"{chars:,}")
            rows.append(row)
            saved.append(int(chars / per_token) - int(size / per_token))
            stage.action[row], stage.reason[row], stage.content[row], stage.chars[row] = STUB, OLD_RESULT, size, size
        return rows, array("q", accumulate(saved, initial=0))

    def _tokens(self, chars: int) -> int:
        return int(chars / self.per_token)

    def entered_body(self, row: int) -> Body:
        """The message as it entered the transcript."""
        body = self.context.messages[row]
        if self.entered.action[row] != Action.HEAD or self.cap is None:
            return body
        return {**body, "content": cap_result(body["content"], self.cap)}

    def pictured_body(self, row: int) -> Body:
        """The message after older pictures were dropped."""
        body = self.entered_body(row)
        return without_images(body) if self.pictured.action[row] == Action.DROP_IMAGE else body

    def enough(self, start: int, stop: int, excess: int) -> int:
        """How many of the stubs [start, stop) it takes to save `excess`: the end of that range."""
        goal = self.saved[start] + excess
        return next((place for place in range(start, stop) if self.saved[place] >= goal), stop)
