"""What holds of the repair of any session: nothing wrong is left, nothing right is touched, once is enough."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inspector.doctor import TARGETS, examine_file, target_named
from inspector.doctor.repair import Outcome, Wish, repaired
from inspector.finding import Finding
from inspector.formats import UnreadableSession
from tests.doctor.valid import SHAPES, STEPS, Shape, broken, raw_of

NATIVE = Wish(target_named("native"))
each_shape = pytest.mark.parametrize("shape", SHAPES, ids=[shape.name for shape in SHAPES])
unhurried = settings(deadline=None, max_examples=60, suppress_health_check=list(HealthCheck))


@each_shape
@unhurried
@given(data=st.data())
def test_a_broken_session_is_repaired_until_no_error_is_left(shape: Shape, data: Any) -> None:
    raw = data.draw(broken(shape))
    outcome = repaired(raw, "session", NATIVE)
    assert [one for one in outcome.left if one.severity == "error"] == []


@each_shape
@unhurried
@given(data=st.data())
def test_a_repair_made_twice_changes_nothing(shape: Shape, data: Any) -> None:
    outcome = repaired(data.draw(broken(shape)), "session", NATIVE)
    again = repaired(outcome.raw, "session", NATIVE)
    assert again.raw == outcome.raw
    assert again.repaired == ()


@each_shape
@unhurried
@given(steps=STEPS)
def test_a_valid_session_is_returned_byte_for_byte(shape: Shape, steps: list[int]) -> None:
    raw = raw_of(shape.make(steps))
    outcome = repaired(raw, "session", NATIVE)
    assert outcome.raw == raw
    assert (outcome.repaired, outcome.left) == ((), ())


@each_shape
@settings(deadline=None, max_examples=25, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_repair_for_any_target_leaves_no_more_errors_than_it_found(shape: Shape, data: Any) -> None:
    raw = data.draw(broken(shape))
    target = target_named(data.draw(st.sampled_from(list(TARGETS))))
    consent = frozenset(("missing-reasoning-content", "missing-thought-signature"))
    before = examine_file("session", raw=raw).findings(target)
    outcome = repaired(raw, "session", Wish(target, consent))
    assert _errors(outcome.left) <= _errors(before)
    assert repaired(outcome.raw, "session", Wish(target, consent)).raw == outcome.raw


def _errors(findings: Sequence[Finding]) -> int:
    return sum(one.severity == "error" for one in findings)


@unhurried
@given(data=st.data())
def test_damaged_bytes_are_refused_with_a_sentence_or_repaired(data: Any) -> None:
    shape = data.draw(st.sampled_from(SHAPES))
    raw = bytearray(raw_of(shape.make(data.draw(STEPS))))
    for _ in range(data.draw(st.integers(1, 4))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.sampled_from(b'\0\xff{}[]",:\\\n x1'))
    cut = data.draw(st.integers(1, len(raw)))
    outcome = _repaired_or_refused(bytes(raw[:cut]))
    assert outcome is None or repaired(outcome.raw, "session", NATIVE).raw == outcome.raw


def _repaired_or_refused(raw: bytes) -> Outcome | None:
    try:
        return repaired(raw, "session", NATIVE)
    except UnreadableSession:
        return None
