"""Choosing a policy from the list."""

from __future__ import annotations

import pytest
from textual.widgets import OptionList

from inspector.policies import POLICIES, offered_for
from inspector.tui.controls import Chooser
from inspector.tui.dialogs.policies import Policies, matching
from tests.tui.running import NARROW, SAMPLES, WIDE, running

RUN = SAMPLES / "long_coding_run.json"


@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_a_policy_is_found_by_typing_and_chosen_by_enter(size: tuple[int, int]) -> None:
    async with running(RUN, size=size) as run:
        await run.press("p")
        assert isinstance(run.app.screen, Policies)
        await run.type("casc")
        await run.press("enter")
        assert run.bench.policy.name == "cascade"


async def test_esc_keeps_the_policy_and_the_list_opens_on_it() -> None:
    async with running(RUN) as run:
        await run.press("P", "p")
        assert "\u25cf cascade" in run.screen
        await run.press("escape")
        assert run.bench.policy.name == "cascade"


async def test_a_filter_that_fits_nothing_chooses_nothing() -> None:
    async with running(RUN) as run:
        await run.press("p")
        await run.type("no such policy")
        await run.press("enter")
        assert isinstance(run.app.screen, Policies)


async def test_policies_of_the_tool_that_recorded_the_session_are_offered_first() -> None:
    async with running(SAMPLES / "claude_code_compacted.jsonl", policy="head-tail") as run:
        await run.press("p")
        listed = run.app.screen.query_one(OptionList)
        names = [option.id for option in listed.options]
        assert names == list(offered_for("claude_code"))
        assert names[:4] == [
            "claude-code-microcompact", "anthropic-clear-tools", "anthropic-clear-thinking", "head-tail",
        ]  # fmt: skip
        assert listed.highlighted == 3
        await run.press("escape", "P")
        assert run.bench.policy.name == "cascade"


async def test_the_line_of_the_policy_turns_in_the_same_order() -> None:
    async with running(SAMPLES / "claude_code_compacted.jsonl", policy="head-tail") as run:
        chooser = run.bench.query_one(Chooser)
        chooser.post_message(Chooser.Turned(-1))
        await run.until(lambda: run.bench.policy.name != "head-tail")
        assert run.bench.policy.name == "anthropic-clear-thinking"


def test_every_typed_word_has_to_be_in_the_name_or_the_help() -> None:
    names = [one.name for one in matching(list(POLICIES.values()), "memory object")]
    assert names == ["checkpoint"]
