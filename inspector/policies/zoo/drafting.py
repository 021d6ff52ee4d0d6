"""A plan while it is being made: one entry a message in each column, written on by a policy's rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from inspector.change import Action, Insert, InsertKind, Plan, unchanged
from inspector.message import Body, Context
from inspector.policies.stand_in import stand_in_summary

KEPT = 0
"""The reason of a message that the rule leaves alone: every policy's first."""
STAND_IN = "the summary is an offline stand-in, not a model's"


class Draft:
    """The columns of a plan. Rows that nothing is said about are sent as recorded, for the first of the reasons."""

    def __init__(self, context: Context, reasons: tuple[str, ...]) -> None:
        self.context = context
        self.reasons = reasons
        self.action = bytearray(len(context))
        self.reason = bytearray(len(context))
        self.chars = context.columns.chars[:]
        self.inserts: list[Insert] = []
        self.order: Sequence[int] | None = None
        self.notes: list[str] = []
        self.warnings: list[str] = []

    def drop(self, rows: Iterable[int], reason: int, action: Action = Action.DROP) -> None:
        """Send these rows no more."""
        for row in rows:
            self.action[row], self.reason[row], self.chars[row] = action, reason, 0

    def merge(self, rows: Iterable[int], reason: int) -> None:
        """Send an insert in the place of these rows."""
        self.drop(rows, reason, Action.MERGE)

    def change(self, row: int, action: Action, reason: int, chars: int | None = None) -> None:
        """Send a row changed, with so many characters of text; None: the text stays as it is."""
        self.action[row], self.reason[row] = action, reason
        if chars is not None:
            self.chars[row] = chars

    def keep(self, row: int, reason: int) -> None:
        """Send a row after all."""
        self.action[row], self.reason[row], self.chars[row] = Action.KEEP, reason, self.context.columns.chars[row]

    def spare(self, rows: Iterable[int], reason: int) -> None:
        """Say why rows are sent as they are."""
        for row in rows:
            if not self.action[row]:
                self.reason[row] = reason

    def move(self, rows: Iterable[int], reason: int) -> None:
        """Mark rows that are sent at another place than they were recorded, unless they are changed as well."""
        for row in rows:
            if not self.action[row]:
                self.action[row], self.reason[row] = Action.MOVE, reason

    def in_front(self, rows: Sequence[int], reason: int) -> None:
        """Send these rows, ascending, before all others."""
        if list(rows) != list(range(len(rows))):
            front = set(rows)
            self.order = [*rows, *(row for row in range(len(self.action)) if row not in front)]
            self.move((row for place, row in enumerate(rows) if row != place), reason)

    def insert(self, after: int, kind: InsertKind, body: Body, reason: str, merges: tuple[int, int] | None) -> None:
        """Add a message after a row."""
        self.inserts.append(Insert(after, kind, body, reason, merges))

    def plan(self, write: Callable[[int], Body]) -> Plan:
        """The finished plan; `write` makes the body of a changed row."""
        return Plan(
            self.context, bytes(self.action), bytes(self.reason), self.reasons, self.chars, write, tuple(self.inserts),
            self.order, stats=self._stats, notes=tuple(self.notes), warnings=tuple(self.warnings),
        )  # fmt: skip

    def unwritten(self) -> Plan:
        """The finished plan of a rule that changes no message."""
        return self.plan(self.context.messages.__getitem__)

    def _stats(self) -> dict[str, int]:
        count = self.action.count
        dropped, merged, moved = count(Action.DROP), count(Action.MERGE), count(Action.MOVE)
        return {
            "dropped_messages": dropped,
            "summarised_messages": merged,
            "changed_messages": len(self.action) - count(Action.KEEP) - dropped - merged - moved,
            "inserted_messages": len(self.inserts),
        }


def summarised(messages: Sequence[Body], summarise: Callable[[list[Body]], str] | None, draft: Draft) -> str:
    """The summary of messages: from the callable that the caller gave, else a stand-in with a warning."""
    if summarise is not None:
        return summarise(list(messages))
    if STAND_IN not in draft.warnings:
        draft.warnings.append(STAND_IN)
    return stand_in_summary(messages)


def with_text(body: Body, text: str) -> Body:
    """The message with another content."""
    return {**body, "content": text}


def with_text_alone(body: Body, text: str) -> Body:
    """The message with another content, and without pictures beside it."""
    return {key: value for key, value in with_text(body, text).items() if key != "images"}


def left_alone(context: Context, reasons: tuple[str, ...], reason: int) -> Plan:
    """The plan that sends everything as it is, for one of the reasons."""
    return unchanged(context, reason=reasons[reason], stats=Draft(context, reasons)._stats)
