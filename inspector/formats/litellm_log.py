"""LiteLLM: one logged completion a file or a line, with request, response and cost (OpenHands writes such dumps too).

Request and answer are Chat Completions; the answer is the last message. Where the proxy emulates tools in text
(`raw_messages`), the messages as the agent holds them are read.
"""

from __future__ import annotations

from typing import Any

from inspector.formats import openai_chat
from inspector.formats.entries import samples_of
from inspector.formats.format import Format, Recording

_MARKS = frozenset((
    "kwargs", "cost", "raw_messages", "raw_response", "latency_sec", "response_cost", "litellm_params", "call_type",
    "litellm_call_id", "standard_logging_object", "api_base", "context_window",
))  # fmt: skip
"""Keys of which LiteLLM's callbacks and OpenHands' dumps write at least one beside messages and response."""


def recognise(recording: Recording) -> bool:
    """Whether a recording holds logged completions with LiteLLM's own fields."""
    return any(map(_is_log, samples_of(recording)))


def _is_log(value: Any) -> bool:
    if not isinstance(value, dict) or _MARKS.isdisjoint(value):
        return False
    messages = value.get("messages")
    answered = openai_chat.answer_of(value) is not None
    return isinstance(messages, list) and openai_chat.looks_like_messages(messages) and answered


FORMAT = Format(
    name="litellm_log",
    title="LiteLLM log",
    recognise=recognise,
    read=openai_chat.read,
    help="A logged completion as JSON, or a log of them as JSON Lines.",
    shape="own_messages.SHAPE",
)
