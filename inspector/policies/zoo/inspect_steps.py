"""Inspect's edit over a whole carried run: a use is looked at when its result comes, and when it is old."""

from __future__ import annotations

from bisect import bisect_left, insort

from inspector.change import Action
from inspector.message import ASSISTANT, Context
from inspector.policies.policy import Settings
from inspector.policies.transcript import Done, Transcript
from inspector.policies.zoo import arguments
from inspector.policies.zoo.drafting import with_text
from inspector.policies.zoo.exchanges import Exchanges, kinds_of
from inspector.policies.zoo.inspect_ai import (
    MEMORISED,
    REASONS,
    REMOVED,
    RESULT_REMOVED,
    excluded_tools,
)
from inspector.policies.zoo.inspect_memory import memorised, memory_rows


def is_steady(context: Context, settings: Settings) -> bool:
    """Whether an edit of this run only changes rows in their place: no use goes whole, nothing waits for a threshold,
    and no request follows an assistant's message, which would be dropped."""
    follows = bytes((ASSISTANT, ASSISTANT)) in context.derived(kinds_of)
    in_place = bool(settings["keep_tool_inputs"]) and not settings["threshold"]
    return in_place and not follows and context.derived(Exchanges).has_own_ids


class EditSteps:
    """The views of a steady run."""

    def __init__(self, context: Context, settings: Settings) -> None:
        self.transcript = Transcript(context)
        self._keep, self._excluded = max(0, settings["keep_tool_uses"]), excluded_tools(settings)
        self._memory = context.derived(memory_rows) if settings["memory"] else []
        self._answered: set[str] = set()
        self._newest: list[tuple[tuple[int, int], int]] = []
        """The uses that are kept: the place of each call, in order, and the row of its result."""

    def step(self, stop: int) -> Done:
        """The view of the request that the row `stop` answers."""
        start = self.transcript.arrived
        self.transcript.arrive(stop)
        edits = self._memorise(start, stop)
        results = self.transcript.context.derived(Exchanges).results
        for row in results[bisect_left(results, start) : bisect_left(results, stop)]:
            self._answer(row)
        while len(self._newest) > self._keep:
            edits += self._remove(self._newest.pop(0)[1])
        return Done(edits, edits > 0)

    def _memorise(self, start: int, stop: int) -> int:
        """Rewrite the new calls that put a text into memory; the number of their messages."""
        rows = self._memory[bisect_left(self._memory, start) : bisect_left(self._memory, stop)]
        for row in rows:
            body = arguments.replaced(self.transcript.bodies[row], lambda _, name, given: memorised(name, given))
            self.transcript.put(row, body, Action.CLEAR_ARGUMENTS, REASONS[MEMORISED])
        return len(rows)

    def _answer(self, row: int) -> None:
        """Note the use that a result completes, if it is the first for its call and comes after it."""
        exchanges = self.transcript.context.derived(Exchanges)
        key = exchanges.answers[row]
        call, place = exchanges.caller.get(key, (row, 0))
        if key not in self._answered and call < row and exchanges.calls[call][place].name not in self._excluded:
            insort(self._newest, ((call, place), row))
        self._answered.add(key)

    def _remove(self, row: int) -> int:
        body = self.transcript.bodies[row]
        if body.get("content") == REMOVED:
            return 0
        self.transcript.put(row, with_text(body, REMOVED), Action.PLACEHOLDER, REASONS[RESULT_REMOVED])
        return 1
