"""The doctor in the application: what is wrong on the rows, in the map, in the header; its list, targets and repair."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.tui import diagnosis
from inspector.tui.dialogs.dialog import Field
from inspector.tui.dialogs.export import Export
from inspector.tui.dialogs.findings import Findings
from inspector.tui.dialogs.provider_error import ProviderError
from inspector.tui.dialogs.targets import Targets
from inspector.tui.map import Map
from tests.tui.builders import call, paired_turns, result, user
from tests.tui.running import NARROW, WIDE, Run, running, written

SIZES = [NARROW, WIDE]
ERROR = (
    "Error code: 400 - {'error': {'message': \"An assistant message with 'tool_calls' must be followed by tool "
    "messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: call_9\"}}"
)
TWO = [user("go"), call("call_8", name="look"), user("on"), call("call_9", name="look"), user("well?")]


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """Two calls without a result, at rows 1 and 3."""
    return written(tmp_path / "broken.json", TWO)


@pytest.fixture
def parted(tmp_path: Path) -> Path:
    return written(tmp_path / "parted.json", paired_turns(30))


@pytest.mark.parametrize("size", SIZES)
async def test_a_fault_of_the_recording_is_on_its_row_in_the_map_and_in_the_header(
    broken: Path, size: tuple[int, int]
) -> None:
    async with running(broken, size) as run:
        assert "2 errors" in run.screen or "!2" in run.screen
        assert run.screen.count("! a call has no result") == 2
        upper = run.bench.query_one(Map).render_line(0).text
        assert "!" in upper
        assert run.bench.query_one("Banner").shown.broken == 0  # type: ignore[attr-defined]


@pytest.mark.parametrize("size", SIZES)
async def test_an_orphan_that_a_cascade_makes_is_introduced_and_gone_to(parted: Path, size: tuple[int, int]) -> None:
    async with running(parted, size, policy="cascade", target_tokens=4_000, ceiling_tokens=4_000) as run:
        shown = run.bench.shown
        assert shown is not None
        assert [fault.key for fault in shown.verdict.introduced.told] == [("orphan-tool-result", 76)]
        assert shown.recorded.serious == 0
        assert "! 1 broken" in run.screen or "! 1" in run.screen
        assert "!" in run.bench.query_one(Map).render_line(1).text
        await run.press("right_curly_bracket")
        assert run.ledger.cursor == 76
        assert "this result is sent without its call" in run.screen
        await run.press("d")
        assert isinstance(run.app.screen, Findings)
        assert "introduced by the policy" in run.screen


async def test_while_a_setting_moves_the_plan_alone_says_what_it_breaks(parted: Path) -> None:
    async with running(parted, policy="cascade", target_tokens=4_000, ceiling_tokens=4_000) as run:
        before = run.bench.shown
        assert before is not None
        run.bench.set_value("target_tokens", 3_900)
        now = run.bench.shown
        assert now is not None
        assert now.verdict.compared is None
        assert now.broken == now.breakages.total == before.broken == 1
        assert now.harm(76) == before.harm(76)
        await run.loaded()
        assert run.bench.shown.verdict.compared is not None  # type: ignore[union-attr]


async def test_findings_and_breakages_are_gone_through_alike(broken: Path) -> None:
    async with running(broken) as run:
        for row in (1, 3, 1):
            await run.press("right_curly_bracket")
            assert run.ledger.cursor == row
        await run.press("left_curly_bracket")
        assert run.ledger.cursor == 3


@pytest.mark.parametrize("size", SIZES)
async def test_d_lists_explains_filters_and_goes_there(broken: Path, size: tuple[int, int]) -> None:
    async with running(broken, size) as run:
        await run.press("d")
        assert "2 of 2 findings" in run.screen
        for words in ("An assistant message with 'tool_calls'", "call_8", "Put in a result that says that none"):
            assert words in run.screen
        await run.type("error calls call_9")
        assert "1 of 2 findings" in run.screen
        await run.press("enter")
        await run.until(lambda: run.ledger.cursor == 3)
        await run.press("d")
        await run.type("reasoning")
        assert "0 of 2 findings" in run.screen
        await run.press("enter")
        assert isinstance(run.app.screen, Findings)
        await run.press("escape")


async def test_the_reader_explains_what_is_wrong_with_its_message(broken: Path) -> None:
    async with running(broken) as run:
        await run.press("j", "enter", "5")
        assert "openai says: An assistant message with 'tool_calls' must be followed by tool messages" in run.screen
        assert "repair: Put in a result" in run.screen
        await run.press("escape", "k", "enter")
        assert "nothing is wrong with this message" in run.screen


async def test_a_sound_session_is_said_to_be_sound(tmp_path: Path) -> None:
    async with running(written(tmp_path / "a.json", [user("go"), {"role": "assistant", "content": "yes"}])) as run:
        await run.press("d")
        assert run.says.startswith("nothing is wrong: 2 messages, file and sent view examined")
        await run.press("X")
        await run.until(lambda: "nothing to repair" in run.says)
        assert "one shot" in run.screen


async def test_damage_of_the_file_is_listed_with_the_rest(tmp_path: Path) -> None:
    path = tmp_path / "cut.jsonl"
    path.write_text('{"role": "user", "content": "hi"}\n{"role": "assistant", "content": "yes"}\n{"role": "us')
    async with running(path) as run:
        await run.press("d")
        assert "truncated-record" in run.screen
        await run.press("enter")
        await run.until(lambda: run.says == "this finding is about the file as a whole")


@pytest.mark.parametrize("size", SIZES)
async def test_another_target_has_other_findings_and_is_remembered(tmp_path: Path, size: tuple[int, int]) -> None:
    path = written(tmp_path / "a.json", [user("go"), call("call_long_id"), result("call_long_id", "x"), user("on")])
    async with running(path, size) as run:
        assert run.bench.shown.recorded.serious == 0  # type: ignore[union-attr]
        await run.press("x")
        assert isinstance(run.app.screen, Targets)
        for _ in range(6):
            await run.press("down")
        await run.press("enter")
        await run.loaded()
        assert run.bench.doctor.target == "mistral"
        codes = {fault.finding.code for fault in run.bench.shown.recorded.told}  # type: ignore[union-attr]
        assert {"tool-call-id-format", "user-after-tool"} <= codes
        assert "for mistral" in run.screen
    async with running(path, size) as run:
        assert run.bench.doctor.target == "mistral"
        await run.press("x", "home", "enter")
        await run.loaded()
        assert run.bench.shown.recorded.serious == 0  # type: ignore[union-attr]
    async with running(path, size) as run:
        assert run.bench.doctor.target == "native"


@pytest.mark.parametrize("size", SIZES)
async def test_the_repaired_session_is_shown_compared_and_written(
    broken: Path, tmp_path: Path, size: tuple[int, int]
) -> None:
    async with running(broken, size) as run:
        before = run.bench.shown
        await run.press("X")
        await run.until(lambda: run.bench.repaired is not None)
        await run.loaded()
        assert run.says.startswith("2 faults repaired")
        assert "repaired" in run.screen.splitlines()[0]
        shown = run.bench.shown
        assert shown is not None
        assert shown.repairs == 2
        assert shown.verdict.introduced.serious == 0  # type: ignore[union-attr]
        assert shown.verdict.compared.gone == {("dangling-tool-call", 1), ("dangling-tool-call", 3)}  # type: ignore[union-attr]
        await run.press("right_square_bracket")
        assert run.ledger.cursor == 1
        await run.press("e")
        assert isinstance(run.app.screen, Export)
        assert "the repaired file, in its own format" in run.screen
        out = tmp_path / "out.json"
        field = run.app.screen.query_one(Field)
        field.value = str(out)
        field.focus()
        await run.press("enter")
        await run.until(lambda: out.exists())
        mended = json.loads(out.read_text())
        assert [body["role"] for body in mended] == ["user", "assistant", "tool", "user", "assistant", "tool", "user"]
        assert [body for body in mended if body["role"] != "tool"] == TWO
        await run.until(lambda: run.says.startswith("written to"))
        await run.press("X")
        assert run.bench.shown.view.policy == before.view.policy  # type: ignore[union-attr]
    assert json.loads(broken.read_text()) == TWO


async def test_a_setting_that_is_moved_leaves_the_repaired_session(broken: Path) -> None:
    async with running(broken) as run:
        await run.press("X")
        await run.until(lambda: run.bench.repaired is not None)
        await run.press("minus")
        assert run.bench.repaired is None
        assert "one shot" in run.screen


async def test_a_folder_is_not_repaired_and_that_is_said() -> None:
    from inspector.tui.background import Source
    from inspector.tui.repairing import repaired_view
    from tests.tui.builders import session

    with pytest.raises(ValueError, match="one file"):
        repaired_view(session([user("go")]), Source("/"), "native", ())


@pytest.mark.parametrize("size", SIZES)
async def test_a_pasted_error_names_its_rule_and_goes_to_the_message(broken: Path, size: tuple[int, int]) -> None:
    async with running(broken, size) as run:
        await run.press("E")
        assert isinstance(run.app.screen, ProviderError)
        await run.type(ERROR)
        await run.until(lambda: "dangling-tool-call: a call has no result" in run.screen)
        await run.press("ctrl+s")
        await run.until(lambda: run.ledger.cursor == 3)
        await run.until(lambda: run.says.startswith("dangling-tool-call at message 3; 1 more of the kind"))
        assert run.reader.display
        assert run.reader.view == "findings"


async def test_an_error_of_another_target_has_its_target_chosen(tmp_path: Path) -> None:
    path = written(tmp_path / "a.json", [user("go"), call("call_long_id"), result("call_long_id", "x"), user("on")])
    async with running(path) as run:
        await ask(run, "Tool call id was call_long_id but must be a-z, A-Z, 0-9, with a length of 9.")
        await run.until(lambda: run.says.startswith("tool-call-id-format"))
        assert run.bench.doctor.target == "mistral"
        assert run.ledger.cursor == 1


async def test_an_error_that_the_policy_would_cause_goes_to_what_it_parted(parted: Path) -> None:
    async with running(parted, policy="cascade", target_tokens=4_000, ceiling_tokens=4_000) as run:
        await ask(run, "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.")
        await run.until(lambda: run.says.startswith("orphan-tool-result at message 76"))


async def test_an_error_that_the_session_does_not_have_and_one_that_nobody_knows_are_said(broken: Path) -> None:
    async with running(broken) as run:
        await ask(run, "messages: text content blocks must be non-empty")
        await run.until(lambda: "this session has no such fault" in run.says)
        assert "empty-text-block" in run.says
        await ask(run, "the moon is made of cheese")
        assert run.says == "this is no error message that the doctor knows; d lists what is wrong"


async def ask(run: Run, text: str) -> None:
    await run.press("E")
    await run.type(text)
    await run.press("ctrl+s")


async def test_hostile_text_in_findings_is_drawn_and_not_obeyed(tmp_path: Path) -> None:
    hostile = "[/]\x1b[31m[bold]x"
    path = written(tmp_path / "a.json", [user("go"), call(hostile, name=hostile), user("on")])
    async with running(path) as run:
        await run.press("d")
        assert isinstance(run.app.screen, Findings)
        assert "\x1b" not in run.screen
        assert "[/]" in run.screen
        await run.press("enter", "enter", "5")
        assert "\x1b" not in run.screen


async def test_a_fault_of_a_rule_costs_the_findings_and_not_the_screen(
    broken: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: Any) -> Any:
        raise IndexError("a rule fell over")

    monkeypatch.setattr(diagnosis, "examination", fails)
    async with running(None) as run:
        await run.press("escape")
        run.bench.load(diagnosis_source(broken))
        await run.until(lambda: run.bench.doctor.trouble)
        await run.press("d")
        assert run.says.startswith("the session could not be examined")


def diagnosis_source(path: Path) -> Any:
    from inspector.tui.background import Source

    return Source(str(path))


async def test_what_was_found_of_one_session_is_not_shown_on_the_next(broken: Path, tmp_path: Path) -> None:
    other = written(tmp_path / "other.json", [user("go"), {"role": "assistant", "content": "yes"}])
    async with running(broken) as run:
        run.bench.load(diagnosis_source(other))
        await run.until(lambda: run.bench.session is not None and run.bench.session.name == "other.json")
        assert run.bench.shown.recorded.serious == 0  # type: ignore[union-attr]
        await run.loaded()
        assert run.bench.shown.recorded.serious == 0  # type: ignore[union-attr]
