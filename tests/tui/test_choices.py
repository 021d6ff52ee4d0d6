"""Parameters that no slider sets: one of some words, yes or no, a line of text; and the products that have them."""

import pytest
from textual.widgets import Input

from inspector.policies import POLICIES
from inspector.policies.policy import Param, SettingError
from inspector.text import cells
from inspector.tui.setting import amount, heading, meaning, read_typed
from tests.tui.running import SAMPLES, running
from tests.tui.test_controls import Bench

FLAG = Param("clear_inputs", "", False, "", kind="choice", choices=(False, True))
WORDS = Param("start_on", "", None, "", kind="choice", choices=(None, "human", "ai"))
LINE = Param("placeholder", "", "[cleared]", "", kind="line")


def test_choices_are_shown_in_words():
    assert [amount(FLAG, value) for value in FLAG.choices] == ["no", "yes"]
    assert [amount(WORDS, value) for value in WORDS.choices] == ["none", "human", "ai"]
    assert meaning(WORDS, None, 0, 30) == "none · human · ai"


@pytest.mark.parametrize("typed", ["yes", "true", " On ", "1"])
def test_a_flag_may_be_typed_in_several_words(typed):
    assert read_typed(FLAG, typed) is True


def test_what_is_no_choice_is_said_with_the_choices():
    with pytest.raises(SettingError, match="start_on wants one of none, human, ai, not 'robot'"):
        read_typed(WORDS, "robot")
    with pytest.raises(SettingError, match="clear_inputs wants one of no, yes, not '1'"):
        FLAG.check(1)


@pytest.mark.parametrize("value", ["", "off", "default", "[已清除 🙂] and a long tail of words", "a\x1b[31mb", None])
@pytest.mark.parametrize("width", [20, 27, 60])
def test_a_line_is_clipped_to_its_place_and_made_visible(value, width):
    name, shown = heading(LINE, value, 0, width)
    assert cells(name) + cells(shown) == width
    assert "\x1b" not in shown
    assert value is None or read_typed(LINE, value) == value


@pytest.fixture
async def bench():
    app = Bench("langchain-clear")
    async with app.run_test(size=(40, 60)) as pilot:
        await pilot.pause()
        yield pilot


async def test_left_and_right_turn_through_a_choice(bench):
    await bench.press("down", "down", "down", "right", "right", "left", "enter")
    assert bench.app.heard == [("clear_tool_inputs", value) for value in (True, False, True, False)]
    assert "no · yes" in bench.app.text(3)


async def test_backspace_resets_a_choice_and_home_leaves_it(bench):
    await bench.press("down", "down", "down", "right", "home", "end", "backspace")
    assert bench.app.heard == [("clear_tool_inputs", True), ("clear_tool_inputs", False)]


async def test_a_click_on_the_choices_turns_and_a_click_on_the_name_selects(bench):
    block = bench.app.block(6)
    heading_line, meaning_line = block.query("Line").first(), block.query(".meaning").first()
    await bench.click(heading_line, offset=(1, 0))
    assert bench.app.controls.selected == 6
    assert bench.app.heard == []
    await bench.click(meaning_line, offset=(1, 0))
    assert bench.app.heard == [("system_counted", True)]


async def test_a_line_is_typed_in_its_place(bench):
    await bench.press(*["down"] * 5, "enter")
    field = bench.app.focused
    assert isinstance(field, Input)
    assert field.value == "[cleared]"
    await bench.press("o", "f", "f", "enter", "right")
    assert bench.app.heard == [("placeholder", "off"), ("clamped", "placeholder is a text: v opens it")]
    assert "off" in bench.app.text(5)


async def test_the_app_shows_every_policy():
    async with running(SAMPLES / "interrupted_run.json") as run:
        for name in POLICIES:
            run.bench.choose_policy(name)
            await run.until(lambda name=name: run.bench.shown.view.policy == name)
            assert run.bench.policy.name == name
            assert name in run.screen
