"""The status line: what was just said comes before the setting, which stands in the controls too."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult

from inspector.tui.status import Status
from tests.tui.asking import on_screen

SETTING = "head-tail   old tool chars 2,000 chars"


class Bench(App[None]):
    """The line alone."""

    def compose(self) -> ComposeResult:
        yield Status()


async def line(setting: str, says: str, width: int = 80) -> str:
    """What is drawn."""
    async with Bench().run_test(size=(width, 4)) as pilot:
        status = pilot.app.query_one(Status)
        status.setting, status.says = setting, says
        await pilot.pause()
        return on_screen(pilot.app).split("\n")[0]


async def test_both_are_whole_where_they_fit() -> None:
    drawn = await line(SETTING, "undone: keep recent 12")
    assert drawn.startswith(f" w {SETTING}   ")
    assert drawn.endswith("   undone: keep recent 12 ")


async def test_what_is_said_is_whole_before_the_setting_is() -> None:
    says = "role:tool tool:run_command: 85 messages; esc shows all"
    drawn = await line(SETTING, says)
    assert drawn.endswith(f"{says} ")
    assert drawn.startswith(" w head-tail")
    assert "…" in drawn


@pytest.mark.parametrize("width", [80, 40, 20, 8])
async def test_the_policys_name_is_the_last_to_go(width: int) -> None:
    drawn = await line(SETTING, "a long sentence " * 20, width)
    assert len(drawn) == width
    assert drawn.startswith(" w head-tail"[: width - 2])
