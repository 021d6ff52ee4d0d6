"""Aider's chat summary: the older half of a chat is replaced by a summary, again and again until it fits."""

from __future__ import annotations

import json
from dataclasses import dataclass

from inspector.change import Action, InsertKind, Plan
from inspector.message import ASSISTANT, Body, Context
from inspector.policies.policy import Param, Policy, Settings
from inspector.policies.product import Product
from inspector.policies.zoo.cuts import ceil4, fitting_prefix, fitting_suffix, running
from inspector.policies.zoo.drafting import Draft, summarised
from inspector.policies.zoo.exchanges import kinds_of
from inspector.policies.zoo.params import optional
from inspector.text import json_chars

REASONS = ("recent, or within the limit: sent as recorded", "replaced by the summary of the chat so far")
_, SUMMARISED = range(len(REASONS))
HEAD = "I spoke to you previously about a number of things.\n"
CLOSING = "Ok."
CLOSING_REASON = "a chat always ends with the assistant's word"
FEWEST = 4
"""Up to so many messages are summarised as a whole."""
DEEPEST = 3
"""After so many further rounds everything is summarised."""
DEFAULT_WINDOW = 4_096
RESERVED = 512
"""Tokens of the model's window that its summary needs."""


def message_tokens(body: Body) -> int:
    """A message as aider counts it: its JSON, with everything but ASCII escaped."""
    try:
        return ceil4(len(json.dumps(body)))
    except (TypeError, ValueError, RecursionError):
        return ceil4(json_chars(body))


def counted(context: Context) -> list[int]:
    """Tokens of each message."""
    return [message_tokens(body) for body in context.messages]


@dataclass(frozen=True, slots=True)
class _Cut:
    """The list after a round: a summary of the rows before `row`, and the rows from there on."""

    row: int
    summary: Body


def plan(context: Context, settings: Settings) -> Plan:
    """The plan of one `summarize`."""
    draft = Draft(context, REASONS)
    rows, costs = len(context), context.derived(counted)
    if not rows:
        return draft.unwritten()
    if sum(costs) > max(0, settings["max_tokens"]):
        cut = _summarise(draft, costs, settings)
        draft.merge(range(cut.row), SUMMARISED)
        reason = f"a summary of {cut.row:,} earlier messages"
        draft.insert(cut.row - 1, InsertKind.SUMMARY, cut.summary, reason, (0, cut.row))
    if draft.action[-1] == Action.MERGE or context.derived(kinds_of)[-1] != ASSISTANT:
        closing: Body = {"role": "assistant", "content": CLOSING}
        draft.insert(rows - 1, InsertKind.NOTICE, closing, CLOSING_REASON, None)
    return draft.unwritten()


def _summarise(draft: Draft, costs: list[int], settings: Settings) -> _Cut:
    """Rounds of summaries, each over the summary before it, until what is left is under the limit."""
    context, limit = draft.context, max(0, settings["max_tokens"])
    cut: _Cut | None = None
    for _ in range(DEEPEST + 1):
        start, lead = (cut.row, [cut.summary]) if cut else (0, [])
        sizes = [*map(message_tokens, lead), *costs[start:]]
        split = _split(lead, context.derived(kinds_of)[start:], sizes, limit)
        if split <= FEWEST:
            break
        seen = [*lead, *context.messages[start : start + split - len(lead)]][: _shown(sizes[:split], settings)]
        cut = _Cut(start + split - len(lead), _summary(draft, seen, settings))
        if message_tokens(cut.summary) + sum(sizes[split:]) < limit:
            return cut
    start, lead = (cut.row, [cut.summary]) if cut else (0, [])
    return _Cut(len(context), _summary(draft, [*lead, *context.messages[start:]], settings))


def _split(lead: list[Body], kinds: bytes, sizes: list[int], limit: int) -> int:
    """Where the tail begins: under half of the limit, and after an assistant's message."""
    if len(sizes) <= FEWEST:
        return 0
    assistant = bytes(len(lead)) + bytes(kind == ASSISTANT for kind in kinds)
    split = fitting_suffix(sizes, limit // 2, strictly=True)
    return max(1, assistant.rfind(1, 0, split) + 1)


def _shown(sizes: list[int], settings: Settings) -> int:
    """How many messages the model is shown: those that its window holds."""
    window = settings["max_input_tokens"] or DEFAULT_WINDOW
    return fitting_prefix(running(sizes), window - RESERVED)


def _summary(draft: Draft, messages: list[Body], settings: Settings) -> Body:
    return {"role": "user", "content": HEAD + summarised(messages, settings.get("summarise"), draft)}


POLICY = Policy(
    name="aider-summary",
    mode="carried",
    params=(
        Param(
            "max_tokens", "tokens", 1_024, "Up to this nothing is summarised; half of it stays at the end.",
            high=lambda context: max(8_192, int(sum(context.derived(counted)) * 1.1)), step=128, threshold=True,
        ),
        optional(
            "max_input_tokens", "tokens", DEFAULT_WINDOW, "The summarising model's window: it is shown no more.",
            high=1_000_000, step=1_000,
        ),
    ),
    plan=plan,
    help=(
        "Replaces the beginning of a chat by a summary, and closes it with the assistant's Ok. Made for chats without "
        "tools: the system message and calls are summarised like anything else, and nothing guarantees the limit."
    ),
    protects="the newest messages, up to half of the limit, where there are more than four older ones",
    source="ChatSummary, aider-chat 0.86.2",
    extras=("summarise",),
    product=Product(
        "aider", "aider", "yaml", lambda settings: f"max-chat-history-tokens: {settings['max_tokens']}\n",
        "For .aider.conf.yml.", {"max_input_tokens": "it looks the model's window up"},
    ),
)  # fmt: skip

POLICIES = (POLICY,)
