"""Our counts beside what the provider said: how far an estimate is off, and what a recording does not show.

A recorded figure covers the whole request: a system prompt and tool definitions that the tool never wrote down too. So
where the requests of a session grow enough, two numbers are fitted: a factor for each token that we count, and what
every request holds besides. Both are medians, which a few odd requests cannot move (Theil and Sen's line).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from statistics import median
from typing import NamedTuple

from inspector.message import Compaction, Session
from inspector.replay.engine import Request, fixed_tokens
from inspector.tokens import REPLY_PRIMING, Counter, count_bodies

FEWEST = 5
"""Requests that it takes to tell a factor from an overhead."""
GROWTH = 1.5
"""How much larger than the smallest the largest request must be for that."""
MOST_POINTS = 300
PLAUSIBLE = (0.5, 2.0)
"""Factors that two tokenizers can lie apart; beyond them the difference is what the recording does not hold."""
USABLE = 0.25
"""A larger spread says that the recorded figures are of something else."""
SPREAD_SHARE = 0.68
OUTLIER = 0.05
LEAST_OVERHEAD = 0.02
"""Of a median request: a smaller overhead is put down to the factor."""


class Measured(NamedTuple):
    """One request whose size the provider reported."""

    row: int
    """The message that answers it."""
    ours: int
    recorded: int


@dataclass(frozen=True, slots=True)
class Calibration:
    """How the provider's counts follow from ours."""

    model: str | None
    requests: tuple[Measured, ...]
    factor: float
    overhead: int
    """Tokens of every request that the recording does not hold."""
    spread: float
    """Two thirds of the requests lie within this share of the fit."""
    outliers: tuple[Measured, ...]
    """Requests that lie farther off than 5 %, and than three times the spread."""

    @property
    def usable(self) -> bool:
        """Whether the fit says more than our own count."""
        return self.spread <= USABLE

    @property
    def label(self) -> str:
        """What the header says."""
        besides = f", {self.overhead:,} unrecorded" if self.overhead else ""
        return f"calibrated (x{self.factor:.2f} +-{100 * self.spread:.0f} %{besides})"

    @property
    def gap(self) -> float:
        """How far our sum lies from the recorded sum, as a share of the latter; before any fit."""
        recorded = sum(one.recorded for one in self.requests)
        return (sum(one.ours for one in self.requests) - recorded) / recorded

    def fitted(self, ours: int) -> int:
        """What the provider would count."""
        return round(self.factor * ours) + self.overhead

    def scaled(self, requests: Sequence[Request]) -> list[Request]:
        """Requests as the provider would count them."""
        return [
            one._replace(
                original_tokens=self.fitted(one.original_tokens),
                sent_tokens=self.fitted(one.sent_tokens),
                shared_tokens=self.fitted(one.shared_tokens) if one.request else 0,
            )
            for one in requests
        ]


def calibrate(session: Session, counter: Counter, tokens: Sequence[int] | None = None) -> Calibration | None:
    """Our counts against the session's recorded ones; None where it recorded none.

    Args:
        session: the session.
        counter: what counts.
        tokens: the tokens of every row, where they are known already.
    """
    measured = measure(session, counter, tokens)
    if not measured:
        return None
    factor, overhead = _plausible(measured, *_line(measured))
    off = sorted(_off(one, factor, overhead) for one in measured)
    spread = off[min(len(off) - 1, int(SPREAD_SHARE * len(off)))]
    far = max(OUTLIER, 3 * spread)
    outliers = tuple(one for one in measured if _off(one, factor, overhead) > far)
    return Calibration(session.model, measured, factor, overhead, spread, outliers)


def measure(session: Session, counter: Counter, tokens: Sequence[int] | None = None) -> tuple[Measured, ...]:
    """Our count of each request whose usage is recorded: what the tool had in context then, its compactions minded."""
    rows = count_bodies(session.messages, counter) if tokens is None else tokens
    sums = [0, *accumulate(rows)]
    fixed = fixed_tokens(session, counter) + REPLY_PRIMING
    compactions = sorted(session.compactions, key=lambda one: one.row)
    starts = [one.row for one in compactions]
    replaced = [sum(count_bodies(list(one.replacement or ()), counter)) for one in compactions]
    measured = []
    for usage in session.usage:
        if usage.input <= 0 or usage.row >= len(sums):
            continue
        last = bisect_right(starts, usage.row) - 1
        before = 0 if last < 0 else sums[starts[last]] - replaced[last] - _kept(compactions[last], rows)
        measured.append(Measured(usage.row, sums[usage.row] - before + fixed, usage.input))
    return tuple(measured)


def _kept(compaction: Compaction, rows: Sequence[int]) -> int:
    return sum(rows[row] for row in compaction.kept)


def _off(one: Measured, factor: float, overhead: int) -> float:
    return abs(factor * one.ours + overhead - one.recorded) / one.recorded


def _plausible(measured: Sequence[Measured], factor: float, overhead: int) -> tuple[float, int]:
    if PLAUSIBLE[0] <= factor <= PLAUSIBLE[1]:
        return factor, overhead
    return 1.0, max(0, round(median(one.recorded - one.ours for one in measured)))


def _line(measured: Sequence[Measured]) -> tuple[float, int]:
    """Factor and overhead."""
    ratio = median(one.recorded / max(1, one.ours) for one in measured)
    sizes = sorted(one.ours for one in measured)
    if len(measured) < FEWEST or sizes[-1] < GROWTH * max(1, sizes[0]):
        return ratio, 0
    points = measured[:: -(-len(measured) // MOST_POINTS)]
    least = (sizes[-1] - sizes[0]) / 10
    slopes = [
        (b.recorded - a.recorded) / (b.ours - a.ours)
        for place, a in enumerate(points)
        for b in points[place + 1 :]
        if abs(b.ours - a.ours) > least
    ]
    factor = median(slopes) if slopes else ratio
    overhead = round(median(one.recorded - factor * one.ours for one in measured))
    if factor <= 0 or overhead < LEAST_OVERHEAD * median(one.recorded for one in measured):
        return ratio, 0
    return factor, overhead
