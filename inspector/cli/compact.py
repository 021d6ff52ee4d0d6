"""`inspector compact`: a policy applied once, with what it saved, what it changed and what it broke."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from inspector.cli.native import write_natively
from inspector.cli.options import FILE, as_json, example, measuring, reading, running, tuning, want_request
from inspector.cli.output import Trouble, finding_json, json_text, safe_json, table, tell, write, write_json
from inspector.cli.reading import chosen_policy, read_session, stdin_bytes, tell_damage
from inspector.finding import Finding
from inspector.text import clip, percent, thousands
from inspector.writing import STDIO, WriteRefused, write_new

if TYPE_CHECKING:
    from inspector.change import Edit
    from inspector.message import Session
    from inspector.policies import Mode, Policy, SentView

SHOWN_EDITS = 10
SHOWN_FINDINGS = 10
REASON_CELLS = 50


@click.command(
    epilog=example(
        "inspector compact session.jsonl -p head-tail -s keep_recent=20",
        "inspector compact session.jsonl -p cascade -s target_tokens=16000 -o smaller.json",
        "inspector compact session.jsonl -p head-tail --native -o smaller.jsonl",
        "inspector compact session.jsonl -s @settings.toml --json",
    )
)
@reading
@tuning
@click.option("--at", type=click.IntRange(min=0), metavar="REQUEST", help="The view of one request, counted from 0.")
@running
@click.option("-o", "--output", type=FILE, metavar="FILE", help='Write {"messages": [...]} to a new file; - is stdout.')
@click.option("--native", is_flag=True, help="Write the session in its own format instead; a folder to a new folder.")
@click.option("--force", is_flag=True, help="Replace the output file; never the recording.")
@measuring
@as_json
def command(
    session: str,
    form: str | None,
    index: int,
    policy: str | None,
    given: tuple[str, ...],
    at: int | None,
    mode: Mode | None,
    output: str | None,
    native: bool,
    force: bool,
    model: str | None,
    window: int | None,
    as_json: bool,
) -> int:
    """Apply a policy to SESSION, once, and say what would be sent.

    Exit status 1: the policy broke something that a provider would refuse, such as a call parted from its result.
    """
    from inspector.doctor import target_named
    from inspector.doctor.told import introduced

    _refuse_misfits(at, mode, output, native=native, as_json=as_json)
    chosen, settings = chosen_policy(policy, given)
    raw = stdin_bytes() if session == STDIO else None
    read = read_session(session, form, index, model, raw)
    view = _sent_view(read, chosen, settings, at, mode)
    broken = introduced(view, read, target_named("native"))
    if native and output is not None:
        write_natively(read, view, output, raw, force=force)
    elif output is not None:
        _write_messages(view, output, session, force)
    if as_json:
        write_json(document(view, broken))
    elif output != STDIO:
        write(_shown(read, view, broken, window))
    for warning in (*view.plan.warnings, *(_of_runs_alone(view, chosen, settings) if at is None else ())):
        tell(warning)
    tell_damage(read.damage)
    return int(any(fault.severity == "error" for fault in broken))


def _refuse_misfits(at: int | None, mode: Mode | None, output: str | None, *, native: bool, as_json: bool) -> None:
    """Raise `UsageError` for options that do not go together."""
    if as_json and output == STDIO:
        raise click.UsageError("--json and -o - both want standard output")
    if native and output is None:
        raise click.UsageError("--native writes a file: name it with -o")
    want_request(mode, at)


def _sent_view(
    session: Session, policy: Policy, settings: Mapping[str, Any], at: int | None, mode: Mode | None
) -> SentView:
    from inspector.replay import compact, view_at

    try:
        return compact(session, policy.name, **settings) if at is None else view_at(session, policy, settings, at, mode)
    except IndexError as fault:
        raise Trouble(str(fault)) from None


def _of_runs_alone(view: SentView, policy: Policy, given: Mapping[str, Any]) -> Iterator[str]:
    """Which parameters a run has and one shot has not unless they are given, where they change what is sent."""
    from inspector.policies.policy import spoken

    left = [param for param in policy.params if param.only_if_given and view.settings[param.name] is None]
    if left and policy.plan(view.plan.context, policy.running(given)).chars != view.plan.chars:
        words = " ".join(f"-s {param.name}={spoken(param.default)}" for param in left)
        yield f"a run and the application send something else, since they have a default more: add {words} to see it"


def _write_messages(view: SentView, output: str, session: str, force: bool) -> None:
    text = safe_json(json_text({"messages": view.messages}, indent=True))
    if output == STDIO:
        write(text)
        return
    try:
        write_new(output, text.encode() + b"\n", inputs=[session], force=force)
    except WriteRefused as fault:
        raise Trouble(str(fault)) from None
    except OSError as fault:
        raise Trouble(f"cannot write {output}: {fault.strerror or fault}") from None


def document(view: SentView, broken: Sequence[Finding]) -> dict[str, Any]:
    """The view under the keys of DESIGN.md."""
    return {
        "policy": view.policy,
        "params": dict(view.settings),
        "messages": view.messages,
        "stats": view.stats,
        "notes": view.notes,
        "edits": [asdict(edit) for edit in view.edits],
        "tokens": view.tokens,
        "findings": [finding_json(fault) for fault in broken],
    }


def _shown(session: Session, view: SentView, broken: Sequence[Finding], window: int | None) -> str:
    sections = [_totals(session, view, window), _counters(view), *view.notes, _edits(view.edits), _broken(broken)]
    return "\n\n".join(section for section in sections if section)


def _totals(session: Session, view: SentView, window: int | None) -> str:
    from inspector.tokens import window_for

    window = window or window_for(session.model)
    tokens = view.tokens
    original, sent, saved = tokens["original"], tokens["sent"], tokens["saved"]
    settings = "  ".join(f"{name}={_value(value)}" for name, value in view.settings.items() if value is not None)
    return table(
        [
            ("session", f"{session.name}  {session.format}"),
            ("policy", f"{view.policy}  {settings}"),
            ("messages", f"{len(view.plan.context):,} -> {len(view.source):,}"),
            ("tokens", f"{original:,} -> {sent:,}  {_saving(original, saved)}  {view.counter.label}"),
            ("window", f"{sent / window:.0%} of {window:,}"),
        ]
    )


def _saving(original: int, saved: int) -> str:
    share = f" ({percent(saved, original).removeprefix('-')}%)" if original else ""
    return f"grew by {-saved:,}{share}" if saved < 0 else f"saved {saved:,}{share}"


def _value(value: object) -> str:
    return f"{value:,}" if isinstance(value, int | float) else f"({len(str(value)):,} chars)"


def _counters(view: SentView) -> str:
    return table([(name.replace("_", " "), thousands(count)) for name, count in view.stats.items()], right=(1,))


def _edits(edits: Sequence[Edit]) -> str:
    if not edits:
        return "nothing is changed"
    head = ("row", "action", "chars", "", "", "tokens", "", "", "reason")
    rows = [_edit(edit) for edit in edits[:SHOWN_EDITS]]
    more = f"\nand {len(edits) - SHOWN_EDITS:,} more; --json has all" if len(edits) > SHOWN_EDITS else ""
    changed = "1 change" if len(edits) == 1 else f"{len(edits):,} changes"
    return f"{changed}\n{table([head, *rows], right=(0, 2, 4, 5, 7))}{more}"


def _edit(edit: Edit) -> tuple[str, ...]:
    return (
        thousands(edit.index), edit.action.replace("_", " "),
        thousands(edit.before_chars), "->", thousands(edit.after_chars),
        thousands(edit.before_tokens), "->", thousands(edit.after_tokens),
        clip(edit.reason, REASON_CELLS),
    )  # fmt: skip


def _broken(broken: Sequence[Finding]) -> str:
    if not broken:
        return "nothing is broken"
    rows = [(fault.severity, f"row {fault.row}", fault.says, fault.code) for fault in broken[:SHOWN_FINDINGS]]
    kinds = ", ".join(f"{count:,} {code}" for code, count in Counter(fault.code for fault in broken).items())
    more = f"\nand {len(broken) - SHOWN_FINDINGS:,} more" if len(broken) > SHOWN_FINDINGS else ""
    return f"broken by the policy: {kinds}\n{table(rows)}{more}"
