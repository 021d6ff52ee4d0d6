"""Cline and Roo Code: `api_conversation_history.json` of a task, a task's folder, and the session files of Cline's SDK.

- The messages are Anthropic's; a `file` block is its content as text, a `reasoning` block is thinking. Tools that were
  called in XML stay text: the files record neither calls nor results for them.
- Roo: a message with `isSummary` or `isTruncationMarker` stands for those whose `condenseParent` or `truncationParent`
  is its id; with the stand-in deleted they are sent again (Roo Code, condense/index.ts). So each is a compaction that
  kept what no living stand-in replaces.
- Cline's own truncation is only in the task's `ui_messages.json`, as the range of messages last left out: a compaction,
  where the task's folder is opened.
- In SDK files `metadata.kind` marks the message that a compaction left. `inputTokens` there include what the cache gave
  (in the recorded sessions each figure exceeds the cached one, which is nearly the input of the request before).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice
from typing import Any

from inspector.finding import Finding
from inspector.formats.blocks import Place, Rows, origins
from inspector.formats.entries import Entry, root_of
from inspector.formats.format import Conversation, Format, Recording
from inspector.formats.kept import KeptRows
from inspector.formats.shapes import as_count, as_dict, as_list, as_text, unreadable
from inspector.message import Body, Compaction, Usage

_HISTORY, _SCREEN = "api_conversation_history.json", "ui_messages.json"
_MARKS = frozenset(("isSummary", "condenseParent", "condenseId", "truncationParent", "isTruncationMarker", "modelInfo"))
_ENVIRONMENT = "<environment_details>"
_SDK_KINDS = ("compaction", "compaction_summary")
SYSTEM_PROMPT = -1


def recognise(recording: Recording) -> bool:
    """Whether a recording is a task's folder, an SDK session, or a list of messages that only these tools write."""
    if recording.files is not None:
        return _HISTORY in recording.files
    document = recording.document
    if isinstance(document, dict):
        return isinstance(document.get("messages"), list) and {"sessionId", "version", "updated_at"} <= document.keys()
    messages = [one for one in as_list(document)[:50] if isinstance(one, dict)]
    if not any(one.get("role") in ("user", "assistant") and "content" in one for one in messages):
        return False
    return any(not _MARKS.isdisjoint(one) for one in messages) or any(map(_tells_environment, messages[:1]))


def _tells_environment(message: Body) -> bool:
    blocks = message.get("content")
    texts = [blocks] if isinstance(blocks, str) else [as_dict(block).get("text") for block in as_list(blocks)]
    return any(isinstance(text, str) and _ENVIRONMENT in text for text in texts)


def read(recording: Recording) -> list[Conversation]:
    """The one conversation of a task or a session."""
    if recording.files is None:
        return [_conversation(root_of(recording))]
    if _HISTORY not in recording.files:
        return []
    read = recording.files[_HISTORY]
    one = _conversation(root_of(read))
    if _SCREEN in recording.files:
        truncation = _truncation(recording.files[_SCREEN].document, one)
        one = replace(one, compactions=(*one.compactions, *truncation))
    origin = one.origin
    damage = tuple(replace(found, pointer=f"{_HISTORY}#{found.pointer}") for found in one.damage)
    return [replace(one, origin=lambda row: replace(origin(row), file=_HISTORY), damage=damage)]


def _truncation(screen: Any, one: Conversation) -> Iterator[Compaction]:
    """The truncation that Cline's screen last recorded: a range of messages, both ends included."""
    ranges = [held for entry in as_list(screen) if (held := as_dict(entry).get("conversationHistoryDeletedRange"))]
    if not ranges or not isinstance(ranges[-1], list) or [type(end) for end in ranges[-1]] != [int, int]:
        return
    first, last = ranges[-1]
    rows = [one.origin(row).index for row in range(len(one.messages))]
    after = next((row for row, index in enumerate(rows) if index > last), None)
    if after is not None and first <= last:
        yield Compaction(after, "truncation", kept=tuple(row for row in range(after) if rows[row] < first))


def _conversation(root: Entry) -> Conversation:
    messages = root.each("messages") if isinstance(root.value, dict) else root.each()
    script = _Script(messages, as_dict(root.value))

    def place(number: int) -> Place:
        if number == SYSTEM_PROMPT:
            return Place(SYSTEM_PROMPT, "/system_prompt", "/system_prompt")
        index, pointer, line = messages[number].place
        return Place(index, pointer, f"{pointer}/content", line)

    return Conversation(
        messages=script.rows.messages,
        origin=origins(script.rows, place),
        title=as_text(as_dict(root.value).get("sessionId")),
        model=script.model or None,
        usage=tuple(script.usage),
        compactions=tuple(script.compactions()),
        damage=tuple(script.damage),
    )


class _Script:
    """Messages told in order, as rows."""

    def __init__(self, messages: Sequence[Entry], session: Body) -> None:
        self.rows = Rows()
        self.usage: list[Usage] = []
        self.damage: list[Finding] = []
        self.model = ""
        self._told: list[tuple[int, int, Body]] = []
        """First row, row after the last one, message."""
        if isinstance(session.get("system_prompt"), str) and session["system_prompt"]:
            self.rows.add(SYSTEM_PROMPT, "system", session["system_prompt"])
        for number, entry in enumerate(messages):
            if isinstance(entry.value, dict):
                self._tell(number, entry.value)
            else:
                self.damage.append(unreadable(number, entry.place.pointer, entry.value, numbered=False))

    def _tell(self, number: int, message: Body) -> None:
        first, content = len(self.rows), message.get("content")
        blocks = [_block(block) for block in content] if isinstance(content, list) else content
        role = as_text(message.get("role"))
        self.rows.add(number, role or "other", [message] if message.get("type") == "reasoning" else blocks)
        self._told.append((first, len(self.rows), message))
        if role == "assistant":
            info = as_dict(message.get("modelInfo"))
            self.model = as_text(info.get("id")) or as_text(info.get("modelId")) or self.model
            usage = _usage(self.rows.answer(first), as_dict(message.get("metrics")))
            self.usage += [usage] if usage else []

    def compactions(self) -> Iterator[Compaction]:
        """Each with the rows before it that no stand-in had replaced by then."""
        stands = {name: order for order, (_, _, message) in enumerate(self._told) if (name := _stand_in(message))}
        system = [(0, 1, Body())] if self.rows.native[:1] == [SYSTEM_PROMPT] else []
        kept = KeptRows()
        for order, (row, _, message) in enumerate(self._told):
            kind = _kind(message)
            if kind:
                before = chain(system, () if kind in _SDK_KINDS else islice(self._told, order))
                yield Compaction(row, kind, kept=kept.of((
                    one for first, after, held in before
                    if not any(stands.get(parent, order + 1) <= order for parent in _parents(held))
                    for one in range(first, after)
                ), row))  # fmt: skip


def _stand_in(message: Body) -> str:
    """The id by which messages name the one that stands for them; empty where it stands for none."""
    if message.get("isSummary"):
        return as_text(message.get("condenseId"))
    return as_text(message.get("truncationId")) if message.get("isTruncationMarker") else ""


def _parents(message: Body) -> tuple[str, ...]:
    return as_text(message.get("condenseParent")), as_text(message.get("truncationParent"))


def _kind(message: Body) -> str:
    """What a message says of a compaction right before it; empty where it says nothing."""
    if message.get("isSummary"):
        return "condense"
    if message.get("isTruncationMarker"):
        return "truncation"
    metadata = as_dict(message.get("metadata"))
    return as_text(metadata.get("kind")) if metadata.get("kind") in _SDK_KINDS else ""


def _block(block: Any) -> Any:
    """A block as Anthropic's API knows it."""
    kind = block.get("type") if isinstance(block, dict) else None
    if kind == "file" and isinstance(block.get("content"), str):
        return {"type": "text", "text": block["content"]}
    if kind == "reasoning" and isinstance(block.get("text"), str):
        return {"type": "thinking", "thinking": block["text"]}
    return block


def _usage(row: int, metrics: Body) -> Usage | None:
    tokens = as_dict(metrics.get("tokens"))
    if tokens:  # the extension's figures: `prompt` is without what the cache gave
        cached = as_count(tokens.get("cached"))
        taken, made = as_count(tokens.get("prompt")) + cached, as_count(tokens.get("completion"))
    else:
        cached = as_count(metrics.get("cacheReadTokens"))
        taken, made = as_count(metrics.get("inputTokens")), as_count(metrics.get("outputTokens"))
    return Usage(row, taken, cached, made) if taken or made else None


FORMAT = Format(
    name="cline",
    title="Cline and Roo Code",
    recognise=recognise,
    read=read,
    help="api_conversation_history.json, a task's folder, or a session file of Cline's SDK.",
    reads=("file", "folder"),
    shape="back_blocks.CLINE",
)
