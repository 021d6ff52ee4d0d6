"""Claude Code's stream: what `claude -p --output-format stream-json` prints, or its JSON array of the same objects.

- One answer of the model comes in several lines with one message id; they are one message with the last line's usage,
  and results that stood between them follow it.
- `stream_event` lines repeat the answers piece by piece, the `result` line repeats the last text and sums the usage;
  neither is read. The first prompt is not in the stream at all.
- Lines with a `parent_tool_use_id` are a subagent's: a side conversation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from inspector.finding import Finding
from inspector.formats.blocks import Located, Place, Rows, is_result, located, origins, usage_of
from inspector.formats.entries import Entry, entries_of, samples_of
from inspector.formats.format import Conversation, Format, Recording
from inspector.formats.shapes import as_dict, as_list, as_text, tokens_or_none, unreadable
from inspector.message import Body, Compaction, Usage

_SPEAKING = ("user", "assistant")


def recognise(recording: Recording) -> bool:
    """Whether a recording has `init` or `result` lines with a `session_id`, or messages with one and without links."""
    return any(isinstance(value, dict) and _is_own(value) for value in samples_of(recording, 200))


def _is_own(value: Body) -> bool:
    if not isinstance(value.get("session_id"), str) or "parentUuid" in value:
        return False
    kind = value.get("type")
    if kind in _SPEAKING:
        return isinstance(value.get("message"), dict)
    return kind == "result" or (kind == "system" and value.get("subtype") == "init")


def read(recording: Recording) -> list[Conversation]:
    """The main conversation, then one for each subagent."""
    entries = entries_of(recording)
    threads: dict[str, list[int]] = {"": []}
    damage: list[Finding] = []
    for number, entry in enumerate(entries):
        if _is_told(entry):
            threads.setdefault(as_text(entry.value.get("parent_tool_use_id")), []).append(number)
        elif not isinstance(entry.value, dict) or entry.value.get("type") in _SPEAKING:
            index, pointer, line = entry.place
            damage.append(unreadable(index, pointer, entry.value, numbered=line is not None, wanted="a message"))
    return [_Script(entries).conversation(numbers, agent, damage) for agent, numbers in threads.items()]


def _is_told(entry: Entry) -> bool:
    value = entry.value
    if not isinstance(value, dict):
        return False
    if value.get("type") in _SPEAKING:
        return isinstance(value.get("message"), dict)
    return value.get("type") == "system" and value.get("subtype") in ("init", "compact_boundary")


class _Script:
    """Lines told in order, as rows."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._entries = entries
        self._rows = Rows()
        self._usage: list[Usage] = []
        self._compactions: list[Compaction] = []
        self._model = ""

    def conversation(self, numbers: Sequence[int], agent: str, damage: Sequence[Finding]) -> Conversation:
        for group in _groups(self._entries, numbers):
            self._tell(group)
        return Conversation(
            messages=self._rows.messages,
            origin=origins(self._rows, self._place),
            title=f"subagent of {agent}" if agent else "",
            model=self._model or None,
            usage=tuple(self._usage),
            compactions=tuple(one for one in self._compactions if one.row < len(self._rows)),
            damage=() if agent else tuple(damage),
            side=bool(agent),
        )

    def _place(self, number: int) -> Place:
        index, pointer, line = self._entries[number].place
        return Place(index, f"{pointer}/message", f"{pointer}/message/content", line)

    def _tell(self, group: Sequence[int]) -> None:
        value: Body = self._entries[group[-1]].value
        if value["type"] == "system":
            self._note(value)
        elif value["type"] == "user":
            self._rows.add(group[0], "user", value["message"].get("content"))
        else:
            self._answer(group, value["message"])

    def _note(self, value: Body) -> None:
        self._model = self._model or as_text(value.get("model"))
        if value.get("subtype") == "compact_boundary":
            known = as_dict(value.get("compact_metadata") or value.get("compactMetadata"))
            before = tokens_or_none(known.get("pre_tokens", known.get("preTokens")))
            kind = as_text(known.get("trigger")) or "compact"
            self._compactions.append(Compaction(len(self._rows), kind, before))

    def _answer(self, group: Sequence[int], last: Body) -> None:
        first = len(self._rows)
        blocks: list[Located] = []
        for number in group:
            blocks += located(number, self._entries[number].value["message"].get("content"))
        self._rows.add_blocks(group[0], "assistant", blocks)
        usage = usage_of(self._rows.answer(first), last.get("usage"))
        self._usage += [usage] if usage else []
        self._model = as_text(last.get("model")) or self._model


def _groups(entries: Sequence[Entry], numbers: Sequence[int]) -> Iterator[list[int]]:
    """The lines of one answer together, all others alone; results that stood among the former come after them."""
    answer: list[int] = []
    waiting: list[list[int]] = []
    key = ""
    for number in numbers:
        value: Body = entries[number].value
        message = as_dict(value.get("message"))
        if value["type"] == "assistant" and answer and key and message.get("id") == key:
            answer.append(number)
        elif value["type"] == "user" and answer and any(map(is_result, as_list(message.get("content")))):
            waiting.append([number])
        else:
            yield from ([answer, *waiting] if answer else [])
            answer, waiting = [], []
            if value["type"] == "assistant":
                answer, key = [number], as_text(message.get("id"))
            else:
                yield [number]
    yield from ([answer, *waiting] if answer else [])


FORMAT = Format(
    name="claude_stream_json",
    title="Claude Code stream",
    recognise=recognise,
    read=read,
    help="What `claude -p --output-format stream-json` prints.",
)
