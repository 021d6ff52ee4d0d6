"""A session as its own format holds it: turns and their parts, each with the place where it stands.

Rules speak of blocks that the loaded messages no longer show (empty texts, the order of results, missing ids), and a
finding must point into the file. The adapters beside this module make this view from a reader's rows, so that branches,
streamed lines and copies are told apart once only, by the reader.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from typing import Any, NamedTuple

from inspector.doctor.shapes import Shape
from inspector.doctor.targets import Provider
from inspector.message import Body, Compaction


class Kind(IntEnum):
    """What a part is."""

    TEXT = 0
    CALL = 1
    RESULT = 2
    THINKING = 3
    IMAGE = 4
    SERVER_CALL = 5
    """A call that the provider answers itself."""
    SERVER_RESULT = 6
    OTHER = 7


class Part(NamedTuple):
    """A piece of a turn: a block, a part, an element of `tool_calls`, or a whole message where it is one result."""

    kind: Kind
    pointer: str
    """As a finding gives it: in JSON Lines the first token is the 0-based line."""
    value: Any
    """What stands there."""
    turn: int
    """Which turn it is of."""
    id: str | None = None
    """Of calls and results: the id that pairs them."""
    name: str = ""
    """Of calls and results: the tool."""
    row: int = -1
    """Row of the loaded session."""


class Role(IntEnum):
    """Who speaks in a turn."""

    SYSTEM = 0
    USER = 1
    ASSISTANT = 2
    RESULT = 3
    """A message that is one tool result."""
    OTHER = 4


class Turn(NamedTuple):
    """A native entry: a message, an item, a line."""

    role: Role
    entry: int
    """Native index: in the message array, or the physical line."""
    pointer: str
    line: int | None
    """1-based, in JSON Lines."""
    value: Any
    """The message, as recorded."""
    parts: Sequence[Part]
    row: int
    note: bool = False
    """A line that the recording tool itself added and moves out of the way, such as a reminder."""


class Copy(NamedTuple):
    """An item with the id of another."""

    turn: Turn
    first: Turn
    identical: bool


@dataclass(frozen=True, eq=False)
class Native:
    """One conversation in its own shape."""

    shape: Shape
    turns: Sequence[Turn]
    messages: int
    """Native messages that were loaded (TAXONOMY.md, `loaded_messages`)."""
    model: str | None = None
    holder: Mapping[str, Any] = field(default_factory=dict)
    """The request that holds the messages: tools, system prompt, whether thinking is on."""
    holder_pointer: str = ""
    compactions: Sequence[Compaction] = ()
    copies: Sequence[Copy] = ()
    """Items that have the id of an earlier one. Those that equal it are no turns."""

    @property
    def provider(self) -> Provider:
        """Whose format the file is in."""
        return self.shape.provider

    @cached_property
    def by_kind(self) -> Mapping[Kind, list[Part]]:
        """The parts of each kind, in order."""
        found: dict[Kind, list[Part]] = {kind: [] for kind in Kind}
        for turn in self.turns:
            for part in turn.parts:
                found[part.kind].append(part)
        return found

    @property
    def calls(self) -> list[Part]:
        """Every call that the client answers."""
        return self.by_kind[Kind.CALL]

    @property
    def results(self) -> list[Part]:
        """Every result of such a call."""
        return self.by_kind[Kind.RESULT]

    @cached_property
    def given(self) -> list[tuple[Part, Inner]]:
        """The calls that have arguments which are JSON, with them."""
        found = ((call, input_of(call)) for call in self.calls)
        return [(call, given) for call, given in found if given is not None]

    @cached_property
    def said(self) -> list[tuple[Part, Inner]]:
        """The results that say something, with what they say."""
        found = ((result, content_of(result)) for result in self.results)
        return [(result, said) for result, said in found if said is not None]

    @cached_property
    def places(self) -> Mapping[str, Part]:
        """Parts by their pointer: what a repair looks its finding up in."""
        return {part.pointer: part for turn in self.turns for part in turn.parts}

    def part_at(self, pointer: str) -> Part | None:
        """The part that stands at a pointer, or that the pointer leads into."""
        while pointer and pointer not in self.places:
            pointer = pointer.rpartition("/")[0]
        return self.places.get(pointer)

    def turn_of(self, part: Part) -> Turn:
        """The turn that a part is of."""
        return self.turns[part.turn]


class Inner(NamedTuple):
    """A value inside a part: where, and what."""

    pointer: str
    value: Any


_INPUTS = (
    ("function", "arguments"), ("toolUse", "input"), ("functionCall", "args"), ("function_call", "args"),
    ("state", "input"),
)  # fmt: skip
_FLAT_INPUTS = ("input", "args", "arguments")
_IDS = (
    ("toolUse", "toolUseId"), ("toolResult", "toolUseId"), ("functionCall", "id"), ("functionResponse", "id"),
    ("function_call", "id"), ("function_response", "id"),
)  # fmt: skip
_FLAT_IDS = ("call_id", "callID", "tool_call_id", "toolCallId", "tool_use_id", "id")
_NAMES = (("function", "name"), ("custom", "name"), ("toolUse", "name"), ("functionCall", "name"),
          ("functionResponse", "name"), ("function_call", "name"), ("function_response", "name"))  # fmt: skip
_FLAT_NAMES = ("name", "tool_name", "toolName", "tool")
_CONTENTS = (("toolResult", "content"), ("functionResponse", "response"), ("function_response", "response"))
_STATE_CONTENTS = ("output", "error")
_FLAT_CONTENTS = ("content", "output", "result")
FREE_TEXT_CALLS = ("custom_tool_call", "local_shell_call")
"""Calls whose input is no JSON (TAXONOMY.md, case 083)."""


def input_of(call: Part) -> Inner | None:
    """A call's arguments, wherever its shape keeps them; None where it has none that is JSON."""
    value = call.value
    if not isinstance(value, dict) or value.get("type") in FREE_TEXT_CALLS or "custom" in value:
        return None
    function = value.get("function")
    if type(function) is dict and "arguments" in function:
        return Inner(f"{call.pointer}/function/arguments", function["arguments"])
    return _found(call, _INPUTS, _FLAT_INPUTS)


def id_of(part: Part) -> Inner | None:
    """Where the id of a call or a result stands."""
    return _found(part, _IDS, _FLAT_IDS, holder="kwargs")


def name_of(call: Part) -> Inner | None:
    """Where the name of the tool stands."""
    return _found(call, _NAMES, _FLAT_NAMES)


def content_of(result: Part) -> Inner | None:
    """What a result says, wherever its shape keeps it."""
    if not isinstance(result.value, dict):
        return Inner(result.pointer, result.value)
    said = result.value.get("content")
    if type(said) is str:
        return Inner(f"{result.pointer}/content", said)
    state = result.value.get("state")
    if isinstance(state, dict):
        key = next((key for key in _STATE_CONTENTS if key in state), None)
        return Inner(f"{result.pointer}/state/{key}", state[key]) if key else None
    return _found(result, _CONTENTS, _FLAT_CONTENTS, holder="kwargs")


def _found(part: Part, nested: Iterable[tuple[str, str]], flat: Iterable[str], holder: str = "") -> Inner | None:
    value, pointer = part.value, part.pointer
    if not isinstance(value, dict):
        return None
    for outer, key in nested:
        inside = value.get(outer)
        if isinstance(inside, dict) and key in inside:
            return Inner(f"{pointer}/{outer}/{key}", inside[key])
    for deeper in (holder, "message"):
        inside = value.get(deeper) if deeper else None
        if isinstance(inside, dict):
            value, pointer = inside, f"{pointer}/{deeper}"
            break
    found = next((name for name in flat if name in value), None)
    return None if found is None else Inner(f"{pointer}/{found}", value[found])


def text_of(part: Part) -> str:
    """The text of a text part."""
    value = part.value
    if isinstance(value, str):
        return value
    text = value.get("text") if isinstance(value, dict) else None
    return text if isinstance(text, str) else ""


def named_text(part: Part) -> Inner:
    """Where the text of a text part stands, and the text."""
    return Inner(part.pointer if isinstance(part.value, str) else f"{part.pointer}/text", text_of(part))


def texts_in(content: Any) -> list[str]:
    """The texts of a content value: the string, or those of its list."""
    if isinstance(content, str):
        return [content]
    items = content if isinstance(content, list) else ()
    return [item["text"] for item in items if isinstance(item, dict) and isinstance(item.get("text"), str)]


def is_failed(result: Part) -> bool:
    """Whether a result says of itself that it is an error's."""
    value = result.value
    if not isinstance(value, dict):
        return False
    inner = next((value[key] for key in ("toolResult", "kwargs", "message") if isinstance(value.get(key), dict)), value)
    return bool(inner.get("is_error") or inner.get("isError") or inner.get("status") == "error")


def body_of(value: Any) -> Body:
    """The value where it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}
