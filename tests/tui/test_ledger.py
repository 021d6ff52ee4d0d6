"""The ledger as a person meets it: keys, mouse, filter, narrow screens, hostile text, settings in motion."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from inspector.message import Body
from inspector.tui.ledger import Ledger
from inspector.tui.shown import Shown
from tests.tui.builders import call, result, session, shown, turns, user


class Bench(App[None]):
    """A ledger alone on the screen, and what it said."""

    def __init__(self, view: Shown | None) -> None:
        super().__init__()
        self.view = view
        self.moved: list[int] = []
        self.opened: list[int] = []

    def compose(self) -> ComposeResult:
        yield Ledger(self.view)

    def on_ledger_moved(self, event: Ledger.Moved) -> None:
        self.moved.append(event.row)

    def on_ledger_opened(self, event: Ledger.Opened) -> None:
        self.opened.append(event.row)


@asynccontextmanager
async def bench(
    view: Shown | None, size: tuple[int, int] = (160, 40)
) -> AsyncIterator[tuple[Ledger, Pilot[None], Bench]]:
    app = Bench(view)
    async with app.run_test(size=size) as pilot:
        ledger = app.query_one(Ledger)
        ledger.focus()
        await pilot.pause()
        yield ledger, pilot, app


def screen(ledger: Ledger) -> list[str]:
    """The lines that the ledger draws now."""
    return [ledger.render_line(y).text.rstrip() for y in range(ledger.size.height)]


def line_of(ledger: Ledger, row: int) -> int:
    """The screen line of a row's head."""
    number = f"{row:>3}"
    return next(y for y, line in enumerate(screen(ledger)) if line[1:4] == number)


async def test_keys_move_the_cursor() -> None:
    async with bench(shown(turns(60))) as (ledger, pilot, app):
        seen = []
        for key in ("j", "down", "k", "up", "G", "g", "end", "home"):
            await pilot.press(key)
            seen.append(ledger.cursor)
        assert seen == [1, 2, 1, 0, 121, 0, 121, 0]
        assert app.moved[-1] == 0


async def test_a_page_down_and_up_comes_back_and_half_a_page_is_shorter() -> None:
    async with bench(shown(turns(60))) as (ledger, pilot, _):
        await pilot.press("ctrl+d")
        half = ledger.cursor
        await pilot.press("g", "pagedown")
        page = ledger.cursor
        assert 0 < half < page
        await pilot.press("pageup")
        assert ledger.cursor == 0
        await pilot.press(*["pagedown"] * 40)
        assert ledger.cursor == 121


async def test_the_cursor_is_always_on_screen() -> None:
    async with bench(shown(turns(60))) as (ledger, pilot, _):
        for key in ("G", "k", "k", "pageup", "ctrl+u", "j", "g", "pagedown", "pagedown"):
            await pilot.press(key)
            assert screen(ledger)[line_of(ledger, ledger.cursor)].startswith("▌")


async def test_go_to_shows_the_row_away_from_the_edge() -> None:
    async with bench(shown(turns(60))) as (ledger, pilot, app):
        ledger.go_to(80)
        await pilot.pause()
        assert ledger.cursor == 80
        assert 5 < line_of(ledger, 80) < 30
        assert app.moved == [80]
        ledger.go_to(9_999)
        assert ledger.cursor == 121


async def test_a_click_selects_and_a_double_click_and_enter_open() -> None:
    async with bench(shown(turns(60))) as (ledger, pilot, app):
        await pilot.click(Ledger, offset=(20, line_of(ledger, 2)))
        assert ledger.cursor == 2
        assert app.opened == []
        await pilot.click(Ledger, offset=(20, line_of(ledger, 3) + 1), times=2)
        await pilot.press("j", "enter")
        assert app.opened == [3, 4]


async def test_a_click_on_the_column_names_selects_nothing() -> None:
    async with bench(shown(turns(60))) as (ledger, pilot, _):
        ledger.go_to(80)
        await pilot.pause()
        await pilot.click(Ledger, offset=(20, 0))
        assert ledger.cursor == 80


async def test_both_sides_stand_beside_each_other_with_figures() -> None:
    async with bench(shown([*turns(2, size=4000), *[user("later")] * 12], old_tool_chars=600)) as (ledger, _, _):
        lines = screen(ledger)
        assert lines[0].split() == ["#", "original", "tokens", "│", "sent", "tokens", "change"]
        head = lines[line_of(ledger, 3)]
        assert head.count("│") == 1
        left, right = head.split("│")
        assert left.split()[:3] == ["3", "tool", "read_file"]
        assert right.lstrip("▌ ").startswith("✂ head + tail of an older result")
        before, after, change = (int(word.replace(",", "")) for word in (left.split()[-1], *right.split()[-2:]))
        assert after - before == change < 0


async def test_numbers_stand_under_their_names() -> None:
    async with bench(shown([*turns(2, size=4000), *[user("later")] * 12])) as (ledger, _, _):
        lines = screen(ledger)
        head = lines[line_of(ledger, 3)]
        for name in ("tokens │", "change"):
            end = lines[0].rindex(name.split()[0], 0, lines[0].index(name) + len(name)) + 6
            assert head[end - 1].isdigit()
            assert not head[end : end + 1].isdigit()


async def test_moving_a_setting_moves_no_row() -> None:
    messages = [*turns(40, size=2000), *[user("later")] * 5]
    made = session(messages)
    async with bench(shown(made)) as (ledger, pilot, _):
        ledger.go_to(50)
        await pilot.pause()
        virtual, scroll = ledger.virtual_size, ledger.scroll_offset
        left = [line.split("│")[0] for line in screen(ledger)]
        rights = set()
        for keep, cap in ((0, 0), (3, 100), (30, 600), (200, 20_000)):
            ledger.shown = shown(made, keep_recent=keep, old_tool_chars=cap)
            await pilot.pause()
            assert (ledger.virtual_size, ledger.scroll_offset, ledger.cursor) == (virtual, scroll, 50)
            assert [line.split("│")[0] for line in screen(ledger)] == left
            rights.add("".join(line.split("│")[-1] for line in screen(ledger)))
        assert len(rights) == 4


async def test_at_eighty_columns_one_side_is_shown_and_s_turns_it() -> None:
    view = shown([*turns(2, size=4000), *[user("later")] * 12], old_tool_chars=600)
    async with bench(view, (80, 24)) as (ledger, pilot, _):
        assert screen(ledger)[0].split() == ["#", "original", "tokens"]
        virtual = ledger.virtual_size
        await pilot.press("s")
        lines = screen(ledger)
        assert lines[0].split() == ["#", "sent", "tokens", "change"]
        assert lines[line_of(ledger, 3)].split()[:6] == ["3", "✂", "tool", "read_file", "head", "+"]
        assert any("[compacted old tool result" in line for line in lines)
        assert ledger.virtual_size == virtual
        await pilot.press("s")
        assert screen(ledger)[0].split() == ["#", "original", "tokens"]


async def test_one_side_can_be_asked_for_on_a_wide_screen() -> None:
    async with bench(shown(turns(5))) as (ledger, pilot, _):
        await pilot.press("s")
        assert ledger.side == "original"  # both are shown: there is nothing to turn
        ledger.one_sided = True
        await pilot.pause()
        assert "│" not in "".join(screen(ledger))
        assert ledger.check_action("turn", ()) is True


@pytest.mark.parametrize("size", [(160, 40), (80, 24), (30, 10), (12, 4)])
async def test_every_line_is_as_wide_as_the_ledger(size: tuple[int, int]) -> None:
    wide = [user("日本語🙂" * 40), result("x", "e\u0301\u200d" * 50), user("👩‍👩‍👧 ❤️ 🇫🇷" * 9)]
    async with bench(shown([*wide, *turns(3)]), size) as (ledger, _, _):
        assert {ledger.render_line(y).cell_length for y in range(size[1])} == {ledger.scrollable_size.width}


async def test_hostile_text_is_drawn_and_not_obeyed() -> None:
    hostile = "[bold]x[/] [/nope] \x1b]52;c;cHduZWQ=\x07 \x9b31m \r\x08 \u202egpj [@click=app.bell]go[/] \ud800"
    messages: list[Body] = [
        user(hostile), call("a", name=hostile, text=hostile, path=hostile), result("a", hostile, name=hostile),
        {"role": hostile, "content": [{"type": "text", "text": hostile}], "thinking": hostile},
    ]  # fmt: skip
    for size in ((160, 40), (80, 24)):
        async with bench(shown(messages), size) as (ledger, pilot, app):
            ledger.needle = "[/]"
            await pilot.press("j", "j")
            drawn = "\n".join(screen(ledger))
            assert "[bold]x[/] [/nope] ␛]52;c;cHduZWQ=␇" in drawn
            assert not set(drawn.replace("\n", "")) & {
                *map(chr, range(32)),
                *map(chr, range(127, 160)),
                "\u202e",
                "\ud800",
            }
            app.export_screenshot()


async def test_a_filter_keeps_the_cursor_near_and_counts_in_rows_shown() -> None:
    async with bench(shown(turns(60))) as (ledger, pilot, _):
        ledger.go_to(50)
        ledger.rows_shown = range(1, 121, 10)
        await pilot.pause()
        assert ledger.cursor == 51
        await pilot.press("j")
        assert ledger.cursor == 61
        await pilot.press("G")
        assert ledger.cursor == 111
        ledger.rows_shown = None
        await pilot.pause()
        assert ledger.cursor == 111
        assert screen(ledger)[line_of(ledger, 111)].startswith("▌")


@pytest.mark.parametrize(
    ("view", "rows", "says"),
    [
        (None, None, "No session is open."),
        (shown([]), None, "This session holds no messages."),
        (shown(turns(2)), (), "No message passes the filter."),
    ],
)
async def test_an_empty_ledger_says_why(view: Shown | None, rows: Sequence[int] | None, says: str) -> None:
    async with bench(view) as (ledger, pilot, app):
        ledger.rows_shown = rows
        await pilot.press("j", "G", "pagedown", "enter", "s")
        ledger.go_to(3)
        assert says in "\n".join(screen(ledger))
        assert app.opened == []


async def test_what_a_policy_inserted_and_broke_is_said_on_the_row() -> None:
    messages = [user("go"), call("a", name="look"), call("b", name="look"), result("b", "short"), user("more")]
    for size, side in (((160, 40), "original"), ((80, 24), "sent")):
        async with bench(shown(messages, keep_recent=0, old_tool_chars=0), size) as (ledger, pilot, _):
            ledger.side = side
            await pilot.pause()
            lines = screen(ledger)
            assert "+ repaired: no result was recorded" in lines[line_of(ledger, 1)] or size[0] == 80
            assert "repaired: no result was recorded" in lines[line_of(ledger, 1)]
            assert "△ shortening made this result longer" in lines[line_of(ledger, 3)]


async def test_breakages_are_named_on_the_original_side_too_where_it_stands_alone() -> None:
    messages = [user("go"), call("b", name="look"), result("b", "short"), user("more")]
    async with bench(shown(messages, keep_recent=0, old_tool_chars=0), (80, 24)) as (ledger, _, _):
        assert "△ shortening made this result longer" in screen(ledger)[line_of(ledger, 2)]


async def test_search_marks_the_row_and_the_words() -> None:
    async with bench(shown([user("find the NEEDLE here"), user("nothing")])) as (ledger, pilot, _):
        ledger.matches, ledger.needle = frozenset({0}), "needle"
        await pilot.pause()
        match = ledger.get_component_rich_style("ledger--match")
        strip = ledger.render_line(2)
        assert [s.text for s in strip if s.style and s.style.reverse == match.reverse is True] == ["NEEDLE", "NEEDLE"]
        assert screen(ledger)[1].startswith("▌  0•")
        assert screen(ledger)[3].startswith("   1 ")


async def test_a_resize_keeps_the_top_row_and_the_cursor_in_view() -> None:
    async with bench(shown(turns(100, size=900)), (160, 40)) as (ledger, pilot, _):
        ledger.go_to(120)
        await pilot.pause()
        top = screen(ledger)[1][1:4]
        for width in (90, 130, 160):
            await pilot.resize_terminal(width, 40)
            await pilot.pause()
            assert screen(ledger)[line_of(ledger, 120)].startswith("▌")
        assert screen(ledger)[1][1:4] == top


async def test_another_session_is_laid_out_and_the_cursor_stays_in_it() -> None:
    async with bench(shown(turns(60))) as (ledger, pilot, _):
        await pilot.press("G")
        ledger.shown = shown(turns(2))
        await pilot.pause()
        assert ledger.cursor == 5
        assert screen(ledger)[line_of(ledger, 5)].startswith("▌")
        ledger.shown = None
        await pilot.pause()
        assert "No session is open." in "\n".join(screen(ledger))


@pytest.mark.parametrize("theme", ["textual-light", "ansi-dark", "nord"])
async def test_every_theme_draws_the_same_text(theme: str) -> None:
    async with bench(shown(turns(20, size=900), old_tool_chars=100)) as (ledger, pilot, app):
        before = screen(ledger)
        app.theme = theme
        await pilot.pause()
        assert screen(ledger) == before
        app.export_screenshot()


async def test_the_cursor_is_seen_without_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with bench(shown(turns(5))) as (ledger, pilot, _):
        await pilot.press("j")
        assert [line[0] for line in screen(ledger)[line_of(ledger, 1) :][:2]] == ["▌", "▌"]
        assert screen(ledger)[line_of(ledger, 2)][0] == " "
