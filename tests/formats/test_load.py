"""Loading: by path, bytes or messages; every refusal is one sentence that names the file."""

import csv
import gzip
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import inspector
from inspector.formats import (
    FORMATS,
    UnreadableSession,
    conversations,
    conversations_in,
    damage_of,
    files,
    from_messages,
    load,
    load_bytes,
)
from inspector.message import calls_of, image_count
from tests.shared import SHARED, needs_shared

TALK = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Zażółć 🦊"},
    {"role": "assistant", "content": None, "tool_calls": [{"id": "a", "function": {"name": "f", "arguments": "{}"}}]},
    {"role": "tool", "tool_call_id": "a", "content": "done"},
]
SAMPLES = sorted(
    path for path in (Path(__file__).parents[2] / "sample_sessions").iterdir() if path.suffix in (".json", ".jsonl")
)


def written(tmp_path: Path, raw: bytes) -> Path:
    path = tmp_path / "session.json"
    path.write_bytes(raw)
    return path


def refusal(call: Callable[[], object]) -> UnreadableSession:
    with pytest.raises(UnreadableSession) as refused:
        call()
    sentence = str(refused.value)
    assert sentence
    assert "\n" not in sentence
    return refused.value


def test_the_names_of_the_package_are_there() -> None:
    assert set(inspector.__all__) >= {"load", "from_messages", "compact", "UnreadableSession"}
    assert inspector.load is load
    assert inspector.UnreadableSession is UnreadableSession
    with pytest.raises(AttributeError, match="no attribute 'lood'"):
        _ = inspector.lood  # type: ignore[attr-defined]


def test_importing_the_package_imports_nothing_else() -> None:
    script = "import sys, inspector; print(sorted(m for m in sys.modules if m.startswith(('inspector.', 'orjson'))))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_path_may_be_text_or_path(tmp_path: Path) -> None:
    path = written(tmp_path, json.dumps({"model": "m", "messages": TALK}).encode())
    for given_path in (path, str(path)):
        session = load(given_path)
        assert session.messages == TALK
        assert (session.file, session.name, session.model) == (str(path), "session.json", "m")
        assert list(session.source) == [0, 1, 2, 3]


def test_bytes_carry_the_name_they_are_given() -> None:
    assert load_bytes(json.dumps(TALK).encode(), "-").file == "-"


def test_messages_of_a_caller_are_not_copied() -> None:
    session = from_messages(TALK)
    assert session.messages is TALK
    assert session.origin(3).pointer == "/3"
    assert len(from_messages([])) == 0
    assert len(from_messages([{}])) == 1


@pytest.mark.parametrize("wrong", [None, 5, "text", {"messages": []}, [1], [{}, None]])
def test_anything_but_a_list_of_dicts_is_a_type_error(wrong: object) -> None:
    with pytest.raises(TypeError, match="must be a list of dicts"):
        from_messages(wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("index", [-1, 2, 10**6])
def test_an_index_out_of_range_says_how_many_there_are(index: int) -> None:
    raw = json.dumps([{"messages": TALK}, {"messages": TALK}]).encode()
    assert load_bytes(raw, "x", index=1).index == 1
    assert "2 conversations, numbered 0 to 1" in str(refusal(lambda: load_bytes(raw, "x", index=index)))
    assert "one conversation" in str(refusal(lambda: load_bytes(json.dumps(TALK).encode(), "x", index=3)))


def test_the_damage_of_a_file_is_told_once_whatever_it_holds(tmp_path: Path) -> None:
    talks = [{"messages": [{"role": "user", "content": "hi", "x": "@"}, number]} for number in range(3)]
    raw = json.dumps(talks).encode().replace(b"@", b"\xff", 1)
    found = damage_of(conversations_in(raw, "x"))
    assert [(one.code, one.pointer, one.row) for one in found] == [
        ("invalid-utf8", "/0", None),
        *(("unparseable-record", f"/{number}/messages/1", None) for number in range(3)),
    ]
    found = damage_of(conversations_in(b"\n".join(json.dumps(talk).encode() for talk in TALK) + b"\n{", "x"))
    assert [(one.code, one.line, one.row) for one in found] == [("truncated-record", 5, None)]


@pytest.mark.parametrize("raw", [b'{"a\\n\\u001b[31m": tru}', b'{"a\\nb": {"c": [1,,2]}}'])
def test_a_refusal_is_one_line_whatever_the_file_and_its_keys_are_called(raw: bytes) -> None:
    sentence = str(refusal(lambda: load_bytes(raw, "x\n\x1b[2J.json")))
    assert sentence.isprintable()
    assert "damaged: " in sentence


def test_an_unknown_format_names_the_known_ones() -> None:
    raw = json.dumps(TALK).encode()
    assert "did you mean openai_chat?" in str(refusal(lambda: load_bytes(raw, "x", format="openai-chat")))
    sentence = str(refusal(lambda: load_bytes(raw, "x", format="zzz")))
    assert f"lists the {len(FORMATS)} there are" in sentence


@pytest.mark.parametrize("format", [format.name for format in FORMATS])
@pytest.mark.parametrize(
    "raw", [b'{"messages": 5}', b"[1]", b'{"a": {"b": [{"role": "user"}]}}', b"{}\n{}", b"[[[{}]]]"]
)
def test_a_forced_format_that_does_not_fit_is_one_sentence(format: str, raw: bytes) -> None:
    try:
        session = load_bytes(raw, "x", format=format)
    except UnreadableSession as refused:
        assert str(refused).startswith("x: ")  # noqa: PT017
    else:
        assert not session.messages


def test_a_forced_format_reads_what_another_is_recognised_first_for() -> None:
    assert load_bytes(json.dumps(TALK[:2]).encode(), "x", format="ollama").format == "ollama"


def test_what_cannot_be_opened_is_one_sentence(tmp_path: Path) -> None:
    assert "no such file" in str(refusal(lambda: load(tmp_path / "missing.json")))
    assert "folder" in str(refusal(lambda: load(tmp_path)))
    refusal(lambda: load("a\0b"))
    refusal(lambda: load("x" * 5000))


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no device files here")
def test_a_device_is_not_read() -> None:
    assert "device" in str(refusal(lambda: load("/dev/zero")))


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_one_sentence(tmp_path: Path) -> None:
    path = written(tmp_path, b"[]")
    path.chmod(0)
    assert "may not read" in str(refusal(lambda: load(path)))


@pytest.mark.parametrize("raw", [b"", b"17", b'"text"', b"null", b"[]", b"{}", bytes(range(256)) * 20, b"not json"])
def test_a_file_without_a_session_is_one_sentence(tmp_path: Path, raw: bytes) -> None:
    path = written(tmp_path, raw)
    assert str(refusal(lambda: load(path))).startswith(str(path))


def test_an_empty_file_carries_its_finding(tmp_path: Path) -> None:
    finding = refusal(lambda: load(written(tmp_path, b""))).finding
    assert finding is not None
    assert finding.code == "empty-file"


def test_a_file_cut_before_its_first_whole_message_is_refused(tmp_path: Path) -> None:
    refused = refusal(lambda: load(written(tmp_path, b'{"messages": [{"role": "us')))
    assert refused.finding is not None
    assert refused.finding.code == "truncated-record"


def test_gzip_is_read_and_a_bomb_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = json.dumps(TALK).encode()
    assert load_bytes(gzip.compress(raw), "x").messages == TALK
    assert load_bytes(gzip.compress(raw[:40]) + gzip.compress(raw[40:]), "x").messages == TALK
    assert "gzip" in str(refusal(lambda: load_bytes(b"\x1f\x8bnonsense", "x")))
    monkeypatch.setattr(files, "UNPACKED_LIMIT", 1 << 20)
    assert "more than 1 MiB" in str(refusal(lambda: load_bytes(gzip.compress(b" " * (1 << 21)), "x")))


def test_a_cut_gzip_file_loads_what_it_holds() -> None:
    import random

    noise = random.Random(1)
    talk = [{"role": "user", "content": f"{noise.random()}" * 20} for _ in range(200)]
    packed = gzip.compress(json.dumps(talk).encode())
    session = load_bytes(packed[: len(packed) // 2], "x")
    assert 0 < len(session) < 200
    assert session.messages == talk[: len(session)]
    assert [finding.code for finding in session.damage] == ["truncated-record"]


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_every_sample_loads(path: Path) -> None:
    session = load(path)
    assert len(session) > 0
    assert session.origin(len(session) - 1).pointer


FILES = [
    json.dumps({"model": "m", "messages": TALK}).encode(),
    json.dumps(TALK, indent=1, ensure_ascii=False).encode(),
    b"\n".join(json.dumps({"messages": TALK[: n + 1]}).encode() for n in range(4)),
    b"\n".join(json.dumps(body, ensure_ascii=False).encode() for body in TALK),
]


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    raw = bytearray(draw(st.sampled_from(FILES)))
    for _ in range(draw(st.integers(1, 5))):
        at = draw(st.integers(0, len(raw)))
        match draw(st.integers(0, 2)):
            case 0:
                del raw[at:]
            case 1:
                raw[at : at + draw(st.integers(0, 9))] = draw(st.binary(max_size=3))
            case 2:
                raw[at:at] = draw(st.sampled_from([b"null", b"{}", b"[]", b",", b'"', b'{"role":"user"}', b"\n"]))
    return bytes(raw)


@given(mutated())
def test_a_damaged_file_loads_or_is_refused(raw: bytes) -> None:
    try:
        session = load_bytes(raw, "x.json")
    except UnreadableSession as refused:
        assert refused.__cause__ is None, refused.__cause__  # noqa: PT017
    else:
        for row in range(len(session)):
            assert isinstance(session.message(row).role, str)
            assert session.origin(row).pointer


def _figures(path: Path) -> dict[str, int]:
    opened = conversations(path)
    bodies = [body for one in opened.conversations for body in (*one.messages, *one.abandoned)]
    return {
        "conversations": len(opened.conversations),
        "tool_calls": sum(len(calls_of(body)) for body in bodies),
        "tool_results": sum(body.get("role") == "tool" for body in bodies),
        "images": sum(map(image_count, bodies)),
    }


@needs_shared
@pytest.mark.parametrize("format", ["openai_chat", "openai_batch", "ollama"])
def test_recorded_files_have_the_figures_of_their_index(format: str) -> None:
    with (SHARED / "sessions" / "INDEX.tsv").open(encoding="utf8") as index:
        rows = [row for row in csv.DictReader(index, delimiter="\t") if row["format"] == format]
    assert rows
    for row in rows:
        figures = _figures(SHARED / "sessions" / row["file"])
        assert figures == {name: int(row[name]) for name in figures}, row["file"]
