"""Salvage: what is whole is read, what is damaged is named with its line and byte."""

import gc
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.formats.format import LOST, Recording, UnreadableSession
from inspector.formats.records import salvage

LINES = [{"type": "note", "id": n, "text": f"line {n} — ok"} for n in range(5)]
RAW_LINES = [json.dumps(line, ensure_ascii=False).encode() for line in LINES]
MESSAGES = [
    {"role": "user", "content": "What grows here?"},
    {"role": "assistant", "content": "Quince [and] {rhubarb}", "tool_calls": [{"id": "a", "function": {"name": "f"}}]},
    {"role": "tool", "tool_call_id": "a", "content": 'a "quoted" word \\ and é'},
    {"role": "assistant", "content": "Done."},
]


def read(raw: bytes | str) -> Recording:
    return salvage(raw.encode() if isinstance(raw, str) else raw, "file.json")


def codes(recording: Recording) -> list[str]:
    return [finding.code for finding in recording.damage]


def values(recording: Recording) -> list[object]:
    return [record.value for record in recording.records]


def lines_with(damaged: bytes, at: int = 2) -> bytes:
    return b"\n".join([*RAW_LINES[:at], damaged, *RAW_LINES[at + 1 :]]) + b"\n"


def test_one_value_is_a_document() -> None:
    assert read('{"a": 1}').document == {"a": 1}
    assert read("[]").document == []


def test_a_printed_object_is_one_value_and_lines_are_lines() -> None:
    assert read(json.dumps({"messages": MESSAGES}, indent=2)).document == {"messages": MESSAGES}
    recording = read(b"\n".join(RAW_LINES))
    assert recording.lines
    assert values(recording) == LINES
    assert [record.line for record in recording.records] == [0, 1, 2, 3, 4]
    assert recording.records[1].byte == len(RAW_LINES[0]) + 1


def test_blank_lines_and_crlf_are_no_damage_and_count_as_lines() -> None:
    recording = read(RAW_LINES[0] + b"\r\n\r\n\r\n" + RAW_LINES[1] + b"\r\n")
    assert [record.line for record in recording.records] == [0, 3]
    assert not recording.damage


def test_line_separators_of_unicode_do_not_end_a_line() -> None:
    recording = read('{"t": "a\u2028b\u2029c\x85d"}\n{"t": "e"}\n')
    assert values(recording) == [{"t": "a\u2028b\u2029c\x85d"}, {"t": "e"}]
    assert not recording.damage


@pytest.mark.parametrize("body", [b'{"a": 1}', b"\n".join(RAW_LINES)])
def test_a_byte_order_mark_is_named_and_nothing_is_lost(body: bytes) -> None:
    recording = read(b"\xef\xbb\xbf" + body)
    assert codes(recording) == ["bom"]
    finding = recording.damage[0]
    assert (finding.severity, finding.message_index, finding.pointer, finding.byte) == ("info", None, "", 0)
    assert recording.document == {"a": 1} or values(recording) == LINES


@pytest.mark.parametrize("raw", [b"", b" \r\n", b"\xef\xbb\xbf"])
def test_an_empty_file_is_refused_with_its_finding(raw: bytes) -> None:
    with pytest.raises(UnreadableSession, match=r"^file\.json: the file (is empty|holds nothing)") as refused:
        read(raw)
    assert refused.value.finding is not None
    assert (refused.value.finding.code, refused.value.finding.severity) == ("empty-file", "error")


def test_a_file_of_nul_bytes_is_refused() -> None:
    with pytest.raises(UnreadableSession, match="nothing but NUL bytes"):
        read(b"\0" * 300)


@pytest.mark.parametrize(("raw", "kind"), [("1", "number"), ('"x"', "string"), ("null", "null"), ("true", "boolean")])
def test_a_bare_scalar_is_refused(raw: str, kind: str) -> None:
    with pytest.raises(UnreadableSession, match=f"a bare JSON {kind}"):
        read(raw)


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b"PK\x03\x04rest", "zip"),
        (b"SQLite format 3\0rest", "SQLite"),
        (bytes(range(256)) * 9, "binary"),
        (b"\xff\xfe{\0}\0", "UTF-16"),
        (b"just some words\nand more\n", "no JSON"),
    ],
)
def test_what_is_no_json_is_refused_with_its_kind(raw: bytes, why: str) -> None:
    with pytest.raises(UnreadableSession, match=why):
        read(raw)


def test_a_cut_last_line_is_set_aside() -> None:
    raw = b"\n".join(RAW_LINES)
    for cut in range(1, len(RAW_LINES[-1]) - 1):
        recording = read(raw[:-cut])
        assert values(recording) == LINES[:-1]
        (finding,) = recording.damage
        assert (finding.code, finding.message_index, finding.pointer, finding.line) == ("truncated-record", 4, "/4", 5)
        assert finding.byte == raw.index(RAW_LINES[4])


def test_a_cut_line_in_the_middle_hides_nothing_after_it() -> None:
    for cut in range(1, len(RAW_LINES[2]) - 1):
        recording = read(lines_with(RAW_LINES[2][:-cut]))
        assert values(recording) == LINES[:2] + LINES[3:]
        assert codes(recording) == ["truncated-record"]


def test_nul_bytes_are_dropped_and_named_once_a_line() -> None:
    recording = read(lines_with(b"\0" * 400))
    assert values(recording) == LINES[:2] + LINES[3:]
    assert codes(recording) == ["nul-bytes"]
    recording = read(lines_with(b"\0\0" + RAW_LINES[2].replace(b"ok", b"o\0\0k")))
    assert values(recording) == LINES
    (finding,) = recording.damage
    assert (finding.code, finding.line, finding.byte) == ("nul-bytes", 3, len(RAW_LINES[0]) + len(RAW_LINES[1]) + 2)


def test_glued_records_are_all_kept() -> None:
    recording = read(lines_with(RAW_LINES[2] + RAW_LINES[3] + b" " + RAW_LINES[4]))
    assert values(recording) == [*LINES, *LINES[3:]]
    (finding,) = recording.damage
    assert (finding.code, finding.pointer, finding.line) == ("glued-records", "/2", 3)
    assert [record.line for record in recording.records] == [0, 1, 2, 2, 2, 3, 4]


def test_glued_records_on_the_only_line_are_all_kept() -> None:
    recording = read(RAW_LINES[0] + RAW_LINES[1])
    assert values(recording) == LINES[:2]
    assert codes(recording) == ["glued-records"]


def test_a_whole_record_behind_a_piece_of_one_is_kept() -> None:
    for cut in range(RAW_LINES[2].index(b', "text"'), len(RAW_LINES[2])):
        recording = read(lines_with(RAW_LINES[2][:cut] + RAW_LINES[2]))
        assert values(recording) == LINES, cut
        assert codes(recording) == ["glued-records"]


def test_an_object_inside_a_cut_record_is_no_record() -> None:
    cut = b'{"type": "user", "message": {"type": "text", "text": "hi"}'
    recording = read(lines_with(cut))
    assert values(recording) == LINES[:2] + LINES[3:]
    assert codes(recording) == ["truncated-record"]


def test_a_piece_behind_a_whole_record_is_set_aside() -> None:
    recording = read(lines_with(RAW_LINES[2] + RAW_LINES[2][:9]))
    assert values(recording) == LINES
    assert codes(recording) == ["glued-records"]


def test_a_record_split_by_raw_line_feeds_is_joined() -> None:
    split = b'{"type": "note", "id": 2, "text": "one\ntwo\n\nthree"}'
    recording = read(lines_with(split))
    assert values(recording) == [*LINES[:2], {"type": "note", "id": 2, "text": "one\ntwo\n\nthree"}, *LINES[3:]]
    (finding,) = recording.damage
    assert (finding.code, finding.pointer, finding.line) == ("split-record", "/2", 3)
    assert [record.line for record in recording.records] == [0, 1, 2, 6, 7]


def test_an_unparseable_line_is_named_by_line_and_byte() -> None:
    recording = read(lines_with(b'{"type": note, "id": 2}'))
    assert values(recording) == LINES[:2] + LINES[3:]
    (finding,) = recording.damage
    assert (finding.code, finding.severity, finding.line) == ("unparseable-record", "warning", 3)
    assert finding.byte == len(RAW_LINES[0]) + len(RAW_LINES[1]) + 2 + 9


def test_bytes_that_are_no_utf8_become_one_replacement_each() -> None:
    recording = read(lines_with('{"id": 2, "text": "é '.encode() + b"\xff\xe2\x82" + b'"}'))
    assert values(recording)[2] == {"id": 2, "text": "é \ufffd\ufffd\ufffd"}
    (finding,) = recording.damage
    assert (finding.code, finding.line) == ("invalid-utf8", 3)
    assert finding.byte == len(RAW_LINES[0]) + len(RAW_LINES[1]) + 2 + 22


@pytest.mark.parametrize("wrap", ["{}", '{{"messages": [{}]}}\n', '[{}, {{"a": "b"}}]'])
def test_a_lone_surrogate_survives_and_is_named(wrap: str) -> None:
    recording = read(wrap.format('{"text": "\\ud83d cut", "pair": "\\ud83d\\ude00"}'))
    body = recording.document
    while "text" not in body:
        body = body[0] if isinstance(body, list) else body["messages"]
    assert body == {"text": "\ud83d cut", "pair": "😀"}
    (finding,) = recording.damage
    assert (finding.code, finding.severity) == ("lone-surrogate", "error")
    assert finding.pointer.endswith("/text")


def test_constants_that_are_no_json_are_named_by_pointer() -> None:
    recording = read('{"messages": [{"role": "user", "n": [1, NaN]}, {"role": "x", "a/b": -Infinity, "c": 1e999}]}')
    assert codes(recording) == ["nonstandard-json-constant"] * 3
    assert [(finding.pointer, finding.message_index) for finding in recording.damage] == [
        ("/messages/0/n/1", 0),
        ("/messages/1/a~1b", 1),
        ("/messages/1/c", 1),
    ]
    assert recording.damage[0].byte == 14


def test_integers_beyond_64_bits_and_double_keys_are_named_where_the_lenient_reader_runs() -> None:
    digits = "9" * 5000
    recording = read(f'{{"a": NaN, "b": {1 << 64}, "c": {digits}, "d": {{"e": 1, "e": null}}, "a": 2}}')
    assert recording.document == {"a": 2, "b": 1 << 64, "c": digits, "d": {"e": None}}
    assert type(recording.document["c"]) is str
    assert type(recording.document["d"]) is dict
    found = [(finding.code, finding.pointer) for finding in recording.damage]
    assert ("big-integer", "/b") in found
    assert ("big-integer", "/c") in found
    assert ("duplicate-json-key", "/d/e") in found
    assert ("duplicate-json-key", "/a") in found


def deep(levels: int) -> str:
    return "[" * levels + "]" * levels


def test_what_is_nested_too_deep_is_kept_as_its_raw_text() -> None:
    line = f'{{"id": 2, "deep": {deep(5000)}, "text": "after"}}'
    recording = read(lines_with(line.encode()))
    assert len(recording.records) == 5
    value = recording.records[2].value
    assert value["text"] == "after"
    levels = 0
    while isinstance(value, (list, dict)):
        value = value["deep"] if isinstance(value, dict) else value[0]
        levels += 1
    assert levels == 512
    assert value == deep(5000 - 511)
    (finding,) = recording.damage
    assert (finding.code, finding.line, finding.pointer) == ("too-deep", 3, "/2/deep" + "/0" * 511)


def test_a_document_nested_too_deep_loads() -> None:
    recording = read(f'{{"messages": [{{"role": "user", "content": {deep(100_000)}}}, {{"role": "user"}}]}}')
    assert recording.document["messages"][1] == {"role": "user"}
    assert codes(recording) == ["too-deep"]


@pytest.mark.parametrize("indent", [None, 0, 2])
def test_a_cut_document_keeps_every_whole_message(indent: int | None) -> None:
    raw = json.dumps({"model": "m", "messages": MESSAGES}, indent=indent, ensure_ascii=False).encode()
    ends = [raw.index(mark) for mark in (b"here?", b'"name"', b"quoted", b"Done.")]
    for cut in range(raw.index(b"here?"), len(raw)):
        recording = read(raw[:cut])
        whole = sum(end < cut for end in ends)
        kept = recording.document["messages"]
        assert kept == MESSAGES[: len(kept)]
        assert whole - 1 <= len(kept) <= whole
        (finding,) = recording.damage
        assert finding.code == "truncated-record"
        assert finding.byte is not None
        assert finding.byte <= cut
        if len(kept) < whole:
            assert (finding.pointer, finding.message_index) == (f"/messages/{len(kept)}", len(kept))


def test_a_document_cut_inside_a_nested_conversation_keeps_its_messages() -> None:
    raw = json.dumps([{"id": 1, "messages": MESSAGES}, {"id": 2, "messages": MESSAGES}])
    recording = read(raw[: raw.rindex("Done.")])
    assert recording.document == [{"id": 1, "messages": MESSAGES}, {"id": 2, "messages": MESSAGES[:3]}]
    assert [finding.pointer for finding in recording.damage] == ["/1/messages/3"]


@pytest.mark.parametrize("indent", [None, 2])
def test_a_broken_message_in_a_document_leaves_the_others_in_their_places(indent: int | None) -> None:
    text = json.dumps({"messages": MESSAGES, "model": "m"}, indent=indent)
    recording = read(text.replace('"rhubarb', "#").replace('{rhubarb}"', "{rhubarb}#"))
    assert recording.document == {"messages": [MESSAGES[0], LOST, *MESSAGES[2:]], "model": "m"}
    (finding,) = recording.damage
    assert (finding.code, finding.pointer, finding.message_index) == ("unparseable-record", "/messages/1", 1)


def test_nul_bytes_and_bad_bytes_in_a_document_are_named_by_byte() -> None:
    raw = json.dumps({"messages": MESSAGES}, ensure_ascii=False).encode()
    raw = raw.replace(b"Quince", b"Qu\0\0ince").replace(b"Done", b"D\xe2ne")
    recording = read(raw)
    assert recording.document["messages"][1] == MESSAGES[1]
    assert recording.document["messages"][3]["content"] == "D\ufffdne."
    assert [(finding.code, finding.pointer, finding.byte) for finding in recording.damage] == [
        ("nul-bytes", "", raw.index(b"\0")),
        ("invalid-utf8", "/messages/3", raw.index(b"\xe2ne")),
    ]


def test_values_printed_over_lines_one_after_the_other_are_records() -> None:
    recording = read("\n".join(json.dumps(line, indent=2) for line in LINES))
    assert values(recording) == LINES
    assert [record.line for record in recording.records] == [0, 5, 10, 15, 20]


def test_many_damaged_lines_are_named_up_to_a_bound() -> None:
    recording = read(b"\n".join([*RAW_LINES, *[b"x"] * 3000]))
    assert values(recording) == LINES
    assert len(recording.damage) == 1001
    assert "2,000 more" in recording.damage[-1].says


def test_the_garbage_collector_is_as_it_was() -> None:
    assert gc.isenabled()
    read("[1]")
    assert gc.isenabled()
    gc.disable()
    try:
        read("[1]")
        assert not gc.isenabled()
    finally:
        gc.enable()


DOCUMENT = json.dumps({"messages": MESSAGES}).encode()
JSON_LINES = b"\n".join(RAW_LINES)


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    raw = bytearray(draw(st.sampled_from([DOCUMENT, JSON_LINES, json.dumps(MESSAGES, indent=1).encode()])))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(raw)))
        match draw(st.integers(0, 3)):
            case 0:
                del raw[at:]
            case 1:
                raw[at : at + draw(st.integers(1, 20))] = b""
            case 2:
                raw[at:at] = draw(
                    st.binary(max_size=6) | st.sampled_from([b'"', b"{", b"]", b"\\", b"\n", b"\0", b"NaN"])
                )
            case 3:
                raw[at:at] = raw[at // 2 : at]
    return bytes(raw)


@given(mutated())
def test_no_damage_raises_anything_but_the_refusal(raw: bytes) -> None:
    try:
        recording = read(raw)
    except UnreadableSession as refused:
        assert str(refused).startswith("file.json: ")  # noqa: PT017
    else:
        assert recording.lines or isinstance(recording.document, (dict, list))
        for finding in recording.damage:
            assert finding.says
            assert finding.byte is None or 0 <= finding.byte <= len(raw)


@given(st.integers(0, 4), st.data())
def test_damage_to_one_line_loses_no_other(at: int, data: st.DataObject) -> None:
    line = bytearray(RAW_LINES[at])
    place = data.draw(st.integers(0, len(line)))
    # neither a line feed nor a quote, which may make the line run on into the next one
    line[place : place + data.draw(st.integers(1, 5))] = data.draw(st.sampled_from([b"", b"}", b"\xff", b"#", b"]"]))
    recording = read(lines_with(bytes(line), at))
    kept = [value for value in values(recording) if value in LINES]
    assert [value for value in kept if value != LINES[at]] == LINES[:at] + LINES[at + 1 :]
