"""AutoGen's three model contexts: the newest messages, head and tail, and as many as a token limit allows."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable

from inspector.change import InsertKind, Plan
from inspector.message import TOOL, Body, Context, text_of
from inspector.policies.policy import Param, Policy, Settings
from inspector.policies.product import Product, python
from inspector.policies.python_call import Call, Name
from inspector.policies.zoo.bundles import bundles_of
from inspector.policies.zoo.cuts import ceil4, running
from inspector.policies.zoo.drafting import Draft
from inspector.policies.zoo.exchanges import Asked, asked_of
from inspector.policies.zoo.params import optional

SOURCE = "autogen-core 0.7.5"
REASONS = (
    "within the limits: sent as recorded",
    "outside of what is kept",
    "a result whose call is not kept",
    "calls at the end of the head, whose results are not kept",
    "a system message: always in front",
)
_, OUTSIDE, ORPHAN, OPEN_CALLS, SYSTEM_FRONT = range(len(REASONS))
MESSAGE_TOKENS = 4


def _draft(context: Context) -> Draft:
    draft = Draft(context, REASONS)
    draft.in_front(context.derived(bundles_of).systems, SYSTEM_FRONT)
    return draft


def _drop(draft: Draft, start: int, stop: int) -> None:
    draft.drop(draft.context.derived(bundles_of).between(start, stop), OUTSIDE)


def _drop_one(draft: Draft, place: int, reason: int) -> None:
    draft.drop(draft.context.derived(bundles_of).between(place, place + 1), reason)


def buffered(context: Context, settings: Settings) -> Plan:
    """The plan of `BufferedChatCompletionContext`."""
    bundles, draft = context.derived(bundles_of), _draft(context)
    start = max(0, len(bundles) - max(1, settings["buffer_size"]))
    _drop(draft, 0, start)
    if start < len(bundles) and bundles.kinds[start] == TOOL:
        _drop_one(draft, start, ORPHAN)
    return draft.unwritten()


def head_and_tail(context: Context, settings: Settings) -> Plan:
    """The plan of `HeadAndTailChatCompletionContext`."""
    bundles, draft = context.derived(bundles_of), _draft(context)
    head, tail = max(1, settings["head_size"]), max(1, settings["tail_size"])
    start, skipped = len(bundles) - tail, len(bundles) - head - tail
    if skipped <= 0:
        return draft.unwritten()
    _drop(draft, head, start)
    if asked_of(context.messages[bundles.first(head - 1)]):
        _drop_one(draft, head - 1, OPEN_CALLS)
    if bundles.kinds[start] == TOOL:
        _drop_one(draft, start, ORPHAN)
    body = {"role": "user", "content": f"Skipped {skipped} messages."}
    draft.insert(bundles.last(start - 1), InsertKind.NOTICE, body, "says how many messages are left out", None)
    return draft.unwritten()


def costs_of(context: Context) -> list[int]:
    """Characters of each of AutoGen's messages: text, and the names and arguments of calls."""
    return context.derived(bundles_of).sums(context.each(_chars, asked_of))


def _chars(body: Body, asked: Asked | None) -> int:
    return len(text_of(body)) + sum(len(call.name) + len(call.arguments) for call in (asked.calls if asked else ()))


def token_limited(context: Context, settings: Settings) -> Plan:
    """The plan of `TokenLimitedChatCompletionContext`: the message in the middle goes until the rest fits.

    Taking out the middle one by one shortens head and tail in turns, so the head is never the shorter one.
    """
    bundles, draft = context.derived(bundles_of), _draft(context)
    limit, most = settings["token_limit"] or settings["model_window"] or 0, len(bundles)
    until = running([ceil4(chars) + MESSAGE_TOKENS for chars in context.derived(costs_of)])

    def head(gone: int) -> int:
        return (most - gone + 1) // 2

    def taken(gone: int) -> int:
        return until[head(gone) + gone] - until[head(gone)]

    gone = bisect_left(range(most), until[-1] - limit, key=taken)
    _drop(draft, head(gone), head(gone) + gone)
    if gone < most and bundles.kinds[0] == TOOL:
        _drop_one(draft, 0, ORPHAN)
    return draft.unwritten()


def _length(context: Context) -> int:
    return max(60, len(context))


def _product(name: str, more: Callable[[Settings], Settings], place: str = "", **lacks: str) -> Product:
    def build(settings: Settings) -> Call:
        return Call("autogen_core.model_context", name, more(settings))

    return Product("autogen", "AutoGen", "python", python("model_context", build), place, lacks)


def _limit(settings: Settings) -> Settings:
    return {"model_client": Name("model_client"), "token_limit": settings["token_limit"] or None}


BUFFERED = Policy(
    name="autogen-buffered",
    mode="stateless",
    params=(
        Param(
            "buffer_size", "messages", 40, "How many of the newest messages are sent; results of a round count once.",
            low=1, high=_length,
        ),
    ),
    plan=buffered,
    help="Sends the newest messages and the system prompt. A round's results are one message here.",
    protects="the system messages",
    source=f"BufferedChatCompletionContext, {SOURCE}",
    product=_product("BufferedChatCompletionContext", dict),
)  # fmt: skip

HEAD_TAIL = Policy(
    name="autogen-head-tail",
    mode="stateless",
    params=(
        Param("head_size", "messages", 3, "How many of the first messages are sent.", low=1, high=_length),
        Param("tail_size", "messages", 20, "How many of the newest messages are sent.", low=1, high=_length),
    ),
    plan=head_and_tail,
    help="Sends the first and the newest messages, and one between them that says how many were skipped.",
    protects="the system messages and the first messages",
    source=f"HeadAndTailChatCompletionContext, {SOURCE}",
    product=_product("HeadAndTailChatCompletionContext", dict),
)

TOKEN_LIMITED = Policy(
    name="autogen-token-limited",
    mode="stateless",
    params=(
        optional(
            "token_limit", "tokens", 16_000, "Messages go until the rest is within this; 0: within the model's window.",
            high=lambda context: max(1_000, sum(context.derived(costs_of)) // 3), step=500, threshold=True,
        ),
        optional(
            "model_window", "tokens", 200_000, "The model's window, which counts where there is no limit.",
            high=1_000_000, step=1_000,
        ),
    ),
    plan=token_limited,
    help="Takes out the message in the middle until the rest fits, and so parts calls from results.",
    protects="the system messages",
    source=f"TokenLimitedChatCompletionContext, {SOURCE}",
    product=_product(
        "TokenLimitedChatCompletionContext", _limit, "model_client is the agent's own.",
        model_window="it asks the model's client",
    ),
)  # fmt: skip

POLICIES = (BUFFERED, HEAD_TAIL, TOKEN_LIMITED)
