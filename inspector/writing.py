"""Writing a file whole or not at all, and never over the recording that was read.

Everything that writes (exports, sent views, remembered settings) goes through here: the bytes are laid down in a
temporary file in the same folder and put in place in one step, so that a full disk or ctrl-c leaves nothing half done.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
from collections.abc import Callable, Container, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

STDIO = "-"


class WriteRefused(ValueError):
    """A file that is not written; says in one sentence why."""


def as_json(value: Any) -> bytes:
    """A value as the bytes of a JSON file; a lone surrogate is written as its escape, so that nothing is lost."""
    import orjson

    try:
        return orjson.dumps(value, option=orjson.OPT_INDENT_2) + b"\n"
    except (TypeError, RecursionError):
        return json.dumps(value, indent=2).encode() + b"\n"


def write_new(path: str | Path, data: bytes, *, inputs: Iterable[str | Path] = (), force: bool = False) -> None:
    """Write `data` to a new file at `path`.

    A symbolic link is followed. `inputs` are never replaced, whichever spelling, link or hard link names them, and any
    other file only with `force`, which keeps its permissions.

    Raises:
        WriteRefused: with one sentence; nothing is changed.
        OSError: the folder is missing, read-only or full; nothing is changed, and no temporary file stays.
    """
    if not os.fspath(path):
        raise WriteRefused("name a file to write")
    target = os.path.realpath(path)
    _allow(target, os.fspath(path), [os.fspath(given) for given in inputs], force)
    temporary = os.path.join(os.path.dirname(target), f".inspector-{os.urandom(6).hex()}.tmp")
    try:
        _lay_down(temporary, data)
        if force:
            _keep_mode(target, temporary)
            os.replace(temporary, target)
        else:
            _place(temporary, target, os.fspath(path))
    finally:
        with suppress(OSError):
            os.unlink(temporary)


def _allow(target: str, shown: str, inputs: Iterable[str], force: bool) -> None:
    try:
        there = os.stat(target)
    except FileNotFoundError:
        return
    if any(_same_file(target, given) for given in inputs):
        raise WriteRefused(f"{shown} is the recording that was read, and a recording is never replaced")
    if stat.S_ISDIR(there.st_mode):
        raise WriteRefused(f"{shown} is a folder; name a file in it")
    if not stat.S_ISREG(there.st_mode):
        raise WriteRefused(f"{shown} is not an ordinary file")
    if not force:
        raise WriteRefused(_exists(shown))


def _exists(shown: str) -> str:
    return f"{shown} exists already; --force replaces it"


def _same_file(target: str, given: str) -> bool:
    try:
        return given != STDIO and os.path.samefile(target, given)
    except OSError:
        return False


def _lay_down(temporary: str, data: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    with open(
        os.open(temporary, flags, 0o666), "wb"
    ) as file:  # 0o666: what the umask leaves of it, as for any new file
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _keep_mode(target: str, temporary: str) -> None:
    with suppress(FileNotFoundError):
        os.chmod(temporary, stat.S_IMODE(os.stat(target).st_mode))


def _place(temporary: str, target: str, shown: str) -> None:
    """Put the file in place unless somebody has made one there meanwhile."""
    try:
        os.link(temporary, target)
    except FileExistsError:
        raise WriteRefused(_exists(shown)) from None
    except OSError:  # a file system without hard links
        if os.path.lexists(target):
            raise WriteRefused(_exists(shown)) from None
        os.replace(temporary, target)


def write_new_folder(path: str | Path, source: str | Path, changed: Mapping[str, bytes | None]) -> None:
    """Copy a folder to a new one at `path`, with some of its files changed, added, or (None) left out.

    `changed` is by path inside the folder, `/` between names. Links inside it are copied as links.

    Raises:
        WriteRefused: there is something at `path` already, or one of the folders would lie in the other.
        OSError: the folder above is missing, read-only or full; nothing stays behind.
    """
    target, origin = os.path.realpath(path), os.path.realpath(source)
    if not os.fspath(path):
        raise WriteRefused("name a folder to write")
    if os.path.lexists(target):
        raise WriteRefused(f"{path} exists already; a folder is written to a new place")
    if os.path.commonpath([target, origin]) in (target, origin):
        raise WriteRefused(f"{path} lies in the recording that was read; name a folder outside it")
    temporary = os.path.join(os.path.dirname(target), f".inspector-{os.urandom(6).hex()}.tmp")
    os.mkdir(temporary)
    try:
        left_out = {os.path.join(origin, *inside.split("/")) for inside in changed}
        shutil.copytree(origin, temporary, symlinks=True, ignore=_ignoring(left_out), dirs_exist_ok=True)
        for inside, data in changed.items():
            if data is not None:
                place = os.path.join(temporary, *inside.split("/"))
                os.makedirs(os.path.dirname(place), exist_ok=True)
                _lay_down(place, data)
        os.rename(temporary, target)
    except shutil.Error as fault:  # it lists every file
        raise OSError(fault.args[0][0][2]) from None
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _ignoring(paths: Container[str]) -> Callable[[str, list[str]], list[str]]:
    return lambda folder, names: [name for name in names if os.path.join(folder, name) in paths]
