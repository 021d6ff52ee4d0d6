"""The sent view of plans made by hand: every action and insert that the vocabulary has."""

from array import array
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.change import Action, Edit, Insert, InsertKind, Plan, unchanged
from inspector.message import Body, text_of
from inspector.policies.sent import INSERTED, SentView
from inspector.tokens import count_bodies, counter_named
from tests.policies.sessions import assert_agreement, context_of

COUNTER = counter_named("chars/4")
MESSAGES: list[Body] = [{"role": "user", "content": f"message {row} " * (row + 1)} for row in range(5)]
REWRITTEN: Body = {"role": "user", "content": "short"}
WRITTEN = (Action.PLACEHOLDER, Action.HEAD, Action.TAIL, Action.MIDDLE, Action.CLEAR_ARGUMENTS, Action.DROP_REASONING)


def insert(after: int, text: str, kind: InsertKind = InsertKind.NOTICE, **keys: Any) -> Insert:
    return Insert(after, kind, {"role": "user", "content": text}, f"because of {text}", **keys)


def viewed(actions: Sequence[int], inserts: Sequence[Insert] = (), order: Sequence[int] | None = None) -> SentView:
    context = context_of(MESSAGES)
    chars = array("q", context.columns.chars)
    for row, action in enumerate(actions):
        if action in (Action.DROP, Action.MERGE):
            chars[row] = 0
        elif action not in (Action.KEEP, Action.MOVE):
            chars[row] = len(REWRITTEN["content"])
    reason = bytes(1 if action else 0 for action in actions)
    plan = Plan(context, bytes(actions), reason, ("", "why"), chars, lambda _: {**REWRITTEN}, tuple(inserts), order)
    return SentView(plan, "by hand", {}, COUNTER)


def texts(view: SentView) -> list[str]:
    return [body["content"].strip() for body in view.messages]


@given(
    st.lists(st.sampled_from([action for action in Action if action != Action.MOVE]), min_size=5, max_size=5),
    st.lists(st.builds(insert, st.integers(-1, 4), st.sampled_from("abc")), max_size=4),
)
def test_any_plan_gives_a_view_that_agrees_with_it(actions: list[int], inserts: list[Insert]) -> None:
    assert_agreement(viewed(actions, inserts))


def test_inserts_stand_where_they_say_and_keep_their_order() -> None:
    view = viewed([0, Action.DROP, 0, 0, 0], [insert(1, "b"), insert(-1, "a"), insert(1, "c"), insert(4, "d")])
    assert list(view.source) == [INSERTED, 0, INSERTED, INSERTED, 2, 3, 4, INSERTED]
    assert [texts(view)[place] for place in (0, 2, 3, 7)] == ["a", "b", "c", "d"]
    assert [(edit.index, edit.action) for edit in view.edits] == [
        (-1, "insert_notice"), (1, "drop"), (1, "insert_notice"), (1, "insert_notice"), (4, "insert_notice"),
    ]  # fmt: skip


def test_an_order_moves_messages_and_their_inserts_with_them() -> None:
    view = viewed([Action.MOVE, 0, 0, 0, Action.DROP], [insert(0, "x")], order=[1, 2, 3, 0, 4])
    assert list(view.source) == [1, 2, 3, 0, INSERTED]
    assert view.messages[3] is MESSAGES[0]
    assert [edit.action for edit in view.edits] == ["move", "insert_notice", "drop"]
    assert_agreement(view)


def test_edits_tell_sizes_before_and_after() -> None:
    view = viewed([0, Action.HEAD, Action.MERGE, 0, 0], [insert(0, "sum", InsertKind.SUMMARY, merges=(2, 3))])
    before, short, added = (count_bodies([body], COUNTER)[0] for body in (MESSAGES[1], REWRITTEN, view.messages[1]))
    assert view.edits == (
        Edit(0, "insert_summary", "because of sum", 0, 3, 0, added),
        Edit(1, "head", "why", len(text_of(MESSAGES[1])), 5, before, short),
        Edit(2, "merge", "why", len(text_of(MESSAGES[2])), 0, count_bodies([MESSAGES[2]], COUNTER)[0], 0),
    )


def test_stats_hold_the_policys_counters_and_the_tokens_even_when_they_grow() -> None:
    context = context_of(MESSAGES)
    long, chars = insert(-1, "x" * 400), context.columns.chars
    plan = Plan(context, bytes(5), bytes(5), ("",), chars, lambda _: {}, (long,), stats=lambda: {"mine": 7})
    stats = SentView(plan, "by hand", {}, COUNTER).stats
    assert list(stats) == ["mine", "original_tokens", "sent_tokens", "saved_tokens"]
    assert stats["mine"] == 7
    assert stats["saved_tokens"] == stats["original_tokens"] - stats["sent_tokens"] < 0


def test_an_unchanged_plan_sends_the_very_objects() -> None:
    plan = unchanged(context_of(MESSAGES), reason="as it is")
    view = SentView(plan, "none", {}, COUNTER)
    assert not plan.fired
    assert [id(body) for body in view.messages] == [id(body) for body in MESSAGES]
    assert (view.edits, view.notes, view.tokens["saved"]) == ((), [], 0)
    with pytest.raises(LookupError):
        plan.write(0)


def test_origins_of_sent_messages_are_those_of_the_recording() -> None:
    view = viewed([Action.DROP, 0, 0, 0, 0], [insert(1, "x")])
    assert [view.origin(place).pointer for place in range(3)] == ["/1", "/messages/1", "/2"]


def test_a_sent_view_can_be_compacted_again() -> None:
    view = viewed([Action.DROP, 0, 0, 0, 0], [insert(1, "x")])
    context = view.context
    assert list(context.columns.chars) == [len(text_of(body)) for body in view.messages]
    assert list(context.source) == [1, INSERTED, 2, 3, 4]


@pytest.mark.parametrize("action", WRITTEN)
def test_a_changed_message_is_asked_for_only_when_it_is_read(action: Action) -> None:
    def never(row: int) -> Body:
        raise AssertionError(row)

    context = context_of(MESSAGES)
    plan = Plan(context, bytes([action, 0, 0, 0, 0]), bytes(5), ("",), context.columns.chars, never)
    view = SentView(plan, "by hand", {}, COUNTER)
    assert (plan.fired, list(view.source)) == (True, [0, 1, 2, 3, 4])
    with pytest.raises(AssertionError):
        _ = view.messages
