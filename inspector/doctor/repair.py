"""The minimal safe repair of a recording, in its own shape.

A repair goes in stages, the file first and the special wishes of a target last; after each stage the file is examined
anew, so that no repair rests on a fault that is gone. A stage that would leave more errors than it found, and nothing
to mend them with, is not made. What the rule book forbids is never done: output is not invented, cut JSON not closed, a
thought not made up, an honest text not touched. Running a repair twice changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from inspector.change import Patch, replaced
from inspector.doctor import mend_calls, mend_content, mend_targets
from inspector.doctor.compared import dropped_prompt
from inspector.doctor.examine import Examination, as_read, examine
from inspector.doctor.mend_bytes import FILE_CODES, mend_file, without_halves, without_twins
from inspector.doctor.rulebook import RULES, Fix
from inspector.doctor.sick import Sick
from inspector.doctor.targets import Target
from inspector.finding import Finding
from inspector.formats import UnreadableSession, conversations_in
from inspector.formats.format import CannotWrite
from inspector.formats.scan import space_end
from inspector.formats.splice import BOM, splice
from inspector.message import Context

Mend: TypeAlias = Callable[[Sick, Sequence[Finding]], Iterator[Patch]]

MOST_ROUNDS = 200


def _nulls(sick: Sick, findings: Sequence[Finding]) -> Iterator[Patch]:
    yield from (replaced(sick.site(finding.pointer), None) for finding in findings)


STAGES: tuple[tuple[str, Mend | None], ...] = (
    *((code, None) for code in ("bom", "nul-bytes", "invalid-utf8", "glued-records", "split-record",
                                "truncated-record", "unparseable-record", "lone-surrogate", "duplicate-json-key")),
    ("nonstandard-json-constant", _nulls),
    ("duplicate-record", mend_content.remove_entries),
    ("duplicate-item-id", mend_content.remove_entries),
    ("broken-parent-link", mend_targets.relink),
    ("system-prompt-dropped", mend_targets.put_prompt_back),
    ("mixed-tool-call-encodings", mend_calls.remove_foreign),
    ("duplicate-tool-call-id", mend_calls.part_shared_ids),
    ("duplicate-tool-result", mend_calls.remove_results),
    ("misplaced-tool-result", mend_calls.move_results),
    ("orphan-tool-result", mend_calls.remove_results),
    ("orphan-server-tool-result", mend_calls.remove_results),
    ("dangling-tool-call", mend_calls.answer_calls),
    ("split-tool-results", mend_calls.merge_split),
    ("tool-result-not-first", mend_calls.results_first),
    ("empty-text-block", mend_content.remove_texts),
    ("whitespace-only-text", mend_content.remove_texts),
    ("thinking-without-signature", mend_content.remove_texts),
    ("reasoning-without-follower", mend_content.remove_entries),
    ("null-content", mend_content.fill_null),
    ("empty-message", mend_content.remove_entries),
    ("empty-error-result", mend_content.fill_errors),
    ("invalid-tool-arguments", mend_content.empty_arguments),
    ("tool-input-not-object", mend_content.wrap_inputs),
    ("marker-in-tool-name", mend_content.cut_names),
    ("call-not-after-user", mend_calls.begin_with_user),
    ("reused-tool-call-id", mend_calls.part_reused_ids),
    ("tool-call-id-format", mend_targets.rewrite_ids),
    ("call-without-reasoning", mend_content.forget_item_ids),
    ("missing-reasoning-content", mend_content.empty_reasoning),
    ("missing-thought-signature", mend_content.stand_in_signatures),
    ("image-too-large-for-many", mend_content.describe_images),
    ("image-in-tool-message", mend_content.move_images),
    ("image-not-bare-base64", mend_content.bare_images),
    ("too-many-cache-breakpoints", mend_content.fewer_markers),
    ("string-too-long", mend_content.cut_strings),
    ("consecutive-same-role", mend_targets.merge_roles),
    ("user-after-tool", mend_targets.bridge_roles),
)  # fmt: skip
"""The codes that can be repaired, in the order in which they are."""
_KEEPING = frozenset((*FILE_CODES, "lone-surrogate", "duplicate-json-key", "nonstandard-json-constant",
                      "broken-parent-link", "dangling-tool-call"))  # fmt: skip
"""Codes whose repair must leave every message where it is read: one link makes a tree of a file of loose lines."""
_MENDS: Mapping[str, Mend | None] = dict(STAGES)


@dataclass(frozen=True, slots=True)
class Done:
    """One fault that was repaired."""

    finding: Finding

    @property
    def did(self) -> str:
        """What was done, in a sentence."""
        return self.finding.repair or RULES[self.finding.code].repair


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a repair came to."""

    raw: bytes
    """The repaired file; the very bytes that were given where there was nothing to do."""
    repaired: tuple[Done, ...]
    left: tuple[Finding, ...]
    """Errors and warnings that remain, and why is in each one's `repair`."""
    rejected: bytes = b""
    """Pieces of records that were set aside."""


@dataclass(frozen=True, eq=False)
class Wish:
    """How a repair is to be made."""

    target: Target
    consent: frozenset[str] = frozenset()
    """Codes that may be repaired though they need a word from the user."""
    original: Context | None = None
    format: str | None = None
    index: int = 0


@dataclass(slots=True)
class _State:
    raw: bytes
    sick: Sick
    findings: tuple[Finding, ...]
    given_up: set[str] = field(default_factory=set)


def repaired(raw: bytes, name: str, wish: Wish) -> Outcome:
    """The repair of a file's bytes, unpacked ones. Raises `UnreadableSession` where nothing in it can be read."""
    state = _examined(raw, name, wish)
    recorded = list(state.findings)
    done: list[Done] = []
    rejected = b""
    for _ in range(MOST_ROUNDS):
        code = next((code for code, _ in STAGES if code not in state.given_up and _mendable(code, state, wish)), None)
        if code is None:
            break
        together = [one for one, _ in STAGES if one in FILE_CODES] if code in FILE_CODES else [code]
        chosen = [finding for one in together for finding in _mendable(one, state, wish)]
        made, aside, mended = _mended(state, code, chosen)
        following = _tried(made, name, wish) if made != state.raw else None
        if following is None or _worse(state, following, code, wish):
            state.given_up.add(code)
            continue
        state, rejected = following, rejected + aside
        done += [Done(_as_recorded(one, recorded)) for one in mended]
    left = tuple(_why_left(one, state.given_up) for one in state.findings if one.severity != "info")
    return Outcome(state.raw, tuple(done), left, rejected)


def _as_recorded(mended: Finding, recorded: list[Finding]) -> Finding:
    """A finding as it stands in the recording, where an earlier stage has moved its message; it is taken from there."""
    for at, one in enumerate(recorded):
        if (one.code, one.says) == (mended.code, mended.says):
            return recorded.pop(at)
    return mended


def _why_left(finding: Finding, given_up: Collection[str]) -> Finding:
    """A finding that remains; where its repair was tried and given up, that stands in the place of the repair."""
    tried = finding.code in given_up and may_repair(finding)
    return replace(finding, repair="None: no repair was found that does no other harm.") if tried else finding


def _tried(raw: bytes, name: str, wish: Wish) -> _State | None:
    """A file that a repair would leave; None where nobody could read it."""
    try:
        return _examined(raw, name, wish)
    except UnreadableSession:
        return None


def _examined(raw: bytes, name: str, wish: Wish) -> _State:
    opened = conversations_in(raw, name, wish.format)
    examination = examine(opened, wish.index, raw, name)
    conversation = opened.conversations[wish.index]
    sick = Sick(examination, as_read(opened.recording, conversation), _target(wish, examination), wish.original)
    return _State(raw, sick, _findings(examination, wish))


def _target(wish: Wish, examination: Examination) -> Target:
    return wish.target.for_provider(examination.native.provider)


def _findings(examination: Examination, wish: Wish) -> tuple[Finding, ...]:
    found = examination.findings(wish.target)
    if wish.original is None:
        return found
    return (*dropped_prompt(examination.native, examination.context, wish.original), *found)


def _mendable(code: str, state: _State, wish: Wish) -> list[Finding]:
    """The findings of a code that may be repaired."""
    fix = RULES[code].fix
    if code not in _MENDS or fix is Fix.NEVER or (fix is Fix.CONSENT and code not in wish.consent):
        return []
    return [one for one in state.findings if one.code == code and may_repair(one)]


def may_repair(finding: Finding) -> bool:
    """Whether this very finding is one that a repair takes up, and not one about which it only advises."""
    advised = finding.repair.startswith("None")
    return not advised and (finding.severity != "info" or finding.code == "bom")


def _mended(state: _State, code: str, chosen: Sequence[Finding]) -> tuple[bytes, bytes, Sequence[Finding]]:
    """The file without the chosen faults, what was set aside, and which of them were taken up."""
    if code in FILE_CODES:
        done = mend_file(state.raw, state.sick.recording, chosen)
        return done.raw, done.rejected, chosen
    if code == "lone-surrogate":
        return without_halves(state.raw), b"", chosen
    if code == "duplicate-json-key":
        return without_twins(state.raw, [_start(state, one) for one in chosen]), b"", chosen
    mend = _MENDS[code]
    assert mend is not None
    return _spliced(state, mend, chosen)


def _start(state: _State, finding: Finding) -> tuple[int, str]:
    """Where the record of a finding starts, and its pointer inside that record."""
    starts = _starts(state)
    if starts is None:
        return len(BOM) if state.raw.startswith(BOM) else 0, finding.pointer
    line, slash, inner = finding.pointer[1:].partition("/")
    return starts.get(int(line), [0])[0], slash + inner


def _spliced(state: _State, mend: Mend, chosen: Sequence[Finding]) -> tuple[bytes, bytes, Sequence[Finding]]:
    """Repair as many of the findings at once as do not stand in each other's way."""
    while chosen:
        try:
            patches = list(mend(state.sick, chosen))
            return splice(state.raw, patches, _starts(state)), b"", chosen if patches else ()
        except CannotWrite:
            chosen = chosen[: len(chosen) // 2]
    return state.raw, b"", ()


def _starts(state: _State) -> dict[int, list[int]] | None:
    """Where the records of JSON Lines start, by line; None where the file is one JSON value."""
    if not state.sick.lined:
        return None
    starts: dict[int, list[int]] = {}
    for record in state.sick.recording.records:
        first = len(BOM) if record.byte == 0 and state.raw.startswith(BOM) else record.byte
        starts.setdefault(record.line, []).append(space_end(state.raw, first))
    return starts


def _worse(before: _State, after: _State, code: str, wish: Wish) -> bool:
    """Whether a repair left its own fault as often as before, lost messages, or made errors that nothing can repair."""
    as_often = _count(after, code) >= _count(before, code)
    lost = code in _KEEPING and len(after.sick.examination.context) < len(before.sick.examination.context)
    return as_often or lost or _hopeless(after, wish) > _hopeless(before, wish)


def _count(state: _State, code: str) -> int:
    return sum(one.code == code for one in state.findings)


def _hopeless(state: _State, wish: Wish) -> int:
    """How many errors no later stage takes up."""
    codes = {one.code for one in state.findings if one.severity == "error"}
    hopeful = {(one.code, one.pointer) for code in codes for one in _mendable(code, state, wish)}
    return sum(one.severity == "error" and (one.code, one.pointer) not in hopeful for one in state.findings)


__all__ = ["Done", "Outcome", "UnreadableSession", "Wish", "may_repair", "repaired"]
