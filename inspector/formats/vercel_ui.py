"""Vercel AI SDK: UI messages (`parts`, versions 4 to 6) and model messages (`tool-call` and `tool-result` parts).

- A UI message of the assistant holds calls with their results, in steps: each step is an assistant message, then the
  results that are recorded (`convertToModelMessages`). A call without an output has none; sources, data parts and
  attachments of other types than images are not sent or stay whole.
- Version 4 keeps the same twice, in `parts` and in `content` with `toolInvocations`: the parts are read where there are
  any.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inspector.finding import Finding
from inspector.formats.datasets import arguments
from inspector.formats.entries import Entry, entries_of, root_of, samples_of, where
from inspector.formats.format import Conversation, Format, Recording
from inspector.formats.openai_chat import is_message
from inspector.formats.rows import Draft, Rows, Spot, call_entry, data_image, image_part, joined
from inspector.formats.shapes import as_dict, as_list, as_text, unreadable
from inspector.message import Body

_UI_PARTS = frozenset((
    "text", "reasoning", "step-start", "file", "source", "source-url", "source-document", "dynamic-tool",
    "tool-invocation",
))  # fmt: skip
_MODEL_PARTS = frozenset(("tool-call", "tool-result", "tool-approval-request", "tool-approval-response"))
_UNSENT = ("step-start", "source", "source-url", "source-document")
DENIED = "Tool execution denied."
"""What the SDK tells the model where a user gave no reason (ai, convert-to-model-messages)."""


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
    return isinstance(value.get("toolInvocations"), list) or any(
        as_text(part.get("type")) in _MODEL_PARTS for part in told
    )


def _is_ui_part(part: Body) -> bool:
    kind = as_text(part.get("type"))
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
            _add(rows, native, entry.value)
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


def _add(rows: Rows, native: int, message: Body) -> None:
    if isinstance(message.get("parts"), list) and message["parts"]:
        _add_ui(rows, native, message["role"], message["parts"])
    elif "toolInvocations" in message or "experimental_attachments" in message:
        _add_v4(rows, native, message)
    else:
        _add_model(rows, native, message)


class _Step:
    """What stands between two step marks: a message, and the results of its calls."""

    def __init__(self, rows: Rows, native: int, role: str) -> None:
        self.draft = Draft()
        self._rows, self._native, self._role = rows, native, role
        self._results: list[tuple[Spot, Any, str | list[Body], str, bool]] = []

    def call(self, spot: Spot, call_id: Any, name: str, given: Any) -> None:
        """Take in a call."""
        self.draft.call(spot, call_entry(call_id, name, arguments(given)))

    def result(self, spot: Spot, call_id: Any, content: str | list[Body], name: str, *, failed: bool) -> None:
        """Take in a result."""
        self._results.append((spot, call_id, content, name, failed))

    def close(self, *, always: bool = False) -> None:
        """Make rows of what was taken in."""
        if self.draft or always:
            self._rows.add(self._native, self._role, self.draft)
        for spot, call_id, content, name, failed in self._results:
            self._rows.result(spot, call_id, content, name=name, error=failed)
        self.draft = Draft()
        self._results = []


def _add_ui(rows: Rows, native: int, role: str, parts: Sequence[Any]) -> None:
    before, step = len(rows), _Step(rows, native, role)
    for at, part in enumerate(parts):
        spot = Spot(native, f"/parts/{at}")
        kind = as_text(part.get("type")) if isinstance(part, dict) else ""
        if kind == "step-start":
            step.close()
        elif kind == "tool-invocation":
            _take_v4(step, Spot(native, f"{spot.inner}/toolInvocation"), as_dict(part.get("toolInvocation")))
        elif kind == "dynamic-tool" or kind.startswith("tool-"):
            _take_tool(step, spot, part, as_text(part.get("toolName")) or kind.removeprefix("tool-"))
        elif kind not in _UNSENT and not kind.startswith("data-"):
            _take_part(step.draft, spot, part)
    step.close(always=len(rows) == before and not step.draft)


def _take_tool(step: _Step, spot: Spot, part: Body, name: str) -> None:
    state, call_id = as_text(part.get("state")), part.get("toolCallId")
    key = "input" if part.get("input") is not None or "rawInput" not in part else "rawInput"
    step.call(spot, call_id, name, part.get(key))
    if state == "output-available":
        place = Spot(spot.native, f"{spot.inner}/output")
        step.result(place, call_id, arguments(part.get("output")), name, failed=False)
    elif state == "output-error":
        place = Spot(spot.native, f"{spot.inner}/errorText")
        step.result(place, call_id, arguments(part.get("errorText")), name, failed=True)
    elif state == "output-denied":
        reason = as_text(as_dict(part.get("approval")).get("reason"))
        place = Spot(spot.native, f"{spot.inner}/approval/reason") if reason else spot
        step.result(place, call_id, reason or DENIED, name, failed=True)


def _add_v4(rows: Rows, native: int, message: Body) -> None:
    step, content = _Step(rows, native, message["role"]), message.get("content")
    if as_text(message.get("reasoning")):
        step.draft.think(Spot(native, "/reasoning"), message["reasoning"])
    if content:
        step.draft.say(Spot(native, "/content"), arguments(content))
    for at, one in enumerate(as_list(message.get("experimental_attachments"))):
        _take_part(step.draft, Spot(native, f"/experimental_attachments/{at}"), one)
    for at, one in enumerate(as_list(message.get("toolInvocations"))):
        _take_v4(step, Spot(native, f"/toolInvocations/{at}"), as_dict(one))
    step.close(always=True)


def _take_v4(step: _Step, spot: Spot, call: Body) -> None:
    name, call_id = as_text(call.get("toolName")), call.get("toolCallId")
    step.call(spot, call_id, name, call.get("args"))
    if call.get("state") == "result":
        place = Spot(spot.native, f"{spot.inner}/result") if "result" in call else spot
        step.result(place, call_id, arguments(call.get("result")), name, failed=False)


def _add_model(rows: Rows, native: int, message: Body) -> None:
    role, content = message["role"], message.get("content")
    if not isinstance(content, list):
        draft = Draft()
        if content is not None:
            draft.say(Spot(native, "/content"), arguments(content))
        rows.add(native, role, draft)
        return
    before, step = len(rows), _Step(rows, native, role)
    for at, part in enumerate(content):
        spot = Spot(native, f"/content/{at}")
        kind = as_text(part.get("type")) if isinstance(part, dict) else ""
        if kind == "tool-call":
            key = "input" if "input" in part else "args"
            name = as_text(part.get("toolName"))
            step.call(spot, part.get("toolCallId"), name, part.get(key))
        elif kind == "tool-result":
            _take_result(step, spot, part)
        elif kind not in _MODEL_PARTS:
            _take_part(step.draft, spot, part)
    step.close(always=role != "tool" and not step.draft and len(rows) == before)


def _take_result(step: _Step, spot: Spot, part: Body) -> None:
    name, call_id, output = as_text(part.get("toolName")), part.get("toolCallId"), part.get("output")
    if not isinstance(output, dict) or "type" not in output:
        key = "output" if "output" in part else "result"
        place = Spot(spot.native, f"{spot.inner}/{key}") if key in part else spot
        step.result(place, call_id, arguments(part.get(key)), name, failed=part.get("isError") is True)
        return
    kind, value = as_text(output["type"]), output.get("value", output.get("reason"))
    if kind == "execution-denied":
        content: str | list[Body] = as_text(value) or DENIED
    elif kind == "content" and isinstance(value, list):
        content = joined([_shown(one) for one in value])
    else:
        content = arguments(value)
    key = next((key for key in ("value", "reason") if key in output), "")
    place = Spot(spot.native, f"{spot.inner}/output" + (f"/{key}" if key else ""))
    step.result(place, call_id, content, name, failed=kind.startswith(("error", "execution")))


def _take_part(draft: Draft, spot: Spot, part: Any) -> None:
    kind = part.get("type") if isinstance(part, dict) else None
    if kind in ("reasoning", "redacted-reasoning"):
        text = as_text(part.get("text")) or as_text(part.get("reasoning"))
        marks = ("signature", "data", "providerMetadata", "providerOptions", "details")
        draft.think(spot, text, part if any(part.get(key) for key in marks) else None)
    else:
        draft.say(spot, _shown(part))


def _shown(part: Any) -> str | Body:
    """A part as text, as an image, or whole."""
    if not isinstance(part, dict):
        return arguments(part)
    kind = part.get("type")
    if kind == "text" and isinstance(part.get("text"), str):
        return str(part["text"])
    media = as_text(part.get("mediaType")) or as_text(part.get("mimeType")) or as_text(part.get("contentType"))
    held = next((part[key] for key in ("image", "url", "data") if isinstance(part.get(key), str)), "")
    if held and (kind in ("image", "image-url", "image-data") or media.startswith("image/")):
        addressed = held.startswith(("data:", "http:", "https:", "blob:", "/"))
        return image_part(held) if addressed and not held.startswith("/9j") else data_image(media or None, held)
    return part


FORMAT = Format(
    name="vercel_ui",
    title="Vercel AI SDK",
    recognise=recognise,
    read=read,
    help="UI messages or model messages as a list, in a request, or as JSON Lines.",
)
