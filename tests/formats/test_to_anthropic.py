"""Messages in the shape of the Anthropic Messages API."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.formats import FORMATS, conversations, from_messages, load
from inspector.formats.to_anthropic import to_anthropic
from inspector.message import Body
from tests.shared import SHARED, needs_shared


def converted(*messages: Body) -> Any:
    return to_anthropic(from_messages(list(messages)))


def called(*ids: str | None, **more: Any) -> Body:
    calls = [{**({"id": one} if one else {}), "function": {"name": "look", "arguments": '{"pier":2}'}} for one in ids]
    return {"role": "assistant", "content": None, "tool_calls": calls, **more}


def result(answers: str | None, said: Any = "empty") -> Body:
    return {"role": "tool", "content": said, **({"tool_call_id": answers} if answers else {})}


def use(name: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": name, "name": "look", "input": {"pier": 2}}


def answer(name: str, said: Any = "empty") -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": name, "content": said}


def text(said: str) -> dict[str, Any]:
    return {"type": "text", "text": said}


def test_the_system_prompt_stands_on_top_wherever_it_was() -> None:
    made = converted(
        {"role": "system", "content": "A"}, {"role": "user", "content": "B"}, {"role": "developer", "content": "C"}
    )
    assert made == {"system": "A\n\nC", "messages": [{"role": "user", "content": [text("B")]}]}


def test_without_a_system_prompt_there_is_none() -> None:
    assert "system" not in converted({"role": "user", "content": "B"})


def test_results_come_first_in_the_next_user_message() -> None:
    made = converted(called("a", "b"), {"role": "user", "content": "Wait."}, result("b"), result("a"))
    assert [message["role"] for message in made["messages"]] == ["assistant", "user"]
    assert made["messages"][1]["content"] == [answer("b"), answer("a"), text("Wait.")]


def test_calls_and_results_without_ids_are_paired_by_order() -> None:
    made = converted(called(None, None), result(None, "one"), result(None, "two"))
    assert made["messages"] == [
        {"role": "assistant", "content": [use("call_0_0"), use("call_0_1")]},
        {"role": "user", "content": [answer("call_0_0", "one"), answer("call_0_1", "two")]},
    ]


@pytest.mark.parametrize(
    ("arguments", "taken"), [("", {}), ("[1]", {"arguments": "[1]"}), ('{"a": ', {"arguments": '{"a": '})]
)
def test_arguments_are_always_an_object(arguments: str, taken: Any) -> None:
    body = {"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": "look", "arguments": arguments}}]}
    assert converted(body)["messages"][0]["content"][0]["input"] == taken


def test_signed_thoughts_are_carried_and_others_left_out() -> None:
    signed = {"type": "thinking", "thinking": "Hm.", "signature": "s"}
    foreign = [{"type": "thinking", "thinking": "Hm.", "thinkingSignature": "s"}, {"type": "reasoning"}]
    made = converted({"role": "assistant", "content": "So.", "thinking": "Hm.", "thinking_blocks": [signed, *foreign]})
    assert made["messages"][0]["content"] == [signed, text("So.")]


def test_pictures_are_base64_or_addresses() -> None:
    parts = [{"type": "image_url", "image_url": {"url": url}} for url in ("data:image/png;base64,AA==", "https://x/y")]
    made = converted({"role": "user", "content": parts, "images": ["/9j/AA"]})["messages"][0]["content"]
    assert [block["source"] for block in made] == [
        {"type": "base64", "media_type": "image/png", "data": "AA=="},
        {"type": "url", "url": "https://x/y"},
        {"type": "base64", "media_type": "image/jpeg", "data": "/9j/AA"},
    ]


def test_a_servers_tools_stay_in_the_assistants_message() -> None:
    body = called("a")
    body["tool_calls"][0]["type"] = "server_tool_use"
    found = {**result("a", [{"type": "web_search_result"}]), "type": "web_search_tool_result"}
    (message,) = converted(body, found, {"role": "assistant", "content": "So."})["messages"]
    assert [block["type"] for block in message["content"]] == ["server_tool_use", "web_search_tool_result", "text"]


def test_what_says_nothing_is_left_out() -> None:
    assert converted({"role": "user", "content": " \n"}, {"role": "assistant", "content": None})["messages"] == []


BODIES = st.one_of(
    st.fixed_dictionaries({"role": st.sampled_from(["system", "user", "assistant"]), "content": st.text() | st.none()}),
    st.builds(lambda ids: called(*ids), st.lists(st.sampled_from(["a", "b", None]), min_size=1, max_size=3)),
    st.builds(result, st.sampled_from(["a", "b", None]), st.text()),
)


@given(st.lists(BODIES))
def test_roles_alternate_and_nothing_but_results_precedes_results(messages: list[Body]) -> None:
    made = to_anthropic(from_messages(messages))["messages"]
    roles = [message["role"] for message in made]
    assert all(one != other for one, other in pairwise(roles))
    for message in made:
        kinds = [block["type"] == "tool_result" for block in message["content"]]
        assert kinds == sorted(kinds, reverse=True)
        assert message["content"]


def recordings() -> list[Path]:
    return sorted(path for path in (SHARED / "sessions").iterdir() if path.is_file() and path.suffix != ".tsv")


@needs_shared
@pytest.mark.parametrize("path", recordings() if SHARED.is_dir() else [], ids=lambda path: path.name)
def test_every_recording_converts_and_reads_again(path: Path, tmp_path: Path) -> None:
    session = load(path)
    made = to_anthropic(session)
    calls = sum(len(body.get("tool_calls") or ()) for body in session.messages)
    blocks = [block for message in made["messages"] for block in message["content"]]
    assert sum(block["type"] in ("tool_use", "server_tool_use", "mcp_tool_use") for block in blocks) == calls


def test_an_anthropic_request_converts_into_itself(tmp_path: Path) -> None:
    sample = Path(__file__).parents[2] / "sample_sessions" / "anthropic_thinking.json"
    opened = conversations(sample)
    assert opened.format in FORMATS
    (tmp_path / "again.json").write_bytes(json.dumps(to_anthropic(load(sample))).encode())
    assert load(tmp_path / "again.json", format="anthropic").messages == load(sample).messages
