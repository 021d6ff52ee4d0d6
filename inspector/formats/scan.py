"""Where values stand in JSON text: byte spans, found without reading what nobody asked for.

Parsers give values and forget where they stood. To change one value and leave every other byte alone, its span is
needed. The scan walks down the wanted pointers only; everything beside them is passed over bracket by bracket. It takes
what the readers take: bytes that are no UTF-8, NUL bytes, NaN, integers of any length, keys that stand twice.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

Wanted: TypeAlias = "dict[str, Wanted]"
"""Reference tokens of JSON pointers, as a tree; one without further tokens is looked at as a whole."""

_SPACE = re.compile(rb"[ \t\r\n\0]*+")
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
_BARE = re.compile(rb'[^ \t\r\n\0,\]}"\[{:]++')
_TO_BRACKET = re.compile(rb'(?:[^"\[\]{}]++|"(?:[^"\\]++|\\.)*+")*+', re.DOTALL)
_OPENING, _CLOSING = b"[{", b"]}"


class NoSpan(ValueError):
    """The text is no JSON at a byte."""

    def __init__(self, at: int) -> None:
        super().__init__(f"byte {at:,} is no JSON")
        self.at = at


@dataclass(slots=True)
class Value:
    """The span of a value; of a list or an object that was looked into, also those of what it holds."""

    start: int
    end: int
    looked_into: bool = False
    keys: list[str] = field(default_factory=list)
    """Of an object, the keys as they stand; one may stand twice."""
    starts: list[int] = field(default_factory=list)
    """Where each element, or the key of each member, starts."""
    values: list[int] = field(default_factory=list)
    """Where the value of each member starts; of a list the same as `starts`."""
    ends: list[int] = field(default_factory=list)
    inside: dict[str, Value] = field(default_factory=dict)
    """The wanted values by their token; of a key that stands twice the last."""

    def __len__(self) -> int:
        return len(self.starts)

    def at(self, token: str) -> int | None:
        """The number of the item that a token names; None where there is none."""
        if self.keys:
            return len(self.keys) - 1 - self.keys[::-1].index(token) if token in self.keys else None
        return int(token) if token.isdecimal() and int(token) < len(self.starts) else None


def wanted(pointers: Iterable[str]) -> Wanted:
    """The tree of some JSON pointers."""
    root: Wanted = {}
    for pointer in pointers:
        here = root
        for token in tokens(pointer):
            here = here.setdefault(token, {})
    return root


def tokens(pointer: str) -> list[str]:
    """The reference tokens of a JSON pointer, unescaped."""
    return [token.replace("~1", "/").replace("~0", "~") for token in pointer.split("/")[1:]]


def space_end(raw: bytes, at: int) -> int:
    """Where the white space at a byte ends; a NUL is one, as for the readers."""
    match = _SPACE.match(raw, at)
    return match.end() if match else at


def scan(raw: bytes, at: int, want: Wanted) -> Value:
    """The span of the value that starts at a byte, looked into as far as is wanted. Raises `NoSpan`."""
    opening = raw[at : at + 1]
    if not want or opening not in (b"[", b"{"):
        return Value(at, _end(raw, at))
    value = Value(at, at, looked_into=True)
    is_object, closing = opening == b"{", b"}" if opening == b"{" else b"]"
    here = space_end(raw, at + 1)
    while not raw.startswith(closing, here):
        here = _item(raw, here, value, want, is_object)
        here = space_end(raw, here)
        if raw.startswith(b",", here):
            here = space_end(raw, here + 1)
        elif not raw.startswith(closing, here):
            raise NoSpan(here)
    value.end = here + 1
    return value


def _item(raw: bytes, at: int, value: Value, want: Wanted, is_object: bool) -> int:
    """Take one element or member in; where it ends."""
    value.starts.append(at)
    token = str(len(value.starts) - 1)
    if is_object:
        token, at = _key(raw, at)
        value.keys.append(token)
    value.values.append(at)
    if token in want:
        found = value.inside[token] = scan(raw, at, want[token])
        end = found.end
    else:
        end = _end(raw, at)
    value.ends.append(end)
    return end


def _key(raw: bytes, at: int) -> tuple[str, int]:
    """A key, and where its value starts."""
    match = _STRING.match(raw, at)
    if match is None:
        raise NoSpan(at)
    colon = space_end(raw, match.end())
    if not raw.startswith(b":", colon):
        raise NoSpan(colon)
    text = match[0].replace(b"\0", b"").decode("utf-8", "replace")
    try:
        key = json.loads(text, strict=False) if "\\" in text else text[1:-1]
    except ValueError:  # a wrong escape; the readers keep such a key as it is
        key = text[1:-1]
    return str(key), space_end(raw, colon + 1)


def _end(raw: bytes, at: int) -> int:
    """Where the value that starts at a byte ends."""
    opening = raw[at : at + 1]
    if opening not in (b"[", b"{"):
        match = (_STRING if opening == b'"' else _BARE).match(raw, at)
        if match is None:
            raise NoSpan(at)
        return match.end()
    depth = 0
    while True:
        match = _TO_BRACKET.match(raw, at)
        at = match.end() if match else at
        bracket = raw[at : at + 1]
        if bracket and bracket in _OPENING:
            depth += 1
        elif bracket and bracket in _CLOSING:
            depth -= 1
        else:
            raise NoSpan(at)
        at += 1
        if not depth:
            return at
