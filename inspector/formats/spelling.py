"""New JSON text as its neighbours are written: escapes, separators, indentation, line ends.

A file that was indented by two spaces and written in ASCII should not show at a glance where somebody has been.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

SAMPLED = 1 << 16
"""Bytes around a place that are looked at."""

_COLON = re.compile(rb'"(\s*):([ \t]*)')
_COMMA = re.compile(rb'(?<=["\]}\dels]),([ \t]*)(?=["\[{\d\-tfn])')
_INDENTED = re.compile(rb"[\[{]\r?\n([ \t]+)")
_ESCAPED = re.compile(rb"\\u(?!00[01])[0-9a-fA-F]{4}")
_HALF = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Style:
    """How JSON is spelled somewhere."""

    ascii: bool = False
    comma: str = ", "
    colon: str = ": "
    indent: str = ""
    """One level of indentation; empty where values are not laid out on lines."""
    line_end: str = "\n"


def style_around(text: bytes) -> Style:
    """The style of a stretch of JSON text; what it does not show is as Python writes by default."""
    text = text[:SAMPLED]
    colon, comma = _COLON.search(text), _COMMA.search(text)
    space = b" " if colon is None else colon[2]
    escapes = _escapes(text)
    if escapes is None:  # no letter beyond ASCII shows: Python, which puts blanks, would escape it
        escapes = colon is not None and space == b" " and not _INDENTED.search(text)
    return Style(
        ascii=escapes,
        comma="," + (comma[1] if comma else space).decode(),
        colon=(colon[1].decode() if colon else "") + ":" + space.decode(),
        line_end="\r\n" if b"\r\n" in text else "\n",
    )


def style_of(near: bytes, around: Style) -> Style:
    """The style of a value, or of one beside it; what it does not show is as around it."""
    near = near[:SAMPLED]
    escapes = _escapes(near)
    held = near[:1] in (b"{", b"[")
    colon, comma = (_COLON.search(near), _COMMA.search(near)) if held else (None, None)
    space = comma[1] if comma else colon[2] if colon else None
    return Style(
        ascii=around.ascii if escapes is None else escapes,
        comma=around.comma if space is None else "," + space.decode(),
        colon=colon[1].decode() + ":" + colon[2].decode() if colon else around.colon,
        indent=_indent(near) if held else "",
        line_end="\r\n" if held and b"\r\n" in near else around.line_end,
    )


def _escapes(text: bytes) -> bool | None:
    """Whether letters beyond ASCII are escaped; None where there are none."""
    if not text.isascii():
        return False
    return True if _ESCAPED.search(text) else None


def _indent(near: bytes) -> str:
    """One level of indentation inside a value that is laid out on lines."""
    found = _INDENTED.search(near)
    if found is None:
        return ""
    inner, last = found[1], near[near.rfind(b"\n") + 1 :]
    outer = last[: len(last) - len(last.lstrip(b" \t"))]
    step = inner[len(outer) :] if inner.startswith(outer) else inner
    return step.decode() or "  "


def spelled(value: Any, style: Style, base: bytes = b"") -> bytes:
    """A value as JSON text. `base` is the indentation of the line on which it starts.

    Raises `ValueError` where a value has no spelling, such as an integer longer than Python writes.
    """
    indent = style.indent or None
    separators = ("," if indent else style.comma, style.colon)
    text = json.dumps(value, ensure_ascii=style.ascii, separators=separators, indent=indent)
    if indent:
        text = text.replace("\n", style.line_end + base.decode("ascii", "replace"))
    return _HALF.sub(lambda half: f"\\u{ord(half[0]):04x}", text).encode()
