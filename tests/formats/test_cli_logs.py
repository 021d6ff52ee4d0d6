"""Logs of Copilot, Kimi, Droid and Cursor."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.formats import copilot_cli, cursor_cli, droid_cli, kimi_cli
from inspector.message import Compaction, Context, Usage
from inspector.pairs import Pair, pairs_of
from tests.formats.made import check_shared, check_spoilt, codes, lines, only, script, spoilt
from tests.shared import needs_shared

Line = dict[str, Any]


def event(kind: str, event_id: str, **data: Any) -> Line:
    return {"type": kind, "id": event_id, "parentId": None, "data": data}


COPILOT = [
    event("session.start", "e0", sessionId="s", selectedModel="gpt-x"),
    event("system.message", "e1", content="Be brief.", role="system"),
    event("user.message", "e2", content="Which pier?", transformedContent="<now/>Which pier?"),
    event("assistant.message", "e3", content="", reasoningText="Hm.", reasoningOpaque="gAAA",
          toolRequests=[{"toolCallId": "c", "name": "look", "arguments": {"pier": 2}}]),
    event("tool.execution_start", "e4", toolCallId="c", toolName="look", arguments={"pier": 2}),
    event("tool.execution_complete", "e5", toolCallId="c", success=False, error={"message": "No such pier."}),
    event("assistant.reasoning", "e6", content="Well."),
    event("assistant.message", "e7", content="None.", toolRequests=[], model="gpt-y"),
]  # fmt: skip


def test_copilot_events_are_messages_once_with_their_places() -> None:
    conversation = only(copilot_cli.FORMAT, lines(*COPILOT))
    assert script(conversation) == [("system", "Be brief."), ("user", "<now/>Which pier?"), ("assistant", ["look"]),
                                    ("tool", "No such pier."), ("assistant", "None.")]  # fmt: skip
    call, result, last = conversation.messages[2:]
    assert (call["thinking"], call["thinking_blocks"]) == ("Hm.", [{"type": "reasoning", "reasoningOpaque": "gAAA"}])
    assert (result["name"], result["is_error"], last["thinking"]) == ("look", True, "Well.")
    assert conversation.model == "gpt-y"
    assert conversation.origin(1).parts == ("/2/data/transformedContent",)
    assert conversation.origin(3).parts == ("/5/data/error/message",)


def test_copilot_subagents_are_side_conversations() -> None:
    side = event("assistant.message", "s1", content="Counting.", parentToolCallId="c", toolRequests=[])
    main, beside = copilot_cli.FORMAT.read(lines(*COPILOT, side))
    assert (len(main.messages), beside.side, script(beside)) == (5, True, [("assistant", "Counting.")])


def test_copilot_rewinds_truncations_and_compactions() -> None:
    rewind = event("session.snapshot_rewind", "e8", upToEventId="e3", eventsRemoved=5)
    truncation = event("session.truncation", "e9", preTruncationTokensInMessages=90, postTruncationTokensInMessages=9,
                       messagesRemovedDuringTruncation=1)  # fmt: skip
    compaction = event(
        "session.compaction_complete", "e11", success=True, preCompactionTokens=9, summaryContent="So far."
    )
    again = event("user.message", "e10", content="Else?")
    conversation = only(copilot_cli.FORMAT, lines(*COPILOT, rewind, again, truncation, compaction))
    assert [content for _, content in script(conversation)] == ["Be brief.", "<now/>Which pier?", "Else?", "So far."]
    assert (len(conversation.abandoned), codes(conversation)) == (3, [("abandoned-branch", "/3/data")])
    cut, summed = conversation.compactions
    assert cut == Compaction(3, "truncation", 90, 9, (0, 2))
    assert summed == Compaction(3, "compaction", 9, kept=(0,))


def loop(kind: str, **keys: Any) -> Line:
    return {"type": "context.append_loop_event", "event": {"type": kind, **keys}}


def prompt(text: str, kind: str = "user") -> Line:
    content = [{"type": "text", "text": text}]
    return {"type": "context.append_message", "message": {"role": "user", "content": content, "origin": {"kind": kind}}}


STEP = [
    loop("step.begin", uuid="s"),
    {"type": "llm.request", "model": "kimi-x"},
    loop("content.part", part={"type": "think", "think": "Hm."}),
    loop("content.part", part={"type": "text", "text": "I look."}),
    loop("tool.call", toolCallId="c", name="look", args={"pier": 2}),
    loop("tool.result", toolCallId="c", result={"output": "pier 2"}),
    loop("tool.call", toolCallId="d", name="row", args={}),
    loop("tool.result", toolCallId="d", result={"output": [{"type": "text", "text": "lost"}], "isError": True}),
    loop("step.end", usage={"inputOther": 9, "inputCacheRead": 4, "inputCacheCreation": 1, "output": 2}),
]
KIMI = [{"type": "config.update", "systemPrompt": "Be brief."}, {"type": "turn.prompt", "input": "Which pier?"},
        prompt("Which pier?"), loop("step.begin", uuid="r"), *STEP]  # fmt: skip


def test_kimi_events_of_a_step_are_one_message_and_its_results() -> None:
    conversation = only(kimi_cli.FORMAT, lines(*KIMI))
    assert script(conversation) == [("system", "Be brief."), ("user", "Which pier?"), ("assistant", "I look."),
                                    ("tool", "pier 2"), ("tool", "lost")]  # fmt: skip
    answer = conversation.messages[2]
    assert (answer["thinking"], len(answer["tool_calls"])) == ("Hm.", 2)
    assert [body.get("is_error") for body in conversation.messages[3:]] == [None, True]
    assert (conversation.model, conversation.usage) == ("kimi-x", (Usage(2, 14, 4, 2),))
    assert (conversation.origin(2).line, conversation.origin(2).parts[0]) == (5, "/8/event")
    assert conversation.origin(3).parts == ("/9/event/result",)


def test_kimi_compactions_keep_the_newest_prompts_or_the_tail() -> None:
    applied = {"type": "context.apply_compaction", "summary": "short", "contextSummary": "So far.", "tokensBefore": 90,
               "tokensAfter": 9, "keptUserMessageCount": 2, "keptHeadUserMessageCount": 1}  # fmt: skip
    note = prompt("<system-reminder>", "injection")
    begin = {"type": "full_compaction.begin", "source": "manual"}
    conversation = only(kimi_cli.FORMAT, lines(*KIMI, note, prompt("And?"), prompt("Well?"), begin, applied))
    assert conversation.compactions == (Compaction(8, "manual", 90, 9, (0, 1, 7)),)
    assert script(conversation)[8] == ("user", "So far.")
    older = {"type": "context.apply_compaction", "summary": "So far.", "compactedCount": 3}
    assert only(kimi_cli.FORMAT, lines(*KIMI, older)).compactions == (Compaction(5, "compaction", kept=(0, 3, 4)),)


def test_kimi_undo_takes_prompts_back_and_clear_begins_anew() -> None:
    undone = only(kimi_cli.FORMAT, lines(*KIMI, prompt("And?"), {"type": "context.undo", "count": 2}, prompt("Else?")))
    assert [content for _, content in script(undone)] == ["Be brief.", "Else?"]
    assert (len(undone.abandoned), undone.usage) == (5, ())
    cleared = only(kimi_cli.FORMAT, lines(*KIMI, {"type": "context.clear"}, prompt("Else?")))
    assert cleared.compactions == (Compaction(5, "clear", kept=(0,)),)


def test_kimi_agents_are_beside() -> None:
    side = {**prompt("Count."), "agentId": "sub-1"}
    main, beside = kimi_cli.FORMAT.read(lines(*KIMI, side))
    assert (len(main.messages), beside.side, script(beside)) == (5, True, [("user", "Count.")])


def droid(entry_id: str, parent: str | None, role: str, *blocks: Line) -> Line:
    return {"type": "message", "id": entry_id, "parentId": parent, "message": {"role": role, "content": list(blocks)}}


TEXT, USE = {"type": "text", "text": "Hm."}, {"type": "tool_use", "id": "t", "name": "Execute", "input": {}}
RESULT = {"type": "tool_result", "tool_use_id": "t", "content": "done"}
DROID = [
    {"type": "session_start", "id": "s", "title": "Piers", "cwd": "/"},
    droid("1", "s", "user", TEXT), droid("2", "1", "assistant", TEXT, USE), droid("3", "2", "user", RESULT),
    {"type": "todo_state", "id": "4"}, droid("5", "3", "assistant", TEXT),
]  # fmt: skip


def test_droid_follows_the_links_of_its_messages() -> None:
    conversation = only(
        droid_cli.FORMAT, lines(*DROID, droid("6", "1", "assistant", {"type": "text", "text": "Else."}))
    )
    assert script(conversation) == [("user", "Hm."), ("assistant", "Else.")]
    assert (conversation.title, len(conversation.abandoned)) == ("Piers", 3)
    assert codes(conversation) == [("abandoned-branch", "/2")]
    whole = only(droid_cli.FORMAT, lines(*DROID))
    assert [role for role, _ in script(whole)] == ["user", "assistant", "tool", "assistant"]
    assert whole.origin(2).parts == ("/3/message/content/0",)


def cursor(role: str, *blocks: Line) -> Line:
    return {"role": role, "message": {"content": list(blocks)}}


NAMELESS = {"type": "tool_use", "name": "Read", "input": {}}
CURSOR = [
    cursor("user", TEXT),
    cursor("assistant", TEXT, NAMELESS, USE),
    cursor("user", {**RESULT, "tool_use_id": "?"}, RESULT),
]


def test_cursor_results_answer_calls_without_ids_by_place() -> None:
    conversation = only(cursor_cli.FORMAT, lines(*CURSOR))
    assert [(body.get("tool_call_id"), body["name"]) for body in conversation.messages[2:]] == [
        (None, "Read"),
        ("t", "Execute"),
    ]
    context = Context(conversation.messages, conversation.origin, range(4))
    assert pairs_of(context).pairs == (Pair(1, 0, 2), Pair(1, 1, 3))


def test_a_cursor_result_without_any_call_keeps_its_id() -> None:
    assert only(cursor_cli.FORMAT, lines(cursor("user", RESULT))).messages[0]["tool_call_id"] == "t"


MORE = [*KIMI, {"type": "context.apply_compaction", "summary": "S", "compactedCount": 1}, prompt("x"),
        {"type": "context.undo", "count": 1}, {"type": "context.clear"}, *STEP]  # fmt: skip
FORMATS = {
    copilot_cli.FORMAT: [*COPILOT, event("session.truncation", "t", messagesRemovedDuringTruncation=2),
                         event("session.snapshot_rewind", "r", upToEventId="e7"), *COPILOT],
    kimi_cli.FORMAT: MORE, droid_cli.FORMAT: DROID, cursor_cli.FORMAT: CURSOR,
}  # fmt: skip


@pytest.mark.parametrize("format", FORMATS, ids=lambda one: one.name)
@given(data=st.data())
@settings(deadline=None)
def test_no_log_makes_a_reader_raise(format: Any, data: st.DataObject) -> None:
    check_spoilt(format, lines(*data.draw(spoilt(FORMATS[format]))))


@needs_shared
@pytest.mark.parametrize("format", FORMATS, ids=lambda one: one.name)
def test_the_public_files_have_the_figures_of_their_index(format: Any) -> None:
    check_shared(format)
