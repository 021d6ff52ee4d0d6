"""What is known of single messages, worked out once for all the contexts that a run makes of a session."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import repeat
from typing import Any, Generic, TypeVar

T = TypeVar("T")
_UNKNOWN = object()


class Facts(Generic[T]):
    """What was found out about messages: those of a recording by row, any by identity. Threads may share it."""

    def __init__(self, make: Callable[..., T]) -> None:
        self._make = make
        self._rows: list[T] = []
        self._by_id: dict[int, T] = {}
        self._kept: list[Any] = []
        """The messages of `_by_id`: as long as they live, their identity is nobody else's."""

    def of_first(self, messages: Sequence[Any], *others: Sequence[Any]) -> list[T]:
        """Of the first messages of the recording, of which others are known as well."""
        known = self._rows
        if len(known) < len(messages):
            fresh = (column[len(known) :] for column in (messages, *others))
            self._rows = known = [*known, *map(self._make, *fresh)]
        return known[: len(messages)]

    def of_any(self, messages: Sequence[Any], *others: Sequence[Any]) -> list[T]:
        """Of messages, wherever they come from."""
        known, ids = self._by_id, list(map(id, messages))
        found: list[Any] = list(map(known.get, ids, repeat(_UNKNOWN)))
        for row in [row for row, one in enumerate(found) if one is _UNKNOWN]:
            self._kept.append(messages[row])
            known[ids[row]] = found[row] = self._make(messages[row], *(column[row] for column in others))
        return found
