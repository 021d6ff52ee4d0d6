"""Getting what a verb works on: the session from a path or standard input, the policy and its settings."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from inspector.cli.output import Trouble, tell
from inspector.writing import STDIO

if TYPE_CHECKING:
    from inspector.finding import Finding
    from inspector.formats import Opened
    from inspector.message import Session
    from inspector.policies import Policy, Value


def stdin_bytes() -> bytes:
    """All of standard input."""
    if sys.stdin is None:
        raise Trouble("there is no standard input to read")
    return sys.stdin.buffer.read()


def read_session(path: str, form: str | None, index: int, model: str | None, raw: bytes | None = None) -> Session:
    """One conversation, as the options say; `raw` is standard input, where it was read already.

    Raises `Trouble` with one sentence.
    """
    from inspector.formats import UnreadableSession, load, load_bytes

    try:
        if path == STDIO:
            session = load_bytes(stdin_bytes() if raw is None else raw, STDIO, format=form, index=index)
        else:
            session = load(path, format=form, index=index)
    except UnreadableSession as fault:
        raise Trouble(str(fault)) from None
    return replace(session, model=model) if model else session


def read_all(path: str, form: str | None) -> Opened:
    """Everything in a file. Raises `Trouble` with one sentence."""
    from inspector.formats import UnreadableSession, conversations, conversations_in

    try:
        return conversations_in(stdin_bytes(), STDIO, form) if path == STDIO else conversations(path, form)
    except UnreadableSession as fault:
        raise Trouble(str(fault)) from None


def read_text(path: str) -> bytes:
    """The bytes of a file, or of standard input. Raises `Trouble` with one sentence."""
    if path == STDIO:
        return stdin_bytes()
    try:
        with open(path, "rb") as file:
            return file.read()
    except (OSError, ValueError) as fault:  # ValueError: a NUL in the name
        raise Trouble(f"cannot read {path}: {getattr(fault, 'strerror', None) or fault}") from None


def chosen_policy(name: str | None, given: Sequence[str]) -> tuple[Policy, dict[str, Value]]:
    """The policy named by `-p` or by a settings file, and its checked settings. Raises `Trouble` with one sentence."""
    from inspector.policies import POLICIES, SettingError, UnknownPolicy, policy_named
    from inspector.settings import checked, policy_of, read_given

    try:
        presets = read_given(given)
        named = name or policy_of(presets)
        if named is None:
            raise Trouble(f"name a policy with -p: {', '.join(POLICIES)}")
        policy = policy_named(named)
        return policy, checked(policy, presets)
    except (SettingError, UnknownPolicy) as fault:
        raise Trouble(str(fault)) from None


def tell_damage(damage: Sequence[Finding]) -> None:
    """Say on stderr that the file was not whole, where a verb has no other place for it."""
    if damage:
        fault = "1 fault" if len(damage) == 1 else f"{len(damage):,} faults"
        tell(f"the file has {fault}, and the rest was read; inspector info names each")
