"""Our counts beside the provider's, once the rows of a session are counted: what the header says, and figures go by.

Functions of the workbench, which holds the state.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.message import Session
from inspector.replay import Calibration, calibration_of
from inspector.tokens import Counter

if TYPE_CHECKING:
    from inspector.tui.workbench import Workbench


def begin(bench: Workbench) -> None:
    """Compare our counts with the provider's, beside the screen, once for each session and counter."""
    state, session, counter, tokens = bench.replay, bench.session, bench.counter, bench.tokens
    if session is None or not tokens.counted or counter.exact or not session.usage:
        if state.calibration is not None and counter.exact:
            state.calibration = None
        return
    of = (session, counter, tokens)
    if state.calibrated is not None and all(a is b or a == b for a, b in zip(state.calibrated, of, strict=True)):
        return
    state.calibrated, state.calibration = of, None

    def work() -> None:
        bench.call_later(_take, bench, of, calibration_of(session, counter, tokens.rows))

    bench.run_worker(work, thread=True, exclusive=True, group="calibrate", description="compares counts")


def _take(bench: Workbench, of: tuple[Session, Counter, object], found: Calibration | None) -> None:
    state = bench.replay
    if state.calibrated != of or found is None:
        return
    state.calibration, state.terms, state.key = found, None, None
    bench.recompute()
