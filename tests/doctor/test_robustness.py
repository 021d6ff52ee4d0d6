"""Whatever a recording holds, the doctor and the repair answer with findings or with a sentence."""

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inspector.doctor import TARGETS, examine_file
from inspector.doctor.repair import Wish, repaired
from inspector.formats import UnreadableSession
from tests.doctor.case_folders import cases, expanded
from tests.doctor.valid import SHAPES, STEPS, raw_of

ODD = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 3), st.text(max_size=3), st.just([]), st.just({}),
    st.just([None, "x", {}]),
    st.just({"type": "tool_use"}), st.just({"type": "tool_result", "content": [1]}), st.just({"function": "f"}),
    st.just([{"type": "image", "source": 3}, {"type": ["x"]}]),
)  # fmt: skip


def spots(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all values inside one."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, (list, tuple)) else ()
    for key, inner in items:
        yield (*path, key)
        yield from spots(inner, (*path, key))


def put(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    held: Any = dict(value) if isinstance(value, dict) else list(value)
    held[path[0]] = put(held[path[0]], path[1:], new)
    return tuple(held) if isinstance(value, tuple) else held


def survives(raw: bytes, format_name: str | None = None) -> None:
    try:
        examination = examine_file("session", format_name, 0, raw)
    except UnreadableSession:
        return
    for target in TARGETS.values():
        examination.findings(target)
    consent = frozenset(("missing-reasoning-content", "missing-thought-signature"))
    for target in (TARGETS["native"], TARGETS["mistral"], TARGETS["anthropic"]):
        repaired(raw, "session", Wish(target, consent, format=format_name))


@settings(deadline=None, max_examples=200, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_values_of_unforeseen_types_are_no_trouble(data: Any) -> None:
    shape = data.draw(st.sampled_from(SHAPES))
    session = shape.make(data.draw(STEPS))
    for _ in range(data.draw(st.integers(1, 4))):
        found = list(spots(session))
        if found:
            session = put(session, data.draw(st.sampled_from(found)), data.draw(ODD))
    survives(raw_of(session))


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.folder.name)
@settings(deadline=None, max_examples=12, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_cases_with_odd_values_are_no_trouble(case: Any, data: Any, tmp_path_factory: Any) -> None:
    if "generate" in case.meta:
        pytest.skip("it is large")
    raw = expanded(case, Path()).read_bytes()
    try:
        session = json.loads(raw)
    except ValueError:
        try:
            session = tuple(json.loads(line) for line in raw.decode("utf-8").split("\n") if line)
        except ValueError:
            pytest.skip("it is damaged already")
    session = copy.deepcopy(session)
    for _ in range(data.draw(st.integers(1, 3))):
        found = list(spots(session))
        if found:
            session = put(session, data.draw(st.sampled_from(found)), data.draw(ODD))
    survives(raw_of(session))
