"""Messages of the OpenTelemetry GenAI conventions: `{"role", "parts": [{"type", ...}]}`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inspector.formats.datasets import arguments
from inspector.formats.rows import Draft, Rows, Spot, call_entry, data_image, image_part
from inspector.formats.shapes import as_list, as_text
from inspector.message import Body

_ROLES = {"model": "assistant", "ai": "assistant", "human": "user"}


def add_parts(rows: Rows, native: int, message: Body) -> None:
    """Add a message; each tool's response in it is a row of its own."""
    draft, named = Draft(), as_text(message["role"])
    before = len(rows)
    for at, part in enumerate(as_list(message.get("parts"))):
        spot = Spot(native, f"/parts/{at}")
        if isinstance(part, dict) and part.get("type") == "tool_call_response":
            key = next((key for key in ("response", "result", "content") if key in part), "response")
            inner = Spot(native, f"{spot.inner}/{key}")
            rows.result(inner, part.get("id"), arguments(part.get(key)), name=as_text(part.get("name")))
        else:
            _take(draft, spot, part)
    if draft or len(rows) == before:
        rows.add(native, _ROLES.get(named, named), draft)


def _take(draft: Draft, spot: Spot, part: Any) -> None:
    kind = part.get("type") if isinstance(part, dict) else None
    if kind == "text":
        draft.say(spot, arguments(part.get("content", part.get("text"))))
    elif kind == "reasoning":
        draft.think(spot, as_text(part.get("content")))
    elif kind == "tool_call":
        draft.call(spot, call_entry(part.get("id"), part.get("name"), arguments(part.get("arguments"))))
    elif kind in ("blob", "uri") and part.get("modality") == "image":
        uri, data = as_text(part.get("uri")), as_text(part.get("content"))
        draft.say(spot, image_part(uri) if uri else data_image(part.get("mime_type"), data))
    else:
        draft.say(spot, part if isinstance(part, dict) else arguments(part))


def take_named_calls(draft: Draft, native: int, calls: Sequence[Any]) -> None:
    """Take in calls as any-agent writes them: `{"tool.name", "tool.args"}`, in the JSON text of an attribute."""
    for at, call in enumerate(calls):
        if isinstance(call, dict):
            entry = call_entry(None, call.get("tool.name"), arguments(call.get("tool.args")))
            draft.call(Spot(native, f"#/{at}"), entry)
