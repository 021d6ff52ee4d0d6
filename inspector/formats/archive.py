"""Zip archives as folders: listed from their directory, or, where a killed writer left none, from the files themselves.

Python's own reader knows neither zstd (method 93, before 3.14) nor archives without a directory; this one reads bytes
that are in memory, writes nothing, and refuses what unpacks without bounds or names a place outside.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple

from inspector.finding import Finding
from inspector.formats.compression import UNPACKED_LIMIT, Unpackable, inflated, unzstd
from inspector.formats.format import UnreadableSession

MAGIC = b"PK\x03\x04"
MOST_FILES = 100_000
RATIO = 200
"""An archive that says it unpacks to more than the limit and to more than so many times its size is a bomb."""

_LOCAL = struct.Struct("<4sHHHHHIIIHH")
_CENTRAL = struct.Struct("<4sHHHHHHIIIHHHHHII")
_END = b"PK\x05\x06"
_CENTRAL_MAGIC = b"PK\x01\x02"
_END_SIZE = 22
_LONGEST_COMMENT = 1 << 16
_UNKNOWN_32 = 0xFFFFFFFF
_UNKNOWN_16 = 0xFFFF
_STORED, _DEFLATE, _ZSTD = 0, 8, 93
_ENCRYPTED, _SIZES_FOLLOW = 1, 8
_METHODS = {9: "deflate64", 12: "bzip2", 14: "LZMA", 20: "zstd (old)", 95: "XZ"}


class Member(NamedTuple):
    """A file of an archive."""

    path: str
    method: int
    flags: int
    packed: int
    """Compressed bytes; -1 where only the data can tell."""
    size: int
    """Bytes that it says it unpacks to; -1 where it does not."""
    header: int
    """Where its local header starts."""


class Archive:
    """The files of a zip archive in memory."""

    def __init__(self, raw: bytes, name: str) -> None:
        """Raises `UnreadableSession` for a bomb, a path that leads outside, or more files than anyone has."""
        self._raw, self.name = raw, name
        self._left = max(UNPACKED_LIMIT, RATIO * len(raw))
        listed = _listed(raw)
        self.complete = listed is not None
        members = list(_scanned(raw)) if listed is None else listed
        self._members = {member.path: member for member in members if not member.path.endswith("/")}
        self._refuse(members)

    @property
    def paths(self) -> tuple[str, ...]:
        """The files inside."""
        return tuple(self._members)

    @property
    def damage(self) -> tuple[Finding, ...]:
        """Whether the archive's directory is missing."""
        if self.complete:
            return ()
        says = f"the archive has no directory; its {len(self._members):,} files were found one by one"
        return (Finding("truncated-record", "warning", says, byte=len(self._raw)),)

    def read(self, path: str) -> bytes:
        """The bytes of a file. Raises `UnreadableSession`."""
        member = self._members[path]
        try:
            data = self._unpacked(member)
            self._left -= len(data)
            if self._left < 0:
                raise Unpackable("the archive unpacks to more than can be true")
            return data
        except (Unpackable, struct.error, IndexError) as fault:
            why = str(fault) if isinstance(fault, Unpackable) else "its header is damaged"
            raise UnreadableSession(f"{path}: {why}") from None

    def _unpacked(self, member: Member) -> bytes:
        if member.flags & _ENCRYPTED:
            raise Unpackable("it is encrypted")
        header = _LOCAL.unpack_from(self._raw, member.header)
        if header[0] != MAGIC:
            raise Unpackable("the archive has no file where its directory says")
        start = member.header + _LOCAL.size + header[9] + header[10]
        end = start + member.packed if member.packed >= 0 else len(self._raw)
        data = self._raw[start:end]
        if member.method == _DEFLATE:
            return inflated(data)
        if member.method == _ZSTD:
            return unzstd(data)
        if member.method == _STORED:
            return data if member.packed >= 0 else data[: _next_header(data)]
        method = _METHODS.get(member.method, f"of method {member.method}")
        raise Unpackable(f"its compression is {method}, which is not known here")

    def _refuse(self, members: list[Member]) -> None:
        bad = next((member.path for member in members if _leads_outside(member.path)), None)
        if bad is not None:
            raise UnreadableSession(f"{self.name}: the archive names a file outside itself ({bad[:80]!r})")
        said = sum(member.size for member in members if member.size > 0)
        if said > UNPACKED_LIMIT and said > RATIO * len(self._raw):
            raise UnreadableSession(f"{self.name}: the archive unpacks to more than {UNPACKED_LIMIT >> 20} MiB")


def _leads_outside(path: str) -> bool:
    names = path.replace("\\", "/").split("/")
    return names[0] == "" or ".." in names or names[0].endswith(":") or "\0" in path


def _next_header(data: bytes) -> int:
    places = [at for magic in (MAGIC, _CENTRAL_MAGIC, b"PK\x07\x08") if (at := data.find(magic)) >= 0]
    return min(places, default=len(data))


def _listed(raw: bytes) -> list[Member] | None:
    """The members that the directory at the end lists; None where there is no whole one."""
    end = raw.rfind(_END, max(0, len(raw) - _LONGEST_COMMENT - _END_SIZE))
    if end < 0 or end + _END_SIZE > len(raw):
        return None
    count, size, start = struct.unpack_from("<HII", raw, end + 10)
    if _UNKNOWN_32 in (size, start) or count == _UNKNOWN_16:
        found = _end_64(raw, end)
        if found is None:
            return None
        count, size, start = found
    try:
        return _directory(raw, start, min(count, MOST_FILES))
    except (struct.error, ValueError):
        return None


def _end_64(raw: bytes, end: int) -> tuple[int, int, int] | None:
    locator = raw.rfind(b"PK\x06\x07", max(0, end - 20), end)
    at = struct.unpack_from("<Q", raw, locator + 8)[0] if locator >= 0 else len(raw)
    if at + 56 > len(raw) or raw[at : at + 4] != b"PK\x06\x06":
        return None
    count, size, start = struct.unpack_from("<QQQ", raw, at + 32)
    return count, size, start


def _directory(raw: bytes, at: int, count: int) -> list[Member]:
    """The entries of a directory. Raises `ValueError` or `struct.error` where it is damaged."""
    members = []
    for _ in range(count):
        field = _CENTRAL.unpack_from(raw, at)
        if field[0] != _CENTRAL_MAGIC:
            raise ValueError("no directory entry")
        name, extra, comment = field[10:13]
        place = at + _CENTRAL.size
        path, more = raw[place : place + name], raw[place + name : place + name + extra]
        size, packed, header = _long_sizes(more, [field[9], field[8], field[16]])
        members.append(Member(_path(path, field[3]), field[4], field[3], packed, size, header))
        at = place + name + extra + comment
    return members


def _long_sizes(extra: bytes, values: list[int]) -> list[int]:
    """Size, packed size and place, with those that do not fit 32 bits taken from the extra field."""
    at = 0
    while at + 4 <= len(extra):
        kind, length = struct.unpack_from("<HH", extra, at)
        if kind == 1:
            held = extra[at + 4 : at + 4 + length]
            longs = iter(struct.unpack_from(f"<{len(held) // 8}Q", held))
            return [next(longs, value) if value == _UNKNOWN_32 else value for value in values]
        at += 4 + length
    return values


def _scanned(raw: bytes) -> Iterator[Member]:
    """The members found by their own headers: what is left of an archive whose writer was killed."""
    at = raw.find(MAGIC)
    for _ in range(MOST_FILES):
        if at < 0 or at + _LOCAL.size > len(raw):
            return
        _, _, flags, method, _, _, _, packed, size, name, extra = _LOCAL.unpack_from(raw, at)
        start = at + _LOCAL.size
        path, more = raw[start : start + name], raw[start + name : start + name + extra]
        size, packed, _ = _long_sizes(more, [size, packed, 0])
        known = not flags & _SIZES_FOLLOW or packed > 0
        yield Member(_path(path, flags), method, flags, packed if known else -1, size if known else -1, at)
        following = start + name + extra + (packed if known else 0)
        at = raw.find(MAGIC, following)


def _path(name: bytes, flags: int) -> str:
    return name.decode("utf-8" if flags & 0x800 else "cp437", "replace").replace("\\", "/")
