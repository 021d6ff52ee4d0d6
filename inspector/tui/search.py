"""Finding messages: by the words in them, and by role, tool and action.

No textual here. A search is a generator of short steps, so that a worker can show how far it is and stop between them;
a filter is arithmetic over columns and quick enough to apply at once.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from inspector.message import Body, Context, text_of

STEP_CHARS = 1_000_000
"""Characters that one step looks through: 10 ms, where case does not count."""
STEP_ROWS = 5_000


@dataclass(frozen=True, slots=True)
class Found:
    """One step of a search."""

    rows: array[int]
    """Matching rows of this step, ascending."""
    searched: int
    """Rows looked at so far, this step included."""
    total: int
    """Rows to look at."""


def ignores_case(query: str) -> bool:
    """Smart case: a query without capitals finds capitals too."""
    return query == query.lower()


def pattern_of(query: str) -> re.Pattern[str] | None:
    """What marks a query's places in a text; None for an empty query."""
    return re.compile(re.escape(query), re.IGNORECASE if ignores_case(query) else 0) if query else None


def spans(texts: Sequence[str], pattern: re.Pattern[str] | None) -> list[list[tuple[int, int]]]:
    """The places of a query in each line of a folded text; a match that is folded has one in each of its lines."""
    found: list[list[tuple[int, int]]] = [[] for _ in texts]
    if pattern is None:
        return found
    tops = [0, *accumulate(map(len, texts))]
    for match in pattern.finditer("".join(texts)):
        at = bisect_right(tops, match.start()) - 1
        while at < len(texts) and tops[at] < match.end():
            found[at].append((max(match.start(), tops[at]) - tops[at], min(match.end(), tops[at + 1]) - tops[at]))
            at += 1
    return found


def search(session: Context, query: str, *, start: int = 0, within: Sequence[int] | None = None) -> Iterator[Found]:
    """The rows whose text, thinking, tool name or calls hold `query`, or whose call id it is, step by step.

    Args:
        session: where to look.
        query: any text; matched as it is, ignoring case where it has no capitals. An empty one matches nothing.
        start: the row to begin at; the rows before it come last, so that the nearest matches come first.
        within: the rows to look at, ascending: a filter's, or those that a shorter query found. None: all.
    """
    rows: Sequence[int] = range(len(session)) if within is None else within
    if not query:
        return
    first = next((at for at, row in enumerate(rows) if row >= start), 0) if start else 0
    searched = 0
    for part in (rows[first:], rows[:first]):
        for found, looked_at in _steps(session.messages, query, part):
            searched += looked_at
            yield Found(found, searched, len(rows))


def _steps(messages: Sequence[Body], query: str, rows: Sequence[int]) -> Iterator[tuple[array[int], int]]:
    fold = ignores_case(query)
    found, looked_at, chars = array("q"), 0, 0
    for row in rows:
        size, holds = _holds(messages[row], query, fold)
        if holds:
            found.append(row)
        looked_at += 1
        chars += size
        if chars >= STEP_CHARS or looked_at >= STEP_ROWS:
            yield found, looked_at
            found, looked_at, chars = array("q"), 0, 0
    if looked_at:
        yield found, looked_at


def _holds(body: Body, query: str, fold: bool) -> tuple[int, bool]:
    """How many characters were looked at, and whether the query stands in them."""
    size = 0
    for text in _texts(body):
        size += len(text)
        if _within(text, query, fold):
            return size, True
    return size, query == body.get("tool_call_id") or _makes(body.get("tool_calls"), query)


def _makes(calls: Any, query: str) -> bool:
    """Whether the query is the id of one of the calls: ids begin alike, so that a part of one says nothing."""
    return isinstance(calls, list) and any(isinstance(call, dict) and call.get("id") == query for call in calls)


def _within(text: str, query: str, fold: bool) -> bool:
    if not fold:
        return query in text
    if len(text) <= STEP_CHARS:
        return query in text.lower()
    overlap = 2 * len(query)
    return any(query in text[at : at + STEP_CHARS + overlap].lower() for at in range(0, len(text), STEP_CHARS))


def _texts(body: Body) -> Iterator[str]:
    content = body.get("content")
    yield content if isinstance(content, str) else text_of(body)
    for key in ("thinking", "reasoning_content", "name", "tool_name"):
        value = body.get(key)
        if value and isinstance(value, str):
            yield value
    calls = body.get("tool_calls")
    if calls and isinstance(calls, list):
        yield from _call_texts(calls)
    legacy = body.get("function_call")
    if legacy:
        yield from _call_texts([{"function": legacy}])


def _call_texts(calls: list[Any]) -> Iterator[str]:
    for entry in calls:
        function = (entry.get("function") or entry.get("custom")) if isinstance(entry, dict) else None
        if isinstance(function, dict):
            for key in ("name", "arguments", "input"):
                value = function.get(key)
                if isinstance(value, str):
                    yield value
                elif value:
                    yield from _leaves(value)


def _leaves(value: Any) -> Iterator[str]:
    """The keys and texts inside a JSON value, without recursion."""
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            yield from (key for key in item if isinstance(key, str))
            stack += item.values()
        elif isinstance(item, list):
            stack += item
        elif item is not None:
            yield str(item) if not isinstance(item, int) or abs(item) < 1 << 64 else ""
