from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.message import ROLES
from inspector.tui.filtering import (
    ACTIONS,
    Filter,
    FilterError,
    action_counts,
    filtered_rows,
    parse_filter,
    role_counts,
    rows_by_tool,
    tool_counts,
)
from tests.tui.builders import call, result, session, shown, turns, user

MESSAGES = [
    {"role": "system", "content": "Be careful."},
    user("go"),
    call("a", name="read"),
    result("a", "x" * 500),
    call("b", name="write"),
    result("b", "x" * 10, "write"),
    call("c", name="read"),
]


def passing(words, **settings):
    return list(
        filtered_rows(shown(MESSAGES, **{"keep_recent": 1, "old_tool_chars": 100, **settings}), parse_filter(words))
    )


@pytest.mark.parametrize(
    ("words", "rows"),
    [
        ("", [0, 1, 2, 3, 4, 5, 6]),
        ("role:tool", [3, 5]),
        ("role:tool,user", [1, 3, 5]),
        ("tool:write", [4, 5]),
        ("tool:read", [2, 3, 6]),
        ("tool:read role:tool", [3]),
        ("tool:nothing", []),
        ("action:cut", [3]),
        ("action:edited", [3]),
        ("action:kept", [0, 1, 2, 4, 5, 6]),
        ("action:inserted", [6]),
        ("action:cut,inserted", [3, 6]),
        ("action:dropped", []),
    ],
)
def test_values_of_one_kind_widen_the_choice_and_kinds_narrow_it(words, rows):
    assert passing(words) == rows


def test_a_breakage_can_be_filtered_for():
    assert passing("action:broken", old_tool_chars=499) == [3]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("hello", "write role:, tool: or action:"),
        ("colour:red", "write role:, tool: or action:"),
        ("role:", "write role:, tool: or action:"),
        ("role:tol", "there is no role 'tol'; did you mean tool?"),
        ("action:droped", "did you mean dropped?"),
        ("action:zzz", "there are kept, edited"),
    ],
)
def test_words_that_are_no_filter_are_answered_by_a_sentence(words, says):
    with pytest.raises(FilterError, match=says.replace("?", r"\?")):
        parse_filter(words)


names = st.text(min_size=1).filter(str.strip)


@settings(deadline=None)
@given(st.frozensets(st.sampled_from(ROLES)), st.frozensets(names), st.frozensets(st.sampled_from(list(ACTIONS))))
def test_a_filter_reads_back_from_its_own_words(roles, tools, actions):
    chosen = Filter(roles, tools, actions)
    assert parse_filter(chosen.text) == chosen
    assert bool(chosen) == bool(roles or tools or actions)


@settings(deadline=None)
@given(st.text())
def test_no_words_raise_anything_but_the_sentence(words):
    with suppress(FilterError):
        assert isinstance(parse_filter(words), Filter)


def test_a_result_without_a_name_has_that_of_its_call():
    assert {name: list(rows) for name, rows in rows_by_tool(session(MESSAGES)).items()} == {
        "read": [2, 3, 6], "write": [4, 5],
    }  # fmt: skip


def test_counts_add_up_and_leave_out_what_there_is_none_of():
    shot = shown(MESSAGES, keep_recent=1, old_tool_chars=100)
    assert role_counts(shot) == {"system": 1, "user": 1, "assistant": 3, "tool": 2}
    assert tool_counts(shot) == {"read": 3, "write": 2}
    assert action_counts(shot) == {"kept": 6, "edited": 1, "cut": 1, "inserted": 1}


def test_every_word_for_an_action_is_the_union_of_what_it_stands_for():
    shot = shown(turns(30), "cascade", target_tokens=100, ceiling_tokens=200)
    edited = set(filtered_rows(shot, parse_filter("action:edited")))
    kept = set(filtered_rows(shot, parse_filter("action:kept")))
    assert edited
    assert not edited & kept
    assert edited | kept == set(range(len(shot.session)))
