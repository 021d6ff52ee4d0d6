"""The lines of the ledger composed: bar, number, both sides in their columns, search marks. Pieces, not paint."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from inspector.tui import lines
from inspector.tui.lines import Piece, fit
from inspector.tui.rows import Grid, Line
from inspector.tui.shown import Shown

BAR, RULE, MATCH, NEW = "▌", "│", "•", "▸"
LIMIT = 3
"""Lines of a message's text that are shown, and of its calls."""


def column_names(grid: Grid, side: str) -> list[Piece]:
    """The line above the rows."""
    lead: Piece = ("head", f"{'#':>{grid.number + 1}}".ljust(grid.lead))
    before = f"  {'tokens':>{grid.tokens}}"
    after = f"{before}  {'change':>{grid.change}}"
    original: list[Piece] = [*fit([("head", "original")], grid.text - len(before)), ("head", before)]
    sent: list[Piece] = [*fit([("head", "sent")], grid.text - len(after)), ("head", after)]
    if grid.two_sided:
        return [lead, *original, ("text", " "), ("rule", RULE), ("text", "   "), *sent, ("text", " ")]
    return [lead, *(original if side == "original" else sent), ("text", " ")]


@dataclass(frozen=True, eq=False)
class Drawing:
    """One `Shown` in one grid, with the words searched for."""

    shown: Shown
    grid: Grid
    side: str
    pattern: re.Pattern[str] | None

    def row(self, row: int, at_cursor: bool, matched: bool) -> Iterator[list[Piece]]:
        """The lines of a row, each as wide as the grid or a cell less."""
        grid = self.grid
        bar: Piece = ("bar", BAR if at_cursor else " ")
        mark: Piece = ("mark", MATCH) if matched else ("insert", NEW) if row in self.shown.new else ("text", " ")
        start: list[Piece] = [bar, ("number", f"{row:>{grid.number}}"), mark]
        body = lines.original_body(self.shown, row, grid.text, LIMIT)
        sign = lines.glyph(self.shown, row) if grid.two_sided else lines.sole_glyph(self.shown, row)
        for left, right in zip(self._left(row, body), self._right(row, len(body)), strict=True):
            if grid.two_sided:
                yield [*start, ("text", " "), *left, ("text", " "), ("rule", RULE), bar, sign, ("text", " "), *right]
            else:
                yield [*start, sign, ("text", " "), *(left if self.side == "original" else right)]
            start, sign = [bar, ("text", " " * (grid.number + 1))], ("text", " ")

    def _left(self, row: int, body: Sequence[Line]) -> Iterator[list[Piece]]:
        shown, grid = self.shown, self.grid
        words = self._who(row)
        if not grid.two_sided and (harm := lines.harm(shown, row)):
            words += [("text", "  "), *harm]
        yield lines.original_head(shown, row, words, grid.text, grid.tokens)
        seen = row < len(shown.view.plan.action)  # else it came after the request that is shown
        yield from map(self._marked, body if seen else [(f"{kind}-kept", line) for kind, line in body])

    def _who(self, row: int) -> list[Piece]:
        """Role and tool, and what is wrong with the message as recorded."""
        faults = lines.faults(self.shown, row)
        return [*lines.who(self.shown, row), *([("text", "  "), *faults] if faults else [])]

    def _right(self, row: int, room: int) -> Iterator[list[Piece]]:
        """The sent side of a row, blank lines where nothing is sent."""
        shown, grid = self.shown, self.grid
        words = lines.words(shown, row)
        if not grid.two_sided:
            words = [*self._who(row), ("text", "  "), *words]
        yield lines.sent_head(words, grid.text, grid.tokens, lines.figures(shown, row))
        body = lines.sent_body(shown, row, grid.text, LIMIT, room)
        yield from map(self._marked, body)
        yield from (fit((), grid.text) for _ in range(room - len(body)))

    def _marked(self, line: Line) -> list[Piece]:
        """A body line with the search's words marked."""
        kind, text = line
        if self.pattern is None:
            return fit((line,), self.grid.text)
        pieces: list[Piece] = []
        end = 0
        for found in self.pattern.finditer(text):
            pieces += [(kind, text[end : found.start()]), ("match", found[0])]
            end = found.end()
        return fit((*pieces, (kind, text[end:])), self.grid.text)
