"""Spans of OpenTelemetry exports, each with its attributes and where they stand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from inspector.formats.entries import Entry
from inspector.formats.lenient import step
from inspector.formats.rows import Place
from inspector.formats.shapes import as_dict, as_list, as_text

_SCOPES = ("scopeSpans", "instrumentationLibrarySpans", "scope_spans")
_RESOURCES = ("resourceSpans", "batches", "resource_spans")
_DEPTH = 16


def spans_in(entry: Entry) -> Iterator[Entry]:
    """The spans of an export: OTLP (`resourceSpans`), a list under `spans`, Jaeger's `data`, or one span."""
    if not isinstance(entry.value, dict):
        return
    for key in _RESOURCES:
        for resource in entry.each(key):
            for scope in (scope for name in _SCOPES for scope in resource.each(name)):
                yield from (span for span in scope.each("spans") if isinstance(span.value, dict))
    traces = [entry, *entry.each("data")]
    yield from (span for trace in traces for span in trace.each("spans") if isinstance(span.value, dict))
    if is_span(entry.value):
        yield entry


def is_span(value: Any) -> bool:
    """Whether a value is a span by itself."""
    if not isinstance(value, dict) or not isinstance(value.get("attributes"), (dict, list)):
        return False
    return not value.keys().isdisjoint(("spanId", "span_id", "context", "start_time", "startTimeUnixNano"))


class Span:
    """A span's attributes, flat; those of its events that describe the request are among them."""

    def __init__(self, entry: Entry) -> None:
        self.entry = entry
        self._held: dict[str, tuple[Any, str]] = {}
        for key in ("attributes", "tags"):
            self._take(entry.at(key))
        for event in entry.each("events"):
            if as_text(as_dict(event.value).get("name")).endswith("inference.operation.details"):
                self._take(event.at("attributes"))

    def _take(self, attributes: Entry) -> None:
        pointer = attributes.place.pointer
        if isinstance(attributes.value, dict):
            for key, value in attributes.value.items():
                self._held[key] = (plain(value), pointer + step(key))
        for at, one in enumerate(as_list(attributes.value)):
            if isinstance(one, dict) and isinstance(one.get("key"), str):
                self._held[one["key"]] = (plain(one.get("value")), f"{pointer}/{at}/value{_inside(one.get('value'))}")

    @property
    def names(self) -> list[str]:
        """The names of the attributes."""
        return list(self._held)

    def get(self, *keys: str) -> Any:
        """The value of the first attribute that there is."""
        return next((self._held[key][0] for key in keys if key in self._held), None)

    def text(self, *keys: str) -> str:
        """The first attribute that is a text."""
        return next((text for key in keys if (text := as_text(self.get(key)))), "")

    def count(self, *keys: str) -> int:
        """The first attribute that is a figure; OTLP writes whole numbers as text."""
        for key in keys:
            value = self.get(key)
            if isinstance(value, (int, float)) and 0 < value < 1 << 63:
                return int(value)
            if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 19:
                return int(value)
        return 0

    def place(self, key: str) -> Place:
        """Where an attribute stands."""
        return self.entry.place._replace(pointer=self._held[key][1])

    @property
    def trace(self) -> str:
        """The trace that the span belongs to."""
        value = self.entry.value
        known: Mapping[str, Any] = as_dict(value.get("context"))
        held = (value.get("traceId"), value.get("trace_id"), value.get("traceID"), known.get("trace_id"))
        return next((str(one) for one in held if isinstance(one, (str, int))), "")

    @property
    def start(self) -> tuple[int, str]:
        """When it started, for sorting."""
        value = self.entry.value
        for key in ("startTimeUnixNano", "start_time_unix_nano", "start_time", "startTime"):
            held = value.get(key)
            if isinstance(held, int):
                return held, ""
            if isinstance(held, str):
                return (int(held), "") if held.isascii() and held.isdecimal() and len(held) < 30 else (0, held)
        return 0, ""


def plain(value: Any, depth: int = 0) -> Any:
    """A value without OTLP's wrapping of it."""
    if not isinstance(value, dict) or depth > _DEPTH:
        return value
    for key in ("stringValue", "intValue", "doubleValue", "boolValue", "string_value", "int_value"):
        if key in value:
            return value[key]
    if "arrayValue" in value:
        return [plain(one, depth + 1) for one in as_list(as_dict(value["arrayValue"]).get("values"))]
    if "kvlistValue" in value:
        pairs = [one for one in as_list(as_dict(value["kvlistValue"]).get("values")) if isinstance(one, dict)]
        return {one["key"]: plain(one.get("value"), depth + 1) for one in pairs if isinstance(one.get("key"), str)}
    return value


def _inside(value: Any) -> str:
    """Where in OTLP's wrapping the text stands."""
    return "/stringValue" if isinstance(value, dict) and "stringValue" in value else ""
