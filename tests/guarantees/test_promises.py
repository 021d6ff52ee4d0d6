"""Each promise: what breaks it, and what does not."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.change import Action, Plan
from inspector.guarantees import NOWHERE, PROMISES, check, promise_named
from inspector.guarantees.targets import _GOALS
from inspector.message import Context
from inspector.policies import POLICIES, Param, Settings, compact, policy_named
from inspector.tokens import count_bodies
from tests.guarantees.small import (
    DONE,
    KEEPING,
    NOTE,
    SESSION,
    SYSTEM,
    TASK,
    broken,
    doing,
    dropping,
    exchange,
    policy,
    rewriting,
    summary,
    view_of,
)
from tests.replay.runs import sessions, settings_of


def test_a_policy_that_changes_nothing_keeps_every_promise_it_makes() -> None:
    found = check(view_of(KEEPING, SESSION), KEEPING)
    assert set(found) == {promise.name for promise in PROMISES} - {"target", "tail"}
    assert not any(found.values())


def test_a_call_parted_from_its_result_is_found_where_the_other_is_left() -> None:
    assert broken(dropping(2))["pairs"] == 3
    assert broken(dropping(3))["pairs"] == 2
    assert "pairs" not in broken(dropping(2, 3))


def test_a_pair_that_went_in_parted_is_not_the_policys_doing() -> None:
    torn = [SYSTEM, TASK, *exchange("a")[:1], NOTE, *exchange("b")[1:], DONE]
    assert "pairs" not in broken(dropping(3), torn)


def test_a_result_moved_before_its_call_parts_the_pair() -> None:
    moved = policy(lambda context, _: doing(context, {3: (Action.MOVE, None)}, order=[0, 1, 3, 2, *range(4, 10)]))
    assert broken(moved)["pairs"] == 3


@pytest.mark.parametrize(("name", "row"), [("system", 0), ("first-user", 1), ("last-user", 6)])
def test_what_was_said_is_kept_only_if_its_text_is_sent_whole(name: str, row: int) -> None:
    text = SESSION[row]["content"]
    assert broken(dropping(row))[name] == row
    assert broken(rewriting(row, {**SESSION[row], "content": text[:-1]}, Action.HEAD))[name] == row
    assert name not in broken(rewriting(row, {**SESSION[row], "content": f"{text} (cut)"}))


@pytest.mark.parametrize(("role", "kept"), [("user", True), ("assistant", False)])
def test_a_message_told_again_in_its_own_role_is_kept(role: str, kept: bool) -> None:
    again = summary(2, f"So far: {TASK['content']}", role)
    told = policy(lambda context, _: doing(context, {1: (Action.MERGE, None)}, [again]))
    assert ("first-user" not in broken(told)) is kept


def test_arguments_are_touched_when_a_call_is_sent_with_others() -> None:
    call = SESSION[2]["tool_calls"][0]
    cleared = {**SESSION[2], "tool_calls": [{**call, "function": {**call["function"], "arguments": "{}"}}]}
    assert broken(rewriting(2, cleared, Action.CLEAR_ARGUMENTS))["arguments"] == 2
    assert "arguments" not in broken(rewriting(2, {**SESSION[2], "content": "other words"}, Action.REWRITE))
    assert "arguments" not in broken(dropping(2, 3))


def test_the_number_of_messages_counts_what_is_put_in_too() -> None:
    assert broken(dropping(4, 5))["messages"] == 4
    assert broken(policy(lambda context, _: doing(context, {}, [summary(1, "x")])))["messages"] == NOWHERE
    swapped = policy(lambda context, _: doing(context, {9: (Action.MERGE, None)}, [summary(8, "x")]))
    assert "messages" not in broken(swapped)


def test_a_result_that_is_one_character_longer_grew() -> None:
    text = SESSION[3]["content"]
    assert broken(rewriting(3, {**SESSION[3], "content": f"{text}!"}))["results"] == 3
    assert "results" not in broken(rewriting(3, {**SESSION[3], "content": text[::-1]}))


def test_a_view_is_larger_by_its_tokens_whether_the_rows_are_counted_already_or_not() -> None:
    grown = rewriting(3, {**SESSION[3], "content": "one two three four five six seven eight"})
    view = view_of(grown, SESSION)
    for tokens in (None, count_bodies(SESSION, view.counter)):
        where = check(view, grown, tokens=tokens)["smaller"]
        assert where is not None
        assert where.row == NOWHERE
        assert f"{-view.tokens['saved']} tokens more" in where.says
    assert "smaller" not in broken(rewriting(3, {**SESSION[3], "content": "one"}))


def _halving(context: Context, _: Settings) -> Plan:
    text = context.messages[3]["content"]
    return doing(context, {3: (Action.HEAD, {**context.messages[3], "content": text[: len(text) // 2]})})


def test_a_second_run_may_not_change_the_first_ones_output() -> None:
    assert broken(policy(_halving))["twice"] == 3
    assert "twice" not in broken(rewriting(3, {**SESSION[3], "content": "always this"}))


def test_a_carried_policy_does_not_cap_again_what_has_entered() -> None:
    results = [SYSTEM, TASK, *exchange("a", "x" * 9_000), DONE]
    assert "twice" not in broken(policy_named("cascade"), results, max_result_chars=10)


@pytest.mark.parametrize(
    ("unit", "count", "first"),
    [("messages", 1, 9), ("messages", 2, 8), ("results", 1, 8), ("turns", 1, 6), ("turns", 2, 1)],
)
def test_the_tail_begins_where_the_parameter_says(unit: str, count: int, first: int) -> None:
    keep = Param("keep_recent", unit, count, "")

    def tail_of(row: int) -> bool:
        body = {**SESSION[row], "content": ""}
        made = policy(lambda context, _: doing(context, {row: (Action.HEAD, body)}), keep)
        return "tail" in broken(made)

    assert tail_of(first)
    assert not any(map(tail_of, range(first)))


def test_a_stub_for_a_missing_result_is_one_of_the_newest_messages() -> None:
    open_call = [SYSTEM, TASK, *exchange("a", "x" * 400), *exchange("b")[:1]]
    assert "tail" not in broken(policy_named("head-tail"), open_call, keep_recent=2, old_tool_chars=10)
    assert "results" not in broken(policy_named("head-tail"), open_call, keep_recent=2, old_tool_chars=10)


def test_the_target_is_in_the_policys_own_units_and_names_the_message_that_stands_in_the_way() -> None:
    long = [SYSTEM, TASK, *exchange("a", "word " * 9_000), DONE]
    asked = {"target_tokens": 2_000, "ceiling_tokens": 3_000}
    view = view_of(policy_named("cascade"), long, max_result_chars=None, **asked)
    where = check(view, policy_named("cascade"))["target"]
    assert where is not None
    assert (where.row, "unreachable by itself" in where.says, "3,000" in where.says) == (3, True, True)
    assert "target" not in broken(policy_named("cascade"), SESSION, **asked)


def test_a_policy_with_a_trigger_alone_promises_no_size() -> None:
    view = view_of(policy_named("langchain-clear"), SESSION)
    assert "target" not in check(view, policy_named("langchain-clear"))


@pytest.mark.parametrize("name", _GOALS)
def test_every_policy_that_is_listed_with_a_target_exists_and_is_judged_by_its_defaults(name: str) -> None:
    view = view_of(policy_named(name), SESSION)
    assert "target" in check(view, policy_named(name))


def test_a_policy_of_ones_own_with_target_tokens_is_held_to_exact_tokens() -> None:
    made = policy(
        lambda context, _: doing(context, {9: (Action.DROP, None)}),
        Param("target_tokens", "tokens", 1, "", threshold=True),
    )
    assert "target" in broken(made)
    assert "target" not in broken(made, target_tokens=100_000)


def test_an_unknown_promise_is_one_sentence() -> None:
    assert promise_named("pairs").label == "pairs whole"
    with pytest.raises(LookupError, match="there is no promise 'pear'; there are pairs, system"):
        promise_named("pear")


@settings(max_examples=60, deadline=None)
@given(
    sessions,
    st.sampled_from(["head-tail", "cascade", "checkpoint"]).flatmap(lambda n: st.tuples(st.just(n), settings_of(n))),
)
def test_our_own_policies_can_be_checked_on_anything(messages: list[Any], chosen: tuple[str, dict[str, Any]]) -> None:
    name, asked = chosen
    made = policy_named(name)
    full = made.running(asked)
    view = compact(Context(messages, SESSION_ORIGIN, range(len(messages))), name, **full)
    found = check(view, made)
    assert found == check(view, made, tokens=count_bodies(messages, view.counter)) or found["smaller"] is not None
    assert all(where is None or -1 <= where.row < len(messages) for where in found.values())


@settings(max_examples=60, deadline=None)
@given(sessions, st.sampled_from(sorted(POLICIES)))
def test_every_policy_can_be_checked_on_anything(messages: list[Any], name: str) -> None:
    view = compact(Context(messages, SESSION_ORIGIN, range(len(messages))), name)
    for where in check(view, policy_named(name)).values():
        assert where is None or -1 <= where.row < len(messages)


SESSION_ORIGIN = view_of(KEEPING, SESSION).plan.context.origin
