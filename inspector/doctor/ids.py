"""Rules about ids: unique where they must be, of the form that a target takes (TAXONOMY.md, B and parts of A)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from inspector.doctor.native import Native, id_of
from inspector.doctor.pairing import Pairing
from inspector.doctor.report import about_part, about_turn, named
from inspector.doctor.rulebook import RULES
from inspector.doctor.targets import Provider, Target
from inspector.finding import Finding, Severity

FORMS: Mapping[Provider, re.Pattern[str]] = {
    Provider.ANTHROPIC: re.compile(r"[a-zA-Z0-9_-]+"),
    Provider.MISTRAL: re.compile(r"[a-zA-Z0-9]{9}"),
}
"""What ids a provider takes (TAXONOMY.md, tool-call-id-format)."""


def duplicate_call_ids(native: Native, pairing: Pairing, target: Target) -> Iterator[Finding]:
    """Calls of one turn that share an id."""
    for call, first, identical in pairing.shared:
        how = "the same call" if identical else "another call"
        says = f"{how} at {first.pointer} has the id {call.id} too"
        repair = "Delete this copy." if identical else "Rename this call and its result."
        yield about_part("duplicate-tool-call-id", native.turn_of(call), call, says, repair=repair)


def reused_ids(native: Native, pairing: Pairing, target: Target) -> Iterator[Finding]:
    """Ids that an earlier turn used."""
    severity: Severity = "error" if target.provider == Provider.ANTHROPIC else "info"
    for call, first in pairing.reused:
        says = f"the id {call.id} was used before, at {first.pointer}"
        yield about_part("reused-tool-call-id", native.turn_of(call), call, says, severity=severity)


def id_forms(native: Native, pairing: Pairing, target: Target) -> Iterator[Finding]:
    """Ids of a form that the target refuses."""
    form = FORMS.get(target.provider)
    if form is None:
        return
    for call in native.calls:
        if call.id and not form.fullmatch(call.id):
            found = id_of(call)
            says = f"the id of {named(call)} is not of the form that {target.name} takes ({form.pattern})"
            inner = found.pointer if found else ""
            yield about_part("tool-call-id-format", native.turn_of(call), call, says, inner=inner)


def duplicate_items(native: Native, pairing: Pairing, target: Target) -> Iterator[Finding]:
    """Items whose id another item has."""
    for copy, first, identical in native.copies:
        item = copy.value
        says = f"the item at {first.pointer} has the id {item.get('id')} too"
        found = about_turn("duplicate-item-id", copy, says)
        yield found if identical else _unlike(found)


def _unlike(found: Finding) -> Finding:
    entry = RULES[found.code]
    return Finding(
        found.code, entry.severity, f"{found.says}, and differs", found.message_index, found.pointer, found.line,
        row=found.row, repair="None: the items differ, and which one is meant is not in the file.",
    )  # fmt: skip
