"""`compact --native` and `messages --to`, as a user calls them."""

import json
from pathlib import Path

import pytest

from inspector.formats import load
from tests.cli.program import assert_one_sentence, call, process
from tests.formats import writable
from tests.formats.writable import opencode_folder

CUT = ("-p", "head-tail", "-s", "keep_recent=0", "-s", "old_tool_chars=20", "--native", "-o")


@pytest.fixture
def session(tmp_path: Path) -> Path:
    path = tmp_path / "session.jsonl"
    path.write_bytes(writable.CLAUDE_CODE)
    return path


def test_a_session_is_written_in_its_own_format(session: Path) -> None:
    out = session.with_name("out.jsonl")
    answer = call("compact", str(session), *CUT, str(out))
    assert answer.status == 0
    assert "compacted old tool result" in out.read_text()
    assert load(out).format == "claude_code"
    assert session.read_bytes() == writable.CLAUDE_CODE
    assert sorted(path.name for path in session.parent.iterdir()) == ["out.jsonl", "session.jsonl"]


def test_the_recording_itself_is_never_replaced(session: Path) -> None:
    answer = call("compact", str(session), *CUT, str(session), "--force")
    assert_one_sentence(answer, naming="a recording is never replaced")
    assert session.read_bytes() == writable.CLAUDE_CODE


def test_another_file_is_replaced_only_by_force(session: Path) -> None:
    out = session.with_name("out.jsonl")
    out.write_text("mine")
    assert_one_sentence(call("compact", str(session), *CUT, str(out)), naming="--force")
    assert out.read_text() == "mine"
    assert call("compact", str(session), *CUT, str(out), "--force").status == 0
    assert load(out).format == "claude_code"


def test_native_wants_a_name(session: Path) -> None:
    answer = call("compact", str(session), "-p", "head-tail", "--native")
    assert answer.status == 2
    assert "name it with -o" in answer.err


def test_through_a_pipe_bytes_come_out_as_they_are() -> None:
    idle = ("-p", "checkpoint", "-s", "max_messages=1000", "--native", "-o", "-")
    answer = process("compact", "-", *idle, stdin=writable.CODEX)
    assert answer.out.encode() == writable.CODEX


def test_a_format_that_cannot_is_a_sentence_and_the_openai_shape_works(tmp_path: Path) -> None:
    path, out = tmp_path / "talk.json", tmp_path / "out"
    turns = [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Hello"}]
    path.write_text(json.dumps([{"conversations": turns}]))
    assert_one_sentence(call("compact", str(path), *CUT, str(out)), naming="is not written back")
    assert not out.exists()
    assert call("compact", str(path), "-p", "head-tail", "-o", str(out)).status == 0
    assert [body["role"] for body in json.loads(out.read_bytes())["messages"]] == ["user", "assistant"]


def test_a_folder_becomes_a_new_folder(tmp_path: Path) -> None:
    folder, out = opencode_folder(tmp_path / "storage"), tmp_path / "out"
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert call("compact", str(folder), *CUT, str(out)).status == 0
    changed = [
        path.relative_to(folder)
        for path, data in before.items()
        if (out / path.relative_to(folder)).read_bytes() != data
    ]
    assert list(map(str, changed)) == ["part/msg_2/prt_4.json"]
    assert {path: path.read_bytes() for path in before} == before
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".inspector")] == []


@pytest.mark.parametrize(("out", "says"), [
    ("storage", "exists already"), ("storage/inside", "lies in the recording"), ("-", "standard output"),
    ("missing/out", "cannot write"),
])  # fmt: skip
def test_a_folder_is_not_written_anywhere_else(tmp_path: Path, out: str, says: str) -> None:
    folder = opencode_folder(tmp_path / "storage")
    names = sorted(path.name for path in tmp_path.rglob("*"))
    target = out if out == "-" else str(tmp_path / out)
    assert_one_sentence(call("compact", str(folder), *CUT, target, "--force"), naming=says)
    assert sorted(path.name for path in tmp_path.rglob("*")) == names


def test_messages_convert_to_one_anthropic_document(session: Path) -> None:
    answer = call("messages", str(session), "--to", "anthropic")
    assert answer.status == 0
    kinds = [[block["type"] for block in message["content"]] for message in answer.json["messages"]]
    assert kinds == [["text", "image"], ["thinking", "text", "tool_use"], ["tool_result"], ["text"], ["text"]]
