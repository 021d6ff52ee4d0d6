"""A replay as the screen keeps it: one figure a request in columns, their sums, and a cell's share of them.

Figures are written over in place, so that while a setting moves the requests that are not replayed yet show what they
were a moment ago: the totals are whole from the first batch on, and get better with each. No textual here.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Sequence
from itertools import compress, pairwise
from math import isfinite
from statistics import median
from typing import NamedTuple

from inspector.message import Context, Session
from inspector.policies import SentView
from inspector.policies.breakage import breakages
from inspector.replay import Paid, Price, Terms, answers_of
from inspector.tui.shown import rows_with_images

FIRED, BROKE = 1, 2
"""Bits: the policy changed something; it changed what the request before had sent."""
UNKNOWN = float("nan")


def as_sent(tokens: int, terms: Terms) -> int:
    """How large a request is whose messages come to so many tokens: what it holds besides is added."""
    whole = tokens + terms.fixed
    return terms.calibration.fitted(whole) if terms.calibration else whole


def price_words(price: Price | None) -> str:
    """`gpt-5, genai-prices 0.2.3, the latest prices`."""
    return f"{price.model}, {price.source}" if price else ""


def compactions_of(session: Session) -> tuple[int, ...]:
    """The requests before which the tool itself compacted."""
    answers = session.derived(answers_of)
    return tuple(bisect_left(answers, one.row) for one in session.compactions)


def warmed(view: SentView) -> SentView:
    """A view whose rows have been gone through once, so that drawing it finds what depends on them alone."""
    view.plan.context.derived(rows_with_images)
    breakages(view.plan)
    return view


class Sums(NamedTuple):
    """A run in figures; costs are None where no price is known."""

    requests: int
    done: int
    """How many of them are of the present settings; the others are of those before."""
    fired: int
    broke: int
    sent: int
    cached: int
    largest: int
    cost: float | None
    without: float | None
    ideal: float | None
    break_even: float | None
    """The median over the requests that broke the prefix; infinite where most never pay."""
    breaks: int
    """How many of them there are a figure for."""
    paid_back: int

    @property
    def complete(self) -> bool:
        """Whether everything is of the present settings."""
        return self.done == self.requests


class Run:
    """One figure a request."""

    def __init__(self, context: Context) -> None:
        self.answers = context.derived(answers_of)
        count = len(self.answers)
        self.sent, self.cached, self.original, self.edits, self.first_change = (
            array("q", bytes(8 * count)) for _ in range(5)
        )
        self.cost, self.without, self.ideal, self.break_even = (array("d", [UNKNOWN]) * count for _ in range(4))
        self.flags = bytearray(count)
        self.done = 0
        """How many requests are of the present settings."""
        self.known = 0
        """How many have figures at all."""

    def __len__(self) -> int:
        return len(self.answers)

    def take(self, paid: Sequence[Paid]) -> None:
        """The next requests of the present settings."""
        for one in paid:
            request, at = one.request, one.request.request
            self.sent[at], self.cached[at] = request.sent_tokens, one.use.cached
            self.original[at] = request.original_tokens
            self.edits[at], self.first_change[at] = request.edits, request.first_change
            self.flags[at] = FIRED * request.fired + BROKE * request.broke
            self.cost[at], self.without[at], self.ideal[at], self.break_even[at] = (
                UNKNOWN if figure is None else figure for figure in (one.cost, one.without, one.ideal, one.break_even)
            )
        self.done += len(paid)
        self.known = max(self.known, self.done)

    def sums(self) -> Sums:
        """The whole run in figures."""
        known, last = self.known, len(self) - 1
        places = [at for at, figure in enumerate(self.break_even[:known]) if figure == figure]
        figures = [self.break_even[at] for at in places]
        return Sums(
            len(self), self.done,
            known - self.flags.count(0, 0, known) - self.flags.count(BROKE, 0, known),
            self.flags.count(BROKE, 0, known) + self.flags.count(FIRED | BROKE, 0, known),
            sum(self.sent), sum(self.cached), max(self.sent, default=0),
            _whole(self.cost[:known]), _whole(self.without[:known]), _whole(self.ideal[:known]),
            median(figures) if figures else None, len(figures),
            sum(at + figure <= last for at, figure in zip(places, figures, strict=True)),
        )  # fmt: skip


def _whole(costs: array[float]) -> float | None:
    """The sum; None where a cost is not known."""
    total = sum(costs)
    return total if len(costs) and isfinite(total) else None


class Columns(NamedTuple):
    """A run in cells: each has the mean of its requests, so that the area of a bar is what was sent."""

    sent: array[int]
    cached: array[int]
    original: array[int]
    flags: bytes
    """What any of its requests did."""
    recorded: frozenset[int]
    """Cells in which the tool itself compacted."""

    @property
    def peak(self) -> int:
        """The largest figure; at least 1."""
        return max(1, max(self.sent, default=0), max(self.original, default=0))


def spans(requests: int, width: int) -> list[tuple[int, int]]:
    """The requests of each cell, from and to; where there are fewer than cells, neighbours repeat one."""
    if requests <= 0 or width <= 0:
        return []
    starts = [cell * requests // width for cell in range(width + 1)]
    return [(start, max(start + 1, stop)) for start, stop in pairwise(starts)]


def columns(run: Run, width: int, compactions: Sequence[int] = ()) -> Columns:
    """The cells of a run; `compactions` are requests before which the tool itself compacted."""
    cells = spans(len(run), width)

    def means(figures: array[int]) -> array[int]:
        return array("q", [sum(figures[start:stop]) // (stop - start) for start, stop in cells])

    flags = bytes(_flags(run.flags[start:stop]) for start, stop in cells)
    marked = bytearray(len(run))
    for request in compactions:
        if 0 <= request < len(run):
            marked[request] = 1
    recorded = frozenset(compress(range(len(cells)), (any(marked[start:stop]) for start, stop in cells)))
    return Columns(means(run.sent), means(run.cached), means(run.original), flags, recorded)


def _flags(of: bytearray) -> int:
    both = FIRED | BROKE
    fired, broke = both in of or FIRED in of, both in of or BROKE in of
    return FIRED * fired + BROKE * broke
