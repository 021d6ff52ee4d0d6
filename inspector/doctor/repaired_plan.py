"""A repaired recording as a plan over the recorded one: what was put in, taken out, moved and written otherwise.

So that a repair is looked at, counted and compared in the same way as what a policy would do. The two are matched by
their messages, since a repair knows places in the file and not rows.
"""

from __future__ import annotations

import json
from array import array
from bisect import bisect_left
from collections import deque
from collections.abc import Iterator, Mapping, Sequence

import orjson

from inspector.change import Action, Insert, InsertKind, Plan
from inspector.doctor.rulebook import RULES
from inspector.message import FUNCTION, TOOL, Body, Context, role_code, text_of

NAME = "repaired"
_REPAIRED = "repaired"
MOST_REASONS = 200
"""A plan's reasons are numbered in a byte."""


def plan(recorded: Context, repaired: Context, codes: Mapping[int, Sequence[str]], notes: Sequence[str] = ()) -> Plan:
    """What a repair did to the loaded messages.

    Args:
        recorded: the session as recorded.
        repaired: the session as its repaired copy is loaded.
        codes: the rules that were repaired, by the row of the recording.
        notes: what to say of the repair as a whole.
    """
    match = matched(recorded.messages, repaired.messages)
    action, reason, chars = bytearray(len(recorded)), bytearray(len(recorded)), array("q", recorded.columns.chars)
    reasons, now = [""], dict[int, Body]()
    keep = _in_order([row for row in match if row >= 0])
    inserts, after = [], -1
    for place, row in enumerate(match):
        body = repaired.messages[place]
        if row < 0:
            inserts.append(Insert(after, InsertKind.REPAIR, body, _why(_asking(body, after, codes))))
            continue
        after = row
        if not _same(recorded.messages[row], body):
            action[row], now[row], chars[row] = Action.REWRITE, body, len(text_of(body))
        elif row not in keep:
            action[row] = Action.MOVE
    for row in set(range(len(recorded))).difference(match):
        action[row], chars[row] = Action.DROP, 0
    for row in (row for row, done in enumerate(action) if done):
        reason[row] = _number(reasons, _why(codes.get(row, ())))
    order = [row for row in match if row >= 0] if Action.MOVE in action else None
    if order is not None:
        order += [row for row in range(len(recorded)) if action[row] == Action.DROP]
    return Plan(
        recorded, bytes(action), bytes(reason), tuple(reasons), chars, now.__getitem__, tuple(inserts), order,
        stats=lambda: {"rows_changed": len(action) - action.count(Action.KEEP), "messages_put_in": len(inserts)},
        notes=tuple(notes),
    )  # fmt: skip


def _asking(body: Body, after: int, codes: Mapping[int, Sequence[str]]) -> Sequence[str]:
    """The rules for which a message was put in: a result for its call, any other for the messages at its sides."""
    if role_code(body) in (TOOL, FUNCTION):
        return ("dangling-tool-call",)
    return codes.get(after + 1, ()) or codes.get(after, ())


def _why(codes: Sequence[str]) -> str:
    titles = dict.fromkeys(RULES[code].title for code in codes if code in RULES)
    return f"{_REPAIRED}: {', '.join(titles)}" if titles else _REPAIRED


def _number(reasons: list[str], why: str) -> int:
    if why not in reasons and len(reasons) < MOST_REASONS:
        reasons.append(why)
    return reasons.index(why) if why in reasons else 0


def _same(one: Body, other: Body) -> bool:
    key = key_of(one)
    alike = key == key_of(other)
    return alike and (b"null" not in key or _slowly(one) == _slowly(other))  # orjson writes NaN as null


def key_of(body: Body) -> bytes:
    """What two equal messages have in common."""
    try:
        return orjson.dumps(body, option=orjson.OPT_SORT_KEYS)
    except (TypeError, RecursionError):  # a lone surrogate, a number beyond 64 bits, a value nested too deep
        return _slowly(body)


def _slowly(body: Body) -> bytes:
    try:
        return json.dumps(body, sort_keys=True, default=str).encode()
    except RecursionError:
        return text_of(body).encode("utf-8", "surrogatepass")


def matched(before: Sequence[Body], after: Sequence[Body]) -> list[int]:
    """The row of `before` that each message of `after` is, unchanged or changed; -1 for one that is new.

    Equal messages are matched first, each to the next one in order that is left. Those between two matches that have
    the same role are taken to be one message, written otherwise.
    """
    places: dict[bytes, deque[int]] = {}
    for row, body in enumerate(before):
        places.setdefault(key_of(body), deque()).append(row)
    match = [-1] * len(after)
    for place, body in enumerate(after):
        rows = places.get(key_of(body))
        if rows:
            match[place] = rows.popleft()
    taken = set(match)
    for place, row in _rewritten(before, after, match, taken):
        match[place] = row
    return match


def _rewritten(
    before: Sequence[Body], after: Sequence[Body], match: Sequence[int], taken: set[int]
) -> Iterator[tuple[int, int]]:
    """Pairs of a message without a match and the first free row of its role since the last match."""
    row = 0
    for place, found in enumerate(match):
        if found >= 0:
            row = found + 1
            continue
        free = row
        while free < len(before) and free not in taken and role_code(before[free]) != role_code(after[place]):
            free += 1
        if free < len(before) and free not in taken:
            yield place, free
            row = free + 1


def _in_order(rows: Sequence[int]) -> frozenset[int]:
    """The rows of a longest ascending run: what need not be called moved."""
    tails: list[int] = []
    at: list[int] = []
    came_from = [-1] * len(rows)
    for place, row in enumerate(rows):
        length = bisect_left(tails, row)
        came_from[place] = at[length - 1] if length else -1
        tails[length : length + 1] = [row]
        at[length : length + 1] = [place]
    found, place = set(), at[-1] if at else -1
    while place >= 0:
        found.add(rows[place])
        place = came_from[place]
    return frozenset(found)


__all__ = ["NAME", "key_of", "matched", "plan"]
