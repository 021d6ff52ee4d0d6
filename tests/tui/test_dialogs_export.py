import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.tui.dialogs.dialog import Complaint, Field
from inspector.tui.dialogs.export import Export, Offer, export, proposed_path
from inspector.tui.dialogs.ticks import Tick
from tests.tui.asking import NOTHING, SIZES, asked, on_screen, until


def offers(folder):
    return [
        Offer("sent view as JSON", str(folder / "run.sent.json"), lambda: b'{"messages": []}'),
        Offer("settings [/] as TOML", str(folder / "settings.toml"), lambda: b"keep_recent = 12\n"),
    ]


@pytest.mark.parametrize("size", SIZES)
async def test_the_button_writes_what_is_proposed_and_answers_where(tmp_path, size):
    async with asked(Export(offers(tmp_path)), size) as (app, pilot):
        await pilot.click("#export")
        await until(pilot, lambda: app.answer is not NOTHING)
        assert app.answer == str(tmp_path / "run.sent.json")
        assert (tmp_path / "run.sent.json").read_bytes() == b'{"messages": []}'


async def test_by_keyboard_another_choice_proposes_its_own_name(tmp_path):
    async with asked(Export(offers(tmp_path))) as (app, pilot):
        await pilot.press("down", "enter")
        assert app.screen.query_one(Field).value == str(tmp_path / "settings.toml")
        await pilot.press("tab", "enter")
        await until(pilot, lambda: app.answer is not NOTHING)
        assert (tmp_path / "settings.toml").read_bytes() == b"keep_recent = 12\n"


async def test_enter_on_what_is_chosen_goes_on_to_the_name_and_enter_there_exports(tmp_path):
    async with asked(Export(offers(tmp_path))) as (app, pilot):
        await pilot.press("down", "enter", "enter")
        assert isinstance(app.focused, Field)
        await pilot.press("enter")
        await until(pilot, lambda: app.answer is not NOTHING)
        assert (tmp_path / "settings.toml").read_bytes() == b"keep_recent = 12\n"


async def test_a_typed_name_outlives_another_choice(tmp_path):
    async with asked(Export(offers(tmp_path))) as (app, pilot):
        app.screen.query_one(Field).value = "mine"
        await pilot.press("down", "enter")
        assert app.screen.query_one(Field).value == "mine"


async def test_an_existing_file_is_replaced_only_when_that_is_ticked(tmp_path):
    there = tmp_path / "run.sent.json"
    there.write_text("old")
    async with asked(Export(offers(tmp_path))) as (app, pilot):
        await pilot.click("#export")
        await until(pilot, lambda: "exists already; tick" in on_screen(app).replace("\n", " "))
        assert there.read_text() == "old"
        await pilot.click(Tick)
        assert "[x] replace" in on_screen(app)
        await pilot.click("#export")
        await until(pilot, lambda: app.answer is not NOTHING)
        assert there.read_bytes() == b'{"messages": []}'


async def test_the_input_is_never_replaced(tmp_path):
    recording = tmp_path / "run.sent.json"
    recording.write_text("recorded")
    async with asked(Export(offers(tmp_path), inputs=[str(recording)])) as (app, pilot):
        await pilot.click(Tick)
        await pilot.click("#export")
        await until(pilot, lambda: "never replaced" in str(app.screen.query_one(Complaint).content))
        assert recording.read_text() == "recorded"
        assert list(tmp_path.iterdir()) == [recording]


@pytest.mark.parametrize(
    ("path", "says"),
    [("", "name a file"), (".", "is a folder"), ("missing/x.json", "cannot be written"), ("a\0b", "null")],
)
def test_a_file_that_cannot_be_written_is_a_sentence(tmp_path, monkeypatch, path, says):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=says):
        export(offers(tmp_path)[0], path)
    assert not list(tmp_path.iterdir())


def test_what_cannot_be_made_writes_nothing(tmp_path):
    def make():
        raise ValueError("no text")

    with pytest.raises(ValueError, match="no text"):
        export(Offer("x", "x", make), str(tmp_path / "x"))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("session", "name"),
    [
        ("/a/run.json", "run.sent.json"),
        ("run.jsonl.gz", "run.sent.json"),
        ("-", "session.sent.json"),
        ("", "session.sent.json"),
        ("x\x1b[1m/[b].json", "b.sent.json"),
    ],
)
def test_the_name_proposed_comes_from_the_session(session, name):
    assert proposed_path(session, "sent.json") == name


@given(st.text())
def test_the_name_proposed_is_a_plain_file_name(session):
    name = proposed_path(session, "svg")
    assert name.isascii()
    assert name.isprintable()
    assert not set(name) & set("/\\[]")
    assert len(name) < 100


@pytest.mark.parametrize("way", ["escape", "#cancel"])
async def test_leaving_writes_nothing(tmp_path, way):
    async with asked(Export(offers(tmp_path))) as (app, pilot):
        await (pilot.click(way) if way[0] == "#" else pilot.press(way))
        assert app.answer is None
        assert not list(tmp_path.iterdir())


async def test_on_a_tiny_screen_everything_is_scrolled_to(tmp_path):
    async with asked(Export(offers(tmp_path)), (40, 8)) as (app, pilot):
        assert "Cancel" not in on_screen(app)
        await pilot.press("tab", "tab", "tab", "tab")
        await pilot.pause()
        assert "Cancel" in on_screen(app)
