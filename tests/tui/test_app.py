"""The application: how it starts, what it remembers, and how it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inspector import settings
from inspector.settings import FILE_NAME
from inspector.tui.app import Inspector, _last_setup
from inspector.tui.dialogs.picker import Picker
from inspector.tui.workbench import Workbench
from tests.tui.builders import turns
from tests.tui.running import NARROW, SAMPLES, WIDE, Run, running, written

RUN = SAMPLES / "interrupted_run.json"


async def test_without_a_file_a_sample_is_picked_and_opened() -> None:
    async with running(None, NARROW) as run:
        await run.until(lambda: isinstance(run.app.screen, Picker))
        assert "long_coding_run.json" in run.screen
        await run.type("interrupted")
        await run.press("enter")
        await run.loaded()
        assert "interrupted_run.json" in run.screen
        assert run.app.focused is run.ledger


@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_a_file_that_is_no_recording_is_a_sentence_over_the_picker(tmp_path: Path, size: tuple[int, int]) -> None:
    bad = tmp_path / "a.json"
    bad.write_bytes(b"\x00\xff\x1b]52;c;cHduZWQ=\x07 [/] no recording")
    async with running(bad, size) as run:
        await run.until(lambda: isinstance(run.app.screen, Picker))
        await run.pilot.pause()
        assert "! " in run.screen
        assert "a.json" in run.screen.replace("\n", "")
        assert "\x1b" not in run.screen
        await run.type(str(tmp_path / "missing.json"))
        await run.press("enter")
        assert "is not there" in run.screen
        await run.press("escape")
        assert isinstance(run.app.screen, Workbench)
        assert run.says == "no session is open: o chooses one"
        await run.press("plus", "minus", "n", "y", "R", "e", "f", "b", "colon", "enter", "right_square_bracket", "u")
        assert run.app.is_running


async def test_theme_policy_settings_counter_and_files_are_there_in_the_next_run(tmp_path: Path) -> None:
    path = written(tmp_path / "mine.json", turns(20))
    async with running(path) as run:
        run.app.theme = "textual-light"
        await run.press("plus", "P", "minus", "T")
        encoding, target = run.bench.encoding, run.value("target_tokens")
    async with running(None) as run:
        await run.until(lambda: isinstance(run.app.screen, Picker))
        assert run.app.theme == "textual-light"
        assert "Recent" in run.screen
        await run.type("mine")
        await run.press("enter")
        await run.loaded()
        assert run.bench.policy.name == "cascade"
        assert run.value("target_tokens") == target
        assert run.bench.encoding == encoding is not None
        await run.press("p")
        await run.type("head-tail")
        await run.press("enter")
        assert run.value("keep_recent") == 13
        await run.press("o")
        assert run.screen.count("mine.json") == 2  # the header's, and one of the picker's


@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_a_damaged_memory_is_a_sentence_and_nothing_is_lost_but_the_memory(
    config: Path, size: tuple[int, int]
) -> None:
    config.mkdir()
    (config / FILE_NAME).write_text("{no json")
    async with running(RUN, size) as run:
        await run.until(lambda: "damaged" in run.screen)
        (said,) = run.app._notifications
        assert said.message.endswith("are damaged; the defaults are used")
        assert run.value("keep_recent") == 12


@pytest.mark.parametrize(
    "remembered",
    [
        {"policy": "gone", "theme": "gone", "counter": "gone"},
        {"policy": "cascade", "settings": {"cascade": {"target_tokens": -5, "gone": 1}, "gone": {"x": 1}}},
    ],
)
async def test_what_another_version_remembered_does_no_harm(config: Path, remembered: dict[str, object]) -> None:
    config.mkdir()
    (config / FILE_NAME).write_text(json.dumps(remembered))
    async with running(RUN) as run:
        assert run.bench.shown is not None
        assert run.bench.setup == _last_setup(settings.load()[0])
        assert run.bench.policy.name == ("cascade" if remembered["policy"] == "cascade" else "head-tail")


async def test_every_theme_and_no_colour_draw_the_same_text(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = set()
    async with running(RUN) as run:
        await run.press("right_square_bracket", "enter", "3")
        for theme in ("textual-dark", "textual-light", "ansi-dark", "ansi-light", "nord"):
            if theme in run.app.available_themes:
                run.app.theme = theme
                await run.pilot.pause()
                drawn.add(run.screen)
    monkeypatch.setenv("NO_COLOR", "1")
    async with running(RUN) as run:
        assert run.app.no_color
        await run.press("right_square_bracket", "enter", "3")
        drawn.add(run.screen)
    assert len(drawn) == 1


async def test_the_palette_does_what_the_keys_do() -> None:
    async with running(RUN) as run:
        await run.press("ctrl+p")
        await run.type("step the selected setting up")
        await run.until(lambda: "key +/-" in run.screen)
        await run.press("enter")
        await run.until(lambda: run.value("keep_recent") == 13)
        await run.press("ctrl+p")
        await run.type("screenshot")
        await run.pilot.pause(0.3)
        assert "Screenshot" not in run.screen
        await run.press("escape", "q")
    assert run.app.return_code == 0


async def test_a_fault_of_ours_leaves_with_one_sentence_and_without_the_recording(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(bench: Workbench, *_: object) -> None:
        secret = bench.session.messages[1]["content"]  # a local variable, as a traceback would print it
        raise KeyError("what\x1b]52;c;x" if secret else "")

    async def broken() -> None:
        async with running(RUN) as run:
            monkeypatch.setattr(Workbench, "recompute", fail)
            ended.append(run)
            await run.press("plus")

    ended: list[Run] = []
    with pytest.raises(KeyError):
        await broken()
    assert ended[0].app.return_code == 2
    said = capsys.readouterr().err
    assert said.startswith("inspector: a fault of inspector's own (KeyError: ")
    assert len(said.splitlines()) == 1
    assert "\x1b" not in said


async def test_keys_pressed_before_the_file_is_there_do_no_harm(tmp_path: Path) -> None:
    app = Inspector()
    async with app.run_test(size=NARROW) as pilot:
        await pilot.press("escape", *"gGjkrsbyYeEfnNcCuw+-<>0vTHLR[]}{")
        await pilot.pause()
        assert app.is_running
