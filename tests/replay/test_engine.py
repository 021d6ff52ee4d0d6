"""The replay against plain loops: every view, every shared prefix, every figure, fast and slow."""

from itertools import chain
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.message import Body, Context, Origin
from inspector.policies import POLICIES, SettingError
from inspector.policies.checkpoint import encoded_bytes
from inspector.policies.policy import Mode
from inspector.replay import Film, Request, answers_of, compact, replay, view_at
from inspector.replay.engine import stepper_for
from inspector.tokens import count_bodies, counter_for, counter_named, parts, shared_tokens
from tests.policies.sessions import assert_agreement, context_of
from tests.replay.runs import OWN, loop, requests_in, runs, sessions

O200K = counter_for(None)
MODES: tuple[Mode, ...] = ("stateless", "carried")
modes = st.sampled_from(MODES)


def run(messages: list[Body], policy: str, mode: Mode, *, plain: bool = False, **given: Any) -> list[Request]:
    return list(chain(*replay(context_of(messages), POLICIES[policy], given, O200K, mode=mode, plain=plain)))


def views(messages: list[Body], policy: str, mode: Mode, *, plain: bool = False, **given: Any) -> list[list[Body]]:
    context, chosen = context_of(messages), POLICIES[policy]
    stepper = stepper_for(context, chosen, chosen.running(given), mode, plain=plain)
    found = []
    for answer in answers_of(context):
        stepper.step(answer)
        found.append(list(stepper.transcript.bodies))
    return found


# --- views ---


@given(sessions, runs, modes)
def test_every_view_is_that_of_a_plain_loop(
    messages: list[Body], chosen: tuple[str, dict[str, Any]], mode: Mode
) -> None:
    policy, given = chosen
    wanted = list(loop(messages, policy, given, mode))
    assert views(messages, policy, mode, **given) == wanted
    assert views(messages, policy, mode, plain=True, **given) == wanted


@given(sessions, runs, modes)
def test_the_view_of_a_request_is_shown_against_the_recording(
    messages: list[Body], chosen: tuple[str, dict[str, Any]], mode: Mode
) -> None:
    policy, given = chosen
    answers = requests_in(messages)
    for request, wanted in enumerate(loop(messages, policy, given, mode)):
        view = view_at(context_of(messages), POLICIES[policy], given, request, mode)
        assert view.messages == wanted
        assert len(view.plan.context) == answers[request]
        assert_agreement(view)


@given(sessions, runs, modes, st.lists(st.integers(0, 30), min_size=2, max_size=6))
def test_whoever_moves_about_in_a_run_sees_the_same_views(
    messages: list[Body], chosen: tuple[str, dict[str, Any]], mode: Mode, moves: list[int]
) -> None:
    policy, given = chosen
    wanted = list(loop(messages, policy, given, mode))
    film = Film(context_of(messages), POLICIES[policy], given, mode)
    for move in moves:
        if move < len(wanted):
            assert film.view(move).messages == wanted[move]


@given(sessions, runs)
def test_compact_at_a_request_goes_the_policys_own_way(
    messages: list[Body], chosen: tuple[str, dict[str, Any]]
) -> None:
    policy, given = chosen
    for request, wanted in enumerate(loop(messages, policy, given, POLICIES[policy].mode)):
        assert compact(context_of(messages), policy, at=request, **given).messages == wanted


@given(sessions, runs, modes)
def test_neither_the_list_nor_a_message_of_the_caller_is_changed(
    messages: list[Body], chosen: tuple[str, dict[str, Any]], mode: Mode
) -> None:
    before = repr(messages)
    run(messages, chosen[0], mode, **chosen[1])
    assert repr(messages) == before


# --- figures ---


def shared_by_hand(was: list[Body], now: list[Body]) -> tuple[int, int]:
    """The first message that differs, and the tokens before it: whole messages, then up to the first character."""
    first = 0
    while first < min(len(was), len(now)) and was[first] == now[first]:
        first += 1
    tokens = sum(count_bodies(now[:first], O200K))
    if first < min(len(was), len(now)):
        tokens += min(shared_tokens([(was[first], now[first])], O200K)[0], count_bodies([now[first]], O200K)[0])
    return first, tokens


@given(sessions, runs, modes)
@settings(max_examples=200)
def test_shared_prefixes_are_those_of_consecutive_views(
    messages: list[Body], chosen: tuple[str, dict[str, Any]], mode: Mode
) -> None:
    policy, given = chosen
    was: list[Body] = []
    found = run(messages, policy, mode, **given)
    for request, now in zip(found, loop(messages, policy, given, mode), strict=True):
        assert request.sent_tokens == sum(count_bodies(now, O200K))
        assert request.original_tokens == sum(count_bodies(messages[: request.answer], O200K))
        assert (request.messages, request.kept) == (len(now), len(was))
        assert (request.first_change, request.shared_tokens) == shared_by_hand(was, now)
        was = now


@given(sessions, runs, modes)
@settings(max_examples=200)
def test_the_fast_way_is_the_plain_one(messages: list[Body], chosen: tuple[str, dict[str, Any]], mode: Mode) -> None:
    policy, given = chosen
    assert run(messages, policy, mode, **given) == run(messages, policy, mode, plain=True, **given)


@pytest.mark.parametrize("policy", POLICIES)
def test_long_runs_agree_too_across_batches(policy: str) -> None:
    messages: list[Body] = [{"role": "system", "content": "be brief"}, {"role": "user", "content": "begin"}]
    for turn in range(150):
        call = {"id": f"c{turn}", "type": "function", "function": {"name": "run", "arguments": "{}"}}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        text = f"line {turn}\n" * (turn % 37 + 1) * 5
        messages.append({"role": "tool", "tool_call_id": f"c{turn}", "name": "run", "content": text})
    given = {
        "head-tail": {"old_tool_chars": 300},
        "cascade": {"target_tokens": 1_500, "ceiling_tokens": 2_500, "max_result_chars": 900},
        "checkpoint": {},
    }.get(policy, {})
    found = run(messages, policy, POLICIES[policy].mode, **given)
    assert len(found) == 150
    if given or policy == "checkpoint":
        assert any(request.fired and request.broke for request in found)
    assert found == run(messages, policy, POLICIES[policy].mode, plain=True, **given)
    film = Film(context_of(messages), POLICIES[policy], given)
    for request in (149, 70, 71, 3, 130, 64):
        assert film.view(request).messages == view_at(context_of(messages), POLICIES[policy], given, request).messages
        assert len(film.view(request).messages) == found[request].messages


def test_stubs_that_are_long_themselves_are_stubbed_again() -> None:
    messages: list[Body] = [{"role": "user", "content": "begin"}]
    for turn in range(12):
        messages.append({"role": "assistant", "content": f"step {turn}"})
        messages.append({"role": "tool", "content": f"{turn} " * 300, "_label": "a label that says too much " * 12})
    given = {"target_tokens": 700, "ceiling_tokens": 5_000, "keep_verbatim": 2, "protect": 1}
    wanted = list(loop(messages, "cascade", given, "carried"))
    assert views(messages, "cascade", "carried", **given) == wanted
    stubs = [[body["content"] for body in view if len(body["content"]) < 400 and body.get("_label")] for view in wanted]
    assert len({found[0] for found in stubs if found}) > 1, "no stub was stubbed again"


@pytest.mark.parametrize("every", [1, 2, 3, 5])
def test_pictures_of_results_are_dropped_and_moved_like_the_rest(every: int) -> None:
    messages: list[Body] = [{"role": "user", "content": "begin"}]
    for turn in range(60):
        messages.append({"role": "assistant", "content": f"step {turn} " * 9})
        body: Body = {"role": "tool", "content": f"{turn} " * (turn % 4 * 60)}
        messages.append(body if turn % every else {**body, "images": ["QUJD"]})
    given = {"target_tokens": 1_500, "ceiling_tokens": 1_700, "keep_verbatim": 4, "protect": 1}
    wanted = list(loop(messages, "cascade", given, "carried"))
    assert views(messages, "cascade", "carried", **given) == wanted
    summaries = {body["content"] for view in wanted for body in view if "PROGRESS SO FAR" in body["content"]}
    assert len(summaries) > 2


def test_a_repair_that_grows_old_is_one_edit() -> None:
    call = {"id": "a", "type": "function", "function": {"name": "run", "arguments": "{}"}}
    messages: list[Body] = [
        {"role": "user", "content": "begin"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        *({"role": "assistant", "content": f"step {turn}"} for turn in range(5)),
    ]
    found = run(messages, "head-tail", "stateless", keep_recent=2, old_tool_chars=10)
    assert [request.edits for request in found] == [0, 1, 1, 1, 1, 1]
    assert any(request.broke for request in found)


@pytest.mark.parametrize(("off", "fires"), [(0, True), (1, False)])
def test_a_run_fires_at_the_very_byte(off: int, fires: bool) -> None:
    messages: list[Body] = [{"role": role, "content": "é" * 40} for role in ("user", "assistant") * 4]
    given = {"max_messages": 100, "max_bytes": encoded_bytes(messages[:7]) + off, "keep_recent": 1}
    for plain in (False, True):
        assert run(messages, "checkpoint", "carried", plain=plain, **given)[-1].fired == fires


def test_tokens_that_are_known_already_are_taken() -> None:
    messages = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]
    batches = replay(context_of(messages), POLICIES["head-tail"], {}, O200K, tokens=[1_000, 1])
    assert [request.sent_tokens for request in chain(*batches)] == [1_000]


def test_tool_definitions_count_in_every_request_and_are_shared() -> None:
    import inspector

    messages = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}] * 2
    tool = {"type": "function", "function": {"name": "run"}}
    session = inspector.from_messages(messages)
    object.__setattr__(session, "tools", (tool,))
    without = list(chain(*replay(context_of(messages), POLICIES["head-tail"], {}, O200K)))
    more = O200K.count(['{"type":"function","function":{"name":"run"}}'])[0]
    found = list(chain(*replay(session, POLICIES["head-tail"], {}, O200K)))
    assert [a.sent_tokens - b.sent_tokens for a, b in zip(found, without, strict=True)] == [more, more]
    assert [a.shared_tokens - b.shared_tokens for a, b in zip(found, without, strict=True)] == [0, more]


def test_a_setting_that_is_unknown_is_refused_at_once() -> None:
    with pytest.raises(SettingError):
        replay(context_of([]), POLICIES["head-tail"], {"keep": 1})


def test_a_session_without_an_answer_has_no_request() -> None:
    assert run([{"role": "user", "content": "a"}], "cascade", "carried") == []


# --- requests ---


def test_rows_of_one_native_message_answer_one_request() -> None:
    messages = [{"role": role} for role in ("user", "assistant", "tool", "assistant", "user", "assistant", "assistant")]
    place = (0, 1, 1, 1, 2, 3, 4)
    context = Context(messages, lambda row: Origin(place[row], f"/messages/{place[row]}"), range(7))
    assert answers_of(context) == (1, 5, 6)


@pytest.mark.parametrize("policy", OWN)
def test_a_request_sees_only_the_messages_before_its_answer(policy: str) -> None:
    messages: list[Body] = [{"role": role, "content": "a"} for role in ("user", "assistant", "user", "assistant")]
    for request, rows in ((0, 1), (1, 3)):
        view = compact(context_of(messages), policy, at=request)
        assert [id(body) for body in view.messages] == [id(body) for body in messages[:rows]]


@pytest.mark.parametrize("request_number", [2, -1, 99])
def test_a_request_that_is_not_there_is_said_in_a_sentence(request_number: int) -> None:
    messages: list[Body] = [{"role": role, "content": "a"} for role in ("user", "assistant", "user", "assistant")]
    with pytest.raises(IndexError) as refused:
        compact(context_of(messages), "head-tail", at=request_number)
    assert str(refused.value) == f"there is no request {request_number}; this session has 2 requests, counted from 0"


# --- shared tokens of one message ---


@given(st.text("ab 字\n", max_size=200), st.text("ab 字\n", max_size=200), st.text("xy", max_size=5))
def test_messages_share_their_texts_up_to_the_first_character_that_differs(head: str, a: str, b: str) -> None:
    was, now = (
        {"role": "tool", "name": "run", "content": head + a},
        {"role": "tool", "name": "run", "content": head + b},
    )
    common = 0
    while common < min(len(head + a), len(head + b)) and (head + a)[common] == (head + b)[common]:
        common += 1
    texts = ["tool", "run", (head + a)[:common]]
    assert parts(was)[0][:2] == texts[:2]
    assert shared_tokens([(was, now)], O200K) == [sum(O200K.count(texts)) + 4]
    assert shared_tokens([(was, {**now, "role": "user"})], counter_named("chars/4")) == [0]
