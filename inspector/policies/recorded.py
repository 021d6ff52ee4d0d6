"""What the recording tool itself sent after one of its compactions, as a plan like a policy's.

So that what happened can be looked at, counted and searched in the same way as what a policy would do. It is no policy:
it has no settings, and a session without recorded compactions has no such view.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence

from inspector.change import Action, Insert, InsertKind, Plan, unchanged
from inspector.message import Body, Compaction, Session

NAME = "recorded"
_REASONS = (
    "",
    "left out by the recorded compaction",
    "kept by the recorded compaction",
    "said after the next compaction",
)
_PLAIN, _GONE, _KEPT, _LATER = range(len(_REASONS))


def compactions_of(session: Session) -> Sequence[Compaction]:
    """The compactions that left anything to send, in order."""
    return sorted((one for one in session.compactions if one.row <= len(session)), key=lambda one: one.row)


def compaction_at(session: Session, row: int) -> int:
    """Which compaction a row was sent after, from 0: the last one at or before it; for rows before all, the last."""
    found = compactions_of(session)
    before = sum(one.row <= row for one in found)
    return (before or len(found)) - 1


def plan(session: Session, which: int = -1) -> Plan:
    """The context after a compaction, up to the next one: the rows that it kept, its replacement, what followed.

    Args:
        session: one with compactions; without any, everything is sent as it is.
        which: a place in `compactions_of`, from 0; -1 is the last one.
    """
    found = compactions_of(session)
    if not found:
        return unchanged(session)
    done = found[which]
    rows = len(session)
    until = next((one.row for one in found if one.row > done.row), rows)
    reason = bytearray([_GONE]) * done.row + bytearray([_PLAIN]) * (until - done.row)
    reason += bytearray([_LATER]) * (rows - until)
    for row in done.kept:
        if 0 <= row < done.row:
            reason[row] = _KEPT
    inserts = _inserts(done, reason)
    gone = {_GONE: Action.MERGE if inserts else Action.DROP, _LATER: Action.DROP}
    action = bytes(gone.get(code, Action.KEEP) for code in reason)
    chars = array("q", session.columns.chars)
    for row in range(rows):
        if action[row]:
            chars[row] = 0
    return Plan(
        session, action, bytes(reason), (*_REASONS[:1], _named(_REASONS[1], done), *_REASONS[2:]), chars, _unwritten,
        inserts, stats=lambda: _stats(action, inserts), notes=(says(session, which),),
    )  # fmt: skip


def _named(reason: str, done: Compaction) -> str:
    return f"{reason} ({done.kind})" if done.kind else reason


def _inserts(done: Compaction, reason: bytearray) -> tuple[Insert, ...]:
    """The replacement, all of it beside the first row that it stands for."""
    first = reason.find(_GONE, 0, done.row)
    merges = (first, done.row) if first >= 0 else None
    said = _named("replacement summary as recorded", done)
    return tuple(Insert(done.row - 1, InsertKind.SUMMARY, body, said, merges) for body in done.replacement or ())


def says(session: Session, which: int = -1) -> str:
    """In words: `compaction 2 of 3 (auto) before row 41: recorded as 155,000 tokens to 12,000`."""
    found = compactions_of(session)
    done = found[which]
    kind = f" ({done.kind})" if done.kind else ""
    place = f"compaction {which % len(found) + 1:,} of {len(found):,}{kind} before row {done.row:,}"
    before, after = (None if size is None else f"{size:,}" for size in (done.before_tokens, done.after_tokens))
    if before and after:
        return f"{place}: recorded as {before} tokens to {after}"
    return f"{place}: recorded at {before} tokens" if before else place


def _stats(action: bytes, inserts: Sequence[Insert]) -> Mapping[str, int]:
    gone = len(action) - action.count(Action.KEEP)
    return {"rows_left_out": gone, "messages_put_in": len(inserts)}


def _unwritten(row: int) -> Body:
    raise LookupError(f"row {row} is sent as recorded")
