"""`inspector replay`: a policy over a whole run, what each request sends, what the cache knows, what it all costs."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import TYPE_CHECKING

import click

from inspector.cli.options import as_json, example, measuring, paying, reading, running, tuning
from inspector.cli.output import Trouble, tell, write, write_json
from inspector.cli.paying import pricing, provider_named
from inspector.cli.reading import chosen_policy, read_session, tell_damage
from inspector.cli.replay_output import Run, csv_lines, document, shown

if TYPE_CHECKING:
    from inspector.message import Session
    from inspector.policies import Mode, Policy, Value

BUDGETS = {
    "max_request_tokens": "the largest request has {value:,.0f} tokens",
    "max_cost": "the run costs ${value:,.4f}",
    "min_cache_hit": "the cache knows {value:.1%} of the input",
}


@click.command(
    epilog=example(
        "inspector replay session.jsonl -p head-tail -s compact_threshold_chars=200000",
        "inspector replay session.jsonl -p cascade --provider anthropic --json",
        "inspector replay session.jsonl -p checkpoint --budget max_cost=2.50,min_cache_hit=0.8",
    )
)
@reading
@tuning
@running
@paying
@click.option(
    "--budget", multiple=True, metavar="NAME=VALUE,...", help=f"Exit 1 where it breaks: {', '.join(BUDGETS)}."
)
@click.option("--csv", "as_csv", is_flag=True, help="One line of comma-separated values a request.")
@measuring
@as_json
def command(
    session: str,
    form: str | None,
    index: int,
    policy: str | None,
    given: tuple[str, ...],
    mode: Mode | None,
    provider: str | None,
    prices: str | None,
    budget: tuple[str, ...],
    as_csv: bool,
    model: str | None,
    window: int | None,
    as_json: bool,
) -> int:
    """Apply a policy to every request of SESSION, and say what the whole run sends and costs.

    Exit status 1: a budget is broken.
    """
    if as_json and as_csv:
        raise click.UsageError("--json and --csv exclude each other")
    limits = _limits(budget)
    chosen, settings = chosen_policy(policy, given)
    read = read_session(session, form, index, model)
    run = _run(read, chosen, settings, mode, provider, prices, window)
    broken = _broken(run, limits)
    if as_json:
        write_json(document(run))
    elif as_csv:
        write("\n".join(csv_lines(run)))
    else:
        write(shown(run))
    tell_damage(read.damage)
    for sentence in broken:
        tell(sentence)
    return int(bool(broken))


def _run(
    session: Session, policy: Policy, settings: dict[str, Value], mode: Mode | None, provider: str | None,
    prices: str | None, window: int | None,
) -> Run:  # fmt: skip
    from inspector.replay import calibrate, paid_batches, terms_of, totals
    from inspector.tokens import count_bodies, counter_for, window_for

    chosen = provider_named(provider)
    counter = counter_for(session.model)
    tokens = count_bodies(session.messages, counter)
    calibration = calibrate(session, counter, tokens)
    apply = calibration is not None and calibration.usable and not counter.exact
    terms = terms_of(
        session, counter, session.model, calibration if apply else None,
        provider=chosen, pricing=pricing(session, prices),
    )  # fmt: skip
    paid = [one for batch in paid_batches(session, policy, settings, counter, tokens, terms, mode) for one in batch]
    return Run(
        session, policy, settings, mode or policy.mode, terms.provider, terms.price, counter, calibration,
        window or window_for(session.model), paid, totals(paid),
    )  # fmt: skip


def _limits(given: Sequence[str]) -> dict[str, float]:
    limits: dict[str, float] = {}
    for text in ",".join(given).split(",") if given else ():
        name, equals, value = text.strip().partition("=")
        if name not in BUDGETS or not equals:
            raise Trouble(
                f"write a budget as NAME=VALUE, with NAME one of {', '.join(BUDGETS)}, not {text.strip()[:60]!r}"
            )
        try:
            limit = float(value.replace("_", ""))
        except ValueError:
            limit = float("nan")
        if not isfinite(limit) or limit < 0:
            raise Trouble(f"{name} wants a number of at least 0, not {value[:40]!r}")
        if name == "min_cache_hit" and limit > 1:
            raise Trouble(f"{name} is a share from 0 to 1, not {value[:40]!r}")
        limits[name] = limit
    return limits


def _broken(run: Run, limits: dict[str, float]) -> list[str]:
    """A sentence for each budget that the run does not keep."""
    if "max_cost" in limits and run.totals.cost is None:
        raise Trouble(
            f"no price is known for the model {run.session.model or '(none is recorded)'}; give --prices FILE"
        )
    found = {
        "max_request_tokens": float(run.totals.max_request_tokens),
        "max_cost": run.totals.cost or 0.0,
        "min_cache_hit": run.totals.cache_hit,
    }
    return [
        f"budget broken: {BUDGETS[name].format(value=found[name])}, {name} is {limit:g}"
        for name, limit in limits.items()
        if (found[name] < limit if name.startswith("min_") else found[name] > limit)
    ]
