"""Fine-tuning sets: message lists with typed parts, preference pairs, ShareGPT."""

import json
from typing import Any

from hypothesis import given, settings

from inspector.formats import load_bytes, messages_jsonl_dataset, sharegpt
from tests.formats.made import check_shared, check_spoilt, codes, document, jsonl, lines, script, spoilt
from tests.shared import needs_shared

ASK = json.dumps({"name": "look", "arguments": {"pier": 2}})


def part(kind: str, value: str) -> dict[str, str]:
    return {"type": kind, "value": value}


TYPED: dict[str, Any] = {
    "messages": [
        {"role": "user", "content": [part("text", "Which"), part("image_url", "pics/a.png")]},
        {"role": "assistant", "content": [part("reasoning", "hm"), part("text", "I look."), part("tool_call", ASK)]},
        {"role": "tool", "content": [part("text", "empty")]},
    ],
    "tools": json.dumps([{"type": "function", "function": {"name": "look"}}]),
}
PAIR = {
    "prompt": [{"role": "user", "content": "Which pier?"}],
    "chosen": [{"role": "assistant", "content": "Two."}],
    "rejected": [{"role": "assistant", "content": "None."}],
}
SHARED_TURNS: dict[str, Any] = {
    "id": "t1",
    "system": "Be brief.",
    "conversations": [
        {"from": "human", "value": "<image>Which pier?"},
        {"from": "function_call", "value": ASK},
        {"from": "observation", "value": "empty"},
        {"from": "gpt", "value": "Two."},
    ],
    "tools": "[]",
    "images": ["pics/a.png"],
}


def test_typed_parts_become_text_thinking_calls_and_images() -> None:
    (conversation,) = messages_jsonl_dataset.FORMAT.read(lines(TYPED))
    assert messages_jsonl_dataset.FORMAT.recognise(lines(TYPED))
    user, answer, result = conversation.messages
    assert user["content"] == [
        {"type": "text", "text": "Which"}, {"type": "image_url", "image_url": {"url": "pics/a.png"}},
    ]  # fmt: skip
    assert (answer["content"], answer["thinking"]) == ("I look.", "hm")
    call = {"type": "function", "function": {"name": "look", "arguments": '{"pier":2}'}}
    assert answer["tool_calls"] == [call]
    assert result == {"role": "tool", "name": "look", "content": "empty"}
    assert conversation.tools[0]["function"]["name"] == "look"
    origin = conversation.origin(1)
    assert (origin.pointer, origin.line) == ("/0/messages/1", 1)
    assert origin.parts == tuple(f"/0/messages/1/content/{at}" for at in (2, 0, 1))


def test_the_chosen_answer_is_read_and_the_rejected_one_was_left() -> None:
    (conversation,) = messages_jsonl_dataset.FORMAT.read(document([PAIR]))
    assert script(conversation) == [("user", "Which pier?"), ("assistant", "Two.")]
    assert [body["content"] for body in conversation.abandoned] == ["None."]
    assert conversation.origin(1).pointer == "/0/chosen/0"


def test_plain_message_lists_stay_chat_completions() -> None:
    plain = {"messages": [{"role": "user", "content": "hi"}], "weight": 1}
    assert not messages_jsonl_dataset.FORMAT.recognise(lines(plain, plain))
    assert load_bytes(jsonl(plain, plain), "train.jsonl").format == "openai_chat"


def test_sharegpt_turns_become_messages_and_their_calls_pair_by_place() -> None:
    (conversation,) = sharegpt.FORMAT.read(document([SHARED_TURNS]))
    assert sharegpt.FORMAT.recognise(document([SHARED_TURNS]))
    system, user, asks, told, answer = conversation.messages
    assert (system["content"], answer["content"], conversation.title) == ("Be brief.", "Two.", "t1")
    assert [one["type"] for one in user["content"]] == ["text", "image_url"]
    assert user["content"][0]["text"] == "<image>Which pier?"
    assert (asks["content"], asks["tool_calls"][0]["function"]["name"]) == (None, "look")
    assert told == {"role": "tool", "name": "look", "content": "empty"}
    assert [conversation.origin(row).pointer for row in (0, 2)] == ["/0/system", "/0/conversations/1"]
    assert conversation.origin(3).parts == ("/0/conversations/2/value",)


def test_a_call_that_is_no_json_is_kept_whole() -> None:
    turns = {"conversations": [{"from": "function_call", "value": "look(pier=2)"}]}
    (conversation,) = sharegpt.FORMAT.read(document([turns]))
    assert conversation.messages[0]["tool_calls"][0]["function"] == {"name": "", "arguments": "look(pier=2)"}


def test_turns_that_are_none_are_named() -> None:
    turns = {"conversations": [{"from": "human", "value": "hi"}, None, {"value": "x"}]}
    (conversation,) = sharegpt.FORMAT.read(document([turns]))
    assert codes(conversation) == [
        ("unparseable-record", "/0/conversations/1"), ("unparseable-record", "/0/conversations/2"),
    ]  # fmt: skip


@needs_shared
def test_shared_files_are_as_counted() -> None:
    check_shared(messages_jsonl_dataset.FORMAT)
    check_shared(sharegpt.FORMAT)


@settings(max_examples=60, deadline=None)
@given(spoilt([TYPED, PAIR, SHARED_TURNS]))
def test_no_damage_raises(values: list[Any]) -> None:
    check_spoilt(messages_jsonl_dataset.FORMAT, lines(*values))
    check_spoilt(sharegpt.FORMAT, document(values))
