"""Python as it is written: it compiles, says what it was given, and is laid out."""

import ast
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from inspector.policies.python_call import WIDTH, Call, Name, expression, quoted, script

SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text()
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(st.text(), inner, max_size=4),
    ),
)


@given(VALUES, st.integers(0, 40))
def test_a_value_reads_back_as_itself(value: Any, before: int) -> None:
    assert ast.literal_eval(expression(value, before)) == value


@given(st.text(st.characters(), max_size=30))
def test_any_text_is_quoted_in_what_can_be_printed(text: str) -> None:
    literal = quoted(text)
    assert ast.literal_eval(literal) == text
    assert literal.isprintable()
    assert literal[0] == literal[-1] == '"'


def test_a_lone_surrogate_is_escaped() -> None:
    assert quoted("a\ud800") == '"a\\ud800"'


def test_a_line_of_the_full_width_is_one_line_and_a_char_more_has_a_line_a_part() -> None:
    room = WIDTH - len("f(a=, b=2)")
    assert expression(Call("", "f", {"a": int("1" * room), "b": 2})) == f"f(a={'1' * room}, b=2)"
    longer = expression(Call("", "f", {"a": int("1" * (room + 1)), "b": 2}))
    assert longer == f"f(\n    a={'1' * (room + 1)},\n    b=2,\n)"


def test_what_stands_before_counts_towards_the_width() -> None:
    call = Call("", "f", {"a": int("1" * (WIDTH - 5))})
    assert "\n" not in expression(call)
    assert "\n" in expression(call, before=1)


def test_a_script_imports_every_class_once_and_leaves_own_names_alone() -> None:
    inner = Call("kit.parts", "Part", {"size": 1})
    value = Call(
        "kit", "Whole", {"parts": [inner, inner], "other": Call("kit.parts", "Other", {}), "model": Name("model")}
    )
    assert script("whole", value) == (
        "from kit import Whole\n"
        "from kit.parts import Other, Part\n"
        "\n"
        "whole = Whole(parts=[Part(size=1), Part(size=1)], other=Other(), model=model)\n"
    )


def test_numbers_that_are_none_are_written_as_python_reads_them() -> None:
    assert expression([float("nan"), float("inf")]) == '[float("nan"), float("inf")]'
