"""OpenAI Chat files: every wrapper, the file's own dicts, exact places, and entries that are no messages."""

import json
from typing import Any

import pytest

from inspector.formats import Opened, UnreadableSession, conversations_in, load_bytes
from inspector.formats.openai_chat import read, recognise
from inspector.formats.records import salvage
from inspector.message import Origin, Usage

USER = {"role": "user", "content": "What is 2 + 2?"}
CALL = {"id": "c1", "type": "function", "function": {"name": "add", "arguments": '{"a": 2, "b": 2}'}}
ASKS = {"role": "assistant", "content": None, "tool_calls": [CALL]}
RESULT = {"role": "tool", "tool_call_id": "c1", "content": "4"}
ANSWER = {"role": "assistant", "content": "It is 4."}
TALK = [USER, ASKS, RESULT, ANSWER]
TOOLS = [{"type": "function", "function": {"name": "add", "parameters": {}}}]
USAGE = {"prompt_tokens": 40, "completion_tokens": 6, "prompt_tokens_details": {"cached_tokens": 32}}
RESPONSE = {"id": "r1", "model": "m-1", "choices": [{"index": 0, "message": ANSWER}], "usage": USAGE}


def opened(value: Any) -> Opened:
    return conversations_in(json.dumps(value).encode(), "x.json")


def lines(*values: Any) -> bytes:
    return b"\n".join(json.dumps(value).encode() for value in values)


@pytest.mark.parametrize(
    ("value", "pointer"),
    [
        (TALK, ""),
        ({"messages": TALK}, "/messages"),
        ({"model": "m", "messages": TALK, "tools": TOOLS}, "/messages"),
        (
            {"method": "POST", "url": "/v1", "body": {"model": "m", "messages": TALK}},
            "/body/messages",
        ),
        ([{"traj": TALK}], "/0/traj"),
        ([TALK], "/0"),
    ],
)
def test_every_wrapper_is_read_with_the_places_of_its_messages(value: Any, pointer: str) -> None:
    session = load_bytes(json.dumps(value).encode(), "x.json", format="openai_chat")
    assert session.messages == TALK
    assert session.origin(2) == Origin(2, f"{pointer}/2")
    assert session.damage == ()


def test_a_list_and_a_request_are_recognised() -> None:
    for value in (TALK, {"messages": TALK}, {"model": "m", "messages": TALK, "tools": TOOLS}):
        assert opened(value).format.name == "openai_chat"


def test_bodies_are_the_files_own_objects() -> None:
    recording = salvage(json.dumps({"messages": TALK}).encode(), "x.json")
    assert recognise(recording)
    (conversation,) = read(recording)
    assert conversation.messages is recording.document["messages"]


def test_a_request_dump_keeps_model_and_tools() -> None:
    (one,) = opened({"model": "m", "messages": TALK, "tools": TOOLS}).conversations
    assert (one.model, one.tools) == ("m", tuple(TOOLS))


def test_a_recorded_answer_is_the_last_message_and_carries_usage() -> None:
    (one,) = opened({"request": {"model": "m", "messages": TALK[:3]}, "response": RESPONSE}).conversations
    assert one.messages == TALK
    assert one.usage == (Usage(3, 40, 32, 6),)
    assert one.origin(1) == Origin(1, "/request/messages/1")
    assert one.origin(3) == Origin(3, "/response/choices/0/message")


def test_an_answer_that_stands_in_the_list_already_is_not_added_again() -> None:
    (one,) = opened({"messages": TALK, "response": RESPONSE}).conversations
    assert one.messages == TALK
    assert one.usage == (Usage(3, 40, 32, 6),)


def test_each_request_of_json_lines_is_one_conversation() -> None:
    found = conversations_in(lines({"messages": TALK[:1]}, {"messages": TALK[:3]}, {"messages": TALK}), "x.jsonl")
    assert [len(one.messages) for one in found.conversations] == [1, 3, 4]
    assert found.conversations[1].origin(2) == Origin(1, "/1/messages/2", 2)
    assert [one.title for one in found.conversations] == ["line 1", "line 2", "line 3"]


def test_a_single_line_of_a_request_is_one_conversation() -> None:
    assert len(conversations_in(lines({"messages": TALK}) + b"\n", "x.jsonl").conversations) == 1


def test_one_message_a_line_is_one_conversation() -> None:
    session = load_bytes(lines(*TALK), "x.jsonl")
    assert session.messages == TALK
    assert session.conversations == 1
    assert session.origin(3) == Origin(3, "/3", 4)


def test_a_single_message_is_a_conversation() -> None:
    assert load_bytes(lines(USER), "x.jsonl").messages == [USER]


@pytest.mark.parametrize("odd", [5, None, "text", [], {}, {"content": "who?"}, {"role": None}, {"role": 7}])
def test_an_entry_that_is_no_message_is_named_and_skipped(odd: Any) -> None:
    session = load_bytes(json.dumps({"messages": [USER, odd, *TALK[1:]]}).encode(), "x.json")
    assert session.messages == TALK
    (finding,) = session.damage
    assert (finding.code, finding.severity) == ("unparseable-record", "warning")
    assert (finding.pointer, finding.message_index, finding.line) == ("/messages/1", 1, None)
    assert [session.origin(row).index for row in range(4)] == [0, 2, 3, 4]


def test_a_line_that_is_no_message_is_named_and_skipped() -> None:
    session = load_bytes(lines(USER, 5, *TALK[1:]), "x.jsonl")
    assert session.messages == TALK
    (finding,) = session.damage
    assert (finding.code, finding.pointer, finding.line) == ("unparseable-record", "/1", 2)
    assert session.origin(1) == Origin(2, "/2", 3)


def test_a_broken_message_is_named_once() -> None:
    raw = json.dumps({"messages": TALK}).replace('"tool_call_id": ', "tool_call_id: ").encode()
    session = load_bytes(raw, "x.json")
    assert session.messages == [USER, ASKS, ANSWER]
    assert [(finding.code, finding.pointer) for finding in session.damage] == [("unparseable-record", "/messages/2")]
    assert session.origin(2).index == 3


def test_damage_inside_a_message_names_its_row() -> None:
    raw = json.dumps({"messages": [None, USER, {"role": "user", "content": "\ud83d"}]}).encode()
    session = load_bytes(raw, "x.json")
    assert [(finding.code, finding.row) for finding in session.damage] == [
        ("lone-surrogate", 1),
        ("unparseable-record", None),
    ]


@pytest.mark.parametrize(
    "value",
    [
        {"mapping": {}},
        {"a": 1},
        [],
        {},
        [1, 2, 3],
    ],
)
def test_other_shapes_are_not_taken_for_chats(value: Any) -> None:
    assert not recognise(salvage(json.dumps(value).encode(), "x.json"))


@pytest.mark.parametrize("value", [{"a": 1}, [], {}, [1, 2, 3]])
def test_json_without_a_conversation_is_refused(value: Any) -> None:
    with pytest.raises(UnreadableSession, match="holds no"):
        opened(value)


def test_an_empty_message_list_is_an_empty_session() -> None:
    assert len(load_bytes(b'{"messages": []}', "x.json")) == 0
