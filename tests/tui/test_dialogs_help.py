import pytest
from textual.binding import Binding

from inspector.tui.dialogs.help import Help, HelpText, keys_of
from inspector.tui.reader import Page
from tests.tui.asking import SIZES, asked, on_screen

PANES = {"Everywhere": [("q", "quit"), ("[/]", "go [bold]x[/] \x1b")], "Long": [(str(n), f"do {n}") for n in range(60)]}


@pytest.mark.parametrize("size", SIZES)
async def test_keys_are_listed_by_pane_and_scroll(size):
    async with asked(Help(PANES, words="Words first."), size) as (app, pilot):
        text = on_screen(app)
        assert "Everywhere" in text
        assert "Words first." in text
        assert "go [bold]x[/] ␛" in text
        assert "do 59" not in text
        await pilot.press("G")
        await pilot.pause()
        assert "do 59" in on_screen(app)
        await pilot.press("g", "j", "k", "space", "ctrl+u")


@pytest.mark.parametrize("way", ["escape", "q", "question_mark", "#close"])
async def test_it_closes(way):
    async with asked(Help(PANES)) as (app, pilot):
        await (pilot.click(way) if way[0] == "#" else pilot.press(way))
        assert app.answer is None


async def test_bindings_become_keys_and_words_and_hidden_ones_are_listed_too():
    async with asked(Help(PANES)) as (app, _):
        bindings = [Binding("j,down", "down", "Down", show=False), ("x", "cut", "Cut"), Binding("y", "none")]
        assert keys_of(bindings, app) == [("j  ↓", "Down"), ("x", "Cut")]
        assert keys_of(Page.BINDINGS, app)


async def test_the_keys_have_the_focus():
    async with asked(Help(PANES)) as (app, _):
        assert isinstance(app.focused, HelpText)
