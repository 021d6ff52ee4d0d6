"""The size that a policy promises to come down to, in the units in which it decides itself.

A policy that has a trigger and no target (such as langchain-clear) promises no size. Those that do are listed here with
their own count, since an exact count would call a policy broken that merely estimates.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from inspector.message import Context
from inspector.policies.policy import Policy
from inspector.policies.sent import SentView
from inspector.tokens import count_bodies

NOWHERE = -1


class Goal(NamedTuple):
    """What a policy's settings ask for."""

    trigger: float
    """Up to this size nothing has to happen."""
    limit: float
    """What it comes down to otherwise."""
    unit: str
    costs: Callable[[Context], Sequence[int]]
    """The size of each message (or of what the product calls one), as the policy counts."""


@dataclass(frozen=True, slots=True)
class Target:
    """How a view stands to the target."""

    missed: bool
    row: int
    """The row of the largest message that is sent, where the target is missed; -1 where that is none of the rows."""
    says: str


REACHED = Target(False, NOWHERE, "")


def target_of(view: SentView, policy: Policy) -> Target | None:
    """Whether a view is within its target; None where the policy has none."""
    if policy.name in _GOALS:
        goal = _GOALS[policy.name](view.settings)
    elif any(param.name == "target_tokens" and param.threshold for param in policy.params):
        wanted = float(view.settings["target_tokens"])  # type: ignore[arg-type]  # a number, by its parameter
        goal = Goal(wanted, wanted, "tokens", lambda context: count_bodies(context.messages, view.counter))
    else:
        return None
    size = sum(goal.costs(view.plan.context))
    if size > goal.trigger and view.plan.fired:
        size = sum(goal.costs(view.context))
    return _missed(view, goal, size) if size > max(goal.trigger, goal.limit) else REACHED


def _missed(view: SentView, goal: Goal, size: float) -> Target:
    """Names the message that makes the target unreachable, or the largest of those that stand in the way."""
    said = f"{size:,} {goal.unit} are sent, and the target is {goal.limit:,.0f}"
    costs = goal.costs(view.context)
    if len(costs) != len(view.source) or not costs or max(costs) <= 1:
        return Target(True, NOWHERE, said)
    place = max(range(len(costs)), key=costs.__getitem__)
    row, alone = view.source[place], costs[place]
    which = f"message {place:,} of them" if row >= 0 else f"the message put in at {place:,}"
    by_itself = "makes that unreachable by itself" if alone > goal.limit else "is the largest that stays"
    return Target(True, max(row, NOWHERE), f"{said}; {which} {by_itself}, with {alone:,}")


Settings: TypeAlias = Mapping[str, Any]


def _ones(context: Context) -> Sequence[int]:
    return [1] * len(context)


def _bundles(context: Context) -> Sequence[int]:
    from inspector.policies.zoo.bundles import bundles_of

    return [1] * len(context.derived(bundles_of))


def _approximate(context: Context) -> Sequence[int]:
    from inspector.policies.zoo.approximate import Approximate

    return context.derived(Approximate).tokens


def _cascade(settings: Settings) -> Goal:
    from inspector.policies.ladder import Sizes

    def costs(context: Context) -> Sequence[int]:
        sizes = context.derived(Sizes)
        return sizes.tokens(settings["chars_per_token"], sizes.content)

    most = max(settings["target_tokens"], settings["ceiling_tokens"])
    return Goal(most, most, "estimated tokens", costs)


def _langchain_trim(settings: Settings) -> Goal:
    limit = max(0, settings["max_tokens"])
    if settings["token_counter"] == "len":
        return Goal(limit, limit, "messages", _ones)
    return Goal(limit, limit, "approximate tokens", _approximate)


def _aider(settings: Settings) -> Goal:
    from inspector.policies.zoo.aider import counted

    return Goal(settings["max_tokens"], settings["max_tokens"], "tokens as aider counts", counted)


def _semantic_kernel(settings: Settings) -> Goal:
    target = max(1, settings["target_count"])
    return Goal(target + max(0, settings["threshold_count"]), target, "messages", _ones)


def _buffered(settings: Settings) -> Goal:
    return Goal(max(1, settings["buffer_size"]), max(1, settings["buffer_size"]), "messages", _bundles)


def _token_limited(settings: Settings) -> Goal:
    from inspector.policies.zoo.autogen import MESSAGE_TOKENS, costs_of
    from inspector.policies.zoo.cuts import ceil4

    def costs(context: Context) -> Sequence[int]:
        return [ceil4(chars) + MESSAGE_TOKENS for chars in context.derived(costs_of)]

    limit = settings["token_limit"] or settings["model_window"] or 0
    return Goal(limit, limit, "tokens as AutoGen counts", costs)


def _strands(settings: Settings) -> Goal:
    return Goal(settings["window_size"], settings["window_size"], "messages", _bundles)


def _groups(context: Context) -> Sequence[int]:
    from inspector.policies.zoo.af_groups import row_tokens

    return context.derived(row_tokens)


def _af_truncation(settings: Settings) -> Goal:
    costs = _groups if settings["unit"] == "tokens" else _ones
    return Goal(settings["max_n"], settings["compact_to"], str(settings["unit"]), costs)


def _af_window(settings: Settings) -> Goal:
    budget = max(0, settings["max_context_window_tokens"] - settings["max_output_tokens"])
    limit = int(budget * settings["truncation_threshold"])
    return Goal(limit, limit, "tokens", _groups)


def _af_budget(settings: Settings) -> Goal:
    return Goal(max(0, settings["token_budget"]), max(0, settings["token_budget"]), "tokens", _groups)


_GOALS: Mapping[str, Callable[[Settings], Goal]] = {
    "cascade": _cascade,
    "langchain-trim": _langchain_trim,
    "strands-sliding": _strands,
    "agent-framework-truncation": _af_truncation,
    "agent-framework-context-window": _af_window,
    "agent-framework-token-budget": _af_budget,
    "semantic-kernel-truncation": _semantic_kernel,
    "autogen-buffered": _buffered,
    "autogen-token-limited": _token_limited,
    "aider-summary": _aider,
}
