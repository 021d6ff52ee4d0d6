"""What `inspector guarantees` says: one JSON document, or a page for people."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from inspector.cli.output import counted, table
from inspector.text import visible_line

if TYPE_CHECKING:
    from inspector.guarantees import Counterexample, Report, Verdict
    from inspector.message import Session
    from inspector.policies import Policy, Value

GLYPHS = {"kept": "✓", "broken": "!", "not promised": "·"}


@dataclass(frozen=True)
class Trial:
    """A report, and what it is about."""

    policy: Policy
    paths: Sequence[str]
    sessions: Sequence[Session]
    report: Report
    held: Mapping[str, Value]
    folder: str | None
    """Where the smallest sessions were written."""


def file_name(policy: str, promise: str) -> str:
    """The name of the file with the smallest session that breaks a promise."""
    return f"{policy}-{promise}.json"


def verdict_of(verdict: Verdict) -> str:
    """In a word."""
    return "broken" if verdict.broken else "kept" if verdict.tried else "not promised"


def document(trial: Trial) -> dict[str, Any]:
    """The report for scripts."""
    report = trial.report
    return {
        "policy": report.policy,
        "mode": report.mode,
        "seed": report.seed,
        "held": dict(trial.held),
        "sources": list(trial.paths),
        "sessions": report.sessions,
        "settings": report.settings,
        "views": report.views,
        "requests": report.requests,
        "requests_tried": report.requests_tried,
        "requests_with_defaults": report.with_defaults,
        "requests_of_a_setting": report.at_each,
        "kept": report.kept,
        "promises": [_promise(trial, verdict) for verdict in report.verdicts],
    }


def _promise(trial: Trial, verdict: Verdict) -> dict[str, Any]:
    return {
        "name": verdict.promise.name,
        "label": verdict.promise.label,
        "verdict": verdict_of(verdict),
        "tried": verdict.tried,
        "broken": verdict.broken,
        "broken_with_defaults": verdict.with_defaults,
        "example": None if verdict.example is None else _example(trial, verdict, verdict.example),
    }


def _example(trial: Trial, verdict: Verdict, example: Counterexample) -> dict[str, Any]:
    small = example.smallest
    return {
        "source": trial.paths[example.session],
        "request": example.request,
        "mode": example.mode,
        "row": example.row,
        "says": example.says,
        "params": dict(example.settings),
        "compact": found_command(trial, example),
        "smallest": None if small is None else {
            "messages": list(small.messages), "request": small.request, "row": small.row, "says": small.says,
            "file": _file(trial, verdict), "open": smallest_command("", trial, verdict),
            "compact": smallest_command("compact", trial, verdict),
        },
    }  # fmt: skip


def _file(trial: Trial, verdict: Verdict) -> str | None:
    return trial.folder and os.path.join(trial.folder, file_name(trial.policy.name, verdict.promise.name))


def found_command(trial: Trial, example: Counterexample) -> str:
    """Shows what the request sends on which the promise was found broken."""
    return _command("compact", trial.paths[example.session], trial, example, example.request)


def smallest_command(verb: str, trial: Trial, verdict: Verdict) -> str | None:
    """Shows what of the smallest session is sent, without a verb in the application; None where it was not written."""
    example, file = verdict.example, _file(trial, verdict)
    if example is None or example.smallest is None or file is None:
        return None
    return _command(verb, file, trial, example, example.smallest.request)


def _command(verb: str, path: str, trial: Trial, example: Counterexample, at: int | None) -> str:
    words = ["inspector", *filter(None, (verb,)), path if path == "-" or not path.startswith("-") else f"./{path}"]
    words += ["-p", trial.policy.name]
    for name, value in _settings(trial.policy, example).items():
        words += ["-s", f"{name}={_spoken(value)}"]
    if at is not None:
        words += ["--at", str(at), *(["--stateless"] if example.mode != trial.policy.mode else [])]
    return shlex.join(words)


def _settings(policy: Policy, example: Counterexample) -> dict[str, object]:
    """What differs from the defaults, and the parameters that one shot would leave out unless they are given."""
    applied = {param.name: param.default for param in policy.params if param.only_if_given}
    return {**applied, **example.settings}


def _spoken(value: object) -> str:
    from inspector.policies.policy import spoken

    return spoken(value) if value is None or isinstance(value, int | float | str) else str(value)


def shown(trial: Trial) -> str:
    """A page for people."""
    verdicts = trial.report.verdicts
    failures = [_failure(trial, verdict) for verdict in verdicts if verdict.example is not None]
    return "\n\n".join((_tried(trial), table([_row(verdict) for verdict in verdicts]), *failures, _conclusion(trial)))


def _tried(trial: Trial) -> str:
    report = trial.report
    held = "  ".join(f"{name}={_spoken(value)}" for name, value in trial.held.items())
    files = counted(report.sessions, "session")
    others = f", each other at up to {report.at_each:,} of them in turn" if report.settings > 1 else ""
    all_or = "all" if report.with_defaults == report.requests else f"{report.with_defaults:,}"
    rows = [
        ("policy", f"{report.policy}, {report.mode}" + (f"  held: {held}" if held else "")),
        (
            "settings",
            f"{report.settings:,} that differ: the defaults, each parameter alone, and what is new in "
            f"{report.mixes:,} mixes (seed {report.seed})",
        ),
        ("requests", f"{report.requests_tried:,} of {report.requests:,} in {files}: the defaults at {all_or}{others}"),
        ("views", f"{report.views:,}"),
    ]
    return table(rows)


def _row(verdict: Verdict) -> tuple[str, ...]:
    word = verdict_of(verdict)
    return GLYPHS[word], word, verdict.promise.label, _often(verdict) if verdict.broken else ""


def _often(verdict: Verdict) -> str:
    default = f", {verdict.with_defaults:,} of them with the defaults" if verdict.with_defaults else ""
    return f"in {verdict.broken:,} of {verdict.tried:,} views{default}"


def _failure(trial: Trial, verdict: Verdict) -> str:
    example = verdict.example
    assert example is not None
    row = f", row {example.row:,}" if example.row >= 0 else ""
    settings = "  ".join(f"{name}={_spoken(value)}" for name, value in _settings(trial.policy, example).items())
    how = "" if example.mode == "stateless" else ", in a carried run"
    lines = [
        ("  found", f"{trial.paths[example.session]}, request {example.request:,}{row}{how}"),
        ("  settings", settings or "the defaults"),
        ("  see it", found_command(trial, example)),
        ("  smallest", _small(example)),
    ]
    opening = smallest_command("", trial, verdict)
    if opening is not None:
        lines.append(("  open it", opening))
    return f"! {visible_line(f'{verdict.promise.label}: {example.says}')}\n{table(lines)}"


def _small(example: Counterexample) -> str:
    small = example.smallest
    if small is None:
        return "the messages alone, without the recording's own form, do not break it"
    at = f", broken at message {small.row:,}" if small.row >= 0 else ""
    request = f", request {small.request:,}" if small.request is not None else ""
    return f"{counted(len(small.messages), 'message')}{request}{at}"


def _conclusion(trial: Trial) -> str:
    broken = sum(not verdict.kept for verdict in trial.report.verdicts)
    promised = sum(verdict.tried > 0 for verdict in trial.report.verdicts)
    if not broken:
        return f"Every promise held, {promised:,} of {promised:,}."
    written = "" if trial.folder else "; -o DIR writes the smallest sessions"
    return f"{broken:,} of {counted(promised, 'promise')} broken{written}."
