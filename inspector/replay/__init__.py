"""A session request by request: what a policy sends over a whole run, what the cache knows of it, what it costs."""

from inspector.replay.cache import PROVIDERS, Cache, Provider, Use, provider_for
from inspector.replay.calibrate import Calibration, Measured, calibrate, measure
from inspector.replay.costs import Paid, Till, Totals, output_tokens, totals
from inspector.replay.engine import Head, Request, head_of, replay
from inspector.replay.price import Price, PriceError, price_in, price_of
from inspector.replay.requests import answer_of, answers_of, request_of
from inspector.replay.view import Film, compact, view_at

__all__ = [
    "PROVIDERS", "Cache", "Calibration", "Film", "Head", "Measured", "Paid", "Price", "PriceError", "Provider",
    "Request", "Till", "Totals", "Use", "answer_of", "answers_of", "calibrate", "compact", "head_of", "measure",
    "output_tokens", "price_in", "price_of", "provider_for", "replay", "request_of", "totals", "view_at",
]  # fmt: skip
