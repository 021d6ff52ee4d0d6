"""Patches in the bytes of a file: what is touched changes, and nothing else does."""

import json
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.change import Copied, Doing, Patch, Site, removed, replaced
from inspector.formats.format import CannotWrite
from inspector.formats.lenient import step
from inspector.formats.scan import tokens
from inspector.formats.splice import splice

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=6) | st.sampled_from(['"', "\\", "/", "~", "]", "{"])
LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4), max_leaves=12
)
MARK = "the value that stands here"
SPELLINGS = st.sampled_from([
    {}, {"separators": (",", ":")}, {"indent": 2}, {"indent": 1, "ensure_ascii": False}, {"indent": "\t"},
    {"separators": (" , ", " : "), "ensure_ascii": False},
])  # fmt: skip


@st.composite
def documents(draw: st.DrawFn) -> tuple[Any, bytes, list[str]]:
    """A value that holds others, its text in some spelling, and the pointers of all that it holds."""
    value = draw(st.lists(VALUES, min_size=1, max_size=4) | st.dictionaries(TEXTS, VALUES, min_size=1, max_size=4))
    text = json.dumps(value, **draw(SPELLINGS))
    if draw(st.booleans()):
        text = text.replace("\n", "\r\n")
    raw = draw(st.sampled_from([b"", b"\xef\xbb\xbf", b" \n"])) + text.encode() + draw(st.sampled_from([b"", b"\n"]))
    return value, raw, list(pointers(value, ""))


def pointers(value: Any, here: str) -> Any:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, held in items:
        yield here + step(key)
        yield from pointers(held, here + step(key))


def holder_of(value: Any, pointer: str) -> tuple[Any, Any]:
    """The list or object that holds what a pointer names, and its key there."""
    *above, last = tokens(pointer)
    for token in above:
        value = value[int(token)] if isinstance(value, list) else value[token]
    return value, int(last) if isinstance(value, list) else last


def parsed(raw: bytes) -> Any:
    return json.loads(raw.decode("utf-8-sig"))


def shared_ends(one: bytes, other: bytes) -> int:
    """How many bytes two texts share at their start and end."""
    short = min(len(one), len(other))
    start = next((at for at in range(short) if one[at] != other[at]), short)
    rest = short - start
    return start + next((at for at in range(rest) if one[-1 - at] != other[-1 - at]), rest)


@given(documents(), VALUES, st.data())
def test_a_replaced_value_is_the_only_thing_that_changes(
    document: tuple[Any, bytes, list[str]], new: Any, data: st.DataObject
) -> None:
    value, raw, known = document
    pointer = data.draw(st.sampled_from(known))
    holder, key = holder_of(value, pointer)
    marked = splice(raw, [replaced(Site(pointer), MARK)])
    before, after = marked.split(json.dumps(MARK).encode())
    assert raw.startswith(before)
    assert raw.endswith(after)
    made = splice(raw, [replaced(Site(pointer), new)])
    assert made.startswith(before)
    assert made.endswith(after)
    assert json.loads(made[len(before) : len(made) - len(after)]) == new
    assert json.loads(raw[len(before) : len(raw) - len(after)]) == holder[key]
    holder[key] = new
    assert parsed(made) == value


@given(documents(), st.data())
def test_a_removed_entry_takes_one_comma_and_nothing_else(
    document: tuple[Any, bytes, list[str]], data: st.DataObject
) -> None:
    value, raw, known = document
    pointer = data.draw(st.sampled_from(known))
    made = splice(raw, [removed(Site(pointer))])
    holder, key = holder_of(value, pointer)
    del holder[key]
    assert parsed(made) == value
    assert shared_ends(raw, made) == len(made)
    assert made.count(b",") <= raw.count(b",")


@given(documents(), st.lists(VALUES, min_size=1, max_size=3), st.booleans(), st.data())
def test_what_is_put_into_a_list_leaves_every_byte_around_it(
    document: tuple[Any, bytes, list[str]], new: list[Any], after: bool, data: st.DataObject
) -> None:
    value, raw, known = document
    in_lists = [pointer for pointer in known if isinstance(holder_of(value, pointer)[0], list)]
    if not in_lists:
        return
    pointer = data.draw(st.sampled_from(in_lists))
    made = splice(raw, [Patch(Site(pointer), Doing.AFTER if after else Doing.BEFORE, tuple(new))])
    holder, key = holder_of(value, pointer)
    holder[key + after : key + after] = new
    assert parsed(made) == value
    assert shared_ends(raw, made) == len(raw)


@given(documents(), TEXTS, VALUES, st.data())
def test_a_member_that_is_missing_is_added(
    document: tuple[Any, bytes, list[str]], key: str, new: Any, data: st.DataObject
) -> None:
    value, raw, known = document
    objects = [pointer for pointer in ["", *known] if isinstance(at(value, pointer), dict)]
    objects = [pointer for pointer in objects if key not in at(value, pointer)]
    if not objects:
        return
    pointer = data.draw(st.sampled_from(objects))
    made = splice(raw, [replaced(Site(pointer + step(key)), new)])
    at(value, pointer)[key] = new
    assert parsed(made) == value
    assert shared_ends(raw, made) == len(raw) or at(value, pointer) == {key: new}


def at(value: Any, pointer: str) -> Any:
    for token in tokens(pointer):
        value = value[int(token)] if isinstance(value, list) else value[token]
    return value


@given(st.lists(VALUES, max_size=7), SPELLINGS, st.data())
def test_many_patches_of_one_list_agree_with_the_list(items: list[Any], spelling: Any, data: st.DataObject) -> None:
    raw = json.dumps({"list": items, "after": 1}, **spelling).encode()
    patches, wanted = [], []
    for number, item in enumerate(items):
        what = data.draw(st.sampled_from(["keep", "remove", "before", "after", "instead"]))
        site, new = Site(f"/list/{number}"), [number, "new"]
        if what == "before" or what == "instead":
            patches.append(Patch(site, Doing.BEFORE, (new,)))
            wanted.append(new)
        if what in ("remove", "instead"):
            patches.append(removed(site))
        else:
            wanted.append(item)
        if what == "after":
            patches.append(Patch(site, Doing.AFTER, (new,)))
            wanted.append(new)
    assert parsed(splice(raw, patches)) == {"list": wanted, "after": 1}


def test_no_patch_gives_the_very_same_bytes() -> None:
    raw = b"no JSON at all"
    assert splice(raw, []) is raw


def test_unknown_spellings_and_odd_bytes_stay() -> None:
    raw = b'\xef\xbb\xbf{"n": 1.50e+02, "big": 123456789012345678901234567890, "x": NaN,'
    raw += b'\r\n "bad": "\xff", "t": "old"}\r\n'
    assert splice(raw, [replaced(Site("/t"), "new")]) == raw.replace(b"old", b"new")


def test_of_a_key_that_stands_twice_the_last_is_replaced_and_both_are_removed() -> None:
    raw = b'{"a": 1, "b": 2, "a": 3}'
    assert splice(raw, [replaced(Site("/a"), 4)]) == b'{"a": 1, "b": 2, "a": 4}'
    assert splice(raw, [removed(Site("/a"))]) == b'{"b": 2}'


@pytest.mark.parametrize(
    ("raw", "new", "wanted"),
    [
        (b'["\\u00e9"]', "\u00fc", b'["\\u00fc"]'),
        (b'["\xc3\xa9"]', "\u00fc", b'["\xc3\xbc"]'),
        (b'{"a": [1, 2], "t": 0}', [3, 4], b'{"a": [1, 2], "t": [3, 4]}'),
        (b'{"a":[1,2],"t":0}', {"b": [3, 4]}, b'{"a":[1,2],"t":{"b":[3,4]}}'),
        (b'["x"]', "\ud800", b'["\\ud800"]'),
    ],
)
def test_new_text_is_spelled_as_its_neighbours_are(raw: bytes, new: Any, wanted: bytes) -> None:
    assert splice(raw, [replaced(Site("/t" if raw.startswith(b"{") else "/0"), new)]) == wanted


def test_a_new_element_is_indented_like_the_one_beside_it() -> None:
    raw = b'{\r\n  "m": [\r\n    {\r\n      "a": 1\r\n    }\r\n  ]\r\n}\r\n'
    made = splice(raw, [Patch(Site("/m/0"), Doing.AFTER, ({"b": 2},))])
    assert made == b'{\r\n  "m": [\r\n    {\r\n      "a": 1\r\n    },\r\n    {\r\n      "b": 2\r\n    }\r\n  ]\r\n}\r\n'


LINES = b'{"a": 1}\r\nnot JSON \xff\r\n\r\n{"a":2}'
STARTS = {0: [0], 3: [24]}


def test_lines_are_taken_out_with_their_line_end_and_put_in_with_their_neighbours() -> None:
    assert LINES[24:] == b'{"a":2}'
    assert splice(LINES, [removed(Site("", 0))], STARTS) == b'not JSON \xff\r\n\r\n{"a":2}'
    assert splice(LINES, [removed(Site("", 3))], STARTS) == b'{"a": 1}\r\nnot JSON \xff\r\n'
    added = splice(LINES, [Patch(Site("", 3), Doing.AFTER, ({"b": [3, 4]},))], STARTS)
    assert added == LINES + b'\r\n{"b":[3,4]}'
    assert splice(LINES, [Patch(Site("", 0), Doing.BEFORE, ({"b": 3},))], STARTS) == b'{"b": 3}\r\n' + LINES


def test_a_line_is_moved_as_it_is_written() -> None:
    moved = [removed(Site("", 0)), Patch(Site("", 3), Doing.AFTER, (Copied(Site("", 0)),))]
    assert splice(LINES, moved, STARTS) == b'not JSON \xff\r\n\r\n{"a":2}\r\n{"a": 1}'


def test_records_glued_on_a_line_are_told_apart_by_what_they_hold() -> None:
    raw, starts = b'{"a": 1}{"b": 2}\n', {0: [0, 8]}
    assert splice(raw, [replaced(Site("/b", 0), 3)], starts) == b'{"a": 1}{"b": 3}\n'
    with pytest.raises(CannotWrite, match="glued"):
        splice(raw, [removed(Site("", 0))], starts)


def test_a_split_record_is_taken_out_with_all_its_lines() -> None:
    raw = b'{"a": 1}\n{"b":\n 2}\n{"c": 3}\n'
    assert splice(raw, [removed(Site("", 1))], {0: [0], 1: [9], 3: [19]}) == b'{"a": 1}\n{"c": 3}\n'


@pytest.mark.parametrize("pointer", ["/x/y", "/9", "/a/0", "/b/7"])
def test_a_site_that_does_not_exist_is_a_sentence(pointer: str) -> None:
    with pytest.raises(CannotWrite, match="there is nothing at"):
        splice(b'{"a": 1, "b": [2]}', [removed(Site(pointer))])


def test_a_file_that_is_cut_is_not_written_around() -> None:
    with pytest.raises(CannotWrite, match="damaged at byte"):
        splice(b'{"a": 1, "b": [2', [replaced(Site("/a"), 2)])


def test_a_change_inside_what_is_taken_out_is_refused() -> None:
    with pytest.raises(CannotWrite, match="two changes"):
        splice(b'{"a": {"b": 1}}', [removed(Site("/a")), replaced(Site("/a/b"), 2)])


def test_values_of_the_caller_are_left_alone() -> None:
    new = {"b": [1]}
    before = deepcopy(new)
    splice(b"[0]", [replaced(Site("/0"), new)])
    assert new == before


def test_depth_and_size_cost_no_stack() -> None:
    raw = b'{"deep": ' + b"[" * 50_000 + b"]" * 50_000 + b', "t": "x"}'
    assert splice(raw, [replaced(Site("/t"), "y")]).endswith(b'"t": "y"}')
