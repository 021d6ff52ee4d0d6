"""ATIF, Harbor's agent trajectory interchange format: `{"schema_version": "ATIF-v1.x", "steps": [...]}`.

- An agent's step is one assistant message; the results in its observation are rows of their own, named by
  `source_call_id`. A step without calls was told its observation as text: there it is a user message.
- Embedded trajectories of subagents are side conversations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from inspector.formats.datasets import arguments
from inspector.formats.entries import Entry, entries_of, root_of, samples_of, where
from inspector.formats.format import Conversation, Format, Recording
from inspector.formats.rows import Draft, Rows, Spot, call_entry, data_image, image_part, joined
from inspector.formats.shapes import as_count, as_dict, as_list, as_text, dicts, unreadable
from inspector.message import Body, Usage

ROLES: Mapping[str, str] = {"agent": "assistant", "user": "user", "system": "system"}


def recognise(recording: Recording) -> bool:
    """Whether a recording names an ATIF version."""
    return any(map(_is_trajectory, samples_of(recording)))


def _is_trajectory(value: Any) -> bool:
    named = isinstance(value, dict) and as_text(value.get("schema_version")).startswith("ATIF-")
    return named and isinstance(value.get("steps"), list)


def read(recording: Recording) -> list[Conversation]:
    """Every trajectory, each with those of its subagents."""
    several = recording.lines or isinstance(recording.document, list)
    roots = entries_of(recording) if several else [root_of(recording)]
    return [one for root in roots if _is_trajectory(root.value) for one in _trajectory(root)]


def _trajectory(root: Entry) -> Iterator[Conversation]:
    yield _conversation(root, side=False)
    for inner in root.each("subagent_trajectories"):
        if isinstance(inner.value, dict) and isinstance(inner.value.get("steps"), list):
            yield _conversation(inner, side=True)


def _conversation(root: Entry, *, side: bool) -> Conversation:
    rows, usage, steps = Rows(), list[Usage](), root.each("steps")
    agent = as_dict(root.value.get("agent"))
    model = as_text(agent.get("model_name"))
    for native, step in enumerate(steps):
        if isinstance(step.value, dict):
            usage += _add(rows, native, step.value)
            model = model or as_text(step.value.get("model_name"))
    return Conversation(
        messages=rows.messages,
        origin=rows.origins(where(steps)),
        title=as_text(root.value.get("session_id")) or as_text(root.value.get("trajectory_id")),
        model=model or None,
        tools=dicts(agent.get("tool_definitions")),
        usage=tuple(usage),
        damage=tuple(
            unreadable(step.place.native, step.place.pointer, step.value, numbered=step.place.line is not None)
            for step in steps
            if not isinstance(step.value, dict)
        ),
        side=side,
    )


def _add(rows: Rows, native: int, step: Body) -> list[Usage]:
    """Add a step: the message and its results; what it took."""
    draft, source = Draft(), as_text(step.get("source"))
    for spot, part in _parts(native, "/message", step.get("message")):
        draft.say(spot, part)
    if as_text(step.get("reasoning_content")):
        draft.think(Spot(native, "/reasoning_content"), step["reasoning_content"])
    calls = [(at, call) for at, call in enumerate(as_list(step.get("tool_calls"))) if isinstance(call, dict)]
    for at, call in calls:
        entry = call_entry(call.get("tool_call_id"), call.get("function_name"), arguments(call.get("arguments")))
        draft.call(Spot(native, f"/tool_calls/{at}"), entry)
    row = len(rows)
    rows.add(native, ROLES.get(source, "other"), draft)
    _add_observation(rows, native, step, answered=bool(calls))
    return _usage(row, as_dict(step.get("metrics")))


def _add_observation(rows: Rows, native: int, step: Body, *, answered: bool) -> None:
    for at, result in enumerate(as_list(as_dict(step.get("observation")).get("results"))):
        if not isinstance(result, dict):
            continue
        pointer = f"/observation/results/{at}/content"
        parts = _parts(native, pointer, result.get("content"))
        if answered or result.get("source_call_id"):
            content = joined([part for _, part in parts])
            rows.result(Spot(native, pointer), result.get("source_call_id"), content)
        elif parts:
            draft = Draft()
            for spot, part in parts:
                draft.say(spot, part)
            rows.add(native, "user", draft)


def _parts(native: int, pointer: str, content: Any) -> list[tuple[Spot, str | Body]]:
    if isinstance(content, list):
        return [(Spot(native, f"{pointer}/{at}"), _part(part)) for at, part in enumerate(content)]
    return [] if content is None else [(Spot(native, pointer), arguments(content))]


def _part(part: Any) -> str | Body:
    """A part of a message: a text, or an image by its path or in base64."""
    if not isinstance(part, dict):
        return arguments(part)
    if part.get("type") == "text" and isinstance(part.get("text"), str):
        return str(part["text"])
    source = as_dict(part.get("source"))
    if part.get("type") == "image" and isinstance(source.get("data"), str):
        return data_image(source.get("media_type"), source["data"])
    address = as_text(source.get("path")) or as_text(source.get("url"))
    return image_part(address) if part.get("type") == "image" and address else part


def _usage(row: int, metrics: Body) -> list[Usage]:
    taken, made = as_count(metrics.get("prompt_tokens")), as_count(metrics.get("completion_tokens"))
    return [Usage(row, taken, as_count(metrics.get("cached_tokens")), made)] if taken or made else []


FORMAT = Format(
    name="atif",
    title="ATIF (Harbor)",
    recognise=recognise,
    read=read,
    help="A trajectory of schema ATIF-v1, one a file or one a line.",
)
