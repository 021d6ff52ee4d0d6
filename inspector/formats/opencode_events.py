"""opencode's server events as JSON Lines, bare or wrapped with a timestamp: the session as the last event left it.

Events are replayed by message id and part id, the last one of each wins, and removed ones go. A `message.part.delta`
repeats what the next update holds; it counts only for a part that no later update closed, as in a recording that was
cut. The place of a message or a part is the line of its last update.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from inspector.finding import Finding
from inspector.formats.entries import Entry, entries_of, samples_of
from inspector.formats.format import Conversation, Format, Recording
from inspector.formats.opencode import Piece, Said, Told, conversations_of
from inspector.formats.rows import Place
from inspector.formats.shapes import as_dict, as_text, unreadable
from inspector.message import Body

_WRAPPERS = ("event", "payload", "data")


def recognise(recording: Recording) -> bool:
    """Whether a recording has events about messages and their parts."""
    events = (_event(Entry(value, Place(0, ""))) for value in samples_of(recording, 200))
    return any(event is not None and _subject(event) for event in events)


def _event(entry: Entry) -> Entry | None:
    """The event in a line: the line itself, or what wraps it."""
    for one in (entry, *(entry.at(key) for key in _WRAPPERS)):
        value = one.value
        if isinstance(value, dict) and isinstance(value.get("type"), str) and isinstance(value.get("properties"), dict):
            return one
    return None


def _subject(event: Entry) -> bool:
    kind: str = event.value["type"]
    held: Body = event.value["properties"]
    told = isinstance(held.get("info"), dict) or isinstance(held.get("part"), dict) or "sessionID" in held
    return told and kind.startswith(("message.", "session."))


def read(recording: Recording) -> list[Conversation]:
    """The sessions that the events tell of."""
    state = _State()
    for entry in entries_of(recording):
        event = _event(entry)
        if event is not None:
            state.take(event)
        elif not isinstance(entry.value, dict):
            index, pointer, line = entry.place
            state.damage.append(unreadable(index, pointer, entry.value, numbered=line is not None))
    return conversations_of(state.told(), state.damage)


@dataclass(slots=True)
class _State:
    """What the events so far have left."""

    sessions: dict[str, Body] = field(default_factory=dict)
    messages: dict[str, Piece] = field(default_factory=dict)
    parts: dict[str, dict[str, Piece]] = field(default_factory=dict)
    """By message, then by part."""
    deltas: dict[tuple[str, str], dict[str, list[str]]] = field(default_factory=dict)
    """By message and part, then by field: what came since the part's last update."""
    damage: list[Finding] = field(default_factory=list)

    def take(self, event: Entry) -> None:
        """Replay one event."""
        kind: str = event.value["type"]
        held = event.at("properties")
        if kind in ("session.created", "session.updated"):
            info = as_dict(held.value.get("info"))
            self.sessions[as_text(info.get("id"))] = info
        elif kind == "message.updated":
            self._keep(self.messages, held.at("info"))
        elif kind == "message.removed":
            self.messages.pop(as_text(held.value.get("messageID")), None)
        elif kind == "message.part.updated":
            part = held.at("part")
            self.deltas.pop(
                (as_text(as_dict(part.value).get("messageID")), as_text(as_dict(part.value).get("id"))), None
            )
            self._keep(self.parts.setdefault(as_text(as_dict(part.value).get("messageID")), {}), part)
        elif kind == "message.part.removed":
            of_message = self.parts.get(as_text(held.value.get("messageID")), {})
            of_message.pop(as_text(held.value.get("partID")), None)
        elif kind == "message.part.delta":
            self._append(held.value)

    def _keep(self, pieces: dict[str, Piece], entry: Entry) -> None:
        if isinstance(entry.value, dict):
            pieces[as_text(entry.value.get("id"))] = Piece(entry.value, entry.place)
        else:
            index, pointer, line = entry.place
            self.damage.append(unreadable(index, pointer, entry.value, numbered=line is not None))

    def _append(self, delta: Body) -> None:
        name = as_text(delta.get("messageID")), as_text(delta.get("partID"))
        self.deltas.setdefault(name, {}).setdefault(as_text(delta.get("field")), []).append(as_text(delta.get("delta")))

    def _finish(self) -> None:
        """Add what came of parts after their last update."""
        for (message, part), fields in self.deltas.items():
            piece = self.parts.get(message, {}).get(part)
            if piece is not None:
                grown = {key: as_text(piece.value.get(key)) + "".join(texts) for key, texts in fields.items() if key}
                self.parts[message][part] = Piece({**piece.value, **grown}, piece.place)

    def told(self) -> list[Told]:
        """The sessions with their messages."""
        self._finish()
        by_session: dict[str, list[Said]] = {}
        for name, info in self.messages.items():
            said = Said(info, list(self.parts.get(name, {}).values()))
            by_session.setdefault(as_text(info.value.get("sessionID")), []).append(said)
        return [Told(self.sessions.get(session, {"id": session}), said) for session, said in by_session.items()]


FORMAT = Format(
    name="opencode_events",
    title="opencode events",
    recognise=recognise,
    read=read,
    help="The event stream of an opencode server, one event a line.",
)
