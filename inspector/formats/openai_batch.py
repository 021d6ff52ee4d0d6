"""OpenAI Batch: JSON Lines of requests (`custom_id`, `body`) or of their answers (`custom_id`, `response`).

Each line is a conversation, named by its `custom_id`. A line whose request failed says so and gives none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from inspector.finding import Finding
from inspector.formats import openai_chat
from inspector.formats.entries import Entry, entries_of, samples_of
from inspector.formats.format import Conversation, Format, Recording
from inspector.formats.shapes import as_dict, as_text


def recognise(recording: Recording) -> bool:
    """Whether most lines are requests or answers of a batch of chat completions."""
    values = samples_of(recording)
    own = [value for value in values if _is_own(value)]
    return 2 * len(own) > len(values) and any(_is_chat(value) or _failed(value) for value in own)


def _is_own(value: Any) -> bool:
    return isinstance(value, dict) and "custom_id" in value and ("body" in value or "response" in value)


def _is_chat(value: dict[str, Any]) -> bool:
    messages = as_dict(value.get("body")).get("messages")
    if openai_chat.answer_of(value):
        return True
    return bool(isinstance(messages, list) and messages and openai_chat.looks_like_messages(messages))


def read(recording: Recording) -> Sequence[Conversation]:
    """A conversation a line; the first one carries a finding for each line that failed."""
    entries = entries_of(recording)
    failed = tuple(_failure(entry) for entry in entries if isinstance(entry.value, dict) and _failed(entry.value))
    found = openai_chat.read(recording)
    if not failed or not found:
        return found
    return [replace(found[0], damage=(*found[0].damage, *failed)), *found[1:]]


def _failed(value: dict[str, Any]) -> bool:
    response = value.get("response")
    body = as_dict(as_dict(response).get("body"))
    return "response" in value and "choices" not in body and (bool(value.get("error")) or "error" in body)


def _failure(entry: Entry) -> Finding:
    body = as_dict(as_dict(entry.value.get("response")).get("body"))
    error = as_dict(entry.value.get("error")) or as_dict(body.get("error"))
    why = as_text(error.get("message")) or "no reason is recorded"
    says = f"The request {as_text(entry.value.get('custom_id'))} failed and has no answer: {why}"
    return Finding("unparseable-record", "info", says, entry.place.native, entry.place.pointer, entry.place.line)


FORMAT = Format(
    name="openai_batch",
    title="OpenAI Batch",
    recognise=recognise,
    read=read,
    help="The JSON Lines that a batch of chat completions is made of, or the ones that came back.",
    shape="own_messages.SHAPE",
)
