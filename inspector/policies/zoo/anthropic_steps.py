"""Anthropic's two edits over a whole run: sizes are running sums, and what is cleared is looked at once."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from inspector.change import Action
from inspector.message import Context
from inspector.policies.policy import Settings
from inspector.policies.zoo.anthropic import (
    THINKING_CLEARED,
    THINKING_REASONS,
    Clearing,
    images,
    input_chars,
    is_over,
    kept_turns,
    old_uses,
    thinking_turns,
    uses_of,
)
from inspector.policies.zoo.exchanges import Exchanges
from inspector.policies.zoo.params import named
from inspector.policies.zoo.rewriting import Growing, Rewritten
from inspector.policies.zoo.thoughts import without_thinking


class ToolSteps(Growing):
    """The views of a run under `clear_tool_uses`. A placeholder can be longer than a result; where less is left of what
    was cleared than clear_at_least, all of it is restored."""

    def __init__(self, context: Context, settings: Settings) -> None:
        super().__init__(context)
        self._settings, self._clearing = settings, Clearing(context, settings)
        self._excluded = named(settings["exclude_tools"]) or frozenset()
        self._uses, self._late = uses_of(context, settings), list[tuple[int, int]]()
        self._row = self._seen = self._old = self._chars = self._images = 0

    def advance(self, stop: int) -> Iterator[Rewritten]:
        """The uses that have become old, where the request is over the trigger."""
        self._read(stop)
        if not is_over(self._settings, self._seen, self._chars, self._images):
            return
        self._take(stop)
        touched, messages = self._clearing.touched, self.transcript.context.messages
        if self._clearing.is_enough:
            yield from map(self._clearing.rewritten, sorted(touched))
            touched.clear()
        else:
            touched |= self._changed
            yield from [Rewritten(row, messages[row], Action.KEEP, "") for row in sorted(self._changed)]

    def _read(self, stop: int) -> None:
        context = self.transcript.context
        self._chars += sum(context.derived(input_chars)[self._row : stop])
        self._images += sum(context.derived(images)[self._row : stop])
        self._seen, self._row = bisect_left(self._uses, (stop, 0), self._seen), stop

    def _take(self, stop: int) -> None:
        """Clear the uses that have become old, and those whose results come late."""
        calls, old = self.transcript.context.derived(Exchanges).calls, old_uses(self._settings, self._seen)
        waiting, self._late = [*self._late, *self._uses[self._old : old]], []
        self._old = max(self._old, old)
        for row, place in waiting:
            name = calls[row][place].name
            if name not in self._excluded and self._clearing.answer(row, place) < stop:
                self._clearing.take(row, place, name)
            elif name not in self._excluded:
                self._late.append((row, place))


class ThinkingSteps(Growing):
    """The views of a run under `clear_thinking`: the turns before the newest ones with thinking only become more."""

    def __init__(self, context: Context, settings: Settings) -> None:
        super().__init__(context)
        self._turns, self._kept = context.derived(thinking_turns), kept_turns(settings)
        self._begun = self._cleared = 0

    def advance(self, stop: int) -> Iterator[Rewritten]:
        """The thinking of turns that are no longer among the newest."""
        messages = self.transcript.context.messages
        while self._begun < len(self._turns) and self._turns[self._begun][0] < stop:
            self._begun += 1
        while self._cleared < self._begun - self._kept:
            for row in self._turns[self._cleared]:
                new = without_thinking(messages[row])
                yield Rewritten(row, new, Action.DROP_REASONING, THINKING_REASONS[THINKING_CLEARED])
            self._cleared += 1
