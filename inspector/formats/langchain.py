"""LangChain messages and LangGraph states: `dumpd` (`lc: 1`), `messages_to_dict` and `model_dump` (langchain-core).

- A call may be recorded three times: in `tool_calls` or `invalid_tool_calls`, as a provider's block in `content`, and
  in `additional_kwargs`. It is read once, in that order of precedence; its place is that of the first.
- Chunks of one answer that follow one another are one message.
- A `RemoveMessage` is no message: it and those beside it are a compaction, after which the messages that they name are
  gone. All messages stay rows.
- Of several snapshots of one LangGraph thread only the newest is read; each holds the whole state.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from inspector.formats.blocks import json_text, part_of
from inspector.formats.entries import Entry, entries_of, root_of, samples_of, where
from inspector.formats.format import Conversation, Format, Recording
from inspector.formats.kept import KeptRows
from inspector.formats.rows import Draft, Rows, Spot, call_entry, data_image, image_part
from inspector.formats.shapes import as_count, as_dict, as_list, as_text, unreadable
from inspector.message import Body, Compaction, Usage

ROLES: Mapping[str, str] = {
    "human": "user", "ai": "assistant", "system": "system", "tool": "tool", "function": "function", "chat": "other",
    "developer": "developer",
}  # fmt: skip
REMOVE = "remove"
REMOVE_ALL = "__remove_all__"
STATES = (("messages",), ("values", "messages"), ("kwargs", "messages"), ("channel_values", "messages"),
          ("checkpoint", "channel_values", "messages"))  # fmt: skip
"""Keys that lead to the message list of a state, a prompt value or a checkpoint."""

_CALL_BLOCKS = frozenset(("tool_use", "tool_call", "function_call", "input_json_delta", "tool_call_chunk"))
_SURE = frozenset(("human", "ai", "chat", REMOVE))
"""Types that no other format's entries have; `system`, `tool` and `function` are common words."""


def recognise(recording: Recording) -> bool:
    """Whether a recording holds LangChain messages: as a list, as lines, or in a state."""
    values = samples_of(recording)
    return _are_messages(values) or any(_are_messages(_list_in(value)) for value in values)


def _list_in(value: Any) -> list[Any]:
    root = Entry(value, root_of(Recording("")).place)
    return next((lists[:50] for keys in STATES if (lists := as_list(root.at(*keys).value))), [])


def _are_messages(values: Sequence[Any]) -> bool:
    return any(map(is_message, values)) and any(kind_of(value) in _SURE or _is_dump(value) for value in values)


def is_message(value: Any) -> bool:
    """Whether a value is a LangChain message in any of its forms."""
    fields = fields_of(value)
    if fields is None:
        return False
    return _is_dump(value) or kind_of(value) == REMOVE or ("content" in fields and "role" not in value)


def _is_dump(value: Any) -> bool:
    return isinstance(value, dict) and value.get("lc") == 1 and _class_of(value).endswith(("Message", "MessageChunk"))


def _class_of(value: Body) -> str:
    names = value.get("id")
    return as_text(names[-1]) if isinstance(names, list) and names else ""


def fields_of(value: Any) -> Body | None:
    """The fields of a message, wherever its form keeps them; None where it is no message."""
    key = _fields_key(value)
    return None if key is None else value[key] if key else value


def _fields_key(value: Any) -> str | None:
    if not isinstance(value, dict) or not kind_of(value):
        return None
    return next((key for key in ("kwargs", "data") if isinstance(value.get(key), dict)), "")


def kind_of(value: Any) -> str:
    """The type of a message without its "Chunk": human, ai, system, tool ...; empty where it is no message."""
    if not isinstance(value, dict):
        return ""
    name = _class_of(value) if value.get("lc") == 1 else as_text(value.get("type"))
    short = name.removesuffix("Chunk").removesuffix("Message").lower()
    return short if short in ROLES or short == REMOVE else ""


def read(recording: Recording) -> list[Conversation]:
    """Every message list of a recording: the file itself, or those of its states."""
    entries = entries_of(recording)
    if _are_messages([entry.value for entry in entries[:50]]):
        return [conversation(entries)]
    states = [(entry, _messages_in(entry)) for entry in entries]
    found = [(entry, inside) for entry, inside in states if inside]
    if len(found) > 1 and _is_history([entry.value for entry, _ in found]):
        found = [max(found, key=lambda state: as_text(state[0].value.get("created_at")))]
    return [conversation(inside, _title(entry.value)) for entry, inside in found]


def _messages_in(entry: Entry) -> list[Entry]:
    for keys in STATES:
        inside = entry.each(*keys)
        if any(is_message(one.value) for one in inside):
            return inside
    return []


def _is_history(states: Sequence[Any]) -> bool:
    """Whether states are snapshots of one thread: each names its checkpoint, and they name no second thread."""
    threads = {_thread(state) for state in states}
    return len(threads) == 1 and all({"checkpoint", "checkpoint_id", "config"} & state.keys() for state in states)


def _thread(state: Body) -> str:
    inside = (state, as_dict(state.get("checkpoint")), as_dict(as_dict(state.get("config")).get("configurable")))
    return next((as_text(one["thread_id"]) for one in inside if "thread_id" in one), "")


def _title(state: Any) -> str:
    return _thread(state) if isinstance(state, dict) else ""


def conversation(entries: Sequence[Entry], title: str = "") -> Conversation:
    """LangChain messages as one conversation."""
    reader = _Reader()
    damage = [unreadable(entry.place.native, entry.place.pointer, entry.value, numbered=entry.place.line is not None)
              for entry in entries if not is_message(entry.value)]  # fmt: skip
    for first, last in _runs(entries):
        reader.take(first, [entry.value for entry in entries[first:last]])
    return Conversation(
        messages=reader.rows.messages,
        origin=reader.rows.origins(where(entries)),
        title=title,
        model=reader.model or None,
        usage=tuple(reader.usage),
        compactions=tuple(reader.compactions),
        damage=tuple(damage),
    )


def add_message(rows: Rows, native: int, value: Body) -> None:
    """Add one message to rows of another reader's."""
    _Reader(rows).take(native, [value])


def _runs(entries: Sequence[Entry]) -> Iterator[tuple[int, int]]:
    """Spans of entries that are one message each: the chunks of an answer are one."""
    at = 0
    while at < len(entries):
        end = at + 1
        if is_message(entries[at].value):
            while end < len(entries) and _goes_on(entries[at].value, entries[end].value):
                end += 1
            yield at, end
        at = end


def _goes_on(first: Body, value: Any) -> bool:
    chunks = _is_chunk(first) and is_message(value) and _is_chunk(value) and kind_of(first) == kind_of(value)
    return chunks and (fields_of(value) or {}).get("id") in ((fields_of(first) or {}).get("id"), None)


def _is_chunk(value: Body) -> bool:
    return (_class_of(value) if value.get("lc") == 1 else as_text(value.get("type"))).endswith("Chunk")


class _Reader:
    """Rows of LangChain messages in the making."""

    def __init__(self, rows: Rows | None = None) -> None:
        self.rows = Rows() if rows is None else rows
        self.model = ""
        self.usage: list[Usage] = []
        self.compactions: list[Compaction] = []
        self._kept = KeptRows()
        self._ids: list[Any] = []
        self._removed: set[str] = set()
        self._removing = False

    def take(self, native: int, values: Sequence[Body]) -> None:
        """Take one message, or the chunks of one, in."""
        fields = [fields_of(value) or {} for value in values]
        inner = [f"/{key}" if (key := _fields_key(value)) else "" for value in values]
        if kind_of(values[0]) == REMOVE:
            self._removing = True
            self._removed.add(as_text(fields[0].get("id")))
            return
        self._close_removal()
        before = len(self.rows)
        if kind_of(values[0]) in ("tool", "function"):
            self._result(native, kind_of(values[0]), fields[0], inner[0])
        else:
            self._say(native, values[0], fields, inner)
        self._ids += [fields[0].get("id")] * (len(self.rows) - before)

    def _close_removal(self) -> None:
        if self._removing:
            gone, everything = self._removed, REMOVE_ALL in self._removed
            kept = (row for row, name in enumerate(self._ids) if not everything and name not in gone)
            self.compactions.append(Compaction(len(self.rows), REMOVE, kept=self._kept.of(kept, len(self._ids))))
            self._removing = False

    def _result(self, native: int, kind: str, fields: Body, inner: str) -> None:
        draft = Draft()
        _take_content(draft, native, fields.get("content"), f"{inner}/content")
        self.rows.result(
            Spot(native, f"{inner}/content"),
            fields.get("tool_call_id"),
            draft.body(kind)["content"],
            name=as_text(fields.get("name")),
            error=fields.get("status") == "error",
        )
        self.rows.messages[-1]["role"] = kind

    def _say(self, native: int, first: Body, chunks: Sequence[Body], inner: Sequence[str]) -> None:
        draft = Draft()
        for number, (fields, place) in enumerate(zip(chunks, inner, strict=True)):
            _take_content(draft, native + number, fields.get("content"), f"{place}/content")
        if len(chunks) > 1 and all(isinstance(part, str) for part in draft.parts):
            draft.parts = ["".join(part for part in draft.parts if isinstance(part, str))]
        _take_calls(draft, native, chunks, inner)
        role = ROLES[kind_of(first)]
        recorded = as_text(chunks[0].get("role"))
        body = self.rows.add(native, recorded or role, draft)
        if role == "user" and isinstance(chunks[0].get("name"), str):
            body["name"] = chunks[0]["name"]
        for fields in chunks:
            self._note(fields)

    def _note(self, fields: Body) -> None:
        details = as_dict(fields.get("response_metadata"))
        self.model = as_text(details.get("model_name")) or as_text(details.get("model")) or self.model
        usage = as_dict(fields.get("usage_metadata"))
        if as_count(usage.get("input_tokens")):
            cached = as_count(as_dict(usage.get("input_token_details")).get("cache_read"))
            taken, made = as_count(usage.get("input_tokens")), as_count(usage.get("output_tokens"))
            self.usage.append(Usage(len(self.rows) - 1, taken, cached, made))


def _take_content(draft: Draft, native: int, content: Any, pointer: str) -> None:
    if isinstance(content, list):
        for number, block in enumerate(content):
            _take_block(draft, Spot(native, f"{pointer}/{number}"), block)
    elif isinstance(content, str):
        if content:
            draft.say(Spot(native, pointer), content)
    elif content is not None:
        draft.say(Spot(native, pointer), json_text(content))


def _take_block(draft: Draft, spot: Spot, block: Any) -> None:
    kind = as_text(block.get("type")) if isinstance(block, dict) else ""
    if isinstance(block, str):
        draft.say(spot, block)
    elif kind == "text" and isinstance(block.get("text"), str):
        draft.say(spot, block["text"])
    elif kind in ("thinking", "redacted_thinking", "reasoning"):
        _take_thought(draft, spot, block)
    elif kind not in _CALL_BLOCKS:
        draft.say(spot, _image(block) or part_of(block))


def _take_thought(draft: Draft, spot: Spot, block: Body) -> None:
    summary = [as_text(part.get("text")) for part in as_list(block.get("summary")) if isinstance(part, dict)]
    text = as_text(block.get("thinking")) or as_text(block.get("reasoning")) or "\n".join(summary)
    extras = as_dict(block.get("extras"))
    signed = block.get("signature") or extras.get("signature") or block.get("encrypted_content") or block.get("data")
    draft.think(spot, text, block if signed else None)


def _image(block: Any) -> Body | None:
    """LangChain's own image blocks: `base64`, `data` or `url` beside the type, since 0.3 (langchain-core)."""
    if not isinstance(block, dict) or block.get("type") != "image":
        return None
    data = as_text(block.get("base64")) or as_text(block.get("data"))
    if data:
        return data_image(block.get("mime_type"), data)
    return image_part(block["url"]) if isinstance(block.get("url"), str) else None


def _take_calls(draft: Draft, native: int, chunks: Sequence[Body], inner: Sequence[str]) -> None:
    pieces = _streamed(chunks) if len(chunks) > 1 else []
    for number, at, entry in pieces:
        draft.call(Spot(native + number, f"{inner[number]}/tool_call_chunks/{at}"), entry)
    for number, (fields, place) in enumerate(zip(chunks, inner, strict=True)):
        for calls in (_leading_calls, _other_calls) if not pieces else ():
            _take_new(draft, native + number, place, list(calls(fields)))


def _take_new(draft: Draft, native: int, place: str, calls: Sequence[tuple[str, Body]]) -> None:
    """Take in the calls that were not taken in already; those without an id only where there are none yet."""
    known, first = {call.get("id") for call in draft.calls}, not draft.calls
    for pointer, entry in calls:
        if entry["id"] not in known if "id" in entry else first:
            draft.call(Spot(native, place + pointer), entry)


def _leading_calls(fields: Body) -> Iterator[tuple[str, Body]]:
    """LangChain's own record of the calls."""
    for key in ("tool_calls", "invalid_tool_calls"):
        for at, call in enumerate(as_list(fields.get(key))):
            if isinstance(call, dict):
                yield f"/{key}/{at}", call_entry(call.get("id"), call.get("name"), _arguments(call.get("args")))


def _other_calls(fields: Body) -> Iterator[tuple[str, Body]]:
    """A provider's own record of the calls."""
    extra = as_dict(fields.get("additional_kwargs"))
    for at, call in enumerate(as_list(extra.get("tool_calls"))):
        function = as_dict(as_dict(call).get("function"))
        if function:
            entry = call_entry(call.get("id"), function.get("name"), _arguments(function.get("arguments")))
            yield f"/additional_kwargs/tool_calls/{at}", entry
    legacy = as_dict(extra.get("function_call"))
    if legacy:
        entry = call_entry(None, legacy.get("name"), _arguments(legacy.get("arguments")))
        yield "/additional_kwargs/function_call", entry
    for at, block in enumerate(as_list(fields.get("content"))):
        if isinstance(block, dict) and block.get("type") in ("tool_use", "tool_call"):
            recorded = block.get("input", block.get("args"))
            yield f"/content/{at}", call_entry(block.get("id"), block.get("name"), _arguments(recorded))


def _arguments(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else json_text(value)


def _streamed(chunks: Sequence[Body]) -> list[tuple[int, int, Body]]:
    """Calls put together from their pieces, by index: chunk and place of the first piece, and the call."""
    calls: dict[Any, tuple[int, int, Body]] = {}
    for number, fields in enumerate(chunks):
        for at, piece in enumerate(as_list(fields.get("tool_call_chunks"))):
            if not isinstance(piece, dict):
                continue
            index = piece.get("index") if isinstance(piece.get("index"), (int, str)) else None
            entry = calls.setdefault(index, (number, at, call_entry(None, "", "")))[2]
            if isinstance(piece.get("id"), str) and "id" not in entry:
                entry["id"] = piece["id"]
            entry["function"]["name"] += as_text(piece.get("name"))
            entry["function"]["arguments"] += as_text(piece.get("args"))
    return list(calls.values())


FORMAT = Format(
    name="langchain",
    title="LangChain and LangGraph",
    recognise=recognise,
    read=read,
    help="Messages as dumpd, messages_to_dict or model_dump write them; a LangGraph state, or its history.",
    shape="back_langchain.SHAPE",
)
