"""Entries linked to their parents, mended where some are taken out or put in: nothing else of a tree is touched.

Who hung off an entry that is gone hangs off its nearest ancestor that stays. A new entry takes its place on the live
path: it gets the parent, and only the entry after it is relinked. The rest of the tree keeps its links, broken ones
too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from inspector.change import Doing, Patch, Site, replaced
from inspector.formats.lenient import step
from inspector.formats.native import Native
from inspector.formats.rewriting import Link, Moves, Placed, Row
from inspector.message import Body


@dataclass(frozen=True, slots=True)
class _Keys:
    id: str
    parents: tuple[str, ...]


def linked(id_key: str, *parent_keys: str) -> Link:
    """Mends links: an entry's id, and the keys that may name its parent, the first that does."""
    keys = _Keys(id_key, parent_keys)
    return lambda native, rows, moves: _Mending(native, rows, moves, keys).patches()


class _Mending:
    def __init__(self, native: Native, rows: Sequence[Row], moves: Moves, keys: _Keys) -> None:
        self._moves, self._keys = moves, keys
        self._entries = _entries(native, rows[-1].site) if rows else []
        self._at: dict[str, int] = {}
        for place, (_, value) in enumerate(self._entries):
            name = value.get(keys.id)
            if isinstance(name, str):
                self._at.setdefault(name, place)
        self._place = {site: place for place, (site, _) in enumerate(self._entries)}
        self._gone = {self._place[site] for site in moves.gone if site in self._place}
        self._before = self._told(rows)
        """By the place of a message's entry, that of the message before it: where a link is broken, it stands in."""
        self._path = self._live(rows)
        self._positions = {place: position for position, place in enumerate(self._path)}

    def patches(self) -> Iterator[Patch]:
        """The links that change; new entries get theirs. A file without a link that leads anywhere stays so."""
        if not any(self._parent(place) >= 0 for place in range(len(self._entries))):
            return
        wanted = dict(self._beside()) | dict(self._along())
        for place, parent in wanted.items():
            site, value = self._entries[place]
            key = self._key(value)
            if value.get(key) != parent:
                yield replaced(site.under(step(key)), parent)

    def _key(self, value: Body) -> str:
        """The key that names an entry's parent."""
        first = self._keys.parents[0]
        return next((key for key in self._keys.parents if isinstance(value.get(key), str)), first)

    def _parent(self, place: int) -> int:
        value = self._entries[place][1]
        name = value.get(self._key(value))
        return self._at.get(name, -1) if isinstance(name, str) else -1

    def _staying(self, place: int) -> int:
        """A place, or its nearest ancestor that stays; -1 where there is none."""
        seen = set[int]()
        while place in self._gone:
            if place in seen:
                return -1
            seen.add(place)
            place = self._parent(place)
        return place

    def _id(self, place: int) -> str | None:
        name = self._entries[place][1].get(self._keys.id) if place >= 0 else None
        return name if isinstance(name, str) else None

    def _told(self, rows: Sequence[Row]) -> dict[int, int]:
        before: dict[int, int] = {}
        last = -1
        for row in rows:
            for place in self._of(row):
                if place != last and place not in before:
                    before[place] = last
                    last = place
        return before

    def _of(self, row: Row) -> list[int]:
        """The places of a message's entries, in the order of the file."""
        sites = (row.site, *row.calls, *row.pieces)
        found = {self._place.get(above) for site in sites for above in _itself_and_above(site)}
        return sorted(place for place in found if place is not None)

    def _live(self, rows: Sequence[Row]) -> list[int]:
        """The places from the root to the leaf, and on to what hangs below it at the end of the file."""
        leaves = self._of(rows[-1]) if rows else []
        for end in (len(self._entries) - 1, *leaves[-1:]):
            path = self._up(end)
            if not leaves or leaves[-1] in path:
                return path[::-1]
        return []

    def _up(self, place: int) -> list[int]:
        path: dict[int, None] = {}
        while place >= 0 and place not in path:
            path[place] = None
            parent = self._parent(place)
            place = parent if parent >= 0 else self._before.get(place, -1)
        return list(path)

    def _beside(self) -> Iterator[tuple[int, str | None]]:
        """The entries whose parent is gone."""
        for place in range(len(self._entries)):
            parent = self._parent(place)
            if parent in self._gone and place not in self._gone:
                yield place, self._id(self._staying(parent))

    def _along(self) -> Iterator[tuple[int, str | None]]:
        """The entries on the path that come to follow another one than before."""
        after: dict[int, list[Placed]] = {}
        for one in self._moves.placed:
            after.setdefault(self._position(one), []).append(one)
        parent, moved = None, False
        for position in range(-1, len(self._path)):
            place = self._path[position] if position >= 0 else -1
            if place in self._gone:
                moved = True
            elif place >= 0:
                if moved:
                    yield place, parent
                parent, moved = self._id(place), False
            for one in after.get(position, ()):
                parent, moved = self._chain(one.values, parent), True

    def _position(self, one: Placed) -> int:
        """Where on the path a new entry comes: after the place of that number."""
        place = self._place.get(one.site, -1)
        if place in self._positions:
            return self._positions[place] - (one.doing is Doing.BEFORE)
        earlier = [position for position, on in enumerate(self._path) if on <= place]
        return earlier[-1] if earlier else -1

    def _chain(self, values: Sequence[Any], parent: str | None) -> str | None:
        """Give new entries their parents; in a file without ids they have none."""
        for value in values:
            if self._keys.id not in value:
                continue
            value[self._keys.parents[0]] = parent
            parent = value[self._keys.id]
        return parent


def _itself_and_above(site: Site) -> Iterator[Site]:
    yield site
    pointer = site.pointer
    while pointer:
        pointer = pointer.rpartition("/")[0]
        yield site._replace(pointer=pointer)


def _entries(native: Native, site: Site) -> list[tuple[Site, Body]]:
    """All entries of the file, or of the list, that a message stands in."""
    first = Site("", site.line, site.file) if site.line is not None else _first_in_list(site)
    return [(entry, value) for entry, value in native.siblings(first) if isinstance(value, dict)]


def _first_in_list(site: Site) -> Site:
    return site._replace(pointer="/" + site.pointer.split("/")[1] + "/0")
