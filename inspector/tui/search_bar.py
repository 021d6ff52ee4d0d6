"""The line in which a search is typed."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Input, Label

from inspector.tui.field import Field


class SearchBar(Horizontal):
    """Hidden until asked for; Enter searches, Esc puts it away."""

    DEFAULT_CSS = """
    SearchBar { height: 1; display: none; background: $surface; }
    SearchBar.-open { display: block; }
    SearchBar Label { width: auto; padding: 0 1; color: $text-accent; }
    SearchBar Input { width: 1fr; height: 1; border: none; padding: 0; background: $surface; }
    SearchBar Input:focus { border: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "close", "back", key_display="esc")]

    class Asked(Message):
        """A search was typed; empty clears it."""

        def __init__(self, query: str) -> None:
            super().__init__()
            self.query = query

    def compose(self) -> ComposeResult:
        """The prompt and the field."""
        yield Label("/")
        yield Field(placeholder="text in any message; capitals make the search mind them", compact=True)

    def open(self, query: str) -> None:
        """Show the line, with the last search in it."""
        self.add_class("-open")
        field = self.query_one(Input)
        field.value = query
        field.focus()
        field.action_select_all()

    def action_close(self) -> None:
        """Put the line away."""
        self.remove_class("-open")
        self.screen.focus_next("Ledger")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Search."""
        event.stop()
        self.action_close()
        self.post_message(self.Asked(event.value))

    def on_input_blurred(self, event: events.Blur) -> None:
        """Leaving the field closes the line."""
        self.remove_class("-open")
