"""Anthropic's context edits, by POLICIES.md, section 25, and the API's documentation."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.change import Action
from inspector.formats import load, load_bytes
from inspector.message import Body
from inspector.policies import SentView, SettingError, compact
from tests.policies.sessions import context_of, valid_sessions
from tests.policies.zoo.made import calls, result, says, use, user
from tests.shared import SHARED, needs_shared

PICTURE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}


def cleared(messages: list[Body], **settings: Any) -> SentView:
    return compact(context_of(messages), "anthropic-clear-tools", **{"chars_per_token": 1.0, **settings})


def gone(messages: list[Body], **settings: Any) -> list[int]:
    return [edit.index for edit in cleared(messages, **settings).edits]


def uses(count: int, size: int = 100) -> list[Body]:
    """Results at rows 2, 4, 6 ..."""
    return [user(""), *(body for at in range(count) for body in use(f"c{at}", "x" * size))]


# --- tool uses ---


def test_over_the_trigger_all_but_the_three_newest_are_cleared() -> None:
    view = cleared(uses(5), trigger=100)
    assert [edit.index for edit in view.edits] == [2, 4]
    assert view.messages[2] == result("c0", "[cleared]")
    assert gone(uses(5), trigger=0, keep=0) == [2, 4, 6, 8, 10]
    assert gone(uses(3), trigger=0) == []


def test_nothing_is_cleared_at_the_trigger_and_all_is_over_it() -> None:
    """Each use is 100 characters of a result and five of its call."""
    assert gone(uses(5), trigger=525) == []
    assert gone(uses(5), trigger=524) == [2, 4]
    assert gone(uses(5)) == []


def test_text_thinking_calls_and_images_are_counted() -> None:
    messages = [user("12"), says("345", thinking="6789"), *use("a", "0" * 10)]
    total = 2 + 3 + 4 + len("run{}") + 10
    assert gone(messages, trigger=total, keep=0) == []
    assert gone(messages, trigger=total - 1, keep=0) == [3]
    assert gone(messages, trigger=total // 2, keep=0, chars_per_token=2.0) == []
    shown = [user([{"type": "text", "text": "12"}, PICTURE]), *messages[1:]]
    assert gone(shown, trigger=total + 1_599, keep=0) == [3]
    assert gone(shown, trigger=total + 1_600, keep=0) == []


def test_a_trigger_of_tool_uses_is_exceeded_not_met() -> None:
    assert gone(uses(5), trigger={"type": "tool_uses", "value": 5}) == []
    assert gone(uses(6), trigger={"type": "tool_uses", "value": 5}) == [2, 4, 6]
    assert gone(uses(6), trigger=5, trigger_unit="tool_uses") == [2, 4, 6]


def test_clear_at_least_is_that_much_or_nothing() -> None:
    """Each result is 91 characters longer than the placeholder."""
    assert gone(uses(5), trigger=0, clear_at_least=182) == [2, 4]
    assert gone(uses(5), trigger=0, clear_at_least=183) == []
    view = cleared(uses(5), trigger=0, clear_at_least={"type": "input_tokens", "value": 183})
    assert view.plan.reasons[0] == "less than clear_at_least would be cleared: everything is sent"


def test_excluded_tools_stay_and_may_take_a_place_among_the_kept() -> None:
    messages = [user(), *use("a"), *use("s", name="search"), *use("b"), *use("t", name="search"), *use("c")]
    long = [{**body, "content": "x" * 50} if body["role"] == "tool" else body for body in messages]
    assert gone(long, trigger=0, keep=2, exclude_tools=["search"]) == [2, 6]
    assert gone(long, trigger=0, keep=2, exclude_tools="search", excluded_count=False) == [2]
    by_uses = {"trigger": {"type": "tool_uses", "value": 3}, "keep": 1, "exclude_tools": "search"}
    assert gone(long, **by_uses) == [2, 6]
    assert gone(long, **by_uses, excluded_count=False) == []


def test_inputs_are_cleared_with_their_results_and_only_these() -> None:
    call = calls("a", "b", arguments='{"path": "a"}')
    messages = [user(), call, result("a", "x" * 50), result("b", "x" * 50), *use("c")]
    view = cleared(messages, trigger=0, keep=2, clear_tool_inputs=True)
    assert [entry["function"]["arguments"] for entry in view.messages[1]["tool_calls"]] == ["{}", '{"path": "a"}']
    assert [edit.index for edit in view.edits] == [1, 2]
    assert view.plan.action[1] == Action.CLEAR_ARGUMENTS
    assert gone(messages, trigger=0, keep=2) == [2]


@pytest.mark.parametrize(
    "settings",
    [{"clear_tool_inputs": ["read"]}, {"clear_tool_inputs": True, "clear_tool_inputs_of": "read"}],
)
def test_inputs_of_named_tools_alone_can_be_cleared(settings: Any) -> None:
    read, run = (calls(name, name=name, arguments='{"path": "a"}') for name in ("read", "run"))
    messages = [user(), read, result("read", "x" * 50, "read"), run, result("run", "x" * 50)]
    assert gone(messages, trigger=0, keep=0, **settings) == [1, 2, 4]
    assert gone(messages, trigger=0, keep=0, clear_tool_inputs_of="read") == [2, 4]


def test_a_call_without_a_result_takes_a_place_among_the_kept() -> None:
    messages = [user(), *use("a", "x" * 50), *use("b", "x" * 50), calls("open")]
    assert gone(messages, trigger=0, keep=2) == [2]


def test_images_of_a_result_go_and_count_as_cleared() -> None:
    shown = result("a", [{"type": "text", "text": "seen"}, PICTURE])
    view = cleared([user(), calls("a"), shown], trigger=0, keep=0, clear_at_least=1_590)
    assert view.messages[2] == result("a", "[cleared]")


def test_below_the_trigger_the_messages_are_the_callers_own() -> None:
    messages = uses(9)
    view = cleared(messages)
    assert all(sent is recorded for sent, recorded in zip(view.messages, messages, strict=True))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("trigger", {"type": "pages", "value": 3}), ("trigger", {"type": "tool_uses"}), ("keep", None),
        ("keep", {"type": "input_tokens", "value": 3}), ("clear_at_least", {"type": "input_tokens", "value": True}),
        ("clear_tool_inputs", 3),
    ],
)  # fmt: skip
def test_an_amount_of_another_shape_is_refused_in_a_sentence(name: str, value: Any) -> None:
    with pytest.raises(SettingError, match=f"{name} wants "):
        cleared([], **{name: value})


@given(valid_sessions(), st.integers(0, 9), st.integers(0, 4), st.booleans())
def test_what_user_and_system_say_stays_and_a_second_run_changes_nothing(
    messages: list[Body], trigger: int, keep: int, inputs: bool
) -> None:
    given = {"trigger": trigger, "trigger_unit": "tool_uses", "keep": keep, "clear_tool_inputs": inputs}
    view = cleared(messages, **given)
    assert {messages[edit.index]["role"] for edit in view.edits} <= {"tool", "assistant"}
    assert cleared(view.messages, **given).messages == view.messages


# --- thinking ---


def thought(text: str, **more: Any) -> dict[str, Any]:
    return {"thinking": text, "thinking_blocks": [{"type": "thinking", "thinking": text, "signature": "s"}], **more}


TURNS: list[Body] = [
    user(), calls("a", **thought("one")), result("a"), says("so", **thought("two")),
    user(), says("no thought"),
    user(), calls("b", **thought("three")), result("b"), says("so", **thought("four")),
]  # fmt: skip


def forgotten(messages: list[Body], **settings: Any) -> SentView:
    return compact(context_of(messages), "anthropic-clear-thinking", **settings)


def without(messages: list[Body], **settings: Any) -> list[int]:
    return [edit.index for edit in forgotten(messages, **settings).edits]


def test_the_thinking_of_the_newest_turn_with_any_is_kept_with_its_calls() -> None:
    view = forgotten(TURNS)
    assert [edit.index for edit in view.edits] == [1, 3]
    assert view.messages[1] == calls("a")
    assert view.messages[3] == says("so")
    assert view.plan.action[1] == Action.DROP_REASONING
    assert view.plan.reasons[view.plan.reason[7]] == "thinking of the newest turns with any"


def test_turns_without_thinking_take_no_place() -> None:
    assert without(TURNS[:6]) == []
    assert without(TURNS, keep=2) == []
    assert without([*TURNS, user("more")]) == [1, 3]
    assert without([*TURNS, user("more"), says("so", **thought("five"))]) == [1, 3, 7, 9]


@pytest.mark.parametrize("keep", ["all", {"type": "thinking_turns", "value": 2}, 2])
def test_keep_is_a_number_of_turns_or_all(keep: Any) -> None:
    assert forgotten(TURNS, keep=keep).messages == TURNS
    assert forgotten(TURNS, keep_unit="all").messages == TURNS


def test_keep_is_at_least_one_turn() -> None:
    assert without(TURNS, keep=0) == without(TURNS, keep=1) == [1, 3]


def test_redacted_thinking_and_thinking_among_the_parts_go_too() -> None:
    hidden = says("so", thinking_blocks=[{"type": "redacted_thinking", "data": "d"}])
    parts = [{"type": "thinking", "thinking": "t", "signature": "s"}, {"type": "text", "text": "said"}]
    view = forgotten([user(), hidden, {"role": "assistant", "content": parts}, user(), says("x", **thought("new"))])
    assert view.messages[1:3] == [says("so"), {"role": "assistant", "content": parts[1:]}]


def test_a_provider_s_encrypted_summary_is_no_thinking() -> None:
    summary = {"type": "compaction", "encrypted_content": "e"}
    alone = says("", thinking_blocks=[summary])
    beside = says("", thinking="t", thinking_blocks=[summary, {"type": "reasoning", "encrypted_content": "e"}])
    view = forgotten([user(), alone, beside, user(), says("x", **thought("new"))])
    assert view.messages[1] is alone
    assert view.messages[2] == alone


def test_a_recording_of_the_api_s_own_shape_loses_its_blocks() -> None:
    block = {"type": "thinking", "thinking": "long ago", "signature": "s"}
    request = {"model": "claude-x", "messages": [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [block, {"type": "tool_use", "id": "t", "name": "run", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "fine"}]},
        {"role": "assistant", "content": [{**block, "thinking": "later"}, {"type": "text", "text": "done"}]},
        {"role": "user", "content": "more"},
        {"role": "assistant", "content": [{"type": "redacted_thinking", "data": "d"}, {"type": "text", "text": "so"}]},
    ]}  # fmt: skip
    view = compact(load_bytes(json.dumps(request).encode(), "made.json"), "anthropic-clear-thinking")
    assert [edit.index for edit in view.edits] == [1, 3]
    assert not any(key in view.messages[row] for row in (1, 3) for key in ("thinking", "thinking_blocks"))
    assert view.messages[5]["thinking_blocks"]


@needs_shared
def test_the_one_thinking_turn_of_a_recorded_request_is_kept() -> None:
    session = load(SHARED / "sessions" / "anthropic-pydantic-redacted.json")
    assert any(body.get("thinking_blocks") for body in session.messages)
    assert not compact(session, "anthropic-clear-thinking").plan.fired


@given(valid_sessions(), st.integers(1, 3), st.data())
def test_nothing_but_thinking_ever_changes_and_a_second_run_changes_nothing(
    messages: list[Body], keep: int, data: st.DataObject
) -> None:
    thinking = [{**body, "thinking": "so"} if body["role"] == "assistant" and data.draw(st.booleans()) else body
                for body in messages]  # fmt: skip
    view = forgotten(thinking, keep=keep)
    plain = [{key: value for key, value in body.items() if key != "thinking"} for body in thinking]
    assert [{key: value for key, value in body.items() if key != "thinking"} for body in view.messages] == plain
    assert forgotten(view.messages, keep=keep).messages == view.messages
