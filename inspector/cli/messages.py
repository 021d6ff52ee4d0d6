"""`inspector messages`: the loaded messages, one by one, each with the place that it came from."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from inspector.cli.options import as_json, example, measuring, reading
from inspector.cli.output import table, write, write_json, write_json_lines
from inspector.cli.reading import read_session, tell_damage
from inspector.text import clip, thousands

if TYPE_CHECKING:
    from inspector.message import Origin, Session

TEXT_CELLS = 60
ROWS_AT_ONCE = 1_000


@click.command(
    epilog=example(
        "inspector messages session.jsonl --json | jq .message.role",
        "inspector messages session.jsonl --to anthropic > request.json",
    )
)
@reading
@click.option("--to", type=click.Choice(["openai", "anthropic"]), default="openai", help="The shape of the messages.")
@measuring
@as_json
def command(
    session: str, form: str | None, index: int, to: str, model: str | None, window: int | None, as_json: bool
) -> int:
    """Write the messages of SESSION, one a line.

    On a terminal a table; into a pipe or a file, or with --json, JSON Lines with the keys index, origin, tokens and
    message. With --to anthropic one JSON document {system, messages}, as the Messages API takes them.
    """
    if to == "anthropic":
        return _write_anthropic(read_session(session, form, index, model))
    from inspector.tokens import count_bodies, counter_for

    read = read_session(session, form, index, model)
    tokens = count_bodies(read.messages, counter_for(read.model))
    if as_json or not _on_a_terminal():
        write_json_lines(_lines(read, tokens))
    else:
        _write_table(read, tokens)
    tell_damage(read.damage)
    return 0


def _write_anthropic(session: Session) -> int:
    from inspector.formats.to_anthropic import to_anthropic

    write_json(to_anthropic(session))
    tell_damage(session.damage)
    return 0


def _on_a_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()


def _lines(session: Session, tokens: Sequence[int]) -> Iterator[dict[str, Any]]:
    for row, body in enumerate(session.messages):
        origin = session.origin(row)
        yield {
            "index": row,
            "origin": _origin(origin),
            "tokens": tokens[row],
            "message": body,
        }


def _origin(origin: Origin) -> dict[str, Any]:
    place = {"index": origin.index, "pointer": origin.pointer, "line": origin.line}
    return {**place, "file": origin.file} if origin.file else place


def _write_table(session: Session, tokens: Sequence[int]) -> None:
    for start in range(0, len(session), ROWS_AT_ONCE):
        stop = min(start + ROWS_AT_ONCE, len(session))
        rows = [_cells(session, row, tokens[row]) for row in range(start, stop)]
        if start == 0:
            rows.insert(0, ("row", "role", "tool", "tokens", "text"))
        write(table(rows, right=(0, 3)))


def _cells(session: Session, row: int, tokens: int) -> tuple[str, ...]:
    message = session.message(row)
    text = message.text or " ".join(f"{call.name} {call.arguments[:200]}" for call in message.calls[:3])
    return thousands(row), message.role, clip(message.tool, 20), thousands(tokens), clip(text, TEXT_CELLS)
