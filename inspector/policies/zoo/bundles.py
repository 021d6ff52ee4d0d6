"""Messages as products with another shape hold them: the system prompt apart, a run of results as one message."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from inspector.message import SYSTEM, TOOL, Context
from inspector.policies.zoo.exchanges import kinds_of


class Bundles:
    """The messages of a context without the system's, each the rows that it is made of.

    Args:
        context: the messages.
        merged: whether neighbouring results are one message; a system message between them does not part them.
    """

    def __init__(self, context: Context, *, merged: bool = True) -> None:
        kinds = context.derived(kinds_of)
        self.systems = [row for row, kind in enumerate(kinds) if kind == SYSTEM]
        self.rows: list[list[int]] = []
        """The rows of each message; only results come several at a time."""
        for row, kind in enumerate(kinds):
            if merged and kind == TOOL and self.rows and kinds[self.rows[-1][0]] == TOOL:
                self.rows[-1].append(row)
            elif kind != SYSTEM:
                self.rows.append([row])
        self.kinds = bytes(kinds[rows[0]] for rows in self.rows)
        """The role code of each message."""

    def __len__(self) -> int:
        return len(self.rows)

    def rows_of(self, places: Iterable[int]) -> Iterator[int]:
        """The rows of some messages."""
        return (row for place in places for row in self.rows[place])


def bundles_of(context: Context) -> Bundles:
    """The messages, runs of results as one."""
    return Bundles(context)


def unmerged(context: Context) -> Bundles:
    """The messages, each result for itself."""
    return Bundles(context, merged=False)
