"""What the screen shows is a function of session and settings alone, whatever was shown before."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from inspector.policies import POLICIES, SentView
from inspector.tui.shown import Shown, Tokens
from tests.tui.builders import shown, turns

SETTINGS = st.tuples(
    st.sampled_from(["head-tail", "cascade", "checkpoint"]), st.integers(0, 40), st.sampled_from([10, 300, 2_000])
)


def tried(base: Shown, policy: str, keep: int, size: int) -> Shown:
    names = {"head-tail": ("keep_recent", "old_tool_chars"), "cascade": ("keep_verbatim", "target_tokens")}
    first, second = names.get(policy, ("keep_recent", "max_messages"))
    settings = POLICIES[policy].settings({first: keep, second: size})
    view = SentView(POLICIES[policy].plan(base.session, settings), policy, settings, base.counter)
    return replace(base, view=view)


@given(st.lists(SETTINGS, min_size=1, max_size=6))
def test_tokens_as_sent_do_not_depend_on_what_was_tried_before(tries: list[tuple[str, int, int]]) -> None:
    base = shown(turns(12))
    for policy, keep, size in tries:
        after_others = tried(base, policy, keep, size)
        alone = replace(after_others, tokens=Tokens(base.before, True))
        assert after_others.after == alone.after
        assert after_others.edited + after_others.repairs == len(after_others.view.edits)
