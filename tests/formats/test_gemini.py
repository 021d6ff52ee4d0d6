"""Gemini contents, Gemini CLI and Qwen Code: parts, calls that hold their results, replayed lines, the tree."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.formats import conversations_in, gemini_cli, gemini_contents, qwen_cli
from inspector.message import Compaction, Usage
from tests.formats.made import check_shared, check_spoilt, codes, document, jsonl, lines, only, script, spoilt
from tests.shared import needs_shared

Line = dict[str, Any]
SIGNED = {"functionCall": {"name": "look", "args": {"pier": 2}}, "thoughtSignature": "Eg=="}
CONTENTS: list[Line] = [
    {"role": "user", "parts": [{"text": "Which"}, {"text": "pier?"}]},
    {
        "role": "model",
        "parts": [{"text": "Hm.", "thought": True}, SIGNED, {"functionCall": {"id": "c", "name": "row"}}],
    },
    {
        "role": "user",
        "parts": [
            {"text": "Here:"},
            {"functionResponse": {"name": "look", "response": {"output": "pier 2"}}},
            {"functionResponse": {"id": "c", "name": "row", "response": {"boats": ["Iris"]}}},
        ],
    },
    {"role": "model", "parts": [{"text": "Two."}]},
]
BODY = {
    "contents": CONTENTS,
    "systemInstruction": {"parts": [{"text": "Be brief."}]},
    "tools": [{}],
    "model": "gemini-x",
}


def test_contents_give_results_of_their_own_and_one_message_of_the_rest() -> None:
    conversation = only(gemini_contents.FORMAT, document(BODY))
    assert script(conversation) == [
        ("system", "Be brief."), ("user", "Which\npier?"), ("assistant", ["look", "row"]), ("tool", "pier 2"),
        ("tool", '{"boats":["Iris"]}'), ("user", "Here:"), ("assistant", "Two."),
    ]  # fmt: skip
    answer = conversation.messages[2]
    assert (answer["thinking"], answer["thinking_blocks"]) == ("Hm.", [SIGNED])
    assert [call.get("id") for call in answer["tool_calls"]] == [None, "c"]
    assert ("tool_call_id" in conversation.messages[3], conversation.messages[4]["tool_call_id"]) == (False, "c")
    assert conversation.model == "gemini-x"


def test_places_of_contents_are_their_parts() -> None:
    conversation = only(gemini_contents.FORMAT, document(BODY))
    assert (conversation.origin(0).index, conversation.origin(0).parts[-1]) == (-1, "/systemInstruction/parts/0")
    assert conversation.origin(2).parts == ("/contents/1/parts/1", "/contents/1/parts/2", "/contents/1/parts/0")
    assert conversation.origin(4).pointer == "/contents/2"
    assert conversation.origin(4).parts == ("/contents/2/parts/2",)


@pytest.mark.parametrize("key", ["history", "clientHistory", "contents"])
def test_saved_chats_and_checkpoints_are_contents_too(key: str) -> None:
    conversation = only(gemini_contents.FORMAT, document({key: CONTENTS, "authType": "x"}))
    assert len(conversation.messages) == 6
    assert conversation.origin(0).pointer == f"/{key}/0"


def test_lists_lines_and_logs_of_contents_are_read() -> None:
    assert only(gemini_contents.FORMAT, document(CONTENTS)).origin(0).pointer == "/0"
    assert only(gemini_contents.FORMAT, lines(*CONTENTS)).origin(2).parts == ("/2/parts/1",)
    answer = {"candidates": [{"content": {"role": "model", "parts": [{"text": "Yes."}]}}],
              "usageMetadata": {"promptTokenCount": 9, "cachedContentTokenCount": 3, "candidatesTokenCount": 1,
                                "thoughtsTokenCount": 2}}  # fmt: skip
    opened = conversations_in(jsonl({"request": BODY, "response": answer}, {"request": BODY}), "made.jsonl")
    first, second = opened.conversations
    assert (first.messages[-1]["content"], first.usage) == ("Yes.", (Usage(7, 9, 3, 3),))
    assert first.origin(7).pointer == "/0/response/candidates/0/content"
    assert len(second.messages) == 7


def test_pictures_are_images_and_other_data_is_whole() -> None:
    sound = {"inlineData": {"mimeType": "audio/wav", "data": "AA"}}
    parts = [
        {"inlineData": {"mimeType": "image/png", "data": "AA"}},
        {"fileData": {"mimeType": "image/x", "fileUri": "u"}},
    ]
    conversation = only(gemini_contents.FORMAT, document([{"role": "user", "parts": [*parts, sound]}]))
    images = [{"type": "image_url", "image_url": {"url": url}} for url in ("data:image/png;base64,AA", "u")]
    assert conversation.messages[0]["content"] == [*images, sound]


def test_a_content_without_parts_is_an_empty_message_and_a_snapshot_a_compaction() -> None:
    contents = [{"role": "user", "parts": [{"text": "<state_snapshot>x"}]}, {"role": "model", "parts": []}]
    conversation = only(gemini_contents.FORMAT, document({**BODY, "contents": contents}))
    assert script(conversation)[2] == ("assistant", "")
    assert conversation.compactions == (Compaction(1, "state_snapshot", kept=(0,)),)


HEAD = {"sessionId": "s", "projectHash": "h", "kind": "main"}


def record(kind: str, record_id: str, content: Any, **more: Any) -> Line:
    return {"id": record_id, "timestamp": "t", "type": kind, "content": content, **more}


def tool(call_id: str | None, output: Any = "pier 2", **more: Any) -> Line:
    given = {"functionResponse": {"id": call_id, "name": "look", "response": {"output": output}}}
    return {"name": "look", "args": {"pier": 2}, "status": "success", "resultDisplay": "shown", "result": [given],
            **({} if call_id is None else {"id": call_id}), **more}  # fmt: skip


SESSION = [
    record("user", "u1", [{"text": "Which pier?"}]),
    record("info", "i1", "Update available"),
    record("gemini", "g1", "I look.", toolCalls=[tool("c1")], thoughts=[{"subject": "Piers", "description": "Two."}],
           tokens={"input": 9, "output": 1, "cached": 3, "thoughts": 2}, model="gemini-x"),
    record("gemini", "g2", "Two."),
]  # fmt: skip


def test_a_call_that_holds_its_result_gives_two_rows() -> None:
    conversation = only(gemini_cli.FORMAT, document({**HEAD, "messages": SESSION, "summary": "Piers"}))
    assert script(conversation) == [
        ("user", "Which pier?"),
        ("assistant", "I look."),
        ("tool", "pier 2"),
        ("assistant", "Two."),
    ]
    assert conversation.messages[1]["thinking"] == "Piers\nTwo."
    assert conversation.messages[2] == {"role": "tool", "tool_call_id": "c1", "name": "look", "content": "pier 2"}
    assert conversation.origin(1).parts == ("/messages/2/toolCalls/0", "/messages/2/thoughts/0", "/messages/2/content")
    assert conversation.origin(2).parts == ("/messages/2/toolCalls/0/result/0",)
    assert (conversation.model, conversation.title) == ("gemini-x", "Piers")
    assert conversation.usage == (Usage(1, 9, 3, 3),)


def test_an_error_is_marked_and_a_call_without_result_stays_open() -> None:
    calls = [tool("c1", status="cancelled"), tool("c2", result=None), tool(None, result=[])]
    conversation = only(gemini_cli.FORMAT, document({**HEAD, "messages": [record("gemini", "g", "", toolCalls=calls)]}))
    assert [call.get("id") for call in conversation.messages[0]["tool_calls"]] == ["c1", "c2", None]
    assert [body.get("is_error") for body in conversation.messages[1:]] == [True]


def test_the_same_answer_as_a_user_message_is_a_double_and_further_ones_are_named() -> None:
    again = record("user", "u2", tool("c1")["result"])
    mixed = record("user", "u3", [*tool("c1")["result"], {"text": "And?"}])
    conversation = only(gemini_cli.FORMAT, document({**HEAD, "messages": [*SESSION[:3], again, again, mixed]}))
    assert [role for role, _ in script(conversation)] == ["user", "assistant", "tool", "user"]
    assert script(conversation)[-1] == ("user", "And?")
    assert codes(conversation) == [
        ("duplicate-tool-result", "/messages/4"),
        ("duplicate-tool-result", "/messages/5/content/0"),
    ]


def test_lines_are_replayed_with_replacements_sets_and_rewinds() -> None:
    unanswered = record("gemini", "g1", "", toolCalls=[tool("c1", result=None)])
    titled, rewound = {"$set": {"summary": "Piers"}}, {"$rewindTo": "g2"}
    made = (HEAD, SESSION[0], unanswered, titled, *SESSION[2:], rewound, record("user", "u2", "Else?"))
    conversation = only(gemini_cli.FORMAT, lines(*made))
    assert [content for _, content in script(conversation)] == ["Which pier?", "I look.", "pier 2", "Else?"]
    assert (conversation.origin(1).line, conversation.origin(3).pointer, conversation.title) == (5, "/7", "Piers")
    assert [body["content"] for body in conversation.abandoned] == ["Two."]
    assert codes(conversation) == [("abandoned-branch", "/5")]


def test_a_set_list_takes_the_place_of_all_and_an_unknown_rewind_clears_all() -> None:
    conversation = only(
        gemini_cli.FORMAT, lines(HEAD, SESSION[0], {"$set": {"messages": [record("user", "n", "New.")]}})
    )
    assert conversation.origin(0).pointer == "/2/$set/messages/0"
    cleared = only(gemini_cli.FORMAT, lines(HEAD, *SESSION, {"$rewindTo": "nowhere"}, record("user", "n", "New.")))
    assert script(cleared) == [("user", "New.")]
    assert len(cleared.abandoned) == 4


def linked(uuid: str, parent: str | None, kind: str, *parts: Line, **more: Any) -> Line:
    role = "model" if kind == "assistant" else "user"
    message = {"message": {"role": role, "parts": list(parts)}} if parts else {}
    return {"uuid": uuid, "parentUuid": parent, "sessionId": "s", "type": kind, **message, **more}


QWEN = [
    linked("1", None, "user", {"text": "Which pier?"}),
    linked("2", "1", "assistant", {"text": "Hm.", "thought": True}, {"functionCall": {"id": "c", "name": "look"}},
           model="qwen-x", usageMetadata={"promptTokenCount": 9, "candidatesTokenCount": 1}),
    linked("3", "2", "tool_result", tool("c")["result"][0]),
    linked("4", "3", "system", subtype="ui_telemetry"),
    linked("5", "4", "assistant", {"text": "Two."}),
]  # fmt: skip


def test_qwen_follows_the_tree_and_leaves_system_records_out() -> None:
    rewound = linked("6", "3", "user", {"text": "Else?"})
    conversation = only(qwen_cli.FORMAT, lines(*QWEN, rewound))
    assert [content for _, content in script(conversation)] == ["Which pier?", ["look"], "pier 2", "Else?"]
    assert (conversation.model, conversation.usage) == ("qwen-x", (Usage(1, 9, 0, 1),))
    assert codes(conversation) == [("abandoned-branch", "/4")]
    assert [body["content"] for body in conversation.abandoned] == ["Two."]
    assert conversation.origin(2).parts == ("/2/message/parts/0",)


def test_qwen_compression_is_a_replacement() -> None:
    payload = {"info": {"originalTokenCount": 90, "newTokenCount": 9},
               "compressedHistory": [{"role": "user", "parts": [{"text": "So far."}]}]}  # fmt: skip
    record = linked("6", "5", "system", subtype="chat_compression", systemPayload=payload)
    conversation = only(qwen_cli.FORMAT, lines(*QWEN, record, linked("7", "6", "user", {"text": "And?"})))
    replaced = ({"role": "user", "content": "So far."},)
    assert conversation.compactions == (Compaction(4, "chat_compression", 90, 9, replacement=replaced),)


def test_qwen_records_of_one_uuid_are_one_message_and_subagents_are_beside() -> None:
    more = linked("2", "1", "assistant", {"text": "I look."})
    side = linked("s1", None, "user", {"text": "Count."}, isSidechain=True, agentId="a")
    read = qwen_cli.FORMAT.read(lines(*QWEN[:2], more, side, linked("3", "2", "user", {"text": "Go."})))
    assert [content for _, content in script(read[0])] == ["Which pier?", "I look.", "Go."]
    assert read[0].damage == ()
    assert [(one.side, one.title, script(one)) for one in read[1:]] == [(True, "subagent a", [("user", "Count.")])]


@given(spoilt([BODY, {"history": CONTENTS}, *CONTENTS]))
@settings(deadline=None)
def test_no_contents_make_the_reader_raise(values: list[Any]) -> None:
    check_spoilt(gemini_contents.FORMAT, lines(*values))
    for value in [*values, values]:
        check_spoilt(gemini_contents.FORMAT, document(value))


@given(
    spoilt(
        [
            HEAD,
            *SESSION,
            {"$set": {"messages": SESSION}},
            {"$rewindTo": "g1"},
            record("user", "u", tool("c1")["result"]),
        ]
    )
)
@settings(deadline=None)
def test_no_gemini_session_makes_the_reader_raise(values: list[Any]) -> None:
    check_spoilt(gemini_cli.FORMAT, lines(*values))
    check_spoilt(gemini_cli.FORMAT, document({**HEAD, "messages": values}))


@given(
    spoilt(
        [*QWEN, linked("6", "5", "system", subtype="chat_compression", systemPayload={"compressedHistory": CONTENTS})]
    )
)
@settings(deadline=None)
def test_no_qwen_session_makes_the_reader_raise(values: list[Any]) -> None:
    check_spoilt(qwen_cli.FORMAT, lines(*values))


@given(st.lists(st.tuples(st.sampled_from("12345"), st.sampled_from([None, "1", "2", "3", "4", "5", "9"])), min_size=1))
@settings(deadline=None)
def test_no_links_hang_the_walk_and_each_record_is_told_once(links: list[tuple[str, str | None]]) -> None:
    records = [linked(uuid, parent, "user", {"text": str(place)}) for place, (uuid, parent) in enumerate(links)]
    (conversation,) = qwen_cli.FORMAT.read(lines(*records))
    told = "\n".join(body["content"] for body in [*conversation.messages, *conversation.abandoned]).split("\n")
    assert len(told) == len(set(told))


@needs_shared
@pytest.mark.parametrize(
    "format", [gemini_contents.FORMAT, gemini_cli.FORMAT, qwen_cli.FORMAT], ids=lambda one: one.name
)
def test_the_public_files_have_the_figures_of_their_index(format: Any) -> None:
    check_shared(format)
