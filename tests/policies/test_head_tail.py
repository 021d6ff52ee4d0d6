"""head-tail against a plain loop over the messages, and what it promises beyond that."""

import json
import re
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from inspector.change import Action
from inspector.message import Body
from inspector.policies.breakage import Breakage, breakages
from inspector.policies.head_tail import MISSING, REASONS, marker, shrink, skill_stub
from tests.policies.sessions import PICTURE, checked_view, faults, odd_sessions, valid_sessions

CALL: Body = {"role": "assistant", "content": "", "tool_calls": [{"id": "a", "function": {"name": "run"}}]}
KEEPS = st.one_of(st.integers(-2, 16), st.just(10**9))
CAPS = st.one_of(st.integers(-2, 120), st.just(2_000))
GATES = st.one_of(st.integers(-1, 3_000), st.just(0))


def result(content: Any, **keys: Any) -> Body:
    return {"role": "tool", "tool_call_id": "a", "content": content, **keys}


# --- a plain loop, written from SPEC.md alone ---


def size(body: Body) -> int:
    try:
        return len(json.dumps(body, ensure_ascii=False))
    except TypeError:
        return len(str(body))


def repaired(messages: list[Body]) -> tuple[list[Body], int]:
    out, count, at = [], 0, 0
    while at < len(messages):
        body = messages[at]
        out.append(body)
        at += 1
        if body.get("role") != "assistant" or not body.get("tool_calls"):
            continue
        answered = []
        while at < len(messages) and messages[at].get("role") == "tool":
            answered.append(messages[at].get("tool_call_id"))
            out.append(messages[at])
            at += 1
        names: dict[Any, Any] = {}
        calls = body["tool_calls"]
        for call in calls if isinstance(calls, list) else []:
            if isinstance(call, dict) and call.get("id"):
                function = call.get("function")
                names[call["id"]] = function.get("name") if isinstance(function, dict) else None
        for call_id, name in names.items():
            if call_id not in answered:
                stub = {"role": "tool", "tool_call_id": call_id, "content": MISSING}
                out.append({**stub, "name": name} if name else stub)
                count += 1
    return out, count


def old_content(body: Body, cap: int) -> str:
    text: str = body["content"]
    if body.get("name") == "load_skill":
        first = (text.splitlines() or [""])[0]
        found = re.search(r"\[skill=([^,\]]+)(?:,\s*dir=([^\]]+))?\]", first)
        if not found:
            return "[loaded skill; full SKILL.md omitted from old context]"
        tag = found[1] + (f", dir={found[2]}" if found[2] else "")
        return f"[loaded skill: {tag}; full SKILL.md omitted from old context]"
    if body.get("name") == "task_progress":
        return "[task_progress updated; UI-only details omitted from context]"
    if len(text) <= cap:
        return text
    head = cap // 2
    tail = cap - head
    omitted = len(text) - cap
    end = text[-tail:] if tail else ""
    return f"{text[:head]}\n[compacted old tool result, {omitted} chars omitted]\n{end}"


def plain(messages: list[Body], keep: int, cap: int, gate: int) -> tuple[list[Body], dict[str, int]]:
    whole, repairs = repaired(messages)
    original = sum(map(size, whole))
    stats = {"original_chars": original, "repaired_tool_calls": repairs, "compaction_skipped": int(original < gate)}
    sent, changed, skills = list(whole), 0, 0
    old = 0 if original < gate else max(0, len(whole) - max(0, keep))
    for place, body in enumerate(whole[:old]):
        if body.get("role") == "tool" and isinstance(body.get("content"), str):
            content = old_content(body, max(0, cap))
            if content != body["content"]:
                sent[place] = {**body, "content": content}
                changed += 1
                skills += body.get("name") == "load_skill"
    after = sum(map(size, sent))
    return sent, stats | {
        "sent_chars": after, "saved_chars": original - after,
        "compacted_tool_messages": changed, "compacted_skill_messages": skills,
    }  # fmt: skip


@given(odd_sessions, KEEPS, CAPS, GATES)
@example([CALL, result("x" * 9), CALL], 0, 0, 0)
@example([CALL, result("a" + marker(47) + "b")], 0, 2, 0)  # cutting it gives the same text
@example([{**result("x" * 99), "extra": {1}}], 0, 10, 0)  # no JSON
def test_it_sends_what_a_plain_loop_sends(messages: list[Body], keep: int, cap: int, gate: int) -> None:
    settings = {"keep_recent": keep, "old_tool_chars": cap, "compact_threshold_chars": gate}
    view = checked_view(messages, "head-tail", **settings)
    sent, stats = plain(messages, keep, cap, gate)
    assert [list(body.items()) for body in view.messages] == [list(body.items()) for body in sent]
    assert {name: view.plan.stats()[name] for name in stats} == stats


@given(valid_sessions(), KEEPS, CAPS, GATES)
def test_it_parts_no_call_from_its_result(messages: list[Body], keep: int, cap: int, gate: int) -> None:
    assert faults(messages) == []
    settings = {"keep_recent": keep, "old_tool_chars": cap, "compact_threshold_chars": gate}
    view = checked_view(messages, "head-tail", **settings)
    assert faults(view.messages) == []
    assert set(breakages(view.plan).counts) <= {Breakage.GREW}


def test_a_cap_of_0_sends_the_marker_alone() -> None:
    assert shrink("some text", 0) == "\n[compacted old tool result, 9 chars omitted]\n"
    assert shrink("", 0) == ""


def test_an_odd_cap_gives_the_tail_one_character_more() -> None:
    assert shrink("abcdefgh", 3) == "a" + marker(5) + "gh"


def test_a_result_one_char_over_the_cap_grows_and_the_savings_say_so() -> None:
    view = checked_view([CALL, result("x" * 101)], "head-tail", keep_recent=0, old_tool_chars=100)
    assert view.stats["saved_chars"] == 101 - 100 - (len(marker(1)) + 2)  # two line feeds, escaped
    assert view.stats["saved_tokens"] < 0
    assert dict(breakages(view.plan).rows) == {1: (Breakage.GREW,)}


def test_the_gate_lets_a_session_of_just_its_size_be_compacted() -> None:
    messages = [CALL, result("x" * 500)]
    total = sum(map(size, messages))
    for gate, skipped in ((total, 0), (total + 1, 1)):
        view = checked_view(messages, "head-tail", keep_recent=0, old_tool_chars=9, compact_threshold_chars=gate)
        assert view.stats["compaction_skipped"] == skipped
        assert view.plan.fired != bool(skipped)


def test_a_repair_follows_the_answered_calls_and_keeps_the_order_of_keys() -> None:
    calls = [{"id": name, "function": {"name": f"tool {name}"}} for name in "abc"]
    messages = [{"role": "assistant", "tool_calls": calls}, {**result("ok"), "tool_call_id": "b"}, {"role": "user"}]
    view = checked_view(messages, "head-tail")
    assert [body.get("tool_call_id") for body in view.messages] == [None, "b", "a", "c", None]
    assert list(view.messages[2]) == ["role", "tool_call_id", "content", "name"]
    assert [(edit.index, edit.action) for edit in view.edits] == [(1, "insert_repair")] * 2


def test_old_lists_of_parts_are_left_counted_and_said() -> None:
    messages = [CALL, result([PICTURE, {"type": "text", "text": "x" * 9_999}])]
    view = checked_view(messages, "head-tail", keep_recent=0)
    assert view.stats["untouched_list_contents"] == 1
    assert view.plan.warnings == ("1 old result holds a list of parts, which this policy leaves whole",)
    assert view.plan.reasons[view.plan.reason[1]] == "a list of parts: this policy only shortens strings"


def test_each_kind_of_change_has_its_action_and_reason() -> None:
    messages = [CALL, *(result("x" * 3_000, name=name) for name in ("load_skill", "task_progress", "run"))]
    view = checked_view(messages, "head-tail", keep_recent=0)
    assert list(view.plan.action) == [Action.KEEP, Action.PLACEHOLDER, Action.PLACEHOLDER, Action.MIDDLE]
    assert [edit.reason for edit in view.edits] == list(REASONS[1:4])


@given(st.lists(st.sampled_from(["[skill=", ",", "]", " ", "a", "dir=", ", dir=", "\n", "\r", "é"])).map("".join))
def test_the_skill_tag_is_the_leftmost_that_is_whole(text: str) -> None:
    assert skill_stub(text) == old_content({"name": "load_skill", "content": text}, 0)


@pytest.mark.parametrize("line", ["[skill=" * 200_000, "[skill=" * 200_000 + ",]", "[skill=a,dir=" * 200_000])
def test_a_line_of_tags_that_never_close_is_searched_once(line: str) -> None:
    assert skill_stub(line) == "[loaded skill; full SKILL.md omitted from old context]"  # a search from each would hang
