"""What is carried out of the screen, and what asks a person something."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from textual.widgets import Static

from inspector.settings import from_toml
from inspector.tui.controls import Controls
from inspector.tui.dialogs.checkpoint import Answer
from inspector.tui.dialogs.dialog import Complaint
from inspector.tui.dialogs.export import Export
from inspector.tui.dialogs.picker import Picker
from inspector.tui.errands import CLIPBOARD_CHARS, sent_json
from inspector.tui.keys import KEYS
from inspector.tui.workbench import Workbench
from tests.tui.builders import call, result, shown, turns, user
from tests.tui.running import NARROW, SAMPLES, WIDE, Run, running, written

HOSTILE = "a[/] \x1b]52;c;cHduZWQ=\x07 \ud800 é"


async def test_a_message_is_copied_as_recorded_and_as_sent(tmp_path: Path) -> None:
    messages = [user("task"), call("a", x=1), result("a", "long " * 500), user("x" * (CLIPBOARD_CHARS + 1)), *turns(8)]
    path = written(tmp_path / "a.json", messages)
    async with running(path, policy="head-tail", keep_recent=2, old_tool_chars=100) as run:
        await run.press("y")
        assert run.app.clipboard == "task"
        assert run.says == "4 characters sent to the terminal's clipboard"
        await run.press("j", "y")
        assert json.loads(run.app.clipboard) == messages[1]
        await run.press("j", "Y")
        assert run.app.clipboard == run.bench.shown.view.messages[2]["content"]
        assert "compacted old tool result" in run.app.clipboard
        await run.press("y")
        assert run.app.clipboard == "long " * 500
        await run.press("j", "y")
        assert run.says == "100,001 characters are more than terminals take; e writes them to a file"
        assert run.app.clipboard == "long " * 500


async def test_a_message_that_is_not_sent_is_not_copied_as_sent() -> None:
    async with running(SAMPLES / "long_coding_run.json", policy="checkpoint") as run:
        dropped = next(row for row in range(len(run.bench.session)) if run.bench.shown.view.plan.body(row) is None)
        run.ledger.go_to(dropped)
        await run.press("Y")
        assert run.says == "this message is not sent"


async def export(run: Run, choice: int, path: Path | str = "") -> None:
    """Choose one of the offers in the dialog, give it a path, and write it."""
    await run.press("e")
    await run.press(*["down"] * choice, "space" if choice else "tab")
    if choice:
        await run.press("tab")
    if path:
        run.app.focused.value = str(path)  # type: ignore[union-attr]
    await run.press("enter")
    await run.until(lambda: not isinstance(run.app.screen, Export) or run.app.screen.query_one(Complaint).display)


@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_exports_are_whole_and_the_input_is_never_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    monkeypatch.chdir(tmp_path)
    path = written(tmp_path / "a.json", [*turns(12, 3_000), user(HOSTILE)])
    before = path.read_bytes()
    given: dict[str, Any] = {"keep_recent": 3, "old_tool_chars": 700}
    async with running(path, size, policy="head-tail", **given) as run:
        view = run.bench.shown.view.messages
        await export(run, 0)
        assert run.says == "written to a.sent.json"
        assert json.loads(Path("a.sent.json").read_text()) == {"messages": view}
        await export(run, 1)
        picture = Path("a.svg").read_text()
        assert ElementTree.fromstring(picture).tag.endswith("svg")
        assert "a.json" in picture
        assert "\x1b" not in picture
        await export(run, 2)
        preset = from_toml(Path("a.toml").read_text())
        assert preset.policy == "head-tail"
        assert preset.settings | given == preset.settings
        await export(run, 3)
        made: dict[str, Any] = {}
        exec(Path("a.py").read_text(), made)
        assert made["view"].messages == view
        await export(run, 0, path)
        assert str(run.app.screen.query_one(Complaint).content).endswith("a recording is never replaced")
        assert path.read_bytes() == before
        await run.press("escape")
        assert isinstance(run.app.screen, Workbench)
    assert not list(tmp_path.glob(".inspector*"))


async def test_the_settings_are_offered_to_the_product_that_takes_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = written(tmp_path / "a.json", turns(12, 3_000))
    async with running(path, policy="langchain-clear", keep=7) as run:
        await export(run, 4)
        assert run.says == "written to a.langchain.py"
        text = Path("a.langchain.py").read_text()
        assert "ClearToolUsesEdit(" in text
        assert "keep=7," in text
        run.bench.choose_policy("cascade")
        await run.press("e")
        assert "LangChain" not in run.screen
        assert "the settings as Python" in run.screen


async def test_what_a_product_cannot_set_is_said_where_its_file_has_no_comments(tmp_path: Path) -> None:
    async with running(written(tmp_path / "a.json", turns(12, 3_000)), policy="pi-cut") as run:
        await run.press("e")
        assert "context_window:" not in run.screen
        await run.press(*["down"] * 4, "space")
        await run.until(lambda: "context_window:" in run.screen)


def test_a_sent_view_is_written_to_the_letter_whatever_is_in_it() -> None:
    view = shown([user(HOSTILE), *turns(2)]).view
    assert json.loads(sent_json(view)) == {"messages": view.messages}


async def test_a_checkpoint_is_given_changes_the_view_and_is_taken_back(tmp_path: Path) -> None:
    answer = '{"version":1,"currentWork":"the gauge in the harbour"}'
    path = written(tmp_path / "a.json", turns(60))
    async with running(path, policy="checkpoint") as run:
        place = next(at for at, param in enumerate(run.bench.policy.params) if param.kind == "text")
        run.bench.query_one(Controls).selected = place
        await run.pilot.pause()
        assert "draft" in run.setting
        draft = run.bench.shown.view.messages
        await run.press("v")
        await run.until(lambda: run.app.screen.query(Answer))
        await run.type(answer)
        await run.press("f5")
        await run.until(lambda: run.value("checkpoint") == answer)
        assert "the gauge in the harbour" in json.dumps(run.bench.shown.view.messages)
        assert f"{len(answer)} bytes" in run.setting
        await run.press("u")
        assert run.bench.shown.view.messages == draft


@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_dialogs_open_over_the_session_and_esc_leaves_them(size: tuple[int, int]) -> None:
    async with running(SAMPLES / "hostile.json", size) as run:
        for key, words in (("b", "system"), ("question_mark", "Keys"), ("o", "Open a session"), ("f", "Show only")):
            await run.press(key)
            assert words in run.screen
            assert "\x1b" not in run.screen
            await run.press("escape")
            assert isinstance(run.app.screen, Workbench)


async def test_another_file_is_opened_and_search_and_filter_do_not_hide_it(tmp_path: Path) -> None:
    first, second = written(tmp_path / "a.json", turns(20)), written(tmp_path / "b.json", turns(3))
    async with running(first) as run:
        await run.press("f")
        await run.type("role:tool")
        await run.press("enter", "slash")
        await run.type("turn 2")
        await run.press("enter", "G", "enter", "o")
        await run.until(lambda: isinstance(run.app.screen, Picker))
        await run.type(str(second))
        await run.press("enter")
        await run.until(lambda: run.bench.session.name == "b.json" and run.ledger.matches)
        await run.loaded()
        assert run.ledger.rows_shown is None
        assert run.ledger.cursor == 0
        assert set(run.ledger.matches) == {7}
        assert run.reader.row == 0
        assert "8 messages" in run.screen


async def test_help_lists_every_key_of_the_workbench() -> None:
    async with running(SAMPLES / "interrupted_run.json") as run:
        await run.press("question_mark")
        text = str(run.app.screen.query_one("HelpText Static", Static).content)
        for key in KEYS:
            assert key.words in text
