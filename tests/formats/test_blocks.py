"""How Anthropic content blocks become messages."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.formats.blocks import WHOLE, Place, Rows, content_of, json_text, origins, usage_of
from inspector.message import Origin, Usage

PIXEL = "iVBORw0KGgo="


def text(value: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": value, **more}


def call(id: str, name: str, kind: str = "tool_use", **arguments: Any) -> dict[str, Any]:
    return {"type": kind, "id": id, "name": name, "input": arguments}


def result(id: str, content: Any, kind: str = "tool_result", **more: Any) -> dict[str, Any]:
    return {"type": kind, "tool_use_id": id, "content": content, **more}


def rows_of(*messages: tuple[str, Any]) -> Rows:
    rows = Rows()
    for index, (role, content) in enumerate(messages):
        rows.add(index, role, content)
    return rows


def bodies(*messages: tuple[str, Any]) -> list[dict[str, Any]]:
    return rows_of(*messages).messages


def place(native: int) -> Place:
    return Place(native, f"/messages/{native}", f"/messages/{native}/content")


def test_text_blocks_are_joined_by_a_line_feed() -> None:
    assert bodies(("user", [text("a"), text("b", cache_control={"type": "ephemeral"})])) == [
        {"role": "user", "content": "a\nb"}
    ]


def test_a_base64_image_becomes_a_data_url_beside_its_text() -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}}
    assert bodies(("user", [image, text("what is it?")]))[0]["content"] == [
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}"}},
        text("what is it?"),
    ]


@pytest.mark.parametrize("source", [{"type": "file", "file_id": "f1"}, None, {"type": "base64", "data": 3}])
def test_an_image_without_readable_source_stays_whole(source: Any) -> None:
    image = {"type": "image", "source": source}
    assert bodies(("user", [image]))[0]["content"] == [image]


def test_an_image_address_is_kept() -> None:
    image = {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}}
    assert content_of([image]) == [{"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}]


def test_unknown_blocks_stay_the_files_own_objects() -> None:
    block = {"type": "tool_reference", "tool_name": "WebFetch"}
    body = bodies(("assistant", [call("t1", "ToolSearch")]), ("user", [result("t1", [block])]))[1]
    assert body["content"][0] is block


def test_a_call_is_compact_json_and_its_result_bears_the_tools_name() -> None:
    assert bodies(
        ("assistant", [text("Looking."), call("t1", "Read", file_path="a.py", limit=3)]),
        ("user", [result("t1", "x = 1", is_error=False)]),
    ) == [
        {
            "role": "assistant",
            "content": "Looking.",
            "tool_calls": [
                {
                    "id": "t1",
                    "type": "function",
                    "function": {"name": "Read", "arguments": '{"file_path":"a.py","limit":3}'},
                }
            ],
        },
        {"role": "tool", "tool_call_id": "t1", "name": "Read", "content": "x = 1", "is_error": False},
    ]


def test_arguments_recorded_as_a_string_stay_that_string() -> None:
    block = {"type": "tool_use", "id": "t1", "name": "add", "input": '{"a": 12,'}
    assert bodies(("assistant", [block]))[0]["tool_calls"][0]["function"]["arguments"] == '{"a": 12,'


def test_an_answer_of_calls_alone_has_no_content_and_an_empty_one_an_empty_string() -> None:
    assert bodies(("assistant", [call("t1", "ls")]))[0]["content"] is None
    assert bodies(("assistant", [])) == [{"role": "assistant", "content": ""}]
    assert bodies(("assistant", [text(""), call("t1", "ls")]))[0]["content"] == ""


def test_results_come_before_the_users_own_words_which_are_one_message() -> None:
    made = bodies(
        ("assistant", [call("t1", "a"), call("t2", "b")]),
        ("user", [text("stop"), result("t1", "1"), result("t2", [text("2"), text("3")]), text("now")]),
    )
    assert [(body["role"], body["content"]) for body in made[1:]] == [
        ("tool", "1"),
        ("tool", "2\n3"),
        ("user", "stop\nnow"),
    ]


def test_signed_and_redacted_thinking_stays_whole_and_unsigned_is_text_alone() -> None:
    signed = {"type": "thinking", "thinking": "why", "signature": "c2ln"}
    hidden = {"type": "redacted_thinking", "data": "eA=="}
    assert bodies(("assistant", [signed, hidden, text("so")])) == [
        {"role": "assistant", "content": "so", "thinking": "why", "thinking_blocks": [signed, hidden]}
    ]
    assert bodies(("assistant", [{"type": "thinking", "thinking": "why"}, text("so")])) == [
        {"role": "assistant", "content": "so", "thinking": "why"}
    ]


def test_server_tools_keep_their_order_as_rows_of_one_message() -> None:
    found = {"type": "web_search_result", "url": "https://example.org"}
    rows = rows_of(
        ("user", "tide?"),
        (
            "assistant",
            [
                text("Searching."),
                call("s1", "web_search", "server_tool_use", query="tide"),
                result("s1", [found], "web_search_tool_result"),
                text("At 14:20."),
                {**call("m1", "ask", "mcp_tool_use"), "server_name": "harbour"},
            ],
        ),
    )
    assert rows.messages[1:] == [
        {
            "role": "assistant",
            "content": "Searching.",
            "tool_calls": [
                {
                    "id": "s1",
                    "type": "server_tool_use",
                    "function": {"name": "web_search", "arguments": '{"query":"tide"}'},
                }
            ],
        },
        {
            "role": "tool",
            "tool_call_id": "s1",
            "name": "web_search",
            "type": "web_search_tool_result",
            "content": [found],
        },
        {
            "role": "assistant",
            "content": "At 14:20.",
            "tool_calls": [
                {
                    "id": "m1",
                    "type": "mcp_tool_use",
                    "function": {"name": "ask", "arguments": "{}"},
                    "server_name": "harbour",
                }
            ],
        },
    ]
    assert {origins(rows, place)(row).pointer for row in (1, 2, 3)} == {"/messages/1"}


def test_a_local_call_stays_the_last_row_of_its_message() -> None:
    made = bodies(
        (
            "assistant",
            [
                call("s1", "run", "server_tool_use"),
                call("t1", "ls"),
                result("s1", {"type": "code_execution_result", "stdout": "4"}, "code_execution_tool_result"),
                text("after"),
            ],
        ),
        ("user", [result("t1", "a.py")]),
    )
    assert [(body["role"], body.get("tool_call_id")) for body in made] == [
        ("assistant", None),
        ("tool", "s1"),
        ("tool", "t1"),
    ]
    assert made[0]["content"] == "after"


def test_a_servers_result_without_its_call_makes_no_empty_answer() -> None:
    made = bodies(("assistant", [result("s1", [], "web_search_tool_result"), text("At 14:20.")]))
    assert [body["role"] for body in made] == ["tool", "assistant"]
    assert "name" not in made[0]


def test_an_origin_names_calls_first_then_the_other_blocks() -> None:
    rows = rows_of(("assistant", [text("a"), call("t1", "x"), text("b"), call("t2", "y")]), ("user", "plain"))
    assert origins(rows, place)(0) == Origin(
        0,
        "/messages/0",
        None,
        tuple(f"/messages/0/content/{position}" for position in (1, 3, 0, 2)),
    )
    assert origins(rows, place)(1).parts == ()


def test_a_reused_id_names_the_nearest_call_before_it() -> None:
    made = bodies(
        ("assistant", [call("c0", "first")]),
        ("user", [result("c0", "1")]),
        ("assistant", [call("c0", "second")]),
        ("user", [result("c0", "2")]),
    )
    assert [made[1]["name"], made[3]["name"]] == ["first", "second"]


def test_blocks_without_ids_are_calls_and_results_all_the_same() -> None:
    made = bodies(
        ("assistant", [{"type": "tool_use", "name": "bash", "input": {}}]),
        ("user", [{"type": "tool_result", "content": "out"}]),
    )
    assert made[0]["tool_calls"] == [{"type": "function", "function": {"name": "bash", "arguments": "{}"}}]
    assert made[1] == {"role": "tool", "content": "out"}


def test_usage_adds_the_caches_figures_to_the_input() -> None:
    usage = {
        "input_tokens": 10,
        "cache_creation_input_tokens": 200,
        "cache_read_input_tokens": 3000,
        "output_tokens": 40,
    }
    assert usage_of(7, usage) == Usage(row=7, input=3210, cached=3000, output=40)


@pytest.mark.parametrize("usage", [None, {}, {"input_tokens": 0, "output_tokens": 0}, {"input_tokens": "9"}, [1]])
def test_no_usage_is_none(usage: Any) -> None:
    assert usage_of(0, usage) is None


@pytest.mark.parametrize(
    ("value", "wanted"),
    [({"a": "ü"}, '{"a":"ü"}'), ({"n": 2**70}, f'{{"n":{2**70}}}'), ({"s": "\ud83d"}, '{"s":"\ud83d"}')],
)
def test_json_text_writes_what_the_fast_writer_refuses(value: Any, wanted: str) -> None:
    assert json_text(value) == wanted


def test_json_text_names_a_value_nested_too_deep() -> None:
    value: Any = []
    for _ in range(5000):
        value = [value]
    assert "too deep" in json_text(value)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
KINDS = st.sampled_from(
    ["text", "image", "thinking", "redacted_thinking", "tool_use", "server_tool_use", "tool_result", "x_tool_result"]
)
BLOCK = st.fixed_dictionaries(
    {"type": KINDS | JSON},
    optional={
        "id": st.sampled_from(["a", "b"]) | JSON,
        "tool_use_id": st.sampled_from(["a", "b"]) | JSON,
        **dict.fromkeys(("text", "source", "thinking", "signature", "name", "input", "content", "is_error"), JSON),
    },
)


@given(st.lists(st.tuples(st.sampled_from(["user", "assistant", "system"]), JSON | st.lists(BLOCK | JSON, max_size=6))))
def test_any_content_gives_at_least_one_row_a_message_and_every_block_once(messages: list[tuple[str, Any]]) -> None:
    rows = rows_of(*messages)
    assert set(rows.native) == set(range(len(messages)))
    spots = [spot for row in rows.spots for spot in row]
    assert len(spots) == len(set(spots))
    wanted = {(index, p) for index, (_, content) in enumerate(messages) for p in positions(content)}
    assert set(spots) == wanted


def positions(content: Any) -> Sequence[int]:
    if content is None or isinstance(content, str):
        return ()
    return range(len(content)) if isinstance(content, list) else (WHOLE,)


def test_a_lone_block_is_pointed_at_as_the_content_itself() -> None:
    rows = rows_of(("user", text("a")))
    assert (rows.messages[0]["content"], origins(rows, place)(0).parts) == ("a", ("/messages/0/content",))
