"""How much of a request the provider has seen before: the sent list in tokens, and what it begins with alike.

The list is followed change by change. A sum over the messages before a place is kept as a finger that moves to where
the changes are, so that a request costs what changed in it and not its length.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from inspector.message import Body, same
from inspector.policies.transcript import Op

Pair: TypeAlias = tuple[Body, Body]


class Weighed(NamedTuple):
    """One view, weighed against the one before it."""

    messages: int
    before: int
    """Messages of the view before."""
    tokens: int
    first_change: int
    """The place of the first message that differs; where none does, the length of the shorter list."""
    whole: int
    """Tokens of the messages before it."""
    parted: Pair | None
    """The message that stood there and the one that stands there now, where both exist."""
    now: int
    """Tokens of the latter."""


class Prefix:
    """The sent list, in tokens."""

    def __init__(self) -> None:
        self._bodies: list[Body] = []
        self._tokens: list[int] = []
        self._total = 0
        self._at, self._sum = 0, 0
        """The finger: a place, and the tokens of the messages before it."""
        self._before, self._before_total = 0, 0
        """Length and tokens of the last view."""
        self._was: dict[int, Body] = {}
        """What stood in the last view at places that have changed since."""

    def apply(self, op: Op, tokens: Sequence[int]) -> None:
        """Carry out one change; `tokens` are those of `op.bodies`."""
        start, stop, bodies, _ = op
        if start == len(self._bodies):
            self._bodies += bodies
            self._tokens += tokens
            self._total += sum(tokens)
            return
        if stop - start == len(bodies):
            self._replace(start, stop, bodies, tokens)
            return
        for place in range(start, min(len(self._bodies), self._before)):
            self._was.setdefault(place, self._bodies[place])
        if start < self._at:
            self._move(start)
        self._total += sum(tokens) - sum(self._tokens[start:stop])
        self._bodies[start:stop] = bodies
        self._tokens[start:stop] = tokens

    def _replace(self, start: int, stop: int, bodies: Sequence[Body], tokens: Sequence[int]) -> None:
        for place, body, count in zip(range(start, stop), bodies, tokens, strict=True):
            if place < self._before:
                self._was.setdefault(place, self._bodies[place])
            more = count - self._tokens[place]
            self._total += more
            self._sum += more if place < self._at else 0
            self._bodies[place], self._tokens[place] = body, count

    def _move(self, place: int) -> None:
        if place > self._at:
            self._sum += sum(self._tokens[self._at : place])
        elif place < self._at:
            self._sum -= sum(self._tokens[place : self._at])
        self._at = place

    def close(self) -> Weighed:
        """The view as it stands, against the view at the last call."""
        length = len(self._bodies)
        first, parted = self._first_change(length), None
        if first == self._before:
            whole = self._before_total
        else:
            self._move(first)
            whole = self._sum
            if first < length:
                parted = (self._was[first], self._bodies[first])
        now = self._tokens[first] if parted else 0
        self._was.clear()
        before, self._before, self._before_total = self._before, length, self._total
        return Weighed(length, before, self._total, first, whole, parted, now)

    def _first_change(self, length: int) -> int:
        for place in sorted(self._was):
            if place >= length:
                break
            if not same(self._was[place], self._bodies[place]):
                return place
        return min(self._before, length)
