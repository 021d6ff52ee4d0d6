"""opencode sessions: one session as folder, database, events and export reads alike; compaction, revert, subagents."""

import json
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inspector.formats import conversations, conversations_in, load_bytes
from inspector.formats.format import Conversation
from inspector.message import Body, Compaction, Origin, Usage
from tests.formats.damaged import read_or_refused, spoilt
from tests.formats.indexed import assert_as_counted, rows_of

Value = dict[str, Any]


def info(number: int, role: str, **more: Any) -> Value:
    return {"id": f"msg_{number}", "sessionID": "ses_1", "role": role, "time": {"created": 100 + number}, **more}


def part(number: int, kind: str, **more: Any) -> Value:
    return {"id": f"prt_{number}", "sessionID": "ses_1", "type": kind, **more}


def tool(number: int, status: str, **state: Any) -> Value:
    return part(
        number, "tool", callID=f"call_{number}", tool="bash", state={"status": status, "input": {"n": number}, **state}
    )


TOKENS = {"input": 10, "output": 5, "reasoning": 2, "cache": {"read": 30, "write": 4}, "total": 51}
PICTURE = {"type": "file", "mime": "image/png", "url": "data:image/png;base64,AA=="}
SESSION = {"id": "ses_1", "title": "A boat", "time": {"created": 1, "updated": 9}}
MESSAGES: list[Value] = [
    {"info": info(1, "user"), "parts": [part(1, "text", text="Draw."), part(2, "file", **{**PICTURE, "type": "file"}),
                                        part(3, "file", mime="text/plain", url="file:///a"),
                                        part(4, "text", text="hidden", ignored=True)]},
    {"info": info(2, "assistant", modelID="gpt-x", providerID="p", tokens=TOKENS), "parts": [
        part(5, "step-start"),
        part(6, "reasoning", text="Hm.", metadata={"anthropic": {"signature": "s"}}),
        part(7, "text", text="Looking."),
        tool(8, "completed", output="found", attachments=[PICTURE]),
        tool(9, "error", error="Tool execution aborted"),
        part(10, "step-finish", tokens=TOKENS),
        part(11, "step-start"),
        tool(12, "running"),
    ]},
]  # fmt: skip


def export(messages: Sequence[Value] = MESSAGES, **session: Any) -> Value:
    return {"info": {**SESSION, **session}, "messages": list(messages)}


def folder(root: Path, *exports: Value) -> Path:
    for made in exports:
        session = made["info"]["id"]
        write(root / f"session/project/{session}.json", made["info"])
        for message in made["messages"]:
            write(root / f"message/{session}/{message['info']['id']}.json", message["info"])
            for place, one in enumerate(message["parts"]):
                write(root / f"part/{message['info']['id']}/{place:03}.json", one)
    return root


def write(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))


def database(path: Path, *exports: Value) -> Path:
    opened = sqlite3.connect(path)
    opened.execute("CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT, title TEXT, revert TEXT, "
                   "time_created INTEGER, time_updated INTEGER)")  # fmt: skip
    opened.execute("CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, data TEXT)")
    opened.execute("CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, data TEXT)")
    for made in exports:
        session = made["info"]
        revert = json.dumps(session["revert"]) if "revert" in session else None
        opened.execute("INSERT INTO session VALUES (?,?,?,?,?,?)", (session["id"], session.get("parentID"),
                       session["title"], revert, 1, session["time"]["updated"]))  # fmt: skip
        for message in made["messages"]:
            name = message["info"]["id"]
            opened.execute(
                "INSERT INTO message VALUES (?,?,?,?)", (name, session["id"], 0, json.dumps(message["info"]))
            )
            for place, one in enumerate(message["parts"]):
                row = (f"{name}_{place:03}", name, session["id"], json.dumps(one))
                opened.execute("INSERT INTO part VALUES (?,?,?,?)", row)
    opened.commit()
    opened.close()
    return path


def delta(message: str, part: str, text: str) -> Value:
    held = {"messageID": message, "partID": part, "field": "text", "delta": text}
    return {"type": "message.part.delta", "properties": held}


def events(made: Value = export(), *more: Value) -> bytes:  # noqa: B008
    found = [{"type": "session.created", "properties": {"info": made["info"]}}]
    for message in made["messages"]:
        found.append({"type": "message.updated", "properties": {"info": {**message["info"], "tokens": {}}}})
        for one in message["parts"]:
            held = {**one, "messageID": message["info"]["id"]}
            if one["type"] == "text":
                found.append({"type": "message.part.updated", "properties": {"part": {**held, "text": ""}}})
                found.append(delta(message["info"]["id"], one["id"], "half"))
            found.append({"type": "message.part.updated", "properties": {"part": held}})
        found.append({"type": "message.updated", "properties": {"info": message["info"]}})
    wrapped = [{"timestamp": 1, "event": event} for event in found]
    return "\n".join(map(json.dumps, [*wrapped, *more])).encode()


def exported(*values: Value) -> Conversation:
    raw = json.dumps(values[0] if len(values) == 1 else values).encode()
    opened = conversations_in(raw, "made.json")
    assert opened.format.name == "opencode_export"
    return opened.conversations[0]


def shown(one: Conversation) -> list[Body]:
    return [{key: value for key, value in body.items() if key != "thinking_blocks"} for body in one.messages]


IMAGE = {"type": "image_url", "image_url": {"url": PICTURE["url"]}}
CALLS = [
    {"id": f"call_{n}", "type": "function", "function": {"name": "bash", "arguments": f'{{"n":{n}}}'}}
    for n in (8, 9, 12)
]
ROWS: list[Body] = [
    {"role": "user", "content": [{"type": "text", "text": "Draw."}, IMAGE]},
    {"role": "assistant", "content": "Looking.", "thinking": "Hm.", "tool_calls": CALLS[:2]},
    {"role": "tool", "tool_call_id": "call_8", "name": "bash", "content": [{"type": "text", "text": "found"}, IMAGE]},
    {"role": "tool", "tool_call_id": "call_9", "name": "bash", "content": "Tool execution aborted", "is_error": True},
    {"role": "assistant", "content": None, "tool_calls": CALLS[2:]},
]


def test_an_export_gives_a_row_a_step_and_a_result_each() -> None:
    one = exported(export())
    assert shown(one) == ROWS
    assert [block["id"] for block in one.messages[1]["thinking_blocks"]] == ["prt_6"]
    assert (one.title, one.model, one.usage) == ("A boat", "gpt-x", (Usage(1, 44, 30, 7),))
    at = "/messages/1/parts"
    assert one.origin(1) == Origin(1, "/messages/1", None, (f"{at}/3", f"{at}/4", f"{at}/1/text", f"{at}/2/text"))
    assert one.origin(2) == Origin(1, f"{at}/3", None, (f"{at}/3/state/output",))
    assert one.origin(3).parts == (f"{at}/4/state/error",)


def test_the_folder_the_database_and_the_events_read_alike(tmp_path: Path) -> None:
    sources = {
        "opencode_storage": conversations(folder(tmp_path / "storage", export())),
        "opencode_events": conversations_in(events(), "made.jsonl"),
    }
    for name, opened in sources.items():
        (one,) = opened.conversations
        assert (opened.format.name, shown(one), one.usage) == (name, ROWS, (Usage(1, 44, 30, 7),))
    (one,) = conversations(database(tmp_path / "opencode.db", export())).conversations
    assert (shown(one), one.title, one.damage) == (ROWS, "A boat", ())


def test_origins_in_a_folder_say_the_file_of_each_part(tmp_path: Path) -> None:
    (one,) = conversations(folder(tmp_path, export())).conversations
    at = "part/msg_2"
    parts = (f"{at}/003.json#", f"{at}/004.json#", f"{at}/001.json#/text", f"{at}/002.json#/text")
    assert one.origin(1) == Origin(1, "", None, parts, "message/ses_1/msg_2.json")
    assert one.origin(2) == Origin(1, "", None, (f"{at}/003.json#/state/output",), f"{at}/003.json")


def test_origins_in_a_database_say_table_row_and_column(tmp_path: Path) -> None:
    (one,) = conversations(database(tmp_path / "a.db", export())).conversations
    assert one.origin(2) == Origin(1, "/part/msg_2_003/data", None, ("/part/msg_2_003/data/state/output",))


def test_older_folders_are_read(tmp_path: Path) -> None:
    write(tmp_path / "storage/session/info/ses_1.json", SESSION)
    write(tmp_path / "storage/session/message/ses_1/msg_1.json", MESSAGES[0]["info"])
    write(tmp_path / "storage/session/part/ses_1/msg_1/prt_1.json", MESSAGES[0]["parts"][0])
    (one,) = conversations(tmp_path).conversations
    assert (shown(one), one.title) == ([{"role": "user", "content": "Draw."}], "A boat")


def test_the_last_update_wins_removed_ones_go_and_a_cut_part_has_its_deltas() -> None:
    raw = events(
        export(MESSAGES[:1]),
        {"type": "message.updated", "properties": {"info": info(5, "assistant")}},
        {"type": "message.part.updated", "properties": {"part": part(50, "text", messageID="msg_5", text="So")}},
        delta("msg_5", "prt_50", " far"),
        delta("msg_5", "prt_50", "."),
        {"type": "message.part.updated", "properties": {"part": part(51, "text", messageID="msg_5", text="No.")}},
        {"type": "message.part.removed", "properties": {"messageID": "msg_5", "partID": "prt_51"}},
        {"type": "message.updated", "properties": {"info": info(6, "user")}},
        {"type": "message.removed", "properties": {"messageID": "msg_6"}},
    )  # fmt: skip
    session = load_bytes(raw, "made.jsonl")
    assert [body["content"] for body in session.messages[1:]] == ["So far."]
    assert session.origin(1).parts[0].endswith("/properties/part/text")


COMPACTED = [
    *MESSAGES,
    {"info": info(3, "user"), "parts": [part(30, "compaction", auto=True, tail_start_id="msg_2")]},
    {"info": info(4, "assistant", summary=True), "parts": [part(31, "text", text="The sum.")]},
    {"info": info(5, "user"), "parts": [part(32, "text", text="Go on."), part(33, "subtask", prompt="p")]},
]


def test_a_compaction_is_its_question_its_summary_and_what_it_kept() -> None:
    one = exported(export(COMPACTED))
    contents = ["What did we do so far?", "The sum.", "Go on.\nThe following tool was executed by the user"]
    assert [body["content"] for body in one.messages[5:]] == contents
    assert one.compactions == (Compaction(5, "auto", 51, kept=(1, 2, 3, 4)),)


def test_a_compaction_without_a_summary_did_not_happen() -> None:
    failed = {**COMPACTED[3], "info": {**COMPACTED[3]["info"], "error": {"name": "MessageAbortedError"}}}
    assert exported(export([*COMPACTED[:3], failed])).compactions == ()


def test_what_a_revert_hides_is_abandoned(tmp_path: Path) -> None:
    reverted = export(COMPACTED, revert={"messageID": "msg_3"})
    for one in (exported(reverted), *conversations(database(tmp_path / "a.db", reverted)).conversations):
        assert shown(one) == ROWS
        assert len(one.abandoned) == 3
        assert [(found.code, found.severity) for found in one.damage] == [("abandoned-branch", "info")]


def test_newest_sessions_come_first_with_their_subagents_after_them(tmp_path: Path) -> None:
    def session(name: str, updated: int, parent: str | None = None) -> Value:
        message = {"info": info(1, "user", id=f"msg_{name}"), "parts": [part(1, "text", text=name)]}
        return export([message], id=name, title=name, parentID=parent, time={"updated": updated})

    made = [session("old", 1), session("new", 5), session("child", 9, "old"), session("grandchild", 9, "child")]
    for path in (folder(tmp_path / "storage", *made), database(tmp_path / "a.db", *made)):
        found = conversations(path).conversations
        assert [(one.title, one.side) for one in found] == [
            ("new", False), ("old", False), ("child", True), ("grandchild", True)]  # fmt: skip


def test_sessions_that_are_each_others_parents_are_read_once(tmp_path: Path) -> None:
    first = export(id="a", parentID="b")
    second = export([{"info": info(9, "user"), "parts": []}], id="b", parentID="a")
    found = conversations(database(tmp_path / "a.db", first, second)).conversations
    assert sorted(len(one.messages) for one in found) == [0, 5]


def test_damaged_files_and_columns_are_named(tmp_path: Path) -> None:
    folder(tmp_path / "storage", export())
    (tmp_path / "storage/part/msg_1/000.json").write_text('{"type": "text", "text": "Dra')
    (tmp_path / "storage/part/msg_1/001.json").write_text("[1]")
    opened = conversations(tmp_path / "storage")
    assert [(found.code, found.pointer) for found in (*opened.damage, *opened.conversations[0].damage)] == [
        ("truncated-record", "part/msg_1/000.json#/text"),
        ("unparseable-record", "part/msg_1/001.json#"),
    ]
    path = database(tmp_path / "a.db", export())
    opened_db = sqlite3.connect(path)
    opened_db.execute("UPDATE part SET data = ? WHERE id = 'msg_1_000'", ('{"type": "text", "text": "Dra',))
    opened_db.execute("UPDATE message SET data = '' WHERE id = 'msg_2'")
    opened_db.commit()
    opened_db.close()
    (one,) = conversations(path).conversations
    assert [(found.code, found.pointer) for found in one.damage] == [
        ("truncated-record", "/part/msg_1_000/data/text"),
        ("unparseable-record", "/message/msg_2/data"),
    ]


@pytest.mark.parametrize("row", rows_of("opencode_storage", "opencode_events"), ids=lambda row: row["file"])
def test_shared_files_are_as_counted(row: dict[str, str]) -> None:
    assert_as_counted(row)


LINES = [json.loads(line) for line in events(export(COMPACTED, revert={"messageID": "msg_5"})).splitlines()]


@settings(deadline=None, max_examples=150)
@given(st.one_of(spoilt([export(COMPACTED, revert={"messageID": "msg_5"})], lines=False), spoilt(LINES, lines=True)))
def test_damage_is_read_around_or_refused(raw: bytes) -> None:
    for name in (None, "opencode_export", "opencode_events"):
        read_or_refused(raw, name)


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_a_damaged_database_is_read_around_or_refused(tmp_path: Path, data: st.DataObject) -> None:
    path = tmp_path / "a.db"
    path.unlink(missing_ok=True)
    raw = database(path, export(COMPACTED)).read_bytes()
    at = data.draw(st.integers(0, len(raw) - 1))
    raw = raw[:at] + data.draw(st.binary(max_size=40)) + raw[at + data.draw(st.integers(0, 60)) :]
    read_or_refused(raw[: data.draw(st.sampled_from([len(raw), len(raw) // 2]))])
