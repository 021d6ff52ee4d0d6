"""Strands' sliding window: the newest messages from a plain user message on, and what it does on an overflow."""

from __future__ import annotations

from dataclasses import dataclass, field

from inspector.change import Action, Plan
from inspector.message import ASSISTANT, TOOL, USER, Body, Context
from inspector.policies.policy import Param, Policy, Settings
from inspector.policies.product import Product, picked, python
from inspector.policies.python_call import Call
from inspector.policies.zoo.bundles import Bundles, bundles_of
from inspector.policies.zoo.cuts import cut_middle
from inspector.policies.zoo.drafting import Draft, with_text
from inspector.policies.zoo.exchanges import Exchanges
from inspector.policies.zoo.params import flag, optional

PRESERVED = 200
"""Characters that are kept at either end of a cut result."""
TRUNCATED = "... [truncated:"

REASONS = (
    "within the window, or no place to cut: sent as recorded",
    "before the place where the window may begin",
    "pinned: never dropped",
    "the oldest result, cut in the middle after an overflow",
    "a system message: always in front",
)
_, BEFORE, PINNED, CUT_IN_MIDDLE, SYSTEM_FRONT = range(len(REASONS))


def marker(omitted: int) -> str:
    """What stands in the middle of a cut result."""
    return f"...\n\n{TRUNCATED} {omitted} chars removed] ...\n\n..."


def truncated(text: str) -> str:
    """A result as it is sent after an overflow."""
    return cut_middle(text, PRESERVED, PRESERVED, marker(len(text) - 2 * PRESERVED))


def plan(context: Context, settings: Settings) -> Plan:
    """The plan of one `apply_management`, or with `overflows` of so many `reduce_context`."""
    bundles, draft = context.derived(bundles_of), Draft(context, REASONS)
    draft.in_front(bundles.systems, SYSTEM_FRONT)
    window, overflows = max(0, settings["window_size"]), max(0, settings["overflows"])
    state = _Window(draft, bundles, _pinned(context, bundles, settings["pin_first"] or 0), list(range(len(bundles))))
    if not overflows and len(bundles) > window:
        state.slide(window)
    for _ in range(min(overflows, len(context) + 1)):
        if not (settings["should_truncate_results"] and state.truncate()) and not state.slide(window):
            draft.warnings.append("nothing is left to drop; Strands passes the overflow on here")
            break
    draft.spare(bundles.rows_of(state.pinned), PINNED)
    return draft.plan(lambda row: _truncated(context.messages[row]))


def _truncated(body: Body) -> Body:
    return with_text(body, truncated(body["content"]))


def _pinned(context: Context, bundles: Bundles, count: int) -> frozenset[int]:
    """The first messages, and their neighbours that hold another half of their pairs."""
    ids = _ids(context, bundles)
    first = range(min(max(0, count), len(bundles)))
    sharing = {
        near
        for place in first
        for near in (place - 1, place + 1)
        if 0 <= near < len(bundles) and ids[place] & ids[near]
    }
    return frozenset(sharing.union(first))


def _ids(context: Context, bundles: Bundles) -> list[set[str]]:
    exchanges = context.derived(Exchanges)
    return [
        {key for row in rows for key in (*exchanges.keys.get(row, ()), *_answered(exchanges, row))}
        for rows in bundles.rows
    ]


def _answered(exchanges: Exchanges, row: int) -> tuple[str, ...]:
    return (exchanges.answers[row],) if row in exchanges.answers else ()


@dataclass(slots=True)
class _Window:
    """The messages while they are reduced."""

    draft: Draft
    bundles: Bundles
    pinned: frozenset[int]
    places: list[int]
    """Those that are left, in order."""
    cut: set[int] = field(default_factory=set)
    """Rows of results that are cut already."""

    def slide(self, window: int) -> bool:
        """Drop what stands before the first place where the window may begin; whether anything was."""
        places = self.places
        if window == 0:
            cut = len(places)
        else:
            start = len(places) - window if len(places) > window else 2
            cut = self._begin(start)
        gone = [place for place in places[:cut] if place not in self.pinned]
        self.draft.drop(self.bundles.rows_of(gone), BEFORE)
        self.places = [place for place in places[:cut] if place in self.pinned] + places[cut:]
        return bool(gone)

    def _begin(self, start: int) -> int:
        """The first plain user message from `start` on, else the first calls with their results; 0: neither."""
        kinds = bytes(self.bundles.kinds[place] for place in self.places)
        user = kinds.find(USER, start)
        if user >= 0:
            return user
        calls = self.draft.context.derived(Exchanges).calls
        for at in range(start, len(kinds) - 1):
            if kinds[at] == ASSISTANT and kinds[at + 1] == TOOL and self.bundles.rows[self.places[at]][0] in calls:
                return at
        return 0

    def truncate(self) -> bool:
        """Cut the results of the oldest message with any; whether there was anything to cut."""
        kinds, pinned = self.bundles.kinds, self.pinned
        oldest = next((place for place in self.places if kinds[place] == TOOL and place not in pinned), -1)
        rows = [row for row in self.bundles.rows[oldest] if self._is_long(row)] if oldest >= 0 else []
        for row in rows:
            size = len(truncated(self.draft.context.messages[row]["content"]))
            self.draft.change(row, Action.MIDDLE, CUT_IN_MIDDLE, size)
            self.cut.add(row)
        return bool(rows)

    def _is_long(self, row: int) -> bool:
        content = self.draft.context.messages[row].get("content")
        long = isinstance(content, str) and len(content) > 2 * PRESERVED and TRUNCATED not in content
        return long and row not in self.cut


def _manager(settings: Settings) -> Call:
    given = picked(settings, "window_size", "should_truncate_results")
    arguments = {**given, "pin_first": settings["pin_first"] or None}
    return Call("strands.agent.conversation_manager", "SlidingWindowConversationManager", arguments)


POLICY = Policy(
    name="strands-sliding",
    mode="carried",
    params=(
        Param(
            "window_size", "messages", 40, "Up to so many messages are sent; results of a round count as one.",
            high=lambda context: max(60, len(context)),
        ),
        flag("should_truncate_results", True, "Whether an overflow first cuts the oldest result in the middle."),
        optional("pin_first", "messages", 0, "First messages that are never dropped, with the halves of their pairs.",
                 high=32),
        Param("overflows", "overflows", 0, "How often the model refused for length; 0: the window alone.", high=16),
    ),
    plan=plan,
    help=(
        "Sends the newest messages from a plain user message on, else from calls with their results on. Where there is "
        "no such place, everything stays; only one message's results are ever cut."
    ),
    protects="the system messages, pinned messages, and calls with their results",
    source="SlidingWindowConversationManager, strands-agents 1.62.0",
    product=Product(
        "strands", "Strands", "python", python("conversation_manager", _manager),
        lacks={"overflows": "it acts on one whenever the model refuses for length"},
    ),
)  # fmt: skip

POLICIES = (POLICY,)
