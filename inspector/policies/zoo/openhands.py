"""OpenHands' summarizing condenser: the middle of the events is forgotten, and a summary stands in its place.

Its unit is the event: a message, one call, one result. A batch is what one answer of the model called for.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from inspector.change import InsertKind, Plan
from inspector.message import SYSTEM, Context
from inspector.policies.policy import Param, Policy, Settings
from inspector.policies.product import Product, picked, python, refused
from inspector.policies.python_call import Call, Name
from inspector.policies.zoo.cuts import running
from inspector.policies.zoo.drafting import Draft, summarised
from inspector.policies.zoo.exchanges import Exchanges
from inspector.policies.zoo.params import flag, optional

REASONS = (
    "at the beginning or recent: sent as recorded",
    "forgotten: a summary stands for it",
    "calls that are not all answered, which the view leaves out",
    "a result without a call, or a second one, which the view leaves out",
    "everything but the system prompt is forgotten: a hard reset",
)
_, FORGOTTEN, UNANSWERED, ORPHAN, RESET = range(len(REASONS))


@dataclass(frozen=True, slots=True)
class Events:
    """The events of a context that are whole."""

    rows: list[int]
    """The row of each event; a message with several calls has several events."""
    legal: list[int]
    """Where the list may be cut, ascending: not while a call is open, nor inside a batch."""
    sums: list[int]
    """Characters of the first 0, 1, 2 ... events."""
    system: int
    """1 where the first event is the system prompt, else 0."""
    calls_left_out: list[int]
    results_left_out: list[int]


def events_of(context: Context) -> Events:
    """The events that the view holds, found once a context."""
    exchanges = context.derived(Exchanges)
    kept, results = _whole(exchanges)
    calls_out = [row for row in exchanges.keys if row not in kept]
    results_out = [row for row in exchanges.results if row not in results]
    rows, chars, legal, pending = list[int](), list[int](), [0], set[str]()
    left_out = {*calls_out, *results_out}
    for row in range(len(context)):
        if row in left_out:
            continue
        text = context.columns.chars[row]
        calls = exchanges.calls.get(row, ())
        sizes = [len(call.name) + len(call.arguments) for call in calls] or [0]
        rows += [row] * len(sizes)
        chars += [sizes[0] + text, *sizes[1:]]
        pending.update(exchanges.keys.get(row, ()))
        pending.discard(exchanges.answers.get(row, ""))
        if not pending:
            legal.append(len(rows))
    system = int(bool(rows) and rows[0] == 0 and exchanges.kinds[0] == SYSTEM)
    return Events(rows, legal, running(chars), system, calls_out, results_out)


def _whole(exchanges: Exchanges) -> tuple[set[int], set[int]]:
    """The calling rows whose calls are all answered, and the first result of each of their calls."""
    first: dict[str, int] = {}
    for row in exchanges.results:
        first.setdefault(exchanges.answers[row], row)
    kept = {row for row, keys in exchanges.keys.items() if all(key in first for key in keys)}
    return kept, {first[key] for row in kept for key in exchanges.keys[row]}


def plan(context: Context, settings: Settings) -> Plan:
    """The plan of one `condense`."""
    events, draft = context.derived(events_of), Draft(context, REASONS)
    draft.drop(events.calls_left_out, UNANSWERED)
    draft.drop(events.results_left_out, ORPHAN)
    tails, hard = _tails(events, settings)
    if not tails:
        return draft.unwritten()
    count = len(events.rows)
    start = _legal(events, max(settings["keep_first"], events.system))
    end = _legal(events, count - min(tails))
    if start is None or end is None or end - start < max(1, count * settings["minimum_progress"]):
        if hard:
            _forget(draft, events, (events.system, count), settings, RESET)
    else:
        _forget(draft, events, (start, end), settings, FORGOTTEN)
    return draft.unwritten()


def _tails(events: Events, settings: Settings) -> tuple[list[int], bool]:
    """How many events each reason to condense would leave at the end; whether one of them is a hard one."""
    count, head, most = len(events.rows), max(0, settings["keep_first"]), settings["max_size"]
    tails, limit = [], settings["max_tokens"]
    if settings["request"]:
        tails.append(count // 2 - head - 1)
    if limit and events.sums[-1] // 4 > limit:
        tails.append(_token_tail(events.sums, head, limit))
    hard = bool(tails)
    if count > most:
        tails.append(most // 2 - head - 1)
    return tails, hard


def _token_tail(sums: Sequence[int], head: int, limit: int) -> int:
    """How many events stay when as many are forgotten as bring the tokens under half of the limit."""
    count = len(sums) - 1
    before = min(head, count)
    goal = sums[-1] // 4 - limit // 2 + sums[before] // 4
    shortest = bisect_right(sums, goal, lo=before, key=lambda chars: chars // 4)
    return count - min(shortest, count)


def _legal(events: Events, place: int) -> int | None:
    """The first place from there on where the list may be cut; None: there is none."""
    at = bisect_right(events.legal, place - 1)
    return events.legal[at] if at < len(events.legal) else None


def _forget(draft: Draft, events: Events, span: tuple[int, int], settings: Settings, reason: int) -> None:
    start, end = span
    gone = list(dict.fromkeys(events.rows[start:end]))
    if not gone:
        return
    messages = draft.context.messages
    body = {"role": "user", "content": summarised([messages[row] for row in gone], settings.get("summarise"), draft)}
    draft.merge(gone, reason)
    after = events.rows[start - 1] if start else -1
    says = f"a summary of {end - start:,} events"
    draft.insert(after, InsertKind.SUMMARY, body, says, (gone[0], gone[-1] + 1))


def _condenser(settings: Settings) -> Call:
    given = picked(settings, "max_size", "keep_first", "minimum_progress")
    arguments = {"llm": Name("llm"), **given, "max_tokens": settings["max_tokens"] or None}
    return Call("openhands.sdk.context.condenser", "LLMSummarizingCondenser", arguments)


POLICY = Policy(
    name="openhands-condenser",
    mode="carried",
    params=(
        Param(
            "max_size", "events", 240, "With more events than this the middle is forgotten, down to half of it.", low=1,
            high=lambda context: max(300, len(context.derived(events_of).rows)), step=5,
        ),
        Param("keep_first", "events", 2, "Events at the beginning that stay, the system prompt among them.", high=32),
        Param(
            "minimum_progress", "", 0.1, "Less than this share of the events is not worth a summary.", high=1.0,
            limit=1.0, step=0.05, kind="float",
        ),
        optional(
            "max_tokens", "tokens", 0, "With more tokens than this the middle is forgotten; 0: tokens do not count.",
            high=lambda context: max(1_000, context.derived(events_of).sums[-1] // 4), step=500, threshold=True,
        ),
        flag("request", False, "Whether a condensation was asked for, by a person or after an overflow."),
    ),
    plan=plan,
    help=(
        "Keeps the first and the newest events and puts a summary between them. A call and its result are two events. "
        "What is not answered is left out even when nothing is due."
    ),
    protects="the first events, and calls with their results",
    source="LLMSummarizingCondenser, openhands-sdk 1.58.2",
    extras=("summarise",),
    product=Product(
        "openhands", "OpenHands", "python", python("condenser", _condenser),
        "llm is the one that writes the summaries.", {"request": "it is asked for while the agent runs"},
        refused(
            "OpenHands",
            ("keep_first leaves no room under half of max_size", lambda s: s["keep_first"] >= s["max_size"] // 2),
        ),
    ),
)  # fmt: skip

POLICIES = (POLICY,)
