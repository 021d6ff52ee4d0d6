"""The workbench: the screen that holds the state, and hands it down.

State is a session, a setup (policy and settings) and a counter. Everything that is drawn is a function of them, made
anew at each change and given to the widgets; the widgets answer with messages.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Footer
from textual.worker import get_current_worker

from inspector.formats import UnreadableSession
from inspector.message import Session
from inspector.policies import POLICIES, SentView, policy_named
from inspector.policies.policy import Policy
from inspector.tokens import ENCODINGS, Counter, counter_for, counter_named, window_for
from inspector.tui import errands, keys
from inspector.tui.background import Source, count_sent, count_session, prepare
from inspector.tui.banner import Banner
from inspector.tui.controls import Controls
from inspector.tui.filtering import Filter
from inspector.tui.history import History, Setup
from inspector.tui.ledger import Ledger
from inspector.tui.map import Map
from inspector.tui.news import Counting, Loaded, Matched, Opened, SentCounted, SetupChanged, Unreadable
from inspector.tui.reader import Reader
from inspector.tui.search import Found
from inspector.tui.search_bar import SearchBar
from inspector.tui.setting import amount
from inspector.tui.shown import Shown, Tokens
from inspector.tui.status import Status

REST = 0.12
"""Seconds without a change after which the rewritten texts are counted."""


class Workbench(Screen[None]):
    """One session under one policy."""

    BINDINGS: ClassVar[list[BindingType]] = [*keys.bindings()]
    # textual declares both as instance variables, so they cannot be ClassVars here
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide"), (190, "-vast")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-low"), (30, "-high")]  # noqa: RUF012

    def __init__(
        self, source: Source | None, setup: Setup, *, model: str | None = None, window: int | None = None,
        encoding: str | None = None, recent: Sequence[str] = (),
    ) -> None:  # fmt: skip
        super().__init__()
        self.source = source
        self.setup = setup
        self.session: Session | None = None
        self.shown: Shown | None = None
        self.history = History()
        self.filter = Filter()
        self.files_given = () if source is None else (source.path,)
        self.recent_files = tuple(recent)
        self._model, self._window, self._encoding = model, window, encoding
        self.tokens = Tokens(array("q"), False)
        self._rest: Timer | None = None
        self._return_to = 0

    def compose(self) -> ComposeResult:
        """The panes."""
        yield Banner()
        yield Map()
        with Horizontal(id="panes"):
            yield Controls()
            with Vertical(id="texts"):
                yield Ledger()
                yield Reader()
        yield SearchBar()
        yield Status()
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Start loading; the frame is there already."""
        self.query_one(Reader).display = False
        self.query_one(Ledger).focus()
        self.watch(self.query_one(Controls), "selected", self._show_selected, init=False)
        if self.source is None:
            errands.open_session(self)
        else:
            self.load(self.source)

    # loading and counting ------------------------------------------------------------------------------------------

    def load(self, source: Source) -> None:
        """Read a file beside the screen; what is shown stays until it is there."""
        self.query_one(Banner).progress = (f"reading {source.path}", 0.0)
        self._load(source, policy_named(self.setup.policy))

    @work(thread=True, exclusive=True, group="load")
    def _load(self, source: Source, policy: Policy) -> None:
        try:
            session = source.load()
            before = prepare(session, policy)
        except UnreadableSession as unreadable:
            self.post_message(Unreadable(str(unreadable)))
        except (OSError, MemoryError, RecursionError) as fault:
            self.post_message(Unreadable(f"{source.path} cannot be read: {fault or type(fault).__name__}"))
        else:
            if not get_current_worker().is_cancelled:
                self.post_message(Loaded(source, session, before))

    @on(Loaded)
    def _show_loaded(self, loaded: Loaded) -> None:
        self.source, self.session = loaded.source, loaded.session
        self.tokens = Tokens(loaded.before, False)
        self.query_one(Banner).progress = None
        self.post_message(Opened(loaded.source.path))
        self.recompute()
        self.query_one(Ledger).go_to(min(self._return_to, max(0, len(loaded.session) - 1)))
        self._return_to = 0
        self.count()

    @on(Unreadable)
    def _say_unreadable(self, unreadable: Unreadable) -> None:
        self.query_one(Banner).progress = None
        self.say(unreadable.says)
        if self.session is None:
            errands.open_session(self)

    @property
    def counter(self) -> Counter:
        """What counts: the one chosen here, else the one for the session's model."""
        model = self._model or (self.session.model if self.session else None)
        return counter_named(self._encoding, model) if self._encoding else counter_for(model)

    def count(self) -> None:
        """Count the session's messages beside the screen."""
        if self.session is not None:
            self._count(self.session, self.counter)

    @work(thread=True, exclusive=True, group="count")
    def _count(self, session: Session, counter: Counter) -> None:
        counts = array("q")
        for chunk in count_session(session, counter):
            counts += chunk
            if get_current_worker().is_cancelled:
                return
            self.post_message(Counting(session, counter, counts[:]))

    @on(Counting)
    def _take_counts(self, counting: Counting) -> None:
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
        settings = {**{param.name: param.default for param in policy.params}, **self.setup.settings}
        view = SentView(policy.plan(self.session, settings), policy.name, settings, self.counter)
        window = self._window or window_for(self._model or self.session.model)
        self.show(Shown(self.session, view, self.counter, self.tokens, window))
        controls = self.query_one(Controls)
        controls.show(policy, settings, self.session)
        controls.remark(view.plan.warnings, view.notes)
        self._count_when_at_rest()

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

    def _count_when_at_rest(self) -> None:
        if self._rest is not None:
            self._rest.stop()
        if self.tokens.counted:
            self._rest = self.set_timer(REST, self._start_sent_count)

    def _start_sent_count(self) -> None:
        if self.shown is not None and not self.shown.sent_is_exact:
            self._count_sent(self.shown.view, self.tokens.rows, self.counter)

    @work(thread=True, exclusive=True, group="sent")
    def _count_sent(self, view: SentView, before: array[int], counter: Counter) -> None:
        for tokens in count_sent(view, before, counter):
            if get_current_worker().is_cancelled:
                return
            if tokens is not None:
                self.post_message(SentCounted(view, counter, tokens))

    @on(SentCounted)
    def _take_sent_count(self, counted: SentCounted) -> None:
        shown = self.shown
        if shown is None or counted.view is not shown.view or counted.counter != self.counter:
            return
        exact = replace(shown, exact_sent=counted.tokens)
        self.shown = exact
        self.query_one(Banner).shown = exact

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
            self.recompute()
            self.post_message(SetupChanged(self.setup))

    @on(Controls.Changed)
    def _set_value(self, changed: Controls.Changed) -> None:
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
        controls = self.query_one(Controls)
        if self.shown is not None and 0 <= controls.selected < len(self.policy.params):
            param = self.policy.params[controls.selected]
            value = amount(param, self.given(param.name))
            self.query_one(Status).setting = f"{self.policy.name}   {param.title} {value} {param.unit}".rstrip()

    def action_step(self, by: int) -> None:
        """Step the selected setting."""
        self.query_one(Controls).step(by)

    def action_select(self, by: int) -> None:
        """Select another setting."""
        self.query_one(Controls).select_next(by)

    def action_reset_setting(self) -> None:
        """Give the selected setting its default."""
        self.query_one(Controls).reset()

    def action_type_value(self) -> None:
        """Open the field for a typed value."""
        self.query_one(Controls).open()

    def action_next_policy(self) -> None:
        """The next policy, with the settings that it had."""
        names = list(POLICIES)
        self.choose_policy(names[(names.index(self.setup.policy) + 1) % len(names)])

    def action_undo(self) -> None:
        """Take the last change of a setting back."""
        self._go_back_to(self.history.undo(self.setup), "nothing to undo")

    def action_redo(self) -> None:
        """Make the undone change again."""
        self._go_back_to(self.history.redo(self.setup), "nothing to redo")

    def _go_back_to(self, setup: Setup | None, otherwise: str) -> None:
        if setup is None:
            self.say(otherwise)
            return
        self.setup = setup
        self.recompute()
        self.post_message(SetupChanged(self.setup))
        self.say("")

    def action_next_counter(self) -> None:
        """Count with the next tokenizer; the first is the one for the session's model."""
        order = (None, *ENCODINGS)
        self._encoding = order[(order.index(self._encoding) + 1) % len(order)]
        self.tokens = Tokens(self.tokens.rows, False)
        self.recompute()
        self.count()
        self.say(f"counting with {self.counter.label}")

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

    def action_close_layer(self) -> None:
        """Close the reader, else clear the search, else the filter."""
        reader, ledger = self.query_one(Reader), self.query_one(Ledger)
        if reader.display:
            reader.display = False
            ledger.focus()
        elif ledger.needle:
            errands.clear_search(self)
        elif ledger.rows_shown is not None:
            errands.clear_filter(self)
        else:
            ledger.focus()

    def go_among(self, rows: Sequence[int], by: int, none: str) -> None:
        """Go to the next of some rows in a direction, round the end; say `none` where there are none."""
        if not rows:
            self.say(none)
            return
        at = self.query_one(Ledger).cursor
        place = bisect_right(rows, at) if by > 0 else bisect_left(rows, at) - 1
        row = rows[place % len(rows)]
        self.query_one(Ledger).go_to(row)
        self.say(f"{place % len(rows) + 1:,} of {len(rows):,}")

    def action_edited(self, by: int) -> None:
        """Go to the next message that the policy changes."""
        self.go_among(self.shown.edited_rows if self.shown else (), by, "the policy changes nothing")

    def action_broken(self, by: int) -> None:
        """Go to the next message where the policy breaks something."""
        self.go_among(list(self.shown.breakages.rows) if self.shown else (), by, "the policy breaks nothing")

    def action_compaction(self, by: int) -> None:
        """Go to the next compaction that the recording tool did."""
        rows = [compaction.row for compaction in self.session.compactions] if self.session else []
        self.go_among(rows, by, "no compaction was recorded in this session")

    def action_match(self, by: int) -> None:
        """Go to the next match of the search."""
        self.go_among(sorted(self.query_one(Ledger).matches), by, "no match: / starts a search")

    @on(SearchBar.Asked)
    def _start_search(self, asked: SearchBar.Asked) -> None:
        errands.start_search(self, asked.query)

    @work(thread=True, exclusive=True, group="search")
    def search(self, steps: Iterator[Found], query: str) -> None:
        """Take the steps of a search beside the screen."""
        rows: set[int] = set()
        for found in steps:
            if get_current_worker().is_cancelled:
                return
            rows.update(found.rows)
            self.post_message(Matched(query, frozenset(rows), found.searched, found.total))

    @on(Matched)
    def _take_matches(self, matched: Matched) -> None:
        ledger = self.query_one(Ledger)
        if matched.query != ledger.needle:
            return
        first = bool(matched.rows) and not ledger.matches
        ledger.matches = matched.rows
        done = matched.searched >= matched.total
        count = f"{len(matched.rows):,} messages hold {matched.query!r}"
        self.say(f"{count}; n and N go through them" if done else f"{count} so far")
        if first and ledger.cursor not in matched.rows:
            self.action_match(1)

    # errands: what asks a person something, or leaves the screen -----------------------------------------------------

    def action_errand(self, name: str) -> None:
        """Start one of the errands."""
        getattr(errands, name)(self)

    def action_copy(self, sent: bool) -> None:
        """Copy the message under the cursor."""
        errands.copy(self, sent=sent)

    def action_conversation(self, by: int) -> None:
        """Open another conversation of the same file."""
        if self.session is None or self.source is None or self.session.conversations < 2:
            self.say("this file holds one conversation")
            return
        self.load(replace(self.source, index=(self.source.index + by) % self.session.conversations))

    def action_reload(self) -> None:
        """Read the file again, and stay where we are."""
        if self.source is not None:
            self._return_to = self.query_one(Ledger).cursor
            self.load(self.source)

    def action_side(self) -> None:
        """Show the other side, where only one fits."""
        self.query_one(Ledger).action_turn()

    def action_quit(self) -> None:
        """Leave."""
        self.app.exit()
