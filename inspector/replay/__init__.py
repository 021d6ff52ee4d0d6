"""A session request by request: what a policy sends over a whole run, what the cache knows of it, what it costs."""

from inspector.replay.cache import PROVIDERS, Cache, Provider, Use, provider_for
from inspector.replay.calibrate import Calibration, Measured, calibrate, measure
from inspector.replay.costs import Paid, Till, Totals, output_tokens, totals
from inspector.replay.engine import Head, Request, head_of, replay
from inspector.replay.price import Price, PriceError, price_in, price_of
from inspector.replay.requests import answer_of, answers_of, request_of
from inspector.replay.terms import Cancelled, Terms, calibration_of, cancellable, last_day, paid_batches, terms_of
from inspector.replay.view import Film, compact, view_at

__all__ = [
    "PROVIDERS", "Cache", "Calibration", "Cancelled", "Film", "Head", "Measured", "Paid", "Price", "PriceError",
    "Provider", "Request", "Terms", "Till", "Totals", "Use", "answer_of", "answers_of", "calibrate", "calibration_of",
    "cancellable", "compact", "head_of", "last_day", "measure", "output_tokens", "paid_batches", "price_in", "price_of",
    "provider_for", "replay", "request_of", "terms_of", "totals", "view_at",
]  # fmt: skip
