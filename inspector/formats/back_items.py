"""Writing back OpenAI Responses items: bodies and logs of the API, and Codex rollouts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from inspector.change import Site
from inspector.formats.format import CannotWrite
from inspector.formats.pieces import Pieces
from inspector.formats.rewriting import New, Row, Shape
from inspector.formats.shapes import as_dict
from inspector.message import Body

_INSIDE = re.compile(r"/content(?:/\d+)?$")

_INSTRUCTIONS = re.compile(r"/(?:base_instructions/text|instructions)$")


def _said(text: str, row: Row) -> Body:
    kind = "output_text" if row.body.get("role") == "assistant" else "input_text"
    return {"type": kind, "text": text}


def _item(body: Body, new: New) -> Body:
    role, content = body.get("role"), body.get("content")
    if not isinstance(content, str):
        raise CannotWrite("a new message that is no text has no place among Responses items")
    if role == "tool":
        answered = body.get("tool_call_id")
        return {"type": f"{_kind(answered, new)}_output", "call_id": answered, "output": content}
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": content}]}


def _kind(call_id: Any, new: New) -> str:
    """The type of the call that a result answers."""
    for row in reversed(new.rows[: new.after + 1]):
        for site in row.calls:
            call = as_dict(new.native.value(site))
            if call_id in (call.get("call_id"), call.get("id")):
                return str(call.get("type", "function_call"))
    return "function_call"


def _held(item: Any) -> Sequence[str]:
    content = as_dict(item).get("content")
    return [f"/content/{place}" for place in range(len(content))] if isinstance(content, list) else ()


def _entry(row: Row, site: Site) -> Site:
    return site._replace(pointer=_INSIDE.sub("", site.pointer))


def _items(new: New) -> list[Any]:
    return [_item(body, new) for body in new.bodies]


ITEMS = Shape(change=Pieces(said=_said).change, encode=_items, entry=_entry, holds=_held)
"""Items as elements of a list, or as lines."""


def _line_entry(row: Row, site: Site) -> Site:
    """The line of an item; the base instructions are a member of the line that holds them."""
    if row.pieces and _INSTRUCTIONS.search(row.pieces[0].pointer):
        return row.pieces[0]
    return site._replace(pointer=_INSIDE.sub("", site.pointer) if site.line is None else "")


def _held_by_line(line: Any) -> Sequence[str]:
    value = as_dict(line)
    if isinstance(value.get("payload"), dict):
        return [f"/payload{pointer}" for pointer in _held(value["payload"])]
    return _held(value)


def _lines(new: New) -> list[Any]:
    beside = as_dict(new.beside)
    items = _items(new)
    if "payload" not in beside:
        return items
    return [{**_time(beside), "type": "response_item", "payload": item} for item in items]


def _time(beside: Body) -> Body:
    return {"timestamp": beside["timestamp"]} if "timestamp" in beside else {}


LINES = Shape(change=Pieces(said=_said).change, encode=_lines, entry=_line_entry, holds=_held_by_line)
"""Items in the lines of a rollout."""
