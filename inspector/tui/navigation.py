"""Going about in the ledger: to the next message that is edited, broken, a compaction, or a match of the search.

Functions of the workbench, which holds the state.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, NamedTuple

from inspector.text import clip, thousands
from inspector.tui import record
from inspector.tui.ledger import Ledger
from inspector.tui.reader import Reader
from inspector.tui.search import ignores_case, search

if TYPE_CHECKING:
    from inspector.tui.news import Matched
    from inspector.tui.shown import Shown
    from inspector.tui.workbench import Workbench

QUERY_CELLS = 40
"""Of a query, in the status line."""


class Stops(NamedTuple):
    """Rows to go to, one after the other."""

    rows: Sequence[int]
    """Ascending."""
    what: str
    """What they are, in the plural: "edited messages"."""
    none: str
    """What to say where there are none."""


def stops(bench: Workbench, kind: str) -> Stops:
    """The rows of a kind: "edited" (beside a B, those that differ), "broken", "compaction", "match"."""
    shown = bench.shown
    if kind == "edited" and shown is not None and shown.apart is not None:
        return Stops(shown.differing_rows, "messages that A and B send differently", "A and B send the same")
    if kind == "edited":
        return Stops(shown.edited_rows if shown else (), "edited messages", "the policy changes nothing")
    if kind == "broken":
        broken = sorted({*shown.broken_rows, *shown.recorded.rows}) if shown else ()
        return Stops(broken, "messages with a finding", _nothing_broken(shown))
    if kind == "compaction":
        compacted = sorted({found.row for found in bench.session.compactions}) if bench.session else []
        return Stops(compacted, "recorded compactions", "no compaction was recorded in this session")
    ledger = bench.query_one(Ledger)
    none = (
        f"no message holds {quoted(ledger.needle)}" if ledger.needle else "nothing is searched for: / starts a search"
    )
    return Stops(sorted(ledger.matches), f"messages that hold {quoted(ledger.needle)}", none)


def _nothing_broken(shown: Shown | None) -> str:
    examined = shown.verdict.recorded if shown is not None else None
    if examined is None:
        return "the policy breaks nothing"
    if examined.serious:
        return "the policy breaks nothing, and what is wrong is the file's: d lists it"
    if examined.counts.get("info"):
        return "the policy breaks nothing, and of the recording there are only notes: d lists them"
    return "the policy breaks nothing, and nothing is wrong in the recording"


def go_among(bench: Workbench, kind: str, by: int) -> None:
    """Go to the next row of a kind, or with -1 to the one before, round the end, past what the filter hides."""
    found, ledger = stops(bench, kind), bench.query_one(Ledger)
    rows = found.rows if ledger.rows_shown is None else sorted(passing(ledger, found.rows))
    if not rows:
        bench.say(f"the filter hides all {found.what}" if found.rows else found.none)
        return
    place = bisect_right(rows, ledger.cursor) if by > 0 else bisect_left(rows, ledger.cursor) - 1
    place %= len(rows)
    ledger.go_to(rows[place])
    if kind == "compaction":
        record.follow(bench)
    bench.say(f"{thousands(place + 1)} of {thousands(len(rows))} {found.what}")


def start_search(bench: Workbench, query: str) -> None:
    """Search beside the screen; an empty query clears the last one."""
    if not query:
        clear_search(bench)
    elif bench.session is not None:
        ledger = bench.query_one(Ledger)
        ledger.needle = query
        bench.query_one(Reader).term = query
        ledger.matches = frozenset()
        bench.say(f"searching for {quoted(query)}")
        bench.search(search(bench.session, query, start=ledger.cursor), bench.session, query, goes=True)


def search_again(bench: Workbench) -> None:
    """Search another session, or one read anew, for the same words, and stay in place."""
    ledger = bench.query_one(Ledger)
    ledger.matches = frozenset()
    if bench.session is not None:
        bench.search(search(bench.session, ledger.needle), bench.session, ledger.needle, goes=False)


def clear_search(bench: Workbench) -> None:
    """Forget the search."""
    ledger = bench.query_one(Ledger)
    ledger.needle, ledger.matches = "", frozenset()
    bench.query_one(Reader).term = ""
    bench.workers.cancel_group(bench, "search")
    bench.say("")


def take_matches(bench: Workbench, matched: Matched) -> None:
    """Mark what a search has found so far; the first find is gone to, unless the cursor is on a match already."""
    ledger = bench.query_one(Ledger)
    if matched.query != ledger.needle or matched.session is not bench.session:
        return
    first = not passing(ledger, ledger.matches)
    ledger.matches = matched.rows
    found = passing(ledger, matched.rows)
    if matched.goes and first and found and ledger.cursor not in matched.rows:
        go_among(bench, "match", 1)
    bench.say(match_words(matched, len(matched.rows) - len(found)))


def passing(ledger: Ledger, rows: Collection[int]) -> Collection[int]:
    """Those of the rows that the filter lets through, in no order."""
    return rows if ledger.rows_shown is None else frozenset(ledger.rows_shown).intersection(rows)


def match_words(matched: Matched, hidden: int = 0) -> str:
    """How many messages hold what was searched for, and how many of them the filter hides."""
    count, query = len(matched.rows), quoted(matched.query)
    if matched.searched < matched.total:
        return f"{thousands(count)} so far hold {query}, {100 * matched.searched // matched.total} % searched"
    if not count:
        capitals = "" if ignores_case(matched.query) else "; capitals count in it"
        return f"no message holds {query}{capitals}"
    rest = f"{thousands(hidden)} of them hidden by the filter" if hidden else "n and N go through them"
    return f"{thousands(count)} message{'s hold' if count > 1 else ' holds'} {query}; {rest}"


def quoted(query: str) -> str:
    """A query as it is spoken of."""
    return f'"{clip(query, QUERY_CELLS)}"'
