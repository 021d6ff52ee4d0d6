"""A policy with settings, and what to call it beside others of the same policy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from inspector.message import Session
from inspector.policies import OURS, POLICIES, offered_for
from inspector.policies.policy import Policy, Settings, Value, spoken

LONGEST_VALUE = 20
"""Characters of a value that a label quotes; of a longer one it gives the length."""


@dataclass(frozen=True, eq=False)
class Candidate:
    """One that takes part in a comparison."""

    policy: Policy
    given: Settings
    """Settings in the range of the policy; those left out have its defaults."""

    @property
    def settings(self) -> dict[str, Any]:
        """Full ones: what is compared stands for a run, so that parameters of runs alone have their defaults too."""
        return self.policy.running(self.given)


def usual(session: Session) -> list[Policy]:
    """What a session is compared under where nobody says: our own three, and those of the product that wrote it."""
    its_own = takewhile(lambda name: name not in OURS, offered_for(session.format))
    return [POLICIES[name] for name in (*OURS, *its_own)]


def differences(candidates: Sequence[Candidate]) -> list[str]:
    """The parameters in which candidates of one policy differ, in the policy's order."""
    settings = [one.settings for one in candidates]
    return [
        param.name
        for param in candidates[0].policy.params
        if any(full[param.name] != settings[0][param.name] for full in settings)
    ]


def labels(candidates: Sequence[Candidate]) -> list[str]:
    """A name for each: its policy's, with what tells it from others of that policy: `head-tail keep_recent=4`.

    One that is there twice has its number behind it.
    """
    groups: dict[str, list[Candidate]] = {}
    for one in candidates:
        groups.setdefault(one.policy.name, []).append(one)
    telling = {name: differences(group) for name, group in groups.items()}
    named = [_label(one, telling[one.policy.name]) for one in candidates]
    seen = Counter[str]()
    for place, name in enumerate(named):
        seen[name] += 1
        if seen[name] > 1:
            named[place] = f"{name} ({seen[name]})"
    return named


def _label(candidate: Candidate, telling: Sequence[str]) -> str:
    settings = candidate.settings
    return " ".join((candidate.policy.name, *(f"{name}={said(settings[name])}" for name in telling)))


def said(value: Value) -> str:
    """A value in a few characters."""
    text = spoken(value)
    return text if len(text) <= LONGEST_VALUE else f"({len(text):,} chars)"
