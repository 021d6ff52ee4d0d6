"""pi's compaction: everything before the newest messages becomes a summary, where need be in the middle of a turn.

Its unit is the token of four characters, as JavaScript counts them. A summary names the files that were read and
changed before the cut, those of earlier summaries too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from inspector.change import InsertKind, Plan
from inspector.message import SYSTEM, TOOL, USER, Body, Context, image_count, text_of
from inspector.policies.policy import Param, Policy, Settings
from inspector.policies.product import Product, as_json
from inspector.policies.zoo import arguments
from inspector.policies.zoo.cuts import ceil4
from inspector.policies.zoo.drafting import Draft, left_alone, summarised, with_text
from inspector.policies.zoo.exchanges import Exchanges, kinds_of
from inspector.policies.zoo.units import utf16_units, visible_units

HEAD = "The conversation history before this point was compacted into the following summary:\n\n<summary>\n"
FOOT = "\n</summary>"
SPLIT = "\n\n---\n\n**Turn Context (split turn):**\n\n"
NO_HISTORY = "No prior history."
IMAGE_UNITS = 4_800
"""What an image in a result counts; one of the user's counts nothing."""
SHOWN_UNITS = 2_000
"""How much of a result the summarising model is shown."""
_LISTED = r"<{0}>\n(.*?)\n</{0}>"

REASONS = (
    "recent: sent as recorded",
    "replaced by the summary",
    "the beginning of the turn that is cut: summarised apart",
    "below the trigger: everything is sent",
    "everything is among what is kept, or there is no place to cut after it",
)
_, SUMMARISED, TURN_BEGIN, BELOW, ALL_KEPT = range(len(REASONS))


def tokens_of(context: Context) -> list[int]:
    """pi's estimate of each message."""
    kinds, units = context.derived(kinds_of), context.derived(visible_units)
    return [
        ceil4(units[row] + IMAGE_UNITS * image_count(body)) if kinds[row] == TOOL else ceil4(units[row])
        for row, body in enumerate(context.messages)
    ]


def plan(context: Context, settings: Settings) -> Plan:
    """The plan of one compaction."""
    window, reserve = max(0, settings["context_window"]), max(0, settings["reserve_tokens"])
    if sum(context.derived(tokens_of)) <= window - reserve:
        return left_alone(context, REASONS, BELOW)
    kinds, start = context.derived(kinds_of), _start(context)
    cut = _cut(context, start, settings["keep_recent_tokens"])
    if cut < 0:
        return left_alone(context, REASONS, ALL_KEPT)
    turn = cut if kinds[cut] == USER else kinds.rfind(USER, start, cut)
    turn = cut if turn < 0 else turn
    draft = Draft(context, REASONS)
    history, begun = ([row for row in rows if kinds[row] != SYSTEM] for rows in (range(turn), range(turn, cut)))
    draft.merge(history, SUMMARISED)
    draft.merge(begun, TURN_BEGIN)
    gone = [*history, *begun]
    text = f"{HEAD}{_summary(draft, history, begun, settings)}{_files(context, gone, start)}{FOOT}"
    reason = f"a summary of {len(gone):,} earlier messages"
    draft.insert(cut - 1, InsertKind.SUMMARY, {"role": "user", "content": text}, reason, (gone[0], cut))
    return draft.unwritten()


def _start(context: Context) -> int:
    """The first row after the latest summary."""
    kinds = context.derived(kinds_of)
    row = kinds.rfind(USER)
    while row >= 0 and not text_of(context.messages[row]).startswith(HEAD):
        row = kinds.rfind(USER, 0, row)
    return row + 1


def _cut(context: Context, start: int, keep: int) -> int:
    """The first row that is kept; -1 where nothing is before it.

    From the newest message back until the sum reaches what is to be kept; then forward to what is no result.
    """
    kinds, costs, kept = context.derived(kinds_of), context.derived(tokens_of), 0
    valid = [row for row in range(start, len(context)) if kinds[row] not in (TOOL, SYSTEM)]
    for row in range(len(context) - 1, start - 1, -1):
        if kinds[row] == SYSTEM:
            continue
        kept += costs[row]
        if kept >= keep:
            cut = next((place for place in valid if place >= row), -1)
            return cut if valid and cut > valid[0] else -1
    return -1


def _summary(draft: Draft, history: Sequence[int], begun: Sequence[int], settings: Settings) -> str:
    """What a model writes of the history, and apart of the turn that is cut."""
    summarise = settings.get("summarise")
    before, turn = (_shown(draft.context, rows) for rows in (history, begun))
    text = summarised(before, summarise, draft) if before else NO_HISTORY
    return f"{text}{SPLIT}{summarised(turn, summarise, draft)}" if turn else text


def _shown(context: Context, rows: Iterable[int]) -> list[Body]:
    """Messages as the summarising model is shown them: results are cut."""
    kinds, messages = context.derived(kinds_of), context.messages
    return [_cut_result(messages[row]) if kinds[row] == TOOL else messages[row] for row in rows]


def _cut_result(body: Body) -> Body:
    text = text_of(body)
    more = utf16_units(text) - SHOWN_UNITS
    return with_text(body, f"{text[:SHOWN_UNITS]}\n\n[... {more} more characters truncated]") if more > 0 else body


def _files(context: Context, rows: Iterable[int], start: int) -> str:
    """The lists of files that were only read, and of files that were changed, in those rows and in the last summary."""
    earlier = text_of(context.messages[start - 1]) if start else ""
    read, changed = _named(earlier, "read-files"), _named(earlier, "modified-files")
    calls = context.derived(Exchanges).calls
    for row in rows:
        for call in calls.get(row, ()):
            if call.name in ("read", "write", "edit"):
                path = _path(call.arguments)
                (read if call.name == "read" else changed).update([path] if path else [])
    lists = (("read-files", read - changed), ("modified-files", changed))
    return "".join(f"\n\n<{name}>\n{_lines(paths)}\n</{name}>" for name, paths in lists if paths)


def _lines(paths: Iterable[str]) -> str:
    return "\n".join(sorted(paths))


def _named(summary: str, name: str) -> set[str]:
    found = re.findall(_LISTED.format(name), summary, re.DOTALL)
    return set(found[-1].split("\n")) if found else set()


def _path(given: str) -> str:
    value = arguments.read(given)
    path = value.get("path") if isinstance(value, dict) else None
    return path if isinstance(path, str) else ""


def _compaction(settings: Settings) -> Body:
    given = {"reserveTokens": settings["reserve_tokens"], "keepRecentTokens": settings["keep_recent_tokens"]}
    return {"compaction": {"enabled": True, **given}}


POLICY = Policy(
    name="pi-cut",
    mode="carried",
    params=(
        Param(
            "keep_recent_tokens", "tokens", 20_000,
            "How much is kept at the end; the message that reaches it is kept if it is no result.",
            high=lambda context: max(40_000, int(sum(context.derived(tokens_of)) * 1.1)), step=500,
        ),
        Param(
            "reserve_tokens", "tokens", 16_384, "What the window must have free; beyond that a summary is made.",
            high=100_000, step=512,
        ),
        Param(
            "context_window", "tokens", 200_000, "The model's window (ours: pi knows that of its model).",
            high=1_000_000, step=1_000,
        ),
    ),
    plan=plan,
    help=(
        "Replaces everything before the newest messages by a summary, with lists of the files read and changed. Sizes "
        "are pi's estimate over all messages, where pi starts from what the provider counted. pi of March 2026 loses "
        "at a second compaction what the first had kept; here that is summarised."
    ),
    protects="the system messages, and the newest messages; the cut is never before a result",
    source="compaction.ts, earendil-works/pi 00e68365d1",
    extras=("summarise",),
    product=Product(
        "pi", "pi", "json", as_json(_compaction), "For ~/.pi/agent/settings.json, or .pi/settings.json of a project.",
        {"context_window": "it takes that of its model"},
    ),
)  # fmt: skip

POLICIES = (POLICY,)
