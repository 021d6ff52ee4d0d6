"""Messages as products with another shape hold them: the system prompt apart, a run of results as one message."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import compress, pairwise
from operator import sub

from inspector.message import SYSTEM, Context
from inspector.policies.zoo.cuts import running
from inspector.policies.zoo.exchanges import begins, kinds_of

_IS_SYSTEM = bytes(code == SYSTEM for code in range(256))
_IS_NO_SYSTEM = bytes(code != SYSTEM for code in range(256))


class Bundles:
    """The messages of a context without the system's, each the rows that it is made of.

    Args:
        context: the messages.
        merged: whether neighbouring results are one message; a system message between them does not part them.
    """

    def __init__(self, context: Context, *, merged: bool = True) -> None:
        kinds = context.derived(kinds_of)
        every = range(len(kinds))
        self.systems = list(compress(every, kinds.translate(_IS_SYSTEM)))
        self._flat = list(compress(every, kinds.translate(_IS_NO_SYSTEM)))
        """The rows of all messages."""
        of_flat = kinds.translate(None, bytes((SYSTEM,)))
        starts = begins(of_flat) if merged else b"\1" * len(of_flat)
        self._starts = [*compress(range(len(of_flat)), starts), len(of_flat)]
        """Where the rows of each message begin among them, and where they all end."""
        self.kinds = bytes(compress(of_flat, starts))
        """The role code of each message."""

    def __len__(self) -> int:
        return len(self.kinds)

    @cached_property
    def rows(self) -> list[list[int]]:
        """The rows of each message; only results come several at a time."""
        return [self._flat[start:stop] for start, stop in pairwise(self._starts)]

    def first(self, place: int) -> int:
        """The first row of a message."""
        return self._flat[self._starts[place]]

    def last(self, place: int) -> int:
        """The last row of a message."""
        return self._flat[self._starts[place + 1] - 1]

    def between(self, start: int, stop: int) -> list[int]:
        """The rows of the messages [start, stop)."""
        return self._flat[self._starts[start] : self._starts[max(start, stop)]]

    def rows_of(self, places: Iterable[int]) -> Iterator[int]:
        """The rows of some messages."""
        return (row for place in places for row in self.rows[place])

    def sums(self, of_rows: Sequence[int]) -> list[int]:
        """Of each message the sum of what its rows have."""
        until = running([of_rows[row] for row in self._flat])
        until_starts = [until[start] for start in self._starts]
        return list(map(sub, until_starts[1:], until_starts))


def bundles_of(context: Context) -> Bundles:
    """The messages, runs of results as one."""
    return Bundles(context)


def unmerged(context: Context) -> Bundles:
    """The messages, each result for itself."""
    return Bundles(context, merged=False)
