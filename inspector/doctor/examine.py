"""One examination: a session in its own shape, judged for a target by every rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

from inspector.doctor import (
    calls,
    content,
    from_blocks,
    from_items,
    from_messages,
    from_parts,
    from_rows,
    ids,
    markers,
    pictures,
    reasoning,
    roles,
    strict,
    texts,
)
from inspector.doctor.lookup import Lookup, holder_of
from inspector.doctor.native import Copy, Native, Role, Turn, body_of
from inspector.doctor.pairing import Pairing, pair
from inspector.doctor.rulebook import RULES as BOOK
from inspector.doctor.shapes import Layout, Shape, shape_of
from inspector.doctor.targets import Target
from inspector.finding import Finding
from inspector.formats import Conversation, Opened, Record, Recording, session_of
from inspector.formats.records import collector_paused
from inspector.message import Context, Session

Rule: TypeAlias = Callable[[Native, Pairing, Target], Iterable[Finding]]

RULES: tuple[Rule, ...] = (
    calls.dangling, calls.orphans, calls.misplaced, calls.not_first, calls.split, calls.duplicates,
    calls.server_orphans, calls.mixed_encodings, calls.call_not_after_user,
    ids.duplicate_call_ids, ids.reused_ids, ids.id_forms, ids.duplicate_items,
    content.empty_texts, content.empty_messages, content.null_content, content.empty_error_results,
    content.arguments, content.inputs,
    reasoning.missing_thinking, reasoning.thinking_blocks, reasoning.missing_reasoning_content,
    reasoning.missing_thought_signatures, reasoning.reasoning_followers, reasoning.calls_without_reasoning,
    roles.user_after_tool, roles.consecutive_roles, roles.ends_with_assistant,
    pictures.large_images, pictures.tool_images, pictures.ollama_images, pictures.cache_breakpoints,
    pictures.long_strings, pictures.huge_results, pictures.over_limit,
    markers.cut_arguments, markers.markup_arguments, markers.names, markers.calls_as_text,
    texts.odd_texts, texts.summaries,
)  # fmt: skip
"""Every rule that looks at messages; what is wrong with the file itself, its readers and the strict pass have found."""


@dataclass(frozen=True, eq=False)
class Examination:
    """A session in its own shape, ready to be judged for any number of targets."""

    native: Native
    context: Context
    """The loaded messages."""
    damage: tuple[Finding, ...] = ()
    """What was wrong with the file, and with the graph of its records."""
    format: str = "messages"
    conversations: int = 1
    """How many the recording holds; one was examined."""

    @cached_property
    def pairing(self) -> Pairing:
        """Which result answers which call."""
        return pair(self.native)

    def findings(self, target: Target) -> tuple[Finding, ...]:
        """Everything that is wrong for a target, in the order of the file; the file as a whole comes first."""
        judged = target.for_provider(self.native.provider)
        found = [*self.damage]
        with collector_paused():
            for rule in RULES:
                found += rule(self.native, self.pairing, judged)
        return tuple(sorted(_once(found), key=_place))


def _once(found: Sequence[Finding]) -> list[Finding]:
    """Findings without those that name a code at a place a second time."""
    seen: dict[tuple[str, str, str], Finding] = {}
    for one in found:
        seen.setdefault((one.code, one.pointer, "" if one.pointer else one.says), one)
    return list(seen.values())


def _place(finding: Finding) -> int:
    return -1 if finding.message_index is None else finding.message_index


def examine(opened: Opened, index: int = 0, raw: bytes | None = None, file: str = "") -> Examination:
    """The examination of one conversation of an opened file; with the file's bytes the strict pass is made too."""
    session = session_of(opened, file, index)
    conversation, shape = opened.conversations[index], shape_of(opened.format.name)
    recording = as_read(opened.recording, conversation)
    with collector_paused():
        native = native_of(conversation, recording, shape)
    hidden = strict.examine(raw, recording) if raw is not None else ()
    rows = {turn.pointer: turn.row for turn in native.turns} if hidden else {}
    placed = (replace(one, row=_row(one.pointer, rows)) for one in hidden)
    damage = tuple(_advised(one, bool(recording.lines)) for one in (*session.damage, *placed))
    return Examination(native, session, damage, opened.format.name, len(opened.conversations))


def _advised(finding: Finding, lined: bool) -> Finding:
    """Damage with what a repair does about it; the readers, which know of no repair, leave that out."""
    if finding.repair or finding.code not in BOOK:
        return finding
    if finding.code in _OF_LINES and finding.byte is None:
        return replace(finding, repair="None: it is JSON, and stays where it is.")
    if finding.code in _OF_LINES and not lined:
        return replace(finding, repair="None: only lines of JSON Lines are set aside, and cut JSON is never closed.")
    return replace(finding, repair=BOOK[finding.code].repair)


_OF_LINES = frozenset(("truncated-record", "unparseable-record", "glued-records", "split-record"))
"""Damage that a repair mends by moving whole lines."""


def _row(pointer: str, rows: dict[str, int]) -> int | None:
    while pointer and pointer not in rows:
        pointer = holder_of(pointer)
    return rows.get(pointer)


def as_read(recording: Recording, conversation: Conversation) -> Recording:
    """The recording as its reader saw it: a file of one line is a JSON value, and JSON Lines to some readers."""
    lined = len(conversation.messages) > 0 and conversation.origin(0).line is not None
    if lined and recording.kind == "file" and not recording.lines:
        return Recording(recording.name, records=[Record(recording.document, 0, 0)], damage=recording.damage)
    return recording


def examine_messages(context: Context, format: str = "messages") -> Examination:
    """The examination of messages alone: those that a caller holds, those of a file that is gone, and sent views."""
    shape = _loaded_shape(shape_of(format))
    turns = from_messages.turns_of(context.messages, context.origin)
    if not isinstance(context, Session):
        return Examination(Native(shape, turns, len(turns)), context)
    native = Native(shape, turns, len(turns), context.model, compactions=context.compactions)
    return Examination(native, context, context.damage)


def _loaded_shape(shape: Shape) -> Shape:
    """The shape of messages that were loaded from a format: each result is a message, however it was recorded."""
    if shape.layout == Layout.MESSAGES:
        return shape
    return replace(shape, layout=Layout.ROWS, whole_results=True, entry="", moves_notes=False, strict_arguments=False)


def native_of(conversation: Conversation, recording: Recording, shape: Shape) -> Native:
    """A conversation in its own shape."""
    lookup, copies = Lookup(recording), list[Copy]()
    if shape.layout == Layout.MESSAGES:
        turns = from_messages.turns_of(conversation.messages, conversation.origin)
    elif shape.layout == Layout.BLOCKS:
        turns = from_blocks.turns_of(conversation, lookup, shape)
    elif shape.layout == Layout.PARTS:
        turns = from_parts.turns_of(conversation, lookup)
    elif shape.layout == Layout.ITEMS:
        turns, copies = from_items.turns_of(conversation, lookup)
    else:
        turns = from_rows.turns_of(conversation, lookup, shape)
    holder, at = _holder(turns, lookup)
    return Native(
        shape, turns, _loaded(turns, lookup, shape), conversation.model, holder, at, conversation.compactions, copies
    )


def _holder(turns: Sequence[Turn], lookup: Lookup) -> tuple[dict[str, object], str]:
    """The request that the messages stand in."""
    first = next((turn for turn in turns if turn.entry >= 0 and turn.role != Role.SYSTEM), None)
    if first is None or first.pointer.count("/") < 2:
        return {}, ""
    at = holder_of(holder_of(first.pointer))
    return body_of(lookup.at(at)), at


def _loaded(turns: Sequence[Turn], lookup: Lookup, shape: Shape) -> int:
    """Native messages: the length of the array that holds them, else the entries that were read."""
    own = [
        turn for turn in turns if turn.entry >= 0 and not (turn.role == Role.SYSTEM and turn.pointer.endswith(_SYSTEMS))
    ]
    if own and own[0].line is None:
        listed = lookup.at(holder_of(own[0].pointer))
        if isinstance(listed, list):
            return len(listed)
    return len({turn.pointer for turn in own})


_SYSTEMS = ("/system", "/instructions", "/systemInstruction", "/system_instruction")
