"""Compaction policies: one file a policy, and the one function that applies any of them."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from functools import partial
from importlib import import_module
from typing import Any

from inspector.message import Context
from inspector.policies import zoo
from inspector.policies.offered import Offered
from inspector.policies.policy import Mode, Param, Policy, SettingError, Settings, Value
from inspector.policies.sent import SentView
from inspector.policies.zoo import HOMES, WRITERS
from inspector.tokens import counter_for

__all__ = [
    "POLICIES", "Mode", "Param", "Policy", "SentView", "SettingError", "Settings", "UnknownPolicy", "Value", "compact",
    "offered_for", "policy_named",
]  # fmt: skip

OURS = {
    "head-tail": "inspector.policies.head_tail",
    "cascade": "inspector.policies.cascade",
    "checkpoint": "inspector.policies.checkpoint",
}
POLICIES: Mapping[str, Policy] = Offered({**OURS, **HOMES})
"""Every policy by its name, in the order in which they are offered: our own three, then the products'."""


def __getattr__(name: str) -> Any:
    """Our own policies' modules, so that `inspector.policies.cascade` needs no import of its own."""
    module = f"{__name__}.{name}"
    if module in OURS.values():
        return import_module(module)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class UnknownPolicy(LookupError):
    """There is no policy of that name; says which there are."""

    def __str__(self) -> str:
        return str(self.args[0])


def policy_named(name: str) -> Policy:
    """The policy of that name. Raises `UnknownPolicy` with one sentence."""
    if name in POLICIES:
        return POLICIES[name]
    near = difflib.get_close_matches(name, POLICIES, 1)
    some = f"{', '.join(OURS)} and {len(HOMES)} more"
    hint = f"did you mean {near[0]}?" if near else f"there are {some}"
    raise UnknownPolicy(f"there is no policy {name[:60]!r}; {hint}")


def offered_for(format_name: str) -> tuple[str, ...]:
    """The names of all policies: first those of the products that write the format, then the others in their order.

    Args:
        format_name: the name of a format, as a session tells it. Where it is nobody's own, the order
            is that of `POLICIES`.
    """
    order = {f"{zoo.__name__}.{module}": place for place, module in enumerate(WRITERS.get(format_name, ()))}
    homes = {**OURS, **HOMES}
    return tuple(sorted(homes, key=lambda name: order.get(homes[name], len(order))))


def compact(context: Context, policy: str, /, **settings: Any) -> SentView:
    """The sent view of a session under a policy, in one shot. The view of one request is `inspector.replay`'s affair.

    Args:
        context: a session, or any context.
        policy: a name of `POLICIES`.
        settings: the policy's parameters; those left out have their defaults.

    Raises:
        UnknownPolicy, SettingError: with one sentence that names what there is.
    """
    chosen = policy_named(policy)
    full = chosen.settings(settings)
    counting = partial(counter_for, getattr(context, "model", None))
    return SentView(chosen.plan(context, full), chosen.name, full, counting)
