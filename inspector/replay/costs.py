"""What a run costs: with the policy, without it, and with a cache that forgets nothing."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import NamedTuple

from inspector.message import Context, Session
from inspector.replay.cache import Cache, Provider, Use
from inspector.replay.engine import NO_HEAD, Head, Request
from inspector.replay.price import Price
from inspector.replay.requests import answers_of
from inspector.tokens import Counter, count_bodies


class Paid(NamedTuple):
    """One request with what is paid for it; costs are None where no price is known."""

    request: Request
    use: Use
    output_tokens: int
    cost: float | None
    without: float | None
    """What it would have cost without the policy."""
    ideal: float | None
    """What it would have cost with the policy, had the cache known everything that it began with."""
    break_even: float | None
    """Where it broke the prefix: how many further requests it takes until the edit has paid for that; infinite where it
    never does. None where it broke nothing, or no price is known."""


@dataclass
class Till:
    """Reckons request after request; ask it again with the next batch."""

    provider: Provider
    price: Price | None
    output: Sequence[int]
    """Output tokens of each request (`output_tokens`)."""
    model: str | None = None
    head: Head = NO_HEAD
    times: Sequence[float] = ()
    _saved: int = 0
    _original: int = 0
    _messages: int = 0
    _caches: tuple[Cache, Cache] = field(init=False)

    def __post_init__(self) -> None:
        made = [Cache(self.provider, self.model, self.head, self.times) for _ in range(2)]
        self._caches = (made[0], made[1])

    def pay(self, requests: Iterable[Request]) -> Iterator[Paid]:
        """What is paid for each request; they must come in order."""
        return map(self._pay, requests)

    def _pay(self, request: Request) -> Paid:
        with_policy, without = self._caches
        use = next(with_policy.uses((request,)))
        plain = self._unedited(request)
        other = next(without.uses((plain,)))
        made = self.output[request.request] if request.request < len(self.output) else 0
        newly_saved, self._saved = request.saved_tokens - self._saved, request.saved_tokens
        return Paid(
            request, use, made,
            self._cost(use, request.sent_tokens, made),
            self._cost(other, plain.sent_tokens, made),
            self._ideal(request, made),
            self._break_even(request, use, newly_saved),
        )  # fmt: skip

    def _unedited(self, request: Request) -> Request:
        """The same request as recorded: nothing before it ever changes."""
        before, self._original = self._original, request.original_tokens
        kept, self._messages = self._messages, request.answer
        return request._replace(
            messages=request.answer, sent_tokens=request.original_tokens, shared_tokens=before,
            first_change=kept, kept=kept,
        )  # fmt: skip

    def _cost(self, use: Use, sent: int, made: int) -> float | None:
        if self.price is None:
            return None
        fresh, read, wrote, output = self.price.rates(sent, self.provider.write)
        return use.plain * fresh + use.cached * read + use.written * wrote + made * output

    def _ideal(self, request: Request, made: int) -> float | None:
        if self.price is None:
            return None
        fresh, read, _, output = self.price.rates(request.sent_tokens)
        return request.fresh_tokens * fresh + request.shared_tokens * read + made * output

    def _break_even(self, request: Request, use: Use, newly_saved: int) -> float | None:
        """The prefix that was lost is paid fresh once; what the edit took away is no longer read by this request and
        by those that follow."""
        if self.price is None or not request.broke or not self.provider.caches:
            return None
        fresh, read, wrote, _ = self.price.rates(request.sent_tokens, self.provider.write)
        lost = max(0, min(use.kept, request.sent_tokens) - use.cached)
        loss = lost * ((wrote if use.written else fresh) - read)
        gain = newly_saved * read
        if loss <= 0:
            return 0.0
        return max(0.0, loss / gain - 1) if gain > 0 else float("inf")


def output_tokens(context: Context, counter: Counter) -> list[int]:
    """The output of each request: as the provider reported it, else our count of the answer's rows."""
    answers = context.derived(answers_of)
    usage = context.usage if isinstance(context, Session) else ()
    reported: dict[int, int] = {}
    for one in usage:
        request = bisect_right(answers, one.row) - 1
        reported[request] = reported.get(request, 0) + one.output
    left = [request for request in range(len(answers)) if not reported.get(request)]
    counted = dict(zip(left, count_bodies([context.messages[answers[at]] for at in left], counter), strict=True))
    return [reported.get(request) or counted[request] for request in range(len(answers))]


@dataclass(frozen=True, slots=True)
class Totals:
    """A whole run in figures; costs are None where no price is known."""

    requests: int = 0
    fired: int = 0
    """Requests for which the policy changed something."""
    broke: int = 0
    """Requests that changed what the one before had sent."""
    original_tokens: int = 0
    sent_tokens: int = 0
    shared_tokens: int = 0
    cached_tokens: int = 0
    fresh_tokens: int = 0
    written_tokens: int = 0
    output_tokens: int = 0
    max_request_tokens: int = 0
    cost: float | None = None
    cost_without: float | None = None
    cost_ideal: float | None = None
    break_even: float | None = None
    """The median over the requests that broke the prefix; infinite where most never pay."""
    paid_back: int = 0
    """Breaks whose edit had paid for itself before the run ended."""

    @property
    def cache_hit(self) -> float:
        """The share of the input that was read from the cache."""
        return self.cached_tokens / self.sent_tokens if self.sent_tokens else 0.0


def totals(paid: Sequence[Paid], requests: int | None = None) -> Totals:
    """The sums over a run, or over as much of it as there is; `requests` is how many it has in all."""
    if not paid:
        return Totals()
    last = (requests or len(paid)) - 1
    breaks = [one for one in paid if one.break_even is not None]
    counts = [one.break_even for one in breaks if one.break_even is not None]
    return Totals(
        requests=len(paid),
        fired=sum(one.request.fired for one in paid),
        broke=sum(one.request.broke for one in paid),
        original_tokens=sum(one.request.original_tokens for one in paid),
        sent_tokens=sum(one.request.sent_tokens for one in paid),
        shared_tokens=sum(one.request.shared_tokens for one in paid),
        cached_tokens=sum(one.use.cached for one in paid),
        fresh_tokens=sum(one.use.fresh for one in paid),
        written_tokens=sum(one.use.written for one in paid),
        output_tokens=sum(one.output_tokens for one in paid),
        max_request_tokens=max(one.request.sent_tokens for one in paid),
        cost=_sum([one.cost for one in paid]),
        cost_without=_sum([one.without for one in paid]),
        cost_ideal=_sum([one.ideal for one in paid]),
        break_even=median(counts) if counts else None,
        paid_back=sum(one.request.request + (one.break_even or 0.0) <= last for one in breaks),
    )


def _sum(costs: Sequence[float | None]) -> float | None:
    known = [cost for cost in costs if cost is not None]
    return sum(known) if len(known) == len(costs) else None
