"""Parameters that products have and our own policies have not: flags, names, amounts in one of several units."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from inspector.message import Context
from inspector.policies.policy import Param, Settings
from inspector.policies.product import refused

PERCENT = "percent"
"""The unit that products call a fraction: of the window, in whole hundredths."""
NEVER = "never"
KINDS = ("messages", "tokens", "fraction")


class Amount(NamedTuple):
    """So many messages or tokens, or a fraction of the window."""

    kind: str
    value: int | float

    def tokens(self, window: int) -> int:
        """What it comes to in tokens, at least 1 for a fraction."""
        return max(1, int(window * self.value)) if self.kind == "fraction" else int(self.value)


def flag(name: str, default: bool, help: str) -> Param:
    """A parameter that is on or off."""
    return Param(name, "", default, help, kind="choice", choices=(False, True))


def one_of(name: str, choices: Sequence[str | None], help: str, **more: Any) -> Param:
    """A parameter that is one of some words; the first is the default."""
    return Param(name, "", choices[0], help, kind="choice", choices=tuple(choices), **more)


def marker(name: str, default: str, help: str) -> Param:
    """A short text that the policy writes."""
    return Param(name, "", default, help, kind="line")


def names(name: str, help: str) -> Param:
    """Names of tools: a list in Python, separated by commas where a person types them."""
    return Param(name, "", "", help, kind="line", accepts=is_names)


def is_names(value: Any) -> bool:
    """Whether a value is a list of texts, or nothing."""
    return value is None or (isinstance(value, list | tuple | set | frozenset) and all(type(n) is str for n in value))


def named(value: Any) -> frozenset[str] | None:
    """The names that a value holds; None where nothing is named, which is not the same as a list of none."""
    if isinstance(value, str):
        return frozenset(listed(value)) or None
    return None if value is None else frozenset(value)


def listed(value: Any) -> list[str]:
    """The names that a value holds, in the order in which they are given; none where nothing is named."""
    if isinstance(value, str):
        return list(filter(None, (name.strip() for name in value.split(","))))
    if isinstance(value, set | frozenset):
        return sorted(value)
    return list(value or ())


def optional(name: str, unit: str, default: int, help: str, **more: Any) -> Param:
    """A number that may be left out: 0 is off, and so is None in Python."""
    return Param(name, unit, default, help, off=0, accepts=is_none, **more)


def is_none(value: Any) -> bool:
    """Whether nothing is given."""
    return value is None


def amount(name: str, value: int, units: Sequence[str], help: str, **more: Any) -> tuple[Param, Param]:
    """Two controls for an amount: its value, and its unit, of which the first given is the default.

    In Python the value may also be the pair that the product takes, such as `["fraction", 0.85]`.
    """
    number = Param(name, "", value, help, high=_reach, scale="ratio", accepts=_accepted, **more)
    unit = one_of(f"{name}_unit", units, f"What {number.title} counts; percent is of max_input_tokens.")
    return number, unit


def _reach(context: Context) -> int:
    return max(200, len(context), sum(context.columns.json_chars) // 3)


def amount_of(settings: Settings, name: str) -> Amount | None:
    """The amount that a setting and its unit make; None where there is none."""
    value = settings[name]
    if isinstance(value, list | tuple):
        return Amount(*value)
    unit = settings[f"{name}_unit"]
    if value is None or unit == NEVER:
        return None
    return Amount("fraction", value / 100) if unit == PERCENT else Amount(unit, max(0, value))


def pair_of(settings: Settings, name: str) -> tuple[str, int | float] | None:
    """An amount as products that count in several units take it: `("tokens", 948)`; None where there is none."""
    one = amount_of(settings, name)
    return None if one is None else (one.kind, one.value)


def refused_amounts(title: str) -> Callable[[Settings], tuple[str, ...]]:
    """Remarks on a trigger or a keep that LangChain and its kin refuse: of nothing, or over the whole window."""
    rules = [
        (words, partial(is_wrong, name))
        for name in ("trigger", "keep")
        for words, is_wrong in ((f"{name} is 0", _any_none), (f"{name} is over 100 percent", _any_over))
    ]
    return refused(title, *rules)


def _any_none(name: str, settings: Settings) -> bool:
    return any(one.value <= 0 for alternative in conditions_of(settings, name) for one in alternative)


def _any_over(name: str, settings: Settings) -> bool:
    asked = (one for alternative in conditions_of(settings, name) for one in alternative)
    return any(one.kind == "fraction" and one.value > 1 for one in asked)


def trigger_of(settings: Settings, name: str) -> Any:
    """What a trigger asks for, as products take it: an amount, a mapping of some (all of them), or a list (any)."""
    value = settings[name]
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, list | tuple) and value and not isinstance(value[0], str):
        return [dict(entry) if isinstance(entry, Mapping) else tuple(entry) for entry in value]
    return pair_of(settings, name)


def conditions_of(settings: Settings, name: str) -> list[list[Amount]]:
    """What a trigger asks for: one of these lists, all of it. No list: it never fires."""
    value = settings[name]
    if isinstance(value, list | tuple) and value and not isinstance(value[0], str):
        return [_all_of(entry) for entry in value]
    if isinstance(value, Mapping):
        return [_all_of(value)]
    one = amount_of(settings, name)
    return [[one]] if one else []


def _all_of(entry: Any) -> list[Amount]:
    return [Amount(*pair) for pair in entry.items()] if isinstance(entry, Mapping) else [Amount(*entry)]


def _accepted(value: Any) -> bool:
    """None, a pair, a mapping of pairs (all of them), or a list of these (one of them)."""
    if isinstance(value, list | tuple) and value and not isinstance(value[0], str):
        return all(_is_pair(entry) or _is_mapping(entry) for entry in value)
    return value is None or _is_pair(value) or _is_mapping(value)


def _is_pair(value: Any) -> bool:
    return isinstance(value, list | tuple) and len(value) == 2 and value[0] in KINDS and _is_number(value[1])


def _is_mapping(value: Any) -> bool:
    return isinstance(value, Mapping) and all(_is_pair(list(pair)) for pair in value.items())


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value == value
