"""Values of a recording as the type that a reader expects: a recording may hold anything anywhere."""

from __future__ import annotations

from typing import Any

from inspector.finding import Finding
from inspector.formats.format import Recording
from inspector.message import Body

_NAMES = {list: "a list", str: "a string", type(None): "null", bool: "a boolean"}


def as_text(value: Any) -> str:
    """The value where it is a string, else an empty one."""
    return value if isinstance(value, str) else ""


def as_list(value: Any) -> list[Any]:
    """The value where it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def as_dict(value: Any) -> Body:
    """The value where it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def as_count(value: Any) -> int:
    """The value where it is a whole number from 0, else 0."""
    return value if type(value) is int and value > 0 else 0


def tokens_or_none(value: Any) -> int | None:
    """The value where it is a whole number from 0; a recording that lacks a figure does not say 0."""
    return value if type(value) is int and value >= 0 else None


def dicts(value: Any) -> tuple[Body, ...]:
    """The objects of a list."""
    return tuple(one for one in as_list(value) if isinstance(one, dict))


def lines_of(recording: Recording) -> list[tuple[int, Any]]:
    """The lines of a JSON Lines file with their 0-based numbers; a file of one line was read as one JSON value."""
    if recording.lines:
        return [(record.line, record.value) for record in recording.records]
    return [(0, recording.document)]


def objects_of(recording: Recording) -> tuple[list[tuple[int, Body]], list[Finding]]:
    """The lines that hold an object, and a finding for each that holds something else."""
    lines = lines_of(recording)
    damage = [unreadable(line, f"/{line}", value) for line, value in lines if not isinstance(value, dict)]
    return [(line, value) for line, value in lines if isinstance(value, dict)], damage


def unreadable(index: int, pointer: str, value: Any, *, numbered: bool = True, wanted: str = "an object") -> Finding:
    """The finding that a value of another type than the `wanted` one stands at a place and was left out.

    `numbered` says that `index` is a 0-based line of a JSON Lines file.
    """
    kind = _NAMES.get(type(value), "an object" if isinstance(value, dict) else "a number")
    where = f"Line {index + 1}" if numbered else pointer or "The file"
    says = f"{where} holds {kind} where {wanted} was expected; it was left out."
    return Finding("unparseable-record", "warning", says, index, pointer, index + 1 if numbered else None)
