"""JSON values that strict parsers refuse or spoil: lone surrogates, NaN, huge integers, raw controls, great depth.

orjson reads everything else; this is for the values that it will not take, and each oddity is named with its place.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, TypeAlias

DEPTH_LIMIT = 512
"""Levels of nesting that are kept as values (TAXONOMY.md, too-deep); what lies deeper is kept as its raw text."""
DIGITS_LIMIT = 4000
"""Longest integer that is read as one: CPython converts up to 4,300 digits."""

_SPACE = re.compile(r"[ \t\r\n]*")
_SURROGATE = re.compile("[\ud800-\udfff]")
_TOKENS = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[{]|[\]}]', re.DOTALL)
_CUT_TAIL = re.compile(r"\s*|\\u?[0-9a-fA-F]{0,4}|[-+.eE]{1,2}|t(ru?)?|f(a(ls?)?)?|n(ul?)?|N(a)?|-?I[nfity]*")
_LONGEST_TAIL = 12

Path: TypeAlias = "tuple[Path, str | int] | None"


class Odd(NamedTuple):
    """Something in a value that JSON does not have, or that other readers will not take."""

    code: str
    pointer: str
    """Of the value, inside the one that was decoded."""
    says: str


class _Doubled(dict[str, Any]):
    """An object in which a key stood twice."""

    twice: tuple[str, ...] = ()


class _Huge(str):
    """The digits of an integer too long to be read as one."""

    __slots__ = ()


def decode(text: str, at: int = 0) -> tuple[Any, int, list[Odd]]:
    """The value that starts at `at`, where it ends, and what was odd in it. Raises `json.JSONDecodeError`.

    A lone surrogate stays one in the string; of a key that stands twice the last value holds, as with other readers.
    """
    try:
        value, end = _DECODER.raw_decode(text, at)
        value, odd = examine(value)
        if all(one.code != "too-deep" for one in odd):
            return value, end, odd
    except RecursionError:
        pass
    return _decode_deep(text, at)


def space_end(text: str, at: int) -> int:
    """Where the white space at `at` ends."""
    match = _SPACE.match(text, at)
    return match.end() if match else at


def cut_short(error: json.JSONDecodeError) -> bool:
    """Whether a text ended before its value did."""
    if error.msg.startswith("Unterminated string") or space_end(error.doc, error.pos) == len(error.doc):
        return True
    return len(error.doc) - error.pos <= _LONGEST_TAIL and bool(_CUT_TAIL.fullmatch(error.doc, error.pos))


def step(key: str | int) -> str:
    """One step of a JSON pointer."""
    return "/" + str(key).replace("~", "~0").replace("/", "~1")


def examine(value: Any, deep: Iterable[str] = ()) -> tuple[Any, list[Odd]]:
    """A decoded value with this module's marks taken out of it, and what is odd in it, in the order of the text."""
    root = [value]
    odd: list[Odd] = []
    raw = frozenset(deep)
    stack: list[tuple[Any, Path, Iterator[tuple[Any, Any]]]] = [(root, None, iter(((0, value),)))]
    while stack:
        holder, path, items = stack[-1]
        for key, item in items:
            here: Path = None if holder is root else (path, key)
            plain = _plain(item, here, odd)
            if plain is not item:
                holder[key] = plain
            if isinstance(plain, (dict, list)):
                if len(stack) > DEPTH_LIMIT:
                    odd.append(Odd("too-deep", _pointer(here), f"nested deeper than {DEPTH_LIMIT} levels"))
                    continue
                stack.append((plain, here, _inside(plain, here, odd)))
                break
            if raw and len(stack) > DEPTH_LIMIT and plain in raw:
                says = f"nested deeper than {DEPTH_LIMIT} levels; the raw text is kept"
                odd.append(Odd("too-deep", _pointer(here), says))
        else:
            stack.pop()
    return root[0], odd


def _plain(item: Any, here: Path, odd: list[Odd]) -> Any:
    kind = type(item)
    if kind is str:
        if not item.isascii() and _SURROGATE.search(item):
            odd.append(Odd("lone-surrogate", _pointer(here), "half of a surrogate pair stands alone in a string"))
    elif kind is float:
        if not math.isfinite(item):
            odd.append(Odd("nonstandard-json-constant", _pointer(here), f"{item} is no JSON number"))
    elif kind is int:
        if not -(1 << 63) <= item < 1 << 64:
            odd.append(Odd("big-integer", _pointer(here), "an integer beyond 64 bits"))
    elif kind is _Huge:
        odd.append(Odd("big-integer", _pointer(here), f"an integer of {len(item):,} digits; it is kept as text"))
        return str(item)
    elif kind is _Doubled:
        says = "a key stands twice; the last value holds"
        odd += [Odd("duplicate-json-key", _pointer(here) + step(key), says) for key in item.twice]
        return dict(item)
    return item


def _inside(holder: dict[str, Any] | list[Any], here: Path, odd: list[Odd]) -> Iterator[tuple[Any, Any]]:
    if isinstance(holder, list):
        return enumerate(holder)
    says = "half of a surrogate pair stands alone in a key"
    halves = [key for key in holder if not key.isascii() and _SURROGATE.search(key)]
    odd += [Odd("lone-surrogate", _pointer((here, key)), says) for key in halves]
    return iter(list(holder.items()))


def _pointer(path: Path) -> str:
    steps = []
    while path is not None:
        path, key = path
        steps.append(step(key))
    return "".join(reversed(steps))


def _decode_deep(text: str, at: int) -> tuple[Any, int, list[Odd]]:
    """`decode` for a value whose inside is nested too deep: that inside becomes a string, its raw text."""
    shallow, end, raw = _flattened(text, at)
    try:
        value, _ = _DECODER.raw_decode(shallow)
    except RecursionError:  # a caller deep in its own stack
        raise json.JSONDecodeError("Nested too deep", text, at) from None
    except json.JSONDecodeError as error:  # its place is in another text
        raise json.JSONDecodeError(error.msg, text, at) from None
    value, odd = examine(value, raw)
    return value, end, odd


def _flattened(text: str, at: int) -> tuple[str, int, list[str]]:
    pieces: list[str] = []
    raw: list[str] = []
    depth, done, start = 0, at, at
    for token in _TOKENS.finditer(text, at):
        if token[0] in "[{":
            depth += 1
            if depth == DEPTH_LIMIT + 1:
                start = token.start()
        elif token[0] in "]}":
            depth -= 1
            if depth == DEPTH_LIMIT:
                raw.append(text[start : token.end()])
                pieces += (text[done:start], json.dumps(raw[-1]))
                done = token.end()
            if depth <= 0:
                return "".join((*pieces, text[done : token.end()])), token.end(), raw
    raise json.JSONDecodeError("Unterminated string or container", text, len(text))


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    body = dict(pairs)
    if len(body) == len(pairs):
        return body
    doubled, seen, twice = _Doubled(body), set(), []
    for key, _ in pairs:
        if key in seen and key not in twice:
            twice.append(key)
        seen.add(key)
    doubled.twice = tuple(twice)
    return doubled


def _integer(digits: str) -> int | _Huge:
    return int(digits) if len(digits) <= DIGITS_LIMIT else _Huge(digits)


_DECODER = json.JSONDecoder(strict=False, object_pairs_hook=_object, parse_int=_integer)
