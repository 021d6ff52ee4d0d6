"""Rules that need a second side: a compacted session beside the one that it came from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from inspector.doctor.native import Native, Role
from inspector.doctor.report import about_turn
from inspector.finding import Finding
from inspector.message import DEVELOPER, SYSTEM, Body, Context, role_code, text_of


def system_prompt(context: Context) -> str:
    """The texts of the system messages that a session begins with."""
    return "\n".join(text_of(body) for body in leading_system(context.messages))


def leading_system(messages: Sequence[Body]) -> list[Body]:
    """The system and developer messages that a session begins with."""
    found = []
    for body in messages:
        if role_code(body) not in (SYSTEM, DEVELOPER):
            break
        found.append(body)
    return found


def dropped_prompt(native: Native, context: Context, original: Context) -> Iterator[Finding]:
    """The original's system prompt, where no system message of the compacted session holds it."""
    wanted = _plain(system_prompt(original))
    held = " ".join(_plain(text_of(body)) for body in context.messages if role_code(body) in (SYSTEM, DEVELOPER))
    first = next((turn for turn in native.turns if turn.role != Role.SYSTEM), None)
    if wanted and wanted not in held and first is not None:
        says = "the system prompt of the original is not in this session; the agent no longer has its rules"
        yield about_turn("system-prompt-dropped", first, says)


def _plain(text: str) -> str:
    return " ".join(text.split())
