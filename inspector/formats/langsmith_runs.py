"""LangSmith runs: batches of `post` and `patch`, or runs as its interface exports them.

A run is posted when it starts and patched when it ends; the two are one. Only runs of a model are requests; where a
trace has none, the messages that its root was given and gave are read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from inspector.formats.entries import Entry, entries_of, root_of, samples_of
from inspector.formats.format import Conversation, Format, Recording
from inspector.formats.requests import Request, Turn, conversations
from inspector.formats.shapes import as_count, as_dict, as_list, as_text, dicts
from inspector.message import Body, Usage

_INPUTS = (("messages",), ("input", "messages"), ("input",), ("prompts",), ("prompt",), ("question",))
_OUTPUTS = (("choices",), ("generations",), ("messages",), ("message",), ("output",))


def recognise(recording: Recording) -> bool:
    """Whether a recording holds runs, or batches of them."""
    return any(_is_batch(value) or _is_run(value) for value in samples_of(recording))


def _is_batch(value: Any) -> bool:
    lists = [as_list(value.get(key)) for key in ("post", "patch")] if isinstance(value, dict) else []
    return any(_is_part(run) for some in lists for run in some[:20])


def _is_part(run: Any) -> bool:
    return isinstance(run, dict) and "id" in run and ("trace_id" in run or "dotted_order" in run or "run_type" in run)


def _is_run(value: Any) -> bool:
    return isinstance(value, dict) and "run_type" in value and ("inputs" in value or "outputs" in value)


def read(recording: Recording) -> list[Conversation]:
    """The conversations of all traces."""
    runs = _merged(list(_runs(recording)))
    models = [run for run in runs if run.text("run_type") == "llm"]
    traces = {run.trace for run in models}
    roots = [run for run in runs if run.trace not in traces and not run.text("parent_run_id")]
    found = [request for run in [*models, *roots] if (request := _request(run)).turns or request.answer]
    return conversations(found)


def _runs(recording: Recording) -> Iterator[Entry]:
    several = recording.lines or isinstance(recording.document, list)
    for entry in entries_of(recording) if several else [root_of(recording)]:
        if _is_batch(entry.value):
            yield from (run for key in ("post", "patch") for run in entry.each(key) if isinstance(run.value, dict))
        elif _is_run(entry.value):
            yield entry


class _Run:
    """A run, put together from its records."""

    def __init__(self) -> None:
        self.records: list[Entry] = []

    def text(self, key: str) -> str:
        """The last text under a key."""
        found = (as_text(record.value.get(key)) for record in reversed(self.records))
        return next((text for text in found if text), "")

    def part(self, key: str) -> Entry:
        """The last value under a key that is not empty."""
        held = [record.at(key) for record in self.records]
        return next((one for one in reversed(held) if one.value), held[-1])

    @property
    def trace(self) -> str:
        """What ties runs together."""
        return self.text("trace_id") or self.text("id")


def _merged(records: list[Entry]) -> list[_Run]:
    runs: dict[str, _Run] = {}
    for number, record in enumerate(records):
        runs.setdefault(as_text(record.value.get("id")) or f"#{number}", _Run()).records.append(record)
    return sorted(runs.values(), key=lambda run: run.text("dotted_order") or run.text("start_time"))


def _request(run: _Run) -> Request:
    inputs, outputs, extra = run.part("inputs"), run.part("outputs"), as_dict(run.part("extra").value)
    metadata, asked = as_dict(extra.get("metadata")), as_dict(extra.get("invocation_params"))
    given = as_dict(inputs.value)
    names = (metadata.get("ls_model_name"), given.get("model"), asked.get("model"), asked.get("model_name"))
    return Request(
        group=run.trace,
        turns=_turns(inputs),
        answer=_answer(outputs),
        usage=_usage(run, as_dict(outputs.value)),
        model=next((name for name in map(as_text, names) if name), ""),
        tools=dicts(given.get("tools")) or dicts(asked.get("tools")),
        title=run.text("name"),
    )


def _turns(inputs: Entry) -> list[Turn]:
    for keys in _INPUTS:
        inner = inputs.at(*keys)
        if isinstance(inner.value, str) and inner.value:
            return [Turn(inner.value, inner.place)]
        some = inner.each()
        if some and isinstance(some[0].value, list):  # one list for each prompt of a batch
            some = some[0].each()
        if some:
            return [Turn(one.value, one.place) for one in some if isinstance(one.value, (dict, str))]
    return []


def _answer(outputs: Entry) -> Turn | None:
    for keys in _OUTPUTS:
        inner = outputs.at(*keys)
        if isinstance(inner.value, (str, dict)) and inner.value:
            return Turn(inner.value, inner.place, "assistant")
        some = inner.each()
        while some and isinstance(some[0].value, list):
            some = some[0].each()
        if some:
            return _chosen(some[-1] if keys == ("messages",) else some[0])
    return Turn(outputs.value, outputs.place, "assistant") if "role" in as_dict(outputs.value) else None


def _chosen(one: Entry) -> Turn | None:
    message = one.at("message")
    if isinstance(message.value, dict):
        return Turn(message.value, message.place, "assistant")
    text = one.at("text")
    found = text if isinstance(text.value, str) else one
    return Turn(found.value, found.place, "assistant") if isinstance(found.value, (str, dict)) else None


def _usage(run: _Run, outputs: Body) -> Usage | None:
    found = _answer(run.part("outputs"))
    answer = as_dict(found.value) if found else {}
    kwargs = as_dict(answer.get("kwargs")) or as_dict(answer.get("data")) or answer
    counts = as_dict(outputs.get("usage_metadata")) or as_dict(kwargs.get("usage_metadata"))
    if counts:
        cached = as_count(as_dict(counts.get("input_token_details")).get("cache_read"))
        return Usage(-1, as_count(counts.get("input_tokens")), cached, as_count(counts.get("output_tokens")))
    llm = as_dict(as_dict(outputs.get("llm_output")).get("token_usage"))
    counts = as_dict(outputs.get("usage")) or llm or as_dict(run.records[-1].value)
    taken = as_count(counts.get("prompt_tokens"))
    cached = as_count(as_dict(counts.get("prompt_tokens_details")).get("cached_tokens"))
    return Usage(-1, taken, cached, as_count(counts.get("completion_tokens"))) if taken else None


FORMAT = Format(
    name="langsmith_runs",
    title="LangSmith runs",
    recognise=recognise,
    read=read,
    help="Runs as JSON or JSON Lines, or the batches that a client posts.",
)
