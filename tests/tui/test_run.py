"""A replay in columns: sums that agree with the engine's own, cells that add up, figures that are written over."""

from __future__ import annotations

from math import inf
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector import load
from inspector.message import Session
from inspector.policies import policy_named
from inspector.replay import Cancelled, Paid, calibration_of, cancellable, paid_batches, terms_of, totals
from inspector.tokens import count_bodies, counter_for
from inspector.tui.run import BROKE, FIRED, Run, as_sent, columns, spans
from tests.tui.builders import session, turns
from tests.tui.running import SAMPLES


def replayed(read: Session, policy: str = "head-tail", **settings: int) -> tuple[Run, list[Paid]]:
    counter = counter_for(read.model)
    tokens = count_bodies(read.messages, counter)
    terms = terms_of(read, counter, read.model, calibration_of(read, counter, tokens))
    run, paid = Run(read), []
    for batch in paid_batches(read, policy_named(policy), settings, counter, tokens, terms):
        run.take(batch)
        paid += batch
    return run, paid


@pytest.mark.parametrize("sample", ["cache_run.jsonl", "long_coding_run.json", "ollama_local.json"])
@pytest.mark.parametrize("policy", ["head-tail", "cascade"])
def test_the_sums_are_those_of_the_replay_verb(sample: str, policy: str) -> None:
    run, paid = replayed(load(SAMPLES / sample), policy)
    sums, said = run.sums(), totals(paid)
    assert (sums.requests, sums.fired, sums.broke) == (said.requests, said.fired, said.broke)
    assert (sums.sent, sums.cached, sums.largest) == (said.sent_tokens, said.cached_tokens, said.max_request_tokens)
    assert (sums.break_even, sums.paid_back) == (said.break_even, said.paid_back)
    for ours, theirs in ((sums.cost, said.cost), (sums.without, said.cost_without), (sums.ideal, said.cost_ideal)):
        assert ours == (None if theirs is None else pytest.approx(theirs))
    assert sums.complete


def test_figures_of_the_settings_before_stand_until_they_are_written_over() -> None:
    read = load(SAMPLES / "long_coding_run.json")
    run, before = replayed(read)
    _, after = replayed(read, keep_recent=0)
    run.done = 0
    run.take(after[:32])
    sums = run.sums()
    assert not sums.complete
    assert (sums.requests, sums.done) == (86, 32)
    assert sums.sent == sum(one.request.sent_tokens for one in [*after[:32], *before[32:]])


def test_a_replay_stops_before_the_next_request_once_it_is_cancelled() -> None:
    read = session(turns(300))
    asked = 0

    def cancelled() -> bool:
        nonlocal asked
        asked += 1
        return asked > 40

    counter = counter_for(None)
    tokens = count_bodies(read.messages, counter)
    policy = cancellable(policy_named("head-tail"), cancelled)
    with pytest.raises(Cancelled):
        list(paid_batches(read, policy, {}, counter, tokens, terms_of(read, counter, None, None)))
    assert asked == 41


@given(st.integers(1, 3_000), st.integers(1, 300))
def test_each_request_lies_in_a_cell_and_none_in_two_where_there_are_enough(requests: int, width: int) -> None:
    cells = spans(requests, width)
    assert len(cells) == width
    if requests >= width:
        assert [at for start, stop in cells for at in range(start, stop)] == list(range(requests))
    else:
        assert {at for start, stop in cells for at in range(start, stop)} == set(range(requests))


@given(st.integers(1, 80))
def test_a_cell_shows_the_mean_of_its_requests_and_what_any_of_them_did(width: int) -> None:
    run, paid = PLAYED
    cut = columns(run, width, compactions=(5,))
    for place, (start, stop) in enumerate(spans(len(run), width)):
        mine = paid[start:stop]
        assert cut.sent[place] == sum(one.request.sent_tokens for one in mine) // len(mine)
        assert cut.cached[place] == sum(one.use.cached for one in mine) // len(mine)
        assert bool(cut.flags[place] & FIRED) == any(one.request.fired for one in mine)
        assert bool(cut.flags[place] & BROKE) == any(one.request.broke for one in mine)
        assert (place in cut.recorded) == (start <= 5 < stop)
    assert cut.peak >= max(cut.sent)


PLAYED = replayed(session(turns(40, size=4_000)))


def test_a_session_without_a_request_has_no_columns() -> None:
    run = Run(session([{"role": "user", "content": "hello"}]))
    assert not columns(run, 20).sent
    assert run.sums().requests == 0


def test_an_unknown_price_leaves_costs_unknown() -> None:
    run, _ = PLAYED
    assert run.sums().cost is None
    assert run.sums().break_even is None


def test_a_calibration_is_used_where_the_tokenizer_is_not_public(tmp_path: Path) -> None:
    read = load(SAMPLES / "cache_run.jsonl")
    tokens = count_bodies(read.messages, counter_for(read.model))
    found = calibration_of(read, counter_for(read.model), tokens)
    assert found is not None
    assert found.factor == pytest.approx(1.13, abs=0.02)
    assert calibration_of(read, counter_for("gpt-5"), tokens) is None
    assert calibration_of(session(turns(3)), counter_for("claude-sonnet-4-5"), [1] * 8) is None


def test_a_threshold_is_drawn_at_the_size_of_the_request_that_it_lets_through() -> None:
    read = load(SAMPLES / "cache_run.jsonl")
    counter = counter_for(read.model)
    tokens = count_bodies(read.messages, counter)
    terms = terms_of(read, counter, read.model, calibration_of(read, counter, tokens))
    run, _ = replayed(read)
    assert as_sent(sum(tokens[: run.answers[50]]), terms) == run.original[50]


def test_a_break_that_never_pays_is_infinite_and_not_paid_back() -> None:
    run, _ = replayed(load(SAMPLES / "cache_run.jsonl"), compact_threshold_chars=300_000)
    sums = run.sums()
    assert sums.paid_back <= sums.breaks
    assert sums.break_even is not None
    assert 100 < sums.break_even <= inf
