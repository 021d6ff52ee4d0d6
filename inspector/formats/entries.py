"""Values inside a recording, each with its native place: what the readers of lists, logs and datasets walk over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from inspector.formats.format import Recording
from inspector.formats.lenient import step
from inspector.formats.rows import Place, Where


class Entry(NamedTuple):
    """A value and where it stands."""

    value: Any
    place: Place

    def at(self, *keys: str) -> Entry:
        """The value under keys, None where there is none."""
        value, pointer = self.value, self.place.pointer
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None
            pointer += step(key)
        return Entry(value, self.place._replace(pointer=pointer))

    def each(self, *keys: str) -> list[Entry]:
        """The elements of the list under keys; in a file that is one JSON value their index is their place in it."""
        inner = self.at(*keys)
        values = inner.value if isinstance(inner.value, list) else []
        index, pointer, line = inner.place
        return [
            Entry(value, Place(number if line is None else index, f"{pointer}/{number}", line))
            for number, value in enumerate(values)
        ]


def entries_of(recording: Recording) -> list[Entry]:
    """The lines of JSON Lines, the elements of an array, or the file's one object."""
    if recording.lines:
        return [Entry(value, Place(line, f"/{line}", line + 1)) for value, line, _ in recording.records]
    root = root_of(recording)
    return root.each() if isinstance(root.value, list) else [root]


def root_of(recording: Recording) -> Entry:
    """The one JSON value of a file."""
    return Entry(recording.document, Place(0, ""))


def samples_of(recording: Recording, count: int = 50) -> list[Any]:
    """The first values of a recording, as `entries_of` gives them: what recognition looks at."""
    if recording.lines:
        return list(recording.sample(count))
    document = recording.document
    return document[:count] if isinstance(document, list) else [document]


def where(entries: Sequence[Entry]) -> Where:
    """The places of entries by their position in a list: the native numbers of rows made of them."""
    return lambda number: entries[number].place
