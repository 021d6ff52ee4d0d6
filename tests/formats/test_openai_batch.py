"""Batches, LiteLLM logs and the wrappers of tau-bench: Chat Completions that other tools keep."""

from typing import Any

import pytest
from hypothesis import given, settings

from inspector.formats import UnreadableSession, litellm_log, load_bytes, openai_batch
from inspector.formats.format import Conversation
from inspector.message import Context, Usage
from inspector.pairs import pairs_of
from tests.formats.damaged import read_or_refused
from tests.formats.damaged import spoilt as spoilt_bytes
from tests.formats.indexed import assert_as_counted, rows_of
from tests.formats.made import check_spoilt, document, jsonl, lines, script, spoilt

TALK = [{"role": "user", "content": "Which pier?"}]
ANSWER = {"role": "assistant", "content": "Two."}
BODY = {"choices": [{"message": ANSWER}], "usage": {"prompt_tokens": 5, "completion_tokens": 2}, "model": "m-1"}
ASKED = [
    {"custom_id": f"r{n}", "method": "POST", "url": "/v1", "body": {"model": "m", "messages": TALK}} for n in (1, 2)
]
CAME = [
    {"id": "b1", "custom_id": "r1", "response": {"status_code": 200, "body": BODY}, "error": None},
    {"id": "b2", "custom_id": "r2", "response": {"status_code": 400, "body": {"error": {"message": "too long"}}}},
]
LOG = {"messages": TALK, "tools": [{"type": "function"}], "kwargs": {}, "response": BODY, "cost": 0.1}


def context(conversation: Conversation) -> Context:
    return Context(conversation.messages, conversation.origin, range(len(conversation.messages)))


def test_each_request_of_a_batch_is_a_conversation_named_by_its_id() -> None:
    first, second = openai_batch.FORMAT.read(lines(*ASKED))
    assert openai_batch.FORMAT.recognise(lines(*ASKED))
    assert (first.title, second.title, first.model) == ("r1", "r2", "m")
    assert second.origin(0).pointer == "/1/body/messages/0"
    assert second.origin(0).line == 2


def test_an_answer_of_a_batch_is_a_conversation_and_a_failed_request_is_named() -> None:
    (only_one,) = openai_batch.FORMAT.read(lines(*CAME))
    assert openai_batch.FORMAT.recognise(lines(*CAME))
    assert script(only_one) == [("assistant", "Two.")]
    assert only_one.usage == (Usage(0, 5, 0, 2),)
    assert only_one.origin(0).pointer == "/0/response/body/choices/0/message"
    assert [(found.severity, found.pointer, "too long" in found.says) for found in only_one.damage] == [
        ("info", "/1", True)
    ]


def test_a_batch_where_all_failed_is_refused() -> None:
    with pytest.raises(UnreadableSession, match="no whole message"):
        load_bytes(jsonl(CAME[1], CAME[1]), "failed.jsonl")


def test_a_litellm_log_ends_with_its_answer() -> None:
    session = load_bytes(jsonl(LOG), "log.json")
    assert (session.format, session.model) == ("litellm_log", "m-1")
    assert [body["content"] for body in session.messages] == ["Which pier?", "Two."]
    assert session.usage == (Usage(1, 5, 0, 2),)
    assert session.origin(1).pointer == "/response/choices/0/message"


def test_a_plain_log_is_not_taken_for_litellms() -> None:
    assert not litellm_log.FORMAT.recognise(document({"request": {"messages": TALK}, "response": BODY}))
    assert not litellm_log.FORMAT.recognise(document({"messages": TALK, "cost": 1}))


def test_runs_of_tau_bench_are_conversations_whose_ids_come_again() -> None:
    asks = {"role": "assistant", "content": None, "tool_calls": [
        {"id": "c", "type": "function", "function": {"name": "look", "arguments": "{}"}}]}  # fmt: skip
    told = {"role": "tool", "tool_call_id": "c", "content": "empty"}
    runs = [{"task_id": n, "reward": 1.0, "info": {}, "traj": [*TALK, asks, told, asks, told]} for n in range(3)]
    session = load_bytes(jsonl(runs), "tau.json", index=2)
    assert (session.format, session.conversations, session.title) == ("openai_chat", 3, "2")
    pairs = pairs_of(session)
    assert [(pair.call_row, pair.result_row) for pair in pairs.pairs] == [(1, 2), (3, 4)]


@pytest.mark.parametrize("row", rows_of("openai_batch", "litellm_log"), ids=lambda row: row["file"])
def test_shared_files_are_as_counted(row: dict[str, str]) -> None:
    assert_as_counted(row)


@settings(max_examples=50, deadline=None)
@given(spoilt([*ASKED, *CAME, LOG]))
def test_no_damage_raises(values: list[Any]) -> None:
    check_spoilt(openai_batch.FORMAT, lines(*values))
    check_spoilt(litellm_log.FORMAT, document(values))


@settings(max_examples=30, deadline=None)
@given(spoilt_bytes([*ASKED, *CAME], lines=True))
def test_damaged_bytes_are_read_or_refused(raw: bytes) -> None:
    read_or_refused(raw)
