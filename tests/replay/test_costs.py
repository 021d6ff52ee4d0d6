"""What a run costs, by examples worked out by hand."""

from math import inf

import pytest

import inspector
from inspector.message import Usage
from inspector.replay import PROVIDERS, Head, Paid, Request, Till, output_tokens, price_in, totals
from inspector.tokens import count_bodies, counter_for

PRICE = price_in('[models."*"]\ninput = 10\nread = 1\nwrite = 12.5\noutput = 50', None)
MILLION = 1_000_000


def request(number: int, original: int, sent: int, shared: int, *, first: int = 0, kept: int = 0) -> Request:
    """A request with two messages more than the one before; unbroken where `first` is `kept`."""
    return Request(number, 2 * number + 1, 2 * number + 1, original, sent, shared, first, kept, 0, fired=False)


def pay(provider: str, requests: list[Request], output: list[int] | None = None, **more: object) -> list[Paid]:
    till = Till(PROVIDERS[provider], PRICE, output or [0] * len(requests), **more)  # type: ignore[arg-type]
    return list(till.pay(requests))


def dollars(value: float | None) -> float:
    assert value is not None
    return round(value * MILLION, 6)


def test_a_request_costs_its_fresh_and_its_cached_input_and_its_output() -> None:
    paid = pay("openai", [request(0, 2_000, 2_000, 0), request(1, 3_000, 3_000, 2_000, first=1, kept=1)], [100, 200])
    assert dollars(paid[0].cost) == 2_000 * 10 + 100 * 50
    assert dollars(paid[1].cost) == 1_920 * 1 + 1_080 * 10 + 200 * 50
    assert dollars(paid[1].ideal) == 2_000 * 1 + 1_000 * 10 + 200 * 50


def test_writing_costs_more_where_the_provider_says_so() -> None:
    paid = pay("anthropic", [request(0, 2_000, 2_000, 0), request(1, 3_000, 3_000, 2_000, first=1, kept=1)])
    assert dollars(paid[0].cost) == 2_000 * 12.5
    assert dollars(paid[1].cost) == 2_000 * 1 + 1_000 * 12.5


def test_a_smaller_request_may_cost_more_than_the_whole_record() -> None:
    paid = pay("openai", [request(0, 20_000, 20_000, 0), request(1, 21_000, 15_000, 0, first=0, kept=1)])
    assert dollars(paid[1].cost) == 15_000 * 10
    assert dollars(paid[1].without) == 19_968 * 1 + 1_032 * 10
    assert paid[1].cost > paid[1].without  # type: ignore[operator]


def test_break_even_is_what_the_edit_cost_over_what_each_request_gains() -> None:
    requests = [request(0, 20_480, 20_480, 0), request(1, 20_480, 10_240, 2_048, first=1, kept=3)]
    lost, gain = (10_240 - 2_048) * (10 - 1), 10_240 * 1
    assert pay("openai", requests)[1].break_even == pytest.approx(lost / gain - 1)


def test_an_edit_that_saves_nothing_never_pays_and_one_that_breaks_nothing_has_no_break_even() -> None:
    grown = [request(0, 4_096, 4_096, 0), request(1, 4_096, 4_200, 1_024, first=1, kept=3)]
    assert [one.break_even for one in pay("openai", grown)] == [None, inf]
    kept = [request(0, 4_096, 4_096, 0), request(1, 5_000, 5_000, 4_096, first=3, kept=3)]
    assert [one.break_even for one in pay("openai", kept)] == [None, None]
    assert [one.break_even for one in pay("none", grown)] == [None, None]


def test_a_break_that_the_cache_did_not_know_costs_nothing() -> None:
    small = [request(0, 900, 900, 0), request(1, 900, 500, 100, first=1, kept=3)]
    assert pay("openai", small)[1].break_even == 0


def test_without_a_price_tokens_are_still_told_apart() -> None:
    till = Till(PROVIDERS["openai"], None, [0, 0])
    paid = list(till.pay([request(0, 2_000, 2_000, 0), request(1, 3_000, 3_000, 2_000, first=1, kept=1)]))
    assert [(one.use.cached, one.cost, one.without, one.ideal) for one in paid][1] == (1_920, None, None, None)
    assert totals(paid).cost is None
    assert totals(paid).cached_tokens == 1_920


def test_batches_are_paid_like_the_whole() -> None:
    requests = [request(n, 2_000 * (n + 1), 1_800 * (n + 1), 1_700 * n, first=n, kept=n + n % 2) for n in range(9)]
    till = Till(PROVIDERS["anthropic"], PRICE, [7] * 9, head=Head(1, 1_200))
    parts = [one for start in range(0, 9, 2) for one in till.pay(requests[start : start + 2])]
    assert parts == pay("anthropic", requests, [7] * 9, head=Head(1, 1_200))


def test_totals_add_up() -> None:
    requests = [
        request(0, 20_480, 20_480, 0),
        request(1, 20_480, 10_240, 2_048, first=1, kept=3),
        request(2, 30_000, 19_000, 10_240, first=3, kept=3),
    ]
    paid = pay("openai", requests, [1, 2, 3])
    sums = totals(paid)
    assert (sums.requests, sums.broke, sums.fired) == (3, 1, 0)
    assert (sums.original_tokens, sums.sent_tokens, sums.output_tokens) == (70_960, 49_720, 6)
    assert sums.cached_tokens + sums.fresh_tokens == sums.sent_tokens
    assert sums.cached_tokens == 2_048 + 10_240
    assert sums.cache_hit == pytest.approx(12_288 / 49_720)
    assert sums.max_request_tokens == 20_480
    assert sums.cost == pytest.approx(sum(one.cost or 0 for one in paid))
    assert sums.break_even == paid[1].break_even
    assert sums.paid_back == (1 if (paid[1].break_even or 0) <= 1 else 0)
    assert totals([]).cache_hit == 0


def test_output_is_as_reported_else_counted() -> None:
    messages = [
        {"role": "user", "content": "a"},
        {"role": "assistant", "content": "some words"},
        {"role": "user", "content": "b"},
        {"role": "assistant", "content": "more of these words"},
    ]
    session = inspector.from_messages(messages)
    object.__setattr__(session, "usage", (Usage(1, 10, 0, 77),))
    counter = counter_for(None)
    assert output_tokens(session, counter) == [77, count_bodies(messages[3:], counter)[0]]
