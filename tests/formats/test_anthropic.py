"""Anthropic requests: where they are found, recognised, and what their messages' places are called."""

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from inspector.formats import conversations
from inspector.formats.anthropic import FORMAT
from inspector.formats.format import Conversation, Record, Recording
from inspector.message import Compaction, Context, Origin, Usage, image_count
from inspector.pairs import pairs_of
from tests.shared import SHARED, needs_shared

SAMPLE = Path(__file__).parents[2] / "sample_sessions" / "anthropic_thinking.json"
CALL = {"type": "tool_use", "id": "t1", "name": "ls", "input": {"path": "."}}
RESULT = {"type": "tool_result", "tool_use_id": "t1", "content": "a.py"}
TALK: list[Any] = [
    {"role": "user", "content": "List the files."},
    {"role": "assistant", "content": [{"type": "text", "text": "Yes."}, CALL]},
    {"role": "user", "content": [RESULT, {"type": "text", "text": "Thanks."}]},
]


def of_document(document: Any) -> Recording:
    return Recording("made.json", document=document)


def of_lines(*values: Any) -> Recording:
    return Recording("made.jsonl", records=[Record(value, line, 0) for line, value in enumerate(values)])


def read(recording: Recording) -> Sequence[Conversation]:
    assert FORMAT.recognise(recording)
    return FORMAT.read(recording)


def origin_list(conversation: Conversation) -> list[Origin]:
    return [conversation.origin(row) for row in range(len(conversation.messages))]


def test_a_request_gives_its_system_prompt_model_and_tools() -> None:
    tool = {"name": "ls", "input_schema": {"type": "object"}}
    document = {
        "model": "claude-x",
        "system": [{"type": "text", "text": "Be brief."}],
        "messages": TALK,
        "tools": [tool],
    }
    (conversation,) = read(of_document(document))
    assert [body["role"] for body in conversation.messages] == ["system", "user", "assistant", "tool", "user"]
    assert (conversation.model, conversation.tools) == ("claude-x", (tool,))
    assert origin_list(conversation) == [
        Origin(-1, "/system", None, ("/system/0",)),
        Origin(0, "/messages/0"),
        Origin(1, "/messages/1", None, ("/messages/1/content/1", "/messages/1/content/0")),
        Origin(2, "/messages/2", None, ("/messages/2/content/0",)),
        Origin(2, "/messages/2", None, ("/messages/2/content/1",)),
    ]


def test_a_bare_list_is_one_conversation() -> None:
    (conversation,) = read(of_document(TALK))
    assert conversation.origin(1).pointer == "/1"
    assert conversation.origin(2).parts == ("/2/content/0",)


@pytest.mark.parametrize("key", ["request", "body"])
def test_a_log_ends_with_its_response(key: str) -> None:
    usage = {"input_tokens": 5, "cache_read_input_tokens": 100, "output_tokens": 7}
    response = {"role": "assistant", "model": "claude-y", "content": [{"type": "text", "text": "Bye."}], "usage": usage}
    (conversation,) = read(of_document({key: {"messages": TALK, "model": "claude-x"}, "response": response}))
    assert conversation.messages[-1] == {"role": "assistant", "content": "Bye."}
    assert conversation.origin(4) == Origin(3, "/response", None, ("/response/content/0",))
    assert conversation.origin(0).pointer == f"/{key}/messages/0"
    assert conversation.usage == (Usage(row=4, input=105, cached=100, output=7),)
    assert conversation.model == "claude-y"


def test_json_lines_of_requests_are_one_conversation_a_line() -> None:
    first, second = read(of_lines({"messages": TALK[:2], "system": "Hi."}, {"messages": TALK}))
    assert origin_list(first)[:2] == [Origin(0, "/0/system", 1), Origin(0, "/0/messages/0", 1)]
    assert second.origin(2) == Origin(1, "/1/messages/2", 2, ("/1/messages/2/content/0",))
    assert [first.title, second.title] == ["line 1", "line 2"]


def test_json_lines_of_messages_are_one_conversation() -> None:
    (conversation,) = read(of_lines(*TALK))
    assert conversation.origin(3) == Origin(2, "/2", 3, ("/2/content/1",))


def test_a_list_of_logs_is_a_conversation_each() -> None:
    first, second = read(of_document([{"request": {"messages": TALK}}, {"messages": TALK[:1]}]))
    assert first.origin(0).pointer == "/0/request/messages/0"
    assert second.origin(0).pointer == "/1/messages/0"


def test_a_compaction_block_is_a_compaction_and_a_failed_one_is_not() -> None:
    made = {"type": "compaction", "content": "They asked for a list."}
    failed = {"type": "compaction", "content": None}
    talk = [*TALK, {"role": "assistant", "content": [failed]}, {"role": "assistant", "content": [made]}]
    (conversation,) = read(of_document({"system": "Hi.", "messages": talk}))
    assert conversation.compactions == (Compaction(row=6, kind="compaction", kept=(0,)),)
    assert conversation.messages[6]["content"] == [made]


def test_an_element_that_is_no_message_is_named_and_left_out() -> None:
    (conversation,) = read(of_document({"messages": [*TALK, "lost", None]}))
    assert len(conversation.messages) == 4
    assert [(found.code, found.severity, found.message_index, found.pointer) for found in conversation.damage] == [
        ("unparseable-record", "warning", 3, "/messages/3"),
        ("unparseable-record", "warning", 4, "/messages/4"),
    ]


@pytest.mark.parametrize(
    "document",
    [
        {"system": "Hi.", "messages": TALK[:1]},
        {"anthropic_version": "bedrock-2023-05-31", "messages": TALK[:1]},
        {"messages": TALK[:1], "tools": [{"name": "ls", "input_schema": {}}]},
        {"model": "claude-sonnet-4-5", "max_tokens": 9, "messages": [{"role": "assistant", "content": []}]},
        [{"role": "assistant", "content": [{"type": "thinking", "thinking": "why"}]}],
        [{"role": "user", "content": [{"type": "image", "source": {"type": "base64"}}]}],
        [{"role": "assistant", "content": [{"type": "web_search_tool_result"}]}],
    ],
)
def test_recognised(document: Any) -> None:
    assert FORMAT.recognise(of_document(document))


@pytest.mark.parametrize(
    "document",
    [
        TALK[:1],
        {"messages": [*TALK, {"role": "tool", "tool_call_id": "t1", "content": ""}]},
        {"messages": [{"role": "assistant", "content": [CALL], "tool_calls": []}]},
        {"model": "claude-x", "max_tokens": 9, "messages": [{"role": "system", "content": "Hi."}]},
        {"messages": "none"},
        {"request": {"request": {"request": {"messages": TALK}}}},
        3,
        [],
        [[]],
    ],
)
def test_not_recognised(document: Any) -> None:
    assert not FORMAT.recognise(of_document(document))


FIELDS = ("tool_calls", "tool_results", "dangling_calls", "orphan_results", "images", "conversations")


def counted(loaded: Sequence[Conversation]) -> dict[str, int]:
    """What INDEX.tsv counts; pairing along the file's order, which is its own for these files."""
    contexts = [Context(c.messages, c.origin, range(len(c.messages))) for c in loaded]
    pairs = [pairs_of(context) for context in contexts]
    bodies = [body for context in contexts for body in context.messages]
    return {
        "tool_calls": sum(len(body.get("tool_calls", ())) for body in bodies),
        "tool_results": sum(body["role"] == "tool" for body in bodies),
        "dangling_calls": sum(len(found.dangling) for found in pairs),
        "orphan_results": sum(len(found.orphans) for found in pairs),
        "images": sum(map(image_count, bodies)),
        "conversations": len(loaded),
    }


def index_rows(format: str) -> list[dict[str, str]]:
    path = SHARED / "sessions" / "INDEX.tsv"
    if not path.exists():
        return []
    with path.open(encoding="utf8") as file:
        return [row for row in csv.DictReader(file, delimiter="\t") if row["format"] == format]


@needs_shared
@pytest.mark.parametrize("row", index_rows("anthropic"), ids=lambda row: row["file"])
def test_public_files_count_as_their_index_says(row: dict[str, str]) -> None:
    opened = conversations(SHARED / "sessions" / row["file"])
    got = counted(opened.conversations)
    assert opened.format is FORMAT
    assert {name: str(got[name]) for name in FIELDS if row[name]} == {name: row[name] for name in FIELDS if row[name]}


def cases() -> list[Path]:
    found = sorted((SHARED / "cases").glob("*/case.json"))
    return [path.parent for path in found if json.loads(path.read_bytes())["format"] == "anthropic-messages"]


@needs_shared
@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_broken_files_load_all_their_messages(case: Path) -> None:
    opened = conversations(case / "input.json")
    (conversation,) = opened.conversations
    assert opened.format is FORMAT
    wanted = json.loads((case / "case.json").read_bytes())["expected_behaviour"]["loaded_messages"]
    assert len({origin.index for origin in origin_list(conversation)} - {-1}) == wanted
    assert conversation.damage == ()


@pytest.mark.skipif(not SAMPLE.exists(), reason="the sample session is not there yet")
def test_the_sample_session_is_whole() -> None:
    (conversation,) = conversations(SAMPLE).conversations
    got = counted([conversation])
    assert (got["dangling_calls"], got["orphan_results"]) == (0, 0)
    assert conversation.messages[0]["role"] == "system"
    assert any("thinking_blocks" in body for body in conversation.messages)
    assert conversation.damage == ()
