"""The reader: the message under the cursor whole, as recorded, as sent, as a difference, and as JSON.

Only the part of a message that was scrolled to is folded, and nothing here is a widget a line, so that a message of
several megabytes opens as quickly as a short one. Text is made visible where it is folded and is drawn as segments.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from time import perf_counter
from typing import ClassVar, Self

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip
from textual.widgets import Static

from inspector.text import visible_line
from inspector.tui.folded import Folded, Row
from inspector.tui.message_lines import GUTTERS, Kind, Line
from inspector.tui.pages import OTHER, TITLES, VIEWS, facts, page, views_of
from inspector.tui.search import pattern_of
from inspector.tui.shown import Shown

AT_ONCE = 0.008
"""Seconds for which lines are folded before keys and frames have their turn."""
COPIED_GLYPHS = frozenset((Kind.ADDED, Kind.REMOVED, Kind.SAME))


class Page(ScrollView, can_focus=True):
    """Lines of any number and length, folded as they are scrolled to."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"page--{kind}" for kind in Kind} | {"page--match"}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "scroll_down", "Down", show=False),
        Binding("k", "scroll_up", "Up", show=False),
        Binding("g", "scroll_home", "Top", show=False),
        Binding("G", "scroll_end", "End", show=False),
        Binding("ctrl+d", "half(1)", "Half a page down", show=False),
        Binding("ctrl+u", "half(-1)", "Half a page up", show=False),
        Binding("space", "page_down", "Page down", show=False),
    ]
    DEFAULT_CSS = """
    Page {
        scrollbar-gutter: stable; scrollbar-size-vertical: 1; overflow-x: hidden; overflow-y: auto; height: 1fr;
        .page--heading { text-style: bold; color: $text-muted; }
        .page--note { text-style: italic; color: $text-muted; }
        .page--thinking { color: $text-muted; }
        .page--image { color: $text-accent; }
        .page--call { text-style: bold; color: $text-primary; }
        .page--added { color: $text-success; }
        .page--removed { color: $text-error; }
        .page--insert { text-style: bold; color: $text-success; }
        .page--error { text-style: bold; color: $text-error; }
        .page--warning { text-style: bold; color: $text-warning; }
        .page--match { text-style: bold underline; background: $warning-muted; color: $text-warning; }
    }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._folded = Folded((), 80)
        self._query = ""
        self._more = False
        self._to_line: int | None = None
        """The line to go to once there is a width to fold to."""

    def set_lines(self, lines: list[Line], *, query: str = "", stay: bool = False) -> None:
        """Show other lines; `stay` keeps the place, else it is the top, or the first line that holds `query`."""
        self._query = query
        top = self.scroll_offset.y
        self._fold(lines)
        self._to_line = self._to_line if stay else self._first_match()
        if self.size.width:
            self._reach(top if stay else self._above(self._to_line or 0))

    def _fold(self, lines: Sequence[Line]) -> None:
        self._folded = Folded(lines, self.scrollable_content_region.width, pattern_of(self._query))

    def _first_match(self) -> int:
        pattern = self._folded.query
        if pattern is None:
            return 0
        return next((at for at, line in enumerate(self._folded.lines) if pattern.search(line.text)), 0)

    def _above(self, line: int) -> int:
        """Where to scroll to for a line: it is the third row, so that it is seen what leads to it."""
        return max(0, self._folded.row_of_line(line) - 2) if line else 0

    def _reach(self, top: int) -> None:
        self._prepare(top)
        self._to_line = None
        self.scroll_to(y=top, animate=False, immediate=True, force=True)

    def _prepare(self, top: int) -> None:
        """Fold what a screen from `top` needs; the rest follows bit by bit."""
        self._folded.extend_to(top + 2 * max(1, self.size.height))
        self._measure()
        self.refresh()
        if not self._folded.done and not self._more:
            self._more = True
            self.set_timer(0.02, self._extend)

    def _measure(self) -> None:
        self.virtual_size = Size(self.scrollable_content_region.width, self._folded.height)

    def _extend(self) -> None:
        """Fold some more of a long message; the scrollbar learns of it."""
        self._more = False
        until = perf_counter() + AT_ONCE
        while not self._folded.done and perf_counter() < until:
            self._folded.extend()
        self._measure()
        if not self._folded.done:
            self._more = True
            self.set_timer(0.02, self._extend)

    def on_resize(self, event: events.Resize) -> None:
        """Fold anew where the width is another, and keep the line at the top."""
        if self._to_line is None and self._folded.width == self.scrollable_content_region.width:
            self._prepare(self.scroll_offset.y)
            return
        top = self._folded.row(self.scroll_offset.y) if self._to_line is None else None
        wanted = self._to_line
        self._fold(self._folded.lines)
        self._reach(self._folded.row_of_line(top.number) if top else self._above(wanted or 0))

    def notify_style_update(self) -> None:
        """The theme changed: nothing drawn is kept, so drawing anew is enough."""
        super().notify_style_update()
        self.refresh()

    def action_scroll_end(self) -> None:
        """Go to the end, which must be folded first."""
        while not self._folded.done:
            self._folded.extend()
        self._measure()
        self.scroll_end(animate=False, immediate=True)

    def action_half(self, direction: int) -> None:
        """Scroll half a page."""
        self.scroll_relative(y=direction * max(1, self.size.height // 2), animate=False)

    def render_line(self, y: int) -> Strip:
        """One row: its glyph, and its text with matches and selection marked."""
        width, at = self.size.width, self.scroll_offset.y + y
        row = self._folded.row(at)
        if row is None:
            return Strip.blank(width, self.rich_style)
        strip = Strip(self._segments(row, at)).adjust_cell_length(width, self.rich_style)
        return strip.apply_offsets(0, at)

    def _segments(self, row: Row, at: int) -> list[Segment]:
        style = self.get_component_rich_style(f"page--{row.line.kind}")
        text = row.gutter + row.text
        marks = [(a + len(row.gutter), b + len(row.gutter), self._match_style) for a, b in row.matches]
        span = self.text_selection.get_span(at) if self.text_selection else None
        if span is not None:
            end = len(text) if span[1] == -1 else span[1]
            marks.append((span[0], end, self.screen.get_component_rich_style("screen--selection")))
        return marked(text, style, marks)

    @property
    def _match_style(self) -> Style:
        return self.get_component_rich_style("page--match")

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The selected text: lines that were folded are whole again, and only a difference keeps its glyphs."""
        first, x = (selection.start.y, selection.start.x) if selection.start else (0, 0)
        if selection.end is None:
            self.action_fold_all()
        last, end = (selection.end.y, selection.end.x) if selection.end else (self._folded.height - 1, -1)
        parts: list[str] = []
        for at in range(first, last + 1):
            row = self._folded.row(at)
            if row is None:
                break
            parts += ["\n"] if parts and row.starts else []
            parts.append(copied(row, x if at == first else 0, end if at == last else -1))
        return "".join(parts), "\n"

    def action_fold_all(self) -> None:
        """Fold all that is not folded yet."""
        while not self._folded.done:
            self._folded.extend()
        self._measure()


def marked(text: str, style: Style, marks: list[tuple[int, int, Style]]) -> list[Segment]:
    """A text as segments, later marks over earlier ones."""
    if not marks:
        return [Segment(text, style)]
    edges = sorted({0, len(text), *(min(edge, len(text)) for a, b, _ in marks for edge in (a, b))})
    segments = []
    for a, b in pairwise(edges):
        over = [mark for start, stop, mark in marks if start <= a and b <= stop]
        segments.append(Segment(text[a:b], style + over[-1] if over else style))
    return segments


def copied(row: Row, start: int, end: int) -> str:
    """The part of a row that a selection from `start` to `end` (-1: to its end) takes."""
    glyphs = len(row.gutter)
    text = row.gutter + row.text
    keep = 0 if row.line.kind in COPIED_GLYPHS and row.starts else glyphs
    return text[max(start, keep) : len(text) if end == -1 else end]


CLOSE = "esc close "


class Tabs(Static):
    """The views by name and key; a click chooses one. At the right, the way out."""

    ALLOW_SELECT = False
    DEFAULT_CSS = "Tabs { height: 1; width: 1fr; }"

    class Chosen(Message):
        """A view was clicked."""

        def __init__(self, view: str) -> None:
            super().__init__()
            self.view = view

    class Left(Message):
        """The way out was clicked."""

    view: reactive[str] = reactive(VIEWS[0])
    views: reactive[tuple[str, ...]] = reactive(VIEWS)
    """Those that there are."""

    def render(self) -> Content:
        """The names, the chosen one marked by brackets and weight."""
        parts: list[Content | tuple[str, str]] = []
        for number, view in enumerate(self.views, 1):
            chosen = view == self.view
            style = "bold $text-primary" if chosen else "$foreground 65%"
            parts.append((self._label(number, view, chosen), style))
        names = Content.assemble(*parts)
        gap = self.content_size.width - names.cell_length - len(CLOSE)
        return names if gap < 1 else Content.assemble(names, " " * gap, (CLOSE, "$foreground 65%"))

    @staticmethod
    def _label(number: int, view: str, chosen: bool) -> str:
        return f"[{number} {TITLES[view]}] " if chosen else f" {number} {TITLES[view]}  "

    def on_click(self, event: events.Click) -> None:
        """Choose the view whose name was clicked, or leave."""
        right = 0
        for number, view in enumerate(self.views, 1):
            right += len(self._label(number, view, False))
            if event.x < right:
                self.post_message(self.Chosen(view))
                return
        if right < self.content_size.width - len(CLOSE) <= event.x:
            self.post_message(self.Left())


class Facts(Static):
    """What is known about the message, above its text."""

    DEFAULT_CSS = "Facts { height: auto; max-height: 4; width: 1fr; }"
    STYLES: ClassVar[dict[Kind, str]] = {
        Kind.HEADING: "bold", Kind.ERROR: "bold $text-error", Kind.WARNING: "bold $text-warning",
    }  # fmt: skip

    def set_lines(self, lines: list[Line]) -> None:
        """Show other facts."""
        parts: list[Content | str | tuple[str, str]] = []
        for line in lines:
            text = visible_line(GUTTERS.get(line.kind, "") + line.text[:400])
            parts += ["\n"] if parts else []
            parts.append((text, self.STYLES.get(line.kind, "$foreground 65%")))
        self.update(Content.assemble(*parts))


class Reader(Vertical):
    """The message under the cursor, in its views. Give it what is shown and a row with `show`."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *(
            Binding(str(number), f"view('{view}')", TITLES[view], show=False)
            for number, view in enumerate((*VIEWS, OTHER), 1)
        ),
        Binding("r", "raw", "raw JSON"),
        Binding("left", "turn(-1)", "View before", show=False),
        Binding("right", "turn(1)", "Next view", show=False),
    ]
    DEFAULT_CSS = """
    Reader { padding: 0 1; height: 1fr; }
    """

    view: reactive[str] = reactive(VIEWS[0], init=False)
    term: reactive[str] = reactive("", init=False)
    """The text searched for; `query` is a method of every Textual node."""

    class ViewChanged(Message):
        """Another view was chosen."""

        def __init__(self, view: str) -> None:
            super().__init__()
            self.view = view

    class Closed(Message):
        """The reader is to be closed."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._shown: Shown | None = None
        self._row = -1

    def compose(self) -> ComposeResult:
        """Tabs, facts, page."""
        yield Tabs()
        yield Facts()
        yield Page()

    @property
    def row(self) -> int:
        """The row that is read; -1 before the first."""
        return self._row

    def focus(self, scroll_visible: bool = True) -> Self:
        """Give the page the keys."""
        self.query_one(Page).focus(scroll_visible)
        return self

    def show(self, shown: Shown, row: int) -> None:
        """Show a row. The same row under other settings keeps its place on the page."""
        same = row == self._row and self._shown is not None and shown.session is self._shown.session
        self._shown, self._row = shown, row
        self.view = self.validate_view(self.view)  # B may have been let go
        self._draw(stay=same)

    def _draw(self, *, stay: bool) -> None:
        if self._shown is None or not self.is_mounted:
            return
        self.query_one(Tabs).views = views_of(self._shown)
        self.query_one(Facts).set_lines(facts(self._shown, self._row))
        lines = page(self._shown, self._row, self.view)
        self.query_one(Page).set_lines(lines, query=self.term, stay=stay)

    def on_mount(self) -> None:
        """Draw what was given before there was anywhere to draw it."""
        self._draw(stay=False)

    def validate_view(self, view: str) -> str:
        """Only the views that there are; B's gives way to what A sends."""
        return view if view in views_of(self._shown) else "sent" if view == OTHER else VIEWS[0]

    def watch_view(self, view: str) -> None:
        """Draw the other view, from its top."""
        if self.is_mounted:
            self.query_one(Tabs).view = view
        self._draw(stay=False)
        self.post_message(self.ViewChanged(view))

    def watch_term(self) -> None:
        """Mark what is searched for, and go to where it first stands."""
        self._draw(stay=not self.term)

    def on_tabs_chosen(self, event: Tabs.Chosen) -> None:
        """A tab was clicked."""
        event.stop()
        self.view = event.view

    def on_tabs_left(self, event: Tabs.Left) -> None:
        """The way out was clicked."""
        event.stop()
        self.post_message(self.Closed())

    def action_view(self, view: str) -> None:
        """Choose a view, if there is one of that name now."""
        if view in views_of(self._shown):
            self.view = view

    def action_raw(self) -> None:
        """JSON, and back to the original."""
        self.view = VIEWS[0] if self.view == "raw" else "raw"

    def action_turn(self, by: int) -> None:
        """The next view, or the one before."""
        views = views_of(self._shown)
        self.view = views[(views.index(self.view) + by) % len(views)]
