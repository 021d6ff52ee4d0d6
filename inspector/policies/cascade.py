"""cascade: the cheapest cut first, down to a budget (SPEC.md, section 2).

Pictures go first, then old results, then a summary takes the place of the oldest messages. The reference re-estimates
the whole list after each cut, which is quadratic; here one running total moves with each cut.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from inspector.change import Action, Insert, InsertKind, Plan
from inspector.message import IMAGE_PARTS, TOOL, Body, Context, image_count, text_of
from inspector.policies.policy import Param, Policy, Settings
from inspector.policies.stand_in import stand_in_summary

Summarise: TypeAlias = Callable[[list[Body]], str]

IMAGE_TOKENS = 1_000
MESSAGE_TOKENS = 4
SHORT = 200
"""Results with fewer characters are not worth a stub."""
LAST_RESORT_RESULTS = 2
"""How many of the newest results even the last step keeps."""
SUMMARY_HEAD = (
    "PROGRESS SO FAR (an automatic summary of earlier steps in this same session - it replaces them, and they are gone):"
)

REASONS = (
    "within the budget or protected: sent as recorded",
    "an older screenshot: dropped first, since it costs most",
    "an old result: one line stands for it until the target is met",
    "replaced by the summary of earlier steps",
    "a result stubbed to stay under the ceiling",
    "a long result: cut when it entered the transcript",
)
KEPT, OLD_IMAGE, OLD_RESULT, SUMMARISED, OVER_CEILING, ENTRY_CAP = range(len(REASONS))


def cap_result(text: str, limit: int) -> str:
    """A result as it enters the transcript: up to `limit` characters, cut back to a line end, and a marker."""
    if len(text) <= limit:
        return text
    kept = _kept(text, limit)
    return f"{text[:kept]}\n\n{_truncated(kept, len(text))}"


def _kept(text: str, limit: int) -> int:
    line_end = text.rfind("\n", 0, limit)
    return line_end if line_end > 0 else limit


def _truncated(kept: int, total: int) -> str:
    return (
        f"[TRUNCATED after {kept:,} of {total:,} characters. Re-run with a narrower command - grep, tail, "
        "or a specific path - if you need the rest; do not assume what was cut.]"
    )


def result_stub(body: Body, chars: int) -> str:
    """The line that stands for a dropped result."""
    return f"[dropped to save context: {body.get('_label') or 'a tool result'}, {chars:,} characters]"


def image_stub(count: int) -> str:
    """The line that stands for a message's dropped pictures."""
    return (
        f"[screenshot dropped to save context - {count} image(s). "
        "Take another with screenshot() if you need to look again.]"
    )


def without_images(body: Body) -> Body:
    """A message without its pictures, and with the line that says so. A list of parts stays a list."""
    line, content = image_stub(image_count(body)), body.get("content")
    kept = {key: value for key, value in body.items() if key != "images"}
    if isinstance(content, list):
        parts = [p for p in content if not (isinstance(p, dict) and p.get("type") in IMAGE_PARTS)]
        return {**kept, "content": [*parts, {"type": "text", "text": line}]}
    text = content.strip() if isinstance(content, str) else ""
    return {**kept, "content": f"{text}\n{line}".strip()}


class Sizes:
    """What the estimate is made of, in columns: one int a message."""

    def __init__(self, context: Context) -> None:
        messages = context.messages
        contents = [body.get("content") for body in messages]
        self.content = array("q", [len(c) if isinstance(c, str) else 0 for c in contents])
        """Characters of string contents; anything else counts 0, as the reference has it."""
        self.thinking = array("q", [_string_chars(body.get("thinking")) for body in messages])
        self.calls = array("q", [_json_chars(body.get("tool_calls")) for body in messages])
        self.images = array("q", list(map(image_count, messages)))
        self.with_images = tuple(row for row, count in enumerate(self.images) if count)
        self.results = tuple(row for row, role in enumerate(context.columns.role) if role == TOOL)
        self.strings = bytes(isinstance(content, str) for content in contents)

    def estimates(self, per_token: float, content: Sequence[int]) -> list[int]:
        """Estimated tokens of each message, with these lengths of its content."""
        columns = zip(content, self.thinking, self.calls, self.images, strict=True)
        return [
            int(text / per_token) + int(thought / per_token) + int(calls / per_token) + 1_000 * images + 4
            for text, thought, calls, images in columns
        ]


def _string_chars(value: object) -> int:
    return len(value) if isinstance(value, str) else 0


def _json_chars(calls: object) -> int:
    if not calls:
        return 0
    try:
        return len(json.dumps(calls))
    except (TypeError, ValueError, RecursionError):
        return len(str(calls))


@dataclass(slots=True)
class _Draft:
    """The plan while it is made: columns that the steps write, and the running total that they bring down."""

    context: Context
    sizes: Sizes
    per_token: float
    action: bytearray
    reason: bytearray
    chars: list[int]
    """Characters of each row's string content as it stands."""
    tokens: list[int]
    total: int
    stripped: set[int]
    """Rows that lost their images."""
    stubbed: dict[int, int]
    """Row to the characters that its content had when a stub replaced it."""
    cap: int | None
    notes: list[str]
    insert: Insert | None = None

    def resize(self, row: int, chars: int, *, images: int = 0) -> None:
        """Give a row's content another length, and move the total along."""
        was = int(self.chars[row] / self.per_token)
        change = int(chars / self.per_token) - was - IMAGE_TOKENS * images
        self.chars[row] = chars
        self.tokens[row] += change
        self.total += change

    def mark(self, row: int, action: Action, reason: int) -> None:
        self.action[row], self.reason[row] = action, reason

    def body(self, row: int) -> Body:
        """The message as it stands after the steps so far."""
        body = self.context.messages[row]
        if self.cap is not None and self.context.columns.role[row] == TOOL and isinstance(body.get("content"), str):
            text = cap_result(body["content"], self.cap)
            body = body if text is body["content"] else {**body, "content": text}
        if row in self.stripped:
            body = without_images(body)
        if row in self.stubbed:
            body = {**body, "content": result_stub(body, self.stubbed[row])}
        return body


def plan(context: Context, settings: Settings) -> Plan:
    """The plan of one compaction of the whole context."""
    draft = _draft(context, settings)
    target, ceiling = settings["target_tokens"], settings["ceiling_tokens"]
    protect, keep = max(0, settings["protect"]), max(0, settings["keep_verbatim"])
    before = draft.total
    summarise = settings.get("summarise")
    if draft.total > target:
        _cut(draft, target, ceiling, protect, keep, summarise)
    return _finished(draft, before, stand_in=summarise is None)


def _draft(context: Context, settings: Settings) -> _Draft:
    sizes, per_token, cap = context.derived(Sizes), settings["chars_per_token"], settings["max_result_chars"]
    cap = None if cap is None else max(0, cap)
    content = list(sizes.content)
    action, reason = bytearray(len(context)), bytearray(len(context))
    for row in sizes.results if cap is not None else ():
        if content[row] > cap:
            kept = _kept(context.messages[row]["content"], cap)
            content[row] = kept + 2 + len(_truncated(kept, content[row]))
            action[row], reason[row] = Action.HEAD, ENTRY_CAP
    tokens = sizes.estimates(per_token, content)
    return _Draft(context, sizes, per_token, action, reason, content, tokens, sum(tokens), set(), {}, cap, [])


def _cut(draft: _Draft, target: int, ceiling: int, protect: int, keep: int, summarise: Summarise | None) -> None:
    """The four steps, each stopping as soon as it may."""
    _drop_images(draft)
    if draft.total <= target:
        return
    results = [row for row in draft.sizes.results if row >= protect]
    _stub(draft, results[: max(0, len(results) - keep)], target, OLD_RESULT, "summarised {} old tool result(s) to one line each")
    if draft.total <= ceiling:
        return
    stop = max(protect, len(draft.context) - 2 * keep)
    if min(stop, len(draft.context)) <= protect:
        return
    _summarise(draft, protect, stop, summarise)
    left = [row for row in draft.sizes.results if row >= stop]
    last = max(0, len(left) - LAST_RESORT_RESULTS)
    _stub(draft, left[:last], ceiling, OVER_CEILING, "stubbed {} more result(s) to stay under the ceiling")


def _drop_images(draft: _Draft) -> None:
    rows = draft.sizes.with_images
    for row in rows[:-1]:
        body = draft.body(row)
        draft.stripped.add(row)
        text = without_images(body)["content"]
        chars = len(text) if isinstance(text, str) else draft.chars[row]
        draft.resize(row, chars, images=draft.sizes.images[row])
        draft.mark(row, Action.DROP_IMAGE, OLD_IMAGE)
    if len(rows) > 1:
        draft.notes.append(f"dropped {len(rows) - 1} older screenshot(s)")


def _stub(draft: _Draft, rows: list[int], budget: int, reason: int, note: str) -> None:
    """One line for each of these results, oldest first, until the total is within the budget."""
    done = 0
    for row in rows:
        if draft.total <= budget:
            break
        chars = draft.chars[row]
        if chars < SHORT or not (draft.sizes.strings[row] or row in draft.stripped):
            continue
        draft.stubbed[row] = chars
        draft.resize(row, len(result_stub(draft.context.messages[row], chars)))
        draft.mark(row, Action.PLACEHOLDER, reason)
        done += 1
    if done:
        draft.notes.append(note.format(done))


def _summarise(draft: _Draft, start: int, stop: int, summarise: Summarise | None) -> None:
    head = _Head(draft, start, stop)
    summary = stand_in_summary(head) if summarise is None else summarise(list(head))
    text = f"{SUMMARY_HEAD}\n\n{summary}"
    body: Body = {"role": "user", "content": text}
    draft.insert = Insert(start - 1, InsertKind.SUMMARY, body, f"a summary of {stop - start:,} earlier messages", (start, stop))
    draft.action[start:stop] = bytes([Action.MERGE]) * (stop - start)
    draft.reason[start:stop] = bytes([SUMMARISED]) * (stop - start)
    draft.total += int(len(text) / draft.per_token) + MESSAGE_TOKENS - sum(draft.tokens[start:stop])
    draft.notes.append(f"summarised {stop - start} earlier messages into one block")


class _Head(Sequence[Body]):
    """The messages that a summary replaces, made one by one as the summariser reads them."""

    def __init__(self, draft: _Draft, start: int, stop: int) -> None:
        self._draft, self._rows = draft, range(start, stop)

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, place: Any) -> Any:
        rows = self._rows[place]
        return [self._draft.body(row) for row in rows] if isinstance(rows, range) else self._draft.body(rows)


def _finished(draft: _Draft, before: int, *, stand_in: bool) -> Plan:
    context = draft.context
    lengths = context.columns.chars
    chars = array("q", lengths)
    for row, action in enumerate(draft.action):
        if action == Action.MERGE:
            chars[row] = 0
        elif action:
            text = draft.sizes.strings[row] or row in draft.stubbed
            chars[row] = draft.chars[row] if text else len(text_of(draft.body(row)))
    warnings = ("the summary is an offline stand-in, not a model's",) if draft.insert and stand_in else ()
    return Plan(
        context, bytes(draft.action), bytes(draft.reason), REASONS, chars, draft.body,
        (draft.insert,) if draft.insert else (),
        stats=lambda: _stats(draft, before), notes=tuple(draft.notes), warnings=warnings,
    )  # fmt: skip


def _stats(draft: _Draft, before: int) -> dict[str, int]:
    return {
        "estimated_before": before,
        "estimated_after": draft.total,
        "dropped_screenshots": len(draft.stripped),
        "stubbed_results": len(draft.stubbed),
        "capped_results": draft.action.count(Action.HEAD),
        "summarised_messages": draft.action.count(Action.MERGE),
    }


def _reach(context: Context) -> int:
    return max(1_000, int(sum(context.derived(Sizes).estimates(3.2, context.derived(Sizes).content)) * 1.1))


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
        Param("keep_verbatim", "results", 8, "The newest tool results, which stay whole; twice as many messages escape the summary.", high=64),
        Param("protect", "messages", 2, "Leading messages that no summary takes: the system prompt and the task.", high=16),
        Param(
            "max_result_chars", "chars", 4_000, "The most of a result that enters the transcript at all.",
            high=40_000, step=250, only_if_given=True,
        ),
        Param(
            "chars_per_token", "chars", 3.2, "How many characters the estimate takes for one token.",
            low=1.0, high=8.0, limit=100.0, step=0.1, kind="float",
        ),
    ),
    plan=plan,
    help="Drops old screenshots, then stubs old results, then summarises old messages, until a token budget is met.",
    protects="the leading messages, the newest screenshot and the newest tool results",
    source="SPEC.md, section 2",
    extras=("summarise",),
)  # fmt: skip
