"""A strict pass over the bytes, for what fast parsers hide: twin keys, integers beyond 64 bits, values nested too deep.

orjson takes them in silence: of a key the last value wins, a huge integer becomes a float. Everything else that JSON
does not have it refuses, and then salvage has named it. The pass is linear: a screen at the speed of `bytes.count`
decides which records are read once more, slowly and with their places.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import orjson

from inspector.finding import Finding
from inspector.formats import Recording
from inspector.formats.damage import Damage
from inspector.formats.decoded import Decoded
from inspector.formats.lenient import decode, space_end

BOM = b"\xef\xbb\xbf"
STRIDE = 4
PIECED_LEVELS = 3
"""Levels of objects that are written piece by piece."""
TOGETHER = 16
"""Elements of an array that are written at once."""

_DIGITS = bytes(48 if 48 <= code <= 57 else 32 for code in range(256))
_RUN = b"0000"
"""A run of 19 digits shows at least four times among every fourth byte."""
_LONG_NUMBER = re.compile(rb"[:\[,][ \t\r\n]*(-?\d{19,})[ \t\r\n]*[,}\]]")
_NEAR = 80


def examine(raw: bytes, recording: Recording) -> tuple[Finding, ...]:
    """What fast parsers hide in a file. `recording` is what was read of these bytes."""
    if recording.kind != "file":
        return ()
    damage = Damage()
    start = len(BOM) if raw.startswith(BOM) else 0
    if not recording.lines and recording.records == ():
        if may_hide(raw, (recording.document,)):
            _examine_value(raw, start, damage)
    elif may_hide(raw, [record.value for record in recording.records]):
        _examine_lines(raw, recording, damage)
    return damage.findings()


def may_hide(raw: bytes, values: Sequence[Any]) -> bool:
    """Whether JSON text may hold something that its parsed values do not show.

    The ends of keys are counted in the text and in the values written anew. Inside a string a quote has a backslash
    before it in both, so that what strings hold is counted alike.
    """
    ends, inside, loose = _key_ends(raw), 0, 0
    try:
        written = sum(map(_key_ends, _all_pieces(values)))
    except TypeError:  # more than 254 levels, or what salvage has read and named already
        return True
    if ends != written:
        inside = raw.count(b'\\":') - sum(piece.count(b'\\":') for piece in _all_pieces(values))
        loose = raw.count(b'" :')
    return ends - inside + loose != written or has_huge_integer(raw)


def _key_ends(raw: bytes) -> int:
    return raw.count(b'":')


def _all_pieces(values: Sequence[Any]) -> Iterator[bytes]:
    return (piece for value in values for piece in _pieces(value, PIECED_LEVELS))


def _pieces(value: Any, levels: int) -> Iterator[bytes]:
    """A value as compact JSON, in pieces, so that no second copy of a large file is held."""
    if isinstance(value, list) and len(value) > TOGETHER:
        for start in range(0, len(value), TOGETHER):
            yield orjson.dumps(value[start : start + TOGETHER])
    elif isinstance(value, dict) and levels:
        yield b'":' * len(value)
        for item in value.values():
            yield from _pieces(item, levels - 1)
    else:
        yield orjson.dumps(value)


def has_huge_integer(raw: bytes) -> bool:
    """Whether what seems an integer beyond 64 bits stands in JSON text."""
    sampled = raw[::STRIDE].translate(_DIGITS)
    found = sampled.find(_RUN)
    while found >= 0:
        at = found * STRIDE
        number = _LONG_NUMBER.search(raw, max(0, at - _NEAR), at + _NEAR)
        if number and _is_huge(number[1]):
            return True
        found = sampled.find(_RUN, found + len(_RUN))
    return False


def _is_huge(digits: bytes) -> bool:
    return len(digits) > 20 or not -(1 << 63) <= int(digits) < 1 << 64


def _examine_lines(raw: bytes, recording: Recording, damage: Damage) -> None:
    for value, number, at in recording.records:
        end = raw.find(b"\n", at)
        line = raw[at : end if end >= 0 else len(raw)]
        if may_hide(line, (value,)):
            _note_line(line, number, at, damage)


def _note_line(line: bytes, number: int, at: int, damage: Damage) -> None:
    try:
        _, _, odd = decode(line.decode("utf-8", "replace"))
    except ValueError:
        return  # salvage has named it
    for one in odd:
        damage.on_line(one.code, number, at, one.says, one.pointer)


def _examine_value(raw: bytes, start: int, damage: Damage) -> None:
    decoded = Decoded(raw[start:], start)
    try:
        _, _, odd = decode(decoded.text, space_end(decoded.text, 0))
    except ValueError:
        return  # salvage has named it
    for one in odd:
        damage.in_document(one.code, one.pointer, start, one.says)
