"""Inspect AI logs: `.json`, and `.eval`, a zip archive with a file a sample.

- Each sample is a conversation. A log of a killed run has no header, and perhaps no directory; its samples are read.
- `attachment://` references are looked up in the sample; message pools that model events refer to, too.
- Compactions, usage and subagents are only in the events. The message list of a sample is the whole history; what the
  model was sent after a compaction is the input of the next model event. Model events of an agent's span whose answers
  are not in the message list are a side conversation: the last, which has the longest input, stands for all.
- A server's tool use holds call and result in one block; it is a call, and a result that follows it.
- The text of a failed tool is its error, as the model is sent it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from inspector.finding import Finding
from inspector.formats.entries import Entry, entries_of, root_of, samples_of, where
from inspector.formats.format import Conversation, Format, Recording
from inspector.formats.inspect_events import Events
from inspector.formats.inspect_messages import Messages
from inspector.formats.openai_chat import is_message
from inspector.formats.rows import Place
from inspector.formats.shapes import as_dict, as_text, unreadable
from inspector.formats.sources import split_file

_HEADERS = ("header.json", "_journal/start.json")


def recognise(recording: Recording) -> bool:
    """Whether a recording is a log, or a sample of one."""
    if recording.files is not None:
        inside = [path for path in recording.files if path.startswith("samples/") or path in _HEADERS]
        return any(path.startswith("_journal/") or path == "header.json" for path in recording.files) and bool(inside)
    return any(_is_log(value) or _is_sample(value) for value in samples_of(recording))


def _is_log(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("eval"), dict) and "samples" in value and "status" in value


def _is_sample(value: Any) -> bool:
    keys = ("epoch", "messages", "target", "output")
    return isinstance(value, dict) and all(key in value for key in keys) and isinstance(value["messages"], list)


def read(recording: Recording) -> list[Conversation]:
    """A conversation a sample, with its subagents after it."""
    if recording.files is not None:
        return list(_in_archive(recording.files))
    found: list[Conversation] = []
    several = recording.lines or isinstance(recording.document, list)
    for entry in entries_of(recording) if several else [root_of(recording)]:
        log = _is_log(entry.value)
        header = as_dict(entry.value.get("eval")) if log else {}
        for sample in entry.each("samples") if log else [entry]:
            found += _conversations(sample, header)
    return found


def _in_archive(files: Mapping[str, Recording]) -> Iterator[Conversation]:
    headers = (as_dict(files[path].document) for path in _HEADERS if path in files)
    header = next((as_dict(one["eval"]) for one in headers if "eval" in one), {})
    for path in files:
        if path.startswith("samples/") and path.endswith(".json"):
            sample = Entry(files[path].document, Place(0, f"{path}#"))
            if sample.value is not None:
                yield from _conversations(sample, header, in_files=True)


def _conversations(sample: Entry, header: Mapping[str, Any], *, in_files: bool = False) -> Iterator[Conversation]:
    if not isinstance(sample.value, dict):
        yield _unread(sample)
        return
    entries, events = sample.each("messages"), Events(sample)
    read = Messages(events.attachments)
    for native, entry in enumerate(entries):
        if is_message(entry.value):
            read.add(native, entry.value)
    origin = read.rows.origins(where(entries))
    name = f"{sample.value.get('id')} epoch {sample.value.get('epoch', 1)}"
    yield Conversation(
        messages=read.rows.messages,
        origin=(lambda row: split_file(origin(row))) if in_files else origin,
        title=name,
        model=as_text(header.get("model")) or events.model or None,
        tools=events.tools,
        usage=events.usage(read.row_of),
        compactions=events.compactions(read),
        damage=_no_messages(entries),
    )
    for title, model, inputs in events.sides(read.row_of):
        yield _side(f"{name}, {title}", model, inputs, events.attachments, in_files=in_files)


def _side(
    title: str, model: str, inputs: Sequence[Entry], attachments: Mapping[str, Any], *, in_files: bool
) -> Conversation:
    read = Messages(attachments)
    for native, entry in enumerate(inputs):
        if is_message(entry.value):
            read.add(native, entry.value)
    origin = read.rows.origins(where(inputs))
    placed = (lambda row: split_file(origin(row))) if in_files else origin
    return Conversation(messages=read.rows.messages, origin=placed, title=title, model=model or None, side=True)


def _no_messages(entries: Sequence[Entry]) -> tuple[Finding, ...]:
    return tuple(
        unreadable(entry.place.native, entry.place.pointer, entry.value, numbered=False, wanted="a message")
        for entry in entries
        if not is_message(entry.value)
    )


def _unread(sample: Entry) -> Conversation:
    place = sample.place
    damage = (unreadable(place.native, place.pointer, sample.value, numbered=False),)
    return Conversation(messages=(), origin=Messages({}).rows.origins(lambda _: place), damage=damage)


FORMAT = Format(
    name="inspect",
    title="Inspect AI",
    recognise=recognise,
    read=read,
    help="An evaluation's log, .json or .eval.",
    reads=("file", "folder"),
)
