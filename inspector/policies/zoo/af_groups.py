"""Microsoft Agent Framework's groups: the units that its strategies drop or replace, and what each costs.

A group is a system message, a user message, an assistant's text, or a call with all of its results. Strategies run one
after another on the groups that are left, and the summaries that one inserts are groups for the next.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any

from inspector.change import InsertKind, Plan
from inspector.message import ASSISTANT, SYSTEM, TOOL, USER, Context, ToolCall, text_of
from inspector.policies.zoo.drafting import Draft
from inspector.policies.zoo.exchanges import Exchanges
from inspector.text import json_chars

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
    rows: list[int]
    tokens: int = 0
    text: str | None = None
    gone: int = KEPT
    """The reason why it is not sent; `KEPT`: it is."""

    @property
    def messages(self) -> int:
        """How many messages it is."""
        return 1 if self.text is not None else len(self.rows)


_KINDS = {SYSTEM: Kind.SYSTEM, USER: Kind.USER, ASSISTANT: Kind.TEXT, TOOL: Kind.TOOLS}


def row_groups(context: Context) -> tuple[tuple[Kind, tuple[int, ...]], ...]:
    """Kind and rows of each group, ordered by first row. A late result ties its neighbours to the group of its call."""
    exchanges = context.derived(Exchanges)
    spans: list[tuple[Kind, list[int]]] = []
    homes: list[int] = []
    """Of each span, the earliest that it is tied to."""
    declared: dict[str, list[int]] = {}
    """The spans in which a call is open, by its key."""
    for row, kind in enumerate(exchanges.kinds):
        keys = exchanges.keys.get(row, ())
        if kind == TOOL and spans and spans[-1][0] is Kind.TOOLS:
            spans[-1][1].append(row)
        else:
            spans.append((Kind.TOOLS if keys else _KINDS[kind], [row]))
            homes.append(len(homes))
        for key in keys:
            declared.setdefault(key, []).append(len(spans) - 1)
        if kind == TOOL and len(declared.get(exchanges.answers[row], ())) == 1:
            _tie(homes, declared.pop(exchanges.answers[row])[0], len(spans) - 1)
    return _tied(spans, homes)


def _tie(homes: list[int], one: int, other: int) -> None:
    first, second = sorted((_home(homes, one), _home(homes, other)))
    homes[second] = first


def _home(homes: list[int], span: int) -> int:
    while homes[span] != span:
        homes[span] = homes[homes[span]]
        span = homes[span]
    return span


def _tied(spans: list[tuple[Kind, list[int]]], homes: list[int]) -> tuple[tuple[Kind, tuple[int, ...]], ...]:
    groups: dict[int, list[int]] = {}
    for span, (_, rows) in enumerate(spans):
        groups.setdefault(_home(homes, span), []).extend(rows)
    return tuple((spans[span][0], tuple(rows)) for span, rows in groups.items())


def row_tokens(context: Context) -> list[int]:
    """Tokens of each message: its JSON, as the framework writes it, through 4."""
    exchanges = context.derived(Exchanges)
    return [
        message_tokens(_role(body), f"msg_{row}", _contents(exchanges, row, body))
        for row, body in enumerate(context.messages)
    ]


def _role(body: dict[str, Any]) -> str:
    role = body.get("role")
    return role if isinstance(role, str) else ""


def message_tokens(role: str, message_id: str, contents: list[int]) -> int:
    """Tokens of a message whose contents have these lengths as JSON."""
    listed = sum(contents) + 2 * max(0, len(contents) - 1)
    frame = len('{"contents": [], "message_id": "", "role": ""}')
    return max(1, (frame + listed + len(message_id) + len(role)) // 4)


_TEXT = len('{"additional_properties": {}, "text": , "type": "text"}')
_CALL = len(
    '{"additional_properties": {}, "arguments": , "call_id": , "hosted": false, "name": , "type": "function_call"}'
)
_RESULT = len('{"additional_properties": {}, "call_id": , "result": , "type": "function_result"}')


def text_chars(text: str) -> int:
    """Length of a text content as JSON."""
    return _TEXT + json_chars(text)


def _contents(exchanges: Exchanges, row: int, body: dict[str, Any]) -> list[int]:
    text = text_of(body)
    if exchanges.kinds[row] == TOOL:
        return [_RESULT + json_chars(body.get("tool_call_id")) + json_chars(text)]
    lengths = [text_chars(text)] if text else []
    return [*lengths, *(_call_chars(call) for call in exchanges.calls.get(row, ()))]


def _call_chars(call: ToolCall) -> int:
    return _CALL + json_chars(call.arguments) + json_chars(call.id) + json_chars(call.name)


class Labels(dict[int, str]):
    """The line that stands for each call with its results, by the group's first row; made when first asked for."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context

    def of(self, rows: list[int]) -> str:
        """The line of a group."""
        if rows[0] not in self:
            self[rows[0]] = results_label(self._context, rows)
        return self[rows[0]]


def results_label(context: Context, rows: list[int]) -> str:
    """The line that stands for a call and its results."""
    exchanges = context.derived(Exchanges)
    names = {
        key: call.name for row in rows for key, call in zip(exchanges.keys.get(row, ()), exchanges.calls.get(row, ()),
                                                            strict=True)
    }  # fmt: skip
    results = [row for row in rows if row in exchanges.answers]
    texts = "; ".join(_named(names.get(exchanges.answers[row]), text_of(context.messages[row])) for row in results)
    body = texts or "no results"
    if len(LABEL_HEAD) + len(body) + 1 > LABEL_CHARS:
        body = body[: LABEL_CHARS - len(LABEL_HEAD) - len(LABEL_CUT) - 1].rstrip() + LABEL_CUT
    return f"{LABEL_HEAD}{body}]"


def _named(name: str | None, text: str) -> str:
    return (f"{name}: {text}" if name else text).strip()


class Groups:
    """The groups of a context while strategies run over them."""

    def __init__(self, context: Context) -> None:
        self.context = context
        tokens = context.derived(row_tokens)
        self.all = [
            Group(kind, list(rows), sum(tokens[row] for row in rows)) for kind, rows in context.derived(row_groups)
        ]

    @property
    def left(self) -> list[Group]:
        """Those that are still sent."""
        return [group for group in self.all if not group.gone]

    def size(self, unit: str) -> int:
        """What is left, in tokens or messages."""
        return sum(group.tokens if unit == "tokens" else group.messages for group in self.left)

    def newest(self) -> Group | None:
        """The last group that is left and no system message: always spared."""
        return next((group for group in reversed(self.all) if not group.gone and group.kind is not Kind.SYSTEM), None)

    def old_tools(self, keep: int) -> list[Group]:
        """The calls that are left, without the newest of them."""
        tools = [group for group in self.left if group.kind is Kind.TOOLS]
        return tools[: max(0, len(tools) - keep)]

    def condense(self, keep: int) -> None:
        """Put one line in the place of each older call with its results."""
        old = set(map(id, self.old_tools(keep)))
        self.all = [new for group in self.all for new in (self._condensed(group) if id(group) in old else (group,))]

    def _condensed(self, group: Group) -> Iterator[Group]:
        label = self.context.derived(Labels).of(group.rows)
        name = f"tool_summary_group_msg_{group.rows[0]}"
        yield Group(Kind.TEXT, group.rows, message_tokens("assistant", name, [text_chars(label)]), label)
        group.gone = CONDENSED
        yield group

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
