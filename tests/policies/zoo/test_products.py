"""Where a product has a fault that is known, ours does the right thing."""

from typing import Any

import pytest

from inspector.message import Body
from inspector.policies import compact
from inspector.policies.breakage import Breakage, breakages
from tests.policies.sessions import context_of


def calling(*ids: str, name: str = "run", arguments: str = "{}") -> Body:
    function = {"name": name, "arguments": arguments}
    return {"role": "assistant", "content": "", "tool_calls": [{"id": i, "function": function} for i in ids]}


def result(call: str, content: Any = "fine") -> Body:
    return {"role": "tool", "tool_call_id": call, "content": content}


USER: Body = {"role": "user", "content": "go"}
SYSTEM: Body = {"role": "system", "content": "be brief"}
AGAIN: Body = {"role": "user", "content": "again"}


def test_inspect_edit_deletes_the_right_results_whatever_their_order() -> None:
    messages = [USER, calling("a", "b"), result("b", "of b"), result("a", "of a"), AGAIN, calling("c"), result("c")]
    view = compact(context_of(messages), "inspect-edit", keep_tool_uses=2, keep_tool_inputs=False)
    assert [body.get("tool_call_id") for body in view.messages if body["role"] == "tool"] == ["b", "c"]
    assert view.messages[1]["content"] == [
        {"type": "text", "text": "[Tool call: run (parameters and results removed from history)]"}
    ]
    assert AGAIN in view.messages


def test_inspect_trim_says_where_it_would_stop() -> None:
    messages = [USER, *(body for turn in range(9) for body in (calling(f"c{turn}"), result(f"c{turn}", "x" * 400)))]
    unmet, met = (compact(context_of(messages), "inspect-trim", threshold=limit) for limit in (2, 900))
    assert unmet.plan.warnings
    assert not met.plan.warnings
    assert met.plan.fired


def test_langchain_trim_tells_of_arguments_that_langchain_refuses() -> None:
    view = compact(context_of([USER]), "langchain-trim", strategy="first", include_system=True)
    assert view.messages == [USER]
    assert view.plan.warnings


def test_strands_says_where_an_overflow_is_passed_on() -> None:
    view = compact(context_of([USER]), "strands-sliding", overflows=1)
    assert view.messages == [USER]
    assert view.plan.warnings


@pytest.mark.parametrize(
    ("policy", "settings", "kinds"),
    [
        ("semantic-kernel-truncation", {"target_count": 3}, {Breakage.NO_FIRST_USER}),
        ("autogen-token-limited", {"token_limit": 35}, {Breakage.ORPHAN, Breakage.DANGLING}),
        ("langchain-trim", {"max_tokens": 35}, {Breakage.ORPHAN, Breakage.NO_SYSTEM, Breakage.NO_FIRST_USER}),
        ("langchain-clear", {"trigger": 0, "keep": 0, "placeholder": "much longer than fine"}, {Breakage.GREW}),
        ("agent-framework-sliding", {"keep_last_groups": 2}, {Breakage.NO_FIRST_USER}),
        ("adk-context-filter", {"num_invocations_to_keep": 1}, {Breakage.NO_FIRST_USER}),
    ],
)
def test_what_is_known_to_break_is_shown(policy: str, settings: Any, kinds: set[Breakage]) -> None:
    messages = [SYSTEM, USER, calling("a"), result("a"), AGAIN, calling("b"), result("b"), calling("c"), result("c")]
    view = compact(context_of(messages), policy, **settings)
    assert set(breakages(view.plan).counts) & kinds


def test_ids_that_start_anew_in_every_turn_are_told_apart() -> None:
    turn = [calling("call_0"), result("call_0", "long " * 30)]
    view = compact(context_of([USER, *turn, AGAIN, *turn, *turn]), "inspect-edit", keep_tool_uses=1)
    assert [edit.index for edit in view.edits] == [2, 5]


def test_calls_without_ids_are_paired_by_their_order() -> None:
    call: Body = {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "run", "arguments": {}}}]}
    answer: Body = {"role": "tool", "content": "long " * 30}
    view = compact(context_of([USER, call, answer, call, answer]), "agent-framework-selective")
    assert list(view.source) == [0, 3, 4]


def test_arguments_that_are_objects_stay_objects() -> None:
    entry = {"function": {"name": "write_file", "arguments": {"path": "a", "content": "w" * 99}}}
    call: Body = {"role": "assistant", "content": "", "tool_calls": [entry]}
    view = compact(context_of([USER, call, AGAIN]), "deepagents-args", trigger=["messages", 1], keep=["messages", 1],
                   max_length=50)  # fmt: skip
    arguments = view.messages[1]["tool_calls"][0]["function"]["arguments"]
    assert arguments == {"path": "a", "content": "w" * 20 + "...(argument truncated)"}


def test_the_one_call_of_old_recordings_is_cleared_and_removed_too() -> None:
    call: Body = {"role": "assistant", "content": "", "function_call": {"name": "write_file", "arguments": "{}"}}
    call["function_call"] = {"name": "write_file", "arguments": '{"content": "%s"}' % ("w" * 99)}
    messages = [USER, call, {"role": "function", "name": "write_file", "content": "fine"}, AGAIN]
    cut, gone = (
        compact(context_of(messages), "deepagents-args", trigger=0, keep=1, max_length=50),
        compact(context_of(messages), "inspect-edit", keep_tool_uses=0, keep_tool_inputs=False),
    )
    assert cut.messages[1]["function_call"]["arguments"].endswith('...(argument truncated)"}')
    assert ["function_call" in body for body in gone.messages] == [False, False, False]
    assert not breakages(gone.plan).total
