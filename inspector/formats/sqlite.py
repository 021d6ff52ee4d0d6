"""SQLite databases, read without a trace, also while the tool that owns them is writing.

A database in write-ahead mode is written even by readers: they make its -wal and -shm files, or mark themselves in the
latter. So it is opened in the way that leaves the folder as it was (each was tried on SQLite 3.40): the -shm read-only
where it exists, as an unchanging file where nothing is waiting in a log, and a copy in a temporary folder otherwise.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import orjson

from inspector.finding import Finding
from inspector.formats.format import UnreadableSession
from inspector.formats.records import salvage
from inspector.message import Body

MAGIC = b"SQLite format 3\0"
_VERSIONS = slice(18, 20)
"""Bytes of the header that say whether the database is in write-ahead mode (2, 2) or not (1, 1): SQLite, "Database File
Format", 1.3.3."""
_BESIDE = ("-wal", "-journal")
"""What a database's file is incomplete without."""
_FAULTS = (sqlite3.Error, OSError, MemoryError, UnicodeError)
"""What reading a damaged database raises: also the messages of SQLite quote bytes of it that are no UTF-8."""
_TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE TABLE%'"
"""What is stored: a view, which may call itself a table in a file that somebody made, is worked out without end."""
GROWTH = 4
"""A database whose values come to more than so many times its size, and `SMALL` bytes, is a trap: its pages lead to
themselves or to each other."""
SMALL = 64 << 20
STEPS = 20
"""Steps of SQLite's machine that a byte of the file, or of `SMALL` bytes beside it, may cost; a row takes about five,
and one for each column."""
_STEPS_A_LOOK = 100_000
_UNREADABLE = (sqlite3.Error, OSError, UnicodeError)
"""What a damaged database raises: names of tables and columns are decoded strictly, whatever `text_factory` says."""


class Database:
    """The tables of an SQLite file. Nothing stays open between two readings."""

    def __init__(self, path: str, raw: bytes | None = None) -> None:
        """`raw` are the bytes of the file, where they came from standard input."""
        self.path = path
        self._raw = raw
        self._damage: list[Finding] = []
        self._left = SMALL
        """Bytes of values that may still be read."""

    @property
    def damage(self) -> tuple[Finding, ...]:
        """What could not be read so far."""
        return tuple(self._damage)

    @cached_property
    def columns(self) -> dict[str, tuple[str, ...]]:
        """The columns of each table, by its name; empty where the database is too damaged to tell."""
        try:
            with self._open() as opened:
                names = [name for (name,) in opened.execute(_TABLES)]
                return {name: _columns(opened, name) for name in names if isinstance(name, str)}
        except _UNREADABLE as fault:
            self._note("the database", fault)
            return {}

    def tables(self, *names: str) -> dict[str, list[Body]]:
        """The rows of tables as dicts, in the order in which they were added; all from one moment.

        A table that is not there has none. What a damage hides is named, and the rows before it are kept.
        """
        found: dict[str, list[Body]] = {name: [] for name in names}
        self._left = GROWTH * self._size() + SMALL
        try:
            with self._open() as opened:
                opened.execute("BEGIN")
                for name in names:
                    if name in self.columns:
                        self._fill(opened, name, found[name])
        except _UNREADABLE as fault:
            self._note("the database", fault)
        return found

    def _fill(self, opened: sqlite3.Connection, name: str, rows: list[Body]) -> None:
        try:
            order = "" if _without_rowid(opened, name) else " ORDER BY rowid"
            stored = ", ".join(map(_quoted, self.columns[name]))  # not `*`: other columns are worked out
            for row in opened.execute(f"SELECT {stored} FROM {_quoted(name)}{order}"):
                self._left -= sum(map(_bytes, row))
                if self._left < 0:
                    raise sqlite3.DataError("it holds more than its file can")
                rows.append(dict(row))
        except _UNREADABLE as fault:
            self._note(f"the table {name}", fault)

    def _note(self, what: str, fault: Exception) -> None:
        why = "it needs more memory than there is" if isinstance(fault, MemoryError) else fault
        why = "its own words are damaged" if isinstance(fault, UnicodeError) else why
        says = f"{what} cannot be read whole ({why})"
        self._damage.append(Finding("unparseable-record", "warning", says))

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        if self._raw is not None:
            with closing(sqlite3.connect(":memory:")) as opened:
                opened.deserialize(_without_log(self._raw))
                yield _prepared(opened, self._size())
            return
        query = _query(self.path)
        if query is not None:
            with closing(_connected(self.path, query)) as opened:
                if query == "immutable=1" or _answers(opened):
                    yield _prepared(opened, self._size())
                    return
        with _copied(self.path) as copy, closing(sqlite3.connect(copy)) as opened:
            yield _prepared(opened, self._size())

    def _size(self) -> int:
        if self._raw is not None:
            return len(self._raw)
        return sum(_size(self.path + ending) for ending in ("", *_BESIDE))


def json_column(value: Any, pointer: str, damage: list[Finding]) -> Any:
    """The JSON value in a column of type text; None, with findings added to `damage`, where there is none."""
    raw = value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value
    if not isinstance(raw, bytes):
        return None
    try:
        return orjson.loads(raw)
    except ValueError:
        pass
    try:
        read = salvage(raw, pointer)
    except UnreadableSession as fault:
        damage.append(Finding("unparseable-record", "warning", str(fault), pointer=pointer))
        return None
    damage += [replace(one, says=f"{pointer}: {one.says}", pointer=pointer + one.pointer) for one in read.damage]
    return read.document


def _query(path: str) -> str | None:
    """How to open a database so that nothing is written; None where only a copy can be read so."""
    if _size(path + "-wal"):
        return "mode=ro&readonly_shm=1" if os.path.exists(path + "-shm") else None
    with open(path, "rb") as file:
        in_log_mode = file.read(_VERSIONS.stop)[_VERSIONS] == b"\2\2"
    return "immutable=1" if in_log_mode else "mode=ro"


def _size(path: str) -> int:
    try:
        return os.path.getsize(path)
    except OSError:
        return 0


def _connected(path: str, query: str) -> sqlite3.Connection:
    return sqlite3.connect(f"{Path(path).absolute().as_uri()}?{query}", uri=True, isolation_level=None)


def _answers(opened: sqlite3.Connection) -> bool:
    """Whether a database can be read as it was opened; one that a crash left in the middle of a write cannot."""
    try:
        opened.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError:
        return False
    return True


@contextmanager
def _copied(path: str) -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="inspector-") as place:
        copy = os.path.join(place, "copy.db")
        shutil.copyfile(path, copy)
        for ending in _BESIDE:
            if os.path.exists(path + ending):
                shutil.copyfile(path + ending, copy + ending)
        yield copy


def _without_log(raw: bytes) -> bytes:
    """The bytes of a database that is in write-ahead mode as one that is not: in memory there is no log."""
    return raw[: _VERSIONS.start] + b"\1\1" + raw[_VERSIONS.stop :]


def _prepared(opened: sqlite3.Connection, size: int) -> sqlite3.Connection:
    """A connection that gives rows and text of any bytes, and that no damage or trap keeps busy or makes grow."""
    looks = iter(range(STEPS * (size + SMALL) // _STEPS_A_LOOK))
    opened.set_progress_handler(lambda: next(looks, None) is None, _STEPS_A_LOOK)
    opened.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, max(min(size + SMALL, (1 << 31) - 1), 1 << 20))
    opened.execute("PRAGMA trusted_schema = OFF")
    opened.isolation_level = None
    opened.row_factory = sqlite3.Row
    opened.text_factory = lambda raw: raw.decode("utf-8", "replace")
    return opened


def _bytes(value: Any) -> int:
    return len(value) if isinstance(value, (str, bytes)) else 8


def _columns(opened: sqlite3.Connection, name: str) -> tuple[str, ...]:
    return tuple(str(row["name"]) for row in opened.execute(f"PRAGMA table_info({_quoted(name)})"))


def _without_rowid(opened: sqlite3.Connection, name: str) -> bool:
    try:
        opened.execute(f"SELECT rowid FROM {_quoted(name)} LIMIT 0")
    except sqlite3.OperationalError:
        return True
    return False


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
