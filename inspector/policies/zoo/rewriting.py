"""Fast ways through a run for policies that change rows in their place and drop, add and move none.

A plan looks at the whole list anew for every request. What such a policy changes only grows as a rule, so that each row
is written once; a stepper has to send what the plan would (tests compare them).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import NamedTuple

from inspector.change import Action, Plan
from inspector.message import Body, Context
from inspector.policies.policy import Settings
from inspector.policies.transcript import Done, Transcript, done
from inspector.policies.zoo.drafting import Draft


class Rewritten(NamedTuple):
    """A row in the form in which it is sent from now on."""

    row: int
    body: Body
    action: Action
    reason: str


class Growing(ABC):
    """The views of a stateless run in which what is changed stays changed, as a rule."""

    def __init__(self, context: Context) -> None:
        self.transcript = Transcript(context)
        self._changed: set[int] = set()

    def step(self, stop: int) -> Done:
        """The view of the request that the row `stop` answers."""
        self.transcript.arrive(stop)
        for row, body, action, reason in self.advance(stop):
            self.transcript.put(row, body, action, reason)
            (self._changed.add if action else self._changed.discard)(row)
        return Done(len(self._changed), bool(self._changed))

    @abstractmethod
    def advance(self, stop: int) -> Iterable[Rewritten]:
        """What the request that the row `stop` answers changes and the ones before it did not."""


class Waiting(ABC):
    """The views of a carried run in which the policy has nothing to do at most requests."""

    def __init__(self, context: Context, settings: Settings, plan: Callable[[Context, Settings], Plan]) -> None:
        self.transcript = Transcript(context)
        self._settings, self._plan = settings, plan

    @abstractmethod
    def due(self, stop: int) -> bool:
        """Whether the plan may change anything for the request that the row `stop` answers."""

    def step(self, stop: int) -> Done:
        """The view of the request that the row `stop` answers."""
        self.transcript.arrive(stop)
        if not self.due(stop):
            return Done(0, False)
        plan = self._plan(self.transcript.as_context(), self._settings)
        if plan.fired:
            self.transcript.apply(plan)
        return done(plan)


def rewritten(draft: Draft, row: int, body: Body) -> Rewritten:
    """A row that a draft has changed."""
    return Rewritten(row, body, Action(draft.action[row]), draft.reasons[draft.reason[row]])
