"""checkpoint: one strict memory object replaces the old conversation (SPEC.md, section 3).

The contract itself (encode, parse, frame, prompt, trigger) lies in `contract`, and is offered here under one name.
"""

from __future__ import annotations

import json
from array import array
from bisect import bisect_left
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import orjson

from inspector.change import Action, Insert, InsertKind, Plan, unchanged
from inspector.message import ASSISTANT, DEVELOPER, SYSTEM, USER, Body, Context, calls_of, compact_json, text_of
from inspector.pairs import pairs_of
from inspector.policies.contract import (
    ACKNOWLEDGEMENT,
    CLOSE_TAG,
    LIMIT_BYTES,
    OPEN_TAG,
    Checkpoint,
    CheckpointError,
    PromptSource,
    build_prompt,
    encode,
    frame,
    parse,
    parse_frame,
    should_compact,
)
from inspector.policies.draft import Answers, draft
from inspector.policies.policy import Mode, Param, Policy, Settings
from inspector.policies.transcript import Done, Transcript, done

__all__ = [
    "ACKNOWLEDGEMENT", "LIMIT_BYTES", "POLICY", "Checkpoint", "CheckpointError", "PromptSource", "build_prompt",
    "encode", "frame", "parse", "parse_frame", "prompt_source", "should_compact",
]  # fmt: skip

REASONS = (
    "system message, recent, or needed by a recent one: sent as recorded",
    "replaced by the checkpoint",
    "an earlier checkpoint: absorbed, never nested",
    "the last thing that the user said, which the cut would lose",
)
KEPT, REPLACED, ABSORBED, LAST_USER = range(len(REASONS))
FRAME_REASON = "the checkpoint of what came before"
ACKNOWLEDGEMENT_REASON = "the acknowledgement, so that turns go on alternating"


class Record:
    """What the cut needs to know about a context, found once."""

    def __init__(self, context: Context) -> None:
        role, messages = context.columns.role, context.messages
        self._messages = messages
        self.systems = tuple(row for row, code in enumerate(role) if code in (SYSTEM, DEVELOPER))
        self.frames = tuple(row for row, code in enumerate(role) if code == USER and is_frame(messages[row]))
        acks = (row + 1 for row in self.frames if row + 1 < len(role) and role[row + 1] == ASSISTANT)
        self.own = {*self.frames, *(row for row in acks if is_acknowledgement(messages[row]))}
        """Rows of earlier checkpoints and of their acknowledgements."""
        self.users = tuple(row for row, code in enumerate(role) if code == USER and row not in self.own)
        """Rows of what the user really said."""
        self.call_of: dict[int, int] = {}
        for pair in context.derived(pairs_of).pairs:
            self.call_of[pair.result_row] = pair.call_row

    @cached_property
    def bytes(self) -> int:
        """UTF-8 length of the compact JSON of all messages."""
        return encoded_bytes(self._messages)


def is_frame(body: Body) -> bool:
    """Whether a user message is a checkpoint, readable or not, rather than words of the user's about one."""
    text = text_of(body).strip()
    return text.startswith(OPEN_TAG) and text.endswith(CLOSE_TAG)


def is_acknowledgement(body: Body) -> bool:
    """Whether an assistant message only says that a checkpoint was loaded."""
    return text_of(body) == ACKNOWLEDGEMENT and not calls_of(body)


def encoded_bytes(messages: Sequence[Body]) -> int:
    """UTF-8 length of the compact JSON of all messages."""
    return sum(map(_json_bytes, messages)) + max(1, len(messages)) + 1


def _json_bytes(body: Body) -> int:
    try:
        return len(orjson.dumps(body))
    except (TypeError, RecursionError):
        return len(compact_json(body).encode("utf-8", "surrogatepass"))


def cut_at(record: Record, rows: int, keep: int) -> int:
    """The first row of the tail: `keep` from the end, moved back until every result in it has its call."""
    cut = at = max(0, rows - keep)
    at = rows
    while at > cut:
        at -= 1
        cut = min(cut, record.call_of.get(at, cut))
    return cut


def plan(context: Context, settings: Settings) -> Plan:
    """The plan of one compaction of the whole context."""
    record = context.derived(Record)
    rows = len(context)
    if not should_compact(rows, record.bytes, settings["max_messages"], settings["max_bytes"]):
        return unchanged(context, reason="below the trigger: everything is sent", stats=lambda: _stats(record))
    cut = _cut(record, rows, max(0, settings["keep_recent"]))
    columns = _columns(context, cut)
    if not columns[0].count(Action.MERGE):
        return unchanged(context, reason="nothing lies before the recent messages", stats=lambda: _stats(record))
    return _planned(context, record, cut, columns, settings.get("checkpoint"))


@dataclass(frozen=True, slots=True)
class _Cut:
    """Where the tail begins, and the user message that is carried over (-1: none)."""

    row: int
    last_user: int
    spared: tuple[int, ...]
    """Rows before the tail that are sent as they are."""
    absorbed: tuple[int, ...]
    """Rows of earlier checkpoints, in the tail too."""


def _cut(record: Record, rows: int, keep: int) -> _Cut:
    row = cut_at(record, rows, keep)
    last_user = record.users[-1] if record.users and record.users[-1] < row else -1
    systems = record.systems[: bisect_left(record.systems, row)]
    spared = tuple(sorted({*systems, *([last_user] if last_user >= 0 else [])}))
    return _Cut(row, last_user, spared, tuple(sorted(record.own)))


def _columns(context: Context, cut: _Cut) -> tuple[bytearray, bytearray, array[int]]:
    """Action, reason and characters sent of every row."""
    rest = len(context) - cut.row
    action = bytearray([Action.MERGE]) * cut.row + bytearray(rest)
    reason = bytearray([REPLACED]) * cut.row + bytearray(rest)
    own = context.columns.chars
    chars = array("q", bytes(own.itemsize * cut.row)) + own[cut.row :]
    for row in cut.spared:
        action[row], reason[row], chars[row] = Action.KEEP, KEPT, own[row]
    for row in cut.absorbed:
        action[row], reason[row], chars[row] = Action.MERGE, ABSORBED, 0
    if cut.last_user >= 0:
        reason[cut.last_user] = LAST_USER
    return action, reason, chars


def _planned(
    context: Context, record: Record, cut: _Cut, columns: tuple[bytearray, bytearray, array[int]], given: str | None
) -> Plan:
    action, reason, chars = columns
    checkpoint, warning = _chosen(context, record, cut, given)
    order = _order(record, cut, len(context))
    if order is not None:
        action[cut.last_user] = Action.MOVE
    replaced = action.count(Action.MERGE)
    merges = (action.find(Action.MERGE), action.rfind(Action.MERGE) + 1)
    counters = {"compacted": 1, "replaced_messages": replaced, "checkpoint_bytes": len(encode(checkpoint).encode())}
    return Plan(
        context, bytes(action), bytes(reason), REASONS, chars, context.messages.__getitem__,
        _inserts(record, cut, checkpoint, merges), order,
        stats=lambda: {**_stats(record), **counters},
        notes=(f"a checkpoint replaced {replaced} earlier messages",),
        warnings=(warning,) if warning else (),
    )  # fmt: skip


def _inserts(record: Record, cut: _Cut, checkpoint: Checkpoint, merges: tuple[int, int]) -> tuple[Insert, ...]:
    after = max((row for row in record.systems if row < cut.row), default=-1)
    body: Body = {"role": "user", "content": _framed(checkpoint)}
    acknowledgement: Body = {"role": "assistant", "content": ACKNOWLEDGEMENT}
    return (
        Insert(after, InsertKind.SUMMARY, body, FRAME_REASON, merges),
        Insert(after, InsertKind.NOTICE, acknowledgement, ACKNOWLEDGEMENT_REASON, merges),
    )


def _order(record: Record, cut: _Cut, rows: int) -> list[int] | None:
    """The order of sending, where a system message stands after the user message that is carried over."""
    systems = [row for row in record.systems if row < cut.row]
    if cut.last_user < 0 or not systems or systems[-1] < cut.last_user:
        return None
    return [*systems, cut.last_user, *range(cut.row, rows)]


def _chosen(context: Context, record: Record, cut: _Cut, given: str | None) -> tuple[Checkpoint, str]:
    """The checkpoint to send, and a warning where it is a draft."""
    if given is not None and given.strip():
        try:
            return parse_frame(given) if given.lstrip().startswith(OPEN_TAG) else parse(given), ""
        except CheckpointError as error:
            why = str(error)[:200]
            return _draft(context, record, cut), f"the given checkpoint is not accepted ({why}); a draft is sent"
    return _draft(context, record, cut), "the checkpoint is a draft made by rule, not written by a model"


def _draft(context: Context, record: Record, cut: _Cut) -> Checkpoint:
    left_out = {*cut.spared, *record.own}
    merged = _Rows(context, [row for row in range(cut.row) if row not in left_out])
    turns = bisect_left(record.users, cut.row) - (cut.last_user >= 0)
    dangling = context.derived(pairs_of).dangling
    pending = [call for row, place in dangling for call in calls_of(context.messages[row])[place : place + 1]]
    return draft(merged, turns, pending[-20:], _earlier(context, record), _answers(context, merged))


def _answers(context: Context, merged: _Rows) -> Answers:
    answered = {(row, call): result for row, call, result in context.derived(pairs_of).pairs}

    def answer(place: int, number: int) -> Body | None:
        row = answered.get((merged.rows[place], number))
        return None if row is None else context.messages[row]

    return answer


_WRITTEN: deque[tuple[str, Checkpoint]] = deque(maxlen=8)
"""The latest frames that were written here, and what they hold: a run reads each again at its next compaction."""


def _framed(checkpoint: Checkpoint) -> str:
    text = frame(checkpoint)
    _WRITTEN.append((text, checkpoint))
    return text


def _parsed(text: str) -> Checkpoint:
    """What a frame holds. Raises `CheckpointError`."""
    return next((held for written, held in tuple(_WRITTEN) if written is text), None) or parse_frame(text)


def _earlier(context: Context, record: Record) -> Checkpoint | None:
    for row in reversed(record.frames):
        try:
            return _parsed(text_of(context.messages[row]))
        except CheckpointError:
            continue
    return None


class _Rows(Sequence[Body]):
    """Some rows of a context, read as they are asked for."""

    def __init__(self, context: Context, rows: list[int]) -> None:
        self._messages, self.rows = context.messages, rows

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, place: Any) -> Any:
        rows = self.rows[place]
        return [self._messages[row] for row in rows] if isinstance(rows, list) else self._messages[rows]


def _stats(record: Record) -> dict[str, int]:
    return {"encoded_bytes": record.bytes, "compacted": 0, "replaced_messages": 0}


class Steps:
    """The lists of a carried run: nothing is looked at before the trigger says so."""

    def __init__(self, context: Context, settings: Settings) -> None:
        self.transcript = Transcript(context)
        self._settings = settings
        self._bytes = 0

    def step(self, stop: int) -> Done:
        """The view of the request that the row `stop` answers."""
        transcript, settings = self.transcript, self._settings
        self._bytes += sum(map(_json_bytes, transcript.context.messages[transcript.arrived : stop]))
        transcript.arrive(stop)
        held = len(transcript.bodies)
        most, most_bytes = settings["max_messages"], settings["max_bytes"]
        size = self._bytes + max(1, held) + 1
        if not should_compact(held, size, most, most_bytes):
            return Done(0, False)
        context = transcript.as_context()
        context.derived(Record).__dict__["bytes"] = size
        made = plan(context, settings)
        if not made.fired:
            return Done(0, False)
        transcript.apply(made)
        self._bytes = sum(map(_json_bytes, transcript.bodies))
        return done(made)


def stepper(context: Context, settings: Settings, mode: Mode) -> Steps | None:
    """The fast way through a carried run."""
    return Steps(context, settings) if mode == "carried" else None


def prompt_source(context: Context) -> PromptSource:
    """What the prompt of a session asks a model to read: its conversation, as data, and the turns that it
    and an earlier checkpoint in it stand for.

    Operations, anchors, preferences and decisions are facts of a server that a recording does not hold: empty here.
    """
    record = context.derived(Record)
    earlier = _earlier(context, record)
    turns = len(record.users) + (earlier.compacted_turn_count if earlier else 0)
    return PromptSource(
        conversation=json.dumps(list(context.messages), ensure_ascii=False, default=str),
        operations="[]", creative_anchors="[]", preferences="{}", decisions="[]", turn_count=turns,
    )  # fmt: skip


def _bytes_reach(context: Context) -> int:
    return max(10_000, int(context.derived(Record).bytes * 1.1))


POLICY = Policy(
    name="checkpoint",
    mode="carried",
    params=(
        Param(
            "max_messages", "messages", 40, "From this many messages on, a checkpoint replaces the old ones.",
            high=lambda context: max(60, len(context) + len(context) // 10),
        ),
        Param(
            "max_bytes", "bytes", 262_144, "From this size of the JSON on, a checkpoint replaces the old ones.",
            high=_bytes_reach, step=4_096, threshold=True,
        ),
        Param("keep_recent", "messages", 12, "The newest messages, which are sent as they are.", high=len),
        Param("checkpoint", "", None, "A model's answer to the checkpoint prompt; without one, a draft.", kind="text"),
    ),
    plan=plan,
    help="Replaces the old conversation by one strict memory object that a model writes, and acknowledges it.",
    protects="system messages, the last user message and the newest messages, calls kept with their results",
    source="SPEC.md, section 3",
    stepper=stepper,
)  # fmt: skip
