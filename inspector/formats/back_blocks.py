"""Writing back messages of Anthropic blocks: requests of the Messages API, Claude Code's lines, Cline's lists."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from inspector.change import Site
from inspector.formats.format import CannotWrite
from inspector.formats.links import linked
from inspector.formats.native import Native
from inspector.formats.pieces import Pieces
from inspector.formats.rewriting import New, Shape
from inspector.message import Body

SYNTHETIC = "<synthetic>"
"""The model that Claude Code names on messages which it wrote itself."""
_ENVELOPE = (
    "parentUuid", "isSidechain", "userType", "entrypoint", "cwd", "sessionId", "session_id", "version", "gitBranch",
    "slug", "agentId", "type", "message", "uuid", "timestamp",
)  # fmt: skip
"""Keys of a line that say whose it is; the others are about what its message says."""


def result_block(body: Body) -> Body:
    """A new result as a block."""
    content = body.get("content")
    block: Body = {"type": "tool_result", "tool_use_id": body.get("tool_call_id"), "content": content}
    return {**block, "is_error": True} if body.get("is_error") else block


def new_messages(bodies: Sequence[Body]) -> Iterator[Body]:
    """New messages in Anthropic's shape: results that follow one another are blocks of one message."""
    for results, run in groupby(bodies, key=lambda body: body.get("role") == "tool"):
        if results:
            yield {"role": "user", "content": [result_block(body) for body in run]}
            continue
        for body in run:
            if body.get("role") not in ("user", "assistant") or not isinstance(body.get("content"), str):
                raise CannotWrite(f"a new message of role {body.get('role')} has no place among Anthropic messages")
            yield {"role": body["role"], "content": body["content"]}


def _encode(new: New) -> list[Any]:
    return list(new_messages(new.bodies))


def _block(new: New) -> Body:
    return result_block(new.bodies[0])


def held(entry: Any) -> Sequence[str]:
    """The blocks of a message, or of a system prompt."""
    if isinstance(entry, list):
        return [f"/{place}" for place in range(len(entry))]
    content = entry.get("content") if isinstance(entry, dict) else None
    return [f"/content/{place}" for place in range(len(content))] if isinstance(content, list) else ()


MESSAGES = Shape(change=Pieces().change, encode=_encode, holds=held, block=_block)
"""Messages as elements of a list."""


def _held_by_line(line: Any) -> Sequence[str]:
    message = line.get("message") if isinstance(line, dict) else None
    return [f"/message{pointer}" for pointer in held(message)]


def _lines(new: New) -> list[Any]:
    """New messages as lines, one for each result, in the envelope of the line beside them."""
    beside = new.beside if isinstance(new.beside, dict) else {}
    return [_line(beside, message, new) for body in new.bodies for message in new_messages([body])]


def _line(beside: Body, message: Body, new: New) -> Body:
    if message["role"] == "assistant":
        text = [{"type": "text", "text": message["content"]}]
        message = {"type": "message", "role": "assistant", "model": SYNTHETIC, "content": text}
    own: Body = {"type": message["role"], "message": message}
    if "uuid" in beside:
        own["uuid"] = new.native.fresh()
    return {key: own.get(key, beside.get(key)) for key in _ENVELOPE if key in beside or key in own}


def _uuid(line: Any) -> Iterator[str]:
    if isinstance(line, dict) and isinstance(line.get("uuid"), str):
        yield line["uuid"]


def _copies(native: Native, entry: Site) -> Sequence[Site]:
    """A line with its copies, which would be read in its place."""
    value = native.value(entry)
    name = next(_uuid(value), None)
    if name is None:
        return [entry]
    found = native.index(entry, _uuid)[name]
    return [site for site in found if site == entry or _says_the_same(native.value(site), value)]


def _says_the_same(one: Body, other: Body) -> bool:
    try:
        return bool(one.get("message") == other.get("message"))
    except RecursionError:  # nested beyond what Python compares
        return False


LINES = Shape(
    change=Pieces().change,
    encode=_lines,
    inner="/message",
    holds=_held_by_line,
    whole=_copies,
    link=linked("uuid", "parentUuid", "logicalParentUuid"),
)
"""Messages in the lines of a tree."""


# Cline's lists.


def _cline(new: New) -> list[Any]:
    """New messages as Cline's own have it: with an id and a time where their neighbour has them."""
    beside = new.beside if isinstance(new.beside, dict) else {}
    made = []
    for message in new_messages(new.bodies):
        said = message["content"]
        own = {**message, "content": [{"type": "text", "text": said}] if isinstance(said, str) else said}
        head = {"id": new.native.fresh()} if "id" in beside else {}
        made.append({**head, **own, **({"ts": beside["ts"]} if "ts" in beside else {})})
    return made


CLINE = Shape(change=Pieces().change, encode=_cline, holds=held, block=_block)
"""Messages of Cline and Roo Code."""
