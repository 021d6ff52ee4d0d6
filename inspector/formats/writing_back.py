"""A session under a plan, written back in its own shape: proved by reading what would be written.

The patches are made by each format. Whether they say what the plan says is not left to trust: the new bytes are read by
the same reader, and only if that gives the messages of the sent view are they handed out. So what a format cannot
express is refused with a sentence, never guessed.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from inspector.change import Action, Insert, InsertKind, Plan
from inspector.formats import FORMATS, format_named
from inspector.formats.compression import GZIP
from inspector.formats.difference import same
from inspector.formats.format import CannotWrite, Format, Recording, UnreadableSession
from inspector.formats.native import Fresh, Native, native_of, read_again
from inspector.formats.rewriting import patches_of
from inspector.formats.sources import Files, recording_in
from inspector.message import Body, Session, ToolCall, calls_of, text_of

__all__ = ["CannotWrite", "written_back"]

Written = Mapping[str, bytes | None]
"""The files that change, by their path in the folder ("" for a session that is one file); None: it is taken out."""


def written_back(
    session: Session, messages: Sequence[Body], source: Sequence[int], fresh: Fresh, raw: bytes | None = None
) -> Written:
    """A session with other messages, in its own shape. A session of one file always has its bytes under "".

    Args:
        session: as loaded; its file is read once more.
        messages: what it shall hold: its own dicts where they stay as they are.
        source: the row of the session that each of them stands for, -1 for a new one.
        fresh: gives the ids of new records.
        raw: the bytes of a session that came from standard input.

    Raises:
        CannotWrite: the format, or a damaged file, cannot express it.
        UnreadableSession: the file cannot be read any more.
    """
    format = format_named(session.format)
    if not format.shape:
        names = ", ".join(one.name for one in FORMATS if one.shape)
        raise CannotWrite(f"the format {format.name} is not written back, only {names}; without --native the sent "
                          "messages are written in OpenAI shape, from any format")  # fmt: skip
    if session.branch is not None:
        raise CannotWrite("a branch that the session has left is not written back, only its live one")
    if not messages and len(session):
        raise CannotWrite("no message of the conversation would be left to write")
    native, plan = native_of(session, format, fresh, raw), plan_of(session, messages, source)
    if not plan.fired:
        return {} if native.files() else {"": native.packed}
    written = native.written(patches_of(native, plan, format.shape))
    _prove(native, format, written, messages)
    return {file: _packed(native, data) for file, data in written.items()}


def _packed(native: Native, data: bytes | None) -> bytes | None:
    """The bytes of a single file as compressed as it was."""
    if data is None or native.files() or native.packed == native.raw():
        return data
    if native.packed.startswith(GZIP):
        return gzip.compress(data, mtime=0)
    raise CannotWrite(f"{native.session.file} is compressed; unpack it first")


def plan_of(session: Session, messages: Sequence[Body], source: Sequence[int]) -> Plan:
    """The plan that makes these messages of a session, whatever policy, or run of it, they came from."""
    action, bodies, inserts = bytearray([Action.DROP]) * len(session), dict[int, Body](), list[Insert]()
    order: list[int] = []
    last = highest = -1
    for body, row in zip(messages, source, strict=True):
        if row < 0:
            inserts.append(Insert(last, InsertKind.NOTICE, body, ""))
            continue
        action[row] = Action.KEEP if body is session.messages[row] else Action.PLACEHOLDER
        if row < highest:
            action[row] = Action.MOVE
        bodies[row] = body
        order.append(row)
        last, highest = row, max(row, highest)
    moved = Action.MOVE in action
    return Plan(
        session, bytes(action), bytes(len(session)), ("",), session.columns.chars, bodies.__getitem__,
        tuple(inserts), order if moved else None,
    )  # fmt: skip


def _prove(native: Native, format: Format, written: Written, messages: Sequence[Body]) -> None:
    """Refuse what does not read as the sent messages."""
    session = native.session
    try:
        _, found = read_again(format, _as_recorded(native, written))
    except UnreadableSession as fault:
        raise CannotWrite(f"{session.file}: what would be written could not be read again: {fault}") from None
    before = native.conversations
    if session.index >= len(found) or len(found) != len(before):
        raise CannotWrite(f"{session.file}: no message of the conversation would be left")
    for number, (now, was) in enumerate(zip(found, before, strict=True)):
        _compare(session, now.messages, messages if number == session.index else was.messages)


def _as_recorded(native: Native, written: Written) -> Recording:
    paths = native.files()
    if not paths:
        raw = written.get("") if "" in written else native.raw()
        return recording_in(raw or b"", native.session.file)
    kept = {path for path in (*paths, *written) if written.get(path, b"") is not None}

    def read(path: str) -> bytes:
        return written[path] or b"" if path in written else native.raw(path)

    return Recording(native.session.file, files=Files(native.session.file, kept, read))


def _compare(session: Session, found: Sequence[Body], wanted: Sequence[Body]) -> None:
    short = min(len(found), len(wanted))
    pairs = enumerate(zip(found, wanted, strict=False))
    place = next((place for place, (one, other) in pairs if one is not other and not says_the_same(one, other)), short)
    if place == short == max(len(found), len(wanted)):
        return
    raise CannotWrite(
        f"{session.format} cannot express message {place:,} as it would be sent: {_why(found, wanted, place)}"
    )


def _why(found: Sequence[Body], wanted: Sequence[Body], place: int) -> str:
    around = [body.get("role") for body in wanted[max(0, place - 1) : place + 2]]
    if any(pair == ("assistant", "assistant") for pair in pairwise(around)) and len(found) < len(wanted):
        return "two assistant messages in a row would read as one"
    if place >= min(len(found), len(wanted)):
        return f"{len(found):,} messages would be read, and {len(wanted):,} are sent"
    return f"it would read differently ({_difference(found[place], wanted[place])})"


_COMPARED: Mapping[str, Callable[[Body], Any]] = {
    "role": lambda body: body.get("role"),
    "content": lambda body: _content(body),
    "tool_calls": lambda body: [_call(call) for call in calls_of(body)],
    "tool_call_id": lambda body: body.get("tool_call_id"),
    "thinking": lambda body: body.get("thinking"),
    "thinking_blocks": lambda body: body.get("thinking_blocks"),
    "images": lambda body: body.get("images"),
}


def says_the_same(one: Body, other: Body) -> bool:
    """Whether two messages say the same to a model: texts as strings or as lists of them, arguments as JSON."""
    return same(one, other) or not _difference(one, other)


def _difference(one: Body, other: Body) -> str:
    return next((key for key, of in _COMPARED.items() if not same(of(one), of(other))), "")


def _content(body: Body) -> Any:
    content = body.get("content")
    if not isinstance(content, list):
        return "" if content is None else content
    plain = all(isinstance(part, dict) and part.get("type") == "text" for part in content)
    return text_of(body) if plain else [part if not _is_text(part) else part["text"] for part in content]


def _is_text(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") == "text" and isinstance(part.get("text"), str)


def _call(call: ToolCall) -> list[Any]:
    try:
        asked = json.loads(call.arguments)
    except ValueError:
        asked = call.arguments
    return [call.id, call.name, asked]
