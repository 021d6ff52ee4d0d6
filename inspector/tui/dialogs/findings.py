"""What is wrong, as a list that is filtered while one types, the finding at the cursor explained. Enter goes there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Button, Input, OptionList, Static
from textual.widgets.option_list import Option

from inspector.doctor.told import Fault
from inspector.text import thousands, visible_line
from inspector.tui.dialogs.dialog import Dialog, Field, Words, button
from inspector.tui.faults import Verdict, family, matching
from inspector.tui.glyphs import SEVERITIES
from inspector.tui.pages import explanation

COLOURS = {"error": "bold $text-error", "warning": "bold $text-warning", "info": "$foreground 60%"}
PAGE = 8
"""Findings that a page key goes on by."""
LISTED = 2_000
"""Findings listed at most; the line above tells how many there are, and typing brings others."""


def place_of(fault: Fault) -> str:
    """Where a finding is in the file."""
    finding = fault.finding
    line = f"line {finding.line:,}" if finding.line else finding.pointer
    byte = f"byte {finding.byte:,}" if finding.byte is not None else ""
    return "  ".join(part for part in (line, byte) if part)


def line_of(fault: Fault, verdict: Verdict) -> Content:
    """A finding as two lines: severity, rule, place and whose fault it is; then the sentence."""
    finding = fault.finding
    head = f"{SEVERITIES[finding.severity]} {finding.severity:<8}{finding.code}"
    row = f"#{fault.row}" if fault.row >= 0 else "the file"
    place = "  ".join(("", row, verdict.standing(fault), place_of(fault)))
    return Content.assemble(
        (visible_line(head), COLOURS[finding.severity]), (visible_line(place), "$foreground 60%"),
        "\n  ", visible_line(finding.says[:400]),
    )  # fmt: skip


class Findings(Dialog[int]):
    """Answers the row to go to; -1 for a finding about the file as a whole."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "move(1)", "Down", show=False),
        Binding("up", "move(-1)", "Up", show=False),
        Binding("pagedown", "page(1)", "Page down", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
    ]
    DEFAULT_CSS = """
    Findings > .box { width: 120; height: 94%; overflow-y: hidden; }
    Findings .title { margin-bottom: 0; }
    Findings OptionList {
        height: 2fr; min-height: 4; border: none; padding: 0; background: $surface; scrollbar-size-vertical: 1;
        overflow-x: hidden; text-wrap: nowrap; text-overflow: ellipsis;
    }
    Findings OptionList:focus { border: none; }
    Findings .explained { height: 1fr; min-height: 5; background: $panel; padding: 0 1; scrollbar-size-vertical: 1; }
    Findings .buttons { margin-top: 0; }
    """

    def __init__(self, title: str, faults: Sequence[Fault], verdict: Verdict) -> None:
        super().__init__()
        self._title, self._faults, self._verdict = title, faults, verdict
        self._listed = list(faults)

    def compose(self) -> ComposeResult:
        """A field that filters, the findings, the one at the cursor explained, and buttons."""
        families = ", ".join(sorted({family(fault.finding.code) for fault in self._faults}))
        with Vertical(classes="box"):
            yield Words(self._title, classes="title")
            yield Field(placeholder=f"type to filter: error, warning, introduced, {families}")
            yield Words(id="count")
            yield OptionList(markup=False)
            with VerticalScroll(classes="explained", can_focus=False):
                yield Static(id="explained", markup=False)
            with Horizontal(classes="buttons"):
                yield button("Go there", "go", first=True)
                yield button("Close", "close")

    def on_mount(self) -> None:
        """List them all."""
        self._list()

    def _list(self) -> None:
        options, shown = self.query_one(OptionList), self._listed[:LISTED]
        options.set_options([Option(line_of(fault, self._verdict)) for fault in shown])
        options.highlighted = 0 if shown else None
        counted = f"{thousands(len(self._listed))} of {thousands(len(self._faults))} findings"
        more = f", the first {thousands(LISTED)} listed" if len(self._listed) > LISTED else ""
        self.query_one("#count", Words).say(counted + more)
        self._explain()

    def _explain(self) -> None:
        fault = self._chosen
        lines = explanation(fault, self._verdict) if fault is not None else []
        text = Content("\n").join([Content(visible_line(line.text[:2_000])) for line in lines])
        self.query_one("#explained", Static).update(text)

    @property
    def _chosen(self) -> Fault | None:
        at = self.query_one(OptionList).highlighted
        return None if at is None or at >= len(self._listed) else self._listed[at]

    def on_input_changed(self, event: Input.Changed) -> None:
        """Filter by severity, family, rule, standing and sentence."""
        self._listed = matching(self._faults, event.value, self._verdict)
        self._list()

    def action_move(self, by: int) -> None:
        """Move the highlight while the field keeps the keys."""
        options = self.query_one(OptionList)
        (options.action_cursor_down if by > 0 else options.action_cursor_up)()

    def action_page(self, by: int) -> None:
        """Move it by a page."""
        options = self.query_one(OptionList)
        options.highlighted = min(max(0, (options.highlighted or 0) + by * PAGE), max(0, options.option_count - 1))

    def on_option_list_option_highlighted(self) -> None:
        """Explain the finding at the cursor."""
        self._explain()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Go to what was clicked."""
        event.stop()
        self._go()

    def on_input_submitted(self) -> None:
        """Go to the finding at the cursor."""
        self._go()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Go there, or close."""
        self._go() if event.button.id == "go" else self.dismiss(None)

    def _go(self) -> None:
        if self._chosen is not None:
            self.dismiss(self._chosen.row)
