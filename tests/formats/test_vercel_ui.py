"""Vercel AI SDK: UI messages of versions 5 to 7. (Version 4, model messages and the real library: test_vercel_*.)

What is expected here is what `convertToModelMessages` of ai 5.0.277, 6.0.326 and 7.0.173 made of such messages, which
their own `streamText` and `readUIMessageStream` had made.
"""

from typing import Any

from hypothesis import given, settings

from inspector.formats import load_bytes
from inspector.formats.vercel_parts import DENIED
from inspector.formats.vercel_ui import FORMAT, UNAVAILABLE
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


def answer(*parts: Any) -> list[Any]:
    return [{"role": "user", "parts": [{"type": "text", "text": "Go."}]}, {"role": "assistant", "parts": [*parts]}]


def rows_of(*parts: Any) -> list[tuple[str, Any]]:
    return script(only(FORMAT, document(answer(*parts))))[1:]


def test_texts_of_a_system_message_are_sent_as_one() -> None:
    system = {"role": "system", "parts": [{"type": "text", "text": "Be "}, {"type": "text", "text": "brief."}]}
    assert script(only(FORMAT, document([system, *UI])))[0] == ("system", "Be brief.")


def test_a_call_that_is_still_being_streamed_is_not_sent() -> None:
    assert rows_of({"type": "text", "text": "I"}, tool("input-streaming", "c1")) == [("assistant", "I")]
    assert rows_of({"type": "step-start"}, tool("input-streaming", "c1")) == []


def test_an_output_of_nothing_is_sent_as_null() -> None:
    assert rows_of(tool("output-available", "c1", output=None))[1:] == [("tool", "null")]
    assert rows_of(tool("output-available", "c1"))[1:] == [("tool", "null")]


def test_results_of_tools_that_the_provider_runs_come_first() -> None:
    web = {"type": "tool-web", "toolCallId": "w", "input": {}, "state": "output-available", "output": "far"}
    rows = rows_of(tool("output-available", "c1", output="near"), {**web, "providerExecuted": True})
    assert rows == [("assistant", ["look", "web"]), ("tool", "far"), ("tool", "near")]


def test_a_refused_call_has_a_result_before_the_app_has_answered_too() -> None:
    refused = {"id": "a", "approved": False}
    conversation = only(FORMAT, document(answer(
        tool("approval-responded", "c1", approval={**refused, "reason": "not now"}),
        tool("approval-responded", "c2", approval=refused),
        tool("approval-responded", "c3", approval={"id": "b", "approved": True}),
    )))  # fmt: skip
    assert script(conversation)[2:] == [("tool", "not now"), ("tool", DENIED)]
    assert all(body["is_error"] for body in conversation.messages[2:])
    assert conversation.origin(2).parts == ("/1/parts/0/approval/reason",)


def test_the_output_of_a_tool_that_is_gone_is_not_sent() -> None:
    gone = {"type": "dynamic-tool", "dynamic": False, "toolName": "old", "toolCallId": "c", "input": {},
            "state": "output-available", "output": "secret"}  # fmt: skip
    assert rows_of(gone) == [("assistant", ["old"]), ("tool", UNAVAILABLE)]
    assert rows_of({**gone, "dynamic": True})[1] == ("tool", "secret")


def test_empty_texts_and_messages_with_nothing_to_send_are_left_out() -> None:
    assert rows_of({"type": "text", "text": "I"}, {"type": "text", "text": ""}) == [("assistant", "I")]
    assert rows_of({"type": "text", "text": ""}) == [("assistant", "")]
    assert rows_of({"type": "data-wind", "data": 3}) == []
    assert rows_of() == []


def test_what_is_no_text_and_no_file_of_a_user_is_not_sent() -> None:
    said = {"role": "user", "parts": [{"type": "reasoning", "text": "hm"}, {"type": "text", "text": "Go."},
                                      {"type": "data-wind", "data": 3}]}  # fmt: skip
    conversation = only(FORMAT, document([said]))
    assert conversation.messages == [{"role": "user", "content": "Go."}]


def test_a_message_that_steers_a_run_stands_between_its_steps() -> None:
    steer = {"type": "steering-message", "id": "s", "parts": [{"type": "text", "text": "Turn left."}]}
    conversation = only(
        FORMAT, document(answer({"type": "text", "text": "On."}, steer, {"type": "text", "text": "Yes."}))
    )
    assert script(conversation)[1:] == [("assistant", "On."), ("user", "Turn left."), ("assistant", "Yes.")]
    assert conversation.origin(2).parts == ("/1/parts/1/parts/0",)


def test_a_chat_that_a_user_has_the_last_word_in_is_no_list_of_gemini_contents() -> None:
    more = {"role": "user", "parts": [{"type": "text", "text": "Never mind."}]}
    assert load_bytes(jsonl([*answer({"type": "text", "text": "I"}), more]), "ui.json").format == "vercel_ui"


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
