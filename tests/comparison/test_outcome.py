"""What is found out about one candidate agrees with the verbs that ask for one thing alone; names tell them apart."""

from pathlib import Path
from typing import Any

import pytest

from inspector import load
from inspector.comparison import Candidate, labels
from inspector.comparison.listing import COLUMNS, Line, column_named, csv_text, document, lines_of, ordered
from inspector.comparison.outcome import Ground, Outcome, examined_for, outcome_of, with_run
from inspector.guarantees import check
from inspector.policies import compact, policy_named
from inspector.replay import calibration_of, terms_of, view_at
from inspector.tokens import count_bodies, counter_for

SAMPLE = Path(__file__).resolve().parents[2] / "sample_sessions" / "long_coding_run.json"
NAMES = ("head-tail", "cascade", "checkpoint", "langchain-clear")


@pytest.fixture(scope="module")
def ground() -> Ground:
    session = load(SAMPLE)
    counter = counter_for(session.model)
    tokens = count_bodies(session.messages, counter)
    terms = terms_of(session, counter, session.model, calibration_of(session, counter, tokens))
    return Ground(session, counter, tokens, terms, examined_for(session))


def one(policy: str, **given: Any) -> Candidate:
    return Candidate(policy_named(policy), given)


@pytest.mark.parametrize("name", NAMES)
def test_an_outcome_is_what_compact_says(ground: Ground, name: str) -> None:
    found, view = outcome_of(ground, one(name)), compact(ground.session, name)
    edits = view.edits
    assert (found.original_tokens, found.sent_tokens) == (view.tokens["original"], view.tokens["sent"])
    assert found.saved_tokens == view.tokens["saved"]
    assert found.edits == len(edits)
    assert found.first_change == (max(0, edits[0].index) if edits else None)
    assert found.verdicts == check(view, policy_named(name))


def test_the_view_has_the_defaults_that_its_run_has(ground: Ground) -> None:
    found = outcome_of(ground, one("cascade"))
    assert found.settings["max_result_chars"] == 4_000
    assert found.sent_tokens == compact(ground.session, "cascade", max_result_chars=4_000).tokens["sent"]


@pytest.mark.parametrize("name", NAMES)
def test_an_outcome_of_a_request_is_that_of_its_view(ground: Ground, name: str) -> None:
    at = Ground(ground.session, ground.counter, ground.tokens, ground.terms, ground.known, at=40)
    found, view = outcome_of(at, one(name)), view_at(ground.session, policy_named(name), {}, 40)
    assert (found.original_tokens, found.sent_tokens) == (view.tokens["original"], view.tokens["sent"])
    assert found.edits == len(view.edits)


def test_a_policy_that_changes_nothing_introduces_nothing_and_has_no_first_change(ground: Ground) -> None:
    found = outcome_of(ground, one("head-tail", compact_threshold_chars=10_000_000))
    assert (found.edits, found.first_change, found.introduced, found.broken) == (0, None, (), ())
    assert with_run(ground, found).run.fired == 0  # type: ignore[union-attr]


def test_the_view_comes_before_the_run(ground: Ground) -> None:
    first = outcome_of(ground, one("head-tail"))
    assert first.run is None
    assert COLUMNS[7].words(Line("head-tail", first)) == ""
    run = with_run(ground, first).run
    assert run is not None
    assert run.requests == 86


# --- names ---


def test_a_policy_that_is_there_once_has_its_name_alone() -> None:
    assert labels([one("head-tail", keep_recent=4), one("cascade")]) == ["head-tail", "cascade"]


def test_settings_of_one_policy_are_named_by_what_differs() -> None:
    found = labels([one("head-tail", keep_recent=4), one("cascade"), one("head-tail", keep_recent=40)])
    assert found == ["head-tail keep_recent=4", "cascade", "head-tail keep_recent=40"]


def test_a_default_that_is_written_out_is_no_difference_and_twins_are_numbered() -> None:
    default = policy_named("head-tail").param("keep_recent").default
    assert labels([one("head-tail"), one("head-tail", keep_recent=default)]) == ["head-tail", "head-tail (2)"]


def test_a_long_text_is_named_by_its_length() -> None:
    found = labels([one("checkpoint"), one("checkpoint", checkpoint="x" * 5_000)])
    assert found == ["checkpoint checkpoint=none", "checkpoint checkpoint=(5,000 chars)"]


# --- order ---


@pytest.fixture(scope="module")
def lines(ground: Ground) -> list[Line]:
    idle = one("head-tail", compact_threshold_chars=10_000_000)
    outcomes: list[Outcome] = [with_run(ground, outcome_of(ground, each)) for each in (*map(one, NAMES), idle)]
    return lines_of(outcomes)


@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: column.name)
def test_the_best_stand_first_and_the_worst_where_that_is_asked_for(lines: list[Line], column: Any) -> None:
    values = [column.value(line) for line in ordered(lines, column)]
    known = [value for value in values if value is not None]
    assert known == sorted(known, reverse=column.best < 0)
    assert [column.value(line) for line in ordered(lines, column, worst_first=True)] == values[::-1]


def test_no_change_at_all_is_later_than_any_change(lines: list[Line]) -> None:
    assert ordered(lines, column_named("first_change"))[0].outcome.first_change is None


def test_what_is_not_known_stands_last_either_way(ground: Ground, lines: list[Line]) -> None:
    unpaid = Line("unpaid", outcome_of(ground, one("cascade")))
    for worst_first in (False, True):
        assert ordered([unpaid, *lines], column_named("cost"), worst_first)[-1] is unpaid


def test_a_column_that_is_none_is_named_with_those_there_are() -> None:
    with pytest.raises(LookupError, match="there is no column 'price'; there are policy, sent, saved"):
        column_named("price")


# --- for scripts ---


def test_a_document_and_a_spreadsheet_have_an_entry_a_policy(ground: Ground, lines: list[Line]) -> None:
    found = document(lines, ground)
    assert [entry["label"] for entry in found["policies"]] == [line.label for line in lines]
    for entry, line in zip(found["policies"], lines, strict=True):
        assert [name for name, kept in entry["promises"].items() if not kept] == [
            where["promise"] for where in entry["broken"]
        ]
        assert entry["run"]["cost"] == line.outcome.run.cost  # type: ignore[union-attr]
    rows = csv_text(lines).splitlines()
    assert len(rows) == 1 + len(lines)
    assert {row.count(",") for row in rows} == {rows[0].count(",")}
