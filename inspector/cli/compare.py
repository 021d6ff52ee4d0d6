"""`inspector compare`: what several policies, or several settings of one, make of the same session, side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from inspector.cli.options import FILE, as_json, counting, example, paying, policy_names, reading
from inspector.cli.output import Trouble, counted, json_text, printable, progress, safe_json, table, write
from inspector.cli.paying import pricing, provider_named
from inspector.cli.reading import read_session, tell_damage
from inspector.writing import STDIO, WriteRefused, write_new

if TYPE_CHECKING:
    from inspector.comparison import Candidate
    from inspector.comparison.listing import Line
    from inspector.comparison.outcome import Ground
    from inspector.message import Session
    from inspector.policies import Policy
    from inspector.settings import Preset


def _columns(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from inspector.comparison.listing import COLUMNS

    return [CompletionItem(one.name, help=one.title) for one in COLUMNS if one.name.startswith(incomplete)]


def _entrants(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Names of policies; after a colon or a comma, those of the policy's parameters."""
    from inspector.policies import POLICIES

    name, colon, settings = incomplete.partition(":")
    if not colon or name not in POLICIES:
        return policy_names(ctx, param, incomplete)
    before, comma, typed = settings.rpartition(",")
    start = f"{name}:{before}{comma}"
    return [
        CompletionItem(f"{start}{one.name}=", help=one.help)
        for one in POLICIES[name].params
        if one.name.startswith(typed)
    ]


@click.command(
    epilog=example(
        "inspector compare session.jsonl -p head-tail -p cascade -p langchain-clear",
        "inspector compare session.jsonl -p head-tail:keep_recent=4 -p head-tail:keep_recent=40,old_tool_chars=500",
        "inspector compare session.jsonl --sort cost -o table.csv",
    )
)
@reading
@click.option(
    "-p",
    "--policy",
    "entered",
    multiple=True,
    metavar="POLICY[:NAME=VALUE,...]",
    shell_complete=_entrants,
    help="One to compare, with settings; a policy may be given again.  [our three and the product's own]",
)
@click.option(
    "-s", "--set", "given", multiple=True, metavar="NAME=VALUE",
    help="A parameter of every policy given that has it; NAME=@FILE and @FILE as with compact.",
)  # fmt: skip
@click.option("--at", type=click.IntRange(min=0), metavar="REQUEST", help="The view of one request, counted from 0.")
@paying
@click.option(
    "--sort",
    metavar="COLUMN",
    shell_complete=_columns,
    help="Order by sent, saved, percent, edits, first-change, findings, cost, cache-hit, promises or policy, the best "
    "first; -COLUMN the worst first.",
)
@click.option("--csv", "as_csv", is_flag=True, help="One line of comma-separated values a policy.")
@click.option(
    "-o", "--output", type=FILE, metavar="FILE", help="Write it to a new file too: CSV if named so, else JSON."
)
@click.option("--force", is_flag=True, help="Replace the output file; never the recording.")
@counting
@as_json
def command(
    session: str,
    form: str | None,
    index: int,
    entered: tuple[str, ...],
    given: tuple[str, ...],
    at: int | None,
    provider: str | None,
    prices: str | None,
    sort: str | None,
    as_csv: bool,
    output: str | None,
    force: bool,
    model: str | None,
    as_json: bool,
) -> int:
    """Apply several policies to SESSION, and say of each what it sends, breaks and costs.

    Tokens, edits, findings and promises are of one view: the policy applied once, or --at a request. The cost and the
    cache are of the whole run, replayed in the policy's own mode.

    Exit status 1: a policy broke something that a provider would refuse, such as a call parted from its result.
    """
    if as_json and as_csv:
        raise click.UsageError("--json and --csv exclude each other")
    if output == STDIO:
        raise click.UsageError("--json and --csv write to standard output; -o wants a file")
    column = _column(sort)
    read = read_session(session, form, index, model)
    candidates = _candidates(read, entered, given)
    ground = _ground(read, at, provider, prices)
    lines = column(_compared(ground, candidates))
    if output is not None:
        _write(lines, ground, output, session, as_csv, force)
    write(_text(lines, ground, as_json, as_csv), end="" if as_csv else "\n")
    tell_damage(read.damage)
    return int(any(line.outcome.found.get("error") for line in lines))


def _column(name: str | None) -> Callable[[list[Line]], list[Line]]:
    """What puts lines in the order asked for."""
    from inspector.comparison.listing import column_named, ordered

    if name is None:
        return lambda lines: lines
    try:
        column = column_named(name.removeprefix("-"))
    except LookupError as fault:
        raise Trouble(str(fault.args[0])) from None
    return lambda lines: ordered(lines, column, worst_first=name.startswith("-"))


def _candidates(session: Session, entered: Sequence[str], given: Sequence[str]) -> list[Candidate]:
    from inspector.comparison import Candidate, usual
    from inspector.policies import SettingError, UnknownPolicy
    from inspector.settings import checked, read_given

    try:
        presets = read_given(given)
        pairs = [_entrant(text) for text in entered] or [(policy, []) for policy in usual(session)]
        _all_taken(presets, [policy for policy, _ in pairs])
        return [
            Candidate(policy, checked(policy, [*_fitting(policy, presets), *read_given(own)])) for policy, own in pairs
        ]
    except (SettingError, UnknownPolicy) as fault:
        raise Trouble(str(fault)) from None


def _entrant(text: str) -> tuple[Policy, list[str]]:
    """`POLICY:name=value,...` taken apart; a comma that no `name=` follows belongs to the value before it."""
    from inspector.policies import policy_named

    name, _, settings = text.partition(":")
    parts: list[str] = []
    for part in settings.split(",") if settings else ():
        if parts and "=" not in part and not part.startswith("@"):
            parts[-1] += f",{part}"
        else:
            parts.append(part)
    return policy_named(name), parts


def _fitting(policy: Policy, presets: Sequence[Preset]) -> list[Preset]:
    """What of the settings given for all is this policy's."""
    names = {param.name for param in policy.params}
    return [
        replace(preset, settings={name: value for name, value in preset.settings.items() if name in names})
        for preset in presets
        if preset.policy in (None, policy.name)
    ]


def _all_taken(presets: Sequence[Preset], policies: Sequence[Policy]) -> None:
    from inspector.policies import SettingError

    names = {param.name for policy in policies for param in policy.params}
    for preset in presets:
        if preset.policy is not None and preset.policy not in {policy.name for policy in policies}:
            raise SettingError(f"the settings file is for {preset.policy[:60]!r}, which is not compared")
        for name in preset.settings:
            if name not in names:
                raise SettingError(f"none of the policies compared has a parameter {name[:60]!r}")


def _ground(session: Session, at: int | None, provider: str | None, prices: str | None) -> Ground:
    from inspector.comparison.outcome import Ground, examined_for
    from inspector.replay import answer_of, calibration_of, terms_of
    from inspector.tokens import count_bodies, counter_for

    chosen = provider_named(provider)
    if at is not None:
        try:
            answer_of(session, at)
        except IndexError as fault:
            raise Trouble(str(fault)) from None
    counter = counter_for(session.model)
    tokens = count_bodies(session.messages, counter)
    terms = terms_of(
        session, counter, session.model, calibration_of(session, counter, tokens),
        provider=chosen, pricing=pricing(session, prices),
    )  # fmt: skip
    return Ground(session, counter, tokens, terms, examined_for(session), at)


def _compared(ground: Ground, candidates: Sequence[Candidate]) -> list[Line]:
    from inspector.comparison.listing import lines_of
    from inspector.comparison.outcome import outcome_of, with_run

    outcomes = []
    with progress() as say:
        for place, candidate in enumerate(candidates):
            if say is not None:
                say(f"policy {place + 1:,} of {len(candidates):,}: {candidate.policy.name}")
            outcomes.append(with_run(ground, outcome_of(ground, candidate)))
    return lines_of(outcomes)


def _write(lines: Sequence[Line], ground: Ground, output: str, session: str, as_csv: bool, force: bool) -> None:
    from inspector.comparison.listing import csv_text, document

    if as_csv or output.lower().endswith(".csv"):
        text = csv_text(lines)
    else:
        text = safe_json(json_text(document(lines, ground), indent=True)) + "\n"
    try:
        write_new(output, text.encode("utf-8", "replace"), inputs=[session], force=force)
    except WriteRefused as fault:
        raise Trouble(str(fault)) from None
    except (OSError, ValueError) as fault:  # ValueError: a NUL in the name
        raise Trouble(f"cannot write {output}: {getattr(fault, 'strerror', None) or fault}") from None


def _text(lines: Sequence[Line], ground: Ground, as_json: bool, as_csv: bool) -> str:
    from inspector.comparison.listing import csv_text, document

    if as_json:
        return printable(json_text(document(lines, ground), indent=True))
    return csv_text(lines) if as_csv else _shown(lines, ground)


def _shown(lines: Sequence[Line], ground: Ground) -> str:
    from inspector.comparison.listing import COLUMNS

    head = tuple(column.title for column in COLUMNS)
    rows = [tuple(column.words(line) for column in COLUMNS) for line in lines]
    right = [place for place, column in enumerate(COLUMNS) if column.right]
    return f"{_totals(lines, ground)}\n\n{table([head, *rows], right=right)}"


def _totals(lines: Sequence[Line], ground: Ground) -> str:
    session, terms = ground.session, ground.terms
    view = "one shot" if ground.at is None else f"as of request {ground.at:,}"
    requests = next((line.outcome.run.requests for line in lines if line.outcome.run), 0)
    without = next((line.outcome.run.cost_without for line in lines if line.outcome.run), None)
    fitted = f"  {terms.calibration.label}" if terms.calibration else ""
    if terms.price is None:
        cost = "no price is known for this model; --prices FILE gives one"
    else:
        plain = "" if without is None else f"${without:,.4f} without a policy  "
        cost = f"{plain}{terms.price.model}  {terms.price.source}"
    return table(
        [
            ("session", f"{session.name}  {session.format}  {session.model or 'no model recorded'}"),
            ("view", f"{view}, {counted(len(session), 'message')}"),
            ("tokens", f"{lines[0].outcome.original_tokens:,} as recorded  {ground.counter.label}"),
            ("run", f"{counted(requests, 'request')}  {terms.provider.title}{fitted}"),
            ("cost", cost),
        ]
    )
