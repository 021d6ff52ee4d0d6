"""A session under repair: what its findings are about, and how its entries are put in, moved or taken out."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from inspector.change import Copied, Doing, Patch, Site, removed, replaced
from inspector.doctor.examine import Examination
from inspector.doctor.lookup import Lookup
from inspector.doctor.native import Kind, Native, Part, Role, Turn
from inspector.doctor.pairing import Pairing
from inspector.doctor.shapes import Layout
from inspector.doctor.targets import Target
from inspector.finding import Finding
from inspector.formats import Recording
from inspector.message import Context

_NAMESPACE = uuid.UUID("b0a3c1de-5d1c-4f4e-9d36-7a52f6f0c7d1")


@dataclass(frozen=True, eq=False)
class Sick:
    """One state of a session under repair."""

    examination: Examination
    recording: Recording
    target: Target
    original: Context | None = None

    @property
    def native(self) -> Native:
        """The session in its own shape."""
        return self.examination.native

    @property
    def pairing(self) -> Pairing:
        """Which result answers which call."""
        return self.examination.pairing

    @cached_property
    def lookup(self) -> Lookup:
        """The recorded values by their pointers."""
        return Lookup(self.recording)

    @property
    def lined(self) -> bool:
        """Whether the file is JSON Lines."""
        return self.recording.lines

    def site(self, pointer: str) -> Site:
        """The site at a finding's pointer."""
        if not self.lined:
            return Site(pointer)
        line, slash, inner = pointer[1:].partition("/")
        return Site(slash + inner, int(line))

    def entry_site(self, pointer: str) -> Site:
        """The site of an entry: the whole line where it is all that a line holds."""
        site = self.site(pointer)
        return site._replace(pointer="") if site.line is not None and site.pointer == "/payload" else site

    def value(self, pointer: str) -> Any:
        """What stands at a pointer."""
        return self.lookup.at(pointer)

    def part(self, finding: Finding) -> Part | None:
        """The part that a finding is about."""
        return self.native.part_at(finding.pointer)

    def turn_at(self, pointer: str) -> Turn | None:
        """The native entry at a pointer."""
        number = self._turns.get(pointer)
        return None if number is None else self.native.turns[number]

    def turn(self, finding: Finding) -> Turn | None:
        """The native entry that a finding is about."""
        turn = self.turn_at(finding.pointer)
        if turn is not None:
            return turn
        part = self.part(finding)
        return None if part is None else self.native.turn_of(part)

    @cached_property
    def _turns(self) -> Mapping[str, int]:
        return {turn.pointer: number for number, turn in enumerate(self.native.turns)}

    def number(self, turn: Turn) -> int:
        """Which turn of the session it is."""
        return self._turns[turn.pointer]

    def moved(self, pointer: str) -> Any:
        """The value at a pointer, for another place: as it is written, where the file is one JSON value."""
        return self.value(pointer) if self.lined and self.site(pointer).pointer else Copied(self.site(pointer))

    def plain(self, value: Any) -> Any:
        """A value that `moved` gave, for use inside another one."""
        return self.value(value.site.pointer) if isinstance(value, Copied) else value

    def group_end(self, turn: int) -> int:
        """The last turn of the model's run that a turn is in, with the results that follow it at once."""
        turns = self.native.turns
        if self.native.shape.merged:
            while turn + 1 < len(turns) and turns[turn + 1].role == Role.ASSISTANT:
                turn += 1
        while turn + 1 < len(turns) and is_result_turn(turns[turn + 1]):
            turn += 1
        return turn

    def without_parts(self, parts: Iterable[Part]) -> Iterator[Patch]:
        """Take parts out; an entry of which nothing is left goes as a whole."""
        of_turn: dict[int, list[Part]] = {}
        for part in parts:
            of_turn.setdefault(part.turn, []).append(part)
        for number, gone in of_turn.items():
            turn = self.native.turns[number]
            pointers = {part.pointer for part in gone}
            if turn.role != Role.SYSTEM and (pointers >= {part.pointer for part in turn.parts}):
                yield from self.without_entry(turn)
            else:
                yield from self._without_blocks(turn, pointers)

    def _without_blocks(self, turn: Turn, pointers: set[str]) -> Iterator[Patch]:
        """Take blocks out of an entry that stays; of a streamed message a line that is left empty goes."""
        empty: set[int] = set()
        if self.lined and self.native.shape.links:
            lines: dict[int, list[str]] = {}
            for part in turn.parts:
                lines.setdefault(self.site(part.pointer).line or 0, []).append(part.pointer)
            empty = {line for line, held in lines.items() if pointers.issuperset(held)}
            yield from self.without_lines(empty)
        yield from (removed(self.site(one)) for one in pointers if self.site(one).line not in empty)

    def without_entry(self, turn: Turn) -> Iterator[Patch]:
        """Take a whole native entry out, with all its lines."""
        if not (self.lined and self.native.shape.links):
            yield removed(self.entry_site(turn.pointer))
            return
        lines = {self.site(part.pointer).line for part in turn.parts} | {self.site(turn.pointer).line}
        told = {line for line in lines if line is not None}
        yield from self.without_lines(
            told if turn.parts else {other for line in told for other in self._streamed(line)}
        )

    # Lines that name their parents.

    @cached_property
    def records(self) -> Mapping[int, Any]:
        """The objects of a JSON Lines file by their line."""
        return {record.line: record.value for record in self.recording.records if isinstance(record.value, dict)}

    def _id(self, line: int) -> str | None:
        found = self.records[line].get(self.native.shape.links[0]) if line in self.records else None
        return found if isinstance(found, str) else None

    def _parent_key(self, line: int) -> str | None:
        """The key that names a line's parent."""
        keys = self.native.shape.links[1:]
        return next((key for key in keys if isinstance(self.records[line].get(key), str)), None)

    def _parent(self, line: int) -> str | None:
        key = self._parent_key(line)
        return None if key is None else self.records[line][key]

    def _streamed(self, line: int) -> set[int]:
        """A line, and the lines that stream the same message without a block: no part of the message tells of them."""
        message = self.records.get(line, {}).get("message")
        name = message.get("id") if isinstance(message, dict) else None
        if not isinstance(name, str):
            return {line}
        said = ((other, record.get("message")) for other, record in self.records.items())
        return {line} | {
            other
            for other, again in said
            if isinstance(again, dict) and again.get("id") == name and not again.get("content")
        }

    @cached_property
    def _line_of(self) -> Mapping[str, int]:
        known: dict[str, int] = {}
        for line in self.records:
            name = self._id(line)
            if name is not None:
                known.setdefault(name, line)
        return known

    @cached_property
    def _live(self) -> frozenset[int]:
        """The lines from the root to the last one that speaks."""
        turns = self.native.turns
        last = turns[-1] if turns else None
        spots = [] if last is None else [last.pointer, *(part.pointer for part in last.parts)]
        here: int | None = max((self.site(spot).line or 0 for spot in spots), default=None)
        live: set[int] = set()
        while here is not None and here not in live and here in self.records:
            live.add(here)
            here = self._line_of.get(self._parent(here) or "")
        return frozenset(live)

    @cached_property
    def _linked(self) -> bool:
        """Whether the lines of the file form a tree; loose ones stay loose."""
        return len(self.records) < 2 or any(self._parent(line) in self._line_of for line in self.records)

    def without_lines(self, lines: set[int]) -> Iterator[Patch]:
        """Take lines out, and hang what hung off them on their nearest ancestor that stays."""
        gone = {name: line for line in lines if (name := self._id(line)) and self._line_of.get(name) == line}
        yield from (removed(Site("", line)) for line in sorted(lines))
        for line in self.records:
            parent = self._parent(line)
            if line in lines or parent is None or parent not in gone:
                continue
            yield replaced(Site(f"/{self._parent_key(line)}", line), self._staying(parent, gone))

    def _staying(self, name: str | None, gone: Mapping[str, int]) -> str | None:
        """A line's id, or that of its nearest ancestor that stays."""
        seen: set[str] = set()
        while name is not None and name in gone and name not in seen:
            seen.add(name)
            name = self._parent(gone[name])
        return name

    def line_after(self, line: int, records: Sequence[dict[str, Any]], *, moved: int | None = None) -> Iterator[Patch]:
        """Put records after a line, each the child of the one before, and hang the next live line on the last."""
        links = self.native.shape.links
        parent = self._id(line) if links and self._linked else None
        chained = bool(links) and parent is not None
        for record in records if chained else ():
            record[links[1]] = parent
            parent = record[links[0]]
        for record in records if links and not chained else ():
            if record.get(links[1]) not in self._line_of and links[1] in record:
                record[links[1]] = None  # copied from a neighbour whose parent is not there
        yield Patch(Site("", line), Doing.AFTER, tuple(records))
        following = self._child(line, moved) if chained else None
        if following is not None:
            yield replaced(Site(f"/{self._parent_key(following)}", following), parent)

    def _child(self, line: int, moved: int | None) -> int | None:
        """The line of the live path that follows a line; past one that is being moved away."""
        name = self._id(line)
        children = [one for one in self._live if one != line and self._parent(one) == name]
        child = min(children, default=None)
        return self._child_of_moved(child) if child is not None and child == moved else child

    def _child_of_moved(self, line: int) -> int | None:
        name = self._id(line)
        return min((one for one in self._live if self._parent(one) == name), default=None)

    def fresh_id(self, like: str, about: str) -> str:
        """An id for a new line: the same at every repair, shaped like its neighbours'."""
        made = uuid.uuid5(_NAMESPACE, f"{like}:{about}")
        return str(made) if "-" in like or len(like) > 16 else made.hex[: max(len(like), 4)]


def is_result_turn(turn: Turn) -> bool:
    """Whether a turn holds nothing but results."""
    return turn.role == Role.RESULT or (bool(turn.parts) and all(part.kind == Kind.RESULT for part in turn.parts))


def holds_blocks(native: Native) -> bool:
    """Whether results stand as blocks or parts in the user's messages, and messages in a list."""
    return native.shape.layout in (Layout.BLOCKS, Layout.PARTS) and not native.shape.entry
