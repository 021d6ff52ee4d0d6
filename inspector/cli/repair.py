"""`inspector repair`: a repaired copy of a recording, in its own format, with what was done and what is left."""

from __future__ import annotations

import difflib
import gzip
import json
import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from inspector.cli.examining import original_of
from inspector.cli.options import FILE, as_json, example
from inspector.cli.output import Trouble, finding_json, finding_line, table, tell, write, write_json
from inspector.cli.reading import read_text
from inspector.finding import Finding
from inspector.text import visible_line
from inspector.writing import STDIO, WriteRefused, write_new

if TYPE_CHECKING:
    from inspector.doctor.repair import Outcome, Wish

GZIP = b"\x1f\x8b"
SHOWN_LEFT = 20
DIFF_LINES = 400
LINE_CHARS = 300


@click.command(
    epilog=example(
        "inspector repair session.jsonl -o repaired.jsonl",
        "inspector repair session.json --target mistral -o for_mistral.json",
        "inspector repair session.json --dry-run",
    )
)
@click.argument("session", type=FILE)
@click.option("-o", "--output", type=FILE, metavar="OUT", help="The repaired copy; - is stdout.")
@click.option("--format", "form", metavar="NAME", help="Read it as this format (see formats).")
@click.option(
    "--index",
    type=click.IntRange(min=0),
    default=0,
    metavar="N",
    help="Which of several conversations in the file, from 0.",
)
@click.option("--target", default="native", metavar="NAME", help="Whom to repair for (see targets).  [native]")
@click.option("--original", type=FILE, metavar="FILE", help="The session that this one was compacted from.")
@click.option(
    "--consent", multiple=True, metavar="CODE", help="A rule that may be repaired though it needs your word for it."
)
@click.option("--dry-run", is_flag=True, help="Show what would change, and write nothing.")
@click.option("--force", is_flag=True, help="Replace the output file; never the recording.")
@as_json
def command(
    session: str,
    output: str | None,
    form: str | None,
    index: int,
    target: str,
    original: str | None,
    consent: tuple[str, ...],
    dry_run: bool,
    force: bool,
    as_json: bool,
) -> int:
    """Write a copy of SESSION in which what can safely be repaired is.

    Nothing is made up: a call without a result gets one that says so, cut JSON is set aside into OUT.rejected and never
    closed, honest texts stay. With nothing to do OUT has the same bytes. Exit status 1: an error is left.
    """  # fmt: skip
    from inspector.doctor.repair import repaired
    from inspector.formats import UnreadableSession
    from inspector.formats.files import unpacked

    if output is None and not dry_run:
        raise click.UsageError("say with -o where the repaired copy goes, or --dry-run to see what it would be")
    if as_json and output == STDIO:
        raise click.UsageError("--json and -o - both want standard output")
    wish = _wish(target, consent, original, form, index)
    packed = _bytes_of(session)
    try:
        raw = unpacked(packed, session)
        outcome = repaired(raw, session, wish)
    except UnreadableSession as fault:
        raise Trouble(str(fault)) from None
    if not dry_run and output is not None:
        _write(output, session, packed if outcome.raw == raw else _packed_like(packed, outcome.raw), outcome, force)
    if as_json:
        write_json(document(outcome))
    elif output != STDIO:
        _show(outcome, raw, output, dry_run)
    return int(any(one.severity == "error" for one in outcome.left))


def _wish(target: str, consent: Sequence[str], original: str | None, form: str | None, index: int) -> Wish:
    from inspector.doctor.repair import Wish
    from inspector.doctor.rulebook import RULES, Fix
    from inspector.doctor.targets import UnknownTarget, target_named

    wanting = [code for code, entry in RULES.items() if entry.fix is Fix.CONSENT]
    unknown = next((code for code in consent if code not in wanting), None)
    if unknown is not None:
        raise click.UsageError(f"no consent is asked for {unknown}; it is for {', '.join(wanting)}")
    try:
        chosen = target_named(target)
    except UnknownTarget as fault:
        raise click.UsageError(str(fault)) from None
    return Wish(chosen, frozenset(consent), original_of(original, form), form, index)


def _bytes_of(session: str) -> bytes:
    if session != STDIO and os.path.isdir(session):
        raise Trouble(f"{session}: a folder is not repaired as a whole; name a session file in it")
    return read_text(session)


def _packed_like(packed: bytes, raw: bytes) -> bytes:
    """Bytes packed as the recording was."""
    if packed.startswith(GZIP):
        return gzip.compress(raw, mtime=0)
    return raw


def _write(output: str, session: str, data: bytes, outcome: Outcome, force: bool) -> None:
    if output == STDIO:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        return
    try:
        write_new(output, data, inputs=[session], force=force)
        if outcome.rejected:
            write_new(f"{output}.rejected", outcome.rejected, inputs=[session], force=force)
    except WriteRefused as fault:
        raise Trouble(str(fault)) from None
    except OSError as fault:
        raise Trouble(f"cannot write {output}: {fault.strerror or fault}") from None


def document(outcome: Outcome) -> dict[str, Any]:
    """What was done under the keys of DESIGN.md."""
    return {
        "repaired": [{"code": done.finding.code, "message_index": done.finding.message_index, "did": done.did}
                     for done in outcome.repaired],
        "left": [finding_json(finding) for finding in outcome.left],
    }  # fmt: skip


def _show(outcome: Outcome, raw: bytes, output: str | None, dry_run: bool) -> None:
    if not outcome.repaired:
        same = "" if dry_run or output is None else f"; {visible_line(output)} has the same bytes"
        write(f"There is nothing to repair{same}.")
    else:
        rows = [(_place(done.finding), done.finding.code, done.did) for done in outcome.repaired[:50]]
        write(table(rows))
        if len(outcome.repaired) > 50:
            write(f"and {len(outcome.repaired) - 50:,} more")
    if outcome.rejected:
        where = f"{output}.rejected" if output and not dry_run else "a file of their own"
        write(f"{len(outcome.rejected):,} bytes that are no whole record go into {visible_line(where)}.")
    if dry_run and outcome.repaired:
        write("\n" + "\n".join(map(visible_line, difference(raw, outcome.raw))))
    if outcome.left:
        counts = Counter(one.severity for one in outcome.left)
        told = ", ".join(f"{count:,} {name}{'s' if count > 1 else ''}" for name, count in counts.items())
        write(f"\nLeft ({told}):\n" + table([(_left(one),) for one in outcome.left[:SHOWN_LEFT]]))
        if len(outcome.left) > SHOWN_LEFT:
            tell(f"{len(outcome.left) - SHOWN_LEFT:,} more are left; --json names all")


def _left(finding: Finding) -> str:
    return f"{finding_line(finding)} {finding.repair}"


def _place(finding: Finding) -> str:
    if finding.line is not None:
        return f"line {finding.line:,}"
    return "the file" if finding.message_index is None else f"message {finding.message_index:,}"


def difference(before: bytes, after: bytes) -> Iterator[str]:
    """What changes, line by line; a file of one long line is laid out first."""
    sides = [raw.decode("utf-8", "replace") for raw in (before, after)]
    if all(side.strip().count("\n") == 0 for side in sides):
        sides = [_laid_out(side) for side in sides]
    old, new = (side.split("\n") for side in sides)
    lines = difflib.unified_diff(old, new, "recorded", "repaired", lineterm="", n=2)
    for number, line in enumerate(lines):
        if number == DIFF_LINES:
            yield f"... more than {DIFF_LINES} lines change"
            return
        yield line if len(line) <= LINE_CHARS else f"{line[:LINE_CHARS]} ... ({len(line):,} characters)"


def _laid_out(text: str) -> str:
    with suppress(ValueError, RecursionError):
        return json.dumps(json.loads(text), ensure_ascii=False, indent=1)
    return text
