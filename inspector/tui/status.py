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
APART = 3


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
        """Both; where they do not fit, the setting is cut down to the policy's name before the words are."""
        room = self.content_size.width - len(KEY) - 1
        name, _, rest = self.setting.partition("  ")
        least = cells(name) + bool(rest)
        words = clip(self.says, max(0, room - least - APART))
        setting = clip(self.setting, max(0, room - cells(words) - APART * bool(words)))
        gap = " " * max(1, room - cells(setting) - cells(words))
        return Content.assemble((KEY, "bold $text-accent"), " ", (setting, "bold"), gap, words)

    def on_click(self, event: events.Click) -> None:
        """Ask for the settings."""
        event.stop()
        self.post_message(self.SettingClicked())
