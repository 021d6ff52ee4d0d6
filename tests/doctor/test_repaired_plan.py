"""A repaired recording as a plan: what is sent is the repaired session, message for message."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector import from_messages
from inspector.change import Action
from inspector.doctor import target_named
from inspector.doctor.repair import Wish, repaired
from inspector.doctor.repaired_plan import matched, plan
from inspector.formats import load_bytes
from inspector.policies import SentView
from inspector.tokens import counter_for
from tests.shared import SHARED
from tests.tui.builders import call, result, user


def sent(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> SentView:
    made = plan(from_messages(before), from_messages(after), {})
    return SentView(made, "repaired", {}, counter_for(None))


bodies = st.lists(
    st.one_of(
        st.builds(user, st.sampled_from("abc")),
        st.builds(result, st.sampled_from("ab"), st.sampled_from("xy")),
        st.builds(call, st.sampled_from("ab")),
    ),
    max_size=8,
)


@given(bodies, bodies)
def test_the_plan_sends_the_repaired_messages_in_their_order(before: list[Any], after: list[Any]) -> None:
    assert sent(before, after).messages == after


@given(bodies)
def test_a_session_that_nothing_was_repaired_in_is_sent_as_it_is(before: list[Any]) -> None:
    assert not sent(before, [dict(body) for body in before]).plan.fired


def test_a_stub_is_an_insert_and_what_moved_is_called_moved() -> None:
    before = [user("go"), call("a"), user("on"), result("a", "done"), call("b")]
    after = [user("go"), call("a"), result("a", "done"), user("on"), call("b"), result("b", "none was recorded")]
    view = sent(before, after)
    assert [insert.after for insert in view.plan.inserts] == [4]
    assert sorted(view.plan.action) == [0, 0, 0, 0, Action.MOVE]
    assert view.plan.inserts[0].reason == "repaired: a call has no result"


def test_a_message_under_another_id_is_rewritten_and_not_replaced() -> None:
    view = sent([user("go"), call("a b"), result("a b", "x")], [user("go"), call("ab"), result("ab", "x")])
    assert list(view.plan.action) == [Action.KEEP, Action.REWRITE, Action.REWRITE]
    assert not view.plan.inserts


def test_nan_that_became_null_is_rewritten() -> None:
    view = sent([{**user("go"), "score": float("nan")}], [{**user("go"), "score": None}])
    assert list(view.plan.action) == [Action.REWRITE]


def test_messages_are_matched_in_linear_steps() -> None:
    before = [user(str(number)) for number in range(20_000)]
    after = [user(str(number) if number % 3 else "new") for number in range(20_000)]
    assert matched(before, after) == list(range(20_000))


CASES = sorted((SHARED / "cases").glob("*/input.*")) if SHARED else []


@pytest.mark.parametrize("path", [one for one in CASES if one.is_file()], ids=lambda path: path.parent.name[:40])
def test_every_repaired_case_is_sent_as_its_copy_is_loaded(path: Path) -> None:
    raw = path.read_bytes()
    target = json.loads((path.parent / "case.json").read_text()).get("target") or "native"
    if not raw:
        pytest.skip("an empty file has nothing to send")
    copy = load_bytes(repaired(raw, str(path), Wish(target_named(target))).raw, str(path))
    view = SentView(plan(load_bytes(raw, str(path)), copy, {}), "repaired", {}, counter_for(None))
    assert json.dumps(list(view.messages)) == json.dumps(list(copy.messages))
