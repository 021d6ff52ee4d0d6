"""Damage found while reading, as findings: each has the severity that TAXONOMY.md gives its code."""

from __future__ import annotations

import re
from collections.abc import Mapping

from inspector.finding import Finding, Severity
from inspector.text import visible_line

MOST = 1000
"""Findings that are kept of one file; the last one then says how many more there were."""

LONGEST_POINTER = 120
"""Characters of a pointer that a sentence holds; the finding has it whole."""

_SEVERITY: Mapping[str, Severity] = {
    "bom": "info",
    "big-integer": "info",
    "empty-file": "error",
    "lone-surrogate": "error",
}
_LISTED = re.compile(r".*/(?:messages|traj|conversation)/(\d+)(?:/|$)", re.DOTALL)
_FIRST = re.compile(r"/(\d+)(?:/|$)")


class Damage:
    """What was wrong with one file, in the order in which it was found."""

    def __init__(self) -> None:
        self._found: list[Finding] = []
        self._more = 0

    def whole_file(self, code: str, says: str, byte: int | None = None) -> Finding:
        """Note something about the file as a whole."""
        return self._add(Finding(code, severity_of(code), says, byte=byte))

    def on_line(self, code: str, number: int, byte: int, says: str, inside: str = "") -> None:
        """Note something on the 0-based physical line `number` of a JSON Lines file, or `inside` its value."""
        if len(self._found) == MOST:
            self._more += 1
            return
        pointer, line = f"/{number}{inside}", number + 1
        place = f"line {line:,}" + (f", {_short(inside)}" if inside else "")
        self._add(Finding(code, severity_of(code), f"{place} (byte {byte:,}): {says}", number, pointer, line, byte))

    def in_document(self, code: str, pointer: str, byte: int, says: str) -> None:
        """Note something in a file that is one JSON value."""
        place = f"{_short(pointer) or 'the file'} (byte {byte:,})"
        self._add(Finding(code, severity_of(code), f"{place}: {says}", message_index(pointer), pointer, byte=byte))

    def findings(self) -> tuple[Finding, ...]:
        """What was found, at most `MOST`."""
        if not self._more:
            return tuple(self._found)
        last = self._found[-1]
        more = Finding(last.code, last.severity, f"{self._more:,} more places of the file are damaged")
        return (*self._found, more)

    def _add(self, finding: Finding) -> Finding:
        if len(self._found) < MOST:
            self._found.append(finding)
        else:
            self._more += 1
        return finding


def bad_bytes(count: int) -> str:
    """What is said of bytes that are no UTF-8."""
    return "a byte is no UTF-8; U+FFFD stands for it" if count == 1 else (
        f"{count:,} bytes are no UTF-8; U+FFFD stands for each")  # fmt: skip


def nul_bytes(count: int) -> str:
    """What is said of NUL bytes."""
    return "a NUL byte is left out" if count == 1 else f"{count:,} NUL bytes are left out"


def _short(pointer: str) -> str:
    """A pointer as part of a sentence: a key of a damaged file may be as long as the file."""
    return visible_line(pointer if len(pointer) <= LONGEST_POINTER else f"{pointer[: LONGEST_POINTER - 1]}…")


def severity_of(code: str) -> Severity:
    """How bad damage of that code is."""
    return _SEVERITY.get(code, "warning")


def message_index(pointer: str) -> int | None:
    """The native index of the message that a pointer into a JSON document leads to or into."""
    match = _LISTED.match(pointer) or _FIRST.match(pointer)
    return int(match[1]) if match else None
