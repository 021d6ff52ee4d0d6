from dataclasses import replace

import pytest
from textual.app import App
from textual.widgets import Static

from inspector.message import Session, listed
from inspector.replay import Calibration
from inspector.tui.background import count_sent
from inspector.tui.breakdown import (
    DEFINITIONS,
    INSERTED,
    RESULTS,
    SYSTEM_PROMPT,
    UNNAMED,
    Breakdown,
    Share,
    breakdown,
    columns_for,
    page,
    share_bar,
    table,
)
from tests.tui.builders import call, result, shown, turns, user

TOOLS = ({"type": "function", "function": {"name": "grep", "description": "find " * 50}},)
MESSAGES = [
    *turns(30, 4_000),
    call("g", name="grep"),
    result("g", "found\n" * 100),
    result("lost", "nobody asked for this"),
    call("d", name="dangling"),
]


def recorded(messages, **more):
    return Session(messages, listed(""), range(len(messages)), **more)


IT = shown(recorded(MESSAGES, tools=TOOLS))


def by_name(shares, group):
    return {share.name: share for share in shares if share.group == group}


def test_roles_take_in_definitions_and_inserts_and_add_up_to_everything():
    roles = by_name(breakdown(IT), "role")
    assert set(roles) == {SYSTEM_PROMPT, "user", "assistant", RESULTS, DEFINITIONS, INSERTED}
    definitions = roles[DEFINITIONS].original
    assert definitions > 50
    assert sum(share.original for share in roles.values()) == IT.original_tokens + definitions
    assert sum(share.sent for share in roles.values()) == IT.sent_tokens + definitions


def test_tools_add_up_to_the_results():
    shares = breakdown(IT)
    tools, results = by_name(shares, "tool"), by_name(shares, "role")[RESULTS]
    assert set(tools) == {"read_file", "grep", UNNAMED}
    assert sum(share.original for share in tools.values()) == results.original
    assert sum(share.sent for share in tools.values()) == results.sent
    assert sum(share.messages for share in tools.values()) == results.messages == 32


def test_the_largest_come_first():
    for group in ("role", "tool"):
        masses = [share.mass for share in breakdown(IT) if share.group == group]
        assert masses == sorted(masses, reverse=True)


def test_system_and_developer_messages_are_one_system_prompt():
    it = shown([{"role": "system", "content": "a"}, {"role": "developer", "content": "b"}, user("c")])
    assert by_name(breakdown(it), "role")[SYSTEM_PROMPT].messages == 2


def test_an_empty_session_has_no_shares():
    assert breakdown(shown([])) == ()
    assert "there are no messages" in page(shown([]), 80).plain


def test_a_bar_shows_what_is_sent_and_what_is_saved():
    assert share_bar(Share("role", "x", 1, 100, 50), 100, 10) == "█████░░░░░"
    assert share_bar(Share("role", "x", 1, 50, 50), 100, 10) == "█████     "
    assert share_bar(Share("role", "x", 1, 20, 100), 100, 10) == "██████████"
    assert share_bar(Share("role", "x", 1, 0, 0), 0, 10) == " " * 10


@pytest.mark.parametrize("width", [60, 74, 100])
def test_numbers_stand_in_columns_and_are_never_cut(width):
    huge = (Share("role", "a" * 90, 123_456, 98_765_432, 1), Share("role", "[/]\x1b日本", 1, 1, 12_345_678))
    lines = table(huge, IT, columns_for(huge, width))
    assert len({line.plain.index("%") for line in lines[1:]}) <= 2  # a wide character is one index and two cells
    text = "\n".join(line.plain for line in lines)
    for number in ("123,456", "98,765,432", "12,345,678"):
        assert number in text
    assert max(line.cell_length for line in lines) <= width
    assert "\x1b" not in text


def test_rewritten_rows_are_marked_as_estimates_and_kept_ones_are_not():
    text = page(IT, 100).plain
    read_file = next(line for line in text.split("\n") if line.startswith("read_file"))
    grep = next(line for line in text.split("\n") if line.startswith("grep"))
    assert "~" in read_file
    assert "~" not in grep


def test_once_the_sent_texts_are_counted_the_parts_add_up_to_the_header():
    (*_, counted) = count_sent(IT.view, IT.before, IT.counter)
    it = replace(IT, counted_sent=counted)
    assert "~" not in page(it, 100).plain
    parts = [share.sent for share in breakdown(it) if share.group == "role" and share.name != DEFINITIONS]
    assert sum(parts) == it.sent_tokens == it.view.tokens["sent"]


def test_it_is_said_that_the_header_is_fitted_to_the_provider():
    fitted = Calibration("m", (), 1.27, 0, 0.01, ())
    assert "the header has them x1.27" in page(replace(IT, calibration=fitted), 100).plain
    assert "x1.27" not in page(IT, 100).plain


def test_it_is_said_that_the_header_leaves_definitions_out():
    assert "definitions are sent with every request" in page(IT, 100).plain
    assert "definitions" not in page(replace(IT, session=recorded(MESSAGES)), 100).plain


class Bench(App[None]):
    def on_mount(self) -> None:
        self.push_screen(Breakdown(IT))


@pytest.mark.parametrize("key", ["escape", "q", "b", "enter"])
async def test_keys_close_it(key):
    app = Bench()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert isinstance(app.screen, Breakdown)
        await pilot.press(key)
        assert not isinstance(app.screen, Breakdown)


async def test_a_click_beside_it_closes_it_and_one_inside_does_not():
    app = Bench()
    async with app.run_test(size=(100, 40)) as pilot:
        await pilot.pause()
        await pilot.click(offset=(50, 20))
        assert isinstance(app.screen, Breakdown)
        await pilot.click(offset=(1, 1))
        assert not isinstance(app.screen, Breakdown)


@pytest.mark.parametrize("size", [(80, 24), (80, 60), (160, 48)])
async def test_no_line_is_folded_beside_a_scrollbar(size):
    app = Bench()
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        await pilot.pause()
        text = app.screen.query_one(Static)
        assert text.size.height == len(page(IT, text.content_size.width).plain.split("\n"))
