"""The whole application on a recording, driven by its keys and the mouse."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from textual import events
from textual.pilot import Pilot

from inspector import settings
from inspector.policies import Mode
from inspector.tui.app import Inspector
from inspector.tui.background import Source
from inspector.tui.history import Setup
from inspector.tui.ledger import Ledger
from inspector.tui.reader import Reader
from inspector.tui.status import Status
from inspector.tui.workbench import Workbench
from tests.tui.asking import on_screen

SAMPLES = Path(__file__).resolve().parents[2] / "sample_sessions"
NARROW, WIDE = (80, 24), (160, 48)
LONGEST = 2_000
"""Hundredths of a second to wait for anything: machines are shared."""


class Run:
    """A running application, and what its tests ask about."""

    def __init__(self, app: Inspector, pilot: Pilot[int]) -> None:
        self.app, self.pilot = app, pilot

    @property
    def bench(self) -> Workbench:
        return next(screen for screen in self.app.screen_stack if isinstance(screen, Workbench))

    @property
    def ledger(self) -> Ledger:
        return self.bench.query_one(Ledger)

    @property
    def reader(self) -> Reader:
        return self.bench.query_one(Reader)

    @property
    def says(self) -> str:
        return self.bench.query_one(Status).says

    @property
    def setting(self) -> str:
        return self.bench.query_one(Status).setting

    @property
    def screen(self) -> str:
        return on_screen(self.app)

    def value(self, name: str) -> Any:
        return self.bench.given(name)

    async def press(self, *keys: str) -> None:
        """Press keys, and wait until nothing is left to do at once."""
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def until(self, holds: Callable[[], Any]) -> None:
        """Wait until something holds."""
        for _ in range(LONGEST):
            if holds():
                return
            await self.pilot.pause(0.01)
        raise AssertionError(f"it did not come to hold; the screen shows\n{self.screen}")

    async def loaded(self) -> None:
        """Wait until a session is there, counted and examined, its sent view too."""
        await self.until(lambda: self.bench.shown is not None and self.bench.shown.sent_is_exact)
        await self.until(lambda: self.bench.shown is not None and self.bench.shown.verdict.compared is not None)
        await self.pilot.pause()

    async def type(self, text: str) -> None:
        """Paste a text into what has the focus: a key at a time takes a twentieth of a second."""
        assert self.app.focused is not None
        self.app.focused.post_message(events.Paste(text))
        await self.pilot.pause()


@asynccontextmanager
async def running(
    path: Path | str | None, size: tuple[int, int] = WIDE, *, policy: str | None = None, at: int | None = None,
    mode: Mode | None = None, **given: Any,
) -> AsyncIterator[Run]:  # fmt: skip
    """The application on a file, as `inspector FILE` opens it; what is remembered is read, and kept at the end."""
    remembered, complaint = settings.load()
    setup = Setup(policy, {policy: given}) if policy else None
    source = None if path is None else Source(str(path), at=at, mode=mode)
    app = Inspector(source, setup, remembered=remembered, complaint=complaint)
    async with app.run_test(size=size, notifications=True) as pilot:
        run = Run(app, pilot)
        await pilot.pause()
        if path is not None and Path(path).is_file():
            await run.until(lambda: run.bench.session is not None or len(app.screen_stack) > 2)
            if run.bench.session is not None:
                await run.loaded()
        yield run
    app.save()


def written(path: Path, messages: list[dict[str, Any]]) -> Path:
    """A recording of messages."""
    path.write_text(json.dumps(messages))
    return path
