"""The application: one workbench, themes, the palette, and what is remembered between runs."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from rich.text import Text
from textual import on
from textual.app import App, SystemCommand
from textual.screen import Screen

from inspector import settings as remembering
from inspector.fault import DEBUG_VARIABLE, sentence
from inspector.policies import POLICIES
from inspector.policies.policy import Mode
from inspector.settings import Remembered
from inspector.text import visible, visible_line
from inspector.tokens import ENCODINGS
from inspector.tui.background import Source
from inspector.tui.faults import NATIVE
from inspector.tui.history import Setup
from inspector.tui.keys import KEYS
from inspector.tui.news import CounterChosen, Opened, SetupChanged, TargetChosen
from inspector.tui.workbench import Workbench
from inspector.writing import STDIO

UNUSABLE = 2
"""Exit status after a fault that nobody foresaw."""


SUPERSEDED = ("Keys", "Quit", "Screenshot")
"""Commands of textual for which the workbench has its own."""


class Inspector(App[int]):
    """See what compaction does to a recorded session."""

    TITLE = "inspector"
    CSS_PATH = "inspector.tcss"
    ENABLE_COMMAND_PALETTE = True
    PAUSE_GC_ON_SCROLL = True

    def __init__(
        self, source: Source | None = None, setup: Setup | None = None, *, model: str | None = None,
        window: int | None = None, remembered: Remembered | None = None, complaint: str = "",
    ) -> None:  # fmt: skip
        super().__init__()
        self._complaint = complaint
        self.remembered = remembered or Remembered()
        self._source = source
        self._setup = setup or _last_setup(self.remembered)
        self._model, self._window = model, window

    def on_mount(self) -> None:
        """Show the workbench in the remembered theme."""
        if self.remembered.theme in self.available_themes:  # a theme that an older version knew may be gone
            self.theme = self.remembered.theme
        self.theme_changed_signal.subscribe(self, self._remember_theme)
        bench = Workbench(
            self._source, self._setup, model=self._model, window=self._window, encoding=self._encoding,
            recent=self.remembered.recent, target=self.remembered.target or NATIVE,
        )  # fmt: skip
        self.push_screen(bench)
        if self._complaint:
            self.notify(visible(self._complaint), severity="warning", timeout=10, markup=False)

    @property
    def _encoding(self) -> str | None:
        return self.remembered.counter if self.remembered.counter in ENCODINGS else None

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """Every key of the workbench, and those of textual's own commands for which it has no key."""
        yield from (command for command in super().get_system_commands(screen) if command.title not in SUPERSEDED)
        if isinstance(screen, Workbench):
            for key in KEYS:
                name = f"{key.words[:1].upper()}{key.words[1:]}"
                help_text = f"key {key.display or key.keys.split(',')[0]}"
                yield SystemCommand(name, help_text, lambda action=key.action: self._perform(screen, action))

    def _perform(self, screen: Screen[Any], action: str) -> None:
        self.call_later(self.run_action, action, screen)

    # what is remembered ----------------------------------------------------------------------------------------------

    @on(Opened)
    def _remember_file(self, opened: Opened) -> None:
        if opened.path != STDIO:
            self.remembered = self.remembered.opened(os.path.abspath(opened.path))
            self.run_worker(self.save, thread=True, group="memory")
            for bench in self.screen_stack:
                if isinstance(bench, Workbench):
                    bench.recent_files = self.remembered.recent

    @on(SetupChanged)
    def _remember_setup(self, changed: SetupChanged) -> None:
        self.remembered = self.remembered.tuned(changed.setup.policy, changed.setup.settings)

    @on(CounterChosen)
    def _remember_counter(self, chosen: CounterChosen) -> None:
        self.remembered = replace(self.remembered, counter=chosen.encoding or "")

    @on(TargetChosen)
    def _remember_target(self, chosen: TargetChosen) -> None:
        self.remembered = replace(self.remembered, target=chosen.target)

    def _remember_theme(self, theme: Any) -> None:
        self.remembered = replace(self.remembered, theme=theme.name)

    def save(self) -> None:
        """Write down what is remembered; a folder that cannot be written costs the memory only."""
        remembering.save(self.remembered)

    # faults ----------------------------------------------------------------------------------------------------------

    def _fatal_error(self) -> None:
        """Leave with one sentence: textual's traceback prints local variables, and with them the recording."""
        if os.environ.get(DEBUG_VARIABLE):
            super()._fatal_error()
            return
        fault = self._exception
        self._return_code = UNUSABLE
        reason = getattr(fault, "error", fault)  # what a worker failed of
        says = visible_line(sentence(reason or RuntimeError("unknown")))
        self.panic(Text(f"inspector: {says}", no_wrap=True, overflow="ignore"))


def _last_setup(remembered: Remembered) -> Setup:
    """The policy and settings last used, as far as this version knows them."""
    given = {
        name: remembering.fitting(POLICIES[name], values)
        for name, values in remembered.settings.items()
        if name in POLICIES
    }
    first = next(iter(POLICIES))
    return Setup(remembered.policy if remembered.policy in POLICIES else first, given)


def run(
    path: str | None, *, format: str | None = None, index: int = 0, policy: str | None = None,
    settings: Mapping[str, Any] | None = None, at: int | None = None, mode: Mode | None = None,
    model: str | None = None, window: int | None = None, mouse: bool = True,
) -> int:  # fmt: skip
    """Open the application, and give its exit status.

    `path` "-" reads standard input to its end first; keys then come from the terminal itself. With `at` the timeline is
    open at that request, to which the policy comes in `mode`, None: in its own.
    """
    remembered, complaint = remembering.load()
    setup = _last_setup(remembered)
    if policy is not None or settings:
        chosen = policy or setup.policy
        setup = Setup(chosen, {**setup.given, chosen: dict(settings or {})})
    source = None if path is None else _source(path, format, index, at, mode)
    app = Inspector(source, setup, model=model, window=window, remembered=remembered, complaint=complaint)
    status = app.run(mouse=mouse)
    app.save()
    return app.return_code or status or 0


def _source(path: str, format: str | None, index: int, at: int | None, mode: Mode | None) -> Source:
    raw = None
    if path == STDIO:
        raw = sys.stdin.buffer.read()
        terminal = os.open("/dev/tty", os.O_RDWR)
        os.dup2(terminal, sys.stdin.fileno())
    return Source(path, raw, format, index, at=at, mode=mode)
