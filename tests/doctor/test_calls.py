"""Calls and results: one fault is one finding, at the place that the repair changes."""

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
    item_call,
    item_output,
    item_user,
    items,
    line,
    model,
    response,
    result,
    said,
    text_block,
    turn,
    use,
    user,
)


def test_a_result_without_any_call_is_an_orphan() -> None:
    assert codes(chat(user(), said(), result("c9"), user())) == [("orphan-tool-result", "/messages/2")]


def test_a_call_that_nothing_follows_is_a_warning_only() -> None:
    found = examined(chat(user(), calls("a", "b"), result("a")))
    assert [(one.code, one.severity, one.pointer) for one in found] == [
        ("dangling-tool-call", "warning", "/messages/1/tool_calls/1")
    ]


def test_a_result_before_its_call_is_misplaced_and_neither_dangling_nor_orphan() -> None:
    found = codes(chat(user(), result("a"), calls("a"), user()))
    assert found == [("misplaced-tool-result", "/messages/1")]


def test_results_of_two_answers_in_a_row_are_misplaced_for_openai() -> None:
    found = codes(chat(user(), calls("a"), calls("b"), result("a"), result("b"), said()))
    assert found == [("misplaced-tool-result", "/messages/3")]


def test_a_system_message_between_a_call_and_its_result_parts_them() -> None:
    note = {"role": "system", "content": "note"}
    assert codes(chat(user(), calls("a"), note, result("a"), said())) == [("misplaced-tool-result", "/messages/3")]


def test_a_second_result_is_a_duplicate_wherever_it_stands() -> None:
    assert codes(chat(user(), calls("a"), result("a"), result("a"), said())) == [
        ("duplicate-tool-result", "/messages/3")
    ]
    assert codes(chat(user(), calls("a"), result("a"), user(), result("a"), said())) == [
        ("duplicate-tool-result", "/messages/4")
    ]


def test_of_a_placeholder_and_a_real_result_the_placeholder_goes() -> None:
    stub = result("a", "[no result was recorded for this call]")
    assert codes(chat(user(), calls("a"), stub, result("a"), said())) == [("duplicate-tool-result", "/messages/2")]
    found = codes(anthropic(user(), turn("assistant", use("a")),
                            turn("user", answer("a", "Interrupted", is_error=True), answer("a")), said()))  # fmt: skip
    assert found == [("duplicate-tool-result", "/messages/2/content/0")]


def test_results_without_ids_answer_by_order() -> None:
    assert codes(chat(user(), calls(None, None), result(None), result(None), said())) == []
    assert codes(chat(user(), calls(None, None), result(None), user())) == [
        ("dangling-tool-call", "/messages/1/tool_calls/1")
    ]


def test_ids_that_start_again_pair_inside_the_turn() -> None:
    session = chat(user(), calls("0"), result("0"), said(), user(), calls("0"), result("0"), said())
    assert codes(session) == []
    assert codes(session, remarks=True) == [("reused-tool-call-id", "/messages/5/tool_calls/0")]
    found = examined(session, "anthropic")
    assert [(one.code, one.severity) for one in found] == [("reused-tool-call-id", "error")]


def test_blocks_before_a_result_push_it_from_its_place() -> None:
    late = anthropic(user(), turn("assistant", use("a")), turn("user", text_block(), answer("a")), said())
    assert codes(late) == [("tool-result-not-first", "/messages/2/content/1")]
    mixed = turn("user", answer("a"), text_block(), answer("b"))
    session = anthropic(user(), turn("assistant", use("a"), use("b")), mixed, said())
    assert codes(session) == [("tool-result-not-first", "/messages/2/content/2")]


def test_text_after_the_results_is_fine() -> None:
    assert codes(anthropic(user(), turn("assistant", use("a")), turn("user", answer("a"), text_block()), said())) == []


def test_results_in_two_user_messages_in_a_row_are_fine_for_anthropic() -> None:
    session = anthropic(user(), turn("assistant", use("a"), use("b")), turn("user", answer("a")),
                        turn("user", answer("b")), said())  # fmt: skip
    assert codes(session) == []


def test_a_message_between_call_and_result_misplaces_the_block() -> None:
    session = anthropic(user(), turn("assistant", use("a")), user(), turn("user", answer("a")), said())
    assert codes(session) == [("misplaced-tool-result", "/messages/3/content/0")]


def test_an_orphan_block_is_named_by_its_own_place() -> None:
    assert codes(anthropic(user(), said(), turn("user", text_block(), answer("x")), said())) == [
        ("orphan-tool-result", "/messages/2/content/1")
    ]


def test_responses_in_several_turns_are_split() -> None:
    session = gemini(asked({"text": "q"}), model(function_call("a"), function_call("b")), asked(response("a")),
                     asked(response("b")), model({"text": "x"}))  # fmt: skip
    assert codes(session) == [("split-tool-results", "/contents/3")]


def test_a_call_without_response_dangles_in_gemini() -> None:
    session = gemini(asked({"text": "q"}), model(function_call("a"), function_call("b")), asked(response("b")),
                     model({"text": "x"}))  # fmt: skip
    assert codes(session) == [("dangling-tool-call", "/contents/1/parts/0")]


def test_a_model_turn_before_a_call_is_refused_by_gemini() -> None:
    session = gemini(asked({"text": "q"}), model({"text": "x"}), model(function_call("a")), asked(response("a")))
    assert codes(session) == [("call-not-after-user", "/contents/2")]
    assert codes(chat(calls("a"), result("a"), said()), "gemini-2.5") == [("call-not-after-user", "/messages/0")]


def test_an_output_may_stand_anywhere_after_its_call() -> None:
    assert codes(items(item_user(), item_call("a"), item_user(), item_output("a"), item_user())) == []
    assert codes(items(item_user(), item_output("a"), item_call("a"), item_user())) == [
        ("misplaced-tool-result", "/input/1")
    ]


def test_an_output_of_the_wrong_type_answers_nothing() -> None:
    session = items(item_user(), item_call("a"), item_output("a", "custom_tool_call_output"), item_user())
    assert codes(session) == [("dangling-tool-call", "/input/1"), ("orphan-tool-result", "/input/2")]


def test_parallel_items_are_answered_in_any_order() -> None:
    session = items(item_user(), item_call("a"), item_call("b"), item_output("b"), item_output("a"), item_user())
    assert codes(session) == []


def test_a_call_in_two_encodings_is_named_once() -> None:
    both = {**calls("a"), "content": [text_block(), use("a")]}
    assert codes(chat(user(), both, result("a"), said())) == [("mixed-tool-call-encodings", "/messages/1/content/1")]


def test_a_server_result_needs_its_call_in_the_same_message() -> None:
    found = {"type": "web_search_tool_result", "tool_use_id": "srv1", "content": []}
    asking = {"type": "server_tool_use", "id": "srv1", "name": "web_search", "input": {}}
    assert codes(anthropic(user(), turn("assistant", found, text_block()))) == [
        ("orphan-server-tool-result", "/messages/1/content/0")
    ]
    assert codes(anthropic(user(), turn("assistant", asking, found))) == []
    assert codes(anthropic(user(), turn("assistant", asking))) == []
    parted = anthropic(user(), turn("assistant", asking), user(), turn("assistant", found, text_block()))
    assert codes(parted) == [("orphan-server-tool-result", "/messages/3/content/0")]


def test_bedrock_results_beyond_the_calls_are_orphans() -> None:
    extra = {"toolResult": {"toolUseId": "b", "content": [{"text": "x"}], "status": "success"}}
    session = bedrock(turn("user", {"text": "q"}), turn("assistant", {"text": "a"}), turn("user", extra))
    assert codes(session) == [("orphan-tool-result", "/messages/2/content/0")]


def test_claude_code_lines_of_one_message_are_one_turn() -> None:
    shared = {"id": "m1", "role": "assistant"}
    session = (
        line(0, "user", user()),
        line(1, "assistant", {**shared, "content": [use("a")]}),
        line(2, "user", turn("user", answer("a"))),
        line(3, "assistant", {**shared, "content": [use("b")]}),
        line(4, "user", turn("user", answer("b"))),
        line(5, "assistant", {"id": "m2", "role": "assistant", "content": [text_block()]}),
    )
    assert codes(session) == []


def test_a_reminder_between_call_and_result_is_moved_by_claude_code_itself() -> None:
    first = (line(0, "user", user()), line(1, "assistant", {"id": "m", "role": "assistant", "content": [use("a")]}))
    last = (line(3, "user", turn("user", answer("a"))), line(4, "assistant", {**said(), "id": "n"}))
    assert codes((*first, line(2, "user", user(), isMeta=True), *last)) == []
    assert codes((*first, line(2, "user", user()), *last)) == [("misplaced-tool-result", "/3/message/content/0")]


def test_an_aborted_answer_of_pi_is_a_remark() -> None:
    call = {"type": "toolCall", "id": "t", "name": "bash", "arguments": {}}
    session = (
        {"type": "session", "version": 3, "id": "s", "cwd": "/w"},
        {"type": "message", "id": "1", "parentId": None, "message": user()},
        {"type": "message", "id": "2", "parentId": "1",
         "message": {"role": "assistant", "content": [call], "stopReason": "aborted"}},
        {"type": "message", "id": "3", "parentId": "2", "message": user()},
    )  # fmt: skip
    assert codes(session) == []
    assert codes(session, remarks=True) == [("dangling-tool-call", "/2/message/content/0")]
