"""Zip archives and compressed files: read within bounds, also where the writer was killed; traps are refused."""

import gzip
import io
import struct
import zipfile
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.formats import UnreadableSession, compression, load_bytes
from inspector.formats import files as reading
from inspector.formats.archive import Archive
from inspector.formats.compression import NO_ZSTD, Unpackable, inflated, unzstd
from tests.formats.damaged import read_or_refused

zstandard = pytest.importorskip("zstandard", reason="the extra for zstd is not installed")
TALK = b'{"messages": [{"role": "user", "content": "hi"}]}'


def zipped(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", method) as archive:
        for path, data in files.items():
            archive.writestr(path, data)
    return held.getvalue()


def zstd_zipped(files: dict[str, bytes], *, sizes_follow: bool = False) -> bytes:
    """An archive of method 93, which Python's own writer does not know before 3.14, put together by hand."""
    whole, directory = b"", b""
    for path, data in files.items():
        packed, name = zstandard.ZstdCompressor().compress(data), path.encode()
        flags = 0x800 | (8 if sizes_follow else 0)
        sizes = (zlib.crc32(data), len(packed), len(data))
        said = (0, 0, 0) if sizes_follow else sizes
        at = len(whole)
        whole += struct.pack("<4sHHHHHIIIHH", b"PK\x03\x04", 63, flags, 93, 0, 0, *said, len(name), 0) + name + packed
        if sizes_follow:
            whole += struct.pack("<4sIII", b"PK\x07\x08", *sizes)
        directory += struct.pack(
            "<4sHHHHHHIIIHHHHHII", b"PK\x01\x02", 63, 63, flags, 93, 0, 0, *sizes, len(name), 0, 0, 0, 0, 0, at
        )
        directory += name
    end = struct.pack("<4sHHHHIIH", b"PK\x05\x06", 0, 0, len(files), len(files), len(directory), len(whole), 0)
    return whole + directory + end


FILES = {"a/1.json": b'{"a": 1}' * 50, "b.txt": b"hello", "empty": b""}
MADE = {
    "stored": zipped(FILES, zipfile.ZIP_STORED),
    "deflate": zipped(FILES),
    "zstd": zstd_zipped(FILES),
    "zstd, sizes after the data": zstd_zipped(FILES, sizes_follow=True),
}


@pytest.mark.parametrize("raw", MADE.values(), ids=MADE)
def test_every_file_comes_out_as_it_went_in(raw: bytes) -> None:
    archive = Archive(raw, "x.zip")
    assert archive.complete
    assert {path: archive.read(path) for path in archive.paths} == FILES


@pytest.mark.parametrize("raw", MADE.values(), ids=MADE)
def test_without_a_directory_the_files_are_found_one_by_one(raw: bytes) -> None:
    cut = raw[: raw.index(b"PK\x01\x02")]
    archive = Archive(cut, "x.zip")
    assert [found.code for found in archive.damage] == ["truncated-record"]
    assert {path: archive.read(path) for path in archive.paths} == FILES


def test_a_file_cut_in_the_middle_gives_its_beginning() -> None:
    data = bytes(range(256)) * 40
    for raw in (zipped({"a": data}), zstd_zipped({"a": data + data[::-1]})):
        archive = Archive(raw[: len(raw) // 2], "x.zip")
        got = archive.read("a")
        assert data.startswith(got) or (data + data[::-1]).startswith(got)


@pytest.mark.parametrize("path", ["../up.json", "/root.json", "a/../../b", "..\\up", "C:/x.json"])
def test_a_path_that_leads_outside_is_refused(path: str) -> None:
    with pytest.raises(UnreadableSession, match="names a file outside itself"):
        Archive(zipped({path: b"x"}), "x.zip")


def test_a_bomb_is_refused_by_what_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = zipped({f"{number}": b"\0" * 300_000 for number in range(8)})
    monkeypatch.setattr("inspector.formats.archive.UNPACKED_LIMIT", 1 << 20)
    with pytest.raises(UnreadableSession, match="unpacks to more than 1 MiB"):
        Archive(raw, "x.zip")


def test_a_bomb_that_lies_about_its_size_is_refused_when_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = bytearray(zipped({"a": b"\0" * 3_000_000}))
    entry = raw.index(b"PK\x01\x02")
    raw[entry + 24 : entry + 28] = struct.pack("<I", 10)
    monkeypatch.setattr("inspector.formats.archive.inflated", lambda data: inflated(data, 1 << 20))
    with pytest.raises(UnreadableSession, match="unpacks to more than"):
        Archive(bytes(raw), "x.zip").read("a")


def test_files_that_share_their_bytes_cannot_unpack_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inspector.formats.archive.UNPACKED_LIMIT", 1 << 16)
    archive = Archive(zipped({"a": b"x" * 50_000}), "x.zip")
    archive.read("a")
    with pytest.raises(UnreadableSession, match="more than can be true"):
        archive.read("a")


@pytest.mark.parametrize(
    ("at", "value", "why"),
    [(8, 1, "encrypted"), (10, 14, "LZMA"), (10, 77, "of method 77"), (42, 0xFFFF, "header is damaged")],
)
def test_what_cannot_be_read_is_said(at: int, value: int, why: str) -> None:
    raw = bytearray(zipped(FILES))
    entry = raw.index(b"PK\x01\x02")
    raw[entry + at : entry + at + 2] = struct.pack("<H", value)
    with pytest.raises(UnreadableSession, match=why):
        Archive(bytes(raw), "x.zip").read("a/1.json")


def test_whole_files_may_be_packed_with_zstd_or_gzip() -> None:
    frame = zstandard.ZstdCompressor().compress(TALK)
    for raw in (frame, gzip.compress(TALK)):
        assert load_bytes(raw, "talk.json.packed").messages[0]["content"] == "hi"
    assert unzstd(frame + frame) == TALK + TALK


def test_a_zstd_bomb_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    bomb = zstandard.ZstdCompressor().compress(b"\0" * 3_000_000)
    monkeypatch.setattr(reading, "UNPACKED_LIMIT", 1 << 20)
    with pytest.raises(UnreadableSession, match="unpacks to more than 1 MiB"):
        load_bytes(bomb, "x.zst")


def test_without_the_package_a_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(compression.importlib, "import_module", missing)
    with pytest.raises(UnreadableSession, match=r"inspector\[zstd\]"):
        load_bytes(zstandard.ZstdCompressor().compress(TALK), "x.zst")
    with pytest.raises(UnreadableSession, match="zstandard"):
        Archive(zstd_zipped(FILES), "x.zip").read("b.txt")
    assert "pip install" in NO_ZSTD


def test_an_archive_of_something_else_is_called_one() -> None:
    with pytest.raises(UnreadableSession, match="it is a zip archive, but holds no conversation"):
        load_bytes(zipped({"notes.txt": b"x"}), "x.zip")


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(list(MADE.values())), st.data())
def test_a_damaged_archive_is_read_or_refused(raw: bytes, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(raw) - 1))
    spoilt = raw[:at] + data.draw(st.binary(max_size=6)) + raw[at + data.draw(st.integers(0, 8)) :]
    try:
        archive = Archive(spoilt, "x.zip")
        for path in archive.paths:
            archive.read(path)
    except UnreadableSession as refused:
        assert str(refused)  # noqa: PT017
    read_or_refused(spoilt)


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=60))
def test_bytes_that_are_no_compression_never_raise_anything_else(raw: bytes) -> None:
    for unpack in (inflated, lambda data: unzstd(b"\x28\xb5\x2f\xfd" + data)):
        try:
            unpack(raw)
        except Unpackable as refused:
            assert str(refused)  # noqa: PT017
