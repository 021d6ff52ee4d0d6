"""What people download from ChatGPT, claude.ai and Open WebUI: trees, their live path, calls inside texts."""

import html
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.formats import chatgpt_export, claude_ai_export, open_webui
from inspector.formats.format import Conversation, Format, Recording
from inspector.message import Origin, Usage
from tests.formats.damaged import read_or_refused, spoilt
from tests.formats.indexed import assert_as_counted, rows_of

Value = dict[str, Any]


def read(format: Format, document: Any) -> Conversation:
    recording = Recording("made.json", document=document)
    assert format.recognise(recording)
    return format.read(recording)[0]


def texts(one: Conversation) -> list[tuple[str, Any]]:
    return [(body["role"], body["content"]) for body in one.messages]


def codes(one: Conversation) -> list[tuple[str, str]]:
    return [(found.code, found.pointer) for found in one.damage]


# ChatGPT


def node(id: str, parent: str | None, role: str = "", *parts: Any, **more: Any) -> Value:
    message = {"author": {"role": role, "name": more.pop("name", None)}, "recipient": more.pop("recipient", "all"),
               "content": more.pop("content", {"content_type": "text", "parts": list(parts)}), **more}  # fmt: skip
    return {"id": id, "parent": parent, "children": [], "message": message if role else None}


def chat(*nodes: Value, leaf: str | None = "last") -> Value:
    mapping = {one["id"]: {**one, "children": [under["id"] for under in nodes if under["parent"] == one["id"]]}
               for one in nodes[:50]} | {one["id"]: one for one in nodes[50:]}  # fmt: skip
    return {"title": "A boat", "mapping": mapping, "current_node": nodes[-1]["id"] if leaf == "last" else leaf}


NODES = [
    node("root", None),
    node("u", "root", "user", "Draw."),
    node("old", "u", "assistant", "No."),
    node("call", "u", "assistant", recipient="python", content={"content_type": "code", "text": "plot()"}),
    node("ran", "call", "tool", name="python", content={"content_type": "execution_output", "text": "ok"}),
    node("hm", "ran", "assistant", content={"content_type": "thoughts", "thoughts": [{"content": "Hm."}]}),
    node("a", "hm", "assistant", "Here.", {"content_type": "image_asset_pointer", "asset_pointer": "file://1"},
         metadata={"model_slug": "gpt-x"}),
]  # fmt: skip


def test_a_chatgpt_conversation_is_the_path_to_its_current_node() -> None:
    one = read(chatgpt_export.FORMAT, [chat(*NODES)])
    picture = {"type": "image_url", "image_url": {"url": "file://1"}}
    assert texts(one) == [
        ("user", "Draw."),
        ("assistant", None),
        ("tool", "ok"),
        ("assistant", ""),
        ("assistant", [{"type": "text", "text": "Here."}, picture]),
    ]
    assert one.messages[1]["tool_calls"] == [
        {"type": "function", "function": {"name": "python", "arguments": "plot()"}}
    ]
    assert (one.messages[2]["name"], one.messages[3]["thinking"]) == ("python", "Hm.")
    assert (one.title, one.model) == ("A boat", "gpt-x")
    assert [body["content"] for body in one.abandoned] == ["No."]
    assert codes(one) == [("abandoned-branch", "/0/mapping/old")]
    assert one.origin(1) == Origin(3, "/0/mapping/call/message", None, ("/0/mapping/call/message/content/text",))


def test_a_lost_current_node_falls_back_to_the_last_child() -> None:
    one = read(chatgpt_export.FORMAT, chat(*NODES[:3], leaf="gone"))
    assert texts(one) == [("user", "Draw."), ("assistant", "No.")]
    assert codes(one) == [("broken-parent-link", "/current_node")]


@pytest.mark.parametrize("parent", ["gone", "a", "hm"])
def test_a_broken_or_cyclic_chain_ends(parent: str) -> None:
    nodes = [*NODES[:1], {**NODES[1], "parent": parent}, *NODES[2:]]
    one = read(chatgpt_export.FORMAT, {"mapping": {made["id"]: made for made in nodes}, "current_node": "a"})
    assert len(one.messages) == 5
    assert ("broken-parent-link", "/mapping/u/parent") in codes(one)


def test_a_long_chain_of_broken_links_is_walked_once() -> None:
    nodes = [node(str(place), "gone", "user", "x") for place in range(20_000)]
    one = read(chatgpt_export.FORMAT, chat(*nodes))
    assert len(one.messages) == 20_000


# claude.ai


def said(sender: str, *blocks: Value, **more: Any) -> Value:
    return {"sender": sender, "text": "", "content": list(blocks), "attachments": [], **more}


MESSAGES = [
    said("human", {"type": "text", "text": "Read it."}, uuid="u", parent_message_uuid=None,
         attachments=[{"file_name": "a.txt", "extracted_content": "inside"}]),
    said("assistant", {"type": "text", "text": "No."}, uuid="old", parent_message_uuid="u"),
    said("assistant", {"type": "thinking", "thinking": "Hm."},
         {"type": "tool_use", "id": "t", "name": "get", "input": {}},
         {"type": "tool_result", "tool_use_id": "t", "content": "got"}, {"type": "text", "text": "Done."},
         uuid="a", parent_message_uuid="u"),
]  # fmt: skip


def test_calls_and_results_of_one_answer_are_rows_in_recorded_order() -> None:
    one = read(claude_ai_export.FORMAT, [{"uuid": "c", "name": "A boat", "chat_messages": MESSAGES}])
    assert texts(one) == [("user", "Read it.\ninside"), ("assistant", None), ("tool", "got"), ("assistant", "Done.")]
    assert (one.messages[1]["thinking"], one.messages[2]["name"], one.title) == ("Hm.", "get", "A boat")
    assert [body["content"] for body in one.abandoned] == ["No."]
    at = "/0/chat_messages/0"
    assert one.origin(0) == Origin(0, at, None, (f"{at}/content/0", f"{at}/attachments/0"))
    assert one.origin(3) == Origin(2, "/0/chat_messages/2", None, ("/0/chat_messages/2/content/3",))


def test_without_links_all_messages_are_sent_and_old_ones_keep_their_text() -> None:
    old = [{"sender": "human", "text": "Hello."}, 7, {"sender": "assistant", "text": "", "content": []}]
    one = read(claude_ai_export.FORMAT, {"chat_messages": old})
    assert texts(one) == [("user", "Hello."), ("assistant", "")]
    assert one.origin(0).parts == ("/chat_messages/0/text",)
    assert codes(one) == [("unparseable-record", "/chat_messages/1")]


# Open WebUI


def details(name: str, arguments: str, result: str | None) -> str:
    done = "false" if result is None else "true"
    shown = "" if result is None else f' result="{html.escape(json.dumps(result))}"'
    return (
        f'<details type="tool_calls" done="{done}" id="id-{name}" name="{name}" '
        f'arguments="{html.escape(json.dumps(arguments))}"{shown}>\n<summary>Ran</summary>\n</details>\n'
    )


THOUGHT = '<details type="reasoning" done="true" duration="1">\n<summary>Thought</summary>\n&gt; One &lt;b&gt;\n&gt; two\n</details>\n'  # noqa: E501


def web(content: str, **more: Any) -> Value:
    messages = {
        "u": {"id": "u", "parentId": None, "childrenIds": ["a", "b"], "role": "user", "content": "Go.",
              "files": [{"type": "image", "url": "data:image/png;base64,AA=="}, {"type": "file", "id": "f"}]},
        "a": {"id": "a", "parentId": "u", "childrenIds": [], "role": "assistant", "content": content, "model": "m",
              **more},
        "b": {"id": "b", "parentId": "u", "childrenIds": [], "role": "assistant", "content": "Other.", "modelIdx": 1},
    }  # fmt: skip
    return {
        "title": "A boat",
        "models": ["n"],
        "history": {"messages": messages, "currentId": "a"},
        "messages": ["stale"],
    }


def test_details_in_an_answer_are_thinking_calls_and_results() -> None:
    content = (
        THOUGHT + "Looking.\n" + details("get", '{"a": "x > y"}', 'a "quote"') + details("put", "{}", None) + "So."
    )
    one = read(open_webui.FORMAT, {"chat": web(content)})
    assert [body["role"] for body in one.messages] == ["user", "assistant", "tool", "assistant"]
    asked = one.messages[1]
    assert (asked["content"], asked["thinking"]) == ("Looking.", "One <b>\ntwo")
    assert [(call["id"], call["function"]["name"], call["function"]["arguments"]) for call in asked["tool_calls"]] == [
        ("id-get", "get", '{"a": "x > y"}'),
        ("id-put", "put", "{}"),
    ]
    assert one.messages[2] == {"role": "tool", "tool_call_id": "id-get", "name": "get", "content": 'a "quote"'}
    assert one.messages[3]["content"] == "So."
    assert [part["type"] for part in one.messages[0]["content"]] == ["text", "image_url"]
    assert [body["content"] for body in one.abandoned] == ["Other."]
    assert (one.title, one.model) == ("A boat", "m")
    assert one.origin(2) == Origin(1, "/chat/history/messages/a", None, ("/chat/history/messages/a/content",))


def test_single_quoted_and_bodied_results_are_read() -> None:
    attributes = """id="1" name="f" arguments='"{\\"a\\":1}"' result='"a > b"'"""
    quoted = f'<details type="tool_calls" done="true" {attributes}>\n</details>'
    bodied = '<details type="tool_calls" done="true" id="2" name="g" arguments="{}">\n<summary>x</summary>\nout &amp; in\n</details>'  # noqa: E501
    one = read(open_webui.FORMAT, [web(quoted + bodied)])
    assert one.messages[1]["tool_calls"][0]["function"]["arguments"] == '{"a":1}'
    assert [body["content"] for body in one.messages[2:]] == ["a > b", "out & in"]


def test_output_items_are_read_in_the_place_of_the_text_drawn_from_them() -> None:
    output = [
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Hm."}]},
        {"type": "function_call", "call_id": "1", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "1", "output": [{"type": "input_text", "text": "out"}]},
        {"type": "message", "content": [{"type": "output_text", "text": "So."}]},
    ]
    one = read(open_webui.FORMAT, web(details("f", "{}", "drawn"), output=output))
    assert texts(one)[1:] == [("assistant", None), ("tool", "out"), ("assistant", "So.")]
    assert one.messages[1]["thinking"] == "Hm."
    at = "/history/messages/a/output"
    assert [one.origin(row).parts for row in (1, 2, 3)] == [
        (f"{at}/1", f"{at}/0"),
        (f"{at}/2/output",),
        (f"{at}/3/content",),
    ]


def test_usage_and_the_system_prompt_are_read() -> None:
    made = {**web("Hi.", usage={"prompt_tokens": 5, "completion_tokens": 2}), "params": {"system": "Be brief."}}
    one = read(open_webui.FORMAT, made)
    assert texts(one)[0] == ("system", "Be brief.")
    assert one.origin(0) == Origin(-1, "", None, ("/params/system",))
    assert one.usage == (Usage(2, 5, 0, 2),)


def test_an_open_block_reaches_to_the_end_and_other_blocks_are_text() -> None:
    kept = '<details type="code_interpreter"><summary>x</summary>1+1</details>'
    one = read(open_webui.FORMAT, web(kept + '<details type="reasoning" done="false">\n&gt; hm'))
    assert (one.messages[1]["content"], one.messages[1]["thinking"]) == (kept, "hm")


# all three


@pytest.mark.parametrize(
    "row", rows_of("chatgpt_export", "claude_ai_export", "open_webui"), ids=lambda row: row["file"]
)
def test_shared_files_are_as_counted(row: dict[str, str]) -> None:
    assert_as_counted(row)


MADE: list[Any] = [
    [chat(*NODES)],
    [{"chat_messages": MESSAGES}],
    [{"chat": web(THOUGHT + details("f", "{}", "x"), output=[{"type": "function_call", "call_id": "1"}])}],
]


@settings(deadline=None, max_examples=200)
@given(st.sampled_from(MADE).flatmap(lambda made: spoilt(made, lines=False)))
def test_damage_is_read_around_or_refused(raw: bytes) -> None:
    for name in (None, "chatgpt_export", "claude_ai_export", "open_webui"):
        read_or_refused(raw, name)
