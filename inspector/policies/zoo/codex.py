"""Codex's two local measures: long tool outputs are cut when they are recorded, and a summary replaces the history.

Both count a token as four UTF-8 bytes, a started one whole.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inspector.change import Action, InsertKind, Plan
from inspector.formats.codex import KEPT_TOKENS, is_note
from inspector.message import ASSISTANT, SYSTEM, TOOL, USER, Body, Context, image_count, text_of
from inspector.policies.policy import Param, Policy, Settings
from inspector.policies.product import Product, as_toml
from inspector.policies.zoo.cuts import ceil4
from inspector.policies.zoo.drafting import Draft, left_alone, summarised, with_text_alone
from inspector.policies.zoo.exchanges import kinds_of
from inspector.policies.zoo.params import one_of, optional
from inspector.policies.zoo.units import called, ends, utf8_bytes

BYTES_A_TOKEN = 4
MARKER = re.compile(r"…\d{1,20} (?:tokens|chars) truncated…")
LONGEST_MARKER = 64
"""More bytes than any marker has."""
OMITTED = re.compile(r"\[omitted \d+ text items \.\.\.\]")


def middle_cut(text: str, budget: int, tokens: bool) -> str:
    """A text over so many bytes as its beginning and end with a marker between, which costs nothing."""
    size = utf8_bytes(text)
    if size <= budget:
        return text
    head, tail = ends(text, budget // 2, budget - budget // 2)
    gone = ceil4(size - budget) if tokens else len(text) - len(head) - len(tail)
    return f"{head}…{gone} {'tokens' if tokens else 'chars'} truncated…{tail}"


def is_cut(text: str, budget: int) -> bool:
    """Whether a text is what a cut to the budget leaves: without one marker in it, it fits."""
    size = utf8_bytes(text)
    return size <= budget + LONGEST_MARKER and any(
        size - utf8_bytes(found[0]) <= budget for found in MARKER.finditer(text)
    )


# --- cap ---

ALLOWANCE = 1.2
"""What the limit is multiplied with when an output is recorded, for what serialising adds."""

CAP_REASONS = (
    "no output, or within the limit: sent as recorded",
    "a long output: its middle is cut when it is recorded",
    "an output with empty text items: they are left out",
)
_, CAPPED, EMPTIED = range(len(CAP_REASONS))


@dataclass(frozen=True, slots=True)
class Cap:
    """A limit, in tokens or in bytes."""

    most: int
    tokens: bool

    @classmethod
    def of(cls, settings: Settings) -> Cap:
        """The limit of settings, with the allowance."""
        return cls(math.ceil(max(0, settings["limit"]) * ALLOWANCE), settings["limit_unit"] == "tokens")

    def bytes(self, units: int) -> int:
        """So many units of it in bytes."""
        return units * BYTES_A_TOKEN if self.tokens else units

    def cost(self, text: str) -> int:
        """What a text takes of it."""
        return ceil4(utf8_bytes(text)) if self.tokens else utf8_bytes(text)

    def text(self, text: str, units: int) -> str:
        """A text cut to so many units; one that was cut so before is left alone."""
        room = self.bytes(units)
        return text if is_cut(text, room) else middle_cut(text, room, self.tokens)

    def content(self, content: Any) -> Any:
        """The content of an output as it is recorded."""
        if isinstance(content, str):
            return self.text(content, self.most)
        return self._parts(content) if isinstance(content, list) else content

    def _parts(self, parts: Sequence[Any]) -> list[Any]:
        """The items share the limit from left to right; images and the like pass, and cost nothing."""
        left, omitted, kept = self.most, 0, []
        for part in parts:
            text = part.get("text") if isinstance(part, dict) else part
            if not isinstance(text, str) or OMITTED.fullmatch(text):
                kept.append(part)
            elif text and not left:
                omitted += 1
            elif text:
                cost = self.cost(text)
                kept.append(part if cost <= left else _with_text(part, self.text(text, left)))
                left = max(0, left - cost)
        note = [{"type": "text", "text": f"[omitted {omitted} text items ...]"}] if omitted else []
        return kept + note


def _with_text(part: Any, text: str) -> Any:
    return {**part, "text": text} if isinstance(part, dict) else text


def cap(context: Context, settings: Settings) -> Plan:
    """The plan that records every output as Codex does."""
    draft, limit, chars = Draft(context, CAP_REASONS), Cap.of(settings), context.columns.chars
    for row, kind in enumerate(context.derived(kinds_of)):
        content = context.messages[row].get("content") if kind == TOOL else None
        if not content or (isinstance(content, str) and chars[row] * 4 <= limit.bytes(limit.most)):
            continue
        new = limit.content(content)
        if new != content:
            cut = isinstance(new, str) or any(part not in content for part in new)
            size = len(text_of({"content": new}))
            draft.change(row, Action.MIDDLE if cut else Action.REWRITE, CAPPED if cut else EMPTIED, size)
    return draft.plan(lambda row: {**context.messages[row], "content": limit.content(context.messages[row]["content"])})


TOML_PLACE = "For config.toml."


def _cap_toml(settings: Settings) -> Mapping[str, int]:
    """The setting counts tokens, and a model that counts bytes takes each for four."""
    limit = settings["limit"]
    return {"tool_output_token_limit": limit if settings["limit_unit"] == "tokens" else ceil4(limit)}


CAP = Policy(
    name="codex-cap",
    mode="stateless",
    params=(
        one_of("limit_unit", ("tokens", "bytes"), "What the limit counts, by the model; a token is 4 bytes."),
        Param(
            "limit", "", 10_000, "Outputs longer than 1.2 times this lose their middle; larger keeps more.",
            high=50_000, step=500,
        ),
    ),
    plan=cap,
    help=(
        "Cuts the middle out of long tool outputs once, when they are recorded. The marker is not charged, so that an "
        "output just over the limit grows; one that was cut before stays."
    ),
    protects="everything but tool outputs, and images in them",
    source="truncate_function_output_payload, openai/codex 820f85cf59",
    product=Product(
        "codex", "Codex", "toml", as_toml(_cap_toml), TOML_PLACE,
        {"limit_unit": "it is the model's, and of a model that counts bytes the limit is four times as many"},
    ),
)  # fmt: skip


# --- compact ---

PREFIX = "Another language model started to solve this problem and produced a summary of its thinking process."
"""How a summary begins, and how an earlier one is known. Codex's own text goes on; so much has POLICIES.md."""
NO_SUMMARY = "(no summary available)"
IMAGE_BYTES = 7_373
"""What Codex takes an image for."""

COMPACT_REASONS = (
    "sent as recorded",
    "replaced by the summary",
    "what Codex begins with: it is sent again",
    "among the newest of what the user said",
    "what the user said, cut in the middle to what the budget has left",
    "what the user said, without its images",
    "said after the history that is summarised",
    "below the trigger: everything is sent",
    "there is nothing to summarise",
)
_, REPLACED, INITIAL, SAID, SAID_IN_PART, SAID_AS_TEXT, PENDING, BELOW, NOTHING = range(len(COMPACT_REASONS))


def message_tokens(context: Context) -> list[int]:
    """Codex's estimate of each message: what the model reads of it, in bytes, and a fixed size for an image."""
    return [ceil4(_bytes(body)) for body in context.messages]


def _bytes(body: Body) -> int:
    content, thinking, blocks = body.get("content"), body.get("thinking"), body.get("thinking_blocks")
    size = utf8_bytes(content if isinstance(content, str) else text_of(body))
    if body.get("images") or isinstance(content, list):
        size += IMAGE_BYTES * image_count(body)
    if body.get("tool_calls") or body.get("function_call"):
        size += sum(utf8_bytes(call.name) + utf8_bytes(call.arguments) for call in called(body))
    if isinstance(thinking, str):
        size += utf8_bytes(thinking)
    return size + sum(map(_encrypted, blocks)) if isinstance(blocks, list) else size


def _encrypted(block: Any) -> int:
    """Bytes of encrypted reasoning: base64, less what stands around it."""
    given = block.get("encrypted_content") if isinstance(block, dict) else None
    return max(0, len(given) * 3 // 4 - 650) if isinstance(given, str) else 0


def is_summary(body: Body) -> bool:
    """Whether a message is the summary of an earlier compaction."""
    text = text_of(body)
    return text.startswith(PREFIX) or text == NO_SUMMARY


@dataclass(frozen=True, slots=True)
class History:
    """What a compaction finds."""

    stop: int
    """The row after the history: what the user has just said is not in it yet."""
    initial: list[int]
    """Rows of the initial context: system, developer, and what Codex itself says as the user."""
    prompts: list[int]
    """Rows of the history that the user has really said."""
    mid_turn: bool
    """Whether the model is at work: results have come that it has not seen."""


def history_of(context: Context) -> History:
    """The history, in parts."""
    kinds, messages = context.derived(kinds_of), context.messages
    users = [row for row, kind in enumerate(kinds) if kind == USER]
    summaries = {row for row in users if is_summary(messages[row])}
    notes = {row for row in users if is_note(messages[row])}
    last = max((kinds.rfind(ASSISTANT), kinds.rfind(TOOL), *summaries))
    stop = last + 1 or len(context)
    prompts = [row for row in users if row < stop and row not in summaries and row not in notes]
    others = [row for row in range(stop) if kinds[row] in (ASSISTANT, TOOL) or row in summaries]
    first = min([*prompts[:1], *others[:1]], default=stop)
    initial = [row for row in range(first) if kinds[row] == SYSTEM or row in notes]
    return History(stop, initial, prompts, stop == len(context) and kinds[-1:] == bytes([TOOL]))


def compact(context: Context, settings: Settings) -> Plan:
    """The plan of one local compaction."""
    if sum(context.derived(message_tokens)) < _trigger(settings):
        return left_alone(context, COMPACT_REASONS, BELOW)
    history = history_of(context)
    if len(history.initial) + len(history.prompts) == history.stop:
        return left_alone(context, COMPACT_REASONS, NOTHING)
    draft, texts = Draft(context, COMPACT_REASONS), _selected(context, history, settings["user_message_max_tokens"])
    kept = {*history.initial, *texts}
    gone = [row for row in range(history.stop) if row not in kept]
    draft.merge(gone, REPLACED)
    draft.spare(history.initial, INITIAL)
    draft.spare(range(history.stop, len(context)), PENDING)
    for row, text in texts.items():
        _say(draft, row, text)
    if history.mid_turn:
        _move(draft, history.initial, list(texts))
    said = summarised(context.messages[: history.stop], settings.get("summarise"), draft)
    body: Body = {"role": "user", "content": f"{PREFIX}\n{said}" if said else NO_SUMMARY}
    reason = f"a summary of {history.stop:,} earlier messages"
    draft.insert(history.stop - 1, InsertKind.SUMMARY, body, reason, (gone[0], history.stop))
    return draft.plan(lambda row: with_text_alone(context.messages[row], texts[row]))


def _trigger(settings: Settings) -> int:
    """Nine tenths of the window; a limit can only lower that."""
    highest: int = max(0, settings["model_context_window"]) * 9 // 10
    limit: int = max(0, settings["model_auto_compact_token_limit"] or 0)
    return min(limit, highest) if limit else highest


def _selected(context: Context, history: History, budget: int) -> Mapping[int, str]:
    """The newest prompts within the budget, as they are sent; the first that does not fit is cut and ends the walk."""
    left, texts = max(0, budget), dict[int, str]()
    for row in reversed(history.prompts):
        body = context.messages[row]
        text = text_of(body)
        if not left:
            break
        if not text and image_count(body):
            continue
        cost = ceil4(utf8_bytes(text))
        texts[row] = middle_cut(text, left * BYTES_A_TOKEN, tokens=True)
        left = max(0, left - cost)
    return dict(sorted(texts.items()))


def _say(draft: Draft, row: int, text: str) -> None:
    body = draft.context.messages[row]
    if text != text_of(body):
        draft.change(row, Action.MIDDLE, SAID_IN_PART, len(text))
    elif image_count(body):
        draft.change(row, Action.DROP_IMAGE, SAID_AS_TEXT, len(text))
    else:
        draft.spare((row,), SAID)


def _move(draft: Draft, initial: Sequence[int], said: Sequence[int]) -> None:
    """The initial context, the instructions in front of it excepted, goes right before the last that the user said."""
    movable = [row for row in initial if draft.context.messages[row].get("role") != "system"]
    if not movable or len(said) < 2:
        return
    last, moved = said[-1], set(movable)
    rows = [row for row in range(len(draft.action)) if row not in moved]
    place = rows.index(last)
    draft.order = [*rows[:place], *movable, *rows[place:]]
    draft.move(movable, INITIAL)


def _compact_toml(settings: Settings) -> Mapping[str, int]:
    limit = settings["model_auto_compact_token_limit"]
    window = {"model_context_window": settings["model_context_window"]}
    return {**({"model_auto_compact_token_limit": limit} if limit else {}), **window}


def _own_limit(settings: Settings) -> tuple[str, ...]:
    says = "model_auto_compact_token_limit is left out: without it Codex acts at nine tenths of the window."
    return () if settings["model_auto_compact_token_limit"] else (says,)


COMPACT = Policy(
    name="codex-compact",
    mode="carried",
    params=(
        optional(
            "model_auto_compact_token_limit", "tokens", 0,
            "From this size on the history is summarised, at the latest at nine tenths of the window; 0: only there.",
            high=300_000, step=1_000, threshold=True,
        ),
        Param(
            "model_context_window", "tokens", 272_000, "The model's window; at nine tenths of it a summary is made.",
            high=1_000_000, step=1_000,
        ),
        Param(
            "user_message_max_tokens", "tokens", KEPT_TOKENS,
            "How much of what the user said is kept, newest first; the message at the border is cut in its middle.",
            high=100_000, step=500,
        ),
    ),
    plan=compact,
    help=(
        "Replaces the history by what the user said and a summary; answers, calls and outputs are gone. Sizes are "
        "Codex's own estimate over all messages, where Codex starts from what the provider counted."
    ),
    protects="the initial context, and the newest of what the user said",
    source="compact.rs, openai/codex e06dd0e5d5",
    extras=("summarise",),
    product=Product(
        "codex", "Codex", "toml", as_toml(_compact_toml), TOML_PLACE,
        {"user_message_max_tokens": "it is fixed in its source"}, _own_limit,
    ),
)  # fmt: skip

POLICIES = (CAP, COMPACT)
