"""Which settings a trial goes through: each parameter alone over its steps, and seeded mixes of all of them."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from inspector.message import Context, Session
from inspector.policies.policy import Param, Policy, SettingError, Value

MOST_STEPS = 24
"""Values tried of one parameter alone."""
LONG_TEXT = "[what stood here was left out of this request to save space; ask for it again if it is needed after all]"
"""A text as long as people write them, where a parameter takes one: longer than many a tool result."""

Given: TypeAlias = "dict[str, Value]"


def values_of(param: Param, sessions: Sequence[Session], most: int = MOST_STEPS) -> list[Value]:
    """Values of a parameter on its steps, from the lowest to the end of its slider on the largest session.

    Where there are more steps than `most`, they lie closer together at the lower end, since sessions differ by powers
    of ten. A text of many lines is not varied.
    """
    if param.kind == "choice":
        return list(param.choices)
    if param.kind == "text":
        return [param.default]
    if param.kind == "line":
        return [param.default, *([_tool_of(sessions)] if param.accepts else ["", LONG_TEXT])]
    steps = _steps(param, sessions)
    places = range(steps + 1) if steps < most else sorted({_spread(at, most, steps) for at in range(most)})
    return [_at(param, place) for place in places]


def _tool_of(sessions: Sequence[Session]) -> str:
    """The name of a tool that is called, for parameters that name some."""
    names = (session.message(row).tool for session in sessions for row in range(len(session)))
    return next(filter(None, names), "")


def _steps(param: Param, sessions: Sequence[Session]) -> int:
    """How many steps the slider has on the session on which it has most."""
    contexts: Sequence[Context | None] = sessions or (None,)
    top = max(param.top(context) for context in contexts)
    if param.limit is not None:
        top = min(top, param.limit)
    return max(0, int((top - param.low) / param.step + 1e-9))


def _spread(at: int, most: int, steps: int) -> int:
    """Step `at` of `most`, each as many times larger than the one before."""
    return _power(steps, at / (most - 1))


def _power(steps: int, share: float) -> int:
    """From 0 to `steps`, by a share of the powers of ten between."""
    return round(math.pow(steps + 1, share)) - 1


def _at(param: Param, place: int) -> Value:
    value = param.low + place * param.step
    return int(value) if param.kind == "int" else round(value, 6)


def alone(params: Sequence[Param], sessions: Sequence[Session]) -> Iterator[Given]:
    """Settings in which one parameter has one of its values, and nothing is said of the others."""
    for param in params:
        yield from ({param.name: value} for value in values_of(param, sessions))


def mixed(params: Sequence[Param], sessions: Sequence[Session], count: int, seed: int) -> Iterator[Given]:
    """Settings in which every parameter has a random value on its steps, small ones more often than large ones."""
    dice = random.Random(seed)
    ranges = [(param, values_of(param, sessions), _steps(param, sessions)) for param in params]
    for _ in range(count):
        yield {param.name: _drawn(dice, param, values, steps) for param, values, steps in ranges}


def _drawn(dice: random.Random, param: Param, values: Sequence[Value], steps: int) -> Value:
    chance = dice.random()
    if chance < 0.2:
        return param.default
    if not param.is_number:
        return dice.choice(values)
    return _at(param, _power(steps, dice.random()))


def every(policy: Policy, sessions: Sequence[Session], count: int, seed: int, held: Given | None = None) -> list[Given]:
    """The defaults, each parameter alone, and the mixes, every one once, without those that the policy refuses.

    Each names what differs from the defaults, and the parameters that are held.
    """
    fixed = held or {}
    defaults = {name: value for name, value in policy.running({}).items() if name not in fixed}
    params = [param for param in policy.params if param.name in defaults]
    found: dict[tuple[Any, ...], Given] = {}
    for given in ({}, *alone(params, sessions), *mixed(params, sessions, count, seed)):
        differing = {name: value for name, value in given.items() if not _same(value, defaults[name])}
        key = tuple((name, type(value), value) for name, value in sorted(differing.items()))
        if _accepted(policy, differing):
            found.setdefault(key, {**fixed, **differing})
    return list(found.values())


def _same(one: Value, other: Value) -> bool:
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def _accepted(policy: Policy, given: Given) -> bool:
    try:
        policy.running(given)
    except SettingError:
        return False
    return True
