"""The workbench as a whole: a recording, opened, read, reloaded, by keys and by the mouse alone."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from textual.geometry import Offset

import inspector
from inspector.message import Session
from inspector.policies import SentView
from inspector.tui.controls import Controls
from inspector.tui.map import Map
from inspector.tui.reader import Tabs
from inspector.tui.search_bar import SearchBar
from inspector.tui.slider import Slider
from inspector.tui.status import Status
from tests.tui.builders import turns
from tests.tui.running import NARROW, SAMPLES, WIDE, Run, running, written

RUN = SAMPLES / "interrupted_run.json"


@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_opening_a_file_shows_header_counts_and_rows(size: tuple[int, int]) -> None:
    view = inspector.compact(inspector.load(RUN), "head-tail")
    async with running(RUN, size) as run:
        screen = run.screen
        for words in ("interrupted_run.json", "openai_chat", f"{len(view.plan.context)} messages", "one shot"):
            assert words in screen
        assert f"{run.bench.shown.original_tokens:,} -> " in screen
        assert run.bench.shown.repairs == 3
        assert "+ 3 repaired" in screen
        assert "exact" in screen
        assert re.search(r"▌ +0 +system", screen)
        assert f"{run.bench.shown.before[0]:,}" in screen
        assert run.app.focused is run.ledger


async def test_esc_closes_one_layer_after_the_other(tmp_path: Path) -> None:
    async with running(written(tmp_path / "a.json", turns(20)), NARROW) as run:
        await run.press("f")
        await run.type("role:tool")
        await run.press("enter", "slash")
        await run.type("turn")
        await run.press("enter")
        await run.until(lambda: "hold" in run.says)
        await run.press("w")
        controls = run.bench.query_one(Controls)
        assert controls.display
        run.ledger.focus()
        await run.press("enter")
        assert run.reader.display
        await run.press("escape")
        assert not run.reader.display
        assert controls.display
        await run.press("escape")
        assert not controls.display
        assert run.app.focused is run.ledger
        assert run.ledger.needle
        await run.press("escape")
        assert not run.ledger.needle
        assert run.ledger.rows_shown is not None
        await run.press("escape")
        assert run.ledger.rows_shown is None
        await run.press("escape")
        assert run.app.is_running


async def test_the_reader_follows_cursor_settings_and_search() -> None:
    async with running(SAMPLES / "long_coding_run.json") as run:
        await run.press("right_square_bracket", "enter", "2")
        row = run.ledger.cursor
        assert run.reader.row == row
        assert "compacted old tool result" in run.screen
        await run.press("right_square_bracket")
        assert run.reader.row == run.ledger.cursor != row
        await run.press("r")
        assert run.reader.view == "raw"
        assert '"role": "tool"' in run.screen
        await run.press("r")
        assert run.reader.view == "original"
        await run.press("slash")
        assert run.bench.query_one(SearchBar).has_class("-open")
        await run.type("strptime")
        await run.press("enter")
        await run.until(lambda: "go through" in run.says)
        assert run.reader.row == run.ledger.cursor
        assert "strptime" in "".join(line for line in run.screen.splitlines()[30:])
        await run.press("escape")
        assert not run.reader.display
        assert run.app.focused is run.ledger


@pytest.mark.parametrize("opening", ["v", "slash"])
async def test_while_something_is_typed_the_footer_names_what_ends_it(opening: str) -> None:
    async with running(SAMPLES / "interrupted_run.json", NARROW) as run:
        await run.press(opening)
        await run.until(lambda: "⏎ done  esc back" in run.screen)
        assert "search" not in run.screen.splitlines()[-1]
        await run.press("escape")
        await run.until(lambda: "/ search" in run.screen)


async def test_reading_again_is_said_and_takes_an_old_complaint_away(tmp_path: Path) -> None:
    path = written(tmp_path / "a.json", turns(3))
    async with running(path) as run:
        path.write_text("5")
        await run.press("R")
        await run.until(lambda: run.says == "it could not be read; what was open stays")
        written(path, turns(4))
        await run.press("R")
        await run.until(lambda: run.says == "read again: 10 messages")


async def test_reading_a_changed_file_again_stays_in_place_and_forgets_nothing(tmp_path: Path) -> None:
    path = written(tmp_path / "a.json", turns(20))
    async with running(path) as run:
        await run.press("f")
        await run.type("role:tool")
        await run.press("enter", "slash")
        await run.type("turn")
        await run.press("enter")
        await run.until(lambda: "hold" in run.says)
        await run.press("plus", "G")
        first, row = run.bench.session, run.ledger.cursor
        written(path, turns(30))
        await run.press("R")
        await run.until(lambda: run.bench.session is not first and run.ledger.matches)
        await run.loaded()
        assert len(run.bench.session) == 62
        assert run.ledger.cursor == row
        assert run.value("keep_recent") == 13
        assert len(run.ledger.rows_shown) == 30
        second = run.bench.session
        written(path, turns(2))
        await run.press("R")
        await run.until(lambda: run.bench.session is not second)
        assert run.ledger.cursor == 5
        third = run.bench.session
        path.write_text("no recording any more")
        await run.press("R")
        await run.until(lambda: run.says == "it could not be read; what was open stays")
        assert "a.json" in run.screen
        assert run.bench.session is third
        assert "turn 1 line 0" in run.screen


async def test_conversations_of_a_file_are_gone_through(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps({"messages": turns(count)}) + "\n" for count in (1, 2, 3)))
    async with running(path) as run:
        sizes = [len(run.bench.session)]
        for key in ("L", "L", "L", "H"):
            before = run.bench.session
            await run.press(key)
            await run.until(lambda before=before: run.bench.session is not before)
            sizes.append(len(run.bench.session))
        assert sizes == [4, 6, 8, 4, 8]
    async with running(RUN) as run:
        await run.press("L")
        assert run.says == "this file holds one conversation"


@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_the_mouse_alone_goes_everywhere(size: tuple[int, int]) -> None:
    async with running(SAMPLES / "long_coding_run.json", size) as run:
        pilot = run.pilot
        await pilot.click(Map, offset=(size[0] - 2, 0))
        assert run.ledger.cursor > 240
        await pilot.click(run.ledger, offset=(10, 1))
        row = run.ledger.cursor
        await pilot.click(run.ledger, offset=(10, 1), times=2)
        await run.pilot.pause()
        assert run.reader.display
        assert run.reader.row == row
        await pilot.click(Tabs, offset=(2 + len("[1 original]  2 sent   "), 0))
        await run.pilot.pause()
        assert run.reader.view == "diff"
        await pilot.click(Tabs, offset=(run.bench.query_one(Tabs).size.width - 3, 0))
        await run.pilot.pause()
        assert not run.reader.display
        if size == NARROW:
            await pilot.click(Status, offset=(4, 0))
            await run.pilot.pause()
        slider = run.bench.query(Slider).first()
        await pilot.click(slider, offset=(slider.size.width - 1, 0))
        await run.pilot.pause()
        assert run.value("keep_recent") == 255
        await pilot.click("Chooser", offset=(run.bench.query_one("Chooser").size.width, 0))
        await run.pilot.pause()
        assert run.bench.policy.name == "cascade"
        await click_footer(run, "help")
        await pilot.click("#commands")
        await run.pilot.pause()
        assert "CommandPalette" in type(run.app.screen).__name__


async def click_footer(run: Run, words: str) -> None:
    """Click on a key of the footer."""
    bottom = run.screen.splitlines()[-1]
    await run.pilot.click(offset=Offset(bottom.index(words), run.app.size.height - 1))
    await run.pilot.pause()


async def test_the_footer_is_whole_at_80_columns_in_every_pane() -> None:
    async with running(RUN, NARROW) as run:
        await run.press("w")
        for pane in (run.ledger, run.bench.query_one(Controls)):
            pane.focus()
            await run.pilot.pause()
            assert run.screen.splitlines()[-1].rstrip().endswith("quit")
        await run.press("escape", "enter")
        assert run.screen.splitlines()[-1].rstrip().endswith("quit")


async def test_no_worker_is_described_by_what_it_works_on(monkeypatch: pytest.MonkeyPatch) -> None:
    described: list[object] = []
    for kind in (Session, SentView):
        monkeypatch.setattr(kind, "__repr__", lambda it: described.append(it) or "it")
    async with running(RUN) as run:
        await run.press("plus", "T")
        await run.loaded()
        await run.press("slash")
        await run.type("photos")
        await run.press("enter")
        await run.until(lambda: "hold" in run.says)
    assert not described
