"""Bedrock Converse: blocks told by their key, as rows with their places."""

import json
from typing import Any

from inspector.formats import load_bytes
from inspector.message import Session

CALL = {"toolUse": {"toolUseId": "t1", "name": "look", "input": {"at": 1}}}
RESULT = {"toolResult": {"toolUseId": "t1", "content": [{"text": "seen"}, {"json": {"n": 1}}], "status": "error"}}


def read(*messages: dict[str, Any], **more: Any) -> Session:
    return load_bytes(json.dumps({"messages": list(messages), **more}).encode(), "r.json")


def test_calls_and_results_become_rows_with_their_places() -> None:
    session = read(
        {"role": "user", "content": [{"text": "look"}]},
        {"role": "assistant", "content": [{"text": "yes"}, CALL]},
        {"role": "user", "content": [RESULT, {"text": "and now?"}]},
    )
    assert session.format == "bedrock_converse"
    assert [body["role"] for body in session.messages] == ["user", "assistant", "tool", "user"]
    call = session.messages[1]["tool_calls"][0]
    assert (call["id"], call["function"]) == ("t1", {"name": "look", "arguments": '{"at":1}'})
    assert session.messages[2] == {
        "role": "tool", "tool_call_id": "t1", "name": "look", "content": 'seen\n{"n":1}', "is_error": True,
    }  # fmt: skip
    assert session.origin(1).parts == ("/messages/1/content/1", "/messages/1/content/0")
    assert session.origin(2).parts == ("/messages/2/content/0",)


def test_the_system_prompt_is_the_first_row() -> None:
    session = read({"role": "user", "content": [{"text": "hi"}]}, modelId="m", system=[{"text": "be kind"}])
    assert session.messages[0] == {"role": "system", "content": "be kind"}
    assert (session.origin(0).index, session.model) == (-1, "m")


def test_signed_reasoning_stands_whole() -> None:
    thought = {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "s"}}}
    session = read({"role": "user", "content": [{"text": "q"}]}, {"role": "assistant", "content": [thought, CALL]})
    assert session.messages[1]["thinking"] == "hm"
    assert session.messages[1]["thinking_blocks"] == [thought]


def test_blocks_with_a_type_are_anthropics() -> None:
    assert read({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t"}]}).format == "anthropic"
