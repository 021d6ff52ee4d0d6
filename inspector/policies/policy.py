"""What a compaction policy is: described parameters, and a plan made from a context and settings."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias

from inspector.change import Action, Plan
from inspector.message import Body, Context
from inspector.policies.product import Product
from inspector.policies.transcript import Stepper

Value: TypeAlias = int | float | str | None
Settings: TypeAlias = Mapping[str, Any]
"""Parameter names to values. A policy reads only its own parameters."""
Mode: TypeAlias = Literal["stateless", "carried"]
"""Stateless: recomputed from the record at every request. Carried: the agent goes on from the compacted list."""


SYNONYMS = {True: ("true", "on", "1"), False: ("false", "off", "0")}


def spoken(choice: Value) -> str:
    """One of the values of a choice, as people read and type it."""
    if isinstance(choice, bool):
        return "yes" if choice else "no"
    return "none" if choice is None else str(choice)


class SettingError(ValueError):
    """A setting that a policy cannot take; says in one sentence which one, and what would do."""


@dataclass(frozen=True, slots=True)
class Param:
    """One parameter of a policy, described well enough to draw a slider and to check a typed value."""

    name: str
    unit: str
    """What it counts, in the plural: "messages", "chars", "tokens"; empty for a text."""
    default: Value
    help: str
    """One line: what a larger value does."""
    low: int | float = 0
    high: int | float | Callable[[Context], int | float] = 100
    """The end of the slider. Larger values are legal up to `limit`."""
    limit: int | float | None = None
    """The largest legal value; None: whatever is asked."""
    step: int | float = 1
    scale: Literal["linear", "ratio"] = "linear"
    """"ratio": a step multiplies, for ranges over several powers of ten."""
    kind: Literal["int", "float", "text", "line", "choice"] = "int"
    """"text" may have many lines, and is given in a window of its own; "line" is a short one, typed in its place."""
    choices: tuple[Value, ...] = ()
    """Of a choice: its values, in the order in which a person turns through them."""
    accepts: Callable[[Any], bool] | None = None
    """Further shapes that a Python caller may give, such as `["tokens", 948]` where a person sets value and unit."""
    off: Value = None
    """The value that switches the parameter off, where there is one."""
    threshold: bool = False
    """Whether the gauge draws it: a size at which the policy acts or to which it shrinks."""
    only_if_given: bool = False
    """In one shot it applies only where it is given; the app and replay always give it (cascade's entry cap)."""

    @property
    def title(self) -> str:
        """The name as people read it."""
        return self.name.replace("_", " ")

    @property
    def is_number(self) -> bool:
        """Whether a slider sets it."""
        return self.kind in ("int", "float")

    def top(self, context: Context | None) -> int | float:
        """The end of the slider for a session."""
        if not callable(self.high):
            return self.high
        if context is not None:
            return self.high(context)
        return 10 * self.default if isinstance(self.default, int | float) else self.low

    def read(self, text: str) -> Value:
        """A typed value as the parameter takes it. Raises `SettingError` with one sentence."""
        if self.kind in ("text", "line"):
            return text
        if self.kind == "choice":
            return self._chosen(text)
        digits = text.strip().replace(",", "").replace("_", "")
        try:
            value = int(digits) if self.kind == "int" else float(digits)
        except ValueError:
            raise SettingError(f"{self.name} wants {self.wanted()}, not {text.strip()[:40]!r}") from None
        return self.check(value)

    def check(self, value: Any) -> Value:
        """The value, if it lies in the legal range. Raises `SettingError` with one sentence."""
        if self.kind in ("text", "line"):
            if value is not None and not isinstance(value, str):
                raise SettingError(f"{self.name} wants a text, not {type(value).__name__}")
            return value
        if self.kind == "choice":
            if not any(value == choice and type(value) is type(choice) for choice in self.choices):
                raise SettingError(f"{self.name} wants {self.wanted()}, not {str(value)[:40]!r}")
            return value  # type: ignore[no-any-return]  # one of the choices
        if not self._is_number(value):
            raise SettingError(f"{self.name} wants {self.wanted()}, not {str(value)[:40]!r}")
        number: int | float = value
        if number < self.low or (self.limit is not None and number > self.limit):
            raise SettingError(f"{self.name} wants {self.wanted()}, not {number:,}")
        return number

    def _chosen(self, text: str) -> Value:
        word = text.strip().lower()
        for choice in self.choices:
            if word == spoken(choice) or (isinstance(choice, bool) and word in SYNONYMS[choice]):
                return choice
        raise SettingError(f"{self.name} wants {self.wanted()}, not {text.strip()[:40]!r}")

    def _is_number(self, value: Any) -> bool:
        fits = isinstance(value, int) or (self.kind == "float" and isinstance(value, float))
        return fits and not isinstance(value, bool) and value == value

    def takes(self, value: Any) -> Value:
        """The value, if it is of a kind that an agent may call with: any whole number, but a fraction only in range.

        Raises `SettingError` with one sentence.
        """
        whole = self.kind == "int" and self._is_number(value)
        odd = (value is None and self.only_if_given) or (self.accepts is not None and self.accepts(value))
        return value if whole or odd else self.check(value)

    def wanted(self) -> str:
        """What values there are, in words."""
        if self.kind == "choice":
            return f"one of {', '.join(map(spoken, self.choices))}"
        kind = "a whole number" if self.kind == "int" else "a number"
        if self.limit is not None:
            return f"{kind} from {self.low:,} to {self.limit:,}"
        return f"{kind} of at least {self.low:,}"


class Entered(NamedTuple):
    """A message in the form in which it enters the list of a carried run."""

    body: Body
    action: Action
    reason: str


@dataclass(frozen=True, slots=True)
class Policy:
    """A compaction system."""

    name: str
    mode: Mode
    params: tuple[Param, ...]
    plan: Callable[[Context, Settings], Plan]
    """Makes the plan from full settings (see `settings`); pure, so that the same input gives the same plan."""
    help: str
    """What it does, in one or two sentences."""
    protects: str = ""
    """What it never touches, in one line."""
    source: str = ""
    """What it follows, with its version."""
    extras: tuple[str, ...] = field(default=())
    """Further keys that a Python caller may give, such as a `summarise` callable."""
    enter: Callable[[Body, Settings], Entered | None] | None = None
    """What becomes of a message when it enters the list of a carried run; None: it enters as it is. It takes over the
    parameters that are `only_if_given`: the plans of such a run do not see them."""
    stepper: Callable[[Context, Settings, Mode], Stepper | None] | None = None
    """Makes all views of a run, each from the one before, at the cost of what changes; gives None for a mode in which
    it cannot. It must send what the plain loop over `plan` sends (tests compare them)."""
    product: Product | None = None
    """Takes the settings found home to the product; None: it has no setting for any."""

    def param(self, name: str) -> Param:
        """The parameter of that name. Raises `SettingError` naming the nearest one."""
        for param in self.params:
            if param.name == name:
                return param
        names = [param.name for param in self.params]
        near = difflib.get_close_matches(name, names, 1)
        hint = f"; did you mean {near[0]}?" if near else f"; it has {', '.join(names)}"
        raise SettingError(f"{self.name} has no parameter {name[:60]!r}{hint}")

    def settings(self, given: Settings) -> dict[str, Any]:
        """Full settings: what is given over the defaults. Raises `SettingError` for an unknown name or a wrong kind.

        Ranges of whole numbers are not checked here: an agent may call with any, and SPEC.md says what each one means.
        """
        for name, value in given.items():
            if name not in self.extras:
                self.param(name).takes(value)
        defaults = {param.name: None if param.only_if_given else param.default for param in self.params}
        return {**defaults, **given}

    def running(self, given: Settings) -> dict[str, Any]:
        """Full settings of a whole run, where parameters that are `only_if_given` have their defaults too."""
        self.settings(given)
        return {**{param.name: param.default for param in self.params}, **given}

    def within_run(self, settings: Settings) -> dict[str, Any]:
        """What the plans of a carried run are given: `enter` has done the work of parameters `only_if_given`."""
        taken = {param.name: None for param in self.params if param.only_if_given} if self.enter else {}
        return {**settings, **taken}
