"""The map: the whole session in one or two lines, token mass by slice, what the policy took, what it broke, the cursor.

Legend, so that nothing hangs on colour:

- Upper line: tokens of each slice as recorded, ▁ to █. Heights follow the square root of the tokens, since a few huge
  results would flatten all else on a straight scale.
  ! where the recording has an error, △ where it has a warning.
- Lower line: what is sent of the slice, on the same scale; · where nothing is sent, ! where the policy broke something.
- ▼ on the upper line: the slice of the cursor. With one line, ▼, ! and △ stand in it, and bars show what is sent.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from inspector.finding import Severity
from inspector.message import text_of
from inspector.tui.glyphs import SEVERITIES
from inspector.tui.pointed import Pointed
from inspector.tui.shown import Shown

BARS = " ▁▂▃▄▅▆▇█"
GONE, CURSOR = "·", "▼"
INSERT_CHARS_A_TOKEN = 4


@dataclass(frozen=True, slots=True)
class Slices:
    """The session in slices, one a cell; each figure has one item a slice."""

    original: array[int]
    """Tokens as recorded."""
    sent: array[int]
    """Tokens as sent, inserts included; rewritten texts estimated until they are counted."""
    broken: Mapping[int, Severity]
    """Slices in which the policy broke something, with the worse of errors and warnings."""
    inserts: frozenset[int]
    """Slices beside which the policy inserts messages."""
    faulty: Mapping[int, Severity]
    """Slices in which the recording has an error or a warning, with the worse of both."""
    peak: int = field(init=False)
    """The tokens of the heaviest slice of either line; at least 1."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "peak", max(1, max(self.original, default=0), max(self.sent, default=0)))


def first_row(cell: int, rows: int, width: int) -> int:
    """The row with which a cell's slice begins."""
    return cell * rows // width


def cell_of(row: int, rows: int, width: int) -> int:
    """The cell of a row; where a row covers several cells, the middle one."""
    if rows <= 0 or width <= 0:
        return 0
    first = -(-row * width // rows)
    last = ((row + 1) * width - 1) // rows
    return (min(first, last) + last) // 2


def slices(shown: Shown, width: int) -> Slices:
    """Sums over `width` slices; where there are fewer rows than cells, cells beside each other repeat a row."""
    rows = len(shown.before)
    if not rows or width <= 0:
        return Slices(array("q"), array("q"), {}, frozenset(), {})
    starts = [first_row(cell, rows, width) for cell in range(width)]
    spans = [(start, max(start + 1, first_row(cell + 1, rows, width))) for cell, start in enumerate(starts)]
    sums, after = shown.sums, shown.after
    original = array("q", [sums[stop] - sums[start] for start, stop in spans])
    sent = array("q", [sum(after[start:stop]) for start, stop in spans])
    inserted = _inserted(shown, spans)
    for cell, tokens in inserted.items():
        sent[cell] += tokens
    broken = _worst(shown.broken_rows, lambda rows: _cells(rows, spans))
    faulty = _worst(shown.recorded.rows, lambda rows: _marked(rows, len(shown.before), spans))
    return Slices(original, sent, broken, frozenset(inserted), faulty)


def _cells(rows: Iterable[int], spans: list[tuple[int, int]]) -> Iterator[int]:
    """The cells that show any of the rows, which ascend."""
    places = array("q", rows)
    for cell, (start, stop) in enumerate(spans):
        at = bisect_left(places, start)
        if at < len(places) and places[at] < stop:
            yield cell


def _worst(rows: Mapping[int, Severity], cells_of: Callable[[Iterable[int]], Iterable[int]]) -> dict[int, Severity]:
    """The cells that show rows with findings, errors in the place of warnings."""
    errors = [row for row, severity in rows.items() if severity == "error"]
    return {**dict.fromkeys(cells_of(rows), "warning"), **dict.fromkeys(cells_of(errors), "error")}


def _marked(rows: Iterable[int], count: int, spans: list[tuple[int, int]]) -> Iterable[int]:
    """The cells that show any of the rows; of a row that covers several, the middle one, so that its mass is seen."""
    return [cell_of(row, count, len(spans)) for row in rows] if count < len(spans) else _cells(rows, spans)


def _inserted(shown: Shown, spans: list[tuple[int, int]]) -> Mapping[int, int]:
    """Tokens of the inserts by cell, by length: the map shows a share of a line's height."""
    anchors = shown.inserts_by_anchor
    if not anchors:
        return {}
    sizes = {
        row: sum(len(text_of(insert.body)) // INSERT_CHARS_A_TOKEN + 1 for insert in inserts)
        for row, inserts in anchors.items()
    }
    rows = sorted(sizes)
    found: dict[int, int] = {}
    for cell, (start, stop) in enumerate(spans):
        if here := rows[bisect_left(rows, start) : bisect_left(rows, stop)]:
            found[cell] = sum(sizes[row] for row in here)
    return found


def bar(tokens: int, peak: int) -> str:
    """An eighth-block for a slice: nothing for 0, else ▁ to █ by the square root of its share of the peak."""
    if tokens <= 0:
        return BARS[0]
    return BARS[min(8, 1 + int(7.999 * (tokens / peak) ** 0.5))]


def _sign(severity: Severity) -> tuple[str, str]:
    return severity, SEVERITIES[severity]


class Map(Pointed):
    """The session at a glance; a click or a drag asks for the row there."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    Map {
        height: 2; width: 1fr; background: $background; color: $foreground;
        & > .map--original { color: $text-muted; }
        & > .map--kept { color: $text-muted; }
        & > .map--cut { color: $text-primary; }
        & > .map--insert { color: $text-success; }
        & > .map--gone { color: $text-disabled; }
        & > .map--grew, & > .map--warning { color: $text-warning; text-style: bold; }
        & > .map--error { color: $text-error; text-style: bold; }
        & > .map--cursor { color: $text; text-style: bold; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "map--original", "map--kept", "map--cut", "map--gone", "map--grew", "map--insert", "map--cursor",
        "map--error", "map--warning",
    }  # fmt: skip

    shown: reactive[Shown | None] = reactive(None, init=False)
    """What is drawn."""
    cursor: reactive[int] = reactive(0, init=False)
    """The row of the session that is marked."""

    class Jumped(Message):
        """A row was pointed at."""

        def __init__(self, map: Map, row: int) -> None:
            super().__init__()
            self.map, self.row = map, row

        @property
        def control(self) -> Map:
            """The map."""
            return self.map

        def can_replace(self, message: Message) -> bool:
            """Only the last place of a drag matters."""
            return isinstance(message, Map.Jumped)

    def __init__(self, shown: Shown | None = None, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._slices: Slices | None = None
        self._style = cache(self._make_style)
        self.set_reactive(Map.shown, shown)

    def watch_shown(self) -> None:
        """Sum anew when next drawn."""
        self._slices = None

    def on_resize(self) -> None:
        """Sum anew for the new width."""
        self._slices = None

    def notify_style_update(self) -> None:
        """The theme has changed."""
        super().notify_style_update()
        self._style.cache_clear()

    def render_line(self, y: int) -> Strip:
        """The upper line shows the recording, the lower what is sent; a single line does both."""
        width, shown = self.size.width, self.shown
        if shown is None or not len(shown.before):
            return Strip.blank(width, self._style("kept"))
        if self._slices is None or len(self._slices.original) != width:  # a frame may come before its resize event
            self._slices = slices(shown, width)
        at_cursor = cell_of(self.cursor, len(shown.before), width)
        single = self.size.height == 1
        cells = [
            ("cursor", CURSOR) if cell == at_cursor and y == 0
            else self._original(cell) if y == 0 and not single
            else self._sent(cell)
            for cell in range(width)
        ]  # fmt: skip
        return Strip([Segment(text, self._style(name)) for name, text in cells], width).simplify()

    def _original(self, cell: int) -> tuple[str, str]:
        assert self._slices is not None
        if cell in self._slices.faulty:
            return _sign(self._slices.faulty[cell])
        return "original", bar(self._slices.original[cell], self._slices.peak)

    def _sent(self, cell: int) -> tuple[str, str]:
        assert self._slices is not None
        before, after = self._slices.original[cell], self._slices.sent[cell]
        if cell in self._slices.broken:
            return _sign(self._slices.broken[cell])
        if self.size.height == 1 and cell in self._slices.faulty:
            return _sign(self._slices.faulty[cell])
        if before and not after:
            return "gone", GONE
        name = (
            "kept"
            if after == before
            else "cut"
            if after < before
            else "insert"
            if cell in self._slices.inserts
            else "grew"
        )
        return name, bar(after, self._slices.peak)

    def _make_style(self, name: str) -> Style:
        return self.get_component_rich_style(f"map--{name}")

    # Pointing

    def can_point(self) -> bool:
        """Whether there is a row to go to."""
        return self.shown is not None and len(self.shown.before) > 0

    def point(self, cell: int, width: int) -> None:
        """Go to the first row of a cell."""
        if self.shown is not None:
            self.post_message(self.Jumped(self, first_row(cell, len(self.shown.before), width)))
