"""The last resort of Cline's SDK: where what must stay is over the trigger, texts are cut, and then the oldest go."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from inspector.message import IMAGE_PARTS, Body, Context
from inspector.policies.zoo.exchanges import Exchanges
from inspector.text import json_chars

CHARS_A_TOKEN = 3
FEWEST_CHARS = 16


def message_tokens(chars: int) -> int:
    """Tokens of a message whose JSON has so many characters."""
    return -(-chars // CHARS_A_TOKEN)


def is_attachment(part: object) -> bool:
    """Whether a part is an image or a file."""
    return isinstance(part, dict) and part.get("type") in (*IMAGE_PARTS, "file", "media")


def shortened(text: str, most: int) -> str:
    """The beginning of a text, with a marker that counts among the characters it may have."""
    if len(text) <= most:
        return text
    if most <= FEWEST_CHARS:
        return text[: max(1, most)]
    kept = max(1, most - len(_marker(len(text) - most)))
    return text[:kept] + _marker(len(text) - kept)


def _marker(gone: int) -> str:
    return f"\n...[truncated {gone} chars]"


def cut(body: Body, most: int) -> Body:
    """A message whose texts have so many characters together; itself where they fit."""
    content = body.get("content")
    if isinstance(content, str):
        new: Any = shortened(content, most)
    elif isinstance(content, list):
        parts, left = list[Any](), most
        for part in content:
            text = part.get("text") if isinstance(part, dict) else part
            if isinstance(text, str):
                text = shortened(text, left) if left > 0 else ""
                left -= len(text)
                part = {**part, "text": text} if isinstance(part, dict) else text
            parts.append(part)
        new = parts
    else:
        return body
    return body if new == content else {**body, "content": new}


@dataclass(slots=True)
class Kept:
    """What is sent, by row."""

    bodies: dict[int, Body]
    cut: set[int] = field(default_factory=set)
    dropped: set[int] = field(default_factory=set)
    tokens: int = 0

    @staticmethod
    def cost(body: Body) -> int:
        """Tokens of a message."""
        return message_tokens(json_chars(body))

    def shorten(self, row: int, limit: int) -> None:
        """Cut a message to its equal share of the limit."""
        body = self.bodies[row]
        size, before = json_chars(body), self.cost(body)
        share = int(limit * max(1.0, size / max(1, before)) / max(1, len(self.bodies)))
        new = cut(body, max(FEWEST_CHARS, share))
        if new is not body:
            self.bodies[row] = new
            self.cut.add(row)
            self.tokens += self.cost(new) - before

    def drop(self, rows: Iterable[int]) -> None:
        """Leave messages out."""
        for row in rows:
            self.tokens -= self.cost(self.bodies.pop(row))
            self.dropped.add(row)


def fitted(context: Context, bodies: dict[int, Body], prompts: list[int], limit: int) -> Kept:
    """The messages within a limit, as near as it goes.

    First texts are cut, from the newest on, but for the latest prompt; then the oldest messages go, each with the calls
    and results that belong to it, but for the first and the latest prompt. Calls without a result, and what follows
    them, stay as they are.
    """
    kept = Kept(bodies, tokens=sum(map(Kept.cost, bodies.values())))
    if kept.tokens <= limit:
        return kept
    whole = first_waiting(context, bodies)
    for row in sorted(bodies, reverse=True):
        if kept.tokens > limit and row != prompts[-1] and row < whole:
            kept.shorten(row, limit)
    for row in sorted(bodies):
        if kept.tokens > limit and row in kept.bodies and row not in (prompts[0], prompts[-1]):
            closure = _closure(context, kept.bodies, row)
            if all(one < whole for one in closure):
                kept.drop(closure)
    return kept


def first_waiting(context: Context, rows: Iterable[int]) -> int:
    """The last of some rows with a call that nothing answers; the number of all rows where there is none."""
    keys, answered = context.derived(Exchanges).keys, context.derived(results_by_key)
    return max((row for row in rows if any(key not in answered for key in keys.get(row, ()))), default=len(context))


def results_by_key(context: Context) -> dict[str, list[int]]:
    """The results of each call."""
    found: dict[str, list[int]] = {}
    for row, key in context.derived(Exchanges).answers.items():
        found.setdefault(key, []).append(row)
    return found


def _closure(context: Context, bodies: dict[int, Body], row: int) -> list[int]:
    """A row with the call that it answers, and with all results of its calls."""
    exchanges, results = context.derived(Exchanges), context.derived(results_by_key)
    caller = exchanges.caller.get(exchanges.answers.get(row, ""), (row, 0))[0]
    answers = (one for key in exchanges.keys.get(caller, ()) for one in results.get(key, ()))
    return [one for one in dict.fromkeys((row, caller, *answers)) if one in bodies]
