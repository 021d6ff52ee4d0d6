"""pi: session files of JSON Lines, versions 1 (linear, without ids) to 3 (a tree).

- The live path leads from the last entry to the root. Messages, `custom_message`, the summaries of branches that were
  left and of compactions are sent; everything else is a link at most.
- A compaction is its summary, a user message at its place, and what it kept: the entries from `firstKeptEntryId` on (in
  version 1 `firstKeptEntryIndex`, which counts the entries of the file, the header first).
- A shell command that the user ran (`bashExecution`) is sent as a user's text (pi, messages.ts), unless it is marked
  `excludeFromContext`.
- Answers that were aborted or failed stay, with their `stop_reason`: pi itself leaves them out of its requests, and
  answers open calls with "No result provided".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from inspector.finding import Finding
from inspector.formats.blocks import json_text
from inspector.formats.format import Conversation, Format, Recording
from inspector.formats.kept import KeptRows
from inspector.formats.rows import Draft, Rows, Spot, call_entry, data_image, joined, on_lines
from inspector.formats.shapes import as_count, as_dict, as_text, objects_of, tokens_or_none
from inspector.formats.tree import Linked, branches_of, live_path
from inspector.message import Body, Compaction, Usage

_SPEAKING = ("message", "custom_message", "branch_summary", "compaction")
_PI_ROLES = ("toolResult", "bashExecution", "hookMessage", "branchSummary", "compactionSummary")
_SUMMARIES = ("branchSummary", "compactionSummary")
_DROPPED = ("aborted", "error")


def recognise(recording: Recording) -> bool:
    """Whether a recording has the header of a session with its folder, or messages of roles that only pi has."""
    values = recording.sample() if recording.lines else [recording.document]
    entries = [value for value in values if isinstance(value, dict)]
    if any(value.get("type") == "session" and "cwd" in value and "id" in value for value in entries):
        return True
    return any(value.get("type") == "message" and as_dict(value.get("message")).get("role") in _PI_ROLES
               for value in entries)  # fmt: skip


def read(recording: Recording) -> list[Conversation]:
    """The one conversation of a session file."""
    lines, damage = objects_of(recording)
    entries = [Linked(line, value, as_text(value.get("id")), value.get("parentId")) for line, value in lines
               if value.get("type") != "session"]  # fmt: skip
    header: Body = next((value for _, value in lines if value.get("type") == "session"), {})
    return [_conversation([line for line, _ in lines], header, entries, len(entries) - 1, damage)]


def _conversation(
    lines: list[int], header: Body, entries: list[Linked], leaf: int, damage: Sequence[Finding]
) -> Conversation:
    """The entries on the path to a leaf, and the leaves that were left."""
    speaking = [_speaks(entry.value) for entry in entries]
    path = live_path(entries, leaf, "parentId", speaking)
    script = _Script(lines)
    for place in path.live:
        script.take(entries[place].line, entries[place].value)
    left = _Script([], script.rows.names)
    for place in path.left:
        left.take(entries[place].line, entries[place].value)

    def told(entry: Linked) -> list[Body]:
        alone = _Script([])
        alone.take(entry.line, entry.value)
        return alone.rows.messages

    leaves, branches = branches_of(path, entries, speaking, script.rows.native, told)
    return replace(
        script.conversation(header, entries, (*damage, *path.damage), left),
        branches=branches,
        read_branch=lambda number: _conversation(lines, header, entries, leaves[number], damage),
    )


def _speaks(value: Body) -> bool:
    return value.get("type") in _SPEAKING


class _Script:
    """Entries told in order, as rows."""

    def __init__(self, lines: list[int], names: dict[str, str] | None = None) -> None:
        self.rows = Rows(names)
        self._lines = lines
        """The line of each entry of the file, the header's too."""
        self._first: dict[str, int] = {}
        """The first row from each entry on, by its id."""
        self._compactions: list[Compaction] = []
        self._kept = KeptRows()
        self._usage: list[Usage] = []
        self._model = ""

    def take(self, line: int, value: Body) -> None:
        kind = value.get("type")
        self._first.setdefault(as_text(value.get("id")), len(self.rows))
        if kind == "message":
            self._message(line, as_dict(value.get("message")))
        elif kind == "custom_message":
            self._say(line, "", "user", value.get("content"))
        elif kind == "branch_summary" and value.get("summary"):
            self._summary(line, "", value)
        elif kind == "compaction":
            kept = self._kept.of(self._kept_rows(value), len(self.rows))
            before = tokens_or_none(value.get("tokensBefore"))
            self._compactions.append(Compaction(len(self.rows), "compaction", before, kept=kept))
            self._summary(line, "", value)
        elif kind == "model_change":
            self._model = as_text(value.get("modelId")) or self._model

    def _kept_rows(self, value: Body) -> Iterable[int]:
        """The rows that a compaction kept."""
        here = len(self.rows)
        first = value.get("firstKeptEntryId")
        if isinstance(first, str):
            return range(self._first.get(first, here), here)
        index = value.get("firstKeptEntryIndex")
        if type(index) is not int or not 0 < index < len(self._lines):
            return ()
        line = self._lines[index]
        return (row for row in range(here) if self.rows.native[row] >= line)

    def _message(self, line: int, message: Body) -> None:
        role, content = message.get("role"), message.get("content")
        if role == "assistant":
            self._answer(line, message)
        elif role == "toolResult":
            draft = _draft(line, "/message/content", content)
            spot, name = Spot(line, "/message/content"), as_text(message.get("toolName"))
            failed = message.get("isError") is True
            self.rows.result(spot, message.get("toolCallId"), joined(draft.parts), name=name, error=failed)
        elif role == "bashExecution":
            self._bash(line, message)
        elif role in _SUMMARIES:
            self._summary(line, "/message", message)
        else:
            known = role if role in ("user", "system", "developer") else "user"
            self._say(line, "/message", known, content)

    def _say(self, line: int, inner: str, role: str, content: Any) -> None:
        self.rows.add(line, role, _draft(line, f"{inner}/content", content))

    def _summary(self, line: int, inner: str, value: Body) -> None:
        draft = Draft()
        draft.say(Spot(line, f"{inner}/summary"), as_text(value.get("summary")))
        self.rows.add(line, "user", draft)

    def _bash(self, line: int, message: Body) -> None:
        if message.get("excludeFromContext"):
            return
        output = as_text(message.get("output"))
        said = f"Ran `{as_text(message.get('command'))}`\n" + (f"```\n{output}\n```" if output else "(no output)")
        self.rows.put(line, {"role": "user", "content": said}, Spot(line, "/message/output"))

    def _answer(self, line: int, message: Body) -> None:
        row = len(self.rows)
        body = self.rows.add(line, "assistant", _draft(line, "/message/content", message.get("content")))
        if message.get("stopReason") in _DROPPED:
            body["stop_reason"] = message["stopReason"]
        self._model = as_text(message.get("model")) or self._model
        usage = as_dict(message.get("usage"))
        cached = as_count(usage.get("cacheRead"))
        taken = as_count(usage.get("input")) + cached + as_count(usage.get("cacheWrite"))
        made = as_count(usage.get("output"))
        if taken or made:
            self._usage.append(Usage(row, taken, cached, made))

    def conversation(
        self, header: Body, entries: list[Linked], damage: tuple[Finding, ...], left: _Script
    ) -> Conversation:
        """All that was told."""
        named = (as_text(entry.value.get("name")) for entry in reversed(entries)
                 if entry.value.get("type") == "session_info")  # fmt: skip
        return Conversation(
            messages=self.rows.messages,
            origin=self.rows.origins(on_lines()),
            title=next(filter(None, named), ""),
            model=self._model or as_text(header.get("modelId")) or None,
            usage=tuple(self._usage),
            compactions=tuple(self._compactions),
            damage=damage,
            abandoned=tuple(left.rows.messages),
        )


def _draft(line: int, inner: str, content: Any) -> Draft:
    draft = Draft()
    if not isinstance(content, list):
        said = content if isinstance(content, str) else "" if content is None else json_text(content)
        draft.say(Spot(line, inner), said)
        return draft
    for place, block in enumerate(content):
        _take(draft, Spot(line, f"{inner}/{place}"), block)
    return draft


def _take(draft: Draft, spot: Spot, block: Any) -> None:
    kind = block.get("type") if isinstance(block, dict) else None
    if kind == "text" and isinstance(block.get("text"), str):
        draft.say(spot, block["text"])
    elif kind == "thinking":
        signed = block.get("thinkingSignature") or block.get("redacted")
        draft.think(spot, as_text(block.get("thinking")), block if signed else None)
    elif kind == "toolCall":
        given = block.get("arguments")
        entry = call_entry(block.get("id"), block.get("name"), given if isinstance(given, str) else json_text(given))
        draft.call(spot, entry)
    elif kind == "image" and isinstance(block.get("data"), str):
        draft.say(spot, data_image(block.get("mimeType"), block["data"]))
    else:
        draft.say(spot, block if isinstance(block, (str, dict)) else json_text(block))


FORMAT = Format(
    name="pi",
    title="pi",
    recognise=recognise,
    read=read,
    help="Session files under ~/.pi/agent/sessions.",
    shape="back_pi.SHAPE",
)
