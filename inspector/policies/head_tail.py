"""head-tail: shrink old tool results when sending, and leave the record alone (SPEC.md, section 1).

The decision is arithmetic over columns: which rows could change is found once a session, what a cap makes of them once
a cap, and any `keep_recent` is then a slice. No text is made before somebody looks at it.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import compress
from typing import Any, TypeAlias

from inspector.change import Action, Insert, InsertKind, Plan
from inspector.message import ASSISTANT, TOOL, Body, Context
from inspector.policies.policy import Mode, Param, Policy, Settings
from inspector.policies.transcript import Done, Transcript
from inspector.text import json_chars, string_json_chars

MISSING = "[interrupted: tool result missing — run was cut off (disconnect/cancel) before this tool finished]"
PROGRESS = "[task_progress updated; UI-only details omitted from context]"
Missing: TypeAlias = "tuple[tuple[int, Body], ...]"
SKILL = re.compile(r"(?:^|[,\]])(?>[^,\]]*?\[skill=)([^,\]]++)(?:,\s*dir=([^\]]+))?\]")
"""`[skill=NAME]` or `[skill=NAME, dir=DIR]`, anywhere in a line. NAME ends at the first comma or bracket, so of several
tags between two of these only the first is tried, and a line of a million tags that never close costs one pass."""

REASONS = (
    "recent or not a tool result: sent as recorded",
    "old skill text: it can be loaded again",
    "old progress report: only the screen needed it",
    "head + tail of an older result",
    "session smaller than the threshold: nothing is compacted",
    "a list of parts: this policy only shortens strings",
)
KEPT, SKILL_STUB, PROGRESS_STUB, SHORTENED, BELOW, LIST_LEFT = range(len(REASONS))
PLAIN = frozenset((str,))
"""Types of the values of a message whose JSON is surely written field by field."""
STUBBED = ("load_skill", "task_progress")
"""Tools whose old results a fixed text stands for."""
REPAIR_REASON = "repaired: no result was recorded"


def marker(omitted: int) -> str:
    """What stands between the head and the tail of a shortened result."""
    return f"\n[compacted old tool result, {omitted} chars omitted]\n"


_MARKER_JSON_CHARS = string_json_chars(marker(0)) - 1
"""Of the marker as JSON text, all but the number."""


def shrink(text: str, cap: int) -> str:
    """A text cut in the middle to `cap` characters and a marker; a cap of 0 leaves the marker alone."""
    if len(text) <= cap:
        return text
    head = cap // 2
    return text[:head] + marker(len(text) - cap) + text[len(text) - (cap - head) :]


def skill_stub(text: str) -> str:
    """What stands for an old skill text; the name and folder come from its first line."""
    end = text.find("\n", 0, 1_000)
    lines = (text[:end] if end >= 0 else text).splitlines()
    found = SKILL.search(lines[0][: lines[0].rfind("]") + 1]) if lines else None
    if found is None:
        return "[loaded skill; full SKILL.md omitted from old context]"
    name, folder = found.groups()
    place = f", dir={folder}" if folder else ""
    return f"[loaded skill: {name}{place}; full SKILL.md omitted from old context]"


def stub_of(body: Body) -> tuple[str, int] | None:
    """The fixed text that stands for an old result and its reason; None where the cap decides."""
    name = body.get("name")
    if name == "load_skill":
        return skill_stub(body["content"]), SKILL_STUB
    return (PROGRESS, PROGRESS_STUB) if name == "task_progress" else None


def shortened(body: Body, cap: int) -> Body:
    """A tool result with string content as an old one is sent."""
    stub = stub_of(body)
    text = stub[0] if stub else shrink(body["content"], cap)
    return body if text == body["content"] else {**body, "content": text}


def missing_results(context: Context) -> Missing:
    """(row that it follows, stub) for every call that the run of results after it leaves open."""
    found: list[tuple[int, Body]] = []
    role, messages = context.columns.role, context.messages
    at = role.find(ASSISTANT)
    while at >= 0:
        calls = messages[at].get("tool_calls")
        if calls:
            end = at + 1
            if _answered_at_once(calls, messages[end] if end < len(role) else {}):
                at = role.find(ASSISTANT, end)
                continue
            while end < len(role) and role[end] == TOOL:
                end += 1
            answers = (messages[row].get("tool_call_id") for row in range(at + 1, end))
            answered = {answer for answer in answers if isinstance(answer, str | int | float)}
            found += [(end - 1, stub) for stub in _stubs(calls, answered)]
        at = role.find(ASSISTANT, at + 1)
    return tuple(found)


def _answered_at_once(calls: Any, following: Body) -> bool:
    """Whether this is one call and the next message answers it: so it is nearly always."""
    if type(calls) is not list or len(calls) != 1 or type(calls[0]) is not dict:
        return False
    return following.get("role") == "tool" and following.get("tool_call_id") == calls[0].get("id")


def _stubs(calls: Any, answered: Set[Any]) -> list[Body]:
    names: dict[Any, Any] = {}
    for call in calls if isinstance(calls, list | tuple) else ():
        if isinstance(call, dict) and call.get("id") and isinstance(call["id"], str | int | float):
            function = call.get("function")
            names[call["id"]] = function.get("name") if isinstance(function, dict) else None
    return [
        {"role": "tool", "tool_call_id": call_id, "content": MISSING, **({"name": name} if name else {})}
        for call_id, name in names.items()
        if call_id not in answered
    ]


@dataclass(frozen=True, slots=True)
class AtCap:
    """Every row as if all results were old: any `keep_recent` is a slice of these columns."""

    action: bytes
    reason: bytes
    chars: array[int]


class Results:
    """The tool results of a context that this policy could shorten."""

    def __init__(self, context: Context) -> None:
        self.messages, self.chars = context.messages, context.columns.chars
        self.plain: list[int] = []
        """Rows of results whose length the cap decides."""
        self.stubs: dict[int, tuple[str, int]] = {}
        """Row to fixed text and reason, of results that a stub replaces."""
        self.lists: list[int] = []
        """Rows of results whose content is a list of parts."""
        for row in [row for row, code in enumerate(context.columns.role) if code == TOOL]:
            body = self.messages[row]
            if type(body.get("content")) is str and body.get("name") not in STUBBED:
                self.plain.append(row)
            else:
                self._sort_in(row, body)
        self.at_cap = lru_cache(maxsize=4)(self._at_cap)

    def _sort_in(self, row: int, body: Body) -> None:
        content = body.get("content")
        if isinstance(content, list):
            self.lists.append(row)
        elif isinstance(content, str):
            stub = stub_of(body)
            if stub is None:
                self.plain.append(row)
            elif stub[0] != content:
                self.stubs[row] = stub

    def rewritten(self, row: int, cap: int) -> Body:
        """A result that changes, as it is sent when it is old."""
        body, stub = self.messages[row], self.stubs.get(row)
        return {**body, "content": stub[0] if stub else shrink(body["content"], cap)}

    def _stays(self, row: int, chars: int, cap: int) -> bool:
        """Whether cutting gives the same text again: what would be omitted is just that marker."""
        if chars - cap != len(marker(chars - cap)):
            return False
        text = self.messages[row]["content"]
        return bool(text == shrink(text, cap))

    def _at_cap(self, cap: int) -> AtCap:
        action, reason, sent = bytearray(len(self.chars)), bytearray(len(self.chars)), array("q", self.chars)
        overhead = cap + len(marker(0)) - 1
        longest = len(marker(10**9))
        for row in self.plain:
            if (chars := self.chars[row]) > cap and (chars - cap > longest or not self._stays(row, chars, cap)):
                action[row], reason[row] = Action.MIDDLE, SHORTENED
                sent[row] = overhead + len(str(chars - cap))
        for row, (text, why) in self.stubs.items():
            action[row], reason[row], sent[row] = Action.PLACEHOLDER, why, len(text)
        for row in self.lists:
            reason[row] = LIST_LEFT
        return AtCap(bytes(action), bytes(reason), sent)


class Original:
    """The size of a context after repair, which the gate and the counters want."""

    def __init__(self, context: Context) -> None:
        self.missing = context.derived(missing_results)
        self.chars = sum(context.columns.json_chars) + sum(json_chars(body) for _, body in self.missing)


def plan(context: Context, settings: Settings) -> Plan:
    """The plan of one request over the whole context. Negative settings count as 0."""
    keep, cap = max(0, settings["keep_recent"]), max(0, settings["old_tool_chars"])
    missing = context.derived(missing_results)
    gate = settings["compact_threshold_chars"]
    if gate > 0 and context.derived(Original).chars < gate:
        return _repaired_only(context, missing)
    old_rows, old_stubs = _boundary(len(context), [row for row, _ in missing], keep)
    results = context.derived(Results)
    everything = results.at_cap(cap)
    chars = everything.chars[:old_rows] + context.columns.chars[old_rows:]
    rest = bytes(len(context) - old_rows)
    inserts = tuple(
        Insert(row, InsertKind.REPAIR, shortened(body, cap) if place < old_stubs else body, REPAIR_REASON)
        for place, (row, body) in enumerate(missing)
    )
    made = Plan(
        context,
        everything.action[:old_rows] + rest,
        everything.reason[:old_rows] + rest,
        REASONS,
        chars,
        lambda row: results.rewritten(row, cap),
        inserts,
        stats=lambda: _stats(made, missing, cap),
        warnings=_warnings(context, old_rows),
    )
    return made


def _repaired_only(context: Context, missing: Missing) -> Plan:
    rows = len(context)
    inserts = tuple(Insert(row, InsertKind.REPAIR, body, REPAIR_REASON) for row, body in missing)
    chars, reasons = context.columns.chars, bytes([BELOW]) * rows
    made = Plan(
        context, bytes(rows), reasons, REASONS, chars, context.messages.__getitem__, inserts,
        stats=lambda: {**_stats(made, missing, 0), "compaction_skipped": 1},
    )  # fmt: skip
    return made


def _boundary(rows: int, stubs_after: list[int], keep: int) -> tuple[int, int]:
    """How many rows and how many stubs are old, when the last `keep` messages of the repaired list are recent."""
    places = [row + 1 + before for before, row in enumerate(stubs_after)]
    old = max(0, rows + len(places) - keep)
    old_stubs = bisect_left(places, old)
    return old - old_stubs, old_stubs


def _warnings(context: Context, old_rows: int) -> tuple[str, ...]:
    left = bisect_left(context.derived(Results).lists, old_rows)
    if not left:
        return ()
    holds = "1 old result holds a list" if left == 1 else f"{left:,} old results hold lists"
    return (f"{holds} of parts, which this policy leaves whole",)


def _stats(made: Plan, missing: Missing, cap: int) -> dict[str, int]:
    """SPEC.md's counters; `saved_chars` is true, so below 0 where the sent view is larger."""
    context = made.context
    shrunk = [(was, now) for (_, was), now in zip(missing, made.inserts, strict=True) if now.body is not was]
    saved = sum(json_chars(was) - json_chars(now.body) for was, now in shrunk)
    skills = made.reason.count(SKILL_STUB) + sum(was.get("name") == "load_skill" for was, _ in shrunk)
    stubs = context.derived(Results).stubs
    for row in compress(range(len(made.action)), made.action):
        body = context.messages[row]
        if not PLAIN.issuperset(map(type, body.values())):
            saved += context.columns.json_chars[row] - json_chars(made.write(row))
        elif stub := stubs.get(row):
            saved += string_json_chars(body["content"]) - string_json_chars(stub[0])
        else:
            saved += _saved_by_cut(body["content"], cap)
    original = context.derived(Original).chars
    return {
        "original_chars": original,
        "sent_chars": original - saved,
        "saved_chars": saved,
        "compacted_tool_messages": len(shrunk) + len(made.action) - made.action.count(Action.KEEP),
        "compacted_skill_messages": skills,
        "compaction_skipped": 0,
        "repaired_tool_calls": len(missing),
        "untouched_list_contents": made.reason.count(LIST_LEFT),
    }


class Steps:
    """The views of a whole run: the boundary between old and recent only moves on, so each result is cut once."""

    def __init__(self, context: Context, settings: Settings) -> None:
        self.transcript = Transcript(context)
        self._keep, self._cap = max(0, settings["keep_recent"]), max(0, settings["old_tool_chars"])
        self._gate = settings["compact_threshold_chars"]
        self._missing = context.derived(missing_results)
        self._repairs = 0
        self._old = 0
        """Messages of the repaired list that are sent as old ones."""
        self._shortened = 0
        self._chars = 0

    def step(self, stop: int) -> Done:
        """The view of the request that the row `stop` answers."""
        self._arrive(stop)
        if self._gate <= 0 or self._chars >= self._gate:
            old = max(self._old, len(self.transcript.bodies) - self._keep)
            for place in range(self._old, old):
                self._grow_old(place)
            self._old = old
        edits = self._repairs + self._shortened
        return Done(edits, edits > 0)

    def _arrive(self, stop: int) -> None:
        """Rows enter; a run of results ends before an answer, so what it leaves open is known by then."""
        transcript, start = self.transcript, self.transcript.arrived
        while self._repairs < len(self._missing) and self._missing[self._repairs][0] < stop:
            row, body = self._missing[self._repairs]
            transcript.arrive(row + 1)
            transcript.insert(len(transcript.bodies), Insert(row, InsertKind.REPAIR, body, REPAIR_REASON))
            self._chars += json_chars(body) if self._gate > 0 else 0
            self._repairs += 1
        transcript.arrive(stop)
        if self._gate > 0:
            self._chars += sum(transcript.context.columns.json_chars[start:stop])

    def _grow_old(self, place: int) -> None:
        body = self.transcript.bodies[place]
        if body.get("role") != "tool" or not isinstance(body.get("content"), str):
            return
        sent = shortened(body, self._cap)
        if sent is not body:
            stub = stub_of(body)
            action, reason = (Action.PLACEHOLDER, stub[1]) if stub else (Action.MIDDLE, SHORTENED)
            self.transcript.put(place, sent, action, REASONS[reason])
            self._shortened += self.transcript.rows[place] >= 0


def stepper(context: Context, settings: Settings, mode: Mode) -> Steps | None:
    """The fast way through a stateless run."""
    return Steps(context, settings) if mode == "stateless" else None


def _saved_by_cut(text: str, cap: int) -> int:
    """What cutting the middle saves in JSON: escapes stand one by one, so only what is omitted has to be measured."""
    omitted = len(text) - cap
    head = cap // 2
    return string_json_chars(text[head : head + omitted]) - _MARKER_JSON_CHARS - len(str(omitted))


def _reach(context: Context) -> int:
    return max(1_000, int(context.derived(Original).chars * 1.1))


POLICY = Policy(
    name="head-tail",
    mode="stateless",
    params=(
        Param("keep_recent", "messages", 12, "The newest messages, which are never touched.", high=len),
        Param(
            "old_tool_chars", "chars", 2_000, "How much of an older tool result is kept: half head, half tail.",
            high=20_000, step=100,
        ),
        Param(
            "compact_threshold_chars", "chars", 0, "Sessions smaller than this are sent whole; 0 always compacts.",
            high=_reach, step=1_000, off=0, threshold=True,
        ),
    ),
    plan=plan,
    help="Shortens old tool results to head and tail when sending; the record itself is never rewritten.",
    protects="call arguments, roles, ids, names, everything but tool results, and the newest messages",
    source="SPEC.md, section 1",
    stepper=stepper,
)  # fmt: skip
