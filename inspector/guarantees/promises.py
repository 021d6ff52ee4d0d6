"""What a compaction policy may be trusted with: each promise, and whether one sent view keeps it.

A promise is about what the policy did: what was wrong with the recording already counts against nobody.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import TypeAlias

from inspector.change import AS_RECORDED, GONE, Action
from inspector.guarantees.tails import tail_rows
from inspector.guarantees.targets import target_of
from inspector.message import ASSISTANT, USER, Body, calls_of, same, text_of
from inspector.pairs import pairs_of
from inspector.policies.breakage import SAYS, Breakage, breakages, first_rows
from inspector.policies.policy import Policy
from inspector.policies.sent import SentView
from inspector.tokens import count_bodies, parts

NOWHERE = -1
"""In `Broken.row`: the view as a whole, and no one message."""


@dataclass(frozen=True, slots=True)
class Broken:
    """Where a view breaks a promise."""

    row: int
    """Row of the context that the view was made of; `NOWHERE`: of no one message."""
    says: str
    """What happened there, in words."""


@dataclass(frozen=True, slots=True)
class Promise:
    """One thing that a policy keeps or breaks."""

    name: str
    """For scripts."""
    label: str
    """For people."""
    help: str
    """What it means, in one sentence."""


PROMISES: tuple[Promise, ...] = (
    Promise("pairs", "pairs whole", "no call is parted from its result that went in with it"),
    Promise("system", "system prompt kept", "the first system message is sent, its text whole"),
    Promise("first-user", "first user message kept", "the first user message is sent, its text whole"),
    Promise("last-user", "last user message kept", "the last user message is sent, its text whole"),
    Promise("arguments", "call arguments untouched", "calls that are sent have their arguments as recorded"),
    Promise("messages", "number of messages kept", "as many messages are sent as went in"),
    Promise("results", "no result grows", "no tool result is longer than it was"),
    Promise("smaller", "never larger than before", "what is sent has no more tokens than what went in"),
    Promise("target", "target reached", "what is sent is within the target, as the policy itself counts"),
    Promise("twice", "unchanged by a second run", "the policy's own output, given to it again, stays as it is"),
    Promise("tail", "no edit in the recent tail", "what a parameter protects at the end is sent as recorded"),
)
"""Every promise, in the order in which it is shown."""

Verdicts: TypeAlias = "dict[str, Broken | None]"
"""Names of promises to where they are broken; None: kept. Promises that a policy does not make are not in it."""


def promise_named(name: str) -> Promise:
    """The promise of that name. Raises `LookupError` with one sentence."""
    for promise in PROMISES:
        if promise.name == name:
            return promise
    raise LookupError(f"there is no promise {name[:60]!r}; there are {', '.join(one.name for one in PROMISES)}")


def check(view: SentView, policy: Policy, *, tokens: Sequence[int] | None = None) -> Verdicts:
    """Every promise that the policy makes, on one view.

    Costs about as much as making the view twice, where it changes anything.

    Args:
        view: what is sent; its settings are full ones.
        policy: the policy that made it.
        tokens: the tokens of every row of the view's context, by the view's own counter, where they are known.
    """
    found: Verdicts = {promise.name: None for promise in PROMISES}
    tail, target = tail_rows(view, policy), target_of(view, policy)
    if view.plan.fired:
        broken = _broken(view)
        found.update({name: broken.get(name) for name in ("pairs", "results")})
        found.update({name: look(view) for name, look in _LOOKS.items()})
        found["smaller"] = _larger(view, tokens)
        found["twice"] = _again(view, policy)
        found["tail"] = _edited(view, policy, tail) if tail is not None else None
    if target is None:
        del found["target"]
    elif target.missed:
        found["target"] = Broken(target.row, target.says)
    if tail is None:
        del found["tail"]
    return found


_BREAKS = {Breakage.ORPHAN: "pairs", Breakage.DANGLING: "pairs", Breakage.GREW: "results"}


def _broken(view: SentView) -> dict[str, Broken]:
    """The first breakage of each kind that breaks a promise by itself."""
    found: dict[str, Broken] = {}
    for row, kinds in breakages(view.plan).rows.items():
        for kind in kinds:
            if kind in _BREAKS:
                found.setdefault(_BREAKS[kind], Broken(row, SAYS[kind]))
    if "pairs" not in found and (before := _result_first(view)) is not None:
        found["pairs"] = before
    return found


def _result_first(view: SentView) -> Broken | None:
    """A result that a change of order puts before its call."""
    if view.plan.order is None:
        return None
    place = {row: at for at, row in enumerate(view.source) if row >= 0}
    for call, _, result in view.plan.context.derived(pairs_of).pairs:
        if call in place and result in place and place[result] < place[call]:
            return Broken(result, "this result is sent before its call")
    return None


def _system(view: SentView) -> Broken | None:
    return _lost(view, view.plan.context.derived(first_rows)[0], "the system prompt")


def _first_user(view: SentView) -> Broken | None:
    return _lost(view, view.plan.context.derived(first_rows)[1], "the first user message, often the task,")


def _last_user(view: SentView) -> Broken | None:
    return _lost(view, view.plan.context.columns.role.rfind(USER), "the last user message")


def _lost(view: SentView, row: int, what: str) -> Broken | None:
    """Whether a message's text is not sent whole, neither in its place nor by an insert in its role."""
    if row < 0 or view.plan.action[row] in AS_RECORDED:
        return None
    recorded, sent = view.plan.context.messages[row], view.plan.body(row)
    bodies = [insert.body for insert in view.plan.inserts if insert.body.get("role") == recorded.get("role")]
    if any(text_of(recorded) in text_of(body) for body in ([*bodies, sent] if sent is not None else bodies)):
        return None
    return Broken(row, f"{what} is not sent" if sent is None else f"{what} is not sent whole")


def _arguments(view: SentView) -> Broken | None:
    plan = view.plan
    for row in compress(range(len(plan.action)), plan.action):
        if plan.context.columns.role[row] != ASSISTANT or plan.action[row] in (*AS_RECORDED, *GONE):
            continue
        recorded, sent = (
            Counter(call.arguments for call in calls_of(body)) for body in (plan.context.messages[row], plan.write(row))
        )
        if sent - recorded:
            return Broken(row, "the arguments of a call are not sent as recorded")
    return None


def _messages(view: SentView) -> Broken | None:
    before, after = len(view.plan.action), len(view.source)
    if before == after:
        return None
    gone = next((row for row, action in enumerate(view.plan.action) if action in GONE), NOWHERE)
    return Broken(gone, f"{before:,} went in, and {after:,} {'is' if after == 1 else 'are'} sent")


_LOOKS: Mapping[str, Callable[[SentView], Broken | None]] = {
    "system": _system,
    "first-user": _first_user,
    "last-user": _last_user,
    "arguments": _arguments,
    "messages": _messages,
}


def _larger(view: SentView, tokens: Sequence[int] | None) -> Broken | None:
    """Only what is changed is counted, and not even that where it has fewer bytes than what it replaces has tokens."""
    if tokens is None:
        before, after = view.tokens["original"], view.tokens["sent"]
    else:
        plan = view.plan
        changed = [row for row in compress(range(len(plan.action)), plan.action) if plan.action[row] != Action.MOVE]
        made = [plan.write(row) for row in changed if plan.action[row] not in GONE]
        made += [insert.body for insert in plan.inserts]
        before = sum(tokens[row] for row in changed)
        if sum(map(_most_tokens, made)) <= before:
            return None
        after = sum(count_bodies(made, view.counter))
    if after <= before:
        return None
    return Broken(NOWHERE, f"what is sent has {after - before:,} tokens more than what went in")


def _most_tokens(body: Body) -> int:
    """No encoding makes more tokens than there are bytes."""
    texts, besides = parts(body)
    return besides + sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)


def _again(view: SentView, policy: Policy) -> Broken | None:
    """What a second run over the sent messages changes."""
    settings = policy.within_run(view.settings) if policy.mode == "carried" else view.settings
    plan = policy.plan(view.context, settings)
    if not plan.fired:
        return None
    first, second = view.messages, SentView(plan, policy.name, settings, view.counting).messages
    place = next((at for at, pair in enumerate(zip(first, second, strict=False)) if not same(*pair)), -1)
    if place < 0 and len(first) == len(second):
        return None
    if place < 0:
        place = min(len(first), len(second)) - 1
    row = view.source[place] if place >= 0 else NOWHERE
    return Broken(row, f"a second run over what is sent changes it again, from message {max(0, place):,} on")


def _edited(view: SentView, policy: Policy, rows: Sequence[int]) -> Broken | None:
    plan = view.plan
    for row in rows:
        action = plan.action[row]
        if action not in AS_RECORDED and not _as_entered(view, policy, row):
            name = Action(action).name.lower().replace("_", " ")
            return Broken(row, f"a message that should be left alone at the end is changed ({name})")
    return None


def _as_entered(view: SentView, policy: Policy, row: int) -> bool:
    """Whether a row is sent in the form in which any message of its kind enters the list: that is no later edit."""
    entered = policy.enter(view.plan.context.messages[row], view.settings) if policy.enter else None
    return entered is not None and entered.body == view.plan.body(row)
