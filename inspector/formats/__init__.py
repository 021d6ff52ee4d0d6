"""Recorded sessions: recognised by their content, read from a path, from bytes, or from messages a caller holds."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from inspector.finding import Finding
from inspector.formats.format import Conversation, Format, Kind, Record, Recording, UnreadableSession
from inspector.formats.times import times_of
from inspector.message import Body, Origin, Outline, Session, listed, opening

__all__ = [
    "FORMATS", "Conversation", "Format", "Opened", "Record", "Recording", "UnreadableSession", "conversations",
    "conversations_in", "damage_of", "format_named", "from_messages", "load", "load_bytes", "session_of",
]  # fmt: skip

MODULES = (
    "codex",
    "pi",
    "copilot_cli",
    "kimi_cli",
    "droid_cli",
    "qwen_cli",
    "claude_code",
    "claude_stream_json",
    "cursor_cli",
    "gemini_cli",
    "opencode_storage",
    "opencode_events",
    "opencode_export",
    "open_webui",
    "chatgpt_export",
    "claude_ai_export",
    "atif",
    "swe_agent",
    "mini_swe_agent",
    "openhands_v1",
    "openhands_v0",
    "inspect_log",
    "langchain",
    "otel_genai",
    "langsmith_runs",
    "langfuse",
    "gemini_contents",
    "vercel_ui",
    "sharegpt",
    "messages_jsonl_dataset",
    "openai_batch",
    "litellm_log",
    "openai_responses",
    "cline",
    "goose",
    "bedrock_converse",
    "anthropic",
    "ollama",
    "openai_chat",
    "aider_md",
)
"""One module a format, in the order of recognition: the most specific first."""

if TYPE_CHECKING:
    FORMATS: tuple[Format, ...]
    """Every format, in the order of recognition."""


@cache
def _all_formats() -> tuple[Format, ...]:
    """Imported at the first need: a first frame is drawn, and `--help` printed, without forty readers."""
    return tuple(import_module(f"inspector.formats.{name}").FORMAT for name in MODULES)


def __getattr__(name: str) -> Any:
    if name == "FORMATS":
        return _all_formats()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class Opened(NamedTuple):
    """Everything that a file holds."""

    format: Format
    conversations: tuple[Conversation, ...]
    """All of them, side conversations included, the main one first; never empty."""
    damage: tuple[Finding, ...]
    """What was wrong with the file; each conversation adds what was wrong inside it."""
    recording: Recording
    """What the format read: whoever needs more of the file than its messages looks here."""


def load(
    path: str | os.PathLike[str], *, format: str | None = None, index: int = 0, branch: int | None = None
) -> Session:
    """One conversation of a recorded session.

    Args:
        path: a file of any known format, compressed with gzip or not; a folder or a database where a format is one.
        format: the short name of the format, where recognition is not to decide.
        index: which conversation of the file, from 0.
        branch: one that the conversation has left, from 0 (see `Session.branches`), instead of the live one.

    Raises:
        UnreadableSession: with one sentence that says why; its `finding` names the damage, where there is some.
    """
    return session_of(conversations(path, format), os.fspath(path), index, branch)


def load_bytes(
    raw: bytes, name: str, *, format: str | None = None, index: int = 0, branch: int | None = None
) -> Session:
    """`load` for bytes that were read already; `name` stands for the path ("-" for standard input)."""
    return session_of(conversations_in(raw, name, format), name, index, branch)


def conversations(path: str | os.PathLike[str], format: str | None = None) -> Opened:
    """Everything in a file. Raises `UnreadableSession`."""
    from inspector.formats.sources import recording_at

    chosen = None if format is None else format_named(format)
    return _opened(recording_at(os.fspath(path)), chosen)


def conversations_in(raw: bytes, name: str, format: str | None = None) -> Opened:
    """`conversations` for bytes that were read already. Raises `UnreadableSession`."""
    from inspector.formats.sources import recording_in

    chosen = None if format is None else format_named(format)
    return _opened(recording_in(raw, name), chosen)


def session_of(opened: Opened, file: str, index: int = 0, branch: int | None = None) -> Session:
    """One conversation of an opened file as a session. Raises `UnreadableSession` where there is none of that index."""
    count = len(opened.conversations)
    if not 0 <= index < count:
        has = "one conversation, number 0" if count == 1 else f"{count:,} conversations, numbered 0 to {count - 1}"
        raise UnreadableSession(f"{file}: there is no conversation {index}; the file holds {has}")
    one = opened.conversations[index]
    if branch is not None:
        with _in_one_sentence(file, opened.format.name):
            one = _branch_of(one, file, branch)
    return Session(
        messages=one.messages,
        origin=one.origin,
        source=range(len(one.messages)),
        file=file,
        format=opened.format.name,
        title=one.title,
        index=index,
        conversations=count,
        model=one.model,
        tools=one.tools,
        usage=one.usage,
        times=times_of(opened.format.name, opened.recording, one.origin, len(one.messages)),
        compactions=one.compactions,
        damage=_placed(_named_once((*opened.damage, *one.damage)), (one,)),
        contents=tuple(map(_outline, opened.conversations)),
        branch=branch,
    )


def _branch_of(one: Conversation, file: str, branch: int) -> Conversation:
    count = len(one.branches)
    if one.read_branch is None or not 0 <= branch < count:
        has = "it has left none" if not count else f"it has left {count:,}, numbered from 0"
        raise UnreadableSession(f"{file}: the conversation has no branch {branch}; {has}")
    return replace(one.read_branch(branch), title=one.branches[branch].title, side=one.side)


def _outline(one: Conversation) -> Outline:
    asked = next((opening(body) for body in one.messages[:20] if body.get("role") == "user"), "")
    return Outline(one.title, asked, len(one.messages), one.side, one.branches)


def from_messages(messages: Sequence[Body]) -> Session:
    """A session of OpenAI-shaped dicts, as an agent holds them; neither the list nor a dict is copied or changed.

    Raises `TypeError` with one sentence where it is no list (or tuple) of dicts.
    """
    if not isinstance(messages, (list, tuple)):
        raise TypeError(f"messages must be a list of dicts, not {type(messages).__name__}")
    for place, body in enumerate(messages):
        if not isinstance(body, dict):
            raise TypeError(f"messages must be a list of dicts; element {place} is of type {type(body).__name__}")
    return Session(messages=messages, origin=listed(""), source=range(len(messages)))


def format_named(name: str) -> Format:
    """The format of that short name. Raises `UnreadableSession` with a sentence that says which there are."""
    known = {format.name: format for format in _all_formats()}
    if name in known:
        return known[name]
    near = difflib.get_close_matches(name, known, 1)
    hint = f"did you mean {near[0]}?" if near else f"`inspector formats` lists the {len(known)} there are"
    raise UnreadableSession(f"there is no format {name[:60]!r}; {hint}")


def _opened(recording: Recording, chosen: Format | None) -> Opened:
    formats = [format for format in (_all_formats() if chosen is None else (chosen,)) if recording.kind in format.reads]
    from inspector.formats.records import collector_paused

    with collector_paused():
        known, seen = _recognised(recording, formats) or (chosen if formats else None, recording)
        if known is None:
            raise UnreadableSession(_unknown(recording, chosen), _worst(recording.all_damage))
        found = _read(known, seen)
    damage = recording.all_damage
    if not found or (damage and not any(one.messages or one.abandoned for one in found)):
        says = f"{recording.name}: it holds no whole message of the format {known.name}{_damaged(recording)}"
        raise UnreadableSession(says, _worst(damage))
    return Opened(known, found, damage, seen)


def _unknown(recording: Recording, chosen: Format | None) -> str:
    archive = recording.files is not None and recording.files.packed
    says = f"{recording.name}: {'it is a zip archive' if archive else _WHAT[recording.kind]}"
    if chosen:
        return f"{says}, which a session of the format {chosen.name} never is"
    names = [format.name for format in _all_formats() if recording.kind in format.reads]
    known = f" ({', '.join(names)})" if len(names) <= FEW else "; `inspector formats` lists those that are known"
    says = f"{says}, but holds no conversation in a known format{known}{_damaged(recording)}"
    return f"{says}; name a session file in it" if recording.kind == "folder" and not archive else says


def _damaged(recording: Recording) -> str:
    """What may be the reason why nothing could be read, as the end of a sentence."""
    worst = _worst(recording.all_damage)
    return f"; it is damaged: {worst.says}" if worst else ""


FEW = 8
"""Formats that a sentence may list."""

_WHAT: Mapping[Kind, str] = {
    "file": "it is JSON", "folder": "it is a folder", "database": "it is an SQLite database", "text": "it is text",
}  # fmt: skip


def _recognised(recording: Recording, formats: Sequence[Format]) -> tuple[Format, Recording] | None:
    """The first format that knows a recording, and the recording as it reads it: an object may be a line on its own."""
    seen = [recording]
    if isinstance(recording.document, dict) and not any(one.code == "truncated-record" for one in recording.damage):
        line = Record(recording.document, 0, 0)
        seen.append(Recording(recording.name, records=[line], damage=recording.damage))
    return next(((format, form) for form in seen for format in formats if _knows(format, form)), None)


_UNFORESEEN = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RecursionError)
"""What a value of a shape that nobody foresaw may raise; the tests hold every format to raising none of it."""


def _knows(format: Format, recording: Recording) -> bool:
    try:
        return format.recognise(recording)
    except _UNFORESEEN:
        return False


@contextmanager
def _in_one_sentence(file: str, format: str) -> Iterator[None]:
    """A value of an unforeseen shape, as in a file forced into a format, is a sentence, no traceback."""
    try:
        yield
    except RecursionError as error:
        raise UnreadableSession(f"{file}: it is nested too deep to be read") from error
    except MemoryError as error:
        raise UnreadableSession(f"{file}: it does not fit into memory") from error
    except _UNFORESEEN as error:
        raise UnreadableSession(f"{file}: it is not of the format {format}") from error


def _read(format: Format, recording: Recording) -> tuple[Conversation, ...]:
    with _in_one_sentence(recording.name, format.name):
        return tuple(format.read(recording))


def _worst(damage: Sequence[Finding]) -> Finding | None:
    """The first finding that may be the reason why nothing could be read."""
    return next((finding for finding in damage if finding.severity != "info"), None)


def _named_once(damage: Sequence[Finding]) -> tuple[Finding, ...]:
    """Findings without those that name a code at a place a second time, as salvage and a reader may both do."""
    seen = {(one.code, one.message_index, one.pointer or one.says): one for one in reversed(damage)}
    return tuple(reversed(seen.values()))


def damage_of(opened: Opened) -> tuple[Finding, ...]:
    """Everything that was wrong, in the file and in each of its conversations, once; a row is that conversation's."""
    inside = (finding for one in opened.conversations for finding in one.damage)
    return _placed(_named_once((*opened.damage, *inside)), opened.conversations)


def _placed(damage: tuple[Finding, ...], found: Sequence[Conversation]) -> tuple[Finding, ...]:
    """Findings with the row of the message that they are about, where it was loaded."""
    if not any(finding.pointer for finding in damage):
        return damage
    rows: dict[str, int] = {}
    for one in reversed(found):
        rows |= {_whole_pointer(one.origin(row)): row for row in reversed(range(len(one.messages)))}
    return tuple(replace(finding, row=_row(finding.pointer, rows)) for finding in damage)


def _whole_pointer(origin: Origin) -> str:
    return f"{origin.file}#{origin.pointer}" if origin.file else origin.pointer


def _row(pointer: str, rows: Mapping[str, int]) -> int | None:
    while pointer and pointer not in rows:
        pointer = pointer.rpartition("/")[0]
    return rows.get(pointer) if pointer else None
