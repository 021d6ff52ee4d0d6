"""The sent views of a run by the plainest means: the policy's plan, made anew for every request.

This is what the replay means; the fast steppers of policies are held to it by tests. It also stands in for policies
that have none, at the cost of a plan a request.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

from inspector.change import Plan
from inspector.message import Body, Context, same
from inspector.policies.policy import Mode, Policy, Settings
from inspector.policies.sent import SentView
from inspector.policies.transcript import Done, Stepper, Transcript, done
from inspector.tokens import counter_for


class Stateless:
    """Every view is the plan over the recording so far."""

    def __init__(self, context: Context, policy: Policy, settings: Settings) -> None:
        self.transcript = Transcript(context)
        self._policy, self._settings = policy, settings
        self._made: dict[int, Body] = {}
        """The last form of each row that was rewritten, and of the inserts, as -1, -2, ... in the order of sending."""
        _ = context.columns.role, context.columns.chars  # made once, and cut for each request

    def step(self, stop: int) -> Done:
        """The view of the request that the row `stop` answers."""
        plan = self._policy.plan(self.transcript.context.until(stop), self._settings)
        view = SentView(plan, self._policy.name, self._settings, lambda: counter_for(None))
        rows = list(view.source)
        self.transcript.become(self._as_before(view.messages, rows), rows)
        self.transcript.arrived = stop
        return done(plan)

    def _as_before(self, bodies: list[Body], rows: Sequence[int]) -> list[Body]:
        """The bodies, those that are made anew without a change as they were: what is alike is found by identity."""
        recorded, made, inserts = self.transcript.context.messages, self._made, count(1)
        for place, (row, body) in enumerate(zip(rows, bodies, strict=True)):
            if row < 0 or body is not recorded[row]:
                key = row if row >= 0 else -next(inserts)
                if same(body, made.get(key)):
                    bodies[place] = made[key]
                else:
                    made[key] = body
        return bodies


class Carried:
    """What arrives is added to the list, the policy compacts it, and the run goes on from what it sends."""

    def __init__(self, context: Context, policy: Policy, settings: Settings, transcript: Transcript | None = None):
        self.transcript = Transcript(context) if transcript is None else transcript
        self._policy, self._settings = policy, settings
        self._within = policy.within_run(settings)

    def step(self, stop: int) -> Done:
        """The view of the request that the row `stop` answers."""
        return self.planned(stop)[0]

    def planned(self, stop: int) -> tuple[Done, Plan]:
        """The same, with the plan that was carried out."""
        entered = enter(self.transcript, self._policy, self._settings, stop)
        plan = self._policy.plan(self.transcript.as_context(), self._within)
        if plan.fired:
            self.transcript.apply(plan)
        edits, fired = done(plan)
        return Done(edits + entered, fired), plan


def enter(transcript: Transcript, policy: Policy, settings: Settings, stop: int) -> int:
    """The rows up to `stop` enter the list; the number of those that entered in another form."""
    changed = 0
    if policy.enter is not None:
        messages = transcript.context.messages
        for row in range(transcript.arrived, stop):
            entered = policy.enter(messages[row], settings)
            if entered is not None:
                transcript.arrive(row)
                transcript.enter(*entered)
                changed += 1
    transcript.arrive(stop)
    return changed


def plain_stepper(context: Context, policy: Policy, settings: Settings, mode: Mode) -> Stepper:
    """The plain loop of a policy in a mode."""
    return (Stateless if mode == "stateless" else Carried)(context, policy, settings)
