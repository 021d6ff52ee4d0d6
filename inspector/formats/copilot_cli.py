"""GitHub Copilot CLI: event logs of JSON Lines.

- `system.message`, `user.message`, `assistant.message` and `tool.execution_complete` are messages, in file order; a
  user's text is `transformedContent`, what was sent. Calls are the assistant's `toolRequests`; `tool.execution_start`
  and `assistant.reasoning` say the same once more, the latter is read only where the message has no reasoning.
- Events with a `parentToolCallId` are a subagent's: a side conversation for each such call.
- `session.snapshot_rewind` takes back the named event and all after it. `session.truncation` dropped the oldest
  messages; `session.compaction_complete` put a summary, a user message at its place, for all but the system prompt.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from inspector.finding import Finding
from inspector.formats.blocks import json_text
from inspector.formats.format import Conversation, Format, Recording
from inspector.formats.gemini_parts import arguments
from inspector.formats.kept import KeptRows
from inspector.formats.rows import Draft, Rows, Spot, call_entry, left_branch, on_lines
from inspector.formats.shapes import as_count, as_dict, as_list, as_text, objects_of, tokens_or_none
from inspector.message import Body, Compaction

_MESSAGES = ("user.message", "assistant.message", "system.message", "tool.execution_complete")
_SEALED = ("reasoningOpaque", "encryptedContent")
_where = on_lines("/data")


def recognise(recording: Recording) -> bool:
    """Whether a recording has events of Copilot's names with their data."""
    values = recording.sample() if recording.lines else [recording.document]
    return any(map(_is_own, values))


def _is_own(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("data"), dict):
        return False
    if value.get("type") == "session.start":
        return "sessionId" in value["data"]
    return value.get("type") in _MESSAGES and "parentId" in value


def read(recording: Recording) -> list[Conversation]:
    """The main conversation, then one for each subagent."""
    lines, damage = objects_of(recording)
    main = _Script()
    sides: dict[str, _Script] = {}
    for line, value in lines:
        data = as_dict(value.get("data"))
        agent = as_text(data.get("parentToolCallId"))
        script = sides.setdefault(agent, _Script()) if agent else main
        script.take(line, as_text(value.get("type")), as_text(value.get("id")), data)
    told = [main.conversation((*damage, *main.damage), "")]
    for agent, side in sides.items():
        if len(side.rows):
            told.append(side.conversation(tuple(side.damage), f"subagent of {agent}", side=True))
    return told


class _Script:
    """Events told in order, as rows."""

    def __init__(self) -> None:
        self.rows = Rows()
        self.damage: list[Finding] = []
        self._abandoned: list[Body] = []
        self._compactions: list[Compaction] = []
        self._kept = KeptRows()
        self._model = ""
        self._first: dict[str, int] = {}
        """The number of rows before each event."""
        self._reasoning: tuple[int, str] | None = None
        """A reasoning event that no message has followed yet."""

    def take(self, line: int, kind: str, event_id: str, data: Body) -> None:
        self._first[event_id] = len(self.rows)
        if kind == "assistant.message":
            self._answer(line, data)
        elif kind == "user.message":
            key = "transformedContent" if as_text(data.get("transformedContent")) else "content"
            self._say(line, "user", key, data)
        elif kind == "system.message":
            role = as_text(data.get("role"))
            self._say(line, role if role == "developer" else "system", "content", data)
        elif kind == "tool.execution_complete":
            self._result(line, data)
        elif kind == "assistant.reasoning":
            self._reasoning = (line, as_text(data.get("content")))
        elif kind == "session.snapshot_rewind":
            self._rewind(line, data.get("upToEventId"))
        elif kind == "session.truncation":
            self._truncate(data)
        elif kind == "session.compaction_complete":
            self._compact(line, data)
        elif kind in ("session.start", "session.resume", "session.model_change"):
            self._model = as_text(data.get("newModel") or data.get("selectedModel")) or self._model

    def _say(self, line: int, role: str, key: str, data: Body) -> None:
        draft = Draft()
        draft.say(Spot(line, f"/{key}"), _said(data.get(key)))
        self.rows.add(line, role, draft)

    def _answer(self, line: int, data: Body) -> None:
        draft = Draft()
        reasoning, before = as_text(data.get("reasoningText")), self._reasoning
        sealed = {key: data[key] for key in _SEALED if data.get(key)}
        if reasoning or sealed:
            inner = "/reasoningText" if reasoning else f"/{next(iter(sealed))}"
            draft.think(Spot(line, inner), reasoning, {"type": "reasoning", **sealed} if sealed else None)
        if before is not None and not reasoning:
            draft.think(Spot(before[0], "/content"), before[1])
        self._reasoning = None
        requests = [
            (place, call) for place, call in enumerate(as_list(data.get("toolRequests"))) if isinstance(call, dict)
        ]
        if data.get("content") or not requests:
            draft.say(Spot(line, "/content"), _said(data.get("content")))
        for place, call in requests:
            entry = call_entry(call.get("toolCallId"), call.get("name"), arguments(call.get("arguments")))
            draft.call(Spot(line, f"/toolRequests/{place}"), entry)
        self.rows.add(line, "assistant", draft)
        self._model = as_text(data.get("model")) or self._model

    def _result(self, line: int, data: Body) -> None:
        result, inner = as_dict(data.get("result")), "/result/content"
        said = result.get("content")
        if said is None and isinstance(data.get("error"), dict):
            said, inner = data["error"].get("message"), "/error/message"
        failed = data.get("success") is False
        self.rows.result(Spot(line, inner), data.get("toolCallId"), _said(said), name=as_text(data.get("toolName")),
                         error=failed)  # fmt: skip

    def _rewind(self, line: int, event_id: Any) -> None:
        row = self._first.get(event_id, len(self.rows)) if isinstance(event_id, str) else len(self.rows)
        if row < len(self.rows):
            place, count = _where(self.rows.native[row]), len(self.rows) - row
            self._abandoned += self.rows.cut(row).messages
            self._compactions = [one for one in self._compactions if one.row < row]
            self.damage.append(left_branch(place, count, f"Line {line + 1} rewinds the session"))

    def _system(self) -> tuple[int, ...]:
        system = (row for row, body in enumerate(self.rows.messages) if body["role"] in ("system", "developer"))
        return self._kept.of(system, len(self.rows))

    def _truncate(self, data: Body) -> None:
        before = tokens_or_none(data.get("preTruncationTokensInMessages"))
        after = tokens_or_none(data.get("postTruncationTokensInMessages"))
        kept = self._kept.of(self._left(as_count(data.get("messagesRemovedDuringTruncation"))), len(self.rows))
        self._compactions.append(Compaction(len(self.rows), "truncation", before, after, kept=kept))

    def _left(self, removed: int) -> Iterator[int]:
        """The rows that are left of the context where so many of those that are no instructions were removed."""
        for row, body in enumerate(self.rows.messages):
            if body["role"] in ("system", "developer"):
                yield row
            elif removed:
                removed -= 1
            else:
                yield row

    def _compact(self, line: int, data: Body) -> None:
        if data.get("success") is False:
            return
        before, after = (tokens_or_none(data.get(key)) for key in ("preCompactionTokens", "postCompactionTokens"))
        self._compactions.append(Compaction(len(self.rows), "compaction", before, after, kept=self._system()))
        if as_text(data.get("summaryContent")):
            self._say(line, "user", "summaryContent", data)

    def conversation(self, damage: tuple[Finding, ...], title: str, *, side: bool = False) -> Conversation:
        """All that was told."""
        return Conversation(
            messages=self.rows.messages,
            origin=self.rows.origins(_where),
            title=title,
            model=self._model or None,
            compactions=tuple(self._compactions),
            damage=damage,
            abandoned=tuple(self._abandoned),
            side=side,
        )


def _said(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else json_text(value)


FORMAT = Format(
    name="copilot_cli",
    title="Copilot CLI",
    recognise=recognise,
    read=read,
    help="events.jsonl under ~/.copilot/session-state.",
)
