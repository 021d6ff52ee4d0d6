"""Bytes of a file as JSON: one value or lines of them, decided by content, and salvaged where they are damaged.

orjson reads what is right. What it refuses is read slowly and leniently, and named: a reader that stops at the first
bad byte hides every later message. Nothing here is quadratic in the size of the file.
"""

from __future__ import annotations

import gc
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from inspector.finding import Finding
from inspector.formats.damage import Damage, bad_bytes, nul_bytes
from inspector.formats.decoded import Decoded
from inspector.formats.document import Walk, holds_messages
from inspector.formats.format import Record, Recording, UnreadableSession
from inspector.formats.large import parsed
from inspector.formats.lenient import space_end
from inspector.formats.lines import Lines, is_record

BOM = b"\xef\xbb\xbf"
SAMPLED_LINES = 50
"""Lines that decide whether a damaged file is JSON Lines."""

_CONTAINERS = {
    b"PK\x03\x04": "a zip archive",
    b"SQLite format 3\0": "an SQLite database",
    b"\x1f\x8b": "gzip-compressed inside gzip",
    b"\x28\xb5\x2f\xfd": "zstd-compressed",
    b"\xff\xfe": "UTF-16 text; convert it to UTF-8",
    b"\xfe\xff": "UTF-16 text; convert it to UTF-8",
    b"\x89PNG": "a PNG picture",
    b"\xff\xd8\xff": "a JPEG picture",
    b"%PDF": "a PDF document",
}
_BREAKS = frozenset(("truncated-record", "unparseable-record", "glued-records"))
"""Faults that leave something of a value unread."""
_KINDS = {str: "string", int: "number", float: "number", bool: "boolean", type(None): "null"}


def salvage(raw: bytes, name: str) -> Recording:
    """What can be read of a file, with what was wrong. Its one value is an object or an array.

    Raises `UnreadableSession` where nothing can be: an empty or binary file, no JSON, a bare scalar.
    """
    with collector_paused():
        return _salvaged(raw, name)


@contextmanager
def collector_paused() -> Iterator[None]:
    """The garbage collector off: while millions of objects are made it finds nothing and takes most of the time."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


def _salvaged(raw: bytes, name: str) -> Recording:
    start = len(BOM) if raw.startswith(BOM) else 0
    try:
        value = parsed(raw, start)
    except json.JSONDecodeError:
        return _damaged(raw, start, name)
    if not isinstance(value, (dict, list)):
        raise UnreadableSession(f"{name}: it holds a bare JSON {_KINDS[type(value)]}, no session")
    return Recording(name, document=value, damage=_noted(start).findings())


def _damaged(raw: bytes, start: int, name: str) -> Recording:
    _refuse_what_is_no_text(raw, start, name)
    read = _read(raw, start)
    if not any(isinstance(record.value, (dict, list)) for record in read.records):
        raise _no_json(raw, name, read.damage.findings())
    if len(read.records) == 1 and not read.by_line:
        return Recording(name, document=read.records[0].value, damage=read.damage.findings())
    return Recording(name, records=read.records, damage=read.damage.findings())


class _Read(NamedTuple):
    records: list[Record]
    damage: Damage
    by_line: bool
    """Whether the records are lines rather than one value, or several printed over lines."""
    sound: bool = True


def _read(raw: bytes, start: int) -> _Read:
    if are_lines(raw, start):
        return _lines(raw, start)
    values = _values(raw, start)
    if values.sound or b"\n" in raw.strip():
        return values
    # one line that is no session: a piece of a record may stand before a whole one, or one after the other
    lines = _lines(raw, start)
    return lines if lines.records else values


def _noted(start: int) -> Damage:
    damage = Damage()
    if start:
        damage.whole_file("bom", "the file begins with a byte order mark (byte 0)", 0)
    return damage


def _lines(raw: bytes, start: int) -> _Read:
    lines = Lines(raw, start, _noted(start))
    lines.read()
    return _Read(lines.records, lines.damage, by_line=True)


def _values(raw: bytes, start: int) -> _Read:
    """One value, printed over lines or not, damaged or not; or several, one after the other."""
    decoded, damage = Decoded(raw[start:], start), _noted(start)
    text, walk = decoded.text, Walk(decoded.text, spans=bool(decoded.bad))
    records: list[Record] = []
    at, line, counted = space_end(text, 0), 0, 0
    while 0 <= at < len(text) and text[at] in "{[":
        value, end = walk.read(at)
        line, counted = line + text.count("\n", counted, at), at
        records.append(Record(value, line, decoded.byte(at)))
        at = end if end < 0 else space_end(text, end)
    _note_document(decoded, walk, damage)
    if 0 <= at < len(text):
        damage.in_document("unparseable-record", "", decoded.byte(at), "what follows the value is no JSON")
    whole = at >= 0 and not any(fault.code in _BREAKS for fault in walk.faults)
    return _Read(records, damage, False, len(records) == 1 and (whole or holds_messages(records[0].value)))


def _refuse_what_is_no_text(raw: bytes, start: int, name: str) -> None:
    kind = next((kind for magic, kind in _CONTAINERS.items() if raw.startswith(magic)), "")
    if kind:
        raise UnreadableSession(f"{name}: it is {kind}, not JSON")
    if raw[start:].strip(b"\0 \t\r\n"):
        return
    if b"\0" in raw:
        says = f"it holds nothing but NUL bytes ({len(raw):,} of them and white space)"
        raise UnreadableSession(f"{name}: {says}", Damage().whole_file("nul-bytes", says, raw.index(b"\0")))
    says = "the file is empty" if not raw else "the file holds nothing but white space"
    raise UnreadableSession(f"{name}: {says}", Damage().whole_file("empty-file", says, 0))


def _no_json(raw: bytes, name: str, damage: Sequence[Finding]) -> UnreadableSession:
    found = next((one for one in damage if one.code != "bom"), None)
    if looks_binary(raw[:4096]):
        return UnreadableSession(f"{name}: it is a binary file, not JSON", found)
    if found is None:
        return UnreadableSession(f"{name}: it holds no JSON object or array", None)
    says = "its JSON is cut off before anything is whole" if found.code == "truncated-record" else "it is no JSON"
    place = f"line {found.line:,}, byte {found.byte:,}" if found.line else f"byte {found.byte:,}"
    return UnreadableSession(f"{name}: {says} ({place})", found)


def looks_binary(head: bytes) -> bool:
    """Whether more than a tenth of the first bytes are controls or no UTF-8."""
    text = head.decode("utf-8", "replace")
    odd = sum(char == "\ufffd" or (char < " " and char not in "\t\r\n\f\x1b") for char in text)
    return odd * 10 > len(text)


def are_lines(raw: bytes, start: int) -> bool:
    """Whether a file that is no whole JSON value is JSON Lines rather than one damaged value.

    In JSON Lines most lines are objects by themselves, or begin like one. Of a value that is printed over lines few
    do, and its first line is open: it ends in a bracket, a comma or a colon.
    """
    lines = _first_lines(raw, start)
    if not lines[0].startswith((b"{", b"[")):
        return True
    if len(lines) == 1:
        return False
    whole = sum(map(_begins_with_record, lines))
    if 2 * whole > len(lines) or _begins_with_record(lines[0]):
        return True
    if whole:
        return not lines[0].endswith((b"[", b"{", b",", b":"))
    return 2 * sum(line.startswith(b'{"') for line in lines) > len(lines)


def _first_lines(raw: bytes, at: int) -> list[bytes]:
    lines: list[bytes] = []
    while at < len(raw) and len(lines) < SAMPLED_LINES:
        end = raw.find(b"\n", at)
        end = end if end >= 0 else len(raw)
        line = raw[at:end].strip(b"\0 \t\r")
        if line:
            lines.append(line)
        at = end + 1
    return lines


def _begins_with_record(line: bytes) -> bool:
    if not line.startswith(b"{"):
        return False
    if is_record(line):
        return True
    text = Decoded(line).text
    value, end = Walk(text).read()
    return bool(value) and end >= 0 and not text[end : end + 1].strip("{ \t\r")


def _note_document(decoded: Decoded, walk: Walk, damage: Damage) -> None:
    if decoded.nuls:
        damage.in_document("nul-bytes", "", decoded.first_nul, nul_bytes(decoded.nuls))
    for fault in walk.faults:
        damage.in_document(fault.code, fault.pointer, decoded.byte(fault.at), fault.says)
    if decoded.bad:
        _note_bad_bytes(decoded, walk, damage)


def _note_bad_bytes(decoded: Decoded, walk: Walk, damage: Damage) -> None:
    places: dict[str, list[int]] = {}
    for at, byte in zip(decoded.bad_places(), decoded.bad_bytes(), strict=True):
        places.setdefault(walk.pointer_at(at), []).append(byte)
    if walk.faults:  # they tell of what was not read
        places.pop("", None)
    for pointer, found in places.items():
        damage.in_document("invalid-utf8", pointer, found[0], bad_bytes(len(found)))
