"""Choosing a conversation of a file, or a branch that one has left."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Button, Input, OptionList
from textual.widgets.option_list import Option

from inspector.message import Branch, Outline
from inspector.text import clip, pad, thousands
from inspector.tui.dialogs.dialog import Dialog, Field, Words, button

LISTED = 200
"""Lines at most; typing narrows them down."""
HERE = "▸"
LEGEND = "number, kind, messages (+ those that a branch has of its own), what it is about"


@dataclass(frozen=True, slots=True)
class Chosen:
    """A conversation, or one of its branches."""

    index: int
    branch: int | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """One line of the list."""

    chosen: Chosen
    kind: str
    """"" for a main conversation, "side" for a subagent's, "branch"."""
    words: str
    count: str


def choices(contents: Sequence[Outline]) -> Iterator[Choice]:
    """Every conversation in the file's order, each followed by its branches."""
    for index, one in enumerate(contents):
        words = f"{one.title}: {one.opening}" if one.title and one.opening else one.title or one.opening
        yield Choice(Chosen(index), "side" if one.side else "", words, thousands(one.messages))
        for number, branch in enumerate(one.branches):
            yield Choice(Chosen(index, number), "branch", _left(branch), f"+{thousands(branch.messages)}")


def _left(branch: Branch) -> str:
    return f"from row {thousands(branch.row)}: {branch.title}"


def matching(known: Sequence[Choice], typed: str) -> list[Choice]:
    """The choices that hold every typed word."""
    words = typed.lower().split()
    return [one for one in known if all(word in f"{one.kind} {one.words}".lower() for word in words)]


def line_of(one: Choice, width: int, here: Chosen) -> Content:
    """A choice as a line: number, side or branch, messages, title; the open one is marked."""
    mark = HERE if one.chosen == here else " "
    number = "" if one.chosen.branch is not None else f"{one.chosen.index:,}"
    head = f"{mark} {number:>5}  {pad(one.kind, 6)}  {one.count:>7}  "
    text = f"{head}{clip(one.words or 'no title', max(1, width - len(head)))}"
    return Content.styled(text, "bold" if one.chosen == here else "$foreground 60%" if one.kind else "")


class Conversations(Dialog[Chosen]):
    """Answers the conversation to open."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "move('down')", "Down", show=False),
        Binding("up", "move('up')", "Up", show=False),
        Binding("pagedown", "move('page_down')", "Page down", show=False),
        Binding("pageup", "move('page_up')", "Page up", show=False),
    ]
    DEFAULT_CSS = """
    Conversations > .box { width: 120; height: 80%; }
    Conversations .title { margin-bottom: 0; }
    Conversations OptionList {
        height: 1fr; min-height: 3; border: none; padding: 0; background: $surface; margin-top: 1;
        scrollbar-size-vertical: 1; overflow-x: hidden;
    }
    Conversations OptionList:focus { border: none; }
    Conversations .buttons { margin-top: 0; }
    """

    def __init__(self, name: str, contents: Sequence[Outline], here: Chosen) -> None:
        super().__init__()
        self._name, self._here = name, here
        self._known = list(choices(contents))
        self._shown = self._known

    def compose(self) -> ComposeResult:
        """A field that filters, and the conversations."""
        with Vertical(classes="box"):
            yield Words(f"Conversations in {self._name}", classes="title")
            yield Field(placeholder="type to filter")
            yield OptionList(markup=False)
            yield Words(LEGEND, id="legend")
            with Horizontal(classes="buttons"):
                yield button("Open", "open", first=True)
                yield button("Cancel", "cancel")

    def on_resize(self, event: events.Resize) -> None:
        """Lay the lines out anew."""
        self.call_after_refresh(self._list)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Filter."""
        self._shown = matching(self._known, event.value)
        self._list()

    def _list(self) -> None:
        lines = self.query_one(OptionList)
        width = max(20, lines.scrollable_content_region.width - 1)
        options = [Option(line_of(one, width, self._here), id=str(at)) for at, one in enumerate(self._shown[:LISTED])]
        more = len(self._shown) - LISTED
        self.query_one("#legend", Words).say(
            f"and {thousands(more)} more: type to narrow them down" if more > 0 else LEGEND
        )
        lines.set_options(options or [Option(Content("no conversation is called so"), disabled=True)])
        here = next((at for at, one in enumerate(self._shown[:LISTED]) if one.chosen == self._here), 0)
        lines.highlighted = here if self._shown else None

    def action_move(self, where: str) -> None:
        """Move the highlight while the field keeps the keys."""
        lines = self.query_one(OptionList)
        moves: dict[str, Callable[[], None]] = {
            "down": lines.action_cursor_down,
            "up": lines.action_cursor_up,
            "page_down": lines.action_page_down,
            "page_up": lines.action_page_up,
        }
        moves[where]()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Open the conversation that was clicked."""
        event.stop()
        self.dismiss(self._shown[int(event.option_id or 0)].chosen)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Open what is highlighted."""
        self._choose()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Open, or not."""
        self._choose() if event.button.id == "open" else self.dismiss(None)

    def _choose(self) -> None:
        option = self.query_one(OptionList).highlighted_option
        if option is not None and option.id is not None:
            self.dismiss(self._shown[int(option.id)].chosen)
