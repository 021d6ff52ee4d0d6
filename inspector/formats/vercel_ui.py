"""Vercel AI SDK: UI messages of versions 4 to 7 (`parts`), and model messages (`tool-call` and `tool-result` parts).

Compared with `convertToModelMessages` of ai 5.0.277, 6.0.326 and 7.0.173, and with what a model was sent by them:

- A UI message of the assistant holds calls with their results, in steps: each step is an assistant message, then the
  results that are recorded. Those of tools that the provider runs come before those of the app's.
- A call whose input is still being streamed is not sent. Any other without an output has no result; a call that a user
  refused has one that says so. Of a message that a call for leave was overtaken by, version 7 drops the call: earlier
  ones refuse the whole request, so it is shown, without a result.
- Sources, data parts, step marks and empty texts are not sent; files that are no images stay whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inspector.finding import Finding
from inspector.formats.datasets import arguments
from inspector.formats.entries import Entry, entries_of, root_of, samples_of, where
from inspector.formats.format import Conversation, Format, Recording
from inspector.formats.openai_chat import is_message
from inspector.formats.rows import Rows, Spot
from inspector.formats.shapes import as_dict, as_list, as_text, unreadable
from inspector.formats.vercel_model import add_model, is_model_part
from inspector.formats.vercel_parts import DENIED, Step, below, kind_of, result_text
from inspector.formats.vercel_v4 import add_v4, is_v4
from inspector.message import Body

_UI_PARTS = frozenset((
    "text", "reasoning", "step-start", "file", "source", "source-url", "source-document", "dynamic-tool",
    "tool-invocation", "steering-message", "reasoning-file", "custom",
))  # fmt: skip
_UNSENT = ("step-start", "steering-message", "source", "source-url", "source-document")
UNAVAILABLE = "Tool output omitted because the tool is no longer available."
"""What the model is sent instead of the output of a tool that the app marked as gone (`dynamic` is false)."""


def recognise(recording: Recording) -> bool:
    """Whether a recording holds UI messages or model messages, as a list, in a request, or one a line."""
    values = samples_of(recording)
    return _are_own(values) or any(_are_own(as_list(as_dict(value).get("messages"))[:50]) for value in values)


def _are_own(values: Sequence[Any]) -> bool:
    return any(map(_is_own, values))


def _is_own(value: Any) -> bool:
    if not is_message(value):
        return False
    parts = [part for part in as_list(value.get("parts")) if isinstance(part, dict)]
    told = [part for part in as_list(value.get("content")) if isinstance(part, dict)]
    if "parts" in value and value["role"] in ("user", "assistant", "system") and any(map(_is_ui_part, parts)):
        return True
    return is_v4(value) or any(map(is_model_part, told))


def _is_ui_part(part: Any) -> bool:
    kind = kind_of(part)
    if kind in ("text", "reasoning"):
        return isinstance(part.get("text", part.get("reasoning")), str)
    return kind in _UI_PARTS or (kind.startswith("tool-") and "toolCallId" in part) or kind.startswith("data-")


def read(recording: Recording) -> list[Conversation]:
    """One conversation of the messages, or one for each record that holds some."""
    entries = entries_of(recording)
    if _are_own([entry.value for entry in entries[:50]]) and not _is_request(recording.document):
        return [_conversation(entries, {})]
    several = recording.lines or isinstance(recording.document, list)
    roots = entries if several else [root_of(recording)]
    return [_conversation(root.each("messages"), root.value) for root in roots if _is_request(root.value)]


def _is_request(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("messages"), list)


def _conversation(entries: Sequence[Entry], holder: Body) -> Conversation:
    rows, damage, model = Rows(), list[Finding](), as_text(holder.get("model"))
    for native, entry in enumerate(entries):
        if is_message(entry.value):
            _add(rows, native, entry.value, last=native == len(entries) - 1)
            model = model or as_text(as_dict(entry.value.get("metadata")).get("model"))
        else:
            place = entry.place
            damage.append(unreadable(place.native, place.pointer, entry.value, numbered=place.line is not None))
    return Conversation(
        messages=rows.messages,
        origin=rows.origins(where(entries)),
        title=as_text(holder.get("title")) or as_text(holder.get("id")),
        model=model or None,
        damage=tuple(damage),
    )


def _add(rows: Rows, native: int, message: Body, *, last: bool) -> None:
    parts = message.get("parts")
    if is_v4(message):
        add_v4(rows, native, message, last=last)
    elif isinstance(parts, list) and (parts or "content" not in message):
        _add_ui(rows, native, message["role"], parts)
    elif message["role"] != "data":  # version 4 kept data for the app so
        add_model(rows, native, message)


def _add_ui(rows: Rows, native: int, role: str, parts: Sequence[Any]) -> None:
    if role == "system":
        texts = [(at, part["text"]) for at, part in enumerate(parts) if _is_text(part)]
        body = {"role": role, "content": "".join(text for _, text in texts)}
        rows.put(native, body, *(Spot(native, f"/parts/{at}") for at, _ in texts))
    elif role == "user":
        _add_asked(rows, native, "/parts", parts)
    else:
        _add_answer(rows, native, role, parts)


def _is_text(part: Any) -> bool:
    return kind_of(part) == "text" and isinstance(part.get("text"), str)


def _add_asked(rows: Rows, native: int, inner: str, parts: Sequence[Any]) -> None:
    step = Step(rows, native, "user")
    for at, part in enumerate(parts):
        if kind_of(part) in ("text", "file") or not _is_ui_part(part):
            step.take(Spot(native, f"{inner}/{at}"), part)
    step.close(always=True)


def _add_answer(rows: Rows, native: int, role: str, parts: Sequence[Any]) -> None:
    step = Step(rows, native, role)
    for at, part in enumerate(parts):
        spot, kind = Spot(native, f"/parts/{at}"), kind_of(part)
        if kind in ("step-start", "steering-message"):
            step.close()
        if kind == "steering-message":
            _add_asked(rows, native, f"{spot.inner}/parts", as_list(part.get("parts")))
        elif kind == "dynamic-tool" or kind.startswith("tool-"):
            _take_tool(step, spot, part, as_text(part.get("toolName")) or kind.removeprefix("tool-"))
        elif kind not in _UNSENT and not kind.startswith("data-"):
            step.take(spot, part)
    step.close()


def _take_tool(step: Step, spot: Spot, part: Body, name: str) -> None:
    state, call_id = as_text(part.get("state")), part.get("toolCallId")
    if state == "input-streaming":
        return
    key = "input" if part.get("input") is not None or "rawInput" not in part else "rawInput"
    step.call(spot, call_id, name, part.get(key))
    early = part.get("providerExecuted") is True
    if state == "output-available":
        gone = part.get("dynamic") is False and kind_of(part) == "dynamic-tool"
        content = UNAVAILABLE if gone else result_text(part.get("output"))
        step.result(below(spot, part, "output"), call_id, content, name, failed=False, early=early)
    elif state == "output-error":
        content = arguments(part.get("errorText"))
        step.result(below(spot, part, "errorText"), call_id, content, name, failed=True, early=early)
    elif _is_denied(state, part) and not early:
        approval = as_dict(part.get("approval"))
        place = below(Spot(spot.native, f"{spot.inner}/approval"), approval, "reason") if approval else spot
        reason = approval.get("reason")
        step.result(place, call_id, reason if isinstance(reason, str) else DENIED, name, failed=True)


def _is_denied(state: str, part: Body) -> bool:
    answered = state == "approval-responded" and as_dict(part.get("approval")).get("approved") is False
    return answered or state == "output-denied"


FORMAT = Format(
    name="vercel_ui",
    title="Vercel AI SDK",
    recognise=recognise,
    read=read,
    help="UI messages or model messages as a list, in a request, or as JSON Lines.",
)
