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


def style_of(near: bytes, around: bytes) -> Style:
    """The style of a neighbouring value; what it does not show is taken from the bytes around it."""
    near, around = near[:SAMPLED], around[:SAMPLED]
    indent = _indent(near) if near[:1] in (b"{", b"[") else ""
    colon = _COLON.search(near) or _COLON.search(around)
    comma = _COMMA.search(near) or _COMMA.search(around)
    space_after = b" " if colon is None else colon[2]
    return Style(
        ascii=_writes_ascii(near, around),
        comma="," + (comma[1] if comma else space_after).decode(),
        colon=(colon[1].decode() if colon else "") + ":" + space_after.decode(),
        indent=indent,
        line_end="\r\n" if b"\r\n" in near or (b"\n" not in near and b"\r\n" in around) else "\n",
    )


def _writes_ascii(near: bytes, around: bytes) -> bool:
    """Whether letters beyond ASCII are escaped. Where none show, as Python writes by default: it puts blanks too."""
    for text in (near, around):
        if not text.isascii():
            return False
        if _ESCAPED.search(text):
            return True
    colon = _COLON.search(around)
    return colon is not None and colon[2] == b" " and not _INDENTED.search(around)


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
