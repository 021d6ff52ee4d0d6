"""LangChain's clearing of old tool results (`ClearToolUsesEdit`), for one request and over a whole run."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator

from inspector.change import Action, Plan
from inspector.message import ASSISTANT, SYSTEM, Body, Context
from inspector.policies.policy import Mode, Settings
from inspector.policies.zoo import arguments
from inspector.policies.zoo.approximate import Approximate, tokens
from inspector.policies.zoo.cuts import running
from inspector.policies.zoo.drafting import Draft, left_alone, with_text
from inspector.policies.zoo.exchanges import Exchanges, kinds_of
from inspector.policies.zoo.params import named
from inspector.policies.zoo.rewriting import Growing, Rewritten, rewritten

REASONS = (
    "recent, excluded, or not needed to be cleared: sent as recorded",
    "an old result: a placeholder stands for it",
    "arguments of calls whose results are cleared",
    "below the trigger: everything is sent",
)
_, CLEARED, ARGUMENTS_CLEARED, BELOW = range(len(REASONS))


def clear(context: Context, settings: Settings) -> Plan:
    """The plan of `ClearToolUsesEdit`."""
    if sum(context.derived(Approximate).tokens) - _apart(context, settings) <= settings["trigger"]:
        return left_alone(context, REASONS, BELOW)
    results, clearing = context.derived(Exchanges).results, Clearing(context, settings)
    for row in results[: max(0, len(results) - max(0, settings["keep"]))]:
        clearing.take(row)
        if clearing.is_enough:
            break
    return clearing.plan()


def _apart(context: Context, settings: Settings) -> int:
    """Tokens of a leading system message that does not count."""
    system_first = len(context) > 0 and context.derived(kinds_of)[0] == SYSTEM
    return context.derived(Approximate).tokens[0] if system_first and not settings["system_counted"] else 0


class Clearing:
    """Results cleared one by one, with the tokens that this has saved."""

    def __init__(self, context: Context, settings: Settings) -> None:
        self._draft = Draft(context, REASONS)
        self._least: int = settings["clear_at_least"]
        self._saved = 0
        self._context, self._counts = context, context.derived(Approximate)
        self._exchanges = context.derived(Exchanges)
        self._excluded = named(settings["exclude_tools"]) or frozenset()
        self._placeholder = settings["placeholder"] or ""
        self._inputs = settings["clear_tool_inputs"]
        self._emptied: dict[int, set[int]] = defaultdict(set)
        """The calls of a message whose arguments are cleared."""
        self._chars: dict[int, int] = {}
        """Characters of a message, once arguments of it are cleared."""
        self.touched: set[int] = set()
        """The rows that were changed; whoever goes on from here empties it."""

    @property
    def is_enough(self) -> bool:
        """Whether as much is saved as shall be."""
        return 0 < self._least <= self._saved

    def take(self, row: int) -> None:
        """Clear a result, unless it is excluded or answers no call of the nearest assistant message before it."""
        caller = self._exchanges.kinds.rfind(ASSISTANT, 0, row)
        keys = self._exchanges.keys.get(caller, ())
        key = self._exchanges.answers[row]
        if key not in keys or self._exchanges.name(row) in self._excluded:
            return
        content, new = self._context.messages[row].get("content"), self._placeholder
        if content != new and not (content is None and not new):
            self._saved += self._counts.tokens[row] - self._counts.with_content(row, new)
            self._draft.change(row, Action.PLACEHOLDER, CLEARED, len(new))
            self.touched.add(row)
        if self._inputs:
            self._empty(caller, keys.index(key))

    def _empty(self, row: int, place: int) -> None:
        given, size = self._exchanges.calls[row][place].arguments, self._counts.sizes[row].args[place]
        if place in self._emptied[row] or (size == len(arguments.EMPTY) and arguments.read(given) == {}):
            return
        self._emptied[row].add(place)
        self.touched.add(row)
        self._draft.change(row, Action.CLEAR_ARGUMENTS, ARGUMENTS_CLEARED)
        before = self._chars.get(row, self._counts.sizes[row].chars)
        listed = isinstance(self._context.messages[row].get("content"), list)  # then calls are not counted
        after = before if listed else before + len(arguments.EMPTY) - size
        self._saved += tokens(before) - tokens(after)
        self._chars[row] = after

    def plan(self) -> Plan:
        """The plan of what was taken."""
        return self._draft.plan(self._write)

    def _write(self, row: int) -> Body:
        body = self._context.messages[row]
        if self._draft.action[row] == Action.PLACEHOLDER:
            return with_text(body, self._placeholder)
        return arguments.emptied(body, self._emptied[row])

    def rewritten(self, row: int) -> Rewritten:
        """A row that was changed."""
        return rewritten(self._draft, row, self._write(row))


class Steps(Growing):
    """The views of a stateless run: once a request is over the trigger, each result is cleared when it is old."""

    def __init__(self, context: Context, settings: Settings) -> None:
        super().__init__(context)
        self._clearing = Clearing(context, settings)
        self._until = running(context.derived(Approximate).tokens)
        self._over, self._keep = settings["trigger"] + _apart(context, settings), max(0, settings["keep"])
        self._old = 0

    def advance(self, stop: int) -> Iterator[Rewritten]:
        """The results that have become old, where the request is over the trigger."""
        if self._until[stop] <= self._over:
            return
        clearing, results = self._clearing, self.transcript.context.derived(Exchanges).results
        old = bisect_left(results, stop) - self._keep
        while self._old < old and not clearing.is_enough:
            clearing.take(results[self._old])
            self._old += 1
        yield from map(clearing.rewritten, sorted(clearing.touched))
        clearing.touched.clear()


def stepper(context: Context, settings: Settings, mode: Mode) -> Steps | None:
    """The fast way through a stateless run in which no later call can take a result away."""
    return Steps(context, settings) if mode == "stateless" and context.derived(Exchanges).has_own_ids else None
