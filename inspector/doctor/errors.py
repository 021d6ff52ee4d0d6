"""A provider's error message as the rule behind it, and as the place in a session that it speaks of.

Support staff hold an error text with other ids and positions than the ones in any list; what does not differ between
two reports of one fault is matched. Positions count messages as they were sent, so an id is believed first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from inspector.doctor.targets import NATIVE
from inspector.finding import Finding


@dataclass(frozen=True, slots=True)
class Known:
    """An error text that is known."""

    pattern: re.Pattern[str]
    codes: tuple[str, ...]
    """The rules that may be behind it, the likeliest first."""
    target: str = NATIVE
    """The target whose special rule it is."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What an error text says about a session."""

    codes: tuple[str, ...]
    target: str
    finding: Finding | None
    """The fault in the session that it speaks of; None where the session has none of its kind."""
    others: int = 0
    """Further faults of the kind."""


def _known(pattern: str, codes: str, target: str = NATIVE) -> Known:
    return Known(re.compile(pattern, re.IGNORECASE), tuple(codes.split()), target)


_UNANSWERED = "dangling-tool-call misplaced-tool-result tool-result-not-first split-tool-results duplicate-tool-result"
_UNASKED = "orphan-tool-result misplaced-tool-result duplicate-tool-result dangling-tool-call"
_Q = "[`'\"]?"

KNOWN: tuple[Known, ...] = (
    _known(rf"unexpected {_Q}tool_use_id{_Q} found in {_Q}(?!tool_result\b)\w+_tool_result",
           "orphan-server-tool-result"),
    _known(rf"must have a corresponding {_Q}(?:server|mcp)_tool_use", "orphan-server-tool-result"),
    _known(rf"unexpected {_Q}tool_use_id{_Q} found in {_Q}tool_result|unexpected {_Q}tool_result", _UNASKED),
    _known(rf"{_Q}tool_use{_Q} ids were found without {_Q}tool_result|did not find \d+ {_Q}tool_result", _UNANSWERED),
    _known(rf"each {_Q}?tool_use{_Q} must have a single result|multiple {_Q}tool_result{_Q} blocks",
           "duplicate-tool-result"),
    _known(r"must be followed by tool messages|did not have response messages|insufficient tool messages"
           r"|tool_call_ids? .*not have response|not the same number of function calls and responses", _UNANSWERED),
    _known(rf"role {_Q}tool{_Q}.{{0,40}}must be a response to a prec", _UNASKED),
    _known(r"no tool output found for|tool call output is missing|missing .*output .*call", _UNANSWERED),
    _known(r"no tool call found for", _UNASKED),
    _known(r"number of toolResult blocks", _UNASKED),
    _known(r"function response turn comes immediately after a function call", _UNASKED),
    _known(r"function response parts .{0,30}equal to the number of function call",
           "split-tool-results duplicate-tool-result dangling-tool-call orphan-tool-result"),
    _known(r"function call turn comes immediately after a user turn", "call-not-after-user"),
    _known(rf"{_Q}tool_use{_Q} ids must be unique|duplicate ids",
           "duplicate-tool-call-id mixed-tool-call-encodings reused-tool-call-id"),
    _known(r"tool call id was .* but must be", "tool-call-id-format", "mistral"),
    _known(r"(?:tool_use|tool_result|tool_use_id|\bid).{0,40}should match pattern", "tool-call-id-format", "anthropic"),
    _known(r"duplicate item found with id", "duplicate-item-id"),
    _known(r"text content blocks must be non-empty|text field in the ContentBlock .* blank", "empty-text-block"),
    _known(r"text content blocks must contain non-whitespace", "whitespace-only-text empty-text-block"),
    _known(r"must have non-empty content|at least one parts field|parts must not be empty|content field .* is empty",
           "empty-message empty-text-block"),
    _known(r"expected a string,? (?:but )?got null|expected .{0,30}got null", "null-content"),
    _known(r"cannot be empty (?:when status value is error|if .?is_error.? is true)", "empty-error-result"),
    _known(r"arguments.{0,30} must be (?:a )?(?:valid|in) JSON|arguments must be .*json"
           r"|unterminated string starting at",
           "invalid-tool-arguments truncated-record"),
    _known(r"input should be a valid dictionary|tool_use\.input", "tool-input-not-object"),
    _known(rf"expected {_Q}thinking{_Q} or {_Q}redacted_thinking", "missing-thinking-block"),
    _known(rf"invalid {_Q}signature{_Q} in {_Q}thinking|thinking\.signature: field required",
           "thinking-without-signature"),
    _known(rf"{_Q}redacted_thinking{_Q} blocks in the latest assistant message cannot be modified",
           "thinking-text-empty thinking-without-signature"),
    _known(r"reasoning_content", "missing-reasoning-content", "deepseek-thinking"),
    _known(r"missing a thought_?signature", "missing-thought-signature", "gemini-3"),
    _known(r"without its required following item", "reasoning-without-follower"),
    _known(rf"without its required {_Q}reasoning{_Q} item", "call-without-reasoning", "openai-reasoning"),
    _known(rf"unexpected role {_Q}user{_Q} after role {_Q}tool", "user-after-tool", "mistral"),
    _known(rf"unexpected role {_Q}tool{_Q} after role", _UNASKED),
    _known(r"roles must alternate", "consecutive-same-role", "strict-template"),
    _known(r"expected last role user or tool|assistant message prefill|conversation must end with a user message"
           r"|cannot end with trailing whitespace", "ends-with-assistant", "mistral"),
    _known(r"image dimensions exceed|many-image requests", "image-too-large-for-many"),
    _known(r"image urls are only allowed for messages with role", "image-in-tool-message"),
    _known(r"illegal base64 data", "image-not-bare-base64", "ollama"),
    _known(r"maximum of \d+ blocks with cache_control", "too-many-cache-breakpoints"),
    _known(r"string too long|expected a string with maximum length", "string-too-long"),
    _known(r"prompt is too long|maximum context length|context_length_exceeded|exceeds? the (?:context|maximum)",
           "over-context-limit huge-tool-result"),
    _known(r"does not match pattern|string does not match", "marker-in-tool-name tool-call-id-format"),
    _known(r"low surrogate|surrogates not allowed|lone surrogate", "lone-surrogate"),
    _known(r"out of range float values|unexpected token .?(?:NaN|I|-)|NaN", "nonstandard-json-constant"),
    _known(r"disallowed special token", "special-token-text"),
    _known(r"unexpected utf-8 bom", "bom"),
    _known(r"codec can't decode|invalid (?:start|continuation) byte|invalid utf-?8", "invalid-utf8"),
    _known(r"extra data|expecting ',' delimiter|after json at position|non-whitespace character after",
           "glued-records unparseable-record"),
    _known(r"unexpected end of json input|unterminated string", "truncated-record split-record"),
    _known(r"recursion|nested too deep|too deeply nested", "too-deep"),
    _known(r"undefined.{0,3} is not valid json", "empty-file"),
)  # fmt: skip
"""Known texts, the more telling ones first (TAXONOMY.md's columns, and the variants in its cases)."""

_PLACES = re.compile(r"(?:messages?|contents?|input)(?:\.|\[| index )(\d+)|at message index (\d+)", re.IGNORECASE)
_INNER = re.compile(r"(?:content|parts|tool_calls)(?:\.|\[)(\d+)", re.IGNORECASE)


def recognised(text: str) -> Known | None:
    """The known text that an error message is of."""
    flat = " ".join(text.split()).replace('\\"', '"').replace("\\u0060", "`")
    return next((known for known in KNOWN if known.pattern.search(flat)), None)


def diagnosed(text: str, known: Known, findings: Sequence[Finding], id_at: Callable[[Finding], str]) -> Diagnosis:
    """The fault of a session that an error text speaks of. `id_at` gives the call id behind a finding, or nothing."""
    fitting = [one for code in known.codes for one in findings if one.code == code]
    if not fitting:
        return Diagnosis(known.codes, known.target, None)
    chosen = max(fitting, key=lambda one: _likeness(one, text, id_at(one), known.codes))
    return Diagnosis(known.codes, known.target, chosen, len(fitting) - 1)


def _likeness(finding: Finding, text: str, call_id: str, codes: Sequence[str]) -> tuple[bool, bool, bool, int, int]:
    """How well a finding fits: its id is named, then its position is; else the likeliest rule, the first place."""
    named = bool(call_id) and re.search(rf"(?<![\w-]){re.escape(call_id)}(?![\w-])", text) is not None
    numbers = {int(number) for pair in _PLACES.findall(text) for number in pair if number}
    placed = finding.message_index in numbers
    inner = _inner_places(text)
    exact = placed and any(finding.pointer.endswith(f"/{number}") or f"/{number}/" in finding.pointer
                           for number in inner)  # fmt: skip
    first = -(finding.message_index if finding.message_index is not None else -1)
    return named, placed, exact, -codes.index(finding.code), first


def _inner_places(text: str) -> Iterable[str]:
    return _INNER.findall(text)
