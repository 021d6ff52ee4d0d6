import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.tui.search import STEP_CHARS, STEP_ROWS, pattern_of, search, spans
from tests.tui.builders import call, result, session, user


def rows(messages, query, **how):
    return [row for step in search(session(messages), query, **how) for row in step.rows]


MESSAGES = [
    {"role": "system", "content": "Be careful."},
    user("Fix the Parser"),
    call("c1", name="read_file", path="src/lexer.py"),
    result("c1", "def parse(): ...", "read_file"),
    {"role": "assistant", "content": [{"type": "text", "text": "It parses"}], "thinking": "maybe the lexer"},
]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("pars", [1, 3, 4]),
        ("Pars", [1]),
        ("read_file", [2, 3]),
        ("lexer", [2, 4]),
        ("assistant", []),
        ("role", []),
        ("c1", [2, 3]),
        ("c", [0, 2]),
        ("", []),
        ("def parse(): ...", [3]),
    ],
)
def test_words_are_found_in_text_thinking_names_and_arguments_and_whole_ids_but_not_in_roles(query, found):
    assert rows(MESSAGES, query) == found


def test_a_place_over_a_fold_has_a_span_in_each_line():
    assert spans(["the lazy ", "dog and ", "cat"], pattern_of("zy dog and c")) == [[(6, 9)], [(0, 8)], [(0, 1)]]
    assert spans(["a"], None) == [[]]


def test_arguments_recorded_as_an_object_are_searched():
    body = {"role": "assistant", "tool_calls": [{"function": {"name": "run", "arguments": {"Path": ["src/Main", 42]}}}]}
    assert rows([body], "src/main") == rows([body], "path") == rows([body], "42") == [0]


def test_the_legacy_function_call_is_searched():
    assert rows([{"role": "assistant", "function_call": {"name": "look", "arguments": "{}"}}], "look") == [0]


def test_a_search_from_a_row_gives_the_nearest_rows_after_it_first():
    assert rows([user("a")] * 4, "a", start=2) == [2, 3, 0, 1]
    assert rows([user("a")] * 4, "a", start=9) == [0, 1, 2, 3]


def test_a_search_within_rows_looks_at_no_others():
    assert rows([user("a")] * 4, "a", within=[1, 3]) == [1, 3]
    assert rows([user("a")] * 4, "a", within=[1, 3], start=2) == [3, 1]


def test_steps_are_short_and_count_every_row():
    steps = list(search(session([user("a")] * (2 * STEP_ROWS + 1)), "a"))
    assert [step.searched for step in steps] == [STEP_ROWS, 2 * STEP_ROWS, 2 * STEP_ROWS + 1]
    assert all(step.total == 2 * STEP_ROWS + 1 for step in steps)
    assert len(list(search(session([user("x" * STEP_CHARS)] * 3), "a"))) == 3


def test_a_match_over_the_seam_of_two_slices_of_a_huge_text_is_found():
    text = "x" * (STEP_CHARS - 3) + "NeEdLe" + "x" * STEP_CHARS
    assert rows([user(text)], "needle") == [0]


odd = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


KEYS = ("role", "content", "tool_calls", "function_call", "name")


@settings(deadline=None)
@given(st.lists(st.dictionaries(st.sampled_from(KEYS), odd)), st.text(st.characters()))
def test_odd_messages_and_lone_surrogates_never_raise(messages, query):
    assert set(rows(messages, query)) <= set(range(len(messages)))


letters = st.sampled_from("aAİß")


@settings(deadline=None)
@given(st.lists(st.text(letters), max_size=6), st.text(letters, min_size=1, max_size=2))
def test_a_query_with_capitals_matches_as_it_stands(texts, query):
    expected = [at for at, text in enumerate(texts) if query in text]
    if query != query.lower():
        assert rows([user(text) for text in texts], query) == expected
    else:
        assert set(expected) <= set(rows([user(text) for text in texts], query))
