import json
import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from inspector.text import (
    cells,
    clip,
    fold,
    height,
    json_chars,
    pad,
    percent,
    signed,
    string_json_chars,
    thousands,
    visible,
    visible_line,
)

BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
AWKWARD = (
    "\t\n\r\0\x1b\x7f\x85\x9b"
    + "\u200b\u200d\u2028\u2029\ufe0f\ufeff\ud83d\udc69\u0301界語한👩❤🇫🇷👍🏽\U000e0061\U000e0101ab "
    + BIDI
)
texts = st.one_of(st.text(), st.text(st.sampled_from(AWKWARD)), st.text(st.characters(), max_size=400))


def obeyed(char: str) -> bool:
    code = ord(char)
    controls = (code < 0x20 and char != "\n") or 0x7F <= code <= 0x9F
    return controls or 0xD800 <= code <= 0xDFFF or char in BIDI or char in "\u2028\u2029\ufeff"


@given(texts)
@example(AWKWARD)
def test_nothing_that_a_terminal_obeys_survives(text: str) -> None:
    assert not [char for char in visible(text) if obeyed(char)]
    assert "\n" not in visible_line(text)


def test_no_character_of_unicode_survives_that_a_terminal_obeys_or_hides() -> None:
    kept = {"\n", "\u200c", "\u200d"}
    shown = [chr(code) for code in range(0x110000) if visible(chr(code)) == chr(code) and chr(code) not in kept]
    assert not [char for char in shown if obeyed(char)]
    assert not {unicodedata.category(char) for char in shown} & {"Cc", "Cs", "Zl", "Zp"}


@given(texts)
def test_visible_text_is_left_as_it_is(text: str) -> None:
    assert visible(visible(text)) == visible(text)
    assert visible_line(visible_line(text)) == visible_line(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("\x1b]52;c;x\x07", "␛]52;c;x␇"),
        ("a\tb", "a    b"),
        ("a\r\nb\rc\nd", "a\nb␍c\nd"),
        ("\x00\x7f\x9b", "␀␡\ufffd"),
        ("\u202eevil\u2028x\x85", "\ufffdevil\ufffdx\ufffd"),
        ("\ud83d!", "\ufffd!"),
        ("hi\U000e0068\U000e0069", "hi\ufffd\ufffd"),
        ("👩\u200d👧 ❤\ufe0f e\u0301", "👩\u200d👧 ❤\ufe0f e\u0301"),
    ],
)
def test_what_stands_for_a_control(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_a_newline_in_a_place_of_one_line_is_a_symbol() -> None:
    assert visible_line("a\nb\r\nc") == "a␊b␊c"


def test_no_character_is_measured_below_rich() -> None:
    assert not [hex(code) for code in range(0x110000) if cells(chr(code)) < cell_len(chr(code))]


def test_percents_round_down_so_that_a_loss_is_never_none() -> None:
    assert percent(80_414, 142_318) == "56.5"
    assert percent(999_999, 1_000_000) == "99.9"
    assert percent(-1, 1_000_000) == "-0.1"
    assert percent(0, 10) == percent(5, 0) == "0.0"


@given(texts)
def test_no_text_is_measured_below_rich(text: str) -> None:
    assert cells(visible(text)) >= cell_len(visible(text))


@pytest.mark.parametrize(("text", "size"), [("", 0), ("abc", 3), ("世界", 4), ("é", 1), ("🎉", 2)])
def test_the_cells_of(text: str, size: int) -> None:
    assert cells(text) == size


@settings(max_examples=400)
@given(texts, st.integers(-1, 12), st.integers(-1, 6))
@example("\0\0\0é", 2, 6)
@example("0000界", 1, 6)
@example("界\U000e0101\U000e0101", 3, 6)
def test_height_is_the_number_of_lines_that_fold_gives(text: str, width: int, limit: int) -> None:
    assert height(text, width, limit) == len(fold(text, width, limit))


@given(st.lists(texts, max_size=4).map("".join), st.integers(20, 90), st.integers(1, 6))
def test_height_is_the_number_of_lines_at_screen_widths(text: str, width: int, limit: int) -> None:
    assert height(text * 9, width, limit) == len(fold(text * 9, width, limit))


@settings(max_examples=400)
@given(texts, st.integers(1, 12), st.integers(1, 6))
def test_no_folded_line_is_wider_than_asked_nor_more_than_asked(text: str, width: int, limit: int) -> None:
    lines = fold(text, width, limit)
    assert len(lines) <= limit
    assert all(cell_len(line) <= width and not any(map(obeyed, line)) and "\n" not in line for line in lines)


@given(texts, st.integers(2, 12))
def test_folding_loses_nothing(text: str, width: int) -> None:
    assert "".join(fold(text, width, 10_000)) == visible(text).replace("\n", "")


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        ("\n", [""]),
        ("ab\n", ["ab"]),
        ("ab\n\ncd", ["ab", "", "cd"]),
        ("abcdefghij", ["abcd", "efgh", "ij"]),
        ("abc界語", ["abc", "界語"]),
        ("abce\u0301f", ["abc", "e\u0301f"]),
        ("a\tb", ["a   ", " b"]),
        ("ab\x1b[m", ["ab␛[", "m"]),
    ],
)
def test_how_text_folds_at_four_cells(text: str, lines: list[str]) -> None:
    assert fold(text, 4, 10) == lines


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("the cat sat", ["the cat ", "sat"]),
        ("the cats sat", ["the cats", " sat"]),
        ("a/path/of/names", ["a/path/o", "f/names"]),
        ("of a/path/of/names", ["of a/pat", "h/of/nam", "es"]),
        ("words 界界界", ["words ", "界界界"]),
        ("words \u0301ab cd", ["words \u0301a", "b cd"]),
    ],
)
def test_lines_are_folded_after_a_space_where_that_leaves_half_of_them(text: str, lines: list[str]) -> None:
    assert fold(text, 8, 10) == lines


@given(st.lists(st.text("abcé世", min_size=1, max_size=5), max_size=40), st.integers(20, 40))
def test_a_word_of_a_quarter_line_is_never_parted(words: list[str], width: int) -> None:
    assert [word for line in fold(" ".join(words), width, 1_000) for word in line.split(" ") if word] == words


def test_a_width_of_one_replaces_what_does_not_fit() -> None:
    assert fold("a界b", 1, 9) == ["a", "\ufffd", "b"]


@pytest.mark.parametrize("text", [" " * 1_000_000, "\n" * 1_000_000, "界" * 1_000_000, "a" + "\u0301" * 1_000_000])
def test_a_megabyte_folds_from_its_head(text: str) -> None:
    assert len(fold(text, 77, 5)) == height(text, 77, 5) == 5


@given(texts, st.integers(1, 12))
def test_a_clipped_line_fits(text: str, width: int) -> None:
    line = clip(text, width)
    assert cell_len(line) <= width
    assert not any(map(obeyed, line))
    assert "\n" not in line


@pytest.mark.parametrize(
    ("text", "width", "line"),
    [
        ("abc", 3, "abc"),
        ("abcd", 3, "ab…"),
        ("a\nb", 3, "a␊b"),
        ("世界语", 4, "世…"),
        ("世界", 4, "世界"),
        ("ab", 1, "…"),
    ],
)
def test_how_a_line_is_clipped(text: str, width: int, line: str) -> None:
    assert clip(text, width) == line


def test_nothing_fits_no_width() -> None:
    assert clip("abc", 0) == pad("abc", 0) == pad("界", 0) == ""


@given(texts, st.integers(0, 12))
def test_a_padded_line_has_exactly_its_width(text: str, width: int) -> None:
    assert cell_len(pad(visible_line(text), width)) == width


scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(-(2**70), 2**70),
    st.floats(),
    st.text(),
    st.text(st.sampled_from('\ud800\udfff\x7f\x1f"\\/\u2028é界\n')),
    st.sampled_from([-(2**63), 2**64 - 1, 2**64, 1e16, 1e-7, 0.1, -0.0]),
)
keys = st.one_of(
    st.text(), st.text(st.sampled_from('\ud800"\\é')), st.none(), st.booleans(), st.integers(), st.floats()
)


def containers(inner: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    listed = st.lists(inner, max_size=4)
    return st.one_of(
        listed, listed.map(tuple), st.dictionaries(st.text(), inner, max_size=4), st.dictionaries(keys, inner)
    )


@settings(max_examples=500)
@given(st.recursive(scalars, containers, max_leaves=20))
def test_json_chars_are_those_of_pythons_json(value: object) -> None:
    assert json_chars(value) == len(json.dumps(value, ensure_ascii=False))


@given(st.one_of(st.text(), st.text(st.sampled_from('\ud800\x7f\x00"\\é'))))
def test_string_json_chars_are_those_of_pythons_json(text: str) -> None:
    assert string_json_chars(text) == len(json.dumps(text, ensure_ascii=False))


class Word(str):
    __slots__ = ()


@pytest.mark.parametrize(
    "value", [{"a": Word("é")}, {Word("k"): 1}, Word("x"), {"a": {1, 2}}, {"b": b"\xff"}, {(1, 2): 3}, object]
)
def test_values_that_json_may_refuse_are_measured_as_json_or_else_as_str(value: object) -> None:
    try:
        expected = len(json.dumps(value, ensure_ascii=False))
    except TypeError:
        expected = len(str(value))
    assert json_chars(value) == expected


def test_a_circle_is_measured_as_str() -> None:
    ring: list[object] = [1]
    ring.append(ring)
    assert json_chars({"a": ring}) == len(str({"a": ring}))


def nested(depth: int, inner: object) -> object:
    for _ in range(depth):
        inner = {"k": [inner, "é"]}
    return inner


def test_nesting_beyond_the_stack_is_measured_as_json() -> None:
    shallow = json_chars(nested(1, 1.5)) - json_chars(1.5)
    assert json_chars(nested(5_000, 1.5)) == 5_000 * shallow + 3
    assert json_chars(nested(100, "x")) == len(json.dumps(nested(100, "x"), ensure_ascii=False))


def test_a_deep_circle_ends() -> None:
    ring: dict[str, object] = {}
    ring["k"] = nested(5_000, ring)
    assert json_chars(ring) > 5_000


def test_an_integer_too_long_to_write_is_measured_to_within_a_digit() -> None:
    assert abs(json_chars(10**5_000) - 5_001) <= 1
    assert abs(json_chars({"a": [-(10**5_000)]}) - (5_002 + len('{"a": []}'))) <= 1


def test_numbers_for_people() -> None:
    assert (thousands(1_234), thousands(0), thousands(-1_234_567)) == ("1,234", "0", "-1,234,567")
    assert (signed(1_234), signed(-1_234), signed(0)) == ("+1,234", "-1,234", "0")
