"""The ledger: original and sent side by side, one row a message, drawn line by line from one row index.

A widget a message would take seconds to move at 10,000 rows; here a frame asks for the lines on screen and finds each
row by bisection (SCALING.md, section 4). Setting `shown` repaints and lays out nothing, unless the session is another.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.cache import LRUCache
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from inspector.message import Session
from inspector.text import visible_line
from inspector.tui.drawing import LIMIT, Drawing, column_names
from inspector.tui.lines import Piece
from inspector.tui.rows import Grid, Layout, grid_for, heights
from inspector.tui.search import pattern_of
from inspector.tui.shown import Shown
from inspector.tui.sides import SIDES, next_side, side_count, side_names, sides_shown

LOOKS = (
    "head rule number same gone reason system kept aside user assistant tool call text tokens action marker insert "
    "saved error broken grew mark match differs bar cursor"
)
STYLES: Mapping[str, str] = {
    "role-system": "system", "role-developer": "system", "role-user": "user", "role-assistant": "assistant",
    "role-tool": "tool", "role-function": "tool", "role-other": "system", "thinking": "aside", "images": "aside",
    "insert-text": "text", "call-kept": "kept", "text-kept": "kept", "thinking-kept": "kept", "images-kept": "kept",
}  # fmt: skip
"""Kinds of pieces to the look that paints them, where that has another name."""
KEPT_ROWS = 512
"""Painted rows that are kept: several screens."""


class Ledger(ScrollView, can_focus=True):
    """The messages of a session as recorded and as sent."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    Ledger {
        overflow-x: hidden; overflow-y: auto; scrollbar-gutter: stable; scrollbar-size-vertical: 1;
        background: $background; color: $foreground;
        & > .ledger--head, & > .ledger--rule { color: $text-disabled; }
        & > .ledger--number, & > .ledger--same, & > .ledger--gone, & > .ledger--reason { color: $text-muted; }
        & > .ledger--system, & > .ledger--kept, & > .ledger--aside { color: $text-muted; }
        & > .ledger--user { color: $text-primary; text-style: bold; }
        & > .ledger--assistant { color: $text; text-style: bold; }
        & > .ledger--tool, & > .ledger--call { color: $text-secondary; }
        & > .ledger--text, & > .ledger--tokens { color: $text; }
        & > .ledger--action, & > .ledger--marker { color: $text-primary; }
        & > .ledger--insert, & > .ledger--saved { color: $text-success; }
        & > .ledger--broken, & > .ledger--grew, & > .ledger--mark { color: $text-warning; text-style: bold; }
        & > .ledger--error { color: $text-error; text-style: bold; }
        & > .ledger--differs { color: $text-accent; text-style: bold; }
        & > .ledger--match { color: $text-warning; text-style: bold reverse; }
        &:ansi > .ledger--kept, &:ansi > .ledger--same, &:ansi > .ledger--gone { text-style: dim; }
        &:ansi > .ledger--head, &:ansi > .ledger--rule, &:ansi > .ledger--reason { text-style: dim; }
        & > .ledger--bar { color: $text-disabled; }
        & > .ledger--cursor { background: $boost; }
        &:focus > .ledger--bar { color: $text-primary; text-style: bold; }
        &:focus > .ledger--cursor { background: $panel; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {f"ledger--{look}" for look in LOOKS.split()}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "move(1)", "move", key_display="j/k"),
        Binding("k,up", "move(-1)", "Up", show=False),
        Binding("pagedown", "page(1.0)", "Page down", show=False),
        Binding("pageup", "page(-1.0)", "Page up", show=False),
        Binding("ctrl+d", "page(0.5)", "Half a page down", show=False),
        Binding("ctrl+u", "page(-0.5)", "Half a page up", show=False),
        Binding("g,home", "edge(0)", "First", show=False),
        Binding("G,end", "edge(-1)", "Last", show=False),
        Binding("enter", "open", "read"),
        Binding("s", "turn", "side"),
    ]

    shown: reactive[Shown | None] = reactive(None, repaint=False, init=False)
    """What is drawn. Set at each change of a setting."""
    cursor: reactive[int] = reactive(0, repaint=False, init=False)
    """The row under the cursor: a row of the session, whatever the filter shows."""
    rows_shown: reactive[Sequence[int] | None] = reactive[Sequence[int] | None](None, repaint=False, init=False)
    """The rows that pass the filter, ascending; None for all."""
    matches: reactive[Collection[int]] = reactive[Collection[int]](frozenset(), init=False)
    """Rows that the search found; a set, since each drawn row asks whether it is in it."""
    needle: reactive[str] = reactive("", init=False)
    """Marked wherever it is seen, in either case."""
    side: reactive[str] = reactive("original", init=False)
    """The side that is shown where there is room for one: "original", "sent" or, beside a B, "other"; with room for
    two, "other" stands in the place of "sent"."""
    one_sided: reactive[bool] = reactive(False, repaint=False, init=False)
    """Whether one side is shown even where there is room for both."""

    class Moved(Message):
        """The cursor is on another row."""

        def __init__(self, ledger: Ledger, row: int) -> None:
            super().__init__()
            self.ledger, self.row = ledger, row

        @property
        def control(self) -> Ledger:
            """The ledger."""
            return self.ledger

        def can_replace(self, message: Message) -> bool:
            """Only the last place matters."""
            return isinstance(message, Ledger.Moved)

    class Opened(Message):
        """A row was asked for by Enter or a double click."""

        def __init__(self, ledger: Ledger, row: int) -> None:
            super().__init__()
            self.ledger, self.row = ledger, row

        @property
        def control(self) -> Ledger:
            """The ledger."""
            return self.ledger

    def __init__(self, shown: Shown | None = None, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._layout = Layout(b"")
        self._grid = Grid(0, 2, 3, 6)
        self._tall: tuple[Session, int, bytes] | None = None
        self._strips: LRUCache[tuple[int, bool], list[Strip]] = LRUCache(KEPT_ROWS)
        self._drawing: Drawing | None = None
        self._style = cache(self._make_style)
        self.set_reactive(Ledger.shown, shown)

    # What is drawn

    def watch_shown(self, old: Shown | None, new: Shown | None) -> None:
        """Repaint what looks different; lay out anew only for another session, or another number of sides."""
        painted, self._strips = self._strips, LRUCache(KEPT_ROWS)
        self._drawing = None
        if new is None or old is None or old.session is not new.session:
            self._lay_out()
        elif self.sides != self._grid.sides:
            self._lay_out()
            self._reveal(self.cursor, middle=True)
        elif side_names(old) != side_names(new):
            self.refresh()
        else:
            self._repaint(painted)
        if self.side == "other" and (new is None or new.other is None):
            self.side = "sent"

    def _repaint(self, painted: LRUCache[tuple[int, bool], list[Strip]]) -> None:
        """Refresh the rows on screen that were painted otherwise: composing a line costs more than drawing it."""
        first, last = (self._layout.place_at(line) for line in (self._top, self._top + self._page - 1))
        for row in self._layout.rows[first : last + 1]:
            if painted.get((row, row == self.cursor)) != self._row(row):
                self._refresh_row(row)

    def watch_rows_shown(self) -> None:
        """Lay out the rows that pass the filter, and keep the cursor near."""
        self._lay_out()
        self.cursor = self.validate_cursor(self.cursor)
        self._reveal(self.cursor, middle=True)

    def watch_one_sided(self) -> None:
        """Lay out for one side or two."""
        self._lay_out()

    def watch_matches(self) -> None:
        """Paint the marks anew."""
        self._strips.clear()

    def watch_side(self) -> None:
        """Paint the other side; nothing moves."""
        self._forget()

    def watch_needle(self) -> None:
        """Mark other words."""
        self._forget()

    def _forget(self) -> None:
        self._strips.clear()
        self._drawing = None

    def notify_style_update(self) -> None:
        """A theme or the focus has changed: paint anew."""
        super().notify_style_update()
        self._style.cache_clear()
        self._strips.clear()

    def on_focus(self) -> None:
        """The cursor looks different."""
        self.notify_style_update()

    on_blur = on_focus

    # Where it lies

    @property
    def sides(self) -> int:
        """How many sides are drawn beside each other."""
        return side_count(self.scrollable_size.width, self._compares, self.one_sided)

    @property
    def _compares(self) -> bool:
        return self.shown is not None and self.shown.other is not None

    def on_resize(self) -> None:
        """Lay out for the new width, with the same row on top."""
        self._lay_out()

    def _lay_out(self) -> None:
        if not self.scrollable_size.width:
            return
        top = self._layout.place_at(self._top)
        anchor = self._layout.rows[top] if len(self._layout) else -1
        offset = self._top - self._layout.tops[top] if len(self._layout) else 0
        self._grid, self._layout = self._measured()
        self._forget()
        self.virtual_size = Size(self._grid.width, self._layout.lines + 1)
        if anchor >= 0 and len(self._layout):
            place = self._layout.place_of(anchor)
            tall = self._layout.tops[place + 1] - self._layout.tops[place]
            self._scroll(self._layout.tops[place] + min(offset, tall - 1))
        self.cursor = self.validate_cursor(self.cursor)
        self._reveal(self.cursor)
        self.refresh()
        self.refresh_bindings()

    def _measured(self) -> tuple[Grid, Layout]:
        width = self.scrollable_size.width
        if self.shown is None:
            return Grid(width, self.sides, 3, 6), Layout(b"")
        session = self.shown.session
        grid = grid_for(session, width, self.sides)
        if self._tall is None or self._tall[0] is not session or self._tall[1] != grid.text:
            self._tall = session, grid.text, heights(session.messages, grid.text, LIMIT)
        return grid, Layout(self._tall[2], self.rows_shown)

    @property
    def _top(self) -> int:
        """The first line of the rows that is on screen, under the column names."""
        return self.scroll_offset.y

    @property
    def _page(self) -> int:
        return max(1, self.size.height - 1)

    def _scroll(self, line: int) -> None:
        self.scroll_to(y=line, animate=False, force=True)

    def _reveal(self, row: int, middle: bool = False) -> None:
        """Scroll as little as needed to see a row; `middle`: away from the edge, so that its surroundings are seen."""
        if not len(self._layout):
            return
        place = self._layout.place_of(row)
        start, stop = self._layout.tops[place], self._layout.tops[place + 1]
        if start < self._top or stop > self._top + self._page:
            above = self._page // 3 if middle else 0 if start < self._top else self._page - (stop - start)
            self._scroll(start - max(0, above))

    # Moving

    def validate_cursor(self, row: int) -> int:
        """The nearest row that is shown."""
        if len(self._layout):
            return self._layout.rows[self._layout.place_of(row)]
        return max(0, row)

    def watch_cursor(self, old: int, new: int) -> None:
        """Paint two rows, and tell the others."""
        self._refresh_row(old)
        self._refresh_row(new)
        self._reveal(new)
        self.post_message(self.Moved(self, new))

    def _refresh_row(self, row: int) -> None:
        if len(self._layout):
            place = self._layout.place_of(row)
            start, stop = self._layout.tops[place], self._layout.tops[place + 1]
            self.refresh(Region(0, start - self._top + 1, self._grid.width, stop - start))

    def go_to(self, row: int) -> None:
        """Put the cursor on a row of the session, or the nearest that is shown, and bring it well into view."""
        wanted = self.validate_cursor(row)
        self._reveal(wanted, middle=True)
        self.cursor = wanted

    def move(self, delta: int) -> None:
        """Move the cursor by rows that are shown."""
        if len(self._layout):
            place = self._layout.place_of(self.cursor) + delta
            self.cursor = self._layout.rows[min(max(0, place), len(self._layout) - 1)]

    def action_move(self, delta: int) -> None:
        """Move by rows."""
        self.move(delta)

    def action_page(self, pages: float) -> None:
        """Move by screens, the cursor staying where it is on the screen."""
        if not len(self._layout):
            return
        lines = int(self._page * pages)
        place = self._layout.place_of(self.cursor)
        target = self._layout.place_at(self._layout.tops[place] + lines)
        if target == place:
            target = min(max(0, place + (1 if lines > 0 else -1)), len(self._layout) - 1)
        self._scroll(self._top + lines)
        self.cursor = self._layout.rows[target]

    def action_edge(self, place: int) -> None:
        """Go to the first or last row that is shown."""
        if len(self._layout):
            self.cursor = self._layout.rows[place]

    def action_open(self) -> None:
        """Ask for the row under the cursor."""
        if len(self._layout):
            self.post_message(self.Opened(self, self.cursor))

    def action_turn(self) -> None:
        """Show the next side."""
        self.side = next_side(self.side, self._grid.sides, self._compares)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Turning is offered where a side has no place of its own."""
        return self._grid.sides < (len(SIDES) if self._compares else 2) if action == "turn" else True

    def on_click(self, event: events.Click) -> None:
        """Put the cursor where the mouse is; a double click opens."""
        offset = event.get_content_offset(self)
        if offset is None or offset.y < 1 or not len(self._layout) or self._top + offset.y > self._layout.lines:
            return
        self.cursor = self._layout.rows[self._layout.place_at(self._top + offset.y - 1)]
        if event.chain == 2:
            self.action_open()

    # Painting

    def render_line(self, y: int) -> Strip:
        """One line of the screen: the column names, then the rows."""
        if not len(self._layout):
            return self._empty(y)
        if y == 0:
            assert self.shown is not None
            sides = sides_shown(self._grid.sides, self.side)
            return self._painted(column_names(self._grid, sides, side_names(self.shown)), False)
        line = self._top + y - 1
        if line >= self._layout.lines:
            return Strip.blank(self._grid.width, self._style("text", False))
        place = self._layout.place_at(line)
        return self._row(self._layout.rows[place])[line - self._layout.tops[place]]

    def _row(self, row: int) -> list[Strip]:
        key = (row, row == self.cursor)
        strips = self._strips.get(key)
        if strips is None:
            strips = self._strips[key] = self._drawn(*key)
        return strips

    def _drawn(self, row: int, at_cursor: bool) -> list[Strip]:
        if self._drawing is None:
            assert self.shown is not None
            pattern = pattern_of(visible_line(self.needle))
            self._drawing = Drawing(self.shown, self._grid, sides_shown(self._grid.sides, self.side), pattern)
        drawn = self._drawing.row(row, at_cursor, row in self.matches)
        return [self._painted(pieces, at_cursor) for pieces in drawn]

    def _painted(self, pieces: Sequence[Piece], at_cursor: bool) -> Strip:
        segments = [Segment(text, self._style(name, at_cursor)) for name, text in pieces if text]
        return Strip(segments).adjust_cell_length(self._grid.width, self._style("text", at_cursor))

    def _make_style(self, name: str, at_cursor: bool) -> Style:
        style = self.get_component_rich_style(f"ledger--{STYLES.get(name, name)}")
        if not at_cursor:
            return style
        return style + Style(bgcolor=self.get_component_rich_style("ledger--cursor").bgcolor)

    def _empty(self, y: int) -> Strip:
        if y != max(0, self.size.height // 2 - 1):
            return Strip.blank(self._grid.width, self._style("text", False))
        if self.shown is None:
            says = "No session is open."
        elif not len(self.shown.session):
            says = "This session holds no messages."
        else:
            says = "No message passes the filter."
        return self._painted([("number", says.center(self._grid.width))], False)
