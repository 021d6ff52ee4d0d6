"""Findings with their native place, made alike by every rule."""

from __future__ import annotations

from inspector.doctor.lookup import index_at
from inspector.doctor.native import Part, Turn
from inspector.doctor.rulebook import RULES
from inspector.finding import Finding, Severity


def finding(
    code: str, turn: Turn, pointer: str, says: str, *, row: int, severity: Severity | None = None, repair: str = ""
) -> Finding:
    """A finding at a place inside a turn; severity and repair are the rule book's where none is given."""
    entry = RULES[code]
    index = index_at(pointer, turn.line, turn.entry)
    line = None if turn.line is None else index + 1
    chosen = severity or entry.severity
    return Finding(
        code, chosen, says, index, pointer, line, row=row if row >= 0 else None, repair=repair or entry.repair
    )


def about_part(
    code: str, turn: Turn, part: Part, says: str, *, inner: str = "", severity: Severity | None = None, repair: str = ""
) -> Finding:
    """A finding about a part, or about `inner`, a pointer inside it."""
    pointer = inner or part.pointer
    return finding(code, turn, pointer, says, row=part.row, severity=severity, repair=repair)


def about_turn(code: str, turn: Turn, says: str, *, inner: str = "", severity: Severity | None = None) -> Finding:
    """A finding about a whole native entry, or about the pointer `inner` in it."""
    return finding(code, turn, inner or turn.pointer, says, row=turn.row, severity=severity)


def named(part: Part) -> str:
    """How a call or a result is spoken of: its tool and its id, as far as it has them."""
    name = part.name[:80] if part.name else "a tool"
    return f"{name} ({part.id[:80]})" if part.id else name
