import json
import os
from threading import Event

import pytest
from textual.widgets import OptionList

from inspector.discover import Found
from inspector.tui.dialogs.conversations import Conversations
from inspector.tui.dialogs.dialog import Complaint, Field
from inspector.tui.dialogs.picker import (
    Entry,
    Picked,
    Picker,
    age_words,
    entries,
    entry,
    folder_entries,
    line_of,
    matching,
    shortened,
    size_words,
)
from inspector.tui.dialogs.samples import sample_files
from tests.tui.asking import SIZES, asked, on_screen, until
from tests.tui.running import running


@pytest.fixture
def files(tmp_path):
    for name in ("alpha.json", "beta.jsonl", "[x]\x1b.json", "notes.txt"):
        (tmp_path / name).write_text("[]")
        os.utime(tmp_path / name, (1_000_000, 1_000_000))
    return tmp_path


def known(files):
    return [
        entry(str(files / "alpha.json"), "Given", "a short run"),
        entry(str(files / "gone.json"), "Recent"),
        entry(str(files / "[x]\x1b.json"), "Recent"),
        entry(str(files / "beta.jsonl"), "Samples", "a long run"),
    ]


@pytest.mark.parametrize("size", SIZES)
async def test_files_are_listed_by_group_with_size_and_age(files, size):
    async with asked(Picker(known(files), now=1_000_000 + 3 * 86_400), size) as (app, _):
        text = on_screen(app)
        for words in ("Given", "Recent", "Samples", "alpha.json", "2 B", "3 d", "a short run", "missing", "[x]␛.json"):
            assert words in text


async def test_enter_opens_what_is_highlighted(files):
    async with asked(Picker(known(files))) as (app, pilot):
        await pilot.press("enter")
        assert app.answer == Picked(str(files / "alpha.json"))


async def test_arrows_move_while_the_field_keeps_the_keys(files):
    async with asked(Picker(known(files))) as (app, pilot):
        await pilot.press("down", "down", "down", "enter")
        assert app.answer == Picked(str(files / "beta.jsonl"))


async def test_a_click_opens_a_file(files):
    async with asked(Picker(known(files))) as (app, pilot):
        lines = on_screen(app).split("\n")
        y = next(at for at, line in enumerate(lines) if "beta.jsonl" in line)
        await pilot.click(offset=(lines[y].index("beta"), y))
        assert app.answer == Picked(str(files / "beta.jsonl"))


async def test_typing_filters_and_the_button_opens(files):
    async with asked(Picker(known(files))) as (app, pilot):
        await pilot.press(*"long")
        await pilot.pause()
        text = on_screen(app)
        assert "beta.jsonl" in text
        assert "alpha.json" not in text
        await pilot.click("#open")
        assert app.answer == Picked(str(files / "beta.jsonl"))


async def test_a_missing_file_does_not_open_and_says_so(files):
    async with asked(Picker(known(files))) as (app, pilot):
        await pilot.press("down", "enter")
        await pilot.pause()
        assert app.screen is app.dialog
        assert "is not there" in on_screen(app)


async def test_a_path_can_be_typed(files):
    async with asked(Picker([])) as (app, pilot):
        app.screen.query_one(Field).value = str(files / "notes.txt")
        await pilot.pause()
        await pilot.press("enter")
        assert app.answer == Picked(str(files / "notes.txt"))


async def test_a_path_that_is_none_is_said(files):
    async with asked(Picker(known(files))) as (app, pilot):
        app.screen.query_one(Field).value = str(files / "zzz.json")
        await pilot.pause()
        await pilot.press("enter")
        await pilot.pause()
        assert app.screen.query_one(Complaint).display
        assert app.screen is app.dialog


async def test_a_typed_folder_lists_its_recordings(files):
    async with asked(Picker(known(files)), (160, 48)) as (app, pilot):
        app.screen.query_one(Field).value = str(files)
        await pilot.pause()
        text = on_screen(app)
        assert "In that folder" in text
        assert "beta.jsonl" in text
        assert "notes.txt" not in text
        await pilot.press("down", "enter")
        assert app.answer == Picked(str(files / "alpha.json"))


async def test_with_nothing_to_choose_enter_says_what_would_do():
    async with asked(Picker([])) as (app, pilot):
        await pilot.press("enter")
        await pilot.pause()
        assert "choose a file, or type a path" in on_screen(app)


@pytest.mark.parametrize("way", ["escape", "#cancel"])
async def test_leaving_answers_nothing(files, way):
    async with asked(Picker(known(files))) as (app, pilot):
        await (pilot.click(way) if way[0] == "#" else pilot.press(way))
        assert app.answer is None


def test_every_word_must_match_somewhere():
    one, two = Entry("/a/Run.json", "", "slow tests"), Entry("/a/b.json", "", "fast")
    assert matching([one, two], "run TESTS") == [one]
    assert matching([one, two], "") == [one, two]
    assert matching([one, two], "run fast") == []


@pytest.mark.parametrize(
    ("size", "words"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 KB"),
        (9_949, "9.9 KB"),
        (9_950, "10 KB"),
        (999_400, "999 KB"),
        (999_500, "1.0 MB"),
        (166_238_686, "166 MB"),
    ],
)
def test_sizes_read_easily(size, words):
    assert size_words(size) == words


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-5, "now"),
        (59, "now"),
        (60, "1 min"),
        (3_599, "59 min"),
        (7_200, "2 h"),
        (86_400, "1 d"),
        (90 * 86_400, "3 mo"),
        (800 * 86_400, "2 y"),
    ],
)
def test_ages_read_easily(seconds, words):
    assert age_words(seconds) == words


def test_a_line_never_holds_what_a_terminal_obeys():
    text = line_of(Entry("/x\x1b/\n\x07漢" * 20, "", "\x9b", 5), 60, 0.0).plain
    assert text.isprintable()


def test_odd_paths_are_missing_files_and_no_error(tmp_path):
    assert entry("a\0b", "").size is None
    assert folder_entries(str(tmp_path / "none")) == []


def test_samples_come_with_a_line_each():
    samples = sample_files()
    assert len(samples) >= 8
    assert all(path.is_file() and words for path, words in samples)
    assert {found.group for found in entries(["a"], ["b"])} == {"Given", "Recent", "Samples"}


def test_no_samples_are_no_error(tmp_path):
    assert sample_files((tmp_path,)) == []


def test_the_readme_may_be_a_list_too(tmp_path):
    (tmp_path / "README.md").write_text(
        "# S\n\n- `a.json`: try *this*\n* [b.jsonl](b.jsonl): that\n- `none.json`: gone\n"
    )
    (tmp_path / "a.json").touch()
    (tmp_path / "b.jsonl").touch()
    assert [(path.name, words) for path, words in sample_files((tmp_path,))] == [
        ("a.json", "try this"),
        ("b.jsonl", "that"),
    ]


# what tools recorded


def recorded(name, tool="Codex", project="/home/me/src/boat", title="", messages=12, age=3_600, id=""):
    return Found(name, "codex", tool, project, 1_000_000 - age, 2_000, messages, title, id)


@pytest.mark.parametrize("size", SIZES)
async def test_recorded_sessions_come_in_between_recent_files_and_samples(files, size):
    found = [recorded(str(files / "alpha.json"), title="[/] Fix\x1b it"), recorded("gone.jsonl", "Claude Code", "")]
    async with asked(Picker(known(files), now=1_000_000, finding=lambda: found), size) as (app, pilot):
        await until(pilot, lambda: "2 recorded on this machine" in on_screen(app))
        await until(pilot, lambda: "looking for more" not in on_screen(app))
        text = on_screen(app)
        for words in ("src/boat", "1 h", "2.0 KB", "12 msg", "[/] Fix␛", "gone.jsonl"):
            assert words in text
        places = [text.index(group) for group in ("Given", "Recent", "Codex", "Claude Code", "Samples")]
        assert places == sorted(places)


async def test_a_recorded_session_is_found_by_project_title_or_tool_and_opened(files):
    found = [recorded("x.jsonl"), recorded(str(files / "beta.jsonl"), "goose", "/src/pier", "Count the piers", id="g7")]
    for typed in ("pier", "COUNT goose"):
        async with asked(Picker([], finding=lambda: found)) as (app, pilot):
            await until(pilot, lambda: "recorded" in on_screen(app))
            await pilot.press(*typed)
            await pilot.pause()
            assert "src/boat" not in on_screen(app)
            await pilot.press("enter")
            assert app.answer == Picked(str(files / "beta.jsonl"), "g7")


async def test_rows_that_come_in_while_one_types_are_filtered_and_leave_the_highlight(files):
    go = Event()

    def finding():
        go.wait(10)
        yield from (recorded(f"{number}.jsonl", title="boats") for number in range(120))
        yield recorded(str(files / "beta.jsonl"), title="alpha")

    async with asked(Picker(known(files), finding=finding)) as (app, pilot):
        await pilot.press("down", "down", "down")
        go.set()
        await until(pilot, lambda: "121 recorded" in on_screen(app))
        await until(pilot, lambda: "looking" not in on_screen(app))
        listed = app.screen.query_one(OptionList)
        assert "beta.jsonl" in listed.highlighted_option.prompt.plain
        assert "a long run" in listed.highlighted_option.prompt.plain
        assert sum("more: type to narrow" in str(option.prompt) for option in listed.options) == 1
        await pilot.press(*"alpha")
        await pilot.pause()
        assert len(listed.options) == 4


async def test_a_search_that_fails_leaves_the_rest(files):
    def finding():
        yield recorded("a.jsonl")
        raise OSError("gone")

    async with asked(Picker(known(files), finding=finding)) as (app, pilot):
        await pilot.pause(0.2)
        await pilot.press("enter")
        assert app.answer == Picked(str(files / "alpha.json"))


async def test_a_session_that_is_a_folder_opens(files):
    (files / "task").mkdir()
    async with asked(Picker([], finding=lambda: [recorded(str(files / "task"))])) as (app, pilot):
        await until(pilot, lambda: "1 recorded" in on_screen(app))
        await pilot.press("enter")
        assert app.answer == Picked(str(files / "task"))


async def test_a_typed_folder_without_recordings_opens_itself(files):
    (files / "events").mkdir()
    async with asked(Picker([])) as (app, pilot):
        app.screen.query_one(Field).value = str(files / "events")
        await pilot.pause()
        await pilot.press("enter")
        assert app.answer == Picked(str(files / "events"))


async def test_the_picker_opens_a_store_at_the_session_and_asks_which_of_several(machine, tmp_path):
    folder = machine / ".local/share/goose/sessions"
    folder.mkdir(parents=True)
    said = {"role": "user", "created": 1, "content": [{"type": "text", "text": "Count the piers."}]}
    (folder / "s.jsonl").write_text(json.dumps({"working_dir": "/src/pier"}) + "\n" + json.dumps(said) + "\n")
    many = tmp_path / "many.jsonl"
    many.write_text("".join(json.dumps({"messages": [{"role": "user", "content": f"q{n}"}]}) + "\n" for n in range(3)))
    async with running(None) as run:
        await run.until(lambda: "src/pier" in run.screen)
        await run.type("pier")
        await run.press("enter")
        await run.loaded()
        assert run.bench.session.format == "goose"
        await run.press("o")
        await run.type(str(many))
        await run.press("enter")
        await run.until(lambda: isinstance(run.app.screen, Conversations))
        await run.press("down", "enter")
        await run.until(lambda: run.bench.session.index == 1)
        await run.press("R")
        await run.loaded()
        assert run.app.screen is run.bench


def test_a_project_is_shown_by_its_last_two_names():
    assert [shortened(one) for one in ("/home/me/src/boat", "C:\\src\\boat", "/", "boat")] == [
        "src/boat", "src/boat", "/", "boat",
    ]  # fmt: skip


def test_standard_input_is_not_offered_again():
    assert [one.path for one in entries(["-", "a.json"], []) if one.group == "Given"] == ["a.json"]
