"""`inspector [SESSION]`: what must be right before the application takes over the terminal."""

from __future__ import annotations

import difflib
import os
import stat
import sys
from typing import TYPE_CHECKING

import click

from inspector.cli.options import FILE, example, measuring, running, tuning, want_request
from inspector.cli.output import Trouble
from inspector.cli.reading import chosen_policy
from inspector.writing import STDIO

if TYPE_CHECKING:
    from inspector.policies import Mode, Value

TERMINAL = "/dev/tty"
FRAMES = "240"
"""Frames a second that textual may draw, read as it is imported: after one frame the next waits for up to two."""


@click.command(hidden=True, epilog=example("inspector session.jsonl", "inspector session.jsonl -p cascade"))
@click.argument("session", type=FILE, required=False)
@click.option("--format", "form", metavar="NAME", help="Read it as this format (see formats).")
@click.option(
    "--index", type=click.IntRange(min=0), default=0, metavar="N", help="Which of several conversations, from 0."
)
@tuning
@click.option("--at", type=click.IntRange(min=0), metavar="REQUEST", help="Show a request first, counted from 0.")
@running
@measuring
@click.option("--mouse/--no-mouse", default=True, help="Whether the application takes the mouse.")
def command(
    session: str | None,
    form: str | None,
    index: int,
    policy: str | None,
    given: tuple[str, ...],
    at: int | None,
    mode: Mode | None,
    model: str | None,
    window: int | None,
    mouse: bool,
) -> int:
    """Open SESSION in the application."""
    if session is None and at is not None:
        raise click.UsageError("--at shows a request of a session: name the session")
    want_request(mode, at)
    if session is not None and session != STDIO:
        _look_at(session)
    if form is not None:
        _known_format(form)
    named: str | None = None
    settings: dict[str, Value] = {}
    if policy is not None or given:
        chosen, settings = chosen_policy(policy, given)
        named = chosen.name
    _want_terminal()
    if session != STDIO:  # the application reads standard input itself before it takes its keys from the terminal
        _want_keyboard()
    os.environ.setdefault("TEXTUAL_FPS", FRAMES)
    from inspector.tui.app import run

    return run(
        session, format=form, index=index, policy=named, settings=settings, at=at, mode=mode, model=model,
        window=window, mouse=mouse,
    )  # fmt: skip


def _look_at(session: str) -> None:
    """Raise `Trouble` for a path that no reader could open; what the file holds is found out behind a loading bar."""
    try:
        found = os.stat(session)
        if stat.S_ISDIR(found.st_mode):
            _look_into(session)
            return
        with open(session, "rb"):
            pass
    except FileNotFoundError:
        raise Trouble(_missing(session)) from None
    except (OSError, ValueError) as fault:  # ValueError: a NUL in the name
        raise Trouble(f"cannot read {session}: {getattr(fault, 'strerror', None) or fault}") from None
    if stat.S_ISREG(found.st_mode) and not found.st_size:
        raise Trouble(f"{session} is empty")


def _look_into(folder: str) -> None:
    """Raise `Trouble` for a folder that no format knows as a session."""
    from inspector.formats import FORMATS, UnreadableSession
    from inspector.formats.sources import recording_at

    try:
        recording = recording_at(folder)
    except UnreadableSession as fault:
        raise Trouble(str(fault)) from None
    if not any("folder" in one.reads and one.recognise(recording) for one in FORMATS):
        raise Trouble(f"{folder} is a folder that holds no session of a known format; name a file in it")


def _missing(session: str) -> str:
    from inspector.cli import VERBS

    kind = "file" if os.path.splitext(session)[1] or os.path.basename(session) != session else "file or verb"
    near = difflib.get_close_matches(session, VERBS, 1)
    if session in VERBS:
        return f"write the verb first, as in: inspector {session} --help"
    return f"there is no {kind} {session}" + (f"; did you mean inspector {near[0]}?" if near else "")


def _known_format(name: str) -> None:
    from inspector.formats import UnreadableSession, format_named

    try:
        format_named(name)
    except UnreadableSession as fault:
        raise Trouble(str(fault)) from None


def _want_terminal() -> None:
    """The application draws on stderr and is looked at on stdout: both must be a terminal."""
    for stream, name in ((sys.stdout, "output"), (sys.stderr, "error output")):
        if stream is None or not stream.isatty():
            raise Trouble(f"the application needs a terminal, and standard {name} is none; inspector info needs none")


def _want_keyboard() -> None:
    """Where standard input is no terminal, read keys from the terminal itself."""
    if sys.stdin is not None and sys.stdin.isatty():
        return
    try:
        keyboard = os.open(TERMINAL, os.O_RDWR)
        os.dup2(keyboard, 0)
        os.close(keyboard)
    except OSError:
        raise Trouble("the application needs a keyboard, and standard input is no terminal") from None
