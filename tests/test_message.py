"""What is read from a message, and the columns over many."""

import json
from typing import Any

import pytest
from hypothesis import given

from inspector.message import (
    ROLES,
    TOO_DEEP,
    Body,
    Columns,
    Context,
    Origin,
    Session,
    ToolCall,
    calls_of,
    compact_json,
    image_count,
    listed,
    role_code,
    text_of,
)
from inspector.text import json_chars
from tests.policies.sessions import context_of, odd_sessions

PICTURE: Body = {"type": "image_url", "image_url": {"url": "data:,"}}


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("plain", "plain"),
        ([{"type": "text", "text": "a"}, PICTURE, {"type": "text", "text": "b"}, "c", 4, {"text": 5}], "a\nb\nc"),
        (None, ""),
        (3, ""),
        ({"text": "no list"}, ""),
        ([], ""),
    ],
)
def test_the_text_is_the_string_or_the_text_parts(content: Any, text: str) -> None:
    assert text_of({"content": content}) == text
    assert text_of({}) == ""


def test_calls_are_read_whatever_shape_their_arguments_have() -> None:
    entries = [
        {"id": "a", "function": {"name": "run", "arguments": '{"x": 1'}},
        {"id": "", "function": {"name": 3, "arguments": {"x": "é"}}},
        {"id": "c", "type": "custom", "custom": {"name": "patch", "input": "*** Begin"}},
        {"function": None},
        "no call",
    ]
    assert calls_of({"tool_calls": entries}) == (
        ToolCall("a", "run", '{"x": 1'),
        ToolCall(None, "", '{"x":"é"}'),
        ToolCall("c", "patch", "*** Begin"),
        ToolCall(None, "", ""),
    )


@pytest.mark.parametrize("calls", [None, {}, "x", 5, []])
def test_what_is_no_list_holds_no_calls(calls: Any) -> None:
    assert calls_of({"tool_calls": calls}) == ()


def test_what_is_no_json_is_shown_as_python_has_it_and_nothing_raises() -> None:
    deep: Any = []
    for _ in range(20_000):
        deep = [deep]
    circle: list[Any] = []
    circle.append(circle)
    assert (
        compact_json(
            {
                1,
            }
        )
        == "{1}"
    )
    assert compact_json(deep) == TOO_DEEP
    assert compact_json({"a": [deep, {1}]}) == TOO_DEEP
    assert compact_json(circle) == "[[...]]"


def test_images_are_counted_in_the_key_and_among_the_parts() -> None:
    assert image_count({"images": ["QQ", "Qg"], "content": [PICTURE, {"type": "text", "text": "x"}]}) == 3
    assert image_count({"images": "QQ", "content": "x"}) == 0


@pytest.mark.parametrize("role", ["critic", None, 5, [], {}])
def test_a_role_that_nobody_knows_reads_as_other(role: Any) -> None:
    body = {"role": role}
    assert ROLES[role_code(body)] == "other"
    assert Columns([body, {}]).role == bytes([ROLES.index("other")] * 2)
    assert context_of([body]).message(0).role == "other"


@given(odd_sessions)
def test_columns_agree_with_what_is_read_one_by_one(messages: list[Body]) -> None:
    columns = Columns(messages)
    assert list(columns.role) == [role_code(body) for body in messages]
    assert list(columns.chars) == [len(text_of(body)) for body in messages]
    assert list(columns.json_chars) == [json_chars(body) for body in messages]
    assert list(columns.json_chars) == [len(json.dumps(body, ensure_ascii=False)) for body in messages]


def test_a_message_names_its_tool_its_calls_and_what_it_answers() -> None:
    context = context_of(
        [
            {"role": "assistant", "name": "bob", "tool_calls": [{"id": "a", "function": {"name": "run"}}]},
            {"role": "tool", "tool_call_id": "a", "name": "run", "content": "ok"},
            {"role": "tool", "tool_name": "look", "tool_call_id": 5},
            {"role": "user", "name": "alice", "content": "hi"},
        ]
    )
    read = [context.message(row) for row in range(4)]
    assert [message.tool for message in read] == ["run", "run", "look", ""]
    assert [message.answers for message in read] == [None, "a", None, None]
    assert [len(message.calls) for message in read] == [1, 0, 0, 0]
    assert read[1].text == "ok"
    assert read[1].origin == Origin(1, "/1")


def test_what_is_derived_is_made_once_for_each_context() -> None:
    made: list[Context] = []

    def rows(context: Context) -> int:
        made.append(context)
        return len(context)

    context = context_of([{}, {}])
    assert [context.derived(rows), context.derived(rows), context.until(1).derived(rows)] == [2, 2, 1]
    assert len(made) == 2


def test_until_sees_the_messages_before_a_row_as_the_same_objects() -> None:
    messages = [{"role": "user"}, {"role": "assistant"}, {"role": "user"}]
    context = Session(messages, listed("/messages"), range(3), model="gpt-5")
    before = context.until(2)
    assert [id(body) for body in before.messages] == [id(body) for body in messages[:2]]
    assert (before.origin(1).pointer, list(before.source)) == ("/messages/1", [0, 1])


@pytest.mark.parametrize(
    ("file", "name"), [("a/b.json", "b.json"), ("C:\\x\\b.json", "b.json"), ("-", "standard input"), ("", "messages")]
)
def test_a_session_is_named_by_its_file_without_the_folder(file: str, name: str) -> None:
    assert Session([], listed(""), range(0), file=file).name == name


def test_what_is_known_of_a_message_is_worked_out_once_for_a_run() -> None:
    asked: list[str] = []

    def make(body: Body) -> str:
        asked.append(body["content"])
        return str(body["content"]).upper()

    whole = context_of([{"role": "user", "content": word} for word in "abc"])
    assert whole.until(2).each(make) == ["A", "B"]
    assert whole.each(make) == ["A", "B", "C"]
    assert whole.until(1).each(make) == ["A"]
    assert asked == ["a", "b", "c"]


def test_what_is_found_out_of_each_message_may_rest_on_what_else_is_known_of_it() -> None:
    made: list[str] = []

    def letters(body: Body) -> int:
        return len(body["content"])

    def make(body: Body, size: int) -> str:
        made.append(body["content"])
        return body["content"] * size

    messages = [{"role": "user", "content": word} for word in ("a", "bb", "c")]
    whole = Context(messages, listed(""), range(3))
    assert whole.until(1).each(make, letters) == ["a"]
    assert whole.beside(messages[1:], (1, 2)).each(make, letters) == ["bbbb", "c"]
    assert whole.each(make, letters) == ["a", "bbbb", "c"]
    assert made == ["a", "bb", "c", "bb", "c"]


def test_messages_beside_a_context_are_told_apart_by_identity() -> None:
    first, twin, other = ({"role": "user", "content": word} for word in ("a", "a", "b"))
    asked: list[int] = []

    def make(body: Body) -> int:
        asked.append(id(body))
        return len(asked)

    start = context_of([first])
    run = start.beside([other, first], range(2))
    assert run.each(make) == [1, 2]
    assert run.beside([first, twin, other], range(3)).each(make) == [2, 3, 1]
    assert run.until(1).each(make) == [1]
    assert asked == [id(other), id(first), id(twin)]
