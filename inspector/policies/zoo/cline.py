"""Cline's two truncations, and Roo Code's: the SDK's fold without a model, and half of the messages after the first.

The older Cline first takes back what stands for a file that was read again later. It wrote its calls as text, so both
forms are known here: a result that begins `[read_file for 'a'] Result:`, and the result of a call of that tool.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from inspector.change import Action, InsertKind, Plan
from inspector.message import ASSISTANT, Body, Context, text_of
from inspector.policies.policy import Param, Policy, Settings
from inspector.policies.zoo import arguments
from inspector.policies.zoo.bundles import Bundles, bundles_of
from inspector.policies.zoo.cline_sdk import BASIC
from inspector.policies.zoo.cuts import ceil4
from inspector.policies.zoo.drafting import Draft, left_alone, with_text
from inspector.policies.zoo.exchanges import Exchanges
from inspector.policies.zoo.params import is_names, named, one_of, optional
from inspector.policies.zoo.units import visible_units

READ_AGAIN = (
    "[[NOTE] This file read has been removed to save space in the context window. "
    "Refer to the latest file read for the most up to date version of this file.]"
)
NOTICE = (
    "[NOTE] Some previous conversation history with the user has been removed "
    "to maintain optimal context window length."
)
ENOUGH = 0.3
"""The share of the characters that must be saved by taking back reads, for nothing else to go."""
ALTERING = ("write_to_file", "replace_in_file")
HEADER = re.compile(r"\[([^\s]+) for '([^']+)'\] Result:\n")
DETAILS = "\n<environment_details>"
FINAL = re.compile(r'<final_file_content path="[^"]*">(.*?)</final_file_content>', re.DOTALL)
MENTION = re.compile(r'<file_content path="([^"]*)">(.*?)</file_content>', re.DOTALL)
HIDDEN = re.compile(r"\[Sliding window truncation: \d+ messages hidden to reduce context\]")

REASONS = (
    "within the limit, or not among what goes: sent as recorded",
    "a file that is read again later: a note stands for it",
    "after the first exchange: among the oldest share, which is removed",
    "the first answer: it says that history is missing",
    "the first messages, which stay",
    "below the limit: everything is sent",
)
_, REREAD, REMOVED, NOTED, FIRST, BELOW = range(len(REASONS))


def roo_marker(count: int) -> str:
    """What Roo Code sends in the place of hidden messages."""
    return f"[Sliding window truncation: {count} messages hidden to reduce context]"


def half(context: Context, settings: Settings) -> Plan:
    """The plan of one truncation."""
    size, limit, roo = context.derived(tokens_of), allowed(settings), settings["product"] == "roo"
    if size <= limit if roo else size < limit:
        return left_alone(context, REASONS, BELOW)
    draft, bundles = Draft(context, REASONS), context.derived(bundles_of)
    if roo:
        _hide(draft, bundles)
        return draft.unwritten()
    texts = _reread(context, bundles, named(settings["read_tools"]) or frozenset())
    for row, text in texts.items():
        draft.change(row, Action.PLACEHOLDER, REREAD, len(text))
    if _saved(context, bundles, texts) < ENOUGH:
        keep = settings["keep"]
        _remove(draft, bundles, ("quarter" if size / 2 > limit else "half") if keep == "auto" else keep, texts)
    return draft.plan(lambda row: with_text(context.messages[row], texts[row]))


def tokens_of(context: Context) -> int:
    """Tokens of all messages, characters through four: neither product estimates, they go by what was billed."""
    return ceil4(sum(context.derived(visible_units)))


def allowed(settings: Settings) -> int:
    """The size at which Cline acts, or over which Roo Code does."""
    window: int = max(0, settings["context_window"])
    given: int = max(0, settings["max_allowed_size"] or 0)
    if given:
        return given
    if settings["product"] == "roo":
        answer: int = max(0, settings["max_tokens"])
        return window * 9 // 10 - answer
    buffer: int = {64_000: 27_000, 128_000: 30_000, 200_000: 40_000}.get(window, 0)
    return window - buffer if buffer else max(window - 40_000, -(-window * 8 // 10))


# --- what goes ---


def removed(kinds: Sequence[int], keep: str) -> range:
    """The places that go after the first two: an even number, and the last of them the assistant's."""
    rest = max(0, len(kinds) - 2)
    count = {"none": rest, "lastTwo": max(0, rest - 2), "half": rest // 4 * 2}.get(keep, rest * 3 // 8 * 2)
    stop = 2 + count
    return range(2, stop - (count > 0 and kinds[stop - 1] != ASSISTANT))


def _remove(draft: Draft, bundles: Bundles, keep: str, texts: dict[int, str]) -> None:
    gone = removed(bundles.kinds, keep)
    if not gone:
        return
    draft.drop(bundles.rows_of(gone), REMOVED)
    draft.spare(bundles.rows_of(range(2)), FIRST)
    row = bundles.rows[1][0]
    said = draft.context.messages[row].get("content")
    if bundles.kinds[1] == ASSISTANT and isinstance(said, str) and said not in ("", NOTICE):
        texts[row] = NOTICE
        draft.change(row, Action.PLACEHOLDER, NOTED, len(NOTICE))


def _hide(draft: Draft, bundles: Bundles) -> None:
    """Roo Code's half: earlier markers neither count nor go."""
    messages = draft.context.messages
    visible = [rows for rows in bundles.rows if not HIDDEN.fullmatch(text_of(messages[rows[0]]))]
    count = max(0, len(visible) - 1) // 4 * 2
    if count:
        draft.drop((row for rows in visible[1 : count + 1] for row in rows), REMOVED)
        draft.spare(visible[0], FIRST)
        body: Body = {"role": "user", "content": roo_marker(count)}
        draft.insert(visible[count + 1][0] - 1, InsertKind.NOTICE, body, "half of the messages are hidden", None)


# --- files that are read again ---


class _Read(NamedTuple):
    """A file's content in a message."""

    path: str
    row: int
    start: int
    stop: int
    note: str


def _reread(context: Context, bundles: Bundles, tools: frozenset[str]) -> dict[int, str]:
    """The new text of each message with a file that is read again later."""
    reads: dict[str, list[_Read]] = {}
    for row in bundles.rows_of(range(2, len(bundles))):
        for read in _reads(context, bundles, row, tools):
            reads.setdefault(read.path, []).append(read)
    stale = sorted((one for found in reads.values() for one in found[:-1]), key=lambda one: (one.row, -one.start))
    texts: dict[int, str] = {}
    for one in stale:
        text: str = texts.get(one.row) or context.messages[one.row]["content"]
        texts[one.row] = text[: one.start] + one.note + text[one.stop :]
    return texts


def _reads(context: Context, bundles: Bundles, row: int, tools: frozenset[str]) -> Iterator[_Read]:
    """The files in a message whose content is one text, but for those that a note stands for already."""
    text, kind = context.messages[row].get("content"), context.columns.role[row]
    if not isinstance(text, str) or not text or kind == ASSISTANT:
        return
    header = HEADER.match(text)
    name, path = (header[1], header[2]) if header else _called(context, row)
    if path and name in tools:
        start = header.end() if header else 0
        end = text.find(DETAILS, start)
        found = [(path, start, end if end >= 0 else len(text), READ_AGAIN)]
    elif path and name in ALTERING:
        final = FINAL.search(text)
        found = [(path, *final.span(1), f" {READ_AGAIN} ")] if final else []
    else:
        found = [(str(one[1]), *one.span(2), READ_AGAIN) for one in MENTION.finditer(text)]
    yield from (_Read(path, row, at, to, note) for path, at, to, note in found if READ_AGAIN not in text[at:to])


def _called(context: Context, row: int) -> tuple[str, str]:
    """The tool and the path of the call that a result answers; empty where there is none."""
    exchanges = context.derived(Exchanges)
    call = exchanges.call(exchanges.answers[row]) if row in exchanges.answers else None
    value: Any = arguments.read(call.arguments) if call else None
    path = value.get("path", value.get("file_path")) if isinstance(value, dict) else None
    return (call.name, path) if call and isinstance(path, str) else ("", "")


def _saved(context: Context, bundles: Bundles, texts: Mapping[int, str]) -> float:
    """The share of the characters that the notes save."""
    chars = context.columns.chars
    total = sum(chars[row] for row in bundles.rows_of(range(len(bundles))))
    return sum(chars[row] - len(text) for row, text in texts.items()) / total if total else 0.0


HALF = Policy(
    name="cline-half",
    mode="carried",
    params=(
        one_of("product", ("cline", "roo"), "Whose truncation: Cline's before its SDK, or Roo Code's sliding window."),
        optional(
            "max_allowed_size", "tokens", 0,
            "From this size on Cline acts, over it Roo Code; 0: what the window allows, in Cline 160,000 of 200,000.",
            high=300_000, step=1_000, threshold=True,
        ),
        Param("context_window", "tokens", 200_000, "The model's window.", high=1_000_000, step=1_000),
        Param(
            "max_tokens", "tokens", 8_192, "Roo Code: what the answer may take, less than nine tenths of the window.",
            high=128_000, step=1_024,
        ),
        one_of(
            "keep", ("auto", "half", "quarter", "lastTwo", "none"),
            "Cline: what is left; auto is half, or a quarter where the size is over twice the limit.",
        ),
        Param(
            "read_tools", "", "read_file", "Cline: tools that read a file, separated by commas.", kind="line",
            accepts=is_names,
        ),
    ),
    plan=half,
    help=(
        "Takes back files that are read again later, and where that saves under 30 % removes half of the messages "
        "after the first exchange; Roo Code hides half of them behind a marker. Both count messages and know nothing "
        "of pairs. Sizes are characters through four, where the products go by what was billed."
    ),
    protects="the system messages, the task and the first answer's place, and the newest half",
    source="ContextManager, cline/cline a12c565c71; "
    "truncateConversation, RooCodeInc/Roo-Code cb83656717",
)  # fmt: skip

POLICIES = (BASIC, HALF)
