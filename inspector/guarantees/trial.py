"""A policy tried over many settings and request points: which promises hold, and the smallest failure of the others."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from inspector.guarantees.mixes import Given, every
from inspector.guarantees.points import Point, Recordings, even, points_of, sent, session_of
from inspector.guarantees.promises import PROMISES, Broken, Promise, check
from inspector.guarantees.shrink import exchanges_of, fewest, messages_of, nearer_defaults, shorter_texts
from inspector.message import Body, Session
from inspector.policies.policy import Mode, Policy, Settings
from inspector.policies.sent import SentView
from inspector.replay import answers_of, view_at

MIXES = 200
MOST_EARLIER = 100
"""Requests before a failure that are looked at for an earlier one."""
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Smallest:
    """The shortest session found that still breaks the promise."""

    messages: tuple[Body, ...]
    """In one shot all of them are what goes in; of a run the last one is the answer to the request that breaks it."""
    request: int | None
    """The request to look at; None: one shot over all messages."""
    row: int
    says: str


@dataclass(frozen=True, slots=True)
class Counterexample:
    """Where a promise is broken, with the settings nearest to the defaults and the earliest request that were found."""

    session: int
    """Which of the sessions of the trial."""
    request: int
    mode: Mode
    """"stateless": in one shot over what the request could see; "carried": in a run up to it."""
    settings: Mapping[str, object]
    """What differs from the defaults, and what was held."""
    row: int
    """Row of the session; -1: the view as a whole."""
    says: str
    smallest: Smallest | None
    """None where the session's form matters, so that its messages alone do not break the promise."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """One promise of a policy after the trial."""

    promise: Promise
    tried: int
    """Views on which it was checked; 0: the policy makes no such promise."""
    broken: int
    """How many of them break it."""
    with_defaults: int
    """How many of these are of the policy's defaults."""
    example: Counterexample | None

    @property
    def kept(self) -> bool:
        """Whether no view broke it."""
        return not self.broken


@dataclass(frozen=True, slots=True)
class Report:
    """What a trial found, and how far it went."""

    policy: str
    mode: Mode
    seed: int
    settings: int
    """Different settings tried, the defaults among them."""
    mixes: int
    """How many random mixes there were to be, those counted that came twice."""
    views: int
    sessions: int
    """Sessions that hold a request."""
    requests: int
    """Request points that they have."""
    requests_tried: int
    """How many of them some setting was tried at."""
    with_defaults: int
    """How many of them the defaults were tried at."""
    at_each: int
    """At how many of them every other setting was tried, at most."""
    verdicts: tuple[Verdict, ...]

    @property
    def kept(self) -> bool:
        """Whether every promise held."""
        return all(verdict.kept for verdict in self.verdicts)


def try_policy(
    policy: Policy,
    sessions: Sequence[Session],
    *,
    seed: int = 0,
    mixes: int = MIXES,
    held: Given | None = None,
    only: Collection[str] | None = None,
    progress: Progress | None = None,
) -> Report:
    """Try a policy: its defaults, each parameter alone over its steps, and seeded mixes, at request points of sessions.

    At each point the policy is applied in one shot to all that the request could see, and a carried policy also in
    runs. The same arguments give the same report.

    Args:
        policy: the policy.
        sessions: those without an answer have no request point.
        seed: of the mixes.
        mixes: how many.
        held: parameters that have one value throughout, as if it were their default.
        only: names of the promises to report on; all by default.
        progress: told how many settings are done, of how many, after each.
    """
    recordings = Recordings(sessions)
    given = every(policy, sessions, mixes, seed, held)
    plans = [points_of(recordings, policy, place, len(given)) for place in range(len(given))]
    tally = _Tally(policy, recordings, only, held or {})
    for place, (settings, points) in enumerate(zip(given, plans, strict=True)):
        for point, view in recordings.views(policy, settings, points):
            tally.take(settings, point, view)
        if progress is not None:
            progress(place + 1, len(given))
    tried = [{point[:2] for point in points} for points in plans]
    return Report(
        policy.name, policy.mode, seed, len(given), mixes, sum(map(len, plans)),
        sessions=len({number for number, _ in recordings.points}), requests=len(recordings.points),
        requests_tried=len(set().union(*tried)), with_defaults=len(tried[0]),
        at_each=max(map(len, tried[1:]), default=0), verdicts=tally.verdicts(),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Failure:
    settings: Given
    point: Point
    rows: int


class _Tally:
    """Counts, and the smallest failure of each promise as it was found."""

    def __init__(self, policy: Policy, recordings: Recordings, only: Collection[str] | None, held: Given) -> None:
        self._policy, self._recordings, self._held = policy, recordings, held
        self._promises = {one.name: one for one in PROMISES if only is None or one.name in only}
        self._tried = dict.fromkeys(self._promises, 0)
        self._broken, self._by_default = dict(self._tried), dict(self._tried)
        self._found: dict[str, _Failure] = {}

    def take(self, settings: Given, point: Point, view: SentView) -> None:
        """Check one view."""
        rows = len(view.plan.action)
        for name, broken in check(view, self._policy, tokens=self._recordings.tokens(point.session)).items():
            if name not in self._tried:
                continue
            self._tried[name] += 1
            if broken is None:
                continue
            self._broken[name] += 1
            self._by_default[name] += settings == self._held
            if name not in self._found or self._order(settings, point, rows) < self._rank(name):
                self._found[name] = _Failure(settings, point, rows)

    def _rank(self, name: str) -> tuple[int, int, int]:
        found = self._found[name]
        return self._order(found.settings, found.point, found.rows)

    def _order(self, settings: Given, point: Point, rows: int) -> tuple[int, int, int]:
        """One shot before a run, then few rows, then few settings."""
        return int(point.mode == "carried"), rows, len(settings)

    def verdicts(self) -> tuple[Verdict, ...]:
        """What became of each promise, with the failures made small."""
        return tuple(
            Verdict(promise, self._tried[name], self._broken[name], self._by_default[name], self._example(name))
            for name, promise in self._promises.items()
        )

    def _example(self, name: str) -> Counterexample | None:
        if name not in self._found:
            return None
        return _Shrinking(self._policy, self._recordings, name, self._held).example(self._found[name])


class _Shrinking:
    """The way from one failure to its counter-example."""

    def __init__(self, policy: Policy, recordings: Recordings, promise: str, held: Given) -> None:
        self._policy, self._recordings, self._promise, self._held = policy, recordings, promise, held

    def example(self, found: _Failure) -> Counterexample:
        """The failure with everything taken off it that can be."""

        def fails(given: Given) -> bool:
            return self._first(given, (found.point,)) is not None

        given = nearer_defaults(self._policy, found.settings, fails, self._held)
        number, request, mode = found.point
        earlier = even([(number, before) for before in range(request)], MOST_EARLIER, 0)
        first = self._first(given, [*(Point(*one, mode) for one in earlier), found.point])
        assert first is not None, "a failure that shrinking keeps"
        point, broken = first
        session = self._recordings.sessions[number]
        smallest = self._smallest(session, point, given)
        return Counterexample(number, point.request, mode, given, broken.row, broken.says, smallest)

    def _first(self, given: Given, points: Sequence[Point]) -> tuple[Point, Broken] | None:
        """The first of the points at which the promise is broken."""
        for point, view in self._recordings.views(self._policy, given, points):
            broken = check(view, self._policy, tokens=self._recordings.tokens(point.session)).get(self._promise)
            if broken is not None:
                return point, broken
        return None

    def _smallest(self, session: Session, point: Point, given: Given) -> Smallest | None:
        answer = session.derived(answers_of)[point.request]
        whole, closing = list(session.messages[:answer]), list(session.messages[answer : answer + 1])
        if point.mode == "stateless":
            closing = []

        def broken(messages: Sequence[Body]) -> Broken | None:
            return self._broken(session_of([*messages, *closing], session.model), given, point.mode)

        def fails(messages: Sequence[Body]) -> bool:
            return broken(messages) is not None

        if not fails(whole):
            return None
        exchanges = exchanges_of(whole)
        kept = fewest(exchanges, lambda rows: fails(messages_of(whole, rows)))
        left = shorter_texts(messages_of(whole, kept), fails)
        where = broken(left)
        assert where is not None
        made = session_of([*left, *closing], session.model)
        request = len(made.derived(answers_of)) - 1 if point.mode == "carried" else None
        return Smallest(tuple(made.messages), request, where.row, where.says)

    def _broken(self, session: Session, given: Settings, mode: Mode) -> Broken | None:
        policy = self._policy
        if mode == "stateless":
            view = sent(session, policy, policy.running(given), session.model)
        else:
            view = view_at(session, policy, given, len(session.derived(answers_of)) - 1, mode)
        return check(view, policy).get(self._promise)
