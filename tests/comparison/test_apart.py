"""Where two plans send one session differently."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.change import Plan
from inspector.comparison import Apart, differing
from inspector.message import Context
from inspector.policies import POLICIES, policy_named
from tests.cli.program import conversation
from tests.policies.sessions import context_of

SESSION = context_of(conversation(12, 4_000))
OURS = ("head-tail", "cascade", "checkpoint", "langchain-clear", "openai-agents-trimmer")


def plan_of(policy: str, context: Context = SESSION, **settings: Any) -> Plan:
    chosen = policy_named(policy)
    return chosen.plan(context, chosen.settings(settings))


def written(plan: Plan) -> list[tuple[Any, list[Any]]]:
    """What is sent for each row, and what is put in beside it."""
    beside: dict[int, list[Any]] = {}
    for insert in plan.inserts:
        beside.setdefault(max(0, insert.anchor), []).append((insert.after, insert.body))
    return [(plan.body(row), beside.get(row, [])) for row in range(len(plan.action))]


def slowly(a: Plan, b: Plan) -> list[int]:
    return [row for row, pair in enumerate(zip(written(a), written(b), strict=True)) if pair[0] != pair[1]]


@pytest.mark.parametrize("a", OURS)
@pytest.mark.parametrize("b", OURS)
def test_the_rows_are_those_that_are_written_differently(a: str, b: str) -> None:
    assert list(differing(plan_of(a), plan_of(b))) == slowly(plan_of(a), plan_of(b))


@given(st.integers(0, 14), st.integers(0, 14), st.integers(50, 5_000), st.integers(50, 5_000))
def test_two_settings_of_one_policy_differ_where_they_write_differently(x: int, y: int, cap: int, other: int) -> None:
    a = plan_of("head-tail", keep_recent=x, old_tool_chars=cap)
    b = plan_of("head-tail", keep_recent=y, old_tool_chars=other)
    apart = Apart(a, b)
    assert list(differing(a, b)) == slowly(a, b)
    assert [row for row in range(len(a.action)) if apart.at(row)] == slowly(a, b)


@given(st.integers(0, 14), st.integers(0, 14))
def test_what_columns_tell_for_sure_is_a_part_and_the_rest_is_among_the_unsure(x: int, y: int) -> None:
    a, b = plan_of("head-tail", keep_recent=x), plan_of("head-tail", keep_recent=y)
    apart = Apart(a, b)
    assert set(apart.sure) <= set(slowly(a, b)) <= {*apart.sure, *apart.unsure}


def test_a_plan_does_not_differ_from_itself() -> None:
    plan = plan_of("cascade", target_tokens=2_000)
    assert list(differing(plan, plan)) == []
    assert list(differing(plan, plan_of("cascade", target_tokens=2_000))) == []


def test_texts_of_one_length_that_say_different_things_differ() -> None:
    messages = [{"role": "user", "content": "a"}, {"role": "tool", "content": "x" * 9_000, "tool_call_id": "1"}]
    context = context_of(messages)
    a, b = (plan_of("head-tail", context, keep_recent=0, old_tool_chars=500) for _ in range(2))
    other = Plan(b.context, b.action, b.reason, b.reasons, b.chars, lambda row: {"role": "tool", "content": "y"})
    assert list(Apart(a, other).sure) == []
    assert list(differing(a, other)) == [row for row, action in enumerate(a.action) if action]


def test_a_row_that_one_plan_does_not_reach_differs() -> None:
    whole, part = plan_of("head-tail", keep_recent=99), plan_of("head-tail", SESSION.until(20), keep_recent=99)
    assert list(differing(whole, part)) == list(range(20, len(SESSION)))
    assert Apart(whole, part).at(20)


def test_every_policy_can_be_laid_beside_every_other() -> None:
    plans = [plan_of(name, context_of(conversation(3))) for name in POLICIES]
    for a in plans:
        for b in plans:
            assert list(differing(a, b)) == list(differing(b, a))
