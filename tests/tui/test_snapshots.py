"""Pictures of the screen, to see at a glance what a change does to it. `pytest --snapshot-update` takes them anew.

They hold for one version of Textual: another draws the same screen with other bytes.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
import textual
from textual.pilot import Pilot

from inspector.tui.app import Inspector
from inspector.tui.background import Source
from inspector.tui.history import Setup
from inspector.tui.workbench import Workbench
from tests.tui.running import NARROW, SAMPLES, WIDE, Run

TAKEN_WITH = "8.2.8"
pytestmark = pytest.mark.skipif(
    textual.__version__ != TAKEN_WITH, reason=f"the pictures were taken with textual {TAKEN_WITH}"
)
VAST = (200, 60)
Compare = Callable[..., bool]


def app_on(sample: str, policy: str, theme: str, **given: int) -> Inspector:
    """The application on a sample, named as in the samples' own folder."""
    app = Inspector(Source(sample), Setup(policy, {policy: given}))
    app.theme = theme
    return app


def after(*keys: str) -> Callable[[Pilot[int]], Awaitable[None]]:
    """What to do before the picture: wait until all is counted, and press keys."""

    async def prepare(pilot: Pilot[int]) -> None:
        app = pilot.app
        assert isinstance(app, Inspector)
        run = Run(app, pilot)
        await run.until(lambda: isinstance(app.screen, Workbench))
        await run.loaded()
        for key in keys:
            await run.press(key)
        await run.loaded()

    return prepare


@pytest.mark.parametrize(
    ("sample", "policy", "given", "theme", "size", "keys"),
    [
        ("long_coding_run.json", "head-tail", {}, "textual-dark", WIDE, ("]", "]", "enter", "3")),
        ("long_coding_run.json", "head-tail", {"keep_recent": 40}, "textual-dark", NARROW, ("]", "]", "s")),
        ("screenshots.json", "cascade", {"target_tokens": 6_000}, "textual-light", NARROW, ("w", ">")),
        ("claude_code_compacted.jsonl", "cascade", {"target_tokens": 8_000}, "textual-dark", VAST, ("c", "enter")),
        ("hostile.json", "head-tail", {"old_tool_chars": 100}, "textual-light", WIDE, ("G",)),
        ("interrupted_run.json", "head-tail", {"old_tool_chars": 600}, "textual-dark", WIDE, ("b",)),
    ],
    ids=["wide-diff", "narrow-sent", "narrow-settings-light", "vast-compaction", "hostile-light", "breakdown"],
)  # fmt: skip
def test_the_screen_looks_as_it_did(
    snap_compare: Compare, monkeypatch: pytest.MonkeyPatch, sample: str, policy: str, given: dict[str, int],
    theme: str, size: tuple[int, int], keys: tuple[str, ...],
) -> None:  # fmt: skip
    monkeypatch.chdir(Path(SAMPLES))
    names = {"]": "right_square_bracket", ">": "greater_than_sign"}
    app = app_on(sample, policy, theme, **given)
    assert snap_compare(app, terminal_size=size, run_before=after(*(names.get(key, key) for key in keys)))
