"""Measures of the replay, in milliseconds: every request of a session, counted exactly, with default parameters."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from pathlib import Path

import inspector
from inspector.policies import POLICIES
from inspector.replay import Film, replay
from inspector.tokens import counter_for
from tests.bench.core import _messages, _timed


def whole_run(policy: str, most: int | None = None) -> Callable[[Path], float]:
    """The measure of a replay in the policy's own mode, of at most so many messages; nothing is known beforehand."""

    def take(path: Path) -> float:
        session, counter = inspector.from_messages(_messages(path)[:most]), counter_for(None)
        counter.count(["warm"])
        return _timed(lambda: list(chain(*replay(session, POLICIES[policy], {}, counter))))

    return take


def next_view(policy: str) -> Callable[[Path], float]:
    """The measure of moving on by one request at the end of a run."""

    def take(path: Path) -> float:
        session = inspector.from_messages(_messages(path))
        film, last = (
            Film(session, POLICIES[policy], {}),
            sum(body["role"] == "assistant" for body in session.messages) - 1,
        )
        film.view(last - 1)
        return _timed(lambda: film.view(last).source)

    return take
