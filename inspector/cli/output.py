"""What reaches the terminal or a pipe: JSON, tables and sentences, none of which can carry a control of a recording.

JSON loses nothing: what a terminal would obey or hide is written as a `\\u` escape. Tables and sentences go through
`text.visible`. A reader that closes the pipe early, such as `head`, ends the program quietly.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click
import orjson

from inspector.finding import Finding
from inspector.text import cells, clip, visible_line

DEEPEST = 20_000
"""Python frames allowed for JSON that orjson finds too deep; the readers stop far below."""

POINTER_CELLS = 200
"""Of a place in a document, for people."""
CLEARED = "\r\x1b[K"
_OBEYED = re.compile(
    "[\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_NOT_ASCII = re.compile("[^\x00-\x7e]")


class Trouble(click.ClickException):
    """Something a person can mend; one sentence, exit status 2."""

    exit_code = 2


def lenient_stdout() -> None:
    """Let a terminal of small repertoire show `?` where it lacks a character, rather than fail."""
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="replace")


def tell(sentence: str) -> None:
    """One sentence on stderr."""
    click.echo(f"inspector: {visible_line(sentence)}", err=True)


def write(text: str, *, end: str = "\n") -> None:
    """Text on stdout, as it is. Where the reader has gone, the program ends quietly with status 0."""
    try:
        click.echo(text + end, nl=False)
    except BrokenPipeError:
        _abandon_stdout()
        raise click.exceptions.Exit(0) from None


def _abandon_stdout() -> None:
    """Point stdout at nothing, so that the interpreter's own last flush does not complain."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())


def write_json(document: Any) -> None:
    """One JSON document on stdout, indented."""
    write(printable(json_text(document, indent=True)))


def write_json_lines(values: Iterable[Any]) -> None:
    """One JSON value a line on stdout."""
    batch: list[str] = []
    for value in values:
        batch.append(printable(json_text(value)))
        if len(batch) == 500:
            write("\n".join(batch))
            batch.clear()
    if batch:
        write("\n".join(batch))


def json_text(value: Any, *, indent: bool = False) -> str:
    """A value as JSON. NaN and infinities, which JSON lacks, are null; surrogates and any depth are written."""
    try:
        return orjson.dumps(value, option=orjson.OPT_INDENT_2 if indent else None).decode()
    except TypeError:  # a lone surrogate, an integer beyond 64 bits, or deeper than 254 levels
        with _deep_stack():
            return json.dumps(value, ensure_ascii=False, indent=2 if indent else None, separators=_separators(indent))


def _separators(indent: bool) -> tuple[str, str]:
    return (",", ": ") if indent else (",", ":")


@contextmanager
def _deep_stack() -> Iterator[None]:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, DEEPEST))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def printable(text: str) -> str:
    """JSON text with nothing in it that a terminal would obey or hide, nor that stdout cannot encode; equal as JSON."""
    unicode = (getattr(sys.stdout, "encoding", None) or "").lower().replace("-", "").startswith("utf")
    return (_OBEYED if unicode else _NOT_ASCII).sub(_escape, text)


def safe_json(text: str) -> str:
    """JSON text free of lone surrogates, so that any file can hold it; equal as JSON."""
    return text if text.isascii() else re.sub("[\ud800-\udfff]", _escape, text)


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"


@contextmanager
def progress() -> Iterator[Callable[[str], None] | None]:
    """Gives what says on a terminal how far a verb is, on one line that is taken back at the end; else None."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    try:
        yield lambda words: click.echo(f"{CLEARED}{words}", nl=False, err=True)
    finally:
        click.echo(CLEARED, nl=False, err=True)


def counted(number: int, word: str) -> str:
    """`1 message`, `2 messages`."""
    return f"{number:,} {word}{'s' * (number != 1)}"


def finding_json(finding: Finding) -> dict[str, Any]:
    """A finding under the keys that every verb uses."""
    return {
        "code": finding.code,
        "severity": finding.severity,
        "message_index": finding.message_index,
        "pointer": finding.pointer,
        "line": finding.line,
        "row": finding.row,
        "says": finding.says,
        "repair": finding.repair,
    }


def short_pointer(finding: Finding) -> str:
    """Where in the document it is; what lies ten thousand levels deep is cut, and --json has it whole."""
    return clip(finding.pointer, POINTER_CELLS)


def finding_line(finding: Finding) -> str:
    """A finding for people: where, what and how bad."""
    place = f"line {finding.line:,}" if finding.line else short_pointer(finding) or "the file"
    return f"{finding.severity}  {place}  {finding.says} ({finding.code})"


def table(rows: Sequence[Sequence[str]], *, right: Iterable[int] = ()) -> str:
    """Rows as aligned columns, two spaces apart; the columns in `right` end flush. Texts are made visible here."""
    shown = [[visible_line(cell) for cell in row] for row in rows]
    width = [max(map(cells, column)) for column in zip(*shown, strict=True)] if shown else []
    flush = frozenset(right)
    return "\n".join(_line(row, width, flush) for row in shown)


def _line(row: Sequence[str], width: Sequence[int], right: frozenset[int]) -> str:
    parts = []
    for column, (cell, wide) in enumerate(zip(row, width, strict=True)):
        gap = " " * (wide - cells(cell))
        parts.append(gap + cell if column in right else cell + gap)
    return "  ".join(parts).rstrip()
