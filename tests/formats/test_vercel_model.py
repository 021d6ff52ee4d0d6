"""Model messages of the Vercel AI SDK, as ai 4.3.19, 5.0.277, 6.0.326 and 7.0.173 gave them (`response.messages`)."""

from typing import Any

from inspector.formats import load_bytes
from inspector.formats.vercel_parts import DENIED
from inspector.formats.vercel_ui import FORMAT
from tests.formats.made import document, jsonl, lines, only, script
from tests.formats.test_vercel_ui import MODEL

IMAGE: dict[str, Any] = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0K"}}


def result(output: Any) -> dict[str, Any]:
    return {
        "role": "tool",
        "content": [{"type": "tool-result", "toolCallId": "c", "toolName": "look", "output": output}],
    }


def told(output: Any) -> tuple[Any, bool]:
    body = only(FORMAT, document([result(output)])).messages[0]
    return body["content"], body.get("is_error", False)


def test_there_is_a_row_for_each_result() -> None:
    conversation = only(FORMAT, lines(*MODEL))
    assert [body["role"] for body in conversation.messages] == ["user", "assistant", "tool", "tool", "tool"]
    assert conversation.messages[0]["content"][1] == IMAGE
    assert conversation.messages[3]["content"] == [{"type": "text", "text": "see"}, IMAGE]
    assert conversation.messages[2]["content"] == '{"a":1}'
    assert (conversation.messages[4]["content"], conversation.messages[4]["is_error"]) == ("old", True)
    assert conversation.origin(2).parts == ("/2/content/0/output/value",)


def test_an_output_is_told_as_the_providers_send_it() -> None:
    assert told({"type": "text", "value": "a"}) == ("a", False)
    assert told({"type": "json", "value": "a"}) == ('"a"', False)
    assert told({"type": "json", "value": None}) == ("null", False)
    assert told({"type": "error-text", "value": "a"}) == ("a", True)
    assert told({"type": "error-json", "value": [1]}) == ("[1]", True)
    assert told({"type": "execution-denied"}) == (DENIED, True)
    assert told({"type": "execution-denied", "reason": "no"}) == ("no", True)


def test_results_of_tools_that_the_provider_runs_stand_in_the_answer() -> None:
    call = {"type": "tool-call", "toolCallId": "c", "toolName": "look", "input": {}, "providerExecuted": True}
    answer = {"role": "assistant", "content": [call, *result({"type": "text", "value": "a"})["content"],
                                               {"type": "text", "text": "So."}]}  # fmt: skip
    assert script(only(FORMAT, document([answer]))) == [("assistant", "So."), ("tool", "a")]


def test_what_asks_a_user_for_leave_is_not_sent() -> None:
    ask = [{"type": "text", "text": "May I?"}, {"type": "tool-approval-request", "approvalId": "a", "toolCallId": "c"}]
    reply = {"type": "tool-approval-response", "approvalId": "a", "approved": True}
    messages = [{"role": "assistant", "content": ask}, {"role": "tool", "content": [reply]}]
    assert script(only(FORMAT, document(messages))) == [("assistant", "May I?")]


def test_files_are_images_where_they_are_in_every_version() -> None:
    url = IMAGE["image_url"]["url"]
    held: list[Any] = [url, "iVBORw0K", {"type": "data", "data": "iVBORw0K"}, {"type": "url", "url": url}]
    files = [{"type": "file", "mediaType": "image/png", "data": data} for data in held]
    files.append({"type": "file", "mimeType": "image/png", "data": "iVBORw0K"})
    assert only(FORMAT, document([{"role": "user", "content": files}])).messages[0]["content"] == [IMAGE] * 5
    other = {"type": "file", "mediaType": "text/plain", "data": {"type": "text", "text": "hi"}}
    assert only(FORMAT, document([{"role": "user", "content": [other]}])).messages[0]["content"] == [other]


def test_messages_without_tools_are_known_by_their_files() -> None:
    told = [{"role": "user", "content": [{"type": "file", "mediaType": "image/png", "data": "iVBORw0K"}]}]
    assert load_bytes(jsonl(told), "model.json").format == "vercel_ui"
    other = [{"role": "user", "content": [{"type": "file", "file": {"file_id": "f"}}]}]
    assert load_bytes(jsonl(other), "chat.json").format == "openai_chat"
