"""The ledger's layout: heights are what is drawn, and every line finds its row."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from inspector.text import cells
from inspector.tui.rows import Layout, body_height, body_lines, grid_for, heights
from tests.tui.builders import call, result, session, turns, user

texts = st.text(st.sampled_from("ab \t\n\r日本🙂é\x1b\u202e\ud800\u200d"), max_size=300)
calls = st.lists(
    st.builds(lambda name, text: {"function": {"name": name, "arguments": text}}, texts, texts) | st.integers(),
    max_size=6,
)
parts = st.lists(
    st.builds(lambda text: {"type": "text", "text": text}, texts)
    | st.just({"type": "image_url", "image_url": {}})
    | texts,
    max_size=4,
)
bodies = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "tool"])},
    optional={
        "content": texts | parts | st.none() | st.integers(),
        "tool_calls": calls | st.none(),
        "thinking": texts | st.none(),
        "images": st.lists(texts, max_size=3) | st.none(),
    },
)


@given(bodies, st.integers(1, 60), st.integers(1, 4))
def test_a_height_is_the_number_of_lines_drawn(body: dict[str, Any], width: int, limit: int) -> None:
    assert body_height(body, width, limit) == len(body_lines(body, width, limit))


@given(bodies, st.integers(1, 60), st.integers(1, 4))
def test_no_line_is_wider_than_its_column(body: dict[str, Any], width: int, limit: int) -> None:
    assert all(cells(line) <= width for _, line in body_lines(body, width, limit))


@given(st.binary(min_size=1, max_size=60).map(lambda tall: bytes(1 + size % 9 for size in tall)), st.data())
def test_every_line_finds_its_row_and_every_row_its_lines(tall: bytes, data: st.DataObject) -> None:
    rows = data.draw(st.none() | st.lists(st.integers(0, len(tall) - 1), unique=True, min_size=1).map(sorted))
    layout = Layout(tall, rows)
    drawn = list(range(len(tall))) if rows is None else rows
    assert layout.lines == sum(tall[row] for row in drawn)
    for place, row in enumerate(drawn):
        assert layout.place_of(row) == place
        lines = range(layout.tops[place], layout.tops[place + 1])
        assert len(lines) == tall[row]
        assert {layout.place_at(line) for line in lines} == {place}
        assert bisect_right(layout.tops, lines[0]) - 1 == place


def test_a_row_that_is_filtered_out_leads_to_the_nearest_shown() -> None:
    layout = Layout(bytes([1] * 10), array("q", [2, 6, 9]))
    assert [layout.place_of(row) for row in (0, 3, 5, 7, 8, 99)] == [0, 0, 1, 1, 2, 2]


def test_a_layout_without_rows_has_no_lines_and_no_place() -> None:
    for layout in (Layout(b""), Layout(b"\1\1", [])):
        assert (len(layout), layout.lines, layout.place_of(0), layout.place_at(0)) == (0, 0, -1, -1)


def test_both_sides_fold_at_the_same_width_and_fill_the_ledger() -> None:
    grid = grid_for(session(turns(3)), 160, sides=2)
    assert 158 <= 2 * grid.text + grid.lead + 6 <= 160
    alone = grid_for(session(turns(3)), 80, sides=1)
    assert alone.lead + alone.text + 1 == 80


def test_the_number_column_grows_with_the_session_and_the_token_column_with_its_longest_message() -> None:
    small, large = session(turns(3)), session([user("x")] * 10_001 + [result("a", "y" * 2_000_000)])
    assert (grid_for(small, 160, 2).number, grid_for(large, 160, 2).number) == (3, 5)
    assert (grid_for(small, 160, 2).tokens, grid_for(large, 160, 2).tokens) == (6, 9)


def test_more_calls_than_are_shown_are_counted() -> None:
    lines = body_lines(call("a", "b", "c", "d", "e", name="look"), 60, 3)
    assert [kind for kind, _ in lines] == ["call"] * 3
    assert lines[-1][1] == "→ … and 3 more calls"


def test_heights_count_the_head_and_ignore_what_cannot_be_seen() -> None:
    assert heights([user(""), user("one"), user("x" * 10_000_000), call("a", text="say")], 40, 3) == bytes([1, 2, 4, 3])


def test_a_text_that_goes_on_says_so() -> None:
    assert [line for _, line in body_lines(user("a\nb\nc\nd"), 10, 3)] == ["a", "b", "c…"]
    assert [line for _, line in body_lines(user("x" * 31), 10, 3)] == ["x" * 10, "x" * 10, "x" * 9 + "…"]
