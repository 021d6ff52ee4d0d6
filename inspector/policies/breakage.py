"""What a plan breaks: shown at once, before a provider says so.

Only what the plan itself does is counted here; what was wrong with the recording already is the doctor's business.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import compress
from operator import gt

from inspector.change import GONE, IS_GONE, Action, Plan
from inspector.finding import Finding, Severity
from inspector.message import DEVELOPER, SYSTEM, TOOL, USER, Context, calls_of
from inspector.pairs import pairs_of

ELLIPSES = ("...", "…", '..."', '…"', ']"', "]'")


class Breakage(StrEnum):
    """One kind of harm that a plan can do. The value is a finding's code (TAXONOMY.md where it has one)."""

    ORPHAN = "orphan-tool-result"
    DANGLING = "dangling-tool-call"
    NO_SYSTEM = "system-prompt-dropped"
    NO_FIRST_USER = "first-user-message-dropped"
    GREW = "result-grew"
    MARKER = "marker-in-tool-arguments"


SAYS: Mapping[Breakage, str] = {
    Breakage.ORPHAN: "this result is sent without its call",
    Breakage.DANGLING: "this call is sent without its result",
    Breakage.NO_SYSTEM: "the system prompt is not sent",
    Breakage.NO_FIRST_USER: "the first user message, often the task, is not sent",
    Breakage.GREW: "shortening made this result longer",
    Breakage.MARKER: "a marker stands inside call arguments, and models copy what they read",
}

_WARNINGS = frozenset((Breakage.GREW, Breakage.MARKER, Breakage.NO_FIRST_USER))


def severity_of(kind: Breakage) -> Severity:
    """How bad a breakage is: an error is refused by providers."""
    return "warning" if kind in _WARNINGS else "error"


@dataclass(frozen=True, eq=False)
class Breakages:
    """What a plan breaks, by row."""

    rows: Mapping[int, tuple[Breakage, ...]]
    """Row of the original to what is broken there; rows ascend."""

    @property
    def counts(self) -> Mapping[Breakage, int]:
        """How often each kind occurs."""
        return Counter(kind for kinds in self.rows.values() for kind in kinds)

    @property
    def total(self) -> int:
        """How many breakages there are."""
        return sum(map(len, self.rows.values()))


def breakages(plan: Plan) -> Breakages:
    """Everything that the plan breaks. Linear in what the plan changes, apart from scans of byte columns."""
    found: dict[int, tuple[Breakage, ...]] = {}
    for row, kind in sorted(_all(plan)):
        found[row] = (*found.get(row, ()), kind)
    return Breakages(found)


def _all(plan: Plan) -> Iterator[tuple[int, Breakage]]:
    if plan.action.count(Action.DROP) or plan.action.count(Action.MERGE):
        yield from _parted(plan)
        yield from _firsts_gone(plan)
    yield from _grown(plan)
    yield from _markers(plan)


def _parted(plan: Plan) -> Iterator[tuple[int, Breakage]]:
    gone = plan.action.translate(IS_GONE)
    for call_row, call, result_row in plan.context.derived(pairs_of).pairs:
        if gone[call_row]:
            if not gone[result_row]:
                yield result_row, Breakage.ORPHAN
        elif gone[result_row] and not _call_gone(plan, call_row, call):
            yield call_row, Breakage.DANGLING


def _call_gone(plan: Plan, row: int, place: int) -> bool:
    """Whether a message is sent without one of its calls."""
    if plan.action[row] != Action.CLEAR_ARGUMENTS:
        return False
    recorded, sent = calls_of(plan.context.messages[row]), calls_of(plan.write(row))
    if len(sent) >= len(recorded) or place >= len(recorded):
        return not recorded and "function_call" not in plan.write(row)
    call = recorded[place]
    return call.id not in {other.id for other in sent} if call.id else sent.count(call) < recorded.count(call)


def first_rows(context: Context) -> tuple[int, int]:
    """The rows of the first system (or developer) message and of the first user message; -1 where there is none."""
    role = context.columns.role
    system = [row for row in (role.find(SYSTEM), role.find(DEVELOPER)) if row >= 0]
    return min(system, default=-1), role.find(USER)


def _firsts_gone(plan: Plan) -> Iterator[tuple[int, Breakage]]:
    system, user = plan.context.derived(first_rows)
    if system >= 0 and plan.action[system] in GONE:
        yield system, Breakage.NO_SYSTEM
    if user >= 0 and plan.action[user] in GONE:
        yield user, Breakage.NO_FIRST_USER


def _grown(plan: Plan) -> Iterator[tuple[int, Breakage]]:
    columns = plan.context.columns
    if plan.chars is columns.chars or plan.chars == columns.chars:
        return
    for row in compress(range(len(plan.chars)), map(gt, plan.chars, columns.chars)):
        if columns.role[row] == TOOL and plan.action[row] != Action.DROP_IMAGE:  # a line stands for the picture
            yield row, Breakage.GREW


def _markers(plan: Plan) -> Iterator[tuple[int, Breakage]]:
    row = plan.action.find(Action.CLEAR_ARGUMENTS)
    while row >= 0:
        recorded = {call.arguments for call in calls_of(plan.context.messages[row])}
        sent = {call.arguments for call in calls_of(plan.write(row))}
        if any(map(_holds_marker, sent - recorded)):
            yield row, Breakage.MARKER
        row = plan.action.find(Action.CLEAR_ARGUMENTS, row + 1)


def _holds_marker(arguments: str) -> bool:
    return arguments.rstrip("} \n").endswith(ELLIPSES)


def findings(plan: Plan) -> tuple[Finding, ...]:
    """The breakages as findings, each at the native place of its message."""
    return tuple(_finding(plan, row, kind) for row, kinds in breakages(plan).rows.items() for kind in kinds)


def _finding(plan: Plan, row: int, kind: Breakage) -> Finding:
    origin = plan.context.origin(row)
    return Finding(
        code=kind.value, severity=severity_of(kind), says=SAYS[kind],
        message_index=origin.index, pointer=origin.pointer, line=origin.line, row=row,
    )  # fmt: skip
