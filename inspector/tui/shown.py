"""What the screen shows: one session under one sent view, with its tokens. Every widget draws a function of this.

No textual here. A `Shown` is made anew at each change of a setting, so whatever is not needed for a frame is made when
asked for; what depends on the session alone is kept by the session's context.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate, compress
from operator import ne

from inspector.change import AS_RECORDED, GONE, Action, Insert, Plan
from inspector.comparison import Apart
from inspector.finding import Severity
from inspector.message import Context, Session, image_count
from inspector.policies.breakage import SAYS, Breakages, breakages, severity_of
from inspector.policies.sent import SentView
from inspector.replay import Calibration
from inspector.tokens import Counter, count_bodies
from inspector.tui.faults import NONE, UNEXAMINED, Faults, Harm, Verdict

ROW_OVERHEAD = 4
"""The least that a message takes, in tokens."""
BEYOND_TEXT = frozenset((Action.DROP_IMAGE, Action.DROP_REASONING, Action.CLEAR_ARGUMENTS))


def rows_with_images(context: Context) -> frozenset[int]:
    """The rows that carry pictures."""
    return frozenset(row for row, body in enumerate(context.messages) if image_count(body))


def _differing(plan: Plan, last: Plan) -> Iterator[int]:
    """The rows that two plans of one context send otherwise, as far as actions and lengths tell."""
    rows = range(len(plan.action))
    longer = compress(rows, map(ne, plan.chars, last.chars))
    if plan.action == last.action:
        return longer
    return iter({*longer, *compress(rows, map(ne, plan.action, last.action))})


@dataclass(frozen=True, eq=False)
class Tokens:
    """Tokens of the original messages. They outlive the sent views that are tried on them, and so do their sums."""

    rows: array[int]
    """One int a message; an estimate from its characters until `counted`."""
    counted: bool
    """Whether this is what the counter says, rather than an estimate that stands in while it counts."""

    last: dict[Counter, tuple[Plan, array[int]]] = field(default_factory=dict, repr=False)
    """The plan that was estimated last, and its rows' tokens as sent: a drag changes few of them."""

    @cached_property
    def sums(self) -> array[int]:
        """Running sums, one longer: any span's tokens are a difference."""
        return array("q", accumulate(self.rows, initial=0))


@dataclass(frozen=True, eq=False)
class Shown:
    """A session, its sent view, and the tokens of both."""

    session: Session
    view: SentView
    counter: Counter
    tokens: Tokens
    window: int
    """The context window that the gauge measures against, in tokens."""
    counted_sent: array[int] | None = None
    """Tokens of each row as sent, once the counter has counted the rewritten texts."""
    verdict: Verdict = UNEXAMINED
    """What the doctor has said so far."""
    new: range = range(0)
    """In the view of a request, the rows that the request before it did not see."""
    calibration: Calibration | None = None
    """How the provider's counts follow from ours, where the tokenizer is not public."""
    other: Shown | None = None
    """The same session under the setup that this one is compared with: B, where this is A."""
    differing: Sequence[int] | None = None
    """The rows that A and B send differently, ascending; None until every text of both is compared."""

    @property
    def before(self) -> array[int]:
        """Tokens of each original message."""
        return self.tokens.rows

    @property
    def counted(self) -> bool:
        """Whether `before` is counted rather than estimated."""
        return self.tokens.counted

    @property
    def sums(self) -> array[int]:
        """Running sums of `before`."""
        return self.tokens.sums

    @property
    def original_tokens(self) -> int:
        """Tokens of the session as recorded, as far as the view reaches: that of a request ends before its answer."""
        return self.sums[len(self.view.plan.action)]

    @cached_property
    def sent_tokens(self) -> int:
        """Tokens of the sent view: counted where that is done (`sent_is_exact`), else estimated."""
        return sum(self.after) + self.insert_tokens

    @property
    def sent_is_exact(self) -> bool:
        """Whether `sent_tokens` is counted rather than estimated."""
        return self.counted_sent is not None

    def fitted(self, tokens: int) -> int:
        """Tokens as the provider would count them, where a calibration says how."""
        return tokens if self.calibration is None else round(tokens * self.calibration.factor)

    @property
    def saved_tokens(self) -> int:
        """What the policy saves; below 0 where the view grew."""
        return self.original_tokens - self.sent_tokens

    @cached_property
    def reached(self) -> array[int]:
        """`before`, with 0 for the rows after the request that is shown."""
        reach = len(self.view.plan.action)
        return self.before[:reach] + array("q", bytes(8 * (len(self.before) - reach)))

    @cached_property
    def after(self) -> array[int]:
        """Tokens of each row as sent; until they are counted, estimated by the share of characters that is left.

        Rows whose size lies in more than their text (pictures, arguments, reasoning) are counted: they are few. Only
        rows that the last view of the same tokens sent otherwise are worked out anew.
        """
        if self.counted_sent is not None:
            return self.counted_sent
        plan, last = self.view.plan, self.tokens.last.get(self.counter)
        rows: Iterable[int]
        if last is None or last[0].context is not plan.context or any(map(plan.action.count, BEYOND_TEXT)):
            after, rows = array("q", self.reached), compress(range(len(plan.action)), plan.action)
        else:
            after, rows = array("q", last[1]), _differing(plan, last[0])
        self._estimate(after, rows)
        self.tokens.last[self.counter] = (plan, after)
        return after

    def _estimate(self, after: array[int], rows: Iterable[int]) -> None:
        plan, before = self.view.plan, self.before
        action, sent, chars = plan.action, plan.chars, plan.context.columns.chars
        pictured = plan.context.derived(rows_with_images)
        counted = []
        for row in rows:
            done = action[row]
            if done in AS_RECORDED:
                after[row] = before[row]
            elif done in GONE:
                after[row] = 0
            elif done in BEYOND_TEXT or row in pictured:
                counted.append(row)
            else:
                after[row] = max(ROW_OVERHEAD, before[row] * sent[row] // (chars[row] or 1))
        bodies = [plan.body(row) or {} for row in counted]
        for row, tokens in zip(counted, count_bodies(bodies, self.counter), strict=True):
            after[row] = tokens

    @cached_property
    def insert_tokens(self) -> int:
        """Tokens of all inserted messages."""
        return sum(count_bodies([insert.body for insert in self.view.plan.inserts], self.counter))

    def row_tokens(self, row: int) -> int:
        """Tokens of one row as sent, counted now: for the rows on screen."""
        action = self.view.plan.action[row]
        if action in AS_RECORDED:
            return self.before[row]
        body = self.view.plan.body(row)
        return 0 if body is None else count_bodies([body], self.counter)[0]

    def tokens_of(self, insert: Insert) -> int:
        """Tokens of an inserted message."""
        return count_bodies([insert.body], self.counter)[0]

    @cached_property
    def breakages(self) -> Breakages:
        """What the policy broke."""
        return breakages(self.view.plan)

    @property
    def recorded(self) -> Faults:
        """What is wrong with the recording, as far as that is known."""
        return self.verdict.recorded or NONE

    @property
    def broken_rows(self) -> Mapping[int, Severity]:
        """Rows at which the policy broke something, each with the worst: by its plan until the doctor has looked."""
        introduced = self.verdict.introduced
        return self._broken_by_plan if introduced is None else introduced.rows

    @cached_property
    def _broken_by_plan(self) -> Mapping[int, Severity]:
        found = {row: set(map(severity_of, kinds)) for row, kinds in self.breakages.rows.items()}
        return {row: "error" if "error" in kinds else "warning" for row, kinds in found.items()}

    @property
    def broken(self) -> int:
        """How many things the policy broke."""
        introduced = self.verdict.introduced
        return self.breakages.total if introduced is None else introduced.serious

    @property
    def worst_broken(self) -> Severity:
        """The worst of what the policy broke; that it broke nothing counts as an error that is not there."""
        found = self.broken_rows.values()
        return "error" if "error" in found or not found else "warning"

    def harm(self, row: int) -> tuple[Harm, ...]:
        """What the policy broke at a row."""
        introduced = self.verdict.introduced
        if introduced is not None:
            return introduced.harm(row)
        return tuple(Harm(severity_of(kind), SAYS[kind]) for kind in self.breakages.rows.get(row, ()))

    @cached_property
    def apart(self) -> Apart | None:
        """Where A and B differ; None where there is no B."""
        return None if self.other is None else Apart(self.view.plan, self.other.view.plan)

    @property
    def differing_rows(self) -> Sequence[int]:
        """The rows that A and B send differently, as far as that is known."""
        sure = self.apart.sure if self.apart is not None else ()
        return sure if self.differing is None else self.differing

    @property
    def is_exact(self) -> bool:
        """Whether the sent tokens are counted, those of the recording too, and as the model counts."""
        return self.counted and self.sent_is_exact and self.counter.exact

    def judged(self, verdict: Verdict) -> Shown:
        """The same with another verdict; what was worked out is kept."""
        other = replace(self, verdict=verdict)
        other.__dict__.update({name: value for name, value in self.__dict__.items() if name in _KEPT})
        return other

    @cached_property
    def inserts_by_anchor(self) -> dict[int, list[Insert]]:
        """The inserts to draw beside each row: those before the first row are drawn beside it."""
        found: dict[int, list[Insert]] = {}
        for insert in self.view.plan.inserts:
            found.setdefault(max(0, insert.anchor), []).append(insert)
        return found

    @cached_property
    def edited_rows(self) -> Sequence[int]:
        """Rows that are changed, gone, or carry an insert, ascending."""
        action = self.view.plan.action
        rows = compress(range(len(action)), action)
        if not self.inserts_by_anchor:
            return array("q", rows)
        return array("q", sorted({*rows, *self.inserts_by_anchor}))

    @property
    def edited(self) -> int:
        """How many rows are changed or gone, and messages put in; what was made up for open calls is `repairs`."""
        return self.view.plan.edits - self.repairs

    @property
    def repairs(self) -> int:
        """How many results the policy made up for calls that have none."""
        return sum(insert.kind == "repair" for insert in self.view.plan.inserts)


_KEPT = frozenset(name for name, made in vars(Shown).items() if isinstance(made, cached_property))
