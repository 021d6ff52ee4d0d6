"""Measures of the screen, taken at a terminal's end: from starting or from a key to the bytes that answer it."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import sys
import tempfile
import termios
import time
from functools import lru_cache
from pathlib import Path
from statistics import median

ROWS, COLUMNS = 48, 160
LONGEST = 60.0
"""Seconds to wait for anything."""


class Terminal:
    """The program under a pseudo-terminal, read as fast as it writes."""

    def __init__(self, path: Path) -> None:
        self.config = tempfile.TemporaryDirectory()
        self.started = time.perf_counter()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.update(TERM="xterm-256color", COLORTERM="truecolor", INSPECTOR_CONFIG_DIR=self.config.name)
            os.execv(sys.executable, [sys.executable, "-m", "inspector", str(path)])
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        self.seen = b""

    def until(self, pattern: bytes, since: float) -> float:
        """Milliseconds from `since` until the pattern has been written."""
        wanted, end = re.compile(pattern), time.perf_counter() + LONGEST
        while time.perf_counter() < end:
            if wanted.search(self.seen):
                return 1000 * (time.perf_counter() - since)
            if select.select([self.fd], [], [], 0.1)[0]:
                try:
                    self.seen += os.read(self.fd, 1 << 16)
                except OSError:
                    break
        raise TimeoutError(f"{pattern!r} was never written; last: {self.seen[-300:]!r}")

    def quiet(self, seconds: float = 0.4) -> None:
        """Read until nothing has come for a while."""
        while select.select([self.fd], [], [], seconds)[0]:
            self.seen += os.read(self.fd, 1 << 16)

    def press(self, keys: bytes, pattern: bytes) -> float:
        """Milliseconds from writing a key to the pattern."""
        self.seen = b""
        since = time.perf_counter()
        os.write(self.fd, keys)
        return self.until(pattern, since)

    def close(self) -> None:
        """Leave."""
        os.write(self.fd, b"q")
        try:
            while os.read(self.fd, 1 << 16):
                pass
        except OSError:
            pass
        os.waitpid(self.pid, 0)
        os.close(self.fd)
        self.config.cleanup()


def first_paint(path: Path) -> float:
    """From starting the process to a frame with the file's name, before it is loaded."""
    terminal = Terminal(path)
    try:
        return terminal.until(re.escape(path.name.encode()), terminal.started)
    finally:
        terminal.close()


@lru_cache(maxsize=4)
def _moved(path: Path) -> tuple[float, ...]:
    terminal = Terminal(path)
    try:
        terminal.until(rb"exact", terminal.started)
        terminal.quiet(4.0)  # the doctor has looked by then: it shares the interpreter with the screen
        return tuple(_stepped(terminal) for _ in range(15))
    finally:
        terminal.close()


def _stepped(terminal: Terminal) -> float:
    terminal.quiet(0.02)  # as keys come; textual draws no frame within two frames' time of the last
    return terminal.press(b"+", rb"keep recent [\d,]+ messages")


def setting_moved(path: Path) -> float:
    """From the key `+` to the frame that shows the new value and what it makes of the session; a median of 15."""
    return median(_moved(path))
