"""opencode's prune: the outputs of old tools are cleared once there is enough to clear.

The walk goes from the newest output back. opencode clears after its loop has ended, when the model has nothing more to
do, and keeps what it cleared; so in a run the outputs are those before the turn that is under way.
"""

from __future__ import annotations

from collections.abc import Iterator

from inspector.change import Action, Plan
from inspector.formats.opencode import COMPACTION_QUESTION
from inspector.message import ASSISTANT, TOOL, USER, Body, Context, text_of
from inspector.policies.policy import Mode, Param, Policy, Settings
from inspector.policies.product import Product, as_json
from inspector.policies.zoo.drafting import Draft, left_alone, with_text_alone
from inspector.policies.zoo.exchanges import Exchanges, kinds_of
from inspector.policies.zoo.params import is_names, named
from inspector.policies.zoo.rewriting import Waiting
from inspector.policies.zoo.units import utf16_units

CLEARED = "[Old tool result content cleared]"
TURNS = 2
"""The newest turns, in which nothing is cleared: each begins with what the user says."""

REASONS = (
    "no tool output, or failed, or of a protected tool: sent as recorded",
    "an old output: opencode's line stands for it",
    "among the newest outputs, which are protected",
    "of the two newest turns",
    "before an output that was cleared earlier, or before a summary",
    "too little would be cleared: everything is sent",
)
_, PRUNED, PROTECTED, RECENT, BEFORE, TOO_LITTLE = range(len(REASONS))


def estimate(text: str) -> int:
    """opencode's estimate of a text in tokens: a quarter of its UTF-16 units, rounded, halves up."""
    return (utf16_units(text) + 2) // 4


def plan(context: Context, settings: Settings) -> Plan:
    """The plan of one prune."""
    draft = Draft(context, REASONS)
    recent, total, pruned = recent_from(context, len(context), settings["after_loop"]), 0, list[int]()
    walk = list(_outputs(context, recent, settings))
    for row in walk:
        total += estimate(text_of(context.messages[row]))
        if total > max(0, settings["protect"]):
            pruned.append(row)
    gain = sum(estimate(text_of(context.messages[row])) for row in pruned)
    if gain <= max(0, settings["minimum"]):
        return left_alone(context, REASONS, TOO_LITTLE)
    results = context.derived(Exchanges).results
    draft.spare((row for row in results if row >= recent), RECENT)
    draft.spare((row for row in results if row < walk[-1]), BEFORE)
    draft.spare(walk[: len(walk) - len(pruned)], PROTECTED)
    for row in pruned:
        draft.change(row, Action.PLACEHOLDER, PRUNED, len(CLEARED))
    return draft.plan(lambda row: _cleared(context.messages[row]))


def recent_from(context: Context, stop: int, after_loop: bool | None) -> int:
    """The first row of the newest turns among the rows before `stop`; 0 where there are no older ones."""
    kinds = context.derived(kinds_of)
    at = _loop_end(context, stop) if after_loop else stop
    for _ in range(TURNS):
        at = kinds.rfind(USER, 0, max(0, at))
    return max(0, at)


def _loop_end(context: Context, stop: int) -> int:
    """How many rows there were when the last loop ended: all where an answer without calls is the last."""
    kinds, last = context.derived(kinds_of), stop - 1
    if last >= 0 and kinds[last] == ASSISTANT and last not in context.derived(Exchanges).calls:
        return stop
    begin = kinds.rfind(USER, 0, stop)
    while begin > 0 and kinds[begin - 1] == USER:
        begin -= 1
    return begin


def _outputs(context: Context, recent: int, settings: Settings) -> Iterator[int]:
    """The rows of outputs that count, from the newest turns back to what was cleared or summarised before."""
    exchanges, spared = context.derived(Exchanges), named(settings["protected_tools"]) or frozenset()
    for row in range(recent - 1, -1, -1):
        kind, body = exchanges.kinds[row], context.messages[row]
        if kind == ASSISTANT and row and _asks_for_summary(context, row - 1):
            return
        if kind != TOOL or body.get("is_error") or exchanges.name(row) in spared:
            continue
        if body.get("content") == CLEARED:
            return
        yield row


def _asks_for_summary(context: Context, row: int) -> bool:
    """Whether a row is the question of a compaction, whose answer is the summary."""
    said = context.messages[row].get("content")
    return context.derived(kinds_of)[row] == USER and said == COMPACTION_QUESTION


def _cleared(body: Body) -> Body:
    """An output without its text and its attachments."""
    return with_text_alone(body, CLEARED)


class Steps(Waiting):
    """The views of a run: what is cleared depends on the rows before the newest turns alone."""

    def __init__(self, context: Context, settings: Settings) -> None:
        super().__init__(context, settings, plan)
        self._recent = 0

    def due(self, stop: int) -> bool:
        """Whether a turn has become old."""
        before, self._recent = self._recent, recent_from(self.transcript.context, stop, self._settings["after_loop"])
        return self._recent != before


def stepper(context: Context, settings: Settings, mode: Mode) -> Steps | None:
    """The fast way through a carried run."""
    return Steps(context, settings) if mode == "carried" and context.derived(Exchanges).has_own_names else None


def _reach(context: Context) -> int:
    return max(1_000, sum(context.columns.chars) // 3)


POLICY = Policy(
    name="opencode-prune",
    mode="carried",
    params=(
        Param(
            "protect", "tokens", 40_000, "So much of the newest outputs is kept; the output that exceeds it is not.",
            high=_reach, step=500, threshold=True,
        ),
        Param(
            "minimum", "tokens", 20_000, "Nothing is cleared unless more than this would be.", high=_reach, step=500,
            threshold=True,
        ),
        Param(
            "protected_tools", "", "skill", "Tools whose outputs stay and do not count, separated by commas.",
            kind="line", accepts=is_names,
        ),
        Param(
            "after_loop", "", True,
            "Whether it waits until the model is done, as opencode does; no: it acts at every request.",
            kind="choice", choices=(False, True), only_if_given=True,
        ),
    ),
    plan=plan,
    help=(
        "Clears old tool outputs once more than a minimum would go, counted as characters through 4 from the third "
        "newest turn back. opencode itself does it only where compaction.prune is set, and an output shorter than the "
        "line grows."
    ),
    protects="call arguments, failed outputs, the two newest turns, and what stands before a summary",
    source="session/compaction.ts, sst/opencode 3df4a25506",
    stepper=stepper,
    product=Product(
        "opencode", "opencode", "jsonc", as_json(lambda _: {"compaction": {"prune": True}}), "For opencode.json.",
        {
            "protect": "it is fixed in its source, as 40,000",
            "minimum": "it is fixed in its source, as 20,000",
            "protected_tools": "it is fixed in its source, as skill",
            "after_loop": "it always waits",
        },
    ),
)  # fmt: skip

POLICIES = (POLICY,)
