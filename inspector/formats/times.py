"""When each message was recorded: what decides whether a provider's cache could still know a prefix.

Tools that keep a line or an object a message write a `timestamp` on it, whatever else they differ in. It is read by the
message's native place, so that no reader has to carry it along.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from math import nan
from typing import Any, TypeAlias

from inspector.formats.format import Recording
from inspector.message import Origin

TIMED = frozenset(("claude_code", "codex", "pi", "gemini_cli", "qwen_cli", "copilot_cli", "kimi_cli", "droid_cli"))
"""Formats that write one."""
KEYS = ("timestamp", "ts")

Values: TypeAlias = Callable[[Origin], Any]


def times_of(format: str, recording: Recording, origin: Callable[[int], Origin], rows: int) -> Sequence[float]:
    """Seconds since 1970 (UTC) of each message, NaN where it has none; empty where no message has one."""
    if format not in TIMED or recording.kind != "file":
        return ()
    value_at = _on_lines(recording) if recording.lines else _in_document(recording.document)
    times = array("d", [seconds(value_at(origin(row))) for row in range(rows)])
    return times if any(time == time for time in times) else ()


def _on_lines(recording: Recording) -> Values:
    values = {record.line + 1: record.value for record in recording.records}
    return lambda origin: values.get(origin.line or 0)


def _in_document(document: Any) -> Values:
    def value(origin: Origin) -> Any:
        """The innermost object on the way to the message that has a time."""
        at, found = document, None
        for token in origin.pointer.split("/")[1:]:
            at = _child(at, token)
            found = at if isinstance(at, dict) and any(key in at for key in KEYS) else found
        return found

    return value


def _child(value: Any, token: str) -> Any:
    if isinstance(value, list):
        return value[int(token)] if token.isdecimal() and int(token) < len(value) else None
    return value.get(token.replace("~1", "/").replace("~0", "~")) if isinstance(value, dict) else None


def seconds(value: Any) -> float:
    """The time on a recorded object: ISO 8601, or seconds or milliseconds since 1970; NaN where there is none."""
    given = next((value[key] for key in KEYS if key in value), None) if isinstance(value, dict) else None
    if isinstance(given, str):
        return _iso(given)
    if isinstance(given, int | float) and not isinstance(given, bool) and 0 < given < 1e14:
        return given / 1000 if given > 1e11 else float(given)
    return nan


def _iso(text: str) -> float:
    try:
        time = datetime.fromisoformat(text)
        return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError, OSError):
        return nan
