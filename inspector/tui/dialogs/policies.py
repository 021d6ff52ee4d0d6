"""Choosing a policy: each with what it does, filtered as one types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Button, Input, OptionList
from textual.widgets.option_list import Option

from inspector.policies import Policy
from inspector.tui.dialogs.dialog import Dialog, Field, Words, button


def line_of(policy: Policy, chosen: bool) -> Content:
    """A policy as two lines: its name and manner, then what it does."""
    mark = "● " if chosen else "  "
    return Content.assemble(
        (f"{mark}{policy.name}", "bold"), (f"   {policy.mode}", "$foreground 60%"), f"\n  {policy.help}"
    )


def matching(policies: Sequence[Policy], typed: str) -> list[Policy]:
    """The policies that hold every typed word in their name or help."""
    words = typed.lower().split()
    return [one for one in policies if all(word in f"{one.name} {one.help} {one.source}".lower() for word in words)]


class Policies(Dialog[str]):
    """Answers the name of the policy chosen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "move(1)", "Down", show=False),
        Binding("up", "move(-1)", "Up", show=False),
    ]
    DEFAULT_CSS = """
    Policies > .box { width: 110; height: 90%; }
    Policies .title { margin-bottom: 0; }
    Policies OptionList {
        height: 1fr; min-height: 3; border: none; padding: 0; background: $surface; margin-top: 1;
        scrollbar-size-vertical: 1; overflow-x: hidden;
    }
    Policies OptionList:focus { border: none; }
    """

    def __init__(self, policies: Sequence[Policy], chosen: str) -> None:
        super().__init__()
        self._policies, self._listed, self._chosen = policies, list(policies), chosen

    def compose(self) -> ComposeResult:
        """A field that filters, the policies, and buttons."""
        with Vertical(classes="box"):
            yield Words("Try another policy", classes="title")
            yield Field(placeholder="type to filter")
            yield OptionList(markup=False)
            with Horizontal(classes="buttons"):
                yield button("Choose", "choose", first=True)
                yield button("Cancel", "cancel")

    def on_mount(self) -> None:
        """List them all, the one at work under the cursor."""
        self._list()

    def _list(self) -> None:
        options = self.query_one(OptionList)
        options.set_options([Option(line_of(one, one.name == self._chosen), id=one.name) for one in self._listed])
        names = [one.name for one in self._listed]
        if names:
            options.highlighted = names.index(self._chosen) if self._chosen in names else 0

    def on_input_changed(self, event: Input.Changed) -> None:
        """Filter."""
        self._listed = matching(self._policies, event.value)
        self._list()

    def action_move(self, by: int) -> None:
        """Move the highlight while the field keeps the keys."""
        options = self.query_one(OptionList)
        (options.action_cursor_down if by > 0 else options.action_cursor_up)()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Choose what was clicked."""
        event.stop()
        self.dismiss(event.option_id)

    def on_input_submitted(self) -> None:
        """Choose what is highlighted."""
        self._choose()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Choose or not."""
        self._choose() if event.button.id == "choose" else self.dismiss(None)

    def _choose(self) -> None:
        options = self.query_one(OptionList)
        if options.highlighted is not None:
            self.dismiss(options.get_option_at_index(options.highlighted).id)
