"""What the fine-tuning sets share: tool definitions and calls kept as JSON strings, preferred and rejected answers."""

from __future__ import annotations

from typing import Any

import orjson

from inspector.formats.blocks import json_text
from inspector.formats.rows import Draft, Spot, call_entry
from inspector.formats.shapes import as_list, dicts
from inspector.message import Body


def parsed(value: Any) -> Any:
    """The JSON value that a string holds; the value itself where it is no string, None where it is no JSON."""
    if not isinstance(value, str):
        return value
    try:
        return orjson.loads(value)
    except orjson.JSONDecodeError:
        return None


def tools_of(value: Any) -> tuple[Body, ...]:
    """Tool definitions, as a list or as a JSON string of one."""
    return dicts(parsed(value))


def take_calls(draft: Draft, spot: Spot, value: Any) -> None:
    """Take in one call or a list of them, `{"name", "arguments"}`, mostly as a JSON string; what is none is kept whole
    as the arguments of a call without a name."""
    found = parsed(value)
    calls = [call for call in (as_list(found) or [found]) if isinstance(call, dict) and "name" in call]
    for call in calls:
        draft.call(spot, call_entry(call.get("id"), call["name"], arguments(call.get("arguments"))))
    if not calls:
        draft.call(spot, call_entry(None, "", arguments(value)))


def arguments(value: Any) -> str:
    """A call's arguments as text: the recorded string, or compact JSON of the recorded value."""
    return value if isinstance(value, str) else "" if value is None else json_text(value)
