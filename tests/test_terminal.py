"""What reaches a real terminal: the whole program under a pseudo-terminal, on the recording that is made to harm it.

Headless tests never run the driver's encoder, so only this one sees the very bytes (SCALING.md, section 5).
"""

from __future__ import annotations

import base64
import json
import os
import re
import select
import signal
import struct
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Self
from xml.etree import ElementTree

import pytest

import inspector

pty = pytest.importorskip("pty", reason="this platform has no pseudo-terminals")
fcntl = pytest.importorskip("fcntl", reason="this platform has no pseudo-terminals")
termios = pytest.importorskip("termios", reason="this platform has no pseudo-terminals")

HOSTILE = Path(__file__).resolve().parents[1] / "sample_sessions" / "hostile.json"
LONGEST = 60.0
"""Seconds to wait for anything: machines are shared."""
DOWN, PAGE_DOWN, TAB, ENTER, ESCAPE = b"\x1b[B", b"\x1b[6~", b"\t", b"\r", b"\x1b"
OWN = (
    rb"\x1b\[[0-9;]*[mH]",  # colours, and where to write
    rb"\x1b\[\?(25|7|1000|1003|1004|1006|1015|1016|1049|2004|2026|2048)[hl]",  # modes of textual's driver
    rb"\x1b\[\?(2026|2048)\$p", rb"\x1b\[[<>][0-9]*u", rb"\x1b\[c", rb"\x1b\[2J",
    rb"\x1b\]22;[a-z-]*\x07",  # the shape of the mouse pointer
    rb"\x1b\]52;c;[A-Za-z0-9+/=]*\x07",  # what a person copied
)  # fmt: skip
"""Every sequence that textual 8 sends by itself."""


class Terminal:
    """The program at the far end of a terminal of 80 by 24 cells."""

    def __init__(self, folder: Path, *arguments: str, **environment: str) -> None:
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.environ.update(TERM="xterm-256color", COLORTERM="truecolor", INSPECTOR_CONFIG_DIR=str(folder / "config"))
            os.environ.update(environment)
            os.execv(sys.executable, [sys.executable, "-m", "inspector", *arguments])
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.seen = b""

    def read(self, seconds: float) -> bool:
        """Take what is written within a time; False where nothing is."""
        if not select.select([self.fd], [], [], seconds)[0]:
            return False
        try:
            self.seen += os.read(self.fd, 1 << 16)
        except OSError:  # the program has ended
            return False
        return True

    def until(self, pattern: bytes, since: int = 0) -> None:
        """Read until a pattern has been written, from a place in what was seen."""
        end = time.monotonic() + LONGEST
        while not re.search(pattern, self.seen[since:]):
            if time.monotonic() > end:
                raise AssertionError(f"{pattern!r} was never written; last: {self.seen[-600:]!r}")
            self.read(0.1)

    def quiet(self) -> None:
        """Read until nothing has come for a moment."""
        while self.read(0.1):
            pass

    def press(self, keys: bytes, pattern: bytes | None = None) -> None:
        """Press keys, and wait for a pattern in the answer, or for quiet."""
        since = len(self.seen)
        os.write(self.fd, keys)
        self.until(pattern, since) if pattern else self.quiet()

    def leave(self) -> int:
        """Press q, and give the exit status."""
        os.write(self.fd, b"q")
        end = time.monotonic() + LONGEST
        while (ended := os.waitpid(self.pid, os.WNOHANG))[0] == 0 and time.monotonic() < end:
            self.read(0.05)
        self.pid = 0 if ended[0] else self.pid
        return os.waitstatus_to_exitcode(ended[1])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.pid:  # a test has failed
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.fd)


@pytest.fixture(scope="module")
def toured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[bytes, int, Path]]:
    """All that was written while a person went through the hostile recording, the exit status, and the folder."""
    folder = tmp_path_factory.mktemp("tour")
    with Terminal(folder, str(HOSTILE), "-p", "head-tail", "-s", "old_tool_chars=100") as terminal:
        terminal.until(b"exact")
        terminal.quiet()
        tour(terminal, len(inspector.load(HOSTILE).messages))
        status = terminal.leave()
        yield terminal.seen, status, folder


def tour(terminal: Terminal, rows: int) -> None:
    """All that a person does with a recording."""
    for _ in range(rows // 3):
        terminal.press(PAGE_DOWN)
    terminal.press(b"s")
    terminal.press(b"g")
    read_every_row(terminal, rows)
    terminal.press(b"g")
    terminal.press(6 * DOWN)
    terminal.press(b"y", rb"sent to the terminal")
    terminal.press(b"/")
    terminal.press(b"[/]" + ENTER, rb"hold")
    terminal.press(b"n", rb"\d of \d")
    for dialog in (b"f", b"b", b"o", b"?"):
        terminal.press(dialog)
        terminal.press(PAGE_DOWN)
        terminal.press(ESCAPE)
    terminal.press(b"e")
    terminal.press(TAB + ENTER, rb"written to hostile\.sent\.json")
    terminal.press(b"e")
    terminal.press(DOWN + b" " + TAB + ENTER, rb"written to hostile\.svg")


def read_every_row(terminal: Terminal, rows: int) -> None:
    """Open the reader, and read each message as recorded, as a difference, and as JSON; then close it."""
    terminal.press(ENTER, rb"#0 ")
    for view in (b"1", b"3", b"4"):
        terminal.press(view)
        terminal.press(TAB)
        terminal.press(b"g")
        for row in range(1, rows):
            terminal.press(DOWN, rb"#%d " % row)
        terminal.press(TAB)
    terminal.press(ESCAPE)


def test_it_ends_well(toured: tuple[bytes, int, Path]) -> None:
    seen, status, _ = toured
    assert status == 0
    assert b"Traceback" not in seen


def test_no_sequence_of_the_recording_reaches_the_terminal(toured: tuple[bytes, int, Path]) -> None:
    rest = re.sub(b"|".join(b"(?:%s)" % own for own in OWN), b"", toured[0])
    assert b"\x1b" not in rest, re.findall(rb"\x1b.{0,20}", rest)[:5]
    assert not set(rest) & (set(range(0x20)) - set(b"\r\n"))
    assert b"\x7f" not in rest


def test_no_control_of_unicode_reaches_the_terminal(toured: tuple[bytes, int, Path]) -> None:
    text = toured[0].decode("utf-8")
    unwanted = {*range(0x80, 0xA0), 0x61C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A), 0xFEFF}
    assert not {hex(ord(char)) for char in set(text) if ord(char) in unwanted or 0xD800 <= ord(char) < 0xE000}


def test_only_what_was_copied_goes_to_the_clipboard_and_goes_to_the_letter(toured: tuple[bytes, int, Path]) -> None:
    sent = re.findall(rb"\x1b\]52;c;([^\x07]*)\x07", toured[0])
    assert [base64.b64decode(one).decode() for one in sent] == [inspector.load(HOSTILE).messages[6]["content"]]


def test_markup_is_drawn_and_not_obeyed(toured: tuple[bytes, int, Path]) -> None:
    text = re.sub(b"|".join(b"(?:%s)" % own for own in OWN), b"", toured[0])
    for drawn in (b"[/bold]", b"[bold]x[/]", b"[@click=app.bell]go[/]", b"see [b + rest", b"[bold]admin[/bold]"):
        assert drawn in text
    for shown in "␛␇␀":
        assert shown.encode() in text


def test_what_was_exported_is_whole_and_harmless(toured: tuple[bytes, int, Path]) -> None:
    folder = toured[2]
    picture = (folder / "hostile.svg").read_text("utf-8")
    assert ElementTree.fromstring(picture).tag.endswith("svg")
    assert not {char for char in picture if ord(char) < 32 and char not in "\n\t"}
    exported = json.loads((folder / "hostile.sent.json").read_text("utf-8"))["messages"]
    assert exported == inspector.compact(inspector.load(HOSTILE), "head-tail", old_tool_chars=100).messages


def test_a_file_that_is_no_recording_is_a_sentence_and_the_program_goes_on(tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_bytes(b"\x00\x1b]52;c;cHduZWQ=\x07\xff")
    with Terminal(tmp_path, "bad.json", NO_COLOR="1") as terminal:
        terminal.until(b"Open a session")
        terminal.quiet()
        assert b"bad.json" in terminal.seen
        terminal.press(ESCAPE, rb"no session is open")
        assert terminal.leave() == 0
        assert b"Traceback" not in terminal.seen
        assert b"52;c" not in terminal.seen
