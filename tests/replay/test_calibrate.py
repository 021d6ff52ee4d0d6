"""Our counts against recorded ones."""

from typing import Any

import pytest

import inspector
from inspector.message import Compaction, Session, Usage
from inspector.replay import Request, calibrate, measure
from inspector.tokens import REPLY_PRIMING, count_bodies, counter_for

COUNTER = counter_for(None)


def session(requests: int, factor: float, overhead: int, **more: Any) -> Session:
    """A session that grows, and a provider that counts by another tokenizer, and more than is recorded."""
    messages: list[dict[str, Any]] = []
    for turn in range(requests):
        messages.append({"role": "user", "content": f"word {turn} " * (40 + 20 * turn)})
        messages.append({"role": "assistant", "content": "yes"})
    sums = [sum(count_bodies(messages[:row], COUNTER)) + REPLY_PRIMING for row in range(1, 2 * requests, 2)]
    usage = tuple(Usage(2 * at + 1, round(factor * ours) + overhead, 0, 1) for at, ours in enumerate(sums))
    made = inspector.from_messages(messages)
    for name, value in {"usage": usage, "model": "claude-x", **more}.items():
        object.__setattr__(made, name, value)
    return made


@pytest.mark.parametrize(("factor", "overhead"), [(1.0, 0), (1.27, 0), (0.9, 5_000), (1.15, 14_000)])
def test_a_factor_and_an_overhead_are_told_apart_where_a_session_grows(factor: float, overhead: int) -> None:
    found = calibrate(session(20, factor, overhead), COUNTER)
    assert found is not None
    assert found.factor == pytest.approx(factor, rel=0.01)
    assert found.overhead == pytest.approx(overhead, rel=0.01, abs=5)
    assert found.spread < 0.01
    assert found.outliers == ()


def test_few_requests_give_a_factor_alone() -> None:
    found = calibrate(session(3, 1.2, 0), COUNTER)
    assert found is not None
    assert (round(found.factor, 2), found.overhead) == (1.2, 0)
    assert found.label == "calibrated (x1.20 +-0 %)"


def test_a_few_odd_requests_are_named_and_move_nothing() -> None:
    made = session(20, 1.1, 0)
    odd = tuple(u if u.row not in (9, 21) else Usage(u.row, 3 * u.input, 0, 1) for u in made.usage)
    object.__setattr__(made, "usage", odd)
    found = calibrate(made, COUNTER)
    assert found is not None
    assert found.factor == pytest.approx(1.1, rel=0.02)
    assert [one.row for one in found.outliers] == [9, 21]


def test_what_no_tokenizer_explains_is_put_down_to_what_is_not_recorded() -> None:
    found = calibrate(session(3, 1, 17_000), COUNTER)
    assert found is not None
    assert (found.factor, found.usable) == (1.0, True)
    assert found.overhead == pytest.approx(17_000, abs=5)


def test_recorded_figures_of_something_else_are_not_used() -> None:
    made = session(4, 1, 0)
    object.__setattr__(made, "usage", tuple(Usage(u.row, 10 ** (1 + at), 0, 1) for at, u in enumerate(made.usage)))
    found = calibrate(made, COUNTER)
    assert found is not None
    assert not found.usable


def test_without_recorded_usage_there_is_nothing_to_calibrate_on() -> None:
    assert calibrate(inspector.from_messages([{"role": "assistant", "content": "a"}]), COUNTER) is None
    assert calibrate(session(3, 1, 0, usage=(Usage(1, 0, 0, 9),)), COUNTER) is None


def test_a_request_after_a_compaction_is_measured_on_what_the_tool_still_had() -> None:
    made = session(4, 1, 0, compactions=(Compaction(4, "auto", kept=(0,)),))
    ours = {one.row: one.ours for one in measure(made, COUNTER)}
    rows = count_bodies(made.messages, COUNTER)
    assert ours[3] == sum(rows[:3]) + REPLY_PRIMING
    assert ours[5] == rows[0] + rows[4] + REPLY_PRIMING
    replaced = ({"role": "user", "content": "all of it in short"},)
    made = session(4, 1, 0, compactions=(Compaction(4, "auto", replacement=replaced),))
    ours = {one.row: one.ours for one in measure(made, COUNTER)}
    assert ours[7] == sum(count_bodies(list(replaced), COUNTER)) + sum(rows[4:7]) + REPLY_PRIMING


def test_requests_are_scaled_by_factor_and_overhead() -> None:
    found = calibrate(session(20, 1.5, 1_000), COUNTER)
    assert found is not None
    first = Request(0, 1, 1, 200, 100, 0, 0, 0, 0, fired=False)
    second = Request(1, 3, 3, 400, 300, 100, 1, 1, 0, fired=False)
    scaled = found.scaled([first, second])
    assert scaled[0].sent_tokens == pytest.approx(1_150, rel=0.01)
    assert scaled[0].shared_tokens == 0
    assert scaled[1].shared_tokens == scaled[0].sent_tokens
    assert "unrecorded" in found.label
