"""Where a list is cut: how much of it fits from either end, and what is left of a text that is cut."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate


def running(costs: Sequence[int]) -> list[int]:
    """The sums of the first 0, 1, 2 ... costs."""
    return list(accumulate(costs, initial=0))


def fitting_prefix(sums: Sequence[int], limit: int) -> int:
    """How many of the first messages cost at most `limit` together; `sums` as `running` gives them."""
    return max(0, bisect_right(sums, limit) - 1)


def fitting_suffix(costs: Sequence[int], limit: int, *, strictly: bool = False) -> int:
    """The first of the last messages that together cost at most `limit`, or with `strictly` less than it."""
    start, left = len(costs), limit - strictly
    while start > 0 and costs[start - 1] <= left:
        start -= 1
        left -= costs[start]
    return start


def back_while(start: int, lowest: int, unfit: bytes | bytearray) -> int:
    """The place at or before `start`, not below `lowest`, that is not marked as unfit for a cut."""
    while start > lowest and start < len(unfit) and unfit[start]:
        start -= 1
    return start


def ceil4(chars: int) -> int:
    """Characters as tokens, a started token counting whole."""
    return -(-chars // 4)


def cut_middle(text: str, head: int, tail: int, marker: str) -> str:
    """The beginning and the end of a text, with a marker for what was between them."""
    return text[:head] + marker + text[len(text) - tail :]
