"""Files as bytes: read whole, unpacked within bounds, with one sentence where that does not go."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Mapping

from inspector.finding import Finding
from inspector.formats.compression import GZIP, UNPACKED_LIMIT, ZSTD, Unpackable, gunzipped, unzstd
from inspector.formats.format import UnreadableSession


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
    """The bytes that gzip or zstd packed, or `raw` where neither did. Raises `UnreadableSession`."""
    packer = next((packer for magic, packer in _PACKERS.items() if raw.startswith(magic)), None)
    if packer is None:
        return raw
    try:
        return packer(raw, UNPACKED_LIMIT)
    except Unpackable as fault:
        says = str(fault)
        damage = Finding("truncated-record", "error", says) if "damaged" in says else None
        raise UnreadableSession(f"{name}: {says}", damage) from None


_PACKERS: Mapping[bytes, Callable[[bytes, int], bytes]] = {GZIP: gunzipped, ZSTD: unzstd}
