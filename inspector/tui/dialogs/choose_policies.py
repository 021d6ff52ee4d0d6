"""Choosing any number of policies by ticks, filtered as one types."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Button, Input
from textual.widgets.selection_list import Selection

from inspector.policies import Policy
from inspector.text import cells, pad
from inspector.tui.dialogs.dialog import Dialog, Field, Words, button
from inspector.tui.dialogs.policies import matching
from inspector.tui.dialogs.ticks import Ticks


class ChoosePolicies(Dialog[frozenset[str]]):
    """Answers the names of the policies that are ticked."""

    AUTO_FOCUS = "Ticks"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "filter", "Filter", show=False),
        Binding("enter", "done", "Compare", show=False, priority=True),
    ]
    DEFAULT_CSS = """
    ChoosePolicies > .box { width: 110; height: 90%; }
    ChoosePolicies .title { margin-bottom: 0; }
    ChoosePolicies Ticks {
        height: 1fr; min-height: 3; border: none; padding: 0; background: $surface; margin-top: 1;
        scrollbar-size-vertical: 1; overflow-x: hidden;
    }
    ChoosePolicies Ticks:focus { border: none; }
    """

    def __init__(self, policies: Sequence[Policy], ticked: Collection[str]) -> None:
        super().__init__()
        self._policies, self._ticked = policies, set(ticked)

    def compose(self) -> ComposeResult:
        """A field that filters, the policies, and buttons."""
        with Vertical(classes="box"):
            yield Words("Compare which policies? space ticks, enter compares them", classes="title")
            yield Field(placeholder="/ to filter")
            yield Ticks(*self._selections(self._policies), compact=True)
            with Horizontal(classes="buttons"):
                yield button("Compare", "compare", first=True)
                yield button("All", "all")
                yield button("Cancel", "cancel")

    def on_mount(self) -> None:
        """Begin at the first."""
        self.query_one(Ticks).highlighted = 0

    def _selections(self, policies: Sequence[Policy]) -> list[Selection[str]]:
        width = max((cells(one.name) for one in self._policies), default=0)
        return [
            Selection(Content(f"{pad(one.name, width)}  {one.help}"), one.name, one.name in self._ticked)
            for one in policies
        ]

    def on_input_changed(self, event: Input.Changed) -> None:
        """Filter; what is ticked stays so."""
        ticks = self.query_one(Ticks)
        with self.prevent(Ticks.SelectedChanged):
            ticks.clear_options()
            ticks.add_options(self._selections(matching(self._policies, event.value)))
        ticks.highlighted = 0 if ticks.option_count else None

    @on(Ticks.SelectedChanged)
    def _note(self) -> None:
        ticks = self.query_one(Ticks)
        listed = {ticks.get_option_at_index(at).value for at in range(ticks.option_count)}
        self._ticked = (self._ticked - listed) | set(ticks.selected)

    def action_filter(self) -> None:
        """Go to the field."""
        self.query_one(Field).focus()

    def action_done(self) -> None:
        """Compare what is ticked."""
        self.dismiss(frozenset(self._ticked))

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Answer what is ticked, everything, or nothing."""
        if event.button.id == "all":
            self.query_one(Ticks).select_all()
        else:
            self.dismiss(frozenset(self._ticked) if event.button.id == "compare" else None)
