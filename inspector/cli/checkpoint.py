"""`inspector checkpoint`: the contract by hand: the prompt for a model, its answer checked, the answer framed."""

from __future__ import annotations

import sys
from dataclasses import fields
from typing import TYPE_CHECKING

import click

from inspector.cli.options import FILE, as_json, example, reading
from inspector.cli.output import Trouble, printable, table, write, write_json
from inspector.cli.reading import read_session, read_text, tell_damage

if TYPE_CHECKING:
    from inspector.policies.contract import Checkpoint


@click.group(
    no_args_is_help=False,
    epilog=example(
        "inspector checkpoint prompt session.jsonl > prompt.txt",
        "inspector checkpoint parse answer.txt",
        "inspector checkpoint frame answer.txt",
    ),
)
def command() -> None:
    """Ask for a checkpoint, check a model's answer, frame it."""


@command.command(epilog=example("inspector checkpoint prompt session.jsonl > prompt.txt"))
@reading
@as_json
def prompt(session: str, form: str | None, index: int, as_json: bool) -> int:
    """Write the prompt that asks a model for a checkpoint of SESSION."""
    from inspector.policies.checkpoint import build_prompt, prompt_source

    read = read_session(session, form, index, None)
    source = prompt_source(read)
    text = printable(build_prompt(source))  # the inputs are JSON, where an escape means the same
    if as_json:
        write_json({"prompt": text, "turn_count": source.turn_count})
    else:
        write(text, end="")
    tell_damage(read.damage)
    return 0


@command.command(epilog=example("inspector checkpoint parse answer.txt", "inspector checkpoint parse - --json"))
@click.argument("file", type=FILE)
@as_json
def parse(file: str, as_json: bool) -> int:
    """Check a model's answer in FILE, fenced, framed or bare.

    An answer that is not accepted: the exact reason on stderr, exit status 2. With --json the checkpoint is written as
    it is encoded: compact, in the order of the contract.
    """
    from inspector.policies.contract import LIMIT_BYTES, encode

    checkpoint = _accepted(read_text(file))
    encoded = encode(checkpoint)
    if as_json:
        write(_for_terminal(encoded))
    else:
        size = len(encoded.encode())
        write(
            f"accepted: {size:,} of {LIMIT_BYTES:,} bytes as encoded ({size / LIMIT_BYTES:.0%})\n{_shown(checkpoint)}"
        )
    return 0


@command.command(epilog=example("inspector checkpoint frame answer.txt"))
@click.argument("file", type=FILE)
@as_json
def frame(file: str, as_json: bool) -> int:
    """Write the user message that stands for the conversation, from the checkpoint in FILE."""
    from inspector.policies import contract

    text = contract.frame(_accepted(read_text(file)))
    if as_json:
        write_json({"frame": text})
    else:
        write(_for_terminal(text))
    return 0


def _accepted(raw: bytes) -> Checkpoint:
    from inspector.policies.contract import LIMIT_BYTES, OPEN_TAG, CheckpointError, parse, parse_frame

    framed = raw.lstrip().startswith(OPEN_TAG.encode())
    try:
        return parse_frame(raw) if framed else parse(raw)
    except CheckpointError as fault:
        raise Trouble(f"not accepted: {fault} ({len(raw):,} of {LIMIT_BYTES:,} bytes)") from None


def _for_terminal(encoded: str) -> str:
    """The exact text, but for a terminal, which gets escapes in place of what it would obey."""
    return printable(encoded) if sys.stdout is not None and sys.stdout.isatty() else encoded


def _shown(checkpoint: Checkpoint) -> str:
    rows = []
    for entry in fields(checkpoint):
        value = getattr(checkpoint, entry.name)
        rows.append((f"  {entry.name.replace('_', ' ')}", _size(value)))
    return table(rows)


def _size(value: object) -> str:
    if value is None:
        return "absent"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, str):
        return f"{len(value):,} chars" if value else "empty"
    return f"{len(value):,} entries" if isinstance(value, tuple | list) else ""
