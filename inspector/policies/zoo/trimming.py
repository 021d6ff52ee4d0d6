"""LangChain's `trim_messages` (langchain-core 1.8.3): the messages at one end that fit a budget, the last one in part.

Kept apart from its policy, since the summarization middleware trims what it gives to the model with it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Literal

from inspector.message import SYSTEM, Context
from inspector.policies.zoo.approximate import Approximate
from inspector.policies.zoo.cuts import fitting_prefix, running
from inspector.policies.zoo.exchanges import kinds_of

End = Literal["first", "last"]


@dataclass(frozen=True, slots=True)
class Trimmed:
    """What is left, in order; one message may be left in part."""

    rows: tuple[int, ...]
    partial: int = -1
    """The row that is left in part; -1: none is."""
    content: str | tuple[Any, ...] = ""
    """The part of its content."""


@dataclass(frozen=True, slots=True)
class Trimming:
    """What decides, apart from the budget."""

    context: Context
    counts: bool = True
    """Whether tokens are counted; else every message is one."""
    partial: bool = False
    start_on: Collection[int] | None = None
    """Role codes of which the first message left must be; None: of any."""
    end_on: Collection[int] | None = None
    include_system: bool = False

    def first(self, rows: Sequence[int], limit: int) -> Trimmed:
        """What fits of the beginning."""
        return self._fitting(rows, limit, "first", self.end_on)

    def last(self, rows: Sequence[int], limit: int) -> Trimmed:
        """What fits of the end, and the leading system message if it is asked for."""
        kinds = self.context.derived(kinds_of)
        stop = len(rows)
        while self.end_on is not None and stop > 0 and kinds[rows[stop - 1]] not in self.end_on:
            stop -= 1
        rows = rows[:stop]
        system = tuple(rows[:1]) if self.include_system and rows and kinds[rows[0]] == SYSTEM else ()
        if system:
            rows, limit = rows[1:], max(0, limit - self._cost(system[0]))
        found = self._fitting(rows[::-1], limit, "last", self.start_on)
        return Trimmed((*system, *found.rows[::-1]), found.partial, found.content)

    def _cost(self, row: int) -> int:
        return self.context.derived(Approximate).tokens[row] if self.counts else 1

    def _fitting(self, rows: Sequence[int], limit: int, end: End, until: Collection[int] | None) -> Trimmed:
        sums = running(self._costs(rows))
        stop = fitting_prefix(sums, limit)
        partial = None
        if stop < len(rows) and self.partial and self.counts:
            partial = self._part(rows[stop], limit - sums[stop], end)
        kept = list(rows[: stop + (partial is not None)])
        kinds = self.context.derived(kinds_of)
        while until is not None and kept and kinds[kept[-1]] not in until:
            kept.pop()
        if partial is not None and len(kept) > stop:
            return Trimmed(tuple(kept), kept[-1], partial)
        return Trimmed(tuple(kept))

    def _costs(self, rows: Sequence[int]) -> Sequence[int]:
        tokens = self.context.derived(Approximate).tokens
        return [tokens[row] for row in rows] if self.counts else [1] * len(rows)

    def _part(self, row: int, room: int, end: End) -> str | tuple[Any, ...] | None:
        """The part of a message's content that fits into the room; None where no part does."""
        content = self.context.messages[row].get("content")
        if isinstance(content, list) and content:
            fits = self._parts(row, content, room, end)
            return fits if fits else self._lines(row, _text_left(content, end), room, end)
        return self._lines(row, content if isinstance(content, str) else "", room, end)

    def _parts(self, row: int, parts: list[Any], room: int, end: End) -> tuple[Any, ...]:
        counts = self.context.derived(Approximate)
        for left in range(len(parts) - 1, 0, -1):
            kept = parts[:left] if end == "first" else parts[len(parts) - left :]
            if counts.with_content(row, kept) <= room:
                return tuple(kept)
        return ()

    def _lines(self, row: int, text: str, room: int, end: End) -> str | None:
        if not text:
            return None
        lines = [f"{line}\n" for line in text.split("\n")]
        lines[-1] = lines[-1][:-1]
        if end == "last":
            lines.reverse()
        counts = self.context.derived(Approximate)
        fits = bisect_right(list(accumulate(map(len, lines))), room, key=lambda chars: counts.with_chars(row, chars))
        kept = lines[:fits] if end == "first" else lines[:fits][::-1]
        return "".join(kept) if fits else None


def _text_left(parts: list[Any], end: End) -> str:
    """The text of the one part that is left when no number of parts fits."""
    part = parts[0] if end == "first" else parts[-1]
    text = part.get("text") if isinstance(part, dict) and part.get("type") == "text" else part
    return text if isinstance(text, str) else ""
