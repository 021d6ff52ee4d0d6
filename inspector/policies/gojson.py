"""Strict JSON decoding with the rules of Go's encoding/json.

The checkpoint contract was written in Go, and whether a model's answer counts as a checkpoint hangs on details in which
Python's `json` differs: case-folded field names, `null` that leaves a value alone, integers that must be written as
integers, lone surrogates, the nesting limit. The rules and the wording of the errors are those of Go's scanner.go,
decode.go and encode.go (standard library, Go 1.21). Nothing here recurses, and every step is linear in the text.
"""

import re
from collections.abc import Mapping
from json.encoder import encode_basestring
from typing import Literal, NamedTuple

MAX_NESTING = 10_000
"""Containers that may be open at once: `maxNestingDepth` of Go's scanner.go."""

FieldType = Literal["string", "int", "[]string"]
Value = str | int | list[str] | None


class GoJSONError(ValueError):
    """The text is not what the decoder wants; the message is worded as Go words it."""


class Token(NamedTuple):
    """One piece of valid JSON: `kind` is one of `{ } [ ] key string number bool null`, `text` its source."""

    kind: str
    text: str


# --- reading ---------------------------------------------------------------------------------------------------------

_SPACE = re.compile(r"[ \t\r\n]*+")
_STRING = re.compile(r'"[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)*+')
_FOUR_HEX = re.compile(r"u[0-9a-fA-F]{0,4}")
_WHOLE = re.compile(r"0|[1-9][0-9]*+")
_DIGITS = re.compile(r"[0-9]++")
_WORDS = {"t": "true", "f": "false", "n": "null"}
_CLOSER = {"{": "}", "[": "]"}
_VALUE = "looking for beginning of value"
_KEY = "looking for beginning of object key string"


def scan(text: str) -> tuple[list[Token], int]:
    """The tokens of the first JSON value in `text`, and where that value ends; what follows is not looked at.

    Commas and colons are checked and left out. Raises GoJSONError where the value is malformed, cut short, or nested
    deeper than MAX_NESTING.
    """
    tokens: list[Token] = []
    opened: list[str] = []
    pos = _skip(text, 0)
    while True:
        token, pos = _value(text, pos)
        tokens.append(token)
        if token.kind in _CLOSER:
            _open(text, pos - 1, opened)
            pos = _skip(text, pos)
            if text[pos : pos + 1] != _CLOSER[token.kind]:
                pos = _key(text, pos, tokens) if token.kind == "{" else pos
                continue
        pos = _close(text, pos, opened, tokens)
        if not opened:
            return tokens, pos
        pos = _skip(text, pos + 1)
        pos = _key(text, pos, tokens) if opened[-1] == "{" else pos


def _skip(text: str, pos: int) -> int:
    found = _SPACE.match(text, pos)
    return found.end() if found else pos


def _open(text: str, pos: int, opened: list[str]) -> None:
    opened.append(text[pos])
    if len(opened) > MAX_NESTING:
        raise _fault(text, pos, "exceeded max depth")


def _close(text: str, pos: int, opened: list[str], tokens: list[Token]) -> int:
    """Closes what ends after a value: the position of the comma that promises another, or the end of the whole."""
    while opened:
        pos = _skip(text, pos)
        char = text[pos : pos + 1]
        if char == ",":
            return pos
        if char != _CLOSER[opened[-1]]:
            raise _fault(text, pos, "after object key:value pair" if opened[-1] == "{" else "after array element")
        tokens.append(Token(char, char))
        opened.pop()
        pos += 1
    return pos


def _key(text: str, pos: int, tokens: list[Token]) -> int:
    """Reads a field's name and its colon; the position of its value."""
    if text[pos : pos + 1] != '"':
        raise _fault(text, pos, _KEY)
    end = _string_end(text, pos)
    tokens.append(Token("key", text[pos:end]))
    pos = _skip(text, end)
    if text[pos : pos + 1] != ":":
        raise _fault(text, pos, "after object key")
    return _skip(text, pos + 1)


def _value(text: str, pos: int) -> tuple[Token, int]:
    char = text[pos : pos + 1]
    if char and char in "{[":
        return Token(char, char), pos + 1
    if char == '"':
        kind, end = "string", _string_end(text, pos)
    elif char in _WORDS:
        kind, end = "null" if char == "n" else "bool", _word_end(text, pos)
    elif char and char in "-0123456789":
        kind, end = "number", _number_end(text, pos)
    else:
        raise _fault(text, pos, _VALUE)
    return Token(kind, text[pos:end]), end


def _string_end(text: str, pos: int) -> int:
    found = _STRING.match(text, pos)
    end = found.end() if found else pos
    if text[end : end + 1] == '"':
        return end + 1
    if text[end : end + 1] != "\\":
        raise _fault(text, end, "in string literal")
    escape = _FOUR_HEX.match(text, end + 1)
    if escape:
        raise _fault(text, escape.end(), "in \\u hexadecimal character escape")
    raise _fault(text, end + 1, "in string escape code")


def _word_end(text: str, pos: int) -> int:
    word = _WORDS[text[pos]]
    for step, char in enumerate(word):
        if text[pos + step : pos + step + 1] != char:
            raise _fault(text, pos + step, f"in literal {word} (expecting '{char}')")
    return pos + len(word)


def _number_end(text: str, pos: int) -> int:
    pos += text[pos] == "-"
    pos = _digits_end(text, pos, "in numeric literal", _WHOLE)
    if text[pos : pos + 1] == ".":
        pos = _digits_end(text, pos + 1, "after decimal point in numeric literal")
    if text[pos : pos + 1] in ("e", "E"):
        pos += 1
        pos += text[pos : pos + 1] in ("+", "-")
        pos = _digits_end(text, pos, "in exponent of numeric literal")
    return pos


def _digits_end(text: str, pos: int, where: str, pattern: re.Pattern[str] = _DIGITS) -> int:
    found = pattern.match(text, pos)
    if found is None:
        raise _fault(text, pos, where)
    return found.end()


def _fault(text: str, pos: int, where: str) -> GoJSONError:
    if pos >= len(text):
        return GoJSONError("unexpected EOF")
    # Go reads bytes, and names the first byte of a character as if it were Latin-1.
    first = chr(text[pos].encode("utf-8", "surrogatepass")[0])
    shown = {"'": "\\'", '"': '"'}.get(first) or quote(first)[1:-1]
    return GoJSONError(f"invalid character '{shown}' {where}")


# --- filling a struct ------------------------------------------------------------------------------------------------


def decode_struct(text: str, fields: Mapping[str, FieldType], struct: str) -> tuple[dict[str, Value], int]:
    """The first JSON value of `text` read into `fields`, and where it ends.

    `struct` is the type's qualified Go name (`package.Type`), for the error texts. A field that the text leaves out has
    Go's zero value: `""`, 0, or None for a list. Field names match by case folding, an unknown one is an error, and of
    a repeated one the last wins. `null` leaves a string or an int as it was and makes a list None; as an element it
    keeps what an earlier list of the same field had at that place, which is what Go's reuse of the slice comes to.
    Raises GoJSONError; faults of syntax come before faults of type.
    """
    tokens, end = scan(text)
    values: dict[str, Value] = {name: _ZERO[kind] for name, kind in fields.items()}
    if tokens[0].kind == "{":
        _fill(tokens, fields, struct.rpartition(".")[2], values)
    elif tokens[0].kind != "null":
        raise GoJSONError(f"json: cannot unmarshal {_NOUNS[tokens[0].kind]} into Go value of type {struct}")
    return values, end


_ZERO: dict[FieldType, Value] = {"string": "", "int": 0, "[]string": None}
_NOUNS = {"{": "object", "[": "array", "string": "string", "number": "number", "bool": "bool"}
_INT64 = range(-(2**63), 2**63)
_INT64_CHARS = 20
_INTEGER = re.compile(r"-?[0-9]+")


def _fill(tokens: list[Token], fields: Mapping[str, FieldType], owner: str, values: dict[str, Value]) -> None:
    folded = {fold(name): name for name in fields}
    slots: dict[str, list[str]] = {name: [] for name in fields}
    at = 1
    while tokens[at].kind == "key":
        written = unquote(tokens[at].text)
        name = folded.get(fold(written))
        if name is None:
            raise GoJSONError(f"json: unknown field {quote(written)}")
        kind, path = fields[name], f"{owner}.{name}"
        if kind == "[]string":
            values[name], at = _strings(tokens, at + 1, path, slots[name])
        else:
            values[name] = _scalar(tokens[at + 1], kind, path, values[name])
            at += 2


def _scalar(token: Token, kind: FieldType, path: str, before: Value) -> Value:
    if token.kind == "null":
        return before
    if token.kind == "string" and kind == "string":
        return unquote(token.text)
    if token.kind == "number" and kind == "int":
        return _int64(token.text, path)
    raise _mismatch(_NOUNS[token.kind], path, kind)


def _int64(text: str, path: str) -> int:
    # Longer texts cannot fit, and int() refuses some of them with an error of its own.
    if len(text) <= _INT64_CHARS and _INTEGER.fullmatch(text) and int(text) in _INT64:
        return int(text)
    raise _mismatch(f"number {text}", path, "int")


def _strings(tokens: list[Token], at: int, path: str, slots: list[str]) -> tuple[list[str] | None, int]:
    """The list that starts at token `at`, and the token after it; `slots` is the field's backing array so far."""
    if tokens[at].kind == "null":
        slots.clear()
        return None, at + 1
    if tokens[at].kind != "[":
        raise _mismatch(_NOUNS[tokens[at].kind], path, "[]string")
    items: list[str] = []
    at += 1
    while tokens[at].kind != "]":
        before = slots[len(items)] if len(items) < len(slots) else ""
        items.append(str(_scalar(tokens[at], "string", path, before)))
        at += 1
    # Go keeps the slots past a shorter list, but gives an empty list an array of its own.
    slots[: len(items) or None] = items
    return items, at + 1


def _mismatch(noun: str, path: str, kind: FieldType) -> GoJSONError:
    return GoJSONError(f"json: cannot unmarshal {noun} into Go struct field {path} of type {kind}")


# --- strings ---------------------------------------------------------------------------------------------------------

_ESCAPE = re.compile(
    r"\\(?:u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|(.))", re.DOTALL
)
_SHORT = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_REPLACEMENT = "\ufffd"
# The two characters outside ASCII that Unicode's simple folding takes to an ASCII letter: long s and the kelvin sign.
_FOLDS = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ\u017f\u212a", "abcdefghijklmnopqrstuvwxyzsk")
_GO_QUOTES = {
    "\a": "\\a",
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\v": "\\v",
    '"': '\\"',
    "\\": "\\\\",
}


def unquote(literal: str) -> str:
    """The string that a valid JSON string literal, quotes included, stands for; lone surrogates become U+FFFD."""
    body = literal[1:-1]
    return _ESCAPE.sub(_unescape, body) if "\\" in body else body


def _unescape(found: re.Match[str]) -> str:
    high, low, single, short = found.groups()
    if high:
        return chr(0x10000 + ((int(high, 16) - 0xD800) << 10) + int(low, 16) - 0xDC00)
    if single:
        code = int(single, 16)
        return _REPLACEMENT if 0xD800 <= code <= 0xDFFF else chr(code)
    return _SHORT.get(short, short)


def fold(name: str) -> str:
    """`name` as Go compares field names: two ASCII names are the same field when this is equal (fold.go)."""
    return name.translate(_FOLDS)


def quote(text: str) -> str:
    """`text` as Go's `%q` shows it: printable characters as they are, the rest escaped (strconv.Quote)."""
    return '"' + "".join(_GO_QUOTES.get(char) or _shown(char) for char in text) + '"'


def _shown(char: str) -> str:
    code = ord(char)
    if char.isprintable():
        return char
    if code < 0x80:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


_ENCODED = {
    **{code: f"\\u{code:04x}" for code in (*range(0x20), *map(ord, "<>&\u2028\u2029"))},
    **{ord(char): escape for char, escape in _GO_QUOTES.items() if char in '"\\\n\r\t'},
    # Not Unicode text, so never valid UTF-8: Go writes such bytes as the escape of U+FFFD.
    **dict.fromkeys(range(0xD800, 0xE000), "\\ufffd"),
}


_AS_ESCAPES = tuple((char, f"\\u{ord(char):04x}") for char in "<>&\u2028\u2029")
_UNLIKE_PYTHON = re.compile("[\b\f\ud800-\udfff]")
"""What Python's own encoder, twenty times as fast as `translate`, writes otherwise."""


def encode_string(text: str) -> str:
    r"""`text` as a JSON string in the form of Go's json.Marshal.

    `<`, `>`, `&`, U+2028 and U+2029 are written as \u escapes, `\n \r \t \" \\` in short form, other control
    characters as `\u00xx` in lower case (SPEC.md 3, Encode), a surrogate as `\ufffd`, the rest as it is.
    """
    if _UNLIKE_PYTHON.search(text):
        return f'"{text.translate(_ENCODED)}"'
    encoded: str = encode_basestring(text)
    for char, escape in _AS_ESCAPES:
        if char in encoded:
            encoded = encoded.replace(char, escape)
    return encoded
