"""Bytes as text, with the way back to byte offsets: findings name bytes of the file, parsers name characters."""

from __future__ import annotations

import codecs
import re
from bisect import bisect_left
from itertools import accumulate

_NULS = re.compile(rb"\0+")
_GROWTH = 2
"""U+FFFD takes three bytes of UTF-8 where the bad byte took one."""


class Decoded:
    """A stretch of a file as text: NUL bytes dropped, U+FFFD for each byte that is no UTF-8."""

    def __init__(self, raw: bytes, base: int = 0) -> None:
        self._base = base
        self._nuls: list[int] = []
        self._dropped: list[int] = []
        """Bytes dropped up to and with each run of NULs; its place in what is left is in `_nuls`."""
        self._bad: list[int] = []
        """Offset of each bad byte's U+FFFD in the text's own UTF-8."""
        self._places: list[int] = []
        self._at = self._byte = 0
        if b"\0" in raw:
            raw = self._without_nuls(raw)
        self.text = self._decode(raw)

    @property
    def nuls(self) -> int:
        """How many NUL bytes were dropped."""
        return self._dropped[-1] if self._dropped else 0

    @property
    def bad(self) -> int:
        """How many bytes were no UTF-8."""
        return len(self._bad)

    @property
    def first_nul(self) -> int:
        """File offset of the first NUL byte; ask only where there is one."""
        return self._base + self._nuls[0]

    def bad_bytes(self) -> list[int]:
        """File offsets of the bad bytes, ascending."""
        return [self._file_offset(offset) for offset in self._bad]

    def bad_places(self) -> list[int]:
        """Characters of the text that stand for bad bytes, ascending."""
        return self._places

    def byte(self, at: int) -> int:
        """File offset of the character at `at`. Quick when asked in ascending order."""
        if at < self._at:
            self._at = self._byte = 0
        self._byte += len(self.text[self._at : at].encode("utf-8", "surrogatepass"))
        self._at = at
        return self._file_offset(self._byte)

    def _file_offset(self, offset: int) -> int:
        offset -= _GROWTH * bisect_left(self._bad, offset)
        run = bisect_left(self._nuls, offset + 1)
        # the NULs at a place come before the character that follows them
        return self._base + offset + (self._dropped[run - 1] if run else 0)

    def _without_nuls(self, raw: bytes) -> bytes:
        runs = [match.span() for match in _NULS.finditer(raw)]
        self._dropped = list(accumulate(end - start for start, end in runs))
        self._nuls = [start - before for (start, _), before in zip(runs, [0, *self._dropped], strict=False)]
        return raw.replace(b"\0", b"")

    def _decode(self, raw: bytes) -> str:
        try:
            return raw.decode()
        except UnicodeDecodeError:
            text = raw.decode("utf-8", _EACH)
        self._bad, self._places = _places_of_bad(raw)
        return text


def _places_of_bad(raw: bytes) -> tuple[list[int], list[int]]:
    """Offset of each bad byte in the UTF-8 of the text that stands for `raw`, and its character in that text."""
    marked = raw.decode("utf-8", "surrogateescape")
    places = [match.start() for match in re.finditer("[\udc80-\udcff]", marked)]
    offsets: list[int] = []
    end = offset = 0
    for place in places:
        offset += len(marked[end:place].encode())
        offsets.append(offset)
        offset += 1 + _GROWTH
        end = place + 1
    return offsets, places


def _replace_each(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    return "\ufffd" * (error.end - error.start), error.end


_EACH = "inspector.replace-each"
codecs.register_error(_EACH, _replace_each)
