"""Inspect's two compactions without a model: edit old tool uses, and trim the conversation."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from inspector.change import Action, Plan
from inspector.message import ASSISTANT, SYSTEM, USER, Body, Context, text_of
from inspector.policies.policy import Mode, Param, Policy, Settings
from inspector.policies.product import Product, picked, python
from inspector.policies.python_call import Call
from inspector.policies.transcript import Stepper
from inspector.policies.zoo import arguments
from inspector.policies.zoo.cuts import ceil4
from inspector.policies.zoo.drafting import Draft, left_alone, with_text
from inspector.policies.zoo.exchanges import Exchanges, kinds_of
from inspector.policies.zoo.inspect_memory import memorised, memory_rows
from inspector.policies.zoo.params import flag, listed, named, names

SOURCE = "inspect_ai 0.3.285"
REMOVED = "(Tool result removed)"
NEVER_CLEARED = frozenset(("tool_search", "mcp_list_tools"))
PASSES = 4
INSUFFICIENT = "Inspect would stop here: what is left is still over the threshold"

REASONS = (
    "recent, or not to be edited: sent as recorded",
    "an old tool result: a line stands for it",
    "an old tool result: it goes with its call",
    "old calls go, and a line names each",
    "what went to memory is not repeated",
    "an assistant message at the end: the model shall answer anew",
    "older than the share that is preserved",
    "a result whose call is not among what is preserved",
    "calls without a result among what is preserved",
    "system messages stand in front",
    "within the threshold: everything is sent",
)
(
    _, RESULT_REMOVED, USE_REMOVED, CALLS_NAMED, MEMORISED, TRAILING, OLD, INACTIVE, UNANSWERED, IN_FRONT, WITHIN,
) = range(len(REASONS))  # fmt: skip


def marker(name: str) -> str:
    """What is left of a call that is removed with its result."""
    return f"[Tool call: {name} (parameters and results removed from history)]"


# --- what both do ---


def _size(context: Context, row: int, gone: Collection[int] = (), memory: bool = False) -> int:
    """Characters that a message adds to the text which Inspect counts, a line feed after each piece."""
    body = context.messages[row]
    content = body.get("content")
    pieces = 1 if not isinstance(content, list) else sum(isinstance(part, dict | str) for part in content)
    chars = len(text_of(body)) + pieces if not isinstance(content, list) else len(text_of(body)) + 1
    for place, call in enumerate(context.derived(Exchanges).calls.get(row, ())):
        if place not in gone:
            args = memorised(call.name, call.arguments) if memory else call.arguments
            chars += len(call.name) + _ascii_chars(arguments.read(args)) + 2
    return chars


def _ascii_chars(value: Any) -> int:
    try:
        return len(json.dumps(value))
    except (TypeError, ValueError, RecursionError):
        return len(str(value)) if isinstance(value, str) else 0


def _tokens(sizes: Iterable[int]) -> int:
    """Tokens of messages of these sizes; the tools count as one."""
    return 1 + max(1, ceil4(sum(sizes) - 1))


def sizes(context: Context) -> list[int]:
    """What each message adds."""
    return [_size(context, row) for row in range(len(context))]


def memory_sizes(context: Context) -> list[int]:
    """What each message adds without the texts that went to memory."""
    saved = set(context.derived(memory_rows))
    plain = context.derived(sizes)
    return [_size(context, row, memory=True) if row in saved else plain[row] for row in range(len(context))]


def whole(context: Context) -> int:
    """Tokens of the whole context."""
    return _tokens(context.derived(sizes))


def _within(context: Context, settings: Settings) -> bool:
    threshold = settings["threshold"]
    return bool(threshold) and context.derived(whole) <= threshold


# --- edit ---


def edit(context: Context, settings: Settings) -> Plan:
    """The plan of one `CompactionEdit`."""
    if _within(context, settings):
        return left_alone(context, REASONS, WITHIN)
    draft, exchanges = Draft(context, REASONS), context.derived(Exchanges)
    inputs, memory = settings["keep_tool_inputs"], settings["memory"]
    gone: dict[int, set[int]] = defaultdict(set)
    for (row, place), result in _cleared(context, settings):
        if inputs:
            if context.messages[result].get("content") != REMOVED:
                draft.change(result, Action.PLACEHOLDER, RESULT_REMOVED, len(REMOVED))
        else:
            draft.drop((result,), USE_REMOVED)
            gone[row].add(place)
    for row in context.derived(memory_rows) if memory else ():
        draft.change(row, Action.CLEAR_ARGUMENTS, MEMORISED)
    write = partial(_edited, context, gone, memory)
    for row in gone:
        draft.change(row, Action.CLEAR_ARGUMENTS, CALLS_NAMED, len(text_of(write(row))))
    draft.drop(_trailing(exchanges.kinds, draft.action), TRAILING)
    return draft.plan(write)


def _cleared(context: Context, settings: Settings) -> list[tuple[tuple[int, int], int]]:
    """Each tool use that is cleared: the place of its call, and the row of its result."""
    exchanges = context.derived(Exchanges)
    excluded = excluded_tools(settings)
    answered: dict[str, int] = {}
    for row in exchanges.results:
        answered.setdefault(exchanges.answers[row], row)
    uses = [
        ((row, place), answered[key])
        for (row, keys), calls in zip(exchanges.keys.items(), exchanges.calls.values(), strict=True)
        for place, key in enumerate(keys)
        if answered.get(key, -1) > row and calls[place].name not in excluded
    ]
    return uses[: max(0, len(uses) - max(0, settings["keep_tool_uses"]))]


def excluded_tools(settings: Settings) -> frozenset[str]:
    """The tools whose uses stay."""
    return frozenset(named(settings["exclude_tools"]) or ()) | NEVER_CLEARED


def edit_stepper(context: Context, settings: Settings, mode: Mode) -> Stepper | None:
    """The fast way through a carried run."""
    from inspector.policies.zoo.inspect_steps import EditSteps, is_steady  # which imports this module

    return EditSteps(context, settings) if mode == "carried" and is_steady(context, settings) else None


def _trailing(kinds: bytes, action: bytearray) -> list[int]:
    """The assistant messages after everything else that is sent."""
    rows = []
    for row in range(len(kinds) - 1, -1, -1):
        if action[row] == Action.DROP:
            continue
        if kinds[row] != ASSISTANT:
            break
        rows.append(row)
    return rows


def _edited(context: Context, gone: Mapping[int, Collection[int]], memory: bool, row: int) -> Body:
    body, exchanges = context.messages[row], context.derived(Exchanges)
    if row not in exchanges.calls:
        return with_text(body, REMOVED)
    body = _without(body, gone.get(row, ()), memory)
    if not gone.get(row):
        return body
    lines = [marker(exchanges.calls[row][place].name) for place in sorted(gone[row], reverse=True)]
    content = body.get("content")
    parts = content if isinstance(content, list) else [_text_part(content)] if content else []
    return {**body, "content": [*parts, *map(_text_part, lines)]}


def _text_part(text: Any) -> Body:
    return {"type": "text", "text": text}


def _without(body: Body, gone: Collection[int], memory: bool) -> Body:
    """An assistant message without some calls, and without what the others put into memory."""
    if memory:
        body = arguments.replaced(body, lambda _, name, given: memorised(name, given))
    return arguments.without_calls(body, frozenset(gone)) if gone else body


# --- trim ---


@dataclass(slots=True)
class _Trimmed:
    """The list after a pass: what is always kept, and what is left of the conversation."""

    fixed: list[int]
    conversation: list[int]
    gone: dict[int, frozenset[int]]
    """Calls that were removed, by row."""

    def tokens(self, context: Context, memory: bool) -> int:
        """Tokens of the list."""
        plain = context.derived(memory_sizes if memory else sizes)
        rows = (*self.fixed, *self.conversation)
        return _tokens(_size(context, row, self.gone[row], memory) if row in self.gone else plain[row] for row in rows)


def trim(context: Context, settings: Settings) -> Plan:
    """The plan of one `CompactionTrim`, or with a threshold of as many as are needed."""
    if _within(context, settings):
        return left_alone(context, REASONS, WITHIN)
    systems, asked, conversation = _parted(context, settings.get("input_messages") or ())
    draft, memory, threshold = Draft(context, REASONS), settings["memory"], settings["threshold"]
    state = _pass(draft, _Trimmed([*systems, *asked], conversation, {}), settings["preserve"])
    tokens = state.tokens(context, memory) if threshold else 0
    for _ in range(PASSES - 1):
        if tokens <= threshold:
            break
        state = _pass(draft, state, settings["preserve"])
        before, tokens = tokens, state.tokens(context, memory)
        if tokens >= before:
            break
    if tokens > threshold > 0:
        draft.warnings.append(INSUFFICIENT)
    for row in context.derived(memory_rows) if memory else ():
        if draft.action[row] != Action.DROP:
            draft.change(row, Action.CLEAR_ARGUMENTS, MEMORISED)
    for row in state.gone:
        if draft.action[row] != Action.DROP:
            draft.change(row, Action.CLEAR_ARGUMENTS, UNANSWERED)
    _reorder(draft, [*systems, *asked])
    return draft.plan(lambda row: _without(context.messages[row], state.gone.get(row, ()), memory))


def _reorder(draft: Draft, fixed: list[int]) -> None:
    """System and input stand in front, in that order."""
    front = set(fixed)
    rest = [row for row in range(len(draft.action)) if row not in front]
    later = next((row for row in rest if draft.action[row] != Action.DROP), len(draft.action))
    moved = []
    for row in reversed(fixed):
        if row > later:
            moved.append(row)
        later = min(later, row)
    if moved:
        draft.order = [*fixed, *rest]
        draft.move(moved, IN_FRONT)


def _parted(context: Context, inputs: Sequence[int]) -> tuple[list[int], list[int], list[int]]:
    """The rows of the system, of the input (the user's first words, unless it is named) and of the conversation."""
    kinds = context.derived(kinds_of)
    systems = [row for row, kind in enumerate(kinds) if kind == SYSTEM]
    rest = [row for row, kind in enumerate(kinds) if kind != SYSTEM]
    chosen = set(inputs)
    asked = [row for row in rest if row in chosen]
    if not asked:
        first = kinds.find(USER)
        asked = [row for row in rest if first < 0 or row <= first]
        chosen = set(asked)
    return systems, asked, [row for row in rest if row not in chosen]


def _pass(draft: Draft, state: _Trimmed, preserve: float) -> _Trimmed:
    """One trim of a list: the newest share of the conversation, whole pairs only, one assistant message less."""
    context, kinds = draft.context, draft.context.derived(kinds_of)
    start = int(len(state.conversation) * (1 - preserve))
    draft.drop(state.conversation[:start], OLD)
    kept = _active(draft, state.conversation[start:], state.gone)
    gone = _unanswered(context, [*state.fixed, *kept], state.gone)
    if kept and kinds[kept[-1]] == ASSISTANT:
        draft.drop((kept.pop(),), TRAILING)
    return _Trimmed(state.fixed, kept, gone)


def _active(draft: Draft, rows: list[int], gone: Mapping[int, Collection[int]]) -> list[int]:
    """The rows without results that do not answer the assistant message before them."""
    exchanges, kept, active = draft.context.derived(Exchanges), [], set[str]()
    for row in rows:
        kind = exchanges.kinds[row]
        if kind == ASSISTANT:
            keys = exchanges.keys.get(row, ())
            active = {key for place, key in enumerate(keys) if place not in gone.get(row, ())}
        elif kind == USER:
            active = set()
        elif exchanges.answers[row] not in active:
            draft.drop((row,), INACTIVE)
            continue
        kept.append(row)
    return kept


def _unanswered(context: Context, rows: list[int], gone: Mapping[int, frozenset[int]]) -> dict[int, frozenset[int]]:
    """The calls among some rows that nothing among them answers."""
    exchanges = context.derived(Exchanges)
    answered = {exchanges.answers[row] for row in rows if row in exchanges.answers}
    found = {
        row: gone.get(row, frozenset()) | {place for place, key in enumerate(keys) if key not in answered}
        for row in rows
        if (keys := exchanges.keys.get(row))
    }
    return {row: places for row, places in found.items() if places}


# --- taken home ---


def _compaction(name: str, settings: Settings, more: Mapping[str, Any]) -> Call:
    threshold = {"threshold": settings["threshold"]} if settings["threshold"] else {}
    return Call("inspect_ai.model", name, {**threshold, **more, "memory": settings["memory"]})


def _edit_call(settings: Settings) -> Call:
    given = picked(settings, "keep_tool_uses", "keep_tool_inputs")
    given["exclude_tools"] = listed(settings["exclude_tools"]) or None
    return _compaction("CompactionEdit", settings, given)


def _trim_call(settings: Settings) -> Call:
    return _compaction("CompactionTrim", settings, picked(settings, "preserve"))


def _no_threshold(settings: Settings) -> tuple[str, ...]:
    says = "threshold is left out, for Inspect knows none of 0: it acts at its own, nine tenths of the window."
    return () if settings["threshold"] else (says,)


def _product(write: Callable[[Settings], str]) -> Product:
    return Product("inspect", "Inspect", "python", write, remarks=_no_threshold)


MEMORY = flag("memory", True, "Whether texts that the agent saved with the memory tool leave the calls.")
THRESHOLD = Param(
    "threshold", "tokens", 0, "Nothing happens up to this; 0: it is done at once (Inspect: nine tenths of the window).",
    high=lambda context: max(1_000, int(context.derived(whole) * 1.1)), step=500, off=0, threshold=True,
)  # fmt: skip

EDIT = Policy(
    name="inspect-edit",
    mode="carried",
    params=(
        Param("keep_tool_uses", "uses", 3, "Newest tool uses, which are kept; excluded ones do not count.", high=64),
        flag("keep_tool_inputs", True, "Whether the calls stay; else a line stands for each with its result."),
        names("exclude_tools", "Tools whose uses stay, separated by commas."),
        MEMORY,
        THRESHOLD,
    ),
    plan=edit,
    stepper=edit_stepper,
    help=(
        "Removes the results of old tool uses, or the uses. Inspect itself can delete a wrong message where results "
        "come in another order than their calls; here the right one goes."
    ),
    protects="what user and system say, and the newest tool uses",
    source=f"CompactionEdit, {SOURCE}",
    extras=("input_messages", "prefix"),
    product=_product(python("compaction", _edit_call)),
)  # fmt: skip

TRIM = Policy(
    name="inspect-trim",
    mode="carried",
    params=(
        Param(
            "preserve", "", 0.8, "The newest share of the conversation that is kept.", high=1.0, limit=1.0, step=0.05,
            kind="float",
        ),
        MEMORY,
        THRESHOLD,
    ),
    plan=trim,
    help=(
        "Keeps the system messages, the task and the newest share of the conversation. System messages from the middle "
        "move to the front."
    ),
    protects="the system messages, what came before the user's first words, and calls with their results",
    source=f"CompactionTrim, {SOURCE}",
    extras=("input_messages", "prefix"),
    product=_product(python("compaction", _trim_call)),
)  # fmt: skip

POLICIES = (EDIT, TRIM)
