"""Undo and redo of setting changes. No textual."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

LONGEST = 200
"""Changes that are remembered."""


@dataclass(frozen=True, slots=True)
class Setup:
    """What a person set: the policy, and the values given to each policy."""

    policy: str
    given: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Policy name to the values that differ from nothing; the rest are the policy's defaults."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """The values given to the chosen policy."""
        return self.given.get(self.policy, {})

    def with_value(self, name: str, value: Any) -> Setup:
        """The same, with one value of the chosen policy changed."""
        return replace(self, given={**self.given, self.policy: {**self.settings, name: value}})


class History:
    """Setups gone through, so that a change can be taken back and made again."""

    def __init__(self) -> None:
        self._done: list[Setup] = []
        self._undone: list[Setup] = []
        self._last: object = None

    def note(self, before: Setup, what: object = None) -> None:
        """Remember the setup before a change. Changes with the same `what` in a row (one drag) count as one."""
        if what is None or what != self._last:
            self._done = [*self._done[1 - LONGEST :], before]
        self._undone.clear()
        self._last = what

    def pause(self) -> None:
        """End a run of changes: the next one is remembered by itself."""
        self._last = None

    def undo(self, now: Setup) -> Setup | None:
        """The setup before the last change; None where nothing was changed."""
        return self._step(now, self._done, self._undone)

    def redo(self, now: Setup) -> Setup | None:
        """The setup that the last undo took back; None where there is none."""
        return self._step(now, self._undone, self._done)

    def _step(self, now: Setup, source: list[Setup], target: list[Setup]) -> Setup | None:
        self._last = None
        if not source:
            return None
        target.append(now)
        return source.pop()
