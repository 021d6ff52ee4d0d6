"""Where the rows of the ledger lie: widths of its columns, heights of its rows, and which row is on which line.

A row's height is decided from the recording and the width, never from the policy, so that dragging a setting moves
nothing. Nothing is kept per row but one byte and one int. No textual here.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from inspector.message import Body, Context, calls_of, image_count, text_of
from inspector.text import ELLIPSIS, clip, fold, height, thousands, visible_line

Line = tuple[str, str]
"""What a line is ("thinking", "text", "images", "call") and its visible text."""

ONE_SIDED_BELOW = 86
"""Cells under which original and sent do not fit side by side."""
THREE_SIDED_FROM = 88
"""Cells from which on original, A and B fit side by side: a screen of 120 has them."""


@dataclass(frozen=True, slots=True)
class Grid:
    """The widths of the ledger's columns, in cells. They depend on the session and the width alone."""

    width: int
    sides: int
    """How many sides stand beside each other: original, sent and, where two sent views are compared, the other one."""
    number: int
    tokens: int

    @property
    def change(self) -> int:
        """The column of signed changes."""
        return self.tokens + 1

    @property
    def lead(self) -> int:
        """What stands left of a side's text: bar, row number, mark, and on the only side the glyph."""
        return self.number + (3 if self.sides > 1 else 4)

    @property
    def text(self) -> int:
        """The text of one side, the same on all, so that unchanged lines stand beside each other."""
        between = 5 * (self.sides - 1)  # space, rule; bar, glyph, space
        return max(1, (self.width - self.lead - between - 1) // self.sides)


def grid_for(context: Context, width: int, sides: int) -> Grid:
    """The columns for a session in `width` cells. No message is taken to have more tokens than characters."""
    longest = max(context.columns.chars, default=0)
    number = max(3, len(str(len(context) - 1)))
    return Grid(width, sides, number, max(6, len(thousands(longest))))


def reasoning_of(body: Body) -> str:
    """The recorded reasoning of a message, where it is a text."""
    thinking = body.get("thinking")
    return thinking if isinstance(thinking, str) else ""


def body_height(body: Body, width: int, limit: int) -> int:
    """`len(body_lines(body, width, limit))`, counted without making the lines."""
    content = body.get("content")
    lines = height(content, width, limit) if type(content) is str else 0
    if content.__class__ is list:
        lines = height(text_of(body), width, limit)
    if "thinking" in body:
        lines += bool(reasoning_of(body))
    if content.__class__ is list or "images" in body:
        lines += bool(image_count(body))
    if body.get("tool_calls"):
        lines += min(limit, len(calls_of(body)))
    return lines


def body_lines(body: Body, width: int, limit: int) -> list[Line]:
    """A message as the ledger draws it under its head: reasoning, text, images and calls; at most `2 * limit + 2`."""
    return [
        *reasoning_lines(body, width),
        *(("text", line) for line in folded(text_of(body), width, limit)),
        *image_lines(body, width),
        *call_lines(body, width, limit),
    ]


def folded(text: str, width: int, limit: int) -> list[str]:
    """The first lines of a text, the last with … where there are more."""
    return cut(fold(text, width, limit + 1), width, limit)


def cut(lines: list[str], width: int, limit: int) -> list[str]:
    """At most `limit` lines, the last with … where some were left out."""
    if len(lines) <= limit:
        return lines
    return [*lines[: limit - 1], clip(lines[limit - 1] + ELLIPSIS, width)] if limit > 0 else []


def reasoning_lines(body: Body, width: int) -> list[Line]:
    """One line of reasoning, where there is any."""
    text = reasoning_of(body)
    return [("thinking", clip(f"◌ {text[: 2 * width].strip()}", width))] if text else []


def image_lines(body: Body, width: int) -> list[Line]:
    """One line that says how many images there are."""
    count = image_count(body)
    return [("images", clip(f"▢ {count} image{'s' * (count > 1)}", width))] if count else []


def call_lines(body: Body, width: int, limit: int) -> list[Line]:
    """One line a call, the last saying how many more there are."""
    calls = calls_of(body)
    shown = [f"→ {call.name or '(no name)'} {call.arguments[: 2 * width]}" for call in calls[:limit]]
    if len(calls) > limit > 0:
        shown[-1] = f"→ … and {len(calls) - limit + 1} more calls"
    return [("call", clip(visible_line(line), width)) for line in shown]


def heights(messages: Iterable[Body], width: int, limit: int) -> bytes:
    """Lines of each row: its head and its body."""
    return bytes([1 + body_height(body, width, limit) for body in messages])


class Layout:
    """Which row is on which line: rows in the order drawn, and running sums of their heights."""

    def __init__(self, tall: bytes, rows: Sequence[int] | None = None) -> None:
        self.rows: Sequence[int] = range(len(tall)) if rows is None else rows
        """The rows that are drawn, ascending."""
        chosen: Iterable[int] = tall if rows is None else map(tall.__getitem__, rows)
        self.tops = array("q", accumulate(chosen, initial=0))
        """The first line of each place, and the number of all lines at the end."""

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def lines(self) -> int:
        """How many lines there are in all."""
        return self.tops[-1]

    def place_at(self, line: int) -> int:
        """The place whose row covers a line; the nearest one outside. -1 where there are no rows."""
        return min(max(0, bisect_right(self.tops, line) - 1), len(self.rows) - 1)

    def place_of(self, row: int) -> int:
        """The place of a row; of one that is not shown, that of the nearest row. -1 where there are no rows."""
        if not self.rows:
            return -1
        after = min(bisect_left(self.rows, row), len(self.rows) - 1)
        before = max(0, after - 1)
        return after if self.rows[after] - row <= row - self.rows[before] else before
