"""The OpenAI Agents SDK's output trimmer: a preview stands for long tool outputs of earlier turns."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from inspector.change import Action, Plan
from inspector.message import USER, Body, Context, text_of
from inspector.policies.policy import Mode, Param, Policy, Settings
from inspector.policies.product import Product, picked, python
from inspector.policies.python_call import Call
from inspector.policies.zoo.drafting import Draft, left_alone, with_text
from inspector.policies.zoo.exchanges import Exchanges
from inspector.policies.zoo.params import listed, named, names
from inspector.policies.zoo.rewriting import Growing, Rewritten

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
    exchanges = context.derived(Exchanges)
    boundary = _boundary(exchanges.kinds, max(1, settings["recent_turns"]))
    if boundary < 0:
        return left_alone(context, REASONS, FEW_TURNS)
    draft, trim = Draft(context, REASONS), _Trim(context, settings)
    for row in exchanges.results[: bisect_left(exchanges.results, boundary)]:
        size = trim.size(row)
        if size >= 0:
            draft.change(row, Action.HEAD, TRIMMED, size)
    return draft.plan(trim.written)


class _Trim:
    """What becomes of an output once it is old."""

    def __init__(self, context: Context, settings: Settings) -> None:
        self._messages, self._exchanges = context.messages, context.derived(Exchanges)
        self._most, self._chars = max(1, settings["max_output_chars"]), max(0, settings["preview_chars"])
        self._only = named(settings["trimmable_tools"])

    def size(self, row: int) -> int:
        """Characters of what is sent of an output; -1 where it is left alone."""
        length = len(_text(self._messages[row]))
        if length <= self._most:
            return -1
        name = _name(self._exchanges, row)
        size = len(preview("", name, self._chars)) - 1 + len(str(length)) + min(length, self._chars)
        return size if size < length and (self._only is None or name in self._only) else -1

    def written(self, row: int) -> Body:
        """The message with what is sent of its output."""
        body = self._messages[row]
        return with_text(body, preview(_text(body), _name(self._exchanges, row), self._chars))


class Steps(Growing):
    """The views of a stateless run: each output is looked at once, when its turn is no longer among the newest."""

    def __init__(self, context: Context, settings: Settings) -> None:
        super().__init__(context)
        self._trim, self._turns = _Trim(context, settings), max(1, settings["recent_turns"])
        self._old = 0

    def advance(self, stop: int) -> Iterator[Rewritten]:
        """The outputs of the turns that have become old."""
        exchanges = self.transcript.context.derived(Exchanges)
        old = bisect_left(exchanges.results, _boundary(exchanges.kinds[:stop], self._turns))
        for row in exchanges.results[self._old : old]:
            if self._trim.size(row) >= 0:
                yield Rewritten(row, self._trim.written(row), Action.HEAD, REASONS[TRIMMED])
        self._old = max(self._old, old)


def stepper(context: Context, settings: Settings, mode: Mode) -> Steps | None:
    """The fast way through a stateless run in which no later call can take a result away."""
    return Steps(context, settings) if mode == "stateless" and context.derived(Exchanges).has_own_ids else None


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
    stepper=stepper,
    help=(
        "Shortens long tool outputs of earlier turns to a preview. A turn begins with a user message, so a run of a "
        "single task is never trimmed."
    ),
    protects="everything but tool outputs, and the newest turns",
    source="ToolOutputTrimmer, openai-agents 0.24.0",
    product=Product("openai-agents", "the OpenAI Agents SDK", "python", python("run_config", _run_config)),
)  # fmt: skip

POLICIES = (POLICY,)
