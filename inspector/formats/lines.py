"""JSON Lines as they are found: cut, glued, split and spoilt lines, and every whole record between them.

Lines end at LF only: U+2028 and its like may stand raw inside a string.
"""

from __future__ import annotations

import json
import re
from itertools import islice
from typing import Any, NamedTuple

import orjson

from inspector.formats.damage import Damage, bad_bytes, nul_bytes
from inspector.formats.decoded import Decoded
from inspector.formats.document import Walk
from inspector.formats.format import Record
from inspector.formats.lenient import Odd, cut_short, decode, space_end

TRIES = 64
"""Places of a line at which a second record is looked for behind a piece of one."""
LOOKED_THROUGH = 4
"""How often a line may be looked through for a whole record behind a piece of one, in its own lengths."""
JOINED = 4
"""How often the file may be joined in search of split records, in its own lengths."""
SMALL = 1 << 20
"""Bytes or characters that may be so looked through anyhow, however small file and line are."""

_WORDS = re.compile(rb"[ \t\r]*[^ \t\r\n\0{\[]")
"""The start of a line that is no record, whatever follows."""
_FIRST_KEY = re.compile(r'\{[ \t\r]*("[^"\\]{1,64}"[ \t\r]*:)')


class _Part(NamedTuple):
    value: Any
    at: int
    end: int
    odd: list[Odd]


class Lines:
    """Reads the lines of a file from a byte on."""

    def __init__(self, raw: bytes, start: int, damage: Damage) -> None:
        self.records: list[Record] = []
        self._raw = raw
        self._start = start
        self.damage = damage
        self._next_whole = -1
        self._left = JOINED * len(raw) + SMALL

    def read(self) -> None:
        """Fill `records`, noting damage on the way."""
        raw, view, size = self._raw, memoryview(self._raw), len(self._raw)
        loads, append = orjson.loads, self.records.append
        number, at = 0, self._start
        while at < size:
            end = raw.find(b"\n", at)
            if end < 0:
                end = size
            try:
                value = loads(view[at:end])
            except json.JSONDecodeError:
                number, at = self._odd_line(number, at, end)
                continue
            append(Record(value, number, at))
            number += 1
            at = end + 1

    def _odd_line(self, number: int, at: int, end: int) -> tuple[int, int]:
        """Read a line that orjson refuses; the number and the start of the line to go on with."""
        if _WORDS.match(self._raw, at, end):
            self.damage.on_line("unparseable-record", number, at, "the line is no JSON; it is set aside")
            return number + 1, end + 1
        line = Decoded(self._raw[at:end], at)
        start = space_end(line.text, 0)
        if start < len(line.text):
            parts, error = _parts(line.text, start)
            if error and not parts:
                split = self._split(number, at, end, error)
                if split:
                    return split
                parts = _behind_a_piece(line.text, start)
            self._note_bytes(line, number, parts)
            self._keep(parts, line, number)
            self._note_line(parts, error, line, number)
        elif line.nuls:
            self._note_nuls(line, number)
        return number + 1, end + 1

    def _keep(self, parts: list[_Part], line: Decoded, number: int) -> None:
        for part in parts:
            byte = line.byte(part.at)
            self.records.append(Record(part.value, number, byte))
            for odd in part.odd:
                self.damage.on_line(odd.code, number, byte, odd.says, odd.pointer)

    def _note_bytes(self, line: Decoded, number: int, parts: list[_Part]) -> None:
        """Name odd bytes in what is kept of a line; what is set aside is named as a whole."""
        if line.nuls and parts:
            self._note_nuls(line, number)
        if line.bad:
            places = zip(line.bad_places(), line.bad_bytes(), strict=True)
            kept = [byte for at, byte in places if any(part.at <= at < part.end for part in parts)]
            if kept:
                self.damage.on_line("invalid-utf8", number, kept[0], bad_bytes(len(kept)))

    def _note_nuls(self, line: Decoded, number: int) -> None:
        self.damage.on_line("nul-bytes", number, line.first_nul, nul_bytes(line.nuls))

    def _note_line(self, parts: list[_Part], error: json.JSONDecodeError | None, line: Decoded, number: int) -> None:
        if error and not parts:
            if cut_short(error):
                says = "the line ends in the middle of a record; it is set aside"
                self.damage.on_line("truncated-record", number, line.byte(0), says)
            else:
                says = f"the line is no JSON ({error.msg[0].lower()}{error.msg[1:]}); it is set aside"
                self.damage.on_line("unparseable-record", number, line.byte(error.pos), says)
        elif error:
            says = f"a piece of a record and {_whole(len(parts))} stand on one line; what is whole is kept"
            self.damage.on_line("glued-records", number, line.byte(0), says)
        elif len(parts) > 1:
            says = f"{_whole(len(parts))} stand on one line; all are kept"
            self.damage.on_line("glued-records", number, line.byte(0), says)

    def _split(self, number: int, at: int, end: int, error: json.JSONDecodeError) -> tuple[int, int] | None:
        """Read a record that lies over several physical lines; where to go on, or None if this is none."""
        until = self._whole_record_after(end + 1) if cut_short(error) else 0
        self._left -= max(until - end - 1, 0)
        if until <= end + 1 or self._left < 0:
            return None
        joined = Decoded(self._raw[at:until], at)
        try:
            value, stop, odd = decode(joined.text, space_end(joined.text, 0))
        except json.JSONDecodeError:
            return None
        rest = joined.text.find("\n", stop)
        if joined.text[stop : rest if rest >= 0 else None].strip():
            return None
        lines = joined.text.count("\n", 0, stop) + 1
        parts = [_Part(value, 0, stop, odd)]
        self._note_bytes(joined, number, parts)
        says = f"one record lies over {lines:,} lines; they are joined"
        self.damage.on_line("split-record", number, at, says)
        self._keep(parts, joined, number)
        following = self._raw.find(b"\n", joined.byte(stop))
        return number + lines, following + 1 if following >= 0 else len(self._raw)

    def _whole_record_after(self, at: int) -> int:
        """The start of the next line from `at` that is a whole record by itself, or the end of the file."""
        if at <= self._next_whole:
            return self._next_whole
        raw, view = self._raw, memoryview(self._raw)
        while at < len(raw):
            end = raw.find(b"\n", at)
            end = end if end >= 0 else len(raw)
            if is_record(view[at:end]):
                break
            at = end + 1
        self._next_whole = min(at, len(raw))
        return self._next_whole


def is_record(line: bytes | memoryview) -> bool:
    """Whether a line is an object with something in it: what closes a pretty-printed value does not count."""
    try:
        value = orjson.loads(line)
    except json.JSONDecodeError:
        return False
    return isinstance(value, dict) and bool(value)


def _parts(text: str, at: int) -> tuple[list[_Part], json.JSONDecodeError | None]:
    """The whole values that stand one after the other from `at`, and what ended them before the text did."""
    parts: list[_Part] = []
    while at < len(text):
        try:
            if text[at] not in "{[":
                raise json.JSONDecodeError("Expecting a record", text, at)
            value, end, odd = decode(text, at)
        except json.JSONDecodeError as error:
            return parts, error
        parts.append(_Part(value, at, end, odd))
        at = space_end(text, end)
    return parts, None


def _behind_a_piece(text: str, start: int) -> list[_Part]:
    """The whole records at the end of a line that begins with a piece of one.

    Objects inside the piece are no records: a record starts with the same key as the piece, and where it stands in
    the place of a value, with the same two keys.
    """
    first = _FIRST_KEY.match(text, start)
    if first is None:
        return []
    begin = re.compile(r"\{[ \t\r]*" + re.escape(first[1]))
    left = LOOKED_THROUGH * len(text) + SMALL
    for match in islice(begin.finditer(text, start + 1), TRIES):
        parts, error = _parts(text, match.start())
        left -= (error.pos if error else len(text)) - match.start()
        if left < 0:
            break
        if error or not parts or not isinstance(parts[0].value, dict):
            continue
        if text[: match.start()].rstrip()[-1:] not in ":,[" or _same_start(text[start : match.start()], parts[0].value):
            return parts
    return []


def _same_start(piece: str, record: dict[str, Any]) -> bool:
    part, _ = Walk(piece).read()
    keys = list(part)[:2] if isinstance(part, dict) else []
    return len(keys) == 2 and keys == list(record)[:2]


def _whole(count: int) -> str:
    return f"{count:,} whole record" + ("s" if count > 1 else "")
