"""Rules about the order of roles: each speaks for its target only, and is silent by default (TAXONOMY.md, E)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from inspector.doctor.native import Kind, Native, Role, Turn
from inspector.doctor.pairing import Pairing
from inspector.doctor.report import about_turn
from inspector.doctor.targets import Provider, Target
from inspector.finding import Finding


def user_after_tool(native: Native, pairing: Pairing, target: Target) -> Iterator[Finding]:
    """Users that speak directly after a result."""
    if target.provider != Provider.MISTRAL:
        return
    for before, turn in pairwise(native.turns):
        if turn.role == Role.USER and _ends_in_result(before) and not _is_result(turn):
            yield about_turn("user-after-tool", turn, "the user speaks directly after a tool's result")


def _is_result(turn: Turn) -> bool:
    return turn.role == Role.RESULT or any(part.kind == Kind.RESULT for part in turn.parts)


def _ends_in_result(turn: Turn) -> bool:
    return turn.role == Role.RESULT or (bool(turn.parts) and turn.parts[-1].kind == Kind.RESULT)


def consecutive_roles(native: Native, pairing: Pairing, target: Target) -> Iterator[Finding]:
    """Two messages of the user, or of the assistant, that follow each other; calls and results are apart."""
    if target.provider != Provider.TEMPLATE:
        return
    for before, turn in pairwise(native.turns):
        if turn.role == before.role and turn.role in (Role.USER, Role.ASSISTANT):
            kinds = {part.kind for one in (before, turn) for part in one.parts}
            if not kinds & {Kind.CALL, Kind.RESULT}:
                speaker = "user" if turn.role == Role.USER else "assistant"
                yield about_turn("consecutive-same-role", turn, f"a second message of the {speaker} in a row")


def ends_with_assistant(native: Native, pairing: Pairing, target: Target) -> Iterator[Finding]:
    """A last message of the assistant's that makes no call."""
    last = native.turns[-1] if native.turns else None
    if target.provider != Provider.MISTRAL or last is None or last.role != Role.ASSISTANT:
        return
    if not any(part.kind == Kind.CALL for part in last.parts):
        yield about_turn("ends-with-assistant", last, "the last message is the assistant's")
