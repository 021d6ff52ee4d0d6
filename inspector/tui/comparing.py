"""A setup held as B beside the one at work, A: its sent view, and where the two differ.

Functions of the workbench, which holds the state. B's view is made once and kept while A is tuned. What needs every
rewritten text, B's exact size and the exact rows that differ, is worked out beside the screen once A is at rest.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from textual.timer import Timer
from textual.worker import get_current_worker

from inspector.comparison import Candidate, labels, usual
from inspector.message import Session
from inspector.policies import POLICIES, SentView, policy_named
from inspector.policies.policy import Mode
from inspector.replay import view_at
from inspector.text import thousands
from inspector.tokens import Counter
from inspector.tui.background import count_sent
from inspector.tui.banner import Banner
from inspector.tui.history import Setup
from inspector.tui.ledger import Ledger
from inspector.tui.replaying import QUICK_ROWS
from inspector.tui.shown import Shown, Tokens
from inspector.tui.sides import SIDES

if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable

    from inspector.comparison.outcome import Ground
    from inspector.tui.compared import Table
    from inspector.tui.dialogs.compare import Chosen
    from inspector.tui.workbench import Workbench

REST = 0.3
"""Seconds without a change after which every text of A and B is compared."""


class Key(NamedTuple):
    """What B's view is a function of."""

    session: Session
    setup: Setup
    request: int | None
    """None: one shot."""
    mode: Mode


@dataclass(slots=True)
class State:
    """What is compared with what is at work."""

    setup: Setup | None = None
    """B; None: nothing is compared."""
    key: Key | None = None
    view: SentView | None = None
    """That of `key`."""
    making: bool = False
    """Whether a view is being made beside the screen."""
    shown: Shown | None = None
    """The same with its tokens."""
    rest: Timer | None = None
    table: Table | None = None
    """What was compared last in the table, so that it opens as it was left."""


def turn(bench: Workbench) -> None:
    """Hold the setup at work as B, or let B go."""
    if bench.shown is None:
        return
    if not leave(bench):
        hold(bench, bench.setup)


def hold(bench: Workbench, setup: Setup) -> None:
    """Compare what is at work with a setup from now on."""
    state, shown = bench.beside, bench.shown
    state.setup = setup
    if shown is None or bench.session is None:
        return
    key = _key(bench, bench.session, setup)
    if setup == bench.setup and key.request is None and bench.recorded is None and bench.repaired is None:
        state.key, state.view = key, shown.view  # it is made already
    bench.show(beside(bench, shown))
    turns = "" if bench.query_one(Ledger).sides == len(SIDES) else ", s turns to it"
    bench.say(f"B is {words(setup)}; ] next difference{turns}, B lets go")


def leave(bench: Workbench) -> bool:
    """Let B go; whether there was one."""
    state = bench.beside
    if state.setup is None:
        return False
    bench.beside = State(table=state.table)
    if state.rest is not None:
        state.rest.stop()
    bench.workers.cancel_group(bench, "beside")
    if bench.shown is not None:
        bench.show(replace(bench.shown, other=None, differing=None))
    bench.say("B is let go")
    return True


def swap(bench: Workbench) -> None:
    """Put B to work, and hold what was at work as B."""
    state, was = bench.beside, bench.setup
    if state.setup is None:
        bench.say("there is no B to swap with: B holds the settings at work")
        return
    now, state.setup = state.setup, was
    if now != was:
        bench.history.note(was)
        bench.take_setup(replace(now, given={**was.given, **now.given, now.policy: now.settings}))
    bench.say(f"A is {words(now)}, B is {words(was)}")


def words(setup: Setup) -> str:
    """A setup by its policy, and by what differs from its defaults."""
    return labels([candidate(setup), Candidate(policy_named(setup.policy), {})])[0]


# B's view --------------------------------------------------------------------------------------------------------


def beside(bench: Workbench, shown: Shown) -> Shown:
    """What is shown, with B beside it where there is one."""
    state, session = bench.beside, bench.session
    if state.setup is None or session is None:
        return shown
    key = _key(bench, session, state.setup)
    if state.key is None or not _same(state.key, key):
        _make(bench, key)
    _rest(bench)
    if state.view is None or state.key is None or not _same(state.key, key):
        return replace(shown, other=None, differing=None)
    return replace(shown, other=_other(bench, shown, state.view), differing=None)


def _key(bench: Workbench, session: Session, setup: Setup) -> Key:
    """B as of the request that is shown, in its own mode unless another is being tried."""
    moment, mode = bench.replay.moment, bench.replay.mode or policy_named(setup.policy).mode
    of_request = bench.replay.at is not None and bench.recorded is None and bench.repaired is None
    request = moment.request if of_request and moment is not None and moment.session is session else None
    return Key(session, setup, request, mode)


def _same(key: Key, wanted: Key) -> bool:
    return key.session is wanted.session and key[1:] == wanted[1:]


def _make(bench: Workbench, key: Key) -> None:
    """B's view: at once in one shot, as A's is; that of a request of a long session beside the screen."""
    state = bench.beside
    if key.request is None or (key.mode == "stateless" and len(key.session) <= QUICK_ROWS):
        state.key, state.view = key, _view(key, bench.counter)
        return
    if state.making:
        return
    state.making, counter = True, bench.counter

    def work() -> None:
        made = None
        try:
            made = _view(key, counter)
        finally:
            bench.call_later(_arrived, bench, key, made)

    bench.run_worker(work, thread=True, group="beside-view", description="makes the view of B")


def _view(key: Key, counter: Counter) -> SentView:
    policy = policy_named(key.setup.policy)
    if key.request is not None:
        return view_at(key.session, policy, key.setup.settings, key.request, key.mode)
    settings = candidate(key.setup).settings
    return SentView(policy.plan(key.session, settings), policy.name, settings, counter)


def _arrived(bench: Workbench, key: Key, made: SentView | None) -> None:
    state = bench.beside
    state.making = False
    if made is None or state.setup is None or bench.shown is None:
        return
    state.key, state.view = key, made
    bench.show(beside(bench, bench.shown))


def _other(bench: Workbench, shown: Shown, view: SentView) -> Shown:
    """B with its tokens; worked out once for as long as nothing of it changes."""
    last = bench.beside.shown
    if (
        last is None
        or last.view is not view
        or last.counter != shown.counter
        or last.tokens.rows is not shown.tokens.rows
        or last.counted != shown.counted
        or (last.window, last.calibration) != (shown.window, shown.calibration)
    ):
        tokens = Tokens(shown.tokens.rows, shown.counted)  # its own: A's remember what A sent last
        last = bench.beside.shown = Shown(
            shown.session, view, shown.counter, tokens, shown.window, calibration=shown.calibration
        )
    return last


# at rest ---------------------------------------------------------------------------------------------------------


def _rest(bench: Workbench) -> None:
    state = bench.beside
    bench.workers.cancel_group(bench, "beside")
    if state.rest is not None:
        state.rest.stop()
    state.rest = bench.set_timer(REST, lambda: _begin(bench)) if bench.tokens.counted else None


def _begin(bench: Workbench) -> None:
    shown = bench.shown
    if shown is None or shown.other is None or shown.apart is None or shown.differing is not None:
        return
    other, apart = shown.other, shown.apart

    def work() -> None:
        worker, counted = get_current_worker(), other.counted_sent
        for tokens in () if other.sent_is_exact else count_sent(other.view, other.before, other.counter):
            if worker.is_cancelled:
                return
            counted = tokens
        for rows in apart.steps():
            if worker.is_cancelled:
                return
            if rows is not None:
                bench.call_later(_take, bench, shown.view, other, counted, rows)

    bench.run_worker(work, thread=True, exclusive=True, group="beside", description="compares A and B")


def _take(bench: Workbench, view: SentView, other: Shown, tokens: array[int] | None, rows: array[int]) -> None:
    shown = bench.shown
    if shown is None or shown.view is not view or shown.other is None or shown.other.view is not other.view:
        return
    counted = replace(other, counted_sent=tokens)
    bench.beside.shown = counted
    bench.shown = replace(shown, other=counted, differing=rows)
    bench.query_one(Banner).shown = bench.shown


# the table -------------------------------------------------------------------------------------------------------


def table(bench: Workbench) -> None:
    """Show policies in a table: the setup at work, B, our own, and those that were added before."""
    from inspector.tui.dialogs.compare import Compare

    session = bench.session
    if session is None or bench.shown is None:
        return
    known = _table(bench, session)

    def marks(one: Candidate) -> str:
        held = bench.beside.setup
        if equal(one, candidate(bench.setup)):
            return "A"
        return "B" if held is not None and equal(one, candidate(held)) else ""

    at = bench.replay.at
    view = "the policies applied once" if at is None else f"as of request {thousands(at)}"
    dialog = Compare(
        f"Policies compared on {session.name}, {view}", known, _preparing(bench, session, at), list(POLICIES.values()),
        lambda name: candidate(Setup(name, bench.setup.given)), marks,
    )  # fmt: skip
    bench.app.push_screen(dialog, lambda chosen: _chosen(bench, chosen))


def candidate(setup: Setup) -> Candidate:
    """A setup as one that takes part."""
    return Candidate(policy_named(setup.policy), setup.settings)


def equal(one: Candidate, other: Candidate) -> bool:
    """Whether two are the same policy with the same settings."""
    return one.policy.name == other.policy.name and one.settings == other.settings


def _table(bench: Workbench, session: Session) -> Table:
    """What was compared before, as far as it holds, with what is at work now."""
    from inspector.tui.compared import Table

    known, of = bench.beside.table, (bench.counter, bench.replay.at, bench.tokens, bench.doctor.target)
    if known is None or known.of[0] is not session or known.of[1:] != of:
        before = known.entries if known is not None else []
        usually = [candidate(Setup(policy.name, bench.setup.given)) for policy in usual(session)]
        known = bench.beside.table = Table(before or usually, (session, *of))
    for setup in (bench.beside.setup, bench.setup):
        if setup is not None and not any(equal(one, candidate(setup)) for one in known.entries):
            known.entries = [candidate(setup), *known.entries]
    return known


def _preparing(bench: Workbench, session: Session, at: int | None) -> Callable[[], Ground]:
    """What makes the ground, in a thread: of what the screen knows already, nothing is worked out again."""
    counter, model, tokens = bench.counter, bench.model, bench.tokens
    terms, calibration, known = bench.replay.terms, bench.replay.calibration, bench.doctor.known
    target = bench.doctor.target

    def prepare() -> Ground:
        from inspector.comparison.outcome import Ground, examined_for
        from inspector.replay import terms_of
        from inspector.tokens import count_bodies

        rows = tokens.rows if tokens.counted else count_bodies(session.messages, counter)
        paying = terms or terms_of(session, counter, model, calibration)
        return Ground(session, counter, rows, paying, known or examined_for(session, target), at)

    return prepare


def _chosen(bench: Workbench, chosen: Chosen | None) -> None:
    if chosen is None:
        return
    one = chosen.candidate
    setup = replace(bench.setup, policy=one.policy.name, given={**bench.setup.given, one.policy.name: dict(one.given)})
    if chosen.beside:
        hold(bench, setup)
    elif not equal(one, candidate(bench.setup)):
        bench.history.note(bench.setup)
        bench.take_setup(setup)
        bench.say(f"at work: {words(setup)}")
