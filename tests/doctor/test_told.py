"""Whose fault a finding is: the recording's, or the policy's."""

from __future__ import annotations

from array import array
from typing import Any

import pytest

from inspector import compact, from_messages, load
from inspector.change import Action, Plan
from inspector.doctor import TARGETS, examination_of, target_named
from inspector.doctor.told import FILE, Compared, Examined, compared, examined
from inspector.message import Session
from inspector.policies import SentView
from inspector.tokens import counter_for
from tests.tui.builders import call, paired_turns, result, turns, user


def known(session: Session, target: str = "native") -> Examined:
    return examined(examination_of(session), session, target_named(target))


def without(session: Session, *rows: int) -> SentView:
    """A view in which some rows are dropped."""
    action = bytes(Action.DROP if row in rows else Action.KEEP for row in range(len(session)))
    chars = array("q", [0 if row in rows else size for row, size in enumerate(session.columns.chars)])
    plan = Plan(session, action, bytes(len(session)), ("gone",), chars, lambda row: session.messages[row])
    return SentView(plan, "none", {}, counter_for(None))


def seen(messages: list[dict[str, Any]], *dropped: int, target: str = "native") -> Compared:
    session = from_messages(messages)
    return compared(without(session, *dropped), known(session, target), target_named(target))


def codes(found: Compared) -> list[tuple[str, int]]:
    return [fault.key for fault in found.introduced]


def test_a_result_whose_call_was_dropped_is_introduced_and_stands_at_its_own_row() -> None:
    found = seen([user("go"), call("a"), result("a", "done"), user("on")], 1)
    assert codes(found) == [("orphan-tool-result", 2)]
    assert found.introduced[0].introduced
    assert found.introduced[0].call_id == "a"


def test_a_fault_of_the_recording_is_old_as_long_as_it_is_sent() -> None:
    messages = [user("go"), result("nobody", "done"), user("on"), {"role": "assistant", "content": "yes"}]
    found = seen(messages, 2)
    assert codes(found) == []
    assert found.still == {("orphan-tool-result", 1)}
    assert not found.gone
    gone = seen(messages, 1)
    assert gone.gone == {("orphan-tool-result", 1)}
    assert not gone.still


def test_of_two_calls_of_one_message_only_the_one_that_lost_its_result_is_introduced() -> None:
    messages = [user("go"), call("a", "b"), result("b", "done"), user("on")]
    found = seen(messages, 2)
    assert [(fault.finding.code, fault.call_id) for fault in found.introduced] == [("dangling-tool-call", "b")]
    assert ("dangling-tool-call", 1) in found.still


def test_what_only_a_comparison_shows_is_introduced_too() -> None:
    found = seen([{"role": "system", "content": "rules"}, user("go"), {"role": "assistant", "content": "yes"}], 0, 1)
    assert set(codes(found)) == {("system-prompt-dropped", 0), ("first-user-message-dropped", 1)}


@pytest.mark.parametrize("target", TARGETS)
def test_a_view_that_changes_nothing_introduces_nothing(target: str) -> None:
    messages = [*turns(5), result("nobody", "x"), call("z"), user(""), user("again")]
    found = seen(messages, target=target)
    assert codes(found) == []
    assert found.gone == frozenset()


def test_a_cascade_that_parts_a_call_from_its_result_shows_the_orphan_where_it_is() -> None:
    session = from_messages(paired_turns(30))
    view = compact(session, "cascade", target_tokens=4_000, ceiling_tokens=4_000)
    found = compared(view, known(session), target_named("native"))
    parted = [fault for fault in found.introduced if fault.finding.code == "orphan-tool-result"]
    expected = [row for row, kinds in _orphans(view) if kinds]
    assert [fault.row for fault in parted] == expected
    assert expected


def _orphans(view: SentView) -> list[tuple[int, bool]]:
    calls = {one["id"] for body in view.messages for one in body.get("tool_calls") or ()}
    return [
        (row, body.get("role") == "tool" and body["tool_call_id"] not in calls)
        for row, body in zip(view.source, view.messages, strict=True)
    ]


def test_a_refusal_names_the_call() -> None:
    session = from_messages([user("go"), call("call_77"), user("on")])
    (fault,) = known(session, "openai").faults
    assert fault.refused_by == "openai"
    assert fault.refusal.endswith("call_77")
    assert fault.row == 1


def test_a_fault_of_the_file_has_no_row(tmp_path: Any) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"messages": [{"role": "user", "content": "x"}]}\n{"messages": [{"ro')
    session = load(str(path))
    assert FILE in {fault.row for fault in known(session).faults}
