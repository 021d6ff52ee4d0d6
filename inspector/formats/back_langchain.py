"""Writing back LangChain messages, in whichever of their three forms the file has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inspector.formats.format import CannotWrite
from inspector.formats.pieces import Pieces
from inspector.formats.rewriting import New, Shape
from inspector.formats.shapes import as_dict
from inspector.message import Body

_KINDS: Mapping[str, tuple[str, str]] = {
    "user": ("human", "HumanMessage"), "assistant": ("ai", "AIMessage"), "tool": ("tool", "ToolMessage"),
    "system": ("system", "SystemMessage"),
}  # fmt: skip


def _fields_at(entry: Any) -> str:
    """Where a message keeps its fields."""
    value = as_dict(entry)
    return next((f"/{key}" for key in ("kwargs", "data") if isinstance(value.get(key), dict)), "")


def _held(entry: Any) -> Sequence[str]:
    inner = _fields_at(entry)
    fields = as_dict(entry)[inner[1:]] if inner else as_dict(entry)
    lists = [key for key in ("content", "tool_calls", "invalid_tool_calls") if isinstance(fields.get(key), list)]
    texts = [f"{inner}/content"] if isinstance(fields.get("content"), str) and fields["content"] else []
    return texts + [f"{inner}/{key}/{place}" for key in lists for place in range(len(fields[key]))]


def _encode(new: New) -> list[Any]:
    return [_message(body, as_dict(new.beside), new) for body in new.bodies]


def _message(body: Body, beside: Body, new: New) -> Body:
    role, said = str(body.get("role")), body.get("content")
    if role not in _KINDS or not isinstance(said, str):
        raise CannotWrite(f"a new message of role {role} has no place among LangChain messages")
    kind, name = _KINDS[role]
    fields: Body = {"content": said, "type": kind}
    if role == "tool":
        named = {"name": body["name"]} if body.get("name") else {}
        fields |= {**named, "tool_call_id": body.get("tool_call_id"), "status": "success"}
    if beside.get("lc") == 1:
        above = beside.get("id")
        path = above[:-1] if isinstance(above, list) else ["langchain", "schema", "messages"]
        return {"lc": 1, "type": "constructor", "id": [*path, name], "kwargs": fields}
    if isinstance(beside.get("data"), dict):
        return {"type": kind, "data": fields}
    return fields


SHAPE = Shape(change=Pieces().change, encode=_encode, holds=_held)
