"""Branches that were left can be chosen: each is told whole, and says where it forks off."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import inspector
from inspector.formats import UnreadableSession, load, load_bytes
from inspector.formats.branches import MOST, ROOT, Forks, leaves_of
from inspector.message import Session, opening
from tests.formats.made import jsonl

Line = dict[str, Any]


def claude(kind: str, uuid: str, parent: str | None, said: Any, **more: Any) -> Line:
    return {"type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": "s",
            "message": {"role": kind, "content": said, **more}}  # fmt: skip


def use(call: str) -> list[Line]:
    return [{"type": "tool_use", "id": call, "name": "Bash", "input": {}}]


def result(call: str, said: str) -> list[Line]:
    return [{"type": "tool_result", "tool_use_id": call, "content": said}]


CLAUDE = jsonl(
    claude("user", "u1", None, "Name the boat."),
    claude("assistant", "a1", "u1", "Heron?", id="m1"),
    claude("user", "u2", "a1", "Too short."),
    claude("assistant", "a2", "u2", use("t1"), id="m2"),
    claude("assistant", "a3", "a2", use("t2"), id="m2"),
    claude("user", "r1", "a2", result("t1", "one")),
    claude("user", "r2", "a3", result("t2", "two")),
    claude("user", "u3", "a1", "Paint it on."),
    claude("assistant", "a4", "u3", "Painted.", id="m3"),
)


def pi(kind: str, one: str, parent: str | None, role: str = "user", said: str = "") -> Line:
    message = {"role": role, "content": said}
    return {"type": kind, "id": one, "parentId": parent, **({"message": message} if kind == "message" else {})}


PI = jsonl(
    {"type": "session", "version": 3, "id": "s", "cwd": "/"},
    pi("message", "1", None, "user", "Name the boat."),
    pi("message", "2", "1", "assistant", "Heron?"),
    pi("message", "3", "2", "user", "Too short."),
    pi("label", "4", "3"),
    pi("message", "5", "2", "user", "Paint it on."),
)
GEMINI = jsonl(
    {"sessionId": "s", "projectHash": "h", "startTime": "", "lastUpdated": ""},
    {"id": "1", "type": "user", "content": "Name the boat."},
    {"id": "2", "type": "gemini", "content": "Heron?"},
    {"id": "3", "type": "user", "content": "Too short."},
    {"$rewindTo": "3"},
    {"id": "4", "type": "user", "content": "Paint it on."},
)
QWEN = jsonl(*(
    {"uuid": one, "parentUuid": parent, "sessionId": "s", "type": kind, "message": {"role": role,
     "parts": [{"text": said}]}}
    for one, parent, kind, role, said in (
        ("1", None, "user", "user", "Name the boat."), ("2", "1", "assistant", "model", "Heron?"),
        ("3", "2", "user", "user", "Too short."), ("4", "2", "user", "user", "Paint it on."),
    )
))  # fmt: skip
DROID = jsonl(
    {"type": "session_start", "id": "s", "title": "Boats"},
    *(
        {"type": "message", "id": one, "parentId": parent, "message": {"role": role, "content": said}}
        for one, parent, role, said in (
            ("1", "s", "user", "Name the boat."), ("2", "1", "assistant", "Heron?"),
            ("3", "2", "user", "Too short."), ("4", "2", "user", "Paint it on."),
        )
    ),
)  # fmt: skip
TURNS = [("1", None, "user", "Name the boat."), ("2", "1", "assistant", "Heron?"), ("3", "2", "user", "Too short."),
         ("4", "2", "user", "Paint it on.")]  # fmt: skip
CHATGPT = json.dumps({
    "title": "Boats", "current_node": "4",
    "mapping": {
        one: {"id": one, "parent": parent, "children": [], "message": {
            "author": {"role": role}, "recipient": "all", "content": {"content_type": "text", "parts": [said]},
        }} for one, parent, role, said in TURNS
    },
}).encode()  # fmt: skip
WEBUI = json.dumps({"title": "Boats", "history": {"currentId": "4", "messages": {
    one: {"id": one, "parentId": parent, "childrenIds": [], "role": role, "content": said}
    for one, parent, role, said in TURNS
}}, "system": "Be brief."}).encode()  # fmt: skip
CLAUDE_AI = json.dumps({"name": "Boats", "current_leaf_message_uuid": "4", "chat_messages": [
    {"uuid": one, "parent_message_uuid": parent, "sender": "human" if role == "user" else role, "text": said}
    for one, parent, role, said in TURNS
]}).encode()  # fmt: skip
MADE = {"claude_code": CLAUDE, "pi": PI, "gemini_cli": GEMINI, "qwen_cli": QWEN, "droid_cli": DROID,
        "chatgpt_export": CHATGPT, "open_webui": WEBUI, "claude_ai_export": CLAUDE_AI}  # fmt: skip


def said(session: Session) -> list[Any]:
    return [body["content"] for body in session.messages if body["role"] != "system"]


@pytest.mark.parametrize("name", MADE)
def test_a_branch_is_named_and_told_from_the_beginning(name: str) -> None:
    live = load_bytes(MADE[name], "made")
    assert (live.format, live.branch, said(live)[2]) == (name, None, "Paint it on.")
    (branch,) = live.branches
    assert branch.title == "Too short."
    told = load_bytes(MADE[name], "made", branch=0)
    assert said(told)[:3] == ["Name the boat.", "Heron?", "Too short."]
    assert "Paint it on." not in said(told)
    assert (told.branch, told.title, told.contents) == (0, "Too short.", live.contents)
    assert told.messages[: branch.row] == live.messages[: branch.row]
    assert told.messages[branch.row]["content"] == "Too short."
    assert told.origin(branch.row).pointer != live.origin(branch.row).pointer


def test_results_that_hang_in_a_branch_belong_to_it_and_are_no_branches() -> None:
    told = load_bytes(CLAUDE, "made", branch=0)
    assert said(told)[3:] == [None, "one", "two"]
    assert [call["id"] for call in told.messages[3]["tool_calls"]] == ["t1", "t2"]
    assert load_bytes(CLAUDE, "made").branches[0].messages == 4


def test_a_branch_that_is_not_there_is_one_sentence() -> None:
    with pytest.raises(UnreadableSession, match="no branch 1; it has left 1, numbered from 0"):
        load_bytes(PI, "made", branch=1)
    with pytest.raises(UnreadableSession, match="no branch 0; it has left none"):
        load_bytes(b'[{"role": "user", "content": "x"}]', "made", branch=0)


def test_a_branch_of_a_folder_says_its_file(tmp_path: Path) -> None:
    (tmp_path / "s.jsonl").write_bytes(CLAUDE)
    told = load(tmp_path, branch=0)
    assert told.origin(2).file == "s.jsonl"


def test_a_session_knows_what_else_its_file_holds() -> None:
    two = json.dumps({"messages": [{"role": "user", "content": "  First\n of two "}]})
    held = load_bytes(f"{two}\n{two}\n".encode(), "made", index=1)
    assert [(one.opening, one.messages, one.side) for one in held.contents] == [("First of two", 1, False)] * 2
    assert inspector.from_messages([]).branches == ()


def test_an_opening_is_one_short_line() -> None:
    assert opening({"role": "user", "content": "a\n\tb"}) == "a b"
    assert len(opening({"role": "user", "content": "word " * 1_000})) == 120
    assert opening({"role": "user", "content": None}) == ""


@given(st.lists(st.integers(-1, 30), max_size=30), st.sets(st.integers(0, 29)), st.sets(st.integers(0, 29)))
def test_no_links_make_the_walk_hang_and_every_leaf_is_beside_the_path(
    links: list[int], left: set[int], speaking: set[int]
) -> None:
    parents = [min(link, len(links) - 1) for link in links]
    beside = sorted(place for place in left if place < len(links))
    found = leaves_of(beside, parents, lambda place: place in speaking)
    assert [leaf.place for leaf in found] == sorted((leaf.place for leaf in found), reverse=True)
    for leaf in found:
        assert leaf.own[-1] == leaf.place
        assert set(leaf.own) <= left & speaking
        assert leaf.fork == ROOT or leaf.fork not in beside


def test_every_message_of_a_tree_that_was_left_is_in_a_branch() -> None:
    parents = [-1, 0, 1, 1, 3, 0]
    found = leaves_of([1, 2, 3, 4], parents, lambda place: True)
    assert [(leaf.fork, leaf.own) for leaf in found] == [(0, (1, 3, 4)), (0, (1, 2))]


def test_a_conversation_tried_very_often_lists_the_newest_branches() -> None:
    found = leaves_of(range(1, 10_000), [-1] + [0] * 9_999, lambda place: True)
    assert [leaf.place for leaf in found] == list(range(9_999, 9_999 - MOST, -1))


def test_rows_of_one_record_are_shared_together() -> None:
    forks = Forks([4, 4, 9, 12], [1, 4, 9, 12])
    assert [forks.row(fork) for fork in (None, 1, 4, 9, 12, 99)] == [0, 0, 2, 3, 4, 0]
