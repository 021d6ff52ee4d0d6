"""Claude Code's microcompact, as reported: old results are cleared after a pause, when the cache has gone cold.

Claude Code's source is closed, and write-ups by third parties are all that this follows: it is an approximation.
A pause is the time from an answer to what a later request holds that came after it. What was cleared stays cleared,
and later pauses clear more of the same; so the last long pause says it all, and the record is enough to find it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from inspector.change import Action, Plan
from inspector.message import ASSISTANT, Body, Context
from inspector.policies.policy import Mode, Param, Policy, Settings
from inspector.policies.zoo.drafting import Draft, left_alone, with_text_alone
from inspector.policies.zoo.exchanges import Exchanges, kinds_of
from inspector.policies.zoo.params import is_names, named
from inspector.policies.zoo.rewriting import Growing, Rewritten

CLEARED = "[Old tool result content cleared]"
COMPACTABLE = "Read, Bash, Grep, Glob, WebSearch, WebFetch, Edit, Write"
NO_TIMES = "no times are recorded here, so no pause is known; with gap_minutes 0 it acts at every request"

REASONS = (
    "no tool result, or of another tool: sent as recorded",
    "an old result before a long pause: a line stands for it",
    "among the newest results before the pause",
    "after the last long pause",
    "no long pause: everything is sent",
)
_, OLD, NEWEST, AFTER, NO_PAUSE = range(len(REASONS))


def plan(context: Context, settings: Settings) -> Plan:
    """The plan of the last microcompact that the pauses so far have set off."""
    minutes = settings["gap_minutes"]
    stop = pause(context, minutes * 60, len(context)) if minutes > 0 else len(context)
    draft, exchanges = Draft(context, REASONS), context.derived(Exchanges)
    if stop == 0 and len(context):
        return left_alone(context, REASONS, NO_PAUSE) if len(context.times) else _timeless(draft)
    tools = named(settings["compactable_tools"])
    found = [row for row in exchanges.results if tools is None or exchanges.name(row) in tools]
    before = [row for row in found if row < stop]
    old = before[: max(0, len(before) - max(0, settings["keep"]))]
    draft.spare(before[len(old) :], NEWEST)
    draft.spare(found[len(before) :], AFTER)
    for row in old:
        if context.messages[row].get("content") != CLEARED:
            draft.change(row, Action.PLACEHOLDER, OLD, len(CLEARED))
    return draft.plan(lambda row: _cleared(context.messages[row]))


def _timeless(draft: Draft) -> Plan:
    draft.warnings.append(NO_TIMES)
    draft.spare(range(len(draft.action)), NO_PAUSE)
    return draft.unwritten()


def pause(context: Context, seconds: float, stop: int, lowest: int = 0) -> int:
    """The row after the last request that came so long after the answer before it, of those after the row `lowest` and
    up to `stop`; 0 where there is none."""
    times, kinds = context.times, context.derived(kinds_of)
    while len(times) and stop > lowest:
        answer = kinds.rfind(ASSISTANT, 0, stop)
        if answer < 0:
            return 0
        if any(times[row] - times[answer] >= seconds for row in range(answer + 1, stop)):
            return stop
        stop = answer
    return 0


def _cleared(body: Body) -> Body:
    return with_text_alone(body, CLEARED)


class Steps(Growing):
    """The views of a run: every pause clears the results before it."""

    def __init__(self, context: Context, settings: Settings) -> None:
        super().__init__(context)
        exchanges, tools = context.derived(Exchanges), named(settings["compactable_tools"])
        self._seconds, self._keep = settings["gap_minutes"] * 60, max(0, settings["keep"])
        self._found = [row for row in exchanges.results if tools is None or exchanges.name(row) in tools]
        self._seen = self._cut = self._old = 0

    def advance(self, stop: int) -> Iterator[Rewritten]:
        """The results that a pause since the last request has cleared."""
        context = self.transcript.context
        last = pause(context, self._seconds, stop, self._seen) if self._seconds > 0 else stop
        self._seen, self._cut = stop, max(self._cut, last)
        old = max(self._old, bisect_left(self._found, self._cut) - self._keep)
        for row in self._found[self._old : old]:
            if context.messages[row].get("content") != CLEARED:
                yield Rewritten(row, _cleared(context.messages[row]), Action.PLACEHOLDER, REASONS[OLD])
        self._old = old


def stepper(context: Context, settings: Settings, mode: Mode) -> Steps | None:
    """The fast way through a stateless run."""
    return Steps(context, settings) if mode == "stateless" and context.derived(Exchanges).has_own_names else None


POLICY = Policy(
    name="claude-code-microcompact",
    mode="stateless",
    params=(
        Param(
            "gap_minutes", "minutes", 60, "A pause of at least this length clears old results; 0: every request does.",
            high=240, step=5, off=0,
        ),
        Param("keep", "results", 5, "Newest results of these tools, which are kept.", high=64),
        Param(
            "compactable_tools", "", COMPACTABLE, "The only tools whose results go, separated by commas; none: all.",
            kind="line", accepts=is_names,
        ),
    ),
    plan=plan,
    help=(
        "Approximate: as third parties report it, the source being closed. Clears old tool results after a pause of an "
        "hour, when the cache is cold anyway. It needs recorded times, and a result shorter than the line grows."
    ),
    protects="what user and model say, call arguments, results of other tools, and the newest results",
    source="Claude Code, as reported by third parties in 2026",
    stepper=stepper,
)  # fmt: skip

POLICIES = (POLICY,)
