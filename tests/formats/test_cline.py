"""Cline and Roo Code: tasks, SDK sessions, and what was condensed or truncated."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.formats import conversations, load_bytes
from inspector.formats.cline import FORMAT
from inspector.formats.format import Conversation, Recording
from inspector.message import Compaction, Origin, Usage
from tests.formats.damaged import read_or_refused, spoilt
from tests.formats.indexed import assert_as_counted, rows_of

Value = dict[str, Any]


def read(document: Any) -> Conversation:
    recording = Recording("made.json", document=document)
    assert FORMAT.recognise(recording)
    return FORMAT.read(recording)[0]


def says(role: str, text: str, **more: Any) -> Value:
    return {"role": role, "content": [{"type": "text", "text": text}], "ts": 1, **more}


TASK: list[Value] = [
    says("user", "<task>Go</task>\n<environment_details>here</environment_details>"),
    {"role": "assistant", "ts": 2, "modelInfo": {"modelId": "m1"},
     "metrics": {"tokens": {"prompt": 10, "completion": 3, "cached": 5}},
     "content": [{"type": "reasoning", "text": "Hm."}, {"type": "tool_use", "id": "t", "name": "read", "input": {}}]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "got"}], "ts": 3},
    says("assistant", "<read_file><path>a</path></read_file>"),
]  # fmt: skip


def test_a_task_gives_its_messages_usage_and_model() -> None:
    one = read(TASK)
    assert [body["role"] for body in one.messages] == ["user", "assistant", "tool", "assistant"]
    assert (one.messages[1]["thinking"], one.messages[2]["name"]) == ("Hm.", "read")
    assert (one.model, one.usage) == ("m1", (Usage(1, 15, 5, 3),))
    assert one.origin(2) == Origin(2, "/2", None, ("/2/content/0",))


def test_an_old_task_is_known_by_its_environment_details() -> None:
    assert load_bytes(json.dumps([{"role": "user", "content": TASK[0]["content"]}]).encode(), "x").format == "cline"


def test_a_condensation_kept_what_no_living_summary_replaces() -> None:
    made = [
        says("user", "first", modelInfo={}),
        says("assistant", "old", condenseParent="c"),
        says("user", "older", truncationParent="gone"),
        says("user", "sum", isSummary=True, condenseId="c"),
        says("assistant", "late"),
        says("user", "cut", isTruncationMarker=True, truncationId="t"),
    ]
    made[4]["truncationParent"] = "t"
    assert read(made).compactions == (
        Compaction(3, "condense", kept=(0, 2)),
        Compaction(5, "truncation", kept=(0, 2, 3)),
    )


def test_a_task_folder_tells_of_clines_own_truncation(tmp_path: Path) -> None:
    (tmp_path / "api_conversation_history.json").write_text(json.dumps([*TASK, 7]))
    screen = [{"say": "x"}, {"conversationHistoryDeletedRange": [1, 2]}]
    (tmp_path / "ui_messages.json").write_text(json.dumps(screen))
    opened = conversations(tmp_path)
    (one,) = opened.conversations
    assert (opened.format.name, one.compactions) == ("cline", (Compaction(3, "truncation", kept=(0,)),))
    assert one.origin(3) == Origin(3, "/3", None, ("/3/content/0",), "api_conversation_history.json")
    assert [found.pointer for found in one.damage] == ["api_conversation_history.json#/4"]


SDK: Value = {
    "version": 1, "updated_at": "now", "agent": "lead", "sessionId": "s", "system_prompt": "Be brief.",
    "messages": [
        {"id": "1", "role": "user", "content": [{"type": "text", "text": "Sum."}],
         "metadata": {"kind": "compaction", "messagesRemoved": 2}},
        {"id": "2", "role": "user", "content": [{"type": "text", "text": "See"},
                                                {"type": "file", "path": "a", "content": "inside"}]},
        {"id": "3", "role": "assistant", "content": [{"type": "text", "text": "Ok."}], "modelInfo": {"id": "m"},
         "metrics": {"inputTokens": 20, "outputTokens": 2, "cacheReadTokens": 15}},
    ],
}  # fmt: skip


def test_an_sdk_session_has_its_prompt_its_files_and_its_compaction() -> None:
    one = read(SDK)
    assert [body["content"] for body in one.messages] == ["Be brief.", "Sum.", "See\ninside", "Ok."]
    assert (one.model, one.usage, one.title) == ("m", (Usage(3, 20, 15, 2),), "s")
    assert one.compactions == (Compaction(1, "compaction", kept=(0,)),)
    assert one.origin(0) == Origin(-1, "/system_prompt")
    assert one.origin(2) == Origin(1, "/messages/1", None, ("/messages/1/content/0", "/messages/1/content/1"))


def test_plain_messages_are_not_clines() -> None:
    assert not FORMAT.recognise(Recording("x", document=[{"role": "user", "content": "hi", "ts": 1}]))


@pytest.mark.parametrize("row", rows_of("cline"), ids=lambda row: row["file"])
def test_shared_files_are_as_counted(row: dict[str, str]) -> None:
    assert_as_counted(row)


@settings(deadline=None, max_examples=150)
@given(st.one_of(spoilt([TASK], lines=False), spoilt([SDK], lines=False)))
def test_damage_is_read_around_or_refused(raw: bytes) -> None:
    read_or_refused(raw)
    read_or_refused(raw, "cline")


def test_what_a_tool_gave_as_objects_is_text() -> None:
    given = [{"query": "a.py", "result": "x = 1", "success": True}, {"query": "b.py", "error": "none"}]
    task = [*TASK[:1], {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "read", "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": given}]}]  # fmt: skip
    texts = '{"query":"a.py","result":"x = 1","success":true}', '{"query":"b.py","error":"none"}'
    assert load_bytes(json.dumps(task).encode(), "made", format="cline").messages[-1]["content"] == "\n".join(texts)
