from dataclasses import replace

import pytest
from textual.app import App, ComposeResult
from textual.geometry import Offset
from textual.selection import SELECT_ALL, Selection

from inspector.tui.pages import VIEWS
from inspector.tui.reader import Facts, Page, Reader, Tabs
from tests.tui.builders import call, result, shown, user

SIZES = [(80, 24), (160, 48)]
HOSTILE = "[/] [bold]x[/] \x1b]52;c;cHduZWQ=\x07 \x9b31m \u202e \ud83d \t| [@click=app.quit]go[/] 漢字 👩‍👩‍👧"
LONG = "\n".join(f"line {number}" for number in range(300))


class Reading(App[None]):
    def compose(self) -> ComposeResult:
        yield Reader()

    @property
    def reader(self) -> Reader:
        return self.query_one(Reader)

    @property
    def page(self) -> Page:
        return self.query_one(Page)


def screen(app: App) -> list[str]:
    height = app.size.height
    strips = app.screen._compositor.render_strips()
    return ["".join(segment.text for segment in strip) for strip in strips[:height]]


def cut(text=LONG, **settings):
    messages = [call("c", name="run", path="a"), result("c", text, "run"), user("go on")]
    return shown(messages, **{"keep_recent": 1, "old_tool_chars": 60, **settings})


@pytest.mark.parametrize("size", SIZES)
async def test_keys_and_clicks_choose_the_view(size):
    app = Reading()
    async with app.run_test(size=size) as pilot:
        app.reader.show(cut(), 1)
        app.reader.focus()
        for key, view in zip("12345", VIEWS, strict=True):
            await pilot.press(key)
            assert app.reader.view == view
        for x, view in ((3, "original"), (15, "sent"), (23, "diff"), (46, "findings"), (32, "raw")):
            await pilot.click(Tabs, offset=(x, 0))
            assert app.reader.view == view
        await pilot.press("r")
        assert app.reader.view == "original"


@pytest.mark.parametrize("size", SIZES)
async def test_the_reader_shows_facts_and_the_message(size):
    app = Reading()
    async with app.run_test(size=size) as pilot:
        app.reader.show(cut(), 1)
        await pilot.pause()
        text = "\n".join(screen(app))
        assert "#1 tool run answers c" in text
        assert "middle cut: head + tail of an older result" in text
        assert "line 3" in text
        app.reader.view = "diff"
        await pilot.pause()
        assert any(line.startswith(" - line 7") for line in screen(app))


async def test_hostile_text_is_drawn_and_not_obeyed():
    app = Reading()
    messages = [call("c", name=HOSTILE, path=HOSTILE), result("c", HOSTILE * 30, HOSTILE)]
    shot = shown(messages, keep_recent=0, old_tool_chars=40)
    async with app.run_test(size=(80, 24)) as pilot:
        for row in (0, 1):
            for view in VIEWS:
                app.reader.view = view
                app.reader.show(shot, row)
                await pilot.pause()
                text = "".join(screen(app))
                assert not {"\x1b", "\x07", "\x9b", "\u202e", "\t"} & set(text)
                app.export_screenshot()
        assert "[bold]x[/]" in text


async def test_ends_of_a_long_message_are_reached_by_key():
    app = Reading()
    async with app.run_test(size=(80, 24)) as pilot:
        app.reader.show(cut(), 1)
        app.reader.focus()
        await pilot.pause()
        await pilot.press("G")
        await pilot.pause()
        assert "line 299" in "\n".join(screen(app))
        await pilot.press("g")
        await pilot.pause()
        assert "line 0" in "\n".join(screen(app))
        await pilot.press("j", "j", "ctrl+d", "ctrl+u", "k")
        await pilot.pause()
        assert app.page.scroll_offset.y == 1


async def test_a_message_of_megabytes_is_folded_bit_by_bit_and_shown_at_once():
    app = Reading()
    async with app.run_test(size=(80, 24)) as pilot:
        app.reader.show(shown([user("漢" * 1_000_000)]), 0)
        first = app.page.virtual_size.height
        assert 24 < first < 5_000
        assert "漢" in "\n".join(screen(app))
        await pilot.press("1")
        for _ in range(200):
            await pilot.pause(0.05)
            if app.page.virtual_size.height > 20_000:
                break
        assert app.page.virtual_size.height > 20_000


async def test_other_settings_keep_the_place_and_another_row_starts_at_its_top():
    app = Reading()
    shot = cut()
    async with app.run_test(size=(80, 24)) as pilot:
        app.reader.show(shot, 1)
        await pilot.pause()
        app.page.scroll_to(y=50, animate=False)
        await pilot.pause()
        app.reader.show(replace(shot, view=cut(old_tool_chars=90).view), 1)
        await pilot.pause()
        assert app.page.scroll_offset.y == 50
        app.reader.show(shot, 0)
        await pilot.pause()
        assert app.page.scroll_offset.y == 0


async def test_a_search_goes_to_the_first_match_and_marks_it():
    app = Reading()
    async with app.run_test(size=(80, 24)) as pilot:
        app.reader.term = "LINE 250".lower()
        app.reader.show(cut(), 1)
        await pilot.pause()
        assert app.page.scroll_offset.y == 248
        style = app.page.get_component_rich_style("page--match")
        strip = app.page.render_line(2)
        assert [segment.text for segment in strip if segment.style and segment.style.bgcolor == style.bgcolor] == [
            "line 250"
        ]


@pytest.mark.parametrize("width", [40, 80])
async def test_copying_gives_whole_lines_without_glyphs(width):
    app = Reading()
    code = "first = 1\n" + "x" * 100
    async with app.run_test(size=(width, 24)) as pilot:
        app.reader.show(shown([call("c", name="run", code=code)]), 0)
        await pilot.pause()
        assert app.page.get_selection(SELECT_ALL) == (f"run  c\ncode:\n{code}", "\n")


async def test_a_reader_that_was_hidden_opens_at_the_match():
    app = Reading()
    async with app.run_test(size=(80, 24)) as pilot:
        app.reader.display = False
        await pilot.pause()
        app.reader.display = True
        app.reader.term = "line 250"
        app.reader.show(cut(), 1)
        app.reader.focus()
        await pilot.pause()
        await pilot.pause()
        assert app.page.scroll_offset.y == 248


async def test_copying_a_difference_keeps_plus_and_minus():
    app = Reading()
    async with app.run_test(size=(80, 24)) as pilot:
        app.reader.view = "diff"
        app.reader.show(cut("a" * 200, old_tool_chars=10), 1)
        await pilot.pause()
        copied = app.page.get_selection(SELECT_ALL)[0].split("\n")
        assert copied[1] == "- " + "a" * 190
        assert copied[2].startswith("+ [compacted")


async def test_a_part_of_a_row_is_copied_as_it_stands():
    app = Reading()
    async with app.run_test(size=(80, 24)) as pilot:
        app.reader.show(shown([user("alpha beta\ngamma")]), 0)
        await pilot.pause()
        assert app.page.get_selection(Selection(Offset(6, 0), Offset(3, 1))) == ("beta\ngam", "\n")


async def test_dragging_the_mouse_selects_text():
    app = Reading()
    async with app.run_test(size=(80, 24)) as pilot:
        app.reader.show(shown([user("alpha beta\ngamma")]), 0)
        await pilot.pause()
        await pilot.mouse_down(Page, offset=(0, 0))
        await pilot.hover(Page, offset=(5, 0))
        await pilot.mouse_up(Page, offset=(5, 0))
        assert (app.screen.get_selected_text() or "").strip() in ("alpha", "alpha ")


async def test_a_narrower_screen_keeps_the_line_at_the_top():
    app = Reading()
    async with app.run_test(size=(120, 24)) as pilot:
        app.reader.show(shown([user("\n".join(f"{n} " + "x" * 100 for n in range(200)))]), 0)
        await pilot.pause()
        app.page.scroll_to(y=100, animate=False)
        await pilot.pause()
        await pilot.resize_terminal(60, 24)
        await pilot.pause()
        await pilot.pause()
        assert next(line for line in screen(app)[3:] if line.strip()).strip().startswith("100 ")


async def test_facts_of_a_hostile_name_stay_on_their_lines():
    app = Reading()
    async with app.run_test(size=(80, 24)) as pilot:
        app.reader.show(shown([result("c\n\x1b", "x", "a\nb" * 500)]), 0)
        await pilot.pause()
        assert app.query_one(Facts).size.height <= 4
