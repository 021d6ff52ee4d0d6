"""JSON as Go reads and writes it, seen through the checkpoint contract where that is how it shows."""

import json
import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from inspector.policies import gojson
from inspector.policies.contract import Checkpoint, parse
from tests.policies.refusals import BAD_CONTRACT, SMALL_PIECES, TRAILING, decoding, refusal, with_fields


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("{", "unexpected EOF"),
        ('{"version"', "unexpected EOF"),
        ('{"version":-', "unexpected EOF"),
        ('{"version":1.', "unexpected EOF"),
        ('{"a":"\\u12', "unexpected EOF"),
        ('{"a":"\\', "unexpected EOF"),
        ('{"a":tr', "unexpected EOF"),
        ('{"version":1,}', "invalid character '}' looking for beginning of object key string"),
        ("{'version':1}", "invalid character '\\'' looking for beginning of object key string"),
        ('{"version" 1}', "invalid character '1' after object key"),
        ('{"version":1 "a":2}', "invalid character '\"' after object key:value pair"),
        ('{"version":01}', "invalid character '1' after object key:value pair"),
        ('{"version":1]', "invalid character ']' after object key:value pair"),
        ('{"a":[1 2]}', "invalid character '2' after array element"),
        ('{"a":[1,]}', "invalid character ']' looking for beginning of value"),
        ('{"a":[,]}', "invalid character ',' looking for beginning of value"),
        ('{"a":-x}', "invalid character 'x' in numeric literal"),
        ('{"a":1.x}', "invalid character 'x' after decimal point in numeric literal"),
        ('{"a":1e+x}', "invalid character 'x' in exponent of numeric literal"),
        ('{"a":trux}', "invalid character 'x' in literal true (expecting 'e')"),
        ('{"a":NaN}', "invalid character 'N' looking for beginning of value"),
        ('{"a":nan}', "invalid character 'a' in literal null (expecting 'u')"),
        ('{"a":"\t"}', "invalid character '\\t' in string literal"),
        ('{"a":"\x00"}', "invalid character '\\x00' in string literal"),
        ('{"a":"\x1f"}', "invalid character '\\x1f' in string literal"),
        ('{"a\n":1}', "invalid character '\\n' in string literal"),
        ('{"a":"\\x"}', "invalid character 'x' in string escape code"),
        ('{"a":"\\\'"}', "invalid character '\\'' in string escape code"),
        ('{"a":"\\u12g4"}', "invalid character 'g' in \\u hexadecimal character escape"),
        ('{"a":\xa0"b"}', "invalid character 'Â' looking for beginning of value"),
        ("{} // note", None),
    ],
)
def test_faults_of_syntax_are_worded_as_go_words_them(body: str, says: str | None) -> None:
    assert refusal(body) == (TRAILING if says is None else f"decode checkpoint: {says}")


def test_a_fault_of_syntax_comes_before_an_earlier_fault_of_type() -> None:
    assert decoding('{"version":"1",') == "unexpected EOF"


@pytest.mark.parametrize(
    "field",
    ["VERSION", "VerSion", "ver\u017fion", "\\u0056ersion", "ver\\u017Fion"],
)
def test_field_names_match_by_case_folding(field: str) -> None:
    assert parse(f'{{"{field}":1}}') == Checkpoint()


def test_the_kelvin_sign_folds_to_k() -> None:
    assert parse(with_fields('"currentWor\u212a":"x","pendingTa\u017f\u212a\u017f":[]')) == Checkpoint(
        current_work="x", pending_tasks=()
    )


@pytest.mark.parametrize("field", ["", "version ", "vers\u0131on", "decisi\u00f6ns", "current_work"])
def test_any_other_field_is_unknown(field: str) -> None:
    assert decoding(f'{{"{field}":1}}') == f'json: unknown field "{field}"'


def test_the_name_of_an_unknown_field_is_shown_escaped() -> None:
    assert decoding('{"\\u001b\\n\\u0007\\u00a0\\ud800":1}') == 'json: unknown field "\\x1b\\n\\a\\u00a0\ufffd"'
    assert decoding('{"\\udb40\\udc01":1}') == 'json: unknown field "\\U000e0001"'


def test_the_last_of_a_repeated_field_wins_under_any_spelling() -> None:
    assert parse(with_fields('"nextStep":"a","NEXTSTEP":"b","decisions":["c","d"],"Decisions":["e"]')) == Checkpoint(
        next_step="b", decisions=["e"]
    )


def test_null_leaves_a_string_or_a_count_as_it_was_and_makes_a_list_absent() -> None:
    raw = '"nextStep":"a","nextStep":null,"version":null,"compactedTurnCount":3,"compactedTurnCount":null'
    assert parse(with_fields(raw)) == Checkpoint(next_step="a", compacted_turn_count=3)
    assert parse(with_fields('"decisions":["a"],"decisions":null')).decisions is None
    assert parse(with_fields('"decisions":[]')).decisions == ()


def test_null_in_a_list_is_an_empty_string() -> None:
    assert parse(with_fields('"decisions":[null,"a",null]')).decisions == ("", "a", "")


@pytest.mark.parametrize(
    ("lists", "left"),
    [
        (['["a","b"]', "[null]"], ("a",)),
        (['["a","b","c"]', '["x"]', '["y",null,null,null]'], ("y", "b", "c", "")),
        (['["a"]', "[]", "[null]"], ("",)),
        (['["a"]', "null", "[null]"], ("",)),
    ],
)
def test_null_in_a_repeated_list_keeps_what_the_slice_held_there(lists: list[str], left: tuple[str, ...]) -> None:
    assert parse(with_fields(",".join(f'"decisions":{items}' for items in lists))).decisions == left


@pytest.mark.parametrize("raw", ["null", "{}", '{"version":0}', '{"version":2}', '{"version":null}', "  null "])
def test_without_version_1_the_contract_is_broken(raw: str) -> None:
    assert refusal(raw) == BAD_CONTRACT


def test_a_negative_count_breaks_the_contract_and_minus_zero_does_not() -> None:
    assert refusal(with_fields('"compactedTurnCount":-1')) == BAD_CONTRACT
    assert parse(with_fields('"compactedTurnCount":-0')).compacted_turn_count == 0


def test_the_largest_count_is_that_of_64_bits() -> None:
    assert parse(with_fields('"compactedTurnCount":9223372036854775807')).compacted_turn_count == 2**63 - 1
    assert refusal(with_fields('"compactedTurnCount":-9223372036854775808')) == BAD_CONTRACT


@pytest.mark.parametrize(
    "number", ["1.0", "1e0", "1E+2", "-0.0", "9223372036854775808", "-9223372036854775809", "9" * 5000]
)
def test_a_number_not_written_as_an_integer_of_64_bits_is_a_fault_of_type(number: str) -> None:
    assert decoding(f'{{"version":{number}}}') == (
        f"json: cannot unmarshal number {number} into Go struct field Checkpoint.version of type int"
    )


@pytest.mark.parametrize(
    ("body", "noun", "field", "kind"),
    [
        ('"version":"1"', "string", "version", "int"),
        ('"version":true', "bool", "version", "int"),
        ('"version":{}', "object", "version", "int"),
        ('"nextStep":1', "number", "nextStep", "string"),
        ('"NextStep":["a"]', "array", "nextStep", "string"),
        ('"decisions":"a"', "string", "decisions", "[]string"),
        ('"decisions":{"a":[{}]}', "object", "decisions", "[]string"),
        ('"decisions":["a",1]', "number", "decisions", "string"),
        ('"decisions":[["a"]]', "array", "decisions", "string"),
    ],
)
def test_a_value_of_the_wrong_type_is_refused(body: str, noun: str, field: str, kind: str) -> None:
    fault = f"json: cannot unmarshal {noun} into Go struct field Checkpoint.{field} of type {kind}"
    assert decoding("{" + body + "}") == fault


@pytest.mark.parametrize(
    ("raw", "noun"), [("[]", "array"), ('"a"', "string"), ("1x", "number"), ("true false", "bool")]
)
def test_anything_but_an_object_is_a_fault_of_type_even_with_more_behind_it(raw: str, noun: str) -> None:
    assert decoding(raw) == f"json: cannot unmarshal {noun} into Go value of type agentcontext.Checkpoint"


@pytest.mark.parametrize("rest", ["x", "{}", '\n{"version":1}', "\n\nDone.", ",", "}", "\x00"])
def test_anything_after_the_object_is_trailing_data(rest: str) -> None:
    assert refusal('{"version":1}' + rest) == TRAILING
    assert refusal("null" + rest) == TRAILING


@pytest.mark.parametrize(
    ("escaped", "text"),
    [
        ("\\ud83d\\ude42", "🙂"),
        ("\\uD83D\\uDE42", "🙂"),
        ("\\uDBFF\\uDFFF\\ud800\\udc00", "\U0010ffff\U00010000"),
        ("\\ud83d", "\ufffd"),
        ("\\ude42", "\ufffd"),
        ("\\ude42\\ud83d", "\ufffd\ufffd"),
        ("\\ud83d\\ud83d\\ude42", "\ufffd🙂"),
        ("\\ud83d\\n", "\ufffd\n"),
        ("\\ud83d\\u0041", "\ufffdA"),
        ("\\\\ud83d\\ude42", "\\ud83d\ufffd"),
        ('\\u0000\\b\\f\\/\\"', '\x00\b\f/"'),
    ],
)
def test_escapes_are_read_with_lone_surrogates_replaced(escaped: str, text: str) -> None:
    assert parse(with_fields(f'"nextStep":"{escaped}"')).next_step == text


def test_ten_thousand_open_containers_are_read_and_one_more_is_refused() -> None:
    deepest = '{"x":' + "[" * (gojson.MAX_NESTING - 1)
    assert decoding(deepest + "]" * (gojson.MAX_NESTING - 1) + "}") == 'json: unknown field "x"'
    assert decoding(deepest + "[") == "invalid character '[' exceeded max depth"
    assert decoding('{"x":' * 11_000) == "invalid character '{' exceeded max depth"


def test_text_is_escaped_as_go_escapes_it() -> None:
    short_or_special = gojson.encode_string('<>&\u2028\u2029\n\r\t"\\')
    assert short_or_special == r'"\u003c\u003e\u0026\u2028\u2029\n\r\t\"\\"'
    assert gojson.encode_string("\b\f\x00\x1b") == r'"\u0008\u000c\u0000\u001b"'
    assert gojson.encode_string("\x7f/ é任🙂\ufffd") == '"\x7f/ é任🙂\ufffd"'
    assert gojson.encode_string("\ud800") == r'"\ufffd"'


TEXT = st.text(max_size=60)


@given(st.text(st.characters()))
def test_an_encoded_string_is_json_without_the_characters_that_must_be_escaped(text: str) -> None:
    written = gojson.encode_string(text)
    assert json.loads(written) == re.sub("[\ud800-\udfff]", "\ufffd", text)
    assert not re.search("[<>&\u2028\u2029\x00-\x1f\ud800-\udfff]", written)
    assert all(
        re.fullmatch(r"u(00[01][0-9a-f]|003c|003e|0026|2028|2029|fffd)|[nrt\"\\]", escape)
        for escape in re.findall(r"\\(u....|.)", written)
    )


def python_reads(text: str) -> bool:
    def refuse(name: str) -> None:
        raise ValueError(name)

    try:
        json.loads(text, parse_constant=refuse)
    except ValueError:
        return False
    return True


@given(st.lists(SMALL_PIECES | st.text(max_size=2), max_size=12).map("".join))
def test_the_scanner_takes_just_the_arrays_that_the_standard_library_takes(inside: str) -> None:
    text = f"[{inside}]"
    try:
        taken = gojson.scan(text)[1] == len(text)
    except gojson.GoJSONError:
        taken = False
    assert taken == python_reads(text)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
        lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner),
    ),
    st.sampled_from([None, 1]),
)
def test_the_scanner_reads_any_json_value_to_its_end(value: object, indent: int | None) -> None:
    text = json.dumps(value, indent=indent)
    assert gojson.scan(f" {text}")[1] == len(text) + 1


@given(st.text('\\ud8dcb/3e42n"', max_size=30))
def test_escapes_read_as_the_standard_library_reads_them_but_for_lone_surrogates(body: str) -> None:
    literal = f'"{body}"'
    assume(python_reads(literal))
    assert gojson.unquote(literal) == re.sub("[\ud800-\udfff]", "\ufffd", json.loads(literal))
