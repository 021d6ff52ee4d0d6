"""What an Open WebUI answer says: text, thoughts, calls and results, out of its text or out of its `output` items.

In the text a call is `<details type="tool_calls" done="true" id=.. name=.. arguments=".." result="..">`; its attributes
are HTML-escaped JSON, and some writers put the result into the block instead. A block that a crash left open reaches to
the end. Other blocks (`code_interpreter`) are text that the model wrote.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

from inspector.formats.blocks import json_text
from inspector.formats.shapes import as_dict, as_list, as_text
from inspector.message import Body

_OPEN = re.compile(r"""<details((?:\s+[\w-]+=(?:"[^"]*"|'[^']*'))*)\s*>""")
_ATTRIBUTE = re.compile(r"""([\w-]+)=(?:"([^"]*)"|'([^']*)')""")
_SUMMARY = re.compile(r"\s*<summary>.*?</summary>\n?", re.DOTALL)
_CLOSE = "</details>"


class Piece(NamedTuple):
    """One thing that an answer says."""

    kind: Literal["text", "thought", "call", "result"]
    text: str
    """The text, the arguments of a call, or the output of a result."""
    inner: str
    """Pointer of where it stands, below the message."""
    id: str = ""
    name: str = ""
    follows: bool = False
    """Whether a call stands right after another one, with nothing said between them."""


def pieces_of(message: Body) -> list[Piece]:
    """All that an answer says, in recorded order."""
    output = as_list(message.get("output"))
    found = list(_in_output(output)) if output else []
    if any(piece.kind != "thought" for piece in found):
        return found
    content = message.get("content")
    return list(_in_text(content)) if isinstance(content, str) else []


def _in_text(content: str) -> Iterator[Piece]:
    start, told = 0, False
    while (block := _next_block(content, start)) is not None:
        opening, attributes = block
        if content[start : opening.start()].strip():
            yield Piece("text", content[start : opening.start()].strip("\n"), "/content")
            told = False
        end = content.find(_CLOSE, opening.end())
        body = content[opening.end() : end if end >= 0 else len(content)]
        if attributes["type"] == "reasoning":
            yield Piece("thought", _unquoted(_SUMMARY.sub("", body, 1)), "/content")
            told = False
        else:
            yield from _call(attributes, _SUMMARY.sub("", body, 1).strip(), told)
            told = True
        start = end + len(_CLOSE) if end >= 0 else len(content)
    if content[start:].strip() or start == 0:
        yield Piece("text", content[start:].strip("\n") if start else content, "/content")


def _next_block(content: str, start: int) -> tuple[re.Match[str], dict[str, str]] | None:
    while (opening := _OPEN.search(content, start)) is not None:
        attributes = {name: html.unescape(one or other) for name, one, other in _ATTRIBUTE.findall(opening[1])}
        if attributes.get("type") in ("reasoning", "tool_calls"):
            return opening, attributes
        start = opening.end()
    return None


def _call(attributes: dict[str, str], body: str, follows: bool) -> Iterator[Piece]:
    call_id, name = attributes.get("id", ""), attributes.get("name", "")
    yield Piece("call", _said(attributes.get("arguments", "")), "/content", call_id, name, follows)
    if attributes.get("result") or (body and attributes.get("done") != "false"):
        text = attributes.get("result") or html.unescape(body)
        yield Piece("result", _said(text), "/content", call_id, name)
    elif "result" in attributes or attributes.get("done") == "true":
        yield Piece("result", "", "/content", call_id, name)


def _said(text: str) -> str:
    """The string that a JSON string stands for; other JSON, and what is none, as it is."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, str) else text


def _unquoted(body: str) -> str:
    """A thought without the `> ` that each of its lines begins with."""
    lines = [html.unescape(line) for line in body.strip("\n").split("\n")]
    return "\n".join(line.removeprefix(">").removeprefix(" ") if line.startswith(">") else line for line in lines)


def _in_output(output: list[Any]) -> Iterator[Piece]:
    names: dict[str, str] = {}
    before = ""
    for place, item in enumerate(output):
        item, inner = as_dict(item), f"/output/{place}"
        kind = as_text(item.get("type"))
        call_id = as_text(item.get("call_id"))
        if kind == "function_call":
            names[call_id] = as_text(item.get("name"))
            follows = before in ("function_call", "function_call_output")
            yield Piece("call", _arguments(item.get("arguments", "")), inner, call_id, names[call_id], follows)
        elif kind == "function_call_output":
            yield Piece("result", _text(item.get("output")), f"{inner}/output", call_id, names.get(call_id, ""))
        elif kind == "reasoning":
            yield Piece("thought", _text(item.get("content")) or _text(item.get("summary")), inner)
        elif kind == "message" and _text(item.get("content")):
            yield Piece("text", _text(item.get("content")), f"{inner}/content")
        before = kind


def _arguments(value: Any) -> str:
    return value if isinstance(value, str) else json_text(value)


def _text(value: Any) -> str:
    """The text of a string, or of a list of parts with text."""
    if isinstance(value, list):
        return "\n".join(as_text(as_dict(part).get("text")) for part in value)
    return value if isinstance(value, str) else "" if value is None else json_text(value)
