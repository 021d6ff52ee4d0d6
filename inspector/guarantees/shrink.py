"""From a failure to the smallest one: settings nearer to the defaults, an earlier request, fewer messages.

Each step is taken only if the same promise is still broken after it, and always in the same order, so that the same
failure shrinks to the same thing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TypeVar

from inspector.formats import from_messages
from inspector.guarantees.mixes import Given
from inspector.message import Body
from inspector.pairs import pairs_of
from inspector.policies.policy import Param, Policy, Value

MOST_TRIES = 400
"""How often a session is made shorter in trial."""
HALVINGS = 16
SHORT_CHARS = 200
"""A text of this length is left as it is, so that a person still sees what it is."""
T = TypeVar("T")


def nearer_defaults(policy: Policy, given: Given, fails: Callable[[Given], bool], held: Collection[str] = ()) -> Given:
    """The settings with every parameter at its default that may be there, and each number as near to it as it may be.

    `given` names what differs from the defaults, and fails; so does what is returned. Those that are held stay.
    """
    left, free = dict(given), [name for name in given if name not in held]
    for name in free:
        without = {key: value for key, value in left.items() if key != name}
        if fails(without):
            left = without
    defaults = policy.running({})
    for name in filter(left.__contains__, free):
        param, default, value = policy.param(name), defaults[name], left[name]
        if param.is_number and _is_number(default) and _is_number(value):
            left[name] = _nearest(param, default, value, lambda one, name=name: fails({**left, name: one}))  # type: ignore[misc]
    return left


def _is_number(value: Value) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _nearest(param: Param, good: Value, bad: Value, fails: Callable[[Value], bool]) -> Value:
    """Halves the way between a value that fails and the default, on the parameter's steps."""
    assert isinstance(good, int | float)
    assert isinstance(bad, int | float)
    for _ in range(HALVINGS):
        steps = int((good - bad) / param.step / 2)
        if not steps:
            break
        middle = bad + steps * param.step
        middle = int(middle) if param.kind == "int" else round(middle, 6)
        if fails(middle):
            bad = middle
        else:
            good = middle
    return bad


def fewest(items: Sequence[T], fails: Callable[[Sequence[T]], bool], most: int = MOST_TRIES) -> list[T]:
    """The items without every run of them that can be spared: long runs first, from the front, down to single ones.

    `items` fail, and so do those returned, of which there is one at least. After `most` tries what is left is returned.
    """
    left, size = list(items), max(1, len(items) // 2)
    while size and most > 0:
        start, spared = 0, False
        while start < len(left) and most > 0:
            fewer, most = left[:start] + left[start + size :], most - 1
            if fewer and fails(fewer):
                left, spared = fewer, True
            else:
                start += size
        size = size if spared and size == 1 else size // 2
    return left


def exchanges_of(messages: Sequence[Body]) -> list[tuple[int, ...]]:
    """What may be left out together: a message with calls and their results, or any other message, by its rows."""
    home = list(range(len(messages)))
    for call, _, result in pairs_of(from_messages(list(messages))).pairs:
        home[result] = call
    rows: dict[int, list[int]] = {}
    for row, first in enumerate(home):
        rows.setdefault(first, []).append(row)
    return [tuple(rows[first]) for first in sorted(rows)]


def messages_of(messages: Sequence[Body], exchanges: Sequence[tuple[int, ...]]) -> list[Body]:
    """The messages of some exchanges, in their order."""
    return [messages[row] for row in sorted(row for rows in exchanges for row in rows)]


def shorter_texts(messages: Sequence[Body], fails: Callable[[Sequence[Body]], bool]) -> list[Body]:
    """The messages with each text halved as often as may be, as long as it is longer than a few lines."""
    left = list(messages)
    for place, body in enumerate(left):
        text = body.get("content")
        while isinstance(text, str) and len(text) > SHORT_CHARS:
            text = text[: len(text) // 2]
            trial = [*left[:place], {**body, "content": text}, *left[place + 1 :]]
            if not fails(trial):
                break
            left = trial
    return left
