"""The pane in which a policy is chosen and tuned, built from the policy's own description of its parameters.

The workbench shows it settings, and hears of changes. What a person has just moved is drawn at once, and is not
overdrawn by settings that are older than the movement.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from inspector.message import Context
from inspector.policies import offered_for
from inspector.policies.policy import Policy, Settings, Value
from inspector.text import clip, visible
from inspector.tui.glyphs import BROKEN
from inspector.tui.setting import Line, Setting
from inspector.tui.slider import Number

CHOOSER = -1
"""What `Controls.selected` is while the policy's own line is selected."""
ARROWS = "◂ ▸"


class Chooser(Line):
    """The policy's name, with arrows to the others."""

    DEFAULT_CSS = """
    Chooser { text-style: bold; padding: 0 1 0 0; border-left: blank; margin-bottom: 1; }
    Chooser.-selected { border-left: outer $text-accent; }
    """

    class Turned(Message):
        """A person asked for the next policy, or with -1 for the one before."""

        def __init__(self, by: int) -> None:
            super().__init__()
            self.by = by

    def name_policy(self, name: str) -> None:
        """Draws a name."""
        room = max(0, self.content_size.width - len(ARROWS) - 1)
        self.show(Content.assemble(clip(name, room).ljust(room + 1), (ARROWS, "not bold $text-accent")))

    def on_click(self, event: events.Click) -> None:
        """The left arrow turns back; anything else turns on."""
        self.post_message(self.Turned(-1 if event.x - self.gutter.left == self.content_size.width - 3 else 1))


class Folded(Widget):
    """Text folded at words, that keeps the greatest height it has had: so a drag lays out nothing."""

    DEFAULT_CSS = "Folded { width: 1fr; height: 0; }"

    def __init__(self, *, id: str | None = None, grows: bool = True) -> None:
        super().__init__(id=id)
        self.text = Content("")
        self.grows = grows

    def render(self) -> Content:
        """The text."""
        return self.text

    def show(self, text: Content, afresh: bool = False) -> None:
        """Takes another text; with `afresh` also gives back the height that the last one needed."""
        if text.plain == self.text.plain and not afresh:
            return
        self.text = text
        self._fit(afresh)
        self.refresh()

    def _fit(self, afresh: bool = False) -> None:
        width = self.content_size.width
        if not self.grows or width < 1:
            return
        lines = self.text.get_height({}, width) if self.text.plain else 0
        if afresh or lines > self.content_size.height:
            self.styles.height = lines

    def on_resize(self) -> None:
        """Folds anew."""
        self._fit()


class Controls(VerticalScroll, can_focus=True):
    """A policy and its parameters.

    Keys: up and down (`k`, `j`) select; left and right (`h`, `l`) step the selected parameter, or on the policy's line
    turn to another policy; home and end go to the ends; Enter or `=` opens a field to type a number, "off" or
    "default"; backspace sets the default. With the mouse: drag or click a slider, click a value to type, click the
    words "default N" to reset, click the arrows to turn to another policy.
    """

    DEFAULT_CSS = """
    Controls { width: 30; scrollbar-size-vertical: 1; scrollbar-gutter: stable; background: $background; }
    Controls > #settings { height: auto; }
    Controls.-tight Setting, Controls.-tight Chooser { margin-bottom: 0; }
    Controls > #remarks { margin: 0 1; color: $foreground 70%; }
    Controls > #help { dock: bottom; height: 5; padding: 0 1; border-top: solid $foreground 20%; }
    Controls > #help { color: $foreground 80%; }
    Controls:focus > #help { border-top: solid $accent; }
    Controls:focus .-selected .heading { text-style: bold; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Select", show=False),
        Binding("down,j", "move(1)", "Select", show=False),
        Binding("left,h", "turn(-1)", "step", key_display="←/→"),
        Binding("right,l", "turn(1)", "Step up, or the next policy", show=False),
        Binding("home", "end(-1)", "Least", show=False),
        Binding("end", "end(1)", "Most", show=False),
        Binding("enter,equals_sign", "open", "type"),
        Binding("backspace", "reset", "reset"),
    ]

    class PolicyChosen(Message):
        """A person asked for another policy."""

        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

    class Changed(Message):
        """A person changed a parameter; superseded by a later change of the same one."""

        def __init__(self, name: str, value: Value) -> None:
            super().__init__()
            self.name = name
            self.value = value

        def can_replace(self, message: Message) -> bool:
            """Whether the later `message` makes this one void."""
            return isinstance(message, Controls.Changed) and message.name == self.name

    class Clamped(Message):
        """A value was held at an end of its slider; `says` is a sentence's worth of words."""

        def __init__(self, says: str) -> None:
            super().__init__()
            self.says = says

    class TextWanted(Message):
        """A person wants to give the text of a parameter such as a checkpoint."""

        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

    selected: reactive[int] = reactive(0)
    """The selected parameter, or `CHOOSER`."""

    def __init__(self, policies: Sequence[str] | None = None, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._policies = None if policies is None else tuple(policies)
        """Those to turn through; None: all, in the order in which they are offered for the session."""
        self._policy: Policy | None = None
        self._session: Context | None = None
        self._tops: dict[str, Number] = {}
        self._settings: list[Setting] = []
        self._came_from: Widget | None = None
        """What had the focus when the field for a typed value was opened."""
        self._chooser = Chooser()
        self._pane = Vertical(id="settings")
        self._remarks = Folded(id="remarks")
        self._help = Folded(id="help", grows=False)

    def compose(self) -> ComposeResult:
        """The policy's line, its parameters, what is to be said about it, and the help of what is selected."""
        yield self._chooser
        yield self._pane
        yield self._remarks
        yield self._help

    @property
    def policy(self) -> Policy | None:
        """The policy that is shown."""
        return self._policy

    def show(self, policy: Policy, settings: Settings, context: Context) -> None:
        """Draws a policy's settings. Only another policy or another session lays out anew."""
        if policy is not self._policy or context is not self._session:
            self._take(policy, context)
        for param, block in zip(policy.params, self._settings, strict=False):
            block.show(settings.get(param.name, param.default))

    def _take(self, policy: Policy, context: Context) -> None:
        same = policy is self._policy
        self._policy, self._session = policy, context
        self._tops = {param.name: param.top(context) for param in policy.params if param.is_number}
        while len(self._settings) < len(policy.params):
            self._settings.append(Setting())
            self._pane.mount(self._settings[-1])
        for place, block in enumerate(self._settings):
            block.display = place < len(policy.params)
            if block.display:
                param = policy.params[place]
                block.describe(param, self._tops.get(param.name, 0))
        self._chooser.name_policy(policy.name)
        self.remark((), (), afresh=True)
        if not same and self.selected != CHOOSER:
            self.selected = 0
        self._mark()
        self._fit()

    def remark(self, warnings: Sequence[str], notes: Sequence[str], afresh: bool = False) -> None:
        """Draws what a plan warns of and notes (its texts may come from a recording), and what the policy protects."""
        parts = [Content.styled(f"{BROKEN} {visible(warning)}\n", "$text-warning") for warning in warnings]
        parts += [Content(f"· {visible(note)}\n") for note in notes]
        if self._policy and self._policy.protects:
            parts.append(Content.styled(f"never touched: {self._policy.protects}", "$foreground 60%"))
        self._remarks.show(Content.assemble(*parts).rstrip("\n"), afresh)

    def select_next(self, by: int) -> None:
        """Selects the next parameter, or with -1 the one before; from the last the first comes next."""
        count = len(self._policy.params) if self._policy else 0
        if count:
            start = self.selected if self.selected != CHOOSER or by > 0 else 0
            self.selected = (start + by) % count

    def step(self, by: int) -> None:
        """Steps the selected parameter, as `+` and `-` do from any pane; the message `Clamped` tells of an end."""
        if block := self._block:
            block.step(by)

    def reset(self) -> None:
        """Sets the selected parameter to its default."""
        if block := self._block:
            block.change(block.param.default)

    def open(self) -> None:
        """Opens the field for a typed value; of a text parameter, asks for the text with `TextWanted`."""
        block = self._block
        if block is None:
            self._turn_policy(1)
        elif block.param.kind == "text":
            self.post_message(self.TextWanted(block.param.name))
        else:
            self._came_from = self.screen.focused
            block.open()

    @property
    def _block(self) -> Setting | None:
        count = len(self._policy.params) if self._policy else 0
        return self._settings[self.selected] if 0 <= self.selected < count else None

    def validate_selected(self, selected: int) -> int:
        """Held to what there is."""
        count = len(self._policy.params) if self._policy else 0
        return max(CHOOSER, min(selected, count - 1))

    def watch_selected(self) -> None:
        """Marks the selected line and shows its help."""
        self._mark()
        target = self._block or self._chooser
        if target.is_mounted:
            target.scroll_visible(animate=False)

    def _mark(self) -> None:
        self._chooser.set_class(self.selected == CHOOSER, "-selected")
        for place, block in enumerate(self._settings):
            block.set_class(place == self.selected, "-selected")
        if self._policy:
            current = self._block
            self._help.show(Content(current.param.help if current else self._policy.help))

    def _turn_policy(self, by: int) -> None:
        names = offered_for(getattr(self._session, "format", "")) if self._policies is None else self._policies
        if self._policy and names:
            place = names.index(self._policy.name) if self._policy.name in names else -1
            self.post_message(self.PolicyChosen(names[(place + by) % len(names)]))

    def on_resize(self) -> None:
        """Fits names and help to the new size."""
        self.call_after_refresh(self._fit)
        if self._policy:
            self._chooser.name_policy(self._policy.name)

    def _fit(self) -> None:
        """Reserves what the longest help needs; leaves out empty lines where the parameters would not fit with them."""
        if self._policy and (width := self._help.content_size.width):
            helps = [self._policy.help, *(param.help for param in self._policy.params)]
            lines = max(Content(text).get_height({}, width) for text in helps)
            self._help.styles.height = lines + 1
            self.set_class(self.size.height < 4 * len(self._policy.params) + lines + 3, "-tight")

    def on_chooser_turned(self, event: Chooser.Turned) -> None:
        """Turns to another policy."""
        event.stop()
        self.selected = CHOOSER
        self._turn_policy(event.by)

    def on_setting_changed(self, event: Setting.Changed) -> None:
        """Passes a change on."""
        event.stop()
        self.post_message(self.Changed(event.name, event.value))

    def on_setting_clamped(self, event: Setting.Clamped) -> None:
        """Passes on that an end was reached."""
        event.stop()
        self.post_message(self.Clamped(event.says))

    def on_setting_chosen(self, event: Setting.Chosen) -> None:
        """Selects a parameter that was clicked on."""
        event.stop()
        self.selected = self._settings.index(event.setting)
        if event.opens:
            self.open()

    def on_setting_closed(self, event: Setting.Closed) -> None:
        """Gives the focus back to where it was before the field opened, unless it has gone elsewhere."""
        event.stop()
        if self.screen.focused is None or self in self.screen.focused.ancestors:
            back = self._came_from
            (back if back is not None and back.is_attached and back.focusable else self).focus()

    def action_move(self, by: int) -> None:
        """Selects the line above or below."""
        self.selected += by

    def action_turn(self, by: int) -> None:
        """Steps the selected parameter, or turns to another policy."""
        if self._block is None:
            self._turn_policy(by)
        else:
            self.step(by)

    def action_end(self, side: int) -> None:
        """Sets the selected parameter to an end of its slider."""
        if (block := self._block) and block.param.is_number:
            block.slider.action_end(side)

    def action_open(self) -> None:
        """Opens the field for a typed value."""
        self.open()

    def action_reset(self) -> None:
        """Sets the selected parameter to its default."""
        self.reset()
