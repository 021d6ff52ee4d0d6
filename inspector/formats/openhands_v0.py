"""OpenHands until 2025: streams of actions and observations, as an array, in `history`, or a file an event.

- An action with `tool_call_metadata` is a call of the model's: id, text and arguments are those of the recorded
  response, and the actions of one response are one message. Without (the oldest files, and models without tool calls)
  the action itself is the call, by its event id, and its thought is the text.
- A result answers by its `tool_call_metadata`, else by its `cause`; errors often have neither.
- Recalls, state changes and null observations are not messages; what a recall put into the prompt is not recorded as
  text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from inspector.formats.blocks import json_text
from inspector.formats.datasets import arguments
from inspector.formats.entries import Entry, entries_of, root_of, samples_of, where
from inspector.formats.format import Conversation, Format, Recording
from inspector.formats.openhands_view import View, event_folders, no_events, say, say_images
from inspector.formats.rows import Draft, Rows, Spot, call_entry
from inspector.formats.shapes import as_count, as_dict, as_list, as_text, dicts
from inspector.formats.sources import split_file
from inspector.message import Body, Usage

_SILENT_ACTIONS = frozenset(("recall", "change_agent_state", "condensation_request", "null", "", "start"))
_SILENT_OBSERVATIONS = frozenset(("agent_state_changed", "recall", "null", "", "condense"))
_FILE = re.compile(r"(.*?)(?:^|/)events/(\d+)\.json")


def recognise(recording: Recording) -> bool:
    """Whether a recording holds actions and observations."""
    if recording.files is not None:
        first = next((path for path in recording.files if _FILE.fullmatch(path)), None)
        return first is not None and is_event(recording.files[first].document)
    values = samples_of(recording)
    return any(map(is_event, values)) or any(map(is_event, (one for value in values for one in _history(value)[:50])))


def is_event(value: Any) -> bool:
    """Whether a value is an action or an observation, or an old pair of the two."""
    if isinstance(value, list):
        return len(value) == 2 and all(map(is_event, value))
    if not isinstance(value, dict) or "kind" in value:
        return False
    acts = isinstance(value.get("action"), str) and ("args" in value or "source" in value)
    return acts or (isinstance(value.get("observation"), str) and "content" in value and "role" not in value)


def _history(value: Any) -> list[Any]:
    return as_list(value.get("history")) if isinstance(value, dict) else []


def read(recording: Recording) -> list[Conversation]:
    """One conversation an event stream."""
    if recording.files is not None:
        folders = event_folders(recording.files, _FILE)
        return [_conversation(found, {"instance_id": name}, in_files=True) for name, found in folders.items()]
    entries = entries_of(recording)
    runs = [entry for entry in entries if any(map(is_event, _history(entry.value)[:50]))]
    if runs:
        return [_conversation(list(_flat(run.each("history"))), run.value) for run in runs]
    root = root_of(recording).value
    return [_conversation(list(_flat(entries)), root if isinstance(root, dict) else {})]


def _flat(entries: Sequence[Entry]) -> Iterator[Entry]:
    """Events one by one; the oldest files hold pairs of an action and its observation."""
    for entry in entries:
        if isinstance(entry.value, list):
            yield from entry.each()
        else:
            yield entry


def _conversation(entries: Sequence[Entry], run: Body, *, in_files: bool = False) -> Conversation:
    reader = _Reader()
    for native, entry in enumerate(entries):
        if isinstance(entry.value, dict):
            reader.take(native, entry.value)
    origin = reader.rows.origins(where(entries))
    config = as_dict(as_dict(run.get("metadata")).get("llm_config"))
    return Conversation(
        messages=reader.rows.messages,
        origin=(lambda row: split_file(origin(row))) if in_files else origin,
        title=as_text(run.get("instance_id")),
        model=as_text(config.get("model")) or reader.model or None,
        tools=reader.tools,
        usage=tuple(reader.usage),
        compactions=reader.view.compactions(),
        damage=no_events(entries, in_files=in_files),
    )


class _Reader:
    """Rows of actions and observations in the making."""

    def __init__(self) -> None:
        self.rows = Rows()
        self.view = View(self.rows.messages)
        self.tools: tuple[Body, ...] = ()
        self.model = ""
        self.usage: list[Usage] = []
        self._ids: dict[str, str] = {}
        """The call id of each action."""
        self._responses: dict[str, int] = {}
        """The row of each response of the model."""

    def take(self, native: int, event: Body) -> None:
        """Take one event in."""
        action, before = event.get("action"), len(self.rows)
        if isinstance(action, str):
            self._act(native, action, event, as_dict(event.get("args")))
        elif as_text(event.get("observation")) not in _SILENT_OBSERVATIONS:
            self._observe(native, event)
        if len(self.rows) > before:
            self.view.see(event.get("id"), before)

    def _act(self, native: int, action: str, event: Body, args: Body) -> None:
        if action in ("message", "system"):
            self._say(native, action, event, args)
        elif action == "condensation":
            self._condense(event, args)
        elif action not in _SILENT_ACTIONS:
            self._call(native, action, event, args)

    def _say(self, native: int, action: str, event: Body, args: Body) -> None:
        draft = Draft()
        say(draft, native, "/args/content", args.get("content"))
        say_images(draft, native, "/args/image_urls", args.get("image_urls") or args.get("images_urls"))
        said_by_user = event.get("source") == "user"
        self.rows.add(native, "system" if action == "system" else "user" if said_by_user else "assistant", draft)
        self.tools = dicts(args.get("tools")) or self.tools
        self._note_response(event, len(self.rows) - 1)

    def _call(self, native: int, action: str, event: Body, args: Body) -> None:
        known = as_dict(event.get("tool_call_metadata"))
        response = as_dict(known.get("model_response"))
        name, row = as_text(response.get("id")), len(self.rows)
        entry = _recorded_call(known) if known else self._own_call(action, event, args)
        if isinstance(entry.get("id"), str):
            self._ids[str(event.get("id"))] = entry["id"]
            self.rows.names[entry["id"]] = entry["function"]["name"]
        if name and name in self._responses:
            self._join(native, self._responses[name], entry, event)
            return
        draft = Draft()
        draft.call(Spot(native, "/tool_call_metadata" if known else ""), entry)
        place = "/tool_call_metadata/model_response/choices/0/message/content" if response else "/args/thought"
        text = _message(response).get("content") if response else args.get("thought") or args.get("final_thought")
        if text:
            say(draft, native, place, text)
        thought = as_text(_message(response).get("reasoning_content"))
        if thought:
            draft.think(Spot(native, "/tool_call_metadata/model_response/choices/0/message/reasoning_content"), thought)
        self.rows.add(native, "assistant", draft)
        if name:
            self._responses[name] = row
        self._note_response(event, row)

    def _join(self, native: int, row: int, entry: Body, event: Body) -> None:
        """Add a call to the message of its response."""
        calls = self.rows.messages[row].setdefault("tool_calls", [])
        spots = self.rows.spots[row]
        self.rows.spots[row] = (*spots[: len(calls)], Spot(native, "/tool_call_metadata"), *spots[len(calls) :])
        calls.append(entry)
        self.view.see(event.get("id"), row)

    def _own_call(self, action: str, event: Body, args: Body) -> Body:
        event_id = event.get("id")
        given = {key: value for key, value in args.items() if key != "thought"}
        return call_entry(None if event_id is None else str(event_id), action, json_text(given))

    def _note_response(self, event: Body, row: int) -> None:
        response = as_dict(as_dict(event.get("tool_call_metadata")).get("model_response"))
        self.model = as_text(response.get("model")) or self.model
        usage = as_dict(response.get("usage"))
        taken, made = as_count(usage.get("prompt_tokens")), as_count(usage.get("completion_tokens"))
        cached = as_count(as_dict(usage.get("prompt_tokens_details")).get("cached_tokens"))
        if taken:
            self.usage.append(Usage(row, taken, cached, made))

    def _observe(self, native: int, event: Body) -> None:
        draft, known, cause = Draft(), as_dict(event.get("tool_call_metadata")), event.get("cause")
        say(draft, native, "/content", event.get("content"))
        say_images(draft, native, "/extras/image_urls", as_dict(event.get("extras")).get("image_urls"))
        answers = known.get("tool_call_id")
        if not answers and cause is not None:
            answers = self._ids.get(str(cause), str(cause))
        name = as_text(known.get("function_name"))
        failed = event["observation"] == "error"
        content = draft.body("tool")["content"]
        self.rows.result(Spot(native, "/content"), answers, content, name=name, error=failed)

    def _condense(self, event: Body, args: Body) -> None:
        forgotten = {str(one) for one in as_list(args.get("forgotten_event_ids"))}
        start, end = args.get("forgotten_events_start_id"), args.get("forgotten_events_end_id")
        if type(start) is int and type(end) is int:
            forgotten |= {name for name in self.view.events() if name.isdecimal() and start <= int(name) <= end}
        self.view.condense(event.get("id"), forgotten, as_text(args.get("summary")), args.get("summary_offset"))


def _message(response: Body) -> Body:
    choices = as_list(response.get("choices"))
    return as_dict(as_dict(choices[0]).get("message")) if choices else {}


def _recorded_call(known: Body) -> Body:
    """The call as the model's response has it."""
    call_id = known.get("tool_call_id")
    calls = as_list(_message(as_dict(known.get("model_response"))).get("tool_calls"))
    call = next((call for call in calls if isinstance(call, dict) and call.get("id") == call_id), {})
    given = as_dict(call.get("function")).get("arguments")
    return call_entry(call_id, known.get("function_name"), arguments(given))


FORMAT = Format(
    name="openhands_v0",
    title="OpenHands (events until 2025)",
    recognise=recognise,
    read=read,
    help="An event stream as JSON, an output.jsonl of an evaluation, or a folder of events.",
    reads=("file", "folder"),
)
