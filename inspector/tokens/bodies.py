"""What a message costs in tokens.

The source of each rule:

- 3 tokens a message, 1 more for a `name`, 3 for the reply that a request primes, the role counted as its text: OpenAI
  Cookbook, "How to count tokens with tiktoken", section 6 (gpt-3.5-turbo to gpt-4o; nothing newer is published).
- A tool call is its function's name and its arguments as recorded (compact JSON where they are an object). OpenAI does
  not publish how calls are framed: the framing and the ids, `tool_call_id` too, a few tokens a call, are not counted.
- Images are counted by their pixels (`inspector.tokens.images`).
- `content`, `thinking` and text, refusal and thinking parts are their text. Audio and file parts, and every other key,
  are not counted. Content that is neither string nor list counts as its compact JSON.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

import orjson

from inspector.tokens import images
from inspector.tokens.counter import Counter, estimate

MESSAGE_OVERHEAD = 3
NAME_OVERHEAD = 1
REPLY_PRIMING = 3
_CHUNK = 4_096


@dataclass(frozen=True, eq=False)
class Tally:
    """The tokens of a list of messages.

    `tokens` has one number a message, `sums` the running sums, one longer. `counter` is labelled an estimate where any
    text had to be estimated, whatever was asked for.
    """

    counter: Counter
    tokens: array[int]
    sums: array[int]

    @property
    def total(self) -> int:
        """Tokens of a request holding all messages, the priming of its reply included; 0 where there is none."""
        return self.sums[-1] + REPLY_PRIMING if self.tokens else 0

    def span(self, start: int, stop: int) -> int:
        """Tokens of the messages from `start` up to `stop`, 0 <= start <= stop <= len(tokens); without the priming."""
        return self.sums[stop] - self.sums[start]


def tally(bodies: Sequence[dict[str, Any]], counter: Counter) -> Tally:
    """The tokens of each message of a list, with running sums."""
    tokens, sure = _counted(bodies, counter)
    sums = array("q", accumulate(tokens, initial=0))
    return Tally(counter if sure else estimate(counter.encoding), tokens, sums)


def count_bodies(bodies: Sequence[dict[str, Any]], counter: Counter) -> array[int]:
    """Tokens of each OpenAI-shaped message, its overhead included; malformed ones count as far as they go."""
    return _counted(bodies, counter)[0]


def parts(body: dict[str, Any]) -> tuple[list[str], int]:
    """The texts of a message that are to be counted, and the tokens that it takes besides. Never raises."""
    if not isinstance(body, dict):
        return _words(body), MESSAGE_OVERHEAD
    texts = [value for key in ("role", "thinking") if isinstance(value := body.get(key), str)]
    fixed = MESSAGE_OVERHEAD
    if isinstance(name := body.get("name"), str):
        texts.append(name)
        fixed += NAME_OVERHEAD
    content = body.get("content")
    if isinstance(content, str):
        texts.append(content)
    elif isinstance(content, list):
        fixed += sum(_part(part, texts) for part in content)
    elif content is not None:
        texts += _words(content)
    if calls := body.get("tool_calls"):
        for call in calls if isinstance(calls, list) else [calls]:
            texts += _call(call)
    if legacy := body.get("function_call"):
        texts += _function(legacy)
    if isinstance(shown := body.get("images"), list):
        fixed += sum(map(images.cost, shown))
    return texts, fixed


def _counted(bodies: Sequence[dict[str, Any]], counter: Counter) -> tuple[array[int], bool]:
    tokens = array("q")
    all_sure = True
    for start in range(0, len(bodies), _CHUNK):
        texts: list[str] = []
        ends, fixed = [0], []
        for body in bodies[start : start + _CHUNK]:
            mine, besides = parts(body)
            texts += mine
            ends.append(len(texts))
            fixed.append(besides)
        counts, sure = counter.measure(texts)
        all_sure = all_sure and sure
        sums = [0, *accumulate(counts)]
        tokens.extend([sums[b] - sums[a] + more for (a, b), more in zip(pairwise(ends), fixed, strict=True)])
    return tokens, all_sure


def _words(value: object) -> list[str]:
    """A value of any JSON type as the texts that stand for it: itself, or compact JSON; none where it has neither."""
    if value is None or isinstance(value, str):
        return [value] if value else []
    try:
        return [orjson.dumps(value).decode()]
    except TypeError:
        pass
    try:
        return [json.dumps(value, ensure_ascii=False, separators=(",", ":"))]
    except (TypeError, ValueError, RecursionError):
        return []


def _call(call: object) -> list[str]:
    """Name and arguments of a tool call: `function`, or `custom` with its `input`."""
    if not isinstance(call, dict):
        return _words(call)
    return _function(call.get("function") or call.get("custom") or call)


def _function(function: object) -> list[str]:
    if not isinstance(function, dict):
        return _words(function)
    given = function.get("arguments")
    return _words(function.get("name")) + _words(function.get("input") if given is None else given)


def _part(part: object, texts: list[str]) -> int:
    """Adds a content part's texts to `texts` and returns the tokens of its image, if it is one."""
    if isinstance(part, str):
        texts.append(part)
    if not isinstance(part, dict):
        return 0
    if (image := part.get("image_url")) is not None or part.get("type") in ("image_url", "input_image"):
        return images.cost(image, part.get("detail"))
    if part.get("type") == "image":
        return images.cost(part.get("source"))
    texts += [text for key in ("text", "refusal", "thinking") if isinstance(text := part.get(key), str)]
    return 0


def shared_tokens(pairs: Sequence[tuple[dict[str, Any], dict[str, Any]]], counter: Counter) -> list[int]:
    """Tokens that two messages begin with alike, up to the first character that differs, for each pair.

    Texts are compared in the order of `parts`; the overhead counts where the roles are the same, images do not.
    """
    texts: list[str] = []
    ends, fixed = [0], []
    for was, now in pairs:
        mine, besides = _alike(was, now)
        texts += mine
        ends.append(len(texts))
        fixed.append(besides)
    sums = [0, *accumulate(counter.count(texts))]
    return [sums[b] - sums[a] + more for (a, b), more in zip(pairwise(ends), fixed, strict=True)]


def _alike(was: dict[str, Any], now: dict[str, Any]) -> tuple[list[str], int]:
    if was.get("role") != now.get("role"):
        return [], 0
    alike: list[str] = []
    for before, after in zip(parts(was)[0], parts(now)[0], strict=False):
        if before != after:
            alike.append(before[: common_length(before, after)])
            break
        alike.append(before)
    named = isinstance(was.get("name"), str) and was["name"] == now.get("name")
    return alike, MESSAGE_OVERHEAD + NAME_OVERHEAD * named


def common_length(a: str, b: str) -> int:
    """How many characters two texts begin with alike."""
    most, at, size = min(len(a), len(b)), 0, 64
    while at + size <= most and a[at : at + size] == b[at : at + size]:
        at += size
        size *= 2
    while size:  # halving: what is left is shorter than the piece that did not fit
        if at + size <= most and a[at : at + size] == b[at : at + size]:
            at += size
        size //= 2
    return at
