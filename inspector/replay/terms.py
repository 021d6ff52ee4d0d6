"""What a run is paid by, and a run paid request after request, for as long as somebody wants to know."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from math import isnan

from inspector.message import Session
from inspector.policies.policy import Mode, Policy, Settings
from inspector.policies.transcript import Done, Stepper
from inspector.replay.cache import Provider, provider_for
from inspector.replay.calibrate import Calibration, calibrate
from inspector.replay.costs import Paid, Till, output_tokens
from inspector.replay.engine import Head, fixed_tokens, head_of, replay, stepper_for
from inspector.replay.price import Price, price_of
from inspector.tokens import Counter


class Cancelled(Exception):
    """Nobody wants the run any more."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What a run is paid by; it depends on the session and the counter, not on the policy."""

    provider: Provider
    price: Price | None
    output: Sequence[int]
    head: Head
    model: str | None
    fixed: int
    """Our count of the tool definitions, which every request holds."""
    calibration: Calibration | None
    """Only where it is put to use: the tokenizer is not public, and the fit says something."""


def calibration_of(session: Session, counter: Counter, tokens: Sequence[int]) -> Calibration | None:
    """How the provider's counts follow from ours, where that is to be used."""
    if counter.exact or not session.usage:
        return None
    found = calibrate(session, counter, tokens)
    return found if found is not None and found.usable else None


def terms_of(
    session: Session, counter: Counter, model: str | None, calibration: Calibration | None, *,
    provider: Provider | None = None, pricing: Callable[[Provider], Price | None] | None = None,
) -> Terms:  # fmt: skip
    """Provider, price, output and head of a session.

    Args:
        session: what is replayed.
        counter: what counts its tokens.
        model: whose provider and prices count.
        calibration: put to use where there is one (`calibration_of`).
        provider: whose cache; the model's own by default.
        pricing: finds the price; the published one of the session's last day by default. What it raises is passed on.
    """
    chosen, head = provider or provider_for(model), head_of(session, counter)
    if calibration is not None:
        head = head._replace(tokens=calibration.fitted(head.tokens))
    price = pricing(chosen) if pricing else price_of(model, chosen.name, last_day(session))
    fixed = fixed_tokens(session, counter)
    return Terms(chosen, price, output_tokens(session, counter), head, model, fixed, calibration)


def last_day(session: Session) -> date | None:
    """The day of the last message that has a time: its prices count."""
    known = [time for time in session.times if not isnan(time)]
    try:
        return datetime.fromtimestamp(max(known), UTC).date() if known else None
    except (OverflowError, OSError, ValueError):
        return None


def paid_batches(
    session: Session, policy: Policy, settings: Settings, counter: Counter, tokens: Sequence[int], terms: Terms,
    mode: Mode | None = None,
) -> Iterator[list[Paid]]:  # fmt: skip
    """Every request with what is paid for it, in batches of growing size."""
    till = Till(terms.provider, terms.price, terms.output, terms.model, terms.head, session.times)
    for batch in replay(session, policy, settings, counter, mode=mode, tokens=tokens):
        yield list(till.pay(terms.calibration.scaled(batch) if terms.calibration else batch))


def cancellable(policy: Policy, cancelled: Callable[[], bool]) -> Policy:
    """The same policy, whose steppers raise `Cancelled` before the next request once that is so."""
    return replace(
        policy, stepper=lambda context, full, mode: _Checked(stepper_for(context, policy, full, mode), cancelled)
    )


class _Checked:
    def __init__(self, stepper: Stepper, cancelled: Callable[[], bool]) -> None:
        self._stepper, self._cancelled = stepper, cancelled
        self.transcript = stepper.transcript

    def step(self, stop: int) -> Done:
        """The next view, unless nobody wants it any more."""
        if self._cancelled():
            raise Cancelled
        return self._stepper.step(stop)
