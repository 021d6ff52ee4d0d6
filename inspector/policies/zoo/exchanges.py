"""Calls and results as products see them: by id, over the whole list.

Products trust that call ids are unique. Recordings need not have unique ids, or any; then each call gets a key of its
own, and the result that answers it by the local rule of `inspector.pairs` the same one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cached_property
from itertools import chain, compress
from operator import or_
from typing import NamedTuple

from inspector.message import (
    ASSISTANT,
    DEVELOPER,
    FUNCTION,
    OTHER,
    ROLES,
    SYSTEM,
    TOOL,
    USER,
    Body,
    Context,
    ToolCall,
    calls_of,
    compact_json,
    role_code,
)
from inspector.pairs import pairs_of

_KINDS = bytes({DEVELOPER: SYSTEM, FUNCTION: TOOL, OTHER: USER}.get(code, code) for code in range(256))
_IS_TOOL = bytes(code == TOOL for code in range(256))
_IS_NO_TOOL = bytes(code != TOOL for code in range(256))
assert len(ROLES) <= 256


def kinds_of(context: Context) -> bytes:
    """The role of each message as one of the four that products know: SYSTEM, USER, ASSISTANT, TOOL."""
    return context.columns.role.translate(_KINDS)


def begins(kinds: bytes, callers: Iterable[int] = ()) -> bytes:
    """1 for each row that is no result after another result or after one of the callers' rows."""
    other = kinds.translate(_IS_NO_TOOL)
    ends = bytearray(b"\1" + other)
    for row in callers:
        ends[row + 1] = 0
    return bytes(map(or_, other, ends))


class Exchanges:
    """The calls and results of a context. Ask for it as `context.derived(Exchanges)`: it is made once."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self.kinds = context.derived(kinds_of)
        each = context.each(asked_of)
        rows, asked = list(compress(range(len(each)), each)), list(filter(None, each))
        self.calls: dict[int, tuple[ToolCall, ...]] = dict(zip(rows, [one.calls for one in asked], strict=True))
        """The calls of each assistant message that has any."""
        self.keys: dict[int, tuple[str, ...]] = dict(zip(rows, [one.ids for one in asked], strict=True))
        """The keys of those calls: their ids where these are unique."""
        answered = context.each(_answered)
        self.answers: dict[int, str] = {row: answered[row] or f"\0{row}" for row in self.results}
        """The key that each result answers; one that no call has, where it answers none."""
        ids = list(chain.from_iterable(self.keys.values()))
        self.has_own_ids = "" not in ids and len(set(ids)) == len(ids)
        """Whether every call has an id that no other call has, so that no later call can take a result away."""
        if not self.has_own_ids:
            self._key_by_pairs()

    @cached_property
    def results(self) -> list[int]:
        """The rows of tool results."""
        return list(compress(range(len(self.kinds)), self.kinds.translate(_IS_TOOL)))

    def _key_by_pairs(self) -> None:
        seen: Counter[str | None] = Counter(call.id for calls in self.calls.values() for call in calls)
        for row, calls in self.calls.items():
            unique = (call.id if call.id and seen[call.id] == 1 else None for call in calls)
            self.keys[row] = tuple(key or f"\0{row}.{place}" for place, key in enumerate(unique))
        self.answers = {row: f"\0{row}" for row in self.results}
        for pair in self._context.derived(pairs_of).pairs:
            keys = self.keys.get(pair.call_row, ())
            if pair.call < len(keys):
                self.answers[pair.result_row] = keys[pair.call]

    @cached_property
    def caller(self) -> dict[str, tuple[int, int]]:
        """The row, and the place in it, of the call that has a key."""
        return {key: (row, place) for row, keys in self.keys.items() for place, key in enumerate(keys)}

    def call(self, key: str) -> ToolCall | None:
        """The call that has a key."""
        row, place = self.caller.get(key, (-1, 0))
        return self.calls[row][place] if row >= 0 else None

    def name(self, row: int) -> str:
        """The tool that a result is of: the message's own name, else its call's, else nothing."""
        own = _own_name(self._context.messages[row])
        if own is not None:
            return own
        call = self.call(self.answers[row])
        return call.name if call else ""

    @property
    def has_own_names(self) -> bool:
        """Whether every result says of which tool it is, so that no later call can change that."""
        return all(_own_name(self._context.messages[row]) is not None for row in self.results)


def _own_name(body: Body) -> str | None:
    own = body.get("name") or body.get("tool_name")
    return own if isinstance(own, str) else None


class Asked(NamedTuple):
    """What an assistant message calls."""

    calls: tuple[ToolCall, ...]
    ids: tuple[str, ...]
    """Their ids, empty where they have none."""


def asked_of(body: Body) -> Asked | None:
    """The calls of a message; None where it is no assistant's, or has none."""
    function = body.get("function_call")
    if not (body.get("tool_calls") or function) or role_code(body) != ASSISTANT:
        return None
    calls = calls_of(body) or ((_legacy(function),) if isinstance(function, dict) else ())
    return Asked(calls, tuple(call.id or "" for call in calls)) if calls else None


def _answered(body: Body) -> str:
    answers = body.get("tool_call_id")
    return answers if isinstance(answers, str) else ""


def _legacy(function: dict[str, object]) -> ToolCall:
    name, arguments = function.get("name"), function.get("arguments", "")
    written = arguments if isinstance(arguments, str) else compact_json(arguments)
    return ToolCall(None, name if isinstance(name, str) else "", written)
