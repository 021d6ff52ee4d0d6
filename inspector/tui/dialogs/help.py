"""All keys, by pane."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar, TypeAlias

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Button, Static

from inspector.text import cells, pad, visible
from inspector.tui.dialogs.dialog import Dialog, Words, button

Keys: TypeAlias = "Sequence[tuple[str, str]]"
"""A key as people write it, and what it does."""


def keys_of(bindings: Iterable[BindingType], app: App[object]) -> list[tuple[str, str]]:
    """The keys and words of a widget's bindings; keys that do the same share a line."""
    found: dict[tuple[str, str], list[str]] = {}
    for binding in Binding.make_bindings(bindings):
        if binding.description:
            found.setdefault((binding.action, binding.description), []).append(app.get_key_display(binding))
    return [("  ".join(dict.fromkeys(keys)), words) for (_, words), keys in found.items()]


class HelpText(VerticalScroll, can_focus=True):
    """The scrolling part."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "scroll_down", "Down", show=False),
        Binding("k", "scroll_up", "Up", show=False),
        Binding("g", "scroll_home", "Top", show=False),
        Binding("G", "scroll_end", "End", show=False),
        Binding("space,ctrl+d", "page_down", "Page down", show=False),
        Binding("ctrl+u", "page_up", "Page up", show=False),
    ]


class Help(Dialog[None]):
    """Keys by pane, and a few words before them. Answers nothing."""

    AUTO_FOCUS = "HelpText"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("q,question_mark,f1", "cancel", "Close")]
    DEFAULT_CSS = """
    Help > .box { height: 90%; }
    HelpText { height: 1fr; scrollbar-size-vertical: 1; }
    """

    def __init__(self, panes: Mapping[str, Keys], *, words: str = "") -> None:
        super().__init__()
        self._panes, self._words = panes, words

    def compose(self) -> ComposeResult:
        """The keys, a way to all commands, and a button to close."""
        with Vertical(classes="box"):
            yield Words("Keys", classes="title")
            with HelpText():
                yield Static(self._content())
            with Horizontal(classes="buttons"):
                yield button("All commands", "commands")
                yield button("Close", "close", first=True)

    def _content(self) -> Content:
        keys = [visible(key) for pane in self._panes.values() for key, _ in pane]
        width = min(24, max(map(cells, keys), default=0))
        parts: list[str | tuple[str, str]] = [f"{visible(self._words)}\n\n"] if self._words else []
        for pane, lines in self._panes.items():
            parts.append((f"{visible(pane)}\n", "bold $text-primary"))
            for key, words in lines:
                parts += [(f"  {pad(visible(key), width)}  ", "bold"), f"{visible(words)}\n"]
            parts.append("\n")
        return Content.assemble(*parts)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Close; then, for those who use the mouse alone, show everything that can be done as a list to click."""
        self.dismiss(None)
        if event.button.id == "commands":
            self.app.call_after_refresh(self.app.action_command_palette)
