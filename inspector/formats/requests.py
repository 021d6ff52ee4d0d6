"""Recorded requests of a trace as conversations: each request repeats what was said before it.

A request whose input begins a longer later one of its trace is part of that one, and is not told twice. Of what is
left in a trace the longest is the conversation; the others, subagents' and single questions, are side conversations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from inspector.finding import Finding
from inspector.formats import langchain
from inspector.formats.blocks import json_text
from inspector.formats.chat_rows import add_message
from inspector.formats.format import Conversation
from inspector.formats.gen_ai_parts import add_parts, take_named_calls
from inspector.formats.openai_chat import is_message
from inspector.formats.rows import Draft, Place, Rows, Spot
from inspector.formats.shapes import as_list
from inspector.message import ASSISTANT, Body, Usage, calls_of, role_code, text_of


class Turn(NamedTuple):
    """A message of a request, in whatever shape it was recorded, and its place."""

    value: Any
    """A message, a bare text, or a list of calls."""
    place: Place
    role: str = "user"
    """Of a bare text: whose it is."""
    name: str = ""
    """Of a bare result: the tool's name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request to a model, with its answer."""

    group: str
    """The trace that it belongs to."""
    turns: Sequence[Turn]
    answer: Turn | None = None
    usage: Usage | None = None
    """Its row does not matter."""
    model: str = ""
    tools: tuple[Body, ...] = ()
    title: str = ""
    damage: tuple[Finding, ...] = ()


class _Told(NamedTuple):
    request: Request
    rows: Rows
    asked: int
    """Rows of the input; what follows is the answer."""
    keys: list[Any]
    places: list[Place]


def conversations(requests: Sequence[Request]) -> list[Conversation]:
    """The conversations of requests that stand in the order in which they were made."""
    groups: dict[str, list[_Told]] = {}
    for request in requests:
        groups.setdefault(request.group, []).append(_told(request))
    mains: list[Conversation] = []
    sides: list[Conversation] = []
    for told in groups.values():
        first, *others = _distinct(told)
        mains.append(first)
        sides += others
    return [*mains, *sides]


def _told(request: Request) -> _Told:
    rows, places = Rows(), list[Place]()
    for turn in request.turns:
        _add(rows, places, turn)
    asked = len(rows)
    if request.answer is not None:
        _add(rows, places, request.answer)
    return _Told(request, rows, asked, [_key(body) for body in rows.messages[:asked]], places)


def _add(rows: Rows, places: list[Place], turn: Turn) -> None:
    native = len(places)
    places.append(turn.place)
    value = turn.value
    if isinstance(value, dict) and langchain.is_message(value):
        langchain.add_message(rows, native, value)
    elif is_message(value) and isinstance(value.get("parts"), list):
        add_parts(rows, native, value)
    elif is_message(value):
        add_message(rows, native, value)
    elif isinstance(value, list):
        draft = Draft()
        take_named_calls(draft, native, as_list(value))
        rows.add(native, "assistant", draft)
    elif turn.role == "tool":
        rows.result(Spot(native, ""), None, value if isinstance(value, str) else json_text(value), name=turn.name)
    else:
        draft = Draft()
        draft.say(Spot(native, ""), value if isinstance(value, str) else json_text(value))
        rows.add(native, turn.role, draft)


def _key(body: Body) -> tuple[Any, ...]:
    """What of a message is the same in every request that repeats it."""
    return (role_code(body), text_of(body), tuple((call.name, call.arguments) for call in calls_of(body)))


def _distinct(told: Sequence[_Told]) -> list[Conversation]:
    """The requests that no later one repeats, the longest first; usage of the repeated ones goes with them."""
    kept: list[tuple[_Told, list[Usage]]] = []
    for one in reversed(told):
        longer = next((other for other, _ in kept if _begins(one, other)), None)
        usage = _usage(one)
        if longer is None:
            kept.append((one, usage))
        else:
            spent = next(spent for other, spent in kept if other is longer)
            spent += [used for used in usage if role_code(longer.rows.messages[used.row]) == ASSISTANT]
    kept.reverse()
    longest = max(range(len(kept)), key=lambda at: (len(kept[at][0].rows), at))
    order = [longest, *(at for at in range(len(kept)) if at != longest)]
    return [_conversation(*kept[at], side=at != longest) for at in order]


def _begins(one: _Told, other: _Told) -> bool:
    return one.asked < other.asked and other.keys[: one.asked] == one.keys


def _usage(one: _Told) -> list[Usage]:
    used, row = one.request.usage, one.asked
    return [Usage(row, used.input, used.cached, used.output)] if used and row < len(one.rows) else []


def _conversation(told: _Told, usage: Sequence[Usage], *, side: bool) -> Conversation:
    request = told.request
    return Conversation(
        messages=told.rows.messages,
        origin=told.rows.origins(told.places.__getitem__),
        title=request.title,
        model=request.model or None,
        tools=request.tools,
        usage=tuple(sorted(usage, key=lambda used: used.row)),
        damage=request.damage,
        side=side,
    )
