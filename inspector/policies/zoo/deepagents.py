"""deepagents' argument truncation: long texts that an agent once wrote or edited are cut in the old calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inspector.change import Action, Plan
from inspector.message import SYSTEM, Body, Context, ToolCall
from inspector.policies.policy import Param, Policy, Settings
from inspector.policies.product import Product, picked, python
from inspector.policies.python_call import Call, Name
from inspector.policies.zoo import arguments
from inspector.policies.zoo.approximate import Approximate
from inspector.policies.zoo.cuts import fitting_suffix
from inspector.policies.zoo.drafting import Draft, left_alone
from inspector.policies.zoo.exchanges import asked_of, kinds_of
from inspector.policies.zoo.params import (
    NEVER,
    PERCENT,
    amount,
    amount_of,
    conditions_of,
    marker,
    optional,
    pair_of,
    refused_amounts,
    trigger_of,
)

TOOLS = ("write_file", "edit_file")
HEAD_CHARS = 20

REASONS = (
    "recent, or without long arguments: sent as recorded",
    "long arguments of an old write or edit are cut to their beginning",
    "below the trigger: everything is sent",
)
_, CUT, BELOW = range(len(REASONS))


def plan(context: Context, settings: Settings) -> Plan:
    """The plan of one `_truncate_args`."""
    window = max(0, settings["max_input_tokens"] or 0)
    if not _due(context, settings, window):
        return left_alone(context, REASONS, BELOW)
    draft = Draft(context, REASONS)
    limit, text = settings["max_length"], settings["truncation_text"] or ""
    cut = _cut(context, settings, window)
    if cut == len(context):  # keeping nothing cuts nothing
        cut = 0
    for row, chars in enumerate(context.each(_most_chars)[:cut]):
        if chars > limit and _any_long(context.messages[row], limit, text):
            draft.change(row, Action.CLEAR_ARGUMENTS, CUT)

    def write(row: int) -> Body:
        return arguments.replaced(context.messages[row], lambda _, name, given: shortened(name, given, limit, text))

    return draft.plan(write)


def _most_chars(body: Body) -> int:
    """Characters of the longest arguments of a write or an edit, the only ones that may hold a long text."""
    return max((len(call.arguments) for call in _calls(body) if call.name in TOOLS), default=0)


def _any_long(body: Body, limit: int, text: str) -> bool:
    return any(shortened(call.name, call.arguments, limit, text) != call.arguments for call in _calls(body))


def _calls(body: Body) -> Sequence[ToolCall]:
    asked = asked_of(body)
    return asked.calls if asked else ()


def shortened(name: str, given: str, limit: int, text: str) -> str:
    """The arguments of a call, with each long text at their top level cut to its beginning and a marker."""
    if name not in TOOLS or len(given) <= limit:  # JSON never writes a text shorter than it is
        return given
    args = arguments.read(given)
    if not isinstance(args, dict):
        return given
    new = {key: _cut_text(value, limit, text) for key, value in args.items()}
    return given if new == args else arguments.write(new)


def _cut_text(value: Any, limit: int, text: str) -> Any:
    return value[:HEAD_CHARS] + text if isinstance(value, str) and len(value) > limit else value


def _system(context: Context) -> int:
    """How many leading system messages are kept apart: one or none."""
    return int(len(context) > 0 and context.derived(kinds_of)[0] == SYSTEM)


def _due(context: Context, settings: Settings, window: int) -> bool:
    """Whether any alternative of the trigger is met. Tokens count the system message, messages do not."""
    sizes = {"messages": len(context) - _system(context)}
    for alternative in conditions_of(settings, "trigger"):
        if any(one.kind != "messages" for one in alternative):
            sizes["tokens"] = sizes["fraction"] = sum(context.derived(Approximate).tokens)
        if all(sizes[one.kind] >= (one.tokens(window) if one.kind == "fraction" else one.value) for one in alternative):
            return True
    return False


def _cut(context: Context, settings: Settings, window: int) -> int:
    """The first row whose arguments stay."""
    keep, rows = amount_of(settings, "keep"), len(context)
    if keep is None:
        return 0
    if keep.kind == "messages":
        return max(0, rows - max(0, int(keep.value)))
    apart = _system(context)
    counts = context.derived(Approximate).tokens[apart:]
    return apart + fitting_suffix(counts, max(1, keep.tokens(window)))


def _summarization(settings: Settings) -> Call:
    given = {"trigger": trigger_of(settings, "trigger"), "keep": pair_of(settings, "keep")}
    given |= picked(settings, "max_length", "truncation_text")
    arguments = {"model": Name("model"), "backend": Name("backend"), "truncate_args_settings": given}
    return Call("deepagents.middleware.summarization", "SummarizationMiddleware", arguments)


POLICY = Policy(
    name="deepagents-args",
    mode="stateless",
    params=(
        *amount(
            "trigger", 20, ("messages", "tokens", PERCENT, NEVER), "From this size on old arguments are cut.",
            threshold=True,
        ),
        *amount("keep", 20, ("messages", "tokens", PERCENT), "Newest messages, whose arguments stay whole."),
        Param("max_length", "chars", 2_000, "Longer texts among the arguments are cut.", high=20_000, step=100),
        marker("truncation_text", "...(argument truncated)", "What follows the first 20 characters of a cut text."),
        optional(
            "max_input_tokens", "tokens", 200_000, "The model's window, of which percents are taken.", high=1_000_000,
            step=1_000,
        ),
    ),
    plan=plan,
    help=(
        "Cuts long arguments of old write_file and edit_file calls to 20 characters and a marker. "
        "With a max_length under 43 they can grow."
    ),
    protects="every text and result, the arguments of other tools, and the newest messages",
    source="truncate_args, deepagents 0.7.32",
    product=Product(
        "deepagents", "deepagents", "python", python("middleware", _summarization),
        "model and backend are the agent's own; what makes a summary is not set here.",
        {"max_input_tokens": "it takes the window from the model's profile"}, refused_amounts("deepagents"),
    ),
)  # fmt: skip

POLICIES = (POLICY,)
