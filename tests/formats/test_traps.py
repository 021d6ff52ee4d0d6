"""Files that are made to trap a reader: what unpacks, leads or grows without end is refused or bounded."""

import gzip
import os
import sqlite3
import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from inspector.formats import UnreadableSession, conversations, conversations_in, load, load_bytes
from inspector.formats import sqlite as reading_sqlite
from inspector.formats.archive import Archive
from inspector.formats.format import Recording
from inspector.formats.sources import recording_at
from tests.formats import claude_lines as claude
from tests.formats import test_codex as codex
from tests.formats import test_pi as pi
from tests.formats.made import jsonl
from tests.formats.seeds import folders
from tests.formats.test_archive import zipped
from tests.formats.test_goose import MESSAGES, database


def test_packed_bombs_and_ways_out_of_an_archive_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for archive in (zipped({"../out.json": b"[]"}), zipped({"/etc/x.json": b"[]"}), zipped({"c:\\x": b"[]"})):
        with pytest.raises(UnreadableSession, match="outside itself"):
            load_bytes(archive, "made")
    monkeypatch.setattr("inspector.formats.files.UNPACKED_LIMIT", 1 << 20)
    monkeypatch.setattr("inspector.formats.archive.UNPACKED_LIMIT", 1 << 20)
    with pytest.raises(UnreadableSession, match="more than 1 MiB"):
        load_bytes(gzip.compress(gzip.compress(bytes(4 << 20)) + bytes(4 << 20)), "made")
    held = BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as bomb:
        for number in range(4):
            bomb.writestr(f"samples/{number}.json", bytes(1 << 20))
    with pytest.raises(UnreadableSession, match="unpacks to more than"):
        Archive(held.getvalue(), "made")


def test_an_archive_inside_another_is_not_opened() -> None:
    with pytest.raises(UnreadableSession):
        load_bytes(zipped({"a.json": zipped({"b.json": b"[]"})}), "made")


def test_links_in_circles_pipes_and_devices_hang_nothing(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(UnreadableSession):
        load(tmp_path / "a")
    made = folders(tmp_path / "in")
    for folder in made.values():
        (folder / "up").symlink_to(tmp_path, target_is_directory=True)
        (folder / "self.json").symlink_to(folder / "self.json")
        (folder / "zero.json").symlink_to("/dev/zero")
        os.mkfifo(folder / "pipe.json")
        assert conversations(folder).conversations[0].messages
        check_recording(recording_at(str(folder)))


def check_recording(recording: Recording) -> None:
    assert recording.files is not None
    for path in ("self.json", "zero.json", "pipe.json"):
        assert recording.files[path].document is None
        assert recording.files[path].damage


def test_a_view_that_calls_itself_a_table_is_not_worked_out(tmp_path: Path) -> None:
    opened = sqlite3.connect(tmp_path / "trap.db")
    opened.executescript(
        "CREATE TABLE sessions (id TEXT); INSERT INTO sessions VALUES ('s');"
        "CREATE VIEW messages AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)"
        " SELECT x AS id, 's' AS session_id, 'user' AS role, '[]' AS content_json FROM c;"
        "PRAGMA writable_schema = ON; UPDATE sqlite_master SET type = 'table' WHERE name = 'messages';"
    )
    opened.close()
    for form in (None, "goose"):
        with pytest.raises(UnreadableSession):
            load(tmp_path / "trap.db", format=form)


def test_a_column_that_is_worked_out_is_not_read(tmp_path: Path) -> None:
    path = database(tmp_path / "trap.db", ({"id": "A", "updated": "1"}, MESSAGES))
    opened = sqlite3.connect(path)
    opened.execute("ALTER TABLE messages ADD COLUMN big AS (hex(zeroblob(100000000)))")
    opened.close()
    session = load(path)
    assert len(session) > 2
    assert not session.damage


def test_pages_that_all_lead_to_one_are_read_up_to_what_the_file_can_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "trap.db"
    opened = sqlite3.connect(path)
    opened.executescript(
        "PRAGMA page_size = 512; CREATE TABLE sessions (id); INSERT INTO sessions VALUES ('s');"
        "CREATE TABLE messages (id, session_id, role, content_json);"
    )
    said = '[{"type": "text", "text": "hi"}]'
    opened.executemany("INSERT INTO messages VALUES (?, 's', 'user', ?)", ((number, said) for number in range(9000)))
    opened.commit()
    opened.close()
    raw = bytearray(path.read_bytes())
    for start in range(512, len(raw), 512):
        if raw[start] == 5:  # an inner page of a table: its cells begin with the page that each leads to
            cells = int.from_bytes(raw[start + 3 : start + 5])
            at = [start + int.from_bytes(raw[cell : cell + 2]) for cell in range(start + 12, start + 12 + 2 * cells, 2)]
            for cell in at:
                raw[cell : cell + 4] = raw[at[0] : at[0] + 4]
    monkeypatch.setattr(reading_sqlite, "SMALL", 0)
    monkeypatch.setattr(reading_sqlite, "GROWTH", 0.1)
    opened_again = conversations_in(bytes(raw), "made", "goose")
    assert any("more than its file can" in one.says for one in opened_again.damage)


# what many compactions kept


def of_pi(count: int) -> list[Any]:
    said = [pi.says(f"m{at}", f"m{at - 1}" if at else None, "user", "x") for at in range(count)]
    done = [pi.entry("compaction", f"m{count + at}", f"m{count + at - 1}", summary="S", firstKeptEntryId="m0")
            for at in range(count)]  # fmt: skip
    return [pi.HEAD, *said, *done]


def of_claude_code(count: int) -> list[Any]:
    made = [claude.says("m0", None, "x")]
    for at in range(count):
        segment = {"headUuid": "m0", "tailUuid": f"m{at}"}
        made.append(claude.boundary(f"b{at}", f"m{at}", preservedSegment=segment))
        made.append(claude.says(f"m{at + 1}", f"b{at}", "S", isCompactSummary=True))
    return made


def of_codex(count: int) -> list[Any]:
    return [codex.META, *[codex.says("x")] * count, *[codex.line("compacted", {"message": "S"})] * count]


@pytest.mark.parametrize("make", [of_pi, of_claude_code, of_codex])
def test_many_compactions_that_kept_everything_hold_no_more_rows_than_the_bound(
    make: Callable[[int], list[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inspector.formats.kept.LOOKED_THROUGH", 8000)
    session = load_bytes(jsonl(*make(100)), "made")
    assert len(session.compactions) == 100
    assert 0 < sum(len(one.kept) for one in session.compactions) <= 8000
