"""cascade: the cheapest cut first, down to a budget (SPEC.md, section 2).

Pictures go first, then old results, then a summary takes the place of the oldest messages. What the steps would do to
each message is worked out in `ladder`; here a budget chooses how far they go.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from inspector.change import Action, Insert, InsertKind, Plan
from inspector.message import Body, Context
from inspector.policies.cascade_steps import (
    LAST_RESORT_RESULTS,
    SUMMARY_HEAD,
    Summarise,
    enter,
    stepper,
    summary_reason,
    summary_text,
)
from inspector.policies.ladder import (
    MESSAGE_TOKENS,
    OVER_CEILING,
    REASONS,
    SHORT,
    STUB,
    SUMMARISED,
    Ladder,
    Sizes,
    Stage,
    cap_result,
    result_stub,
)
from inspector.policies.policy import Param, Policy, Settings

__all__ = ["POLICY", "SUMMARY_HEAD", "cap_result", "plan"]


@dataclass(slots=True)
class _Draft:
    """The plan while it is made."""

    ladder: Ladder
    stage: Stage
    total: int
    notes: list[str]
    again: dict[int, int]
    """Rows that the last step stubbed, with the characters that they had before it."""
    insert: Insert | None = None

    def body(self, row: int) -> Body:
        """The message as it stands after the steps so far."""
        action = self.stage.action[row]
        if action == Action.HEAD:
            return self.ladder.entered_body(row)
        body = self.ladder.pictured_body(row)
        if action != STUB:
            return body
        return {**body, "content": result_stub(body, self.again.get(row, self.ladder.pictured.content[row]))}


def plan(context: Context, settings: Settings) -> Plan:
    """The plan of one compaction of the whole context."""
    cap = settings["max_result_chars"]
    ladder = context.derived(Sizes).ladder(settings["chars_per_token"], None if cap is None else max(0, cap))
    draft = _Draft(ladder, ladder.entered, ladder.total, [], {})
    if draft.total > settings["target_tokens"]:
        _cut(draft, settings)
    return _finished(draft, stand_in=settings.get("summarise") is None)


def _cut(draft: _Draft, settings: Settings) -> None:
    """The four steps, each stopping as soon as it may."""
    target, ceiling = settings["target_tokens"], settings["ceiling_tokens"]
    protect, keep = max(0, settings["protect"]), max(0, settings["keep_verbatim"])
    rows = len(draft.ladder.context)
    _drop_images(draft)
    if draft.total <= target:
        return
    stubbed = _stub_old(draft, protect, keep, target)
    if draft.total <= ceiling:
        return
    stop = min(rows, max(protect, rows - 2 * keep))
    if stop <= protect:
        return
    _summarise(draft, protect, stop, stubbed, settings.get("summarise"))
    _stub_again(draft, stop, ceiling)


def _drop_images(draft: _Draft) -> None:
    draft.stage, draft.total = draft.ladder.pictured, draft.ladder.sums[-1]
    dropped = len(draft.ladder.sizes.with_images) - 1
    if dropped > 0:
        draft.notes.append(f"dropped {dropped} older screenshot(s)")


def _stub_old(draft: _Draft, protect: int, keep: int, target: int) -> tuple[int, int]:
    """One line for each old result, oldest first, until the target is met. Gives the range of stubs used."""
    ladder = draft.ladder
    old = ladder.sizes.results[: max(0, len(ladder.sizes.results) - keep)]
    first = bisect_left(ladder.rows, protect)
    last = bisect_left(ladder.rows, old[-1] + 1) if old else first
    end = ladder.enough(first, max(first, last), draft.total - target)
    draft.stage = draft.stage.copy()
    if end > first:
        draft.stage.take(ladder.stubbed, ladder.rows[first], ladder.rows[end - 1] + 1)
        draft.total -= ladder.saved[end] - ladder.saved[first]
        draft.notes.append(f"summarised {end - first} old tool result(s) to one line each")
    return first, end


def _summarise(draft: _Draft, start: int, stop: int, stubbed: tuple[int, int], summarise: Summarise | None) -> None:
    head = _Head(draft.body, range(start, stop))
    text = summary_text(head, summarise)
    ladder, first = draft.ladder, stubbed[0]
    inside = max(first, min(stubbed[1], bisect_left(ladder.rows, stop)))
    gone = ladder.sums[stop] - ladder.sums[start] - (ladder.saved[inside] - ladder.saved[first])
    draft.total += int(len(text) / ladder.per_token) + MESSAGE_TOKENS - gone
    reason = summary_reason(stop - start)
    body: Body = {"role": "user", "content": text}
    draft.insert = Insert(start - 1, InsertKind.SUMMARY, body, reason, (start, stop))
    draft.notes.append(f"summarised {stop - start} earlier messages into one block")


def _stub_again(draft: _Draft, stop: int, ceiling: int) -> None:
    """Stubs even among the newest results, all but the last two, until the ceiling is met."""
    ladder, stage = draft.ladder, draft.stage
    left = ladder.sizes.results[bisect_left(ladder.sizes.results, stop) :]
    for row in left[: max(0, len(left) - LAST_RESORT_RESULTS)]:
        if draft.total <= ceiling:
            break
        chars = stage.content[row]
        string = ladder.sizes.strings[row] or stage.action[row] in (Action.DROP_IMAGE, STUB)
        if chars < SHORT or not string:
            continue
        size = len(result_stub(ladder.context.messages[row], chars))
        draft.total += int(size / ladder.per_token) - int(chars / ladder.per_token)
        draft.again[row] = chars
        stage.set(row, STUB, OVER_CEILING, size)
    if draft.again:
        draft.notes.append(f"stubbed {len(draft.again)} more result(s) to stay under the ceiling")


class _Head(Sequence[Body]):
    """The messages that a summary replaces, made one by one as the summariser reads them."""

    def __init__(self, body: Callable[[int], Body], rows: range) -> None:
        self._body, self._rows = body, rows

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, place: Any) -> Any:
        rows = self._rows[place]
        return [self._body(row) for row in rows] if isinstance(rows, range) else self._body(rows)


def _finished(draft: _Draft, *, stand_in: bool) -> Plan:
    stage, insert = draft.stage, draft.insert
    if insert and insert.merges:
        start, stop = insert.merges
        stage.action[start:stop] = bytes([Action.MERGE]) * (stop - start)
        stage.reason[start:stop] = bytes([SUMMARISED]) * (stop - start)
        stage.chars[start:stop] = array("q", bytes(stage.chars.itemsize * (stop - start)))
    return Plan(
        draft.ladder.context, bytes(stage.action), bytes(stage.reason), REASONS, stage.chars, draft.body,
        (insert,) if insert else (),
        stats=lambda: _stats(draft), notes=tuple(draft.notes),
        warnings=("the summary is an offline stand-in, not a model's",) if insert and stand_in else (),
    )  # fmt: skip


def _stats(draft: _Draft) -> dict[str, int]:
    action = draft.stage.action
    return {
        "estimated_before": draft.ladder.total,
        "estimated_after": draft.total,
        "dropped_screenshots": action.count(Action.DROP_IMAGE),
        "stubbed_results": action.count(STUB),
        "capped_results": action.count(Action.HEAD),
        "summarised_messages": action.count(Action.MERGE),
    }


def _reach(context: Context) -> int:
    return max(1_000, int(context.derived(Sizes).ladder(3.2, None).total * 1.1))


POLICY = Policy(
    name="cascade",
    mode="carried",
    params=(
        Param(
            "target_tokens", "tokens", 24_000, "Nothing happens up to this estimate, and cutting goes down to it.",
            high=_reach, step=500, threshold=True,
        ),
        Param(
            "ceiling_tokens", "tokens", 40_000, "If stubs leave more than this estimate, a summary is made.",
            high=_reach, step=500, threshold=True,
        ),
        Param(
            "keep_verbatim", "results", 8, "Newest results, kept whole; twice as many messages stay verbatim.", high=64
        ),
        Param("protect", "messages", 2, "Leading messages that are kept: the system prompt and the task.", high=16),
        Param(
            "max_result_chars", "chars", 4_000, "The most of a result that enters the transcript at all.",
            high=40_000, step=250, only_if_given=True,
        ),
        Param(
            "chars_per_token", "chars", 3.2, "How many characters the estimate takes for one token.",
            low=0.2, high=8.0, limit=100.0, step=0.1, kind="float",
        ),
    ),
    plan=plan,
    help="Drops old screenshots, then stubs old results, then summarises old messages, until a token budget is met.",
    protects="the leading messages, the newest screenshot and the newest tool results",
    source="SPEC.md, section 2",
    extras=("summarise",),
    enter=enter,
    stepper=stepper,
)  # fmt: skip
