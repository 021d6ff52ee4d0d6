"""A line to type in. What is pasted there may come from a recording, and is drawn as harmlessly as the recording."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.widgets import Input

from inspector.text import visible_line


class Field(Input):
    """A line to type in, whose text is drawn harmlessly whatever was pasted."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "submit", "done", key_display="⏎")]

    @property
    def _value(self) -> Text:
        return Text(same_length(self.value), no_wrap=True, overflow="ignore", end="")


def same_length(text: str) -> str:
    """`text` made visible on one line, character for character, so that a cursor stays where it is."""
    return visible_line(text.replace("\r", "\u240d").replace("\t", "\u2409"))
