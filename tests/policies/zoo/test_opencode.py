"""opencode's prune, by the rules of POLICIES.md, section 2a."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.change import Action
from inspector.formats import load, load_bytes
from inspector.message import Body
from inspector.policies import SentView, compact
from inspector.policies.zoo.opencode import CLEARED, estimate
from inspector.replay.view import compact as compact_at
from tests.policies.sessions import context_of, valid_sessions
from tests.policies.zoo.made import calls, result, says, use, user
from tests.shared import SHARED, needs_shared

TWO_TURNS = [user("again"), says(), user("and again"), says()]


def pruned(messages: list[Body], **settings: Any) -> list[int]:
    return [edit.index for edit in prune(messages, **settings).edits]


def prune(messages: list[Body], **settings: Any) -> SentView:
    return compact(context_of(messages), "opencode-prune", **settings)


def outputs(*tokens: int) -> list[Body]:
    """A turn with outputs of so many tokens, then two turns."""
    made = [body for at, size in enumerate(tokens) for body in use(f"c{at}", "x" * 4 * size)]
    return [user(), *made, says(), *TWO_TURNS]


def test_the_line_is_opencodes() -> None:
    assert CLEARED == "[Old tool result content cleared]"


def test_by_default_40000_tokens_are_protected_and_more_than_20000_must_go() -> None:
    assert pruned(outputs(20_000, 1, 40_000)) == [2, 4]
    assert pruned(outputs(20_000, 0, 40_000)) == []
    assert pruned(outputs(20_001, 40_000)) == [2]


def test_the_output_that_exceeds_the_protected_amount_is_cleared_and_the_one_that_meets_it_is_not() -> None:
    assert pruned(outputs(9, 5, 5), protect=10, minimum=0) == [2]
    assert pruned(outputs(9, 6, 5), protect=10, minimum=0) == [2, 4]


def test_nothing_is_cleared_unless_more_than_the_minimum_would_be() -> None:
    assert pruned(outputs(30, 5), protect=5, minimum=30) == []
    assert pruned(outputs(31, 5), protect=5, minimum=30) == [2]


def test_the_two_newest_turns_are_left_alone_and_do_not_count() -> None:
    big = "x" * 4_000
    messages = [user(), *use("a", big), user(), *use("b", big), user(), *use("c", big)]
    assert pruned(messages, protect=0, minimum=0) == [2]
    assert pruned(messages, protect=1_000, minimum=0) == []
    assert pruned(messages[3:], protect=0, minimum=0) == []


def test_protected_tools_neither_go_nor_count() -> None:
    messages = [user(), *use("a", "x" * 40), *use("s", "x" * 400, "skill"), *use("b", "x" * 40), *TWO_TURNS]
    assert pruned(messages, protect=10, minimum=0) == [2]
    assert pruned(messages, protect=10, minimum=0, protected_tools=["run"]) == [4]
    assert pruned(messages, protect=0, minimum=0, protected_tools="") == [2, 4, 6]


def test_failed_outputs_neither_go_nor_count() -> None:
    messages = [user(), *use("a", "x" * 40), *use("e", "x" * 400, is_error=True), *use("b", "x" * 40), *TWO_TURNS]
    assert pruned(messages, protect=10, minimum=0) == [2]


def test_the_walk_ends_at_an_output_that_was_cleared() -> None:
    messages = [user(), *use("a", "x" * 400), *use("b", CLEARED), *use("c", "x" * 400), *TWO_TURNS]
    view = prune(messages, protect=0, minimum=0)
    assert [edit.index for edit in view.edits] == [6]
    assert view.plan.reasons[view.plan.reason[2]] == "before an output that was cleared earlier, or before a summary"


def test_the_walk_ends_at_a_summary() -> None:
    summary = [user("What did we do so far?"), says("we did much")]
    messages = [user(), *use("a", "x" * 400), *summary, user(), *use("b", "x" * 400), *TWO_TURNS]
    assert pruned(messages, protect=0, minimum=0) == [7]


def test_attachments_go_with_the_text_and_arguments_stay() -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    call = calls("a", arguments='{"path": "a"}')
    shown = result("a", [{"type": "text", "text": "x" * 40}, picture], images=["QUJD"])
    view = prune([user(), call, shown, *TWO_TURNS], protect=0, minimum=0)
    assert view.messages[2] == result("a", CLEARED)
    assert view.messages[1] is call
    assert view.plan.action[2] == Action.PLACEHOLDER


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("a", 0), ("ab", 1), ("a" * 5, 1), ("a" * 6, 2), ("🙂", 1), ("🙂" * 3, 2), ("é" * 4, 1)],
)
def test_a_token_is_four_utf16_units_rounded(text: str, tokens: int) -> None:
    assert estimate(text) == tokens


def test_below_the_thresholds_the_messages_are_the_callers_own() -> None:
    messages = outputs(500, 500)
    view = prune(messages)
    assert all(sent is recorded for sent, recorded in zip(view.messages, messages, strict=True))
    assert not view.plan.fired


@given(valid_sessions(), st.integers(0, 60), st.integers(0, 60))
def test_a_second_run_changes_nothing_and_only_results_ever_change(
    messages: list[Body], protect: int, minimum: int
) -> None:
    view = prune(messages, protect=protect, minimum=minimum)
    assert {messages[edit.index]["role"] for edit in view.edits} <= {"tool"}
    assert prune(view.messages, protect=protect, minimum=minimum).messages == view.messages


# --- in a run ---


RUN = [
    user(), *use("a", "x" * 400), says(),
    user(), *use("b", "x" * 400), says(),
    user(), *use("c", "x" * 400), says(),
    user(), says(),
]  # fmt: skip


def test_in_a_run_it_waits_until_the_model_is_done() -> None:
    """After the third loop the first turn is the third newest; the fourth turn is the first that is sent without it."""
    given = {"protect": 0, "minimum": 0}
    cleared = [
        [body["content"] == CLEARED for body in compact_at(context_of(RUN), "opencode-prune", at=at, **given).messages]
        for at in range(7)
    ]
    assert [sum(view) for view in cleared] == [0, 0, 0, 0, 0, 0, 1]
    assert cleared[6][2]


def test_in_a_run_it_can_act_at_every_request() -> None:
    given = {"protect": 0, "minimum": 0, "after_loop": False}
    views = [compact_at(context_of(RUN), "opencode-prune", at=at, **given) for at in range(7)]
    assert [sum(body["content"] == CLEARED for body in view.messages) for view in views] == [0, 0, 0, 0, 1, 1, 2]


# --- recordings ---


def part(call: str, output: str, **time: int) -> Body:
    state = {"status": "completed", "input": {}, "output": output, "time": {"start": 1, "end": 2, **time}}
    return {"id": f"p{call}", "type": "tool", "callID": call, "tool": "bash", "state": state}


def said(id: str, role: str, *parts: Body) -> Body:
    return {"info": {"id": id, "role": role, "time": {"created": int(id[1:])}}, "parts": list(parts)}


def test_a_recording_of_opencodes_own_shape_is_pruned_where_opencode_marked_it() -> None:
    text = {"type": "text", "text": "so"}
    export = {"info": {"id": "s"}, "messages": [
        said("m1", "user", text),
        said("m2", "assistant", part("a", "x" * 80_008, compacted=9), part("b", "x" * 160_000)),
        said("m3", "user", text), said("m4", "assistant", part("c", "x" * 400_000), text),
        said("m5", "user", text), said("m6", "assistant", text),
    ]}  # fmt: skip
    session = load_bytes(json.dumps(export).encode(), "made.json")
    view = compact(session, "opencode-prune")
    assert [session.messages[edit.index]["tool_call_id"] for edit in view.edits] == marked(export) == ["a"]


def marked(value: Any) -> list[str]:
    """The calls whose outputs opencode has marked as cleared."""
    if isinstance(value, list):
        return [call for one in value for call in marked(one)]
    if not isinstance(value, dict):
        return []
    state = value.get("state")
    own = isinstance(state, dict) and "compacted" in (state.get("time") or {})
    return [value["callID"]] if own else [call for one in value.values() for call in marked(one)]


def values_in(name: str) -> Iterator[Any]:
    path = SHARED / "sessions" / name
    for file in [path] if path.is_file() else sorted(path.rglob("*.json")):
        text = file.read_text(encoding="utf-8")
        yield from map(json.loads, text.splitlines()) if file.suffix == ".jsonl" else [json.loads(text)]


@needs_shared
@pytest.mark.parametrize(
    "name", ["opencode-storage-v2", "opencode-events-parallel-tasks.jsonl", "opencode-events-user-interruption.jsonl"]
)
def test_recorded_sessions_are_pruned_where_opencode_marked_them(name: str) -> None:
    """None of the public recordings is long enough for a prune: opencode has marked nothing, and so nothing may go."""
    path = SHARED / "sessions" / name
    sessions = [load(path, index=at) for at in range(load(path).conversations)]
    found = [
        session.messages[edit.index]["tool_call_id"]
        for session in sessions
        for edit in compact(session, "opencode-prune").edits
    ]
    assert sorted(found) == sorted(set(marked(list(values_in(name)))))
