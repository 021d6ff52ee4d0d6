"""mini-swe-agent trajectories: OpenAI-shaped messages, each with the raw response and the cost in `extra`.

- Version 2 (`trajectory_format`) calls a tool; before, actions were code blocks in the text, and the file was a bare
  list or `{"info", "messages"}`.
- The last entry of role `exit` is the run's outcome, no message; the call that submitted has no result.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inspector.finding import Finding
from inspector.formats.chat_rows import add_message
from inspector.formats.entries import Entry, root_of, where
from inspector.formats.format import Conversation, Format, Recording
from inspector.formats.openai_chat import is_message
from inspector.formats.rows import Rows
from inspector.formats.shapes import as_count, as_dict, as_text, unreadable
from inspector.message import Body, Usage

EXIT = "exit"
_OBSERVED = ("<returncode>", "<exception>")
"""How an observation begins in the templates of the first versions, which leave no other mark on the file."""


def recognise(recording: Recording) -> bool:
    """Whether a recording names the format, or is a run of the first versions."""
    document = recording.document
    if isinstance(document, list):
        return _acts_in_text(document[:50])
    if not isinstance(document, dict) or not isinstance(document.get("messages"), list):
        return False
    info = as_dict(document.get("info"))
    named = as_text(document.get("trajectory_format")).startswith("mini-swe-agent")
    return named or "mini_version" in info or ("exit_status" in info and "model_stats" in info)


def _acts_in_text(entries: Sequence[Any]) -> bool:
    said = [(entry["role"], as_text(entry.get("content"))) for entry in entries if is_message(entry)]
    if len(said) != len(entries) or any("tool_calls" in entry for entry in entries):
        return False
    acts = any(role == "assistant" and "```" in text for role, text in said)
    return acts and any(role == "user" and text.startswith(_OBSERVED) for role, text in said)


def read(recording: Recording) -> list[Conversation]:
    """The one conversation of a run."""
    root = root_of(recording)
    entries = root.each() if isinstance(root.value, list) else root.each("messages")
    info = as_dict(root.value.get("info")) if isinstance(root.value, dict) else {}
    rows, usage, model = Rows(), [], ""
    for native, entry in enumerate(entries):
        if not is_message(entry.value) or entry.value["role"] == EXIT:
            continue
        add_message(rows, native, entry.value)
        response = as_dict(as_dict(entry.value.get("extra")).get("response"))
        usage += _usage(len(rows) - 1, as_dict(response.get("usage")))
        model = as_text(response.get("model")) or model
    config = as_dict(as_dict(info.get("config")).get("model"))
    title = as_text(root.value.get("instance_id")) if isinstance(root.value, dict) else ""
    return [
        Conversation(
            messages=rows.messages,
            origin=rows.origins(where(entries)),
            title=title,
            model=model or as_text(config.get("model_name")) or None,
            usage=tuple(usage),
            damage=tuple(map(_no_message, (entry for entry in entries if not is_message(entry.value)))),
        )
    ]


def _no_message(entry: Entry) -> Finding:
    return unreadable(entry.place.native, entry.place.pointer, entry.value, numbered=False, wanted="a message")


def _usage(row: int, usage: Body) -> list[Usage]:
    taken, made = as_count(usage.get("prompt_tokens")), as_count(usage.get("completion_tokens"))
    cached = as_count(as_dict(usage.get("prompt_tokens_details")).get("cached_tokens"))
    return [Usage(row, taken, cached, made)] if taken else []


FORMAT = Format(
    name="mini_swe_agent",
    title="mini-swe-agent",
    recognise=recognise,
    read=read,
    help="A .traj.json file of a run.",
)
