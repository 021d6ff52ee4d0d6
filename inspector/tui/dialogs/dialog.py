"""What the dialogs share: a framed box over the screen, closed by Esc, and fields that draw hostile text harmlessly."""

from __future__ import annotations

from typing import ClassVar, Generic, TypeVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Button, Static, TextArea

from inspector.text import visible
from inspector.tui.field import Field, same_length

__all__ = ["Area", "Complaint", "Dialog", "Field", "Words", "button"]

Answer = TypeVar("Answer")


class Dialog(ModalScreen[Answer | None], Generic[Answer]):
    """A box in the middle of the screen; Esc answers `None`."""

    AUTO_FOCUS = "Input"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "cancel", "Cancel"),
        Binding("down", "app.focus_next", "Next", show=False),
        Binding("up", "app.focus_previous", "Previous", show=False),
    ]
    DEFAULT_CSS = """
    Dialog { align: center middle; }
    Dialog > .box {
        width: 76; max-width: 100%; height: auto; max-height: 100%; overflow-y: auto; scrollbar-size-vertical: 1;
        padding: 0 2; border: round $primary; background: $surface; color: $foreground;
    }
    Dialog .title { text-style: bold; color: $text-primary; margin-bottom: 1; }
    Dialog .words { color: $foreground 70%; height: auto; }
    Dialog .complaint { color: $text-error; height: auto; }
    Dialog .row { height: auto; }
    Dialog .buttons { height: auto; margin-top: 1; align-horizontal: right; }
    Dialog Button { margin-left: 1; }
    Dialog Input { border: none; height: 1; padding: 0 1; background: $panel; }
    Dialog Input:focus { border: none; background: $boost; text-style: none; }
    """

    def action_cancel(self) -> None:
        """Close without an answer."""
        self.dismiss(None)


class Words(Static):
    """Text that may hold what others wrote: drawn as it is, on one line or on several."""

    ALLOW_SELECT = True

    def __init__(self, text: str = "", *, id: str | None = None, classes: str = "words") -> None:
        super().__init__(Content(visible(text)), id=id, classes=classes)

    def say(self, text: str) -> None:
        """Show another text."""
        self.update(Content(visible(text)))


class Complaint(Words):
    """Why something will not do; empty, and of no height, while all is well."""

    def __init__(self) -> None:
        super().__init__(classes="complaint")
        self.display = False

    def say(self, text: str) -> None:
        """Complain; an empty text takes the complaint back."""
        self.display = bool(text)
        super().say(f"! {text}" if text else "")


class Area(TextArea):
    """Several lines to type or paste in, drawn harmlessly."""

    def get_line(self, line_index: int) -> Text:
        """A line as it is drawn: as many characters as it has, tabs left to the widget."""
        parts = self.document.get_line(line_index).split("\t")
        return Text("\t".join(map(same_length, parts)), end="", no_wrap=True)


def button(label: str, id: str, *, first: bool = False) -> Button:
    """A button one line high; `first` is what most people want."""
    return Button(Content(label), variant="primary" if first else "default", id=id, compact=True)
