"""What a path leads to, as a `Recording`: a file, a transcript in Markdown, a database, a folder, or a zip archive,
which is a folder too.

A format whose session is more than one JSON file says so: `Format(reads=("file", "folder"))` or "database". Its reader
then finds in `recording.files` every file of the folder or archive, read and salvaged when it is asked for
(`recording.files["events/1.json"].document`; faults are named by themselves), or in `recording.database` the tables of
an SQLite file. An origin inside says the file in `Origin.file`, and its pointer is the one inside that file; of an
origin's `parts` those that stand in a file of their own are written `file#pointer`.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from inspector.finding import Finding
from inspector.formats.archive import MAGIC as ZIP
from inspector.formats.archive import Archive
from inspector.formats.files import read_bytes, unpacked
from inspector.formats.format import Recording, UnreadableSession
from inspector.formats.records import BOM, salvage
from inspector.formats.sqlite import MAGIC, Database
from inspector.message import Origin

_HEADINGS = (b"# aider chat started at ",)
_HEAD = 1 << 16
FILES_LIMIT = 500_000
"""Most entries of a folder that are looked at: somebody may name the root of a disk."""


class Files(Mapping[str, Recording]):
    """The files of a folder or an archive, by their path inside it with `/` between names, sorted.

    A file is read and salvaged when it is asked for, once. One that cannot be read is empty, with a finding.
    """

    def __init__(self, name: str, paths: Iterable[str], read: Callable[[str], bytes], *, packed: bool = False) -> None:
        """`read` gives the bytes of a path, or raises `UnreadableSession`; `name` is the folder's own.

        `packed` says that this is an archive.
        """
        self.packed = packed
        self._name, self._read = name, read
        self._held: dict[str, Recording | None] = dict.fromkeys(sorted(paths))
        self._damage: list[Finding] = []

    def __getitem__(self, path: str) -> Recording:
        held = self._held[path]
        if held is None:
            held = self._held[path] = self._salvaged(path)
            self._damage += [_inside(path, found) for found in held.damage]
        return held

    def __iter__(self) -> Iterator[str]:
        return iter(self._held)

    def __len__(self) -> int:
        return len(self._held)

    def __contains__(self, path: object) -> bool:
        return path in self._held

    @property
    def damage(self) -> tuple[Finding, ...]:
        """What was wrong with the files that were read so far; pointers are `file#pointer`."""
        return tuple(self._damage)

    def _salvaged(self, path: str) -> Recording:
        try:
            return salvage(unpacked(self._read(path), path), path)
        except UnreadableSession as fault:
            says = str(fault).removeprefix(f"{path}: ").removeprefix(f"{os.path.join(self._name, path)}: ")
            found = fault.finding or Finding("unparseable-record", "warning", says)
            return Recording(path, damage=(replace(found, says=says),))


def _inside(path: str, found: Finding) -> Finding:
    return replace(found, says=f"{path}: {found.says}", pointer=f"{path}#{found.pointer}")


def split_file(origin: Origin) -> Origin:
    """An origin whose pointer is `file#pointer`, with the file where it belongs."""
    file, _, pointer = origin.pointer.partition("#")
    return replace(origin, file=file, pointer=pointer)


def recording_at(path: str) -> Recording:
    """What a path leads to. Raises `UnreadableSession`."""
    if os.path.isdir(path):
        return Recording(path, files=folder(path))
    if _begins_as_database(path):
        return Recording(path, database=Database(path))
    return recording_in(read_bytes(path), path)


def recording_in(raw: bytes, name: str) -> Recording:
    """`recording_at` for bytes that were read already. Raises `UnreadableSession`."""
    raw = unpacked(raw, name)
    if raw.startswith(MAGIC):
        return Recording(name, database=Database(name, raw))
    if raw.startswith(ZIP):
        return archive(raw, name)
    return Recording(name, text=raw) if _is_markdown(raw) else salvage(raw, name)


def _is_markdown(raw: bytes) -> bool:
    """Whether a file is a transcript in Markdown: only a heading that a tool writes makes it one."""
    head = b"\n" + raw[:_HEAD].removeprefix(BOM).lstrip()
    return not head.startswith((b"\n{", b"\n[")) and any(b"\n" + mark in head for mark in _HEADINGS)


def archive(raw: bytes, name: str) -> Recording:
    """The files of a zip archive. Raises `UnreadableSession` for one that is a trap."""
    opened = Archive(raw, name)
    return Recording(name, files=Files(name, opened.paths, opened.read, packed=True), damage=opened.damage)


def folder(path: str) -> Files:
    """The files under a folder, links to other folders not followed. Raises `UnreadableSession`."""
    paths: list[str] = []
    entries = 0
    for place, folders, names in os.walk(path):
        entries += len(folders) + len(names)
        if entries > FILES_LIMIT:
            raise UnreadableSession(f"{path}: it is a folder of more than {FILES_LIMIT:,} files; name a session in it")
        inside = os.path.relpath(place, path).replace(os.sep, "/")
        paths += [name if inside == "." else f"{inside}/{name}" for name in names]
    return Files(path, paths, lambda inside: _plain_file(os.path.join(path, *inside.split("/"))))


def _plain_file(path: str) -> bytes:
    """The bytes of a file; a pipe in a folder would keep a reader waiting for ever."""
    try:
        plain = stat.S_ISREG(os.stat(path).st_mode)
    except (OSError, ValueError):
        plain = True  # let reading say what is wrong
    if not plain:
        raise UnreadableSession(f"{path}: it is no plain file")
    return read_bytes(path)


def _begins_as_database(path: str) -> bool:
    try:
        if not os.path.isfile(path):
            return False
        with open(path, "rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except (OSError, ValueError):
        return False
