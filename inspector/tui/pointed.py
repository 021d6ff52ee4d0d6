"""A strip of cells that the mouse points into: a press goes there, a drag follows, and the mouse is always let go."""

from __future__ import annotations

from textual import events
from textual.widget import Widget


class Pointed(Widget):
    """What the map and the timeline share. Subclasses say whether there is anything to point at, and go there."""

    _dragging = False

    def can_point(self) -> bool:
        """Whether there is anything to point at."""
        raise NotImplementedError

    def point(self, cell: int, width: int) -> None:
        """Go to what the `cell`th of `width` cells stands for."""
        raise NotImplementedError

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Go there, and follow the mouse until it is let go."""
        if event.button == 1 and self.can_point():
            self._dragging = True
            self.capture_mouse()
            self._point(event)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Follow."""
        if self._dragging:
            self._point(event)

    def on_mouse_up(self) -> None:
        """Let go."""
        self._let_go()

    def on_hide(self) -> None:
        """Let go, so that the next click does not come here."""
        self._let_go()

    def _let_go(self) -> None:
        if self._dragging:
            self._dragging = False
            self.release_mouse()

    def _point(self, event: events.MouseEvent) -> None:
        width = max(1, self.size.width)
        if self.can_point():
            self.point(min(max(0, event.get_content_offset_capture(self).x), width - 1), width)
