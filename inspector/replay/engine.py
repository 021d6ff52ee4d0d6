"""A session request by request: what a policy would have sent each time, and how much of it was sent before.

Views are never built one by one. A stepper turns each into the next and writes down the changes; only these are
counted, many at a time. Results come in batches, small ones first, so that an application can draw what is there,
and drop the rest when a setting changes.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

from inspector.message import DEVELOPER, SYSTEM, Body, Context
from inspector.policies.policy import Mode, Policy, Settings
from inspector.policies.transcript import MADE, Done, Op, Stepper
from inspector.replay.plain import plain_stepper
from inspector.replay.prefix import Pair, Prefix, Weighed
from inspector.replay.requests import answers_of
from inspector.tokens import Counter, count_bodies, counter_for, shared_tokens

FIRST_BATCH = 32
LARGEST_BATCH = 2_048


class Head(NamedTuple):
    """The beginning of a request."""

    messages: int
    tokens: int


NO_HEAD = Head(0, 0)


class Request(NamedTuple):
    """One request of a run, in tokens. The tool definitions count in each, where the session has recorded them."""

    request: int
    """From 0."""
    answer: int
    """The row of the message that answers it."""
    messages: int
    """How many are sent."""
    original_tokens: int
    """Of everything recorded before the answer."""
    sent_tokens: int
    shared_tokens: int
    """Of what the request begins with like the one before it, up to the first character that differs."""
    first_change: int
    """The place in the sent list of the first message that differs from the request before; where none does, the
    first that is new."""
    kept: int
    """How many messages the request before had."""
    edits: int
    """Changes that the policy made for it: all of them where it is stateless, the new ones where it is carried."""
    fired: bool
    """Whether the policy's plan changed anything."""

    @property
    def fresh_tokens(self) -> int:
        """What the request before did not begin with."""
        return self.sent_tokens - self.shared_tokens

    @property
    def saved_tokens(self) -> int:
        """Below 0 where the sent view is the larger."""
        return self.original_tokens - self.sent_tokens

    @property
    def broke(self) -> bool:
        """Whether it changed something that the request before had sent, and with it the provider's prefix cache."""
        return self.first_change < self.kept


def replay(
    context: Context,
    policy: Policy,
    settings: Settings,
    counter: Counter | None = None,
    *,
    mode: Mode | None = None,
    tokens: Sequence[int] | None = None,
    plain: bool = False,
) -> Iterator[list[Request]]:
    """Every request of a session under a policy, in batches of growing size.

    Args:
        context: a session, or any context; a session's tool definitions count.
        policy: the policy.
        settings: its parameters; those left out have their defaults, the ones that apply only where given too.
        counter: what counts the tokens; the model's own by default.
        mode: "stateless" or "carried"; the policy's own by default.
        tokens: the tokens of every row, where they are known already.
        plain: make a plan for every request even where the policy has a fast stepper.

    Raises:
        SettingError: with one sentence.
    """
    full = policy.running(settings)
    counted = _Counted(context, counter or counter_for(getattr(context, "model", None)), tokens)
    stepper = stepper_for(context, policy, full, mode or policy.mode, plain=plain)
    return _batches(context.derived(answers_of), stepper, counted)


def stepper_for(context: Context, policy: Policy, settings: Settings, mode: Mode, *, plain: bool = False) -> Stepper:
    """What makes the views of a run: the policy's own stepper where it has one for the mode, else the plain loop."""
    fast = policy.stepper(context, settings, mode) if policy.stepper and not plain else None
    return fast or plain_stepper(context, policy, settings, mode)


def head_of(context: Context, counter: Counter) -> Head:
    """What every request begins with: tool definitions and the system messages that the recording begins with."""
    rows = next((row for row, role in enumerate(context.columns.role) if role not in (SYSTEM, DEVELOPER)), 0)
    return Head(rows, fixed_tokens(context, counter) + sum(count_bodies(context.messages[:rows], counter)))


def _batches(answers: Sequence[int], stepper: Stepper, counted: _Counted) -> Iterator[list[Request]]:
    """Counting lets go of the interpreter, so that one batch is counted while the next is stepped through."""
    prefix = Prefix()

    def made(batch: range) -> list[_Made]:
        return [_Made(at, answers[at], stepper.step(answers[at]), stepper.transcript.take_ops()) for at in batch]

    first, *rest = _ranges(len(answers)) or [range(0)]
    if first:
        yield _weighed(made(first), prefix, counted)
    if not rest:
        return
    from concurrent.futures import ThreadPoolExecutor

    pool = ThreadPoolExecutor(1, "replay")
    try:
        waiting = pool.submit(_weighed, made(rest[0]), prefix, counted)
        for batch in rest[1:]:
            following = made(batch)
            yield waiting.result()
            waiting = pool.submit(_weighed, following, prefix, counted)
        yield waiting.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _ranges(count: int) -> list[range]:
    """Batches that double in size up to the largest."""
    found, start, size = [], 0, FIRST_BATCH
    while start < count:
        found.append(range(start, min(start + size, count)))
        start, size = found[-1].stop, min(2 * size, LARGEST_BATCH)
    return found


class _Made(NamedTuple):
    request: int
    answer: int
    done: Done
    ops: list[Op]


class _Counted:
    """The tokens of the recording, counted as far as a run has come."""

    def __init__(self, context: Context, counter: Counter, tokens: Sequence[int] | None) -> None:
        self.counter = counter
        self.fixed = fixed_tokens(context, counter)
        self._context = context
        self._rows = array("q") if tokens is None else array("q", tokens)
        self._sums = array("q", accumulate(self._rows, initial=0))

    def reach(self, stop: int) -> None:
        """Count the rows up to `stop`."""
        start = len(self._rows)
        if start < stop:
            more = count_bodies(self._context.messages[start:stop], self.counter)
            self._rows += more
            self._sums += array("q", list(accumulate(more, initial=self._sums[-1]))[1:])

    def before(self, row: int) -> int:
        """Tokens of the rows before one, tool definitions included."""
        return self._sums[row] + self.fixed

    def of(self, op: Op, made: Iterator[int]) -> Sequence[int]:
        """The tokens of an op's bodies; those that are not as recorded come from `made`, in order."""
        if isinstance(op.rows, range):
            return self._rows[op.rows.start : op.rows.stop]
        return [next(made) if row == MADE else self._rows[row] for row in op.rows]


def fixed_tokens(context: Context, counter: Counter) -> int:
    """What every request holds before its messages: the tool definitions, as compact JSON, where they are recorded."""
    tools: Sequence[Any] = getattr(context, "tools", ())
    return sum(count_bodies([{"content": tool} for tool in tools], counter)) - 3 * len(tools)


def _weighed(made: Sequence[_Made], prefix: Prefix, counted: _Counted) -> list[Request]:
    counted.reach(made[-1].answer)
    bodies = [body for one in made for op in one.ops for body in _not_recorded(op)]
    counts = iter(count_bodies(bodies, counted.counter))
    weighed: list[Weighed] = []
    for one in made:
        for op in one.ops:
            prefix.apply(op, counted.of(op, counts))
        weighed.append(prefix.close())
    pairs: list[Pair] = [view.parted for view in weighed if view.parted is not None]
    alike = iter(shared_tokens(pairs, counted.counter))
    requests = []
    for one, view in zip(made, weighed, strict=True):
        part = min(next(alike), view.now) if view.parted is not None else 0
        requests.append(_request(one, view, part, counted))
    return requests


def _not_recorded(op: Op) -> Iterator[Body]:
    if isinstance(op.rows, range):
        return iter(())
    return (body for body, row in zip(op.bodies, op.rows, strict=True) if row == MADE)


def _request(one: _Made, view: Weighed, part: int, counted: _Counted) -> Request:
    fixed = counted.fixed
    return Request(
        request=one.request,
        answer=one.answer,
        messages=view.messages,
        original_tokens=counted.before(one.answer),
        sent_tokens=view.tokens + fixed,
        shared_tokens=view.whole + part + fixed if one.request else 0,
        first_change=view.first_change,
        kept=view.before,
        edits=one.done.edits,
        fired=one.done.fired,
    )
