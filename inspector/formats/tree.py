"""Records linked to their parents: which are on the live path, for the formats that keep every branch in one file.

The live path leads from the leaf to the root; what is beside it was left. Nothing recurses, and no order of records,
cut, copy or cycle can make the walk hang: where a link is broken, the record before it in the file stands in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from inspector.finding import Finding
from inspector.formats.branches import Forks, branch, leaves_of
from inspector.message import Body, Branch

ROOT = -1


class Linked(NamedTuple):
    """One record of a file."""

    line: int
    """0-based."""
    value: Body
    id: str
    """Empty where it has none."""
    parent: Any
    """The id of its parent as recorded; None where it begins the tree."""


class Path(NamedTuple):
    """The records of a file by place (0, 1, 2 ... in file order), told apart."""

    live: list[int]
    """From the root to the leaf."""
    left: list[int]
    """All others, in file order."""
    parents: list[int]
    damage: tuple[Finding, ...]


def live_path(records: Sequence[Linked], leaf: int, key: str, speaking: Sequence[bool]) -> Path:
    """The path from the leaf (a place) to the root.

    `key` is what the format calls the link, `speaking` says which records are messages: only those are counted in the
    findings about branches that were left.
    """
    parents, broken = _parents(records)
    live, damage = _walk(records, leaf, key, parents, broken)
    on = set(live)
    left = [place for place in range(len(records)) if place not in on]
    return Path(live, left, parents, (*damage, *_branches(records, left, parents, speaking)))


def branches_of(
    path: Path, records: Sequence[Linked], speaking: Sequence[bool], native: Sequence[int],
    told: Callable[[Linked], Sequence[Body]],
) -> tuple[tuple[int, ...], tuple[Branch, ...]]:  # fmt: skip
    """The leaves of the branches beside a path (places), and the branches.

    `native` is the line that each row of the live path begins on; `told` tells one record as rows.
    """
    leaves = leaves_of(path.left, path.parents, lambda place: speaking[place])
    forks = Forks(native, [records[place].line for place in path.live])
    found = [
        branch(forks.row(records[leaf.fork].line if leaf.fork >= 0 else None), len(leaf.own),
               told(records[leaf.own[0]]))
        for leaf in leaves
    ]  # fmt: skip
    return tuple(leaf.place for leaf in leaves), tuple(found)


def _parents(records: Sequence[Linked]) -> tuple[list[int], set[int]]:
    """The parent of each record: the latest one before it with that id, else one after it; and the broken links."""
    known: dict[str, int] = {}
    parents: list[int] = []
    for place, record in enumerate(records):
        named = isinstance(record.parent, str)
        parents.append(known.get(record.parent, place) if named else (ROOT if record.id else place - 1))
        if record.id:
            known[record.id] = place
    broken = set()
    for place, parent in enumerate(parents):
        if parent == place:
            later = known.get(records[place].parent, place)
            parents[place] = place - 1 if later == place else later
            if later == place:
                broken.add(place)
    return parents, broken


def _walk(
    records: Sequence[Linked], leaf: int, key: str, parents: list[int], broken: set[int]
) -> tuple[list[int], list[Finding]]:
    live: list[int] = []
    damage: list[Finding] = []
    seen = bytearray(len(records))
    below = list(range(-1, len(records) - 1))
    here = leaf
    while here >= 0:
        seen[here] = 1
        live.append(here)
        parent = parents[here]
        if here in broken:
            damage.append(
                _broken_link(records[here], key, f"a record that the file does not hold ({records[here].parent})")
            )
        elif parent >= 0 and seen[parent]:
            damage.append(_broken_link(records[here], key, "a record that follows it"))
            parent = here - 1
        if parent >= 0 and seen[parent]:
            parent = unseen(parent, seen, below)
        here = parent
    live.reverse()
    return live, damage


def unseen(place: int, seen: bytearray, below: list[int]) -> int:
    """The nearest place before one that a walk has not passed; `below` keeps what was skipped for the next search."""
    passed = []
    while place >= 0 and seen[place]:
        passed.append(place)
        place = below[place]
    for one in passed:
        below[one] = place
    return place


def _broken_link(record: Linked, key: str, what: str) -> Finding:
    says = f"Line {record.line + 1} names {what} as its parent; the record before it in the file stands in."
    pointer = f"/{record.line}/{key}"
    repair = "Link it to the record before it."
    return Finding("broken-parent-link", "warning", says, record.line, pointer, record.line + 1, repair=repair)


def _branches(
    records: Sequence[Linked], left: Sequence[int], parents: Sequence[int], speaking: Sequence[bool]
) -> list[Finding]:
    """One finding for each branch that was left and says anything, at its first message."""
    first: dict[int, int] = {}
    sizes: dict[int, int] = {}
    for place in left:
        start = first.get(parents[place], place if speaking[place] else ROOT)
        if start == ROOT and speaking[place]:
            start = place
        first[place] = start
        if speaking[place]:
            sizes[start] = sizes.get(start, 0) + 1
    return [_left(records[start], size) for start, size in sizes.items()]


def _left(record: Linked, size: int) -> Finding:
    what = f"a branch of {size:,} messages" if size > 1 else "a branch of one message"
    says = f"Line {record.line + 1} begins {what} that the session has left; it is not sent to the model."
    return Finding("abandoned-branch", "info", says, record.line, f"/{record.line}", record.line + 1)
