"""Model messages of the Vercel AI SDK: what `convertToModelMessages` and `response.messages` give, and agents keep."""

from __future__ import annotations

from typing import Any

from inspector.formats.blocks import json_text
from inspector.formats.datasets import arguments
from inspector.formats.rows import Draft, Rows, Spot, joined
from inspector.formats.shapes import as_text
from inspector.formats.vercel_parts import DENIED, Step, below, kind_of, result_text, shown
from inspector.message import Body

_TOOLS = frozenset(("tool-call", "tool-result", "tool-approval-request", "tool-approval-response"))
_FILES = frozenset(("mediaType", "mimeType"))


def is_model_part(part: Any) -> bool:
    """Whether a part of a message's `content` is as no other maker has it (thoughts and images are not)."""
    kind = kind_of(part)
    return kind in _TOOLS or (kind == "file" and "data" in part and not _FILES.isdisjoint(part))


def add_model(rows: Rows, native: int, message: Body) -> None:
    """Add the rows of a model message. What asks a user for leave, and the answer, is not sent to a model."""
    role, content = message["role"], message.get("content")
    if not isinstance(content, list):
        draft = Draft()
        if content is not None:
            draft.say(Spot(native, "/content"), arguments(content))
        rows.add(native, role, draft)
        return
    before, step = len(rows), Step(rows, native, role)
    for at, part in enumerate(content):
        _take(step, Spot(native, f"/content/{at}"), part)
    step.close(always=role != "tool" and len(rows) == before)


def _take(step: Step, spot: Spot, part: Any) -> None:
    kind = kind_of(part)
    if kind == "tool-call":
        key = "input" if "input" in part else "args"
        step.call(spot, part.get("toolCallId"), as_text(part.get("toolName")), part.get(key))
    elif kind == "tool-result":
        _take_result(step, spot, part)
    elif kind not in _TOOLS:
        step.take(spot, part)


def _take_result(step: Step, spot: Spot, part: Body) -> None:
    name, call_id, output = as_text(part.get("toolName")), part.get("toolCallId"), part.get("output")
    if isinstance(output, dict) and "type" in output:
        kind = as_text(output["type"])
        key = "value" if "value" in output else "reason"
        place = below(Spot(spot.native, f"{spot.inner}/output"), output, key)
        failed = kind.startswith(("error", "execution"))
        step.result(place, call_id, _content(kind, output.get(key)), name, failed=failed)
    else:
        key = "output" if "output" in part else "result"
        content = result_text(part[key]) if key in part else ""
        step.result(below(spot, part, key), call_id, content, name, failed=part.get("isError") is True)


def _content(kind: str, value: Any) -> str | list[Body]:
    if kind == "execution-denied":
        return value if isinstance(value, str) else DENIED
    if kind == "content" and isinstance(value, list):
        return joined([shown(one) for one in value])
    return json_text(value) if kind in ("json", "error-json") else result_text(value)
