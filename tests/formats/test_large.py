"""A value parsed in slices is what it is in one piece, and a fault in it is still one."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.formats import large

WORDS = st.text(max_size=12) | st.sampled_from(('}, {"role":', '"}, {"role": "', "\\", "\ufffeslices\ufffe", "[", "}"))
CONTENT = WORDS | st.lists(st.fixed_dictionaries({"role": WORDS, "text": WORDS}), max_size=4) | st.none()
MESSAGES = st.lists(st.fixed_dictionaries({"role": WORDS, "content": CONTENT}), max_size=12)
WRAPPED = MESSAGES.flatmap(
    lambda messages: st.sampled_from(
        (messages, {"messages": messages}, {"model": "m", "request": {"messages": messages}, "more": messages[:1]})
    )
)


@pytest.fixture(autouse=True)
def _small_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large, "LARGE", 0)
    monkeypatch.setattr(large, "SLICE", 20)


def _outcome(parse: Any, raw: bytes) -> Any:
    try:
        return parse(raw)
    except json.JSONDecodeError as error:
        return str(error)


@given(WRAPPED, st.sampled_from((None, 1)), st.booleans())
def test_a_sliced_value_is_the_whole_value(value: Any, indent: int | None, ascii_only: bool) -> None:
    raw = json.dumps(value, indent=indent, ensure_ascii=ascii_only).encode()
    assert large.parsed(raw) == json.loads(raw)
    assert large.parsed(b"\xef\xbb\xbf" + raw, 3) == json.loads(raw)


@given(WRAPPED, st.data())
def test_a_fault_is_told_as_for_the_whole_value(value: Any, data: st.DataObject) -> None:
    raw = json.dumps(value).encode()
    at = data.draw(st.integers(0, len(raw) - 1))
    mutated = raw[:at] + data.draw(st.sampled_from((b"", b'"', b"{", b"]", b"\xff", b","))) + raw[at + 1 :]
    assert _outcome(large.parsed, mutated) == _outcome(orjson.loads, mutated)


def test_of_two_lists_of_one_name_the_last_holds() -> None:
    many = [{"role": "user", "content": str(number)} for number in range(9)]
    raw = b'{"messages": %b, "messages": [{"role": "user"}]}' % orjson.dumps(many)
    assert large.parsed(raw) == {"messages": [{"role": "user"}]}


def test_slices_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []

    def loads(data: Any) -> Any:
        sizes.append(len(data))
        return orjson.loads(data)

    monkeypatch.setattr("inspector.formats.large.orjson", SimpleNamespace(loads=loads, dumps=orjson.dumps))
    raw = orjson.dumps({"messages": [{"role": "user", "content": "word"}] * 50})
    assert large.parsed(raw) == orjson.loads(raw)
    assert len(sizes) > 10
    assert max(sizes) < 120
