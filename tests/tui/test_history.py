"""Undo and redo, held to a plain list of states."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from inspector.tui.history import LONGEST, History, Setup


def at(value: int) -> Setup:
    return Setup("head-tail").with_value("keep_recent", value)


@given(st.lists(st.sampled_from(["change", "undo", "redo"]), max_size=60))
def test_undo_and_redo_walk_a_list_of_states(steps: list[str]) -> None:
    history, states, place = History(), [at(0)], 0
    for number, step in enumerate(steps, 1):
        if step == "change":
            history.note(states[place])
            states, place = [*states[: place + 1], at(number)], place + 1
            continue
        there = place > 0 if step == "undo" else place < len(states) - 1
        found = history.undo(states[place]) if step == "undo" else history.redo(states[place])
        assert (found is not None) == there
        if found is not None:
            place += -1 if step == "undo" else 1
            assert found == states[place]


def test_a_run_of_changes_of_one_thing_is_undone_as_one() -> None:
    history = History()
    for value in range(5):
        history.note(at(value), what="keep_recent")
    assert history.undo(at(5)) == at(0)
    assert history.undo(at(0)) is None
    assert history.redo(at(0)) == at(5)


def test_a_pause_another_thing_or_an_undo_ends_a_run() -> None:
    history = History()
    history.note(at(0), what="keep_recent")
    history.pause()
    history.note(at(1), what="keep_recent")
    history.note(at(2), what="old_tool_chars")
    assert history.undo(at(3)) == at(2)
    history.note(at(2), what="old_tool_chars")
    assert history.undo(at(4)) == at(2)
    assert history.undo(at(2)) == at(1)
    assert history.undo(at(1)) == at(0)
    assert history.undo(at(0)) is None


def test_the_oldest_changes_are_forgotten() -> None:
    history = History()
    for value in range(LONGEST + 50):
        history.note(at(value))
    now, steps = at(LONGEST + 50), 0
    while (found := history.undo(now)) is not None:
        now, steps = found, steps + 1
    assert steps == LONGEST
    assert now == at(50)


def test_a_change_keeps_the_values_of_other_policies() -> None:
    setup = Setup("cascade", {"head-tail": {"keep_recent": 3}}).with_value("protect", 1)
    assert setup.given == {"head-tail": {"keep_recent": 3}, "cascade": {"protect": 1}}
    assert setup.settings == {"protect": 1}
    assert Setup("checkpoint", setup.given).settings == {}
