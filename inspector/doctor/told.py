"""A finding with what a person needs beside it: the row, who refuses it with which words, and whose fault it is.

A sent view is examined as its recording is, and each finding is told apart: the recording has it too, or the policy
brought it in. Both are judged as messages, so that a difference between them is the policy's alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from inspector.doctor import rulebook
from inspector.doctor.examine import Examination, examine_messages
from inspector.doctor.targets import Target
from inspector.finding import Finding
from inspector.message import Context, Session
from inspector.policies.breakage import Breakage, findings

if TYPE_CHECKING:
    from inspector.policies import SentView

Key: TypeAlias = "tuple[str, int]"
"""A rule's code, and the row of the recording."""
FILE = -1
"""The row of what is wrong with the file as a whole."""
_PARTED = frozenset((Breakage.ORPHAN.value, Breakage.DANGLING.value))
"""Breakages that the doctor's own pairing finds, and judges better."""


class Fault(NamedTuple):
    """One finding."""

    finding: Finding
    row: int
    """Row of the recording beside which it is shown; `FILE` where it has none."""
    call_id: str = ""
    """Of the call or result that it is about."""
    refused_by: str = ""
    """A provider that refuses it."""
    refusal: str = ""
    """With these words."""
    introduced: bool = False
    """Whether the policy brought it in; else the recording has it."""

    @property
    def key(self) -> Key:
        """What tells it from others of the session, but for those of one rule in one message."""
        return self.finding.code, self.row


@dataclass(frozen=True, eq=False)
class Examined:
    """A recording that was examined for a target."""

    target: str
    faults: tuple[Fault, ...]
    """In the order of the file."""
    format: str
    as_messages: tuple[Finding, ...]
    """The findings of its loaded messages alone: what those of a sent view are compared with."""


@dataclass(frozen=True, eq=False)
class Compared:
    """A sent view that was examined, beside its recording."""

    introduced: tuple[Fault, ...]
    still: frozenset[Key]
    """Findings of the recording that are sent too."""
    gone: frozenset[Key]
    """Findings of the recording's messages that are not sent."""


def call_id_at(examination: Examination, finding: Finding) -> str:
    """The call id of what a finding is about; empty where it is about no call."""
    part = examination.native.part_at(finding.pointer)
    return (part.id if part is not None else None) or ""


def refusal(examination: Examination, finding: Finding, target: Target) -> tuple[str, str]:
    """Who refuses a fault with which words, the id filled in; two empty texts where nobody is known to."""
    provider = target.for_provider(examination.native.provider).provider
    return rulebook.refusal(finding, provider, call_id_at(examination, finding)) or ("", "")


def examined(examination: Examination, session: Session, target: Target) -> Examined:
    """The faults of a recording, each with its row."""
    found = [_fault(examination, finding, target, finding.row) for finding in examination.findings(target)]
    return Examined(target.name, tuple(found), session.format, _as_messages(session, target))


def _as_messages(session: Session, target: Target) -> tuple[Finding, ...]:
    bare = Context(session.messages, session.origin, session.source)  # no sent view has the damage of a file either
    return examine_messages(bare, session.format).findings(target)


def introduced(view: SentView, session: Session, target: Target) -> tuple[Finding, ...]:
    """What a policy brought in, each with its row of the recording; of the recording's own faults nothing is told."""
    known = Examined(target.name, (), session.format, _as_messages(session, target))
    found = compared(view, known, target).introduced
    return tuple(replace(one.finding, row=None if one.row == FILE else one.row) for one in found)


def _fault(
    examination: Examination, finding: Finding, target: Target, row: int | None, introduced: bool = False
) -> Fault:
    said = refusal(examination, finding, target)
    return Fault(finding, FILE if row is None else row, call_id_at(examination, finding), *said, introduced)


def compared(view: SentView, known: Examined, target: Target) -> Compared:
    """The findings of a sent view beside those of its recording."""
    examination = examine_messages(view.context, known.format)
    rows = rows_of(view)
    new: list[Fault] = []
    old: list[Key] = []
    unmatched = Counter((one.code, _row(one.row), one.says) for one in known.as_messages)
    placed = [(finding, FILE if finding.row is None else rows[finding.row]) for finding in examination.findings(target)]
    rest = []
    for finding, row in placed:  # first those that are word for word the same, so that siblings are not taken for them
        if unmatched[finding.code, row, finding.says] > 0:
            unmatched[finding.code, row, finding.says] -= 1
            old.append((finding.code, row))
        else:
            rest.append((finding, row))
    spare = Counter[Key]()
    for (code, row, _), times in unmatched.items():
        spare[code, row] += times
    for finding, row in rest:
        if spare[finding.code, row] > 0:
            spare[finding.code, row] -= 1
            old.append((finding.code, row))
        else:
            new.append(_fault(examination, finding, target, row, introduced=True))
    new += _other_harm(view, {fault.key for fault in new} | set(old))
    still = frozenset(old)
    seen = len(view.plan.action)  # the view of an earlier request does not reach all rows
    gone = frozenset((one.code, one.row) for one in known.as_messages if one.row is not None and one.row < seen) - still
    return Compared(tuple(sorted(new, key=lambda fault: fault.row)), still, gone)


def _row(row: int | None) -> int:
    return FILE if row is None else row


def rows_of(view: SentView) -> list[int]:
    """The row of the recording beside which each sent message is drawn; an insert is drawn at its anchor."""
    anchors = {id(insert.body): max(0, insert.anchor) for insert in view.plan.inserts}
    messages = view.messages
    return [row if row >= 0 else anchors.get(id(messages[place]), 0) for place, row in enumerate(view.source)]


def _other_harm(view: SentView, found: set[Key]) -> Iterator[Fault]:
    """What only a comparison with the recording shows: a prompt that is gone, a result that grew."""
    for finding in findings(view.plan):
        row = _row(finding.row)
        if finding.code not in _PARTED and (finding.code, row) not in found:
            yield Fault(finding, row, introduced=True)
