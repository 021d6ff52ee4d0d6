"""Ollama files: no ids, images as strings, answers in pieces; and what must not be taken for Ollama."""

import json
from typing import Any

import pytest

from inspector.formats import load_bytes
from inspector.message import Origin, Usage, image_count

PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAQ="
ASK = {"role": "user", "content": "What is this?", "images": [PICTURE]}
CALL = {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "look", "arguments": {"at": "it"}}}]}
RESULT = {"role": "tool", "tool_name": "look", "content": "a square"}
ANSWER = {"role": "assistant", "content": "A square.", "thinking": "easy"}
TALK = [ASK, CALL, RESULT, ANSWER]
PLAIN = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]


def piece(message: dict[str, Any], done: bool = False, **more: Any) -> dict[str, Any]:
    return {"model": "q", "created_at": "2026-01-01T00:00:00Z", "message": message, "done": done, **more}


PIECES = [
    piece({"role": "assistant", "content": "", "thinking": "ea"}),
    piece({"role": "assistant", "content": "A squ", "thinking": "sy"}),
    piece({"role": "assistant", "content": "are.", "tool_calls": CALL["tool_calls"]}),
    piece({"role": "assistant", "content": ""}, done=True, prompt_eval_count=26, eval_count=9),
]
WHOLE = {"role": "assistant", "content": "A square.", "thinking": "easy", "tool_calls": CALL["tool_calls"]}


def lines(*values: Any) -> bytes:
    return b"\n".join(json.dumps(value).encode() for value in values)


@pytest.mark.parametrize(
    ("value", "pointer"),
    [
        (TALK, ""),
        ({"model": "q", "messages": TALK, "stream": False}, "/messages"),
    ],
)
def test_lists_and_requests_are_read(value: Any, pointer: str) -> None:
    session = load_bytes(json.dumps(value).encode(), "x.json")
    assert session.format == "ollama"
    assert session.messages == TALK
    assert session.origin(1) == Origin(1, f"{pointer}/1")
    assert sum(map(image_count, session.messages)) == 1


@pytest.mark.parametrize("only", [ASK, CALL, RESULT, ANSWER])
def test_one_mark_is_enough(only: dict[str, Any]) -> None:
    assert load_bytes(json.dumps([*PLAIN, only]).encode(), "x.json").format == "ollama"


def test_a_request_of_plain_messages_is_known_by_its_keys() -> None:
    value = {"model": "q", "messages": PLAIN, "options": {}, "tools": [{"type": "function"}]}
    session = load_bytes(json.dumps(value).encode(), "x.json")
    assert (session.format, session.model, len(session.tools)) == ("ollama", "q", 1)


@pytest.mark.parametrize(
    "foreign",
    [
        {"role": "tool", "tool_call_id": "a", "content": ""},
        {"role": "user", "content": [{"type": "text", "text": "hi"}]},
        {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]},
    ],
)
def test_messages_with_openai_marks_are_openai(foreign: dict[str, Any]) -> None:
    assert load_bytes(json.dumps([*TALK, foreign]).encode(), "x.json").format == "openai_chat"


def test_plain_messages_are_openai() -> None:
    assert load_bytes(json.dumps({"model": "q", "messages": PLAIN}).encode(), "x.json").format == "openai_chat"


def test_a_streamed_answer_is_one_message() -> None:
    session = load_bytes(lines(*PIECES), "x.jsonl")
    assert session.format == "ollama"
    assert session.messages == [WHOLE]
    assert session.usage == (Usage(0, 26, 0, 9),)
    assert session.origin(0) == Origin(0, "/0/message", 1, tuple(f"/{line}/message" for line in range(4)))
    assert session.model == "q"


def test_a_request_and_the_pieces_of_its_answer_are_one_conversation() -> None:
    request = {"model": "q", "messages": [ASK]}
    session = load_bytes(lines(request, *PIECES, {"model": "q", "messages": TALK}), "x.jsonl")
    assert session.conversations == 2
    assert session.messages == [ASK, WHOLE]
    assert session.usage == (Usage(1, 26, 0, 9),)
    assert session.origin(0) == Origin(0, "/0/messages/0", 1)


def test_an_unfinished_stream_keeps_what_came() -> None:
    session = load_bytes(lines(*PIECES[:2]), "x.jsonl")
    assert session.messages == [{"role": "assistant", "content": "A squ", "thinking": "easy"}]


def test_a_whole_answer_is_its_own_message() -> None:
    value = piece(ANSWER, done=True, prompt_eval_count=5, eval_count=2)
    session = load_bytes(json.dumps(value).encode(), "x.json")
    assert session.messages == [ANSWER]
    assert session.origin(0).pointer == "/message"
    assert session.usage == (Usage(0, 5, 0, 2),)


def test_one_message_a_line_is_read() -> None:
    session = load_bytes(lines(*TALK), "x.jsonl")
    assert (session.format, session.messages) == ("ollama", TALK)
    assert session.origin(2) == Origin(2, "/2", 3)


def test_what_is_no_message_is_named() -> None:
    session = load_bytes(lines(ASK, 5, *TALK[1:]), "x.jsonl")
    assert session.messages == TALK
    assert [(finding.code, finding.pointer) for finding in session.damage] == [("unparseable-record", "/1")]
