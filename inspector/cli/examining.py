"""Recordings examined for a verb: one, several, or all in a folder, the unreadable ones with their reason."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from inspector.cli.output import Trouble
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
        calls, results = len(native.calls), len(native.results)
        return f"{self.messages:,} messages with {calls:,} calls and {results:,} results, by the rules about {families}"


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
    """A report for each recording; of a folder that is no recording itself, for each that it holds."""
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
    whole = _report(path, form, index, original)
    if not whole.unreadable:
        return [whole]
    reports = [_report(file, form, index, original) for file in _files(path)]
    known = [report for report in reports if not report.unreadable or _is_damaged(report)]
    return known or [Report(path, unreadable=f"{path}: no file in it is a session in a known format")]


def _is_damaged(report: Report) -> bool:
    """Whether an unreadable file was a recording once; other files of a folder are no concern of ours."""
    return any(finding.code != "unparseable-record" for finding in report.damage)


def _files(path: str) -> Iterator[str]:
    found = sorted(os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names)
    if len(found) > MOST_FILES:
        raise Trouble(f"{path}: it is a folder of more than {MOST_FILES:,} files; name those to examine")
    yield from found
