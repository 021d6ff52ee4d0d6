"""What was compared in a table so far, and what is said of one row beyond its cells. No textual here.

Imported when a table is first opened: judging a policy takes the doctor, the promises and the replay.
"""

from __future__ import annotations

from collections import Counter as Tallied
from dataclasses import dataclass, field

from inspector.comparison import Candidate, said
from inspector.comparison.outcome import Ground, Outcome
from inspector.guarantees import promise_named


@dataclass(slots=True)
class Table:
    """What is compared; it outlives the dialog."""

    entries: list[Candidate]
    of: tuple[object, ...] = ()
    """What everything known holds for: session, counter, request, tokens, target."""
    ground: Ground | None = None
    outcomes: dict[Candidate, Outcome] = field(default_factory=dict)
    failed: dict[Candidate, str] = field(default_factory=dict)
    """Why nothing is known of one, in a sentence."""
    sort: str = ""
    """The column that it is ordered by; empty: as they were added."""
    worst_first: bool = False

    @property
    def pending(self) -> list[Candidate]:
        """Those that something is left to find out about: a view first, then a run."""
        left = [one for one in self.entries if one not in self.failed]
        unseen = [one for one in left if one not in self.outcomes]
        return unseen or [one for one in left if self.outcomes[one].run is None]

    def done(self, one: Candidate) -> int:
        """How much is known of one: its view, and its run."""
        outcome = self.outcomes.get(one)
        return 2 if one in self.failed else 0 if outcome is None else 1 + (outcome.run is not None)


def explained(one: Candidate, table: Table) -> list[str]:
    """What a row cannot hold: what the policy does, its settings, each promise that it breaks, findings, the run."""
    policy = one.policy
    settings = "  ".join(f"{name}={said(value)}" for name, value in one.settings.items() if value is not None)
    lines = [f"{policy.name} ({policy.mode})  {policy.help}", settings or "no settings"]
    if one in table.failed:
        return [*lines, f"! it could not be compared: {table.failed[one]}"]
    outcome = table.outcomes.get(one)
    if outcome is None:
        return lines
    lines += [
        f"! {promise_named(name).label}: {where.says}{_row(where.row)}"
        for name, where in outcome.verdicts.items()
        if where is not None
    ]
    kept = [promise_named(name).label for name, where in outcome.verdicts.items() if where is None]
    lines += [f"✓ {', '.join(kept)}"] if kept else []
    codes = Tallied(fault.finding.code for fault in outcome.introduced)
    told = ", ".join(f"{count:,} {code}" for code, count in codes.items())
    lines += [f"findings brought in: {told}"] if told else []
    return [*lines, *_run_words(outcome)]


def _row(row: int) -> str:
    return f" (row {row:,})" if row >= 0 else ""


def _run_words(outcome: Outcome) -> list[str]:
    run = outcome.run
    if run is None or not run.requests:
        return []
    words = (
        f"run: {run.requests:,} requests, {run.original_tokens:,} -> {run.sent_tokens:,} tokens, the largest "
        f"{run.max_request_tokens:,}, {run.broke:,} broke the cached prefix"
    )
    if run.cost is not None and run.cost_without is not None:
        words += f"; ${run.cost:,.4f}, without a policy ${run.cost_without:,.4f}"
    return [words]
