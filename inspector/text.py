"""Text that others wrote: made safe to draw, measured, folded; and the lengths that policies decide by.

A recording may hold escape sequences, control characters and direction overrides, and Textual passes most of them
to the terminal. Whatever is drawn goes through `visible` here, once; `fold` and `clip` do so themselves. Everything
is a pure function of its arguments.
"""

import json
import re
import unicodedata
from collections.abc import Collection, Iterator
from itertools import islice, pairwise

import orjson
from rich.cells import set_cell_size

ELLIPSIS = "…"
REPLACEMENT = "\ufffd"
TAB = "    "

_HIDDEN = re.compile(
    "[\0-\x08\x0b-\x1f\x7f"  # controls, drawn as symbols; tab and newline are dealt with apart
    "\x80-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_WIDE = re.compile(
    "[\u1100-\u115f\u231a\u231b\u2329\u232a\u23e9-\u23f3\u25fd\u25fe\u2614\u2615\u2630-\u2637\u2648-\u2653\u267f"
    "\u268a-\u268f\u2693\u26a1\u26aa\u26ab\u26bd\u26be\u26c4\u26c5\u26ce\u26d4\u26ea\u26f2-\u26f5\u26fa\u26fd\u2705"
    "\u270a\u270b\u2728\u274c\u274e\u2753-\u2757\u2795-\u2797\u27b0\u27bf\u2b1b\u2b1c\u2b50\u2b55\u2e80-\u303e"
    "\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6"
    "\U00016fe0-\U0001b2fb\U0001d300-\U0001d376\U0001f000-\U0001faff\U00020000-\U0003fffd]"
)
_SECOND_CELL = "\0"  # cannot stand in visible text, so it may mark the second cell of a wide character
_JOINER = "\u200d"
_MARKS = frozenset(("Mn", "Mc", "Me"))


def visible(text: str) -> str:
    r"""`text` with nothing left in it that a terminal would obey or hide; newlines stay.

    - CRLF is a newline; a tab is four spaces; any other C0 control and DEL are their symbols (ESC is drawn as ␛).
    - U+FFFD stands for C1 controls (U+0085 among them), U+2028 and U+2029, soft hyphens, direction marks, embeddings,
      overrides and isolates, zero-width space, word joiner and invisible operators, U+FEFF, annotation and tag
      characters, the supplementary variation selectors (both used to smuggle text past a reader), lone surrogates.
    - Kept, since ordinary words and emoji need them: U+200C, U+200D, U+FE00 to U+FE0F, combining marks.

    `visible(visible(t)) == visible(t)`, and no character grows but the tab.
    """
    return _HIDDEN.sub(_symbol, _plain_breaks(text))


def visible_line(text: str) -> str:
    """`visible(text)` for places of one line, such as file names and titles: a newline is drawn as ␊."""
    return visible(text).replace("\n", "\u240a")


def cells(text: str) -> int:
    """Terminal cells of visible `text`: one a character, two a wide one.

    Never below `rich.cells.cell_len`, and above it only for marks and joiners, which count one here and none there, and
    for pictographs on whose width terminals disagree. O(1) for ASCII.
    """
    return len(text) if text.isascii() else len(text) + len(_WIDE.findall(text))


def fold(text: str, width: int, limit: int) -> list[str]:
    """The first `limit` lines of `text` made visible and folded to `width` cells.

    A line is folded after the last space in the further half of its cells, which stays at its end, and at the cell
    where no space is there: so words stay whole, long paths and JSON fill their lines, and the lines joined are the
    text. Only the head that can be shown is looked at, so the cost does not depend on the length of `text`. A newline
    ends a line rather than beginning one: "a\\n" is one line, "" is none. Combining marks stay with their letter. Where
    the width is one, wide characters are U+FFFD. Ask for one line more than is drawn to learn whether there is more.
    """
    lines: list[str] = []
    if width < 1 or limit < 1:
        return lines
    for line in _lines(visible(text[: (width + 2) * limit]), limit):
        if len(line) <= width and line.isascii():
            lines.append(line)
        else:
            laid = _laid_out(line, width)
            lines += [laid[a:b].replace(_SECOND_CELL, "") for a, b in pairwise(_cuts(laid, width))]
        if len(lines) >= limit:
            return lines[:limit]
    return lines


def height(text: str, width: int, limit: int) -> int:
    """`len(fold(text, width, limit))`, counted without making the lines where the count is plain."""
    if width < 1 or limit < 1:
        return 0
    if len(text) >= (width + 2) * limit:  # a row takes at most `width` characters and a CRLF
        return limit
    rows = 0
    for line in _lines(_plain_breaks(text), limit):
        if 2 * len(line) <= width or (len(line) <= width and (line.isascii() or cells(line) <= width)):
            rows += 1
        else:
            laid = line if line.isascii() else _laid_out(visible(line), width)
            rows += len(list(islice(_cuts(laid, width), limit - rows + 1))) - 1
        if rows >= limit:
            return limit
    return rows


def clip(text: str, width: int) -> str:
    """`text` made visible on one line and cut to `width` cells, with … in place of what was cut."""
    if width < 1:
        return ""
    head = text[: 2 * width + 2]
    line = visible_line(head)
    if len(head) == len(text) and (len(line) <= width if line.isascii() else cells(line) <= width):
        return line
    if width == 1:
        return ELLIPSIS
    laid = _laid_out(line, width - 1)
    return laid[: _cut(laid, 0, width - 1)].replace(_SECOND_CELL, "") + ELLIPSIS


def pad(text: str, width: int) -> str:
    """One visible line cropped or filled with spaces to exactly `width` cells, as rich measures them.

    Joiners at the ends, which join nothing, go: rich would join the next character to them and not measure it.
    """
    if text.isascii():
        return text[:width].ljust(width) if width > 0 else ""
    return set_cell_size(text.strip(_JOINER), width)


def thousands(n: int) -> str:
    """1234 as "1,234"."""
    return f"{n:,}"


def percent(part: int, whole: int) -> str:
    """565 of 1,000 as "56.5", rounded down: a saving is not overstated, and the smallest loss does not read as none."""
    return f"{part * 1000 // whole / 10 if whole > 0 else 0.0:.1f}"


def signed(n: int) -> str:
    """1234 as "+1,234", -1234 as "-1,234" (ASCII minus), 0 as "0"."""
    return f"{n:+,}" if n else "0"


def json_chars(value: object) -> int:
    """The length of `json.dumps(value, ensure_ascii=False)`; of `str(value)` where that raises TypeError or ValueError.

    A value nested deeper than Python's stack allows is counted without recursion, as json would write it. Never raises
    for values of the built-in types. orjson does the work where it writes the same but for separators: for dicts, lists
    and tuples of exactly str, int, bool and None, without surrogates and integers beyond 64 bits.
    """
    if type(value) is str:
        return string_json_chars(value)
    try:
        data = orjson.dumps(value)
        spaces = _separator_spaces(value)
    except (TypeError, RecursionError):
        return _slow_json_chars(value)
    return (len(data) if data.isascii() else len(data.decode())) + spaces


def well_formed(text: str) -> str:
    """A text with surrogate pairs joined and lone surrogates as U+FFFD, so that any encoding can hold it."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def string_json_chars(text: str) -> int:
    """The length of one string as JSON text with `ensure_ascii=False`, quotes included; surrogates count one each."""
    try:
        data = orjson.dumps(text)
    except TypeError:
        return len(json.dumps(text, ensure_ascii=False))
    return len(data) if data.isascii() else len(data.decode())


def _symbol(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else REPLACEMENT


def _plain_breaks(text: str) -> str:
    """CRLF as newline and tabs as spaces: the only two changes of `visible` that alter a text's length."""
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    return text.replace("\t", TAB) if "\t" in text else text


def _lines(head: str, limit: int) -> list[str]:
    """The lines of `head`, the last of more than `limit` uncut."""
    if head.endswith("\n"):
        head = head[:-1]
    elif not head:
        return []
    return head.split("\n", limit)


def _laid_out(line: str, width: int) -> str:
    """`line` with one character a cell: a wide character is followed by a mark for its second cell."""
    if line.isascii():
        return line
    if width == 1:
        return _WIDE.sub(REPLACEMENT, line)
    return _WIDE.sub(lambda wide: wide[0] + _SECOND_CELL, line)


def _cuts(laid: str, width: int) -> Iterator[int]:
    """Where a line that was laid out is folded: 0, the folds, its length."""
    start, end, plain = 0, len(laid), laid.isascii()
    yield start
    while end - start > width:
        full = start + width if plain else _cut(laid, start, start + width)
        word = laid.rfind(" ", start + width // 2, full) + 1
        start = word if word and (plain or not _held(laid, word)) else full
        yield start
    yield end


def _cut(laid: str, start: int, full: int) -> int:
    """The last place in (start, full] that parts neither a wide character nor, if it can be, a mark from its letter."""
    at = full
    while at > start and _held(laid, at):
        at -= 1
    if at > start:
        return at
    return full - 1 if laid[full] == _SECOND_CELL else full


def _held(laid: str, at: int) -> bool:
    char = laid[at]
    if char == _SECOND_CELL:
        return True
    if char.isascii():
        return False
    joined = char == _JOINER or laid[at - 1] == _JOINER or "\U0001f3fb" <= char <= "\U0001f3ff"
    return joined or unicodedata.category(char) in _MARKS


_SCALARS = frozenset((str, int, bool, type(None)))


def _separator_spaces(value: object) -> int:
    """The spaces json.dumps puts after commas and colons; TypeError where it may otherwise write unlike orjson.

    Nothing that orjson writes is nested too deeply to be walked so.
    """
    inside: Collection[object]
    if type(value) is dict:
        spaces, inside = 2 * len(value) - 1, value.values()
    elif type(value) is list or type(value) is tuple:
        spaces, inside = len(value) - 1, value
    else:
        raise TypeError(type(value))
    for item in inside:
        if type(item) not in _SCALARS:
            spaces += _separator_spaces(item)
    return spaces if inside else 0


def _slow_json_chars(value: object) -> int:
    try:
        return len(json.dumps(value, ensure_ascii=False))
    except (TypeError, ValueError):
        pass
    except RecursionError:
        return _deep_json_chars(value)
    try:
        return len(str(value))
    except (ValueError, RecursionError):
        return _deep_json_chars(value)


def _deep_json_chars(value: object) -> int:
    """What json.dumps would write for a value too deep for it, walked with a stack of our own; a cycle counts once."""
    total = 0
    path: set[int] = set()
    stack: list[tuple[object, bool]] = [(value, False)]
    while stack:
        item, leaving = stack.pop()
        if leaving:
            path.discard(id(item))
        elif not isinstance(item, (dict, list, tuple)):
            total += _leaf_chars(item)
        elif id(item) not in path:
            path.add(id(item))
            stack.append((item, True))
            total += 2 + 2 * max(len(item) - 1, 0)
            if isinstance(item, dict):
                total += sum(_key_chars(key) + 2 for key in item)
            stack += [(inside, False) for inside in (item.values() if isinstance(item, dict) else item)]
    return total


def _leaf_chars(leaf: object) -> int:
    try:
        return len(json.dumps(leaf, ensure_ascii=False))
    except (TypeError, ValueError):
        # CPython writes no integer above 4,300 digits; log10(2) = 0.30103 gives its digits to within one
        return int(leaf.bit_length() * 0.30103) + 1 + (leaf < 0) if isinstance(leaf, int) else len(str(leaf))


def _key_chars(key: object) -> int:
    return string_json_chars(key) if isinstance(key, str) else _leaf_chars(key) + 2
