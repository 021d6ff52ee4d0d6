"""A recorded session once more as it lies in its files: what writing back needs, and reading has left behind.

A loaded session holds messages. To put them back into their files the bytes are read again, and read by the format
again, so that a file which has changed meanwhile is noticed and never mixed with what was loaded.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from inspector.change import Doing, Patch, Site
from inspector.formats.difference import same
from inspector.formats.files import read_bytes, unpacked
from inspector.formats.format import CannotWrite, Conversation, Format, Record, Recording, UnreadableSession
from inspector.formats.records import collector_paused
from inspector.formats.scan import space_end, tokens
from inspector.formats.sources import recording_at, recording_in
from inspector.formats.spelling import spelled, style_around, style_of
from inspector.formats.splice import BOM, splice
from inspector.message import Session

ABSENT = object()
"""What stands at a site where nothing stands."""

Fresh = Callable[[], str]
"""Gives a new id at each call; who writes brings it, since the core draws no lots."""


class Native:
    """The files of a session as they are recorded."""

    def __init__(
        self, session: Session, recording: Recording, found: Sequence[Conversation], packed: bytes, fresh: Fresh
    ) -> None:
        """`recording` is as the format reads it, `found` what it reads; `packed` are a single file's bytes on disk."""
        self.session, self.fresh, self.packed = session, fresh, packed
        self.conversations = found
        self._recording = recording
        self._raw = unpacked(packed, session.file)
        self._records: dict[str, dict[int, list[Record]]] = {}
        self._indexes: dict[tuple[Any, ...], Mapping[str, Sequence[Site]]] = {}
        self._glued: dict[str, frozenset[int]] = {}

    def recording(self, file: str = "") -> Recording:
        """What was salvaged of a file."""
        files = self._recording.files
        return files[file] if files is not None and file else self._recording

    def files(self) -> Sequence[str]:
        """The paths in a folder, sorted."""
        return tuple(self._recording.files or ())

    def raw(self, file: str = "") -> bytes:
        """The bytes of a file, unpacked. Raises `UnreadableSession`."""
        if not file:
            return self._raw
        return read_bytes(os.path.join(self.session.file, *file.split("/")))

    def records(self, file: str = "") -> Mapping[int, Sequence[Record]]:
        """The records of a JSON Lines file by the 0-based line on which they start."""
        if file not in self._records:
            recording = self.recording(file)
            found: dict[int, list[Record]] = {}
            for record in recording.records:
                found.setdefault(record.line, []).append(record)
            if recording.document is not None:
                raw = self.raw(file)
                first = space_end(raw, len(BOM) if raw.startswith(BOM) else 0)
                found[0] = [Record(recording.document, 0, first)]
            self._records[file] = found
        return self._records[file]

    def value(self, site: Site) -> Any:
        """The value at a site; `ABSENT` where there is none."""
        for root in self._roots(site):
            found = _inside(root, site.pointer)
            if found is not ABSENT:
                return found
        return ABSENT

    def _roots(self, site: Site) -> Iterable[Any]:
        if site.line is not None:
            held = self.records(site.file).get(site.line, ())
            return [record.value for record in (held if site.nth is None else held[site.nth : site.nth + 1])]
        return [self.recording(site.file).document] if not site.file or site.file in self.files() else []

    def entries(self, file: str = "") -> Iterator[tuple[Site, Any]]:
        """The records of a JSON Lines file, each with its site, in the order of the file."""
        for line, held in self.records(file).items():
            for number, record in enumerate(held):
                yield Site("", line, file, number if len(held) > 1 else None), record.value

    def siblings(self, entry: Site) -> Iterator[tuple[Site, Any]]:
        """The entries that stand where one does, itself too: the lines of its file, the elements of its list."""
        if entry.line is not None and not entry.pointer:
            yield from self.entries(entry.file)
            return
        above = entry._replace(pointer=entry.pointer.rpartition("/")[0])
        values = self.value(above)
        for number, value in enumerate(values if isinstance(values, list) else ()):
            yield above.under(f"/{number}"), value

    def index(self, entry: Site, names: Callable[[Any], Iterable[str]]) -> Mapping[str, Sequence[Site]]:
        """The siblings of an entry by the names that each of them has; made once."""
        key = (entry.file, entry.line is None, entry.pointer.rpartition("/")[0], names)
        if key not in self._indexes:
            found: dict[str, list[Site]] = {}
            for site, value in self.siblings(entry):
                for name in names(value):
                    found.setdefault(name, []).append(site)
            self._indexes[key] = found
        return self._indexes[key]

    def glued(self, file: str = "") -> frozenset[int]:
        """The lines that hold several records."""
        if file not in self._glued:
            self._glued[file] = frozenset(line for line, held in self.records(file).items() if len(held) > 1)
        return self._glued[file]

    def written(self, patches: Iterable[Patch]) -> dict[str, bytes | None]:
        """The files that patches change, with their new bytes; None where one is taken out. Raises `CannotWrite`."""
        by_file: dict[str, list[Patch]] = {}
        for patch in patches:
            by_file.setdefault(patch.site.file, []).append(patch)
        return {file: self._spliced(file, of_file) for file, of_file in by_file.items()}

    def _spliced(self, file: str, patches: Sequence[Patch]) -> bytes | None:
        whole = [patch for patch in patches if file and not patch.site.pointer and patch.site.line is None]
        if whole:
            return None if whole[-1].doing is Doing.REMOVE else self._new_file(file, whole[-1].values[0])
        starts = None
        if any(patch.site.line is not None for patch in patches):
            starts = {line: [record.byte for record in held] for line, held in self.records(file).items()}
        return splice(self.raw(file), patches, starts)

    def _new_file(self, file: str, value: Any) -> bytes:
        """A file written like one in its folder, or beside that."""
        folder = file.rpartition("/")[0]
        near = [path for path in self.files() if path.endswith(".json") and path.startswith(folder)]
        others = [path for path in self.files() if path.endswith(".json")]
        like = self.raw((near or others)[0])
        ending = b"\n" if like.endswith(b"\n") else b""
        return spelled(value, style_of(like, style_around(like))) + ending


def _inside(value: Any, pointer: str) -> Any:
    for token in tokens(pointer):
        if isinstance(value, dict) and token in value:
            value = value[token]
        elif isinstance(value, list) and token.isdecimal() and int(token) < len(value):
            value = value[int(token)]
        else:
            return ABSENT
    return value


def native_of(session: Session, format: Format, fresh: Fresh, raw: bytes | None = None) -> Native:
    """A session's files, read once more; `raw` are the bytes of one that came from standard input.

    Raises `CannotWrite` where there is no file, or it has changed since; `UnreadableSession` where it cannot be read.
    """
    if not session.file:
        raise CannotWrite("the messages were given by a program; there is no file to write them back to")
    if raw is None and not os.path.isdir(session.file):
        raw = read_bytes(session.file)
    recording = recording_at(session.file) if raw is None else recording_in(raw, session.file)
    with collector_paused():
        seen, found = read_again(format, recording)
    if not holds(found, session):
        raise CannotWrite(f"{session.file} has changed since it was read; read it again")
    return Native(session, seen, found, raw or b"", fresh)


def read_again(format: Format, recording: Recording) -> tuple[Recording, Sequence[Conversation]]:
    """A recording as a format reads it, and what it reads. Raises `UnreadableSession`."""
    seen = recording
    if not format.recognise(seen) and isinstance(recording.document, dict):
        line = Recording(recording.name, records=[Record(recording.document, 0, 0)], damage=recording.damage)
        seen = line if format.recognise(line) else recording
    try:
        return seen, tuple(format.read(seen))
    except (RecursionError, TypeError, ValueError, LookupError, AttributeError) as fault:
        raise UnreadableSession(f"{recording.name}: it is not of the format {format.name}") from fault


def holds(found: Sequence[Conversation], session: Session) -> bool:
    """Whether what was read holds the very messages of a session."""
    try:
        if session.index >= len(found):
            return False
        one, other = list(found[session.index].messages), list(session.messages)
        return one == other or same(one, other)
    except RecursionError:  # nested beyond what Python compares; it was read the same way twice
        return len(found[session.index].messages) == len(session)
