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
WORST = 13
"""The first rows of the recording hold its markup, escape sequences, C1 controls and direction overrides."""
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
        its = {
            "TERM": "xterm-256color", "COLORTERM": "truecolor", "INSPECTOR_CONFIG_DIR": str(folder / "config"),
            **environment,
        }  # fmt: skip
        kept = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
            # not execv: readline, which pytest loads, sets COLUMNS and LINES behind Python's back
            os.execve(sys.executable, [sys.executable, "-m", "inspector", *arguments], {**kept, **its})
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

    def quiet(self, seconds: float = 0.12) -> None:
        """Read until nothing has come for a moment."""
        while self.read(seconds):
            pass

    def press(self, keys: bytes, pattern: bytes = b"", quiet: float = 0.12) -> None:
        """Press keys, and wait for a pattern in the answer, and then for quiet."""
        since = len(self.seen)
        os.write(self.fd, keys)
        self.until(pattern, since)
        self.quiet(quiet)

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


def tour(terminal: Terminal, rows: int) -> None:
    """All that a person does with a recording, each step awaited by what it draws."""
    terminal.until(b"exact")
    terminal.quiet()
    for _ in range(rows // 4):
        terminal.press(PAGE_DOWN, quiet=0.04)
    terminal.quiet()
    terminal.press(b"s", b"sent")
    terminal.press(b":", b"Go to a message")
    terminal.press(b"0" + ENTER, b"move")
    read_every_row(terminal, rows)
    terminal.press(b":", b"Go to a message")
    terminal.press(b"6" + ENTER, b"move")
    terminal.press(b"y", b"sent to the terminal")
    terminal.press(b"/", b"text in any message")
    terminal.press(b"[/]" + ENTER, b"hold")
    terminal.press(b"n", rb"\d of \d")
    for key, words in ((b"f", b"Show only"), (b"b", b"by role"), (b"o", b"Open a session"), (b"?", b"Keys")):
        terminal.press(key, words)
        terminal.press(ESCAPE, b"move")
    terminal.press(b"e", b"Cancel")
    terminal.press(TAB + ENTER, rb"written to hostile\.sent\.json")
    terminal.press(b"e", b"Cancel")
    terminal.press(DOWN + b" " + TAB + ENTER, rb"written to hostile\.svg")


def read_every_row(terminal: Terminal, rows: int) -> None:
    """Open the reader, and read each message as recorded and as JSON, the worst as differences too; then close it."""
    terminal.press(ENTER, b"#0 ")
    for key, view, last in ((b"1", b"", rows), (b"3", rb"\[3 diff\]", WORST), (b"4", rb"\[4 raw JSON\]", rows)):
        terminal.press(key, view)
        terminal.press(TAB, b"move")
        for row in range(1, last):
            terminal.press(DOWN, b"#%d " % row, 0.0)
        terminal.press(b"g", b"#0 ")
        terminal.press(TAB, b"raw JSON")
    terminal.press(ESCAPE, b"move")


def test_nothing_of_the_hostile_recording_is_obeyed(tmp_path: Path) -> None:
    session = inspector.load(HOSTILE)
    with Terminal(tmp_path, str(HOSTILE), "-p", "head-tail", "-s", "old_tool_chars=100") as terminal:
        tour(terminal, len(session.messages))
        assert terminal.leave() == 0
    seen = terminal.seen
    assert b"Traceback" not in seen
    rest = re.sub(b"|".join(b"(?:%s)" % own for own in OWN), b"", seen)
    assert b"\x1b" not in rest, re.findall(rb"\x1b.{0,20}", rest)[:5]
    assert not set(rest) & {0x7F, *range(0x20)} - set(b"\r\n")
    assert not unwanted(seen.decode("utf-8"))
    copied = re.findall(rb"\x1b\]52;c;([^\x07]*)\x07", seen)
    assert [base64.b64decode(one).decode() for one in copied] == [session.messages[6]["content"]]
    for drawn in ("[/bold]", "[bold]x[/]", "[@click=app.bell]go[/]", "see [b + rest", "␛", "␇", "␀"):
        assert drawn.encode() in rest
    picture = (tmp_path / "hostile.svg").read_text("utf-8")
    assert ElementTree.fromstring(picture).tag.endswith("svg")
    assert not unwanted(picture)
    exported = json.loads((tmp_path / "hostile.sent.json").read_text("utf-8"))["messages"]
    assert exported == inspector.compact(session, "head-tail", old_tool_chars=100).messages


def unwanted(text: str) -> set[str]:
    """C1 controls, direction marks, surrogates and zero-width characters in what is drawn."""
    codes = {*range(0x80, 0xA0), 0x61C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A), 0xFEFF}
    return {hex(ord(char)) for char in set(text) if ord(char) in codes or 0xD800 <= ord(char) < 0xE000}


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
