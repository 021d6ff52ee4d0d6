"""The results that stand in for the ones that were never recorded: of the matching type, marked as an error.

Nothing is made up but the one sentence that no result was recorded. A new line copies the envelope of its call, its
time included.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from inspector.doctor.native import Part, body_of
from inspector.doctor.targets import Provider

NO_RESULT = "[no result was recorded for this call]"
_ENVELOPE = ("parentUuid", "isSidechain", "userType", "entrypoint", "cwd", "sessionId", "session_id", "version",
             "gitBranch", "slug", "agentId")  # fmt: skip
"""Keys of a Claude Code line that say whose it is."""
_OUTPUTS = {"custom_tool_call": "custom_tool_call_output", "local_shell_call": "function_call_output"}
_UNMADE = ("computer_call",)
"""Calls whose output holds more than words."""


def chat_stub(call: Part, provider: Provider) -> dict[str, Any]:
    """A message of OpenAI's or Ollama's."""
    if call.id:
        return {"role": "tool", "tool_call_id": call.id, "content": NO_RESULT}
    if "function_call" in call.pointer:
        return {"role": "function", "name": call.name, "content": NO_RESULT}
    named = {"tool_name": call.name} if provider == Provider.OLLAMA and call.name else {}
    return {"role": "tool", "content": NO_RESULT, **named}


def block_stub(call: Part, provider: Provider) -> dict[str, Any]:
    """A content block of Anthropic's or Bedrock's."""
    if provider == Provider.BEDROCK:
        return {"toolResult": {"toolUseId": call.id, "content": [{"text": NO_RESULT}], "status": "error"}}
    return {"type": "tool_result", "tool_use_id": call.id, "content": NO_RESULT, "is_error": True}


def part_stub(call: Part) -> dict[str, Any]:
    """A part of Gemini's."""
    own = {"id": call.id} if call.id else {}
    return {"functionResponse": {**own, "name": call.name, "response": {"error": NO_RESULT}}}


def item_stub(call: Part) -> dict[str, Any] | None:
    """A Responses item; None for a call whose output is no text."""
    kind = body_of(call.value).get("type")
    if not isinstance(kind, str) or kind in _UNMADE:
        return None
    if kind == "tool_search_call":
        return {"type": "tool_search_output", "call_id": call.id, "tools": []}
    return {"type": _OUTPUTS.get(kind, f"{kind}_output"), "call_id": call.id, "output": NO_RESULT}


def claude_line(beside: Mapping[str, Any], call: Part, uuid: str) -> dict[str, Any]:
    """A line of Claude Code's."""
    message = {"role": "user", "content": [block_stub(call, Provider.ANTHROPIC)]}
    made = {key: beside[key] for key in _ENVELOPE if key in beside}
    made |= {"type": "user", "message": message}
    if "uuid" in beside:
        made["uuid"] = uuid
    if "timestamp" in beside:
        made["timestamp"] = beside["timestamp"]
    return made


def codex_line(beside: Mapping[str, Any], item: dict[str, Any]) -> dict[str, Any]:
    """A line of a Codex rollout; in the oldest ones an item is a line."""
    return {**beside, "payload": item} if "payload" in beside else item


def pi_line(beside: Mapping[str, Any], call: Part, new_id: str) -> dict[str, Any]:
    """A line of pi's."""
    message = {
        "role": "toolResult", "toolCallId": call.id, "toolName": call.name,
        "content": [{"type": "text", "text": NO_RESULT}], "isError": True,
    }  # fmt: skip
    told = body_of(beside.get("message")).get("timestamp")
    made = {key: beside[key] for key in ("type", "id", "parentId", "timestamp") if key in beside}
    if "id" in made:
        made["id"] = new_id
    return {**made, "message": message | ({"timestamp": told} if told is not None else {})}


def langchain_message(beside: Mapping[str, Any], call: Part, new_id: str) -> dict[str, Any]:
    """A ToolMessage, in the form of the message beside it."""
    fields: dict[str, Any] = {
        "content": NO_RESULT, "tool_call_id": call.id, "status": "error", "name": call.name, "additional_kwargs": {},
        "response_metadata": {}, "id": new_id, "type": "tool",
    }  # fmt: skip
    if beside.get("lc") == 1:
        names = beside.get("id")
        path = [*names[:-1], "ToolMessage"] if isinstance(names, list) and names else ["ToolMessage"]
        return {"lc": 1, "type": "constructor", "id": path, "kwargs": fields}
    return {"type": "tool", "data": fields} if isinstance(beside.get("data"), dict) else fields


def opencode_state(state: Mapping[str, Any], time: Any) -> dict[str, Any]:
    """The state of a tool part that came to nothing."""
    held = body_of(state.get("time"))
    start = held.get("start", time)
    spent = {"time": {"start": start, "end": held.get("end", start)}} if start is not None else {}
    return {"status": "error", "input": deepcopy(state.get("input", {})), "error": NO_RESULT, **spent}


def gemini_call(call: Mapping[str, Any]) -> dict[str, Any]:
    """A record of Gemini CLI's that holds call and result."""
    own = {key: call[key] for key in ("id", "name") if key in call}
    answer = {"functionResponse": {**own, "response": {"error": NO_RESULT}}}
    return {**deepcopy(dict(call)), "result": [answer], "status": "error"}
