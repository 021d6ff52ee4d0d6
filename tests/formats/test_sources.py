"""What a path leads to: folders file by file, databases without a trace, and one sentence for all else."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from inspector.formats import FORMATS, UnreadableSession, conversations
from inspector.formats.sources import Files, recording_at, recording_in, split_file
from inspector.formats.sqlite import Database
from inspector.message import Origin


def shot(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Every file of a folder, with its bytes and its time of change."""
    return {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in sorted(folder.iterdir())}


OWNER = """
import sqlite3, sys
owner = sqlite3.connect(sys.argv[1])
owner.execute("PRAGMA journal_mode=WAL")
owner.execute("CREATE TABLE notes (id TEXT PRIMARY KEY, data TEXT)")
owner.execute("INSERT INTO notes VALUES ('b', 'first'), ('a', 'second')")
owner.commit()
print("ready", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Path]:
    """A database in write-ahead mode whose owner has it open, with the last row only in the log."""
    path = tmp_path / "live.db"
    # a process of its own: within one process SQLite shares what a connection has mapped
    with subprocess.Popen([sys.executable, "-c", OWNER, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as owner:
        assert owner.stdout is not None
        owner.stdout.readline()
        yield path
        owner.communicate()


ROWS = [{"id": "b", "data": "first"}, {"id": "a", "data": "second"}]


def test_a_live_database_is_read_from_its_log_and_left_as_it_was(live: Path) -> None:
    before = shot(live.parent)
    database = Database(str(live))
    assert database.columns == {"notes": ("id", "data")}
    assert database.tables("notes") == {"notes": ROWS}
    assert shot(live.parent) == before


def test_a_database_that_a_crash_left_with_its_log_is_read_and_left_as_it_was(live: Path, tmp_path: Path) -> None:
    for beside in (("-wal", "-shm"), ("-wal",)):
        place = tmp_path / "".join(beside)
        place.mkdir()
        for ending in ("", *beside):
            shutil.copy(f"{live}{ending}", place / f"live.db{ending}")
        before = shot(place)
        assert Database(str(place / "live.db")).tables("notes")["notes"] == ROWS
        assert shot(place) == before


@pytest.mark.parametrize("mode", ["WAL", "DELETE"])
def test_a_closed_database_gets_no_company(mode: str, tmp_path: Path) -> None:
    path = tmp_path / "odd name %41?#.db"
    owner = sqlite3.connect(path)
    owner.execute(f"PRAGMA journal_mode={mode}")
    owner.execute("CREATE TABLE notes (id TEXT PRIMARY KEY, data TEXT) WITHOUT ROWID")
    owner.execute("INSERT INTO notes VALUES ('b', 'first')")
    owner.commit()
    owner.close()
    before = shot(tmp_path)
    database = recording_at(str(path)).database
    assert database is not None
    assert database.tables("notes", "no such") == {"notes": ROWS[:1], "no such": []}
    assert shot(tmp_path) == before
    given = recording_in(path.read_bytes(), "-").database
    assert given is not None
    assert given.tables("notes")["notes"] == ROWS[:1]


def test_a_half_written_database_is_read_as_it_was_before_the_write(tmp_path: Path) -> None:
    path = tmp_path / "crashed.db"
    owner = sqlite3.connect(path, isolation_level=None)
    owner.execute("PRAGMA cache_size=1")
    owner.execute("CREATE TABLE notes (id TEXT PRIMARY KEY, data TEXT)")
    owner.execute("INSERT INTO notes VALUES ('b', 'first')")
    owner.execute("BEGIN")
    owner.executemany("INSERT INTO notes VALUES (?, ?)", [(str(number), "x" * 900) for number in range(200)])
    place = tmp_path / "crash"
    place.mkdir()
    for name in ("crashed.db", "crashed.db-journal"):
        shutil.copy(tmp_path / name, place / name)
    owner.execute("ROLLBACK")
    owner.close()
    before = shot(place)
    assert Database(str(place / "crashed.db")).tables("notes")["notes"] == ROWS[:1]
    assert shot(place) == before


def test_a_damaged_database_is_named_and_what_comes_before_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "damaged.db"
    owner = sqlite3.connect(path)
    owner.execute("CREATE TABLE notes (id INTEGER PRIMARY KEY, data TEXT)")
    owner.executemany("INSERT INTO notes (data) VALUES (?)", [("x" * 500,) for _ in range(100)])
    owner.commit()
    owner.close()
    raw = path.read_bytes()
    path.write_bytes(raw[: len(raw) * 2 // 3])
    database = Database(str(path))
    rows = database.tables("notes")["notes"]
    assert len(rows) < 100
    assert [found.code for found in database.damage] == ["unparseable-record"]
    path.write_bytes(raw[:100] + b"\xff" * 4000)
    with pytest.raises(UnreadableSession, match="SQLite"):
        conversations(path)


def test_a_database_of_no_known_tool_is_refused_with_one_sentence(live: Path) -> None:
    with pytest.raises(UnreadableSession, match=r"it is an SQLite database, but holds no conversation"):
        conversations(live)
    with pytest.raises(
        UnreadableSession, match=r"it is an SQLite database, which a session of the format openai_chat never is"
    ):
        conversations(live, "openai_chat")


def test_a_folder_gives_its_files_in_order_and_names_what_is_wrong_with_them(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "2.json").write_text('{"two": 2}')
    (tmp_path / "a.json").write_text('{"one": 1}')
    (tmp_path / "empty.json").write_text("")
    (tmp_path / "cut.json").write_text('{"three": 3, "fo')
    os.mkfifo(tmp_path / "pipe")
    files = recording_at(str(tmp_path)).files
    assert files is not None
    assert list(files) == ["a.json", "b/2.json", "cut.json", "empty.json", "pipe"]
    assert not files.damage
    assert files["b/2.json"].document == {"two": 2}
    assert files["cut.json"].document == {"three": 3}
    assert (files["empty.json"].document, files["pipe"].document) == (None, None)
    assert [(found.code, found.pointer.split("#")[0]) for found in files.damage] == [
        ("truncated-record", "cut.json"),
        ("empty-file", "empty.json"),
        ("unparseable-record", "pipe"),
    ]
    assert all(found.says.startswith(found.pointer.split("#")[0] + ": ") for found in files.damage)


def test_a_folder_without_a_session_is_refused_with_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(UnreadableSession, match=r"it is a folder, but holds .*; name a session file in it"):
        conversations(tmp_path)
    (tmp_path / "a.json").write_text(json.dumps([{"role": "user", "content": "hi"}]))
    with pytest.raises(UnreadableSession, match=r"it is a folder"):
        conversations(tmp_path)


def test_a_file_is_read_once() -> None:
    asked: list[str] = []

    def read(path: str) -> bytes:
        asked.append(path)
        return b"[]"

    files = Files("made", ["b", "a"], read)
    assert files["a"] is files["a"]
    assert (asked, list(files), "c" in files) == (["a"], ["a", "b"], False)


def test_a_pointer_with_its_file_is_split() -> None:
    assert split_file(Origin(1, "a/b.json#/x", 2, ("c.json#/y",))) == Origin(1, "/x", 2, ("c.json#/y",), "a/b.json")


def test_every_format_says_what_it_reads() -> None:
    assert all(format.reads for format in FORMATS)
