"""Measures of the timeline at 50,000 requests, whatever the file: a frame while moving, and one when figures came."""

from __future__ import annotations

import asyncio
import time
from array import array
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from statistics import median

from textual.app import App, ComposeResult

import inspector
from inspector.tui.run import BROKE, FIRED, Run
from inspector.tui.timeline import Picture, Timeline

REQUESTS, SIZE, FRAMES = 50_000, (160, 48), 40


class _Alone(App[None]):
    def compose(self) -> ComposeResult:
        yield Timeline()


@lru_cache(maxsize=1)
def _run() -> Run:
    bodies = [{"role": ("user", "assistant")[row % 2], "content": "x"} for row in range(2 * REQUESTS)]
    run = Run(inspector.from_messages(bodies))
    run.sent = array("q", [2 * at % 90_000 for at in range(REQUESTS)])
    run.cached = array("q", [tokens * 7 // 10 for tokens in run.sent])
    run.original = array("q", [2 * at for at in range(REQUESTS)])
    run.cost = run.without = run.ideal = array("d", [0.01] * REQUESTS)
    run.break_even = array("d", [float("nan") if at % 3 else 40.0 for at in range(REQUESTS)])
    run.flags = bytearray((FIRED | BROKE) * (at % 3 == 0) for at in range(REQUESTS))
    run.done = run.known = REQUESTS
    return run


async def _median(change: Callable[[Timeline, int], None]) -> float:
    app, run = _Alone(), _run()
    async with app.run_test(size=SIZE) as pilot:
        timeline = app.query_one(Timeline)
        timeline.picture = Picture(run, run.sums(), 100_000)
        await pilot.pause()
        taken = []
        for frame in range(FRAMES):
            start = time.perf_counter()
            change(timeline, frame)
            for line in range(timeline.size.height):
                timeline.render_line(line)
            taken.append(1000 * (time.perf_counter() - start))
    return median(taken)


def moved(_: Path) -> float:
    """Milliseconds to draw the timeline after the cursor has moved."""

    def change(timeline: Timeline, frame: int) -> None:
        timeline.cursor = 1_000 * frame

    return asyncio.run(_median(change))


def refined(_: Path) -> float:
    """Milliseconds to add the run up and to draw it when figures have come."""

    def change(timeline: Timeline, frame: int) -> None:
        timeline.picture = Picture(_run(), _run().sums(), 100_000 + frame)

    return asyncio.run(_median(change))
