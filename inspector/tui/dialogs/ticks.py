"""Textual's tick boxes, drawn so that a tick is a character and not only a hue."""

from __future__ import annotations

from rich.segment import Segment
from rich.style import Style
from textual.content import Content
from textual.strip import Strip
from textual.widgets import Checkbox, RadioButton, RadioSet, SelectionList

TICKED, EMPTY = "[x]", "[ ]"


class Tick(Checkbox):
    """One box to tick."""

    @property
    def _button(self) -> Content:
        return Content(TICKED if self.value else EMPTY)


class Choice(RadioButton):
    """One of several, of which one is chosen."""

    @property
    def _button(self) -> Content:
        return Content("(o)" if self.value else "( )")


class Choices(RadioSet):
    """Several, of which one is chosen by Enter; Enter on the one that is chosen goes on to what comes next."""

    def action_toggle_button(self) -> None:
        """Choose what is at the cursor, or go on."""
        at_cursor = self.query("RadioButton.-selected").results(RadioButton)
        if any(button.value for button in at_cursor):
            self.screen.focus_next()
        else:
            super().action_toggle_button()


class Ticks(SelectionList[str]):
    """A list of boxes to tick."""

    def render_line(self, y: int) -> Strip:
        """A line whose box, the first three segments, is drawn in characters."""
        strip = super().render_line(y)
        box, rest = list(strip)[:3], list(strip)[3:]
        option = box[0].style.meta.get("option") if len(box) == 3 and box[0].style else None
        if option is None or rest[0].style is None:
            return strip
        ticked = self.get_option_at_index(option).value in self.selected
        style = rest[0].style + Style(meta={"option": option})
        return Strip([Segment(TICKED if ticked else EMPTY, style), *rest])
