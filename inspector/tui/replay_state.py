"""What is replayed on the screen, and which request of it is shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from textual.timer import Timer

from inspector.message import Session
from inspector.policies import SentView
from inspector.policies.policy import Mode
from inspector.replay import Calibration, Terms
from inspector.replay.view import Film
from inspector.tokens import Counter
from inspector.tui.history import Setup
from inspector.tui.run import Run

SPEEDS = (1, 2, 4, 8, 16, 32, 64, 128)
"""Requests a second."""


class Key(NamedTuple):
    """What a replay is a function of."""

    session: Session
    setup: Setup
    mode: Mode
    counter: Counter
    counted: object


class Moment(NamedTuple):
    """A view of a request, and what it is a function of."""

    session: Session
    setup: Setup
    mode: Mode
    request: int
    view: SentView


@dataclass(slots=True)
class State:
    """What is replayed, and which request is shown."""

    at: int | None = None
    """The request whose view is wanted instead of the one shot."""
    mode: Mode | None = None
    """The mode tried instead of the policy's own."""
    moment: Moment | None = None
    """The view that is shown."""
    film: tuple[Session, Setup, Mode, Film] | None = None
    """What views are taken from, and what it is a function of."""
    making: bool = False
    """Whether a view is being made beside the screen."""
    run: Run | None = None
    key: Key | None = None
    """What `run` is being filled with."""
    terms: Terms | None = None
    calibration: Calibration | None = None
    calibrated: tuple[Session, Counter, object] | None = None
    """What `calibration` is of."""
    pause: Timer | None = None
    player: Timer | None = None
    speed: int = 2
    """A place in `SPEEDS`."""
