"""Anthropic's two context edits: old tool results are cleared, and the thinking of old turns.

The API makes them on its side at every request; the client keeps everything. How it counts and what it puts in the
place of a result is not documented: sizes here are characters through a parameter, and the placeholder is ours.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any

from inspector.change import Action, Plan
from inspector.message import ASSISTANT, USER, Body, Context, image_count, text_of
from inspector.policies.policy import Mode, Param, Policy, Settings
from inspector.policies.product import Product, as_json
from inspector.policies.transcript import Stepper
from inspector.policies.zoo import arguments
from inspector.policies.zoo.drafting import Draft, left_alone, with_text_alone
from inspector.policies.zoo.exchanges import Exchanges, kinds_of
from inspector.policies.zoo.params import flag, is_names, listed, marker, named, names, one_of
from inspector.policies.zoo.rewriting import Rewritten, rewritten
from inspector.policies.zoo.thoughts import thinks, without_thinking

SOURCE = "anthropic 2.14.0"
IMAGE_TOKENS = 1_600
"""An image of the largest size that is not scaled down (Anthropic, "Vision", "Calculate image costs")."""
ALL = "all"


def _is_amount(*kinds: str, optional: bool = False) -> Callable[[Any], bool]:
    """Whether a value is the API's object for an amount of one of these types, or nothing where it is optional."""

    def accepts(value: Any) -> bool:
        if value is None:
            return optional
        given = value.get("value") if isinstance(value, Mapping) else None
        return isinstance(value, Mapping) and value.get("type") in kinds and type(given) is int

    return accepts


def _value(given: Any) -> int:
    """The number of an amount; 0 where there is none."""
    return max(0, (given["value"] if isinstance(given, Mapping) else given) or 0)


def _unit(settings: Settings, name: str) -> Any:
    """What an amount counts: as the API's object says, else the control beside it."""
    given = settings[name]
    return given["type"] if isinstance(given, Mapping) else settings[f"{name}_unit"]


# --- sizes ---


def input_chars(context: Context) -> list[int]:
    """Characters of each message: text, thinking, and the names and arguments of calls."""
    calls = context.derived(Exchanges).calls
    return [
        chars + _thought_chars(body) + sum(len(call.name) + len(call.arguments) for call in calls.get(row, ()))
        for row, (chars, body) in enumerate(zip(context.columns.chars, context.messages, strict=True))
    ]


def images(context: Context) -> list[int]:
    """Images of each message."""
    return list(map(image_count, context.messages))


def _thought_chars(body: Body) -> int:
    thinking = body.get("thinking")
    return len(thinking) if isinstance(thinking, str) else 0


def _tokens(chars: int, images: int, ratio: float) -> float:
    return chars / ratio + IMAGE_TOKENS * images


# --- clear tool uses ---

TOOL_REASONS = (
    "recent, excluded, or no tool result: sent as recorded",
    "an old tool result: a placeholder stands for it",
    "the inputs of calls whose results are cleared",
    "not over the trigger: everything is sent",
    "less than clear_at_least would be cleared: everything is sent",
)
_, CLEARED, INPUTS_CLEARED, BELOW, TOO_LITTLE = range(len(TOOL_REASONS))


def clear_tools(context: Context, settings: Settings) -> Plan:
    """The plan of one `clear_tool_uses_20250919`."""
    uses = uses_of(context, settings)
    if not is_over(settings, len(uses), sum(context.derived(input_chars)), sum(context.derived(images))):
        return left_alone(context, TOOL_REASONS, BELOW)
    clearing = Clearing(context, settings)
    excluded = named(settings["exclude_tools"]) or frozenset()
    for row, place in uses[: old_uses(settings, len(uses))]:
        name = context.derived(Exchanges).calls[row][place].name
        if name not in excluded:
            clearing.take(row, place, name)
    if not clearing.is_enough:
        return left_alone(context, TOOL_REASONS, TOO_LITTLE)
    return clearing.plan()


def is_over(settings: Settings, uses: int, chars: int, images: int) -> bool:
    """Whether a request of that size is over the trigger."""
    by_uses = _unit(settings, "trigger") == "tool_uses"
    return (uses if by_uses else _tokens(chars, images, _ratio(settings))) > _value(settings["trigger"])


def old_uses(settings: Settings, uses: int) -> int:
    """How many of so many uses are not kept."""
    return max(0, uses - _value(settings["keep"]))


def _ratio(settings: Settings) -> float:
    return max(0.2, float(settings["chars_per_token"]))


def uses_of(context: Context, settings: Settings) -> list[tuple[int, int]]:
    """The row and the place of each call that counts, in order."""
    calls = context.derived(Exchanges).calls
    excluded = frozenset() if settings["excluded_count"] else named(settings["exclude_tools"]) or frozenset()
    return [(row, place) for row, made in calls.items() for place, call in enumerate(made) if call.name not in excluded]


def results_by_key(context: Context) -> dict[str, int]:
    """The row that answers each call, by the call's key."""
    answers = context.derived(Exchanges).answers
    return {key: row for row, key in reversed(answers.items())}


class Clearing:
    """Tool uses cleared one by one, with what that saves."""

    def __init__(self, context: Context, settings: Settings) -> None:
        self._draft = Draft(context, TOOL_REASONS)
        self._context, self._exchanges = context, context.derived(Exchanges)
        self._results = context.derived(results_by_key)
        self._placeholder = settings["placeholder"] or ""
        self._all, self._only = _inputs(settings)
        self._emptied: dict[int, set[int]] = defaultdict(set)
        self._least, self._ratio = _value(settings["clear_at_least"]), _ratio(settings)
        self._chars = self._images = 0
        self.touched: set[int] = set()
        """The rows that were changed; whoever goes on from here empties it."""

    def answer(self, row: int, place: int) -> int:
        """The row of the result of a call; -1 where there is none after it."""
        result = self._results.get(self._exchanges.keys[row][place], -1)
        return result if result > row else -1

    def take(self, row: int, place: int, name: str) -> None:
        """Clear the result of a call, and its input where that is asked for."""
        result = self.answer(row, place)
        if result < 0:
            return
        body, new = self._context.messages[result], self._placeholder
        if body.get("content") != new or body.get("images"):
            self._chars += self._context.columns.chars[result] - len(new)
            self._images += image_count(body)
            self._draft.change(result, Action.PLACEHOLDER, CLEARED, len(new))
            self.touched.add(result)
        given = self._exchanges.calls[row][place].arguments
        if (self._all or name in self._only) and given != arguments.EMPTY:
            self._chars += len(given) - len(arguments.EMPTY)
            self._emptied[row].add(place)
            self._draft.change(row, Action.CLEAR_ARGUMENTS, INPUTS_CLEARED)
            self.touched.add(row)

    @property
    def is_enough(self) -> bool:
        """Whether at least as much is cleared as has to be."""
        return not self._least or _tokens(self._chars, self._images, self._ratio) >= self._least

    def plan(self) -> Plan:
        """The plan of what was taken."""
        return self._draft.plan(self._write)

    def rewritten(self, row: int) -> Rewritten:
        """A row that was taken, as it is sent."""
        return rewritten(self._draft, row, self._write(row))

    def _write(self, row: int) -> Body:
        """The body of a row that was taken."""
        body = self._context.messages[row]
        if self._draft.action[row] == Action.PLACEHOLDER:
            return with_text_alone(body, self._placeholder)
        return arguments.emptied(body, self._emptied[row])


def _inputs(settings: Settings) -> tuple[bool, frozenset[str]]:
    """Whether the inputs of all tools are cleared, else of which."""
    given = settings["clear_tool_inputs"]
    if not isinstance(given, bool):
        return False, named(given) or frozenset()
    only = named(settings["clear_tool_inputs_of"]) or frozenset()
    return given and not only, only if given else frozenset()


def _reach(context: Context) -> int:
    tokens = _tokens(sum(context.derived(input_chars)), sum(context.derived(images)), 3.3)
    return max(1_000, int(tokens * 1.1))


def tool_stepper(context: Context, settings: Settings, mode: Mode) -> Stepper | None:
    """The fast way through a stateless run."""
    from inspector.policies.zoo.anthropic_steps import ToolSteps  # which imports this module

    return ToolSteps(context, settings) if mode == "stateless" and context.derived(Exchanges).has_own_ids else None


def _request(edit: Body) -> Body:
    return {"context_management": {"edits": [edit]}}


def _amount(kind: str, given: Any) -> Body:
    return dict(given) if isinstance(given, Mapping) else {"type": kind, "value": given}


def _tools_request(settings: Settings) -> Body:
    every, some = _inputs(settings)
    gate = {"clear_at_least": _amount("input_tokens", settings["clear_at_least"])}
    return _request(
        {
            "type": "clear_tool_uses_20250919",
            "trigger": _amount(_unit(settings, "trigger"), settings["trigger"]),
            "keep": _amount("tool_uses", settings["keep"]),
            **(gate if settings["clear_at_least"] else {}),
            "exclude_tools": listed(settings["exclude_tools"]),
            "clear_tool_inputs": sorted(some) or every,
        }
    )


def _unsaid(settings: Settings) -> tuple[str, ...]:
    """What is set and not written."""
    off = settings["clear_tool_inputs"] is False and settings["clear_tool_inputs_of"]
    return ("clear_tool_inputs_of is left out, for clear_tool_inputs is off.",) if off else ()


HEADER = "Part of a request with the header anthropic-beta: context-management-2025-06-27."
CLEAR_TOOLS = Policy(
    name="anthropic-clear-tools",
    mode="stateless",
    params=(
        Param(
            "trigger", "", 100_000, "Nothing is cleared up to this size.", high=_reach, step=500, threshold=True,
            scale="ratio", accepts=_is_amount("input_tokens", "tool_uses"),
        ),
        one_of("trigger_unit", ("input_tokens", "tool_uses"), "What trigger counts."),
        Param("keep", "tool uses", 3, "Newest tool uses, which are kept.", high=64, accepts=_is_amount("tool_uses")),
        Param(
            "clear_at_least", "tokens", 0, "Nothing is cleared unless at least this much would be; 0: no matter.",
            high=_reach, step=500, off=0, threshold=True, accepts=_is_amount("input_tokens", optional=True),
        ),
        names("exclude_tools", "Tools whose uses stay, separated by commas."),
        Param(
            "clear_tool_inputs", "", False, "Whether the inputs of the cleared results' calls go too.", kind="choice",
            choices=(False, True), accepts=is_names,
        ),
        names("clear_tool_inputs_of", "The only tools whose inputs go with clear_tool_inputs, by commas; none: all."),
        flag("excluded_count", True, "Whether excluded uses count for keep and trigger; Anthropic does not say."),
        marker("placeholder", "[cleared]", "What stands for a cleared result; Anthropic does not document its own."),
        Param(
            "chars_per_token", "chars", 3.3, "Characters taken for a token; more make the session look smaller.",
            low=0.2, high=8.0, limit=100.0, step=0.1, kind="float",
        ),
    ),
    plan=clear_tools,
    help=(
        "Puts a placeholder in the place of old tool results, oldest first, once the request is over the trigger. "
        "clear_at_least is a gate here: that much is cleared, or nothing. Tool definitions are not counted."
    ),
    protects="what system, user and model say, thinking, and the newest tool uses",
    source=f"clear_tool_uses_20250919, {SOURCE}",
    stepper=tool_stepper,
    product=Product(
        "anthropic", "Anthropic", "json", as_json(_tools_request), HEADER,
        {
            "excluded_count": "the API decides it",
            "placeholder": "the API has its own",
            "chars_per_token": "the API counts tokens",
        },
        _unsaid,
    ),
)  # fmt: skip


# --- clear thinking ---

THINKING_REASONS = (
    "no thinking: sent as recorded",
    "thinking of an older turn",
    "thinking of the newest turns with any",
)
_, THINKING_CLEARED, THINKING_KEPT = range(len(THINKING_REASONS))


def clear_thinking(context: Context, settings: Settings) -> Plan:
    """The plan of one `clear_thinking_20251015`."""
    draft, turns, kept = Draft(context, THINKING_REASONS), context.derived(thinking_turns), kept_turns(settings)
    for rows in turns[-kept:]:
        draft.spare(rows, THINKING_KEPT)
    for rows in turns[:-kept]:
        for row in rows:
            size = len(text_of(without_thinking(context.messages[row])))
            draft.change(row, Action.DROP_REASONING, THINKING_CLEARED, size)
    return draft.plan(lambda row: without_thinking(context.messages[row]))


def kept_turns(settings: Settings) -> int:
    """How many of the newest turns with thinking are left alone."""
    return sys.maxsize if _keeps_all(settings) else max(1, _value(settings["keep"]))


def _keeps_all(settings: Settings) -> bool:
    given = settings["keep"]
    if given is None or isinstance(given, Mapping):
        return False
    return ALL in (given, settings["keep_unit"])


def thinking_turns(context: Context) -> list[list[int]]:
    """The rows with thinking of each turn that has any. A turn goes from what the user says to what the user says next:
    calls and their results do not end it."""
    turns, current = list[list[int]](), list[int]()
    for row, kind in enumerate(context.derived(kinds_of)):
        if kind == USER and current:
            turns.append(current)
            current = []
        elif kind == ASSISTANT and thinks(context.messages[row]):
            current.append(row)
    return [*turns, current] if current else turns


def thinking_stepper(context: Context, settings: Settings, mode: Mode) -> Stepper | None:
    """The fast way through a stateless run."""
    from inspector.policies.zoo.anthropic_steps import ThinkingSteps  # which imports this module

    return ThinkingSteps(context, settings) if mode == "stateless" else None


def _is_keep(value: Any) -> bool:
    return value == ALL or (isinstance(value, Mapping) and _is_amount("thinking_turns")(value))


def _thinking_request(settings: Settings) -> Body:
    kept = ALL if _keeps_all(settings) else _amount("thinking_turns", settings["keep"])
    return _request({"type": "clear_thinking_20251015", "keep": kept})


CLEAR_THINKING = Policy(
    name="anthropic-clear-thinking",
    mode="stateless",
    params=(
        Param(
            "keep", "thinking turns", 1, "Newest turns with thinking, whose thinking is kept.", low=1, high=64,
            accepts=_is_keep,
        ),
        one_of("keep_unit", ("thinking_turns", ALL), "What keep counts; all: all thinking is kept, for the cache."),
    ),
    plan=clear_thinking,
    help=(
        "Drops the thinking of all but the newest turns that have any. A turn is all that the model does until the "
        "user speaks again, its calls and their results included. Newer models may keep all by default."
    ),
    protects="text, calls and results, and the thinking of the newest turns",
    source=f"clear_thinking_20251015, {SOURCE}",
    stepper=thinking_stepper,
    product=Product("anthropic", "Anthropic", "json", as_json(_thinking_request), HEADER),
)  # fmt: skip

POLICIES = (CLEAR_TOOLS, CLEAR_THINKING)
