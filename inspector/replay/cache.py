"""What a provider's prefix cache knows of each request.

Every rule here is the provider's own documentation, as of November 2026, and each is a model: routing between machines,
eviction under load and `prompt_cache_key` are beyond a recording.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan
from types import MappingProxyType
from typing import NamedTuple

from inspector.replay.engine import NO_HEAD, Head, Request

LOOKBACK = 20
"""How far before a breakpoint Anthropic looks for an earlier entry, in content blocks (docs, "Prompt caching"); here a
message is taken for a block."""


@dataclass(frozen=True, slots=True)
class Provider:
    """How one provider caches."""

    name: str
    title: str
    help: str
    minimum: int = 0
    """Shorter prefixes are not cached."""
    minima: tuple[tuple[str, int], ...] = ()
    """(pattern of the model's name, minimum) where models differ; the first that is found wins."""
    step: int = 1
    """Hits are whole multiples of this."""
    lifetime: float | None = None
    """Seconds without use after which an entry is gone; None: longer than any session."""
    breakpoints: bool = False
    """Whether only prefixes that an earlier request marked are known; each request is taken to mark the end of its
    system prompt and its own end."""
    write: str = ""
    """The price at which new prefixes are written: "5m" or "1h"; empty: at that of fresh input."""
    caches: bool = True

    def minimum_for(self, model: str | None) -> int:
        """The shortest prefix that is cached for a model."""
        name = (model or "").lower()
        return next((least for pattern, least in self.minima if re.search(pattern, name)), self.minimum)


_CLAUDE = ((r"opus-4[-.][5-9]|haiku-4[-.]5|mythos", 4_096), (r"haiku-3|3[-.]5-haiku|3-haiku", 2_048))
_GEMINI = ((r"pro", 4_096),)

PROVIDERS: Mapping[str, Provider] = MappingProxyType(
    {
        one.name: one
        for one in (
            Provider(
                "openai", "OpenAI",
                "automatic from 1,024 tokens on, in steps of 128, for 5 to 10 idle minutes (here 10)",
                minimum=1_024, step=128, lifetime=600,
            ),
            Provider(
                "openai-24h", "OpenAI, kept 24 hours", "the same, where prompt_cache_retention is 24h",
                minimum=1_024, step=128, lifetime=86_400,
            ),
            Provider(
                "openai-30m", "OpenAI, GPT-5.6 on", "the same for 30 idle minutes; writing costs more than input",
                minimum=1_024, step=128, lifetime=1_800, write="5m",
            ),
            Provider(
                "anthropic", "Anthropic, 5 minutes",
                "up to breakpoints at the end of the system prompt and of each request; writing costs more",
                minimum=1_024, minima=_CLAUDE, lifetime=300, breakpoints=True, write="5m",
            ),
            Provider(
                "anthropic-1h", "Anthropic, 1 hour", "the same with the lifetime of an hour, at twice the input price",
                minimum=1_024, minima=_CLAUDE, lifetime=3_600, breakpoints=True, write="1h",
            ),
            Provider(
                "deepseek", "DeepSeek", "automatic, in steps of 64 tokens, for hours to days (here 6 hours)",
                minimum=64, step=64, lifetime=21_600,
            ),
            Provider(
                "gemini", "Gemini", "implicit from 1,024 tokens on (Pro: 4,096), for minutes (here 5), no promise",
                minimum=1_024, minima=_GEMINI, lifetime=300,
            ),
            Provider("none", "no cache", "every token is paid in full, every time", caches=False),
        )
    }
)  # fmt: skip
"""Every provider model by its name."""


def provider_for(model: str | None) -> Provider:
    """The provider that a model's name suggests; one without a cache where it suggests none."""
    name = (model or "").lower()
    rules = (
        ("claude", "anthropic"), ("deepseek", "deepseek"), ("gemini", "gemini"),
        (r"gpt-?(5[-.][6-9]|[6-9])(?!\d)", "openai-30m"), (r"gpt|(^|/)o\d|codex", "openai"),
    )  # fmt: skip
    return PROVIDERS[next((provider for pattern, provider in rules if re.search(pattern, name)), "none")]


class Use(NamedTuple):
    """How the input of one request is paid, in tokens."""

    cached: int
    """Read from the cache."""
    written: int
    """Fresh, and written to the cache at a price of its own."""
    plain: int
    """Fresh, at the price of input."""
    kept: int
    """What would have been read had nothing before it been changed."""

    @property
    def fresh(self) -> int:
        """Everything that was not read from the cache."""
        return self.written + self.plain


@dataclass
class Cache:
    """One provider's cache over a run."""

    provider: Provider
    model: str | None = None
    head: Head = NO_HEAD
    """What every request begins with (`inspector.replay.engine.head_of`)."""
    times: Sequence[float] = ()
    """When each row was recorded (`Session.times`); without them nothing ever grows cold."""
    _ends: list[Head] = field(default_factory=list)
    """Prefixes that earlier requests marked and that still stand, the longest last."""
    _sent: int = 0
    _time: float = float("nan")

    def uses(self, requests: Iterable[Request]) -> Iterator[Use]:
        """How each request is paid; requests must come in order, in as many calls as one likes."""
        return map(self._use, requests)

    def _use(self, request: Request) -> Use:
        warm = self._is_warm(request)
        before = self._sent if warm else 0
        self._sent = request.sent_tokens
        if not self.provider.caches:
            return Use(0, 0, request.sent_tokens, 0)
        if self.provider.breakpoints:
            return self._marked(request, before, warm)
        cached = self._known(min(request.shared_tokens, before))
        fresh = request.sent_tokens - cached
        written = fresh if self.provider.write and self._known(request.sent_tokens) else 0
        return Use(cached, written, fresh - written, self._known(before))

    def _known(self, tokens: int) -> int:
        """As much of a prefix as the cache gives."""
        least = self.provider.minimum_for(self.model)
        return tokens - tokens % self.provider.step if tokens and tokens >= least else 0

    def _marked(self, request: Request, before: int, warm: bool) -> Use:
        ends = [end for end in self._ends if end.messages <= request.first_change] if warm else []
        best = 0
        if ends and request.messages - ends[-1].messages <= LOOKBACK:
            best = ends[-1].tokens
        elif warm and request.first_change >= self.head.messages:
            best = self.head.tokens
        cached = self._known(best)
        self._ends = [*ends[-LOOKBACK:], Head(request.messages, request.sent_tokens)]
        written = request.sent_tokens - cached if self._known(request.sent_tokens) else 0
        return Use(cached, written, request.sent_tokens - cached - written, self._known(before))

    def _is_warm(self, request: Request) -> bool:
        """Whether what the request before used is still there."""
        time = self.times[request.answer] if request.answer < len(self.times) else float("nan")
        gap = time - self._time
        if not isnan(time):
            self._time = time
        lifetime = self.provider.lifetime
        return request.request > 0 and (lifetime is None or isnan(gap) or gap <= lifetime)
