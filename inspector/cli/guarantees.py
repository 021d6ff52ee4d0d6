"""`inspector guarantees`: what a policy keeps and breaks at many settings and requests, with the smallest failures."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from inspector.cli.guarantees_output import Trial, document, file_name, shown
from inspector.cli.options import FILE, as_json, example, tuning
from inspector.cli.output import Trouble, json_text, progress, safe_json, write, write_json
from inspector.cli.reading import chosen_policy, read_session
from inspector.writing import WriteRefused, write_new

if TYPE_CHECKING:
    from inspector.guarantees import Promise, Smallest


def _promises(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from inspector.guarantees import PROMISES

    return [CompletionItem(one.name, help=one.help) for one in PROMISES if one.name.startswith(incomplete)]


@click.command(
    epilog=example(
        "inspector guarantees -p cascade",
        "inspector guarantees -p head-tail session.jsonl -s keep_recent=20 --only pairs --only smaller",
        "inspector guarantees -p autogen-token-limited -o failures --json",
    )
)
@click.argument("sessions", type=FILE, nargs=-1, metavar="[SESSION]...")
@click.option("--format", "form", metavar="NAME", help="Read them as this format (see formats).")
@tuning
@click.option(
    "--only", multiple=True, metavar="PROMISE", shell_complete=_promises, help="Try this promise; others do not count."
)
@click.option("--seed", type=int, default=0, metavar="N", help="Of the random mixes.  [0]")
@click.option(
    "-o", "--output", type=click.Path(), metavar="DIR", help="Write the smallest sessions to new files in this folder."
)
@click.option("--force", is_flag=True, help="Replace files in that folder.")
@as_json
def command(
    sessions: tuple[str, ...],
    form: str | None,
    policy: str | None,
    given: tuple[str, ...],
    only: tuple[str, ...],
    seed: int,
    output: str | None,
    force: bool,
    as_json: bool,
) -> int:
    """Try what a policy promises, and give the smallest failure of each promise that it breaks.

    The policy is tried with its defaults, with each parameter alone over its steps (at most 24) and with 200 random
    mixes, at request points of SESSIONs (the samples that come with the program by default). What is given with -s is
    held. Exit status 1: a promise is broken.
    """
    from inspector.guarantees import try_policy

    chosen, held = chosen_policy(policy, given)
    wanted = _wanted(only)
    files = [file_name(chosen.name, promise.name) for promise in wanted]
    if output is not None and not force:
        _must_be_new(output, files)
    paths = list(sessions) or _samples()
    read = [read_session(path, form, 0, None) for path in paths]
    with progress() as say:
        names = [promise.name for promise in wanted]
        report = try_policy(chosen, read, seed=seed, held=held, only=names, progress=say and _told(say))
    if not report.requests:
        raise Trouble("no session given holds an answer, so there is no request to try the policy at")
    trial = Trial(chosen, paths, read, report, held, output)
    if output is not None:
        _write_smallest(trial, output, force)
    if as_json:
        write_json(document(trial))
    else:
        write(shown(trial))
    return int(not report.kept)


def _wanted(names: Sequence[str]) -> list[Promise]:
    from inspector.guarantees import PROMISES, promise_named

    try:
        return [promise_named(name) for name in names] or list(PROMISES)
    except LookupError as fault:
        raise Trouble(str(fault.args[0])) from None


def _samples() -> list[str]:
    from inspector.tui.dialogs.samples import sample_files

    found = [str(path) for path, _ in sample_files()]
    if not found:
        raise Trouble("the samples are not installed; name a session")
    near = [os.path.relpath(path) if path.startswith(os.getcwd() + os.sep) else path for path in found]
    return sorted(near)


def _must_be_new(folder: str, files: Sequence[str]) -> None:
    there = next((path for name in files if os.path.lexists(path := os.path.join(folder, name))), None)
    if there is not None:
        raise Trouble(f"{there} exists already; --force replaces it")


def _write_smallest(trial: Trial, folder: str, force: bool) -> None:
    try:
        os.makedirs(folder, exist_ok=True)
        for verdict in trial.report.verdicts:
            if verdict.example is not None and verdict.example.smallest is not None:
                path = os.path.join(folder, file_name(trial.policy.name, verdict.promise.name))
                body = _session_json(verdict.example.smallest, trial.sessions[verdict.example.session].model)
                write_new(path, body, inputs=trial.paths, force=force)
    except WriteRefused as fault:
        raise Trouble(str(fault)) from None
    except (OSError, ValueError) as fault:  # ValueError: a NUL in the name
        raise Trouble(f"cannot write to {folder}: {getattr(fault, 'strerror', None) or fault}") from None


def _session_json(smallest: Smallest, model: str | None) -> bytes:
    named: dict[str, Any] = {"model": model} if model else {}
    return safe_json(json_text({**named, "messages": smallest.messages}, indent=True)).encode() + b"\n"


def _told(say: Callable[[str], None]) -> Callable[[int, int], None]:
    """Says how many settings were tried."""
    return lambda done, of: say(f"settings {done:,} of {of:,}" if done < of else "making the failures small")
