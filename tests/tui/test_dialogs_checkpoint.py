import pytest
from textual import events
from textual.widgets import Button

from inspector.policies.checkpoint import Checkpoint, encode, frame
from inspector.tui.dialogs.checkpoint import (
    CLIPBOARD_BYTES,
    READ_BYTES,
    Answer,
    CheckpointDialog,
    read_answer,
    refusal,
    size_of,
    verdict,
)
from inspector.tui.dialogs.dialog import Field
from tests.tui.asking import SIZES, asked, on_screen, until

GOOD = encode(Checkpoint(history_summary="what was done"))


def ready(app):
    return app.screen._prompt is not None


@pytest.mark.parametrize("answer", [GOOD, f"```json\n{GOOD}\n```", frame(Checkpoint()), f"\n\n{GOOD}\n"])
def test_an_answer_that_keeps_the_contract_is_accepted(answer):
    assert refusal(answer) == ""
    assert verdict(answer)[1]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("{}", "invalid checkpoint contract"),
        ('{"version":1} x', "checkpoint contains trailing data"),
        ("hello", "decode checkpoint: "),
        ("<agent-context-checkpoint>{}", "checkpoint frame is invalid"),
        ("x" * 65_537, "invalid checkpoint size or encoding"),
        ("\udc80" + GOOD, "invalid checkpoint size or encoding"),
        ('{"version":1,"' + "k" * 500 + '":1}', "decode checkpoint: "),
    ],
)
def test_an_answer_that_does_not_says_the_contracts_reason_in_short(answer, reason):
    said = refusal(answer)
    assert said.startswith(reason)
    assert len(said) <= 200
    words, accepted = verdict(answer)
    assert not accepted
    assert f"{size_of(answer):,} of 65,536 bytes, not accepted: {said}" in words


def test_no_answer_leaves_the_draft():
    assert verdict(" \n") == ("0 of 65,536 bytes: no answer yet, the draft stands", False)


@pytest.mark.parametrize("size", SIZES)
async def test_the_key_that_reads_a_file_goes_to_the_path_where_none_is_named(size, tmp_path):
    (tmp_path / "answer.json").write_text(GOOD)
    async with asked(CheckpointDialog(lambda: "prompt"), size) as (app, pilot):
        await pilot.press("f4")
        assert app.focused is app.screen.query_one("#answer_file", Field)
        assert "name a file to read" in on_screen(app)
        app.focused.value = str(tmp_path / "answer.json")
        await pilot.press("f4")
        assert app.screen.query_one(Answer).answer == GOOD


@pytest.mark.parametrize("size", SIZES)
async def test_a_pasted_answer_is_judged_at_once_and_accepted_by_key(size):
    async with asked(CheckpointDialog(lambda: "prompt"), size) as (app, pilot):
        assert "no answer yet" in on_screen(app)
        app.screen.query_one(Answer).post_message(events.Paste('{"version":2}'))
        await pilot.pause()
        assert "13 of 65,536 bytes, not accepted: invalid checkpoint contract" in on_screen(app)
        assert app.screen.query_one("#accept", Button).disabled
        await pilot.press("f5")
        assert app.screen is app.dialog
        app.screen.query_one(Answer).give("")
        app.screen.query_one(Answer).post_message(events.Paste(GOOD))
        await pilot.pause()
        assert "accepted" in on_screen(app)
        await pilot.press("f5")
        assert app.answer == GOOD


async def test_a_typed_change_is_judged():
    async with asked(CheckpointDialog(lambda: "prompt", GOOD)) as (app, pilot):
        assert "✓" in on_screen(app)
        await pilot.press("x")
        assert "not accepted: decode checkpoint" in on_screen(app)
        await pilot.press("backspace")
        await pilot.click("#accept")
        assert app.answer == GOOD


async def test_a_pasted_line_separator_is_kept_to_the_letter():
    text = '{"version":1,"currentWork":"a\u2028b\u0085c"}'
    async with asked(CheckpointDialog(lambda: "prompt")) as (app, pilot):
        app.screen.query_one(Answer).post_message(events.Paste(text))
        await pilot.pause()
        await pilot.press("f5")
        assert app.answer == text


@pytest.mark.parametrize("end", ["\r", "\r\n", "\n"])
async def test_a_fence_is_known_whatever_a_terminal_makes_of_the_line_ends_of_what_is_pasted(end):
    async with asked(CheckpointDialog(lambda: "prompt")) as (app, pilot):
        app.screen.query_one(Answer).post_message(events.Paste(end.join(("```json", GOOD, "```", ""))))
        await pilot.pause()
        await pilot.press("f5")
        assert app.answer == f"```json\n{GOOD}\n```\n"


async def test_a_hostile_answer_is_drawn_and_not_obeyed():
    hostile = '{"[/]\x1b]52;c;cHduZWQ=\x07\x9b31m\u202e\ud83d\t":1}'
    async with asked(CheckpointDialog(lambda: "prompt", hostile)) as (app, pilot):
        await pilot.pause()
        assert not {"\x1b", "\x07", "\x9b", "\u202e", "\ud83d"} & set(on_screen(app))
        app.screen.query_one("#answer_file", Field).value = "\x1b[2J\t\r"
        await pilot.pause()
        assert "\x1b" not in on_screen(app)
        app.export_screenshot()


async def test_the_prompt_is_copied_by_key_and_the_words_promise_no_more_than_is_known():
    async with asked(CheckpointDialog(lambda: "condense \ud83d")) as (app, pilot):
        await until(pilot, lambda: ready(app))
        await pilot.press("f2")
        assert app.clipboard == "condense ?"
        assert "sent to the terminal's clipboard" in on_screen(app)


async def test_a_prompt_too_long_for_the_clipboard_is_not_copied_but_written(tmp_path):
    prompt = "é" * CLIPBOARD_BYTES
    target = tmp_path / "prompt.txt"
    async with asked(CheckpointDialog(lambda: prompt)) as (app, pilot):
        await until(pilot, lambda: ready(app))
        await pilot.click("#copy_prompt")
        assert app.clipboard == ""
        assert "too long for a terminal's clipboard" in on_screen(app)
        app.screen.query_one("#prompt_file", Field).value = str(target)
        await pilot.press("f3")
        assert target.read_text("utf-8") == prompt
        await pilot.click("#write_prompt")
        assert "exists already" in on_screen(app)


async def test_an_answer_is_read_from_a_file(tmp_path):
    (tmp_path / "answer.json").write_text(GOOD)
    async with asked(CheckpointDialog(lambda: "prompt")) as (app, pilot):
        field = app.screen.query_one("#answer_file", Field)
        field.value = str(tmp_path / "none.json")
        await pilot.click("#read_answer")
        assert "is not there" in on_screen(app).replace("\n", "")
        field.value = str(tmp_path / "answer.json")
        field.focus()
        await pilot.press("enter")
        await pilot.pause()
        await pilot.click("#accept")
        assert app.answer == GOOD


@pytest.mark.parametrize(("data", "says"), [(None, "not there"), (b"x" * (READ_BYTES + 1), "is longer than")])
def test_a_file_that_is_no_answer_is_a_sentence(tmp_path, data, says):
    path = tmp_path / "answer"
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(ValueError, match=says):
        read_answer(str(path))


def test_a_folder_is_no_answer(tmp_path):
    with pytest.raises(ValueError, match="not an ordinary file"):
        read_answer(str(tmp_path))


def test_bytes_that_are_not_utf_8_are_refused_by_the_contract(tmp_path):
    (tmp_path / "a").write_bytes(b'{"version":1,"currentWork":"\xff"}')
    assert refusal(read_answer(str(tmp_path / "a"))) == "invalid checkpoint size or encoding"


@pytest.mark.parametrize(("way", "answer"), [("#clear", ""), ("#cancel", None), ("escape", None)])
async def test_back_to_the_draft_is_an_empty_answer_and_leaving_is_none(way, answer):
    async with asked(CheckpointDialog(lambda: "prompt", GOOD)) as (app, pilot):
        await (pilot.click(way) if way[0] == "#" else pilot.press(way))
        assert app.answer == answer
