"""Writing something to a new file: what, where, and whether an existing file may be replaced."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from textual import work
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Button, Input, RadioSet

from inspector.tui.dialogs.dialog import Complaint, Dialog, Field, Words, button
from inspector.tui.dialogs.ticks import Choice, Choices, Tick
from inspector.writing import WriteRefused, write_new


@dataclass(frozen=True, slots=True)
class Offer:
    """Something that can be exported."""

    name: str
    """What it is, such as "sent view as JSON"."""
    path: str
    """The file proposed."""
    make: Callable[[], bytes]
    """Makes the bytes when they are wanted, in a thread; may raise ValueError or OSError with one sentence."""
    says: str = ""
    """What there is to know of it and the file does not say, in sentences."""


def proposed_path(session: str, ending: str) -> str:
    """A file name in the current folder for something made from a session file, safe whatever the file is called."""
    stem = re.sub(r"(\.(jsonl?|gz))+$", "", os.path.basename(session.replace("\\", "/")))
    safe = re.sub(r"[^\w.-]+", "_", stem, flags=re.ASCII).strip("._-")[:80]
    return f"{safe or 'session'}.{ending}"


def export(offer: Offer, path: str, *, inputs: Sequence[str] = (), replace: bool = False) -> str:
    """Write an offer, whole or not at all; answers the path written. Raises ValueError with one sentence."""
    target = os.path.expanduser(path.strip())
    if not target:
        raise ValueError("name a file to write")
    try:
        if os.path.lexists(target) and not replace and not _is_input(target, inputs) and os.path.isfile(target):
            raise WriteRefused(f"{target} exists already; tick replace to write over it")
        write_new(target, offer.make(), inputs=inputs, force=replace)
    except WriteRefused as error:
        raise ValueError(str(error).replace("--force replaces it", "tick replace to write over it")) from None
    except OSError as error:
        raise ValueError(f"{target} cannot be written: {error.strerror or error}") from None
    return target


def _is_input(target: str, inputs: Sequence[str]) -> bool:
    return any(os.path.exists(given) and os.path.samefile(target, given) for given in inputs)


class Export(Dialog[str]):
    """Answers the path that was written."""

    AUTO_FOCUS = "RadioSet"
    DEFAULT_CSS = """
    Export RadioSet { width: 100%; border: none; background: $surface; margin-bottom: 1; }
    Export RadioSet:focus { border: none; }
    Export Tick { border: none; padding: 0; background: $surface; margin-top: 1; }
    Export Tick:focus { border: none; }
    """

    def __init__(self, offers: Sequence[Offer], *, inputs: Sequence[str] = ()) -> None:
        super().__init__()
        self._offers, self._inputs = offers, inputs
        self._chosen = 0

    def compose(self) -> ComposeResult:
        """What, where, and whether to replace."""
        with Vertical(classes="box"):
            yield Words("Export", classes="title")
            with Choices(compact=True):
                for number, offer in enumerate(self._offers):
                    yield Choice(Content(offer.name), value=number == 0, compact=True)
            yield Words("to the file")
            yield Field(self._offers[0].path)
            yield Tick(Content("replace a file that is already there"), compact=True)
            yield Words(id="state")
            yield Complaint()
            with Horizontal(classes="buttons"):
                yield button("Export", "export", first=True)
                yield button("Cancel", "cancel")

    def on_radio_set_changed(self, event: RadioSet.Changed) -> None:
        """Propose a name for the other choice, unless one was typed."""
        field, before = self.query_one(Field), self._offers[self._chosen]
        self._chosen = event.index
        if field.value in ("", before.path):
            field.value = self._offers[event.index].path
        self.query_one("#state", Words).say(self._offers[event.index].says)
        self.query_one(Complaint).say("")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Export."""
        self._export()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Export, or not."""
        self._export() if event.button.id == "export" else self.dismiss(None)

    @work(exclusive=True)
    async def _export(self) -> None:
        offer, path = self._offers[self._chosen], self.query_one(Field).value
        replace = self.query_one(Tick).value
        self.query_one(Complaint).say("")
        self.query_one("#state", Words).say("writing")
        try:
            written = await asyncio.to_thread(export, offer, path, inputs=self._inputs, replace=replace)
        except ValueError as error:
            self.query_one("#state", Words).say("")
            self.query_one(Complaint).say(str(error))
        else:
            self.dismiss(written)
