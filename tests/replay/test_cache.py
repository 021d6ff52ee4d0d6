"""What each provider's cache knows, by examples worked out by hand from their documentation."""

import pytest

from inspector.replay import PROVIDERS, Cache, Head, Request, provider_for


def request(
    number: int, sent: int, shared: int, *, messages: int = 0, first: int | None = None, kept: int = 0
) -> Request:
    """A request; its answer's row is twice its number."""
    change = kept if first is None else first
    return Request(number, 2 * number, messages, sent, sent, shared, change, kept, 0, fired=False)


def cached(provider: str, requests: list[Request], **more: object) -> list[int]:
    cache = Cache(PROVIDERS[provider], **more)  # type: ignore[arg-type]
    return [use.cached for use in cache.uses(requests)]


def test_openai_knows_prefixes_of_1024_tokens_on_in_steps_of_128() -> None:
    shared = [0, 1_023, 1_024, 1_151, 1_152, 5_000]
    requests = [request(number, 6_000, tokens) for number, tokens in enumerate(shared)]
    assert cached("openai", requests) == [0, 0, 1_024, 1_024, 1_152, 4_992]


def test_openai_writes_for_free_and_from_gpt_5_6_on_at_a_price() -> None:
    requests = [request(0, 2_000, 0), request(1, 2_500, 2_000)]
    free = list(Cache(PROVIDERS["openai"]).uses(requests))
    paid = list(Cache(PROVIDERS["openai-30m"]).uses(requests))
    assert [(use.cached, use.written, use.plain) for use in free] == [(0, 0, 2_000), (1_920, 0, 580)]
    assert [(use.cached, use.written, use.plain) for use in paid] == [(0, 2_000, 0), (1_920, 580, 0)]


def test_deepseek_knows_whole_units_of_64() -> None:
    assert cached("deepseek", [request(0, 500, 0), request(1, 500, 63), request(2, 500, 200)]) == [0, 0, 192]


def test_gemini_pro_wants_longer_prefixes_than_flash() -> None:
    requests = [request(0, 5_000, 0), request(1, 5_000, 2_000)]
    assert cached("gemini", requests, model="gemini-2.5-flash") == [0, 2_000]
    assert cached("gemini", requests, model="gemini-3-pro-preview") == [0, 0]


def test_without_a_cache_everything_is_paid_in_full() -> None:
    uses = list(Cache(PROVIDERS["none"]).uses([request(0, 5_000, 0), request(1, 6_000, 5_000)]))
    assert [(use.cached, use.written, use.plain, use.kept) for use in uses] == [(0, 0, 5_000, 0), (0, 0, 6_000, 0)]


def test_no_more_is_cached_than_the_request_before_sent() -> None:
    assert cached("gemini", [request(0, 1_100, 0), request(1, 5_000, 4_000)]) == [0, 1_100]


# --- anthropic: only what was marked ---


def test_anthropic_reads_the_whole_request_before_where_nothing_changed() -> None:
    requests = [request(0, 2_000, 0, messages=2), request(1, 2_600, 2_000, messages=4, kept=2)]
    uses = list(Cache(PROVIDERS["anthropic"]).uses(requests))
    assert [(use.cached, use.written, use.plain) for use in uses] == [(0, 2_000, 0), (2_000, 600, 0)]


def test_anthropic_falls_back_to_an_earlier_end_that_still_stands() -> None:
    requests = [
        request(0, 2_000, 0, messages=2),
        request(1, 2_600, 2_000, messages=4, kept=2),
        request(2, 3_000, 2_300, messages=6, kept=4, first=3),  # a change inside what request 1 added
    ]
    assert cached("anthropic", requests) == [0, 2_000, 2_000]


def test_anthropic_falls_back_to_the_system_prompt_where_no_end_stands() -> None:
    requests = [request(0, 4_000, 0, messages=3), request(1, 4_000, 3_000, messages=5, kept=3, first=2)]
    assert cached("anthropic", requests, head=Head(1, 1_500)) == [0, 1_500]
    assert cached("anthropic", requests, head=Head(1, 900)) == [0, 0]  # shorter than what is cached
    assert cached("anthropic", requests, head=Head(3, 1_500)) == [0, 0]  # changed itself


def test_anthropic_looks_20_messages_back() -> None:
    first = request(0, 2_000, 0, messages=2)
    assert cached("anthropic", [first, request(1, 9_000, 2_000, messages=22, kept=2)]) == [0, 2_000]
    assert cached("anthropic", [first, request(1, 9_000, 2_000, messages=23, kept=2)]) == [0, 0]


def test_anthropic_neither_writes_nor_reads_below_its_minimum() -> None:
    requests = [request(0, 1_000, 0, messages=2), request(1, 1_020, 1_000, messages=4, kept=2)]
    uses = list(Cache(PROVIDERS["anthropic"], "claude-sonnet-4-5").uses(requests))
    assert [(use.cached, use.written, use.plain) for use in uses] == [(0, 0, 1_000), (0, 0, 1_020)]
    larger = [request(0, 4_000, 0, messages=2), request(1, 4_095, 4_000, messages=4, kept=2)]
    assert cached("anthropic", larger, model="claude-opus-4-5") == [0, 0]
    assert cached("anthropic", larger, model="claude-sonnet-4-5") == [0, 4_000]


# --- lifetimes ---


@pytest.mark.parametrize(
    ("provider", "gap", "known"),
    [
        ("openai", 600, True), ("openai", 601, False), ("openai-24h", 86_000, True), ("anthropic", 300, True),
        ("anthropic", 301, False), ("anthropic-1h", 3_600, True), ("anthropic-1h", 3_601, False),
        ("openai-30m", 1_800, True), ("openai-30m", 1_801, False),
    ],
)  # fmt: skip
def test_an_entry_lives_as_long_as_the_provider_says(provider: str, gap: float, known: bool) -> None:
    times = [float("nan")] * 5
    times[2], times[4] = 1_000.0, 1_000.0 + gap
    requests = [request(1, 2_048, 0, messages=2), request(2, 3_000, 2_048, messages=4, kept=2)]
    assert cached(provider, requests, times=times)[1] == (2_048 if known else 0)


def test_every_use_refreshes_it() -> None:
    times = [0.0, 0.0, 250.0, 0.0, 500.0]
    requests = [
        request(0, 2_000, 0, messages=2),
        request(1, 3_000, 2_000, messages=4, kept=2),
        request(2, 4_000, 3_000, messages=6, kept=4),
    ]
    assert cached("anthropic", requests, times=times) == [0, 2_000, 3_000]


def test_a_request_whose_time_is_unknown_is_taken_to_find_it_warm() -> None:
    times = [0.0, 0.0, float("nan"), 0.0, 10_000.0]
    requests = [
        request(0, 2_000, 0, messages=2),
        request(1, 3_000, 2_000, messages=4, kept=2),
        request(2, 4_000, 3_000, messages=6, kept=4),
    ]
    assert cached("anthropic", requests, times=times) == [0, 2_000, 0]


@pytest.mark.parametrize(
    ("model", "provider"),
    [
        ("claude-opus-4-5", "anthropic"), ("anthropic/claude-3-5-haiku", "anthropic"), ("gpt-5", "openai"),
        ("openai/o3", "openai"), ("gpt-5.6-sol", "openai-30m"), ("gpt-5.5", "openai"), ("gemini-2.5-pro", "gemini"),
        ("deepseek-chat", "deepseek"), ("llama3", "none"), (None, "none"),
    ],
)  # fmt: skip
def test_a_models_name_suggests_its_provider(model: str | None, provider: str) -> None:
    assert provider_for(model).name == provider
