"""What a compaction policy is: described parameters, and a plan made from a context and settings."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from inspector.change import Plan
from inspector.message import Context

Value: TypeAlias = int | float | str | None
Settings: TypeAlias = Mapping[str, Any]
"""Parameter names to values. A policy reads only its own parameters."""


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
    kind: Literal["int", "float", "text"] = "int"
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

    def top(self, context: Context | None) -> int | float:
        """The end of the slider for a session."""
        if not callable(self.high):
            return self.high
        if context is not None:
            return self.high(context)
        return 10 * self.default if isinstance(self.default, int | float) else self.low

    def read(self, text: str) -> Value:
        """A typed value as the parameter takes it. Raises `SettingError` with one sentence."""
        if self.kind == "text":
            return text
        digits = text.strip().replace(",", "").replace("_", "")
        try:
            value = int(digits) if self.kind == "int" else float(digits)
        except ValueError:
            raise SettingError(f"{self.name} wants {self._wanted()}, not {text.strip()[:40]!r}") from None
        return self.check(value)

    def check(self, value: Any) -> Value:
        """The value, if it lies in the legal range. Raises `SettingError` with one sentence."""
        if self.kind == "text":
            if value is not None and not isinstance(value, str):
                raise SettingError(f"{self.name} wants a text, not {type(value).__name__}")
            return value
        if not self._is_number(value):
            raise SettingError(f"{self.name} wants {self._wanted()}, not {str(value)[:40]!r}")
        number: int | float = value
        if number < self.low or (self.limit is not None and number > self.limit):
            raise SettingError(f"{self.name} wants {self._wanted()}, not {number:,}")
        return number

    def _is_number(self, value: Any) -> bool:
        fits = isinstance(value, int) or (self.kind == "float" and isinstance(value, float))
        return fits and not isinstance(value, bool) and value == value

    def takes(self, value: Any) -> Value:
        """The value, if it is of a kind that an agent may call with: any whole number, but a fraction only in range.

        Raises `SettingError` with one sentence.
        """
        whole = self.kind == "int" and self._is_number(value)
        return value if whole or (value is None and self.only_if_given) else self.check(value)

    def _wanted(self) -> str:
        kind = "a whole number" if self.kind == "int" else "a number"
        if self.limit is not None:
            return f"{kind} from {self.low:,} to {self.limit:,}"
        return f"{kind} of at least {self.low:,}"


@dataclass(frozen=True, slots=True)
class Policy:
    """A compaction system."""

    name: str
    mode: Literal["stateless", "carried"]
    """Stateless: recomputed from the record at every request. Carried: the agent goes on from the compacted list."""
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
