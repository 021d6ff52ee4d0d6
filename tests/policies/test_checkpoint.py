"""checkpoint as a policy: what is sent, in which order, and what a draft holds."""

import re
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from inspector.change import Action
from inspector.message import Body
from inspector.policies.breakage import Breakage, breakages
from inspector.policies.checkpoint import encoded_bytes, prompt_source
from inspector.policies.contract import (
    ACKNOWLEDGEMENT,
    LIMIT_BYTES,
    Checkpoint,
    encode,
    frame,
    parse_frame,
)
from inspector.policies.draft import LABEL, MOST_TURNS, draft
from inspector.policies.sent import INSERTED, SentView
from tests.policies.sessions import checked_view, context_of, faults, odd_sessions, valid_sessions

ALWAYS = {"max_messages": 1, "max_bytes": 1_000_000}
ACK: Body = {"role": "assistant", "content": ACKNOWLEDGEMENT}
NO_BREAK = {Breakage.ORPHAN, Breakage.DANGLING, Breakage.NO_SYSTEM}


def user(text: str) -> Body:
    return {"role": "user", "content": text}


def framed(**fields: Any) -> Body:
    return user(frame(Checkpoint(**fields)))


def call(*ids: str) -> Body:
    return {"role": "assistant", "content": "", "tool_calls": [calling(name) for name in ids]}


def calling(call_id: str, name: str = "run") -> Body:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": f'{{"of":"{call_id}"}}'}}


def result(call_id: str, text: str = "done") -> Body:
    return {"role": "tool", "tool_call_id": call_id, "content": text}


def sent_checkpoint(view: SentView) -> Checkpoint:
    place = list(view.source).index(INSERTED)
    return parse_frame(view.messages[place]["content"])


def is_frame(body: Body) -> bool:
    return body["role"] == "user" and body["content"].startswith("<agent-context-checkpoint>")


# --- what is sent, by a plain reading of SPEC.md ---


def expected(messages: list[Body], keep: int) -> list[Body | None] | None:
    """The recorded messages in the order of sending, None for what is inserted; None where nothing is replaced."""
    own = {row for row, body in enumerate(messages) if is_frame(body)}
    own |= {row + 1 for row in own if messages[row + 1 : row + 2] == [ACK]}
    cut = max(0, len(messages) - max(0, keep))
    while 0 < cut < len(messages) and messages[cut]["role"] == "tool":
        cut -= 1
    systems = [row for row in range(cut) if messages[row]["role"] in ("system", "developer")]
    users = [row for row, body in enumerate(messages) if body["role"] == "user" and row not in own]
    last = users[-1:] if users and users[-1] < cut else []
    tail = [row for row in range(cut, len(messages)) if row not in own]
    if len(systems) + len(last) + len(tail) == len(messages):
        return None
    recorded = [messages[row] for row in last + tail]
    return [*(messages[row] for row in systems), None, None, *recorded]


@given(valid_sessions(), st.integers(-2, 20))
@example(
    [user("a"), framed(), {"role": "system", "content": "late"}, call("a"), result("a"), call("b"), result("b")], 2
)
def test_it_sends_systems_frame_acknowledgement_last_user_and_tail(messages: list[Body], keep: int) -> None:
    view = checked_view(messages, "checkpoint", keep_recent=keep, **ALWAYS)
    wanted = expected(messages, keep)
    if wanted is None:
        assert [id(body) for body in view.messages] == [id(body) for body in messages]
        return
    assert len(view.messages) == len(wanted)
    at = wanted.index(None)
    assert is_frame(view.messages[at])
    assert view.messages[at + 1] == ACK
    assert all(sent is body for sent, body in zip(view.messages, wanted, strict=True) if body is not None)


@given(valid_sessions(), st.integers(-2, 20), st.integers(0, 30), st.integers(0, 3_000))
def test_it_parts_no_call_from_its_result(messages: list[Body], keep: int, most: int, most_bytes: int) -> None:
    assert faults(messages) == []
    view = checked_view(messages, "checkpoint", keep_recent=keep, max_messages=most, max_bytes=most_bytes)
    assert faults(view.messages) == []
    assert not NO_BREAK & set(breakages(view.plan).counts)


@given(odd_sessions, st.integers(0, 12))
def test_whatever_the_recording_holds_the_plan_is_sound_and_the_draft_parses(messages: list[Body], keep: int) -> None:
    view = checked_view(messages, "checkpoint", keep_recent=keep, **ALWAYS)
    if view.plan.fired:
        assert sent_checkpoint(view).history_summary.startswith(LABEL)


@given(valid_sessions(), st.integers(0, 8), st.integers(0, 8))
def test_applied_again_it_holds_one_frame_and_loses_no_turn(messages: list[Body], first: int, then: int) -> None:
    once = checked_view(messages, "checkpoint", keep_recent=first, **ALWAYS)
    twice = checked_view([*once.messages, user("more")], "checkpoint", keep_recent=then, **ALWAYS)
    frames = [body for body in twice.messages if is_frame(body)]
    if once.plan.fired:
        assert len(frames) == 1
    said = [body for body in messages if body["role"] == "user" and not is_frame(body)]
    earlier = [parse_frame(body["content"]) for body in messages if is_frame(body)][-1:]
    if once.plan.fired and twice.plan.fired:
        plain = [body for body in twice.messages if body["role"] == "user" and not is_frame(body)]
        before = sum(checkpoint.compacted_turn_count for checkpoint in earlier)
        assert sent_checkpoint(twice).compacted_turn_count + len(plain) == len(said) + 1 + before


# --- the trigger ---


@pytest.mark.parametrize(
    ("messages_off", "bytes_off", "fires"), [(0, 1, True), (1, 0, True), (1, 1, False), (-1, 9, True)]
)
def test_it_fires_when_either_limit_is_reached(messages_off: int, bytes_off: int, *, fires: bool) -> None:
    messages = [user("é字\ud800"), call("a"), result("a"), user("b")]
    limits = {"max_messages": 4 + messages_off, "max_bytes": encoded_bytes(messages) + bytes_off}
    assert checked_view(messages, "checkpoint", keep_recent=0, **limits).plan.fired == fires


@pytest.mark.parametrize("limits", [{"max_messages": 0}, {"max_bytes": 0}, {"max_messages": -1}])
def test_a_limit_of_0_or_less_switches_it_off(limits: dict[str, int]) -> None:
    messages = [user("a")] * 50
    view = checked_view(messages, "checkpoint", **limits)
    assert not view.plan.fired
    assert view.messages == messages


def test_bytes_are_those_of_the_compact_json_of_all_messages() -> None:
    assert encoded_bytes([]) == len("[]")
    assert encoded_bytes([{"a": "é字"}]) == len('[{"a":"é字"}]'.encode())
    assert encoded_bytes([{"a": 1}, {"b": 2**70}]) == len('[{"a":1},{"b":1180591620717411303424}]')


def test_a_message_nested_too_deeply_for_json_is_still_measured() -> None:
    deep: Any = []
    for _ in range(20_000):
        deep = [deep]
    assert encoded_bytes([{"a": deep}]) > 0


# --- an earlier checkpoint ---


def test_an_earlier_checkpoint_is_absorbed_with_its_turns() -> None:
    earlier = framed(
        history_summary="long ago", script_design="design", operation_history=["op"], pending_tasks=["job 7"],
        next_step="go on", decisions=["d"], constraints=["c"], user_preferences=["p"], compacted_turn_count=5,
    )  # fmt: skip
    view = checked_view([earlier, ACK, user("one"), user("two"), user("three")], "checkpoint", keep_recent=1, **ALWAYS)
    got = sent_checkpoint(view)
    assert [is_frame(body) for body in view.messages] == [True, False, False]
    assert got.compacted_turn_count == 5 + 2
    assert got.history_summary.splitlines()[:2] == [LABEL, "long ago"]
    assert (got.script_design, got.next_step) == ("design", "go on")
    lists = (got.operation_history, got.pending_tasks, got.decisions, got.constraints, got.user_preferences)
    assert lists == (("op",), ("job 7",), ("d",), ("c",), ("p",))


def test_a_draft_of_a_draft_says_once_that_it_is_one() -> None:
    messages = [user(f"turn {number}") for number in range(6)]
    for _ in range(3):
        messages = [*checked_view(messages, "checkpoint", keep_recent=1, **ALWAYS).messages, user("more"), user("end")]
    assert messages[0]["content"].count(LABEL) == 1


def test_an_earlier_checkpoint_among_the_recent_messages_is_absorbed_too() -> None:
    messages = [user("old"), user("older"), framed(compacted_turn_count=3), ACK, user("new")]
    view = checked_view(messages, "checkpoint", keep_recent=3, **ALWAYS)
    assert [body["content"] for body in view.messages[1:]] == [ACKNOWLEDGEMENT, "new"]
    assert [edit.reason for edit in view.edits if edit.index == 2] == ["an earlier checkpoint: absorbed, never nested"]


def test_words_about_checkpoints_are_the_users_words() -> None:
    asked = user("<agent-context-checkpoint> what does this tag do?")
    view = checked_view([user("a"), asked, {"role": "assistant", "content": "It frames."}], "checkpoint", **ALWAYS)
    assert view.messages[1] is asked
    cut = checked_view([user("a"), asked, call("a"), result("a")], "checkpoint", keep_recent=2, **ALWAYS)
    assert cut.messages[2] is asked


def test_an_acknowledgement_that_also_calls_a_tool_is_kept_with_its_result() -> None:
    calling_ack = {**call("a"), "content": ACKNOWLEDGEMENT}
    view = checked_view([user("a"), framed(), calling_ack, result("a")], "checkpoint", keep_recent=2, **ALWAYS)
    assert faults(view.messages) == []
    assert view.messages[-2] is calling_ack


# --- the checkpoint that is given ---


def test_a_given_checkpoint_is_sent_whether_bare_fenced_or_framed() -> None:
    given = Checkpoint(history_summary="by a model", decisions=["d"], compacted_turn_count=2)
    for text in (encode(given), f"```json\n{encode(given)}\n```", f" {frame(given)}\n"):
        view = checked_view([user("a")] * 3, "checkpoint", checkpoint=text, keep_recent=1, **ALWAYS)
        assert sent_checkpoint(view) == given
        assert view.plan.warnings == ()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"version":2}', "invalid checkpoint contract"),
        ("{", "decode checkpoint: "),
        ('{"version":1}{}', "checkpoint contains trailing data"),
        ("<agent-context-checkpoint>{}", "checkpoint frame is invalid"),
        ("x" * 70_000, "invalid checkpoint size or encoding"),
    ],
)
def test_a_given_checkpoint_that_is_not_accepted_falls_back_to_a_draft_and_says_why(text: str, why: str) -> None:
    view = checked_view([user("a")] * 3, "checkpoint", checkpoint=text, keep_recent=1, **ALWAYS)
    assert sent_checkpoint(view).history_summary.startswith(LABEL)
    (warning,) = view.plan.warnings
    assert warning.startswith(f"the given checkpoint is not accepted ({why}")
    assert warning.endswith("); a draft is sent")


@pytest.mark.parametrize("text", [None, "", " \n"])
def test_without_a_checkpoint_a_draft_is_sent_and_called_one(text: str | None) -> None:
    view = checked_view([user("a")] * 3, "checkpoint", checkpoint=text, keep_recent=1, **ALWAYS)
    assert view.plan.warnings == ("the checkpoint is a draft made by rule, not written by a model",)
    assert view.notes == ["a checkpoint replaced 2 earlier messages"]
    stats = view.plan.stats()
    assert (stats["compacted"], stats["replaced_messages"]) == (1, 2)
    assert stats["checkpoint_bytes"] == len(encode(sent_checkpoint(view)).encode())


# --- the draft ---

UNITS = st.sampled_from(["a", "字", "🙂", "\ud800", "\x01", "<", "\u2028", "\n", "word ", "é"])
BULKS = st.builds(lambda unit, times: unit * times, UNITS, st.one_of(st.integers(0, 400), st.just(70_000)))
LISTS = st.one_of(st.none(), st.lists(BULKS, max_size=2))
CHECKPOINTS = st.builds(
    Checkpoint,
    history_summary=BULKS, script_design=BULKS, operation_history=LISTS, pending_tasks=LISTS, current_work=BULKS,
    next_step=BULKS, decisions=LISTS, constraints=LISTS, user_preferences=LISTS,
    compacted_turn_count=st.sampled_from([0, 3, MOST_TURNS]),
)  # fmt: skip


@given(st.lists(st.tuples(BULKS, BULKS, st.integers(1, 90)), max_size=3), st.one_of(st.none(), CHECKPOINTS))
def test_a_draft_always_fits_and_parses(bulks: list[tuple[str, str, int]], earlier: Checkpoint | None) -> None:
    merged: list[Body] = []
    for said, answered, times in bulks:
        merged += [user(said), *[call(said[:50_000]), result(said[:50_000], answered)] * times]
    made = draft(merged, len(bulks), [], earlier)
    assert len(encode(made).encode()) <= LIMIT_BYTES
    assert parse_frame(frame(made)).compacted_turn_count == made.compacted_turn_count


def test_a_draft_pairs_operations_with_their_own_results() -> None:
    both = [result("c1", "second"), result("c0", "first")]
    merged = [call("c0"), user("stop"), call("c0", "c1"), *both, call("c0"), result("c0", "")]
    assert draft(merged, 1, [], None).operation_history == (
        'run {"of":"c0"}: no result recorded',
        'run {"of":"c0"}: first',
        'run {"of":"c1"}: second',
        'run {"of":"c0"}: (empty result)',
    )


def test_a_draft_pairs_results_without_ids_by_order() -> None:
    calls = [{"function": {"name": "weather", "arguments": {"city": city}}} for city in ("Brno", "Graz")]
    results = [{"role": "tool", "tool_name": "weather", "content": text} for text in ("12 C", "14 C")]
    merged = [{"role": "assistant", "content": "", "tool_calls": calls}, *results]
    assert draft(merged, 0, [], None).operation_history == (
        'weather {"city":"Brno"}: 12 C',
        'weather {"city":"Graz"}: 14 C',
    )


def test_a_draft_holds_the_newest_operations_and_the_calls_that_nothing_answered() -> None:
    messages = [
        user("build it"),
        *(body for n in range(300) for body in (call(f"c{n}"), result(f"c{n}"))),
        call("open"),
    ]
    view = checked_view([*messages, user("and?")], "checkpoint", keep_recent=1, **ALWAYS)
    made = sent_checkpoint(view)
    assert len(made.operation_history or ()) == 120
    assert (made.operation_history or ())[-2:] == ('run {"of":"c299"}: done', 'run {"of":"open"}: no result recorded')
    assert made.pending_tasks == ('run {"of":"open"}',)
    assert "The user began with: build it" in made.history_summary


# --- the prompt ---


def test_the_prompt_counts_what_the_user_said_and_the_turns_of_an_earlier_checkpoint() -> None:
    source = prompt_source(context_of([framed(compacted_turn_count=4), ACK, user("a"), call("x"), user("b")]))
    assert source.turn_count == 4 + 2
    assert re.search(r'"content": "b"', source.conversation)


def test_actions_tell_moved_from_kept_messages() -> None:
    late = {"role": "system", "content": "late rule"}
    messages = [user("task"), call("a"), result("a"), late, call("b"), result("b")]
    view = checked_view(messages, "checkpoint", keep_recent=2, **ALWAYS)
    assert [view.plan.action[row] for row in (0, 3)] == [Action.MOVE, Action.KEEP]
    assert list(view.source) == [3, INSERTED, INSERTED, 0, 4, 5]
    assert view.messages[3] is messages[0]
