"""Which result answers which call."""

from typing import Any

import pytest
from hypothesis import given

from inspector.message import Body, Context, calls_of, listed
from inspector.pairs import Pair, Pairs, pairs_of
from tests.policies.sessions import odd_sessions, valid_sessions


def call(*ids: str | None) -> Body:
    entries: list[Any] = [{"id": name, "function": {"name": "run"}} if name else {"function": {}} for name in ids]
    return {"role": "assistant", "tool_calls": entries}


def result(call_id: Any = None, role: str = "tool") -> Body:
    return {"role": role, "content": "ok"} | ({} if call_id is None else {"tool_call_id": call_id})


SAID: Body = {"role": "user", "content": "go on"}
ANSWERED: Body = {"role": "assistant", "content": "done"}


def paired(*messages: Body) -> Pairs:
    return pairs_of(Context(messages, listed(""), range(len(messages))))


def test_parallel_calls_are_answered_in_any_order() -> None:
    found = paired(call("a", "b"), result("b"), result("a"))
    assert found == Pairs((Pair(0, 1, 1), Pair(0, 0, 2)), (), ())


def test_ids_that_start_again_in_each_turn_pair_within_the_turn() -> None:
    found = paired(call("c0"), result("c0"), SAID, call("c0"), result("c0"))
    assert found == Pairs((Pair(0, 0, 1), Pair(3, 0, 4)), (), ())


def test_a_result_answers_the_nearest_open_call_of_its_id() -> None:
    found = paired(call("c0"), SAID, call("c0"), result("c0"))
    assert found == Pairs((Pair(2, 0, 3),), ((0, 0),), ())


def test_calls_without_ids_are_answered_by_order() -> None:
    found = paired(call(None, None), result(), result())
    assert found == Pairs((Pair(0, 0, 1), Pair(0, 1, 2)), (), ())


def test_an_interrupted_call_without_id_does_not_shift_those_that_follow() -> None:
    found = paired(call(None, None), result(), SAID, call(None), result(), ANSWERED, call(None), result())
    assert found == Pairs((Pair(0, 0, 1), Pair(3, 0, 4), Pair(6, 0, 7)), ((0, 1),), ())


def test_calls_made_in_a_row_of_assistant_messages_are_of_one_turn() -> None:
    found = paired(call(None), call(None), result(), result())
    assert found == Pairs((Pair(0, 0, 2), Pair(1, 0, 3)), (), ())


def test_a_late_result_without_id_still_finds_an_open_call() -> None:
    assert paired(call(None), SAID, call("x"), result("x"), result()).pairs == (Pair(2, 0, 3), Pair(0, 0, 4))


def test_results_without_ids_answer_calls_with_ids_by_order() -> None:
    found = paired(call("a", "b"), result(), result("b"), SAID, call("c"), result(), result())
    assert found == Pairs((Pair(0, 0, 1), Pair(0, 1, 2), Pair(4, 0, 5)), (), (6,))


@pytest.mark.parametrize("earlier", ["a", "b"])
def test_a_result_without_id_reaches_no_named_call_of_an_earlier_turn(earlier: str) -> None:
    found = paired(call(earlier), SAID, call("b"), result("b"), result())
    assert found == Pairs((Pair(2, 0, 3),), ((0, 0),), (4,))


def test_the_first_tool_api_pairs_by_position() -> None:
    asking: Body = {"role": "assistant", "function_call": {"name": "run", "arguments": "{}"}}
    assert paired(asking, result(role="function")) == Pairs((Pair(0, 0, 1),), (), ())


@pytest.mark.parametrize("messages", [[result("a")], [result()], [call("a"), result("b")][1:], [SAID, result("a")]])
def test_a_result_without_a_call_is_an_orphan(messages: list[Body]) -> None:
    assert paired(*messages).orphans == (len(messages) - 1,)


def test_a_call_is_answered_once() -> None:
    assert paired(call("a"), result("a"), result("a")) == Pairs((Pair(0, 0, 1),), (), (2,))


def test_entries_that_are_no_objects_are_no_calls() -> None:
    odd: Body = {"role": "assistant", "tool_calls": [None, "x", {"id": "a"}]}
    assert paired(odd, result("a")) == Pairs((Pair(0, 0, 1),), (), ())
    assert paired({"role": "assistant", "tool_calls": {"id": "a"}}) == Pairs((), (), ())


def test_calls_of_other_roles_open_nothing() -> None:
    assert paired({**call("a"), "role": "user"}, result("a")) == Pairs((), (), (1,))


def test_results_of_gives_the_rows_that_answer() -> None:
    found = paired(call("a", "b"), result("b"), result("a"), call("c"))
    assert dict(found.results_of([0, 3])) == {0: [1, 2]}


@given(valid_sessions())
def test_in_a_valid_session_every_call_has_its_own_run_of_results(messages: list[Body]) -> None:
    found = paired(*messages)
    assert (found.dangling, found.orphans) == ((), ())
    for pair in found.pairs:
        between = messages[pair.call_row + 1 : pair.result_row + 1]
        assert {body["role"] for body in between} == {"tool"}
        entry = messages[pair.call_row]["tool_calls"][pair.call]
        assert entry.get("id") == messages[pair.result_row].get("tool_call_id")


@given(odd_sessions)
def test_every_call_and_every_result_is_accounted_for_once(messages: list[Body]) -> None:
    found = paired(*messages)
    calls = [
        (row, place)
        for row, body in enumerate(messages)
        if body["role"] == "assistant"
        for place in range(len(calls_of(body)))
    ]
    results = [row for row, body in enumerate(messages) if body["role"] in ("tool", "function")]
    assert sorted([*(pair[:2] for pair in found.pairs), *found.dangling]) == calls
    assert sorted([*(pair.result_row for pair in found.pairs), *found.orphans]) == results
    assert [pair.result_row for pair in found.pairs] == sorted(pair.result_row for pair in found.pairs)
    assert all(pair.call_row < pair.result_row for pair in found.pairs)
