"""Repairs of calls and results: put in, moved, merged, renamed in pairs, or an orphan taken out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from inspector.change import Copied, Doing, Patch, removed, replaced
from inspector.doctor.native import Kind, Part, Role, Turn, body_of, id_of
from inspector.doctor.shapes import Layout
from inspector.doctor.sick import Sick, holds_blocks, is_result_turn
from inspector.doctor.stubs import (
    block_stub,
    chat_stub,
    claude_line,
    codex_line,
    gemini_call,
    item_stub,
    langchain_message,
    opencode_state,
    part_stub,
    pi_line,
)
from inspector.finding import Finding

EARLIER = "[earlier turns were removed]"


def parts_of(sick: Sick, findings: Sequence[Finding]) -> list[Part]:
    """The parts that findings are about, in order."""
    return [part for finding in findings if (part := sick.part(finding)) is not None]


def answer_calls(sick: Sick, findings: Sequence[Finding]) -> Iterator[Patch]:
    """Give each dangling call a result."""
    calls = parts_of(sick, findings)
    layout = sick.native.shape.layout
    if holds_blocks(sick.native):
        provider = sick.native.provider
        made = [(call, part_stub(call) if layout == Layout.PARTS else block_stub(call, provider)) for call in calls]
        yield from put_blocks(sick, made)
    elif layout == Layout.ITEMS:
        for call in calls:
            yield from _answer_item(sick, call)
    else:
        of_turn: dict[int, list[Part]] = {}
        for call in calls:
            of_turn.setdefault(call.turn, []).append(call)
        for number, open_calls in of_turn.items():
            yield from _answer_turn(sick, number, open_calls)


def _answer_item(sick: Sick, call: Part) -> Iterator[Patch]:
    item = item_stub(call)
    if item is None:
        return
    if sick.lined:
        line = sick.site(call.pointer).line or 0
        beside = sick.records[line]
        inner = sick.site(call.pointer).pointer
        if inner not in ("", "/payload"):  # a request on a line
            yield Patch(sick.site(call.pointer), Doing.AFTER, (item,))
        else:
            yield from sick.line_after(line, [codex_line(beside, item)])
    else:
        yield Patch(sick.site(call.pointer), Doing.AFTER, (item,))


def _answer_turn(sick: Sick, number: int, calls: Sequence[Part]) -> Iterator[Patch]:
    """Results as entries of their own, or inside the record of the call."""
    turn, format_name = sick.native.turns[number], sick.examination.format
    if format_name == "opencode_export":
        for call in calls:
            yield from _end_part(sick, turn, call)
    elif format_name == "gemini_cli":
        for call in calls:
            yield replaced(sick.site(call.pointer), gemini_call(body_of(call.value)))
    elif sick.native.shape.links or sick.native.shape.entry:
        yield from _answer_lines(sick, number, calls)
    elif format_name == "langchain":
        beside = body_of(turn.value)
        stubs = [langchain_message(beside, call, sick.fresh_id("tool-message", call.id or "")) for call in calls]
        yield _after(sick, number, stubs)
    elif sick.native.shape.layout == Layout.MESSAGES:
        yield _after(sick, number, [chat_stub(call, sick.native.provider) for call in calls])


def _after(sick: Sick, number: int, values: Sequence[Any]) -> Patch:
    last = sick.native.turns[sick.group_end(number)]
    return Patch(sick.site(last.pointer), Doing.AFTER, tuple(values))


def _end_part(sick: Sick, turn: Turn, call: Part) -> Iterator[Patch]:
    state = body_of(call.value).get("state")
    time = body_of(body_of(body_of(turn.value).get("info")).get("time")).get("created")
    if isinstance(state, dict):
        yield replaced(sick.site(f"{call.pointer}/state"), opencode_state(state, time))


def _answer_lines(sick: Sick, number: int, calls: Sequence[Part]) -> Iterator[Patch]:
    if not sick.lined:
        return
    end = sick.native.turns[sick.group_end(number)]
    line = max(sick.site(one).line or 0 for one in (end.pointer, *(part.pointer for part in end.parts)))
    made = []
    for call in calls:
        beside = sick.records[sick.site(call.pointer).line or 0]
        key = (sick.native.shape.links or ("uuid",))[0]
        new_id = sick.fresh_id(str(beside.get(key, "")), call.id or call.pointer)
        is_pi = sick.examination.format == "pi"
        made.append(pi_line(beside, call, new_id) if is_pi else claude_line(beside, call, new_id))
    yield from sick.line_after(line, made)


def put_blocks(sick: Sick, made: Sequence[tuple[Part, Any]]) -> Iterator[Patch]:
    """Put results of calls among the first blocks of the user's turn that follows, or into a new one."""
    into: dict[int, list[Any]] = {}
    for call, block in made:
        into.setdefault(_last_calling(sick, call.turn), []).append(block)
    for number, blocks in into.items():
        following = _following_user(sick, number)
        if following is None:
            yield Patch(sick.site(sick.native.turns[number].pointer), Doing.AFTER, (_turn_of(sick, blocks),))
        else:
            yield from _put_first(sick, following, blocks)


def _last_calling(sick: Sick, number: int) -> int:
    """The last turn with a call in the run of the model's that a turn is in."""
    turns, last = sick.native.turns, number
    while sick.native.shape.merged and number + 1 < len(turns) and turns[number + 1].role == Role.ASSISTANT:
        number += 1
        last = number if any(part.kind == Kind.CALL for part in turns[number].parts) else last
    return last


def _following_user(sick: Sick, number: int) -> Turn | None:
    """The user's turn into which results go: the next one, or the one after the run where it has results already.

    Gemini wants them in a turn of their own.
    """
    turns = sick.native.turns
    after = number + 1
    while sick.native.shape.merged and after < len(turns) and turns[after].role == Role.ASSISTANT:
        after += 1
    if after >= len(turns) or turns[after].role != Role.USER:
        return None
    holds = any(part.kind == Kind.RESULT and part.pointer in sick.pairing.asked and _in_place(sick, part)
                for part in turns[after].parts)  # fmt: skip
    near = after == number + 1 and sick.native.shape.layout == Layout.BLOCKS
    return turns[after] if holds or near else None


def _in_place(sick: Sick, result: Part) -> bool:
    return all(one.result.pointer != result.pointer for one in sick.pairing.misplaced)


def _turn_of(sick: Sick, blocks: Sequence[Any]) -> dict[str, Any]:
    key = "parts" if sick.native.shape.layout == Layout.PARTS else "content"
    return {"role": "user", key: [sick.plain(block) for block in blocks]}


def _put_first(sick: Sick, turn: Turn, blocks: Sequence[Any]) -> Iterator[Patch]:
    """Put blocks behind the results that a turn begins with."""
    key = "parts" if sick.native.shape.layout == Layout.PARTS else "content"
    held = body_of(turn.value).get(key)
    where = f"{turn.pointer}{sick.native.shape.entry}/{key}"
    leading = 0
    for part in turn.parts:
        if part.kind != Kind.RESULT:
            break
        leading += 1
    if not isinstance(held, list):
        text = [{"type": "text", "text": held}] if isinstance(held, str) and held else []
        yield replaced(sick.site(where), [*map(sick.plain, blocks), *text])
    elif leading:
        yield Patch(sick.site(f"{where}/{leading - 1}"), Doing.AFTER, tuple(blocks))
    else:
        yield Patch(sick.site(f"{where}/0"), Doing.BEFORE, tuple(blocks))


def remove_results(sick: Sick, findings: Sequence[Finding]) -> Iterator[Patch]:
    """Take results out: orphans, second answers, server results without their call."""
    yield from sick.without_parts(parts_of(sick, findings))
    for finding in findings:
        if sick.part(finding) is None:  # what the reader itself has told apart
            yield removed(sick.site(finding.pointer))


def move_results(sick: Sick, findings: Sequence[Finding]) -> Iterator[Patch]:
    """Move results to directly after their calls."""
    wrong = {finding.pointer for finding in findings}
    moves = [one for one in sick.pairing.misplaced if one.result.pointer in wrong]
    if holds_blocks(sick.native):
        yield from put_blocks(sick, [(one.call, sick.moved(one.result.pointer)) for one in moves])
        yield from sick.without_parts(one.result for one in moves)
    elif sick.native.shape.links or sick.native.shape.entry:
        for one in moves[:1]:  # each changes the links that the next one needs
            yield from _move_line(sick, one.result, one.call)
    else:
        for one in moves:
            number = one.call.turn if sick.native.shape.anywhere else sick.group_end(one.call.turn)
            entry = sick.entry_site(one.result.pointer)
            copy = sick.value(one.result.pointer) if entry.line is not None and entry.pointer else Copied(entry)
            yield Patch(sick.entry_site(sick.native.turns[number].pointer), Doing.AFTER, (copy,))
            yield removed(entry)


def _move_line(sick: Sick, result: Part, call: Part) -> Iterator[Patch]:
    """Move a line that holds nothing but a result; another one gives its block up to a new line."""
    turn = sick.native.turn_of(result)
    line = sick.site(result.pointer).line
    if line is None or not is_result_turn(turn) or len(turn.parts) > 1:
        return
    end = sick.native.turns[sick.group_end(call.turn)]
    after = max(sick.site(one).line or 0 for one in (end.pointer, *(part.pointer for part in end.parts)))
    record = dict(sick.records[line])
    gone = list(sick.without_lines({line}))
    put = list(sick.line_after(after, [record], moved=line))
    placed = {patch.site for patch in put if patch.doing is Doing.REPLACE}
    yield from put
    yield from (patch for patch in gone if patch.site not in placed)


def results_first(sick: Sick, findings: Sequence[Finding]) -> Iterator[Patch]:
    """Put the results of a message before its other blocks."""
    for finding in findings:
        turn = sick.turn(finding)
        if turn is None:
            continue
        first = next((at for at, part in enumerate(turn.parts) if part.kind != Kind.RESULT), 0)
        late = [part for part in turn.parts[first:] if part.kind == Kind.RESULT]
        copies = tuple(sick.moved(part.pointer) for part in late)
        yield Patch(sick.site(turn.parts[first].pointer), Doing.BEFORE, copies)
        yield from (removed(sick.site(part.pointer)) for part in late)


def merge_split(sick: Sick, findings: Sequence[Finding]) -> Iterator[Patch]:
    """Merge the later turns of results into the first one."""
    turns = sick.native.turns
    for finding in findings:
        turn = sick.turn(finding)
        if turn is None:
            continue
        number = sick.number(turn)
        first = number
        while first > 0 and is_result_turn(turns[first - 1]):
            first -= 1
        parts = tuple(sick.moved(part.pointer) for part in turn.parts)
        yield Patch(sick.site(turns[first].parts[-1].pointer), Doing.AFTER, parts)
        yield removed(sick.site(turn.pointer))


def remove_foreign(sick: Sick, findings: Sequence[Finding]) -> Iterator[Patch]:
    """Take the blocks out that say a call once more; content of which nothing is left is null."""
    for part in parts_of(sick, findings):
        holder = part.pointer.rpartition("/")[0]
        held = sick.value(holder)
        if isinstance(held, list) and len(held) == 1:
            yield replaced(sick.site(holder), None)
        else:
            yield removed(sick.site(part.pointer))


def begin_with_user(sick: Sick, findings: Sequence[Finding]) -> Iterator[Patch]:
    """Put a short turn of the user before a call."""
    for finding in findings:
        turn = sick.turn(finding)
        if turn is not None and not sick.native.shape.links:
            yield Patch(sick.site(turn.pointer), Doing.BEFORE, (_short_user(sick),))


def _short_user(sick: Sick) -> dict[str, Any]:
    if sick.native.shape.layout == Layout.PARTS:
        return {"role": "user", "parts": [{"text": EARLIER}]}
    if sick.native.shape.layout == Layout.ITEMS:
        return {"type": "message", "role": "user", "content": [{"type": "input_text", "text": EARLIER}]}
    return {"role": "user", "content": EARLIER}


def part_shared_ids(sick: Sick, findings: Sequence[Finding]) -> Iterator[Patch]:
    """Delete the later of equal calls; rename the later of different ones with its result."""
    wrong = {finding.pointer for finding in findings}
    taken = {part.id for part in (*sick.native.calls, *sick.native.results)}
    shared = [one for one in sick.pairing.shared if one.call.pointer in wrong]
    yield from sick.without_parts(one.call for one in shared if one.identical)
    for one in shared:
        if not one.identical:
            yield from rename(sick, one.call, unused(one.call.id or "call", taken))


def part_reused_ids(sick: Sick, findings: Sequence[Finding]) -> Iterator[Patch]:
    """Rename calls whose id was used before, each with its result."""
    taken = {part.id for part in (*sick.native.calls, *sick.native.results)}
    for call in parts_of(sick, findings):
        yield from rename(sick, call, unused(call.id or "call", taken))


def rename(sick: Sick, call: Part, name: str) -> Iterator[Patch]:
    """Give a call and its result another id."""
    for part in (call, sick.pairing.answers.get(call.pointer)):
        found = id_of(part) if part is not None else None
        if found is not None:
            yield replaced(sick.site(found.pointer), name)


def unused(name: str, taken: set[str | None]) -> str:
    """A new id that is like another one; it is taken from then on."""
    number = 2
    while f"{name}_{number}" in taken:
        number += 1
    taken.add(f"{name}_{number}")
    return f"{name}_{number}"
