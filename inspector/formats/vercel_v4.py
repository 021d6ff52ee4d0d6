"""UI messages of version 4 of the Vercel AI SDK, as `convertToCoreMessages` of ai 4.3.19 sends them.

- The same is kept twice, in `parts` and in `content` with `toolInvocations`: the parts are read where there are any.
- A step ends where text follows a call, and where a call has another `step` number; step marks are not looked at.
- Without parts the text stands before the calls in the last message, and after their results in all others.
- Attachments of a user follow the parts; a text among them is sent as text. Thoughts outside the parts are not sent.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from itertools import groupby
from typing import Any

from inspector.formats.rows import Rows, Spot
from inspector.formats.shapes import as_count, as_dict, as_list, as_text
from inspector.formats.vercel_parts import Step, below, kind_of, result_text
from inspector.message import Body

_SENT = ("text", "file", "reasoning")


def is_v4(message: Body) -> bool:
    """Whether a UI message has what only version 4 has."""
    if any(isinstance(message.get(key), list) for key in ("toolInvocations", "experimental_attachments")):
        return True
    return any(kind_of(part) == "tool-invocation" for part in as_list(message.get("parts")))


def add_v4(rows: Rows, native: int, message: Body, *, last: bool) -> None:
    """Add the rows of a message; `last` says that none follows it."""
    step, parts = Step(rows, native, message["role"]), as_list(message.get("parts"))
    if message["role"] == "assistant" and parts:
        _add_parts(step, native, parts)
    elif message["role"] == "assistant":
        _add_calls(step, native, message, last=last)
    else:
        _add_asked(step, native, message, parts)


def _add_parts(step: Step, native: int, parts: Sequence[Any]) -> None:
    steps, called = 0, False
    for at, part in enumerate(parts):
        spot, kind = Spot(native, f"/parts/{at}"), kind_of(part)
        call = as_dict(part.get("toolInvocation")) if kind == "tool-invocation" else {}
        other = kind == "tool-invocation" and as_count(call.get("step")) != steps
        if other or (kind == "text" and called):
            step.close()
            steps, called = steps + 1, False
        if kind == "tool-invocation":
            _take(step, below(spot, part, "toolInvocation"), call)
            called = True
        elif kind in _SENT:
            step.take(spot, part)
    step.close()


def _add_calls(step: Step, native: int, message: Body, *, last: bool) -> None:
    text = as_text(message.get("content"))
    calls = [(at, as_dict(one)) for at, one in enumerate(as_list(message.get("toolInvocations")))]
    if text and (last or not calls):
        step.draft.say(Spot(native, "/content"), text)
    for _, group in groupby(sorted(calls, key=_number), key=_number):
        for at, call in group:
            _take(step, Spot(native, f"/toolInvocations/{at}"), call)
        step.close()
    if text and calls and not last:
        step.draft.say(Spot(native, "/content"), text)
    step.close(always=not calls)


def _number(call: tuple[int, Body]) -> int:
    return as_count(call[1].get("step"))


def _take(step: Step, spot: Spot, call: Body) -> None:
    name, call_id = as_text(call.get("toolName")), call.get("toolCallId")
    step.call(spot, call_id, name, call.get("args"))
    if call.get("state") == "result" or "result" in call:
        step.result(below(spot, call, "result"), call_id, result_text(call.get("result")), name, failed=False)


def _add_asked(step: Step, native: int, message: Body, parts: Sequence[Any]) -> None:
    for at, part in enumerate(parts):
        if kind_of(part) == "text":
            step.take(Spot(native, f"/parts/{at}"), part)
    if not parts and message.get("content"):
        step.draft.say(Spot(native, "/content"), result_text(message["content"]))
    for at, one in enumerate(as_list(message.get("experimental_attachments"))):
        step.take(Spot(native, f"/experimental_attachments/{at}"), _attached(one) if isinstance(one, dict) else one)
    step.close(always=True)


def _attached(one: Body) -> Body:
    text = _text_in(one)
    return {"type": "file", **one} if text is None else {"type": "text", "text": text}


def _text_in(attachment: Body) -> str | None:
    """The text of an attached file that is text, and that is in its address; else None."""
    head, comma, data = as_text(attachment.get("url")).partition(",")
    if not (comma and head.startswith("data:") and as_text(attachment.get("contentType")).startswith("text/")):
        return None
    try:
        return base64.b64decode(data).decode(errors="replace")
    except (binascii.Error, ValueError):
        return None
