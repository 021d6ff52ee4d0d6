"""Rules about calls and results: answered, once, in their place, in one encoding (TAXONOMY.md, A)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from inspector.doctor.from_messages import is_scrubbed
from inspector.doctor.native import Kind, Native, Part, Role, body_of, id_of
from inspector.doctor.pairing import Pairing
from inspector.doctor.report import about_part, about_turn, named
from inspector.doctor.shapes import Layout
from inspector.doctor.targets import Provider, Target
from inspector.finding import Finding, Severity

_ABORTED = ("aborted", "error")
_FIRST = (Provider.ANTHROPIC, Provider.BEDROCK)


def dangling(native: Native, pairing: Pairing, target: Target) -> Iterator[Finding]:
    """Calls that nothing answers."""
    for call in pairing.dangling:
        turn = native.turn_of(call)
        at_end = call.pointer in pairing.at_end
        severity: Severity = "warning" if at_end else "error"
        says = f"nothing answers the call of {named(call)}"
        if at_end:
            says += "; the session ends there, so it may still have been running"
        if _is_compacted(native, call):
            severity = "info"
            says += "; a compaction stands between, so that it is no longer sent"
        if native.shape.drops_aborted and _is_aborted(turn.value):
            severity, says = "info", f"the call of {named(call)} was aborted; the client leaves this answer out"
        yield about_part("dangling-tool-call", turn, call, says, severity=severity)


def _is_compacted(native: Native, part: Part) -> bool:
    """Whether a part lies before the latest compaction of the recording tool and was not kept."""
    latest = native.compactions[-1] if native.compactions else None
    return latest is not None and 0 <= part.row < latest.row and part.row not in latest.kept


def _is_aborted(entry: object) -> bool:
    value = body_of(entry)
    inner = body_of(value.get("message")) or value
    return (inner.get("stopReason") or inner.get("stop_reason")) in _ABORTED


def orphans(native: Native, pairing: Pairing, target: Target) -> Iterator[Finding]:
    """Results that answer no call."""
    for result in pairing.orphans:
        says = f"no call waits for the result of {named(result)}"
        remark = _is_remark(native, result)
        severity: Severity = "warning" if remark else "error"
        repair = "None: without an id nothing tells what it answers." if remark else ""
        turn = native.turn_of(result)
        yield about_part("orphan-tool-result", turn, result, says, severity=severity, repair=repair)


def _is_remark(native: Native, result: Part) -> bool:
    """Whether a result has no id of its own and is a client's remark, or the id was taken out for publication."""
    found = id_of(result)
    return result.id is None and (native.provider == Provider.ANY or (found is not None and is_scrubbed(found.value)))


def misplaced(native: Native, pairing: Pairing, target: Target) -> Iterator[Finding]:
    """Results whose call is open, but stands after them or apart from them."""
    for result, call, before in pairing.misplaced:
        where = f"its call at {call.pointer}"
        why = f"stands before {where}" if before else f"is parted from {where} by another message"
        says = f"the result of {named(call)} {why}"
        yield about_part("misplaced-tool-result", native.turn_of(result), result, says)


def not_first(native: Native, pairing: Pairing, target: Target) -> Iterator[Finding]:
    """Results behind other blocks of their message."""
    if target.provider not in _FIRST or native.shape.whole_results or native.shape.moves_notes:
        return
    wrong = {one.result.pointer for one in pairing.misplaced} | {one.result.pointer for one in pairing.duplicates}
    for turn in native.turns:
        late = late_result(turn.parts) if turn.role == Role.USER else None
        if late is not None and late.pointer not in wrong and late.pointer in pairing.asked:
            says = f"the result of {named(late)} stands behind other content of its message"
            yield about_part("tool-result-not-first", turn, late, says)


def late_result(parts: Iterable[Part]) -> Part | None:
    """The first result that stands after other content."""
    others = False
    for part in parts:
        if part.kind == Kind.RESULT and others:
            return part
        others = others or part.kind != Kind.RESULT
    return None


def split(native: Native, pairing: Pairing, target: Target) -> Iterator[Finding]:
    """Results of one turn that stand in later turns than the first of them."""
    if target.provider != Provider.GEMINI or native.shape.layout != Layout.PARTS:
        return
    for number in dict.fromkeys(result.turn for result in pairing.split):
        turn = native.turns[number]
        yield about_turn("split-tool-results", turn, "results of the turn before stand in a turn of their own")


def duplicates(native: Native, pairing: Pairing, target: Target) -> Iterator[Finding]:
    """Second answers."""
    for result, kept, call in pairing.duplicates:
        says = f"the call of {named(call)} is answered already at {kept.pointer}"
        yield about_part("duplicate-tool-result", native.turn_of(result), result, says)


def server_orphans(native: Native, pairing: Pairing, target: Target) -> Iterator[Finding]:
    """Results of server tools without their call in the same message; a run of the model's messages is one."""
    if target.provider != Provider.ANTHROPIC:
        return
    known: set[str | None] = set()
    before = Role.SYSTEM
    for turn in native.turns:
        if turn.role != Role.ASSISTANT or before != Role.ASSISTANT:
            known = set()
        for part in turn.parts:
            if part.kind == Kind.SERVER_CALL:
                known.add(part.id)
            elif part.kind == Kind.SERVER_RESULT and part.id not in known:
                kind = part.value.get("type")
                says = f"the block {kind} ({part.id or 'no id'}) has no call before it in its message"
                yield about_part("orphan-server-tool-result", turn, part, says)
        before = turn.role


def mixed_encodings(native: Native, pairing: Pairing, target: Target) -> Iterator[Finding]:
    """Calls that stand both in `tool_calls` and as a block of the content."""
    if native.shape.layout != Layout.MESSAGES:
        return
    for part in native.by_kind[Kind.OTHER]:
        block = body_of(part.value)
        if block.get("type") != "tool_use":
            continue
        turn = native.turn_of(part)
        if any(other.kind == Kind.CALL and other.id == block.get("id") for other in turn.parts):
            says = f"the call {block.get('id')} stands in tool_calls and as a tool_use block too"
            yield about_part("mixed-tool-call-encodings", turn, part, says)


def call_not_after_user(native: Native, pairing: Pairing, target: Target) -> Iterator[Finding]:
    """Turns with calls that follow neither a user nor a result."""
    if target.provider != Provider.GEMINI or native.shape.layout == Layout.ROWS:
        return
    before: Role | None = None
    for turn in native.turns:
        if turn.role == Role.SYSTEM:
            continue
        follows = before in (Role.USER, Role.RESULT, Role.OTHER) or (native.shape.merged and before is not None)
        if turn.role == Role.ASSISTANT and not follows and any(part.kind == Kind.CALL for part in turn.parts):
            what = "the session begins with this turn" if before is None else "it follows another turn of the model"
            yield about_turn("call-not-after-user", turn, f"a call is made, and {what}")
        before = turn.role
