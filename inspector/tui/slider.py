"""One line on which a number is dragged, and the scale that ties its cells to values.

The scale is a set of pure functions, so that a drag can be tested without a terminal. Wide ranges move in ratios: a
step near 2,000 is 200 and near 200,000 is 20,000, and all of them land on round numbers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from inspector.policies.policy import Param, Value

Number: TypeAlias = int | float

WIDE = 200
"""A range of more steps than this moves in ratios, whatever its parameter says."""
TIDY = ((1, 0.1), (2, 0.2), (5, 0.5), (10, 1.0))
"""Within a power of ten: from 1 the grid is 0.1, from 2 it is 0.2, from 5 it is 0.5; so a step is 4 to 10 percent."""


@dataclass(frozen=True, slots=True)
class Scale:
    """The values of a slider, from `low` to `high`, on a grid of round numbers."""

    low: Number
    high: Number
    step: Number = 1
    ratio: bool = False
    whole: bool = True

    def position(self, value: Number, width: int) -> int:
        """The cell of a value on a track of `width` cells; values beyond an end are drawn at that end."""
        return round(self.share(value) * (width - 1)) if width > 1 else 0

    def share(self, value: Number) -> float:
        """Where a value lies, from 0.0 at the low end to 1.0 at the high end.

        In ratios the share is the logarithm of one plus the steps from the low end, so that 0 has its place.
        """
        if self.high <= self.low or value <= self.low:
            return 0.0
        if value >= self.high:
            return 1.0
        if not self.ratio:
            return (value - self.low) / (self.high - self.low)
        return math.log1p((value - self.low) / self.step) / math.log1p((self.high - self.low) / self.step)

    def value(self, position: float, width: int) -> Number:
        """The round number nearest to a cell; the ends themselves at, and beyond, the first and the last cell."""
        if position <= 0 or self.high <= self.low:
            return self.low
        if position >= width - 1:
            return self.high
        raw = self._raw(position / (width - 1))
        grid = self._grid(raw)
        return self.clamp(self._tidy(round(raw / grid) * grid))

    def _raw(self, share: float) -> float:
        span = self.high - self.low
        if not self.ratio:
            return self.low + share * span
        return self.low + self.step * math.expm1(share * math.log1p(span / self.step))

    def clamp(self, value: Number) -> Number:
        """The value, or the end that it lies beyond."""
        return min(max(value, self.low), max(self.low, self.high))

    def stepped(self, value: Number, by: int) -> Number:
        """The value `by` steps up (below 0: down) the grid, within the ends.

        A linear step adds `step`, and brings a value between two steps to the next one; in ratios a step is 4 to 10
        percent, never less than `step`. Beyond the high end a step up changes nothing, a step down goes to the end.
        """
        for _ in range(abs(by)):
            value = self._up(value) if by > 0 else self._down(value)
        return value

    def _up(self, value: Number) -> Number:
        if value >= self.high:
            return value
        grid = self._grid(value)
        return self.clamp(self._tidy((math.floor(value / grid + 1e-9) + 1) * grid))

    def _down(self, value: Number) -> Number:
        if value > self.high:
            return self.high
        grid = self._grid(value, below=True)
        return self.clamp(self._tidy((math.ceil(value / grid - 1e-9) - 1) * grid))

    def _grid(self, value: Number, below: bool = False) -> float:
        """The distance of round numbers above a value, or below it."""
        if not self.ratio or value <= 0:
            return self.step
        power = 10.0 ** math.floor(math.log10(value))
        lead = value / power * (1 - 1e-9 if below else 1 + 1e-9)
        fraction = next((part for start, part in reversed(TIDY) if lead >= start), 0.05)
        return max(self.step, fraction * power)

    def _tidy(self, value: float) -> Number:
        return round(value) if self.whole else round(value, 6)


def scale_of(param: Param, top: Number) -> Scale:
    """The scale of a parameter whose slider ends at `top`."""
    high = max(top, param.low)
    wide = (high - param.low) / param.step > WIDE
    return Scale(param.low, high, param.step, param.scale == "ratio" or wide, param.kind == "int")


def track(scale: Scale, value: Number, default: Value, width: int) -> str:
    """The line itself: `├────●───┴──┤`, with a tick where the default lies and ▶ for a value beyond the end."""
    if width < 2:
        return "●"[:width]
    line = ["├", *"─" * (width - 2), "┤"]
    if isinstance(default, int | float):
        place = scale.position(default, width)
        line[place] = {0: "└", width - 1: "┘"}.get(place, "┴")
    line[scale.position(value, width)] = "▶" if value > scale.high else "●"
    return "".join(line)


class Slider(Widget, can_focus=True):
    """A number on one line: drag the knob, click on the track, or press left, right, home, end."""

    DEFAULT_CSS = """
    Slider { width: 1fr; height: 1; color: $foreground 60%; }
    Slider:hover { color: $foreground 80%; }
    Slider:focus { color: $foreground; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "step(-1)", "Less", show=False),
        Binding("right", "step(1)", "More", show=False),
        Binding("home", "end(-1)", "Least", show=False),
        Binding("end", "end(1)", "Most", show=False),
    ]

    class Changed(Message):
        """A person moved the slider; superseded by a later one of the same slider."""

        def __init__(self, slider: Slider, value: Number) -> None:
            super().__init__()
            self.slider = slider
            self.value = value

        @property
        def control(self) -> Slider:
            """The slider that moved."""
            return self.slider

        def can_replace(self, message: Message) -> bool:
            """Whether the later `message` makes this one void."""
            return isinstance(message, Slider.Changed) and message.slider is self.slider

    value: reactive[Number] = reactive[Number](0)
    default: reactive[Value] = reactive[Value](None)
    scale: reactive[Scale] = reactive(Scale(0, 100))

    def __init__(
        self,
        scale: Scale,
        value: Number = 0,
        default: Value = None,
        *,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(id=id, classes=classes)
        self.set_reactive(Slider.scale, scale)
        self.set_reactive(Slider.value, value)
        self.set_reactive(Slider.default, default)
        self.dragging = False

    def render(self) -> Content:
        """The track, its part below the knob and the knob in the theme's colours."""
        width = self.content_size.width
        knob = self.scale.position(self.value, width)
        line = Content(track(self.scale, self.value, self.default, width))
        return line.stylize("$primary", 0, knob).stylize("bold $text-accent", knob, knob + 1)

    def move(self, value: Number) -> None:
        """Sets the value as a person does: it is drawn, and `Changed` is posted if it is another one."""
        if value != self.value:
            self.value = value
            self.post_message(self.Changed(self, value))

    def action_step(self, by: int) -> None:
        """Moves by steps."""
        self.move(self.scale.stepped(self.value, by))

    def action_end(self, side: int) -> None:
        """Moves to the high end, or with -1 to the low one."""
        self.move(self.scale.high if side > 0 else self.scale.low)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Takes the mouse; the knob itself may be taken without moving it."""
        if event.button != 1:
            return
        event.stop()
        self.dragging = True
        self.capture_mouse()
        self._follow(event)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Follows the mouse while it is held."""
        if self.dragging:
            event.stop()
            self._follow(event)

    def _follow(self, event: events.MouseEvent) -> None:
        width = self.content_size.width
        if event.get_content_offset_capture(self).x == self.scale.position(self.value, width):
            return
        self.move(self.scale.value(event.pointer_x - self.gutter.left, width))

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Lets the mouse go."""
        if self.dragging:
            event.stop()
        self._let_go()

    def on_hide(self) -> None:
        """Lets the mouse go."""
        self._let_go()

    def on_blur(self) -> None:
        """Lets the mouse go, lest the next click anywhere came here."""
        self._let_go()

    def on_unmount(self) -> None:
        """Lets the mouse go."""
        self._let_go()

    def on_mouse_release(self) -> None:
        """The mouse was taken away by the app."""
        self.dragging = False

    def _let_go(self) -> None:
        if self.dragging:
            self.dragging = False
            self.release_mouse()
