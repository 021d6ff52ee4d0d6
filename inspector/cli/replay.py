"""`inspector replay`: a policy over a whole run, what each request sends, what the cache knows, what it all costs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime
from math import isfinite, isnan
from typing import TYPE_CHECKING

import click

from inspector.cli.options import FILE, as_json, example, measuring, reading, running, tuning
from inspector.cli.output import Trouble, tell, write, write_json
from inspector.cli.reading import chosen_policy, read_session, read_text, tell_damage
from inspector.cli.replay_output import Run, csv_lines, document, shown

if TYPE_CHECKING:
    from inspector.message import Session
    from inspector.policies import Mode, Policy, Value
    from inspector.replay import Paid, Price, Provider

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
@click.option(
    "--provider", metavar="NAME", help="Whose cache: openai, anthropic, anthropic-1h, deepseek, gemini, none ..."
)
@click.option("--prices", type=FILE, metavar="FILE", help="A price table of your own (TOML), not the published prices.")
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
    from inspector.replay import Till, calibrate, head_of, output_tokens, provider_for, replay, totals
    from inspector.tokens import count_bodies, counter_for, window_for

    chosen = _provider(provider) if provider else provider_for(session.model)
    counter = counter_for(session.model)
    tokens = count_bodies(session.messages, counter)
    calibration = calibrate(session, counter, tokens)
    price = _price(session, chosen.name, prices)
    head = head_of(session, counter)
    apply = calibration is not None and calibration.usable and not counter.exact
    if calibration is not None and apply:
        head = head._replace(tokens=calibration.fitted(head.tokens))
    till = Till(chosen, price, output_tokens(session, counter), session.model, head, session.times)
    paid: list[Paid] = []
    for batch in replay(session, policy, settings, counter, mode=mode, tokens=tokens):
        paid += till.pay(calibration.scaled(batch) if calibration is not None and apply else batch)
    return Run(
        session, policy, settings, mode or policy.mode, chosen, price, counter, calibration,
        window or window_for(session.model), paid, totals(paid),
    )  # fmt: skip


def _provider(name: str) -> Provider:
    from inspector.replay import PROVIDERS

    if name not in PROVIDERS:
        raise Trouble(f"there is no provider {name[:60]!r}; there are {', '.join(PROVIDERS)}")
    return PROVIDERS[name]


def _price(session: Session, provider: str, table_file: str | None) -> Price | None:
    from inspector.replay import PriceError, price_in, price_of

    if table_file is None:
        return price_of(session.model, provider, _last_day(session))
    try:
        return price_in(read_text(table_file).decode(), session.model, table_file)
    except UnicodeDecodeError:
        raise Trouble(f"{table_file} is not UTF-8 text") from None
    except PriceError as fault:
        raise Trouble(str(fault)) from None


def _last_day(session: Session) -> date | None:
    known = [time for time in session.times if not isnan(time)]
    try:
        return datetime.fromtimestamp(max(known), UTC).date() if known else None
    except (OverflowError, OSError, ValueError):
        return None


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
