"""Recordings examined for a verb: one, several, or all in a folder, the unreadable ones with their reason."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from inspector.cli.output import Trouble, counted
from inspector.cli.reading import stdin_bytes
from inspector.finding import Finding
from inspector.writing import STDIO

if TYPE_CHECKING:
    from inspector.doctor import Examination
    from inspector.doctor.targets import Provider
    from inspector.message import Session

SHOWN = 50
MOST_FILES = 10_000
"""Files of a folder that are looked at."""


@dataclass(frozen=True, eq=False)
class Report:
    """One recording, examined or not."""

    source: str
    format: str = ""
    examination: Examination | None = None
    original: Session | None = None
    unreadable: str = ""
    """Why it could not be read, in one sentence."""
    damage: tuple[Finding, ...] = ()
    """Of an unreadable file: what is wrong with it."""
    _judged: dict[str, tuple[Finding, ...]] = field(default_factory=dict)

    @property
    def messages(self) -> int:
        """Native messages that were loaded."""
        return 0 if self.examination is None else self.examination.native.messages

    @property
    def conversations(self) -> int:
        """Conversations that the recording holds, of which one was examined."""
        return 0 if self.examination is None else self.examination.conversations

    def id_at(self, finding: Finding) -> str:
        """The call id of what a finding is about; empty where it is about no call."""
        from inspector.doctor.told import call_id_at

        return "" if self.examination is None else call_id_at(self.examination, finding)

    def refusal(self, finding: Finding, target: str) -> tuple[str, str] | None:
        """Who refuses a fault with which words, the id filled in."""
        from inspector.doctor import rulebook

        return rulebook.refusal(finding, self._provider(target), self.id_at(finding))

    def _provider(self, target: str) -> Provider:
        from inspector.doctor.targets import Provider, target_named

        native = Provider.ANY if self.examination is None else self.examination.native.provider
        return target_named(target).for_provider(native).provider

    def target_words(self, target: str) -> str:
        """A target as a person is told of it."""
        if target != "native":
            return target
        provider = self._provider(target).value
        return "the client that recorded it" if provider == "any" else f"its own provider ({provider})"

    def checked(self) -> str:
        """What was looked at, in figures."""
        from inspector.doctor.rulebook import Family

        if self.examination is None:
            return "nothing"
        native = self.examination.native
        families = ", ".join(family.value for family in Family if family is not Family.PLAN)
        calls, results = counted(len(native.calls), "call"), counted(len(native.results), "result")
        return f"{counted(self.messages, 'message')} with {calls} and {results}, by the rules about {families}"


def judged(report: Report, target: str) -> tuple[Finding, ...]:
    """The findings of a recording for a target, worked out once."""
    from inspector.doctor.compared import dropped_prompt
    from inspector.doctor.targets import target_named

    if report.examination is None:
        return report.damage
    if target not in report._judged:
        found = report.examination.findings(target_named(target))
        if report.original is not None:
            lost = dropped_prompt(report.examination.native, report.examination.context, report.original)
            found = (*lost, *found)
        report._judged[target] = found
    return report._judged[target]


def exit_status(reports: Sequence[Report], targets: Sequence[str], strict: bool) -> int:
    """2 where a file could not be read, 1 where something serious was found, else 0."""
    if any(report.unreadable for report in reports):
        return 2
    serious = ("error", "warning") if strict else ("error",)
    found = (finding for report in reports for target in targets for finding in judged(report, target))
    return int(any(finding.severity in serious for finding in found))


def original_of(path: str | None, form: str | None) -> Session | None:
    """The session to compare with. Raises `Trouble`."""
    if path is None:
        return None
    from inspector.formats import UnreadableSession, load, load_bytes

    try:
        return load_bytes(stdin_bytes(), STDIO) if path == STDIO else load(path)
    except UnreadableSession as fault:
        raise Trouble(str(fault)) from None


def gather(paths: Sequence[str], form: str | None, index: int, original: Session | None = None) -> list[Report]:
    """A report for each recording; of a folder that is no recording itself, for each in it. Raises `Trouble`."""
    from inspector.formats import UnreadableSession, format_named

    try:
        if form is not None:
            format_named(form)
    except UnreadableSession as fault:
        raise Trouble(str(fault)) from None
    reports = []
    for path in paths:
        if path != STDIO and os.path.isdir(path):
            reports += _in_folder(path, form, index, original)
        else:
            reports.append(_report(path, form, index, original))
    return reports


def _report(path: str, form: str | None, index: int, original: Session | None) -> Report:
    from inspector.doctor import examine_file
    from inspector.formats import UnreadableSession

    try:
        raw = stdin_bytes() if path == STDIO else None
        found = examine_file(path, form, index, raw)
    except UnreadableSession as fault:
        return Report(path, unreadable=str(fault), damage=(fault.finding,) if fault.finding else ())
    return Report(path, found.format, found, original)


def _in_folder(path: str, form: str | None, index: int, original: Session | None) -> list[Report]:
    if _files_in(path) > MOST_FILES:
        raise Trouble(f"{path}: it is a folder of more than {MOST_FILES:,} files; name those to examine")
    known = _recordings(path, lambda one: _report(one, form, index, original))
    return known or [Report(path, unreadable=f"{path}: no file in it is a session in a known format")]


def _recordings(folder: str, report: Callable[[str], Report]) -> list[Report]:
    """The recordings of a folder: itself, where all in it is of its one format, else each that it holds."""
    whole = report(folder)
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:  # one that may not be read hides nothing that could be examined
        return []
    files = [report(entry.path) for entry in entries if entry.is_file()]
    below = [_recordings(entry.path, report) for entry in entries if entry.is_dir(follow_symlinks=False)]
    each = [one for some in (files, *below) for one in some if not one.unreadable or _is_damaged(one)]
    alone = sum(any(not one.unreadable for one in some) for some in below) < 2  # else each is a recording by itself
    if not whole.unreadable and alone and {one.format for one in each if one.format} <= {whole.format}:
        return [whole]
    return sorted(each, key=lambda one: one.source)


def _is_damaged(report: Report) -> bool:
    """Whether an unreadable file was a recording once; other files of a folder are no concern of ours."""
    return any(finding.code != "unparseable-record" for finding in report.damage)


def _files_in(path: str) -> int:
    """How many files a folder holds, counted as far as it matters."""
    count = 0
    for _, _, names in os.walk(path):
        count += len(names)
        if count > MOST_FILES:
            break
    return count
