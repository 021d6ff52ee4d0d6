"""The replay on the screen: the timeline and its totals, the view as of a request, playing.

Functions of the workbench, which holds the state. A replay runs beside the screen and is dropped as soon as a setting
changes; another begins a moment later, also while a setting is still being dragged. The view of a request is made at
once where that is quick, else beside the screen, one at a time, the latest wish last.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from textual.worker import get_current_worker

from inspector.message import Session
from inspector.policies import SentView
from inspector.policies.policy import Mode
from inspector.replay import (
    Cancelled,
    Paid,
    Terms,
    answer_of,
    answers_of,
    cancellable,
    paid_batches,
    request_of,
    terms_of,
)
from inspector.replay.view import Film
from inspector.text import thousands
from inspector.tui import calibrating, figures
from inspector.tui.history import Setup
from inspector.tui.ledger import Ledger
from inspector.tui.replay_state import SPEEDS, Key, Moment, State
from inspector.tui.run import Run, as_sent, compactions_of, price_words, warmed
from inspector.tui.shown import Shown
from inspector.tui.timeline import Level, Picture, Timeline

if TYPE_CHECKING:
    from inspector.tui.workbench import Workbench

PAUSE = 0.12
"""Seconds from a change to the next replay: a drag begins one eight times a second."""
QUICK_ROWS = 20_000
"""A stateless view over no more rows than these is made at once: within a frame or two."""
FRAMES = 16
"""The most views a second; faster playing skips requests."""


def forget(bench: Workbench) -> None:
    """Another session is there."""
    state = bench.replay
    stop_playing(bench)
    bench.workers.cancel_group(bench, "replay")
    bench.replay = State(mode=state.mode, speed=state.speed, pause=state.pause)
    timeline = bench.query_one(Timeline)
    timeline.picture, timeline.cursor = None, 0


def mode_of(bench: Workbench) -> Mode:
    """The mode in which the policy at work is replayed."""
    return bench.replay.mode or bench.policy.mode


# the timeline ----------------------------------------------------------------------------------------------------


def toggle(bench: Workbench) -> None:
    """Open the timeline, or close it and go back to one shot."""
    timeline = bench.query_one(Timeline)
    if timeline.display:
        close(bench)
        return
    if bench.session is None:
        bench.say("no session is open: o chooses one")
        return
    timeline.display = True
    timeline.picture = Picture(bench.replay.run or Run(bench.session), Run(bench.session).sums(), 0)
    if bench.replay.at is None:
        timeline.cursor = max(0, request_of(bench.session, bench.query_one(Ledger).cursor))
    timeline.focus()
    follow(bench)
    if bench.replay.key is not None and bench.replay.key == _key(bench):
        draw(bench)


def begin_at(bench: Workbench, session: Session, request: int, mode: Mode | None) -> None:
    """Open the timeline at a request, where the session has it."""
    try:
        answer_of(session, request)
    except IndexError as fault:
        bench.say(str(fault))
        return
    bench.replay.mode = mode if mode != bench.policy.mode else None
    if not bench.query_one(Timeline).display:
        toggle(bench)
    go(bench, request)


def close(bench: Workbench) -> None:
    """Close the timeline; a replay that has not come to its end is dropped, and made anew when it is opened again."""
    timeline = bench.query_one(Timeline)
    leave(bench)
    bench.workers.cancel_group(bench, "replay")
    state = bench.replay
    if state.run is not None and state.run.done < len(state.run):
        state.key = None
    had_focus = timeline.has_focus
    timeline.display = False
    if had_focus:
        bench.query_one(Ledger).focus()


def follow(bench: Workbench) -> None:
    """Calibrate what was counted, and replay what is at work now, if that is not what is replayed already."""
    calibrating.begin(bench)
    state, key = bench.replay, _key(bench)
    if key is None or key == state.key or not bench.query_one(Timeline).display:
        return
    bench.workers.cancel_group(bench, "replay")
    if state.pause is None:
        state.pause = bench.set_timer(PAUSE, lambda: _begin(bench))


def _key(bench: Workbench) -> Key | None:
    if bench.session is None or not bench.tokens.counted:
        return None
    return Key(bench.session, bench.setup, mode_of(bench), bench.counter, bench.tokens)


def _begin(bench: Workbench) -> None:
    state, key = bench.replay, _key(bench)
    state.pause = None
    if key is None or not bench.query_one(Timeline).display or key == state.key:
        return
    if state.run is None or state.key is None or state.key.session is not key.session:
        state.run = Run(key.session)
    if state.key is None or state.key.counted is not key.counted:
        state.terms = None
    state.key, state.run.done = key, 0
    policy, model = bench.policy, bench.model
    settings, tokens, terms, calibration = key.setup.settings, bench.tokens.rows, state.terms, state.calibration

    def work() -> None:
        worker = get_current_worker()
        checked = cancellable(policy, lambda: worker.is_cancelled)
        try:
            paying = terms or terms_of(key.session, key.counter, model, calibration)
            for paid in paid_batches(key.session, checked, settings, key.counter, tokens, paying, key.mode):
                if worker.is_cancelled:
                    return
                bench.call_later(_take, bench, key, paying, paid)
        except Cancelled:
            return

    bench.run_worker(work, thread=True, exclusive=True, group="replay", description="replays a session")


def _take(bench: Workbench, key: Key, terms: Terms, paid: list[Paid]) -> None:
    state = bench.replay
    if key != state.key or state.run is None or key != _key(bench):
        return
    state.terms = terms
    state.run.take(paid)
    draw(bench)


def draw(bench: Workbench) -> None:
    """Draw the run as far as it is known."""
    state, session = bench.replay, bench.session
    if session is None or state.run is None or bench.shown is None:
        return
    terms = state.terms
    bench.query_one(Timeline).picture = Picture(
        state.run, state.run.sums(), bench.shown.window, _thresholds(bench.shown, terms), compactions_of(session),
        price_words(terms.price) if terms else "", figures.calibration_words(state.calibration),
        state.calibration.overhead if state.calibration else 0,
    )  # fmt: skip


def _thresholds(shown: Shown, terms: Terms | None) -> tuple[Level, ...]:
    if terms is None:
        return ()
    return tuple(Level(as_sent(size, terms), f"threshold {thousands(size)}") for size in figures.thresholds(shown))


# the view of a request -------------------------------------------------------------------------------------------


def go(bench: Workbench, request: int) -> None:
    """Show what a request sends."""
    if bench.session is None or bench.replay.at == request:
        return
    bench.replay.at = request
    bench.query_one(Timeline).cursor = request
    bench.recorded, bench.repaired = None, None
    bench.recompute()


def leave(bench: Workbench) -> bool:
    """Back to one shot; whether a request was shown."""
    stop_playing(bench)
    state = bench.replay
    if state.at is None:
        return False
    state.at, state.moment = None, None
    bench.recompute()
    bench.say("one shot: the policy applied once to the whole session")
    return True


def view(bench: Workbench) -> SentView | None:
    """The view of the request that is shown; None for one shot, or until there is one."""
    state, session = bench.replay, bench.session
    if state.at is None or session is None:
        return None
    wanted = (session, bench.setup, mode_of(bench), state.at)
    if state.moment is None or not _same(state.moment, wanted):
        _make(bench, wanted)
    return state.moment.view if state.moment is not None and state.moment.session is session else None


def _same(moment: Moment, wanted: tuple[Session, Setup, Mode, int]) -> bool:
    return moment.session is wanted[0] and moment[1:4] == wanted[1:]


def _make(bench: Workbench, wanted: tuple[Session, Setup, Mode, int]) -> None:
    session, setup, mode, request = wanted
    state = bench.replay
    if not state.making and mode == "stateless" and session.derived(answers_of)[request] <= QUICK_ROWS:
        state.moment = Moment(*wanted, _film(bench, session, setup, mode).view(request))
        bench.call_after_refresh(_reveal, bench)
        return
    if state.making:
        return
    state.making = True
    film = _film(bench, session, setup, mode)

    def work() -> None:
        made = None
        try:
            made = Moment(*wanted, warmed(film.view(request)))
        finally:
            bench.call_later(_arrived, bench, made)

    bench.run_worker(work, thread=True, group="moment", description="makes the view of a request")


def _film(bench: Workbench, session: Session, setup: Setup, mode: Mode) -> Film:
    """What views of the present run are taken from; it remembers how far a carried run has come."""
    state = bench.replay
    if state.film is None or state.film[0] is not session or state.film[1:3] != (setup, mode):
        state.film = session, setup, mode, Film(session, bench.policy, setup.settings, mode)
    return state.film[3]


def _arrived(bench: Workbench, made: Moment | None) -> None:
    state = bench.replay
    state.making = False
    if state.at is None or made is None:
        return
    if made.session is bench.session:
        state.moment = made
    bench.recompute()
    _reveal(bench)


def _reveal(bench: Workbench) -> None:
    """Go to what is new in the request that is shown."""
    rows = new_rows(bench)
    if rows:
        bench.query_one(Ledger).go_to(rows.start)


def of_request(bench: Workbench, shown: Shown) -> Shown:
    """What is shown, with what the replay knows of it: rows that are new, and a calibration."""
    return replace(shown, new=new_rows(bench), calibration=bench.replay.calibration)


def new_rows(bench: Workbench) -> range:
    """The rows that the request shown sees and the one before it did not."""
    moment = bench.replay.moment
    if bench.replay.at is None or moment is None or moment.session is not bench.session or _other_view(bench):
        return range(0)
    answers = moment.session.derived(answers_of)
    before = answers[moment.request - 1] if moment.request else 0
    return range(before, answers[moment.request])


def _other_view(bench: Workbench) -> bool:
    return bench.recorded is not None or bench.repaired is not None


def words(bench: Workbench) -> str:
    """Which view is shown: `as of request 41, carried`; nothing for one shot."""
    moment = bench.replay.moment
    if bench.replay.at is None or moment is None or moment.session is not bench.session:
        return ""
    return f"as of request {moment.request:,}, {moment.mode}"


def turn_mode(bench: Workbench) -> None:
    """Try the policy in the other mode, or in its own again."""
    state, own = bench.replay, bench.policy.mode
    other: Mode = "stateless" if mode_of(bench) == "carried" else "carried"
    state.mode = None if other == own else other
    bench.recompute()
    bench.say(f"replayed {other}{', as the policy does by nature' if other == own else ''}")


# playing ---------------------------------------------------------------------------------------------------------


def play(bench: Workbench) -> None:
    """Play the run from the request under the cursor, from the start where that is the last; or stop."""
    state, timeline = bench.replay, bench.query_one(Timeline)
    if state.player is not None:
        stop_playing(bench)
        bench.say("paused; space goes on")
        return
    count = len(bench.session.derived(answers_of)) if bench.session is not None else 0
    if not count:
        bench.say("there is no request to play")
        return
    go(bench, timeline.cursor if timeline.cursor < count - 1 else 0)
    _start_player(bench)


def speed_up(bench: Workbench, by: int) -> None:
    """Play faster, or with -1 slower."""
    state = bench.replay
    state.speed = min(max(0, state.speed + by), len(SPEEDS) - 1)
    if state.player is not None:
        stop_playing(bench)
        _start_player(bench)
    else:
        bench.say(f"{_speed_words(state.speed)}; space plays")


def _start_player(bench: Workbench) -> None:
    state = bench.replay
    speed = SPEEDS[state.speed]
    state.player = bench.set_interval(1 / min(speed, FRAMES), lambda: _tick(bench))
    bench.say(f"playing {_speed_words(state.speed)}; space pauses, ( and ) change it")


def _speed_words(speed: int) -> str:
    return f"{SPEEDS[speed]} request{'s' * (SPEEDS[speed] != 1)} a second"


def stop_playing(bench: Workbench) -> None:
    """Stop, if the run is being played."""
    if bench.replay.player is not None:
        bench.replay.player.stop()
        bench.replay.player = None


def _tick(bench: Workbench) -> None:
    """The next request, once the view of the last is there."""
    state, session = bench.replay, bench.session
    if state.making or session is None or state.at is None:
        return
    last = len(session.derived(answers_of)) - 1
    if state.at >= last:
        stop_playing(bench)
        bench.say("the last request; space plays from the start")
        return
    go(bench, min(last, state.at + max(1, SPEEDS[state.speed] // FRAMES)))
