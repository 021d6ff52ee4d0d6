"""Parameters as people type and agents give them, and `compact` around the policies."""

from typing import Any

import pytest

from inspector.message import Body
from inspector.policies import POLICIES, SettingError, UnknownPolicy, compact, policy_named
from inspector.policies.policy import Param
from tests.policies.sessions import context_of

MESSAGES: list[Body] = [
    {"role": "user", "content": "a"},
    {"role": "assistant", "content": "b"},
    {"role": "user", "content": "c"},
    {"role": "assistant", "content": "d"},
]
COUNT = Param("count", "messages", 12, "help", low=0, high=100)
RATIO = Param("ratio", "", 3.2, "help", low=0.2, high=8, limit=100, kind="float")
TEXT = Param("text", "", None, "help", kind="text")


# --- compact ---


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("headtail", "there is no policy 'headtail'; did you mean head-tail?"),
        ("zzz", f"there is no policy 'zzz'; there are head-tail, cascade, checkpoint and {len(POLICIES) - 3} more"),
        ("", f"there is no policy ''; there are head-tail, cascade, checkpoint and {len(POLICIES) - 3} more"),
    ],
)
def test_an_unknown_policy_is_said_in_a_sentence(name: str, says: str) -> None:
    with pytest.raises(UnknownPolicy) as refused:
        compact(context_of([]), name)
    assert str(refused.value) == says


@pytest.mark.parametrize(
    ("policy", "settings", "says"),
    [
        ("head-tail", {"keep_recents": 1}, "head-tail has no parameter 'keep_recents'; did you mean keep_recent?"),
        ("cascade", {"zzz": 1}, "cascade has no parameter 'zzz'; it has target_tokens, ceiling_tokens, "),
        ("head-tail", {"summarise": len}, "head-tail has no parameter 'summarise'; it has "),
        ("head-tail", {"keep_recent": "12"}, "keep_recent wants a whole number of at least 0, not '12'"),
        ("head-tail", {"keep_recent": None}, "keep_recent wants a whole number of at least 0, not 'None'"),
        ("cascade", {"target_tokens": 1.5}, "target_tokens wants a whole number of at least 0, not '1.5'"),
        ("cascade", {"protect": True}, "protect wants a whole number of at least 0, not 'True'"),
        ("cascade", {"chars_per_token": 0}, "chars_per_token wants a number from 0.2 to 100.0, not 0"),
        ("cascade", {"chars_per_token": float("nan")}, "chars_per_token wants a number from 0.2 to 100.0, not 'nan'"),
        ("cascade", {"chars_per_token": float("inf")}, "chars_per_token wants a number from 0.2 to 100.0, not inf"),
        ("checkpoint", {"checkpoint": {}}, "checkpoint wants a text, not dict"),
    ],
)
def test_a_setting_that_a_policy_cannot_take_is_said_in_a_sentence(policy: str, settings: Any, says: str) -> None:
    with pytest.raises(SettingError) as refused:
        compact(context_of(MESSAGES), policy, **settings)
    assert str(refused.value).startswith(says)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("value", [-(10**30), -1, 0, 10**30])
def test_any_whole_number_is_legal_for_an_agent(policy: str, value: int) -> None:
    wholes = {param.name: value for param in POLICIES[policy].params if param.kind == "int"}
    assert compact(context_of(MESSAGES), policy, **wholes).plan.stats()


@pytest.mark.parametrize("policy", POLICIES)
def test_what_is_not_given_has_its_default_and_an_empty_session_stays_empty(policy: str) -> None:
    chosen = policy_named(policy)
    view = compact(context_of([]), policy)
    assert (view.messages, view.notes, view.edits) == ([], [], ())
    for param in chosen.params:
        assert view.settings[param.name] == (None if param.only_if_given else param.default)


STATS = {
    "head-tail": [
        "original_chars", "sent_chars", "saved_chars", "compacted_tool_messages", "compacted_skill_messages",
        "compaction_skipped", "repaired_tool_calls", "untouched_list_contents",
    ],
    "cascade": [
        "estimated_before", "estimated_after", "dropped_screenshots", "stubbed_results", "capped_results",
        "summarised_messages",
    ],
    "checkpoint": ["encoded_bytes", "compacted", "replaced_messages"],
}  # fmt: skip


ZOO_STATS = ["dropped_messages", "summarised_messages", "changed_messages", "inserted_messages"]


@pytest.mark.parametrize("policy", POLICIES)
def test_stats_are_whole_numbers_under_these_names(policy: str) -> None:
    stats = compact(context_of(MESSAGES), policy).stats
    names = STATS.get(policy) or ZOO_STATS
    assert list(stats) == [*names, "original_tokens", "sent_tokens", "saved_tokens"]
    assert {type(value) for value in stats.values()} == {int}


def test_the_same_input_gives_the_same_view() -> None:
    context = context_of([*MESSAGES, {"role": "tool", "content": "x" * 9_000}])
    for policy in POLICIES:
        first, second = (compact(context, policy) for _ in range(2))
        assert (first.messages, first.edits, first.stats) == (second.messages, second.edits, second.stats)


# --- parameters ---


@pytest.mark.parametrize(
    ("param", "typed", "value"),
    [
        (COUNT, " 1,200 ", 1_200),
        (COUNT, "1_0", 10),
        (RATIO, "0.2", 0.2),
        (RATIO, "4", 4.0),
        (TEXT, " as is ", " as is "),
    ],
)
def test_a_typed_value_is_read(param: Param, typed: str, value: Any) -> None:
    assert param.read(typed) == value


@pytest.mark.parametrize(
    ("param", "typed", "says"),
    [
        (COUNT, "many", "count wants a whole number of at least 0, not 'many'"),
        (COUNT, "1.5", "count wants a whole number of at least 0, not '1.5'"),
        (COUNT, "-1", "count wants a whole number of at least 0, not -1"),
        (COUNT, "", "count wants a whole number of at least 0, not ''"),
        (COUNT, "9" * 5_000, "count wants a whole number of at least 0, not '9999"),
        (RATIO, "nan", "ratio wants a number from 0.2 to 100, not 'nan'"),
        (RATIO, "1e999", "ratio wants a number from 0.2 to 100, not inf"),
        (RATIO, "101", "ratio wants a number from 0.2 to 100, not 101"),
    ],
)
def test_a_typed_value_out_of_kind_or_range_is_said_in_a_sentence(param: Param, typed: str, says: str) -> None:
    with pytest.raises(SettingError) as refused:
        param.read(typed)
    assert str(refused.value).startswith(says)
    assert len(str(refused.value)) < 120


@pytest.mark.parametrize("policy", POLICIES)
def test_every_slider_reaches_past_its_default_or_past_the_session(policy: str) -> None:
    context = context_of(MESSAGES)
    for param in POLICIES[policy].params:
        assert param.help.endswith("."), param.name
        if param.is_number:
            assert param.low < param.top(context), param.name
            assert param.low <= param.default <= param.top(None), param.name
        assert param.check(param.default) == param.default
