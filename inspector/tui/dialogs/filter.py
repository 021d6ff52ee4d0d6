"""Choosing which rows the ledger shows: by ticks, or by words such as `role:tool action:cut`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Button, Input
from textual.widgets.selection_list import Selection

from inspector.text import clip, thousands
from inspector.tui.dialogs.dialog import Complaint, Dialog, Field, Words, button
from inspector.tui.dialogs.ticks import Ticks
from inspector.tui.filtering import (
    Filter,
    FilterError,
    action_counts,
    filtered_rows,
    parse_filter,
    role_counts,
    tool_counts,
)
from inspector.tui.shown import Shown

KINDS = ("roles", "tools", "actions")
NAME_CELLS = 22


class FilterDialog(Dialog[Filter]):
    """Answers the filter chosen; an empty one shows all rows."""

    DEFAULT_CSS = """
    FilterDialog > .box { width: 90; height: 90%; max-height: 30; }
    FilterDialog .title { margin-bottom: 0; }
    FilterDialog .lists { height: 1fr; margin-top: 1; }
    FilterDialog .list { width: 1fr; height: 1fr; margin-right: 1; }
    FilterDialog .list Words { text-style: bold; }
    FilterDialog Ticks {
        height: 1fr; border: none; padding: 0; background: $surface; scrollbar-size-vertical: 1; overflow-x: hidden;
    }
    FilterDialog Ticks > .option-list--option-highlighted {
        background: $surface; color: $foreground; text-style: none;
    }
    FilterDialog Ticks:focus > .option-list--option-highlighted { background: $primary-muted; text-style: bold; }
    FilterDialog Ticks:focus { border: none; background: $panel; }
    FilterDialog .buttons { margin-top: 0; }
    """

    def __init__(self, shown: Shown, current: Filter | None = None) -> None:
        super().__init__()
        self._shown, self._filter = shown, current or Filter()
        self._counts: dict[str, Mapping[str, int]] = {
            "roles": role_counts(shown),
            "tools": tool_counts(shown),
            "actions": action_counts(shown),
        }

    def compose(self) -> ComposeResult:
        """The words, the ticks, and how many rows pass."""
        with Vertical(classes="box"):
            yield Words("Show only", classes="title")
            yield Field(self._filter.text, placeholder="role:tool,user   tool:NAME   action:cut,dropped")
            with Horizontal(classes="lists"):
                for kind in KINDS:
                    with Vertical(classes="list"):
                        yield Words(kind)
                        yield Ticks(*self._selections(kind), id=kind, compact=True)
            yield Words(id="passing")
            yield Complaint()
            with Horizontal(classes="buttons"):
                yield button("Show", "show", first=True)
                yield button("Show all", "all")
                yield button("Cancel", "cancel")

    def _selections(self, kind: str) -> Iterable[Selection[str]]:
        counts, chosen = self._counts[kind], self._chosen(kind)
        width = max(map(len, map(thousands, counts.values())), default=1)
        for name in dict.fromkeys([*counts, *sorted(chosen)]):
            label = Content(f"{thousands(counts.get(name, 0)):>{width}}  {clip(name, NAME_CELLS)}")
            yield Selection(label, name, name in chosen)

    def _chosen(self, kind: str) -> frozenset[str]:
        return {"roles": self._filter.roles, "tools": self._filter.tools, "actions": self._filter.actions}[kind]

    def on_mount(self) -> None:
        """Say how many rows pass."""
        self._count()

    def _count(self) -> None:
        passing = len(filtered_rows(self._shown, self._filter)) if self._filter else len(self._shown.session)
        words = f"{thousands(passing)} of {thousands(len(self._shown.session))} messages"
        self.query_one("#passing", Words).say(words)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Tick what the words say, or say what is wrong with them."""
        try:
            typed = parse_filter(event.value)
        except FilterError as error:
            self.query_one(Complaint).say(str(error))
            return
        self.query_one(Complaint).say("")
        if typed != self._filter:
            self._filter = typed
            self._tick()
            self._count()

    def _tick(self) -> None:
        with self.prevent(Ticks.SelectedChanged):
            for kind in KINDS:
                ticks = self.query_one(f"#{kind}", Ticks)
                ticks.deselect_all()
                for name in self._chosen(kind) & set(self._counts[kind]):
                    ticks.select(name)

    @on(Ticks.SelectedChanged)
    def _ticked(self) -> None:
        ticked = Filter(*(self._ticks(kind) for kind in KINDS))
        if ticked != self._filter:
            self._filter = ticked
            self.query_one(Field).value = ticked.text
            self._count()

    def _ticks(self, kind: str) -> frozenset[str]:
        """What is ticked, and what was typed that there is no line for."""
        ticks = self.query_one(f"#{kind}", Ticks)
        listed = {ticks.get_option_at_index(at).value for at in range(ticks.option_count)}
        return frozenset(ticks.selected) | (self._chosen(kind) - listed)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Show the rows that pass."""
        self._close()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Show those rows, all rows, or leave it."""
        if event.button.id == "show":
            self._close()
        else:
            self.dismiss(Filter() if event.button.id == "all" else None)

    def _close(self) -> None:
        try:
            self.dismiss(parse_filter(self.query_one(Field).value))
        except FilterError as error:
            self.query_one(Complaint).say(str(error))
