"""B beside A in the application, and the table of policies."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from textual.widgets import DataTable, Input

from inspector.comparison import Candidate, differing
from inspector.tui.banner import Banner
from inspector.tui.dialogs.choose_policies import ChoosePolicies
from inspector.tui.dialogs.compare import Compare
from inspector.tui.dialogs.export import Export
from inspector.tui.history import Setup
from inspector.tui.pages import page
from tests.tui.running import NARROW, SAMPLES, WIDE, Run, running

SIZES = [NARROW, WIDE]
SAMPLE = SAMPLES / "long_coding_run.json"


async def compared(run: Run) -> None:
    """Wait until every text of A and B is compared."""
    await run.until(lambda: run.bench.shown is not None and run.bench.shown.differing is not None)
    await run.pilot.pause()


async def table(run: Run) -> Compare:
    """Open the table, and wait until everything in it is known."""
    await run.press("A")
    await run.until(lambda: isinstance(run.app.screen, Compare))
    dialog = run.app.screen
    assert isinstance(dialog, Compare)
    await done(run)
    return dialog


async def done(run: Run) -> None:
    await run.until(lambda: run.bench.beside.table is not None and not run.bench.beside.table.pending)
    await run.until(lambda: "put to work" in run.screen)


# --- A and B ---


@pytest.mark.parametrize("size", SIZES)
async def test_b_holds_the_settings_while_a_is_tuned(size: tuple[int, int]) -> None:
    async with running(SAMPLE, size) as run:
        await run.press("B")
        assert run.bench.shown is not None
        assert run.bench.shown.other is not None
        held = run.bench.shown.other.view
        assert held is run.bench.shown.view
        await run.press("plus", "plus")
        assert run.value("keep_recent") != held.settings["keep_recent"]
        assert run.bench.shown.other.view is held
        await compared(run)
        plan = run.bench.shown.view.plan
        assert list(run.bench.shown.differing or ()) == list(differing(plan, held.plan))
        assert f"B {run.bench.shown.other.sent_tokens:,} tokens" in run.screen
        assert run.bench.shown.other.sent_is_exact


async def test_a_wide_ledger_shows_original_a_and_b_with_their_names() -> None:
    async with running(SAMPLE, (120, 40)) as run:
        await run.press("B", "plus")
        assert run.ledger.sides == 3
        head = next(line for line in run.screen.splitlines() if "original" in line and "tokens" in line)
        assert head.index("original") < head.index("A  keep recent") < head.index("B  keep recent")
        assert not run.ledger.check_action("turn", ())


async def test_at_80_columns_the_turn_key_goes_from_original_to_a_to_b() -> None:
    async with running(SAMPLE, NARROW) as run:
        await run.press("B", "plus")
        seen = []
        for _ in range(4):
            await run.press("s")
            seen.append(run.ledger.side)
        assert seen == ["sent", "other", "original", "sent"]
        await run.press("s")
        assert "B  keep recent 12" in run.screen
        await run.press("B")
        assert run.ledger.side == "sent"


@pytest.mark.parametrize("size", SIZES)
async def test_brackets_go_through_the_differences_and_round_the_end(size: tuple[int, int]) -> None:
    async with running(SAMPLE, size, policy="head-tail", keep_recent=60) as run:
        await run.press("B")
        run.bench.set_value("keep_recent", 12)
        await compared(run)
        assert run.bench.shown is not None
        rows = list(run.bench.shown.differing or ())
        assert len(rows) > 1
        for row in (*rows, rows[0]):
            await run.press("right_square_bracket")
            assert run.ledger.cursor == row
            assert "that A and B send differently" in run.says
        await run.press("left_square_bracket")
        assert run.ledger.cursor == rows[-1]


async def test_where_a_and_b_are_the_same_the_brackets_say_so() -> None:
    async with running(SAMPLE) as run:
        await run.press("B", "right_square_bracket")
        assert run.says == "A and B send the same"


@pytest.mark.parametrize("key", ["B", "escape"])
async def test_one_key_lets_b_go_and_brackets_go_through_edits_again(key: str) -> None:
    async with running(SAMPLE) as run:
        lines = run.bench.query_one(Banner).size.height
        await run.press("B", "plus")
        await run.until(lambda: run.bench.query_one(Banner).size.height == lines + 1)
        await run.press(key)
        await run.until(lambda: run.bench.query_one(Banner).size.height == lines)
        assert run.bench.shown is not None
        assert run.bench.shown.other is None
        assert run.ledger.sides == 2
        await run.press("right_square_bracket")
        assert "edited messages" in run.says


async def test_b_may_be_another_policy_and_swapping_can_be_undone() -> None:
    async with running(SAMPLE) as run:
        await run.press("B")
        run.bench.choose_policy("cascade")
        await run.press("vertical_line")
        assert (run.bench.setup.policy, run.bench.beside.setup) == ("head-tail", Setup("cascade", {}))
        await run.press("u")
        assert run.bench.setup.policy == "cascade"
        await run.press("B", "vertical_line")
        assert "there is no B" in run.says


async def test_swapping_back_to_defaults_takes_back_what_was_tuned_since() -> None:
    async with running(SAMPLE) as run:
        untouched = run.bench.setup.settings
        await run.press("B", "plus")
        tuned = run.bench.setup
        await run.press("vertical_line")
        assert (run.bench.setup.settings, run.bench.beside.setup) == (untouched, tuned)
        await run.press("vertical_line")
        assert run.bench.setup.settings == tuned.settings


async def test_b_follows_the_request_that_is_shown() -> None:
    async with running(SAMPLE) as run:
        await run.press("B", "plus", "t", "home")
        await run.press("right")
        await run.until(lambda: run.bench.replay.moment is not None and run.bench.replay.moment.request == 1)
        await run.until(lambda: run.bench.shown is not None and run.bench.shown.other is not None)
        assert run.bench.shown is not None
        assert run.bench.shown.other is not None
        assert len(run.bench.shown.other.view.plan.action) == len(run.bench.shown.view.plan.action) < 20


async def test_b_stays_when_the_file_is_read_again() -> None:
    async with running(SAMPLE) as run:
        await run.press("B", "plus", "R")
        await run.loaded()
        assert run.bench.shown is not None
        assert run.bench.shown.other is not None
        assert run.bench.shown.other.session is run.bench.session


# --- the table ---


@pytest.mark.parametrize("size", SIZES)
async def test_the_table_begins_with_what_is_at_work_and_our_own(size: tuple[int, int]) -> None:
    async with running(SAMPLE, size) as run:
        await table(run)
        assert run.bench.beside.table is not None
        assert [one.policy.name for one in run.bench.beside.table.entries] == ["head-tail", "cascade", "checkpoint"]
        for words in ("A head-tail", "cascade", "checkpoint", "sent tokens", "76,485"):
            assert words in run.screen
        assert "Close" in run.screen


async def test_turning_no_order_and_emptying_the_table_are_said() -> None:
    async with running(SAMPLE) as run:
        await table(run)
        await run.press("S")
        assert "s orders them by a column" in run.screen
        await run.press("x", "x", "x")
        assert "nothing is compared; a adds policies" in run.screen
        await run.press("enter", "b", "e", "S")
        assert isinstance(run.app.screen, Compare)


async def test_the_figures_are_those_of_the_screen() -> None:
    async with running(SAMPLE) as run:
        await table(run)
        known = run.bench.beside.table
        assert known is not None
        assert run.bench.shown is not None
        assert known.outcomes[known.entries[0]].sent_tokens == run.bench.shown.sent_tokens


async def test_settings_that_were_tuned_meanwhile_are_a_row_of_their_own() -> None:
    async with running(SAMPLE) as run:
        await table(run)
        await run.press("escape", "plus")
        await table(run)
        assert "A head-tail keep_recent=13" in run.screen
        assert "head-tail keep_recent=12" in run.screen


@pytest.mark.parametrize("size", SIZES)
async def test_enter_puts_a_row_to_work_and_undo_takes_it_back(size: tuple[int, int]) -> None:
    async with running(SAMPLE, size) as run:
        await table(run)
        await run.press("j", "enter")
        assert run.bench.setup.policy == "cascade"
        await run.press("u")
        assert run.bench.setup.policy == "head-tail"


@pytest.mark.parametrize("size", SIZES)
async def test_b_holds_a_row_beside_what_is_at_work(size: tuple[int, int]) -> None:
    async with running(SAMPLE, size) as run:
        await table(run)
        await run.press("j", "b")
        assert run.bench.setup.policy == "head-tail"
        assert run.bench.shown is not None
        assert run.bench.shown.other is not None
        assert run.bench.shown.other.view.policy == "cascade"


async def test_a_column_orders_by_key_and_by_click_and_a_second_click_turns_it() -> None:
    async with running(SAMPLE) as run:
        dialog = await table(run)
        known = run.bench.beside.table
        assert known is not None
        await run.press("s", "s")
        assert known.sort == "sent"
        sent = [known.outcomes[one].sent_tokens for one in dialog._rows]
        assert sent == sorted(sent)
        await run.press("S")
        assert [known.outcomes[one].sent_tokens for one in dialog._rows] == sent[::-1]
        grid = dialog.query_one(DataTable)
        columns = list(grid.columns.values())
        left = sum(column.get_render_width(grid) for column in columns[:2])
        await run.pilot.click(grid, offset=(left + 3, 0))
        await run.pilot.pause()
        assert (known.sort, known.worst_first) == ("saved", False)
        await run.pilot.click(grid, offset=(left + 3, 0))
        await run.pilot.pause()
        assert (known.sort, known.worst_first) == ("saved", True)


@pytest.mark.parametrize("size", SIZES)
async def test_policies_are_added_by_ticks_and_taken_out_by_a_key(size: tuple[int, int]) -> None:
    async with running(SAMPLE, size) as run:
        await table(run)
        await run.press("a")
        assert isinstance(run.app.screen, ChoosePolicies)
        await run.press("down", "down", "down", "space", "enter")
        await done(run)
        known = run.bench.beside.table
        assert known is not None
        assert [one.policy.name for one in known.entries][-1] == "langchain-clear"
        assert known.entries[-1] in known.outcomes
        await run.press("x")
        assert [one.policy.name for one in known.entries] == ["cascade", "checkpoint", "langchain-clear"]


async def test_the_field_over_the_ticks_names_the_key_that_leads_to_it() -> None:
    async with running(SAMPLE) as run:
        await table(run)
        await run.press("a")
        field = run.app.screen.query_one(Input)
        assert (field.placeholder, field.has_focus) == ("/ to filter", False)
        await run.press("slash")
        assert field.has_focus


async def test_typed_words_filter_what_can_be_added_and_ticks_out_of_sight_stay() -> None:
    async with running(SAMPLE) as run:
        await table(run)
        await run.press("a", "slash")
        await run.type("autogen middle")
        await run.press("tab", "space", "enter")
        await done(run)
        known = run.bench.beside.table
        assert known is not None
        assert [one.policy.name for one in known.entries][:3] == ["head-tail", "cascade", "checkpoint"]
        assert known.entries[-1].policy.name.startswith("autogen")


@pytest.mark.parametrize("ending", ["csv", "json"])
async def test_the_table_is_exported_to_a_new_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    monkeypatch.chdir(tmp_path)
    async with running(SAMPLE) as run:
        await table(run)
        await run.press("e")
        assert isinstance(run.app.screen, Export)
        if ending == "json":
            await run.press("down", "enter")
        await run.pilot.click("#export")
        await run.until(lambda: isinstance(run.app.screen, Compare))
        assert f"written to long_coding_run.compared.{ending}" in run.screen
    text = (tmp_path / f"long_coding_run.compared.{ending}").read_text()
    if ending == "csv":
        assert len(text.splitlines()) == 4
    else:
        assert len(json.loads(text)["policies"]) == 3


async def test_closing_ends_the_work_and_what_was_found_is_kept() -> None:
    async with running(SAMPLE) as run:
        await run.press("A")
        await run.until(lambda: isinstance(run.app.screen, Compare))
        await run.press("escape")
        await run.until(lambda: not any(worker.group == "compare" for worker in run.app.workers))
        known = run.bench.beside.table
        assert known is not None
        found = dict(known.outcomes)
        await table(run)
        assert all(known.outcomes[one].verdicts == outcome.verdicts for one, outcome in found.items())


async def test_the_table_says_which_promises_a_row_breaks_and_where() -> None:
    async with running(SAMPLE) as run:
        await table(run)
        await run.press("j")
        await run.pilot.pause()
        assert "! number of messages kept: 255 went in" in run.screen
        assert "✓ " in run.screen


# --- the reader ---


async def test_the_reader_has_what_b_sends_as_one_more_view_while_there_is_a_b() -> None:
    async with running(SAMPLE, policy="head-tail", keep_recent=255) as run:
        await run.press("enter", "6")
        assert run.reader.view == "original"
        await run.press("escape", "B")
        run.bench.set_value("keep_recent", 12)
        await compared(run)
        await run.press("right_square_bracket", "enter", "6")
        assert run.reader.view == "other"
        assert "[6 B]" in run.screen
        shown = run.bench.shown
        assert shown is not None
        assert shown.other is not None
        lines = page(shown, run.ledger.cursor, "other")
        assert lines == page(shown.other, run.ledger.cursor, "sent")
        assert lines != page(shown, run.ledger.cursor, "sent")
        await run.press("escape", "escape", "enter")
        assert run.reader.view == "sent"
        assert "6 B" not in run.screen


@pytest.mark.parametrize("key", ["right", "left"])
async def test_arrows_turn_through_the_view_of_b_too(key: str) -> None:
    async with running(SAMPLE) as run:
        await run.press("B", "enter", "1")
        seen = []
        for _ in range(6):
            await run.press(key)
            seen.append(run.reader.view)
        assert sorted(seen) == sorted(["original", "sent", "diff", "raw", "findings", "other"])


async def test_a_row_that_b_sends_alike_says_so() -> None:
    async with running(SAMPLE) as run:
        await run.press("B", "enter", "6")
        assert "sent as A sends it" in run.screen


async def test_a_policy_that_fails_costs_neither_the_others_nor_the_screen() -> None:
    async with running(SAMPLE) as run:
        dialog = await table(run)
        known = run.bench.beside.table
        assert known is not None

        def fail(*_: object) -> None:
            raise RuntimeError("no plan today")

        broken = replace(known.entries[1].policy, plan=fail)
        known.entries = [*known.entries, Candidate(broken, {})]
        dialog._fill()
        dialog._begin()
        await done(run)
        assert list(known.failed) == [known.entries[-1]]
        await run.press("j", "j", "j")
        await run.pilot.pause()
        assert "! it could not be compared: " in run.screen
        assert "no plan today" in run.screen
