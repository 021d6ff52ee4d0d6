"""Langfuse: a trace with its observations, a list of observations, or one of them.

- Only generations are requests; where there are none, what the trace was given and gave. Observations stand in any
  order: they are sorted by their start.
- The input may be a list of messages, an object that holds one, or text of JSON or of a Python value.
- Definitions of tools stand among the messages of some frameworks as results without an id; they are definitions.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from inspector.formats.datasets import parsed
from inspector.formats.entries import Entry, entries_of, root_of, samples_of
from inspector.formats.format import Conversation, Format, Recording
from inspector.formats.requests import Request, Turn, conversations
from inspector.formats.shapes import as_count, as_dict, as_text, dicts
from inspector.message import Body, Usage

KINDS = frozenset(("GENERATION", "SPAN", "EVENT", "AGENT", "TOOL", "CHAIN", "RETRIEVER", "EVALUATOR", "EMBEDDING",
                   "GUARDRAIL"))  # fmt: skip
LONGEST_REPR = 1_000_000
"""Characters of a Python value that are read; Python's parser takes some hundred bytes for each."""


def recognise(recording: Recording) -> bool:
    """Whether a recording holds observations."""
    return any(_is_observation(value) or _observations_in(value) for value in samples_of(recording))


def _is_observation(value: Any) -> bool:
    named = isinstance(value, dict) and as_text(value.get("type")) in KINDS
    return bool(named and ("traceId" in value or "trace_id" in value) and ("input" in value or "output" in value))


def _observations_in(value: Any) -> tuple[str, ...]:
    """The keys that lead to a list of observations."""
    root = Entry(value, root_of(Recording("")).place)
    for keys in (("observations",), ("trace", "observations")):
        if any(_is_observation(one.value) for one in root.each(*keys)[:50]):
            return keys
    return ()


def read(recording: Recording) -> list[Conversation]:
    """The conversations of all traces."""
    several = recording.lines or isinstance(recording.document, list)
    entries = entries_of(recording) if several else [root_of(recording)]
    observations = [entry for entry in entries if _is_observation(entry.value)]
    for entry in entries:
        observations += entry.each(*(_observations_in(entry.value) or ("observations",)))
    observations = [one for one in observations if isinstance(one.value, dict)]
    observations.sort(key=lambda one: as_text(one.value.get("startTime")) or as_text(one.value.get("start_time")))
    generations = [one for one in observations if one.value.get("type") == "GENERATION"]
    found = [request for one in generations if (request := _request(one)).turns]
    if not found:
        traces = [entry.at("trace") if isinstance(entry.at("trace").value, dict) else entry for entry in entries]
        found = [request for one in [*traces, *observations] if (request := _request(one)).turns][:1]
    return conversations(found)


def _request(one: Entry) -> Request:
    turns = list(_turns(one.at("input")))
    value = as_dict(one.value)
    extra = as_dict(parsed(value.get("input")))
    tools = [tool for turn in turns if (tool := _definition(turn.value))]
    return Request(
        group=as_text(value.get("traceId")) or as_text(value.get("trace_id")) or as_text(value.get("id")),
        turns=[turn for turn in turns if not _definition(turn.value)],
        answer=next(reversed(list(_turns(one.at("output"), "assistant"))), None),
        usage=_usage(value),
        model=as_text(value.get("model")) or as_text(value.get("providedModelName")),
        tools=(*dicts(extra.get("tools")), *tools),
        title=as_text(value.get("name")),
    )


def _turns(given: Entry, role: str = "user") -> Iterator[Turn]:
    """The messages of an input or output; those in a text have their place inside it after a #."""
    value = given.value
    if isinstance(value, str):
        value = _unquoted(value)
        if not isinstance(value, (dict, list)):
            yield Turn(given.value, given.place, role)
            return
        given = Entry(value, given.place._replace(pointer=f"{given.place.pointer}#"))
    if isinstance(value, dict):
        choices = given.each("choices")
        inner = given.at("messages")
        if choices:
            yield Turn(choices[0].at("message").value, choices[0].at("message").place, role)
            return
        if not isinstance(inner.value, list):
            yield Turn(value, given.place, role)
            return
        given = inner
    for one in given.each():
        if isinstance(one.value, (dict, str)):
            yield Turn(one.value, one.place, role)


def _unquoted(text: str) -> Any:
    """The value that a text spells, as JSON or as Python writes it; the text where it spells none."""
    value = parsed(text) if text[:1] in ("{", "[") else None
    if value is not None or text[:1] not in ("{", "[") or len(text) > LONGEST_REPR:
        return text if value is None else value
    try:
        return ast.literal_eval(text)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return text


def _definition(value: Any) -> Body | None:
    """A tool's definition in the shape of a message."""
    message = as_dict(value)
    content = as_dict(message.get("content"))
    fake = message.get("role") == "tool" and content.get("type") == "function" and "tool_call_id" not in message
    return content if fake and isinstance(content.get("function"), dict) else None


def _usage(value: Body) -> Usage | None:
    counts = as_dict(value.get("usageDetails")) or as_dict(value.get("usage_details")) or as_dict(value.get("usage"))
    cached = sum(as_count(count) for name, count in counts.items() if "cache_read" in name or "cached" in name)
    taken, made = as_count(counts.get("input")), as_count(counts.get("output"))
    total = as_count(counts.get("total"))
    return Usage(-1, max(taken, total - made), cached, made) if taken or made else None


FORMAT = Format(
    name="langfuse",
    title="Langfuse",
    recognise=recognise,
    read=read,
    help="A trace with its observations as JSON, or observations as JSON or JSON Lines.",
)
