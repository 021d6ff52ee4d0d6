"""What both generations of OpenHands share: text and image contents, and the view that condensations leave.

A condensation forgets events by id and puts a summary at an offset among those that stay (openhands, view.py): the
context after it is the events before the offset, the summary, the other events. Condensations add up, and a later one
may forget the summary of an earlier one.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from inspector.finding import Finding
from inspector.formats.datasets import arguments
from inspector.formats.entries import Entry
from inspector.formats.format import Recording
from inspector.formats.kept import LOOKED_THROUGH
from inspector.formats.rows import Draft, Place, Spot, image_part
from inspector.formats.shapes import as_list, unreadable
from inspector.message import Body, Compaction

KIND = "condensation"
LONGEST_NUMBER = 18
"""Digits of an event's number; a name in an archive may have more than can be read as one."""


class View:
    """The events that are in the context, as they come and are forgotten."""

    def __init__(self, messages: Sequence[Body]) -> None:
        """`messages` are the rows in the making."""
        self._messages = messages
        self._seen: list[tuple[str, int | Body]] = []
        """By event: its row, or the summary that it left."""
        self._compactions: list[Compaction] = []
        self._left = LOOKED_THROUGH

    def see(self, event: Any, row: int) -> None:
        """Note that an event is in the context, and in which row it is."""
        self._seen.append((str(event), row))

    def condense(self, event: Any, forgotten: Collection[str], summary: str, offset: Any) -> None:
        """Apply a condensation that stands after the rows so far.

        Once the condensations have been looked for among more events than any session has, they are not applied.
        In the compaction, `kept` are the rows that stay before the summary; summary and later rows are its
        replacement, so that their order is the one that the model saw.
        """
        self._left -= len(self._seen)
        if self._left < 0:
            return
        stay = [one for one in self._seen if one[0] not in forgotten]
        at = offset if type(offset) is int and 0 <= offset <= len(stay) else len(stay)
        if summary:
            stay.insert(at, (f"{event}-summary", {"role": "user", "content": summary}))
        self._seen = stay
        rows = list(dict.fromkeys(held if isinstance(held, int) else -1 for _, held in stay))
        first = rows.index(-1) if -1 in rows else len(rows)
        replacement = self._bodies(stay, set(rows[:first]))
        kept = tuple(rows[:first])
        self._compactions.append(Compaction(len(self._messages), KIND, kept=kept, replacement=replacement or None))

    def _bodies(self, stay: Sequence[tuple[str, int | Body]], told: set[int]) -> tuple[Body, ...]:
        bodies: list[Body] = []
        for _, held in stay:
            if not isinstance(held, int):
                bodies.append(held)
            elif held not in told:
                bodies.append(self._messages[held])
                told.add(held)
        return tuple(bodies)

    def events(self) -> list[str]:
        """The ids of the events in the context."""
        return [name for name, _ in self._seen] if self._left >= 0 else []

    def compactions(self) -> tuple[Compaction, ...]:
        """The compactions, without those that no message follows."""
        return tuple(one for one in self._compactions if one.row < len(self._messages))


def event_folders(files: Mapping[str, Recording], name: re.Pattern[str]) -> dict[str, list[Entry]]:
    """The events of a folder by where they stand (group 1 of `name`), in the order of their numbers (group 2)."""
    folders: dict[str, list[tuple[int, str]]] = {}
    for path in files:
        match = name.fullmatch(path)
        if match and len(match[2]) <= LONGEST_NUMBER:
            folders.setdefault(match[1], []).append((int(match[2]), path))
    return {
        folder: [Entry(files[path].document, Place(number, f"{path}#")) for number, path in sorted(found)]
        for folder, found in folders.items()
    }


def no_events(entries: Sequence[Entry], *, in_files: bool) -> tuple[Finding, ...]:
    """The findings about entries that are no objects; a file that held none has one already."""
    return tuple(
        unreadable(entry.place.native, entry.place.pointer, entry.value, numbered=entry.place.line is not None)
        for entry in entries
        if not isinstance(entry.value, dict) and not (in_files and entry.value is None)
    )


def say(draft: Draft, native: int, pointer: str, content: Any) -> None:
    """Take in a content: a string, or parts of type text and image (`image_urls`)."""
    if not isinstance(content, list):
        if content is not None:
            draft.say(Spot(native, pointer), arguments(content))
        return
    for at, part in enumerate(content):
        spot = Spot(native, f"{pointer}/{at}")
        urls = as_list(part.get("image_urls")) if isinstance(part, dict) else []
        if isinstance(part, dict) and isinstance(part.get("text"), str):
            if part["text"]:  # a call without a thought has an empty one
                draft.say(spot, part["text"])
        elif urls:
            say_images(draft, native, f"{spot.inner}/image_urls", urls)
        else:
            draft.say(spot, part if isinstance(part, dict) else arguments(part))


def say_images(draft: Draft, native: int, pointer: str, urls: Any) -> None:
    """Take in a list of image addresses."""
    for at, url in enumerate(as_list(urls)):
        if isinstance(url, str):
            draft.say(Spot(native, f"{pointer}/{at}"), image_part(url))
