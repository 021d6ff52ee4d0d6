"""LangChain's three policies: clear old results, trim to a budget, summarise the beginning.

All count with `count_tokens_approximately` (see `approximate`).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial
from typing import Any

from inspector.change import Action, InsertKind, Plan
from inspector.message import ASSISTANT, SYSTEM, TOOL, USER, Context, text_of
from inspector.policies.policy import Param, Policy, Settings
from inspector.policies.product import Product, picked, python
from inspector.policies.python_call import Call, Name
from inspector.policies.zoo.approximate import Approximate
from inspector.policies.zoo.cuts import fitting_suffix
from inspector.policies.zoo.drafting import Draft, left_alone, summarised
from inspector.policies.zoo.exchanges import Exchanges
from inspector.policies.zoo.langchain_clear import clear
from inspector.policies.zoo.langchain_clear import stepper as clear_stepper
from inspector.policies.zoo.params import (
    NEVER,
    PERCENT,
    Amount,
    amount,
    amount_of,
    conditions_of,
    flag,
    is_names,
    listed,
    marker,
    named,
    names,
    one_of,
    optional,
    pair_of,
    refused_amounts,
    trigger_of,
)
from inspector.policies.zoo.trimming import Trimmed, Trimming

SOURCE = "langchain 1.5.2, langchain-core 1.8.3"
MIDDLEWARE = "langchain.agents.middleware"
_TAKEN = partial(Product, "langchain", "LangChain", "python")
TYPES = {"human": USER, "ai": ASSISTANT, "tool": TOOL, "system": SYSTEM}


def _reach(context: Context) -> int:
    return max(1_000, int(sum(context.derived(Approximate).tokens) * 1.1))


# --- clear ---


def _editing(settings: Settings) -> Call:
    given = picked(settings, "trigger", "keep", "clear_at_least", "clear_tool_inputs", "exclude_tools", "placeholder")
    edit = Call(MIDDLEWARE, "ClearToolUsesEdit", {**given, "exclude_tools": listed(given["exclude_tools"])})
    return Call(MIDDLEWARE, "ContextEditingMiddleware", {"edits": [edit]})


CLEAR = Policy(
    name="langchain-clear",
    mode="stateless",
    params=(
        Param(
            "trigger", "tokens", 100_000, "Nothing is cleared up to this many tokens.", high=_reach, step=500,
            threshold=True,
        ),
        Param("keep", "results", 3, "Newest results, never cleared; excluded ones count among them.", high=64),
        Param(
            "clear_at_least", "tokens", 0, "Clearing stops once it has saved this much, a ceiling despite its name.",
            high=_reach, step=500, off=0,
        ),
        flag("clear_tool_inputs", False, "Whether the arguments of the cleared results' calls go too."),
        names("exclude_tools", "Tools whose results stay, separated by commas."),
        marker("placeholder", "[cleared]", "What stands for a cleared result; longer than a result, it makes it grow."),
        flag("system_counted", False, "Whether a leading system message counts; create_agent keeps it apart."),
    ),
    plan=clear,
    stepper=clear_stepper,
    help="Puts a placeholder in the place of old tool results when the session is over a number of tokens.",
    protects="the number and order of messages, what user and system say, and the newest results",
    source=f"ClearToolUsesEdit, {SOURCE}",
    product=_TAKEN(
        python("middleware", _editing),
        lacks={"system_counted": "create_agent keeps a leading system message apart, and does not count it"},
    ),
)  # fmt: skip


# --- trim ---

TRIM_REASONS = (
    "within the budget: sent as recorded",
    "does not fit the budget, or may not stand at the end of it",
    "the message at the border of the budget, kept in part",
)
_, OUTSIDE, IN_PART = range(len(TRIM_REASONS))
TYPE_CHOICES = (None, *TYPES)


def trim(context: Context, settings: Settings) -> Plan:
    """The plan of `trim_messages`."""
    first = settings["strategy"] == "first"
    trimming = Trimming(
        context,
        counts=settings["token_counter"] == "approximate",
        partial=settings["allow_partial"],
        start_on=_types(settings["start_on"]),
        end_on=_types(settings["end_on"]),
        include_system=settings["include_system"],
    )
    limit, rows = max(0, settings["max_tokens"]), range(len(context))
    left = trimming.first(rows, limit) if first else trimming.last(rows, limit)
    draft = _trimmed(context, left, Action.HEAD if first else Action.TAIL)
    if first and (settings["start_on"] or settings["include_system"]):
        draft.warnings.append("start_on and include_system go with strategy last; LangChain refuses them here")
    return draft.plan(lambda row: {**context.messages[row], "content": _content(left)})


def _types(value: Any) -> Collection[int] | None:
    words = named(value)
    return None if not words else frozenset(TYPES[word] for word in words if word in TYPES)


def _trimmed(context: Context, left: Trimmed, partly: Action) -> Draft:
    draft = Draft(context, TRIM_REASONS)
    kept = bytearray(len(context))
    for row in left.rows:
        kept[row] = 1
    draft.drop((row for row, stays in enumerate(kept) if not stays), OUTSIDE)
    if left.partial >= 0:
        draft.change(left.partial, partly, IN_PART, len(text_of({"content": _content(left)})))
    return draft


def _content(left: Trimmed) -> str | list[Any]:
    return left.content if isinstance(left.content, str) else list(left.content)


def _trimmer(settings: Settings) -> Call:
    last = settings["strategy"] == "last"
    given = picked(settings, "max_tokens", "token_counter", "strategy", "allow_partial", "end_on")
    if given["token_counter"] == "len":
        given["token_counter"] = Name("len")
    given |= {"end_on": listed(given["end_on"]) or None}
    more = {"include_system": settings["include_system"], "start_on": listed(settings["start_on"]) or None}
    return Call("langchain_core.messages", "trim_messages", {**given, **(more if last else {})})


def _not_with_first(settings: Settings) -> tuple[str, ...]:
    refused = "include_system and start_on are left out, for LangChain refuses them with strategy first."
    return () if settings["strategy"] == "last" else (refused,)


TRIM = Policy(
    name="langchain-trim",
    mode="stateless",
    params=(
        Param(
            "max_tokens", "tokens", 16_000, "As much as fits into this is sent (ours: LangChain has no default).",
            high=_reach, step=500, threshold=True,
        ),
        one_of("token_counter", ("approximate", "len"), "Count tokens by characters, or each message as one."),
        one_of("strategy", ("last", "first"), "Which end of the conversation is kept."),
        flag("allow_partial", False, "Whether the message at the border is kept in part, by parts or lines."),
        flag("include_system", False, "Whether a leading system message stays, even if it alone is over the budget."),
        one_of("start_on", TYPE_CHOICES, "What kind of message must come first; none: any.", accepts=is_names),
        one_of("end_on", TYPE_CHOICES, "What kind of message must come last; none: any.", accepts=is_names),
    ),
    plan=trim,
    help=(
        "Sends as many of the newest (or the oldest) messages as fit into a budget. It knows nothing of pairs: "
        "start_on human keeps them whole."
    ),
    protects="the system message, where include_system is on",
    source=f"trim_messages, {SOURCE}",
    product=_TAKEN(python("trimmer", _trimmer), remarks=_not_with_first),
)  # fmt: skip


# --- summarise ---

SUMMARY_REASONS = (
    "recent, or needed by a recent result: sent as recorded",
    "replaced by the summary of the conversation to date",
    "below the trigger: everything is sent",
    "everything fits into what is kept",
)
_, SUMMARISED, NOT_DUE, ALL_KEPT = range(len(SUMMARY_REASONS))
SUMMARY_HEAD = "Here is a summary of the conversation to date:\n\n"
TOO_LONG = "Previous conversation was too long to summarize."


def summarize(context: Context, settings: Settings) -> Plan:
    """The plan of `SummarizationMiddleware.before_model`."""
    window = max(0, settings["max_input_tokens"] or 0)
    if not _due(context, settings, window):
        return left_alone(context, SUMMARY_REASONS, NOT_DUE)
    cut = _summary_cut(context, settings, window)
    if cut <= 0:
        return left_alone(context, SUMMARY_REASONS, ALL_KEPT)
    draft = Draft(context, SUMMARY_REASONS)
    draft.merge(range(cut), SUMMARISED)
    text = f"{SUMMARY_HEAD}{_summary(draft, cut, settings)}"
    reason = f"a summary of {cut:,} earlier messages"
    draft.insert(-1, InsertKind.SUMMARY, {"role": "user", "content": text}, reason, (0, cut))
    return draft.unwritten()


def _due(context: Context, settings: Settings, window: int) -> bool:
    conditions = conditions_of(settings, "trigger")
    total = sum(context.derived(Approximate).tokens) if conditions else 0
    return len(context) > 0 and any(
        all((len(context) if one.kind == "messages" else total) >= _threshold(one, window) for one in alternative)
        for alternative in conditions
    )


def _threshold(one: Amount, window: int) -> int | float:
    return one.tokens(window) if one.kind == "fraction" else one.value


def _summary_cut(context: Context, settings: Settings, window: int) -> int:
    """The first row that is kept; 0: nothing is summarised."""
    keep, rows = amount_of(settings, "keep"), len(context)
    if keep is None:
        return 0
    if keep.kind == "messages":
        cut = rows - max(0, int(keep.value))
    else:
        cut = _cut_by_tokens(context.derived(Approximate).tokens, keep.tokens(window))
    return _with_calls(context, cut) if 0 < cut < rows else max(0, cut)


def _cut_by_tokens(counts: Sequence[int], goal: int) -> int:
    if sum(counts) <= goal:
        return 0
    return min(fitting_suffix(counts, goal), len(counts) - 1)


def _with_calls(context: Context, cut: int) -> int:
    """A cut before results moves back to the message that called for one of them, else past them."""
    exchanges = context.derived(Exchanges)
    if exchanges.kinds[cut] != TOOL:
        return cut
    end, wanted = cut, set()
    while end < len(context) and exchanges.kinds[end] == TOOL:
        wanted.add(exchanges.answers[end])
        end += 1
    for row in range(cut - 1, -1, -1):
        if not wanted.isdisjoint(exchanges.keys.get(row, ())):
            return row
    return end


def _summary(draft: Draft, cut: int, settings: Settings) -> str:
    context, limit = draft.context, settings["trim_tokens_to_summarize"]
    head = list(context.messages[:cut])
    if limit:
        trimming = Trimming(context, partial=True, start_on=(USER,), include_system=True)
        left = trimming.last(range(cut), max(0, limit))
        if not left.rows:
            return TOO_LONG
        head = [
            {**context.messages[row], "content": _content(left)} if row == left.partial else context.messages[row]
            for row in left.rows
        ]
    return summarised(head, settings.get("summarise"), draft).strip()


def _summarizing(settings: Settings) -> Call:
    given = {"trigger": trigger_of(settings, "trigger"), "keep": pair_of(settings, "keep")}
    shown = settings["trim_tokens_to_summarize"] or None
    given |= {"trim_tokens_to_summarize": shown}
    return Call(MIDDLEWARE, "SummarizationMiddleware", {"model": Name("model"), **given})


SUMMARIZE = Policy(
    name="langchain-summarize",
    mode="carried",
    params=(
        *amount(
            "trigger", 16_000, ("tokens", "messages", PERCENT, NEVER),
            "From this size on a summary is made (ours: LangChain's default is never).", threshold=True,
        ),
        *amount("keep", 20, ("messages", "tokens", PERCENT), "What is kept at the end; the cut moves back for pairs."),
        optional(
            "trim_tokens_to_summarize", "tokens", 4_000, "What the summarising model is shown, from the end; 0: all.",
            high=64_000, step=500,
        ),
        optional(
            "max_input_tokens", "tokens", 200_000, "The model's window, of which percents are taken.", high=1_000_000,
            step=1_000,
        ),
    ),
    plan=summarize,
    help=(
        "Replaces the beginning of the conversation by a summary. A system message among the messages is summarised "
        "like any other, and the summary may be longer than what it replaces."
    ),
    protects="the newest messages, with the calls of their results",
    source=f"SummarizationMiddleware, {SOURCE}",
    extras=("summarise",),
    product=_TAKEN(
        python("middleware", _summarizing), "model is the chat model that writes the summaries.",
        {"max_input_tokens": "it takes the window from the model's profile"}, refused_amounts("LangChain"),
    ),
)  # fmt: skip

POLICIES = (CLEAR, TRIM, SUMMARIZE)
