"""One parameter on the screen: its name and value, its slider, and a line that says what the numbers mean.

Nothing here changes height while a value moves. Only opening the field for a typed value, and the sentence that says
why one will not do, lay out anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input

from inspector.policies.policy import Param, SettingError, Value, spoken
from inspector.text import cells, clip, pad, thousands, visible
from inspector.tui.field import Field
from inspector.tui.glyphs import BROKEN
from inspector.tui.slider import Number, Slider, scale_of

LARGEST = 1_000_000_000
"""The most that may be typed: a larger number would not stand beside its name."""
LINE_WIDTH = 14
"""Cells that the text of a line takes beside its name."""


def amount(param: Param, value: Value) -> str:
    """A value as people read it: `2,000`, `3.2`, `yes`; of a text its size, or "draft" where there is none."""
    if param.kind == "choice":
        return spoken(value)
    if param.kind == "line":
        return clip(str(value), LINE_WIDTH) if value else "none"
    if isinstance(value, str):
        return f"{thousands(len(value.encode('utf-8', 'replace')))} bytes"
    if value is None:
        return "draft" if param.kind == "text" else "not set"
    if isinstance(value, int):
        return thousands(value)
    return f"{value:,.6f}".rstrip("0").rstrip(".") if value % 1 else f"{value:,.1f}"


def title(param: Param, top: Number, width: int) -> str:
    """The parameter's name, without its unit where name and largest value would not fit on one line."""
    room = width - _widest(param, top) - 1
    if len(param.title) > room:
        return param.title.removesuffix(f" {param.unit}")
    return param.title


def _widest(param: Param, top: Number) -> int:
    """Cells of the widest value."""
    if param.kind == "choice":
        return max(cells(spoken(choice)) for choice in param.choices)
    return LINE_WIDTH if param.kind == "line" else len(amount(param, top))


def heading(param: Param, value: Value, top: Number, width: int) -> tuple[str, str]:
    """Name and value, together exactly `width` cells: the value stands at the right and is never cut."""
    number = amount(param, value)
    room = max(0, width - cells(number))
    return pad(clip(title(param, top, width), max(0, room - 1)), room), number


def meaning(param: Param, value: Value, top: Number, width: int) -> str:
    """The line under a slider: unit, whether the value switches off or is the default, and the end of the range.

    What does not fit in `width` cells goes, the least needed first.
    """
    if param.kind in ("text", "line"):
        return clip("v gives one" if not value else "v changes it", width)
    if param.kind == "choice":
        return clip(" · ".join(map(spoken, param.choices)), width)
    named = title(param, top, width).endswith(param.unit)
    for left, right in _meanings(param, value, top, [] if named else [param.unit]):
        if len(left) + len(right) + 2 <= width:
            return left + right.rjust(width - len(left))
    return clip(param.unit, width)


def _meanings(param: Param, value: Value, top: Number, unit: list[str]) -> Iterator[tuple[str, str]]:
    off = ["off"] if param.off is not None and value == param.off else []
    default = ["default"] if value == param.default else [f"default {amount(param, param.default)}"]
    end = amount(param, top)
    span = f"to {end}" if param.low == 0 else f"{amount(param, param.low)} to {end}"
    for right in (span, end):
        yield ", ".join([*unit, *off, *default]), right
    for words in ([*unit, *off], [*off, *default], [*off]):
        yield ", ".join(words), span


def read_typed(param: Param, text: str) -> Value:
    """A typed value; "off" and "default" are words for theirs. Raises `SettingError` with one sentence."""
    word = text.strip().lower()
    if param.is_number and word == "default":
        return param.default
    if word == "off" and param.is_number and param.off is not None:
        return param.off
    value = param.read(text)
    if isinstance(value, int | float) and value > LARGEST:
        raise SettingError(f"{param.name} wants at most {LARGEST:,} here, not {text.strip()[:40]!r}")
    return value


class Line(Widget):
    """One line of text, changed without a layout."""

    DEFAULT_CSS = "Line { width: 1fr; height: 1; }"

    def __init__(self, *, classes: str | None = None) -> None:
        super().__init__(classes=classes)
        self.text = Content("")

    def render(self) -> Content:
        """The text."""
        return self.text

    def show(self, text: Content) -> None:
        """Draws another text, if it is another one."""
        if text != self.text or text.spans != self.text.spans:
            self.text = text
            self.refresh()


class Entry(Field):
    """The field for a typed value; Esc closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "back", key_display="esc")]

    class Left(Message):
        """A person turned away from the field."""

    def action_leave(self) -> None:
        """Says that the field may close."""
        self.post_message(self.Left())

    def on_blur(self) -> None:
        """Closes when something else is clicked, but not when another window is."""
        if self.app.app_focus:
            self.post_message(self.Left())


class Setting(Vertical):
    """One parameter: heading, slider or field, meaning."""

    DEFAULT_CSS = """
    Setting { height: auto; margin-bottom: 1; padding: 0 1 0 0; border-left: blank; }
    Setting.-selected { border-left: outer $text-accent; }
    Setting .meaning { color: $foreground 60%; }
    Setting Entry { display: none; width: 1fr; padding: 0; }
    Setting .trouble { display: none; height: auto; color: $text-error; }
    Setting.-typing Slider, Setting.-text Slider { display: none; }
    Setting.-typing Entry { display: block; }
    Setting.-trouble .trouble { display: block; }
    Setting.-trouble .meaning { display: none; }
    """

    class Changed(Message):
        """A person changed the value; superseded by a later change of the same parameter."""

        def __init__(self, name: str, value: Value) -> None:
            super().__init__()
            self.name = name
            self.value = value

        def can_replace(self, message: Message) -> bool:
            """Whether the later `message` makes this one void."""
            return isinstance(message, Setting.Changed) and message.name == self.name

    class Clamped(Message):
        """The value was held at an end of the slider, and `says` tells so."""

        def __init__(self, says: str) -> None:
            super().__init__()
            self.says = says

    class Chosen(Message):
        """A person clicked on the block; with `opens`, on its value."""

        def __init__(self, setting: Setting, opens: bool) -> None:
            super().__init__()
            self.setting = setting
            self.opens = opens

    class Closed(Message):
        """The field for a typed value is closed, and the focus is free."""

    def __init__(self) -> None:
        super().__init__()
        self.param = Param("", "", 0, "")
        self.top: Number = 0
        self.value: Value = 0
        self._moved: list[Value] = []
        """The value that a person gave last, until the settings shown have caught up with it."""
        self._heading = Line(classes="heading")
        self.slider = Slider(scale_of(self.param, 1))
        self.slider.can_focus = False
        self._entry = Entry(compact=True, max_length=400, select_on_focus=True)
        self._meaning = Line(classes="meaning")
        self._trouble = Trouble(classes="trouble")

    def compose(self) -> ComposeResult:
        """Three lines, of which the middle one is a slider or a field."""
        yield self._heading
        yield self.slider
        yield self._entry
        yield self._meaning
        yield self._trouble

    def describe(self, param: Param, top: Number) -> None:
        """Takes over a parameter whose slider ends at `top`, and draws its default."""
        self.close()
        self.param, self.top, self._moved = param, top, []
        self.set_class(not param.is_number, "-text")
        self.slider.default = param.default
        if param.is_number:
            self.slider.scale = scale_of(param, top)
        self._take(param.default)

    def show(self, value: Value) -> None:
        """Draws a value from the settings, unless it is older than what a person has just given. Posts nothing."""
        if self._moved and value != self._moved[0]:
            return
        self._moved.clear()
        if value != self.value:
            self._take(value)

    def _take(self, value: Value) -> None:
        self.value = value
        if self.param.is_number and not isinstance(value, str):
            self.slider.value = value if value is not None else self._least()
        self._draw()

    def _least(self) -> Number:
        return self.param.default if isinstance(self.param.default, int | float) else self.param.low

    def on_resize(self) -> None:
        """Fits the texts to the width."""
        self._draw()

    def _draw(self, says: str = "") -> None:
        width = self.content_size.width
        if width < 1:
            return
        name, number = heading(self.param, self.value, self.top, width)
        self._heading.show(Content.assemble(name, (number, "bold")))
        if says:
            self._meaning.show(Content.styled(clip(f"{BROKEN} {says}", width), "bold $text-warning"))
        else:
            self._meaning.show(Content(meaning(self.param, self.value, self.top, width)))

    def step(self, by: int) -> None:
        """Steps the value, as a person does, and turns through a choice; says where the slider ends."""
        if self.param.is_number:
            self._step(by)
        elif self.param.kind == "choice":
            self._turn(by)
        else:
            self.post_message(self.Clamped(f"{self.param.title} is a text: v opens it"))

    def _step(self, by: int) -> None:
        was, scale = self.slider.value, self.slider.scale
        value = scale.stepped(was, by)
        self.change(value)
        if value == was or was > scale.high:
            self._clamped(scale.high if by > 0 or was > scale.high else scale.low)

    def _turn(self, by: int) -> None:
        choices = self.param.choices
        place = next((at for at, choice in enumerate(choices) if choice == self.value), -1)
        self.change(choices[(place + by) % len(choices)])

    def change(self, value: Value) -> None:
        """Takes a value as a person gives it."""
        if value != self.value:
            self._moved = [value]
            self._take(value)
            self.post_message(self.Changed(self.param.name, value))
        else:
            self._draw()

    def on_slider_changed(self, event: Slider.Changed) -> None:
        """Takes the slider's value; a value that lay beyond its end is gone, and that is said."""
        event.stop()
        beyond = isinstance(self.value, int | float) and self.value > self.slider.scale.high
        self.change(event.value)
        if beyond and event.value == self.slider.scale.high:
            self._clamped(event.value)

    def _clamped(self, end: Number) -> None:
        beyond = isinstance(self.value, int | float) and self.value > end
        says = f"{'beyond' if beyond else 'at'} its end: {amount(self.param, end)}"
        self._draw(says)
        self.post_message(self.Clamped(f"{self.param.title} is {says}"))

    def open(self) -> None:
        """Opens the field for a typed value; a choice turns to the next one."""
        if self.param.kind == "choice":
            self._turn(1)
            return
        self.add_class("-typing")
        self._entry.value = "" if self.value is None else str(self.value)
        self._entry.focus()

    def close(self) -> None:
        """Closes the field, keeping the value as it was."""
        if self.has_class("-typing"):
            self.remove_class("-typing", "-trouble")
            self.post_message(self.Closed())

    def on_entry_left(self, event: Entry.Left) -> None:
        """Closes the field."""
        event.stop()
        self.close()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Takes the typed value, or says why it will not do."""
        event.stop()
        try:
            value = read_typed(self.param, event.value)
        except SettingError as error:
            self._trouble.show(f"{BROKEN} {error}")
            self.add_class("-trouble")
            self.call_after_refresh(self.scroll_visible, animate=False)
            return
        self.close()
        self.change(value)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Another text is another chance."""
        event.stop()
        self.remove_class("-trouble")

    def on_click(self, event: events.Click) -> None:
        """Selects the parameter; a click on the value opens the field, one on the words "default N" resets."""
        if self.has_class("-typing"):
            return
        if event.widget is self._meaning and self._on_default(event.x):
            self.change(self.param.default)
        on_value = event.widget is self._heading and event.x >= self._heading.text.cell_length - len(self._number)
        on_choices = event.widget is self._meaning and self.param.kind == "choice"
        self.post_message(self.Chosen(self, on_value or on_choices or self.param.kind in ("text", "line")))

    @property
    def _number(self) -> str:
        return amount(self.param, self.value)

    def _on_default(self, x: int) -> bool:
        """Whether a cell of the last line lies on the words "default N"."""
        if not self.param.is_number:
            return False
        words = f"default {amount(self.param, self.param.default)}"
        start = self._meaning.text.plain.find(words)
        return 0 <= start <= x < start + len(words)


class Trouble(Widget):
    """Why a typed value will not do, folded at words."""

    DEFAULT_CSS = "Trouble { width: 1fr; height: auto; }"

    def __init__(self, *, classes: str | None = None) -> None:
        super().__init__(classes=classes)
        self._says = Content("")

    def render(self) -> Content:
        """The sentence."""
        return self._says

    def show(self, says: str) -> None:
        """Takes another sentence, which may quote what was typed."""
        self._says = Content(visible(says))
        self.refresh(layout=True)
