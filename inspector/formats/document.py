"""One JSON value that no parser takes whole: cut at the end, damaged in the middle, or odd in its values.

The outer levels are walked member by member and element by element, so that what is whole survives a fault, each
fault has its place, and an element that cannot be read leaves the others where they are. Every character is decoded
a bounded number of times.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Callable
from typing import Any, NamedTuple

from inspector.formats.format import LOST
from inspector.formats.lenient import cut_short, decode, space_end, step

WALKED_LEVELS = 4
"""Levels of nesting that are walked: enough for {"request": {"messages": [...]}} and for a list of such."""
ROUNDS = 40
"""How often the text may be looked through for the next whole element, in its own lengths."""
SMALL = 10_000_000
"""Characters that may be looked through in any text, however short."""

COUNTED = 4
"""Python counts the line feeds before an error: that looks through the text, but so many times faster than reading."""

_STOP = -1
_MEMBER = re.compile(r'[ \t\r\n]*("[^"\\]*(?:\\.[^"\\]*)*")[ \t\r\n]*:[ \t\r\n]*', re.DOTALL)
_QUOTED = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_NEXT_MEMBER = re.compile(r',(?=[ \t\r\n]*"[^"\\]{1,64}"[ \t\r\n]*:)')
_FIRST_KEY = re.compile(r'\{[ \t\r\n]*("[^"\\]{1,64}")')


class Fault(NamedTuple):
    """Something wrong in the text, by its place."""

    code: str
    pointer: str
    at: int
    """Character of the text."""
    says: str


class Walk:
    """Reads the value at the start of a text, as far as it goes."""

    def __init__(self, text: str, *, spans: bool = False) -> None:
        self.text = text
        self.faults: list[Fault] = []
        self.cut = False
        """Whether the text ends before its value does."""
        self._spans: list[tuple[int, int, str]] = []
        self._keep_spans = spans
        self._left = ROUNDS * len(self.text) + SMALL

    def read(self, at: int = 0) -> tuple[Any, int]:
        """The value at `at` and the end of what could be read; -1 where nothing after it can be."""
        return self._value(space_end(self.text, at), "", 0)

    def pointer_at(self, at: int) -> str:
        """The decoded value that a character lies in, where `spans` were kept."""
        place = bisect_right(self._spans, at, key=lambda span: span[0]) - 1
        return self._spans[place][2] if place >= 0 and at < self._spans[place][1] else ""

    def _value(self, at: int, pointer: str, level: int) -> tuple[Any, int]:
        if level < WALKED_LEVELS and self.text.startswith("{", at):
            return self._object(at, pointer, level)
        if level < WALKED_LEVELS and self.text.startswith("[", at):
            return self._list(at, pointer, level)
        try:
            return self._decoded(at, pointer)
        except json.JSONDecodeError as error:
            if cut_short(error):
                return LOST, self._ends(pointer, at)
            self._left -= error.pos // COUNTED
            self._note("unparseable-record", pointer, error.pos, _not_json(error))
            return LOST, self._next_comma(error.pos)

    def _decoded(self, at: int, pointer: str) -> tuple[Any, int]:
        value, end, odd = decode(self.text, at)
        self.faults += [Fault(one.code, pointer + one.pointer, at, one.says) for one in odd]
        if self._keep_spans:
            self._spans.append((at, end, pointer))
        return value, end

    def _object(self, at: int, pointer: str, level: int) -> tuple[Any, int]:
        body: dict[str, Any] = {}
        at = space_end(self.text, at + 1)
        while not self.text.startswith("}", at):
            member = _MEMBER.match(self.text, at)
            if member is None:
                at = self._no_member(at, pointer)
                if at == _STOP:
                    return body, _STOP
                continue
            key = self._key(member[1], pointer, at)
            here = pointer + step(key)
            if key in body:
                self._note("duplicate-json-key", here, at, "a key stands twice; the last value holds")
            value, end = self._value(member.end(), here, level + 1)
            if value is not LOST or end != _STOP:
                body[key] = value
            at = end if end == _STOP else self._separated(end, "}", pointer)
            if at == _STOP:
                return body, _STOP
        return body, at + 1

    def _key(self, quoted: str, pointer: str, at: int) -> str:
        try:
            key, _, odd = decode(quoted)
        except json.JSONDecodeError:  # a wrong escape
            key, odd = quoted[1:-1], []
            self._note("unparseable-record", pointer + step(key), at, "a key holds a wrong escape; it is kept as it is")
        self.faults += [Fault(one.code, pointer + step(key), at, one.says) for one in odd]
        return str(key)

    def _no_member(self, at: int, pointer: str) -> int:
        """Where to go on in an object that holds no member at `at`."""
        key = _QUOTED.match(self.text, at)
        after = key.end() if key else len(self.text) if self.text.startswith('"', at) else at
        if space_end(self.text, after) >= len(self.text):
            return self._ends(pointer, at)
        self._note("unparseable-record", pointer, at, "a member is no JSON")
        comma = self._next_comma(at)
        return comma if comma == _STOP else comma + 1

    def _list(self, at: int, pointer: str, level: int) -> tuple[Any, int]:
        items: list[Any] = []
        at = space_end(self.text, at + 1)
        while not self.text.startswith("]", at):
            if at >= len(self.text):
                return items, self._ends(pointer, at)
            here = f"{pointer}/{len(items)}"
            try:
                value, end = self._decoded(at, here)
            except json.JSONDecodeError as error:
                value, end = self._broken(at, here, level, error, items)
            if value is not LOST or end != _STOP:
                items.append(value)
            at = end if end == _STOP else self._separated(end, "]", pointer, items)
            if at == _STOP:
                return items, _STOP
        return items, at + 1

    def _broken(
        self, at: int, here: str, level: int, error: json.JSONDecodeError, before: list[Any]
    ) -> tuple[Any, int]:
        """An element that does not decode: what is whole in it, if it holds messages itself, else nothing."""
        self._left -= error.pos // COUNTED
        noted = len(self.faults), len(self._spans)
        if level + 1 < WALKED_LEVELS and self.text[at] in "{[" and not any(map(_is_message, before[:1])):
            part, end = self._value(at, here, level + 1)
            if holds_messages(part):
                return part, end
            del self.faults[noted[0] :], self._spans[noted[1] :]
            self.cut = False
            self._left -= len(self.text) if end == _STOP else end - at
        if cut_short(error):
            return LOST, self._ends(here, at)
        following = self._next_element(at, before)
        says = _not_json(error) + ("; nothing behind it can be read" if following == _STOP else "")
        self._note("unparseable-record", here, error.pos, says)
        return LOST, following

    def _next_element(self, at: int, before: list[Any]) -> int:
        """Where the next element of a list starts, after one at `at` that does not decode."""
        whole = next((item for item in before if isinstance(item, dict) and item), None)
        first = _FIRST_KEY.match(self.text, at)
        key = json.dumps(next(iter(whole))) if whole else first[1] if first else '"role"'
        start = re.compile(r"\{[ \t\r\n]*" + re.escape(key))
        return self._next(start, at, lambda place: self._is_element(place, whole))

    def _is_element(self, at: int, whole: dict[str, Any] | None) -> bool:
        try:
            value, _, _ = decode(self.text, at)
        except json.JSONDecodeError as error:
            self._left -= error.pos // COUNTED
            return cut_short(error)
        return isinstance(value, dict) and ("role" in value or whole is None or "role" not in whole)

    def _next(self, start: re.Pattern[str], at: int, is_one: Callable[[int], bool]) -> int:
        """The next place after `at` where `start` matches and reading can go on; -1 where there is none."""
        if self._left < 0:
            return _STOP
        for match in start.finditer(self.text, at + 1):
            self._left -= match.start() - at
            at = match.start()
            if self._left < 0:
                return _STOP
            if is_one(at):
                return at
        self._left -= len(self.text) - at
        return _STOP

    def _next_comma(self, at: int) -> int:
        """The next comma from `at` that a member follows; -1 where there is none."""
        match = _NEXT_MEMBER.search(self.text, at) if self._left > 0 else None
        self._left -= (match.start() if match else len(self.text)) - at
        return match.start() if match else _STOP

    def _separated(self, at: int, closing: str, pointer: str, items: list[Any] | None = None) -> int:
        """Where the next item starts, or the closing bracket; -1 at the end of what can be read."""
        at = space_end(self.text, at)
        if self.text.startswith(",", at):
            following = space_end(self.text, at + 1)
            if self.text.startswith(closing, following):
                self._note("unparseable-record", pointer, at, "a comma stands before the closing bracket")
            return following
        if self.text.startswith(closing, at):
            return at
        if at >= len(self.text):
            return self._ends(pointer, at)
        if items is None:
            self._note("unparseable-record", pointer, at, "a comma or a closing bracket is missing")
            comma = self._next_comma(at)
            return comma if comma == _STOP else comma + 1
        if items[-1] is not LOST:
            says = "a comma is missing" if self.text[at] == "{" else "a comma or a closing bracket is missing"
            self._note("glued-records", f"{pointer}/{len(items)}", at, says)
        return at if self.text[at] == "{" else self._next_element(at, items)

    def _ends(self, pointer: str, at: int) -> int:
        if not self.cut:
            self._note("truncated-record", pointer, at, "it is cut off")
        self.cut = True
        return _STOP

    def _note(self, code: str, pointer: str, at: int, says: str) -> None:
        self.faults.append(Fault(code, pointer, at, says))


def holds_messages(value: Any) -> bool:
    """Whether a value holds a list of messages, near its root."""
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(_is_message(item) or (isinstance(item, (dict, list)) and _lists_messages(item)) for item in inside)


def _lists_messages(value: dict[str, Any] | list[Any]) -> bool:
    lists = [value] if isinstance(value, list) else [item for item in value.values() if isinstance(item, list)]
    return any(_is_message(item) for items in lists for item in items[:1])


def _is_message(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("role"), str)


def _not_json(error: json.JSONDecodeError) -> str:
    return f"it is no JSON ({error.msg[0].lower()}{error.msg[1:]})"
