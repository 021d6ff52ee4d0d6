"""Files as bytes: read whole, unpacked within bounds, with one sentence where that does not go."""

from __future__ import annotations

import os
import stat
import zlib

from inspector.finding import Finding
from inspector.formats.format import UnreadableSession

UNPACKED_LIMIT = 512 << 20
"""Most bytes that a compressed file may unpack to: a few kilobytes of gzip can be gigabytes."""

_GZIP = b"\x1f\x8b"
_GZIP_FORMAT = 31


def read_bytes(path: str) -> bytes:
    """The bytes of a file or pipe. Raises `UnreadableSession`."""
    try:
        with open(path, "rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
                raise UnreadableSession(f"{path}: it is a device, not a file")
            return file.read()
    except FileNotFoundError:
        raise UnreadableSession(f"{path}: there is no such file") from None
    except IsADirectoryError:
        raise UnreadableSession(f"{path}: it is a folder; name a session file in it") from None
    except PermissionError:
        why = "it is a folder; name a session file in it" if os.path.isdir(path) else "you may not read it"
        raise UnreadableSession(f"{path}: {why}") from None
    except MemoryError:
        raise UnreadableSession(f"{path}: it does not fit into memory") from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        why = getattr(error, "strerror", None) or str(error)
        raise UnreadableSession(f"{path!r}: it cannot be read ({why})") from None


def unpacked(raw: bytes, name: str) -> bytes:
    """The bytes that gzip packed, or `raw` where it did not. Raises `UnreadableSession`."""
    if not raw.startswith(_GZIP):
        return raw
    whole, left = bytearray(), raw
    try:
        while left.startswith(_GZIP):
            member = zlib.decompressobj(_GZIP_FORMAT)
            whole += member.decompress(left, UNPACKED_LIMIT + 1 - len(whole))
            if len(whole) > UNPACKED_LIMIT:
                raise UnreadableSession(f"{name}: it unpacks to more than {UNPACKED_LIMIT >> 20} MiB")
            left = member.unused_data
            if not member.eof:
                break
    except zlib.error:
        if not whole:
            says = "its gzip compression is damaged"
            raise UnreadableSession(f"{name}: {says}", Finding("truncated-record", "error", says)) from None
    return bytes(whole)
