"""What the lines of a row say: the cut is seen, the harm is named, gone rows say where they went."""

from __future__ import annotations

from array import array
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.change import GONE, Action, Insert, InsertKind, Plan
from inspector.message import Body
from inspector.policies.sent import SentView
from inspector.text import cells
from inspector.tui import lines
from inspector.tui.shown import Shown, Tokens
from tests.tui.builders import call, result, session, shown, turns, user

texts = st.text(st.sampled_from("ab \n日🙂é\x1b"), max_size=200)


def planned(messages: list[Body], actions: dict[int, Action], *inserts: Insert, **rewritten: Any) -> Shown:
    """What is shown under a plan made by hand."""
    base = shown(session(messages))
    action, chars = bytearray(len(messages)), array("q", base.session.columns.chars)
    for row, code in actions.items():
        action[row] = code
        chars[row] = 0 if code in GONE else chars[row]
    plan = Plan(
        base.session, bytes(action), bytes(len(messages)), ("a reason",), chars,
        lambda row: {**messages[row], **rewritten}, inserts,
    )  # fmt: skip
    return Shown(
        base.session, SentView(plan, "hand-made", {}, base.counter), base.counter, Tokens(base.before, True), 128_000
    )


def said(view: Shown, row: int) -> str:
    return "".join(text for _, text in lines.words(view, row))


def test_a_cut_in_the_middle_shows_its_marker() -> None:
    drawn = shown([*turns(1, size=4000), *[user("later")] * 12], old_tool_chars=600)
    body = lines.sent_body(drawn, 3, 60, 3, 3)
    assert body[0] == ("text", "turn 0 line 0: nothing out of the ordinary…")
    assert body[1][0] == "marker"
    assert body[1][1].startswith("[compacted old tool result, ")


@given(texts, texts, st.integers(1, 50), st.integers(1, 5))
def test_a_rewritten_text_fits_its_room(was: str, now: str, width: int, room: int) -> None:
    drawn = lines.departing(was, now, width, room)
    assert len(drawn) <= room
    assert all(cells(line) <= width for _, line in drawn)


@given(st.text("ab", max_size=40), st.text("ab", max_size=40))
def test_agreement_is_the_length_of_the_common_beginning(a: str, b: str) -> None:
    at = lines.agreement(a, b)
    assert a[:at] == b[:at]
    assert at == min(len(a), len(b)) or a[at] != b[at]


@given(st.lists(st.tuples(st.just("text"), texts), max_size=5), st.integers(1, 40))
def test_fitted_pieces_fill_their_column_exactly(pieces: list[lines.Piece], width: int) -> None:
    assert sum(cells(text) for _, text in lines.fit(pieces, width)) == width


def test_an_unchanged_row_repeats_the_original_and_has_no_change() -> None:
    drawn = shown(turns(1))
    body = lines.sent_body(drawn, 3, 60, 3, 3)
    assert [text for _, text in body] == [text for _, text in lines.original_body(drawn, 3, 60, 3)]
    assert {kind for kind, _ in body} == {"text-kept"}
    assert lines.figures(drawn, 3).change == 0


def test_merged_rows_say_where_they_went_and_the_anchor_shows_the_summary() -> None:
    summary = Insert(1, InsertKind.SUMMARY, user("Twice read.\nNothing found."), "a summary of 4 messages", (2, 6))
    drawn = planned(turns(3), dict.fromkeys(range(2, 6), Action.MERGE), summary)
    assert (lines.glyph(drawn, 2)[1], said(drawn, 2)) == ("+", "a summary of 4 messages")
    assert lines.sent_body(drawn, 2, 60, 3, 1) == [("insert-text", "Twice read.…")]
    assert (lines.glyph(drawn, 5)[1], said(drawn, 5)) == ("≡", "in the summary at #2")
    assert lines.sent_body(drawn, 5, 60, 3, 3) == []
    assert lines.figures(drawn, 2).change == drawn.tokens_of(summary) - drawn.before[2]


def test_a_dropped_row_says_so_and_names_the_harm_first() -> None:
    drawn = planned(turns(2), {0: Action.DROP, 2: Action.DROP})
    assert (lines.glyph(drawn, 0)[1], said(drawn, 0)) == ("x", "! the system prompt is not sent · dropped: a reason")
    assert (lines.glyph(drawn, 2)[1], said(drawn, 2)) == ("x", "dropped: a reason")
    assert (lines.glyph(drawn, 3)[1], said(drawn, 3)) == ("!", "this result is sent without its call")
    assert lines.figures(drawn, 2).change == -drawn.before[2]


def test_equal_inserts_at_one_place_are_counted() -> None:
    drawn = shown([user("go"), call("a", "b", "c", name="look")])
    assert said(drawn, 1) == "repaired: no result was recorded (3 times)"
    assert lines.glyph(drawn, 1) == ("insert", "+")
    assert lines.figures(drawn, 1).look == "insert"


def test_changed_arguments_are_shown_from_where_they_depart() -> None:
    was = call("a", name="write", path="x" * 300 + "tail")
    now = call("a", name="write", path="x" * 300 + "…cut")["tool_calls"]
    drawn = planned([user("go"), was], {1: Action.CLEAR_ARGUMENTS}, tool_calls=now)
    (line,) = [text for kind, text in lines.sent_body(drawn, 1, 40, 3, 2) if kind == "marker"]
    assert line.startswith("→ write …")
    assert r"\u2026cut" in line


def test_a_result_without_a_name_takes_that_of_its_call() -> None:
    messages = [user("go"), call("a", name="grep"), call("b", name="look"), result("b", "1"), result("a", "2")]
    context = session(messages)
    assert [lines.tool_of(context, row) for row in range(5)] == ["", "", "", "look", "grep"]


def test_rows_beyond_the_view_of_a_request_say_so() -> None:
    drawn = shown(session(turns(3)))
    early = SentView(
        Plan(drawn.session.until(4), bytes(4), bytes(4), ("",), drawn.session.columns.chars[:4], lambda row: {}),
        "x", {}, drawn.counter,
    )  # fmt: skip
    view = Shown(drawn.session, early, drawn.counter, Tokens(drawn.before, True), 128_000)
    assert said(view, 5) == "after this request"
    assert lines.figures(view, 5).after == ""
    assert lines.sent_body(view, 5, 60, 3, 3) == []


@pytest.mark.parametrize("counted", [True, False])
def test_estimates_carry_a_tilde_until_they_are_counted(counted: bool) -> None:
    drawn = shown(turns(1))
    drawn = Shown(drawn.session, drawn.view, drawn.counter, Tokens(drawn.before, counted), 128_000)
    assert lines.count(drawn, 1234) == ("1,234" if counted else "~1,234")
