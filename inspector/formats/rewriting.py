"""A plan over messages as patches of the recorded file: one way for every format, over a few facts about each.

A message's origin says in which entries (elements of the message list, lines, files) it lies, and which pieces of them
are its own. An entry whose messages all go is taken out whole; where others stay, only the pieces go. A new message
becomes an entry beside the one that it follows. What a format knows besides is in its `Shape`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import import_module
from typing import Any, NamedTuple, TypeAlias

from inspector.change import (
    AS_RECORDED,
    GONE,
    Action,
    Copied,
    Doing,
    Insert,
    Patch,
    Plan,
    Site,
    part_sites,
    removed,
    replaced,
    site_of,
)  # fmt: skip
from inspector.formats.format import CannotWrite
from inspector.formats.native import ABSENT, Native
from inspector.formats.scan import tokens
from inspector.message import Body, calls_of


@dataclass(frozen=True, slots=True)
class Row:
    """A message with its native places."""

    number: int
    body: Body
    site: Site
    calls: tuple[Site, ...]
    """Where its calls stand, in their order."""
    pieces: tuple[Site, ...]
    """Where its other blocks stand, in recorded order; of a tool's result the place of the result."""

    @property
    def sites(self) -> tuple[Site, ...]:
        """All of its pieces; the message itself where it has none."""
        return (*self.calls, *self.pieces) or (self.site,)


@dataclass(slots=True)
class Change:
    """What a changed message is in its file."""

    patches: list[Patch] = field(default_factory=list)
    removed: list[Site] = field(default_factory=list)
    """Pieces that go; an entry that holds nothing else goes with them."""


class New(NamedTuple):
    """Messages that no recording holds, and where they go."""

    native: Native
    bodies: Sequence[Body]
    site: Site
    """The entry beside which they go."""
    doing: Doing
    """On which side of it."""
    rows: Sequence[Row]
    """The messages of the session."""
    after: int
    """The row that they follow; -1 is the start."""

    @property
    def beside(self) -> Any:
        """The entry beside which they go, as recorded."""
        return self.native.value(self.site)


@dataclass(slots=True)
class Placed:
    """New entries, for a format that links its entries."""

    row: int
    """The row that they follow; -1 is the start."""
    site: Site
    doing: Doing
    values: list[Any]


@dataclass(slots=True)
class Moves:
    """What a plan does to the entries as such."""

    gone: set[Site] = field(default_factory=set)
    placed: list[Placed] = field(default_factory=list)


Link: TypeAlias = Callable[[Native, Sequence[Row], Moves], Iterable[Patch]]


def _nothing_held(entry: Any) -> Sequence[str]:
    return ()


def _itself(native: Native, entry: Site) -> Iterable[Site]:
    return (entry,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What is to be known of a format to write it."""

    change: Callable[[Native, Row, Body], Change]
    """A changed message. Raises `CannotWrite`."""
    encode: Callable[[New], list[Any]]
    """New messages as entries; where entries are files, as pairs of a path and what it holds. Raises `CannotWrite`."""
    inner: str = ""
    """What an origin's pointer has below the entry, such as "/message"."""
    entry: Callable[[Row, Site], Site] | None = None
    """The entry of a piece, where `inner` does not say it."""
    holds: Callable[[Any], Sequence[str]] = _nothing_held
    """The pointers, in an entry, of all that it holds: without any of it it goes."""
    block: Callable[[New], Any] | None = None
    """One new result as a block to stand beside others in their entry; without it results are entries."""
    answer: Callable[[Native, Site, Body], Iterable[Patch]] | None = None
    """A new result in the record of its call."""
    whole: Callable[[Native, Site], Iterable[Site]] = _itself
    """All that goes where an entry does."""
    link: Link | None = None
    """Links of entries, mended; it may complete the new entries."""
    own: bool = False
    """Whether loaded messages are the file's own values, so that what is written reads as the very same."""


def patches_of(native: Native, plan: Plan, place: str) -> list[Patch]:
    """A plan as changes of the recorded file, in the shape at `place` (see `Format.shape`).

    Raises `CannotWrite` where the plan has no place in the format.
    """
    module, _, name = place.partition(".")
    shape: Shape = getattr(import_module(f"inspector.formats.{module}"), name)
    return _Rewriting(shape, native, plan).patches()


def rows_of(native: Native) -> list[Row]:
    """The messages of a session with their native places."""
    rows = [_row(number, body, native) for number, body in enumerate(native.session.messages)]
    glued: dict[Site, list[Row]] = {}
    for row in rows:
        if row.site.line is not None and row.site.line in native.glued(row.site.file):
            glued.setdefault(Site("", row.site.line, row.site.file), []).append(row)
    for line, of_line in glued.items():
        for row in _told_apart(native, line, of_line):
            rows[row.number] = row
    return rows


def _row(number: int, body: Body, native: Native) -> Row:
    origin = native.session.origin(number)
    sites = part_sites(origin)
    calls = len(calls_of(body)) if sites else 0
    return Row(number, body, site_of(origin), sites[:calls], sites[calls:])


def _told_apart(native: Native, line: Site, rows: Sequence[Row]) -> Iterator[Row]:
    """Messages whose records are glued together on a line, each with its record: the order tells them apart."""
    assert line.line is not None
    numbers = range(len(native.records(line.file)[line.line]))
    speaking = [nth for nth in numbers if any(_stands(native, row, nth) for row in rows)]
    if len(speaking) != len(rows):
        raise CannotWrite(f"line {line.line + 1:,} holds records glued together that cannot be told apart")
    for row, nth in zip(rows, speaking, strict=True):
        yield _in_record(row, nth)


def _in_record(row: Row, nth: int) -> Row:
    def moved(sites: Sequence[Site]) -> tuple[Site, ...]:
        return tuple(site._replace(nth=nth) if site.line == row.site.line else site for site in sites)

    return replace(row, site=row.site._replace(nth=nth), calls=moved(row.calls), pieces=moved(row.pieces))


def _stands(native: Native, row: Row, nth: int) -> bool:
    return all(native.value(site) is not ABSENT for site in _in_record(row, nth).sites)


class _Rewriting:
    def __init__(self, shape: Shape, native: Native, plan: Plan) -> None:
        self._shape, self._native, self._plan = shape, native, plan
        self._rows = rows_of(native)
        self._moves = Moves()
        self._patches: list[Patch] = []
        self._gone_pieces: set[Site] = set()
        self._filled: set[Site] = set()
        """Entries into which something is put."""

    def patches(self) -> list[Patch]:
        """The plan as patches."""
        gone = {row.number for row in self._rows if self._goes(row)}
        kept = {entry for row in self._rows if row.number not in gone for entry in self._entries(row)}
        for row in self._rows:
            if row.number in gone:
                self._take_out(row, kept)
            elif self._plan.action[row.number] not in AS_RECORDED:
                self._change(row)
        for anchor, items in self._floats().items():
            self._put(anchor, items)
        self._empty()
        self._refuse_to_part([row for row in self._rows if row.number not in gone])
        return [*self._patches, *self._removals(), *self._placed()]

    def _goes(self, row: Row) -> bool:
        """A plan of an earlier request does not reach to the end: what comes after it was not sent."""
        return row.number >= len(self._plan.action) or self._plan.action[row.number] in GONE

    def _entry(self, row: Row, site: Site) -> Site:
        if self._shape.entry is not None:
            return self._shape.entry(row, site)
        if site.file != row.site.file:
            return Site("", None, site.file)
        home = row.site.pointer.removesuffix(self._shape.inner)
        depth = home.count("/")
        return site._replace(pointer="".join("/" + token for token in site.pointer.split("/")[1 : depth + 1]))

    def _entries(self, row: Row) -> set[Site]:
        return {self._entry(row, site) for site in (row.site, *row.calls, *row.pieces)}

    def _main_entries(self, row: Row) -> set[Site]:
        """Its entries in the file that it begins in: parts may have files of their own."""
        return {entry for entry in self._entries(row) if entry.file == row.site.file}

    def _take_out(self, row: Row, kept: set[Site]) -> None:
        for entry in self._entries(row) - kept:
            self._moves.gone.add(entry)
        self._gone_pieces.update(site for site in row.sites if self._entry(row, site) in kept)

    def _change(self, row: Row) -> None:
        change = self._shape.change(self._native, row, self._plan.write(row.number))
        self._patches += change.patches
        self._gone_pieces.update(change.removed)
        written = (patch.site for patch in change.patches if patch.doing is not Doing.REMOVE)
        self._filled.update(self._entry(row, site) for site in written)

    def _empty(self) -> None:
        """Find the entries that hold nothing any more."""
        homes: dict[Site, set[Site]] = {}
        for row in self._rows:
            for site in row.sites:
                if site in self._gone_pieces:
                    homes.setdefault(self._entry(row, site), set()).add(site)
        for entry, gone in homes.items():
            held = self._shape.holds(self._native.value(entry))
            all_go = bool(held) and all(entry.under(pointer) in gone for pointer in held)
            if entry in gone or (all_go and entry not in self._filled):
                self._moves.gone.add(entry)

    def _refuse_to_part(self, kept: Sequence[Row]) -> None:
        """A result may stand in the record of its call: one cannot go without the other."""
        for row in kept:
            for site in row.sites:
                if site not in self._gone_pieces and any(above in self._gone_pieces for above in _above(site)):
                    raise CannotWrite(
                        f"row {row.number:,} stays, but is recorded inside what goes: a call that holds it"
                    )

    def _removals(self) -> Iterator[Patch]:
        gone = self._moves.gone
        gone.update([site for entry in gone for site in self._shape.whole(self._native, entry)])
        yield from map(removed, gone)
        for site in self._gone_pieces - gone:
            if not any(above in gone or above in self._gone_pieces for above in _above(site)):
                yield removed(site)

    # What is new or moved.

    def _floats(self) -> dict[int, list[Insert | Row]]:
        """Inserts and moved rows, by the row in its place that they follow."""
        plan = self._plan
        after: dict[int, list[Insert]] = {}
        for insert in plan.inserts:
            after.setdefault(insert.after, []).append(insert)
        floats: dict[int, list[Insert | Row]] = {}
        anchor = last = -1
        for row in (-1, *(range(len(plan.action)) if plan.order is None else plan.order)):
            if row >= 0 and plan.action[row] == Action.MOVE:
                floats.setdefault(anchor, []).append(self._rows[row])
            elif row < last:
                raise CannotWrite("the messages are to be sent in an order that the plan does not explain")
            else:
                anchor = last = row
            floats.setdefault(anchor, []).extend(after.get(row, ()))
        return {row: items for row, items in floats.items() if items}

    def _put(self, anchor: int, items: Sequence[Insert | Row]) -> None:
        waiting: list[Body] = []
        values: list[Any] = []
        site, doing = self._spot(anchor)
        for item in items:
            if isinstance(item, Row):
                values += self._encoded(anchor, (site, doing), waiting)
                values.append(self._moved(item))
                waiting = []
            elif not self._answered(anchor, item.body):
                waiting.append(item.body)
        values += self._encoded(anchor, (site, doing), waiting)
        if values:
            self._moves.placed.append(Placed(anchor, site, doing, values))

    def _spot(self, anchor: int) -> tuple[Site, Doing]:
        """Beside which entry something goes that follows a row."""
        if anchor >= 0:
            last = max(self._main_entries(self._rows[anchor]), key=_order)
            if _is_listed(last):
                return last, Doing.AFTER
        for row in self._rows[anchor + 1 :]:
            first = min(self._main_entries(row), key=_order)
            if _is_listed(first):
                return first, Doing.BEFORE
        raise CannotWrite("there is no message in the file beside which a new one could stand")

    def _encoded(self, anchor: int, spot: tuple[Site, Doing], bodies: Sequence[Body]) -> list[Any]:
        return self._shape.encode(New(self._native, bodies, *spot, self._rows, anchor)) if bodies else []

    def _moved(self, row: Row) -> Copied:
        entries = self._entries(row)
        sharing = self._sharing
        if self._shape.link or len(entries) != 1 or any(len(sharing[entry]) > 1 for entry in entries):
            raise CannotWrite(f"row {row.number:,} cannot be moved by itself in a file of this format")
        entry = next(iter(entries))
        self._moves.gone.add(entry)
        return Copied(entry)

    @cached_property
    def _sharing(self) -> dict[Site, list[int]]:
        found: dict[Site, list[int]] = {}
        for row in self._rows:
            for entry in self._entries(row):
                found.setdefault(entry, []).append(row.number)
        return found

    def _answered(self, anchor: int, body: Body) -> bool:
        """Write a result where results do not stand in entries of their own."""
        shape = self._shape
        if body.get("role") != "tool" or anchor < 0:
            return False
        if shape.answer is not None:
            self._patches += shape.answer(self._native, self._call(anchor, body), body)
            return True
        beside = self._rows[anchor]
        if shape.block is None or beside.body.get("role") != "tool" or self._goes(beside) or not beside.pieces:
            return False
        new = New(self._native, [body], beside.pieces[-1], Doing.AFTER, self._rows, anchor)
        self._patches.append(Patch(beside.pieces[-1], Doing.AFTER, (shape.block(new),)))
        self._filled.update(self._entries(beside))
        return True

    def _call(self, anchor: int, body: Body) -> Site:
        for row in reversed(self._rows[: anchor + 1]):
            for site, call in zip(row.calls, calls_of(row.body), strict=False):
                if call.id == body.get("tool_call_id"):
                    return site
        raise CannotWrite(f"no call before row {anchor:,} is answered by a new result")

    def _placed(self) -> list[Patch]:
        links = list(self._shape.link(self._native, self._rows, self._moves)) if self._shape.link else []
        return links + [patch for one in self._moves.placed for patch in _put_in(one)]


def _put_in(one: Placed) -> Iterator[Patch]:
    """New entries in their place. Files have none: each says its own name."""
    if one.site.file and not one.site.pointer and one.site.line is None:
        for path, value in one.values:
            yield replaced(Site("", None, path), value)
    else:
        yield Patch(one.site, one.doing, tuple(one.values))


def _above(site: Site) -> Iterator[Site]:
    pointer = site.pointer
    while pointer:
        pointer = pointer.rpartition("/")[0]
        yield site._replace(pointer=pointer)


def _order(site: Site) -> tuple[str, int, int, list[tuple[int, str]]]:
    steps = [(int(token), "") if token.isdecimal() else (-1, token) for token in tokens(site.pointer)]
    return site.file, -1 if site.line is None else site.line, site.nth or 0, steps


def _is_listed(entry: Site) -> bool:
    """Whether an entry has neighbours: it is an element, a record or a file."""
    if not entry.pointer:
        return entry.line is not None or bool(entry.file)
    return entry.pointer.rpartition("/")[2].isdecimal()
