"""OpenHands since late 2025 (the agent SDK): events with a `kind`, as JSON Lines or a folder with a file an event.

- Actions of one `llm_response_id` are one assistant message, at the first of them.
- The order of events in a folder is that of the numbers in their file names.
- Usage is recorded in `base_state.json` by response; in JSON Lines as running totals, of which the difference counts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from inspector.formats.blocks import json_text
from inspector.formats.datasets import arguments
from inspector.formats.entries import Entry, entries_of, samples_of, where
from inspector.formats.format import Conversation, Format, Recording
from inspector.formats.openhands_view import View, event_folders, no_events, say
from inspector.formats.rows import Draft, Rows, Spot, call_entry
from inspector.formats.shapes import as_count, as_dict, as_list, as_text, dicts
from inspector.formats.sources import split_file
from inspector.message import Body, Usage

KINDS = frozenset((
    "SystemPromptEvent", "SystemPromptUpdateEvent", "MessageEvent", "ActionEvent", "ObservationEvent",
    "AgentErrorEvent", "UserRejectObservation", "Condensation", "CondensationRequest", "CondensationSummaryEvent",
    "ConversationStateUpdateEvent", "PauseEvent", "InterruptEvent",
))  # fmt: skip
STATE = "base_state.json"
_FILE = re.compile(r"((?:.*/)?)event-(\d+)-[^/]*\.json")


def recognise(recording: Recording) -> bool:
    """Whether a recording holds events of the agent SDK."""
    if recording.files is not None:
        first = next((path for path in recording.files if _FILE.fullmatch(path)), None)
        return first is not None and _is_event(recording.files[first].document)
    return any(map(_is_event, samples_of(recording)))


def _is_event(value: Any) -> bool:
    return isinstance(value, dict) and as_text(value.get("kind")) in KINDS and "source" in value


def read(recording: Recording) -> list[Conversation]:
    """The conversation of the lines, or one for each folder of events."""
    if recording.files is None:
        return [_conversation(entries_of(recording), {})]
    folders = event_folders(recording.files, _FILE)
    return [_in_folder(recording.files, name, found) for name, found in folders.items()]


def _in_folder(files: Mapping[str, Recording], folder: str, entries: Sequence[Entry]) -> Conversation:
    state = folder.removesuffix("events/") + STATE
    return _conversation(entries, as_dict(files[state].document) if state in files else {}, in_files=True)


def _conversation(entries: Sequence[Entry], state: Body, *, in_files: bool = False) -> Conversation:
    reader = _Reader(_recorded_usage(state))
    for native, entry in enumerate(entries):
        if isinstance(entry.value, dict):
            reader.take(native, entry.value)
    origin = reader.rows.origins(where(entries))
    agent = as_dict(as_dict(state.get("agent")).get("llm"))
    return Conversation(
        messages=reader.rows.messages,
        origin=(lambda row: split_file(origin(row))) if in_files else origin,
        title=as_text(state.get("id")),
        model=as_text(agent.get("model")) or reader.model or None,
        tools=reader.tools,
        usage=tuple(reader.usage),
        compactions=reader.view.compactions(),
        damage=no_events(entries, in_files=in_files),
    )


def _recorded_usage(state: Body) -> dict[str, Body]:
    """Token usage by response, as the state of a conversation records it."""
    metrics = as_dict(as_dict(state.get("stats")).get("usage_to_metrics"))
    usages = (usage for one in metrics.values() for usage in dicts(as_dict(one).get("token_usages")))
    return {usage["response_id"]: usage for usage in usages if isinstance(usage.get("response_id"), str)}


class _Reader:
    """Rows of events in the making."""

    def __init__(self, recorded: dict[str, Body]) -> None:
        self.rows = Rows()
        self.view = View(self.rows.messages)
        self.tools: tuple[Body, ...] = ()
        self.model = ""
        self.usage: list[Usage] = []
        self._recorded = recorded
        self._total: Body = {}
        self._spent: Usage | None = None
        """What was used since the last answer."""
        self._responses: dict[str, int] = {}

    def take(self, native: int, event: Body) -> None:
        """Take one event in."""
        kind, before = as_text(event.get("kind")), len(self.rows)
        if kind in ("SystemPromptEvent", "SystemPromptUpdateEvent"):
            self._prompt(native, kind, event)
        elif kind == "MessageEvent":
            self._say(native, event, as_dict(event.get("llm_message")))
        elif kind == "ActionEvent":
            self._act(native, event)
        elif kind in ("ObservationEvent", "AgentErrorEvent", "UserRejectObservation"):
            self._observe(native, kind, event)
        elif kind == "Condensation":
            forgotten = {str(one) for one in as_list(event.get("forgotten_event_ids"))}
            summary = as_text(event.get("summary"))
            self.view.condense(event.get("id"), forgotten, summary, event.get("summary_offset"))
        elif kind == "ConversationStateUpdateEvent" and event.get("key") == "stats":
            self._count(as_dict(event.get("value")))
        if len(self.rows) > before:
            self.view.see(event.get("id"), before)

    def _prompt(self, native: int, kind: str, event: Body) -> None:
        self.tools = dicts(event.get("tools")) or self.tools
        if kind == "SystemPromptEvent":
            draft = Draft()
            text = as_dict(event.get("system_prompt")).get("text")
            say(draft, native, "/system_prompt/text", text if text is not None else event.get("system_prompt"))
            extra = as_dict(event.get("dynamic_context")).get("text")
            say(draft, native, "/dynamic_context/text", extra)
            self.rows.add(native, "system", draft)

    def _say(self, native: int, event: Body, message: Body) -> None:
        draft = Draft()
        say(draft, native, "/llm_message/content", message.get("content"))
        say(draft, native, "/extended_content", event.get("extended_content") or None)
        _think(draft, native, "/llm_message", message)
        role = as_text(message.get("role")) or "user"
        self.rows.add(native, role, draft)
        if role == "assistant":
            self._note(event, len(self.rows) - 1)

    def _act(self, native: int, event: Body) -> None:
        entry = _call(event)
        response = as_text(event.get("llm_response_id"))
        if isinstance(entry.get("id"), str):
            self.rows.names[entry["id"]] = entry["function"]["name"]
        if response and response in self._responses:
            self._join(native, self._responses[response], entry, event)
            return
        draft = Draft()
        say(draft, native, "/thought", event.get("thought"))
        _think(draft, native, "", event)
        draft.call(Spot(native, "/tool_call"), entry)
        row = len(self.rows)
        self.rows.add(native, "assistant", draft)
        if response:
            self._responses[response] = row
        self._note(event, row)

    def _join(self, native: int, row: int, entry: Body, event: Body) -> None:
        """Add a call to the message of its response."""
        calls = self.rows.messages[row].setdefault("tool_calls", [])
        spots = self.rows.spots[row]
        self.rows.spots[row] = (*spots[: len(calls)], Spot(native, "/tool_call"), *spots[len(calls) :])
        calls.append(entry)
        self.view.see(event.get("id"), row)

    def _observe(self, native: int, kind: str, event: Body) -> None:
        draft, observed = Draft(), as_dict(event.get("observation"))
        if kind == "AgentErrorEvent":
            say(draft, native, "/error", event.get("error"))
        elif kind == "UserRejectObservation":
            say(draft, native, "/rejection_reason", event.get("rejection_reason"))
        elif "content" in observed:
            say(draft, native, "/observation/content", observed["content"])
        else:
            say(draft, native, "/observation/output", observed.get("output"))
        place = draft.spots[0] if len(draft.spots) == 1 else Spot(native, "/observation/content")
        self.rows.result(
            place,
            event.get("tool_call_id"),
            draft.body("tool")["content"],
            name=as_text(event.get("tool_name")),
            error=kind == "AgentErrorEvent" or observed.get("is_error") is True,
        )

    def _note(self, event: Body, row: int) -> None:
        """Note what the answer at a row took."""
        recorded = self._recorded.get(as_text(event.get("llm_response_id")))
        used = _usage(row, recorded) if recorded else self._spent
        if used:
            self.usage.append(Usage(row, used.input, used.cached, used.output))
        self._spent = None

    def _count(self, stats: Body) -> None:
        metrics = as_dict(stats.get("usage_to_metrics"))
        names = [name for name in metrics if name != "condenser"]
        if names:
            one = as_dict(metrics["agent" if "agent" in metrics else names[0]])
            self.model = as_text(one.get("model_name")) or self.model
            total = as_dict(one.get("accumulated_token_usage"))
            now, before = _usage(-1, total), _usage(-1, self._total)
            self._spent = Usage(-1, now.input - before.input, now.cached - before.cached, now.output - before.output)
            self._total = total


def _usage(row: int, usage: Body) -> Usage:
    taken, made = as_count(usage.get("prompt_tokens")), as_count(usage.get("completion_tokens"))
    return Usage(row, taken, as_count(usage.get("cache_read_tokens")), made)


def _think(draft: Draft, native: int, pointer: str, message: Body) -> None:
    thought = as_text(message.get("reasoning_content"))
    if thought:
        draft.think(Spot(native, f"{pointer}/reasoning_content"), thought)
    for at, block in enumerate(as_list(message.get("thinking_blocks"))):
        text = "" if thought else as_text(as_dict(block).get("thinking"))
        draft.think(Spot(native, f"{pointer}/thinking_blocks/{at}"), text, block)


def _call(event: Body) -> Body:
    """The call of an action: as the model wrote it, else as it was understood."""
    call = as_dict(event.get("tool_call"))
    function = as_dict(call.get("function")) or call
    given: Any = function.get("arguments")
    if given is None:
        given = json_text({key: value for key, value in as_dict(event.get("action")).items() if key != "kind"})
    name = function.get("name") or event.get("tool_name")
    return call_entry(event.get("tool_call_id") or call.get("id"), name, arguments(given))


FORMAT = Format(
    name="openhands_v1",
    title="OpenHands (agent SDK)",
    recognise=recognise,
    read=read,
    help="Events as JSON Lines, or a conversation's folder with base_state.json and events/.",
    reads=("file", "folder"),
)
