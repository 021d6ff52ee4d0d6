"""Qwen Code: session files of JSON Lines, a tree of records like Claude Code's with content like Gemini's.

- The live path leads from the last record of the main conversation to the root; a rewind links the next record to an
  earlier one. Records of one uuid are one message: their parts follow each other.
- `system` records are not sent. `chat_compression` among them holds the contents that the model was sent from then on:
  `Compaction.replacement`.
- Records of a subagent (`isSidechain`, or an `agentId`) are a side conversation, in file order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from inspector.finding import Finding
from inspector.formats.blocks import json_text
from inspector.formats.format import Conversation, Format, Recording
from inspector.formats.gemini_parts import Part, add_parts, history_of, is_snapshot, parts_at, usage_of
from inspector.formats.rows import Rows, on_lines
from inspector.formats.shapes import as_dict, as_text, objects_of, tokens_or_none
from inspector.formats.tree import Linked, branches_of, live_path
from inspector.message import Body, Compaction, Usage

_ROLES = {"user": "user", "assistant": "model", "tool_result": "user"}


def recognise(recording: Recording) -> bool:
    """Whether a recording has linked records whose message holds parts, or the compression of such a chat."""
    values = recording.sample() if recording.lines else [recording.document]
    return any(map(_is_own, values))


def _is_own(value: Any) -> bool:
    if not isinstance(value, dict) or "uuid" not in value or "sessionId" not in value:
        return False
    return "parts" in as_dict(value.get("message")) or value.get("subtype") == "chat_compression"


def read(recording: Recording) -> list[Conversation]:
    """The main conversation, then one for each subagent."""
    lines, damage = objects_of(recording)
    main: list[Linked] = []
    sides: dict[str, list[Linked]] = {}
    for line, value in lines:
        record = Linked(line, value, as_text(value.get("uuid")), value.get("parentUuid"))
        if value.get("isSidechain") or value.get("agentId"):
            sides.setdefault(as_text(value.get("agentId")), []).append(record)
        else:
            main.append(record)
    told = [_main(main, damage)] if main or not sides else []
    for agent, records in sides.items():
        told.append(_side(agent, records, bool(told)))
    return told


def _main(records: Sequence[Linked], damage: Sequence[Finding], leaf: int | None = None) -> Conversation:
    last = {record.id: place for place, record in enumerate(records) if record.id}
    speaking = [_speaks(record.value) and last.get(record.id, place) == place for place, record in enumerate(records)]
    path = live_path(records, len(records) - 1 if leaf is None else leaf, "parentUuid", speaking)
    script, left = _Script(), _Script()
    script.play([records[place] for place in path.live], again=_again(records, path.left))
    ids = {records[place].id for place in path.live}
    left.play([records[place] for place in path.left if records[place].id not in ids or not records[place].id])
    titles = [as_dict(record.value.get("systemPayload")).get("customTitle") for record in records
              if record.value.get("subtype") == "custom_title"]  # fmt: skip
    leaves, branches = branches_of(path, records, speaking, script.rows.native, _alone)
    return replace(
        script.conversation((*damage, *path.damage), left, as_text(titles[-1]) if titles else "", side=False),
        branches=branches,
        read_branch=lambda number: _main(records, damage, leaves[number]),
    )


def _alone(record: Linked) -> Sequence[Body]:
    script = _Script()
    script.play([record])
    return script.rows.messages


def _side(agent: str, records: Sequence[Linked], side: bool) -> Conversation:
    script = _Script()
    script.play(records)
    return script.conversation((), _Script(), f"subagent {agent}".strip(), side=side)


def _speaks(value: Body) -> bool:
    return value.get("type") != "system" and isinstance(value.get("message"), dict)


def _again(records: Sequence[Linked], left: Sequence[int]) -> dict[str, list[Linked]]:
    """Records off the path by their uuid: the one on the path may have been written in several."""
    found: dict[str, list[Linked]] = {}
    for place in left:
        if records[place].id:
            found.setdefault(records[place].id, []).append(records[place])
    return found


class _Script:
    """Records told in order, as rows."""

    def __init__(self) -> None:
        self.rows = Rows()
        self._usage: list[Usage] = []
        self._compactions: list[Compaction] = []
        self._model = ""

    def play(self, records: Sequence[Linked], again: dict[str, list[Linked]] | None = None) -> None:
        for record in records:
            if _speaks(record.value):
                more = again.pop(record.id, []) if again and record.id else []
                self._say(sorted([record, *more], key=lambda one: one.line) if more else [record])
            elif record.value.get("subtype") == "chat_compression":
                self._compact(record.value)

    def _say(self, records: Sequence[Linked]) -> None:
        first = records[0]
        parts: list[Part] = []
        for record in records:
            message = as_dict(record.value.get("message"))
            parts += [part for part in parts_at(record.line, "/message/parts", message.get("parts"))
                      if record is first or not _is_known(part, parts)]  # fmt: skip
        native = as_text(as_dict(first.value.get("message")).get("role"))
        role = native or _ROLES.get(as_text(first.value.get("type")), "user")
        add_parts(self.rows, first.line, role, parts)
        if self.rows.messages[-1]["role"] == "assistant":
            self._model = as_text(first.value.get("model")) or self._model
            self._usage += usage_of(len(self.rows) - 1, first.value.get("usageMetadata"))

    def _compact(self, value: Body) -> None:
        payload = as_dict(value.get("systemPayload"))
        info = as_dict(payload.get("info"))
        before, after = tokens_or_none(info.get("originalTokenCount")), tokens_or_none(info.get("newTokenCount"))
        history = payload.get("compressedHistory")
        if isinstance(history, list):
            replaced = history_of(history)
            kind = "chat_compression"
            self._compactions.append(Compaction(len(self.rows), kind, before, after, replacement=replaced))

    def conversation(self, damage: tuple[Finding, ...], left: _Script, title: str, *, side: bool) -> Conversation:
        """All that was told."""
        found = [Compaction(row, "state_snapshot") for row, body in enumerate(self.rows.messages) if is_snapshot(body)]
        return Conversation(
            messages=self.rows.messages,
            origin=self.rows.origins(on_lines()),
            title=title,
            model=self._model or None,
            usage=tuple(self._usage),
            compactions=tuple(sorted([*self._compactions, *found], key=lambda one: one.row)),
            damage=damage,
            abandoned=tuple(left.rows.messages),
            side=side,
        )


def _is_known(part: Part, parts: Sequence[Part]) -> bool:
    """Whether a record repeats a part that stood in an earlier one of its message."""
    said = json_text(part.value)
    return any(json_text(known.value) == said for known in parts)


FORMAT = Format(
    name="qwen_cli",
    title="Qwen Code",
    recognise=recognise,
    read=read,
    help="Session files under ~/.qwen/projects/PROJECT/chats.",
)
