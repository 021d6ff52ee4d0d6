"""The view of one request, shown against the recording."""

from __future__ import annotations

from copy import copy
from functools import partial
from typing import Any

from inspector.message import Context
from inspector.policies import compact as one_shot
from inspector.policies import policy_named
from inspector.policies.policy import Mode, Policy, Settings
from inspector.policies.sent import SentView
from inspector.policies.transcript import Stepper
from inspector.replay.engine import stepper_for
from inspector.replay.plain import Carried
from inspector.replay.requests import answer_of, answers_of
from inspector.tokens import counter_for

FEWEST_APART = 64
MOST_STILLS = 12


def compact(context: Context, policy: str, /, *, at: int | None = None, **settings: Any) -> SentView:
    """The sent view of a session under a policy: in one shot, or of one request.

    Args:
        context: a session, or any context.
        policy: a name of `inspector.policies.POLICIES`.
        at: a request, from 0. The view covers the messages before its answer; a carried policy comes to it by way of
            all requests before, and parameters that apply only where given have their defaults, as in a run.
        settings: the policy's parameters; those left out have their defaults.

    Raises:
        UnknownPolicy, SettingError: with one sentence that names what there is.
        IndexError: there is no such request.
    """
    if at is None:
        return one_shot(context, policy, **settings)
    return view_at(context, policy_named(policy), settings, at)


def view_at(context: Context, policy: Policy, settings: Settings, request: int, mode: Mode | None = None) -> SentView:
    """What one request of a run sends; see `Film.view`. Raises `SettingError` and `IndexError`, with one sentence."""
    return Film(context, policy, settings, mode).view(request)


class Film:
    """The views of one run, for someone who moves about in it: going on costs what changes, going back little more.

    Raises `SettingError` with one sentence.
    """

    def __init__(self, context: Context, policy: Policy, settings: Settings, mode: Mode | None = None) -> None:
        self._context, self._policy, self._settings = context, policy, policy.running(settings)
        self._mode = mode or policy.mode
        self._answers = context.derived(answers_of)
        self._stills: list[tuple[int, Stepper]] = []
        """Where the run stood before some requests, in order; each is copied before it goes on."""
        self._at: tuple[int, Stepper] | None = None

    def view(self, request: int) -> SentView:
        """What a request sends.

        Its plan is over the rows before the answer. Of a carried run it holds all that was done up to this request,
        while counters, notes and warnings are those of the request's own compaction.

        Raises `IndexError` with one sentence.
        """
        answer = answer_of(self._context, request)
        counting = partial(counter_for, getattr(self._context, "model", None))
        if self._mode == "stateless":
            plan = self._policy.plan(self._context.until(answer), self._settings)
        else:
            transcript = copied(self._before(request)).transcript
            _, last = Carried(self._context, self._policy, self._settings, transcript).planned(answer)
            plan = transcript.plan(last)
        return SentView(plan, self._policy.name, self._settings, counting)

    def _before(self, request: int) -> Stepper:
        """The run, stopped before a request."""
        at, stepper = self._nearest(request)
        apart = max(FEWEST_APART, len(self._answers) // MOST_STILLS)
        for place in range(at, request):
            if place % apart == 0 and (not self._stills or self._stills[-1][0] < place):
                self._stills.append((place, copied(stepper)))
            stepper.step(self._answers[place])
            stepper.transcript.ops.clear()
        self._at = (request, stepper)
        return stepper

    def _nearest(self, request: int) -> tuple[int, Stepper]:
        if self._at is not None and self._at[0] <= request:
            return self._at
        for place, stepper in reversed(self._stills):
            if place <= request:
                return place, copied(stepper)
        return 0, stepper_for(self._context, self._policy, self._settings, self._mode)


def copied(stepper: Stepper) -> Stepper:
    """A run at the same place that can go on by itself: lists and the like are its own, messages are shared."""
    twin = copy(stepper)
    for name, value in vars(stepper).items():
        if isinstance(value, list | dict | set):
            setattr(twin, name, copy(value))
    twin.transcript = copy(stepper.transcript)
    for name, value in vars(stepper.transcript).items():
        if isinstance(value, list | dict):
            setattr(twin.transcript, name, copy(value))
    return twin
