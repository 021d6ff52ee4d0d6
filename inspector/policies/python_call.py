"""Python as a person writes it: a value, or a call with a value an argument, on one line where it fits.

What is written compiles whatever the settings hold: texts are escaped where they cannot be printed.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

WIDTH = 100
"""Characters of a line; an expression that is longer has its parts on lines of their own."""


@dataclass(frozen=True, slots=True)
class Name:
    """Something that the reader's own program has under this name."""

    name: str


@dataclass(frozen=True, slots=True)
class Call:
    """A call of something that a module holds."""

    module: str
    """Where the name is imported from; empty: it needs no import."""
    name: str
    arguments: Mapping[str, Any]
    """Values by keyword, and after `first`."""
    first: tuple[Any, ...] = ()
    """Values without a keyword."""


def script(variable: str, value: Any) -> str:
    """An assignment, after the imports that it needs."""
    wanted: dict[str, set[str]] = defaultdict(set)
    for call in _calls(value):
        if call.module:
            wanted[call.module].add(call.name)
    imports = "".join(f"from {module} import {', '.join(sorted(names))}\n" for module, names in sorted(wanted.items()))
    return f"{imports}\n{variable} = {expression(value, len(variable) + 3)}\n"


def _calls(value: Any) -> Iterator[Call]:
    if isinstance(value, Call):
        yield value
    for _, part in _pieces(value)[1]:
        yield from _calls(part)


def expression(value: Any, before: int = 0, indent: int = 0) -> str:
    """A value as Python. `before` characters stand before it on its line, whose indent is `indent`."""
    flat = _flat(value)
    opening, pieces, closing = _pieces(value)
    if not pieces or indent + before + len(flat) <= WIDTH:
        return flat
    inner = indent + 4
    lines = (f"{' ' * inner}{head}{expression(part, len(head), inner)},\n" for head, part in pieces)
    return f"{opening}\n{''.join(lines)}{' ' * indent}{closing}"


def _flat(value: Any) -> str:
    opening, pieces, closing = _pieces(value)
    inside = ", ".join(f"{head}{_flat(part)}" for head, part in pieces)
    return f"{opening}{inside}{',' if isinstance(value, tuple) and len(value) == 1 else ''}{closing}"


def _pieces(value: Any) -> tuple[str, list[tuple[str, Any]], str]:
    """What a value opens with, its parts with what stands before each, and what it closes with."""
    if isinstance(value, Call):
        keywords = [(f"{name}=", part) for name, part in value.arguments.items()]
        return f"{value.name}(", [*(("", part) for part in value.first), *keywords], ")"
    if isinstance(value, Mapping):
        return "{", [(f"{_literal(key)}: ", part) for key, part in value.items()], "}"
    if isinstance(value, list | tuple):
        brackets = ("[", "]") if isinstance(value, list) else ("(", ")")
        return brackets[0], [("", part) for part in value], brackets[1]
    return _literal(value), [], ""


def _literal(value: Any) -> str:
    if isinstance(value, Name):
        return value.name
    if isinstance(value, str):
        return quoted(value)
    return f'float("{value}")' if isinstance(value, float) and not math.isfinite(value) else repr(value)


def quoted(text: str) -> str:
    """A Python string literal in double quotes; what cannot be printed, a lone surrogate too, is escaped."""
    literal = json.dumps(text, ensure_ascii=False)  # JSON's escapes of one character mean the same to Python
    return literal if literal.isprintable() else "".join(c if c.isprintable() else _escaped(c) for c in literal)


def _escaped(char: str) -> str:
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
