"""What opencode keeps of a session, wherever it keeps it: infos of messages, and parts. Shared by its four readers.

- One assistant info is one step, and each step between `step-start` parts is a row. A `tool` part is a call and, once
  its state is completed or error, the result: a row of its own after the step. A part that stayed pending or running
  is a call without a result.
- The order of messages is that of their creation. What `session.revert` hides is left; it is not sent.
- A compaction is a user message with a `compaction` part, which opencode sends as a question of its own, and the answer
  with `summary: true`; what follows `tail_start_id` is kept with it. One without a summary did not happen.
- The `parts` of an origin lead to the parts of calls and to the very texts of everything else.
- A result that opencode pruned (`state.time.compacted`) keeps its recorded text; the model is sent a placeholder.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from inspector.finding import Finding
from inspector.formats.blocks import json_text
from inspector.formats.format import Conversation
from inspector.formats.kept import KeptRows
from inspector.formats.rows import Draft, Place, Rows, Spot, call_entry, image_part, joined, left_branch
from inspector.formats.shapes import as_count, as_dict, as_list, as_text
from inspector.message import Body, Compaction, Origin, Usage

COMPACTION_QUESTION = "What did we do so far?"
SUBTASK_NOTE = "The following tool was executed by the user"
"""What opencode sends for parts that have no text of their own (opencode, message-v2.ts)."""
_SIGNATURES = ("signature", "reasoningEncryptedContent", "thoughtSignature", "redactedData", "encrypted_content")


class Piece(NamedTuple):
    """An info, or a part, and where it stands."""

    value: Body
    place: Place


class Said(NamedTuple):
    """A message: its info, and its parts in order."""

    info: Piece
    parts: list[Piece]


class Told(NamedTuple):
    """A session, its messages in any order."""

    info: Body
    messages: list[Said]


def conversations_of(
    sessions: Iterable[Told], damage: Sequence[Finding] = (), split: Callable[[Origin], Origin] = lambda origin: origin
) -> list[Conversation]:
    """The sessions with messages, the newest first, each followed by the sessions of its subagents.

    `split` finishes each origin; `damage` is that of the whole recording.
    """
    told = sorted((one for one in sessions if one.messages), key=lambda one: -_time(one.info, "updated"))
    known = {as_text(one.info.get("id")) for one in told}
    under: dict[str, list[Told]] = {}
    mains: list[Told] = []
    for one in told:
        parent = as_text(one.info.get("parentID"))
        if parent in known and parent != as_text(one.info.get("id")):
            under.setdefault(parent, []).append(one)
        else:
            mains.append(one)
    found: list[Conversation] = []
    for main in mains:
        found.append(_conversation(main, split))
        found += (replace(_conversation(one, split), side=True) for one in _below(under, main))
    found += (_conversation(one, split) for rest in under.values() for one in rest)  # parents in a circle
    return [replace(found[0], damage=(*damage, *found[0].damage)), *found[1:]] if found else []


def _below(under: dict[str, list[Told]], main: Told) -> list[Told]:
    """The sessions under one, theirs included; each is taken once."""
    found, waiting = list[Told](), [main]
    while waiting:
        children = under.pop(as_text(waiting.pop().info.get("id")), [])
        found += children
        waiting += children
    return found


def in_order(messages: Iterable[Said]) -> list[Said]:
    """Messages by their time of creation; those of one time stay as they were."""
    return sorted(messages, key=lambda said: _time(said.info.value, "created"))


def _time(info: Body, key: str) -> float:
    value = as_dict(info.get("time")).get(key)
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else 0


def _conversation(told: Told, split: Callable[[Origin], Origin]) -> Conversation:
    script = _Script()
    messages = in_order(told.messages)
    for said in messages:
        script.tell(said)
    cut = _reverted(told.info, messages, script)
    left = script.rows.cut(cut[0]) if cut else Rows()
    origin = script.rows.origins(script.places.__getitem__)
    return Conversation(
        messages=script.rows.messages,
        origin=lambda row: split(origin(row)),
        title=as_text(told.info.get("title")),
        id=as_text(told.info.get("id")),
        model=script.model or None,
        usage=tuple(usage for usage in script.usage if usage.row < len(script.rows)),
        compactions=tuple(one for one in script.compactions() if one.row < len(script.rows)),
        damage=(left_branch(cut[1], len(left), "The session was reverted"),) if cut and len(left) else (),
        abandoned=tuple(left.messages),
    )


def _reverted(session: Body, messages: Sequence[Said], script: _Script) -> tuple[int, Place] | None:
    """The first row that a revert hides, and the place where it begins."""
    revert = as_dict(session.get("revert"))
    message, part = as_text(revert.get("messageID")), as_text(revert.get("partID"))
    for said in messages:
        if message and said.info.value.get("id") == message:
            hidden = [piece for piece in said.parts if part and piece.value.get("id") == part]
            row = script.row_of(hidden[0] if hidden else said.info)
            return None if row is None else (row, hidden[0].place if hidden else said.info.place)
    return None


class _Script:
    """Messages told in order, as rows; the native number of a place is where it stands in `places`."""

    def __init__(self) -> None:
        self.rows = Rows()
        self.places: list[Place] = []
        self.usage: list[Usage] = []
        self.model = ""
        self._first_rows: dict[int, int] = {}
        """By the id of a piece, the first row after it was reached."""
        self._ids: dict[str, int] = {}
        self._question: tuple[int, Body] | None = None
        """The row of a compaction's question that no summary has answered, and the part."""
        self._compactions: list[tuple[int, Body]] = []

    def row_of(self, piece: Piece) -> int | None:
        """The first row of a message, or the one that a part is in."""
        return self._first_rows.get(id(piece.value))

    def tell(self, said: Said) -> None:
        """Add one message."""
        info, first = said.info.value, len(self.rows)
        self._first_rows[id(info)] = first
        self._ids[as_text(info.get("id"))] = first
        role = as_text(info.get("role")) or "other"
        home = self._at(said.info)
        step = _Step(self, home, role)
        for piece in said.parts:
            self._first_rows[id(piece.value)] = len(self.rows)
            step.take(piece)
        step.close()
        if len(self.rows) == first and not (info.get("error") or not said.parts):
            self.rows.add(home, role, Draft())
        if len(self.rows) > first:
            self._note(info, first, said)

    def _at(self, piece: Piece) -> int:
        self.places.append(piece.place)
        return len(self.places) - 1

    def _note(self, info: Body, first: int, said: Said) -> None:
        role = info.get("role")
        compaction = next((piece.value for piece in said.parts if piece.value.get("type") == "compaction"), None)
        if role == "user" and compaction is not None:
            self._question = (first, compaction)
        if role != "assistant":
            return
        self.model = as_text(info.get("modelID")) or as_text(as_dict(info.get("model")).get("modelID")) or self.model
        usage = _usage(first, info)
        self.usage += [usage] if usage else []
        if info.get("summary") is True and self._question is not None and not info.get("error"):
            self._compactions.append(self._question)
            self._question = None

    def compactions(self) -> list[Compaction]:
        """The compactions that came to a summary."""
        found, within = [], KeptRows()
        for row, part in self._compactions:
            tail = self._ids.get(as_text(part.get("tail_start_id")), row)
            kept = within.of(range(tail, row), row)
            found.append(Compaction(row, "auto" if part.get("auto") else "manual", self._before(row), kept=kept))
        return found

    def _before(self, row: int) -> int | None:
        """The size of the context in the last request before a row."""
        return next((usage.input + usage.output for usage in reversed(self.usage) if usage.row < row), None)


class _Step:
    """The parts of a message up to the next step."""

    def __init__(self, script: _Script, home: int, role: str) -> None:
        self._script, self._home, self._role = script, home, role
        self._draft = Draft()
        self._results: list[tuple[Piece, int]] = []

    def take(self, piece: Piece) -> None:
        """Take in one part."""
        part, kind = piece.value, piece.value.get("type")
        if kind == "step-start":
            self.close()
            return
        spot = Spot(self._script._at(piece), "")
        if kind == "text" and not part.get("ignored"):
            self._draft.say(spot._replace(inner="/text"), as_text(part.get("text")))
        elif kind == "reasoning":
            signed = part if _is_signed(part.get("metadata")) else None
            self._draft.think(spot._replace(inner="/text"), as_text(part.get("text")), signed)
        elif kind == "tool":
            self._draft.call(spot, call_entry(part.get("callID"), part.get("tool"), _arguments(part)))
            if as_dict(part.get("state")).get("status") in ("completed", "error"):
                self._results.append((piece, spot.native))
        elif kind == "file" and (shown := _shown(part)) is not None:
            self._draft.say(spot, shown)
        elif kind == "compaction" and self._role == "user":
            self._draft.say(spot, COMPACTION_QUESTION)
        elif kind == "subtask":
            self._draft.say(spot, SUBTASK_NOTE)

    def close(self) -> None:
        """Add the row of the step, then those of its results."""
        if self._draft:
            self._script.rows.add(self._home, self._role, self._draft)
        for piece, native in self._results:
            self._add_result(piece, native)
        self._draft, self._results = Draft(), []

    def _add_result(self, piece: Piece, native: int) -> None:
        state = as_dict(piece.value.get("state"))
        failed = state["status"] == "error"
        key = "error" if failed else "output"
        recorded = state.get(key, "")
        text = recorded if isinstance(recorded, str) else json_text(recorded)
        shown = [part for one in as_list(state.get("attachments")) if (part := _shown(as_dict(one))) is not None]
        self._script.rows.result(
            Spot(native, f"/state/{key}"), piece.value.get("callID"), joined([text, *shown]),
            name=as_text(piece.value.get("tool")), error=failed,
        )  # fmt: skip


def _arguments(part: Body) -> str:
    state = as_dict(part.get("state"))
    raw, recorded = as_text(state.get("raw")), state.get("input")
    if raw and not recorded:
        return raw
    return recorded if isinstance(recorded, str) else json_text({} if recorded is None else recorded)


def _shown(part: Body) -> Body | None:
    """A file as a part; plain text and folders are None: opencode puts their content into a text part of its own."""
    mime, url = as_text(part.get("mime")), as_text(part.get("url"))
    if mime.startswith("image/") and url:
        return image_part(url)
    return None if mime in ("text/plain", "application/x-directory", "") else part


def _is_signed(metadata: Any) -> bool:
    return isinstance(metadata, dict) and any(
        key in _SIGNATURES or (isinstance(held, dict) and not held.keys().isdisjoint(_SIGNATURES))
        for key, held in metadata.items()
    )


def _usage(row: int, info: Body) -> Usage | None:
    """What the request took. `input` is without what the cache gave or took; where `total` says so, `output` is without
    the thinking."""
    tokens = as_dict(info.get("tokens"))
    cache = as_dict(tokens.get("cache"))
    read = as_count(cache.get("read"))
    taken = as_count(tokens.get("input")) + read + as_count(cache.get("write"))
    made, thought = as_count(tokens.get("output")), as_count(tokens.get("reasoning"))
    if thought and as_count(tokens.get("total")) == taken + made + thought:
        made += thought
    return Usage(row, taken, read, made) if taken or made else None
