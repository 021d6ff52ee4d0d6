"""What only the events of an Inspect AI sample say: usage, compactions, tools, subagents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from inspector.formats.entries import Entry
from inspector.formats.inspect_messages import Messages
from inspector.formats.openai_chat import is_message
from inspector.formats.shapes import as_count, as_dict, as_list, as_text, dicts, tokens_or_none
from inspector.message import Body, Compaction, Usage

MOST_INPUT = 100_000
"""Messages that the references of one event may lead to: two numbers can name any range of a pool."""


class Events:
    """The events of a sample."""

    def __init__(self, sample: Entry) -> None:
        self.attachments: Mapping[str, Any] = as_dict(sample.value.get("attachments"))
        self._events = [event for event in sample.each("events") if isinstance(event.value, dict)]
        self._pool = sample.each("message_pool") or sample.each("events_data", "messages")
        self._models = [event for event in self._events if event.value.get("event") == "model"]

    @property
    def model(self) -> str:
        """The model that the last model event names."""
        return next((name for event in reversed(self._models) if (name := as_text(event.value.get("model")))), "")

    @property
    def tools(self) -> tuple[Body, ...]:
        """The tools of the last model event that has some."""
        return next((tools for event in reversed(self._models) if (tools := dicts(event.value.get("tools")))), ())

    def usage(self, row_of: Mapping[str, int]) -> tuple[Usage, ...]:
        """Usage by request, of the answers that are in the message list."""
        found = ((row_of.get(_answer_id(event)), _usage(event)) for event in self._models)
        rows = {row: used for row, used in found if row is not None and used is not None}
        return tuple(Usage(row, *rows[row]) for row in sorted(rows))

    def compactions(self, main: Messages) -> tuple[Compaction, ...]:
        """Compactions, each with what the model was sent at the next request."""
        found, waiting = list[Compaction](), list[Body]()
        for event in self._events:
            if event.value.get("event") == "compaction":
                waiting.append(event.value)
            elif event.value.get("event") == "model" and waiting:
                row = main.row_of.get(_answer_id(event))
                if row is not None:
                    found.append(self._compaction(waiting[-1], event, row, main))
                    waiting.clear()
        return tuple(found)

    def _compaction(self, event: Body, request: Entry, row: int, main: Messages) -> Compaction:
        sent = [entry.value for entry in self._input(request) if is_message(entry.value)]
        rows = [main.row_of.get(as_text(message.get("id"))) for message in sent]
        first = next((at for at, known in enumerate(rows) if known is None or known >= row), len(rows))
        told = {known for known in rows[:first] if known is not None}
        kept = tuple(at for at, name in enumerate(main.ids[:row]) if main.row_of.get(name) in told)
        read = Messages(self.attachments)
        for native, message in enumerate(sent[first:]):
            read.add(native, message)
        before, after = tokens_or_none(event.get("tokens_before")), tokens_or_none(event.get("tokens_after"))
        kind = as_text(event.get("type")) or "compaction"
        return Compaction(row, kind, before, after, kept, tuple(read.rows.messages) or None)

    def sides(self, row_of: Mapping[str, int]) -> Iterator[tuple[str, str, list[Entry]]]:
        """Each subagent's name, model and messages."""
        spans = {as_text(one.value.get("id")): one.value for one in self._events if _begins(one.value)}
        last: dict[str, Entry] = {}
        for event in self._models:
            agent = _agent_of(as_text(event.value.get("span_id")), spans)
            if agent and _answer_id(event) not in row_of:
                last[agent] = event
        for agent, event in last.items():
            answer = _answer(event)
            inputs = [*self._input(event), *([answer] if is_message(answer.value) else [])]
            yield as_text(spans[agent].get("name")) or "agent", as_text(event.value.get("model")), inputs

    def _input(self, event: Entry) -> list[Entry]:
        own = event.each("input")
        return own or list(self._referred(as_list(event.value.get("input_refs"))))

    def _referred(self, refs: Sequence[Any]) -> Iterator[Entry]:
        left = MOST_INPUT
        for ref in refs:
            start, end = ref if isinstance(ref, list) and len(ref) == 2 else (0, 0)
            if type(start) is int and type(end) is int:
                some = self._pool[max(start, 0) : max(min(end, start + left), 0)]
                left -= len(some)
                yield from some


def _begins(event: Body) -> bool:
    return event.get("event") == "span_begin"


def _agent_of(span: str, spans: Mapping[str, Body]) -> str:
    """The nearest span of type agent at or above a span; empty where there is none."""
    seen: set[str] = set()
    while span in spans and span not in seen:
        if spans[span].get("type") == "agent":
            return span
        seen.add(span)
        span = as_text(spans[span].get("parent_id"))
    return ""


def _answer(event: Entry) -> Entry:
    choices = event.each("output", "choices")
    return choices[0].at("message") if choices else event.at("output", "choices")


def _answer_id(event: Entry) -> str:
    return as_text(as_dict(_answer(event).value).get("id"))


def _usage(event: Entry) -> tuple[int, int, int] | None:
    """Input, cached and output tokens. Inspect keeps each provider's own idea of whether the input includes what the
    cache held; the total tells (inspect_ai, ModelUsage)."""
    usage = as_dict(as_dict(event.value.get("output")).get("usage"))
    taken, made = as_count(usage.get("input_tokens")), as_count(usage.get("output_tokens"))
    taken = max(taken, as_count(usage.get("total_tokens")) - made)
    return (taken, as_count(usage.get("input_tokens_cache_read")), made) if taken or made else None
