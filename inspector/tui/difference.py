"""What changed between two texts, line by line, at a cost that stays linear however long they are.

What both begin and end with goes first, compared in large slices. A cut middle leaves nothing else to compare; only
middles that are short enough are given to difflib, whose worst case is worse than quadratic.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher

from inspector.text import thousands
from inspector.tui.message_lines import Kind, Line

CONTEXT = 3
"""Lines alike that are shown beside a change."""
SHOWN = 5_000
"""Lines of one stretch that are shown; a stretch that is longer is cut in its middle."""
SHOWN_LINE = 20_000
"""Characters of one line that are shown."""
COMPARED = 200
"""The longest middles, in lines, that difflib compares."""


def difference(before: str, after: str, *, cut: bool = False) -> list[Line]:
    """The lines that two texts share and those that they do not.

    Args:
        before: the text as recorded.
        after: the text as sent.
        cut: `after` is `before` with one stretch taken out, perhaps with a marker in its place: the stretch is shown
            from its first character to its last, even within a line.
    """
    if before == after:
        return [Line("no text is changed", Kind.NOTE)]
    head, tail = _alike(before, after)
    if not cut:
        head, tail = _whole_lines(before, after, head, tail)
    a, b = len(before) - tail, len(after) - tail
    broken = not _line_begins(before, head)
    ending = not (_line_begins(before, a) and _line_begins(after, b))
    old, new = _split(before[head:a], broken), _split(after[head:b], broken)
    return [
        *_folded(_split(before[:head], False), first=False, last=True),
        *_middle(old, new, compare=not cut),
        *_folded(_split(before[a:], ending), first=True, last=False),
    ]


def _alike(a: str, b: str) -> tuple[int, int]:
    """How many characters both texts begin with, and how many of the rest they end with."""
    head = _first_difference(a, b, min(len(a), len(b)))
    room = min(len(a), len(b)) - head
    low, high = 0, room
    while low < high:
        middle = (low + high + 1) // 2
        if a[len(a) - middle : len(a) - low] == b[len(b) - middle : len(b) - low]:
            low = middle
        else:
            high = middle - 1
    return head, low


def _first_difference(a: str, b: str, room: int) -> int:
    low, high = 0, room
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _whole_lines(before: str, after: str, head: int, tail: int) -> tuple[int, int]:
    """The same stretches, drawn back to where lines begin in both texts."""
    head = before.rfind("\n", 0, head) + 1
    a, b = len(before) - tail, len(after) - tail
    if tail and not (_line_begins(before, a) and _line_begins(after, b)):
        end = before.find("\n", a)
        tail = len(before) - end - 1 if end >= 0 else 0
    return head, tail


def _line_begins(text: str, at: int) -> bool:
    return at == 0 or text[at - 1] == "\n"


def _split(text: str, broken: bool) -> list[str]:
    """The lines of a stretch. `broken`: it begins within a line, so a line feed at its start ends that line."""
    lines = (text.removeprefix("\n") if broken else text).replace("\r\n", "\n").split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


def _middle(old: list[str], new: list[str], *, compare: bool) -> Iterator[Line]:
    if not compare or not old or not new or max(len(old), len(new)) > COMPARED:
        yield from _stretch(old, Kind.REMOVED)
        yield from _stretch(new, Kind.ADDED)
        return
    for what, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if what == "equal":
            yield from _folded(old[a:b], first=a > 0, last=b < len(old))
        else:
            yield from _stretch(old[a:b], Kind.REMOVED)
            yield from _stretch(new[c:d], Kind.ADDED)


def _stretch(lines: list[str], kind: Kind) -> Iterator[Line]:
    if len(lines) <= SHOWN:
        yield from (Line(_short(line), kind) for line in lines)
        return
    half = SHOWN // 2
    word = "gone" if kind is Kind.REMOVED else "new"
    yield from (Line(_short(line), kind) for line in lines[:half])
    yield Line(f"… {thousands(len(lines) - SHOWN)} more lines {word}", Kind.NOTE)
    yield from (Line(_short(line), kind) for line in lines[-half:])


def _short(line: str) -> str:
    over = len(line) - SHOWN_LINE
    if over <= 0:
        return line
    half = SHOWN_LINE // 2
    return f"{line[:half]} … {thousands(over)} more characters … {line[-half:]}"


def _folded(lines: list[str], *, first: bool, last: bool) -> Iterator[Line]:
    """Lines alike: those beside a change (`first`: one comes before them), and a count of the others."""
    shown_first, shown_last = CONTEXT * first, CONTEXT * last
    hidden = len(lines) - shown_first - shown_last
    if hidden <= 1:
        yield from (Line(_short(line), Kind.SAME) for line in lines)
        return
    yield from (Line(_short(line), Kind.SAME) for line in lines[:shown_first])
    yield Line(f"… {thousands(hidden)} lines alike", Kind.NOTE)
    yield from (Line(_short(line), Kind.SAME) for line in lines[len(lines) - shown_last :] if shown_last)
