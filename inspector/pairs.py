"""Which tool result answers which tool call.

Pairing is local: a result belongs to the nearest open call before it with the same id, so that servers which number
their calls from zero in every turn are read rightly; where ids are missing, results answer open calls by order. One
wrong global map of ids would call such sessions broken (TAXONOMY.md, case 091).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from inspector.message import ASSISTANT, FUNCTION, TOOL, Body, Context


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
    dangling: tuple[tuple[int, int], ...]
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
    open_by_id: dict[str, list[tuple[int, int]]] = {}
    open_nameless: list[tuple[int, int]] = []
    taken: list[Pair] = []
    orphans: list[int] = []
    role = context.columns.role
    for row, body in enumerate(context.messages):
        if role[row] == ASSISTANT:
            _open(row, body, open_by_id, open_nameless)
        elif role[row] in (TOOL, FUNCTION):
            answered = _close(body, open_by_id, open_nameless)
            if answered is None:
                orphans.append(row)
            else:
                taken.append(Pair(*answered, row))
    left = [place for places in open_by_id.values() for place in places] + open_nameless
    return Pairs(tuple(taken), tuple(sorted(left)), tuple(orphans))


def _open(row: int, body: Body, by_id: dict[str, list[tuple[int, int]]], nameless: list[tuple[int, int]]) -> None:
    if body.get("function_call"):
        nameless.append((row, 0))
    calls = body.get("tool_calls")
    if not isinstance(calls, list):
        return
    for place, call in enumerate(call for call in calls if isinstance(call, dict)):
        call_id = call.get("id")
        if isinstance(call_id, str) and call_id:
            by_id.setdefault(call_id, []).append((row, place))
        else:
            nameless.append((row, place))


def _close(
    body: Body, by_id: dict[str, list[tuple[int, int]]], nameless: list[tuple[int, int]]
) -> tuple[int, int] | None:
    answers = body.get("tool_call_id")
    if isinstance(answers, str) and answers:
        places: Sequence[tuple[int, int]] = by_id.get(answers, ())
        return by_id[answers].pop() if places else None
    return nameless.pop(0) if nameless else None
