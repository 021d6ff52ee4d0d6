"""What becomes of a session under one policy: what it sends and breaks in one view, and what the whole run costs."""

from __future__ import annotations

from array import array
from collections import Counter as Tallied
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from inspector.change import Plan
from inspector.comparison.candidate import Candidate
from inspector.doctor import examination_of, target_named
from inspector.doctor.told import Examined, Fault, compared, examined
from inspector.guarantees import Verdicts, check
from inspector.message import Session
from inspector.policies.sent import SentView
from inspector.replay import Film, Terms, Totals, paid_batches, totals
from inspector.tokens import Counter

SERIOUS = ("error", "warning")


@dataclass(frozen=True, eq=False)
class Ground:
    """What all candidates are compared on."""

    session: Session
    counter: Counter
    tokens: array[int]
    """Of every row, by that counter."""
    terms: Terms
    known: Examined
    at: int | None = None
    """The request whose view is compared; None: the policies applied once to the whole session."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """What was found out about one candidate."""

    candidate: Candidate
    settings: Mapping[str, Any]
    """Full ones, of the view."""
    original_tokens: int
    sent_tokens: int
    edits: int
    """Changed rows and inserts."""
    first_change: int | None
    """The first row that is changed, or beside which something is put in; None: everything is sent as recorded."""
    introduced: tuple[Fault, ...]
    """The findings that the recording has not got."""
    verdicts: Verdicts
    run: Totals | None = None
    """None until the run is replayed."""

    @property
    def saved_tokens(self) -> int:
        """Below 0 where the view grew."""
        return self.original_tokens - self.sent_tokens

    @property
    def saved_share(self) -> float:
        """Of the original, from 0 to 1; below 0 where the view grew."""
        return self.saved_tokens / self.original_tokens if self.original_tokens else 0.0

    @property
    def found(self) -> Mapping[str, int]:
        """How many findings of each severity were introduced."""
        return Tallied(fault.finding.severity for fault in self.introduced)

    @property
    def serious(self) -> int:
        """How many errors and warnings were introduced."""
        return sum(self.found.get(severity, 0) for severity in SERIOUS)

    @property
    def broken(self) -> tuple[str, ...]:
        """The names of the promises that the view breaks, in their order."""
        return tuple(name for name, where in self.verdicts.items() if where is not None)


def examined_for(session: Session, target: str = "native") -> Examined:
    """The recording's own findings, from which those that a policy introduces are told."""
    return examined(examination_of(session), session, target_named(target))


def outcome_of(ground: Ground, candidate: Candidate) -> Outcome:
    """What a candidate sends in one view, and what it breaks.

    Raises `SettingError`, and `IndexError` where there is no such request, with one sentence.
    """
    view = _view(ground, candidate)
    tokens = view.tokens
    return Outcome(
        candidate, view.settings, tokens["original"], tokens["sent"], view.plan.edits, first_change_of(view.plan),
        compared(view, ground.known, target_named(ground.known.target)).introduced, check(view, candidate.policy),
    )  # fmt: skip


def with_run(ground: Ground, outcome: Outcome) -> Outcome:
    """The same with what its whole run costs, in the policy's own mode."""
    one = outcome.candidate
    batches = paid_batches(ground.session, one.policy, one.given, ground.counter, ground.tokens, ground.terms)
    return replace(outcome, run=totals([paid for batch in batches for paid in batch]))


def _view(ground: Ground, candidate: Candidate) -> SentView:
    if ground.at is not None:
        view = Film(ground.session, candidate.policy, candidate.given).view(ground.at)
    else:
        settings = candidate.settings
        plan = candidate.policy.plan(ground.session, settings)
        view = SentView(plan, candidate.policy.name, settings, ground.counter)
    return replace(view, counting=ground.counter, known=ground.tokens)


def first_change_of(plan: Plan) -> int | None:
    """The first row that is changed, or that something is put in beside; None where nothing is."""
    changed = next((row for row, action in enumerate(plan.action) if action), None)
    beside = (max(0, insert.after) for insert in plan.inserts)
    return min(beside if changed is None else (changed, *beside), default=None)
