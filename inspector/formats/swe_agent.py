"""SWE-agent trajectories (`.traj`): `history` is the conversation; each step repeats the prompt that it sent.

- Up to 0.7 actions are text; since 1.0 they are `tool_calls`, and a result names them in a list, `tool_call_ids`. A
  replayed run uses ids again inside one conversation.
- The prompts repeated in `trajectory` are not read: they are the history once more, with older observations elided by
  the run's history processors. A run without history is put together from its steps.
- What the history processors go by (`MARKS`) stays on a row; the model is not sent it.
- Tokens are recorded for the whole run only, so there is no usage by request.
"""

from __future__ import annotations

from typing import Any

from inspector.formats.chat_rows import add_message
from inspector.formats.entries import Entry, entries_of, root_of, samples_of, where
from inspector.formats.format import Conversation, Format, Recording
from inspector.formats.openai_chat import is_message
from inspector.formats.rows import Draft, Rows, Spot
from inspector.formats.shapes import as_dict, as_text, unreadable
from inspector.message import Body

MARKS = ("is_demo", "tags")
"""Of a message: whether it is a demonstration, and words that say whether its text is elided when it is old."""


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
            rows.messages[-1].update({key: entry.value[key] for key in MARKS if entry.value.get(key)})
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
