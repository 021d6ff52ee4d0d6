"""Outcomes as a table: its columns, its order, and what is written of it for scripts and spreadsheets."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

from inspector.comparison.candidate import labels
from inspector.comparison.outcome import Ground, Outcome
from inspector.guarantees import PROMISES
from inspector.text import percent, thousands

Cell: TypeAlias = "int | float | str | None"


class Line(NamedTuple):
    """An outcome under the name that tells it from the others."""

    label: str
    outcome: Outcome


class Column(NamedTuple):
    """One thing that is compared."""

    name: str
    """For scripts."""
    title: str
    """For people, with the unit."""
    value: Callable[[Line], Cell]
    """None where it is not known."""
    words: Callable[[Line], str]
    best: int = 1
    """Which values stand first when a table is ordered by it: 1 the small ones, -1 the large ones."""
    right: bool = True


def lines_of(outcomes: Sequence[Outcome]) -> list[Line]:
    """Outcomes with their names."""
    names = labels([one.candidate for one in outcomes])
    return [Line(name, one) for name, one in zip(names, outcomes, strict=True)]


def _cost(line: Line) -> float | None:
    return line.outcome.run.cost if line.outcome.run else None


def _hit(line: Line) -> float | None:
    run = line.outcome.run
    return run.cache_hit if run is not None and run.requests else None


def _first_words(line: Line) -> str:
    first = line.outcome.first_change
    return "none" if first is None else f"row {thousands(first)}"


def _known(value: float | None, form: str) -> str:
    return "" if value is None else form.format(value)


def promise_words(outcome: Outcome) -> str:
    """`all 9 kept`, else the names of those that are broken."""
    return ", ".join(outcome.broken) or f"all {len(outcome.verdicts)} kept"


COLUMNS: tuple[Column, ...] = (
    Column("policy", "policy", lambda line: line.label, lambda line: line.label, right=False),
    Column(
        "sent", "sent tokens", lambda line: line.outcome.sent_tokens, lambda line: thousands(line.outcome.sent_tokens)
    ),
    Column(
        "saved", "saved tokens", lambda line: line.outcome.saved_tokens,
        lambda line: thousands(line.outcome.saved_tokens), -1,
    ),
    Column(
        "percent", "saved", lambda line: round(100 * line.outcome.saved_share, 2),
        lambda line: f"{percent(line.outcome.saved_tokens, line.outcome.original_tokens)}%", -1,
    ),
    Column("edits", "edits", lambda line: line.outcome.edits, lambda line: thousands(line.outcome.edits)),
    Column("first-change", "first change", lambda line: line.outcome.first_change, _first_words, -1),
    Column("findings", "findings", lambda line: line.outcome.serious, lambda line: thousands(line.outcome.serious)),
    Column("cost", "run cost", _cost, lambda line: _known(_cost(line), "${:,.4f}")),
    Column("cache-hit", "cache hit", _hit, lambda line: _known(_hit(line), "{:.1%}"), -1),
    Column(
        "promises", "promises broken", lambda line: len(line.outcome.broken), lambda line: promise_words(line.outcome),
        right=False,
    ),
)  # fmt: skip
"""Every column, in the order in which it is shown."""


def column_named(name: str) -> Column:
    """The column of that name. Raises `LookupError` with one sentence."""
    for column in COLUMNS:
        if column.name == name.replace("_", "-"):
            return column
    raise LookupError(f"there is no column {name[:60]!r}; there are {', '.join(one.name for one in COLUMNS)}")


def ordered(lines: Sequence[Line], column: Column, worst_first: bool = False) -> list[Line]:
    """The lines by a column, the best first; what is not known stands last, equal ones in the order given.

    A policy that changes nothing has no first change: that is later than any.
    """
    unknown = [line for line in lines if column.value(line) is None]
    known = sorted((line for line in lines if column.value(line) is not None), key=column.value)  # type: ignore[arg-type]
    if column.best < 0:
        known = sorted(known, key=column.value, reverse=True)  # type: ignore[arg-type]
    if column.name == "first-change":
        return [*known[::-1], *unknown] if worst_first else [*unknown, *known]
    return [*(known[::-1] if worst_first else known), *unknown]


def document(lines: Sequence[Line], ground: Ground) -> dict[str, Any]:
    """The table for scripts."""
    terms, counter = ground.terms, ground.counter
    return {
        "session": ground.session.name,
        "format": ground.session.format,
        "messages": len(ground.session),
        "request": ground.at,
        "provider": terms.provider.name,
        "price": None if terms.price is None else {"model": terms.price.model, "source": terms.price.source},
        "tokens": {"encoding": counter.encoding, "exact": counter.exact, "label": counter.label},
        "policies": [_entry(line) for line in lines],
    }


def _entry(line: Line) -> dict[str, Any]:
    one = line.outcome
    run = one.run
    return {
        "policy": one.candidate.policy.name,
        "label": line.label,
        "params": dict(one.settings),
        "tokens": {"original": one.original_tokens, "sent": one.sent_tokens, "saved": one.saved_tokens},
        "saved_percent": round(100 * one.saved_share, 2),
        "edits": one.edits,
        "first_change": one.first_change,
        "findings": [
            {
                "code": fault.finding.code, "severity": fault.finding.severity, "row": fault.row,
                "says": fault.finding.says,
            }
            for fault in one.introduced
        ],
        "run": None if run is None else {
            "mode": one.candidate.policy.mode, "requests": run.requests, "original_tokens": run.original_tokens,
            "sent_tokens": run.sent_tokens, "cached_tokens": run.cached_tokens, "cache_hit": run.cache_hit,
            "cost": run.cost, "cost_without": run.cost_without, "broke": run.broke,
            "max_request_tokens": run.max_request_tokens,
        },
        "promises": {
            promise.name: one.verdicts[promise.name] is None for promise in PROMISES if promise.name in one.verdicts
        },
        "broken": [
            {"promise": name, "row": where.row, "says": where.says}
            for name, where in one.verdicts.items()
            if where is not None
        ],
    }  # fmt: skip


def csv_text(lines: Sequence[Line]) -> str:
    """A line of names, then one a policy; what is not known is empty, and promises have a 1 where they are kept."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow([*(column.name for column in COLUMNS), *(promise.name for promise in PROMISES)])
    for line in lines:
        verdicts = line.outcome.verdicts
        kept = [int(verdicts[one.name] is None) if one.name in verdicts else None for one in PROMISES]
        rows.writerow([*(column.value(line) for column in COLUMNS), *kept])
    return out.getvalue()
