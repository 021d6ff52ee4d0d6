"""The summary that stands in where no model is asked."""

from hypothesis import given

from inspector.message import Body
from inspector.policies.stand_in import LABEL, LINE_CHARS, stand_in_summary
from tests.policies.sessions import odd_sessions


@given(odd_sessions)
def test_it_is_labelled_and_short_whatever_it_stands_for(messages: list[Body]) -> None:
    lines = stand_in_summary(messages).split("\n")
    assert lines[:2] == [LABEL, f"{len(messages):,} messages are replaced."]
    assert len(lines) <= 30


def test_it_quotes_requests_steps_and_answers_from_either_end() -> None:
    messages: list[Body] = [{"role": "user", "content": f"ask {number}"} for number in range(500)]
    messages += [
        {"role": "assistant", "content": "look", "tool_calls": [{"function": {"name": "ls", "arguments": "{}"}}]},
        {"role": "tool", "content": "a\nb  " + "x" * 10_000},
    ]
    text = stand_in_summary(messages)
    for quoted in ("- ask 0\n- ask 1\n", "- ask 497\n- ask 498\n- ask 499\n", "- look -> ls({})", "- a b xxx"):
        assert quoted in text
    assert max(map(len, text.split("\n"))) <= LINE_CHARS + 2
