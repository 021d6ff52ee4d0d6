"""UI messages of version 4 of the Vercel AI SDK, read as `convertToCoreMessages` of ai 4.3.19 sent them."""

from typing import Any

from inspector.formats.vercel_ui import FORMAT
from tests.formats.made import document, only, script
from tests.formats.test_vercel_ui import V4

PNG = "data:image/png;base64,iVBORw0K"


def invoked(call: str, step: int, **more: Any) -> dict[str, Any]:
    return {"state": "result", "step": step, "toolCallId": call, "toolName": "look", "args": {}, "result": call, **more}


def part(call: str, step: int) -> dict[str, Any]:
    return {"type": "tool-invocation", "toolInvocation": invoked(call, step)}


def rows_of(*messages: Any) -> list[tuple[str, Any]]:
    return script(only(FORMAT, document(list(messages))))


def test_calls_are_kept_beside_the_text() -> None:
    conversation = only(FORMAT, document({"id": "chat", "messages": V4}))
    assert [body["role"] for body in conversation.messages] == ["user", "assistant", "tool"]
    assert conversation.messages[1]["content"] == "I look."
    assert len(conversation.messages[1]["tool_calls"]) == 2
    assert conversation.messages[2]["content"] == "[1]"
    assert conversation.origin(2).parts == ("/messages/1/toolInvocations/0/result",)
    assert conversation.title == "chat"


def test_a_thought_outside_the_parts_is_not_sent() -> None:
    assert "thinking" not in only(FORMAT, document(V4)).messages[1]


def test_the_text_follows_the_results_in_all_messages_but_the_last() -> None:
    answer = {"role": "assistant", "content": "Done.", "toolInvocations": [invoked("a", 0), invoked("b", 1)]}
    apart = [("assistant", ["look"]), ("tool", "a"), ("assistant", ["look"]), ("tool", "b")]
    assert rows_of(answer, {"role": "user", "content": "And?"})[:-1] == [*apart, ("assistant", "Done.")]
    assert rows_of(answer) == [("assistant", "Done."), *apart[1:]]


def test_a_step_ends_where_text_follows_a_call_and_where_the_number_differs() -> None:
    mark = {"type": "step-start"}
    parts = [part("a", 0), mark, part("b", 0), mark, part("c", 1), {"type": "text", "text": "So."}, part("d", 2)]
    assert rows_of({"role": "assistant", "content": "So.", "parts": parts}) == [
        ("assistant", ["look", "look"]), ("tool", "a"), ("tool", "b"),
        ("assistant", ["look"]), ("tool", "c"),
        ("assistant", "So."), ("tool", "d"),
    ]  # fmt: skip


def test_what_is_kept_twice_is_read_once() -> None:
    said = {"type": "text", "text": "I look."}
    twice = {"role": "assistant", "content": "I look.", "toolInvocations": [invoked("a", 0)],
             "parts": [said, part("a", 0)]}  # fmt: skip
    conversation = only(FORMAT, document([twice]))
    assert script(conversation) == [("assistant", "I look."), ("tool", "a")]
    assert len(conversation.messages[0]["tool_calls"]) == 1
    assert conversation.origin(1).parts == ("/0/parts/1/toolInvocation/result",)


def test_attachments_follow_the_parts_of_a_user_and_a_text_among_them_is_text() -> None:
    given = [{"contentType": "image/png", "url": PNG},
             {"contentType": "text/plain", "url": "data:text/plain;base64,aGk="},
             {"contentType": "application/pdf", "url": "data:application/pdf;base64,JVBE"}]  # fmt: skip
    asked = {"role": "user", "content": "Which?", "experimental_attachments": given}
    said, image, text, kept = only(FORMAT, document([asked, V4[1]])).messages[0]["content"]
    assert (said["text"], image["image_url"]["url"], text["text"]) == ("Which?", PNG, "hi")
    assert kept == {"type": "file", **given[2]}
    parts = {**asked, "parts": [{"type": "text", "text": "Which?"}, {"type": "source", "source": {}}]}
    assert only(FORMAT, document([parts])).messages == only(FORMAT, document([asked, V4[1]])).messages[:1]


def test_an_attachment_with_a_broken_address_is_kept_whole() -> None:
    broken = {"contentType": "text/plain", "url": "data:text/plain;base64,a"}
    asked = {"role": "user", "content": "", "experimental_attachments": [broken]}
    assert only(FORMAT, document([asked])).messages[0]["content"] == [{"type": "file", **broken}]


def test_data_for_the_app_is_not_sent() -> None:
    assert [role for role, _ in rows_of({"role": "data", "content": "x", "data": {}}, *V4)] == [
        "user",
        "assistant",
        "tool",
    ]


def test_a_call_without_a_result_has_none_and_a_result_of_nothing_is_null() -> None:
    calls = [invoked("a", 0, result=None), {**invoked("b", 0), "state": "call"}]
    del calls[1]["result"]
    assert rows_of({"role": "assistant", "content": "", "toolInvocations": calls}) == [
        ("assistant", ["look", "look"]), ("tool", "null"),
    ]  # fmt: skip
