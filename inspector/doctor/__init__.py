"""The doctor: what is wrong in a session, whom it would be refused by and with which words, and what a repair does."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from inspector.doctor.examine import Examination, examine, examine_messages
from inspector.doctor.targets import ALL, NATIVE, TARGETS, Target, UnknownTarget, target_named
from inspector.finding import Finding
from inspector.formats import UnreadableSession, conversations, conversations_in
from inspector.formats.files import read_bytes, unpacked
from inspector.message import Session

if TYPE_CHECKING:
    from inspector.policies import SentView

__all__ = [
    "ALL", "NATIVE", "TARGETS", "Examination", "Target", "UnknownTarget", "diagnose", "examination_of", "examine",
    "examine_file", "examine_messages", "target_named",
]  # fmt: skip


def diagnose(subject: Session | SentView, target: str = NATIVE) -> tuple[Finding, ...]:
    """What is wrong in a session, or in a sent view, for a target.

    A session that was loaded from a file is examined as that file holds it, which is read once more; one whose file is
    gone or has changed, a branch that was left, and messages that a caller holds, are examined as messages. So is a
    sent view.

    Raises `UnknownTarget` with one sentence.
    """
    return examination_of(subject).findings(target_named(target))


def examination_of(subject: Session | SentView) -> Examination:
    """The examination behind `diagnose`, which judges for any number of targets."""
    if not isinstance(subject, Session):
        whole = subject.plan.context
        return examine_messages(subject.context, whole.format if isinstance(whole, Session) else "messages")
    found = _as_recorded(subject) if subject.file and subject.branch is None else None
    return examine_messages(subject, subject.format) if found is None else found


def _as_recorded(session: Session) -> Examination | None:
    """The examination of a session's file; None where it is not what was loaded."""
    try:
        if not os.path.exists(session.file):
            return None
        found = examine_file(session.file, session.format, session.index)
    except UnreadableSession:
        return None
    rows = max((part.row for turn in found.native.turns for part in turn.parts), default=-1)
    return found if rows < len(session) else None


def examine_file(path: str, format: str | None = None, index: int = 0, raw: bytes | None = None) -> Examination:
    """The examination of a recording: a file, a folder or a database; `raw` are the bytes of a file that were read.

    Raises `UnreadableSession`; its `finding` is the reason where it is damage.
    """
    if raw is None and os.path.isfile(path):
        raw = read_bytes(path)
    if raw is None:
        return examine(conversations(path, format), index, file=path)
    opened = conversations_in(raw, path, format)
    return examine(opened, index, unpacked(raw, path), path)
