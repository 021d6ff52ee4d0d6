"""Vercel AI SDK: UI messages of versions 4 to 6, and model messages."""

from typing import Any

from hypothesis import given, settings

from inspector.formats import load_bytes
from inspector.formats.vercel_ui import DENIED, FORMAT
from tests.formats.made import check_spoilt, codes, document, jsonl, lines, only, script, spoilt


def tool(state: str, call: str, **more: Any) -> dict[str, Any]:
    return {"type": "tool-look", "toolCallId": call, "state": state, "input": {"pier": 2}, **more}


UI: list[Any] = [
    {"id": "m0", "role": "system", "parts": [{"type": "text", "text": "Be brief."}]},
    {"id": "m1", "role": "user", "parts": [
        {"type": "text", "text": "Which pier?"}, {"type": "file", "mediaType": "image/png", "url": "data:image/png;,"},
        {"type": "data-weather", "data": {}}]},
    {"id": "m2", "role": "assistant", "metadata": {"model": "m-1"}, "parts": [
        {"type": "step-start"},
        {"type": "reasoning", "text": "hm", "providerMetadata": {"anthropic": {"signature": "s"}}},
        {"type": "text", "text": "I look."},
        tool("output-available", "c1", output={"boats": 0}),
        tool("output-error", "c2", errorText="too slow"),
        tool("output-denied", "c3", approval={"id": "a", "approved": False}),
        tool("input-available", "c4"),
        {"type": "step-start"},
        {"type": "source-url", "url": "https://x.example"},
        {"type": "dynamic-tool", "toolName": "search", "toolCallId": "c5", "state": "output-available",
         "input": {}, "output": "found"},
        {"type": "text", "text": "Two."}]},
]  # fmt: skip
V4: list[Any] = [
    {"id": "m1", "role": "user", "content": "Which pier?",
     "experimental_attachments": [{"contentType": "image/png", "url": "data:image/png;,"}]},
    {"id": "m2", "role": "assistant", "content": "I look.", "reasoning": "hm", "toolInvocations": [
        {"state": "result", "toolCallId": "c1", "toolName": "look", "args": {"pier": 2}, "result": [1]},
        {"state": "call", "toolCallId": "c2", "toolName": "look", "args": {}}]},
]  # fmt: skip
MODEL: list[Any] = [
    {"role": "user", "content": [{"type": "text", "text": "Which?"}, {"type": "image", "image": "iVBORw0K"}]},
    {"role": "assistant", "content": [
        {"type": "text", "text": "I look."},
        {"type": "tool-call", "toolCallId": "c1", "toolName": "look", "input": {"pier": 2}},
        {"type": "tool-call", "toolCallId": "c2", "toolName": "look", "args": {}}]},
    {"role": "tool", "content": [
        {"type": "tool-result", "toolCallId": "c1", "toolName": "look", "output": {"type": "json", "value": {"a": 1}}},
        {"type": "tool-result", "toolCallId": "c2", "toolName": "look", "output": {"type": "content", "value": [
            {"type": "text", "text": "see"}, {"type": "image-data", "data": "iVBORw0K", "mediaType": "image/png"}]}},
        {"type": "tool-result", "toolCallId": "c3", "toolName": "look", "result": "old", "isError": True}]},
]  # fmt: skip


def test_each_step_is_an_answer_then_its_results() -> None:
    conversation = only(FORMAT, document(UI))
    assert script(conversation)[2:] == [
        ("assistant", "I look."), ("tool", '{"boats":0}'), ("tool", "too slow"), ("tool", DENIED),
        ("assistant", "Two."), ("tool", "found"),
    ]  # fmt: skip
    answer = conversation.messages[2]
    assert [call["id"] for call in answer["tool_calls"]] == ["c1", "c2", "c3", "c4"]
    assert (answer["thinking"], answer["thinking_blocks"]) == ("hm", [UI[2]["parts"][1]])
    assert [body.get("is_error", False) for body in conversation.messages[3:6]] == [False, True, True]
    assert conversation.messages[7] == {"role": "tool", "tool_call_id": "c5", "name": "search", "content": "found"}
    assert [part["type"] for part in conversation.messages[1]["content"]] == ["text", "image_url"]
    assert conversation.origin(3).parts == ("/2/parts/3/output",)
    assert conversation.origin(2).pointer == conversation.origin(7).pointer == "/2"
    assert conversation.model == "m-1"


def test_version_4_keeps_calls_beside_the_text() -> None:
    conversation = only(FORMAT, document({"id": "chat", "messages": V4}))
    assert [body["role"] for body in conversation.messages] == ["user", "assistant", "tool"]
    assert conversation.messages[1]["thinking"] == "hm"
    assert len(conversation.messages[1]["tool_calls"]) == 2
    assert conversation.messages[2]["content"] == "[1]"
    assert conversation.origin(2).parts == ("/messages/1/toolInvocations/0/result",)
    assert conversation.title == "chat"


def test_what_version_4_keeps_twice_is_read_once() -> None:
    call = {"type": "tool-invocation", "toolInvocation": V4[1]["toolInvocations"][0]}
    twice = {**V4[1], "parts": [{"type": "text", "text": "I look."}, call]}
    conversation = only(FORMAT, document([twice]))
    assert script(conversation) == [("assistant", "I look."), ("tool", "[1]")]
    assert len(conversation.messages[0]["tool_calls"]) == 1
    assert conversation.origin(1).parts == ("/0/parts/1/toolInvocation/result",)


def test_model_messages_give_a_row_for_each_result() -> None:
    conversation = only(FORMAT, lines(*MODEL))
    assert [body["role"] for body in conversation.messages] == ["user", "assistant", "tool", "tool", "tool"]
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0K"}}
    assert conversation.messages[0]["content"][1] == image
    assert conversation.messages[3]["content"] == [{"type": "text", "text": "see"}, image]
    assert conversation.messages[2]["content"] == '{"a":1}'
    assert (conversation.messages[4]["content"], conversation.messages[4]["is_error"]) == ("old", True)
    assert conversation.origin(2).parts == ("/2/content/0/output/value",)


def test_messages_are_told_from_those_of_other_makers() -> None:
    assert load_bytes(jsonl(UI), "ui.json").format == "vercel_ui"
    assert load_bytes(jsonl(MODEL), "model.json").format == "vercel_ui"
    gemini = [{"role": "user", "parts": [{"text": "hi"}]}, {"role": "model", "parts": [{"text": "hello"}]}]
    assert load_bytes(jsonl(gemini), "g.json").format == "gemini_contents"
    assert not FORMAT.recognise(document(gemini))
    assert not FORMAT.recognise(document([{"role": "user", "content": [{"type": "text", "text": "hi"}]}]))


def test_what_is_no_message_is_named() -> None:
    assert codes(only(FORMAT, document([*UI, None, {"id": "x"}]))) == [
        ("unparseable-record", "/3"), ("unparseable-record", "/4"),
    ]  # fmt: skip


@settings(max_examples=80, deadline=None)
@given(spoilt([*UI, *V4, *MODEL]))
def test_no_damage_raises(values: list[Any]) -> None:
    check_spoilt(FORMAT, document(values))
    check_spoilt(FORMAT, document({"messages": values}))
    check_spoilt(FORMAT, lines(*values))
