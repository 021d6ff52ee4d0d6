"""The sent view: what goes to the model when a plan is carried out, with what that saves, row by row."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress

from inspector.change import AS_RECORDED, GONE, IS_REWRITTEN, IS_SENT, Action, Edit, Insert, Plan
from inspector.message import Body, Columns, Context, Origin, text_of
from inspector.tokens import Counter, count_bodies

INSERTED = -1
"""In `SentView.source`: a message that the plan made."""


@dataclass(frozen=True, eq=False, repr=False)
class SentView:
    """A context after a plan. It is a context itself: policies and checks can look at it like at a recording.

    Everything is made when read: for a screen the plan's columns do, and no list of messages is built.
    """

    plan: Plan
    policy: str
    settings: Mapping[str, object]
    counting: Counter | Callable[[], Counter]
    """What counts the tokens, or what gives it at the first count: a view that is only sent loads no tokenizer."""
    known: array[int] | None = None
    """The tokens of each row of the context by that counter, where they are known already; more rows do no harm."""

    @cached_property
    def counter(self) -> Counter:
        """What counts the tokens."""
        return self.counting if isinstance(self.counting, Counter) else self.counting()

    def __repr__(self) -> str:
        return f"<SentView of {len(self.plan.action):,} messages under {self.policy}>"

    @cached_property
    def messages(self) -> list[Body]:
        """What is sent: unchanged messages are the caller's own dicts, changed ones are new."""
        plan = self.plan
        if plan.inserts or plan.order is not None:
            return [self._body_at(place, row) for place, row in enumerate(self.source)]
        messages = list(plan.context.messages)
        for row in compress(range(len(messages)), plan.action.translate(IS_REWRITTEN)):
            messages[row] = plan.write(row)
        return list(compress(messages, plan.action.translate(IS_SENT)))

    def _body_at(self, place: int, row: int) -> Body:
        if row == INSERTED:
            return self._inserted[place].body
        body = self.plan.body(row)
        assert body is not None
        return body

    @cached_property
    def _layout(self) -> tuple[array[int], dict[int, Insert]]:
        """Source row of each sent message, and the insert at each place that has one."""
        if not self.plan.inserts and self.plan.order is None:
            stays = self.plan.action.translate(IS_SENT)
            return array("q", compress(range(len(stays)), stays)), {}
        source, inserted = array("q"), {}
        after = inserts_after(self.plan)
        rows = range(len(self.plan.action)) if self.plan.order is None else self.plan.order
        for row in (-1, *rows):
            if row >= 0 and self.plan.action[row] not in GONE:
                source.append(row)
            for insert in after.get(row, ()):
                inserted[len(source)] = insert
                source.append(INSERTED)
        return source, inserted

    @property
    def source(self) -> Sequence[int]:
        """The row of the original that each sent message stands for; `INSERTED` where there is none."""
        return self._layout[0]

    @property
    def _inserted(self) -> dict[int, Insert]:
        return self._layout[1]

    def origin(self, place: int) -> Origin:
        """The native place of a sent message; of an insert, the place it is sent at."""
        row = self.source[place]
        return self.plan.context.origin(row) if row != INSERTED else Origin(place, f"/messages/{place}")

    @cached_property
    def columns(self) -> Columns:
        """Figures of every sent message."""
        return Columns(self.messages)

    @cached_property
    def context(self) -> Context:
        """The sent messages as a context, to be examined or compacted again."""
        return Context(self.messages, self.origin, self.source)

    @cached_property
    def stats(self) -> dict[str, int]:
        """The policy's own counters, and the tokens before and after."""
        tokens = self.tokens
        return {**self.plan.stats(), **{f"{name}_tokens": count for name, count in tokens.items()}}

    @property
    def notes(self) -> list[str]:
        """The policy's own notes."""
        return list(self.plan.notes)

    @cached_property
    def tokens(self) -> dict[str, int]:
        """Tokens of the original and of the sent messages, and what was saved: below 0 where the view grew."""
        original, sent = self._tokens_before.total, self._tokens_after.total
        return {"original": original, "sent": sent, "saved": original - sent}

    @cached_property
    def _tokens_before(self) -> _Counts:
        if self.known is not None:
            return _Counts(self.known[: len(self.plan.action)])
        return _Counts(count_bodies(self.plan.context.messages, self.counter))

    @cached_property
    def _tokens_after(self) -> _Counts:
        """Counts by place; unchanged messages keep the count they had, so only new texts are counted."""
        before = self._tokens_before.rows
        fresh = [place for place, row in enumerate(self.source) if row < 0 or self.plan.action[row] not in AS_RECORDED]
        counts = array("q", [before[row] if row >= 0 else 0 for row in self.source])
        for place, count in zip(fresh, count_bodies([self.messages[p] for p in fresh], self.counter), strict=True):
            counts[place] = count
        return _Counts(counts)

    @cached_property
    def edits(self) -> tuple[Edit, ...]:
        """Every change, in the order of the recording; an insert comes after the row that it follows."""
        return tuple(self._edits())

    def _edits(self) -> Iterator[Edit]:
        plan, before, chars = self.plan, self._tokens_before.rows, self.plan.context.columns.chars
        after = {row: self._tokens_after.rows[place] for place, row in enumerate(self.source) if row >= 0}
        added = {id(insert): self._tokens_after.rows[place] for place, insert in self._inserted.items()}
        inserts = inserts_after(plan)
        for row in range(-1, len(plan.action)):
            if row >= 0 and plan.action[row]:
                reason = plan.reasons[plan.reason[row]]
                name = Action(plan.action[row]).name.lower()
                yield Edit(row, name, reason, chars[row], plan.chars[row], before[row], after.get(row, 0))
            for insert in inserts.get(row, ()):
                size = len(text_of(insert.body))
                yield Edit(row, f"insert_{insert.kind}", insert.reason, 0, size, 0, added[id(insert)])


@dataclass(frozen=True, slots=True)
class _Counts:
    rows: array[int]

    @property
    def total(self) -> int:
        return sum(self.rows)


def inserts_after(plan: Plan) -> dict[int, list[Insert]]:
    """The plan's inserts by the row that they follow."""
    after: dict[int, list[Insert]] = {}
    for insert in plan.inserts:
        after.setdefault(insert.after, []).append(insert)
    return after
