"""The workbench as a whole: a recording, opened, gone through, tuned and read."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from textual.geometry import Offset

import inspector
from inspector.tui.controls import Controls
from inspector.tui.map import Map
from inspector.tui.reader import Page, Tabs
from inspector.tui.search_bar import SearchBar
from inspector.tui.setting import Entry
from inspector.tui.slider import Slider
from inspector.tui.status import Status
from tests.tui.builders import turns
from tests.tui.running import NARROW, SAMPLES, WIDE, Run, running, written

RUN = SAMPLES / "interrupted_run.json"


async def drag(run: Run, slider: Slider, *cells: int) -> None:
    """Take a slider's knob to the cells one after the other, and let go."""
    await run.pilot.mouse_down(slider, offset=(cells[0], 0))
    for cell in cells[1:]:
        await run.pilot.hover(slider, offset=(cell, 0))
    await run.pilot.mouse_up(slider, offset=(cells[-1], 0))
    await run.pilot.pause()


@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_opening_a_file_shows_header_counts_and_rows(size: tuple[int, int]) -> None:
    view = inspector.compact(inspector.load(RUN), "head-tail")
    async with running(RUN, size) as run:
        screen = run.screen
        for words in ("interrupted_run.json", "openai_chat", f"{len(view.plan.context)} messages", "one shot"):
            assert words in screen
        assert f"{run.bench.shown.original_tokens:,} -> " in screen
        assert f"+ {run.bench.shown.repairs} " in screen and run.bench.shown.repairs == 3
        assert "exact" in screen
        assert re.search(r"▌ +0 +system", screen)
        assert f"{run.bench.shown.before[0]:,}" in screen
        assert run.app.focused is run.ledger


async def test_keys_of_the_settings_work_from_every_pane() -> None:
    async with running(RUN) as run:
        await run.press("enter")
        for pane in (run.ledger, run.bench.query_one(Controls), run.bench.query_one(Page)):
            pane.focus()
            before = run.value("keep_recent")
            await run.press("plus", "plus", "minus")
            assert run.value("keep_recent") == before + 1
            await run.press("greater_than_sign")
            assert "old tool chars" in run.setting
            await run.press("less_than_sign")
            assert "keep recent" in run.setting
            await run.press("0")
            assert run.value("keep_recent") == 12
            assert run.app.focused is pane


async def test_undo_takes_back_a_whole_drag_and_redo_makes_it_again() -> None:
    async with running(RUN) as run:
        slider = run.bench.query(Slider).first()
        await drag(run, slider, 4, 8, 14, 18)
        dragged = run.value("keep_recent")
        assert dragged != 12
        await run.press("p")
        await run.press("u")
        assert run.bench.policy.name == "head-tail"
        assert run.says == "undone: policy head-tail"
        await run.press("u")
        assert run.value("keep_recent") == 12
        await run.press("u")
        assert run.says == "nothing to undo"
        await run.press("ctrl+r")
        assert run.value("keep_recent") == dragged
        assert run.says == f"redone: keep recent {dragged}"
        assert slider.value == dragged


async def test_changes_apart_in_time_are_undone_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inspector.tui.workbench.PAUSE", 0.02)
    async with running(RUN) as run:
        await run.press("plus")
        await run.pilot.pause(0.2)
        await run.press("plus", "u")
        assert run.value("keep_recent") == 13


async def test_a_held_slider_makes_one_run_however_long_it_rests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inspector.tui.workbench.PAUSE", 0.02)
    async with running(RUN) as run:
        slider = run.bench.query(Slider).first()
        await run.pilot.mouse_down(slider, offset=(4, 0))
        await run.pilot.pause(0.2)
        await run.pilot.hover(slider, offset=(8, 0))
        await run.pilot.mouse_up(slider, offset=(8, 0))
        await run.press("u")
        assert run.value("keep_recent") == 12


@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_a_typed_value_is_taken_a_wrong_one_refused_and_a_clamp_said(size: tuple[int, int]) -> None:
    async with running(RUN, size) as run:
        await run.press("v")
        await run.until(lambda: isinstance(run.app.focused, Entry))
        await run.type("7")
        await run.press("enter")
        assert run.value("keep_recent") == 7
        await run.press("v")
        await run.until(lambda: isinstance(run.app.focused, Entry))
        await run.type("many")
        await run.press("enter")
        assert "wants a whole" in run.screen
        assert run.value("keep_recent") == 7
        await run.press("escape", "0")
        top = run.bench.session and len(run.bench.session)
        await run.press("v")
        await run.until(lambda: isinstance(run.app.focused, Entry))
        await run.type(str(top))
        await run.press("enter", "plus", "plus")
        assert run.value("keep_recent") == top
        assert "at its end" in run.says
        assert "at its end" in run.screen


async def test_each_policy_keeps_its_settings() -> None:
    async with running(RUN) as run:
        await run.press("plus", "p", "minus")
        assert run.bench.policy.name == "cascade"
        changed = run.value("target_tokens")
        assert changed != 24_000
        await run.press("p", "p")
        assert run.bench.policy.name == "head-tail"
        assert run.value("keep_recent") == 13
        assert run.setting.startswith("head-tail   keep recent 13")
        await run.press("p")
        assert run.value("target_tokens") == changed


async def test_the_status_names_the_policy_at_work_while_its_own_line_is_selected() -> None:
    async with running(RUN) as run:
        controls = run.bench.query_one(Controls)
        controls.focus()
        await run.press("up", "right")
        assert run.bench.policy.name == "cascade"
        assert run.setting == "cascade"


async def test_keys_go_to_edited_messages_breakages_and_compactions_round_the_end() -> None:
    async with running(SAMPLES / "claude_code_compacted.jsonl", policy="cascade", target_tokens=8_000) as run:
        shown = run.bench.shown
        edited = list(shown.edited_rows)
        await run.press("g", "right_square_bracket")
        assert run.ledger.cursor == next(row for row in edited if row > 0)
        await run.press("G", "right_square_bracket")
        assert run.ledger.cursor == edited[0]
        assert run.says == f"1 of {len(edited)} edited messages"
        await run.press("left_square_bracket")
        assert run.ledger.cursor == edited[-1]
        compaction = run.bench.session.compactions[0].row
        await run.press("c")
        assert run.ledger.cursor == compaction
        await run.press("g", "C")
        assert run.ledger.cursor == run.bench.session.compactions[-1].row
        broken = sorted(shown.breakages.rows)
        await run.press("g", "right_curly_bracket")
        if broken:
            assert run.ledger.cursor == next((row for row in broken if row > 0), broken[0])
        else:
            assert run.says == "the policy breaks nothing"


async def test_a_number_goes_to_a_message_and_one_that_is_none_is_said(tmp_path: Path) -> None:
    async with running(RUN, NARROW) as run:
        await run.press("colon")
        await run.type("1000")
        assert "there is no message 1,000" in run.screen
        await run.press("backspace", "backspace", "enter")
        assert run.ledger.cursor == 10
        await run.press("right_curly_bracket")
        assert run.says == "the policy breaks nothing"
        await run.press("c")
        assert run.says == "no compaction was recorded in this session"
        await run.press("n")
        assert run.says == "nothing is searched for: / starts a search"


async def test_a_search_counts_marks_and_goes_round(tmp_path: Path) -> None:
    messages = turns(20)
    messages[5]["content"] = "the needle, once"
    messages[9]["content"] = "NEEDLE twice: needle"
    async with running(written(tmp_path / "a.json", messages)) as run:
        await run.press("slash")
        await run.type("needle")
        await run.press("enter")
        await run.until(lambda: "hold" in run.says)
        assert run.says == '2 messages hold "needle"; n and N go through them'
        assert run.ledger.cursor == 5
        assert run.app.focused is run.ledger
        await run.press("n")
        assert run.ledger.cursor == 9
        assert run.says == '2 of 2 messages that hold "needle"'
        await run.press("n")
        assert run.ledger.cursor == 5
        await run.press("N")
        assert run.ledger.cursor == 9
        await run.press("slash")
        await run.type("Needle")
        await run.press("enter")
        await run.until(lambda: "no message" in run.says)
        assert run.says == 'no message holds "Needle"'
        await run.press("slash", "delete", "enter")
        assert not run.ledger.needle
        assert not run.ledger.matches


async def test_what_a_filter_hides_is_passed_and_said(tmp_path: Path) -> None:
    messages = turns(20)
    messages[5]["content"] = messages[3]["content"] = "needle " * 400
    messages[6]["content"] = "a needle in an answer"
    async with running(written(tmp_path / "a.json", messages), policy="head-tail", old_tool_chars=100) as run:
        await run.press("f")
        await run.type("role:tool")
        await run.press("enter")
        tools = [row for row, body in enumerate(messages) if body["role"] == "tool"]
        assert list(run.ledger.rows_shown) == tools
        assert run.says == f"role:tool: {len(tools)} messages; esc shows all"
        await run.press("slash")
        await run.type("needle")
        await run.press("enter")
        await run.until(lambda: "hold" in run.says)
        assert run.says == '3 messages hold "needle"; 1 of them hidden by the filter'
        assert run.ledger.cursor in (3, 5)
        await run.press("n", "n", "n")
        assert run.ledger.cursor in (3, 5)
        await run.press("escape", "f")
        await run.type("role:user")
        await run.press("enter")
        await run.press("right_square_bracket")
        assert run.says == "the filter hides all edited messages"
        await run.press("escape")
        assert run.ledger.rows_shown is None


async def test_a_filter_by_action_follows_the_settings(tmp_path: Path) -> None:
    async with running(written(tmp_path / "a.json", turns(20, 3_000)), policy="head-tail", old_tool_chars=500) as run:
        await run.press("f")
        await run.type("action:edited")
        await run.press("enter")
        few = len(run.ledger.rows_shown)
        await run.press("minus", "minus", "minus", "minus")
        assert len(run.ledger.rows_shown) == few + 2


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
        await run.until(lambda: "a.json" in run.says)
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


async def test_another_tokenizer_counts_anew_and_says_so() -> None:
    async with running(RUN) as run:
        exact, label = run.bench.shown.original_tokens, run.bench.counter.label
        seen = {label}
        for _ in range(10):
            await run.press("T")
            await run.loaded()
            assert run.bench.counter.label in run.says
            assert run.bench.counter.label.split()[0] in run.screen
            seen.add(run.bench.counter.label)
            if run.bench.encoding is None:
                break
        assert len(seen) > 2
        assert run.bench.shown.original_tokens == exact


async def test_a_larger_view_is_a_loss_in_words(tmp_path: Path) -> None:
    messages = turns(20, 40)
    async with running(written(tmp_path / "a.json", messages), policy="head-tail", old_tool_chars=10) as run:
        assert run.bench.shown.saved_tokens < 0
        assert "larger by" in run.screen
        assert "-" in run.screen[run.screen.index("larger by") :][:40]


@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_a_drag_lays_out_nothing(size: tuple[int, int]) -> None:
    async with running(SAMPLES / "long_coding_run.json", size) as run:
        if size == NARROW:
            await run.press("w")
        run.bench.query_one(Controls).focus()
        await run.press("plus", "minus")
        places = {widget: widget.region for widget in run.bench.query("*")}
        virtual = run.ledger.virtual_size
        slider = run.bench.query(Slider).first()
        width = slider.size.width
        before = run.bench.shown
        await drag(run, slider, width // 2, 2, 0, width - 1, width // 2)
        await run.loaded()
        assert run.bench.shown is not before
        assert {widget: widget.region for widget in run.bench.query("*")} == places
        assert run.ledger.virtual_size == virtual


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
