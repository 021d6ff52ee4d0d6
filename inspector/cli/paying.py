"""By what a run is paid: `--provider` and `--prices`, for every verb that replays."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from inspector.cli.output import Trouble
from inspector.cli.reading import read_text

if TYPE_CHECKING:
    from inspector.message import Session
    from inspector.replay import Price, Provider


def provider_named(name: str | None) -> Provider | None:
    """The provider of that name; None where none was named. Raises `Trouble` with one sentence."""
    from inspector.replay import PROVIDERS

    if name is None:
        return None
    if name not in PROVIDERS:
        raise Trouble(f"there is no provider {name[:60]!r}; there are {', '.join(PROVIDERS)}")
    return PROVIDERS[name]


def pricing(session: Session, table_file: str | None) -> Callable[[Provider], Price | None]:
    """Finds the price of a session's model: in a table of one's own, else the published one of its last day.

    What it gives raises `Trouble` with one sentence.
    """
    from inspector.replay import PriceError, last_day, price_in, price_of

    def find(provider: Provider) -> Price | None:
        if table_file is None:
            return price_of(session.model, provider.name, last_day(session))
        try:
            return price_in(read_text(table_file).decode(), session.model, table_file)
        except UnicodeDecodeError:
            raise Trouble(f"{table_file} is not UTF-8 text") from None
        except PriceError as fault:
            raise Trouble(str(fault)) from None

    return find
