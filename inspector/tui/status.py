"""One line above the footer: the selected setting, and what was last said. It never moves anything."""

from __future__ import annotations

from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from inspector.text import cells, clip

KEY = "w"
"""Shows the settings, or folds them away; so does a click on the line."""


class Status(Widget):
    """The selected setting at the left, the last thing said at the right."""

    DEFAULT_CSS = """
    Status { height: 1; padding: 0 1; color: $text-muted; background: $surface; }
    """

    ALLOW_SELECT = False

    class SettingClicked(Message):
        """The line was clicked: the settings are wanted, or no longer wanted."""

    setting: reactive[str] = reactive("")
    """Name, value and unit of the selected setting: here also where the controls are folded away."""
    says: reactive[str] = reactive("")
    """What the last action did, or why it could not."""

    def render(self) -> Content:
        """Both, the words cut to what the width leaves."""
        width = self.content_size.width
        setting = clip(self.setting, width - len(KEY) - 1)
        words = clip(self.says, max(0, width - len(KEY) - 1 - cells(setting) - 3))
        gap = " " * max(1, width - len(KEY) - 1 - cells(setting) - cells(words))
        return Content.assemble((KEY, "bold $footer-key-foreground"), " ", (setting, "bold"), gap, words)

    def on_click(self, event: events.Click) -> None:
        """Ask for the settings."""
        event.stop()
        self.post_message(self.SettingClicked())
