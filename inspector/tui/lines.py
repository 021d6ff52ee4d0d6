"""What stands on the lines of a ledger row, as styled pieces of visible text; the ledger only paints them.

Where a text was shortened, the sent side shows its first line and then the place where it departs from the original,
so that the cut is seen and not only said.
"""

from __future__ import annotations

from collections import Counter as Tallied
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from inspector.change import GONE, Action, Insert
from inspector.message import ASSISTANT, ROLES, Body, Context, calls_of, text_of
from inspector.text import ELLIPSIS, cells, clip, fold, height, pad, signed, thousands
from inspector.tui.faults import Harm
from inspector.tui.glyphs import GLYPHS, INSERTED, NAMES, SEVERITIES
from inspector.tui.rows import Line, body_lines, call_lines, folded, image_lines, reasoning_lines
from inspector.tui.shown import Shown

Piece = tuple[str, str]
"""A style's name and a text."""

SEPARATOR = " · "
CALLERS_SEARCHED = 8


def fit(pieces: Iterable[Piece], width: int) -> list[Piece]:
    """The pieces on one line of exactly `width` cells: what is too long ends in …, what is left is blank."""
    fitted: list[Piece] = []
    for style, text in pieces:
        if width <= 0:
            break
        shown = clip(text, width)
        fitted.append((style, shown))
        width -= cells(shown)
    if width > 0:
        fitted.append(("text", " " * width))
    elif width < 0 and fitted:  # a wide character where one cell was left
        style, text = fitted[-1]
        fitted[-1] = style, pad(text, cells(text) + width)
    return fitted


def tool_of(context: Context, row: int) -> str:
    """The tool that a result came from: its own name, else that of the call which it answers, looked for close by."""
    message = context.message(row)
    if message.role not in ("tool", "function"):
        return ""
    if message.tool or message.answers is None:
        return message.tool
    role, caller = context.columns.role, row
    for _ in range(CALLERS_SEARCHED):
        caller = role.rfind(ASSISTANT, 0, caller)
        if caller < 0:
            break
        for call in calls_of(context.messages[caller]):
            if call.id == message.answers:
                return call.name
    return ""


def who(shown: Shown, row: int) -> list[Piece]:
    """Role and tool."""
    session = shown.session
    role, tool = ROLES[session.columns.role[row]], tool_of(session, row)
    return [(f"role-{role}", role), *([("tool", f"  {tool}")] if tool else [])]


def action_at(shown: Shown, row: int) -> Action | None:
    """What the plan does to a row; None where the view does not reach so far (the view of an earlier request)."""
    actions = shown.view.plan.action
    return Action(actions[row]) if row < len(actions) else None


def sole_glyph(shown: Shown, row: int) -> Piece:
    """`glyph` where one side is shown: what is wrong in the recording is marked too."""
    sign = glyph(shown, row)
    found = shown.recorded.harm(row)
    return severity_piece(found[0].severity) if found and not sign[1].strip() else sign


def glyph(shown: Shown, row: int) -> Piece:
    """The one cell that says what happened to a row."""
    action = action_at(shown, row)
    if action is None:
        return "gone", "·"
    if row in shown.inserts_by_anchor and action in (Action.KEEP, Action.MERGE):
        return "insert", INSERTED
    if action is Action.KEEP and (broken := shown.harm(row)):
        return severity_piece(broken[0].severity)
    return "gone" if action in GONE else "action", GLYPHS[action]


def words(shown: Shown, row: int) -> list[Piece]:
    """What happened to a row, in words: what is broken first, then what was inserted, then the reason."""
    action = action_at(shown, row)
    if action is None:
        return [("gone", "after this request")]
    mark = glyph(shown, row)[1]
    inserts = shown.inserts_by_anchor.get(row, ())
    said = harm(shown, row, marked=mark in SEVERITIES.values())
    if inserts:
        said.append(("insert", ("" if mark == INSERTED else "+ ") + badge(inserts)))
    if own := _own_words(shown, row, action, anchored=bool(inserts)):
        said.append(("gone" if action in GONE else "reason", own))
    return [piece for item in said for piece in (("reason", SEPARATOR), item)][1:]


def harm(shown: Shown, row: int, marked: bool = False) -> list[Piece]:
    """What the policy broke at a row, in words, with a mark where the row has not got one already."""
    return _harm(shown.harm(row), marked)


def faults(shown: Shown, row: int) -> list[Piece]:
    """What is wrong with a row of the recording, in words, each with the mark of its severity."""
    return _harm(shown.recorded.harm(row), marked=False)


def _harm(found: Sequence[Harm], marked: bool) -> list[Piece]:
    if not found:
        return []
    look, mark = severity_piece(found[0].severity)
    return [(look, ("" if marked else f"{mark} ") + ", ".join(one.words for one in found))]


def severity_piece(severity: str) -> Piece:
    """The mark of a severity."""
    return ("error" if severity == "error" else "broken"), SEVERITIES[severity]


def _own_words(shown: Shown, row: int, action: Action, anchored: bool) -> str:
    plan = shown.view.plan
    reason = plan.reasons[plan.reason[row]]
    if action is Action.KEEP or (action is Action.MERGE and anchored):
        return ""
    if action is Action.MERGE:
        place = summary_of(plan.inserts, row)
        return f"in the summary at #{place}" if place is not None else reason or NAMES[action]
    if action is Action.DROP:
        return f"dropped: {reason}" if reason else "dropped"
    return reason or NAMES[action]


def summary_of(inserts: Sequence[Insert], row: int) -> int | None:
    """The row beside which the insert is drawn that a merged row went into."""
    merging = (insert for insert in inserts if insert.merges and insert.merges[0] <= row < insert.merges[1])
    return next((max(0, insert.anchor) for insert in merging), None)


def badge(inserts: Sequence[Insert]) -> str:
    """The inserts at one place, in words; equal ones are counted."""
    said = Tallied(
        insert.reason if insert.kind in insert.reason.lower() else f"{insert.kind}: {insert.reason}"
        for insert in inserts
    )
    return ", ".join(f"{words} ({count} times)" if count > 1 else words for words, count in said.items())


def original_head(shown: Shown, row: int, said: list[Piece], width: int, tokens: int) -> list[Piece]:
    """Words and tokens as recorded, in a column of `tokens` cells."""
    return [*fit(said, width - tokens - 2), ("tokens", f"  {count(shown, shown.before[row]):>{tokens}}")]


@dataclass(frozen=True, slots=True)
class Figures:
    """What a row costs as sent, inserts beside it included."""

    after: str
    """Tokens as sent, as text; empty where the view does not reach the row."""
    change: int
    """The difference from the original."""
    look: str
    """The style of the change."""


def figures(shown: Shown, row: int) -> Figures:
    """The figures of a row, counted now: for rows on screen."""
    if action_at(shown, row) is None:
        return Figures("", 0, "same")
    inserts = shown.inserts_by_anchor.get(row, ())
    after = shown.row_tokens(row) + sum(map(shown.tokens_of, inserts))
    change = after - shown.before[row]
    return Figures(count(shown, after), change, "saved" if change < 0 else "insert" if inserts else "grew")


def sent_head(said: list[Piece], width: int, tokens: int, sizes: Figures, *, change: bool = True) -> list[Piece]:
    """Words, tokens as sent in a column of `tokens` cells, and the signed change, where wanted, in one of a cell more.

    Where the change has no column, its look is that of the tokens.
    """
    look = sizes.look if not change else "tokens"
    figures = [(look if sizes.change and sizes.after != "0" else "same", f"  {sizes.after:>{tokens}}")]
    if change:
        figures.append((sizes.look, f"  {signed(sizes.change) if sizes.change else '':>{tokens + 1}}"))
    return [*fit(said, width - sum(len(text) for _, text in figures)), *figures]


def count(shown: Shown, tokens: int) -> str:
    """Tokens as text, with ~ while they are estimates that a count will replace."""
    return thousands(tokens) if shown.counted else f"~{thousands(tokens)}"


def original_body(shown: Shown, row: int, width: int, limit: int) -> list[Line]:
    """The lines under the head of a row, as recorded."""
    return body_lines(shown.session.messages[row], width, limit)


def sent_body(shown: Shown, row: int, width: int, limit: int, room: int) -> list[Line]:
    """The lines under a row's head, as sent, in the `room` of the original; kinds end in "-kept" where unchanged."""
    action = action_at(shown, row)
    if action is None or room <= 0:
        return []
    was = shown.session.messages[row]
    now = shown.view.plan.body(row)
    if now is None:
        return _inserted(shown.inserts_by_anchor.get(row, ()), width, room)
    if now is was:
        return [(f"{kind}-kept", line) for kind, line in body_lines(was, width, limit)]
    return _rewritten(was, now, width, limit, room)


def _inserted(inserts: Sequence[Insert], width: int, room: int) -> list[Line]:
    """The texts of inserts one under another; each leaves a line to those after it."""
    lines: list[Line] = []
    for left, insert in zip(range(len(inserts) - 1, -1, -1), inserts, strict=True):
        free = room - len(lines) - left
        lines += [("insert-text", line) for line in folded(text_of(insert.body), width, free)] if free > 0 else []
    return lines[:room]


def _rewritten(was: Body, now: Body, width: int, limit: int, room: int) -> list[Line]:
    before, calls = reasoning_lines(now, width), _rewritten_calls(was, now, width, limit)
    around = [*before, *image_lines(now, width), *calls]
    text = departing(text_of(was), text_of(now), width, max(1, room - len(around)))
    lines = [*before, *text, *around[len(before) :]]
    if len(lines) <= room:
        return lines
    kind, last = lines[room - 1]
    return [*lines[: room - 1], (kind, clip(last + ELLIPSIS, width))]


def departing(was: str, now: str, width: int, room: int) -> list[Line]:
    """A rewritten text in `room` lines: its first, then those from where it departs, if plain folding hides that."""
    at = agreement(was, now)
    word = now[at : at + width].partition("\n")[0].partition(" ")[0]  # it may be folded to the next line as a whole
    above = height(now[: at + len(word) + 1], width, room + 1) - 1
    if above < room or room < 2 or at == len(now):
        return [("marker" if place == above else "text", line) for place, line in enumerate(folded(now, width, room))]
    first = clip(fold(now, width, 1)[0] + ELLIPSIS, width)
    marker, *rest = folded(_from_line(now, at, width), width, room - 1)
    return [("text", first), ("marker", marker), *(("text", line) for line in rest)]


def _from_line(text: str, at: int, width: int) -> str:
    """The text from the line that holds `at`, or from shortly before it where the line is long."""
    while at < len(text) - 1 and text[at] == "\n":
        at += 1
    start = text.rfind("\n", 0, at) + 1
    if at - start <= width // 2:
        return text[start:]
    return ELLIPSIS + text[at - width // 4 :]


def agreement(a: str, b: str) -> int:
    """How many characters two texts have in common from the start on."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _rewritten_calls(was: Body, now: Body, width: int, limit: int) -> list[Line]:
    """The calls as sent; one that differs is shown from shortly before it departs, if that would not be seen."""
    lines = call_lines(now, width, limit)
    before = calls_of(was)
    for place, (call, (_, line)) in enumerate(zip(calls_of(now), lines, strict=False)):
        if place >= len(before) or call == before[place] or line.startswith("→ …"):
            continue
        at = agreement(before[place].arguments, call.arguments)
        if at + cells(call.name) + 4 > width:
            line = clip(f"→ {call.name} …{call.arguments[max(0, at - width // 4) :]}", width)
        lines[place] = ("marker", line)
    return lines
