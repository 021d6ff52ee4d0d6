"""Semantic Kernel's truncation reducer: the newest messages, moved back so that no result lacks its call."""

from __future__ import annotations

from inspector.change import Plan
from inspector.message import SYSTEM, TOOL, USER, Context
from inspector.policies.policy import Param, Policy, Settings
from inspector.policies.product import Product, python
from inspector.policies.python_call import Call
from inspector.policies.zoo.cuts import back_while
from inspector.policies.zoo.drafting import Draft, left_alone
from inspector.policies.zoo.exchanges import Exchanges

REASONS = (
    "recent, or needed by what is recent: sent as recorded",
    "older than the messages that are kept",
    "the first system message stays",
    "no more messages than target and threshold: everything is sent",
)
_, OLD, SYSTEM_STAYS, FEW = range(len(REASONS))


def plan(context: Context, settings: Settings) -> Plan:
    """The plan of one `reduce`."""
    rows = len(context)
    target, threshold = max(1, settings["target_count"]), max(0, settings["threshold_count"])
    if rows <= target + threshold:
        return left_alone(context, REASONS, FEW)
    draft = Draft(context, REASONS)
    system = context.derived(Exchanges).kinds.find(SYSTEM)
    if 0 <= system < rows - target:
        target -= 1
    cut = _cut(context, target, threshold) if target else rows
    draft.drop(range(cut), OLD)
    if 0 <= system < cut:
        draft.keep(system, SYSTEM_STAYS)
    return draft.unwritten()


def _cut(context: Context, target: int, threshold: int) -> int:
    """The first message that is kept: back through calls and results, then to a user message in reach."""
    exchanges, rows = context.derived(Exchanges), len(context)
    lowest = rows - threshold - target
    busy = bytes(kind == TOOL or row in exchanges.calls for row, kind in enumerate(exchanges.kinds))
    within = bytes(here and before for here, before in zip(busy, b"\0" + busy[:-1], strict=True))
    cut = back_while(rows - target, 0, within)
    user = exchanges.kinds.rfind(USER, max(0, lowest), cut + 1) if cut >= lowest else -1
    return user if user >= 0 else cut


def _reducer(settings: Settings) -> Call:
    return Call("semantic_kernel.contents", "ChatHistoryTruncationReducer", dict(settings))


POLICY = Policy(
    name="semantic-kernel-truncation",
    mode="carried",
    params=(
        Param(
            "target_count", "messages", 40, "How many messages are kept (ours: the product has no default).", low=1,
            high=lambda context: max(60, len(context)),
        ),
        Param(
            "threshold_count", "messages", 0, "How many more there may be before anything is dropped.",
            high=lambda context: max(20, len(context)),
        ),
    ),
    plan=plan,
    help=(
        "Keeps the newest messages and the first system message. The cut moves back through the whole run of calls and "
        "results before it, so that a long tool loop is kept and the user's first message is not."
    ),
    protects="the first system message, and calls with their results",
    source="ChatHistoryTruncationReducer, semantic-kernel 1.45.0",
    product=Product("semantic-kernel", "Semantic Kernel", "python", python("history", _reducer)),
)  # fmt: skip

POLICIES = (POLICY,)
