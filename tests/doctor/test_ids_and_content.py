"""Ids, the shape of the content, reasoning, roles, sizes and markers: each rule where it speaks, and where not."""

import json
from typing import Any

import pytest

from tests.doctor.builders import (
    answer,
    anthropic,
    asked,
    bedrock,
    calls,
    chat,
    codes,
    examined,
    function_call,
    gemini,
    image,
    item_call,
    item_output,
    item_user,
    items,
    model,
    only,
    png,
    response,
    result,
    said,
    text_block,
    turn,
    use,
    user,
)


def test_an_id_is_judged_by_the_form_of_the_target_only() -> None:
    session = chat(user(), calls("call.1"), result("call.1"), said())
    assert codes(session) == []
    assert codes(session, "anthropic") == [("tool-call-id-format", "/messages/1/tool_calls/0/id")]
    assert only(codes(session, "mistral"), "tool-call-id-format") == ["/messages/1/tool_calls/0/id"]


def test_items_with_one_id_are_duplicates_and_nothing_more() -> None:
    call = item_call("a", id="fc_1")
    assert codes(items(item_user(), call, call, item_output("a"), item_user())) == [("duplicate-item-id", "/input/2")]


def test_shared_ids_of_different_calls_explain_their_results() -> None:
    session = anthropic(user(), turn("assistant", use("a", {"n": 1}), use("a", {"n": 2})),
                        turn("user", answer("a"), answer("a")), said())  # fmt: skip
    assert codes(session) == [("duplicate-tool-call-id", "/messages/1/content/1")]


@pytest.mark.parametrize(("text", "code"), [("", "empty-text-block"), (" \n ", "whitespace-only-text")])
def test_a_text_block_must_say_something_to_anthropic(text: str, code: str) -> None:
    session = anthropic(user(), turn("assistant", text_block(text), use("a")), turn("user", answer("a", "")), said())
    assert codes(session) == [(code, "/messages/1/content/0")]


def test_an_empty_message_is_refused_but_at_the_end() -> None:
    assert codes(anthropic(user(), said(""), user())) == [("empty-message", "/messages/1")]
    assert codes(anthropic(user(), {"role": "assistant", "content": []})) == []
    assert codes(chat(user(), said(""), user())) == []
    assert codes(chat(user(), said(""), user()), "anthropic") == [("empty-message", "/messages/1")]


def test_null_content_needs_something_in_its_stead() -> None:
    assert codes(chat(user(), said(), {"role": "assistant", "content": None}, user())) == [
        ("null-content", "/messages/2/content")
    ]
    assert codes(chat(user(), calls("a"), result("a", None), said())) == [("null-content", "/messages/2/content")]
    assert codes(chat(user(), {"role": "assistant", "content": None, "refusal": "no"}, user())) == []


def test_an_error_of_bedrock_must_say_something() -> None:
    call = {"toolUse": {"toolUseId": "a", "name": "look", "input": {}}}
    empty = {"toolResult": {"toolUseId": "a", "content": [], "status": "error"}}
    session = bedrock(turn("user", {"text": "q"}), turn("assistant", call), turn("user", empty),
                      turn("assistant", {"text": "x"}))  # fmt: skip
    assert codes(session) == [("empty-error-result", "/messages/2/content/0/toolResult/content")]


@pytest.mark.parametrize("arguments", ['{"a": "b', "[1]", '"x"', "null", '{"a": 1}{"a": 1}'])
def test_arguments_must_be_a_json_object(arguments: str) -> None:
    found = codes(chat(user(), calls("a", arguments=arguments), result("a"), said()))
    assert found == [("invalid-tool-arguments", "/messages/1/tool_calls/0/function/arguments")]


@pytest.mark.parametrize("arguments", ["", "  ", "{}", ' {"a": 1} '])
def test_empty_arguments_are_none(arguments: str) -> None:
    assert codes(chat(user(), calls("a", arguments=arguments), result("a"), said())) == []


def test_arguments_nested_too_deep_are_named_as_such() -> None:
    deep = '{"a":' * 600 + "1" + "}" * 600
    assert codes(chat(user(), calls("a", arguments=deep), result("a"), said())) == [
        ("too-deep", "/messages/1/tool_calls/0/function/arguments")
    ]


def test_free_text_of_custom_tools_is_no_json() -> None:
    call = {"type": "custom_tool_call", "call_id": "a", "name": "patch", "input": "*** Begin"}
    assert codes(items(item_user(), call, item_output("a", "custom_tool_call_output"), item_user())) == []


def test_thinking_is_missed_in_the_open_turn_only() -> None:
    on = {"thinking": {"type": "enabled", "budget_tokens": 1024}}
    opened = (user(), turn("assistant", use("a")), turn("user", answer("a")))
    assert codes(anthropic(*opened, **on)) == [("missing-thinking-block", "/messages/1/content/0")]
    assert codes(anthropic(*opened)) == []
    assert codes(anthropic(*opened, said(), user(), **on)) == []


def test_thinking_without_a_signature_is_advised_on_in_an_open_turn() -> None:
    thought = {"type": "thinking", "thinking": "hm"}
    found = examined(anthropic(user(), turn("assistant", thought, use("a")), turn("user", answer("a"))))
    assert [(one.code, one.repair[:4]) for one in found] == [("thinking-without-signature", "None")]
    signed = {"type": "thinking", "thinking": "", "signature": "x"}
    remarks = codes(anthropic(user(), turn("assistant", signed, text_block()), user()), remarks=True)
    assert remarks == [("thinking-text-empty", "/messages/1/content/0")]


def test_gemini_3_wants_the_signature_of_the_first_call_of_each_current_step() -> None:
    signed = function_call("a", thoughtSignature="x")
    session = gemini(asked({"text": "old"}), model(function_call("a")), asked(response("a")), model({"text": "x"}),
                     asked({"text": "new"}), model(signed, function_call("b")), asked(response("a"), response("b")),
                     model(function_call("c")), asked(response("c")))  # fmt: skip
    assert codes(session, "gemini-3") == [("missing-thought-signature", "/contents/7/parts/0")]
    assert codes(session, "gemini-2.5") == []


def test_reasoning_must_be_followed_by_what_it_led_to() -> None:
    thought = {"type": "reasoning", "id": "rs_1", "summary": []}
    second = {"type": "reasoning", "id": "rs_2", "summary": []}
    assert codes(items(item_user(), thought, second, item_call("a"), item_output("a"), item_user())) == []
    assert codes(items(item_user(), thought, item_user(), thought | {"id": "rs_3"})) == [
        ("reasoning-without-follower", "/input/1"), ("reasoning-without-follower", "/input/3"),
    ]  # fmt: skip


def test_a_call_item_wants_its_reasoning_from_reasoning_models_only() -> None:
    session = items(item_user(), item_call("a", id="fc_1"), item_output("a"), item_user())
    assert codes(session, "openai-reasoning") == [("call-without-reasoning", "/input/1")]
    assert codes(session) == codes(session, "openai-non-reasoning") == []
    bare = items(item_user(), item_call("a"), item_output("a"), item_user())
    assert codes(bare, "openai-reasoning") == []


def test_roles_must_alternate_for_a_strict_template() -> None:
    session = chat({"role": "system", "content": "s"}, user("a"), user("b"), calls("c"), result("c"), said(), said())
    assert codes(session, "strict-template") == [
        ("consecutive-same-role", "/messages/2"), ("consecutive-same-role", "/messages/6"),
    ]  # fmt: skip
    assert codes(session) == []


def test_large_pictures_count_only_among_many() -> None:
    small = [image() for _ in range(20)]
    big = image(2001, 10)
    assert codes(anthropic(turn("user", *small, big), said())) == [
        ("image-too-large-for-many", "/messages/0/content/20")
    ]
    assert codes(anthropic(turn("user", *small[1:], big), said())) == []
    nested = anthropic(turn("user", *small), turn("assistant", use("a")), turn("user", answer("a", [big])), said())
    assert codes(nested) == [("image-too-large-for-many", "/messages/2/content/0/content/0")]


def test_a_picture_in_a_tool_message_is_for_others_than_openai() -> None:
    part = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{png(4, 4)}"}}
    session = chat(user(), calls("a"), result("a", [text_block(), part]), said())
    assert codes(session) == [("image-in-tool-message", "/messages/2/content/1")]
    assert codes(session, "anthropic") == []


def test_a_string_beyond_what_openai_takes_is_named_at_its_place() -> None:
    found = codes(chat(user("x" * 10_485_761), said()), "openai")
    assert only(found, "string-too-long") == ["/messages/0/content"]
    found = codes(chat(user(), calls("a", arguments=json.dumps({"t": "x" * 1_048_570})), result("a"), said()))
    assert only(found, "string-too-long") == ["/messages/1/tool_calls/0/function/arguments"]


def test_a_result_from_a_hundred_thousand_characters_is_huge() -> None:
    assert codes(chat(user(), calls("a"), result("a", "x" * 100_000), said())) == [
        ("huge-tool-result", "/messages/2/content")
    ]
    assert codes(chat(user(), calls("a"), result("a", "x" * 99_999), said())) == []
    session = anthropic(user(), turn("assistant", use("a")), turn("user", answer("a", "x" * 100_000)), said())
    assert codes(session) == [("huge-tool-result", "/messages/2/content/0/content")]


def test_a_session_beyond_the_window_of_its_model_is_named_as_a_whole() -> None:
    found = examined(chat(*[user("word " * 20_000)] * 6, said()))
    assert [(one.code, one.message_index, one.pointer) for one in found] == [("over-context-limit", None, "")]


@pytest.mark.parametrize("tail", ["...[truncated]", "… [200 chars omitted]", "... (truncated)", "...[cut]\n"])
def test_an_argument_that_ends_in_a_marker_is_named(tail: str) -> None:
    inside = json.dumps({"content": "def f():\n    return" + tail})
    found = codes(chat(user(), calls("a", arguments=inside), result("a"), said()))
    assert found == [("marker-in-tool-arguments", "/messages/1/tool_calls/0/function/arguments")]
    session = anthropic(user(), turn("assistant", use("a", {"c": ["text" + tail]})), turn("user", answer("a")), said())
    assert codes(session) == [("marker-in-tool-arguments", "/messages/1/content/0/input/c/0")]


@pytest.mark.parametrize("text", ["see [truncated] ... above", "...", "wait...", "[truncated]", "...[truncated] then"])
def test_a_mention_of_a_marker_is_honest(text: str) -> None:
    inside = json.dumps({"content": text})
    assert codes(chat(user(), calls("a", arguments=inside), result("a"), said())) == []


def test_markup_of_a_call_inside_an_argument_is_named() -> None:
    inside = json.dumps({"path": 'a.txt</path>\n<parameter name="content">text'})
    assert codes(chat(user(), calls("a", arguments=inside), result("a"), said())) == [
        ("markup-in-tool-arguments", "/messages/1/tool_calls/0/function/arguments")
    ]


def test_a_token_in_a_name_is_named() -> None:
    found = codes(chat(user(), calls("a", name="search<|channel|>commentary"), result("a"), said()))
    assert found == [("marker-in-tool-name", "/messages/1/tool_calls/0/function/name")]


@pytest.mark.parametrize(
    "text",
    [
        '[Assistant tool call]: shell({"a": 1})', '<tool_call>\n{"name": "x", "arguments": {}}\n</tool_call>',
        '<function_calls>\n<invoke name="x">\n</invoke>\n</function_calls>', "[TOOL_CALLS][{}]",
        'I look.\n<tool_call>{"name": "x"}</tool_call>', "<function=run>\nls\n</function>",
    ],
)  # fmt: skip
def test_a_call_in_writing_is_named_at_its_message(text: str) -> None:
    assert codes(chat(user(), said(text), user())) == [("tool-call-as-text", "/messages/1")]


@pytest.mark.parametrize(
    "text", ["Use <tool_call> tags.", "[tool] is a word", "The text `<function_calls>` is markup.", "[Tools]: many"]
)
def test_a_text_about_calls_is_honest(text: str) -> None:
    assert codes(chat(user(), said(text), user())) == []


def test_texts_that_trip_other_programs_are_remarks() -> None:
    session = chat(
        user("<|endoftext|>"),
        said("\x1b[31mred"),
        user("This session is being continued from a previous conversation that"),
    )
    assert codes(session) == []
    assert codes(session, remarks=True) == [
        ("special-token-text", "/messages/0/content"), ("control-sequence-text", "/messages/1/content"),
        ("summary-as-user-message", "/messages/2/content"),
    ]  # fmt: skip


def test_cache_markers_of_tools_system_and_messages_count_together() -> None:
    mark: dict[str, Any] = {"cache_control": {"type": "ephemeral"}}
    four = anthropic(turn("user", {**text_block(), **mark}, {**text_block(), **mark}), turn("assistant", text_block()))
    four |= {"system": [{**text_block(), **mark}], "tools": [{"name": "t", "input_schema": {}, **mark}]}
    assert codes(four) == []
    four["messages"].append(turn("user", {**text_block(), **mark}))
    assert codes(four) == [("too-many-cache-breakpoints", "/messages/2/content/0/cache_control")]


@pytest.mark.parametrize(
    "text",
    [
        "Conversation summary: so far", "[Summary of earlier turns] x", "Here is a summary of the conversation",
        "<summary>x</summary>", "Another language model started to solve this", "<state_snapshot>x",
    ],
)  # fmt: skip
def test_a_summary_in_the_users_name_is_remarked(text: str) -> None:
    assert codes(chat(user(text), said()), remarks=True) == [("summary-as-user-message", "/messages/0/content")]


def test_a_question_about_a_summary_is_none() -> None:
    assert codes(chat(user("Write a summary of this file."), said()), remarks=True) == []
