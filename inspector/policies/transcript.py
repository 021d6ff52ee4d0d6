"""The list of messages that a run sends, as it changes from one request to the next.

A replay asks what changed, not what the whole list is: each request costs the changes made for it. So a transcript
writes down every change as an `Op`, which the replay weighs, beside the list itself. It also keeps where each message
came from and what became of each row, so that the view of any request can be shown against the recording.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import NamedTuple, Protocol

from inspector.change import GONE, Action, Insert, Plan
from inspector.message import Body, Context, text_of

MADE = -1
"""In `Op.rows`: a message that is not sent as it was recorded."""
MOST_REASONS = 255


class Op(NamedTuple):
    """One change of the sent list: the messages [start, stop) give way to others; at the end, they are added."""

    start: int
    stop: int
    bodies: Sequence[Body]
    rows: Sequence[int]
    """For each body the row that is sent as recorded, or `MADE`."""


class Done(NamedTuple):
    """What a policy did for one request."""

    edits: int
    """Changes made for it: a stateless policy makes all of them anew, a carried one only new ones."""
    fired: bool
    """Whether the policy's plan changed anything."""


def done(plan: Plan) -> Done:
    """What a plan does, in figures."""
    return Done(plan.edits, plan.fired)


class Stepper(Protocol):
    """Makes the sent views of a run one after another, each from the one before, in a transcript of its own."""

    transcript: Transcript

    def step(self, stop: int) -> Done:
        """Turn the transcript into the view of the request that the row `stop` answers; it never goes back."""
        ...


@dataclass(eq=False)
class Transcript:
    """What is sent, and how it came to be."""

    context: Context
    """The recording."""
    bodies: list[Body] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    """For each body the row that it stands for; of an insert, ~i where it is `inserts[i]`."""
    inserts: list[Insert] = field(default_factory=list)
    """Every insert ever made, those that went away again too; `merges` are rows of the recording."""
    marks: dict[int, tuple[int, str]] = field(default_factory=dict)
    """Of each row that was changed or left out: the last action and its reason."""
    arrived: int = 0
    """Rows of the recording that have entered."""
    ops: list[Op] = field(default_factory=list)
    """The changes since they were last taken."""
    _known: Context = field(init=False)
    """Holds what is known of the messages of this run, and is forgotten with it."""

    def __post_init__(self) -> None:
        self._known = Context((), self.context.origin, ())

    def arrive(self, stop: int) -> None:
        """The rows up to `stop` enter as they are recorded."""
        if stop <= self.arrived:
            return
        end, rows = len(self.bodies), range(self.arrived, stop)
        bodies = self.context.messages[rows.start : stop]
        self.bodies += bodies
        self.rows += rows
        self.ops.append(Op(end, end, bodies, rows))
        self.arrived = stop

    def enter(self, body: Body, action: Action, reason: str) -> None:
        """The next row enters in another form than the recorded one."""
        end, row = len(self.bodies), self.arrived
        self.bodies.append(body)
        self.rows.append(row)
        self.marks[row] = (action, reason)
        self.ops.append(Op(end, end, (body,), (MADE,)))
        self.arrived = row + 1

    def put(self, place: int, body: Body, action: Action, reason: str) -> None:
        """A message gives way to another form of it."""
        row = self.rows[place]
        self.bodies[place] = body
        if row >= 0:
            self.marks[row] = (action, reason)
            as_recorded = body is self.context.messages[row]
        else:
            self.inserts[~row] = replace(self.inserts[~row], body=body)
            as_recorded = False
        self.ops.append(Op(place, place + 1, (body,), (row if as_recorded else MADE,)))

    def insert(self, place: int, insert: Insert) -> None:
        """A message that nobody recorded is added before the one at `place`, or at the end."""
        self.merge(place, place, (insert,), "")

    def merge(self, start: int, stop: int, inserts: Sequence[Insert], reason: str) -> None:
        """Messages give way to inserts, whose `merges` become the rows that they stood for."""
        span = self._span(self.rows[start:stop])
        for row in self.rows[start:stop]:
            if row >= 0:
                self.marks[row] = (Action.MERGE, reason)
        first = len(self.inserts)
        self.inserts += [replace(insert, merges=span) for insert in inserts]
        bodies = [insert.body for insert in inserts]
        self._splice(start, stop, bodies, [~place for place in range(first, len(self.inserts))])

    def _splice(self, start: int, stop: int, bodies: Sequence[Body], rows: Sequence[int]) -> None:
        self.bodies[start:stop] = bodies
        self.rows[start:stop] = rows
        recorded = self.context.messages
        known = [row if row >= 0 and recorded[row] is body else MADE for row, body in zip(rows, bodies, strict=True)]
        self.ops.append(Op(start, stop, bodies, known))

    def _span(self, rows: Iterable[int]) -> tuple[int, int] | None:
        """The rows of the recording from the first to the last that these messages stand for."""
        spans = [(row, row + 1) if row >= 0 else self.inserts[~row].merges for row in rows]
        known = [span for span in spans if span is not None]
        return (min(start for start, _ in known), max(stop for _, stop in known)) if known else None

    def become(self, bodies: Sequence[Body], rows: Sequence[int]) -> None:
        """Another list takes the place of this one; what they begin with alike is kept."""
        shared = _shared(self.bodies, bodies)
        self._splice(shared, len(self.bodies), bodies[shared:], rows[shared:])

    def as_context(self) -> Context:
        """The list as a context, to be compacted; its source is its own place."""
        bodies = list(self.bodies)
        return self._known.beside(bodies, range(len(bodies)))

    def apply(self, plan: Plan) -> None:
        """Carry out a plan over this list, and go on from what it sends."""
        whole = plan.order is None and not plan.inserts and not any(plan.action.count(action) for action in GONE)
        if whole:
            for place, action in enumerate(plan.action):
                if action:
                    self.put(place, plan.write(place), Action(action), plan.reasons[plan.reason[place]])
            return
        self._note(plan)
        added = self._added(plan)
        start = _untouched(plan)
        bodies, rows = self.bodies[:start], self.rows[:start]
        places = range(start, len(plan.action)) if plan.order is None else plan.order
        for place in (start - 1, *places):
            body = plan.body(place) if place >= start else None
            if body is not None:
                bodies.append(body)
                rows.append(self._row_of(place, body))
            for made in added.get(place, ()):
                bodies.append(self.inserts[made].body)
                rows.append(~made)
        self.become(bodies, rows)

    def _row_of(self, place: int, body: Body) -> int:
        row = self.rows[place]
        if row < 0 and body is not self.bodies[place]:
            self.inserts[~row] = replace(self.inserts[~row], body=body)
        return row

    def _note(self, plan: Plan) -> None:
        for place, action in enumerate(plan.action):
            row = self.rows[place]
            if action and row >= 0 and not (action == Action.MOVE and row in self.marks):
                self.marks[row] = (action, plan.reasons[plan.reason[place]])

    def _added(self, plan: Plan) -> dict[int, list[int]]:
        """The plan's inserts as ours, by the place that they follow."""
        added: dict[int, list[int]] = {}
        for insert in plan.inserts:
            start, stop = insert.merges or (0, 0)
            gone = [self.rows[place] for place in range(start, stop) if plan.action[place] in GONE]
            added.setdefault(insert.after, []).append(len(self.inserts))
            self.inserts.append(replace(insert, merges=self._span(gone)))
        return added

    def take_ops(self) -> list[Op]:
        """The changes since they were last asked for."""
        ops, self.ops = self.ops, []
        return ops

    def plan(self, last: Plan | None = None) -> Plan:
        """All that was done to the recording so far, as one plan over the rows that have entered.

        Counters, notes and warnings are those of the last plan, where one is given: a policy counts for one request.
        """
        seen = self.context.until(self.arrived)
        sent = {row: body for row, body in zip(self.rows, self.bodies, strict=True) if row >= 0}
        order = self._order()
        marks = {row: mark for row, mark in self.marks.items() if self._differs(row, sent.get(row), order)}
        action, reason, reasons = _columns(len(seen), marks)
        chars = array("q", seen.columns.chars)
        for row in marks:
            chars[row] = len(text_of(sent[row])) if row in sent else 0
        stats: Callable[[], Mapping[str, int]] = last.stats if last else dict
        return Plan(
            seen, action, reason, reasons, chars, sent.__getitem__, self._placed(), order,
            stats=stats, notes=last.notes if last else (), warnings=last.warnings if last else (),
        )  # fmt: skip

    def _differs(self, row: int, body: Body | None, order: Sequence[int] | None) -> bool:
        """Whether a marked row is still sent otherwise than as recorded: at another place counts too."""
        if body is not self.context.messages[row]:
            return True
        return order is not None and self.marks[row][0] == Action.MOVE

    def _placed(self) -> tuple[Insert, ...]:
        placed, before = [], -1
        for row in self.rows:
            if row >= 0:
                before = row
            else:
                placed.append(replace(self.inserts[~row], after=before))
        return tuple(placed)

    def _order(self) -> list[int] | None:
        rows = [row for row in self.rows if row >= 0]
        return rows if any(a > b for a, b in pairwise(rows)) else None


def _untouched(plan: Plan) -> int:
    """How many messages come before all that a plan changes."""
    if plan.order is not None:
        return 0
    kept = len(plan.action) - len(plan.action.lstrip(bytes((Action.KEEP,))))
    return min([kept, *(insert.after + 1 for insert in plan.inserts)])


def _columns(rows: int, marks: Mapping[int, tuple[int, str]]) -> tuple[bytes, bytes, tuple[str, ...]]:
    """Action and reason of every row, and the reasons; those beyond what a byte can name read as the first."""
    action, reason = bytearray(rows), bytearray(rows)
    reasons: dict[str, int] = {"sent as recorded": 0}
    for row, (what, why) in marks.items():
        if len(reasons) < MOST_REASONS:
            reasons.setdefault(why, len(reasons))
        action[row], reason[row] = what, reasons.get(why, 0)
    return bytes(action), bytes(reason), tuple(reasons)


def _shared(before: Sequence[Body], after: Sequence[Body]) -> int:
    """How many messages two lists begin with alike, by identity."""
    most = min(len(before), len(after))
    return next((place for place in range(most) if before[place] is not after[place]), most)
