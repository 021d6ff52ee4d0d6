"""What tokens cost, from the packaged prices and from a table of one's own."""

import subprocess
import sys
from datetime import date

import pytest

from inspector.replay import Price, PriceError, price_in, price_of
from inspector.replay.price import at

TABLE = """
date = 2026-11-01
[models."gpt-5"]
input = 1.25
read = 0.125
output = 10
[models."gpt-5-mini"]
input = 0.25
[models."*"]
input = 2
write = 2.5
write_1h = 5
"""


def rates(price: Price, sent: int = 0, write: str = "") -> list[float]:
    return [round(1e6 * rate, 6) for rate in price.rates(sent, write)]


# --- published prices: the figures below are those of the makers' price pages ---


def test_a_listed_model_has_its_published_price() -> None:
    price = price_of("gpt-5", "openai", date(2026, 11, 1))
    assert price is not None
    assert rates(price) == [1.25, 0.125, 1.25, 10]
    assert price.source.startswith("genai-prices ")
    assert price.source.endswith("prices of 2026-11-01")


def test_claude_pays_a_quarter_more_for_writing_and_twice_for_an_hour() -> None:
    price = price_of("claude-sonnet-4-5-20250929", "anthropic", date(2026, 11, 1))
    assert price is not None
    assert rates(price, 1_000, "5m") == [3, 0.3, 3.75, 15]
    assert rates(price, 1_000, "1h") == [3, 0.3, 6, 15]


def test_a_tier_changes_the_price_of_the_whole_request() -> None:
    assert [at(((0, 3.0), (200_000, 6.0)), tokens) for tokens in (0, 200_000, 200_001)] == [3.0, 3.0, 6.0]


@pytest.mark.parametrize("name", ["anthropic/claude-sonnet-4-5", "litellm_proxy/anthropic/claude-sonnet-4-5-20250929"])
def test_a_routers_prefix_does_not_hide_a_model(name: str) -> None:
    price = price_of(name, "anthropic", date(2026, 11, 1))
    assert price is not None
    assert rates(price)[:2] == [3, 0.3]


@pytest.mark.parametrize("name", [None, "", "no such model", "<synthetic>", "x/"])
def test_an_unlisted_model_has_no_price(name: str | None) -> None:
    assert price_of(name, "anthropic") is None


# --- a table of one's own ---


def test_the_longest_name_counts_and_a_star_is_for_all_others() -> None:
    names = {
        model: price_in(TABLE, model).model for model in ("gpt-5", "gpt-5-mini-2025", "openai/gpt-5-mini", "llama")
    }
    assert names == {
        "gpt-5": "gpt-5", "gpt-5-mini-2025": "gpt-5-mini", "openai/gpt-5-mini": "gpt-5-mini", "llama": "*",
    }  # fmt: skip


def test_what_a_table_leaves_out_costs_as_input_and_output_nothing() -> None:
    assert rates(price_in(TABLE, "gpt-5-mini"), 0, "5m") == [0.25, 0.25, 0.25, 0]
    assert rates(price_in(TABLE, "gpt-5-mini"), 0, "1h")[2] == 0.5
    assert rates(price_in(TABLE, None), 0, "5m") == [2, 2, 2.5, 0]
    assert price_in(TABLE, "gpt-5", "my.toml").source == "my.toml, 2026-11-01"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[models", "'t' is not TOML"),
        ("x = 1", "'t' should have a table"),
        ("models = 1", "'t' should have a table"),
        ('[models."a"]\ninput = 1', "'t' has no price for the model gpt-5, and none for"),
        ('[models."gpt"]\nread = 1', "'t' has no input price for gpt"),
        ('[models."gpt"]\ninput = "1"', "'t' has input = 1 for gpt; it should be dollars"),
        ('[models."gpt"]\ninput = -1', "'t' has input = -1 for gpt"),
        ('[models."gpt"]\ninput = nan', "'t' has input = nan for gpt"),
        ('[models."gpt"]\ninput = true', "'t' has input = True for gpt"),
        ('[models."gpt"]\ninputs = 1', "'t' has a key 'inputs' for gpt; it may have input, read, write"),
    ],
)
def test_a_table_that_cannot_be_used_is_said_in_a_sentence(text: str, says: str) -> None:
    with pytest.raises(PriceError) as refused:
        price_in(text, "gpt-5", "t")
    assert str(refused.value).startswith(says)
    assert "\n" not in str(refused.value)


def test_nothing_is_loaded_for_prices_before_one_is_asked_for() -> None:
    loaded = "import sys, inspector.replay; print(sorted({'genai_prices', 'pydantic', 'httpx2'} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
