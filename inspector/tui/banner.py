"""The header: what is open, what the policy saves, how full the window is, and what was edited, repaired and broken.

Two lines, or three where the screen is narrow, and one more for A and B. The places of the pieces depend on session and
width only.
"""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content
from textual.geometry import Size
from textual.reactive import reactive
from textual.timer import Timer
from textual.widget import Widget

from inspector.text import cells, clip, visible_line
from inspector.tui import figures, sides
from inspector.tui.figures import gauge, thin_bar
from inspector.tui.shown import Shown

NAME = "inspector"
QUIET = "$foreground 60%"
FOUND = {"error": "bold $text-error", "warning": "bold $text-warning", "info": QUIET}
GAP = 3
SHORTEST_GAUGE, LONGEST_GAUGE = 8, 40
SHORTEST_FILE = 16
SHORTEST_NAMES = 16
"""Of what tells A and B apart."""
BEAT = 0.1
"""Seconds between two moves of the bar of what nobody can tell the share of."""
WIDE = 100
"""Under so many cells the figures of a calibration go before the file's name does."""

Progress = tuple[str, float | None]
"""What is going on, and how far it is, from 0.0 to 1.0; None where nobody can tell."""


def spread(left: Sequence[Content], right: Sequence[Content], width: int) -> Content:
    """Pieces from the left edge and pieces up to the right edge, in `width` cells, with a cell free at either side."""
    first, last = joined(left), joined(right)
    space = width - first.cell_length - last.cell_length - 2
    return Content.assemble(" ", first, " " * max(1, space), last, " ").truncate(width)


def joined(pieces: Sequence[Content], gap: int = GAP) -> Content:
    """The pieces that are not empty, with a gap between them."""
    return Content(" " * gap).join([piece for piece in pieces if piece.plain])


def open_file(shown: Shown, room: int) -> Content:
    """File, format, messages, findings and model in `room` cells; where all do not fit, model and then format go."""
    session = shown.session
    found, brief = findings(shown), findings(shown, short=True)
    messages = Content(figures.messages_words(session))
    kind = Content.styled(visible_line(session.format), QUIET)
    model = Content(clip(session.model or "", 40))
    for rest in ([kind, messages, found, model], [kind, messages, found], [kind, messages, brief], [messages, brief]):
        left = room - joined(rest, 2).cell_length - 2
        if left >= min(SHORTEST_FILE, cells(visible_line(session.name))):
            break
    return joined([Content.styled(clip(session.name, max(1, left)), "bold"), *rest], 2)


def findings(shown: Shown, short: bool = False) -> Content:
    """How many errors and warnings the recording has, each in its hue."""
    return joined([Content.styled(words, FOUND[look]) for look, words in figures.findings_pieces(shown, short)], 1)


def progress_bar(progress: Progress, width: int = 10, beat: int = 0) -> Content:
    """`counting tokens ━━━━────── 40 %`, or `reading x.json ──━━──────` where the share is not known."""
    says, share = progress
    if share is None:
        return Content.assemble(f"{visible_line(says)} ", *busy_bar(beat, width))
    bar = thin_bar(share, width)
    full = bar.count("━")
    return Content.assemble(
        f"{visible_line(says)} ", (bar[:full], "$accent"), (bar[full:], QUIET), f" {min(1.0, share) * 100:3.0f} %"
    )


def busy_bar(beat: int, width: int) -> list[tuple[str, str]]:
    """A fifth of a bar that goes to and fro, one cell a beat."""
    solid = max(1, width // 5)
    way = width - solid
    left = way - abs(way - beat % (2 * way)) if way > 0 else 0
    return [("─" * left, QUIET), ("━" * solid, "$accent"), ("─" * (way - left), QUIET)]


def savings(shown: Shown) -> Content:
    """Original and sent tokens, and what is saved."""
    style = "bold $text-error" if shown.saved_tokens < 0 else "bold $text-success" if shown.saved_tokens else QUIET
    return Content.assemble(figures.tokens_words(shown), "  ", (figures.saved_words(shown), style))


def window_gauge(shown: Shown, width: int) -> Content:
    """The gauge and its words in `width` cells; without the bar where there is no room for one."""
    words = figures.window_words(shown)
    bar = gauge(shown.fitted(shown.sent_tokens), shown.window, width - len(words) - 1, figures.thresholds(shown))
    if len(bar) < SHORTEST_GAUGE:
        return Content(words)
    share = shown.fitted(shown.sent_tokens) / shown.window if shown.window > 0 else 1.0
    hue = "$text-error" if share > 0.9 else "$text-warning" if share > 0.7 else "$text-primary"
    line = Content.styled(bar, hue)
    for place, char in enumerate(bar):
        if char in "░▕▏" or char == figures.MARK:
            line = line.stylize("bold $text-accent" if char == figures.MARK else QUIET, place, place + 1)
    return Content.assemble(line, f" {words}")


def tallies(shown: Shown, short: bool = False) -> Content:
    """Edited, repaired, broken."""
    edited, repaired, broken = figures.counts(shown)
    pieces = [
        Content.styled(count.short if short else count.text, style if count.number else QUIET)
        for count, style in ((edited, ""), (repaired, ""), (broken, FOUND[shown.worst_broken]))
    ]
    return joined(pieces, 2)


def lines_needed(shown: Shown | None, width: int) -> int:
    """2, or 3 where savings, gauge and counts do not fit on one line; one more where two sent views are compared."""
    if shown is None:
        return 2
    least = SHORTEST_GAUGE + 1 + len(figures.window_words(shown)) + 2
    fit = savings(shown).cell_length + tallies(shown).cell_length + least + 2 * GAP + 2 <= width
    return (2 if fit else 3) + (shown.other is not None)


def compared(shown: Shown, width: int) -> Content:
    """A and B: their totals, what tells them apart, and how many messages they send differently."""
    assert shown.other is not None
    totals, differing = sides.comparison_pieces(shown, figures.number_width(shown))
    names = " | ".join(sides.telling(shown, shown.other))
    room = width - 2 - GAP - len(differing) - sum(map(len, totals)) - 2 * (len(totals) - 1) - GAP
    left = [
        joined([Content(piece) for piece in totals], 2),
        Content.styled(clip(visible_line(names), max(0, room)), QUIET),
    ]
    return spread(left, [Content.styled(differing, "$text-accent")], width)


def lines(shown: Shown, width: int, moment: str, progress: Progress | None, beat: int = 0) -> list[Content]:
    """The header's lines, each exactly `width` cells."""
    own = _own_lines(shown, width, moment, progress, beat)
    return own if shown.other is None else [*own, compared(shown, width)]


def _own_lines(shown: Shown, width: int, moment: str, progress: Progress | None, beat: int) -> list[Content]:
    exact = figures.exactness_words(shown)
    exact = exact if width >= WIDE else exact.partition(" (")[0]
    how = progress_bar(progress, beat=beat) if progress else Content.styled(exact, QUIET)
    right = [how, Content(visible_line(moment))]
    room = width - 4 - joined(right).cell_length
    first = spread([open_file(shown, room)], right, width)
    counted = tallies(shown)
    if lines_needed(shown, width) - (shown.other is not None) == 2:
        room = width - 2 - savings(shown).cell_length - counted.cell_length - 2 * GAP
        return [first, spread([savings(shown), window_gauge(shown, min(room, LONGEST_GAUGE))], [counted], width)]
    room = width - 2 - GAP - counted.cell_length
    if room < len(figures.window_words(shown)):
        counted = tallies(shown, short=True)
        room = width - 2 - GAP - counted.cell_length
    return [first, spread([savings(shown)], [], width), spread([window_gauge(shown, room)], [counted], width)]


def opening(width: int, progress: Progress | None, beat: int = 0) -> list[Content]:
    """The header before there is a session."""
    first = spread([Content.styled(NAME, "bold")], [], width)
    if progress is None:
        return [first, spread([Content.styled("no session is open", QUIET)], [], width)]
    says, share = progress
    bar = max(4, min(LONGEST_GAUGE, width - 10))
    return [first, spread([progress_bar((clip(says, max(1, width - bar - 12)), share), bar, beat)], [], width)]


class Banner(Widget):
    """The header's lines."""

    DEFAULT_CSS = "Banner { width: 1fr; height: auto; background: $surface; }"

    shown: reactive[Shown | None] = reactive[Shown | None](None)
    progress: reactive[Progress | None] = reactive[Progress | None](None)
    """What is going on, if anything is."""
    beat: reactive[int] = reactive(0)
    """Moves the bar of what nobody can tell the share of."""
    _pulse: Timer | None = None
    moment: reactive[str] = reactive("one shot")
    """Which view is shown: "one shot", or "as of request N"."""

    def render(self) -> Content:
        """The lines at the present width."""
        width = self.content_size.width
        if width < 1:
            return Content("")
        shown = self.shown
        going = self.progress, self.beat
        made = opening(width, *going) if shown is None else lines(shown, width, self.moment, *going)
        return Content("\n").join(made)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many lines as are needed."""
        return lines_needed(self.shown, width)

    def watch_progress(self) -> None:
        """Let the bar move as long as the share is not known."""
        busy = self.progress is not None and self.progress[1] is None
        if busy and self._pulse is None:
            self._pulse = self.set_interval(BEAT, self._next_beat)
        elif not busy and self._pulse is not None:
            self._pulse.stop()
            self._pulse = None

    def _next_beat(self) -> None:
        self.beat += 1

    def watch_shown(self) -> None:
        """Lays out anew only where the number of lines changes."""
        if lines_needed(self.shown, self.content_size.width) != self.content_size.height:
            self.refresh(layout=True)
