"""The sent list in tokens, change by change, against lists compared whole."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.message import Body, same
from inspector.policies.transcript import MADE, Op
from inspector.replay.prefix import Prefix

CHANGES = st.lists(
    st.lists(st.tuples(st.integers(0, 30), st.integers(0, 4), st.lists(st.integers(0, 9), max_size=4)), max_size=5),
    max_size=12,
)
"""For each view some changes: where, how many messages go, and the numbers that come."""


def said(number: int) -> Body:
    """A message of a number that is also its tokens; equal ones are other objects."""
    return {"content": number}


@given(CHANGES)
@settings(max_examples=400)
def test_every_view_is_weighed_as_if_the_lists_were_compared_whole(
    changes: list[list[tuple[int, int, list[int]]]],
) -> None:
    prefix, now = Prefix(), list[int]()
    for round_of in changes:
        was = list(now)
        for start, gone, numbers in round_of:
            at = min(start, len(now))
            stop = min(at + gone, len(now))
            bodies = list(map(said, numbers))
            prefix.apply(Op(at, stop, bodies, [MADE] * len(bodies)), numbers)
            now[at:stop] = numbers
        found = prefix.close()
        first = next((p for p, (a, b) in enumerate(zip(was, now, strict=False)) if a != b), min(len(was), len(now)))
        parted = (said(was[first]), said(now[first])) if first < min(len(was), len(now)) else None
        assert found == (len(now), len(was), sum(now), first, sum(now[:first]), parted, now[first] if parted else 0)


def nested(depth: int) -> Any:
    value: Any = "end"
    for _ in range(depth):
        value = [value]
    return value


def test_messages_too_deep_to_compare_are_taken_to_differ() -> None:
    assert not same({"content": nested(200_000)}, {"content": nested(200_000)})
    deep = {"content": nested(200_000)}
    assert same(deep, deep)
