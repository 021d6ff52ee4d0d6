"""What fast parsers hide: found wherever it is, and nothing else is taken for it."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.doctor.strict import has_huge_integer, may_hide
from tests.doctor.builders import examined

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(JSON, st.sampled_from([None, 1]), st.booleans(), st.sampled_from([(",", ":"), (", ", ": "), (" ,", " : ")]))
def test_clean_json_is_not_suspected(value: Any, indent: int | None, ascii_only: bool, parts: tuple[str, str]) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only, separators=parts)
    raw = text.encode("utf-8", "surrogatepass")
    if indent is None and any(0xD800 <= ord(char) < 0xE000 for char in json.dumps(value, ensure_ascii=False)):
        return
    if "\\u" not in text and b"\xed" not in raw:
        assert not may_hide(raw, (value,))


@given(JSON, st.text(max_size=5))
def test_a_key_that_stands_twice_is_suspected(value: Any, key: str) -> None:
    text = json.dumps(value)
    raw = f'{{{json.dumps(key)}: {text}, "x": 1, {json.dumps(key)}: null}}'.encode()
    assert may_hide(raw, (json.loads(raw),))


def document(inside: bytes) -> bytes:
    return b'{"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b", %s}]}' % inside


@pytest.mark.parametrize(
    ("inside", "code", "pointer"),
    [
        (b'"n": 12345678901234567890123', "big-integer", "/messages/1/n"),
        (b'"n": [1, -99999999999999999999]', "big-integer", "/messages/1/n/1"),
        (b'"x": {"k": 1, "k": 2}', "duplicate-json-key", "/messages/1/x/k"),
        (b'"x" : 1, "x" : 2', "duplicate-json-key", "/messages/1/x"),
    ],
)
def test_a_hidden_fault_is_named_with_its_place(inside: bytes, code: str, pointer: str) -> None:
    found = [(one.code, one.message_index, one.pointer) for one in examined(document(inside))]
    assert found == [(code, 1, pointer)]


def test_on_a_line_the_pointer_begins_with_the_line() -> None:
    lines = b'{"role": "user", "content": "a"}\n{"role": "assistant", "content": "b", "n": 12345678901234567890123}\n'
    assert [(one.code, one.pointer, one.line) for one in examined(lines)] == [("big-integer", "/1/n", 2)]


@pytest.mark.parametrize("text", ["12345678901234567890123", "1783072879987000000", "a, 12345678901234567890123 b"])
def test_digits_in_a_text_are_no_integer(text: str) -> None:
    assert not has_huge_integer(json.dumps({"t": text, "n": 1783072879987000000}).encode())


def test_a_value_that_only_a_fast_parser_takes_is_too_deep() -> None:
    deep = b"[" * 600 + b"]" * 600
    found = examined(document(b'"x": ' + deep))
    assert [one.code for one in found] == ["too-deep"]
    assert found[0].pointer.startswith("/messages/1/x")
