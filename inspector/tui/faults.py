"""What is wrong in the session and in its sent view, by row, as short words with their severity.

No textual here, and no doctor before there is a finding: a first frame needs none. Until the doctor has looked at a
sent view, what the policy broke is known from its plan alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from inspector.finding import Severity
from inspector.policies.breakage import SAYS, Breakage

if TYPE_CHECKING:
    from inspector.doctor.told import Compared, Examined, Fault

NATIVE = "native"
"""The target that is the provider of the file's own format."""
SERIOUS: tuple[Severity, ...] = ("error", "warning")
"""What is marked on the rows; remarks are in the reader and in the list of findings."""


class Harm(NamedTuple):
    """What is wrong at a row, in short."""

    severity: Severity
    words: str


@dataclass(frozen=True, eq=False)
class Faults:
    """Findings in the order of the session."""

    told: Sequence[Fault]

    @cached_property
    def at(self) -> Mapping[int, Sequence[Fault]]:
        """Every finding by its row, the file's own under -1."""
        found: dict[int, list[Fault]] = {}
        for fault in self.told:
            found.setdefault(fault.row, []).append(fault)
        return found

    @cached_property
    def rows(self) -> Mapping[int, Severity]:
        """Rows with an error or a warning, ascending, each with the worse of both."""
        worst: dict[int, Severity] = {}
        for fault in self.told:
            severity = fault.finding.severity
            if fault.row >= 0 and severity in SERIOUS and worst.get(fault.row) != "error":
                worst[fault.row] = severity
        return {row: worst[row] for row in sorted(worst)}

    @cached_property
    def counts(self) -> Mapping[Severity, int]:
        """How many there are of each severity."""
        return Counter(fault.finding.severity for fault in self.told)

    @property
    def serious(self) -> int:
        """How many errors and warnings there are."""
        return sum(self.counts.get(severity, 0) for severity in SERIOUS)

    def harm(self, row: int) -> tuple[Harm, ...]:
        """The errors and warnings at a row in short, the worst first, equal ones counted."""
        found = [fault for fault in self.at.get(row, ()) if fault.finding.severity in SERIOUS]
        said = Counter((fault.finding.severity, short(fault)) for fault in found)
        ranked = sorted(said.items(), key=lambda item: SERIOUS.index(item[0][0]))
        return tuple(
            Harm(severity, f"{words} ({times} times)" if times > 1 else words) for (severity, words), times in ranked
        )


NONE = Faults(())


@dataclass(frozen=True, eq=False)
class Verdict:
    """What the doctor has said so far of a session, and of the sent view that is shown."""

    target: str
    recorded: Faults | None = None
    """None until the recording is examined."""
    compared: Compared | None = None
    """None until the sent view is examined."""

    @classmethod
    def of(cls, examined: Examined | None, target: str) -> Verdict:
        """That of a recording, whose sent view is not examined yet."""
        return cls(target, None if examined is None else Faults(examined.faults))

    @cached_property
    def introduced(self) -> Faults | None:
        """What the policy brought in."""
        return None if self.compared is None else Faults(self.compared.introduced)

    def standing(self, fault: Fault) -> str:
        """Whose fault it is, and whether it is sent, in words."""
        if fault.introduced:
            return "introduced by the policy"
        if self.compared is None or fault.row < 0:
            return "in the recording"
        if fault.key in self.compared.still:
            return "in the recording and in what is sent"
        return "in the recording, not in what is sent" if fault.key in self.compared.gone else "in the recording"


UNEXAMINED = Verdict(NATIVE)


def short(fault: Fault) -> str:
    """A fault in a few words; what a policy broke is said as it is said while a setting moves."""
    from inspector.doctor.rulebook import RULES

    code = fault.finding.code
    if (fault.introduced or code not in RULES) and code in set(Breakage):
        return SAYS[Breakage(code)]
    return RULES[code].title if code in RULES else code


def family(code: str) -> str:
    """What a rule is about."""
    from inspector.doctor.rulebook import RULES

    return RULES[code].family.value if code in RULES else ""


def matching(faults: Iterable[Fault], typed: str, verdict: Verdict = UNEXAMINED) -> list[Fault]:
    """The findings that hold every typed word in their severity, rule, family, standing or sentence."""
    words = typed.lower().split()
    return [fault for fault in faults if all(word in _text(fault, verdict) for word in words)]


def _text(fault: Fault, verdict: Verdict) -> str:
    finding = fault.finding
    return f"{finding.severity} {finding.code} {family(finding.code)} {verdict.standing(fault)} {finding.says}".lower()
