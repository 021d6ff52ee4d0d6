"""Every format under every damage: nothing but a refusal in one sentence, and the rest of the file is read.

The mutations are drawn by a `random.Random` that hypothesis seeds: a draw for each would take most of the time.
"""

import json
import random
from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.formats import FORMATS, UnreadableSession, conversations, conversations_in, load, load_bytes, session_of
from inspector.message import Session
from tests.formats.damaged import places
from tests.formats.indexed import rows_of
from tests.formats.seeds import SEEDS, Seed, folders, packed
from tests.shared import SHARED

NAMES = [format.name for format in FORMATS]
ODD: tuple[Any, ...] = (
    None, True, 0, -1, 1 << 70, 10**400, 1.5, 1e300, float("nan"), float("inf"), "", "x", "\ud800", "a\u2028b", "{", [],
    [[]], [None], [1, "x"], {}, [{}], {"type": []}, {"role": {}}, {"a": {"b": []}}, {"text": 1}, {"type": "text"},
)  # fmt: skip
RAW = (
    b"[" * 5000 + b"]" * 5000, b"[" * 900 + b"]" * 900, b'{"content":' * 5000 + b"1" + b"}" * 5000, b"9" * 5000,
    b'{"a":1,"a":[]}', b"-Infinity", b"1e999", b'"' + b"x" * 50_000 + b'"', b'"\xe2\x80\xa8"', b'"\xff\xfe"',
    b'"\\ud83d"',
    b'"' + b"<details type=" * 2000 + b'"',
)  # fmt: skip
BYTES = (
    b'"', b"{", b"]", b"\\", b"\n", b"\r\n", b"\0" * 300, b"NaN", b"\xff", b"\xe2\x80\xa8", b"\xed\xa0\xbd",
    b"\xef\xbb\xbf",
    b"null", b",", b"{}", b"[]", b'{"role":"user"}',
)  # fmt: skip
MARK = "@@@@"


def spoilt_values(chance: random.Random, seed: Seed) -> bytes:
    """The recording with values of other types, left out, doubled, put elsewhere, or raw pieces in their place."""
    made = deepcopy(list(seed.values))
    for _ in range(chance.randint(1, 4)):
        found = places(made)
        if not found:
            break
        holder, key = chance.choice(found)
        match chance.randint(0, 6):
            case 0 | 1 | 2:
                holder[key] = deepcopy(chance.choice(ODD))
            case 3:
                del holder[key]
            case 4 if isinstance(holder, list):
                holder.insert(key, deepcopy(holder[key]))
            case 5:
                other, inner = chance.choice(found)
                holder[key] = deepcopy(other.get(inner) if isinstance(other, dict) else other[inner : inner + 1])
            case _:
                holder[key] = MARK
    return seed.printed(made or [{}]).replace(json.dumps(MARK).encode(), chance.choice(RAW))


def spoilt_bytes(chance: random.Random, raw: bytes, other: bytes) -> bytes:
    """The bytes cut, left out, flipped, doubled, put in, or going on as another file does."""
    made = bytearray(raw)
    for _ in range(chance.randint(1, 3)):
        at = chance.randint(0, len(made))
        match chance.randint(0, 6):
            case 0:
                del made[at:]
            case 1:
                del made[at : at + chance.randint(1, 30)]
            case 2 if at < len(made):
                made[at] ^= 1 << chance.randint(0, 7)
            case 3:
                made[at:] = other[chance.randint(0, len(other)) :]
            case 4:
                made[at:at] = made[at // 2 : at]
            case 5:
                made = bytearray(made.replace(b"\n", b"\r\n"))
            case _:
                made[at:at] = chance.choice(BYTES)
    return bytes(made)


@cache
def seeds_of(name: str) -> tuple[bytes | Seed, ...]:
    """The seeds of a format, and of the public recordings those that are small."""
    public = [SHARED / "sessions" / row["file"] for row in rows_of(name)]
    small = [path.read_bytes() for path in public if path.is_file() and path.stat().st_size < 20_000]
    return (*SEEDS[name], *([packed()[name]] if name in packed() else []), *small)


def spoil(chance: random.Random, name: str) -> bytes:
    seed = chance.choice(seeds_of(name))
    other = chance.choice(seeds_of(chance.choice(NAMES)))
    last = other.printed() if isinstance(other, Seed) else other
    if not isinstance(seed, Seed):
        return spoilt_bytes(chance, seed, last)
    if chance.random() < 0.7:
        return spoilt_values(chance, seed)
    return spoilt_bytes(chance, seed.printed(), last)


def check(raw: bytes, form: str | None) -> None:
    """Loading gives sessions that hold together, or a refusal in one sentence, and no reader raised anything else."""
    try:
        opened = conversations_in(raw, "made", form)
    except UnreadableSession as refused:
        assert str(refused).startswith("made: ")  # noqa: PT017
        assert len(str(refused)) < 500  # noqa: PT017
        assert "\n" not in str(refused)  # noqa: PT017
        assert refused.__cause__ is None or isinstance(refused.__cause__, RecursionError), repr(refused.__cause__)  # noqa: PT017
        return
    for number, one in enumerate(opened.conversations[:4]):
        session = session_of(opened, "made", number)
        check_session(session)
        for branch in range(min(2, len(one.branches))):
            check_session(session_of(opened, "made", number, branch))


def check_session(session: Session) -> None:
    rows = len(session)
    for row in range(rows):
        assert isinstance(session.message(row).role, str)
        assert isinstance(session.origin(row).pointer, str)
    for used in session.usage:
        assert 0 <= used.row < rows
        assert {type(used.input), type(used.cached), type(used.output)} == {int}
    for one in session.compactions:
        assert 0 <= one.row <= rows
        assert all(0 <= row < one.row for row in one.kept)
        assert isinstance(one.kind, str)
    assert isinstance(session.title, str)
    assert session.model is None or isinstance(session.model, str)
    assert all(isinstance(tool, dict) for tool in session.tools)
    assert all(found.says and (found.row is None or 0 <= found.row < rows) for found in session.damage)
    assert len(session.columns.chars) == rows


@pytest.mark.parametrize("name", NAMES)
def test_every_format_has_a_recording_here_and_knows_it(name: str) -> None:
    made = [seed.printed() if isinstance(seed, Seed) else seed for seed in seeds_of(name)]
    assert {conversations_in(raw, "made").format.name for raw in made} | {name} == {name} or name == "opencode_storage"
    assert made


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=40)
@given(number=st.integers(0, 2**32))
def test_whatever_is_spoilt_the_rest_loads_or_one_sentence_refuses(name: str, number: int) -> None:
    chance = random.Random(number)
    raw = spoil(chance, name)
    check(raw, None)
    check(raw, chance.choice([name, name, *NAMES]))


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=10)
@given(number=st.integers(0, 2**32))
def test_links_that_lead_anywhere_end(name: str, number: int) -> None:
    chance = random.Random(number)
    for seed in SEEDS[name]:
        made = deepcopy(list(seed.values))
        found = [(holder, key) for holder, key in places(made) if isinstance(key, str) and is_link(key)]
        ids = [holder[key] for holder, key in found if isinstance(holder[key], str)]
        for holder, key in found:
            if chance.random() < 0.5 and ids:
                holder[key] = chance.choice(ids)
        check(seed.printed(made), None)
        check(seed.printed(made), name)


def is_link(key: str) -> bool:
    return key.lower().endswith(("id", "uuid", "parent", "node", "leaf")) or key == "children"


# the damage that is the same in every format


def whole(name: str, *, lines: bool) -> list[Seed]:
    return [seed for seed in SEEDS[name] if seed.lines is lines and (not lines or len(seed.values) > 1)]


def of_lines() -> Iterator[Any]:
    return (pytest.param(seed, id=f"{name}-{at}") for name in NAMES for at, seed in enumerate(whole(name, lines=True)))


def of_documents() -> Iterator[Any]:
    return (pytest.param(seed, id=f"{name}-{at}") for name in NAMES for at, seed in enumerate(whole(name, lines=False)))


def told(raw: bytes) -> tuple[str, list[Any]]:
    opened = conversations_in(raw, "made")
    return opened.format.name, [list(one.messages) for one in opened.conversations]


@pytest.mark.parametrize("seed", of_lines())
def test_damage_between_lines_is_named_by_line_and_byte_and_changes_no_message(seed: Seed) -> None:
    raw, right = seed.printed(), told(seed.printed())
    first = raw.index(b"\n") + 1
    for spoil, code, line, byte in (
        (b"\xef\xbb\xbf" + raw, "bom", None, 0),
        (raw[:first] + b"\0" * 300 + b"\n" + raw[first:], "nul-bytes", 2, first),
        (raw[:first] + b"} no JSON\n" + raw[first:], "unparseable-record", 2, first),
        (raw[:first] + b'{"type": "us\n' + raw[first:], "truncated-record", 2, first),
        (raw.replace(b"\n", b"", 1), "glued-records", 1, 0),
    ):
        opened = conversations_in(spoil, "made")
        named = [(one.line, one.byte) for one in opened.damage if one.code == code]
        assert named == [(line, byte)], code
        assert told(spoil) == right, code
    assert told(raw.replace(b"\n", b"\r\n")) == right
    assert not conversations_in(raw.replace(b"\n", b"\r\n"), "made").damage


@pytest.mark.parametrize("seed", of_documents())
def test_damage_around_a_document_is_named_by_byte_and_changes_no_message(seed: Seed) -> None:
    raw, right = seed.printed(), told(seed.printed())
    for spoil, code, byte in (
        (b"\xef\xbb\xbf" + raw, "bom", 0),
        (raw[:1] + b"\0" * 300 + raw[1:], "nul-bytes", 1),
        (raw + b"\0" * 300, "nul-bytes", len(raw)),
        (raw + b" trailing", "unparseable-record", len(raw) + 1),
    ):
        opened = conversations_in(spoil, "made")
        assert [(one.code, one.byte) for one in opened.damage] == [(code, byte)]
        assert told(spoil) == right, code
    printed = seed.printed(indent=2).replace(b"\n", b"\r\n")
    assert told(printed) == right
    assert not conversations_in(printed, "made").damage


def inside(text: str) -> tuple[bytes, bytes]:
    """A chat with this JSON text as a value that no reader knows, as a document and as lines."""
    said = (
        '{"role": "user", "content": "Which?"}',
        f'{{"role": "user", "content": "And?", "note": {text}}}',
        '{"role": "assistant", "content": "Two."}',
    )
    document, lines = f"[{', '.join(said)}]", "\n".join(said)
    return document.encode("utf-8", "surrogateescape"), lines.encode("utf-8", "surrogateescape")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("NaN", "nonstandard-json-constant"), ("1" * 5000, "big-integer"), ("[NaN, %s]" % ("1" * 30), "big-integer"),
        ('[NaN, {"a": 1, "a": 2}]', "duplicate-json-key"), ("[" * 5000 + "]" * 5000, "too-deep"),
        ('"\\ud83d"', "lone-surrogate"), ('"\udcff"', "invalid-utf8"), ('"a\0b"', "nul-bytes"),
    ],
)  # fmt: skip
def test_what_json_has_not_is_named_in_documents_lines_and_folders(text: str, code: str, tmp_path: Path) -> None:
    """Where everything else is right, keys that stand twice and long integers are named by the doctor alone."""
    document, lines = inside(text)
    (found,) = [one for one in load_bytes(document, "made").damage if one.code == code]
    assert found.byte is not None
    (found,) = [one for one in load_bytes(lines, "made").damage if one.code == code]
    assert found.line == 2
    assert found.byte is not None
    assert len(load_bytes(document, "made")) == len(load_bytes(lines, "made")) == 3
    folder, path = folders(tmp_path)["openhands_v1"], "events/event-00090-x.json"
    (folder / path).write_bytes(b'{"kind": "PauseEvent", "x": %s}' % text.encode("utf-8", "surrogateescape"))
    (found,) = [one for one in load(folder).damage if one.code == code]
    assert found.pointer.startswith(f"{path}#")
    assert found.byte is not None


def test_a_line_separator_inside_a_string_ends_no_line() -> None:
    for name in NAMES:
        for seed in whole(name, lines=True):
            raw = seed.printed([*seed.values, {"type": "unknown-kind", "note": "@"}]).replace(b"@", b"\xe2\x80\xa8")
            assert not conversations_in(raw, "made").damage


def test_a_line_of_twenty_megabytes_is_read() -> None:
    lines = json.dumps({"role": "user", "content": "x" * 20_000_000}), '{"role": "assistant", "content": "Long."}'
    assert [len(body["content"]) for body in load_bytes("\n".join(lines).encode(), "made").messages] == [20_000_000, 5]


# folders and databases


@pytest.mark.parametrize("name", ["opencode_storage", "openhands_v1", "claude_code", "cline"])
@settings(max_examples=8)
@given(number=st.integers(0, 2**32))
def test_a_folder_with_spoilt_files_is_read_around_or_refused(
    tmp_path_factory: pytest.TempPathFactory, name: str, number: int
) -> None:
    chance = random.Random(number)
    folder = folders(tmp_path_factory.mktemp("spoilt"))[name]
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    for path in chance.sample(files, min(3, len(files))):
        match chance.randint(0, 3):
            case 0:
                path.unlink()
            case 1:
                path.write_bytes(spoilt_bytes(chance, path.read_bytes(), b'{"id": "x"}\n[1]\n'))
            case 2:
                path.write_text(json.dumps(chance.choice(ODD)))
            case _:
                path.unlink()
                path.mkdir()
    try:
        opened = conversations(folder)
    except UnreadableSession as refused:
        assert refused.__cause__ is None  # noqa: PT017
        return
    for at in range(len(opened.conversations)):
        check_session(session_of(opened, str(folder), at))


@pytest.mark.parametrize("name", ["goose", "opencode_storage"])
@settings(max_examples=60)
@given(number=st.integers(0, 2**32))
def test_a_database_with_spoilt_pages_is_read_around_or_refused(name: str, number: int) -> None:
    chance = random.Random(number)
    made = bytearray(packed()[name])
    for _ in range(chance.randint(1, 8)):
        at = chance.choice([chance.randint(16, 120), chance.randint(16, len(made) - 5), chance.randint(3000, 4096)])
        with_ = chance.choice([b"\xff", b"\0", b"\x80", b"\x05", b"\0\0\0\1", made[at // 2 : at // 2 + 40]])
        made[at : at + len(with_)] = with_
    check(bytes(made), None)
    check(bytes(made), name)
