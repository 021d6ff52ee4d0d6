"""pi's compaction, from its rules: where it cuts, what it writes, and what pi itself has cut in a recorded session."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.formats import load
from inspector.message import ASSISTANT, USER, Body, text_of
from inspector.policies import SentView, compact, recorded
from inspector.policies.zoo.pi import FOOT, HEAD, tokens_of
from tests.policies.sessions import checked_view, context_of, valid_sessions
from tests.shared import SHARED, needs_shared

RULES: Body = {"role": "system", "content": "be brief"}


def said(text: str) -> Body:
    return {"role": "user", "content": text}


def answer(text: str = "", name: str = "", path: str = "") -> Body:
    body: Body = {"role": "assistant", "content": text}
    if name:
        function = {"name": name, "arguments": json.dumps({"path": path}, separators=(",", ":"))}
        body["tool_calls"] = [{"id": "c", "type": "function", "function": function}]
    return body


def result(text: Any) -> Body:
    return {"role": "tool", "tool_call_id": "c", "content": text}


def cut(messages: list[Body], keep: int, **settings: Any) -> SentView:
    given = {"context_window": 0, "summarise": lambda head: f"{len(head)} messages", "keep_recent_tokens": keep}
    return checked_view(messages, "pi-cut", **{**given, **settings})


def first_kept(view: SentView) -> int:
    merges = view.plan.inserts[0].merges
    assert merges
    return merges[1]


TURN = [said("u" * 40), answer("a" * 40), said("v" * 40), answer("b" * 40), said("w" * 40), answer("c" * 40)]
"""Ten tokens each."""


def test_it_acts_only_when_more_is_used_than_the_reserve_leaves_free() -> None:
    sizes = {"context_window": 100, "summarise": lambda head: ""}
    assert not checked_view(TURN, "pi-cut", reserve_tokens=40, keep_recent_tokens=20, **sizes).plan.fired
    assert checked_view(TURN, "pi-cut", reserve_tokens=41, keep_recent_tokens=20, **sizes).plan.fired


@pytest.mark.parametrize(("keep", "row"), [(10, 5), (11, 4), (20, 4), (21, 3), (30, 3)])
def test_the_message_that_reaches_what_is_to_be_kept_is_kept(keep: int, row: int) -> None:
    assert first_kept(cut(TURN, keep)) == row


def test_a_result_is_no_place_to_cut_and_the_cut_moves_on() -> None:
    messages = [said("u"), answer(name="read", path="p"), result("r" * 400), answer("b"), said("w")]
    assert first_kept(cut(messages, 50)) == 3


def test_where_only_results_follow_nothing_is_cut() -> None:
    messages = [said("u"), answer(name="read", path="p"), result("r" * 400)]
    assert not cut(messages, 50).plan.fired
    assert not cut(TURN, 999).plan.fired


def test_the_summary_is_the_users_and_stands_before_what_is_kept() -> None:
    view = cut([RULES, *TURN], 20)
    assert view.messages == [RULES, said(f"{HEAD}4 messages{FOOT}"), *TURN[4:]]
    assert HEAD.startswith("The conversation history before this point was compacted into the following summary:")
    assert (HEAD[-10:], FOOT) == ("<summary>\n", "\n</summary>")


def test_a_turn_that_is_cut_has_a_summary_of_its_own() -> None:
    text = text_of(cut(TURN, 30).messages[0])
    assert text == f"{HEAD}2 messages\n\n---\n\n**Turn Context (split turn):**\n\n1 messages{FOOT}"


def test_a_first_turn_that_is_cut_has_no_history() -> None:
    text = text_of(cut([said("u" * 40), answer("a" * 40), answer("b" * 40)], 10).messages[0])
    assert text == f"{HEAD}No prior history.\n\n---\n\n**Turn Context (split turn):**\n\n2 messages{FOOT}"


def test_files_are_listed_and_carried_over() -> None:
    work = [answer(name="read", path="b"), result(""), answer(name="read", path="a"), result("")]
    work += [answer(name="edit", path="c"), result(""), answer(name="read", path="c"), result("")]
    once = cut([said("u"), *work, said("v" * 40)], 10)
    lists = "\n\n<read-files>\na\nb\n</read-files>\n\n<modified-files>\nc\n</modified-files>"
    assert text_of(once.messages[0]) == f"{HEAD}9 messages{lists}{FOOT}"
    more = [answer(name="write", path="a"), result(""), answer("d"), said("w" * 40)]
    again = cut([*once.messages, *more], 10)
    lists = "\n\n<read-files>\nb\n</read-files>\n\n<modified-files>\na\nc\n</modified-files>"
    assert text_of(again.messages[0]) == f"{HEAD}5 messages{lists}{FOOT}"


def test_what_a_first_compaction_kept_is_summarised_by_the_second_and_not_lost() -> None:
    once = cut(TURN, 30)
    text = text_of(cut([*once.messages, *TURN], 20, summarise=lambda head: "|".join(map(text_of, head))).messages[0])
    assert text == f"{HEAD}{'|'.join(map(text_of, [*once.messages, *TURN[:4]]))}{FOOT}"


def test_the_summarising_model_is_shown_the_beginning_of_results() -> None:
    messages = [said("u"), answer("a"), result("r" * 2_001), said("v" * 40)]
    text = text_of(cut(messages, 10, summarise=lambda head: text_of(head[2])).messages[0])
    assert text == f"{HEAD}{'r' * 2_000}\n\n[... 1 more characters truncated]{FOOT}"


def test_tokens_are_four_units_of_javascript_and_an_image_counts_only_in_results() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:,"}}
    text = {"type": "text", "text": "ab"}
    thinking: Body = {"role": "assistant", "content": "a", "thinking": "bc"}
    messages = [said("x" * 5), said("🙂🙂🙂"), {**said(""), "content": [text, image, text]}, result([text, image])]
    assert tokens_of(context_of([*messages, thinking, answer(name="read", path="p")])) == [2, 2, 1, 1_201, 1, 4]


@given(valid_sessions(), st.integers(0, 300))
def test_the_newest_messages_are_sent_as_they_are(messages: list[Body], keep: int) -> None:
    view = cut(messages, keep)
    if view.plan.fired:
        row = first_kept(view)
        assert messages[row]["role"] not in ("tool", "system", "developer")
        assert list(view.messages[-(len(messages) - row) :]) == messages[row:]
        systems = [body for body in messages[:row] if body["role"] in ("system", "developer")]
        assert [body for body in view.messages if body["role"] in ("system", "developer")][: len(systems)] == systems


# --- what pi did ---


def until_compaction(name: str, which: int) -> tuple[Any, Any]:
    session = load(SHARED / "sessions" / name)
    done = recorded.compactions_of(session)[which]
    return session, done


@needs_shared
def test_pi_cut_where_ours_cuts() -> None:
    session, done = until_compaction("pi-session-v1.jsonl", 0)
    view = compact(session.until(done.row), "pi-cut", context_window=0)
    assert first_kept(view) == done.kept[0]
    assert [row for row in view.source if row >= 0] == list(done.kept)


@needs_shared
@pytest.mark.parametrize("which", [0, 1])
def test_an_older_pi_went_by_what_the_provider_counted_and_kept_whole_turns(which: int) -> None:
    """The recording of 8 December 2025. What ours keeps is not what was kept: that pi cut at the word of the user
    before the answer from which on the billed tokens were under 20,000, and the estimate has fewer for the same."""
    session, done = until_compaction("pi-before-compaction.jsonl", which)
    first = done.kept[0]
    billed = {one.row: one.input + one.output for one in session.usage if one.row < done.row}
    crossing = max(row for row, size in billed.items() if done.before_tokens - size >= 20_000)
    roles = session.columns.role
    assert first == roles.rfind(USER, 0, crossing)
    assert sum(tokens_of(session.until(done.row))[first:]) < 20_000
    assert roles[first_kept(compact(session.until(done.row), "pi-cut", context_window=0))] == ASSISTANT
