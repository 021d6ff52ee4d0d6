"""The OpenAI Agents SDK's output trimmer: a preview stands for long tool outputs of earlier turns."""

from __future__ import annotations

from inspector.change import Action, Plan
from inspector.message import USER, Body, Context, text_of
from inspector.policies.policy import Param, Policy, Settings
from inspector.policies.product import Product, picked, python
from inspector.policies.python_call import Call
from inspector.policies.zoo.drafting import Draft, left_alone, with_text
from inspector.policies.zoo.exchanges import Exchanges
from inspector.policies.zoo.params import listed, named, names

REASONS = (
    "recent, short, or not a trimmable output: sent as recorded",
    "a long output of an earlier turn: a preview of it is sent",
    "there are too few user messages for an earlier turn",
)
_, TRIMMED, FEW_TURNS = range(len(REASONS))
UNKNOWN = "unknown_tool"


def preview(text: str, name: str, chars: int) -> str:
    """What is sent of a long output. The size that it names is the parameter's, even where the text is shorter."""
    return f"[Trimmed: {name} output — {len(text)} chars → {chars} char preview]\n{text[:chars]}..."


def plan(context: Context, settings: Settings) -> Plan:
    """The plan of one `ToolOutputTrimmer` call."""
    exchanges, most = context.derived(Exchanges), max(1, settings["max_output_chars"])
    boundary = _boundary(exchanges.kinds, max(1, settings["recent_turns"]))
    if boundary < 0:
        return left_alone(context, REASONS, FEW_TURNS)
    draft, only, chars = Draft(context, REASONS), named(settings["trimmable_tools"]), max(0, settings["preview_chars"])
    for row in exchanges.results:
        if row >= boundary:
            break
        text = _text(context.messages[row])
        name = _name(exchanges, row)
        if len(text) <= most or (only is not None and name not in only):
            continue
        size = len(preview("", name, chars)) - 1 + len(str(len(text))) + min(len(text), chars)
        if size < len(text):
            draft.change(row, Action.HEAD, TRIMMED, size)
    return draft.plan(lambda row: _written(context, row, chars))


def _written(context: Context, row: int, chars: int) -> Body:
    body = context.messages[row]
    return with_text(body, preview(_text(body), _name(context.derived(Exchanges), row), chars))


def _text(body: Body) -> str:
    """The output, where it is one text: lists of parts are left alone."""
    return text_of(body) if isinstance(body.get("content"), str) else ""


def _name(exchanges: Exchanges, row: int) -> str:
    call = exchanges.call(exchanges.answers[row])
    return (call.name if call else "") or UNKNOWN


def _boundary(kinds: bytes, turns: int) -> int:
    """The row of the user message, counted from the end; -1 where there are fewer."""
    at = len(kinds)
    for _ in range(min(turns, len(kinds) + 1)):
        at = kinds.rfind(USER, 0, at)
        if at < 0:
            break
    return at


def _run_config(settings: Settings) -> Call:
    given = picked(settings, "recent_turns", "max_output_chars", "preview_chars")
    arguments = {**given, "trimmable_tools": listed(settings["trimmable_tools"]) or None}
    trimmer = Call("agents.extensions", "ToolOutputTrimmer", arguments)
    return Call("agents", "RunConfig", {"call_model_input_filter": trimmer})


POLICY = Policy(
    name="openai-agents-trimmer",
    mode="stateless",
    params=(
        Param("recent_turns", "turns", 2, "Newest user messages, after which nothing is trimmed.", low=1, high=32),
        Param("max_output_chars", "chars", 500, "Longer outputs are trimmed.", low=1, high=20_000, step=100),
        Param("preview_chars", "chars", 200, "How much of the beginning is left of an output.", high=10_000, step=50),
        names("trimmable_tools", "The only tools whose outputs are trimmed, separated by commas; none: all."),
    ),
    plan=plan,
    help=(
        "Shortens long tool outputs of earlier turns to a preview. A turn begins with a user message, so a run of a "
        "single task is never trimmed."
    ),
    protects="everything but tool outputs, and the newest turns",
    source="ToolOutputTrimmer, openai-agents 0.24.0",
    product=Product("openai-agents", "the OpenAI Agents SDK", "python", python("run_config", _run_config)),
)  # fmt: skip

POLICIES = (POLICY,)
