"""What the keys of the settings do, from whichever pane they are pressed in.

Functions of the workbench, which holds the state.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.policies import POLICIES, offered_for, policy_named
from inspector.tokens import ENCODINGS
from inspector.tui.controls import Controls
from inspector.tui.history import Setup
from inspector.tui.ledger import Ledger
from inspector.tui.setting import amount

if TYPE_CHECKING:
    from inspector.tui.workbench import Workbench


def step(bench: Workbench, by: int) -> None:
    """Step the selected setting."""
    bench.query_one(Controls).step(by)


def select(bench: Workbench, by: int) -> None:
    """Select another setting."""
    bench.query_one(Controls).select_next(by)


def reset(bench: Workbench) -> None:
    """Give the selected setting its default."""
    bench.query_one(Controls).reset()


def type_value(bench: Workbench) -> None:
    """Open the field for a typed value, and the pane where it is folded away."""
    controls = bench.query_one(Controls)
    if not controls.display:
        fold(bench)
    bench.call_after_refresh(controls.open)


def fold(bench: Workbench) -> None:
    """Fold the settings away, or show them where they are folded away."""
    controls = bench.query_one(Controls)
    shows, narrow = not controls.display, bench.has_class("-narrow")
    bench.set_class(shows and narrow, "-with-settings")
    bench.set_class(not shows and not narrow, "-without-settings")
    if shows:
        bench.call_after_refresh(controls.focus)
    elif bench.focused is None or controls in bench.focused.ancestors_with_self:
        bench.query_one(Ledger).focus()


def offered(bench: Workbench) -> tuple[str, ...]:
    """The policies in the order in which they are offered: those of the tool that recorded the session first."""
    return tuple(POLICIES) if bench.session is None else offered_for(bench.session.format)


def choose_policy(bench: Workbench) -> None:
    """Ask which policy to try."""
    from inspector.tui.dialogs.policies import Policies

    dialog = Policies([POLICIES[name] for name in offered(bench)], bench.setup.policy)
    bench.app.push_screen(dialog, lambda name: None if name is None else bench.choose_policy(name))


def turn_policy(bench: Workbench, by: int) -> None:
    """Try the next policy, or with -1 the one before, with the settings that it had."""
    names = offered(bench)
    bench.choose_policy(names[(names.index(bench.setup.policy) + by) % len(names)])


def undo(bench: Workbench) -> None:
    """Take the last change of a setting back."""
    _go_to(bench, bench.history.undo(bench.setup), "undone", "nothing to undo")


def redo(bench: Workbench) -> None:
    """Make the undone change again."""
    _go_to(bench, bench.history.redo(bench.setup), "redone", "nothing to redo")


def _go_to(bench: Workbench, setup: Setup | None, done: str, otherwise: str) -> None:
    if setup is None:
        bench.say(otherwise)
        return
    was = bench.setup
    bench.take_setup(setup)
    bench.say(f"{done}: {difference(was, setup)}")


def difference(was: Setup, now: Setup) -> str:
    """What became of the settings, in words: `keep recent 12`, `policy cascade`."""
    policy = policy_named(now.policy)
    if was.policy != now.policy:
        return f"policy {policy.name}"
    words = []
    for param in policy.params:
        before, after = (setup.settings.get(param.name, param.default) for setup in (was, now))
        if before != after:
            words.append(f"{param.title} {amount(param, after)}")
    return ", ".join(words) or "no difference"


def next_counter(bench: Workbench) -> None:
    """Count with the next tokenizer; the first is the one for the session's model."""
    order = (None, *ENCODINGS)
    bench.count_with(order[(order.index(bench.encoding) + 1) % len(order)])
    bench.say(f"counting with {bench.counter.label}")


def selected_words(bench: Workbench) -> str:
    """The policy, and the selected setting with its value: what `+` and `-` would step."""
    selected, policy = bench.query_one(Controls).selected, bench.policy
    if bench.shown is None or not 0 <= selected < len(policy.params):
        return policy.name
    param = policy.params[selected]
    return f"{policy.name}   {param.title} {amount(param, bench.given(param.name))} {param.unit}".rstrip()
