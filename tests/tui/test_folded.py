import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.text import cells, visible
from inspector.tui.folded import Folded
from inspector.tui.message_lines import GUTTERS, Kind, Line
from inspector.tui.search import pattern_of


def rows(folded):
    folded.extend_to(10**9)
    return [folded.row(y) for y in range(folded.height)]


lines = st.lists(
    st.builds(Line, st.text(st.sampled_from("ab \t漢é\x1b\ud83d👩\u200d\u0301"), max_size=90), st.sampled_from(Kind)),
    max_size=6,
)


@settings(deadline=None)
@given(lines, st.integers(8, 30))
def test_every_row_fits_and_no_text_is_lost(given_lines, width):
    found = rows(Folded(given_lines, width))
    assert all(cells(row.gutter + row.text) <= width for row in found)
    assert "".join(row.text for row in found) == "".join(visible(line.text) for line in given_lines)


@settings(deadline=None)
@given(lines, st.integers(8, 30))
def test_each_line_starts_once_and_shows_its_glyph_there(given_lines, width):
    found = rows(Folded(given_lines, width))
    assert [row.line for row in found if row.starts] == given_lines
    assert all(row.gutter == GUTTERS.get(row.line.kind, "") for row in found if row.starts)
    assert all(not row.gutter.strip() for row in found if not row.starts)


@pytest.mark.parametrize("text", [" " * 1_000_000, "漢" * 200_000, "\t" * 50_000, "a漢" * 60_000])
def test_a_line_of_a_megabyte_is_folded_piece_by_piece(text):
    folded = Folded([Line(text)], 79)
    folded.extend_to(100)
    assert not folded.done
    assert folded.height < 2_000
    assert "".join(row.text for row in rows(folded)) == visible(text)


def test_a_row_below_the_last_is_none():
    assert Folded([Line("a")], 10).row(1) is None
    assert Folded([], 10).row(0) is None


def test_the_first_row_of_a_line_is_found_without_looking_at_it_before():
    folded = Folded([Line("x" * 25), Line("y"), Line("z")], 10)
    assert [folded.row_of_line(number) for number in (0, 1, 2)] == [0, 3, 4]


def test_a_match_over_a_fold_is_marked_in_both_rows():
    folded = Folded([Line("abcdefghNEEDLE")], 10, pattern_of("needle"))
    assert [row.matches for row in rows(folded)] == [((8, 10),), ((0, 4),)]


def test_a_regular_expression_is_only_text():
    assert rows(Folded([Line("a.c abc")], 20, pattern_of("a.c")))[0].matches == ((0, 3),)
