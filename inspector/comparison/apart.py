"""Where two plans send one session differently: at once from their columns, and exactly from what they write.

Two rewritten texts of one length may still differ, which only writing them tells. That is left to whoever has the
time; the rows on a screen are few enough to be compared at each frame.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from functools import cached_property
from itertools import compress
from operator import ne

from inspector.change import GONE, IS_REWRITTEN, Action, Plan
from inspector.message import Body, same

STEP = 200
"""Rows whose messages are written between two steps: some milliseconds."""


class Apart:
    """Two plans over the same rows. Rows that one of them does not reach it does not send.

    A row differs where the message sent for it is another one, or none; where one plan moves it; and where the inserts
    that are drawn beside it are others.
    """

    def __init__(self, a: Plan, b: Plan) -> None:
        self._a, self._b = a, b

    def at(self, row: int) -> bool:
        """Whether a row differs, exactly."""
        if self._a is self._b:
            return False
        return row in self._inserts or self._moved(row) or not same(_sent(self._a, row), _sent(self._b, row))

    def _moved(self, row: int) -> bool:
        a, b = (row < len(plan.action) and plan.action[row] == Action.MOVE for plan in (self._a, self._b))
        return a != b

    @cached_property
    def _inserts(self) -> frozenset[int]:
        """The rows beside which the inserts differ."""
        a, b = _anchored(self._a), _anchored(self._b)
        return frozenset(row for row in a.keys() | b.keys() if a.get(row) != b.get(row))

    @cached_property
    def sure(self) -> array[int]:
        """The rows that differ as far as actions, lengths and inserts tell, ascending: no text is written."""
        a, b = self._a, self._b
        if a is b:
            return array("q")
        rows = range(min(len(a.action), len(b.action)))
        found = {*self._inserts, *compress(rows, map(ne, a.chars, b.chars))}
        found.update(compress(rows, map(ne, a.action.translate(_PRESENCE), b.action.translate(_PRESENCE))))
        longer = max(a, b, key=lambda plan: len(plan.action))
        found.update(row for row in range(len(rows), len(longer.action)) if longer.action[row] not in GONE)
        return array("q", sorted(found))

    @cached_property
    def unsure(self) -> array[int]:
        """The rows besides of which one plan at least writes the text, and no column tells whether it is the same."""
        a, b = self._a, self._b
        if a is b:
            return array("q")
        rows = range(min(len(a.action), len(b.action)))
        written = {*compress(rows, a.action.translate(IS_REWRITTEN)), *compress(rows, b.action.translate(IS_REWRITTEN))}
        return array("q", sorted(written.difference(self.sure)))

    def steps(self) -> Iterator[array[int] | None]:
        """None after each step, and at last every row that differs, exactly, ascending."""
        found = list(self.sure)
        for start in range(0, len(self.unsure), STEP):
            found += [row for row in self.unsure[start : start + STEP] if self.at(row)]
            yield None
        yield array("q", sorted(found))


def differing(a: Plan, b: Plan) -> array[int]:
    """Every row at which two plans of one session send it differently, ascending."""
    *_, found = Apart(a, b).steps()
    assert found is not None
    return found


def _sent(plan: Plan, row: int) -> Body | None:
    return plan.body(row) if row < len(plan.action) else None


def _anchored(plan: Plan) -> dict[int, list[tuple[int, Body]]]:
    """The inserts by the row beside which they are drawn, each with the row that it follows."""
    found: dict[int, list[tuple[int, Body]]] = {}
    for insert in plan.inserts:
        found.setdefault(max(0, insert.anchor), []).append((insert.after, insert.body))
    return found


_PRESENCE = bytes(2 if code in GONE else code == Action.MOVE for code in range(256))
"""Action to whether a row is sent in its place (0), elsewhere (1) or not at all (2)."""
