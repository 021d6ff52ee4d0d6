"""The workbench: the screen that holds the state, and hands it down.

State is a session, a setup (policy and settings) and a counter. Everything that is drawn is a function of them, made
anew at each change and given to the widgets; the widgets answer with messages.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from types import ModuleType
from typing import Any, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Footer, Input
from textual.worker import get_current_worker

from inspector.message import Session
from inspector.policies import SentView, policy_named
from inspector.policies.policy import Policy
from inspector.tokens import Counter, counter_for, counter_named, window_for
from inspector.tui import at_rest, comparing, diagnosis, errands, keys, navigation, news, record, replaying, tuning
from inspector.tui.background import Source, count_session
from inspector.tui.banner import Banner
from inspector.tui.controls import Controls
from inspector.tui.faults import NATIVE
from inspector.tui.filtering import Filter
from inspector.tui.history import History, Setup
from inspector.tui.ledger import Ledger
from inspector.tui.map import Map
from inspector.tui.reader import Reader
from inspector.tui.repairing import Repaired
from inspector.tui.replay_state import State
from inspector.tui.search import Found
from inspector.tui.search_bar import SearchBar
from inspector.tui.shown import Shown, Tokens
from inspector.tui.status import Status
from inspector.tui.timeline import Timeline

PAUSE = 0.8
"""Seconds without a change after which the next one is undone by itself."""
BRIEF = "a worker"
"""Said of each worker, lest textual describe it by the `repr` of its arguments: 4 s for 100,000 messages."""


def _asks(room: ModuleType) -> Callable[..., None]:
    """An action that calls a function of a room with the workbench and what the key gives."""
    return lambda bench, what, *given: getattr(room, what)(bench, *given)


class Workbench(Screen[None]):
    """One session under one policy."""

    BINDINGS: ClassVar[list[BindingType]] = [*keys.bindings()]
    # textual declares both as instance variables, so they cannot be ClassVars here
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide"), (190, "-vast")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-low"), (30, "-high")]  # noqa: RUF012

    def __init__(
        self, source: Source | None, setup: Setup, *, model: str | None = None, window: int | None = None,
        encoding: str | None = None, recent: Sequence[str] = (), target: str = NATIVE,
    ) -> None:  # fmt: skip
        super().__init__()
        self.source = source
        self.setup = setup
        self.session: Session | None = None
        self.shown: Shown | None = None
        self.recorded: int | None = None
        """Which recorded compaction is shown instead of the policy's view."""
        self.repaired: Repaired | None = None
        """The repaired session, where that is shown."""
        self.history = History()
        self.filter = Filter()
        self.files_given = () if source is None else (source.path,)
        self.recent_files = tuple(recent)
        self._model, self._window = model, window
        self.encoding = encoding
        """What counts; None: what goes with the session's model."""
        self.tokens = Tokens(array("q"), False)
        self.doctor = diagnosis.State(target)
        self.replay = State()
        self.beside = comparing.State()
        self.rest: Timer | None = None
        """Runs out once a setting is at rest."""
        self._pause: Timer | None = None

    def compose(self) -> ComposeResult:
        """The panes."""
        yield Banner()
        yield Map()
        with Horizontal(id="panes"):
            yield Controls()
            with Vertical(id="texts"):
                yield Ledger()
                yield Reader()
        yield Timeline()
        yield SearchBar()
        yield Status()
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Start loading; the frame is there already."""
        self.query_one(Reader).display = self.query_one(Timeline).display = False
        self.query_one(Ledger).focus()
        self.watch(self.query_one(Controls), "selected", self._show_selected, init=False)
        if self.source is None:
            errands.open_session(self)
        else:
            self.load(self.source)

    # loading and counting ------------------------------------------------------------------------------------------

    def load(self, source: Source, row: int = 0) -> None:
        """Read a file beside the screen, and go to a row of it; what is shown stays until it is there."""
        self.query_one(Banner).progress = (f"reading {source.path}", None)
        self._load(source, policy_named(self.setup.policy), row)

    @work(thread=True, exclusive=True, group="load", description=BRIEF)
    def _load(self, source: Source, policy: Policy, row: int) -> None:
        answer = news.loading(source, policy, row)
        if not get_current_worker().is_cancelled:
            self.post_message(answer)

    @on(news.Loaded)
    def _show_loaded(self, loaded: news.Loaded) -> None:
        if self.source is not None and self.source.path != loaded.source.path:
            self.filter = Filter()
        before, self.session = self.session, loaded.session
        self.source = replace(loaded.source, asks=False, at=None)
        record.leave(self)
        self.tokens = Tokens(loaded.before, False)
        diagnosis.begin(self, loaded.held)
        replaying.forget(self)
        self.query_one(Banner).progress = None
        self.post_message(news.Opened(loaded.source.path))
        ledger = self.query_one(Ledger)
        ledger.rows_shown = None
        self.recompute()
        ledger.go_to(loaded.row)
        if ledger.needle:
            navigation.search_again(self)
        record.greet(self, before, self.session, loaded.source)
        self.count()

    @on(news.Unreadable)
    def _say_unreadable(self, unreadable: news.Unreadable) -> None:
        self.query_one(Banner).progress = None
        errands.complain(self, unreadable.says)

    @property
    def counter(self) -> Counter:
        """What counts: the one chosen here, else the one for the session's model."""
        return counter_named(self.encoding, self.model) if self.encoding else counter_for(self.model)

    @property
    def model(self) -> str | None:
        """The model that was asked for, else the session's."""
        return self._model or (self.session.model if self.session else None)

    def count(self) -> None:
        """Count the session's messages beside the screen."""
        if self.session is not None:
            self._count(self.session, self.counter)

    @work(thread=True, exclusive=True, group="count", description=BRIEF)
    def _count(self, session: Session, counter: Counter) -> None:
        counts = array("q")
        for chunk in count_session(session, counter):
            counts += chunk
            if get_current_worker().is_cancelled:
                return
            self.post_message(news.Counting(session, counter, counts[:]))

    @on(news.Counting)
    def _take_counts(self, counting: news.Counting) -> None:
        if counting.session is not self.session or counting.counter != self.counter:
            return
        done, rows = len(counting.counts), len(self.tokens.rows)
        self.query_one(Banner).progress = ("counting tokens", done / rows) if done < rows else None
        if done == rows:
            self.tokens = Tokens(counting.counts, True)
            self.recompute()

    # the policy at work --------------------------------------------------------------------------------------------

    def recompute(self) -> None:
        """Make the sent view of the present state, and hand it to every widget."""
        if self.session is None:
            return
        policy = policy_named(self.setup.policy)
        settings = policy.running(self.setup.settings)
        view = record.view(self, self.session, settings) or SentView(
            policy.plan(self.session, settings), policy.name, settings, self.counter
        )
        self.query_one(Banner).moment = record.moment(self, self.session)
        window = self._window or window_for(self.model)
        verdict = diagnosis.verdict(self.doctor)
        shown = Shown(self.session, view, self.counter, self.tokens, window, verdict=verdict)
        self.show(comparing.beside(self, replaying.of_request(self, shown)))
        controls = self.query_one(Controls)
        controls.show(policy, settings, self.session)
        controls.remark(view.plan.warnings, view.notes)
        at_rest.wait(self)
        replaying.follow(self)

    def show(self, shown: Shown) -> None:
        """Hand a state to every widget."""
        self.shown = shown
        ledger, reader = self.query_one(Ledger), self.query_one(Reader)
        self.query_one(Banner).shown = shown
        self.query_one(Map).shown = shown
        ledger.shown = shown
        errands.refilter(self)
        if reader.display:
            reader.show(shown, ledger.cursor)
        self._show_setting()

    # settings ------------------------------------------------------------------------------------------------------

    @property
    def policy(self) -> Policy:
        """The policy at work."""
        return policy_named(self.setup.policy)

    @contextmanager
    def _changing(self, what: object = None) -> Iterator[None]:
        before = self.setup
        yield
        if self.setup != before:
            self.history.note(before, what)
            self._await_pause()
            self.take_setup(self.setup)

    def take_setup(self, setup: Setup) -> None:
        """Put other settings to work, and tell of them."""
        self.setup = setup
        record.leave(self)
        self.recompute()
        self.post_message(news.SetupChanged(setup))

    def _await_pause(self) -> None:
        """Changes of one setting in a row are taken back as one: those of a drag, however slow, or of a held key."""
        if self._pause is not None:
            self._pause.stop()
        self._pause = self.set_timer(PAUSE, self._end_run)

    def _end_run(self) -> None:
        if self.app.mouse_captured is None:
            self.history.pause()
        else:
            self._await_pause()

    @on(Controls.Changed)
    def _set_value(self, changed: Controls.Changed) -> None:
        if any(param.name == changed.name for param in self.policy.params):  # else the policy was changed meanwhile
            self.set_value(changed.name, changed.value)

    @on(Controls.Clamped)
    def _say_clamped(self, clamped: Controls.Clamped) -> None:
        self.say(clamped.says)

    @on(Controls.PolicyChosen)
    def _turn_policy(self, chosen: Controls.PolicyChosen) -> None:
        self.choose_policy(chosen.name)

    def choose_policy(self, name: str) -> None:
        """Try another policy, with the settings that it had."""
        with self._changing():
            self.setup = Setup(name, self.setup.given)
        self.say(self.policy.help)

    def set_value(self, name: str, value: Any) -> None:
        """Give a parameter of the policy at work a value; changes of one parameter in a row are undone as one."""
        with self._changing(what=name):
            self.setup = self.setup.with_value(name, value)
        self.say("")

    @on(Controls.TextWanted)
    def _ask_for_text(self) -> None:
        errands.checkpoint(self)

    def _show_selected(self) -> None:
        self.history.pause()
        self._show_setting()

    def _show_setting(self) -> None:
        self.query_one(Status).setting = tuning.selected_words(self)

    @on(Status.SettingClicked)
    def _fold_settings(self) -> None:
        tuning.fold(self)

    def count_with(self, encoding: str | None) -> None:
        """Count with another tokenizer; None is the one for the session's model."""
        self.encoding = encoding
        self.post_message(news.CounterChosen(encoding))
        self.tokens = Tokens(self.tokens.rows, False)
        self.recompute()
        self.count()

    def say(self, words: str) -> None:
        """Say something in the status line, where it stays."""
        self.query_one(Status).says = words

    def given(self, name: str) -> Any:
        """The value of a setting at work."""
        return self.shown.view.settings.get(name) if self.shown else None

    # moving about --------------------------------------------------------------------------------------------------

    @on(Ledger.Moved)
    def _follow(self, moved: Ledger.Moved) -> None:
        self.query_one(Map).cursor = moved.row
        reader = self.query_one(Reader)
        if reader.display and self.shown is not None:
            reader.show(self.shown, moved.row)

    @on(Map.Jumped)
    def _jump(self, jumped: Map.Jumped) -> None:
        self.query_one(Ledger).go_to(jumped.row)

    @on(Reader.Closed)
    def close_reader(self) -> None:
        """Back to the list."""
        self.query_one(Reader).display = False
        self.query_one(Ledger).focus()

    @on(Ledger.Opened)
    def _open_row(self) -> None:
        self.read()

    def read(self, view: str | None = None) -> None:
        """Open the reader on the message under the cursor."""
        if self.shown is None:
            return
        reader = self.query_one(Reader)
        reader.display = True
        if view is not None:
            reader.view = view
        reader.show(self.shown, self.query_one(Ledger).cursor)
        reader.focus()

    def action_raw(self) -> None:
        """Read the message as JSON."""
        self.read("raw")

    def action_go(self, kind: str, by: int) -> None:
        """Go to the next edited message, breakage, recorded compaction or match."""
        navigation.go_among(self, kind, by)

    @on(SearchBar.Asked)
    def _start_search(self, asked: SearchBar.Asked) -> None:
        navigation.start_search(self, asked.query)

    @work(thread=True, exclusive=True, group="search", description=BRIEF)
    def search(self, steps: Iterator[Found], session: Session, query: str, *, goes: bool) -> None:
        """Take the steps of a search beside the screen."""
        rows: set[int] = set()
        for found in steps:
            if get_current_worker().is_cancelled:
                return
            rows.update(found.rows)
            self.post_message(news.Matched(session, query, frozenset(rows), found.searched, found.total, goes=goes))
        if not len(session):
            self.post_message(news.Matched(session, query, frozenset(), 0, 0, goes=goes))

    @on(news.Matched)
    def _take_matches(self, matched: news.Matched) -> None:
        navigation.take_matches(self, matched)

    @on(Timeline.Moved)
    def _show_request(self, moved: Timeline.Moved) -> None:
        replaying.go(self, moved.request)

    # keys: what each room does with them ---------------------------------------------------------------------------

    action_tune, action_doctor, action_replay = _asks(tuning), _asks(diagnosis), _asks(replaying)
    action_compare, action_record, action_errand = _asks(comparing), _asks(record), _asks(errands)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While something is typed most keys are part of it, and the footer names those of the field alone."""
        return parameters == ("close_layer",) or not isinstance(self.focused, Input)
