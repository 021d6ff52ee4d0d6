"""The value at a pointer of a recording: how a finding's or a row's place leads back to what was recorded."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from inspector.formats import Recording

MISSING: Any = object()
"""Stands for a value that is not there: null is one that is."""

_NUMBERS = re.compile(r"\d+")


class Lookup:
    """Finds values of one recording. In JSON Lines the first token of a pointer is the line."""

    def __init__(self, recording: Recording | None) -> None:
        self._recording = recording
        self._inner: dict[str, Lookup] = {}
        self._root: Any = MISSING
        self._lines: dict[str, list[Any]] | None = None
        if recording is not None and recording.lines:
            self._lines = {}
            for value, line, _ in recording.records:
                self._lines.setdefault(str(line), []).append(value)
        elif recording is not None and recording.kind == "file":
            self._root = recording.document

    def within(self, file: str) -> Lookup:
        """The values of a file in a folder; of this recording where there is no such file."""
        files = self._recording.files if self._recording is not None and file else None
        if files is None or file not in files:
            return self
        if file not in self._inner:
            self._inner[file] = Lookup(files[file])
        return self._inner[file]

    def at(self, pointer: str) -> Any:
        """The value there; `MISSING` where there is none, as in a folder or a database."""
        tokens = pointer.split("/")
        if self._lines is None:
            return self._inside(self._root, tokens[1:])
        found = (self._inside(value, tokens[2:]) for value in self._lines.get(tokens[1] if tokens[1:] else "", ()))
        return next((value for value in found if value is not MISSING), MISSING)

    def _inside(self, value: Any, tokens: Iterable[str]) -> Any:
        for token in tokens:
            if type(value) is list:
                value = value[int(token)] if token.isdecimal() and int(token) < len(value) else MISSING
            elif type(value) is dict:
                if token not in value and "~" in token:
                    token = token.replace("~1", "/").replace("~0", "~")
                value = value.get(token, MISSING)
            else:
                return MISSING
        return value


def place_order(pointer: str) -> tuple[int, ...]:
    """What sorts pointers of one list, or of lines, in the order of the file."""
    return tuple(map(int, _NUMBERS.findall(pointer)))


def holder_of(pointer: str) -> str:
    """The pointer of what holds a value."""
    return pointer.rpartition("/")[0]


def index_at(pointer: str, line: int | None, index: int) -> int:
    """The native index of a place inside an entry: in JSON Lines its own line, else the entry's index."""
    if line is None:
        return index
    first = pointer[1:].partition("/")[0]
    return int(first) if first.isdecimal() else index
