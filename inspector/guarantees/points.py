"""The request points of a trial: what is sent there, and how many of them one setting is tried at."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial
from math import ceil
from typing import NamedTuple

from inspector.formats import from_messages
from inspector.message import Body, Context, Session
from inspector.policies.policy import Mode, Policy, Settings
from inspector.policies.sent import SentView
from inspector.replay import Film, answers_of
from inspector.tokens import count_bodies, counter_for

MOST_POINTS = 40
"""Request points at which one setting is tried, those of a carried run apart."""
MOST_WITH_DEFAULTS = 400
"""The same for the defaults, which are tried at every one where there are no more."""
MOST_ROWS = 4_000_000
"""Rows sent in a trial, over all settings: sessions of thousands of messages are tried at fewer points."""
MOST_KEPT = 200_000
"""Rows of request points for which what policies find out is kept: a few kilobytes each."""
RUN_POINTS = 12
"""Requests looked at in a carried run of one setting."""
RUN_ROWS = 20_000
"""Rows that the requests of a carried run hold in sum, at most: it stops there."""


class Point(NamedTuple):
    """One request of one session."""

    session: int
    request: int
    mode: Mode


class Recordings:
    """The sessions of a trial. What a policy finds out about the rows before a request is kept from setting to setting.

    Args:
        sessions: those without an answer have no request, and are passed over.
    """

    def __init__(self, sessions: Sequence[Session]) -> None:
        self.sessions = sessions
        self._seen: dict[tuple[int, int], Context] = {}
        self._kept = 0
        """Rows of these."""
        self._tokens: dict[int, array[int]] = {}

    @cached_property
    def points(self) -> list[tuple[int, int]]:
        """(session, request) of every request point."""
        return [
            (number, request)
            for number, session in enumerate(self.sessions)
            for request in range(len(session.derived(answers_of)))
        ]

    @cached_property
    def mean_rows(self) -> float:
        """How many rows a request holds, on average."""
        rows = sum(sum(session.derived(answers_of)) for session in self.sessions)
        return rows / max(1, len(self.points))

    def before(self, number: int, request: int) -> Context:
        """What the request of a session could see."""
        if (number, request) in self._seen:
            return self._seen[number, request]
        session = self.sessions[number]
        answer = session.derived(answers_of)[request]
        seen = session.until(answer)
        if self._kept + answer <= MOST_KEPT:
            self._kept += answer
            self._seen[number, request] = seen
        return seen

    def tokens(self, number: int) -> array[int]:
        """The tokens of every row of a session."""
        if number not in self._tokens:
            session = self.sessions[number]
            self._tokens[number] = count_bodies(session.messages, counter_for(session.model))
        return self._tokens[number]

    def views(self, policy: Policy, settings: Settings, points: Sequence[Point]) -> Iterator[tuple[Point, SentView]]:
        """What is sent at some points under one setting. Those of one session's run come in ascending order."""
        full, film, number = policy.running(settings), None, -1
        for point in points:
            session = self.sessions[point.session]
            if point.mode == "stateless":
                yield point, sent(self.before(point.session, point.request), policy, full, session.model)
                continue
            if film is None or point.session != number:
                film, number = Film(session, policy, settings, point.mode), point.session
            yield point, film.view(point.request)


def sent(context: Context, policy: Policy, full: Settings, model: str | None) -> SentView:
    """The view of one shot over a whole context, under full settings."""
    return SentView(policy.plan(context, full), policy.name, full, partial(counter_for, model))


def points_of(recordings: Recordings, policy: Policy, place: int, settings: int) -> list[Point]:
    """Where the setting at a place among all of them is tried: the defaults (place 0) at every request point.

    The others take even steps through all request points, each from another start, so that together they come by all.
    A carried policy also goes through a run of one session, each setting through another one.
    """
    most = MOST_POINTS if place else MOST_WITH_DEFAULTS
    afford = int(MOST_ROWS / max(1.0, recordings.mean_rows * settings))
    chosen = even(recordings.points, max(1, min(most, afford * (1 if place else 10))), place)
    found = [Point(*point, "stateless") for point in chosen]
    if policy.mode == "carried" and recordings.points:
        found += [Point(*point, "carried") for point in _run(recordings, place)]
    return found


def _run(recordings: Recordings, place: int) -> list[tuple[int, int]]:
    """Requests of the carried runs that a setting goes through: of all sessions for the defaults, else of one."""
    having = sorted({number for number, _ in recordings.points})
    numbers = having if place == 0 else [having[place % len(having)]]
    found: list[tuple[int, int]] = []
    for number in numbers:
        reached = _affordable(recordings.sessions[number])
        found += even([(number, request) for request in range(reached)], reached if place == 0 else RUN_POINTS, place)
    return found


def _affordable(session: Session) -> int:
    """How many requests of a run hold no more rows than it may, the first one always."""
    rows = 0
    for request, answer in enumerate(session.derived(answers_of)):
        rows += answer
        if rows > RUN_ROWS and request:
            return request
    return len(session.derived(answers_of))


def even(points: Sequence[tuple[int, int]], most: int, turn: int) -> list[tuple[int, int]]:
    """At most so many points, evenly spread, from a start that moves on with each turn."""
    count = len(points)
    if count <= most:
        return list(points)
    stride = count / most
    first = turn % ceil(stride)
    return sorted(points[(first + int(step * stride)) % count] for step in range(most))


def session_of(messages: Sequence[Body], model: str | None) -> Session:
    """A session of these messages."""
    return replace(from_messages(list(messages)), model=model)
