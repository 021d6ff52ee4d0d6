import base64
import json
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.message import Body, Origin, Session
from inspector.tui.message_lines import SHOWN_CHARS, SHOWN_LINES, Kind, Lines, image_line, lines_of, pretty_json
from inspector.tui.pages import VIEWS, facts, page
from tests.tui.builders import call, result, shown, turns, user

PNG = base64.b64encode(
    b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 1024, 768) + b"\x08\x06\0\0\0"
).decode()


def texts(body: Body) -> list[str]:
    return [line.plain for line in lines_of(body)]


def pairs(lines: list) -> list[tuple[str, str]]:
    return [(str(line.kind), line.text) for line in lines]


def test_arguments_are_laid_out_and_a_text_of_several_lines_reads_as_it_is():
    assert texts(call("c1", name="run", code="a = 1\nprint(a)", limit=3, deep={"x": [1]})) == [
        "→ run  c1", "  code:", "  │ a = 1", "  │ print(a)", "  limit: 3",
        "  deep: {", '    "x": [', "      1", "    ]", "  }",
    ]  # fmt: skip


def test_a_text_argument_is_told_from_a_number():
    assert texts(call("c1", a="3", b=3))[1:] == ['  a: "3"', "  b: 3"]


@pytest.mark.parametrize("arguments", ['{"code": "cut off', "NaN oops", "[" * 100_000])
def test_arguments_that_are_no_json_are_shown_as_recorded(arguments):
    body = {"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "run", "arguments": arguments}}]}
    lines = lines_of(body)
    assert lines[1].kind is Kind.NOTE
    assert "not valid JSON" in lines[1].text
    assert lines[2].text == arguments


def test_the_legacy_function_call_is_shown_as_a_call():
    body = {"role": "assistant", "content": None, "function_call": {"name": "look", "arguments": "{}"}}
    assert texts(body) == ["→ look", "  {}"]


def test_an_image_says_its_pixels_type_and_tokens_and_never_its_base64():
    part = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}}
    body = {"role": "user", "content": [{"type": "text", "text": "look"}, part], "images": [PNG]}
    assert texts(body) == ["look", *["image 1,024 x 768 png, about 765 tokens"] * 2]


@pytest.mark.parametrize(
    ("image", "says"),
    [
        ("https://example.org/a.png", "image at https://example.org/a.png, about 765 tokens"),
        (
            {"type": "image", "source": {"type": "base64", "media_type": "image/webp", "data": "!"}},
            "image webp, size unknown, about 765 tokens",
        ),
        ({"type": "image_url", "image_url": {"url": "x", "detail": "low"}}, "image, size unknown, about 85 tokens"),
        (None, "image, size unknown, about 765 tokens"),
    ],
)  # fmt: skip
def test_an_image_of_unknown_size_says_so(image, says):
    assert image_line(image) == says


def test_thinking_is_shown_once_and_a_signature_only_as_its_length():
    block = {"type": "thinking", "thinking": "hmm", "signature": "s" * 1204}
    body = {"role": "assistant", "content": "yes", "thinking": "hmm", "thinking_blocks": [block, {"data": "xx"}]}
    assert texts(body) == [
        "thinking", "┊ hmm", "signed thinking, 1,204 characters of signature",
        "encrypted thinking, 2 characters of data", "yes",
    ]  # fmt: skip


def test_keys_that_no_layout_knows_are_shown():
    body = {"role": "tool", "content": "ok", "_label": "ls", "content_2": {"a": 1}}
    assert texts(body) == ["ok", "other keys", '_label: "ls"', "content_2: {", '  "a": 1', "}"]


@pytest.mark.parametrize(
    "body",
    [{}, {"role": "user"}, {"role": "user", "content": ""}, {"role": "user", "content": []}],
)
def test_an_empty_message_says_that_it_is(body):
    assert [line.kind for line in lines_of(body)] == [Kind.NOTE]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
KEYS = ("role", "content", "images", "tool_calls", "function_call", "name", "thinking", "thinking_blocks", "x")


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from(KEYS), json_values))
def test_no_message_raises_and_no_line_holds_a_line_feed(body):
    shot = shown([body])
    for view in VIEWS:
        lines = page(shot, 0, view)
        assert lines
        assert not any("\n" in line.text for line in lines)


def test_what_lies_beyond_the_bound_is_left_out_with_a_note():
    lines = lines_of(user("x" * (SHOWN_CHARS + 1)))
    assert [len(line.text) for line in lines[:-1]] == [SHOWN_CHARS]
    assert lines[-1].text == "first 2,000,000 characters shown; e exports the whole"


def test_a_text_of_exactly_the_bound_is_shown_whole():
    assert [line.kind for line in lines_of(user("x" * SHOWN_CHARS))] == [Kind.TEXT]


def test_too_many_lines_are_cut_with_a_note():
    lines = lines_of(user("\n" * (SHOWN_LINES + 5)))
    assert len(lines) == SHOWN_LINES + 1
    assert lines[-1].kind is Kind.NOTE


def test_nothing_is_added_to_lines_that_are_full():
    lines = Lines(chars=3)
    lines.add("abcd")
    lines.add("more")
    assert [line.text for line in lines.found] == ["abc", "first 3 characters shown; e exports the whole"]


def test_raw_json_escapes_lone_surrogates_and_keeps_the_rest():
    assert json.loads(pretty_json({"a": "\ud83d é"})) == {"a": "\ud83d é"}
    assert pretty_json({"a": "\ud83d é"}) == '{\n  "a": "\\ud83d é"\n}'


def test_json_nested_too_deeply_is_a_note_and_no_error():
    deep: list = []
    for _ in range(100_000):
        deep = [deep]
    assert pretty_json(deep) == "nested too deeply to be shown"


def test_json_that_nests_deeply_is_on_one_line_and_whole():
    text = '{"a": ' * 400 + "1" + "}" * 400
    assert pretty_json(json.loads(text)) == text


def test_a_message_sent_as_recorded_says_so_in_the_diff():
    assert pairs(page(shown([user("hi")]), 0, "diff")) == [("note", "sent as recorded")]


def test_a_cut_middle_shows_what_went_and_what_came():
    text = "head line\n" + "m" * 500 + "\ntail line"
    shot = shown([call("c"), result("c", text), user("go on")], keep_recent=1, old_tool_chars=24)
    assert [line.plain for line in page(shot, 1, "diff")] == [
        "  head line", "  mm", "- " + "m" * 496, "+ [compacted old tool result, 496 chars omitted]",
        "  mm", "  tail line",
    ]  # fmt: skip


def test_the_sent_view_shows_a_repair_after_its_row():
    shot = shown([call("c"), user("go on")])
    lines = page(shot, 0, "sent")
    assert lines[-2].kind is Kind.INSERT
    assert "inserted repair, sent as tool" in lines[-2].text
    assert lines[-1].text.startswith("[interrupted")


def test_a_row_that_is_gone_says_why_and_where_what_stands_for_it_is():
    shot = shown(turns(30), "checkpoint", max_messages=10, keep_recent=4)
    gone = shot.view.plan.action.rindex(9)
    note = page(shot, gone, "sent")[0].text
    assert note.startswith("not sent: replaced by the checkpoint")
    assert "beside row" in note
    assert {line.kind for line in page(shot, gone, "diff")[1:]} <= {Kind.REMOVED, Kind.NOTE}


def test_a_merged_stretch_shows_its_summary_beside_its_first_row():
    shot = shown(turns(30), "checkpoint", max_messages=10, keep_recent=4)
    anchor = shot.view.plan.inserts[0].anchor
    assert sum(line.kind is Kind.INSERT for line in page(shot, anchor, "sent")) == 2


def test_a_row_outside_the_session_is_a_note():
    for row in (-1, 1):
        assert page(shown([user("hi")]), row, "original")[0].kind is Kind.NOTE
        assert facts(shown([user("hi")]), row) == []


def test_facts_name_row_place_tokens_action_and_reason():
    shot = shown([call("c"), result("c", "x " * 5000, "run"), user("go on")], keep_recent=1, old_tool_chars=20)
    lines = [line.plain for line in facts(shot, 1)]
    assert lines[0].startswith("#1 tool run answers c   at /1   ")
    assert f"{shot.before[1]:,} -> {shot.row_tokens(1):,} tokens (-" in lines[0]
    assert lines[1] == "✂ middle cut: head + tail of an older result"


def test_facts_name_the_line_of_a_json_lines_file():
    session = Session([user("hi")], lambda row: Origin(6, "/6/message", 7), range(1))
    assert "line 7 at /6/message" in facts(shown(session), 0)[0].text


def test_facts_say_in_words_what_is_broken_before_what_a_small_reader_cuts_off():
    shot = shown([call("c"), result("c", "x" * 21), user("go on")], keep_recent=1, old_tool_chars=20)
    said = facts(shot, 1)[1]
    assert (said.plain, said.kind) == ("△ shortening made this result longer", Kind.WARNING)
