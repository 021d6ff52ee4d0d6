"""What the reader says about one message: the views of it, and a few lines of what is known about it.

No textual here: every page is a list of lines made from what is shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from inspector.change import GONE, Action, Insert, Plan
from inspector.message import ROLES, Body, role_code
from inspector.text import signed, thousands
from inspector.tui.difference import difference
from inspector.tui.faults import Verdict, family, short
from inspector.tui.glyphs import GLYPHS, NAMES, SEVERITIES
from inspector.tui.message_lines import Kind, Line, Lines, lines_of, pretty_json
from inspector.tui.shown import Shown

if TYPE_CHECKING:
    from inspector.doctor.told import Fault

VIEWS = ("original", "sent", "diff", "raw", "findings")
OTHER = "other"
"""The view that there is beside a B: what B sends."""
TITLES = {
    "original": "original", "sent": "sent", "diff": "diff", "raw": "raw JSON", "findings": "findings", OTHER: "B",
}  # fmt: skip
ONE_CUT = frozenset((Action.HEAD, Action.TAIL, Action.MIDDLE))


def views_of(shown: Shown | None) -> tuple[str, ...]:
    """The views that there are."""
    return VIEWS if shown is None or shown.other is None else (*VIEWS, OTHER)


def page(shown: Shown, row: int, view: str) -> list[Line]:
    """One view of one message as lines. Raises KeyError for a view that is neither of `VIEWS` nor `OTHER`."""
    if not 0 <= row < len(shown.session):
        return [Line("there is no message here", Kind.NOTE)]
    return _PAGES[view](shown, row)


def _original(shown: Shown, row: int) -> list[Line]:
    return lines_of(shown.session.messages[row])


def _sent(shown: Shown, row: int) -> list[Line]:
    body = sent_body(shown, row)
    lines = [Line(not_sent(shown, row), Kind.NOTE)] if body is None else lines_of(body)
    for insert in _inserts(shown, row):
        lines += [Line(""), insert_line(shown, insert), *lines_of(insert.body)]
    return lines


def _other(shown: Shown, row: int) -> list[Line]:
    if shown.other is None or shown.apart is None:
        return [Line("nothing is held as B", Kind.NOTE)]
    same = [] if shown.apart.at(row) else [Line("sent as A sends it", Kind.NOTE), Line("")]
    return [*same, *_sent(shown.other, row)]


def _diff(shown: Shown, row: int) -> list[Line]:
    original, sent = shown.session.messages[row], sent_body(shown, row)
    if sent is None:
        lines = [Line(not_sent(shown, row), Kind.NOTE), *_as(original, Kind.REMOVED)]
    elif sent is original:
        lines = [Line("sent as recorded", Kind.NOTE)]
    else:
        lines = _changed(original, sent, shown.view.plan.action[row])
    for insert in _inserts(shown, row):
        lines += [Line(""), insert_line(shown, insert), *_as(insert.body, Kind.ADDED)]
    return lines


def _raw(shown: Shown, row: int) -> list[Line]:
    original, sent = shown.session.messages[row], sent_body(shown, row)
    lines = _json_lines(original)
    if sent is not None and sent is not original:
        lines += [Line(""), Line("as sent", Kind.HEADING), *_json_lines(sent)]
    for insert in _inserts(shown, row):
        lines += [Line(""), insert_line(shown, insert), *_json_lines(insert.body)]
    return lines


def _findings(shown: Shown, row: int) -> list[Line]:
    faults = [*introduced_at(shown, row), *shown.recorded.at.get(row, ())]
    if not faults:
        unsure = shown.verdict.recorded is None
        return [Line("still being examined" if unsure else "nothing is wrong with this message", Kind.NOTE)]
    lines: list[Line] = []
    for fault in faults:
        lines += [*([Line("")] if lines else []), *explanation(fault, shown.verdict)]
    return lines


def introduced_at(shown: Shown, row: int) -> Sequence[Fault]:
    """What the policy brought in at a row, once the doctor has looked."""
    introduced = shown.verdict.introduced
    return introduced.at.get(row, ()) if introduced is not None else ()


def explanation(fault: Fault, verdict: Verdict) -> list[Line]:
    """A finding in full: its rule, what is wrong, who refuses it with which words, what helps, and where it stands."""
    from inspector.doctor.rulebook import RULES

    finding = fault.finding
    mark, rule = SEVERITIES[finding.severity], RULES.get(finding.code)
    refused = [Line(f"{fault.refused_by} says: {fault.refusal}")] if fault.refusal else []
    place = f"; at {finding.pointer}" if finding.pointer else ""
    return [
        Line(f"{mark} {finding.severity}   {finding.code}: {short(fault)}", Kind.HEADING),
        Line(finding.says),
        *refused,
        Line(f"repair: {finding.repair or (rule.repair if rule else 'None.')}"),
        Line(f"{family(finding.code) or 'what a policy broke'}; {verdict.standing(fault)}{place}", Kind.NOTE),
    ]


_PAGES = {"original": _original, "sent": _sent, "diff": _diff, "raw": _raw, "findings": _findings, OTHER: _other}


def sent_body(shown: Shown, row: int) -> Body | None:
    """What is sent for a row; None where it is gone or this request does not reach it."""
    plan = shown.view.plan
    return plan.body(row) if row < len(plan.action) else None


def not_sent(shown: Shown, row: int) -> str:
    """Why nothing is sent for a row, in one sentence."""
    plan = shown.view.plan
    if row >= len(plan.action):
        return "not sent: this request comes before the message"
    reason = plan.reasons[plan.reason[row]]
    insert = stand_in(plan, row) if plan.action[row] == Action.MERGE else None
    where = f"; the {insert.kind} beside row {max(0, insert.anchor)} stands for it" if insert else ""
    return f"not sent: {reason}{where}"


def stand_in(plan: Plan, row: int) -> Insert | None:
    """The insert that stands for a merged row."""
    covering = (insert for insert in plan.inserts if insert.merges and insert.merges[0] <= row < insert.merges[1])
    return next(covering, None)


def insert_line(shown: Shown, insert: Insert) -> Line:
    """What heads an inserted message."""
    role = ROLES[role_code(insert.body)]
    tokens = thousands(shown.tokens_of(insert))
    return Line(f"inserted {insert.kind}, sent as {role}, {tokens} tokens: {insert.reason}", Kind.INSERT)


def _inserts(shown: Shown, row: int) -> list[Insert]:
    return shown.inserts_by_anchor.get(row, [])


def _as(body: Body, kind: Kind) -> list[Line]:
    return [line if line.kind is Kind.NOTE else Line(line.plain, kind) for line in lines_of(body)]


def _changed(original: Body, sent: Body, action: int) -> list[Line]:
    before, after = original.get("content"), sent.get("content")
    others_alike = {**original, "content": None} == {**sent, "content": None}
    if isinstance(before, str) and isinstance(after, str) and others_alike:
        return difference(before, after, cut=action in ONE_CUT)
    return difference(_plain(original), _plain(sent))


def _plain(body: Body) -> str:
    return "\n".join(line.plain for line in lines_of(body))


def _json_lines(body: Body) -> list[Line]:
    lines = Lines()
    lines.add(pretty_json(body), Kind.JSON)
    return lines.found


def facts(shown: Shown, row: int) -> list[Line]:
    """What is known about a message: its place, tokens, what the policy does to it and why, and what that breaks."""
    if not 0 <= row < len(shown.session):
        return []
    return list(_facts(shown, row))


def _facts(shown: Shown, row: int) -> Iterator[Line]:
    yield Line(f"{_name(shown, row)}   {_place(shown, row)}   {_tokens(shown, row)}", Kind.HEADING)
    for harm in (*shown.harm(row), *shown.recorded.harm(row)):  # first: a small reader cuts off what comes last
        yield Line(f"{SEVERITIES[harm.severity]} {harm.words}", Kind(harm.severity))
    plan = shown.view.plan
    if row < len(plan.action):
        action, reason = plan.action[row], plan.reasons[plan.reason[row]]
        name = f"{GLYPHS[action]} {NAMES[Action(action)]}".strip()
        yield Line(f"{name}: {reason}" if reason else name, Kind.NOTE)


def _name(shown: Shown, row: int) -> str:
    message = shown.session.message(row)
    tool = f" {message.tool}" if message.tool and message.role in ("tool", "function") else ""
    answers = f" answers {message.answers}" if message.answers else ""
    return f"#{row} {message.role}{tool}{answers}"


def _place(shown: Shown, row: int) -> str:
    origin = shown.session.origin(row)
    line = f"line {thousands(origin.line)} " if origin.line is not None else ""
    return f"{line}at {origin.pointer}" if origin.pointer else line or "no native place"


def _tokens(shown: Shown, row: int) -> str:
    sure = "" if shown.counted else "~"
    before = shown.before[row]
    if row >= len(shown.view.plan.action):
        return f"{sure}{thousands(before)} tokens"
    after = 0 if shown.view.plan.action[row] in GONE else shown.row_tokens(row)
    if after == before:
        return f"{sure}{thousands(before)} tokens"
    return f"{sure}{thousands(before)} -> {thousands(after)} tokens ({sure}{signed(after - before)})"
