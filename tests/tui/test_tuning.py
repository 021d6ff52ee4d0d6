"""Settings from whichever pane: steps, drags, typed values, undo, policies, tokenizers."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.tui.controls import Controls
from inspector.tui.history import Setup
from inspector.tui.reader import Page
from inspector.tui.setting import Entry
from inspector.tui.slider import Slider
from inspector.tui.tuning import difference
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
        await run.press("P")
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
        assert "not 'many'" in run.screen
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
        await run.press("plus", "P", "minus")
        assert run.bench.policy.name == "cascade"
        changed = run.value("target_tokens")
        assert changed != 24_000
        run.bench.choose_policy("head-tail")
        await run.pilot.pause()
        assert run.bench.policy.name == "head-tail"
        assert run.value("keep_recent") == 13
        assert run.setting.startswith("head-tail   keep recent 13")
        await run.press("P")
        assert run.value("target_tokens") == changed


async def test_the_status_names_the_policy_at_work_while_its_own_line_is_selected() -> None:
    async with running(RUN) as run:
        controls = run.bench.query_one(Controls)
        controls.focus()
        await run.press("up", "right")
        assert run.bench.policy.name == "cascade"
        assert run.setting == "cascade"


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


def test_a_difference_of_setups_is_told_in_the_words_of_the_parameters() -> None:
    was = Setup("head-tail")
    assert difference(was, was.with_value("keep_recent", 3)) == "keep recent 3"
    assert difference(was.with_value("old_tool_chars", 9_000), was) == "old tool chars 2,000"
    assert difference(was, Setup("cascade")) == "policy cascade"
    assert difference(was, was.with_value("keep_recent", 12)) == "no difference"
