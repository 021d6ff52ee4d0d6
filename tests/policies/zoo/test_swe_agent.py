"""SWE-agent's window over observations, by the rules of POLICIES.md, section 7, and by a run that it recorded."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.formats import load, load_bytes
from inspector.message import Body
from inspector.policies import SentView, compact
from inspector.policies.zoo.swe_agent import elided
from tests.policies.sessions import context_of, valid_sessions
from tests.policies.zoo.made import result, says, use, user
from tests.shared import SHARED, needs_shared

SYSTEM: Body = {"role": "system", "content": "be brief"}
OLD = "Old environment output: (1 lines omitted)"


def windowed(messages: list[Body], **settings: Any) -> SentView:
    return compact(context_of(messages), "swe-agent-last-n", **settings)


def gone(messages: list[Body], **settings: Any) -> list[int]:
    return [edit.index for edit in windowed(messages, **settings).edits]


def run(results: int) -> list[Body]:
    """The task, then so many calls with their results, at rows 3, 5, 7 ..."""
    return [SYSTEM, user("the task"), *(body for at in range(results) for body in use(f"c{at}", "one line"))]


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("", "Old environment output: (0 lines omitted)"),
        ("a", OLD),
        ("a\n", OLD),
        ("a\r\nb\x0bc", "Old environment output: (3 lines omitted)"),
        (
            [{"type": "text", "text": "a\nb"}, {"type": "text", "text": "c"}],
            "Old environment output: (3 lines omitted)",
        ),
        (
            [{"type": "text", "text": "a"}, {"type": "image_url", "image_url": {"url": "data:"}}],
            f"{OLD} (1 images omitted)",
        ),
    ],
)
def test_lines_and_images_are_told(content: Any, text: str) -> None:
    assert elided({"role": "tool", "content": content}) == text


def test_the_newest_n_are_sent_whole_and_the_task_always() -> None:
    assert gone(run(5)) == []
    assert gone(run(6)) == [3]
    assert gone(run(8)) == [3, 5, 7]
    assert gone(run(3), n=1) == [3, 5]
    view = windowed(run(6))
    assert view.messages[3] == result("c0", OLD)
    assert view.plan.reasons[view.plan.reason[1]] == "the first observation, which is the task"


@pytest.mark.parametrize(
    ("results", "rows"), [(7, []), (8, [3, 5, 7]), (9, [3, 5, 7]), (10, [3, 5, 7]), (11, [3, 5, 7, 9, 11, 13])]
)
def test_with_polling_the_window_moves_in_steps(results: int, rows: list[int]) -> None:
    """Task included there is one observation more: at 9 of them floor(9/3)*3 - 5 = 4, from 12 on 7."""
    assert gone(run(results), n=5, polling=3) == rows


@given(st.integers(0, 40), st.integers(1, 9), st.integers(1, 9))
def test_between_n_and_n_plus_polling_are_kept(results: int, n: int, polling: int) -> None:
    view = windowed(run(results), n=n, polling=polling)
    kept = sum(body["content"] == "one line" for body in view.messages)
    assert min(results, n) <= kept < n + polling


def test_what_the_model_says_and_what_a_user_says_beside_results_stays() -> None:
    messages = [SYSTEM, user("task"), *use("a"), says("so"), user("more"), *use("b"), *use("c"), *use("d")]
    assert gone(messages, n=1) == [3, 7, 9]


def test_where_actions_are_text_the_user_s_place_is_the_environment() -> None:
    messages = [SYSTEM, user("task"), *(body for _ in range(3) for body in (says("ls"), user("a file")))]
    assert gone(messages, n=1) == [3, 5]


def test_recorded_kinds_decide_where_there_are_any() -> None:
    messages = [SYSTEM, user("task"), *use("a"), says("?"), user("no such call"), *use("b")]
    told = [{**body, "message_type": "action" if body["role"] == "assistant" else "observation"} for body in messages]
    told[0]["message_type"] = "system_prompt"
    assert gone(told, n=1) == [3, 5]


def test_a_demonstration_is_no_observation() -> None:
    shown = [SYSTEM, {**user("a demonstration"), "is_demo": True}, user("task"), says("ls"), user("files"), says("cd")]
    assert gone([*shown, user("fine")], n=1) == [4]


def test_tags_remove_what_is_new_and_keep_what_is_old() -> None:
    messages = run(4)
    messages[3] = {**messages[3], "tags": ["keep_output"]}
    messages[9] = {**messages[9], "tags": ["remove_output", "keep_output"]}
    assert gone(messages, n=2) == [5, 9]
    assert gone(messages, n=2, always_keep_output_for_tags="") == [3, 5, 9]
    assert gone(messages, n=2, always_remove_output_for_tags=[]) == [5]
    tagged = [{**body, "tags": ["x"]} if body["role"] == "assistant" else body for body in messages]
    assert gone(tagged, n=9, always_remove_output_for_tags="x") == []


def test_within_the_window_the_messages_are_the_callers_own() -> None:
    messages = run(5)
    assert all(sent is recorded for sent, recorded in zip(windowed(messages).messages, messages, strict=True))


@given(valid_sessions(), st.integers(1, 4), st.integers(1, 3))
def test_only_observations_change_and_never_the_first(messages: list[Body], n: int, polling: int) -> None:
    rows = [edit.index for edit in windowed(messages, n=n, polling=polling).edits]
    assert all(messages[row]["role"] in ("tool", "user") for row in rows)
    first = next((row for row, body in enumerate(messages) if body["role"] in ("tool", "user")), -1)
    assert first not in rows


# --- recordings ---


def test_a_run_keeps_what_the_window_goes_by() -> None:
    history = [
        {"role": "system", "content": "be brief", "message_type": "system_prompt"},
        {"role": "user", "content": "watch", "is_demo": True, "agent": "main"},
        {"role": "user", "content": "task", "is_demo": False},
        {"role": "assistant", "content": "ls"},
        {"role": "user", "content": "files", "tags": ["keep_output"]},
    ]
    session = load_bytes(json.dumps({"history": history, "trajectory": []}).encode(), "made.traj")
    assert session.messages[1] == {"role": "user", "content": "watch", "is_demo": True}
    assert session.messages[2] == {"role": "user", "content": "task"}
    assert session.messages[4]["tags"] == ["keep_output"]


@needs_shared
def test_every_prompt_of_a_recorded_run_is_what_the_run_recorded() -> None:
    """Each step of the trajectory repeats what its run had made of the history, with n = 5."""
    path = SHARED / "sessions" / "sweagent-fncall-marshmallow.traj"
    session = load(path)
    steps = [step["messages"] for step in json.loads(path.read_text(encoding="utf-8"))["trajectory"]]
    for messages in steps:
        view = compact(session.until(len(messages)), "swe-agent-last-n", n=5)
        assert [body["content"] for body in view.messages] == [message["content"] for message in messages]
    assert sum("lines omitted)" in message["content"] for message in steps[-1]) == 8


@needs_shared
def test_the_task_after_a_recorded_demonstration_stays() -> None:
    session = load(SHARED / "sessions" / "sweagent-pydicom.traj")
    assert session.messages[1].get("is_demo")
    view = compact(session, "swe-agent-last-n", n=1)
    assert view.messages[:3] == list(session.messages[:3])
    assert view.plan.fired
