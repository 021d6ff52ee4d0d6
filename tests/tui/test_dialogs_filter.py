import pytest

from inspector.tui.dialogs.dialog import Complaint, Field
from inspector.tui.dialogs.filter import FilterDialog
from inspector.tui.filtering import Filter, parse_filter
from tests.tui.asking import SIZES, asked, on_screen
from tests.tui.builders import call, result, shown, user

HOSTILE = "[/]\x1b[bold]"
SHOWN = shown(
    [
        user("go"),
        call("a", name="read"),
        result("a", "x" * 500, "read"),
        call("b", name=HOSTILE),
        result("b", "y", HOSTILE),
    ],
    keep_recent=1,
    old_tool_chars=100,
)
LISTED = ("[ ] 1  user", "[ ] 2  tool", "[ ] 2  read", "[ ] 2  [/]␛[bold]", "[ ] 1  cut")


@pytest.mark.parametrize("size", SIZES)
async def test_roles_tools_and_actions_are_listed_with_their_counts(size):
    async with asked(FilterDialog(SHOWN), size) as (app, _):
        text = on_screen(app)
        for words in (
            "[ ] 1  user",
            "[ ] 2  tool",
            "[ ] 2  read",
            "[ ] 2  [/]␛[bold]",
            "[ ] 1  cut",
            "5 of 5 messages",
        ):
            assert words in text
        assert "\x1b" not in text


async def test_ticks_become_words_and_the_answer_by_keyboard():
    async with asked(FilterDialog(SHOWN)) as (app, pilot):
        await pilot.press("tab", "down", "down", "space")
        await pilot.pause()
        assert app.screen.query_one(Field).value == "role:tool"
        assert "[x] 2  tool" in on_screen(app)
        assert "2 of 5 messages" in on_screen(app)
        app.screen.query_one(Field).focus()
        await pilot.press("enter")
        assert app.answer == Filter(roles=frozenset({"tool"}))


async def test_ticks_and_buttons_work_by_mouse():
    async with asked(FilterDialog(SHOWN)) as (app, pilot):
        lines = on_screen(app).split("\n")
        y = next(at for at, line in enumerate(lines) if "1  cut" in line)
        await pilot.click(offset=(lines[y].index("1  cut"), y))
        await pilot.pause()
        await pilot.click("#show")
        assert app.answer == Filter(actions=frozenset({"cut"}))


async def test_words_become_ticks():
    async with asked(FilterDialog(SHOWN)) as (app, pilot):
        app.screen.query_one(Field).value = "role:tool action:cut"
        await pilot.pause()
        text = on_screen(app)
        assert "[x] 2  tool" in text
        assert "[x] 1  cut" in text
        assert "1 of 5 messages" in text
        app.screen.query_one(Field).value = ""
        await pilot.pause()
        assert "[x]" not in on_screen(app)


async def test_a_tool_that_is_not_listed_survives_a_tick():
    async with asked(FilterDialog(SHOWN)) as (app, pilot):
        app.screen.query_one(Field).value = "tool:elsewhere"
        await pilot.pause()
        await pilot.press("tab", "space")
        await pilot.pause()
        assert parse_filter(app.screen.query_one(Field).value).tools == {"elsewhere"}


async def test_words_that_are_no_filter_are_said_and_close_nothing():
    async with asked(FilterDialog(SHOWN)) as (app, pilot):
        app.screen.query_one(Field).value = "role:tol"
        await pilot.pause()
        assert "did you mean tool?" in on_screen(app)
        await pilot.click("#show")
        assert app.screen is app.dialog
        app.screen.query_one(Field).value = "role:tool"
        await pilot.pause()
        assert not app.screen.query_one(Complaint).display


@pytest.mark.parametrize(("way", "answer"), [("#all", Filter()), ("#cancel", None), ("escape", None)])
async def test_show_all_is_an_empty_filter_and_leaving_is_none(way, answer):
    async with asked(FilterDialog(SHOWN, Filter(roles=frozenset({"tool"})))) as (app, pilot):
        assert "[x] 2  tool" in on_screen(app)
        await (pilot.click(way) if way[0] == "#" else pilot.press(way))
        assert app.answer == answer
