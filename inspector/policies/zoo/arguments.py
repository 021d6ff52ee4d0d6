"""The arguments of calls: read, cut, cleared, and put back into a message without touching anything else."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from itertools import count
from typing import Any

from inspector.message import Body, compact_json

EMPTY = "{}"
_DECODER = json.JSONDecoder(strict=False)


def read(arguments: str) -> Any:
    """The value that arguments hold; the string itself where they are no JSON."""
    try:
        return _DECODER.decode(arguments)
    except (ValueError, RecursionError):
        return arguments


def write(value: Any) -> str:
    """Arguments as the products write them."""
    return json.dumps(value, ensure_ascii=False)


def replaced(body: Body, changed: Callable[[int, str, str], str]) -> Body:
    """The message with other arguments: `changed(place, name, arguments)` gives them for each call, in order.

    Calls whose arguments stay the same are the recorded objects; what is no function call is left alone.
    """
    calls = body.get("tool_calls")
    if not isinstance(calls, list):
        return _replaced_legacy(body, changed)
    places = count()
    new = [_entry(call, next(places), changed) if isinstance(call, dict) else call for call in calls]
    return {**body, "tool_calls": new}


def emptied(body: Body, places: Collection[int]) -> Body:
    """The message with no arguments for the calls at some places."""
    return replaced(body, lambda at, _, given: EMPTY if at in places else given)


def _replaced_legacy(body: Body, changed: Callable[[int, str, str], str]) -> Body:
    """The same for the one call that messages had before there were several."""
    function = body.get("function_call")
    if not isinstance(function, dict):
        return body
    return {**body, "function_call": _entry({"function": function}, 0, changed)["function"]}


def _entry(call: Mapping[str, Any], place: int, changed: Callable[[int, str, str], str]) -> Mapping[str, Any]:
    key = "function" if isinstance(call.get("function"), dict) else "custom"
    function = call.get(key)
    if not isinstance(function, dict):
        return call
    field = "arguments" if "arguments" in function else "input"
    recorded, name = function.get(field, ""), function.get("name")
    given = recorded if isinstance(recorded, str) else compact_json(recorded)
    new = changed(place, name if isinstance(name, str) else "", given)
    if new == given:
        return call
    value = new if isinstance(recorded, str) else read(new)
    return {**call, key: {**function, field: value}}


def without_calls(body: Body, gone: frozenset[int]) -> Body:
    """The message without the calls at these places; without the key where no call is left."""
    calls = body.get("tool_calls")
    if not isinstance(calls, list):
        return {key: value for key, value in body.items() if key != "function_call" or 0 not in gone}
    places = count()
    left = [call for call in calls if not isinstance(call, dict) or next(places) not in gone]
    kept = {key: value for key, value in body.items() if key != "tool_calls"}
    return {key: left if key == "tool_calls" else value for key, value in body.items()} if left else kept
