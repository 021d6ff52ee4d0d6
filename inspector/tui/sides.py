"""The sides of the ledger: how many stand beside each other, what each shows, and what A and B are called.

B is the sent view that the one at work, A, is compared with. No textual here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from inspector.comparison import Candidate, differences
from inspector.policies import POLICIES
from inspector.text import signed, thousands
from inspector.tui.rows import ONE_SIDED_BELOW, THREE_SIDED_FROM
from inspector.tui.setting import amount
from inspector.tui.shown import Shown

SIDES = ("original", "sent", "other")
"""What a side shows; "other" is B's."""
NAMES: Mapping[str, str] = {side: side for side in SIDES}
"""What they are called where there is no B."""


def side_count(width: int, compares: bool, one_sided: bool = False) -> int:
    """How many sides stand beside each other in so many cells."""
    if one_sided or width < ONE_SIDED_BELOW:
        return 1
    return len(SIDES) if compares and width >= THREE_SIDED_FROM else 2


def sides_shown(count: int, side: str) -> Sequence[str]:
    """What the sides show, from left to right, where `side` was turned to."""
    if count == len(SIDES):
        return SIDES
    return (side,) if count == 1 else ("original", "other" if side == "other" else "sent")


def next_side(side: str, count: int, compares: bool) -> str:
    """What to turn to: one of all sides where one is shown, the other sent view where two are."""
    turn = SIDES[count > 1 : len(SIDES) if compares else 2]
    return turn[(turn.index(side) + 1) % len(turn)] if side in turn else turn[-1]


def side_names(shown: Shown) -> Mapping[str, str]:
    """What the sides are called: A and B each with what tells it from the other."""
    if shown.other is None:
        return NAMES
    a, b = (f"{letter}  {words}" for letter, words in zip("AB", telling(shown, shown.other), strict=True))
    return {"original": "original", "sent": a, "other": b}


def telling(a: Shown, b: Shown) -> tuple[str, str]:
    """What tells two sent views apart: the settings that differ, else the names of their policies."""
    policy = POLICIES.get(a.view.policy)
    if policy is None or a.view.policy != b.view.policy:
        return a.view.policy, b.view.policy
    names = differences([Candidate(policy, view.view.settings) for view in (a, b)])
    if not names:
        return policy.name, policy.name
    params = [policy.param(name) for name in names]
    one, two = (
        ", ".join(f"{param.title} {amount(param, view.view.settings[param.name])}" for param in params)  # type: ignore[arg-type]
        for view in (a, b)
    )
    return one, two


def comparison_pieces(shown: Shown, width: int) -> tuple[list[str], str]:
    """The totals of A and B and how they differ, each a piece of one width in a session, and how many rows differ.

    `width` is that of a number of tokens in this session.
    """
    other = shown.other
    assert other is not None
    a, b = (
        f"{letter} {'' if view.is_exact else '~'}{thousands(view.fitted(view.sent_tokens))}".rjust(width + 3)
        for letter, view in zip("AB", (shown, other), strict=True)
    )
    more = shown.fitted(other.sent_tokens) - shown.fitted(shown.sent_tokens)
    return [a, f"{b} tokens", f"B - A {signed(more) if more else '0'}".ljust(width + 8)], differing_words(shown)


def differing_words(shown: Shown) -> str:
    """`37 messages differ`; with a ~ until every text is compared."""
    assert shown.apart is not None
    rows = shown.differing_rows
    about = "~" if shown.differing is None and len(shown.apart.unsure) else ""
    return f"{about}{thousands(len(rows))} message{'s differ' if len(rows) != 1 else ' differs'}"
