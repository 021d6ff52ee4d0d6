"""What `inspector replay` says: one JSON document, lines of comma-separated values, or a page for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isfinite, isnan
from typing import TYPE_CHECKING, Any

from inspector.cli.output import counted, table
from inspector.text import percent, thousands

if TYPE_CHECKING:
    from inspector.message import Session
    from inspector.policies import Mode, Policy, Value
    from inspector.replay import Calibration, Paid, Price, Provider, Totals
    from inspector.tokens import Counter

SHOWN_REQUESTS = 20
SPARKS = "▁▂▃▄▅▆▇█"
SPARK_CELLS = 72


@dataclass(frozen=True)
class Run:
    """Everything that a replay found out."""

    session: Session
    policy: Policy
    settings: dict[str, Value]
    mode: Mode
    provider: Provider
    price: Price | None
    counter: Counter
    calibration: Calibration | None
    window: int
    paid: list[Paid]
    totals: Totals

    @property
    def label(self) -> str:
        """How sure the counts are."""
        if self.counter.exact or self.calibration is None or not self.calibration.usable:
            return self.counter.label
        return self.calibration.label


def document(run: Run) -> dict[str, Any]:
    """The run under the keys of DESIGN.md."""
    return {
        "policy": run.policy.name,
        "params": run.policy.running(run.settings),
        "mode": run.mode,
        "provider": run.provider.name,
        "requests": [_request(one) for one in run.paid],
        "totals": _totals(run),
        "compactions": [
            {
                "row": one.row, "kind": one.kind, "request": _at(run, one.row),
                "before_tokens": one.before_tokens, "after_tokens": one.after_tokens,
            }
            for one in run.session.compactions
        ],
    }  # fmt: skip


def _at(run: Run, row: int) -> int:
    """The first request after a row; as many as there are requests where none followed."""
    from inspector.replay import request_of

    return request_of(run.session, row - 1) + 1


def _request(one: Paid) -> dict[str, Any]:
    request, use = one.request, one.use
    return {
        "request": request.request,
        "answer": request.answer,
        "messages": request.messages,
        "original_tokens": request.original_tokens,
        "sent_tokens": request.sent_tokens,
        "shared_tokens": request.shared_tokens,
        "cached_tokens": use.cached,
        "fresh_tokens": use.fresh,
        "written_tokens": use.written,
        "output_tokens": one.output_tokens,
        "first_change": request.first_change,
        "broke": request.broke,
        "edits": request.edits,
        "fired": request.fired,
        "price": one.cost,
        "break_even": _finite(one.break_even),
    }


def _finite(value: float | None) -> float | None:
    return value if value is not None and isfinite(value) else None


def _totals(run: Run) -> dict[str, Any]:
    sums, price, calibration = run.totals, run.price, run.calibration
    return {
        "requests": sums.requests,
        "fired": sums.fired,
        "broke": sums.broke,
        "original_tokens": sums.original_tokens,
        "sent_tokens": sums.sent_tokens,
        "cached_tokens": sums.cached_tokens,
        "fresh_tokens": sums.fresh_tokens,
        "written_tokens": sums.written_tokens,
        "output_tokens": sums.output_tokens,
        "max_request_tokens": sums.max_request_tokens,
        "cache_hit": sums.cache_hit,
        "cost": sums.cost,
        "cost_without": sums.cost_without,
        "cost_ideal": sums.cost_ideal,
        "break_even": _finite(sums.break_even),
        "paid_back": sums.paid_back,
        "price": None if price is None else {"model": price.model, "source": price.source},
        "tokens": {"encoding": run.counter.encoding, "exact": run.counter.exact, "label": run.label},
        "calibration": None if calibration is None else {
            "requests": len(calibration.requests), "factor": calibration.factor, "overhead": calibration.overhead,
            "spread": calibration.spread, "outliers": len(calibration.outliers), "gap": calibration.gap,
        },
    }  # fmt: skip


KEYS = (
    "request", "answer", "messages", "original_tokens", "sent_tokens", "shared_tokens", "cached_tokens", "fresh_tokens",
    "written_tokens", "output_tokens", "first_change", "broke", "edits", "fired", "price", "break_even",
)  # fmt: skip


def csv_lines(run: Run) -> Iterator[str]:
    """A line of names, then one a request; truth is 0 or 1, and what is not known is empty."""
    yield ",".join(KEYS)
    for one in run.paid:
        found = _request(one)
        yield ",".join(_cell(found[key]) for key in KEYS)


def _cell(value: object) -> str:
    if value is None:
        return ""
    return str(int(value)) if isinstance(value, bool) else str(value)


def shown(run: Run) -> str:
    """A page for people."""
    if not run.paid:
        return "the session holds no answer, so there is no request to replay"
    sections = [_summary(run), _spark(run), _requests(run), _recorded(run)]
    return "\n\n".join(section for section in sections if section)


def _summary(run: Run) -> str:
    sums = run.totals
    settings = "  ".join(
        f"{name}={value:,}" if isinstance(value, int | float) else f"{name}=({len(str(value)):,} chars)"
        for name, value in run.policy.running(run.settings).items()
        if value is not None
    )
    saved = sums.original_tokens - sums.sent_tokens
    share = f" ({percent(saved, sums.original_tokens)}%)" if sums.original_tokens else ""
    largest = f"{sums.max_request_tokens:,}, {sums.max_request_tokens / run.window:.0%} of {run.window:,}"
    rows = [
        ("session", f"{run.session.name}  {run.session.format}  {run.session.model or 'no model recorded'}"),
        ("policy", f"{run.policy.name}, {run.mode}  {settings}"),
        ("requests", f"{sums.requests:,}, {sums.fired:,} with changes, {sums.broke:,} broke the cached prefix"),
        ("input", f"{sums.original_tokens:,} -> {sums.sent_tokens:,} tokens, saved {saved:,}{share}  {run.label}"),
        ("largest", largest),
        *_recorded_usage(run),
        ("cache", f"{sums.cache_hit:.1%} of the input known  {run.provider.title}: {run.provider.help}"),
        *_costs(run),
    ]
    return table(rows)


def _recorded_usage(run: Run) -> list[tuple[str, str]]:
    """What the provider counted, beside our own counts."""
    found = run.calibration
    if found is None:
        return []
    sizes = f"{sum(one.recorded for one in found.requests):,}, counted {sum(one.ours for one in found.requests):,}"
    besides = f", {found.overhead:,} in each are not in the recording" if found.overhead else ""
    fit = f"x{found.factor:.2f} +-{found.spread:.0%}{besides}; {counted(len(found.outliers), 'outlier')}"
    if not found.usable:
        fit = "they lie too far from any one factor to calibrate by"
    return [("recorded", f"{counted(len(found.requests), 'request')} of {sizes} tokens ({found.gap:+.1%}): {fit}")]


def _costs(run: Run) -> list[tuple[str, str]]:
    sums, price = run.totals, run.price
    if price is None or sums.cost is None or sums.cost_without is None or sums.cost_ideal is None:
        return [("cost", "no price is known for this model; --prices FILE gives one")]
    beside = f"{_difference(sums.cost - sums.cost_without)} doing nothing (${sums.cost_without:,.4f})"
    rows = [
        ("cost", f"${sums.cost:,.4f}, {beside}; with an ideal cache ${sums.cost_ideal:,.4f}"),
        ("price", f"{price.model}  {_rates(run, price)}  {price.source}"),
    ]
    if sums.break_even is not None:
        further = f"after {sums.break_even:,.1f} further requests" if isfinite(sums.break_even) else "never"
        rows.append(("break-even", f"{further} (median); {sums.paid_back:,} of {sums.broke:,} had paid by the end"))
    if not any(not isnan(time) for time in run.session.times):
        rows.append(("times", "none are recorded: the cache is taken to stay warm"))
    return rows


def _difference(dollars: float) -> str:
    """`$0.0111 more than`; a difference that does not show in the last figure is none."""
    shown = f"{abs(dollars):,.4f}"
    return "as much as" if not float(shown.replace(",", "")) else f"${shown} {'more' if dollars > 0 else 'less'} than"


def _rates(run: Run, price: Price) -> str:
    fresh, read, wrote, made = (1e6 * rate for rate in price.rates(0, run.provider.write))
    written = f", written ${wrote:g}" if run.provider.write else ""
    return f"input ${fresh:g}, cached ${read:g}{written}, output ${made:g} a million"


def _spark(run: Run) -> str:
    """Sent tokens from first to last request; each cell shows the largest that it stands for."""
    sent = [one.request.sent_tokens for one in run.paid]
    return f"sent  {sparkline(sent, SPARK_CELLS)}  up to {max(sent):,}"


def sparkline(values: Sequence[int], width: int) -> str:
    """Values as a line of bars, at most `width` cells long; a cell is the largest of what it stands for."""
    cells = min(width, len(values))
    bounds = [place * len(values) // cells for place in range(cells + 1)] if cells else [0]
    tops = [max(values[start:stop]) for start, stop in pairwise(bounds)]
    most = max(tops, default=0)
    return "".join(SPARKS[min(len(SPARKS) - 1, top * len(SPARKS) // most)] if most else SPARKS[0] for top in tops)


def _requests(run: Run) -> str:
    count = len(run.paid)
    shown = range(count) if count <= SHOWN_REQUESTS else [
        place * (count - 1) // (SHOWN_REQUESTS - 1) for place in range(SHOWN_REQUESTS)
    ]  # fmt: skip
    head = ("request", "row", "sent", "cached", "fresh", "saved", "edits", "first change", "price")
    more = f"\n{SHOWN_REQUESTS} of {count:,} requests; --json and --csv have all" if count > SHOWN_REQUESTS else ""
    return table([head, *(_row(run.paid[place]) for place in shown)], right=range(9)) + more


def _row(one: Paid) -> tuple[str, ...]:
    request, use = one.request, one.use
    change = f"{request.first_change:,} of {request.kept:,}" if request.broke else ""
    figures = (request.request, request.answer, request.sent_tokens, use.cached, use.fresh, request.saved_tokens)
    cost = "" if one.cost is None else f"${one.cost:,.4f}"
    return (*map(thousands, figures), thousands(request.edits) if request.edits else "", change, cost)


def _recorded(run: Run) -> str:
    """The compactions that the recording tool itself did."""
    if not run.session.compactions:
        return ""
    rows = [
        (f"before request {_at(run, one.row):,}", one.kind, _size(one.before_tokens), "->", _size(one.after_tokens))
        for one in run.session.compactions
    ]
    return f"the tool's own compactions, in its own tokens\n{table(rows, right=(2, 4))}"


def _size(tokens: int | None) -> str:
    return "unknown" if tokens is None else f"{tokens:,}"
