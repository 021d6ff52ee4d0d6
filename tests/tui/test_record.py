"""What a recording has beside one conversation under a policy: its own compactions, other conversations, branches."""

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.message import Branch, Outline
from inspector.tui.dialogs.conversations import Chosen, Conversations, choices, matching
from inspector.tui.dialogs.export import Export
from tests.formats.test_branches import CLAUDE, claude
from tests.tui.asking import SIZES, asked, on_screen, until
from tests.tui.running import NARROW, WIDE, running


def boundary(uuid: str, after: str, **known: Any) -> dict[str, Any]:
    return {"type": "system", "subtype": "compact_boundary", "uuid": uuid, "parentUuid": None, "sessionId": "s",
            "logicalParentUuid": after, "compactMetadata": {"trigger": "auto", **known}}  # fmt: skip


@pytest.fixture
def compacted(tmp_path: Path) -> Path:
    """Two compactions, before rows 2 and 4."""
    lines = [
        claude("user", "u1", None, "Name the boat. " * 200),
        claude("assistant", "a1", "u1", "Heron?", id="m1"),
        boundary("b1", "a1", preTokens=900, postTokens=90),
        {**claude("user", "u2", "b1", "Summary: a boat."), "isCompactSummary": True},
        claude("assistant", "a2", "u2", "On. " * 200, id="m2"),
        boundary("b2", "a2"),
        {**claude("user", "u3", "b2", "Summary: the second."), "isCompactSummary": True},
        claude("assistant", "a3", "u3", "Done.", id="m3"),
    ]
    path = tmp_path / "compacted.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


@pytest.fixture
def branched(tmp_path: Path) -> Path:
    path = tmp_path / "branched.jsonl"
    path.write_bytes(CLAUDE)
    return path


@pytest.fixture
def several(tmp_path: Path) -> Path:
    path = tmp_path / "several.jsonl"
    bodies = [[{"role": "user", "content": f"question {number}"}] for number in range(3)]
    path.write_text("".join(json.dumps({"messages": body}) + "\n" for body in bodies))
    return path


@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_a_shows_what_the_tool_sent_and_a_again_the_policy(compacted: Path, size: tuple[int, int]) -> None:
    async with running(compacted, size) as run:
        assert "one shot" in run.screen
        before = run.bench.shown
        await run.press("a")
        await run.loaded()
        assert "as recorded by Claude Code" in run.screen
        assert run.says == "compaction 2 of 2 (auto) before row 4"
        shown = run.bench.shown
        assert shown is not None
        assert before is not None
        assert [body["content"] for body in shown.view.messages] == ["Summary: the second.", "Done."]
        assert shown.sent_tokens < before.sent_tokens
        await run.press("a")
        assert "one shot" in run.screen
        assert run.bench.shown is not None
        assert run.bench.shown.view.policy == before.view.policy


async def test_the_compaction_shown_is_the_one_before_the_cursor_and_c_goes_on(compacted: Path) -> None:
    async with running(compacted) as run:
        await run.press("j", "j", "a")
        assert run.says == "compaction 1 of 2 (auto) before row 2: recorded as 900 tokens to 90"
        await run.press("c")
        assert run.ledger.cursor == 4
        assert run.bench.recorded == 1


async def test_a_setting_goes_back_to_the_policy(compacted: Path) -> None:
    async with running(compacted) as run:
        await run.press("a", "-")
        assert run.bench.recorded is None
        assert "one shot" in run.screen


async def test_the_recorded_view_is_exported_without_settings(compacted: Path) -> None:
    async with running(compacted) as run:
        await run.press("a", "e")
        assert isinstance(run.app.screen, Export)
        assert "sent view as JSON" in run.screen
        assert "TOML" not in run.screen


async def test_without_a_recorded_compaction_a_says_so(several: Path) -> None:
    async with running(several) as run:
        await run.press("a")
        assert run.says == "no compaction was recorded in this session"
        assert run.bench.recorded is None


async def test_m_opens_a_branch_and_the_live_one_again(branched: Path) -> None:
    async with running(branched) as run:
        assert run.says == "1 branch left; m chooses"
        await run.press("m")
        assert isinstance(run.app.screen, Conversations)
        assert "from row 2: Too short." in run.screen
        await run.press("down", "enter")
        await run.until(lambda: run.bench.session is not None and run.bench.session.branch == 0)
        assert run.says == "a branch that was left; m chooses"
        await run.press("m", "up", "enter")
        await run.until(lambda: run.bench.session is not None and run.bench.session.branch is None)


async def test_m_filters_and_opens_one_of_several_conversations(several: Path) -> None:
    async with running(several) as run:
        assert run.says == "conversation 1 of 3; m chooses"
        await run.press("m")
        await run.type("line 3")
        await run.press("enter")
        await run.until(lambda: run.bench.session is not None and run.bench.session.index == 2)
        await run.press("L")
        await run.until(lambda: run.bench.session is not None and run.bench.session.index == 0)


async def test_with_one_conversation_m_says_so(compacted: Path) -> None:
    async with running(compacted) as run:
        await run.press("m")
        assert run.says == "this file holds one conversation, which has left no branch"


CONTENTS = (
    Outline("", "[/] Name\x1b[2J it.", 12, branches=(Branch("Try \x07 again", 3, 2), Branch("", 0, 1))),
    Outline("subagent 7", "Look.", 4, side=True),
)


@pytest.mark.parametrize("size", SIZES)
async def test_hostile_titles_are_drawn_as_they_are(size: tuple[int, int]) -> None:
    async with asked(Conversations("a\x1b.json", CONTENTS, Chosen(1)), size) as (app, pilot):
        await pilot.pause()
        text = on_screen(app)
        for words in (
            "[/] Name␛[2J it.",
            "from row 3: Try ␇ again",
            "+2",
            "subagent 7: Look.",
            "▸     1  side",
            "a␛.json",
        ):
            assert words in text
        await pilot.press("enter")
        assert app.answer == Chosen(1)


async def test_what_is_not_found_is_not_opened() -> None:
    async with asked(Conversations("a.json", CONTENTS, Chosen(0))) as (app, pilot):
        await pilot.press(*"nothing", "enter")
        await pilot.pause()
        assert "no conversation is called so" in on_screen(app)
        await pilot.press("escape")
        assert app.answer is None


async def test_a_file_of_thousands_lists_the_first_and_says_how_many_more() -> None:
    many = tuple(Outline(f"task {number}", "", 1) for number in range(3_000))
    async with asked(Conversations("a.json", many, Chosen(0))) as (app, pilot):
        await until(pilot, lambda: "and 2,800 more" in on_screen(app))
        await pilot.press(*"2999")
        await until(pilot, lambda: "task 2999" in on_screen(app))
        await pilot.press("enter")
        assert app.answer == Chosen(2_999)


def test_every_word_typed_has_to_be_there() -> None:
    known = list(choices(CONTENTS))
    assert [one.chosen for one in matching(known, "branch AGAIN")] == [Chosen(0, 0)]
    assert matching(known, "") == known
