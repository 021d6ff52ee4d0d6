"""`inspector doctor`: what is wrong in a recording, where, whom it is refused by, and what a repair would do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from inspector.cli.examining import SHOWN, Report, exit_status, gather, judged, original_of
from inspector.cli.options import FILE, as_json, example
from inspector.cli.output import counted, finding_json, short_pointer, table, tell, write, write_json
from inspector.cli.reading import stdin_bytes
from inspector.finding import Finding
from inspector.text import clip, visible_line
from inspector.writing import STDIO

if TYPE_CHECKING:
    from inspector.doctor.errors import Diagnosis, Known


@dataclass(frozen=True, slots=True)
class Asked:
    """What the command line asks for."""

    targets: tuple[str, ...]
    strict: bool
    error: str | None


def _targets(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
    from click.shell_completion import CompletionItem

    from inspector.doctor.targets import TARGETS

    known = [CompletionItem(target.name, help=target.help) for target in TARGETS.values()]
    return [one for one in (*known, CompletionItem("all")) if one.value.startswith(incomplete)]


@click.command(
    epilog=example(
        "inspector doctor session.jsonl",
        "inspector doctor session.json --target mistral --target anthropic",
        "inspector doctor session.json --error \"An assistant message with 'tool_calls' must be followed ...\"",
        "inspector doctor ~/recordings --strict",
    )
)
@click.argument("sessions", type=FILE, nargs=-1, required=True, metavar="SESSION...")
@click.option("--format", "form", metavar="NAME", help="Read it as this format (see formats).")
@click.option(
    "--index",
    type=click.IntRange(min=0),
    default=0,
    metavar="N",
    help="Which of several conversations in the file, from 0.",
)
@click.option(
    "--target",
    "targets",
    multiple=True,
    metavar="NAME",
    shell_complete=_targets,
    help="Whom to check for (see targets); may be given more than once, and 'all' is all of them.  [native]",
)
@click.option("--original", type=FILE, metavar="FILE", help="The session that this one was compacted from.")
@click.option(
    "--error", metavar="TEXT", help="A provider's error message: name its rule and go to its message; - reads stdin."
)
@click.option("--strict", is_flag=True, help="Warnings count for the exit status too.")
@as_json
def command(
    sessions: tuple[str, ...],
    form: str | None,
    index: int,
    targets: tuple[str, ...],
    original: str | None,
    error: str | None,
    strict: bool,
    as_json: bool,
) -> int:
    """Examine recordings: what is wrong, at which message, who refuses it with which words, what a repair would do.

    Of a folder every recording in it is examined. Exit status 1: an error was found (with --strict, or a warning);
    2: a file could not be read.
    """  # fmt: skip
    from inspector.doctor.targets import UnknownTarget

    text = _error_text(error, sessions)
    known = _known(text)
    if text is not None and known is None:
        tell("this error message is not one that the doctor knows; the session is examined as a whole")
    try:
        chosen = chosen_targets(targets or ((known.target,) if known else ()))
    except UnknownTarget as fault:
        raise click.UsageError(str(fault)) from None
    reports = gather(sessions, form, index, original_of(original, form))
    asked = Asked(chosen, strict, text)
    if as_json:
        write_json(document(reports, asked))
    else:
        _show(reports, asked)
    for report in reports:
        if report.unreadable:
            tell(report.unreadable)
    return exit_status(reports, chosen, strict)


def _known(text: str | None) -> Known | None:
    """The known error text that a given one is of."""
    if text is None:
        return None
    from inspector.doctor.errors import recognised

    return recognised(text)


def chosen_targets(given: Sequence[str]) -> tuple[str, ...]:
    """The names of the targets asked for, each once. Raises `UnknownTarget`."""
    from inspector.doctor.targets import ALL, NATIVE, TARGETS, target_named

    names = [name for one in given or (NATIVE,) for name in (TARGETS if one == ALL else (one,))]
    return tuple(dict.fromkeys(target_named(name).name for name in names))


def _error_text(error: str | None, sessions: Sequence[str]) -> str | None:
    if error != STDIO:
        return error
    if STDIO in sessions:
        raise click.UsageError("the session and --error both want standard input")
    return stdin_bytes().decode("utf-8", "replace")


def document(reports: Sequence[Report], asked: Asked) -> dict[str, Any]:
    """The findings under the keys of DESIGN.md; of several sessions or targets a list of such documents."""
    each = [_report_json(report, target, asked) for report in reports for target in asked.targets]
    return each[0] if len(each) == 1 else {"reports": each}


def _report_json(report: Report, target: str, asked: Asked) -> dict[str, Any]:
    found = judged(report, target)
    shown = {
        "source": report.source,
        "format": report.format,
        "target": target,
        "messages": report.messages,
        "conversations": report.conversations,
        "findings": [finding_json(finding) for finding in found],
    }
    diagnosis = _diagnosis(report, found, asked.error)
    if diagnosis is not None:
        about = diagnosis.finding
        shown["error"] = {"codes": list(diagnosis.codes), "finding": finding_json(about) if about else None}
    return shown


def _diagnosis(report: Report, found: Sequence[Finding], text: str | None) -> Diagnosis | None:
    known = _known(text)
    if text is None or known is None:
        return None
    from inspector.doctor.errors import diagnosed

    return diagnosed(text, known, found, report.id_at)


def _show(reports: Sequence[Report], asked: Asked) -> None:
    if len(reports) > 1:
        write(table([_line(report, target) for report in reports for target in asked.targets]))
    elif len(asked.targets) > 1:
        write(_heading(reports[0]))
        write(table([(target, _verdict(judged(reports[0], target))) for target in asked.targets]))
    elif not reports[0].unreadable:
        _show_one(reports[0], asked)


def _line(report: Report, target: str) -> tuple[str, ...]:
    verdict = report.unreadable.partition(": ")[2] if report.unreadable else _verdict(judged(report, target))
    name = () if target == "native" else (target,)
    if report.conversations > 1:
        verdict += f"  (1 of {report.conversations:,} conversations)"
    return (report.source, report.format or "-", *name, verdict)


def _verdict(found: Sequence[Finding]) -> str:
    """Findings in a few words: how many of each severity, and of which rules."""
    serious = [one for one in found if one.severity != "info"]
    if not serious:
        return "nothing is wrong"
    codes = dict.fromkeys(one.code for one in serious)
    return f"{_counted(serious)}: {', '.join(codes)}"


def _counted(found: Sequence[Finding]) -> str:
    counts = [(name, sum(one.severity == name for one in found)) for name in ("error", "warning")]
    return ", ".join(f"{count:,} {name}{'s' if count > 1 else ''}" for name, count in counts if count)


def _heading(report: Report) -> str:
    more = (
        f"  1 of {report.conversations:,} conversations: --index N examines another" if report.conversations > 1 else ""
    )
    return f"{visible_line(report.source)}  {report.format}  {counted(report.messages, 'message')}{more}"


def _show_one(report: Report, asked: Asked) -> None:
    target = asked.targets[0]
    found = judged(report, target)
    write(_heading(report))
    diagnosis = _diagnosis(report, found, asked.error)
    if diagnosis is not None:
        write(_about_error(report, diagnosis, target))
        return
    for finding in found[:SHOWN]:
        if finding.severity != "info":
            write(f"\n{_told(report, finding, target)}")
    if len(found) > SHOWN:
        write(f"\nand {len(found) - SHOWN:,} more; --json names all")
    remarks = [one for one in found if one.severity == "info"]
    if remarks:
        write(f"\n{_remarks(remarks)}")
    write(f"\n{_conclusion(report, found, target)}")


def _remarks(found: Sequence[Finding]) -> str:
    """What is worth knowing and wrong with nothing, one line a rule."""
    from inspector.doctor.rulebook import RULES

    lines = []
    for code in dict.fromkeys(one.code for one in found):
        of_code = [one for one in found if one.code == code]
        places = ", ".join(_place(one) for one in of_code[:3]) + (" ..." if len(of_code) > 3 else "")
        lines.append(("info", code, f"{RULES[code].title} ({places})"))
    return table(lines)


def _place(finding: Finding) -> str:
    if finding.line is not None:
        return f"line {finding.line:,}"
    return "the file" if finding.message_index is None else f"message {finding.message_index:,}"


def _told(report: Report, finding: Finding, target: str) -> str:
    """A finding in full: where, what, who refuses it with which words, what a repair would do."""
    where = "  ".join(dict.fromkeys(part for part in (_place(finding), short_pointer(finding)) if part))
    lines = [f"{finding.severity}  {where}  {finding.code}", f"  {finding.says}"]
    refused = report.refusal(finding, target)
    if refused:
        lines.append(f"  {refused[0]} says: {refused[1]}")
    lines.append(f"  repair: {finding.repair or 'none'}")
    return "\n".join(visible_line(line) for line in lines)


def _about_error(report: Report, diagnosis: Diagnosis, target: str) -> str:
    from inspector.doctor.rulebook import RULES

    rule = RULES[diagnosis.codes[0]]
    if diagnosis.finding is None:
        other = ", ".join(diagnosis.codes)
        return f"\nThe error speaks of {rule.code}: {rule.title}.\nThis session has no such fault (looked for {other})."
    rule = RULES[diagnosis.finding.code]
    more = f"\n\n{diagnosis.others:,} more of the kind in this session" if diagnosis.others else ""
    return f"\nThe error speaks of {rule.code}: {rule.title}.\n\n{_told(report, diagnosis.finding, target)}{more}"


def _conclusion(report: Report, found: Sequence[Finding], target: str) -> str:
    serious = [one for one in found if one.severity != "info"]
    name = report.target_words(target)
    if serious:
        return f"{_counted(serious)} for {name}."
    return f"Nothing is wrong for {name}. Checked: {clip(report.checked(), 400)}."
