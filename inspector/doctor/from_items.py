"""Responses items as turns: every item of a request or of a rollout is one, in the order of the file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from inspector.doctor.from_messages import as_name, content_parts, text_or_none
from inspector.doctor.lookup import MISSING, Lookup, index_at, place_order
from inspector.doctor.native import Copy, Kind, Part, Role, Turn
from inspector.formats import Conversation

_CALLS = frozenset((
    "function_call", "custom_tool_call", "local_shell_call", "shell_call", "apply_patch_call", "computer_call",
    "tool_search_call",
))  # fmt: skip
_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT, "system": Role.SYSTEM, "developer": Role.SYSTEM}


def turns_of(conversation: Conversation, lookup: Lookup) -> tuple[list[Turn], list[Copy]]:
    """One turn an item, the instructions too; and the items that have the id of an earlier one."""
    turns: list[Turn] = []
    copies: list[Copy] = []
    known: dict[str, Turn] = {}
    for row in range(len(conversation.messages)):
        origin = conversation.origin(row)
        for pointer in _items(origin.parts or (origin.pointer,)):
            value = lookup.at(pointer)
            if value is not MISSING:
                index = index_at(pointer, origin.line, _index(pointer, origin.index))
                line = None if origin.line is None else index + 1
                turn = _turn(len(turns), value, index, pointer, line, row)
                first = _first_with_id(turn, known)
                if first is not None:
                    copies.append(Copy(turn, first, turn.value == first.value))
                if first is None or not copies[-1].identical:
                    turns.append(turn)
    return turns, copies


def _first_with_id(turn: Turn, known: dict[str, Turn]) -> Turn | None:
    """The earlier item with the id of this one; references are to the items of others."""
    item = turn.value if isinstance(turn.value, dict) else {}
    item_id = text_or_none(item.get("id"))
    if item_id is None or item.get("type") == "item_reference":
        return None
    first = known.setdefault(item_id, turn)
    return None if first is turn else first


def _items(spots: tuple[str, ...]) -> list[str]:
    """The items that the places of a row's pieces are in or are, in the order of the file."""
    items = dict.fromkeys(spot.partition("/content")[0] for spot in spots)
    return sorted(items, key=place_order) if len(items) > 1 else list(items)


def _index(pointer: str, otherwise: int) -> int:
    last = pointer.rpartition("/")[2]
    return int(last) if last.isdecimal() else otherwise


def _turn(number: int, value: Any, index: int, pointer: str, line: int | None, row: int) -> Turn:
    item = value if isinstance(value, dict) else {}
    return Turn(_role(value, item), index, pointer, line, value, tuple(_parts(number, value, item, pointer, row)), row)


def _role(value: Any, item: dict[str, Any]) -> Role:
    if isinstance(value, str):
        return Role.SYSTEM
    role, kind = item.get("role"), str(item.get("type") or "message")
    if kind == "message":
        return _ROLES.get(role, Role.OTHER) if isinstance(role, str) else Role.OTHER
    if kind.endswith("_output") and item.get("execution") != "server":
        return Role.RESULT
    return Role.USER if kind in ("agent_message", "mcp_approval_response") else Role.ASSISTANT


def _parts(turn: int, value: Any, item: dict[str, Any], pointer: str, row: int) -> Iterator[Part]:
    kind = str(item.get("type") or "message")
    if isinstance(value, str):
        yield Part(Kind.TEXT, pointer, value, turn, None, "", row)
    elif kind in ("message", "agent_message"):
        content = item.get("content")
        if isinstance(content, str):
            yield Part(Kind.TEXT, f"{pointer}/content", content, turn, None, "", row)
        elif isinstance(content, list):
            yield from content_parts(content, f"{pointer}/content", turn, row)
    elif kind in _CALLS and item.get("execution") != "server":
        call_id = item.get("call_id") or (item.get("id") if kind == "local_shell_call" else None)
        yield Part(Kind.CALL, pointer, item, turn, text_or_none(call_id), as_name(item.get("name")), row)
    elif kind.endswith("_output") and item.get("execution") != "server":
        yield Part(Kind.RESULT, pointer, item, turn, text_or_none(item.get("call_id")), "", row)
    else:
        yield Part(Kind.THINKING if kind == "reasoning" else Kind.OTHER, pointer, item, turn, None, "", row)
