"""Repairs of the file itself, before any message is looked at: marks, NUL bytes, bad bytes, and records on wrong lines.

Whatever is whole stays byte for byte; what is not is set aside, never completed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from inspector.doctor.strict import BOM
from inspector.finding import Finding
from inspector.formats import Recording
from inspector.formats.scan import NoSpan, Value, scan, space_end, tokens, wanted

LINE_CODES = frozenset(("nul-bytes", "invalid-utf8", "glued-records", "split-record", "truncated-record",
                        "unparseable-record"))  # fmt: skip
FILE_CODES = frozenset(("bom", *LINE_CODES))
_ESCAPE = re.compile(rb"\\(?:u([0-9a-fA-F]{4})|.)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Mended:
    """A file after its own repair."""

    raw: bytes
    rejected: bytes = b""
    """What was set aside, each piece on a line."""


def mend_file(raw: bytes, recording: Recording, findings: Sequence[Finding]) -> Mended:
    """The file without the given faults, as far as they can be mended."""
    codes = {finding.code for finding in findings}
    start = len(BOM) if raw.startswith(BOM) else 0
    kept_mark = BOM if start and "bom" not in codes else b""
    if recording.lines:
        mended = _mend_lines(raw[start:], start, recording, findings)
        return Mended(kept_mark + mended.raw, mended.rejected)
    body = raw[start:]
    if "nul-bytes" in codes:
        body = body.replace(b"\0", b"")
    if "invalid-utf8" in codes:
        body = as_utf8(body)
    return Mended(kept_mark + body)


def as_utf8(raw: bytes) -> bytes:
    """Bytes with U+FFFD for each that is no UTF-8."""
    text = raw.decode("utf-8", "surrogateescape")
    return re.sub("[\udc80-\udcff]", "\ufffd", text).encode("utf-8")


def _mend_lines(raw: bytes, base: int, recording: Recording, findings: Sequence[Finding]) -> Mended:
    faults: dict[int, set[str]] = {}
    for finding in findings:
        whole = finding.message_index is not None and finding.pointer == f"/{finding.message_index}"
        if finding.code in LINE_CODES and finding.message_index is not None and whole:
            faults.setdefault(finding.message_index, set()).add(finding.code)
    if not faults:
        return Mended(raw)
    starts: dict[int, list[int]] = {}
    for record in recording.records:
        starts.setdefault(record.line, []).append(record.byte - base)
    return _Lines(raw, faults, starts).mended()


class _Lines:
    def __init__(self, raw: bytes, faults: Mapping[int, set[str]], starts: Mapping[int, list[int]]) -> None:
        self._raw, self._faults, self._starts = raw, faults, starts
        self._pieces: list[bytes] = []
        self._rejected: list[bytes] = []

    def mended(self) -> Mended:
        number, at, size = 0, 0, len(self._raw)
        while at < size:
            end = self._raw.find(b"\n", at)
            end = size if end < 0 else end + 1
            codes = self._faults.get(number)
            if not codes:
                self._pieces.append(self._raw[at:end])
            elif "split-record" in codes:
                lines, end = self._join(number, at, codes)
                number += lines - 1
            else:
                self._line(number, at, end, codes)
            number, at = number + 1, end
        rejected = b"".join(piece.rstrip(b"\r\n") + b"\n" for piece in self._rejected)
        return Mended(b"".join(self._pieces), rejected)

    def _line(self, number: int, at: int, end: int, codes: set[str]) -> None:
        line = self._raw[at:end]
        if codes & {"truncated-record", "unparseable-record"} and number not in self._starts:
            self._rejected.append(line)
        elif "glued-records" in codes:
            self._part(number, at, end, codes)
        else:
            self._keep(line, codes)

    def _keep(self, line: bytes, codes: set[str]) -> None:
        if "nul-bytes" in codes:
            line = line.replace(b"\0", b"")
        if "invalid-utf8" in codes:
            line = as_utf8(line)
        if line.strip():
            self._pieces.append(line)

    def _part(self, number: int, at: int, end: int, codes: set[str]) -> None:
        """Put every whole record of a line on its own; what lies between them is set aside."""
        line_end = b"\r\n" if self._raw[at:end].endswith(b"\r\n") else b"\n"
        done = at
        for start in self._starts.get(number, ()):
            stop = _end_of(self._raw, start)
            if self._raw[done:start].strip(b" \t\r\n\0"):
                self._rejected.append(self._raw[done:start])
            self._keep(self._raw[start:stop] + line_end, codes)
            done = stop
        if self._raw[done:end].strip(b" \t\r\n\0"):
            self._rejected.append(self._raw[done:end])

    def _join(self, number: int, at: int, codes: set[str]) -> tuple[int, int]:
        """Join the lines of one record; how many there were, and where the next line starts."""
        start = self._starts.get(number, [at])[0]
        stop = _end_of(self._raw, start)
        after = self._raw.find(b"\n", stop)
        after = len(self._raw) if after < 0 else after + 1
        inside = self._raw[at:stop]
        joined = re.sub(rb"\r?\n", rb"\\n", inside)
        self._keep(joined + self._raw[stop:after], codes)
        return inside.count(b"\n") + 1, after


def _end_of(raw: bytes, start: int) -> int:
    try:
        return scan(raw, start, {}).end
    except NoSpan:
        end = raw.find(b"\n", start)
        return len(raw) if end < 0 else end


def without_halves(raw: bytes) -> bytes:
    """JSON text with U+FFFD for each escape that is half of a surrogate pair and stands alone."""
    cuts: list[int] = []
    high = -1
    for match in _ESCAPE.finditer(raw):
        code = int(match[1], 16) if match[1] else 0
        if high >= 0 and not (0xDC00 <= code < 0xE000 and match.start() == high + 6):
            cuts.append(high)
            high = -1
        if 0xD800 <= code < 0xDC00:
            high = match.start()
        elif 0xDC00 <= code < 0xE000 and high < 0:
            cuts.append(match.start())
        else:
            high = -1
    if high >= 0:
        cuts.append(high)
    pieces, at = [], 0
    for cut in cuts:
        pieces += [raw[at:cut], rb"\ufffd"]
        at = cut + 6
    return b"".join([*pieces, raw[at:]])


def without_twins(raw: bytes, places: Sequence[tuple[int, str]]) -> bytes:
    """JSON text in which keys that stand twice in an object stand once. A place is where the record starts, and the
    member's pointer in it. The value that is not null is kept, else the last."""
    cuts: dict[tuple[int, int], None] = {}
    for start, pointer in places:
        try:
            root = scan(raw, space_end(raw, start), wanted([pointer]))
        except NoSpan:
            continue
        cuts |= dict.fromkeys(_twins(raw, root, tokens(pointer)))
    for start, end in sorted(cuts, reverse=True):
        raw = raw[:start] + raw[end:]
    return raw


def _twins(raw: bytes, holder: Value, path: Sequence[str]) -> list[tuple[int, int]]:
    """The spans of the members that go, each with the comma on one side."""
    for token in path[:-1]:
        if token not in holder.inside:
            return []
        holder = holder.inside[token]
    items = [number for number, key in enumerate(holder.keys) if key == path[-1]]
    held = [number for number in items if raw[holder.values[number] : holder.ends[number]] != b"null"]
    kept = (held or items)[-1:]
    cuts = []
    for number in items:
        if number in kept:
            continue
        if number + 1 < len(holder):
            cuts.append((holder.starts[number], holder.starts[number + 1]))
        else:
            cuts.append((holder.ends[number - 1], holder.ends[number]))
    return cuts


__all__ = ["FILE_CODES", "Mended", "as_utf8", "mend_file", "without_halves", "without_twins"]
