import os
import stat
from pathlib import Path

import pytest

from inspector.writing import WriteRefused, write_new, write_new_folder

posix = pytest.mark.skipif(os.name != "posix", reason="POSIX modes and links")


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_new_file_is_written_whole_and_leaves_no_other(tmp_path: Path) -> None:
    write_new(tmp_path / "new", b"data")
    assert (tmp_path / "new").read_bytes() == b"data"
    assert names(tmp_path) == ["new"]


def test_no_name_is_said_to_be_none(tmp_path: Path) -> None:
    with pytest.raises(WriteRefused, match="name a file"):
        write_new("", b"", force=True)
    with pytest.raises(WriteRefused, match="name a folder"):
        write_new_folder("", tmp_path, {})


def test_a_file_that_exists_stays_unless_forced(tmp_path: Path) -> None:
    path = tmp_path / "old"
    path.write_bytes(b"before")
    with pytest.raises(WriteRefused, match="--force"):
        write_new(path, b"after")
    assert path.read_bytes() == b"before"
    write_new(path, b"after", force=True)
    assert path.read_bytes() == b"after"
    assert names(tmp_path) == ["old"]


@posix
def test_a_replaced_file_keeps_its_mode_and_a_new_one_has_the_umasks(tmp_path: Path) -> None:
    path = tmp_path / "private"
    path.write_bytes(b"")
    path.chmod(0o600)
    write_new(path, b"x", force=True)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    plain = tmp_path / "plain"
    plain.write_bytes(b"")
    write_new(tmp_path / "new", b"x")
    assert (tmp_path / "new").stat().st_mode == plain.stat().st_mode


@posix
@pytest.mark.parametrize("link", ["symbolic", "hard", "spelling", "relative"])
def test_an_input_is_never_replaced_under_any_name(tmp_path: Path, link: str, monkeypatch: pytest.MonkeyPatch) -> None:
    given = tmp_path / "session.json"
    given.write_bytes(b"recorded")
    monkeypatch.chdir(tmp_path)
    out: str | Path = tmp_path / "out"
    if link == "symbolic":
        Path(out).symlink_to(given)
    elif link == "hard":
        os.link(given, out)
    elif link == "spelling":
        out = f"{tmp_path}/./../{tmp_path.name}//session.json"
    else:
        out = "session.json"
    with pytest.raises(WriteRefused, match="never replaced"):
        write_new(out, b"other", inputs=[given], force=True)
    assert given.read_bytes() == b"recorded"


@posix
def test_a_link_is_followed_and_stays_a_link(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(b"before")
    link.symlink_to(target)
    with pytest.raises(WriteRefused):
        write_new(link, b"after")
    write_new(link, b"after", force=True)
    assert link.is_symlink()
    assert target.read_bytes() == b"after"


@pytest.mark.parametrize("force", [False, True])
def test_a_folder_is_refused(tmp_path: Path, force: bool) -> None:
    with pytest.raises(WriteRefused, match="folder"):
        write_new(tmp_path, b"x", force=force)


@posix
def test_a_device_is_refused() -> None:
    with pytest.raises(WriteRefused, match="ordinary"):
        write_new("/dev/null", b"x", force=True)


def test_a_missing_folder_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        write_new(tmp_path / "no" / "file", b"x")


@posix
def test_a_failing_write_leaves_the_old_file_and_no_temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "old"
    path.write_bytes(b"before")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_new(path, b"after", force=True)
    assert path.read_bytes() == b"before"
    assert names(tmp_path) == ["old"]


@posix
@pytest.mark.parametrize("exists", [False, True])
def test_a_file_system_without_hard_links_will_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exists: bool
) -> None:
    path = tmp_path / "new"

    def no_links(source: str, target: str) -> None:
        if exists:  # made by somebody else meanwhile
            path.write_bytes(b"theirs")
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_links)
    if exists:
        with pytest.raises(WriteRefused):
            write_new(path, b"ours")
    else:
        write_new(path, b"ours")
    assert path.read_bytes() == (b"theirs" if exists else b"ours")
    assert names(tmp_path) == ["new"]


@posix
def test_a_long_name_has_room_for_its_temporary(tmp_path: Path) -> None:
    write_new(tmp_path / ("n" * 255), b"x")
    assert names(tmp_path) == ["n" * 255]
