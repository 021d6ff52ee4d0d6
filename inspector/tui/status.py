"""One line above the footer: the selected setting, and what was last said. It never moves anything."""

from __future__ import annotations

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from inspector.text import clip, visible_line


class Status(Widget):
    """The selected setting at the left, the last thing said at the right."""

    DEFAULT_CSS = """
    Status { height: 1; padding: 0 1; color: $text-muted; background: $surface; }
    """

    setting: reactive[str] = reactive("")
    """Name, value and unit of the selected setting: here also where the controls are folded away."""
    says: reactive[str] = reactive("")
    """What the last action did, or why it could not."""

    def render(self) -> Content:
        """Both, the words cut to what the width leaves."""
        setting = visible_line(self.setting)
        room = max(0, self.content_size.width - len(setting) - 3)
        words = clip(visible_line(self.says), room)
        gap = " " * max(1, self.content_size.width - len(setting) - len(words))
        return Content.assemble((setting, "bold"), gap, words)
