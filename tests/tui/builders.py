"""Small sessions, and what the screen shows of them, for the tests of the widgets."""

from __future__ import annotations

import json
from array import array
from typing import Any

from inspector.message import Body, Session, listed
from inspector.policies import compact
from inspector.tokens import count_bodies, counter_for
from inspector.tui.shown import Shown, Tokens


def session(messages: list[Body]) -> Session:
    """A session of messages given by a caller."""
    return Session(messages, listed(""), range(len(messages)))


def shown(messages: list[Body] | Session, policy: str = "head-tail", **settings: Any) -> Shown:
    """What the screen shows of messages, or of a session already made, under a policy."""
    made = messages if isinstance(messages, Session) else session(messages)
    counter = counter_for(made.model)
    before = array("q", count_bodies(made.messages, counter))
    return Shown(made, compact(made, policy, **settings), counter, Tokens(before, True), window=128_000)


def user(text: str) -> Body:
    return {"role": "user", "content": text}


def call(*ids: str, name: str = "run", text: str | None = None, **arguments: Any) -> Body:
    calls = [{"id": i, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}} for i in ids]
    return {"role": "assistant", "content": text, "tool_calls": calls}


def result(call_id: str, text: str, name: str | None = None) -> Body:
    return {"role": "tool", "tool_call_id": call_id, "content": text, **({"name": name} if name else {})}


def turns(count: int, size: int = 400) -> list[Body]:
    """A system prompt, a task, and `count` calls with results of about `size` characters, one line a sentence."""
    messages: list[Body] = [{"role": "system", "content": "You are careful."}, user("Find out why the build fails.")]
    for turn in range(count):
        lines = [f"turn {turn} line {line}: nothing out of the ordinary" for line in range(size // 40 or 1)]
        messages += [
            call(f"c{turn}", name="read_file", path=f"src/part_{turn}.py"),
            result(f"c{turn}", "\n".join(lines)),
        ]
    return messages


def paired_turns(count: int, lines: int = 300) -> list[Body]:
    """`count` turns of two calls each: a `cascade` to 4,000 tokens cuts between the two results of one."""
    messages: list[Body] = [{"role": "system", "content": "x"}, user("Find out")]
    for turn in range(count):
        ids = [f"c{turn}_{place}" for place in range(2)]
        messages += [call(*ids), *(result(one, "line\n" * lines) for one in ids)]
    return messages
