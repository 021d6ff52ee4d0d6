"""The lines of the ledger composed: bar, number, both sides in their columns, search marks. Pieces, not paint."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from inspector.text import cells
from inspector.tui import lines
from inspector.tui.lines import Piece, fit
from inspector.tui.rows import Grid, Line
from inspector.tui.search import spans
from inspector.tui.shown import Shown
from inspector.tui.sides import NAMES, SIDES

BAR, RULE, MATCH, NEW, DIFFERS = "▌", "│", "•", "▸", "≠"
LIMIT = 3
"""Lines of a message's text that are shown, and of its calls."""


def column_names(grid: Grid, sides: Sequence[str], names: Mapping[str, str] = NAMES) -> list[Piece]:
    """The line above the rows; `names` says what the sides are called."""
    pieces: list[Piece] = [("head", f"{'#':>{grid.number + 1}}".ljust(grid.lead))]
    for place, side in enumerate(sides):
        pieces += [("text", " "), ("rule", RULE), ("text", "   ")] if place else []
        figures = f"  {'tokens':>{grid.tokens}}"
        if side != "original" and grid.sides < len(SIDES):
            figures += f"  {'change':>{grid.change}}"
        pieces += [*fit([("head", names[side])], grid.text - len(figures)), ("head", figures)]
    return [*pieces, ("text", " ")]


@dataclass(frozen=True, eq=False)
class Drawing:
    """One `Shown` in one grid, with the words searched for."""

    shown: Shown
    grid: Grid
    sides: Sequence[str]
    """What stands on each side, from left to right."""
    pattern: re.Pattern[str] | None

    def row(self, row: int, at_cursor: bool, matched: bool) -> Iterator[list[Piece]]:
        """The lines of a row, each as wide as the grid, or less by at most a cell a side."""
        grid = self.grid
        bar: Piece = ("bar", BAR if at_cursor else " ")
        start: list[Piece] = [bar, ("number", f"{row:>{grid.number}}"), self._mark(row, matched)]
        body = lines.original_body(self.shown, row, grid.text, LIMIT)
        signs = [self._sign(side, row) for side in self.sides]
        for texts in zip(*(self._side(side, row, body) for side in self.sides), strict=True):
            pieces = [*start, signs[0], ("text", " ")] if grid.sides == 1 else [*start, ("text", " ")]
            for place, text in enumerate(texts):
                pieces += [("text", " "), ("rule", RULE), bar, signs[place], ("text", " ")] if place else []
                pieces += text
            yield pieces
            start, signs = [bar, ("text", " " * (grid.number + 1))], [("text", " ")] * len(signs)

    def _mark(self, row: int, matched: bool) -> Piece:
        """Beside the number: a match of the search, a difference of two sent views, or a row that is new."""
        if matched:
            return "mark", MATCH
        if self.shown.apart is not None and self.shown.apart.at(row):
            return "differs", DIFFERS
        return ("insert", NEW) if row in self.shown.new else ("text", " ")

    def _view(self, side: str) -> Shown:
        """What a side shows the sent view of."""
        return self.shown.other or self.shown if side == "other" else self.shown

    def _sign(self, side: str, row: int) -> Piece:
        return lines.glyph(self._view(side), row) if self.grid.sides > 1 else lines.sole_glyph(self._view(side), row)

    def _side(self, side: str, row: int, body: Sequence[Line]) -> Iterator[list[Piece]]:
        return self._original(row, body) if side == "original" else self._sent(self._view(side), row, len(body))

    def _original(self, row: int, body: Sequence[Line]) -> Iterator[list[Piece]]:
        shown, grid = self.shown, self.grid
        words = self._who(row)
        if grid.sides == 1 and (harm := lines.harm(shown, row)):
            words += [("text", "  "), *harm]
        yield lines.original_head(shown, row, words, grid.text, grid.tokens)
        seen = row < len(shown.view.plan.action)  # else it came after the request that is shown
        yield from self._marked(body if seen else [(f"{kind}-kept", line) for kind, line in body])

    def _who(self, row: int) -> list[Piece]:
        """Role and tool, and what is wrong with the message as recorded."""
        faults = lines.faults(self.shown, row)
        return [*lines.who(self.shown, row), *([("text", "  "), *faults] if faults else [])]

    def _sent(self, shown: Shown, row: int, room: int) -> Iterator[list[Piece]]:
        """A sent side of a row, blank lines where nothing is sent."""
        grid = self.grid
        words = lines.words(shown, row)
        if grid.sides == 1:
            words = [*self._who(row), ("text", "  "), *words]
        change = grid.sides < len(SIDES)
        yield lines.sent_head(words, grid.text, grid.tokens, lines.figures(shown, row), change=change)
        body = lines.sent_body(shown, row, grid.text, LIMIT, room)
        yield from self._marked(body)
        yield from (fit((), grid.text) for _ in range(room - len(body)))

    def _marked(self, body: Sequence[Line]) -> Iterator[list[Piece]]:
        """Body lines with the search's words marked, those that a fold parts too."""
        if self.pattern is None:
            yield from (fit((line,), self.grid.text) for line in body)
            return
        for part in _unfolded(body, self.grid.text):
            for (kind, text), found in zip(part, spans([text for _, text in part], self.pattern), strict=True):
                yield fit(_in_pieces(kind, text, found), self.grid.text)


def _unfolded(body: Sequence[Line], width: int) -> Iterator[list[Line]]:
    """The lines in groups: a line that is full, or ends with a space, may go on in the next one of its kind."""
    part: list[Line] = []
    for kind, text in body:
        goes_on = part and part[-1][0] == kind and (part[-1][1].endswith(" ") or cells(part[-1][1]) >= width - 1)
        if part and not goes_on:
            yield part
            part = []
        part.append((kind, text))
    if part:
        yield part


def _in_pieces(kind: str, text: str, found: Sequence[tuple[int, int]]) -> Iterator[Piece]:
    end = 0
    for start, stop in found:
        yield from ((kind, text[end:start]), ("match", text[start:stop]))
        end = stop
    yield kind, text[end:]
