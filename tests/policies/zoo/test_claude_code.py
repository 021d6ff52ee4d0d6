"""Claude Code's microcompact, by what POLICIES.md, section 27, reports of it."""

import json
from math import nan
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.formats import load, load_bytes
from inspector.message import Body, Context, listed
from inspector.policies import POLICIES, SentView, compact
from inspector.policies.zoo.claude_code import CLEARED, NO_TIMES
from inspector.replay.view import compact as compact_at
from tests.formats.claude_lines import answers, call, result, says, text
from tests.formats.made import jsonl
from tests.policies.sessions import context_of, valid_sessions
from tests.policies.zoo import made
from tests.shared import SHARED, needs_shared

HOUR = 3_600.0


def timed(messages: list[Body], times: list[float]) -> Context:
    return Context(messages, listed(""), range(len(messages)), times=times)


def gone(context: Context, **settings: Any) -> list[int]:
    return [edit.index for edit in cleared(context, **settings).edits]


def cleared(context: Context, **settings: Any) -> SentView:
    return compact(context, "claude-code-microcompact", **settings)


def reads(count: int, name: str = "Read") -> list[Body]:
    """Results at rows 2, 4, 6 ..."""
    used = (made.use(f"c{at}", "long " * 30, name) for at in range(count))
    return [made.user(), *(body for one in used for body in one), made.says()]


def after(messages: list[Body], pause: float, *more: Body) -> Context:
    """The messages a second apart, then others after a pause."""
    times = [float(second) for second in range(len(messages))]
    return timed([*messages, *more], times + [times[-1] + pause + second for second in range(len(more))])


def test_the_line_is_the_reported_one() -> None:
    assert CLEARED == "[Old tool result content cleared]"


def test_after_an_hour_all_but_the_five_newest_results_are_cleared() -> None:
    context = after(reads(7), HOUR, made.user("more"))
    view = cleared(context)
    assert [edit.index for edit in view.edits] == [2, 4]
    assert view.messages[2] == {**context.messages[2], "content": CLEARED}
    assert gone(after(reads(5), HOUR, made.user("more"))) == []
    assert gone(context, keep=0) == [2, 4, 6, 8, 10, 12, 14]


def test_a_pause_counts_from_its_length_on() -> None:
    assert gone(after(reads(7), HOUR - 0.5, made.user("more"))) == []
    assert gone(after(reads(7), HOUR, made.user("more"))) == [2, 4]
    assert gone(after(reads(7), 300, made.user("more")), gap_minutes=5) == [2, 4]


def test_what_came_after_the_pause_is_left_alone_until_the_next() -> None:
    later = [made.user("more"), *made.use("d0", name="Bash"), *made.use("d1", name="Bash"), made.says()]
    context = after(reads(7), HOUR, *later)
    assert gone(context) == [2, 4]
    assert gone(after(list(context.messages), 60, made.user("now"))) == []
    times = [*context.times, context.times[-1] + HOUR]
    assert gone(timed([*context.messages, made.user("now")], times)) == [2, 4, 6, 8]


def test_a_tool_that_takes_an_hour_is_a_pause_too() -> None:
    messages = [*reads(6)[:-1], *made.use("slow", name="Bash")]
    times = [float(second) for second in range(len(messages) - 1)]
    assert gone(timed(messages, [*times, times[-1] + HOUR])) == [2, 4]


def test_a_pause_before_the_end_that_no_request_followed_is_none() -> None:
    messages = reads(7)
    assert gone(timed(messages, [*map(float, range(len(messages) - 1)), 9_999.0])) == []


def test_results_of_other_tools_neither_go_nor_take_a_place() -> None:
    messages = [*reads(6)[:-1], *made.use("t", "long " * 30, "TodoWrite"), made.says()]
    context = after(messages, HOUR, made.user("more"))
    assert gone(context) == [2]
    assert gone(context, compactable_tools=["TodoWrite"], keep=0) == [14]
    assert gone(context, compactable_tools="", keep=0) == [2, 4, 6, 8, 10, 12, 14]


def test_images_of_a_result_go_with_it() -> None:
    shown = made.result("a", "seen", "Read", images=["QUJD"])
    context = after([made.user(), made.calls("a", name="Read"), shown, made.says()], HOUR, made.user("more"))
    assert cleared(context, keep=0).messages[2] == made.result("a", CLEARED, "Read")


def test_without_times_nothing_is_cleared_and_it_says_so() -> None:
    messages = reads(9)
    view = cleared(context_of(messages))
    assert view.messages == messages
    assert view.plan.warnings == (NO_TIMES,)
    assert gone(context_of(messages), gap_minutes=0) == [2, 4, 6, 8]


def test_unknown_times_are_no_pause() -> None:
    messages = [*reads(7), made.user("more")]
    assert gone(timed(messages, [0.0] + [nan] * (len(messages) - 2) + [9_999.0])) == []


def test_the_help_labels_it_approximate() -> None:
    assert POLICIES["claude-code-microcompact"].help.startswith("Approximate")


@given(valid_sessions(), st.integers(0, 3))
def test_a_second_run_changes_nothing_and_only_results_ever_change(messages: list[Body], keep: int) -> None:
    given = {"gap_minutes": 0, "keep": keep, "compactable_tools": ""}
    view = cleared(context_of(messages), **given)
    assert {messages[edit.index]["role"] for edit in view.edits} <= {"tool"}
    assert cleared(context_of(view.messages), **given).messages == view.messages


@pytest.mark.parametrize(("at", "count"), [(0, 0), (3, 0), (4, 2), (5, 2)])
def test_in_a_run_a_pause_acts_from_the_request_after_it_on(at: int, count: int) -> None:
    context = after([*reads(3)], HOUR, made.user("more"), made.says("a"), made.user("so"), made.says("b"))
    view = compact_at(context, "claude-code-microcompact", at=at, keep=1)
    assert [body["content"] == CLEARED for body in view.messages].count(True) == count


# --- recordings ---


def test_the_pauses_of_a_recorded_session_are_known() -> None:
    lines = [
        says("u1", None, "Read."),
        answers("a1", "u1", "m1", call("t1", "Read")), says("u2", "a1", result("t1", "long " * 30)),
        answers("a2", "u2", "m2", text("Done.")),
        says("u3", "a2", "More."),
    ]  # fmt: skip
    hours = (9, 9, 9, 9, 11)
    stamped = [{**line, "timestamp": f"2026-01-02T{hour:02}:00:0{at}Z"}
               for at, (line, hour) in enumerate(zip(lines, hours, strict=True))]  # fmt: skip
    session = load_bytes(jsonl(*stamped), "made.jsonl")
    assert gone(session, keep=0) == [2]
    assert gone(session, keep=0, gap_minutes=121) == []
    assert gone(session.until(4), keep=0) == []


@needs_shared
@pytest.mark.parametrize("path", sorted((SHARED / "sessions").glob("claude_code-*.jsonl")), ids=lambda path: path.name)
def test_recorded_sessions_hold_no_result_that_it_cleared(path: Any) -> None:
    """Claude Code clears when it sends, and no public recording holds its line as a result, so that there is nothing to
    compare with. What can be said: results alone are cleared, and the line is the only text that is put in."""
    session = load(path)
    assert not any(body.get("content") == CLEARED for body in session.messages)
    view = cleared(session, gap_minutes=0, keep=0)
    changed = [(session.messages[edit.index]["role"], view.messages[edit.index]["content"]) for edit in view.edits]
    assert set(changed) <= {("tool", CLEARED)}
    assert json.dumps(view.messages).count(CLEARED) == len(changed)
