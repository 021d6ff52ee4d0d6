"""Taking a provider's error message, pasted as it is, and saying at once which rule it speaks of."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Button, TextArea

from inspector.doctor.errors import recognised
from inspector.doctor.rulebook import RULES
from inspector.tui.dialogs.dialog import Area, Dialog, Words, button
from inspector.tui.faults import NATIVE

LONGEST = 100_000
"""Characters looked at: an error message that quotes a whole request is known by its beginning."""


def rule_words(text: str) -> str:
    """Which rule an error message speaks of; nothing for an empty one."""
    if not text.strip():
        return ""
    known = recognised(text[:LONGEST])
    if known is None:
        return "this is no error message that the doctor knows"
    rule = RULES[known.codes[0]]
    whom = "" if known.target == NATIVE else f", a rule of {known.target}"
    return f"{rule.code}: {rule.title}{whom}"


class ProviderError(Dialog[str]):
    """Answers the text."""

    AUTO_FOCUS = "Area"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s,f2", "find", "Find the message", priority=True),
    ]
    DEFAULT_CSS = """
    ProviderError > .box { width: 90; }
    ProviderError Area { height: 7; border: none; background: $panel; padding: 0 1; }
    ProviderError Area:focus { border: none; background: $boost; }
    ProviderError #rule { margin-top: 1; min-height: 1; }
    """

    def compose(self) -> ComposeResult:
        """The field, the rule, and buttons."""
        with Vertical(classes="box"):
            yield Words("Paste a provider's error message", classes="title")
            yield Area(soft_wrap=True, show_line_numbers=False, tab_behavior="focus")
            yield Words(id="rule")
            yield Words("ctrl+s, or tab and enter, goes to the message that it speaks of")
            with Horizontal(classes="buttons"):
                yield button("Find", "find", first=True)
                yield button("Cancel", "cancel")

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """Say which rule it is."""
        self.query_one("#rule", Words).say(rule_words(event.text_area.text))

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Find it, or not."""
        self.action_find() if event.button.id == "find" else self.dismiss(None)

    def action_find(self) -> None:
        """Answer what was pasted."""
        text = self.query_one(Area).text[:LONGEST]
        if text.strip():
            self.dismiss(text)
