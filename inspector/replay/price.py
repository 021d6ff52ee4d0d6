"""What tokens cost: prices of the packaged data of genai-prices, or of a table of one's own.

genai-prices (MIT) lists the published prices of some thousand models, with the dates from which they hold. Only its
data is used, never its updates over the network; it is imported at the first question, since that takes 0.3 s.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Any, TypeAlias

MILLION = 1_000_000
READ_SHARE, WRITE_SHARE, HOUR_SHARE = 1.0, 1.0, 2.0
"""Of the input price, where a price is not listed: reading and writing as input, writing for an hour twice that."""

Rate: TypeAlias = "tuple[tuple[int, float], ...]"
"""(above this many input tokens, price of a million): crossing a tier changes the price of all tokens of a request."""

_GENAI_PROVIDERS: Mapping[str, str] = {
    "openai": "openai", "openai-24h": "openai", "openai-30m": "openai", "anthropic": "anthropic",
    "anthropic-1h": "anthropic", "deepseek": "deepseek", "gemini": "google",
}  # fmt: skip


class PriceError(ValueError):
    """A price table that cannot be used; says in one sentence why."""


@dataclass(frozen=True, slots=True)
class Price:
    """What a model costs, in dollars for a million tokens."""

    model: str
    """The name under which it was found."""
    source: str
    """Where the figures are from, with the day on which they hold."""
    input: Rate
    read: Rate
    write: Rate
    write_1h: Rate
    output: Rate

    def rates(self, sent: int, write: str = "") -> tuple[float, float, float, float]:
        """Prices of one token each, for a request of so many input tokens: fresh, read, written, output.

        `write` names how prefixes are written: "5m", "1h", or nothing.
        """
        written = self.write_1h if write == "1h" else self.write if write else self.input
        fresh, read, wrote, made = (at(rate, sent) / MILLION for rate in (self.input, self.read, written, self.output))
        return fresh, read, wrote, made


def at(rate: Rate, tokens: int) -> float:
    """The price of a million tokens in a request of so many input tokens."""
    price = 0.0
    for start, step in rate:
        if tokens > start or not start:
            price = step
    return price


def price_of(model: str | None, provider: str = "", day: date | None = None) -> Price | None:
    """The published price of a model; None where it is not listed, or the package is not installed.

    Args:
        model: its name, as a recording has it.
        provider: a name of `inspector.replay.cache.PROVIDERS`, which decides between sellers.
        day: the day whose prices count; the latest known by default.
    """
    if not model:
        return None
    try:
        from genai_prices import data_snapshot
    except ImportError:
        return None
    snapshot = data_snapshot.get_snapshot()
    for name in dict.fromkeys((model, model.rsplit("/", 1)[-1])):
        for seller in dict.fromkeys((_GENAI_PROVIDERS.get(provider), None)):
            try:
                _, found = snapshot.find_provider_model(name, None, seller, None)
            except LookupError:
                continue
            return _listed(found, day)
    return None


def _listed(found: Any, day: date | None) -> Price | None:
    prices = found.get_prices(datetime.combine(day or date.max, time(12), UTC))
    fresh = _rate(prices.input_mtok)
    if fresh is None:
        return None
    from genai_prices import __version__

    when = f"prices of {day.isoformat()}" if day else "the latest prices"
    return _completed(
        found.id, f"genai-prices {__version__}, {when}", fresh, _rate(prices.cache_read_mtok),
        _rate(prices.cache_write_mtok), _rate(prices.cache_write_1h_mtok), _rate(prices.output_mtok),
    )  # fmt: skip


def _rate(price: Any) -> Rate | None:
    if price is None:
        return None
    if hasattr(price, "tiers"):
        return ((0, float(price.base)), *((tier.start, float(tier.price)) for tier in price.tiers))
    return ((0, float(price)),)


def _completed(
    model: str, source: str, fresh: Rate, read: Rate | None, write: Rate | None, hour: Rate | None, output: Rate | None
) -> Price:
    def share(part: float) -> Rate:
        return tuple((start, price * part) for start, price in fresh)

    return Price(
        model, source, fresh, read or share(READ_SHARE), write or share(WRITE_SHARE), hour or share(HOUR_SHARE),
        output or ((0, 0.0),),
    )  # fmt: skip


def price_in(text: str, model: str | None, name: str = "the price table") -> Price:
    """The price of a model in a table of one's own, which is TOML.

    `date = 2026-11-01`, then for each model `[models."gpt-5"]` with `input`, and where they differ from it `read`,
    `write`, `write_1h` and `output`, in dollars for a million tokens. The longest name that the model's begins with
    counts; a table `[models."*"]` is for all others.

    Raises `PriceError` with one sentence.
    """
    try:
        document = tomllib.loads(text)
    except (ValueError, RecursionError) as fault:
        raise PriceError(f"{name!r} is not TOML: {str(fault).partition(chr(10))[0][:200]}") from None
    models = document.get("models")
    if not isinstance(models, dict) or not all(isinstance(entry, dict) for entry in models.values()):
        raise PriceError(f'{name!r} should have a table [models."NAME"] for each model')
    wanted = (model or "").lower()
    spellings = (wanted, wanted.rsplit("/", 1)[-1])
    names = [key for key in models if any(spelling.startswith(key.lower()) for spelling in spellings)]
    chosen = max(names, key=len, default="*")
    if chosen not in models:
        raise PriceError(f'{name!r} has no price for the model {model or "(none is recorded)"}, and none for "*"')
    day = document.get("date")
    when = f", {day}" if isinstance(day, date | str) else ""
    return _own(chosen, f"{name}{when}", models[chosen], name)


_OWN_KEYS = ("input", "read", "write", "write_1h", "output")


def _own(model: str, source: str, entry: Mapping[str, Any], name: str) -> Price:
    for key, value in entry.items():
        if key not in _OWN_KEYS:
            raise PriceError(f"{name!r} has a key {key[:60]!r} for {model}; it may have {', '.join(_OWN_KEYS)}")
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e9:
            raise PriceError(f"{name!r} has {key} = {str(value)[:40]} for {model}; it should be dollars for a million")
    if "input" not in entry:
        raise PriceError(f"{name!r} has no input price for {model}")
    rates = {key: ((0, float(entry[key])),) for key in _OWN_KEYS if key in entry}
    return _completed(model, source, rates["input"], *(rates.get(key) for key in _OWN_KEYS[1:]))
