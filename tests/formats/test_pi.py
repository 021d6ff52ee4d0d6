"""pi sessions: versions 1 to 3, the tree, compactions, what is sent and what is not."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.formats import conversations_in
from inspector.formats.pi import FORMAT
from inspector.message import Compaction, Usage
from tests.formats.made import check_shared, check_spoilt, codes, jsonl, lines, only, script, spoilt
from tests.shared import needs_shared

Line = dict[str, Any]
HEAD = {"type": "session", "version": 3, "id": "s", "cwd": "/"}


def entry(kind: str, entry_id: str | None, parent: str | None, **keys: Any) -> Line:
    links = {} if entry_id is None else {"id": entry_id, "parentId": parent}
    return {"type": kind, **links, **keys}


def says(entry_id: str | None, parent: str | None, role: str, *blocks: Line | str, **keys: Any) -> Line:
    content = [{"type": "text", "text": block} if isinstance(block, str) else block for block in blocks]
    return entry("message", entry_id, parent, message={"role": role, "content": content, **keys})


CALL = {"type": "toolCall", "id": "c", "name": "read", "arguments": {"path": "a"}}
SIGNED = {"type": "thinking", "thinking": "Hm.", "thinkingSignature": "sig"}
USAGE = {"input": 10, "cacheRead": 5, "cacheWrite": 2, "output": 3}
TREE = [
    HEAD,
    says("1", None, "user", "Which pier?"),
    says("2", "1", "assistant", SIGNED, "I look.", CALL, model="claude-x", usage=USAGE, stopReason="toolUse"),
    says("3", "2", "toolResult", "pier", {"type": "image", "data": "AA", "mimeType": "image/png"}, toolCallId="c",
         toolName="read", isError=True),
    entry("thinking_level_change", "4", "3", thinkingLevel="high"),
    says("5", "4", "assistant", "Two."),
]  # fmt: skip


def test_blocks_usage_and_places() -> None:
    conversation = only(FORMAT, lines(*TREE))
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}}
    said = [{"type": "text", "text": "pier"}, picture]
    assert [content for _, content in script(conversation)] == ["Which pier?", "I look.", said, "Two."]
    answer, result = conversation.messages[1:3]
    assert (answer["thinking"], answer["thinking_blocks"]) == ("Hm.", [SIGNED])
    assert answer["tool_calls"][0]["function"] == {"name": "read", "arguments": '{"path":"a"}'}
    assert (result["name"], result["tool_call_id"], result["is_error"]) == ("read", "c", True)
    assert (conversation.model, conversation.usage) == ("claude-x", (Usage(1, 17, 5, 3),))
    blocks = [f"/2/message/content/{place}" for place in (2, 0, 1)]
    assert conversation.origin(1).parts == tuple(blocks)
    assert conversation.origin(2).parts == ("/3/message/content",)


def test_the_last_entry_is_the_leaf_and_other_branches_are_left() -> None:
    summary = entry("branch_summary", "6", "3", fromId="5", summary="Said two.")
    conversation = only(FORMAT, lines(*TREE, summary, says("7", "6", "user", "Else?")))
    assert [content for _, content in script(conversation)][-2:] == ["Said two.", "Else?"]
    assert [body["content"] for body in conversation.abandoned] == ["Two."]
    assert codes(conversation) == [("abandoned-branch", "/5")]


def test_a_compaction_is_its_summary_and_what_it_kept() -> None:
    made = entry("compaction", "6", "5", summary="So far.", firstKeptEntryId="3", tokensBefore=900)
    conversation = only(FORMAT, lines(*TREE, made, says("7", "6", "user", "And?")))
    assert conversation.compactions == (Compaction(4, "compaction", 900, kept=(2, 3)),)
    assert script(conversation)[4:] == [("user", "So far."), ("user", "And?")]
    assert conversation.origin(4).parts == ("/6/summary",)


def test_version_1_has_no_links_and_counts_entries_from_the_header() -> None:
    old = [{key: value for key, value in line.items() if key not in ("id", "parentId", "version")} for line in TREE[1:]]
    made = entry("compaction", None, None, summary="So far.", firstKeptEntryIndex=3)
    conversation = only(FORMAT, lines({**HEAD, "modelId": "m"}, *old, made, says(None, None, "user", "And?")))
    assert len(conversation.messages) == 6
    assert conversation.compactions[0].kept == (2, 3)
    assert conversation.damage == ()


def test_a_kept_index_of_the_header_keeps_nothing() -> None:
    made = entry("compaction", "6", "5", summary="So far.", firstKeptEntryIndex=0)
    assert only(FORMAT, lines(*TREE, made)).compactions[0].kept == ()


def test_shell_commands_and_notes_of_extensions_are_the_users_unless_kept_out() -> None:
    ran = {"role": "bashExecution", "command": "ls", "output": "a", "exitCode": 0}
    conversation = only(FORMAT, lines(
        HEAD,
        entry("message", "1", None, message=ran),
        entry("message", "2", "1", message={**ran, "excludeFromContext": True}),
        entry("custom_message", "3", "2", customType="x", content="Note."),
        entry("custom", "4", "3", data={"content": "never sent"}),
        says("5", "4", "hookMessage", "Hook."),
    ))  # fmt: skip
    assert script(conversation) == [("user", "Ran `ls`\n```\na\n```"), ("user", "Note."), ("user", "Hook.")]


def test_an_aborted_answer_stays_and_says_so() -> None:
    conversation = only(FORMAT, lines(HEAD, says("1", None, "assistant", CALL, stopReason="aborted")))
    assert conversation.messages[0]["stop_reason"] == "aborted"


def test_glued_entries_are_both_read() -> None:
    raw = jsonl(HEAD, TREE[1]) + jsonl(TREE[2])[:-1] + jsonl(*TREE[3:])
    opened = conversations_in(raw, "made.jsonl")
    assert [one.code for one in opened.damage] == ["glued-records"]
    assert len(opened.conversations[0].messages) == 4


def test_a_broken_link_falls_back_to_the_entry_before_and_is_named() -> None:
    conversation = only(FORMAT, lines(*TREE, says("7", "gone", "user", "And?")))
    assert len(conversation.messages) == 5
    assert codes(conversation) == [("broken-parent-link", "/6/parentId")]


def test_a_circle_of_links_is_named_and_no_entry_is_lost() -> None:
    circle = [HEAD, says("1", "3", "user", "a"), says("2", "1", "assistant", "b"), says("3", "2", "user", "c")]
    conversation = only(FORMAT, lines(*circle))
    assert [content for _, content in script(conversation)] == ["a", "b", "c"]
    assert codes(conversation) == [("broken-parent-link", "/1/parentId")]


WHOLE = [*TREE, entry("compaction", "6", "5", summary="S", firstKeptEntryId="3"), says("7", "6", "user", "And?"),
         entry("message", "8", "7", message={"role": "bashExecution", "command": "ls", "output": "a"}),
         entry("session_info", "9", "8", name="Piers")]  # fmt: skip


@given(spoilt(WHOLE))
@settings(deadline=None)
def test_no_session_makes_the_reader_raise(values: list[Any]) -> None:
    check_spoilt(FORMAT, lines(*values))


@given(st.permutations(WHOLE))
@settings(deadline=None)
def test_no_order_of_entries_loses_one(values: list[Any]) -> None:
    (conversation,) = FORMAT.read(lines(*values))
    assert len(conversation.messages) + len(conversation.abandoned) == 7


@needs_shared
def test_the_public_files_have_the_figures_of_their_index() -> None:
    check_shared(FORMAT)
