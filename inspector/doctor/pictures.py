"""Rules about pictures, sizes and cache markers (TAXONOMY.md, F)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from inspector.doctor.native import (
    Inner,
    Kind,
    Native,
    Part,
    Role,
    Turn,
    body_of,
    content_of,
    named_text,
    text_of,
    texts_in,
)
from inspector.doctor.pairing import Pairing
from inspector.doctor.report import about_part, finding, named
from inspector.doctor.shapes import Layout
from inspector.doctor.targets import Provider, Target
from inspector.finding import Finding
from inspector.tokens.images import image_size
from inspector.tokens.models import DEFAULT_WINDOW, window_for

MANY_IMAGES = 20
MANY_IMAGE_PIXELS = 2000
"""Anthropic: of more than 20 images in a request none may have a side over 2,000 pixels ("Vision", limits)."""
CACHE_MARKERS = 4
STRING_CHARS = 10_485_760
ARGUMENT_CHARS = 1_048_576
"""OpenAI: longest content string, and longest arguments string (the words of the refusals)."""
HUGE_RESULT_CHARS = 100_000
CHARS_A_TOKEN = 4
"""A rough figure, for judging what is far too large (OpenAI, "What are tokens")."""


class Picture(NamedTuple):
    """An image block and the part that it is in."""

    part: Part
    pointer: str
    block: Any


def pictures_of(native: Native) -> list[Picture]:
    """All image blocks, those inside results too, in order."""
    found = []
    for turn in native.turns:
        for part in turn.parts:
            if part.kind == Kind.IMAGE:
                found.append(Picture(part, part.pointer, part.value))
            elif part.kind == Kind.RESULT and native.shape.layout == Layout.BLOCKS:
                said = content_of(part)
                items = said.value if said is not None and isinstance(said.value, list) else ()
                found += [Picture(part, f"{said.pointer}/{at}", item) for at, item in enumerate(items)
                          if said is not None and isinstance(item, dict) and item.get("type") == "image"]  # fmt: skip
    return found


def large_images(native: Native, pairing: Pairing, target: Target) -> Iterator[Finding]:
    """Large images among many."""
    if target.provider != Provider.ANTHROPIC:
        return
    pictures = pictures_of(native)
    for picture in pictures if len(pictures) > MANY_IMAGES else ():
        size = size_of(picture.block)
        if size and max(size) > MANY_IMAGE_PIXELS:
            says = f"a picture of {size[0]:,} x {size[1]:,} pixels stands among {len(pictures):,} pictures"
            turn = native.turn_of(picture.part)
            yield about_part("image-too-large-for-many", turn, picture.part, says, inner=picture.pointer)


def size_of(block: Any) -> tuple[int, int] | None:
    """Pixels of an image block, from its header; None where they cannot be read."""
    source = body_of(body_of(block).get("source"))
    url = body_of(block).get("image_url")
    data = source.get("data") or (url.get("url") if isinstance(url, dict) else url)
    return image_size(data) if isinstance(data, str) else None


def tool_images(native: Native, pairing: Pairing, target: Target) -> Iterator[Finding]:
    """Images in messages of the role tool."""
    if target.provider != Provider.OPENAI or native.shape.layout != Layout.MESSAGES:
        return
    for part in native.by_kind[Kind.IMAGE]:
        turn = native.turn_of(part)
        if turn.role == Role.RESULT:
            yield about_part("image-in-tool-message", turn, part, "a tool's message holds a picture")


def ollama_images(native: Native, pairing: Pairing, target: Target) -> Iterator[Finding]:
    """Images of Ollama that are addresses or data: URLs."""
    if target.provider != Provider.OLLAMA:
        return
    for part in native.by_kind[Kind.IMAGE]:
        if "/images/" not in part.pointer or not isinstance(part.value, str):
            continue
        if part.value[:5].lower() == "data:":
            says = "the picture is a data: URL where Ollama takes bare base64"
            yield about_part("image-not-bare-base64", native.turn_of(part), part, says)
        elif part.value[:4].lower() == "http" and ":" in part.value[:8]:
            says = "the picture is an address where Ollama takes bare base64"
            repair = "None: the picture is not in the file."
            yield about_part("image-not-bare-base64", native.turn_of(part), part, says, repair=repair)


class Marker(NamedTuple):
    """A cache marker: where it stands, and the turn where it is in one."""

    pointer: str
    turn: Turn | None


def cache_markers(native: Native) -> list[Marker]:
    """The cache markers of a request, in the order tools, system, messages."""
    found = []
    holder, at = native.holder, native.holder_pointer
    for tools, pointer in ((holder.get("tools"), "/tools"), (body_of(holder.get("toolConfig")).get("tools"),
                                                             "/toolConfig/tools")):  # fmt: skip
        found += [Marker(where, None) for where in _marked(tools, f"{at}{pointer}")]
    found += [Marker(where, None) for where in _marked(holder.get("system"), f"{at}/system")]
    for turn in native.turns:
        if turn.role == Role.SYSTEM and turn.entry < 0:
            continue
        for part in turn.parts:
            found += [Marker(where, turn) for where in _marks_of(part.value, part.pointer)]
    return found


def _marked(items: Any, pointer: str) -> Iterator[str]:
    for at, item in enumerate(items if isinstance(items, list) else ()):
        yield from _marks_of(item, f"{pointer}/{at}")


def _marks_of(value: Any, pointer: str) -> Iterator[str]:
    if not isinstance(value, dict):
        return
    if isinstance(value.get("content"), list):
        yield from _marked(value["content"], f"{pointer}/content")
    for key in ("cache_control", "cachePoint"):
        if isinstance(value.get(key), dict):
            yield f"{pointer}/{key}"


def cache_breakpoints(native: Native, pairing: Pairing, target: Target) -> Iterator[Finding]:
    """More cache markers than a request may have: one finding, at the newest."""
    if target.provider not in (Provider.ANTHROPIC, Provider.BEDROCK) or native.shape.layout == Layout.ROWS:
        return
    markers = cache_markers(native)
    if len(markers) <= CACHE_MARKERS:
        return
    pointer, turn = markers[-1]
    says = f"{len(markers)} blocks are marked for the cache, and {CACHE_MARKERS} may be"
    if turn is None:
        yield Finding("too-many-cache-breakpoints", "error", says, None, pointer, repair="None: no message is marked.")
    else:
        yield finding("too-many-cache-breakpoints", turn, pointer, says, row=turn.row)


def long_strings(native: Native, pairing: Pairing, target: Target) -> Iterator[Finding]:
    """Strings beyond what OpenAI takes."""
    if target.provider != Provider.OPENAI:
        return
    for part in native.by_kind[Kind.TEXT]:
        if len(text_of(part)) > STRING_CHARS:
            yield _too_long(native, part, named_text(part), STRING_CHARS)
    for pairs, most in ((native.said, STRING_CHARS), (native.given, ARGUMENT_CHARS)):
        for part, inner in pairs:
            if isinstance(inner.value, str) and len(inner.value) > most:
                yield _too_long(native, part, inner, most)


def _too_long(native: Native, part: Part, string: Inner, most: int) -> Finding:
    says = f"a string of {len(string.value):,} characters, where {most:,} may be sent"
    return about_part("string-too-long", native.turn_of(part), part, says, inner=string.pointer)


def huge_results(native: Native, pairing: Pairing, target: Target) -> Iterator[Finding]:
    """Results of 100,000 characters, or of a quarter of the model's window."""
    window = window_for(native.model) if native.model else DEFAULT_WINDOW
    most = min(HUGE_RESULT_CHARS, window * CHARS_A_TOKEN // 4)
    for result, said in native.said:
        chars = sum(map(len, texts_in(said.value)))
        if chars >= most:
            says = f"the result of {named(pairing.asked.get(result.pointer, result))} is {chars:,} characters long"
            yield about_part("huge-tool-result", native.turn_of(result), result, says, inner=said.pointer)


def over_limit(native: Native, pairing: Pairing, target: Target) -> Iterator[Finding]:
    """A session that cannot fit into the window of the model that it names, by its texts alone."""
    if not native.model:
        return
    window = window_for(native.model)
    first = native.compactions[-1].row if native.compactions else 0
    texts = [(part, text_of(part)) for part in native.by_kind[Kind.TEXT]]
    strings = [(part, inner.value) for part, inner in (*native.said, *native.given) if isinstance(inner.value, str)]
    chars = sum(len(text) for part, text in (*texts, *strings) if native.turn_of(part).row >= first)
    if chars > window * CHARS_A_TOKEN:
        tokens = chars // CHARS_A_TOKEN
        says = f"the session is about {tokens:,} tokens long, and the window of {native.model[:60]} is {window:,}"
        yield Finding("over-context-limit", "warning", says, repair="None: compact the session.")
