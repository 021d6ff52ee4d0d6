"""The figures of the header as words, each a pure function of what is shown.

Numbers stand in fields sized by the session, so that nothing else moves while they change.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from inspector.change import Action
from inspector.message import Context, Session, text_of
from inspector.policies import POLICIES
from inspector.policies.policy import Policy
from inspector.replay import Calibration
from inspector.text import percent, thousands
from inspector.tui.faults import NATIVE, SERIOUS
from inspector.tui.glyphs import BROKEN, GLYPHS, INSERTED, SEVERITIES
from inspector.tui.shown import Shown

EIGHTHS = " ▏▎▍▌▋▊▉"
MARK = "│"
LARGER = "▲"


def gauge(used: int, window: int, width: int, marks: Sequence[int] = ()) -> str:
    """How full the window is, drawn to the eighth of a cell in exactly `width` cells: `▕████▋░░│░░▏`.

    `used`, `window` and `marks` are tokens. A mark lies over the cell that it falls in; one beyond the window is not
    drawn. More than the window ends in ▶.
    """
    inside = width - 2
    if inside < 1:
        return ""
    eighths = min(inside * 8, -(-used * inside * 8 // window)) if window > 0 else inside * 8
    full, part = divmod(max(0, eighths), 8)
    bar = list(("█" * full + (EIGHTHS[part] if part else "")).ljust(inside, "░"))
    for mark in marks:
        if 0 <= mark <= window and window:
            bar[min(inside - 1, mark * inside // window)] = MARK
    return "▕" + "".join(bar) + ("▶" if used > window else "▏")


def thin_bar(share: float, width: int) -> str:
    """Progress in `width` cells: `━━━━────`."""
    full = round(min(1.0, max(0.0, share)) * width)
    return "━" * full + "─" * (width - full)


def number_width(shown: Shown) -> int:
    """Cells that a number of tokens takes in this session: the original's, with room for a view that is larger."""
    return len(thousands(shown.fitted(shown.sums[-1]) * 11 // 10 + 1_000))


def estimated(number: int, exact: bool, width: int) -> str:
    """A number at the right of `width` + 1 cells, with ~ before an estimate."""
    return f"{'' if exact else '~'}{thousands(number)}".rjust(width + 1)


def tokens_words(shown: Shown) -> str:
    """`142,318 -> 61,904 tokens`, with ~ before what is not exact."""
    width = number_width(shown)
    exact = shown.counter.exact
    original = estimated(shown.fitted(shown.original_tokens), shown.counted and exact, width)
    sent = estimated(shown.fitted(shown.sent_tokens), shown.sent_is_exact and exact, width)
    return f"{original} -> {sent} tokens"


def saved_words(shown: Shown) -> str:
    """`saved 80,414  56.5 %`, or as a loss `▲ larger by 1,204  -0.9 %`; always of one width in a session."""
    saved = shown.saved_tokens
    word = f"{LARGER} larger by" if saved < 0 else "saved "
    number = estimated(shown.fitted(abs(saved)), shown.is_exact, number_width(shown))
    return f"{word:>{len(LARGER) + 10}}{number}{percent(saved, shown.original_tokens):>7} %"


def window_words(shown: Shown) -> str:
    """`48 % of 128,000`; beyond the window `37 % over 128,000`; always of one width in a session."""
    sent, window = shown.fitted(shown.sent_tokens), shown.window
    beyond = sent > window
    digits = max(3, len(_percents(shown.fitted(shown.sums[-1]), window)))
    share = _percents(sent - window if beyond else sent, window)
    words = f"{share:>{digits}} % {'over' if beyond else 'of'} {thousands(window)}"
    return words.ljust(digits + len(" % over ") + len(thousands(window)))


def _percents(tokens: int, window: int) -> str:
    return f"{100 * tokens / window if window > 0 else 0.0:,.0f}"


@dataclass(frozen=True, slots=True)
class Count:
    """One number of the header, with a glyph beside its hue."""

    glyph: str
    number: int
    word: str
    width: int
    """Cells that the number may take in this session."""

    @property
    def text(self) -> str:
        """`✂ 41 edited`."""
        return f"{self.short} {self.word}"

    @property
    def short(self) -> str:
        """`✂ 41`, for narrow screens."""
        return f"{self.glyph} {thousands(self.number)}".rjust(self.width + 2)


def counts(shown: Shown) -> tuple[Count, ...]:
    """How many rows are edited, how many results were made up for calls without one, how many things were broken."""
    width = len(thousands(len(shown.session)))
    return (
        Count(GLYPHS[Action.MIDDLE], shown.edited, "edited", width),
        Count(INSERTED, shown.repairs, "repaired", min(width, 3)),
        Count(SEVERITIES[shown.worst_broken], shown.broken, "broken", min(width, 3)),
    )


def findings_pieces(shown: Shown, short: bool = False) -> list[tuple[str, str]]:
    """What is wrong with the recording, by severity: `! 2 errors`, `△ 1 warning`; its damage until it is examined.

    Short, for narrow screens: `!2`, `△1`.
    Empty where nothing is; for a target that was chosen that is said. The last piece names the target, as "info".
    """
    verdict = shown.verdict
    if verdict.recorded is None:
        damage = damage_words(shown.session)
        return [("warning", damage)] if damage else []
    counted = ((one, verdict.recorded.counts.get(one, 0)) for one in SERIOUS)
    pieces: list[tuple[str, str]] = []
    for one, count in counted:
        mark, number = SEVERITIES[one], thousands(count)
        if count:
            pieces.append((one, f"{mark}{number}" if short else f"{mark} {number} {one}{'s' * (count != 1)}"))
    if verdict.target != NATIVE:
        pieces.append(("info", f"{'' if pieces else 'nothing wrong '}for {verdict.target}"))
    return pieces


def damage_words(session: Session) -> str:
    """What was wrong with the file: `! damaged in 3 places`, or nothing."""
    places = sum(finding.severity != "info" for finding in session.damage)
    return f"{BROKEN} damaged in {thousands(places)} place{'s' * (places != 1)}" if places else ""


def messages_words(session: Session) -> str:
    """`214 messages`."""
    return f"{thousands(len(session))} message{'s' * (len(session) != 1)}"


def exactness_words(shown: Shown) -> str:
    """`o200k exact`; `o200k estimate` while tokens are not counted yet; `o200k calibrated (x1.08 +-2 %)`."""
    label = shown.counter.label
    if shown.calibration is not None and shown.counted:
        return label.replace("estimate", calibration_words(shown.calibration))
    return label if shown.counted or not shown.counter.exact else label.replace("exact", "estimate")


def calibration_words(calibration: Calibration | None) -> str:
    """`calibrated (x1.08 +-2 %)`; the label of the verb says also what the recording does not hold."""
    if calibration is None:
        return ""
    return f"calibrated (x{calibration.factor:.2f} +-{100 * calibration.spread:.0f} %)"


def thresholds(shown: Shown) -> tuple[int, ...]:
    """The sizes at which the policy acts, in tokens, ascending; other units by what they come to in this session."""
    policy = POLICIES.get(shown.view.policy)
    return tuple(sorted(_thresholds(shown, policy))) if policy else ()


def _thresholds(shown: Shown, policy: Policy) -> Iterator[int]:
    for param in policy.params:
        value = shown.view.settings.get(param.name, param.default)
        if not param.threshold or value == param.off or not isinstance(value, int | float) or value <= 0:
            continue
        size = MEASURES.get(param.unit)
        whole = shown.session.derived(size) if size else 0
        yield round(value * shown.sums[-1] / whole) if whole else round(value)


def json_chars(context: Context) -> int:
    """Characters of the messages as JSON, which is what policies that decide in chars measure."""
    return sum(context.columns.json_chars)


def json_bytes(context: Context) -> int:
    """UTF-8 bytes of the messages as JSON, near enough: what the texts take beyond a byte a character is added."""
    texts = (text_of(body) for body in context.messages)
    return json_chars(context) + sum(
        len(text.encode("utf-8", "surrogatepass")) - len(text) for text in texts if not text.isascii()
    )


MEASURES = {"chars": json_chars, "bytes": json_bytes}
