"""Kimi CLI: wire logs of JSON Lines.

- `context.append_message` is a message. Between `step.begin` and `step.end` the loop events of one answer are one
  assistant message (`content.part`, `tool.call`), followed by its results (`tool.result`). A step that ended before it
  said anything is none.
- `turn.prompt`, `llm.request` and `usage.record` say once more what other lines say.
- `context.apply_compaction`: the summary is a user message at its place. It kept the newest user prompts
  (`keptUserMessageCount`, of which the first `keptHeadUserMessageCount`), in older logs all after the first
  `compactedCount` messages. `context.clear` begins anew, `context.undo` takes the last prompts back.
- Lines of another `agentId` than "main" are a side conversation.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from inspector.finding import Finding
from inspector.formats.blocks import json_text
from inspector.formats.format import Conversation, Format, Recording
from inspector.formats.gemini_parts import arguments
from inspector.formats.rows import Draft, Rows, Spot, call_entry, image_part, joined, left_branch, on_lines
from inspector.formats.shapes import as_count, as_dict, as_list, as_text, objects_of, tokens_or_none
from inspector.message import Body, Compaction, Usage

MAIN = "main"
_CONTEXT = "context.append_"
_where = on_lines()


def recognise(recording: Recording) -> bool:
    """Whether a recording has lines of a wire log that build a context."""
    values = recording.sample(200) if recording.lines else [recording.document]
    return any(isinstance(value, dict) and as_text(value.get("type")).startswith(_CONTEXT) for value in values)


def read(recording: Recording) -> list[Conversation]:
    """The main conversation, then one for each other agent."""
    lines, damage = objects_of(recording)
    scripts = {MAIN: _Script()}
    for line, value in lines:
        agent = as_text(value.get("agentId")) or MAIN
        scripts.setdefault(agent, _Script()).take(line, value)
    main = scripts.pop(MAIN).conversation(damage, "")
    sides = [script.conversation((), f"agent {agent}", side=True) for agent, script in scripts.items()]
    return [main, *(side for side in sides if side.messages)]


class _Script:
    """Lines told in order, as rows."""

    def __init__(self) -> None:
        self.rows = Rows()
        self._draft = Draft()
        self._line = 0
        self._open = False
        self._waiting: list[tuple[Spot, Any, Body]] = []
        """Results of the step that is open."""
        self._model = ""
        self._usage: list[Usage] = []
        self._compactions: list[Compaction] = []
        self._source = ""
        self._damage: list[Finding] = []
        self._abandoned: list[Body] = []
        self._prompts: list[int] = []
        """Rows of the user's own prompts."""
        self._held = 0
        """How many messages the tool itself counted before the context's first row."""
        self._floor = 0
        """The first row since the context was cleared or compacted."""
        self._empty: list[int] = []
        """The number of rows at each step that said nothing: the tool counts it as a message."""

    def take(self, line: int, value: Body) -> None:
        kind = as_text(value.get("type"))
        if kind == "context.append_loop_event":
            self._event(line, as_dict(value.get("event")))
        elif kind == "context.append_message":
            self._close()
            self._message(line, as_dict(value.get("message")))
        elif kind == "config.update" and as_text(value.get("systemPrompt")):
            self._instruct(line, value["systemPrompt"])
        elif kind == "llm.request":
            self._model = as_text(value.get("model")) or self._model
        elif kind == "full_compaction.begin":
            self._source = as_text(value.get("source"))
        elif kind == "context.apply_compaction":
            self._close()
            self._compact(line, value)
        elif kind == "context.clear":
            self._close()
            self._begin_anew(Compaction(len(self.rows), "clear", kept=self._system()))
        elif kind == "context.undo":
            self._close()
            self._undo(line, as_count(value.get("count")))

    def _instruct(self, line: int, text: str) -> None:
        """The system prompt stands first; a later one takes its place."""
        row, spot = {"role": "system", "content": text}, Spot(line, "/systemPrompt")
        if self._system():
            self.rows.messages[0], self.rows.native[0], self.rows.spots[0] = row, line, (spot,)
        elif not len(self.rows):
            self.rows.put(line, row, spot)
            self._floor = 1

    def _system(self) -> tuple[int, ...]:
        return (0,) if self.rows.messages and self.rows.messages[0]["role"] == "system" else ()

    def _event(self, line: int, event: Body) -> None:
        kind, spot = event.get("type"), Spot(line, "/event")
        if kind == "step.begin":
            self._close()
            self._line, self._open = line, True
        elif kind == "content.part":
            _take_part(self._draft, Spot(line, "/event/part"), event.get("part"))
        elif kind == "tool.call":
            entry = call_entry(event.get("toolCallId"), event.get("name"), arguments(event.get("args")))
            self._draft.call(spot, entry)
        elif kind == "tool.result":
            self._waiting.append((Spot(line, "/event/result"), event.get("toolCallId"), as_dict(event.get("result"))))
        elif kind == "step.end":
            row = self._close()
            self._count(row, as_dict(event.get("usage")))

    def _close(self) -> int | None:
        """Finish the step that is open, and its results; gives the row of its answer."""
        row = None
        if self._draft:
            row = len(self.rows)
            first = (
                self._line if self._open else min(spot.native for spot in (*self._draft.call_spots, *self._draft.spots))
            )
            self.rows.add(first, "assistant", self._draft)
        elif self._open:
            self._empty.append(len(self.rows))
        for spot, answers, result in self._waiting:
            draft = Draft()
            _take_content(draft, spot, result.get("output"))
            self.rows.result(spot, answers, joined(draft.parts), error=result.get("isError") is True)
        self._draft, self._waiting, self._open = Draft(), [], False
        return row

    def _count(self, row: int | None, usage: Body) -> None:
        cached = as_count(usage.get("inputCacheRead"))
        taken = as_count(usage.get("inputOther")) + cached + as_count(usage.get("inputCacheCreation"))
        made = as_count(usage.get("output"))
        if row is not None and (taken or made):
            self._usage.append(Usage(row, taken, cached, made))

    def _message(self, line: int, message: Body) -> None:
        role = as_text(message.get("role")) or "user"
        draft, inner = Draft(), "/message/content"
        _take_content(draft, Spot(line, inner), message.get("content"))
        if role == "tool":
            self.rows.result(Spot(line, inner), message.get("toolCallId"), joined(draft.parts))
            return
        for place, call in enumerate(as_list(message.get("toolCalls"))):
            if isinstance(call, dict):
                function = call if "name" in call else as_dict(call.get("function"))
                entry = call_entry(call.get("id"), function.get("name"), arguments(function.get("arguments")))
                draft.call(Spot(line, f"/message/toolCalls/{place}"), entry)
        if role == "user" and as_dict(message.get("origin")).get("kind", "user") == "user":
            self._prompts.append(len(self.rows))
        self.rows.add(line, role, draft)

    def _compact(self, line: int, value: Body) -> None:
        before, after = tokens_or_none(value.get("tokensBefore")), tokens_or_none(value.get("tokensAfter"))
        row, kept = len(self.rows), self._kept(value)
        self._begin_anew(
            Compaction(row, self._source or "compaction", before, after, tuple(sorted({*self._system(), *kept})))
        )
        self._held = len(kept)
        key = "contextSummary" if as_text(value.get("contextSummary")) else "summary"
        draft = Draft()
        _take_content(draft, Spot(line, f"/{key}"), as_dict(value.get(key)).get("content", value.get(key)))
        self.rows.add(line, "user", draft)

    def _kept(self, value: Body) -> tuple[int, ...]:
        newest, head = value.get("keptUserMessageCount"), as_count(value.get("keptHeadUserMessageCount"))
        if type(newest) is int:
            last = max(0, newest - head)
            return (*self._prompts[:head], *(self._prompts[-last:] if last else ()))
        gone = as_count(value.get("compactedCount")) - self._held
        empty = Counter(self._empty)
        counted = [row for row in range(self._floor, len(self.rows)) for _ in range(1 + empty[row])]
        return tuple(sorted(set(counted[max(0, gone) :])))

    def _begin_anew(self, compaction: Compaction) -> None:
        self._compactions.append(compaction)
        self._floor, self._held = len(self.rows), 0
        self._empty.clear()

    def _undo(self, line: int, count: int) -> None:
        prompts = [row for row in self._prompts if row >= self._floor]
        if not 0 < count <= len(prompts):
            return
        row = prompts[-count]
        place, lost = _where(self.rows.native[row]), len(self.rows) - row
        self._abandoned += self.rows.cut(row).messages
        self._prompts = [prompt for prompt in self._prompts if prompt < row]
        self._usage = [usage for usage in self._usage if usage.row < row]
        self._damage.append(left_branch(place, lost, f"Line {line + 1} takes back what was said last"))

    def conversation(self, damage: list[Finding] | tuple[()], title: str, *, side: bool = False) -> Conversation:
        """All that was told."""
        self._close()
        return Conversation(
            messages=self.rows.messages,
            origin=self.rows.origins(_where),
            title=title,
            model=self._model or None,
            usage=tuple(self._usage),
            compactions=tuple(self._compactions),
            damage=(*damage, *self._damage),
            abandoned=tuple(self._abandoned),
            side=side,
        )


def _take_content(draft: Draft, spot: Spot, content: Any) -> None:
    if isinstance(content, list):
        for place, part in enumerate(content):
            _take_part(draft, Spot(spot.native, f"{spot.inner}/{place}"), part)
    elif content is not None:
        draft.say(spot, content if isinstance(content, str) else json_text(content))


def _take_part(draft: Draft, spot: Spot, part: Any) -> None:
    kind = part.get("type") if isinstance(part, dict) else None
    if kind == "text" and isinstance(part.get("text"), str):
        draft.say(spot, part["text"])
    elif kind == "think":
        draft.think(spot, as_text(part.get("think")), part if part.get("encrypted") else None)
    elif kind == "image_url":
        found = part.get("imageUrl", part.get("image_url"))
        url = found.get("url") if isinstance(found, dict) else found
        draft.say(spot, image_part(url) if isinstance(url, str) else part)
    else:
        draft.say(spot, part if isinstance(part, (str, dict)) else json_text(part))


FORMAT = Format(
    name="kimi_cli",
    title="Kimi CLI",
    recognise=recognise,
    read=read,
    help="Wire logs (wire.jsonl) of Kimi CLI sessions.",
)
