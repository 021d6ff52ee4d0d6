import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.tui.dialogs.dialog import Complaint, same_length
from inspector.tui.dialogs.go_to import GoTo, NoSuchRow, read_row
from tests.tui.asking import SIZES, asked, on_screen


@pytest.mark.parametrize(
    ("typed", "row"),
    [
        ("0", 0),
        ("12", 12),
        ("#12", 12),
        (" 99 ", 99),
        ("-1", 99),
        ("-100", 0),
        ("0%", 0),
        ("50%", 50),
        ("100%", 99),
        ("012", 12),
    ],
)
def test_a_place_is_a_row_from_0_from_the_end_or_a_share(typed, row):
    assert read_row(typed, 100) == row


def test_thousands_may_be_parted_as_the_screen_writes_them():
    assert read_row("12,345", 20_000) == 12_345


@pytest.mark.parametrize("typed", ["100", "-101", "-0", "101%", "", "x", "1.5", "--1", "9" * 31, "9" * 300, "١"])
def test_a_place_that_is_none_is_answered_by_a_sentence(typed):
    with pytest.raises(NoSuchRow, match=r"there is no|write a number|ends at 100%"):
        read_row(typed, 100)


def test_an_empty_session_has_no_place():
    with pytest.raises(NoSuchRow, match="no messages"):
        read_row("0", 0)


@given(st.text(max_size=20), st.integers(0, 50))
def test_whatever_is_typed_gives_a_row_or_the_sentence(typed, rows):
    try:
        row = read_row(typed, rows)
    except NoSuchRow:
        return
    assert 0 <= row < rows


@given(st.text(st.characters()))
def test_typed_text_is_drawn_character_for_character(text):
    assert len(same_length(text)) == len(text)


@pytest.mark.parametrize("size", SIZES)
async def test_enter_answers_the_row(size):
    async with asked(GoTo(100), size) as (app, pilot):
        await pilot.press(*"50%", "enter")
        assert app.answer == 50


async def test_the_button_answers_the_row():
    async with asked(GoTo(100)) as (app, pilot):
        await pilot.press("7")
        await pilot.click("#go")
        assert app.answer == 7


async def test_a_row_out_of_range_is_said_while_one_types_and_nothing_closes():
    async with asked(GoTo(100)) as (app, pilot):
        await pilot.press(*"100")
        assert "there is no message 100: they go from 0 to 99" in on_screen(app)
        await pilot.press("enter")
        assert app.screen is app.dialog
        await pilot.press("backspace")
        assert not app.screen.query_one(Complaint).display


@pytest.mark.parametrize("way", ["escape", "#cancel"])
async def test_leaving_answers_nothing(way):
    async with asked(GoTo(100)) as (app, pilot):
        await (pilot.click(way) if way[0] == "#" else pilot.press(way))
        assert app.answer is None
