"""A list of findings: what is wrong, how bad it is, and where. Enter goes there."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Button, OptionList
from textual.widgets.option_list import Option

from inspector.finding import Finding
from inspector.text import visible_line
from inspector.tui.dialogs.dialog import Dialog, Words, button

MARKS = {"error": ("!", "$text-error"), "warning": ("!", "$text-warning"), "info": ("·", "$foreground 60%")}
LISTED = 2_000
"""Findings listed at most; the title tells how many there are."""


def line_of(finding: Finding) -> Content:
    """A finding as two lines: severity, rule and place; then the sentence."""
    mark, colour = MARKS[finding.severity]
    place = f"line {finding.line}" if finding.line else finding.pointer or "the whole file"
    byte = f", byte {finding.byte:,}" if finding.byte is not None else ""
    head = f"{mark} {finding.severity:<8} {finding.code}   {place}{byte}"
    return Content.assemble((visible_line(head), colour), "\n  ", visible_line(finding.says))


class Findings(Dialog[int]):
    """Answers the row to go to, where a finding has one."""

    AUTO_FOCUS = "OptionList"
    DEFAULT_CSS = """
    Findings > .box { width: 110; height: 80%; }
    Findings OptionList { height: 1fr; border: none; padding: 0; background: $surface; scrollbar-size-vertical: 1; }
    Findings OptionList:focus { border: none; }
    """

    def __init__(self, title: str, findings: Sequence[Finding]) -> None:
        super().__init__()
        self._title, self._findings = title, findings[:LISTED]

    def compose(self) -> ComposeResult:
        """The title, the findings, and a button."""
        options = [Option(line_of(finding), id=str(place)) for place, finding in enumerate(self._findings)]
        with Vertical(classes="box"):
            yield Words(self._title, classes="title")
            yield OptionList(*options, markup=False)
            with Horizontal(classes="buttons"):
                yield button("Close", "close")

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Go to the message, where the finding speaks of one that is loaded."""
        event.stop()
        self.dismiss(self._findings[int(event.option_id or 0)].row)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Close."""
        self.dismiss(None)
