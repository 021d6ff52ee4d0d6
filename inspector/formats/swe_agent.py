"""SWE-agent trajectories (`.traj`): `history` is the conversation; each step repeats the prompt that it sent.

- Up to 0.7 actions are text; since 1.0 they are `tool_calls`, and a result names them in a list, `tool_call_ids`. A
  replayed run uses ids again inside one conversation.
- The prompts repeated in `trajectory` are not read: they are the history once more, with older observations elided by
  the run's history processors. A run without history is put together from its steps.
- Tokens are recorded for the whole run only, so there is no usage by request.
"""

from __future__ import annotations

from typing import Any

from inspector.formats.datasets import arguments
from inspector.formats.entries import Entry, entries_of, root_of, samples_of, where
from inspector.formats.format import Conversation, Format, Recording
from inspector.formats.openai_chat import is_message
from inspector.formats.rows import Draft, Rows, Spot, call_entry, image_part
from inspector.formats.shapes import as_dict, as_list, as_text, unreadable
from inspector.message import Body


def recognise(recording: Recording) -> bool:
    """Whether a recording is a trajectory, or holds some."""
    return any(map(_is_run, samples_of(recording)))


def _is_run(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("trajectory"), list):
        return False
    steps = [step for step in value["trajectory"][:50] if isinstance(step, dict)]
    return isinstance(value.get("history"), list) or any({"action", "observation"} <= step.keys() for step in steps)


def read(recording: Recording) -> list[Conversation]:
    """One conversation a run."""
    runs = entries_of(recording) if recording.lines or isinstance(recording.document, list) else [root_of(recording)]
    return [_conversation(run) for run in runs if _is_run(run.value)]


def _conversation(run: Entry) -> Conversation:
    history = run.each("history")
    rows, entries = Rows(), history or run.each("trajectory")
    for native, entry in enumerate(entries):
        if history and is_message(entry.value):
            add_message(rows, native, entry.value)
        elif not history and isinstance(entry.value, dict):
            _add_step(rows, native, entry.value)
    config = as_dict(as_dict(as_dict(run.value.get("replay_config")).get("agent")).get("model"))
    return Conversation(
        messages=rows.messages,
        origin=rows.origins(where(entries)),
        title=as_text(run.value.get("instance_id")) or as_text(run.value.get("environment")),
        model=as_text(config.get("name")) or None,
        damage=tuple(
            unreadable(entry.place.native, entry.place.pointer, entry.value, numbered=entry.place.line is not None)
            for entry in entries
            if not (is_message(entry.value) if history else isinstance(entry.value, dict))
        ),
    )


def add_message(rows: Rows, native: int, message: Body) -> None:
    """Add an OpenAI-shaped entry with fields of the tool's own; of those only what the model is sent is kept."""
    draft, content, role = Draft(), message.get("content"), message["role"]
    for number, part in enumerate(content if isinstance(content, list) else []):
        draft.say(Spot(native, f"/content/{number}"), _text_or_part(part))
    if content is not None and not isinstance(content, list):
        draft.say(Spot(native, "/content"), arguments(content))
    thought = as_text(message.get("reasoning_content"))
    if thought:
        draft.think(Spot(native, "/reasoning_content"), thought)
    for number, block in enumerate(as_list(message.get("thinking_blocks"))):
        text = as_text(block.get("thinking")) if isinstance(block, dict) and not thought else ""
        draft.think(Spot(native, f"/thinking_blocks/{number}"), text, block)
    if role == "tool":
        name = as_text(message.get("name"))
        rows.result(Spot(native, "/content"), _answers(message), draft.body(role)["content"], name=name)
        return
    for number, call in enumerate(as_list(message.get("tool_calls"))):
        if isinstance(call, dict):
            function = as_dict(call.get("function"))
            entry = call_entry(call.get("id"), function.get("name"), arguments(function.get("arguments")))
            draft.call(Spot(native, f"/tool_calls/{number}"), entry)
    rows.add(native, role, draft)


def _text_or_part(part: Any) -> str | Body:
    if not isinstance(part, dict):
        return arguments(part)
    if part.get("type") == "text" and isinstance(part.get("text"), str):
        return str(part["text"])
    url = part.get("image_url")
    return image_part(url) if part.get("type") == "image_url" and isinstance(url, str) else part


def _answers(message: Body) -> Any:
    ids = as_list(message.get("tool_call_ids"))
    return ids[0] if ids else message.get("tool_call_id")


def _add_step(rows: Rows, native: int, step: Body) -> None:
    """A step of a run without history: what the model answered, and what it was told."""
    for key, role in (("response", "assistant"), ("observation", "user")):
        said = step.get(key)
        if isinstance(said, str):
            draft = Draft()
            draft.say(Spot(native, f"/{key}"), said)
            rows.add(native, role, draft)


FORMAT = Format(
    name="swe_agent",
    title="SWE-agent",
    recognise=recognise,
    read=read,
    help="A .traj file of a run.",
)
