"""`inspector.diagnose`: sessions from files, messages in memory, and sent views."""

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import inspector
from inspector.doctor import UnknownTarget, examine_messages, target_named
from inspector.doctor.told import compared, examined
from inspector.message import Session
from inspector.policies import SentView
from tests.doctor.builders import anthropic, calls, chat, result, said, text_block, turn, use, user
from tests.doctor.valid import SHAPES, STEPS

BROKEN = [user(), calls("a"), user(), said()]


def test_messages_in_memory_are_examined_with_their_rows() -> None:
    found = inspector.diagnose(inspector.from_messages(BROKEN))
    assert [(one.code, one.message_index, one.pointer, one.row) for one in found] == [
        ("dangling-tool-call", 1, "/1/tool_calls/0", 1)
    ]


def test_a_file_is_examined_as_it_is_recorded(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    session = anthropic(user(), turn("assistant", text_block(""), use("a")), user())
    path.write_text(json.dumps(session), encoding="utf-8")
    loaded = inspector.load(path)
    found = inspector.diagnose(loaded)
    assert [(one.code, one.pointer, one.row) for one in found] == [
        ("dangling-tool-call", "/messages/1/content/1", 2), ("empty-text-block", "/messages/1/content/0", 2),
    ]  # fmt: skip
    path.unlink()
    assert [one.code for one in inspector.diagnose(loaded)] == ["dangling-tool-call"]


def test_a_target_that_there_is_not_is_named() -> None:
    with pytest.raises(UnknownTarget, match="did you mean mistral"):
        inspector.diagnose(inspector.from_messages(BROKEN), target="mistrall")


def test_a_summary_that_parts_a_call_from_its_result_shows_in_the_sent_view() -> None:
    steps = [message for number in range(6) for message in (calls(f"c{number}"), result(f"c{number}", "y" * 900))]
    session = inspector.from_messages([user("task"), *steps, said()])
    assert inspector.diagnose(session) == ()
    views = (
        inspector.compact(session, "cascade", target_tokens=1, ceiling_tokens=1, keep_verbatim=keep, protect=protect)
        for keep in range(1, 4) for protect in range(3)
    )  # fmt: skip
    codes = {one.code for view in views for one in inspector.diagnose(view)}
    assert "orphan-tool-result" in codes


def introduced(view: SentView) -> set[str]:
    session = view.plan.context
    target = target_named("native")
    known = examined(examine_messages(session, "openai_chat"), session, target)
    return {fault.finding.code for fault in compared(view, known, target).introduced}


VALID = STEPS.map(lambda steps: inspector.from_messages(SHAPES[0].make(steps)["messages"]))
ANY_SIZE = st.integers(-1, 40) | st.integers(0, 5_000)


@settings(deadline=None, max_examples=80, suppress_health_check=list(HealthCheck))
@given(session=VALID, keep=ANY_SIZE, chars=ANY_SIZE, gate=ANY_SIZE)
def test_head_tail_brings_no_fault_into_a_valid_session_but_results_that_grow(
    session: Session, keep: int, chars: int, gate: int
) -> None:
    settings = {"keep_recent": keep, "old_tool_chars": chars, "compact_threshold_chars": gate}
    assert introduced(inspector.compact(session, "head-tail", **settings)) <= {"result-grew"}


@settings(deadline=None, max_examples=80, suppress_health_check=list(HealthCheck))
@given(session=VALID, keep=ANY_SIZE, messages=ANY_SIZE, size=ANY_SIZE)
def test_checkpoint_brings_no_fault_into_a_valid_session_but_drops_what_it_replaces(
    session: Session, keep: int, messages: int, size: int
) -> None:
    settings = {"keep_recent": keep, "max_messages": messages, "max_bytes": size}
    assert introduced(inspector.compact(session, "checkpoint", **settings)) <= {"first-user-message-dropped"}


def test_a_view_of_a_file_is_judged_by_the_provider_of_its_format() -> None:
    session = inspector.from_messages(chat(user(), calls("x.y"), result("x.y"), said())["messages"])
    view = inspector.compact(session, "head-tail")
    assert inspector.diagnose(view) == ()
    assert [one.code for one in inspector.diagnose(view, target="anthropic")] == ["tool-call-id-format"]
