"""Which tool result answers which tool call.

Pairing is local: a result belongs to the nearest open call before it with the same id, so that servers which number
their calls from zero in every turn are read rightly; a result without an id answers the open calls of its turn by
order, so that one interrupted call does not shift all that follow. One wrong global map of ids would call such sessions
broken (TAXONOMY.md, case 091).
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from inspector.message import ASSISTANT, FUNCTION, TOOL, Body, Context

Place: TypeAlias = tuple[int, int]
"""The row of a calling message, and which of its calls, from 0."""


class Pair(NamedTuple):
    """A call and the row that answers it."""

    call_row: int
    call: int
    """Which call of its message, from 0."""
    result_row: int


@dataclass(frozen=True, slots=True)
class Pairs:
    """All pairs of a context, and what is left over. Rows ascend by result."""

    pairs: tuple[Pair, ...]
    dangling: tuple[Place, ...]
    """(row, call) of calls that nothing answers."""
    orphans: tuple[int, ...]
    """Rows of results that answer nothing."""

    def results_of(self, rows: Iterable[int]) -> Mapping[int, list[int]]:
        """The result rows of each of the given calling rows that has any."""
        wanted, found = set(rows), defaultdict(list)
        for pair in self.pairs:
            if pair.call_row in wanted:
                found[pair.call_row].append(pair.result_row)
        return found


def pairs_of(context: Context) -> Pairs:
    """Pair the calls and results of a context. Ask for it as `context.derived(pairs_of)`: it is made once."""
    calls = _Open()
    taken: list[Pair] = []
    orphans: list[int] = []
    role, before = context.columns.role, -1
    for row, code in enumerate(role):
        if code == ASSISTANT:
            calls.read(row, context.messages[row], new_turn=before != ASSISTANT)
        elif code in (TOOL, FUNCTION):
            place = calls.answered_by(context.messages[row].get("tool_call_id"))
            if place is None:
                orphans.append(row)
            else:
                taken.append(Pair(*place, row))
        before = code
    return Pairs(tuple(taken), calls.left(), tuple(orphans))


class _Open:
    """The calls that nothing has answered yet. A turn is a run of assistant messages and what answers it."""

    def __init__(self) -> None:
        self.by_id: dict[str, list[Place]] = {}
        self.named: deque[tuple[Place, str]] = deque()
        """Calls of this turn that have an id, answered ones too."""
        self.nameless: deque[Place] = deque()
        """Calls of this turn that have none."""
        self.earlier: list[Place] = []
        """Calls without an id that earlier turns left open."""
        self.turn: Place = (0, 0)

    def read(self, row: int, body: Body, *, new_turn: bool) -> None:
        """Open the calls of an assistant message."""
        calls, legacy = body.get("tool_calls"), body.get("function_call")
        if not calls and not legacy:
            return
        if new_turn:
            self._begin(row)
        if legacy:
            self.nameless.append((row, 0))
        entries = [call for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
        for at, call in enumerate(entries):
            call_id = call.get("id")
            if isinstance(call_id, str) and call_id:
                self.by_id.setdefault(call_id, []).append((row, at))
                self.named.append(((row, at), call_id))
            else:
                self.nameless.append((row, at))

    def _begin(self, row: int) -> None:
        self.turn = (row, 0)
        self.earlier += self.nameless
        self.nameless.clear()
        self.named.clear()

    def answered_by(self, answers: object) -> Place | None:
        """Close and give the call that a result answers; None where it answers nothing."""
        if isinstance(answers, str) and answers:
            places = self.by_id.get(answers)
            return places.pop() if places else None
        if self.nameless:
            return self.nameless.popleft()
        while self.named:
            _, call_id = self.named.popleft()
            places = self.by_id[call_id]
            if places and places[-1] >= self.turn:
                return places.pop()
        return self.earlier.pop() if self.earlier else None

    def left(self) -> tuple[Place, ...]:
        """The calls that are still open, in order."""
        named = [place for places in self.by_id.values() for place in places]
        return tuple(sorted([*named, *self.earlier, *self.nameless]))
