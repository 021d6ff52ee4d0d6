"""Branches that a recording has left: where each ends, where it forks off, what it begins with.

A reader tells the live path; a branch is told in the same way from another leaf, when somebody asks for it. So what is
found here is a name for each, and costs a walk over the records that were left. Nothing recurses, and no link can make
a walk hang.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from typing import NamedTuple

from inspector.message import Body, Branch, opening

MOST = 100
"""Branches listed of one conversation; the newest ones."""
STEPS = 1_000_000
"""Records walked over in all: branches may share a trunk that was left too."""
ROOT = -1


class Leaf(NamedTuple):
    """The end of a branch, by the places of its records."""

    place: int
    fork: int
    """The record of the live path that it forks off from; `ROOT` where it has a beginning of its own."""
    own: tuple[int, ...]
    """The records that speak and are not on the live path, in order; never empty."""


def leaves_of(left: Sequence[int], parents: Sequence[int], speaks: Callable[[int], bool]) -> list[Leaf]:
    """The ends of the branches among the records that were left, the newest first.

    `left` and `parents` (by place) are places; `speaks` says of a place whether its record is a message.
    """
    beside = set(left)
    ends = [place for place in left if speaks(place)]
    inner: set[int] = set()
    for place in ends:
        here = parents[place]
        while here in beside and here not in inner:
            inner.add(here)
            here = parents[here]
    found: list[Leaf] = []
    steps = 0
    for place in reversed([place for place in ends if place not in inner]):
        if len(found) == MOST or steps > STEPS:
            break
        leaf, walked = _walked(place, parents, beside)
        steps += len(walked)
        found.append(leaf._replace(own=tuple(one for one in reversed(walked) if speaks(one))))
    return found


def _walked(place: int, parents: Sequence[int], beside: set[int]) -> tuple[Leaf, list[int]]:
    here, seen, walked = place, set[int](), []
    while here in beside and here not in seen:
        seen.add(here)
        walked.append(here)
        here = parents[here]
    return Leaf(place, ROOT if here in seen else here, ()), walked


class Forks:
    """Where branches fork off, as rows of the live conversation."""

    def __init__(self, native: Iterable[int], live: Iterable[int]) -> None:
        """`native` is the record that each row begins in, `live` the records of the live path in order."""
        self._order = {number: place for place, number in enumerate(live)}
        self._heights = list(accumulate((self._order.get(number, ROOT) for number in native), max))

    def row(self, fork: int | None) -> int:
        """The first row that a branch off a record does not share."""
        return bisect_right(self._heights, self._order[fork]) if fork in self._order else 0


def branch(row: int, messages: int, said: Sequence[Body]) -> Branch:
    """A branch with `messages` of its own after the shared rows, named by what it begins with."""
    return Branch(next(filter(None, map(opening, said)), ""), row, messages)
