"""OpenAI Responses: bodies, responses, logs, lists; items told as rows."""

from typing import Any

import pytest
from hypothesis import given, settings

from inspector.formats import conversations_in
from inspector.formats.openai_responses import FORMAT
from inspector.message import Compaction, Usage
from tests.formats.made import check_shared, check_spoilt, document, jsonl, lines, only, script, spoilt
from tests.shared import needs_shared

PICTURE = "data:image/png;base64,AA"
REASONING = {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Two boats."}],
             "encrypted_content": "gAAA"}  # fmt: skip
CALLS: list[dict[str, Any]] = [
    {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "look", "arguments": '{"pier": 2}'},
    {"type": "custom_tool_call", "call_id": "c2", "name": "apply_patch", "input": "*** Begin Patch"},
]
OUTPUTS: list[dict[str, Any]] = [
    {"type": "function_call_output", "call_id": "c1", "output": "empty"},
    {
        "type": "custom_tool_call_output",
        "call_id": "c2",
        "output": [{"type": "input_text", "text": "Done."}, {"type": "input_image", "image_url": PICTURE}],
    },
]  # fmt: skip
BODY = {
    "model": "gpt-x",
    "instructions": "Be brief.",
    "input": [
        {"role": "user", "content": "Which pier?"},
        REASONING,
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "I look."}]},
        *CALLS,
        *OUTPUTS,
        {"role": "user", "content": [{"type": "input_text", "text": "And?"}, {"type": "input_text", "text": "Well?"}]},
    ],
    "tools": [{"type": "function", "name": "look"}],
}


def test_a_run_of_items_is_one_assistant_message_and_each_output_a_result() -> None:
    conversation = only(FORMAT, document(BODY))
    assert script(conversation) == [
        ("system", "Be brief."),
        ("user", "Which pier?"),
        ("assistant", "I look."),
        ("tool", "empty"),
        ("tool", [{"type": "text", "text": "Done."}, {"type": "image_url", "image_url": {"url": PICTURE}}]),
        ("user", "And?\nWell?"),
    ]  # fmt: skip
    answer = conversation.messages[2]
    assert answer["thinking"] == "Two boats."
    assert answer["thinking_blocks"][0] is REASONING
    assert answer["tool_calls"] == [
        {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"pier": 2}'}},
        {"id": "c2", "type": "custom", "custom": {"name": "apply_patch", "input": "*** Begin Patch"}},
    ]
    assert [body.get("name") for body in conversation.messages[3:5]] == ["look", "apply_patch"]
    assert conversation.messages[4]["type"] == "custom_tool_call_output"
    assert (conversation.model, len(conversation.tools)) == ("gpt-x", 1)


def test_places_are_those_of_the_items_calls_first() -> None:
    conversation = only(FORMAT, document(BODY))
    assert conversation.origin(0).index == -1
    assert conversation.origin(2).pointer == "/input/1"
    assert conversation.origin(2).parts == ("/input/3", "/input/4", "/input/1", "/input/2/content/0")
    assert conversation.origin(4).pointer == "/input/6"


def test_a_hosted_tool_is_a_whole_part_and_no_call() -> None:
    item = {"type": "web_search_call", "id": "ws", "status": "completed", "action": {"type": "search", "query": "pier"}}
    conversation = only(FORMAT, document([{"role": "user", "content": "Look."}, item, *CALLS[:1]]))
    assert conversation.messages[1]["content"] == [item]
    assert len(conversation.messages[1]["tool_calls"]) == 1


def test_shell_and_search_calls_keep_their_type_and_their_action() -> None:
    items = [
        {"type": "local_shell_call", "call_id": "k", "action": {"type": "exec", "command": ["ls"]}},
        {"type": "function_call_output", "call_id": "k", "output": "sign.txt"},
        {"type": "tool_search_call", "call_id": "s", "arguments": {"query": "boat"}},
        {"type": "tool_search_output", "call_id": "s", "tools": [{"type": "function", "name": "row"}]},
        {"type": "tool_search_call", "execution": "server", "arguments": {}},
    ]
    conversation = only(FORMAT, document(items))
    call = conversation.messages[0]["tool_calls"][0]
    assert (call["type"], call["function"]["name"]) == ("local_shell_call", "local_shell")
    assert call["function"]["arguments"] == '{"type":"exec","command":["ls"]}'
    assert conversation.messages[3]["content"] == '[{"type":"function","name":"row"}]'
    assert conversation.messages[4]["content"] == [items[4]]


def test_a_compaction_item_begins_a_row_and_keeps_only_the_instructions() -> None:
    item = {"type": "compaction", "encrypted_content": "gAAA"}
    given = [{"role": "user", "content": "Old."}, item, {"role": "user", "content": "New."}]
    conversation = only(FORMAT, document({"model": "m", "instructions": "Be brief.", "input": given}))
    assert conversation.compactions == (Compaction(2, "compaction", kept=(0,)),)
    assert conversation.messages[2]["thinking_blocks"] == [item]


def test_a_logged_response_follows_its_request_with_its_usage() -> None:
    answer = {
        "object": "response",
        "output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Two."}]}],
        "usage": {"input_tokens": 90, "input_tokens_details": {"cached_tokens": 60}, "output_tokens": 4},
    }
    record = {"request": {"model": "m", "input": "How many?", "store": False}, "response": answer}
    conversation = FORMAT.read(document(record))[0]
    assert script(conversation) == [("user", "How many?"), ("assistant", "Two.")]
    assert conversation.usage == (Usage(1, 90, 60, 4),)
    assert conversation.origin(1).pointer == "/response/output/0"


def test_requests_one_a_line_are_conversations_and_items_one_a_line_are_one() -> None:
    opened = conversations_in(jsonl(BODY, BODY), "made.jsonl")
    assert (opened.format.name, len(opened.conversations)) == ("openai_responses", 2)
    assert opened.conversations[1].origin(1).pointer == "/1/input/0"
    conversation = only(FORMAT, lines(*BODY["input"]))
    assert conversation.origin(1).parts == ("/3", "/4", "/1", "/2/content/0")


@pytest.mark.parametrize(
    "value",
    [
        {"input": ["embed me", "and me"], "model": "text-embedding"},
        {"input": "embed me", "model": "text-embedding"},
        {"messages": [{"role": "user", "content": "x"}], "model": "m", "store": True},
        [{"type": "message", "role": "assistant", "content": [{"type": "text", "text": "y"}]}],
        [],
        {},
        7,
    ],
)  # fmt: skip
def test_what_is_no_item_is_left_to_others(value: Any) -> None:
    assert not FORMAT.recognise(document(value))


def test_an_entry_that_is_no_object_is_named_and_left_out() -> None:
    conversation = FORMAT.read(document([*CALLS, 7, *OUTPUTS]))[0]
    assert [(found.code, found.pointer) for found in conversation.damage] == [("unparseable-record", "/2")]
    assert [body["role"] for body in conversation.messages] == ["assistant", "tool", "tool"]


@given(spoilt([BODY, [*CALLS, REASONING, *OUTPUTS], {"response": {"object": "response", "output": CALLS}}]))
@settings(deadline=None)
def test_no_body_makes_the_reader_raise(values: list[Any]) -> None:
    for value in values:
        check_spoilt(FORMAT, document(value))
    check_spoilt(FORMAT, lines(*values))


@needs_shared
def test_the_public_files_have_the_figures_of_their_index() -> None:
    check_shared(FORMAT)
