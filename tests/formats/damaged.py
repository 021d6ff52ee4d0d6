"""Recordings damaged in every way that hypothesis finds: cut, overwritten, values of other types in any place."""

import json
from collections.abc import Sequence
from copy import deepcopy
from typing import Any

from hypothesis import strategies as st

from inspector.formats import UnreadableSession, conversations_in

ODD: Sequence[Any] = (
    None, True, 0, -1, 1e300, 1 << 70, "", "x", "\ud800",
    [], {}, [[]], [{}], {"type": []}, ["a", 1, None], {"a": {"b": []}},
)  # fmt: skip


def places(value: Any, limit: int = 2000) -> list[tuple[Any, Any]]:
    """Each container of a value with each of its keys."""
    found: list[tuple[Any, Any]] = []
    waiting = [value]
    while waiting and len(found) < limit:
        one = waiting.pop()
        keys = list(one) if isinstance(one, dict) else list(range(len(one))) if isinstance(one, list) else []
        found += [(one, key) for key in keys]
        waiting += [one[key] for key in keys]
    return found


@st.composite
def spoilt(draw: st.DrawFn, values: Sequence[Any], *, lines: bool) -> bytes:
    """A recording of ours with up to four values replaced, removed or doubled, then cut or overwritten as bytes."""
    made = json.loads(json.dumps(list(values)))
    for _ in range(draw(st.integers(1, 4))):
        found = places(made)
        if not found:
            break
        holder, key = draw(st.sampled_from(found))
        act = draw(st.integers(0, 2))
        if act == 0 or not isinstance(holder, list):
            holder[key] = deepcopy(draw(st.sampled_from(ODD)))
        elif act == 1 and key < len(holder):
            del holder[key]
        elif key < len(holder):
            holder.insert(key, deepcopy(holder[-1]))
    if lines:
        raw = "\n".join(map(json.dumps, made)).encode()
    else:
        raw = json.dumps(made[0] if len(made) == 1 else made).encode()
    if draw(st.booleans()):
        raw = raw[: draw(st.integers(0, len(raw)))]
    if raw and draw(st.booleans()):
        at = draw(st.integers(0, len(raw) - 1))
        raw = raw[:at] + draw(st.binary(max_size=4)) + raw[at + draw(st.integers(0, 4)) :]
    return raw


def read_or_refused(raw: bytes, format: str | None = None) -> None:
    """Reading gives conversations whose every row has an origin, or is refused; nothing else may happen."""
    try:
        opened = conversations_in(raw, "made", format)
    except UnreadableSession as refused:
        assert str(refused)  # noqa: PT017
        return
    for one in opened.conversations:
        for row in range(len(one.messages)):
            assert isinstance(one.origin(row).pointer, str)
        assert all(0 <= usage.row < len(one.messages) for usage in one.usage)
        assert all(0 <= compaction.row <= len(one.messages) for compaction in one.compactions)
