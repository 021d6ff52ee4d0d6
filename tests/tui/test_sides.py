"""Which sides of the ledger are shown, what they are called, and what the header says of A and B."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from inspector.tui import banner
from inspector.tui.drawing import DIFFERS, Drawing, column_names
from inspector.tui.rows import ONE_SIDED_BELOW, THREE_SIDED_FROM, grid_for
from inspector.tui.shown import Shown
from inspector.tui.sides import SIDES, differing_words, next_side, side_count, side_names, sides_shown, telling
from tests.tui.builders import shown, turns, user

MESSAGES = [*turns(6, size=4_000), *[user("later")] * 12]


def pair(policy: str = "head-tail", *, a: dict[str, Any], b: dict[str, Any], other: str = "head-tail") -> Shown:
    one = shown(MESSAGES, policy, **a)
    return replace(one, other=shown(one.session, other, **b))


def drawn(view: Shown, width: int, side: str = "original") -> list[str]:
    sides = side_count(width, view.other is not None)
    grid = grid_for(view.session, width, sides)
    lines: list[str] = []
    drawing = Drawing(view, grid, sides_shown(sides, side), None)
    for row in range(len(view.session)):
        lines += ["".join(text for _, text in pieces) for pieces in drawing.row(row, False, False)]
    return lines


# --- which ---


@pytest.mark.parametrize(
    ("width", "compares", "count"),
    [
        (ONE_SIDED_BELOW - 1, False, 1),
        (ONE_SIDED_BELOW, False, 2),
        (300, False, 2),
        (ONE_SIDED_BELOW - 1, True, 1),
        (THREE_SIDED_FROM - 1, True, 2),
        (THREE_SIDED_FROM, True, 3),
    ],
)
def test_as_many_sides_stand_beside_each_other_as_fit(width: int, compares: bool, count: int) -> None:
    assert side_count(width, compares) == count
    assert side_count(width, compares, one_sided=True) == 1


def test_a_screen_of_120_columns_has_three_sides() -> None:
    controls, scrollbar = 31, 1
    assert side_count(120 - controls - scrollbar, compares=True) == 3


def test_one_side_turns_through_all_and_two_turn_from_a_to_b() -> None:
    def turned(count: int, compares: bool) -> list[str]:
        side, seen = "original", []
        for _ in range(4):
            side = next_side(side, count, compares)
            seen.append(side)
        return seen

    assert turned(1, False) == ["sent", "original", "sent", "original"]
    assert turned(1, True) == ["sent", "other", "original", "sent"]
    assert turned(2, True)[1:] in (["sent", "other", "sent"], ["other", "sent", "other"])


def test_where_two_fit_the_original_stays_and_b_takes_the_place_of_a() -> None:
    assert sides_shown(2, "original") == sides_shown(2, "sent") == ("original", "sent")
    assert sides_shown(2, "other") == ("original", "other")
    assert sides_shown(3, "other") == SIDES


# --- names ---


def test_two_settings_are_called_by_what_differs_and_two_policies_by_their_names() -> None:
    settings = pair(a={"keep_recent": 3}, b={"keep_recent": 9})
    assert side_names(settings) == {"original": "original", "sent": "A  keep recent 3", "other": "B  keep recent 9"}
    policies = pair("cascade", a={}, b={})
    assert telling(policies, policies.other or policies) == ("cascade", "head-tail")
    same = pair(a={}, b={})
    assert telling(same, same.other or same) == ("head-tail", "head-tail")


def test_without_b_the_sides_are_called_as_ever() -> None:
    view = shown(MESSAGES)
    names = "".join(text for _, text in column_names(grid_for(view.session, 160, 2), sides_shown(2, "sent")))
    assert "original" in names
    assert "sent" in names
    assert "change" in names


# --- what is drawn ---


@pytest.mark.parametrize("width", [60, 87, 88, 129, 200])
@pytest.mark.parametrize("side", SIDES)
def test_every_line_fits_the_width(width: int, side: str) -> None:
    view = pair(a={"keep_recent": 1, "old_tool_chars": 900}, b={"keep_recent": 12, "old_tool_chars": 400})
    sides = side_count(width, compares=True)
    assert all(width - sides <= len(line) <= width for line in drawn(view, width, side))


@pytest.mark.parametrize("width", [60, 87, 160])
def test_rows_that_a_and_b_send_differently_are_marked_and_no_others(width: int) -> None:
    view = pair(a={"keep_recent": 16}, b={"keep_recent": 0})
    heads = [line for line in drawn(view, width) if line[1:4].strip().isdigit()]
    marked = [row for row, line in enumerate(heads) if line[4] == DIFFERS]
    a, b = view.view.plan, (view.other or view).view.plan
    assert marked == [row for row in range(len(MESSAGES)) if a.body(row) != b.body(row)]
    assert marked


def test_heights_do_not_depend_on_a_or_b() -> None:
    one, two = pair(a={"keep_recent": 16}, b={}), pair(a={"old_tool_chars": 300}, b={"keep_recent": 0})
    assert len(drawn(one, 160)) == len(drawn(two, 160))


# --- the header ---


@pytest.mark.parametrize("width", [80, 120, 160])
def test_the_header_has_one_more_line_with_the_totals_of_a_and_b(width: int) -> None:
    view = pair(a={"keep_recent": 16}, b={"keep_recent": 0})
    alone = banner.lines(replace(view, other=None), width, "one shot", None)
    lines = banner.lines(view, width, "one shot", None)
    assert [line.plain for line in lines[:-1]] == [line.plain for line in alone]
    assert len(lines) == banner.lines_needed(view, width)
    assert {line.cell_length for line in lines} == {width}
    said = lines[-1].plain
    assert f"{view.sent_tokens:,}" in said
    assert f"{(view.other or view).sent_tokens:,} tokens" in said
    assert "B - A -" in said
    assert said.rstrip().endswith("differ")


def test_the_number_that_differs_is_the_exact_one_once_it_is_known() -> None:
    view = pair(a={"keep_recent": 16}, b={"keep_recent": 0})
    assert differing_words(replace(view, differing=[3])) == "1 message differs"
    assert differing_words(replace(view, differing=[])) == "0 messages differ"
    unsure = pair(a={"old_tool_chars": 900}, b={"old_tool_chars": 900})
    assert differing_words(unsure) == "~0 messages differ"
