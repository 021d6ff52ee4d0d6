"""The context filter of Google's Agent Development Kit: the newest invocations, moved back for open calls."""

from __future__ import annotations

import re

from inspector.change import Plan
from inspector.message import USER, Context
from inspector.policies.policy import Param, Policy, Settings
from inspector.policies.product import Product, python
from inspector.policies.python_call import Call
from inspector.policies.zoo.bundles import Bundles, bundles_of, unmerged
from inspector.policies.zoo.drafting import Draft
from inspector.policies.zoo.exchanges import Exchanges
from inspector.policies.zoo.params import flag, optional

REASONS = (
    "of a newer invocation, or needed by one: sent as recorded",
    "of an older invocation",
    "a system message: always in front",
)
_, OLDER, SYSTEM_FRONT = range(len(REASONS))
_SAID = re.compile(re.escape(bytes((USER,))) + b"+")
"""What the user says, message after message."""


def plan(context: Context, settings: Settings) -> Plan:
    """The plan of one `before_model_callback`."""
    draft = Draft(context, REASONS)
    bundles = context.derived(bundles_of if settings["merge_tool_results"] else unmerged)
    draft.in_front(bundles.systems, SYSTEM_FRONT)
    keep, remove = settings["num_invocations_to_keep"] or 0, max(1, settings["remove_amount"])
    starts = _invocations(bundles)
    if keep > 0 and len(starts) >= keep + remove:
        cut = _closed_cut(context, bundles, starts[-keep])
        draft.drop(bundles.between(0, cut), OLDER)
    return draft.unwritten()


def _invocations(bundles: Bundles) -> list[int]:
    """Where invocations begin: at what the user says after something else."""
    return [said.start() for said in _SAID.finditer(bundles.kinds)]


def _closed_cut(context: Context, bundles: Bundles, cut: int) -> int:
    """The last place up to the cut after which no result lacks its call; 0 where there is none."""
    exchanges, wanted = context.derived(Exchanges), set[str]()
    for place in range(len(bundles) - 1, -1, -1):
        for row in reversed(bundles.between(place, place + 1)):
            if row in exchanges.answers:
                wanted.add(exchanges.answers[row])
            wanted.difference_update(exchanges.keys.get(row, ()))
        if place <= cut and not wanted:
            return place
    return 0


def _plugin(settings: Settings) -> Call:
    keep = settings["num_invocations_to_keep"] or None
    arguments = {"num_invocations_to_keep": keep, "remove_amount": settings["remove_amount"]}
    return Call("google.adk.plugins.context_filter_plugin", "ContextFilterPlugin", arguments)


POLICY = Policy(
    name="adk-context-filter",
    mode="stateless",
    params=(
        optional(
            "num_invocations_to_keep", "invocations", 3,
            "How many of the newest invocations are sent; 0: all (ours: the kit's default).", high=64,
        ),
        Param("remove_amount", "invocations", 1, "How many more there must be before any goes.", low=1, high=32),
        flag("merge_tool_results", True, "Whether the results of a round are one message."),
    ),
    plan=plan,
    help=(
        "Sends the newest invocations, each from the user's words on. One result without a call after the cut switches "
        "it off."
    ),
    protects="the system messages, and calls with their results",
    source="ContextFilterPlugin, google-adk 2.13.0",
    product=Product(
        "adk", "ADK", "python", python("plugin", _plugin),
        lacks={"merge_tool_results": "how results stand in a session is its own affair"},
    ),
)  # fmt: skip

POLICIES = (POLICY,)
