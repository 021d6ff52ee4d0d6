"""Codex CLI: rollout files of JSON Lines, and the older ones whose items stand bare on their lines.

- Only `response_item` lines are messages. `event_msg` lines say the same to the screen once more; of them only token
  counts and rollbacks are read. A file of events alone holds no message.
- The session's base instructions are the first row. A second `session_meta` (a fork copies its parent's lines) is not
  one more.
- The first command line tool wrote one object, `{"session": ..., "items": [...]}`.
- `compacted` with a `replacement_history`: the context became exactly that list (`Compaction.replacement`). Without
  one, as in files before late 2025, Codex went on with its initial context, the newest user messages of at most 20,000
  tokens, and the summary as a user message (codex-rs, compact.rs); that message is a row, at its line.
- `thread_rolled_back` takes the last user turns back, and the context notes before them (codex-rs, context manager).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from inspector.finding import Finding
from inspector.formats.format import Conversation, Format, Recording
from inspector.formats.kept import KeptRows
from inspector.formats.response_items import Items, is_item, is_strong
from inspector.formats.rows import Place, Rows, Spot, Where, in_list, left_branch, on_lines
from inspector.formats.shapes import as_count, as_dict, as_text, objects_of, unreadable
from inspector.message import USER, Body, Compaction, Usage, role_code, text_of

KEPT_TOKENS = 20_000
"""What an older Codex kept of user messages (codex-rs, compact.rs, COMPACT_USER_MESSAGE_MAX_TOKENS), 4 bytes each."""
_BYTES_A_TOKEN = 4
_where = on_lines("/payload")
_TYPES = ("session_meta", "response_item", "event_msg", "turn_context", "compacted", "world_state")
_LOOKS = 8
"""What it costs to see whether a row is a prompt, in looks at a row's number."""
_INJECTED = (
    "# AGENTS.md instructions", "<environment_context>", "<user_instructions>", "<INSTRUCTIONS>", "<skill>",
    "<user_shell_command>", "<turn_aborted>", "<subagent_notification>",
)  # fmt: skip
"""How user messages begin that Codex itself writes; they begin no turn."""


def recognise(recording: Recording) -> bool:
    """Whether a recording has lines of a rollout, or begins with the untyped header of an older one."""
    values = recording.sample(50) if recording.lines else [recording.document]
    return any(map(_is_rollout, values)) or _is_old_header(values[0], len(values))


def _is_rollout(value: Any) -> bool:
    return isinstance(value, dict) and value.get("type") in _TYPES and isinstance(value.get("payload"), dict)


def _is_old_header(value: Any, lines: int) -> bool:
    if not isinstance(value, dict) or "type" in value:
        return False
    return _is_oldest(value) or (lines > 1 and {"id", "timestamp", "instructions"} <= value.keys())


def _is_oldest(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("session"), dict) and isinstance(value.get("items"), list)


def read(recording: Recording) -> list[Conversation]:
    """The one conversation of a rollout."""
    if not recording.lines and _is_oldest(recording.document):
        return [_oldest(recording.document)]
    script = _Script(_where)
    lines, damage = objects_of(recording)
    bare = bool(lines) and "payload" not in lines[0][1] and not any(_is_rollout(value) for _, value in lines[:50])
    if bare:
        script.where = on_lines()
    for line, value in lines:
        if bare:
            script.take_bare(line, value)
        else:
            script.take(line, value)
    return [script.conversation(damage)]


def _oldest(document: Body) -> Conversation:
    script = _Script(lambda item: in_list("/items")(item) if item >= 0 else Place(item, "/session"))
    script.instruct(-1, "/instructions", document["session"].get("instructions"))
    items = document["items"]
    for place, item in enumerate(items):
        if isinstance(item, dict):
            script.take_bare(place, item)
    others = [unreadable(place, f"/items/{place}", item, numbered=False)
              for place, item in enumerate(items) if not isinstance(item, dict)]  # fmt: skip
    return script.conversation(others)


class _Script:
    """Lines told in order."""

    def __init__(self, where: Where) -> None:
        self.where = where
        self.rows = Rows()
        self.items = Items(self.rows)
        self.damage: list[Finding] = []
        self.abandoned: list[Body] = []
        self.compactions: list[Compaction] = []
        self._kept = KeptRows()
        self.usage: dict[int, Usage] = {}
        self.model = ""
        self._summaries: set[int] = set()
        self._base = 0
        """The first row that the latest replacement did not replace."""
        self._counts: set[tuple[Any, ...]] = set()
        self._total: Any = None

    def take(self, line: int, value: Body) -> None:
        kind, payload = value.get("type"), value.get("payload")
        if kind not in _TYPES:
            return
        if not isinstance(payload, dict):
            self.damage.append(unreadable(line, f"/{line}/payload", payload))
        elif kind == "response_item":
            self.items.take(line, payload)
        elif kind == "compacted":
            self._compact(line, payload)
        elif kind == "turn_context":
            self.model = as_text(payload.get("model")) or self.model
        elif kind == "session_meta":
            self._meta(line, payload)
        elif kind == "event_msg":
            self._event(line, value, payload)

    def take_bare(self, line: int, value: Body) -> None:
        """A line of an older file: an item, or its header."""
        if is_strong(value) or is_item(value):
            self.items.take(line, value)
        elif "instructions" in value:
            self.instruct(line, "/instructions", value["instructions"])

    def _meta(self, line: int, payload: Body) -> None:
        given = payload.get("base_instructions")
        if isinstance(given, dict):
            self.instruct(line, "/base_instructions/text", given.get("text"))
        else:
            self.instruct(line, "/instructions", payload.get("instructions"))

    def instruct(self, line: int, inner: str, text: Any) -> None:
        """The base instructions, where nothing was said before them."""
        if isinstance(text, str) and text and not len(self.rows) and self.items.answer is None:
            self.rows.put(line, {"role": "system", "content": text}, Spot(line, inner))

    def _event(self, line: int, value: Body, payload: Body) -> None:
        if payload.get("type") == "token_count":
            self._count(value.get("timestamp"), as_dict(payload.get("info")))
        elif payload.get("type") == "thread_rolled_back":
            self._roll_back(line, as_count(payload.get("num_turns")))

    def _count(self, time: Any, info: Body) -> None:
        """Note the usage of the latest answer. Codex repeats its counts, forks repeat their parent's lines."""
        last, total = as_dict(info.get("last_token_usage")), info.get("total_token_usage")
        figures = tuple(as_count(last.get(key)) for key in ("input_tokens", "cached_input_tokens", "output_tokens"))
        key = (as_text(time), *figures)
        row = self.items.answer
        if row is None or row in self.usage or key in self._counts or (total and total == self._total):
            return
        self._counts.add(key)
        self._total = total
        if figures[0] or figures[2]:
            self.usage[row] = Usage(row, *figures)

    def _compact(self, line: int, payload: Body) -> None:
        self.items.close()
        row = len(self.rows)
        history = payload.get("replacement_history")
        if isinstance(history, list):
            kept = self._instructions()
            self.compactions.append(Compaction(row, "compacted", kept=kept, replacement=_replacement(history)))
            self._base = row
            return
        kept = tuple(sorted(self._kept.of(self._kept_rows(), _LOOKS * row)))
        self.compactions.append(Compaction(row, "compacted", kept=kept))
        self._summaries.add(row)
        self.rows.put(line, {"role": "user", "content": as_text(payload.get("message"))}, Spot(line, "/message"))

    def _instructions(self) -> tuple[int, ...]:
        return (0,) if self.rows.messages and self.rows.messages[0]["role"] == "system" else ()

    def _kept_rows(self) -> Iterator[int]:
        """Rows that an older Codex kept: what stands before the first prompt, and the newest prompts."""
        rows = range(self._base, len(self.rows))
        first = next((row for row in rows if self._is_prompt(row)), len(self.rows))
        yield from range(self._base, first)
        room = KEPT_TOKENS * _BYTES_A_TOKEN
        for row in reversed(range(first, len(self.rows))):
            if self._is_prompt(row):
                room -= len(text_of(self.rows.messages[row]).encode("utf-8", "replace"))
                if room < 0:
                    return
                yield row

    def _is_prompt(self, row: int) -> bool:
        body = self.rows.messages[row]
        return role_code(body) == USER and row not in self._summaries and not is_note(body)

    def _roll_back(self, line: int, turns: int) -> None:
        self.items.close()
        cut = self._turn_start(turns)
        if cut is None:
            return
        where, count = self.where(self.rows.native[cut]), len(self.rows) - cut
        self.abandoned += self.rows.cut(cut).messages
        lost = {row for row in self._summaries if row >= cut}
        self.compactions = [one for one in self.compactions if one.row <= cut and one.row not in lost]
        self._summaries -= lost
        self._base = max((one.row for one in self.compactions if one.replacement is not None), default=0)
        self.usage = {row: usage for row, usage in self.usage.items() if row < cut}
        self.items.answer = next((row for row in reversed(range(cut)) if self._is_answer(row)), None)
        self.items.compactions = [row for row in self.items.compactions if row < cut]
        says = f"Line {line + 1} takes {turns:,} turns back" if turns > 1 else f"Line {line + 1} takes a turn back"
        self.damage.append(left_branch(where, count, says))

    def _turn_start(self, turns: int) -> int | None:
        """The first row of the turns, counted from the end; None where there are none."""
        newest = (row for row in reversed(range(len(self.rows))) if self._is_prompt(row))
        last = deque(islice(newest, turns), maxlen=1)
        if not last:
            return None
        cut = last[0]
        first = next(row for row in range(len(self.rows)) if self._is_prompt(row))
        while cut > first and is_note(self.rows.messages[cut - 1]):
            cut -= 1
        return cut

    def _is_answer(self, row: int) -> bool:
        return self.rows.messages[row].get("role") == "assistant"

    def conversation(self, damage: Sequence[Finding]) -> Conversation:
        """All that was told; `damage` is what the lines themselves had."""
        self.items.close()
        items = (Compaction(row, "compaction", kept=self._instructions()) for row in self.items.compactions)
        found = [*self.compactions, *items]
        return Conversation(
            messages=self.rows.messages,
            origin=self.rows.origins(self.where),
            model=self.model or None,
            usage=tuple(self.usage[row] for row in sorted(self.usage)),
            compactions=tuple(sorted(found, key=lambda one: one.row)),
            damage=(*damage, *self.damage),
            abandoned=tuple(self.abandoned),
        )


def is_note(body: Body) -> bool:
    """Whether a message is a developer's, or a user's that Codex itself wrote."""
    if body.get("role") == "developer":
        return True
    return body.get("role") == "user" and text_of(body).lstrip().startswith(_INJECTED)


def _replacement(history: list[Any]) -> tuple[Body, ...]:
    rows = Rows()
    items = Items(rows)
    for place, item in enumerate(history):
        if isinstance(item, dict):
            items.take(place, item)
    items.close()
    return tuple(rows.messages)


FORMAT = Format(
    name="codex",
    title="Codex CLI",
    recognise=recognise,
    read=read,
    help="Rollout files under ~/.codex/sessions, one a session.",
    shape="back_items.LINES",
)
