"""Valid sessions in several shapes, and ways to break one, for the properties of the doctor and of its repair."""

import copy
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from tests.doctor.builders import (
    answer,
    anthropic,
    asked,
    bedrock,
    calls,
    chat,
    function_call,
    gemini,
    item_call,
    item_output,
    item_user,
    items,
    line,
    model,
    response,
    result,
    said,
    text_block,
    turn,
    use,
    user,
)

Steps = list[int]
"""Calls of each step; 0 is an answer in words and the user's next question."""
STEPS = st.lists(st.integers(0, 3), min_size=1, max_size=8)


@dataclass(frozen=True)
class Shape:
    """A shape of sessions: how one is made, and where its entries lie."""

    name: str
    make: Callable[[Steps], Any]
    key: str | None
    """The member that lists the entries; None for a tuple of lines."""


def _chat(steps: Steps) -> Any:
    messages = [user("begin")]
    for number, count in enumerate(steps):
        names = [f"call_{number}_{at}" for at in range(count)]
        messages += [calls(*names), *map(result, names)] if names else [said(), user(f"more {number}")]
    return chat(*messages, said("the end"))


def _anthropic(steps: Steps) -> Any:
    messages = [user("begin")]
    for number, count in enumerate(steps):
        names = [f"toolu_{number}_{at}" for at in range(count)]
        if names:
            messages += [turn("assistant", text_block("so"), *map(use, names)), turn("user", *map(answer, names))]
        else:
            messages += [turn("assistant", text_block()), turn("user", text_block(f"more {number}"))]
    return anthropic(*messages, turn("assistant", text_block("the end")))


def _bedrock(steps: Steps) -> Any:
    messages = [turn("user", {"text": "begin"})]
    for number, count in enumerate(steps):
        names = [f"t{number}{at}" for at in range(count)]
        made = [{"toolUse": {"toolUseId": name, "name": "look", "input": {}}} for name in names]
        given = [{"toolResult": {"toolUseId": name, "content": [{"text": "seen"}]}} for name in names]
        messages += [turn("assistant", *made), turn("user", *given)] if names else [
            turn("assistant", {"text": "so"}), turn("user", {"text": "more"}),
        ]  # fmt: skip
    return bedrock(*messages, turn("assistant", {"text": "the end"}))


def _gemini(steps: Steps) -> Any:
    contents = [asked({"text": "begin"})]
    for count in steps:
        names = [f"tool_{at}" for at in range(count)]
        contents += [model(*map(function_call, names)), asked(*map(response, names))] if names else [
            model({"text": "so"}), asked({"text": "more"}),
        ]  # fmt: skip
    return gemini(*contents, model({"text": "the end"}))


def _responses(steps: Steps) -> Any:
    given = [item_user("begin")]
    for number, count in enumerate(steps):
        names = [f"c{number}{at}" for at in range(count)]
        given += [*map(item_call, names), *map(item_output, names)] if names else [
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "so"}]}, item_user(),
        ]  # fmt: skip
    return items(*given, {"role": "assistant", "content": [{"type": "output_text", "text": "the end"}]})


def _claude_code(steps: Steps) -> Any:
    lines = [line(0, "user", user("begin"))]
    for number, count in enumerate(steps):
        message = {"id": f"m{number}", "role": "assistant"}
        names = [f"toolu_{number}_{at}" for at in range(count)]
        for name in names:
            lines.append(line(len(lines), "assistant", {**message, "content": [use(name)]}))
        for name in names:
            lines.append(line(len(lines), "user", turn("user", answer(name))))
        if not names:
            lines.append(line(len(lines), "assistant", {**message, "content": [text_block()]}))
            lines.append(line(len(lines), "user", user("more")))
    return (*lines, line(len(lines), "assistant", {"id": "z", "role": "assistant", "content": [text_block("end")]}))


SHAPES = (
    Shape("openai_chat", _chat, "messages"), Shape("anthropic", _anthropic, "messages"),
    Shape("bedrock_converse", _bedrock, "messages"), Shape("gemini_contents", _gemini, "contents"),
    Shape("openai_responses", _responses, "input"), Shape("claude_code", _claude_code, None),
)  # fmt: skip


def raw_of(session: Any) -> bytes:
    """A session as bytes of its file."""
    if isinstance(session, tuple):
        return b"".join(json.dumps(one).encode() + b"\n" for one in session)
    return json.dumps(session, indent=1).encode()


def entries(session: Any, shape: Shape) -> list[Any]:
    return list(session) if shape.key is None else session[shape.key]


def with_entries(session: Any, shape: Shape, new: list[Any]) -> Any:
    return tuple(new) if shape.key is None else {**session, shape.key: new}


@st.composite
def broken(draw: st.DrawFn, shape: Shape) -> bytes:
    """A valid session with some of its entries or blocks dropped, doubled, moved, emptied or renamed."""
    session = shape.make(draw(STEPS))
    for _ in range(draw(st.integers(1, 3))):
        held = copy.deepcopy(entries(session, shape))
        at = draw(st.integers(1, len(held) - 1))
        kind = draw(st.sampled_from(("drop", "double", "swap", "note", "block", "twin", "empty")))
        _break(draw, held, at, kind, shape)
        session = with_entries(session, shape, held)
    return raw_of(session)


def _break(draw: st.DrawFn, held: list[Any], at: int, kind: str, shape: Shape) -> None:
    if len(held) < 3:
        return
    if kind == "drop":
        del held[at]
    elif kind == "double" and shape.key is not None:
        held.insert(draw(st.integers(at + 1, len(held))), copy.deepcopy(held[at]))
    elif kind == "swap" and at + 1 < len(held):
        held[at], held[at + 1] = held[at + 1], held[at]
    elif kind == "note" and shape.key is not None:
        held.insert(at, copy.deepcopy(held[0]))
    else:
        _break_blocks(draw, held[at], kind)


def _break_blocks(draw: st.DrawFn, entry: Any, kind: str) -> None:
    message = entry.get("message", entry)
    key = next((key for key in ("tool_calls", "parts", "content") if isinstance(message.get(key), list)), None)
    if key is None or not message[key]:
        return
    place = draw(st.integers(0, len(message[key]) - 1))
    if kind == "block":
        del message[key][place]
    elif kind == "twin":
        message[key].insert(place, copy.deepcopy(message[key][place]))
    elif kind == "empty":
        message[key] = []
