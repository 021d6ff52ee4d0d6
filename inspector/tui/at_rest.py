"""What is worked out once a setting is at rest: the exact size of the sent view, and what is wrong with it.

Functions of the workbench, which holds the state. Each runs beside the screen, and its answer is thrown away where
another view is shown by then.
"""

from __future__ import annotations

from array import array
from dataclasses import replace
from typing import TYPE_CHECKING

from textual.worker import get_current_worker

from inspector.tui import diagnosis
from inspector.tui.background import count_sent
from inspector.tui.banner import Banner
from inspector.tui.map import Map

if TYPE_CHECKING:
    from inspector.policies import SentView
    from inspector.tokens import Counter
    from inspector.tui.workbench import Workbench

REST = 0.12
"""Seconds without a change after which the rewritten texts are counted."""
LONGER_REST = 0.5
"""Seconds after that until the doctor looks: it takes Python's time, which the next drag would miss."""


def wait(bench: Workbench) -> None:
    """Begin when nothing was changed for a moment."""
    if bench.rest is not None:
        bench.rest.stop()
    if bench.tokens.counted:
        bench.rest = bench.set_timer(REST, lambda: _begin(bench))


def _begin(bench: Workbench) -> None:
    shown = bench.shown
    if shown is not None and not shown.sent_is_exact:
        view, before, counter = shown.view, bench.tokens.rows, bench.counter
        bench.run_worker(
            lambda: _count(bench, view, before, counter),
            thread=True, exclusive=True, group="sent", description="counts what is sent",
        )  # fmt: skip
    bench.rest = bench.set_timer(LONGER_REST, lambda: diagnosis.examine_sent(bench))


def _count(bench: Workbench, view: SentView, before: array[int], counter: Counter) -> None:
    for tokens in count_sent(view, before, counter):
        if get_current_worker().is_cancelled:
            return
        if tokens is not None:
            bench.call_later(_take, bench, view, counter, tokens)


def _take(bench: Workbench, view: SentView, counter: Counter, tokens: array[int]) -> None:
    shown = bench.shown
    if shown is None or view is not shown.view or counter != bench.counter:
        return
    bench.shown = replace(shown, counted_sent=tokens)
    bench.query_one(Banner).shown = bench.query_one(Map).shown = bench.shown
