"""Rules about reasoning: signed, kept with what it led to, given back where a model wants it (TAXONOMY.md, D)."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.doctor.native import Kind, Native, Part, Role, Turn, body_of
from inspector.doctor.pairing import Pairing
from inspector.doctor.report import about_part, about_turn, named
from inspector.doctor.shapes import Layout
from inspector.doctor.targets import Provider, Target
from inspector.finding import Finding

_IN_OPEN_TURN = "None: its turn is open. Turn thinking off for the next request."


def open_turn(native: Native) -> int:
    """The first turn of the tool loop that is still open: it ends in results or calls. None open: after the end."""
    turns = native.turns
    end = len(turns) - 1
    while end >= 0 and turns[end].note:
        end -= 1
    if end < 0 or not _continues(turns[end]):
        return len(turns)
    start = end
    while start > 0 and (turns[start - 1].role == Role.ASSISTANT or _continues(turns[start - 1])):
        start -= 1
    return start


def _continues(turn: Turn) -> bool:
    """Whether the model goes on after a turn: results of calls, or the calls themselves."""
    if turn.role == Role.ASSISTANT:
        return any(part.kind == Kind.CALL for part in turn.parts)
    return turn.note or turn.role == Role.RESULT or any(part.kind == Kind.RESULT for part in turn.parts)


def missing_thinking(native: Native, pairing: Pairing, target: Target) -> Iterator[Finding]:
    """The open turn, where the request has thinking on and the turn has none."""
    thinking = body_of(native.holder.get("thinking"))
    if target.provider != Provider.ANTHROPIC or thinking.get("type") != "enabled":
        return
    answers = [turn for turn in native.turns[open_turn(native) :] if turn.role == Role.ASSISTANT and turn.parts]
    if answers and not any(_begins_thinking(turn) for turn in answers):
        says = "thinking is on, but the open turn begins without a thinking block"
        yield about_part("missing-thinking-block", answers[-1], answers[-1].parts[0], says)


def _begins_thinking(turn: Turn) -> bool:
    return turn.parts[0].kind == Kind.THINKING


def thinking_blocks(native: Native, pairing: Pairing, target: Target) -> Iterator[Finding]:
    """Thinking without a signature, and signatures whose text was left out."""
    if target.provider != Provider.ANTHROPIC or native.shape.layout != Layout.BLOCKS:
        return
    opened = open_turn(native)
    for part in native.by_kind[Kind.THINKING]:
        block = body_of(part.value)
        if block.get("type") != "thinking":
            continue
        turn = native.turn_of(part)
        if not block.get("signature"):
            repair = _IN_OPEN_TURN if part.turn >= opened else ""
            says = "a thinking block has lost its signature"
            yield about_part("thinking-without-signature", turn, part, says, repair=repair)
        elif not block.get("thinking"):
            says = "a thinking block holds its signature only; it must go back as it is"
            yield about_part("thinking-text-empty", turn, part, says)


def missing_reasoning_content(native: Native, pairing: Pairing, target: Target) -> Iterator[Finding]:
    """Answers with calls that lack the reasoning that led to them."""
    if not target.reasoning_back or native.shape.layout != Layout.MESSAGES:
        return
    for turn in native.turns:
        value = body_of(turn.value)
        calls = any(part.kind == Kind.CALL for part in turn.parts)
        if turn.role == Role.ASSISTANT and calls and not isinstance(value.get("reasoning_content"), str):
            yield about_turn("missing-reasoning-content", turn, "this answer makes calls and has no reasoning_content")


def missing_thought_signatures(native: Native, pairing: Pairing, target: Target) -> Iterator[Finding]:
    """First calls of the steps of the current turn that have lost their signature."""
    if not target.signed_calls or native.shape.layout not in (Layout.PARTS, Layout.MESSAGES):
        return
    for turn in native.turns[current_turn(native) :]:
        first = next((part for part in turn.parts if part.kind == Kind.CALL), None)
        if first is not None and not _is_signed(first):
            says = f"the call of {named(first)} has no thought signature, and its turn is the current one"
            yield about_part("missing-thought-signature", turn, first, says)


def current_turn(native: Native) -> int:
    """What follows the last text of the user."""
    turns = native.turns
    for number in range(len(turns) - 1, -1, -1):
        if turns[number].role == Role.USER and any(part.kind != Kind.RESULT for part in turns[number].parts):
            return number + 1
    return 0


def _is_signed(call: Part) -> bool:
    value = body_of(call.value)
    google = body_of(body_of(value.get("extra_content")).get("google"))
    return bool(
        value.get("thoughtSignature")
        or value.get("thought_signature")
        or google.get("thought_signature")
        or body_of(value.get("provider_specific_fields")).get("thought_signature")
    )


def reasoning_followers(native: Native, pairing: Pairing, target: Target) -> Iterator[Finding]:
    """Reasoning items that nothing of the model's follows."""
    if target.provider != Provider.OPENAI or native.shape.layout != Layout.ITEMS:
        return
    turns = native.turns
    followed = False
    for turn in reversed(turns):
        reasons = bool(turn.parts) and turn.parts[0].kind == Kind.THINKING
        if not reasons:
            followed = turn.role == Role.ASSISTANT
        elif not followed and _is_named(native, turn):
            says = "the item that this reasoning led to does not follow it"
            yield about_turn("reasoning-without-follower", turn, says)


def _is_named(native: Native, turn: Turn) -> bool:
    """Whether the provider can know the item again; Codex sends reasoning without its id, and it is never refused."""
    return turn.line is None or bool(body_of(turn.value).get("id"))


def calls_without_reasoning(native: Native, pairing: Pairing, target: Target) -> Iterator[Finding]:
    """Calls with an item's id whose run of items holds no reasoning."""
    if not target.reasoning_items or native.shape.layout != Layout.ITEMS:
        return
    reasoned = False
    for turn in native.turns:
        if turn.role != Role.ASSISTANT:
            reasoned = False
        for part in turn.parts:
            reasoned = reasoned or part.kind == Kind.THINKING
            item_id = body_of(part.value).get("id")
            if part.kind == Kind.CALL and not reasoned and isinstance(item_id, str) and item_id:
                says = f"the item {item_id} goes back without the reasoning that led to it"
                yield about_part("call-without-reasoning", turn, part, says)
