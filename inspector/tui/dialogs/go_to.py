"""Asking for a row to go to: `12`, `#12`, `-1` from the end, `50%`."""

from __future__ import annotations

import re

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Button, Input

from inspector.text import thousands
from inspector.tui.dialogs.dialog import Complaint, Dialog, Field, Words, button


class NoSuchRow(ValueError):
    """A place that is none; says in one sentence what would be."""


def read_row(text: str, rows: int) -> int:
    """The row that a typed place names. Raises `NoSuchRow` with one sentence."""
    found = re.fullmatch(r"#?(-?)([0-9][0-9,_]{0,30})|([0-9]{1,9}(?:\.[0-9]{1,9})?) ?%", text.strip())
    if not rows:
        raise NoSuchRow("this session has no messages")
    if not found:
        raise NoSuchRow(f"write a number such as 12, -1 for the last, or 50%, not {text.strip()[:40]!r}")
    if found[3]:
        return _at_percent(float(found[3]), rows)
    number = int(found[2].replace(",", "").replace("_", ""))
    row = rows - number if found[1] else number
    if not 0 <= row < rows or (found[1] and not number):
        sign = "-" if found[1] else ""
        raise NoSuchRow(f"there is no message {sign}{thousands(number)}: they go from 0 to {thousands(rows - 1)}")
    return row


def _at_percent(percent: float, rows: int) -> int:
    if percent > 100:
        raise NoSuchRow(f"there is nothing at {percent:g}%: the session ends at 100%")
    return round(percent / 100 * (rows - 1))


class GoTo(Dialog[int]):
    """Answers the row to go to."""

    DEFAULT_CSS = "GoTo > .box { width: 60; }"

    def __init__(self, rows: int) -> None:
        super().__init__()
        self._rows = rows

    def compose(self) -> ComposeResult:
        """A field, and what it takes."""
        with Vertical(classes="box"):
            yield Words("Go to a message", classes="title")
            yield Field(placeholder="12   -1   50%")
            yield Words(
                f"0 to {thousands(max(0, self._rows - 1))}, as the ledger counts; -1 is the last; 50% the middle"
            )
            yield Complaint()
            with Horizontal(classes="buttons"):
                yield button("Go", "go", first=True)
                yield button("Cancel", "cancel")

    def on_input_changed(self, event: Input.Changed) -> None:
        """Say at once what will not do, once there is something."""
        try:
            read_row(event.value or "0", self._rows)
            complaint = ""
        except NoSuchRow as error:
            complaint = str(error) if event.value.strip() not in ("", "-", "#") else ""
        self.query_one(Complaint).say(complaint)

    def on_input_submitted(self) -> None:
        """Go."""
        self._go()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Go, or not."""
        self._go() if event.button.id == "go" else self.dismiss(None)

    def _go(self) -> None:
        try:
            self.dismiss(read_row(self.query_one(Field).value, self._rows))
        except NoSuchRow as error:
            self.query_one(Complaint).say(str(error))
