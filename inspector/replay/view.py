"""The view of one request, shown against the recording."""

from __future__ import annotations

from functools import partial
from typing import Any

from inspector.message import Context
from inspector.policies import compact as one_shot
from inspector.policies import policy_named
from inspector.policies.policy import Mode, Policy, Settings
from inspector.policies.sent import SentView
from inspector.replay.engine import stepper_for
from inspector.replay.plain import Carried
from inspector.replay.requests import answer_of, answers_of
from inspector.tokens import counter_for


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
    """What one request of a run sends.

    Its plan is over the rows before the answer. Of a carried run it holds all that was done up to this request, while
    counters, notes and warnings are those of the request's own compaction.

    Raises `SettingError` and `IndexError`, with one sentence.
    """
    answer = answer_of(context, request)
    full = policy.running(settings)
    counting = partial(counter_for, getattr(context, "model", None))
    if (mode or policy.mode) == "stateless":
        return SentView(policy.plan(context.until(answer), full), policy.name, full, counting)
    stepper = stepper_for(context, policy, full, "carried")
    for before in context.derived(answers_of)[:request]:
        stepper.step(before)
        stepper.transcript.ops.clear()
    _, last = Carried(context, policy, full, stepper.transcript).planned(answer)
    return SentView(stepper.transcript.plan(last), policy.name, full, counting)
