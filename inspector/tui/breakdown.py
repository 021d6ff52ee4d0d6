"""Where the context goes: tokens by role and by tool, original and sent, the largest first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import ClassVar, Literal, NamedTuple

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from inspector.message import DEVELOPER, FUNCTION, ROLES, SYSTEM, TOOL, compact_json
from inspector.text import cells, clip, pad, thousands, visible_line
from inspector.tui.figures import estimated
from inspector.tui.filtering import rows_by_tool
from inspector.tui.shown import Shown

QUIET = "$foreground 60%"
SYSTEM_PROMPT, RESULTS, DEFINITIONS = "system prompt", "tool results", "tool definitions"
INSERTED, UNNAMED = "inserted by the policy", "(no name)"
TITLES = {"role": "by role", "tool": "results by tool"}
NAMES = {SYSTEM: SYSTEM_PROMPT, DEVELOPER: SYSTEM_PROMPT, TOOL: RESULTS, FUNCTION: RESULTS}
LONGEST_BAR = 30


@dataclass(frozen=True, slots=True)
class Share:
    """The part of the context that one role or one tool takes, in tokens."""

    group: Literal["role", "tool"]
    name: str
    """A role in words, or a tool's name from the recording."""
    messages: int
    """How many messages; of tool definitions, how many there are."""
    original: int
    sent: int

    @property
    def mass(self) -> int:
        """What it is sorted by."""
        return max(self.original, self.sent)


def breakdown(shown: Shown) -> tuple[Share, ...]:
    """Tokens by role, then by tool, each the largest first.

    Roles take in the system prompt, the definitions of the tools and what the policy inserts, and add up to everything
    that is sent; tools take in their results only, since a call belongs to an assistant message.
    """
    return (*_largest_first(_by_role(shown)), *_largest_first(_by_tool(shown)))


def _largest_first(shares: Iterable[Share]) -> list[Share]:
    return sorted(shares, key=lambda share: (-share.mass, share.name))


def _by_role(shown: Shown) -> Iterator[Share]:
    role = shown.session.columns.role
    codes: dict[str, list[int]] = {}
    for code in sorted(set(role)):
        codes.setdefault(NAMES.get(code, ROLES[code]), []).append(code)
    for name, mine in codes.items():
        mask = role.translate(bytes(code in mine for code in range(256)))
        yield Share("role", name, mask.count(1), sum(compress(shown.reached, mask)), sum(compress(shown.after, mask)))
    if tools := shown.session.tools:
        size = sum(shown.counter.count([compact_json(tool) for tool in tools]))
        yield Share("role", DEFINITIONS, len(tools), size, size)
    if inserts := shown.view.plan.inserts:
        yield Share("role", INSERTED, len(inserts), 0, shown.insert_tokens)


def _by_tool(shown: Shown) -> Iterator[Share]:
    role = shown.session.columns.role
    results, named = role.count(TOOL) + role.count(FUNCTION), 0
    original = sent = 0
    for name, concerned in shown.session.derived(rows_by_tool).items():
        rows = [row for row in concerned if role[row] in (TOOL, FUNCTION)]
        share = Share("tool", name, len(rows), _sum(shown.reached, rows), _sum(shown.after, rows))
        named, original, sent = named + len(rows), original + share.original, sent + share.sent
        if rows:
            yield share
    if named < results:
        mask = role.translate(bytes(code in (TOOL, FUNCTION) for code in range(256)))
        rest = sum(compress(shown.reached, mask)) - original, sum(compress(shown.after, mask)) - sent
        yield Share("tool", UNNAMED, results - named, *rest)


def _sum(column: Sequence[int], rows: Sequence[int]) -> int:
    return sum(map(column.__getitem__, rows))


def share_bar(share: Share, largest: int, width: int) -> str:
    """`██████░░░░`: as long as the share is beside the largest one, █ what is sent, ░ what is saved."""
    if largest <= 0:
        return " " * width
    whole, sent = round(share.mass * width / largest), round(share.sent * width / largest)
    return ("█" * sent + "░" * (whole - sent)).ljust(width)


class Columns(NamedTuple):
    """Cells of each column, the same for both groups."""

    name: int
    messages: int
    number: int
    bar: int


def columns_for(shares: Sequence[Share], width: int) -> Columns:
    """Columns that hold every number whole; of `width` cells names get what they need, and bars what is left."""
    number = max(8, *(len(thousands(share.mass)) for share in shares)) + 1
    count = max(8, *(len(thousands(share.messages)) for share in shares))
    room = max(8, width - count - 2 * number - 13)
    name = min(room, max(len(TITLES["tool"]), *(cells(visible_line(share.name[:room])) for share in shares)))
    return Columns(name, count, number, min(LONGEST_BAR, max(0, room - name - 1)))


def table(shares: Sequence[Share], shown: Shown, columns: Columns) -> list[Content]:
    """The shares of one group as lines, with a heading."""
    name, count, number, bar = columns
    head = f"{TITLES[shares[0].group]:<{name}} {'messages':>{count}} {'original':>{number}} {'sent':>{number}}    share"
    total = sum(share.original for share in shares)
    largest = max(share.mass for share in shares)
    lines = [Content.styled(head, f"bold {QUIET}")]
    for share in shares:
        percent = f"{share.original * 100 / total if total else 0.0:.1f} %"
        drawn = share_bar(share, largest, bar)
        solid = drawn.count("█")
        words = (
            f"{pad(clip(share.name, name), name)} {thousands(share.messages):>{count}} {_numbers(share, shown, number)}"
        )
        lines.append(
            Content.assemble(f"{words} {percent:>8} ", (drawn[:solid], "$text-primary"), (drawn[solid:], QUIET))
        )
    return lines


def _numbers(share: Share, shown: Shown, width: int) -> str:
    exact = shown.counter.exact and shown.counted
    sent = estimated(share.sent, exact and (shown.sent_is_exact or share.sent in (0, share.original)), width - 1)
    return f"{estimated(share.original, exact, width - 1)} {sent}"


def page(shown: Shown, width: int) -> Content:
    """Everything that the pane says, for a width in cells."""
    shares = breakdown(shown)
    parts: list[Content] = []
    for group in ("role", "tool"):
        if mine := [share for share in shares if share.group == group]:
            parts += [*table(mine, shown, columns_for(shares, width)), Content("")]
    if not parts:
        parts = [Content("there are no messages"), Content("")]
    if shown.session.tools:
        parts.append(Content.styled("definitions are sent with every request; the header counts messages only", QUIET))
    if shown.calibration is not None:
        said = f"as {shown.counter.encoding} counts; the header has them x{shown.calibration.factor:.2f}"
        parts.append(Content.styled(f"{said}, as the provider counts", QUIET))
    parts.append(Content.styled("█ sent  ░ saved", QUIET))
    return Content("\n").join(parts)


class Breakdown(ModalScreen[None]):
    """The pane over the screen; Esc, `q`, `b`, Enter or a click beside it closes it."""

    DEFAULT_CSS = """
    Breakdown { align: center middle; }
    Breakdown > VerticalScroll {
        width: 100%; max-width: 100; height: auto; max-height: 90%;
        padding: 1 2; background: $surface; border: round $foreground 30%;
        scrollbar-gutter: stable; scrollbar-size-vertical: 1;
        border-title-color: $foreground; border-subtitle-color: $foreground 60%;
    }
    Breakdown Static { width: 1fr; height: auto; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,b,enter", "dismiss", "Close")]

    def __init__(self, shown: Shown) -> None:
        super().__init__()
        self.shown = shown

    def compose(self) -> ComposeResult:
        """A scrolling pane of one text."""
        with VerticalScroll() as pane:
            pane.border_title = "where the context goes"
            pane.border_subtitle = "Esc closes"
            yield Static()

    def on_resize(self) -> None:
        """Lays the table out for the width."""
        self.call_after_refresh(self._draw)

    def _draw(self) -> None:
        text = self.query_one(Static)
        if width := text.content_size.width:
            text.update(page(self.shown, width))

    def on_click(self, event: events.Click) -> None:
        """A click beside the pane closes it."""
        if self.get_widget_at(*event.screen_offset)[0] is self:
            self.dismiss()
