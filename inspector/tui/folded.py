"""Lines of any length laid out to a width, as far down as somebody has looked.

No textual here. Only the part that was scrolled to is folded; a line of a megabyte is folded in pieces, so that no
single step is long.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import chain, repeat
from typing import NamedTuple

from inspector.text import fold, height
from inspector.tui.message_lines import GUTTERS, Line
from inspector.tui.search import spans

PIECE_ROWS = 100
MOST_ROWS = 16 * PIECE_ROWS
"""No piece folds to more: a tab is four cells, a row too narrow for a wide character leaves one of them free, and one
that ends with a word may leave half of them."""
KEPT_PIECES = 256


class Piece(NamedTuple):
    """A stretch of a line, as long as is folded at once."""

    line: int
    start: int
    stop: int


class Row(NamedTuple):
    """One row of the screen."""

    gutter: str
    text: str
    line: Line
    number: int
    """Which line it is of."""
    starts: bool
    """Whether its line starts here, rather than going on from the row above."""
    matches: tuple[tuple[int, int], ...]
    """Where the text searched for stands in `text`."""


class Folded:
    """Lines folded to `width` cells, glyphs included, with the places of `query` in them."""

    def __init__(self, lines: Sequence[Line], width: int, query: re.Pattern[str] | None = None) -> None:
        self.lines, self.width = lines, max(width, 8)
        self.query = query
        self._next = self._at = 0
        self._pieces: list[Piece] = []
        self._tops: list[int] = [0]
        self._rows: dict[int, list[Row]] = {}

    @property
    def height(self) -> int:
        """Rows known so far."""
        return self._tops[-1]

    @property
    def done(self) -> bool:
        """Whether all lines are laid out."""
        return self._next >= len(self.lines)

    def extend(self, rows: int = 300) -> None:
        """Lay out some more: about so many rows."""
        enough = self.height + rows
        while self.height < enough and not self.done:
            self._lay_out_piece()

    def extend_to(self, row: int) -> None:
        """Lay out until a row is known, or all are."""
        while self.height <= row and not self.done:
            self.extend()

    def _lay_out_piece(self) -> None:
        text, width = self.lines[self._next].text, self._text_width(self._next)
        start, stop = self._at, min(self._at + width * PIECE_ROWS, len(text))
        piece = text if stop - start == len(text) else text[start:stop]
        self._pieces.append(Piece(self._next, start, stop))
        self._tops.append(self._tops[-1] + max(1, height(piece, width, MOST_ROWS)))
        if stop < len(text):
            self._at = stop
        else:
            self._next, self._at = self._next + 1, 0

    def _text_width(self, number: int) -> int:
        return self.width - len(GUTTERS.get(self.lines[number].kind, ""))

    def row(self, y: int) -> Row | None:
        """The row at `y`, laid out if it was not; None below the last."""
        self.extend_to(y)
        if not 0 <= y < self.height:
            return None
        piece = bisect_right(self._tops, y) - 1
        rows = self._rows.get(piece)
        if rows is None:
            rows = self._remember(piece, self._fold(piece))
        return rows[min(y - self._tops[piece], len(rows) - 1)]

    def _remember(self, piece: int, rows: list[Row]) -> list[Row]:
        if len(self._rows) >= KEPT_PIECES:
            del self._rows[next(iter(self._rows))]
        self._rows[piece] = rows
        return rows

    def _fold(self, place: int) -> list[Row]:
        piece = self._pieces[place]
        line, width = self.lines[piece.line], self._text_width(piece.line)
        texts = fold(line.text[piece.start : piece.stop], width, MOST_ROWS) or [""]
        glyph = GUTTERS.get(line.kind, "")
        gutters = chain([glyph if piece.start == 0 else " " * len(glyph)], repeat(" " * len(glyph)))
        found = spans(texts, self.query)
        return [
            Row(gutter, text, line, piece.line, piece.start == 0 and at == 0, tuple(found[at]))
            for at, (text, gutter) in enumerate(zip(texts, gutters, strict=False))
        ]

    def row_of_line(self, number: int) -> int:
        """The first row of a line, laid out if it was not."""
        while self._next <= number and not self.done:
            self.extend()
        return self._tops[bisect_right(self._pieces, Piece(number, -1, -1))]
