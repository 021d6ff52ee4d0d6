"""Messages that older conventions spread over keys: `gen_ai.prompt.0.role`, `llm.input_messages.0.message.role`.

A message is put together; `spread` says where each of its parts really stands.
"""

from __future__ import annotations

import re
from typing import Any

from inspector.formats.otel_spans import Span
from inspector.formats.requests import Turn
from inspector.formats.shapes import as_text
from inspector.message import Body

_CALL = re.compile(r"(?:tool_calls|message\.tool_calls)\.(\d{1,4})\.(?:tool_call\.)?(?:function\.)?(id|name|arguments)")
_PART = re.compile(r"message\.contents\.(\d{1,4})\.message_content\.(type|text|image\.image\.url)")
_NAMES = ("role", "content", "tool_call_id", "name")


def spread(span: Span, prefix: str) -> tuple[list[Turn], dict[str, str]]:
    """The messages under a prefix, by number, and the real places of what is in them."""
    found: dict[int, dict[str, str]] = {}
    for key in span.names:
        if key.startswith(f"{prefix}."):
            digits, _, rest = key.removeprefix(f"{prefix}.").partition(".")
            if digits.isascii() and digits.isdecimal() and len(digits) < 7 and rest:
                found.setdefault(int(digits), {})[rest] = key
    turns: list[Turn] = []
    pointers: dict[str, str] = {}
    for number in sorted(found):
        turn, places = _message(span, prefix, number, found[number])
        turns.append(turn)
        pointers |= places
    return turns, pointers


def _message(span: Span, prefix: str, number: int, keys: dict[str, str]) -> tuple[Turn, dict[str, str]]:
    body, places = _fields(span, keys), dict[str, str]()
    calls, parts = _numbered(span, keys, _CALL), _numbered(span, keys, _PART)
    first = next(iter(keys.values()))
    made = f"{span.entry.place.pointer}/{prefix}.{number}"
    where = {name: span.place(key).pointer for rest, key in keys.items() for name in (rest.removeprefix("message."),)}
    places[made] = span.place(first).pointer
    if "content" in where:
        places[f"{made}/content"] = where["content"]
    if calls:
        body["tool_calls"] = [{"id": call.get("id"), "function": call} for call, _ in calls]
        places |= {f"{made}/tool_calls/{at}": pointer for at, (_, pointer) in enumerate(calls)}
    if parts and not body.get("content"):
        body["content"] = [_part(part) for part, _ in parts]
        places |= {f"{made}/content/{at}": pointer for at, (_, pointer) in enumerate(parts)}
    return Turn(body, span.entry.place._replace(pointer=made), as_text(body["role"])), places


def _fields(span: Span, keys: dict[str, str]) -> Body:
    body: Body = {"role": "user"}
    for name in _NAMES:
        key = keys.get(name) or keys.get(f"message.{name}")
        if key is not None:
            body[name] = span.get(key)
    body["role"] = as_text(body["role"]) or "user"
    return body


def _numbered(span: Span, keys: dict[str, str], pattern: re.Pattern[str]) -> list[tuple[dict[str, Any], str]]:
    """What keys with a number hold, by number, with the place of the last of each that is a text of its own."""
    found: dict[int, tuple[dict[str, Any], str]] = {}
    for rest, key in keys.items():
        match = pattern.fullmatch(rest)
        if match:
            held, pointer = found.get(int(match[1]), ({}, ""))
            held[match[2]] = span.get(key)
            found[int(match[1])] = (held, span.place(key).pointer if match[2] not in ("type", "id") else pointer)
    return [(held, pointer or span.entry.place.pointer) for _, (held, pointer) in sorted(found.items())]


def _part(part: dict[str, Any]) -> Body:
    url = part.get("image.image.url")
    if isinstance(url, str):
        return {"type": "image_url", "image_url": {"url": url}}
    return {"type": "text", "text": as_text(part.get("text"))}
