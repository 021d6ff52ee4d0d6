"""OpenTelemetry traces of model calls: the GenAI conventions, current and older, and OpenInference.

- A span of a model call is a request. Messages stand in attributes: as JSON text (`gen_ai.input.messages`), spread over
  keys (`gen_ai.prompt.0.role`, `llm.input_messages.0.message.role`), or in span events, one a message.
- any-agent puts the input on the first span only. A span without an input goes on from the one before it in its trace,
  with the results of the tool spans between them; there are no ids, calls and results pair by place.
- Exporters cut long attributes, so JSON text may end in the middle: what is whole of it is read, and the cut named.
- What follows a # in a pointer leads into the JSON text of an attribute.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import orjson

from inspector.finding import Finding
from inspector.formats.document import Walk
from inspector.formats.entries import Entry, entries_of, root_of, samples_of
from inspector.formats.format import Conversation, Format, Recording
from inspector.formats.otel_keys import spread
from inspector.formats.otel_spans import Span, is_span, spans_in
from inspector.formats.requests import Request, Turn, conversations
from inspector.formats.rows import Place
from inspector.formats.shapes import as_dict, as_list, as_text, dicts
from inspector.message import Body, Origin, Usage

_INPUT = ("gen_ai.input.messages", "gen_ai.prompt", "input.value")
_OUTPUT = ("gen_ai.output.messages", "gen_ai.completion", "gen_ai.output", "output.value")
_EVENTS = {
    "gen_ai.system.message": "system", "gen_ai.user.message": "user", "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool", "gen_ai.choice": "assistant",
}  # fmt: skip
_ASKS = frozenset(("call_llm", "chat", "text_completion", "generate_content", "LLM"))
_TOOLS = frozenset(("execute_tool", "TOOL"))
_MARKS = ("gen_ai.", "llm.", "openinference.")


def recognise(recording: Recording) -> bool:
    """Whether a recording holds spans, with attributes of model calls."""
    values = samples_of(recording)
    spans = [
        span for value in values for _, span in zip(range(500), spans_in(Entry(value, Place(0, ""))), strict=False)
    ]
    if not spans:
        return False
    return any(key.startswith(_MARKS) for span in spans for key in Span(span).names) or any(
        name in _EVENTS for span in spans for name in map(_event_name, as_list(span.value.get("events")))
    )


def _event_name(event: Any) -> str:
    return as_text(as_dict(event).get("name"))


def read(recording: Recording) -> list[Conversation]:
    """The conversations of all traces."""
    document = recording.document
    several = recording.lines or (isinstance(document, list) and any(map(_holds_spans, document[:50])))
    entries = entries_of(recording) if several else [root_of(recording)]
    spans = sorted((Span(span) for entry in entries for span in spans_in(entry)), key=lambda span: span.start)
    reader = _Reader()
    for span in spans:
        reader.take(span)
    found = conversations([request for request in reader.requests if request.turns or request.answer])
    return [replace(one, origin=_mapped(one.origin, reader.pointers)) for one in found]


def _holds_spans(value: Any) -> bool:
    return is_span(value) or any(True for _ in spans_in(Entry(value, Place(0, ""))))


def _mapped(origin: Callable[[int], Origin], pointers: dict[str, str]) -> Callable[[int], Origin]:
    """Origins with the places of messages that are spread over keys."""

    def mapped(row: int) -> Origin:
        found = origin(row)
        parts = tuple(pointers.get(part, part) for part in found.parts)
        return replace(found, pointer=pointers.get(found.pointer, found.pointer), parts=parts)

    return mapped


class _Reader:
    """Requests of spans in the order in which they started."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.pointers: dict[str, str] = {}
        """Real places of what was put together from several keys."""
        self._last: dict[str, Request] = {}
        self._results: dict[str, list[Turn]] = {}

    def take(self, span: Span) -> None:
        """Take the next span in."""
        kind = span.text("gen_ai.operation.name", "openinference.span.kind")
        if kind in _TOOLS:
            self._result(span)
        elif kind in _ASKS or (not kind and _asks(span)):
            self._ask(span)

    def _result(self, span: Span) -> None:
        for key in ("gen_ai.tool.call.result", "gen_ai.output", "output.value"):
            if span.get(key) is not None:
                name = span.text("gen_ai.tool.name", "tool.name")
                turn = Turn(span.get(key), span.place(key), "tool", name)
                self._results.setdefault(span.trace, []).append(turn)
                return

    def _ask(self, span: Span) -> None:
        damage: list[Finding] = []
        turns = [*self._instructions(span, damage), *self._turns(span, damage)]
        answers, trace = self._answers(span, damage), span.trace
        last = self._last.get(trace)
        if not turns and last:
            turns = [*last.turns, *([last.answer] if last.answer else []), *self._results.get(trace, ())]
        self._results.pop(trace, None)
        used = _usage(span)
        self._last[trace] = Request(
            group=trace,
            turns=turns,
            answer=answers[-1] if answers else None,
            usage=used if used.input or used.output else None,
            model=span.text("gen_ai.response.model", "gen_ai.request.model", "llm.model_name"),
            tools=_tools(span),
            title=as_text(span.entry.value.get("name")),
            damage=tuple(damage),
        )
        self.requests.append(self._last[trace])

    def _instructions(self, span: Span, damage: list[Finding]) -> list[Turn]:
        key = "gen_ai.system_instructions"
        if span.get(key) is None:
            return []
        value, inside = _json(span, key, damage)
        if isinstance(value, list):
            return [Turn({"role": "system", "parts": value}, inside, "system")]
        return [Turn(span.get(key), span.place(key), "system")]

    def _turns(self, span: Span, damage: list[Finding]) -> list[Turn]:
        found = list(_messages(span, _INPUT, "user", damage))
        return found or self._spread(span, ("gen_ai.prompt", "llm.input_messages")) or list(_told(span, "message"))

    def _answers(self, span: Span, damage: list[Finding]) -> list[Turn]:
        found = list(_messages(span, _OUTPUT, "assistant", damage))
        keys = ("gen_ai.completion", "llm.output_messages")
        return found or self._spread(span, keys) or list(_told(span, "choice"))

    def _spread(self, span: Span, prefixes: Sequence[str]) -> list[Turn]:
        for prefix in prefixes:
            messages, pointers = spread(span, prefix)
            if messages:
                self.pointers |= pointers
                return messages
        return []


def _asks(span: Span) -> bool:
    keys = ("gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.prompt", "gen_ai.completion")
    spread_over = ("gen_ai.prompt.", "gen_ai.completion.", "llm.input_messages.", "llm.output_messages.")
    told = any(_event_name(event) in _EVENTS for event in as_list(span.entry.value.get("events")))
    return told or any(key in keys or key.startswith(spread_over) for key in span.names)


def _messages(span: Span, keys: Sequence[str], role: str, damage: list[Finding]) -> Iterator[Turn]:
    """The messages of the first attribute of these that there is."""
    key = next((key for key in keys if span.get(key) is not None), None)
    if key is None:
        return
    value, inside = _json(span, key, damage)
    if isinstance(value, dict) and isinstance(value.get("messages"), list):
        value, inside = value["messages"], inside._replace(pointer=f"{inside.pointer}/messages")
    if isinstance(value, list) and any("tool.name" in as_dict(one) for one in value):
        yield Turn(value, span.place(key), "assistant")
    elif isinstance(value, list) and any("role" in as_dict(one) for one in value):
        for at, one in enumerate(value):
            if isinstance(one, (dict, str)):
                yield Turn(one, inside._replace(pointer=f"{inside.pointer}/{at}"), role)
    elif isinstance(value, dict) and "role" in value:
        yield Turn(value, inside, role)
    else:
        yield Turn(span.get(key), span.place(key), role)


def _json(span: Span, key: str, damage: list[Finding]) -> tuple[Any, Place]:
    """The value of an attribute whose text is JSON, and the place of what is inside it; None where it is no JSON."""
    text, place = span.get(key), span.place(key)
    if not isinstance(text, str):
        return text, place
    inside = place._replace(pointer=f"{place.pointer}#")
    try:
        return orjson.loads(text), inside
    except orjson.JSONDecodeError:
        if text.lstrip()[:1] not in ("[", "{"):
            return None, inside
    walk = Walk(text)
    value, _ = walk.read()
    if walk.cut and isinstance(value, list) and value:
        says = f"{place.pointer}: the exporter cut its text after {len(text):,} characters; what is whole is read"
        damage.append(Finding("truncated-record", "warning", says, place.native, place.pointer, place.line))
        return value, inside
    return None, inside


def _told(span: Span, wanted: str) -> Iterator[Turn]:
    """Messages that stand in events of their own."""
    for event in span.entry.each("events"):
        name = _event_name(event.value)
        if name not in _EVENTS or not name.endswith(wanted):
            continue
        held = Span(event)
        for key in ("message", "content"):
            value = held.get(key)
            if value is not None:
                yield _event_turn(held, key, value, _EVENTS[name])
                break
        else:
            if held.get("tool_calls") is not None:
                yield _event_turn(held, "tool_calls", held.get("tool_calls"), _EVENTS[name])


def _event_turn(held: Span, key: str, value: Any, role: str) -> Turn:
    message, inside = _json(held, key, []) if isinstance(value, str) else (value, held.place(key))
    if key == "message" and isinstance(message, dict):
        return Turn({"role": role, **message}, inside, role)
    calls, _ = _json(held, "tool_calls", []) if "tool_calls" in held.names else (None, inside)
    if calls or held.get("id") is not None:
        body: Body = {"role": role, "content": value if key == "content" else "", "tool_calls": as_list(calls)}
        return Turn({**body, "tool_call_id": held.get("id")}, held.entry.at("attributes").place, role)
    return Turn(value, held.place(key), role)


def _tools(span: Span) -> tuple[Body, ...]:
    found, _ = _json(span, "gen_ai.tool.definitions", []) if span.get("gen_ai.tool.definitions") else (None, None)
    return dicts(found)


def _usage(span: Span) -> Usage:
    taken = span.count("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt")
    made = span.count("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.token_count.completion")
    cached = span.count(
        "gen_ai.usage.cache_read.input_tokens", "gen_ai.usage.cache_read_input_tokens",
        "gen_ai.usage.details.cache_read_tokens", "llm.token_count.prompt_details.cache_read",
    )  # fmt: skip
    return Usage(-1, max(taken, cached), cached, made)


FORMAT = Format(
    name="otel_genai",
    title="OpenTelemetry GenAI",
    recognise=recognise,
    read=read,
    help="Spans of model calls as OTLP JSON, JSON Lines of it, or a list of spans.",
)
