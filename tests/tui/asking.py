"""Opening a dialog over an empty screen, and hearing its answer."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from textual.app import App
from textual.pilot import Pilot
from textual.screen import Screen

SIZES = [(80, 24), (160, 48)]
NOTHING = object()
"""No answer was given yet."""


class Asking(App[None]):
    """An app that opens one dialog and keeps its answer."""

    def __init__(self, dialog: Screen[Any]) -> None:
        super().__init__()
        self.dialog, self.answer = dialog, NOTHING

    def on_mount(self) -> None:
        self.push_screen(self.dialog, self._hear)

    def _hear(self, answer: object) -> None:
        self.answer = answer


@asynccontextmanager
async def asked(dialog: Screen[Any], size: tuple[int, int] = (80, 24)) -> AsyncIterator[tuple[Asking, Pilot[None]]]:
    """The app with its dialog open, and the pilot."""
    app = Asking(dialog)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        yield app, pilot


def on_screen(app: App[None]) -> str:
    """What the terminal would show, without its colours."""
    strips = app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in strip) for strip in strips)


async def until(pilot: Pilot[None], holds: Any) -> None:
    """Wait until something holds; a second at most."""
    for _ in range(100):
        await pilot.pause(0.01)
        if holds():
            return
    raise AssertionError("it did not come to hold")
