"""goose sessions: lines, exports and the database read alike; results, audiences, compactions."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inspector.formats import conversations, conversations_in
from inspector.formats.format import Conversation
from inspector.message import Body, Compaction, Origin
from tests.formats.damaged import read_or_refused, spoilt
from tests.formats.indexed import assert_as_counted, rows_of

Value = dict[str, Any]


def message(role: str, *blocks: Any, **metadata: Any) -> Value:
    made: Value = {"role": role, "created": 1, "content": list(blocks)}
    return {**made, "metadata": metadata} if metadata else made


def text(value: str, **more: Any) -> Value:
    return {"type": "text", "text": value, **more}


def request(id: str, **call: Any) -> Value:
    return {"type": "toolRequest", "id": id, "toolCall": call}


def response(id: str, **result: Any) -> Value:
    return {"type": "toolResponse", "id": id, "toolResult": result}


CONTENTS = [
    text("for you", annotations={"audience": ["user"]}),
    text("for it", annotations={"audience": ["assistant"]}),
    {"type": "resource", "resource": {"uri": "f", "text": "inside"}},
]
THOUGHTS = [{"type": "thinking", "thinking": "Hm.", "signature": "s"}, {"type": "redactedThinking", "data": "x"}]
MESSAGES = [
    message("user", text("Look."), {"type": "image", "data": "AA==", "mimeType": "image/png"}),
    message(
        "assistant",
        *THOUGHTS,
        request("t1", status="success", value={"name": "ls", "arguments": {"a": 1}}),
        request("t2", status="error", error="no such tool"),
        {"type": "toolConfirmationRequest", "id": "t1"},
    ),
    message(
        "user",
        response("t1", status="success", value={"isError": False, "content": CONTENTS}),
        response("t2", status="error", error="failed"),
    ),
    message("assistant", {"type": "systemNotification", "msg": "compacting"}),
    message("assistant", text("Done.")),
]
HEADER = {"working_dir": "/w", "description": "A boat", "message_count": 5}
ROWS: list[Body] = [
    {
        "role": "user",
        "content": [text("Look."), {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}],
    },
    {
        "role": "assistant",
        "content": None,
        "thinking": "Hm.",
        "thinking_blocks": THOUGHTS,
        "tool_calls": [
            {"id": "t1", "type": "function", "function": {"name": "ls", "arguments": '{"a":1}'}},
            {"id": "t2", "type": "function", "function": {"name": "", "arguments": "{}"}},
        ],
    },
    {"role": "tool", "tool_call_id": "t1", "name": "ls", "content": "for it\ninside"},
    {"role": "tool", "tool_call_id": "t2", "content": "failed", "is_error": True},
    {"role": "assistant", "content": "Done."},
]


def lines(*values: Any) -> bytes:
    return "\n".join(map(json.dumps, values)).encode()


def database(path: Path, *sessions: tuple[Value, list[Value]]) -> Path:
    opened = sqlite3.connect(path)
    opened.execute("CREATE TABLE sessions (id TEXT PRIMARY KEY, name TEXT, session_type TEXT, working_dir TEXT, "
                   "updated_at TIMESTAMP, model_config_json TEXT)")  # fmt: skip
    opened.execute("CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT, role TEXT, "
                   "content_json TEXT, created_timestamp INTEGER, metadata_json TEXT)")  # fmt: skip
    for session, messages in sessions:
        opened.execute("INSERT INTO sessions VALUES (?,?,?,?,?,?)", (session["id"], session["id"], session.get("type"),
                       "/w", session["updated"], '{"model_name": "gpt-x"}'))  # fmt: skip
        for one in messages:
            opened.execute(
                "INSERT INTO messages (session_id, role, content_json, metadata_json) VALUES (?,?,?,?)",
                (session["id"], one["role"], json.dumps(one["content"]), json.dumps(one.get("metadata", {}))),
            )
    opened.commit()
    opened.close()
    return path


def read(raw: bytes) -> Conversation:
    opened = conversations_in(raw, "made")
    assert opened.format.name == "goose"
    return opened.conversations[0]


def test_lines_exports_and_the_database_read_alike(tmp_path: Path) -> None:
    found = [
        read(lines(HEADER, *MESSAGES)),
        read(json.dumps({"id": "1", "name": "A boat", **HEADER, "conversation": MESSAGES}).encode()),
        read(json.dumps({"id": "1", "name": "A boat", "conversation": {"messages": MESSAGES}}).encode()),
        conversations(database(tmp_path / "sessions.db", ({"id": "A boat", "updated": "1"}, MESSAGES))).conversations[
            0
        ],
    ]
    for one in found:
        assert (one.messages, one.title, one.damage) == (ROWS, "A boat", ())
    assert found[0].origin(2) == Origin(3, "/3", 4, ("/3/content/0",))
    assert found[2].origin(2) == Origin(2, "/conversation/messages/2", None, ("/conversation/messages/2/content/0",))
    assert found[3].origin(2) == Origin(2, "/messages/3", None, ("/messages/3/content_json/0",))
    assert found[3].model == "gpt-x"


def test_tools_of_the_first_line_are_read() -> None:
    one = read(lines({"tools": [{"name": "ls"}]}, *MESSAGES))
    assert one.tools == ({"name": "ls"},)


def test_a_compaction_kept_what_the_model_still_sees() -> None:
    made = [
        message("user", text("old"), userVisible=True, agentVisible=False),
        message("user", text("kept"), userVisible=True, agentVisible=True),
        message("user", text("The sum."), userVisible=False, agentVisible=True),
        message("assistant", text("I go on."), userVisible=False, agentVisible=True),
        message("user", text("note"), userVisible=False, agentVisible=True, turnContext=True),
        message("user", text("new"), userVisible=True, agentVisible=True),
    ]
    assert read(lines(*made)).compactions == (Compaction(2, "compact", kept=(1,)),)


def test_the_newest_session_of_a_database_comes_first_and_subagents_last(tmp_path: Path) -> None:
    said = [message("user", text("hi"))]
    path = database(
        tmp_path / "a.db",
        ({"id": "old", "updated": "2026-01-01"}, said),
        ({"id": "none", "updated": "9"}, []),
        ({"id": "sub", "updated": "2027", "type": "sub_agent"}, said),
        ({"id": "new", "updated": "2026-02"}, said),
    )
    found = conversations(path).conversations
    assert [(one.title, one.side) for one in found] == [("new", False), ("old", False), ("sub", True)]


def test_damaged_columns_are_named(tmp_path: Path) -> None:
    path = database(tmp_path / "a.db", ({"id": "1", "updated": "1"}, MESSAGES))
    opened = sqlite3.connect(path)
    opened.execute('UPDATE messages SET content_json = \'[{"type": "text", "text": "Lo\' WHERE id = 1')
    opened.commit()
    opened.close()
    (one,) = conversations(path).conversations
    assert (len(one.messages), one.messages[0]["content"]) == (5, "")
    assert [(found.code, found.pointer) for found in one.damage] == [("truncated-record", "/messages/1/content_json/0")]


@pytest.mark.parametrize("row", rows_of("goose"), ids=lambda row: row["file"])
def test_shared_files_are_as_counted(row: dict[str, str]) -> None:
    assert_as_counted(row)


@settings(deadline=None, max_examples=150)
@given(st.one_of(spoilt([HEADER, *MESSAGES], lines=True), spoilt([{**HEADER, "conversation": MESSAGES}], lines=False)))
def test_damage_is_read_around_or_refused(raw: bytes) -> None:
    read_or_refused(raw)
    read_or_refused(raw, "goose")


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_a_damaged_database_is_read_around_or_refused(tmp_path: Path, data: st.DataObject) -> None:
    path = tmp_path / "a.db"
    path.unlink(missing_ok=True)
    raw = database(path, ({"id": "1", "updated": "1"}, MESSAGES)).read_bytes()
    at = data.draw(st.integers(0, len(raw) - 1))
    read_or_refused(raw[:at] + data.draw(st.binary(max_size=40)) + raw[at + data.draw(st.integers(0, 60)) :])
