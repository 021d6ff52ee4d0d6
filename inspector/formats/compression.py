"""Compressed bytes, unpacked within bounds: a few kilobytes can hold gigabytes.

zstd is read by Python itself from 3.14 on, before by the `zstandard` package (the extra "zstd"); where there is
neither, a sentence says so.
"""

from __future__ import annotations

import importlib
import zlib
from typing import Protocol

UNPACKED_LIMIT = 512 << 20
"""Most bytes that a compressed file, or one file of an archive, may unpack to."""

GZIP = b"\x1f\x8b"
ZSTD = b"\x28\xb5\x2f\xfd"
_GZIP_FORMAT = 31
_RAW_DEFLATE = -15
_STEP = 1 << 20
NO_ZSTD = "it is zstd-compressed, which needs the package zstandard: pip install 'inspector[zstd]'"


class Unpackable(Exception):
    """Why compressed bytes cannot be unpacked; `str` follows the name of the file and a colon."""


class _Step(Protocol):
    """What decompressors have in common."""

    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes) -> bytes: ...


def gunzipped(raw: bytes, limit: int = UNPACKED_LIMIT) -> bytes:
    """All members of a gzip file; what a cut one still gives. Raises `Unpackable`."""
    whole, left = bytearray(), raw
    try:
        while left.startswith(GZIP):
            member = zlib.decompressobj(_GZIP_FORMAT)
            whole += member.decompress(left, limit + 1 - len(whole))
            if len(whole) > limit:
                raise _too_big(limit)
            left = member.unused_data
            if not member.eof:
                break
    except zlib.error:
        if not whole:
            raise Unpackable("its gzip compression is damaged") from None
    return bytes(whole)


def inflated(raw: bytes, limit: int = UNPACKED_LIMIT) -> bytes:
    """A raw deflate stream, as zip has it, up to its end; what a cut one still gives. Raises `Unpackable`."""
    stream = zlib.decompressobj(_RAW_DEFLATE)
    whole = bytearray()
    try:
        for at in range(0, len(raw), _STEP):
            whole += stream.decompress(raw[at : at + _STEP], limit + 1 - len(whole))
            if len(whole) > limit or stream.unconsumed_tail:
                raise _too_big(limit)
            if stream.eof:
                break
    except zlib.error:
        if not whole:
            raise Unpackable("its deflate compression is damaged") from None
    return bytes(whole)


def unzstd(raw: bytes, limit: int = UNPACKED_LIMIT) -> bytes:
    """All frames of zstd data; what a cut one still gives. Raises `Unpackable`."""
    whole, left = bytearray(), raw
    while left.startswith(ZSTD):
        frame, failure = _zstd_frame()
        left = _take_frame(frame, failure, left, whole, limit)
    return bytes(whole)


def _take_frame(frame: _Step, failure: type[Exception], left: bytes, whole: bytearray, limit: int) -> bytes:
    """Unpack one frame to the end of `whole`; what follows it. Small pieces go in, so that little can come out."""
    at, step = 0, 1 << 12
    try:
        while at < len(left) and not frame.eof:
            whole += frame.decompress(left[at : at + step])
            at += step
            if len(whole) > limit:
                raise _too_big(limit)
    except failure:
        if not whole:
            raise Unpackable("its zstd compression is damaged") from None
        return b""
    except MemoryError:
        raise _too_big(limit) from None
    return frame.unused_data + left[at:] if frame.eof else b""


def _zstd_frame() -> tuple[_Step, type[Exception]]:
    try:
        native = importlib.import_module("compression.zstd")
        return native.ZstdDecompressor(), native.ZstdError
    except ImportError:
        pass
    try:
        package = importlib.import_module("zstandard")
        return package.ZstdDecompressor().decompressobj(), package.ZstdError
    except ImportError:
        raise Unpackable(NO_ZSTD) from None


def _too_big(limit: int) -> Unpackable:
    return Unpackable(f"it unpacks to more than {limit >> 20} MiB")
