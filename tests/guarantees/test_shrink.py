"""What is taken off a failure: nothing that it needs, and all that it does not."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from inspector.guarantees.shrink import exchanges_of, fewest, messages_of, nearer_defaults, shorter_texts
from inspector.policies import Param
from tests.guarantees.small import KEEPING, SESSION, policy


@given(st.lists(st.integers(0, 50), unique=True, min_size=1, max_size=40), st.data())
def test_only_the_items_that_a_failure_needs_are_left(items: list[int], data: st.DataObject) -> None:
    needed = set(data.draw(st.lists(st.sampled_from(items), min_size=1, max_size=4)))
    assert fewest(items, lambda left: needed <= set(left)) == [item for item in items if item in needed]


def test_what_is_left_of_a_number_of_items_needs_every_one_of_them() -> None:
    assert len(fewest(range(37), lambda left: len(left) >= 5)) == 5


def test_nothing_at_all_is_never_tried() -> None:
    assert len(fewest(range(9), lambda left: bool(left[0] >= 0))) == 1


def test_after_so_many_tries_what_is_left_still_fails() -> None:
    tried: list[Sequence[int]] = []

    def fails(left: Sequence[int]) -> bool:
        tried.append(left)
        return {0, 99} <= set(left)

    assert {0, 99} <= set(fewest(range(100), fails, most=3))
    assert len(tried) == 3


def test_a_call_goes_with_its_results_only() -> None:
    exchanges = exchanges_of(SESSION)
    assert exchanges == [(0,), (1,), (2, 3), (4, 5), (6,), (7, 8), (9,)]
    assert messages_of(SESSION, exchanges[2:4]) == SESSION[2:6]


MADE = policy(
    KEEPING.plan, Param("cap", "chars", 2_000, "", high=20_000, step=100), Param("keep", "messages", 12, ""),
    Param("ratio", "", 0.5, "", high=1.0, step=0.05, kind="float"),
)  # fmt: skip


def test_settings_that_a_failure_does_not_need_go_back_to_their_defaults() -> None:
    assert nearer_defaults(MADE, {"cap": 300, "keep": 1}, lambda left: left.get("keep") == 1) == {"keep": 1}


def test_a_number_comes_as_near_to_its_default_as_the_failure_allows_on_its_steps() -> None:
    assert nearer_defaults(MADE, {"cap": 0}, lambda left: left.get("cap", 2_000) < 1_250) == {"cap": 1_200}
    assert nearer_defaults(MADE, {"cap": 20_000}, lambda left: left.get("cap", 2_000) > 7_000) == {"cap": 7_100}
    assert nearer_defaults(MADE, {"ratio": 1.0}, lambda left: left.get("ratio", 0.5) > 0.62) == {"ratio": 0.65}


def test_what_is_held_stays_where_it_is() -> None:
    assert nearer_defaults(MADE, {"cap": 0, "keep": 1}, lambda left: True, held=("cap",)) == {"cap": 0}


def test_a_long_text_is_halved_as_long_as_the_failure_stays_and_a_short_one_left() -> None:
    messages = [SESSION[1], {"role": "user", "content": "x" * 1_600}, {"role": "user", "content": "y" * 1_600}]
    left = shorter_texts(messages, lambda messages: len(messages[2]["content"]) >= 700)
    assert [len(body["content"]) for body in left] == [19, 200, 800]
    assert len(messages[2]["content"]) == 1_600
