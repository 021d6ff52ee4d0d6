"""The rows that recorded compactions kept, within bounds.

A file of a megabyte can hold thousands of compactions that each say that thousands of rows were kept: to look for them
all would take minutes, and to hold them gigabytes.
"""

from __future__ import annotations

from collections.abc import Iterable

LOOKED_THROUGH = 4_000_000
"""Rows that the compactions of one conversation may be looked for among: 100 of a session of 40,000 rows."""


class KeptRows:
    """What the compactions of one conversation kept."""

    def __init__(self) -> None:
        self._left = LOOKED_THROUGH

    def of(self, rows: Iterable[int], among: int) -> tuple[int, ...]:
        """The rows, which are looked for among the first `among`; none once the conversation is past all bounds."""
        self._left -= among
        return tuple(rows) if self._left >= 0 else ()
