"""Microsoft Agent Framework's groups: the units that its strategies drop or replace, and what each costs.

A group is a system message, a user message, an assistant's text, or a call with all of its results. Strategies run one
after another on the groups that are left, and the summaries that one inserts are groups for the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import accumulate, compress, pairwise

from inspector.change import InsertKind, Plan
from inspector.message import ASSISTANT, FUNCTION, SYSTEM, TOOL, USER, Body, Context, ToolCall, role_code, text_of
from inspector.policies.zoo.drafting import Draft
from inspector.policies.zoo.exchanges import Asked, Exchanges, asked_of, begins
from inspector.text import json_chars, string_json_chars

REASONS = (
    "within the limits: sent as recorded",
    "dropped, oldest group first, to meet the limit",
    "before the newest groups",
    "an older call with its results",
    "an older call with its results: one line stands for them",
    "the newest group is never dropped",
    "system messages are kept",
    "the first user message is kept",
)
KEPT, OVER_LIMIT, OUTSIDE, OLD_TOOLS, CONDENSED, NEWEST, SYSTEM_KEPT, FIRST_USER = range(len(REASONS))

LABEL_CHARS = 4_096
LABEL_HEAD = "[Tool results: "
LABEL_CUT = "... [truncated]"


class Kind(Enum):
    """What a group is."""

    SYSTEM = "system"
    USER = "user"
    TEXT = "assistant text"
    TOOLS = "tool call"


@dataclass(eq=False, slots=True)
class Group:
    """One group. A summary that stands for another group has that group's rows and a text."""

    kind: Kind
    rows: Sequence[int]
    text: str | None = None
    gone: int = KEPT
    """The reason why it is not sent; `KEPT`: it is."""
    tokens: int = -1
    """Below 0 until somebody has asked."""


_KINDS = {SYSTEM: Kind.SYSTEM, USER: Kind.USER, ASSISTANT: Kind.TEXT, TOOL: Kind.TOOLS}


def row_groups(context: Context) -> tuple[tuple[Kind, Sequence[int]], ...]:
    """Kind and rows of each group, ordered by first row. A late result ties its neighbours to the group of its call."""
    exchanges = context.derived(Exchanges)
    begun = begins(exchanges.kinds, exchanges.keys)
    starts = list(compress(range(len(begun)), begun))
    spans = [range(start, stop) for start, stop in pairwise([*starts, len(begun)])]
    kinds = [Kind.TOOLS if row in exchanges.keys else _KINDS[exchanges.kinds[row]] for row in starts]
    homes = _homes(exchanges, [span - 1 for span in accumulate(begun)], len(spans))
    return tuple(zip(kinds, spans, strict=True)) if homes is None else _tied(kinds, spans, homes)


def _homes(exchanges: Exchanges, span_of: Sequence[int], spans: int) -> list[int] | None:
    """Of each span, the earliest that it is tied to; None where there are no ties."""
    callers, answered, late = exchanges.caller, set[str](), list[tuple[int, int]]()
    for row, key in exchanges.answers.items():
        caller, _ = callers.get(key, (row, 0))
        if caller < row and key not in answered:
            answered.add(key)
            if span_of[caller] != span_of[row]:
                late.append((span_of[caller], span_of[row]))
    homes = list(range(spans))
    for one, other in late:
        _tie(homes, one, other)
    return homes if late else None


def _tie(homes: list[int], one: int, other: int) -> None:
    first, second = sorted((_home(homes, one), _home(homes, other)))
    homes[second] = first


def _home(homes: list[int], span: int) -> int:
    while homes[span] != span:
        homes[span] = homes[homes[span]]
        span = homes[span]
    return span


def _tied(kinds: list[Kind], spans: list[range], homes: list[int]) -> tuple[tuple[Kind, Sequence[int]], ...]:
    groups: dict[int, list[int]] = {}
    for span, rows in enumerate(spans):
        groups.setdefault(_home(homes, span), []).extend(rows)
    return tuple((kinds[span], rows) for span, rows in groups.items())


def row_tokens(context: Context) -> list[int]:
    """Tokens of each message: its JSON, as the framework writes it, through 4."""
    return [_tokens(chars, f"msg_{row}") for row, chars in enumerate(context.each(_chars, asked_of))]


def _chars(body: Body, asked: Asked | None) -> int:
    """Characters of a message's role and contents as JSON."""
    role, contents = body.get("role"), _contents(body, asked)
    return (len(role) if isinstance(role, str) else 0) + sum(contents) + 2 * max(0, len(contents) - 1)


def _tokens(chars: int, message_id: str) -> int:
    return max(1, (_MESSAGE + chars + len(message_id)) // 4)


_MESSAGE = len('{"contents": [], "message_id": "", "role": ""}')
_TEXT = len('{"additional_properties": {}, "text": , "type": "text"}')
_CALL = len(
    '{"additional_properties": {}, "arguments": , "call_id": , "hosted": false, "name": , "type": "function_call"}'
)
_RESULT = len('{"additional_properties": {}, "call_id": , "result": , "type": "function_result"}')


def summary_tokens(text: str, first: int) -> int:
    """Tokens of the line that stands for a group which begins at the row `first`."""
    return _tokens(len("assistant") + _TEXT + string_json_chars(text), f"tool_summary_group_msg_{first}")


def _contents(body: Body, asked: Asked | None) -> list[int]:
    text = text_of(body)
    if role_code(body) in (TOOL, FUNCTION):
        return [_RESULT + json_chars(body.get("tool_call_id")) + string_json_chars(text)]
    lengths = [_TEXT + string_json_chars(text)] if text else []
    return [*lengths, *map(_call_chars, asked.calls)] if asked else lengths


def _call_chars(call: ToolCall) -> int:
    return _CALL + string_json_chars(call.arguments) + json_chars(call.id) + string_json_chars(call.name)


class Labels(dict[int, str]):
    """The line that stands for each call with its results, by the group's first row; made when first asked for."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context

    def of(self, rows: Sequence[int]) -> str:
        """The line of a group."""
        if rows[0] not in self:
            self[rows[0]] = results_label(self._context, rows)
        return self[rows[0]]


def results_label(context: Context, rows: Sequence[int]) -> str:
    """The line that stands for a call and its results."""
    exchanges = context.derived(Exchanges)
    texts = "; ".join([_said(context, exchanges, rows, row) for row in rows if row in exchanges.answers])
    body = texts or "no results"
    if len(LABEL_HEAD) + len(body) + 1 > LABEL_CHARS:
        body = body[: LABEL_CHARS - len(LABEL_HEAD) - len(LABEL_CUT) - 1].rstrip() + LABEL_CUT
    return f"{LABEL_HEAD}{body}]"


def _said(context: Context, exchanges: Exchanges, rows: Sequence[int], row: int) -> str:
    """What a result says, after the name of its call where that is in the same group."""
    text, (caller, place) = text_of(context.messages[row]), exchanges.caller.get(exchanges.answers[row], (-1, 0))
    name = exchanges.calls[caller][place].name if caller in rows else ""
    return (f"{name}: {text}" if name else text).strip()


class Groups:
    """The groups of a context while strategies run over them."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.all = [Group(kind, rows) for kind, rows in context.derived(row_groups)]

    @property
    def left(self) -> list[Group]:
        """Those that are still sent."""
        return [group for group in self.all if not group.gone]

    def size(self, unit: str) -> int:
        """What is left, in tokens or messages."""
        return sum([self.cost(group, unit) for group in self.left])

    def cost(self, group: Group, unit: str) -> int:
        """What a group is, in tokens or messages."""
        if unit != "tokens":
            return 1 if group.text is not None else len(group.rows)
        if group.tokens < 0:
            group.tokens = self._tokens(group)
        return group.tokens

    def _tokens(self, group: Group) -> int:
        if group.text is not None:
            return summary_tokens(group.text, group.rows[0])
        return sum(map(self.context.derived(row_tokens).__getitem__, group.rows))

    def newest(self) -> Group | None:
        """The last group that is left and no system message: always spared."""
        return next((group for group in reversed(self.all) if not group.gone and group.kind is not Kind.SYSTEM), None)

    def old_tools(self, keep: int) -> list[Group]:
        """The calls that are left, without the newest of them."""
        tools = [group for group in self.left if group.kind is Kind.TOOLS]
        return tools[: max(0, len(tools) - keep)]

    def condense(self, keep: int) -> None:
        """Put one line in the place of each older call with its results."""
        old, labels = set(map(id, self.old_tools(keep))), self.context.derived(Labels)
        every, self.all = self.all, []
        for group in every:
            if id(group) in old:
                self.all.append(Group(Kind.TEXT, group.rows, labels.of(group.rows)))
                group.gone = CONDENSED
            self.all.append(group)

    def plan(self) -> Plan:
        """What is left of it, as a plan."""
        draft = Draft(self.context, REASONS)
        for group in self.all:
            if group.text is None and group.gone:
                (draft.merge if group.gone == CONDENSED else draft.drop)(group.rows, group.gone)
        for group in self.all:
            if group.text is not None and group.gone:
                draft.drop(group.rows, group.gone)
            elif group.text is not None:
                first = group.rows[0]
                merged = next((at for at, row in enumerate(group.rows) if row != first + at), len(group.rows))
                draft.insert(
                    first - 1, InsertKind.SUMMARY, {"role": "assistant", "content": group.text},
                    "stands for an older call with its results", (first, first + merged),
                )  # fmt: skip
        self._say_why(draft)
        return draft.unwritten()

    def _say_why(self, draft: Draft) -> None:
        if any(draft.action):
            draft.spare((row for group in self.left if group.kind is Kind.SYSTEM for row in group.rows), SYSTEM_KEPT)
            newest = self.newest()
            draft.spare(newest.rows if newest and newest.text is None else (), NEWEST)
