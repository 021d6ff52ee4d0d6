"""LangChain messages in their three spellings, LangGraph states, chunks, and calls that are recorded several times."""

from typing import Any

from hypothesis import given, settings

from inspector.formats.format import Recording
from inspector.formats.langchain import FORMAT
from inspector.message import Compaction, Usage
from tests.formats.made import check_shared, check_spoilt, codes, document, lines, only, script, spoilt
from tests.shared import needs_shared

CALL = {"type": "tool_call", "id": "c1", "name": "look", "args": {"pier": 2}}
ANSWER: dict[str, Any] = {
    "content": [{"type": "text", "text": "I look."}, {"type": "tool_use", "id": "c1", "name": "look", "input": {}}],
    "tool_calls": [CALL],
    "invalid_tool_calls": [],
    "additional_kwargs": {"tool_calls": [{"id": "c1", "function": {"name": "look", "arguments": "{}"}}]},
    "usage_metadata": {"input_tokens": 50, "output_tokens": 7, "input_token_details": {"cache_read": 20}},
    "response_metadata": {"model_name": "gpt-x"},
    "id": "a1",
}


def dumped(name: str, **fields: Any) -> dict[str, Any]:
    return {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", name], "kwargs": fields}


DUMP = [
    dumped("SystemMessage", content="Be brief.", type="system"),
    dumped("HumanMessage", content="Which pier?", type="human", id="h1"),
    dumped("AIMessage", **ANSWER, type="ai"),
    dumped("ToolMessage", content="empty", tool_call_id="c1", status="error", type="tool", id="t1"),
]
FLAT = [{"type": one["kwargs"]["type"], **{k: v for k, v in one["kwargs"].items() if k != "type"}} for one in DUMP]
TYPED = [{"type": one["type"], "data": one} for one in FLAT]
STATE = {"values": {"messages": FLAT}, "next": [], "checkpoint": {"thread_id": "t-7"}}
TOLD = [("system", "Be brief."), ("user", "Which pier?"), ("assistant", "I look."), ("tool", "empty")]


def test_a_dump_gives_each_call_once_from_its_leading_record() -> None:
    conversation = only(FORMAT, document(DUMP))
    assert script(conversation) == TOLD
    calls = conversation.messages[2]["tool_calls"]
    assert calls == [{"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"pier":2}'}}]
    assert conversation.origin(2).parts == ("/2/kwargs/tool_calls/0", "/2/kwargs/content/0")
    assert conversation.messages[3] == {
        "role": "tool", "tool_call_id": "c1", "name": "look", "content": "empty", "is_error": True,
    }  # fmt: skip
    assert conversation.origin(3).parts == ("/3/kwargs/content",)
    assert (conversation.model, conversation.usage) == ("gpt-x", (Usage(2, 50, 20, 7),))


def test_every_spelling_tells_the_same() -> None:
    for recording in (document(FLAT), document(TYPED), lines(*DUMP), document({"messages": TYPED}), document(STATE)):
        conversation = only(FORMAT, recording)
        assert script(conversation) == TOLD
        assert [len(body.get("tool_calls", ())) for body in conversation.messages] == [0, 0, 1, 0]
    assert only(FORMAT, document(STATE)).title == "t-7"


def test_an_invalid_call_and_a_providers_own_are_calls() -> None:
    broken = {"id": "x", "name": "write", "args": '{"a": "cut', "error": "no JSON"}
    own = {"tool_calls": [{"id": "y", "function": {"name": "read", "arguments": "{}"}}]}
    message = dumped("AIMessage", content="", tool_calls=[], invalid_tool_calls=[broken], additional_kwargs=own)
    conversation = only(FORMAT, document([message]))
    calls = [(call["id"], call["function"]["arguments"]) for call in conversation.messages[0]["tool_calls"]]
    assert calls == [("x", '{"a": "cut'), ("y", "{}")]


def test_chunks_of_one_answer_are_one_message() -> None:
    def chunk(text: str, **piece: Any) -> dict[str, Any]:
        return {"type": "AIMessageChunk", "content": text, "id": "r", "tool_call_chunks": [piece] if piece else []}

    pieces = [chunk("I l"), chunk("ook."), chunk("", index=0, id="c1", name="look", args='{"pi'),
              chunk("", index=0, args='er": 2}')]  # fmt: skip
    conversation = only(FORMAT, document([{"type": "human", "content": "Which?"}, *pieces]))
    assert script(conversation) == [("user", "Which?"), ("assistant", "I look.")]
    assert conversation.messages[1]["tool_calls"][0]["function"] == {"name": "look", "arguments": '{"pier": 2}'}
    assert conversation.origin(1).parts[0] == "/3/tool_call_chunks/0"


def test_removed_messages_stay_rows_and_the_removal_is_a_compaction() -> None:
    removes = [{"type": "remove", "id": "h1", "content": ""}, {"type": "remove", "id": "a1", "content": ""}]
    conversation = only(FORMAT, document([*FLAT, *removes, {"type": "human", "content": "Summary: ..."}]))
    assert len(conversation.messages) == 5
    assert conversation.compactions == (Compaction(4, "remove", kept=(0, 3)),)


def test_the_newest_snapshot_of_a_thread_stands_for_all() -> None:
    older = {"values": {"messages": FLAT[:2]}, "checkpoint": {"thread_id": "t-7"}, "created_at": "2025-01-01"}
    newer = {**STATE, "created_at": "2025-01-02"}
    other = {"values": {"messages": FLAT[:2]}, "checkpoint": {"thread_id": "t-8"}, "created_at": "2025-01-01"}
    assert len(only(FORMAT, document([older, newer])).messages) == 4
    assert len(FORMAT.read(document([newer, other]))) == 2


def test_images_and_thoughts_are_told_apart_from_text() -> None:
    content = [
        {"type": "thinking", "thinking": "Two boats.", "signature": "s"},
        {"type": "text", "text": "See"},
        {"type": "image", "base64": "AA", "mime_type": "image/png"},
        {"type": "image_url", "image_url": {"url": "https://x.example/a.png"}},
    ]
    (body,) = only(FORMAT, document([dumped("AIMessage", content=content)])).messages
    assert (body["thinking"], body["thinking_blocks"]) == ("Two boats.", [content[0]])
    assert [part["type"] for part in body["content"]] == ["text", "image_url", "image_url"]


def test_what_is_no_message_is_named() -> None:
    conversation = only(FORMAT, document([*FLAT, None, {"type": "strange"}]))
    assert codes(conversation) == [("unparseable-record", "/4"), ("unparseable-record", "/5")]


def test_other_lists_are_not_taken_for_langchain() -> None:
    for value in ([{"type": "system", "content": "x"}], [{"role": "user", "type": "human", "content": "x"}], [1], {}):
        assert not FORMAT.recognise(document(value))


@needs_shared
def test_shared_files_are_as_counted() -> None:
    check_shared(FORMAT)


@settings(max_examples=60, deadline=None)
@given(spoilt([*DUMP, *TYPED[:2], *FLAT[1:]]))
def test_no_damage_raises(values: list[Any]) -> None:
    check_spoilt(FORMAT, document(values))
    check_spoilt(FORMAT, Recording("made.json", document={"values": {"messages": values}}))
    check_spoilt(FORMAT, lines(*values))
