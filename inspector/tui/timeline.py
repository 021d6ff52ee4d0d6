"""The timeline: every request of a run, its tokens cached, fresh and saved, and what the run costs.

Legend, so that nothing hangs on colour:

- █ tokens that the provider's cache knows, ▒ fresh ones above them (a bar ends in an eighth block), · what the policy
  saves of the request. Where there are more requests than cells a bar is the mean of its requests.
- ┄ a threshold or the window, with its name where there is room.
- Under the bars: • the policy changed something, ◆ and with it what the request before had sent, C the tool's own
  compaction, ▲ the request under the cursor.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import ClassVar, NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from inspector.text import cells, clip, pad, thousands
from inspector.tui.map import cell_of, first_row
from inspector.tui.pointed import Pointed
from inspector.tui.run import BROKE, FIRED, Columns, Run, Sums, columns

EIGHTHS = " ▁▂▃▄▅▆▇█"
CACHED, FRESH, SAVED, LINE = "█", "▒", "·", "┄"
FIRED_MARK, BROKE_MARK, RECORDED_MARK, CURSOR = "•", "◆", "C", "▲"
LEGEND = f"{CACHED} cached  {FRESH} fresh  {SAVED} saved  {FIRED_MARK} fired  {BROKE_MARK} prefix broken"
AROUND = 4
"""Lines that are not of the plot: the request, the marks, and two of totals."""
LOOKS = "text head totals money cached fresh saved level fired broke recorded cursor column"
GAP = 3
WINDOW_SEEN = 1.5
"""The window is drawn where it lies no higher than this over the largest request."""

Cell = tuple[str, str]
"""A look, and one character."""


class Level(NamedTuple):
    """A line across the plot."""

    tokens: int
    words: str


@dataclass(frozen=True, eq=False)
class Picture:
    """What is drawn. A new one is made when figures have come, since a run is written over in place."""

    run: Run
    sums: Sums
    window: int
    thresholds: tuple[Level, ...] = ()
    """Each at the height of a request that it lets through, and with its own figure."""
    compactions: tuple[int, ...] = ()
    """Requests before which the tool itself compacted."""
    price: str = ""
    """Whose price it is, where it is from, and its day."""
    known: str = ""
    """What is known of the counts, such as a calibration."""
    unrecorded: int = 0
    """Tokens of each request that the recording does not hold: the ledger and the header know nothing of them."""

    def levels(self, peak: int) -> list[Level]:
        """The lines to draw over bars of this height."""
        found = [*self.thresholds, Level(self.window, f"window {thousands(self.window)}")]
        return [level for level in found if 0 < level.tokens <= WINDOW_SEEN * peak]


def plot(cut: Columns, levels: Sequence[Level], height: int) -> list[list[Cell]]:
    """The plot, top line first, each line as many cells as there are columns."""
    top = max(cut.peak, *(level.tokens for level in levels), 1)
    eighths = 8 * height

    def scaled(tokens: int) -> int:
        return 0 if tokens <= 0 else max(1, min(eighths, tokens * eighths // top))

    bars = [
        (scaled(cached), scaled(sent), scaled(original))
        for cached, sent, original in zip(cut.cached, cut.sent, cut.original, strict=True)
    ]
    lines = [[bar_cell(*bar, 8 * row) for bar in bars] for row in range(height - 1, -1, -1)]
    for level in levels:
        _draw_level(lines[height - 1 - min(height - 1, max(0, scaled(level.tokens) - 1) // 8)], level)
    return lines


def bar_cell(cached: int, sent: int, original: int, base: int) -> Cell:
    """One cell of a bar whose parts end at these eighths; the cell begins at `base`."""
    known, all_sent = cached - base, sent - base
    if known >= 8:
        return "cached", CACHED
    if all_sent >= 8:
        return ("split", EIGHTHS[known]) if known > 0 else ("fresh", FRESH)
    if all_sent > 0:
        return ("cached" if 2 * known >= all_sent else "fresh"), EIGHTHS[all_sent]
    return ("saved", SAVED) if original - base >= 4 else ("text", " ")


def _draw_level(line: list[Cell], level: Level) -> None:
    free = [look in ("text", "saved") for look, _ in line]
    for place, empty in enumerate(free):
        if empty:
            line[place] = "level", LINE
    words = f" {level.words} "
    if all(free[: len(words)]) and len(words) < len(line):
        line[: len(words)] = [("level", char) for char in words]


def marks(cut: Columns, cursor: int) -> list[Cell]:
    """What happened in each cell, and where the cursor is."""
    return [
        ("cursor", CURSOR) if place == cursor
        else ("recorded", RECORDED_MARK) if place in cut.recorded
        else ("broke", BROKE_MARK) if flags == FIRED | BROKE
        else ("fired", FIRED_MARK) if flags & FIRED
        else ("text", " ")
        for place, flags in enumerate(cut.flags)
    ]  # fmt: skip


def request_words(run: Run, at: int) -> str:
    """One request in figures: `request 41 / 85   sent 44,718: cached 40,832, fresh 3,886   saved 20,804`."""
    said = f"request {at:,} / {len(run) - 1:,}"
    if at >= run.known:
        return said
    sent, cached, saved = run.sent[at], run.cached[at], run.original[at] - run.sent[at]
    figures = f"sent {sent:,}: cached {cached:,}, fresh {sent - cached:,}"
    words = [said, figures, f"saved {saved:,}" if saved >= 0 else f"larger by {-saved:,}"]
    if run.flags[at] & FIRED:
        words.append(f"{run.edits[at]:,} edit{'s' * (run.edits[at] != 1)}")
    if run.flags[at] & BROKE:
        words.append(f"prefix broken at message {run.first_change[at]:,}")
    return (" " * GAP).join(words)


def totals_words(picture: Picture, width: int) -> tuple[str, str]:
    """The run in two lines of at most `width` cells; what does not fit goes, the least needed first."""
    sums = picture.sums
    about = "" if sums.complete else "~"
    share = 100 * sums.cached / sums.sent if sums.sent else 0.0
    progress = "" if sums.complete else f"replaying {100 * sums.done // max(1, sums.requests)} %"
    first = [
        f"{sums.requests:,} request{'s' * (sums.requests != 1)}", progress, f"{about}{sums.fired:,} fired",
        f"{about}{share:.1f} % cached",
    ]  # fmt: skip
    short = picture.price.rpartition(", ")[2]
    rest = [f"largest {about}{sums.largest:,}", picture.known]
    prices = [[picture.price, *rest], [short, *rest]]
    priced = next((some for some in prices if room_for([*first, some[0]], width)), rest)
    if sums.cost is None or sums.without is None or sums.ideal is None:
        second = ["" if not sums.done else "no price is known for this model"]
    else:
        money = f"{about}${sums.cost:.4f} with, ${sums.without:.4f} without, {about}${sums.ideal:.4f} ideal"
        besides = f"{thousands(picture.unrecorded)} tokens in each are not recorded" if picture.unrecorded else ""
        second = [money, *break_even_words(sums), besides]
    return fitting([*first, *priced], width), fitting(second, width)


def break_even_words(sums: Sums) -> list[str]:
    """Whether breaking the prefix paid: `pays after 107 more requests`, `12 of 46 breaks paid by the end`."""
    if sums.break_even is None:
        return ["the prefix was never broken"]
    never = sums.break_even == float("inf")
    after = f"{sums.break_even:,.0f}" if not never else ""
    pays = "most breaks never pay" if never else f"pays after {after} more request{'s' * (after != '1')}"
    return [pays, f"{sums.paid_back:,} of {sums.breaks:,} breaks paid by the end"]


def fitting(pieces: Sequence[str], width: int) -> str:
    """The pieces with gaps between them; those at the end go first where not all fit."""
    kept = [piece for piece in pieces if piece]
    while len(kept) > 1 and not room_for(kept, width):
        kept.pop()
    return clip((" " * GAP).join(kept), max(1, width))


def room_for(pieces: Sequence[str], width: int) -> bool:
    """Whether the pieces fit on one line."""
    kept = [piece for piece in pieces if piece]
    return sum(map(cells, kept)) + GAP * (len(kept) - 1) <= width


class Timeline(Pointed, can_focus=True):
    """The requests of a run; a click, a drag or an arrow key asks for the view of one."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    Timeline {
        height: 10; width: 1fr; background: $surface; color: $foreground;
        & > .timeline--text, & > .timeline--head, & > .timeline--money { color: $foreground; }
        & > .timeline--cached, & > .timeline--saved, & > .timeline--totals { color: $text-muted; }
        & > .timeline--saved { color: $text-disabled; }
        & > .timeline--fresh { color: $text-primary; }
        & > .timeline--level { color: $text-accent; }
        & > .timeline--fired { color: $text-primary; }
        & > .timeline--broke { color: $text-warning; text-style: bold; }
        & > .timeline--recorded { color: $text-success; text-style: bold; }
        & > .timeline--cursor { color: $text; text-style: bold; }
        & > .timeline--column { background: $panel; }
        &:focus > .timeline--head { text-style: bold; }
        &:focus > .timeline--cursor { color: $text-accent; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {f"timeline--{look}" for look in LOOKS.split()}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "move(-1)", "request", key_display="←/→"),
        Binding("right", "move(1)", "Next request", show=False),
        Binding("pageup", "page(-1)", "A tenth back", show=False),
        Binding("pagedown", "page(1)", "A tenth on", show=False),
        Binding("home", "edge(0)", "First request", show=False),
        Binding("end", "edge(-1)", "Last request", show=False),
        Binding("space", "screen.replay('play')", "play"),
        Binding("left_parenthesis,ctrl+left", "screen.replay('speed_up', -1)", "Play slower", show=False),
        Binding("right_parenthesis,ctrl+right", "screen.replay('speed_up', 1)", "Play faster", show=False),
    ]

    picture: reactive[Picture | None] = reactive[Picture | None](None, init=False)
    cursor: reactive[int] = reactive(0, init=False)
    """The request that is marked."""

    class Moved(Message):
        """A request was pointed at."""

        def __init__(self, timeline: Timeline, request: int) -> None:
            super().__init__()
            self.timeline, self.request = timeline, request

        @property
        def control(self) -> Timeline:
            """The timeline."""
            return self.timeline

        def can_replace(self, message: Message) -> bool:
            """Only the last place of a drag matters."""
            return isinstance(message, Timeline.Moved)

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._cut: Columns | None = None
        self._lines: list[list[Cell]] = []
        self._style = cache(self._make_style)

    def watch_picture(self) -> None:
        """Draw anew."""
        self._cut = None

    def on_resize(self) -> None:
        """Draw anew for another size."""
        self._cut = None

    def notify_style_update(self) -> None:
        """Theme or focus have changed."""
        super().notify_style_update()
        self._style.cache_clear()

    # Painting

    def render_line(self, y: int) -> Strip:
        """The request under the cursor, the bars, the marks, the totals."""
        width, height, picture = self.size.width, self.size.height, self.picture
        if picture is None or not len(picture.run):
            says = "" if picture is None else "no request: the recording has no assistant message"
            return self._words(says if y == height // 2 else "", "text", width)
        high = max(1, height - AROUND)
        if self._cut is None or len(self._cut.sent) != width or len(self._lines) != high:
            self._cut = columns(picture.run, width, picture.compactions)
            self._lines = plot(self._cut, picture.levels(self._cut.peak), high)
        place = cell_of(self.cursor, len(picture.run), width)
        if y == 0:
            return self._head(picture, width)
        if y <= high:
            return self._painted(self._lines[y - 1], place)
        if y == high + 1:
            return self._painted(marks(self._cut, place), place)
        first, second = totals_words(picture, width - 2)
        return self._words(first, "totals", width) if y == high + 2 else self._words(second, "money", width)

    def _head(self, picture: Picture, width: int) -> Strip:
        said = clip(request_words(picture.run, self.cursor), width - 2)
        left = width - 2 - cells(said) - GAP - cells(LEGEND)
        return self._words(said + (" " * (left + GAP) + LEGEND if left >= 0 else ""), "head", width)

    def _words(self, says: str, look: str, width: int) -> Strip:
        return Strip([Segment(pad(f" {clip(says, max(1, width - 2))}", width), self._style(look, False))], width)

    def _painted(self, line: Sequence[Cell], cursor: int) -> Strip:
        segments = [Segment(char, self._style(look, place == cursor)) for place, (look, char) in enumerate(line)]
        return Strip(segments, len(segments)).simplify()

    def _make_style(self, look: str, at_cursor: bool) -> Style:
        if look == "split":
            known, fresh = (self.get_component_rich_style(f"timeline--{part}") for part in ("cached", "fresh"))
            return Style(color=known.color, bgcolor=fresh.color)
        style = self.get_component_rich_style(f"timeline--{look}")
        if not at_cursor:
            return style
        return style + Style(bgcolor=self.get_component_rich_style("timeline--column").bgcolor)

    # Moving

    def go(self, request: int) -> None:
        """Mark the nearest request that there is, and ask for its view."""
        if self.picture is None or not len(self.picture.run):
            return
        self.cursor = min(max(0, request), len(self.picture.run) - 1)
        self.post_message(self.Moved(self, self.cursor))

    def action_move(self, by: int) -> None:
        """Go on by requests."""
        self.go(self.cursor + by)

    def action_page(self, by: int) -> None:
        """Go on by a tenth of the run."""
        if self.picture is not None:
            self.go(self.cursor + by * max(1, len(self.picture.run) // 10))

    def action_edge(self, place: int) -> None:
        """Go to the first or the last request."""
        if self.picture is not None:
            self.go(0 if place == 0 else len(self.picture.run) - 1)

    # Pointing

    def can_point(self) -> bool:
        """Whether there is a request to go to."""
        return self.picture is not None

    def point(self, cell: int, width: int) -> None:
        """Go to the first request of a cell."""
        if self.picture is not None:
            self.go(first_row(cell, len(self.picture.run), width))
