"""Choosing whom a session is judged for: a provider with its special rules, or the one of the file's own format."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Button, OptionList
from textual.widgets.option_list import Option

from inspector.doctor.targets import Target
from inspector.text import pad
from inspector.tui.dialogs.dialog import Dialog, Words, button

NAME_CELLS = 22


def line_of(target: Target, chosen: bool) -> Content:
    """A target on one line: its name, and what it is."""
    mark = "● " if chosen else "  "
    return Content.assemble((f"{mark}{pad(target.name, NAME_CELLS)}", "bold"), target.help)


class Targets(Dialog[str]):
    """Answers the name of the target chosen."""

    AUTO_FOCUS = "OptionList"
    DEFAULT_CSS = """
    Targets > .box { width: 104; }
    Targets OptionList {
        height: auto; max-height: 70vh; border: none; padding: 0; background: $surface; scrollbar-size-vertical: 1;
        overflow-x: hidden; text-wrap: nowrap; text-overflow: ellipsis;
    }
    Targets OptionList:focus { border: none; }
    """

    def __init__(self, targets: Sequence[Target], chosen: str) -> None:
        super().__init__()
        self._targets, self._chosen = targets, chosen

    def compose(self) -> ComposeResult:
        """The targets, and buttons."""
        options = [Option(line_of(one, one.name == self._chosen), id=one.name) for one in self._targets]
        with Vertical(classes="box"):
            yield Words("Judge the session for", classes="title")
            yield OptionList(*options, markup=False)
            with Horizontal(classes="buttons"):
                yield button("Choose", "choose", first=True)
                yield button("Cancel", "cancel")

    def on_mount(self) -> None:
        """Begin at the one at work."""
        names = [one.name for one in self._targets]
        self.query_one(OptionList).highlighted = names.index(self._chosen) if self._chosen in names else 0

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Choose it."""
        event.stop()
        self.dismiss(event.option_id)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Choose what is highlighted, or not."""
        options = self.query_one(OptionList)
        chosen = event.button.id == "choose" and options.highlighted is not None
        self.dismiss(self._targets[options.highlighted or 0].name if chosen else None)
