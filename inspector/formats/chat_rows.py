"""Chat messages that a tool recorded with fields of its own, as rows."""

from __future__ import annotations

from typing import Any

from inspector.formats.datasets import arguments
from inspector.formats.rows import Draft, Rows, Spot, call_entry, image_part
from inspector.formats.shapes import as_dict, as_list, as_text
from inspector.message import Body


def add_message(rows: Rows, native: int, message: Body) -> None:
    """Add an OpenAI-shaped entry with fields of a tool's own; of those only what the model is sent is kept."""
    draft, content, role = Draft(), message.get("content"), message["role"]
    if isinstance(content, list) and all(isinstance(part, str) or "type" in as_dict(part) for part in content):
        for number, part in enumerate(content):
            draft.say(Spot(native, f"/content/{number}"), _text_or_part(part))
    elif content is not None:  # a tool's result may be recorded as the value that it was
        draft.say(Spot(native, "/content"), arguments(content))
    thought = as_text(message.get("reasoning_content"))
    if thought:
        draft.think(Spot(native, "/reasoning_content"), thought)
    for number, block in enumerate(as_list(message.get("thinking_blocks"))):
        text = as_text(block.get("thinking")) if isinstance(block, dict) and not thought else ""
        draft.think(Spot(native, f"/thinking_blocks/{number}"), text, block)
    if role == "tool":
        name = as_text(message.get("name"))
        rows.result(Spot(native, "/content"), _answers(message), draft.body(role)["content"], name=name)
        return
    _take_calls(draft, native, message)
    rows.add(native, role, draft)


def _take_calls(draft: Draft, native: int, message: Body) -> None:
    """Take in the calls of a message; LangChain keeps a provider's in `additional_kwargs`."""
    key = "/tool_calls" if message.get("tool_calls") else "/additional_kwargs/tool_calls"
    calls = message.get("tool_calls") or as_dict(message.get("additional_kwargs")).get("tool_calls")
    for number, call in enumerate(as_list(calls)):
        if not isinstance(call, dict):
            continue
        function = as_dict(call.get("function")) or call
        given = next((function[name] for name in ("arguments", "args", "input") if name in function), None)
        entry = call_entry(call.get("id"), function.get("name"), arguments(given))
        draft.call(Spot(native, f"{key}/{number}"), entry)


def _text_or_part(part: Any) -> str | Body:
    if not isinstance(part, dict):
        return arguments(part)
    if part.get("type") == "text" and isinstance(part.get("text"), str):
        return str(part["text"])
    url = part.get("image_url")
    return image_part(url) if part.get("type") == "image_url" and isinstance(url, str) else part


def _answers(message: Body) -> Any:
    ids = as_list(message.get("tool_call_ids"))
    return ids[0] if ids else message.get("tool_call_id")
