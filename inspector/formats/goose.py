"""goose: session files of JSON Lines (to version 1.9), exports as JSON, and the database sessions.db (since 1.10).

- A user message of `toolResponse` blocks gives a row a result. Contents whose audience is not the model, notifications
  and confirmations are not sent and give no row.
- At a compaction goose keeps the old messages and marks them `agentVisible: false`; the summary that takes their place
  is `userVisible: false`. What stays visible to the model before it was kept. Messages that were only ever shown to the
  user are rows all the same: nothing tells them from compacted ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from inspector.finding import Finding
from inspector.formats.blocks import json_text
from inspector.formats.entries import Entry, entries_of, samples_of, where
from inspector.formats.format import Conversation, Format, Recording
from inspector.formats.kept import KeptRows
from inspector.formats.lenient import step
from inspector.formats.rows import Draft, Place, Rows, Spot, call_entry, data_image, joined
from inspector.formats.shapes import as_dict, as_list, as_text, dicts, unreadable
from inspector.formats.sqlite import Database, json_column
from inspector.message import Body, Compaction

_REQUESTS = ("toolRequest", "frontendToolRequest")
_UNSENT = frozenset(("toolConfirmationRequest", "summarizationRequested", "contextLengthExceeded", "systemNotification",
                     "actionRequired"))  # fmt: skip
"""Blocks that are for the screen only."""
_OWN = _UNSENT.union(_REQUESTS, ("toolResponse", "redactedThinking"))


def recognise(recording: Recording) -> bool:
    """Whether a recording has goose's blocks, or messages of blocks with `created`, or the tables of sessions.db."""
    if recording.database is not None:
        columns = recording.database.columns
        return "content_json" in columns.get("messages", ()) and "sessions" in columns
    values = samples_of(recording)
    if any(isinstance(value, dict) and _exported(value) is not None for value in values):
        return True
    messages = [value for value in values if isinstance(value, dict) and "role" in value]
    return bool(messages) and all(map(_is_message, messages))


def _exported(value: Body) -> list[Any] | None:
    """The messages of an exported session."""
    held = value.get("conversation")
    messages = held.get("messages") if isinstance(held, dict) else held
    if isinstance(messages, list) and ("working_dir" in value or any(map(_is_message, messages[:20]))):
        return messages
    return None


def _is_message(value: Any) -> bool:
    if not isinstance(value, dict) or value.get("role") not in ("user", "assistant"):
        return False
    content = value.get("content")
    blocks = dicts(content)
    own = any(isinstance(block.get("type"), str) and block["type"] in _OWN for block in blocks)
    return isinstance(content, list) and (own or (type(value.get("created")) is int and len(blocks) == len(content)))


def read(recording: Recording) -> list[Conversation]:
    """The session of a file, or all of a database, the newest first."""
    if recording.database is not None:
        return _in_database(recording.database)
    entries = entries_of(recording)
    exports = [entry for entry in entries if isinstance(entry.value, dict) and _exported(entry.value) is not None]
    if exports:
        return [_conversation(_messages(entry), entry.value, []) for entry in exports]
    damage: list[Finding] = []
    messages, header = list[Entry](), Body()
    for entry in entries:
        if isinstance(entry.value, dict) and "role" in entry.value:
            messages.append(entry)
        elif isinstance(entry.value, dict):
            header = header or entry.value
        else:
            index, pointer, line = entry.place
            damage.append(unreadable(index, pointer, entry.value, numbered=line is not None))
    return [_conversation(messages, header, damage)]


def _messages(entry: Entry) -> list[Entry]:
    held = entry.at("conversation")
    return held.each("messages") if isinstance(held.value, dict) else held.each()


def _in_database(database: Database) -> list[Conversation]:
    tables = database.tables("sessions", "messages")
    damage: list[Finding] = []
    by_session: dict[str, list[Entry]] = {as_text(row.get("id")): [] for row in tables["sessions"]}
    for row in tables["messages"]:
        of_session = by_session.setdefault(as_text(row.get("session_id")), [])
        of_session.append(_row(row, len(of_session), damage))
    known = {as_text(row.get("id")): row for row in tables["sessions"]}
    newest = sorted(by_session, key=lambda name: str(known.get(name, {}).get("updated_at")), reverse=True)
    newest.sort(key=lambda name: _is_subagent(known.get(name, {})))
    found = [_conversation(by_session[name], known.get(name, {}), []) for name in newest if by_session[name]]
    return [replace(found[0], side=False, damage=(*damage, *found[0].damage)), *found[1:]] if found else []


def _is_subagent(session: Body) -> bool:
    return session.get("session_type") in ("sub_agent", "subagent")


def _row(row: Body, number: int, damage: list[Finding]) -> Entry:
    """A row as the message that the JSON files hold; its content stands in a column of its own."""
    pointer = f"/messages{step(str(row.get('id')))}"
    message = {
        "role": row.get("role"),
        "content_json": json_column(row.get("content_json"), f"{pointer}/content_json", damage),
        "metadata": json_column(row.get("metadata_json"), f"{pointer}/metadata_json", damage),
    }
    return Entry(message, Place(number, pointer))


def _conversation(messages: Sequence[Entry], session: Body, damage: Sequence[Finding]) -> Conversation:
    script = _Script(messages)
    config = session.get("model_config_json") or session.get("model_config")
    config = json_column(config, "", []) if isinstance(config, (str, bytes)) else config
    return Conversation(
        messages=script.rows.messages,
        origin=script.rows.origins(where(messages)),
        title=next((text for key in ("name", "description", "id") if (text := as_text(session.get(key)))), ""),
        id=as_text(session.get("id")),
        model=as_text(as_dict(config).get("model_name")) or None,
        tools=dicts(session.get("tools")),
        compactions=tuple(script.compactions()),
        damage=(*damage, *script.damage),
        side=_is_subagent(session),
    )


class _Script:
    """Messages told in order, as rows."""

    def __init__(self, messages: Sequence[Entry]) -> None:
        self.rows = Rows()
        self.damage: list[Finding] = []
        self._visible: list[bool] = []
        """By row, whether the model still sees it."""
        self._summaries: list[int] = []
        self._in_summary = False
        for number, entry in enumerate(messages):
            if isinstance(entry.value, dict):
                self._tell(number, entry.value, "content_json" if "content_json" in entry.value else "content")
            else:
                index, pointer, line = entry.place
                self.damage.append(unreadable(index, pointer, entry.value, numbered=line is not None))

    def _tell(self, number: int, message: Body, key: str) -> None:
        first, metadata = len(self.rows), as_dict(message.get("metadata"))
        role, content = as_text(message.get("role")) or "other", message.get(key)
        draft, results = Draft(), list[tuple[Spot, Body]]()
        if isinstance(content, list):
            for place, block in enumerate(content):
                spot = Spot(number, f"/{key}/{place}")
                if isinstance(block, dict) and block.get("type") == "toolResponse":
                    results.append((spot, block))
                else:
                    _take(draft, spot, block)
        elif content is not None:
            draft.say(Spot(number, f"/{key}"), content if isinstance(content, str) else json_text(content))
        for spot, block in results:
            self._answer(spot, block)
        if draft or (not results and not content):
            self.rows.add(number, role, draft)
        self._see(first, metadata)

    def _see(self, first: int, metadata: Body) -> None:
        """Note who sees the rows from `first` on."""
        seen = metadata.get("agentVisible") is not False
        self._visible += [seen] * (len(self.rows) - first)
        summary = metadata.get("userVisible") is False and not metadata.get("turnContext")
        if summary and not self._in_summary and first < len(self.rows) and not all(self._visible[:first]):
            self._summaries.append(first)
        self._in_summary = summary

    def _answer(self, spot: Spot, block: Body) -> None:
        result = as_dict(block.get("toolResult"))
        failed = result.get("status") == "error"
        value = result.get("value")
        held = value if isinstance(value, dict) else {}
        contents = value if isinstance(value, list) else as_list(held.get("content"))
        error = as_text(result.get("error")) if failed else ""
        shown = [error] if error else list(_shown(contents))
        self.rows.result(
            spot, block.get("id"), joined(shown) if shown else "", error=failed or held.get("isError") is True
        )

    def compactions(self) -> list[Compaction]:
        """The compactions that goose did; what the first ones kept, a later one may have hidden."""
        kept, visible = KeptRows(), self._visible
        return [
            Compaction(row, "compact", kept=kept.of((before for before in range(row) if visible[before]), row))
            for row in self._summaries
        ]


def _take(draft: Draft, spot: Spot, block: Any) -> None:
    if not isinstance(block, dict):
        draft.say(spot, block if isinstance(block, str) else json_text(block))
        return
    kind = block.get("type")
    if kind == "text":
        draft.say(spot, as_text(block.get("text")))
    elif kind == "image" and isinstance(block.get("data"), str):
        draft.say(spot, data_image(block.get("mimeType"), block["data"]))
    elif kind in _REQUESTS:
        called = as_dict(as_dict(block.get("toolCall")).get("value"))
        arguments = called.get("arguments", {})
        text = arguments if isinstance(arguments, str) else json_text(arguments)
        draft.call(spot, call_entry(block.get("id"), called.get("name"), text))
    elif kind in ("thinking", "reasoning"):
        signed = block if block.get("signature") else None
        draft.think(spot, as_text(block.get("thinking")) or as_text(block.get("text")), signed)
    elif kind == "redactedThinking":
        draft.think(spot, "", block)
    elif not isinstance(kind, str) or kind not in _UNSENT:
        draft.say(spot, block)


def _shown(contents: Iterable[Any]) -> Iterable[str | Body]:
    """What the model is shown of a result: contents for it, or for nobody in particular."""
    for content in contents:
        one = as_dict(content)
        audience = as_dict(one.get("annotations")).get("audience", one.get("audience"))
        if isinstance(audience, list) and audience and "assistant" not in audience:
            continue
        resource = as_dict(one.get("resource"))
        if one.get("type") == "image" and isinstance(one.get("data"), str):
            yield data_image(one.get("mimeType"), one["data"])
        elif isinstance(one.get("text"), str):
            yield one["text"]
        elif isinstance(resource.get("text"), str):
            yield resource["text"]
        else:
            yield content if isinstance(content, (str, dict)) else json_text(content)


FORMAT = Format(
    name="goose",
    title="goose",
    recognise=recognise,
    read=read,
    help="Sessions of goose: .jsonl files, exports as JSON, and sessions.db.",
    reads=("file", "database"),
)
