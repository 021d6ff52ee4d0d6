"""A Claude Code session beside its subagents: one conversation, and a side conversation each."""

import json
from pathlib import Path

import pytest

from inspector.formats import UnreadableSession, conversations, load
from inspector.message import Origin
from tests.formats.claude_lines import answers, call, result, says, text


def write(path: Path, *lines: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(json.dumps(line) if not isinstance(line, str) else line for line in lines))


def make(folder: Path) -> None:
    agent = "s1/subagents/agent-a1"
    write(folder / "s1.jsonl", says("u1", None, "Look."), answers("a1", "u1", "m1", call("t1", "Task")),
          says("u2", "a1", result("t1", "found")))  # fmt: skip
    write(folder / f"{agent}.jsonl", says("v1", None, "Search.", isSidechain=True, agentId="a1"),
          answers("b1", "v1", "m2", text("Here."), isSidechain=True, agentId="a1"), '{"cut": ')  # fmt: skip
    write(folder / f"{agent}.meta.json", {"agentType": "Explore", "description": "find it"})


def test_subagents_are_side_conversations_of_the_folders_session(tmp_path: Path) -> None:
    make(tmp_path)
    opened = conversations(tmp_path)
    main, side = opened.conversations
    assert opened.format.name == "claude_code"
    assert [body["role"] for body in main.messages] == ["user", "assistant", "tool"]
    assert (side.side, side.title) == (True, "subagent a1: find it")
    assert [body["content"] for body in side.messages] == ["Search.", "Here."]


def test_origins_and_findings_say_the_file(tmp_path: Path) -> None:
    make(tmp_path)
    side = conversations(tmp_path).conversations[1]
    path = "s1/subagents/agent-a1.jsonl"
    assert side.origin(0) == Origin(0, "/0/message", 1, (), path)
    found = load(tmp_path, index=1).damage
    assert [(one.code, one.pointer) for one in found] == [("truncated-record", f"{path}#/2")]


def test_a_projects_folder_is_no_session(tmp_path: Path) -> None:
    make(tmp_path)
    write(tmp_path / "s2.jsonl", says("u1", None, "Another."))
    with pytest.raises(UnreadableSession, match="name a session file in it"):
        conversations(tmp_path)
