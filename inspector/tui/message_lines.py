"""A message as lines to read: its thinking, text, parts, images, calls, and whatever else it carries.

No textual here. Lines hold text as recorded: whoever draws them makes it visible and folds it. What is made is bounded,
so that a message of any size opens at once.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any, NamedTuple

import orjson

from inspector.message import IMAGE_PARTS, Body, ToolCall, calls_of
from inspector.text import thousands
from inspector.tokens.images import cost, image_size

SHOWN_CHARS = 2_000_000
SHOWN_LINES = 200_000
PART_CHARS = 20_000
"""Of a part or key that the reader has no layout for; the JSON view has it whole."""


class Kind(StrEnum):
    """What a line is, so that it can be told apart by glyph and style."""

    TEXT = "text"
    HEADING = "heading"
    NOTE = "note"
    THINKING = "thinking"
    IMAGE = "image"
    CALL = "call"
    ARGUMENT = "argument"
    BLOCK = "block"
    """A line of an argument that holds several."""
    JSON = "json"
    SAME = "same"
    ADDED = "added"
    REMOVED = "removed"
    INSERT = "insert"
    ERROR = "error"
    WARNING = "warning"


GUTTERS: Mapping[Kind, str] = {
    Kind.THINKING: "┊ ",
    Kind.CALL: "→ ",
    Kind.ARGUMENT: "  ",
    Kind.BLOCK: "  │ ",
    Kind.SAME: "  ",
    Kind.ADDED: "+ ",
    Kind.REMOVED: "- ",
    Kind.INSERT: "+ ",
}
"""What stands before a line of a kind, beside its hue."""


class Line(NamedTuple):
    """One line, of any length; its text has no line feed and is not yet made visible."""

    text: str
    kind: Kind = Kind.TEXT

    @property
    def plain(self) -> str:
        """The line with its glyph, as it reads on the screen."""
        return GUTTERS.get(self.kind, "") + self.text


class Lines:
    """Lines under a bound: what goes beyond it is left out, and a note says so."""

    def __init__(self, chars: int = SHOWN_CHARS, lines: int = SHOWN_LINES) -> None:
        self.found: list[Line] = []
        self.full = False
        self._chars, self._lines, self._taken = chars, lines, 0

    def add(self, text: str, kind: Kind = Kind.TEXT) -> None:
        """Add a text, cut into lines; a line feed at its end begins no further line."""
        if self.full:
            return
        room, places = self._chars - self._taken, self._lines - len(self.found)
        cut = text[:room].replace("\r\n", "\n").split("\n", max(places, 0))
        if len(text) > room or len(cut) > places:
            cut, self.full = cut[:places], True
        elif len(cut) > 1 and not cut[-1]:
            cut.pop()
        self.found += [Line(line, kind) for line in cut]
        self._taken += sum(map(len, cut)) + len(cut)
        if self.full:
            shown = thousands(min(self._chars, self._taken))
            self.found.append(Line(f"first {shown} characters shown; e exports the whole", Kind.NOTE))


def lines_of(body: Body) -> list[Line]:
    """A message as lines, everything that it carries in an order to read it in."""
    lines = Lines()
    for text, kind in _texts_of(body):
        lines.add(text, kind)
    if not lines.found:
        lines.add("(nothing but a role)" if len(body) < 2 else "(no text)", Kind.NOTE)
    return lines.found


def _texts_of(body: Body) -> Iterator[tuple[str, Kind]]:
    yield from _thinking(body)
    yield from _content(body.get("content"))
    images = body.get("images")
    if isinstance(images, list):
        yield from ((image_line(image), Kind.IMAGE) for image in images)
    yield from _calls(body)
    yield from _others(body)


THINKING_KEYS = ("thinking", "reasoning_content", "reasoning")


def _thinking(body: Body) -> Iterator[tuple[str, Kind]]:
    texts = [text for key in THINKING_KEYS if isinstance(text := body.get(key), str) and text]
    blocks = body.get("thinking_blocks")
    for text in dict.fromkeys(texts):
        yield "thinking", Kind.HEADING
        yield text, Kind.THINKING
    for block in blocks if isinstance(blocks, list) else ():
        yield from _thinking_block(block, texts)


def _thinking_block(block: Any, shown: list[str]) -> Iterator[tuple[str, Kind]]:
    """A signed or encrypted block: its text where it was not shown yet, and the size of what nobody can read."""
    if not isinstance(block, dict):
        return
    text = block.get("thinking")
    if isinstance(text, str) and text and not any(text in known for known in shown):
        yield "thinking", Kind.HEADING
        yield text, Kind.THINKING
    for key, says in (("signature", "signed thinking"), ("data", "encrypted thinking")):
        value = block.get(key)
        if isinstance(value, str) and value:
            yield f"{says}, {thousands(len(value))} characters of {key}", Kind.NOTE


def _content(content: Any) -> Iterator[tuple[str, Kind]]:
    if content is None or content == "":
        return
    if isinstance(content, str):
        yield content, Kind.TEXT
    elif isinstance(content, list):
        for part in content:
            yield from _part(part)
    else:
        yield "content that is neither text nor a list", Kind.HEADING
        yield shortened_json(content), Kind.JSON


def _part(part: Any) -> Iterator[tuple[str, Kind]]:
    kind = part.get("type") if isinstance(part, dict) else None
    text = part.get("text") if isinstance(part, dict) else part
    if kind in IMAGE_PARTS:
        yield image_line(part), Kind.IMAGE
    elif isinstance(text, str):
        yield text, Kind.TEXT
    else:
        yield f"part {kind}" if isinstance(kind, str) else "part", Kind.HEADING
        yield shortened_json(part), Kind.JSON


IMAGE_TYPE = re.compile(r"data:image/([\w.+-]{1,20})[;,]", re.IGNORECASE)
BASE64_HEADS = {"iVBORw0KGgo": "png", "/9j/": "jpeg", "R0lGOD": "gif", "UklGR": "webp"}


def image_line(image: Any) -> str:
    """An image in words: "image 1,024 x 768 png, about 765 tokens". Takes a part, an address, or bare base64."""
    source, detail = _source(image), _detail(image)
    size = image_size(source)
    pixels = f" {thousands(size[0])} x {thousands(size[1])}" if size else ""
    kind = _image_type(image, source)
    address = source if not kind and source.startswith(("http:", "https:", "file:")) else ""
    where = f" at {address[:200]}" if address else "" if size else ", size unknown"
    return f"image{pixels}{f' {kind}' if kind else ''}{where}, about {thousands(cost(source, detail))} tokens"


def _source(image: Any) -> str:
    """The address or base64 of an image part, whichever product wrote it."""
    for key in ("image_url", "source", "url", "data"):
        if isinstance(image, dict):
            image = image.get(key, image)
    return image if isinstance(image, str) else ""


def _detail(image: Any) -> Any:
    if not isinstance(image, dict):
        return None
    inner = image.get("image_url")
    return inner.get("detail") if isinstance(inner, dict) and "detail" in inner else image.get("detail")


def _image_type(image: Any, source: str) -> str:
    found = IMAGE_TYPE.match(source[:60])
    if found:
        return found[1].lower()
    named = image.get("source") if isinstance(image, dict) else None
    media = named.get("media_type") if isinstance(named, dict) else None
    if isinstance(media, str) and media.startswith("image/"):
        return media[6:26]
    return next((kind for head, kind in BASE64_HEADS.items() if source.startswith(head)), "")


def _calls(body: Body) -> Iterator[tuple[str, Kind]]:
    for call in calls_of(body):
        yield from _call(call)
    entries = body.get("tool_calls")
    odd = [entry for entry in entries if not isinstance(entry, dict)] if isinstance(entries, list) else entries
    if odd:
        yield "tool calls that are no objects", Kind.HEADING
        yield shortened_json(odd), Kind.JSON
    if body.get("function_call"):
        legacy = calls_of({"tool_calls": [{"function": body["function_call"]}]})
        for call in legacy:
            yield from _call(call)


def _call(call: ToolCall) -> Iterator[tuple[str, Kind]]:
    name = " ".join(call.name.split("\n")) or "(a call without a name)"
    yield f"{name}  {call.id}" if call.id else name, Kind.CALL
    if not call.arguments.strip():
        yield "no arguments", Kind.NOTE
        return
    try:
        given = json.loads(call.arguments) if len(call.arguments) <= SHOWN_CHARS else None
    except (ValueError, RecursionError):
        yield "these arguments are not valid JSON; shown as recorded", Kind.NOTE
        given = None
    if isinstance(given, dict) and given:
        for key, value in given.items():
            yield from _argument(key, value)
    else:
        yield call.arguments if given is None else pretty_json(given), Kind.ARGUMENT


def _argument(key: str, value: Any) -> Iterator[tuple[str, Kind]]:
    """One argument; a text of several lines is laid out as it reads, not as JSON escapes it."""
    name = key if key.isidentifier() else json.dumps(key, ensure_ascii=False)
    if isinstance(value, str) and "\n" in value:
        yield f"{name}:", Kind.ARGUMENT
        yield value, Kind.BLOCK
    else:
        yield f"{name}: {pretty_json(value)}", Kind.ARGUMENT


SHOWN_KEYS = frozenset((
    "role", "content", "images", "tool_calls", "function_call", "name", "tool_name", "tool_call_id",
    "thinking_blocks", *THINKING_KEYS,
))  # fmt: skip


def _others(body: Body) -> Iterator[tuple[str, Kind]]:
    others = {key: value for key, value in body.items() if key not in SHOWN_KEYS}
    others |= {key: body[key] for key in THINKING_KEYS if body.get(key) and not isinstance(body[key], str)}
    if others:
        yield "other keys", Kind.HEADING
    for key, value in others.items():
        yield f"{key}: {shortened_json(value)}", Kind.JSON


def shortened_json(value: Any) -> str:
    """A value as indented JSON, cut where it is long."""
    text = pretty_json(value)
    if len(text) <= PART_CHARS:
        return text
    return f"{text[:PART_CHARS]}\n… {thousands(len(text) - PART_CHARS)} more characters; 4 shows the JSON"


SURROGATE = re.compile("[\ud800-\udfff]")


def _escaped(surrogate: re.Match[str]) -> str:
    return f"\\u{ord(surrogate[0]):04x}"


def pretty_json(value: Any) -> str:
    """A value as JSON with an indent of 2, lone surrogates escaped; as `str` where it is no JSON. Never raises.

    What nests deeper than 254 levels is on one line: no indent helps there, and json takes a second for one.
    """
    indent: int | None = 2
    try:
        return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()
    except TypeError as error:  # surrogates, integers beyond 64 bits, deep nesting: json is slower and takes more
        if "recursion" in str(error).lower():
            indent = None
    try:
        return SURROGATE.sub(_escaped, json.dumps(value, ensure_ascii=False, indent=indent))
    except (TypeError, ValueError, RecursionError):
        pass
    try:
        return str(value)
    except (ValueError, RecursionError):
        return "nested too deeply to be shown"
