"""OpenAI Responses items as OpenAI-shaped messages: one reading for request bodies and for Codex rollouts.

- What the model gives between two inputs (reasoning, text, calls, hosted tools) is one assistant message: the API
  answers one request with a run of items, and parallel calls are several items.
- A call's id is its `call_id`, never its `id`. A custom tool's call is of type "custom" with its free text as `input`;
  shell, patch, computer and tool search calls keep their recorded type, with their action as compact JSON.
- Every `*_output` item is a result of its own, with its `type` where that is no function's. Hosted tools (web search,
  MCP and so on) are call and result in one item; they are whole parts of the assistant's content, as are references
  and items of a type unknown to us.
- The text of reasoning is `thinking`; encrypted items stand whole in `thinking_blocks`, `compaction` items too.
- `agent_message` is what another agent wrote to this one: a user message. Snapshots of the work tree are never sent.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspector.formats.blocks import json_text
from inspector.formats.rows import Draft, Rows, Spot, call_entry, image_part, joined
from inspector.formats.shapes import as_list, as_text
from inspector.message import Body

_ACTIONS: Mapping[str, str] = {
    "local_shell_call": "action",
    "shell_call": "action",
    "apply_patch_call": "operation",
    "computer_call": "action",
    "tool_search_call": "arguments",
}
"""Calls that the client answers, and the key of what they ask for."""
_HOSTED = frozenset((
    "web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call", "mcp_call",
    "mcp_list_tools", "mcp_approval_request", "item_reference",
))  # fmt: skip
COMPACTIONS = ("compaction", "compaction_summary")
_UNSENT = ("ghost_snapshot",)
_TEXTS = ("input_text", "output_text", "text", "summary_text", "reasoning_text")
_FROM_USER = ("mcp_approval_response", "compaction_trigger")
STRONG = frozenset((
    *_ACTIONS, *_HOSTED, *COMPACTIONS, "function_call", "function_call_output", "custom_tool_call",
    "custom_tool_call_output", "local_shell_call_output", "shell_call_output", "apply_patch_call_output",
    "computer_call_output", "tool_search_output", "reasoning",
))  # fmt: skip
"""Types that no other format gives to an element of its message list."""


def is_item(value: Any) -> bool:
    """Whether a value is an item: of a known type, or a message."""
    return isinstance(value, dict) and (is_strong(value) or isinstance(value.get("role"), str))


def is_strong(value: Any) -> bool:
    """Whether a value can only be a Responses item, by its type or by the types of its content."""
    if not isinstance(value, dict):
        return False
    kind = value.get("type")
    if isinstance(kind, str) and kind in STRONG:
        sealed = kind == "reasoning" or kind in COMPACTIONS
        return "role" not in value and (not sealed or "encrypted_content" in value or "summary" in value)
    parts = value.get("content") if isinstance(value.get("role"), str) else None
    return any(
        isinstance(part, dict) and part.get("type") in ("input_text", "output_text", "input_image", "input_file")
        for part in as_list(parts)[:3]
    )


class Items:
    """Items told in order, as rows."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.answer: int | None = None
        """The row of the latest assistant message, finished or not."""
        self.compactions: list[int] = []
        """Rows that begin with a compaction item."""
        self._draft = Draft()
        self._native = 0

    def close(self) -> None:
        """Finish the assistant message that is open."""
        if self._draft:
            self.rows.add(self._native, "assistant", self._draft)
            self._draft = Draft()

    def take(self, native: int, item: Body) -> None:
        """Tell one item."""
        kind, role = item.get("type"), item.get("role")
        if kind in _UNSENT:
            return
        if isinstance(role, str) and kind in (None, "message"):
            self._message(native, role, item.get("content"))
        elif kind == "agent_message":
            self._message(native, "user", item.get("content"))
        elif kind in _FROM_USER:
            self.close()
            self.rows.put(native, {"role": "user", "content": [item]}, Spot(native, ""))
        elif isinstance(kind, str) and _is_output(kind, item):
            self.close()
            kept = "" if kind == "function_call_output" else kind
            self.rows.result(Spot(native, ""), item.get("call_id"), _output(item), kind=kept)
        else:
            self._answer(native, as_text(kind), item)

    def _message(self, native: int, role: str, content: Any) -> None:
        draft = self._opened(native) if role == "assistant" else Draft()
        _take_content(draft, native, content)
        if role != "assistant":
            self.close()
            self.rows.add(native, role, draft)

    def _answer(self, native: int, kind: str, item: Body) -> None:
        if kind in COMPACTIONS:
            self.close()
            self.compactions.append(len(self.rows))
        draft, spot = self._opened(native), Spot(native, "")
        call = _call(kind, item)
        if call is not None:
            draft.call(spot, call)
        elif kind == "reasoning":
            text = _thought(item)
            draft.think(spot, text, item if item.get("encrypted_content") or not text else None)
        elif kind in COMPACTIONS:
            draft.think(spot, "", item)
        else:
            draft.say(spot, item)

    def _opened(self, native: int) -> Draft:
        if not self._draft:
            self._native, self.answer = native, len(self.rows)
        return self._draft


def _take_content(draft: Draft, native: int, content: Any) -> None:
    if not isinstance(content, list):
        draft.say(Spot(native, "/content"), content if isinstance(content, str) else _bare(content))
        return
    for place, part in enumerate(content):
        draft.say(Spot(native, f"/content/{place}"), part_of(part))
    if not content:
        draft.say(Spot(native, "/content"), "")


def _bare(value: Any) -> str:
    return "" if value is None else json_text(value)


def part_of(part: Any) -> str | Body:
    """A content part as text, as an image, or whole where it is neither."""
    if not isinstance(part, dict):
        return part if isinstance(part, str) else _bare(part)
    kind = part.get("type")
    if kind in _TEXTS and isinstance(part.get("text"), str):
        return str(part["text"])
    if kind in ("input_image", "computer_screenshot") and isinstance(part.get("image_url"), str):
        return image_part(part["image_url"], part.get("detail"))
    return part


def _call(kind: str, item: Body) -> Body | None:
    """A call that the client answers; None for anything else."""
    call_id = item.get("call_id") or (item.get("id") if kind == "local_shell_call" else None)
    if kind == "function_call":
        given = item.get("arguments")
        entry = call_entry(call_id, item.get("name"), given if isinstance(given, str) else _bare(given))
        return {**entry, "namespace": item["namespace"]} if item.get("namespace") else entry
    if kind == "custom_tool_call":
        custom = {"name": as_text(item.get("name")), "input": as_text(item.get("input"))}
        return {**({"id": call_id} if isinstance(call_id, str) else {}), "type": "custom", "custom": custom}
    if kind in _ACTIONS and item.get("execution") != "server":
        asked = item.get(_ACTIONS[kind])
        return call_entry(call_id, kind.removesuffix("_call"), _bare(asked), kind)
    return None


def _is_output(kind: str, item: Body) -> bool:
    return kind.endswith("_output") and item.get("execution") != "server"


def _output(item: Body) -> str | list[Body]:
    """What a result says. A lone part, as some writers record it, is read as a list of one."""
    output = item.get("output", item.get("tools"))
    if isinstance(output, str):
        return output
    parts = output if isinstance(output, list) else [output]
    typed = all(isinstance(part, dict) and isinstance(part.get("type"), str) for part in parts)
    if typed and item.get("type") != "tool_search_output":
        return joined([part_of(part) for part in parts])
    return _bare(output)


def _thought(item: Body) -> str:
    texts = [as_text(part.get("text")) for part in (*as_list(item.get("summary")), *as_list(item.get("content")))
             if isinstance(part, dict)]  # fmt: skip
    return "\n".join(text for text in texts if text)
