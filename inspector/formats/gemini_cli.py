"""Gemini CLI: session files, one JSON object before version 0.40 and JSON Lines since.

- JSON Lines are replayed as the tool's own loader does it: a record with an id that was seen replaces the earlier one
  in its place, `$rewindTo` deletes that record and all after it (an unknown id deletes all), `$set.messages` is a new
  list.
- A `toolCalls` entry is a call and, where it has a `result`, its result: a row of its own after the message. The same
  answer may follow once more as a user message of `functionResponse` parts; that double is dropped, and every further
  copy is named `duplicate-tool-result` (a resume fault of the tool).
- `info`, `warning` and `error` records are the screen's and are not sent; neither is `resultDisplay`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from inspector.finding import Finding
from inspector.formats.branches import MOST, branch
from inspector.formats.format import Conversation, Format, Recording
from inspector.formats.gemini_parts import (
    Part,
    add_parts,
    add_response,
    arguments,
    is_snapshot,
    parts_at,
    response_of,
    take,
)
from inspector.formats.rows import Draft, Place, Rows, Spot, call_entry, joined, left_branch
from inspector.formats.shapes import as_count, as_dict, as_list, as_text, objects_of, unreadable
from inspector.message import Body, Branch, Compaction, Usage

_ASSISTANT = ("gemini", "model", "assistant")
_UNSENT = ("info", "warning", "error")
_FAILED = ("error", "cancelled")


@dataclass(frozen=True, slots=True)
class _Entry:
    """A message record and where it stands."""

    place: Place
    value: Body


@dataclass(slots=True)
class _Replay:
    """The records of a session while its lines are replayed."""

    entries: list[_Entry] = field(default_factory=list)
    seen: dict[str, int] = field(default_factory=dict)
    """The place of each record, by its id."""
    left: list[tuple[Finding, list[_Entry]]] = field(default_factory=list)
    rewinds: list[tuple[int, int]] = field(default_factory=list)
    """Of each of them the line that rewound it, and how many records that kept."""
    damage: list[Finding] = field(default_factory=list)
    head: Body = field(default_factory=dict)


def recognise(recording: Recording) -> bool:
    """Whether a recording has the header of a session, or a line that only such a file has."""
    if recording.lines:
        return any(map(_is_own, recording.sample()))
    document = recording.document
    return isinstance(document, dict) and "messages" in document and _is_header(document)


def _is_header(value: Body) -> bool:
    return "projectHash" in value and "sessionId" in value


def _is_own(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    if _is_header(value) or "$rewindTo" in value or isinstance(value.get("$set"), dict):
        return True
    return value.get("type") == "gemini" and isinstance(value.get("id"), str) and "content" in value


def read(recording: Recording) -> list[Conversation]:
    """The one conversation of a session file."""
    replay = _Replay()
    if not recording.lines and isinstance(recording.document, dict) and "messages" in recording.document:
        replay.head = recording.document
        replay.entries = _listed(recording.document["messages"], "/messages", None, replay.damage)
        return [_conversation(replay)]
    return [_replayed(*objects_of(recording))]


def _replayed(lines: Sequence[tuple[int, Body]], damage: list[Finding], until: int | None = None) -> Conversation:
    """The lines of a session; `until` a line, without it and those after it."""
    replay = _Replay(damage=list(damage))
    for line, value in lines:
        if line == until:
            break
        _replay(replay, line, value)
    ends = [line for line, _ in reversed(replay.rewinds)]
    return replace(_conversation(replay), read_branch=lambda number: _replayed(lines, damage, ends[number]))


def _listed(messages: Any, pointer: str, line: int | None, damage: list[Finding]) -> list[_Entry]:
    entries = []
    for place, value in enumerate(as_list(messages)):
        index, at = (place, f"{pointer}/{place}") if line is None else (line, f"{pointer}/{place}")
        if isinstance(value, dict):
            entries.append(_Entry(Place(index, at, None if line is None else line + 1), value))
        else:
            damage.append(unreadable(index, at, value, numbered=line is not None))
    return entries


def _replay(replay: _Replay, line: int, value: Body) -> None:
    place = Place(line, f"/{line}", line + 1)
    if "$rewindTo" in value:
        _rewind(replay, place, value["$rewindTo"])
    elif isinstance(value.get("$set"), dict):
        change = value["$set"]
        replay.head = {**replay.head, **change}
        if isinstance(change.get("messages"), list):
            replay.entries = _listed(change["messages"], f"/{line}/$set/messages", line, replay.damage)
            replay.seen = _places(replay.entries)
    elif isinstance(value.get("type"), str) and "id" in value:
        _keep(replay, _Entry(place, value))
    elif _is_header(value):
        replay.head = {**replay.head, **value}


def _keep(replay: _Replay, entry: _Entry) -> None:
    record_id = entry.value["id"]
    if isinstance(record_id, str) and record_id in replay.seen:
        replay.entries[replay.seen[record_id]] = entry
        return
    if isinstance(record_id, str):
        replay.seen[record_id] = len(replay.entries)
    replay.entries.append(entry)


def _places(entries: list[_Entry]) -> dict[str, int]:
    ids = ((entry.value.get("id"), place) for place, entry in enumerate(entries))
    return {record_id: place for record_id, place in ids if isinstance(record_id, str)}


def _rewind(replay: _Replay, place: Place, record_id: Any) -> None:
    cut = replay.seen.get(record_id, 0) if isinstance(record_id, str) else 0
    gone = replay.entries[cut:]
    del replay.entries[cut:]
    for entry in gone:
        replay.seen.pop(as_text(entry.value.get("id")), None)
    if gone:
        says = f"Line {place.native + 1} rewinds the session"
        replay.left.append((left_branch(gone[0].place, len(gone), says), gone))
        replay.rewinds.append((place.native, cut))


def _conversation(replay: _Replay) -> Conversation:
    script = _Script([entry.place for entry in replay.entries])
    script.tell(entry.value for entry in replay.entries)
    lost = [entry for _, entries in replay.left for entry in entries]
    left = _Script([entry.place for entry in lost])
    left.tell(entry.value for entry in lost)
    rows = script.rows
    return Conversation(
        messages=rows.messages,
        origin=rows.origins(script.where),
        title=as_text(replay.head.get("summary")),
        model=script.model or None,
        usage=tuple(script.usage),
        compactions=tuple(
            Compaction(row, "state_snapshot") for row, body in enumerate(rows.messages) if is_snapshot(body)
        ),
        damage=(*replay.damage, *(finding for finding, _ in replay.left), *script.damage),
        abandoned=tuple(left.rows.messages),
        branches=tuple(_branches(replay, rows)),
    )


def _branches(replay: _Replay, rows: Rows) -> Iterator[Branch]:
    """What each rewind took back, the newest first."""
    for (_, kept), (_, gone) in list(zip(replay.rewinds, replay.left, strict=True))[: -MOST - 1 : -1]:
        sent = [entry for entry in gone if entry.value.get("type") not in _UNSENT]
        alone = _Script([entry.place for entry in sent[:1]])
        alone.tell(entry.value for entry in sent[:1])
        yield branch(bisect_left(rows.native, kept), len(sent), alone.rows.messages)


class _Script:
    """Records told in order, as rows. A row's native number is the place of its record among them."""

    def __init__(self, places: list[Place]) -> None:
        self.rows = Rows()
        self.usage: list[Usage] = []
        self.damage: list[Finding] = []
        self.model = ""
        self.where = places.__getitem__
        self._answered: dict[str, int] = {}
        """Call ids that have a result in their call's record, with the number of further records of it."""

    def tell(self, values: Iterable[Body]) -> None:
        for native, value in enumerate(values):
            kind = value.get("type")
            if kind in _UNSENT:
                continue
            key = "content" if "content" in value else "parts"
            parts = parts_at(native, f"/{key}", value.get(key))
            if kind in _ASSISTANT:
                self._answer(native, value, parts)
            else:
                self._say(native, as_text(kind) or "user", parts)

    def _say(self, native: int, role: str, parts: list[Part]) -> None:
        own = [part for part in parts if not self._is_double(part)]
        if own or not parts:
            add_parts(self.rows, native, role, own)
        copies = [part for part in parts if self._is_copy(part)]
        if copies:
            whole = len(copies) == len(parts)
            place = self.where(native)
            for part in copies[:1] if whole else copies:
                self.damage.append(_copy(place, place.pointer + ("" if whole else part.spot.inner)))

    def _is_double(self, part: Part) -> bool:
        """Whether a part says once more what its call's record says."""
        return _response_id(part) in self._answered

    def _is_copy(self, part: Part) -> bool:
        """Whether a part is more than the one double that the tool writes."""
        answers = _response_id(part)
        if answers not in self._answered:
            return False
        self._answered[answers] += 1
        return self._answered[answers] > 1

    def _answer(self, native: int, value: Body, parts: list[Part]) -> None:
        draft, row = Draft(), len(self.rows)
        for place, thought in enumerate(as_list(value.get("thoughts"))):
            draft.think(Spot(native, f"/thoughts/{place}"), _thought(thought))
        for part in parts:
            take(draft, part)
        calls = [(place, call) for place, call in enumerate(as_list(value.get("toolCalls"))) if isinstance(call, dict)]
        for place, call in calls:
            entry = call_entry(call.get("id"), call.get("name"), arguments(call.get("args")))
            draft.call(Spot(native, f"/toolCalls/{place}"), entry)
        self.rows.add(native, "assistant", draft)
        self.model = as_text(value.get("model")) or self.model
        self._count(row, as_dict(value.get("tokens")))
        for place, call in calls:
            self._result(Spot(native, f"/toolCalls/{place}/result"), call)

    def _result(self, spot: Spot, call: Body) -> None:
        """Add the result in a call's record: one row, whatever parts it has."""
        parts = parts_at(spot.native, spot.inner, call.get("result") or None)
        if not parts:
            return
        call_id, failed = call.get("id"), call.get("status") in _FAILED
        response = response_of(parts[0].value)
        for known in (call_id, None if response is None else response.get("id")):
            if isinstance(known, str) and known:
                self._answered[known] = 0
        if response is not None and len(parts) == 1:
            add_response(self.rows, parts[0].spot, {"name": call.get("name"), **response, "id": call_id}, error=failed)
            return
        inner = Rows()
        for part in parts:
            add_parts(inner, spot.native, "user", [part])
        said: list[str | Body] = []
        for body in inner.messages:
            said += [body["content"]] if isinstance(body["content"], str) else body["content"]
        self.rows.result(spot, call_id, joined(said), name=as_text(call.get("name")), error=failed)

    def _count(self, row: int, tokens: Body) -> None:
        """`input` includes cached tokens, `output` excludes thoughts (gemini-cli, chatRecordingService)."""
        taken = as_count(tokens.get("input"))
        made = as_count(tokens.get("output")) + as_count(tokens.get("thoughts"))
        if taken or made:
            self.usage.append(Usage(row, taken, as_count(tokens.get("cached")), made))


def _response_id(part: Part) -> str:
    response = response_of(part.value)
    return as_text(response.get("id")) if response is not None else ""


def _thought(thought: Any) -> str:
    if isinstance(thought, str):
        return thought
    found = as_dict(thought)
    texts = (as_text(found.get("subject")), as_text(found.get("description")))
    return "\n".join(text for text in texts if text)


def _copy(place: Place, pointer: str) -> Finding:
    says = f"{pointer} holds one more copy of a tool result that is recorded already; it was left out."
    repair = "Delete the copy."
    return Finding("duplicate-tool-result", "error", says, place.native, pointer, place.line, repair=repair)


FORMAT = Format(
    name="gemini_cli",
    title="Gemini CLI",
    recognise=recognise,
    read=read,
    help="Session files under ~/.gemini/tmp/PROJECT/chats.",
    shape="back_gemini.RECORDS",
)
