"""The recent tail that a parameter of a policy promises to leave alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from inspector.change import InsertKind
from inspector.message import TOOL, USER
from inspector.policies.policy import Param, Policy
from inspector.policies.sent import SentView

TAIL_PARAMS = frozenset((
    "keep", "keep_recent", "keep_verbatim", "keep_tool_uses", "keep_last_groups", "keep_last_tool_call_groups",
    "buffer_size", "tail_size", "recent_turns", "num_invocations_to_keep",
))  # fmt: skip
"""Names under which policies have such a parameter."""


def tail_rows(view: SentView, policy: Policy) -> Sequence[int] | None:
    """The rows at the end that the settings protect; None where the policy has no such parameter, or in such a unit.

    A product's group or round may hold several messages, so that it protects more than these, never less.
    """
    for param in policy.params:
        if param.name in TAIL_PARAMS:
            count, unit = view.settings.get(param.name), _unit(param, view)
            if unit in _ROWS and isinstance(count, int) and not isinstance(count, bool):
                return _ROWS[unit](view, max(0, count))
    return None


def _unit(param: Param, view: SentView) -> str:
    if param.unit == "groups" and "tool" in param.name:
        return "results"
    return param.unit or str(view.settings.get(f"{param.name}_unit"))


def _newest_messages(view: SentView, count: int) -> Sequence[int]:
    """The newest rows; a stub that was put in for a missing result is one of the messages too."""
    stubs = Counter(insert.after for insert in view.plan.inserts if insert.kind == InsertKind.REPAIR)
    start = len(view.plan.action)
    while start > 0 and count > stubs[start - 1]:
        count -= stubs[start - 1] + 1
        start -= 1
    return range(start, len(view.plan.action))


def _newest_results(view: SentView, count: int) -> Sequence[int]:
    return _newest(view, TOOL, count)


def _newest_turns(view: SentView, count: int) -> Sequence[int]:
    """From the user message on with which the oldest of the turns begins."""
    users = _newest(view, USER, count)
    return range(users[0] if users else len(view.plan.action), len(view.plan.action))


def _newest(view: SentView, role: int, count: int) -> Sequence[int]:
    rows = [row for row, code in enumerate(view.plan.context.columns.role) if code == role]
    return rows[max(0, len(rows) - count) :]


_ROWS: Mapping[str, Callable[[SentView, int], Sequence[int]]] = {
    "messages": _newest_messages,
    "groups": _newest_messages,
    "results": _newest_results,
    "uses": _newest_results,
    "turns": _newest_turns,
    "invocations": _newest_turns,
}
