"""The timeline: bars to the eighth, marks, words that fit, and the application moving on it."""

from __future__ import annotations

from array import array
from math import inf
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.policies import Mode, policy_named
from inspector.replay import view_at
from inspector.tui import replaying
from inspector.tui.background import Source
from inspector.tui.run import BROKE, FIRED, Columns, Run, Sums
from inspector.tui.timeline import (
    CURSOR,
    EIGHTHS,
    FRESH,
    SAVED,
    Level,
    Picture,
    Timeline,
    bar_cell,
    break_even_words,
    fitting,
    marks,
    plot,
    request_words,
    totals_words,
)
from tests.tui.builders import session, turns
from tests.tui.running import NARROW, SAMPLES, WIDE, running  # fmt: skip
from tests.tui.running import Run as App

RECORDING = SAMPLES / "cache_run.jsonl"
SUMS = Sums(86, 86, 83, 46, 3_000, 2_000, 77_366, 1.5, 1.25, 1.0, 106.8, 46, 12)


def cut(*bars: tuple[int, int, int], flags: bytes | None = None) -> Columns:
    cached, sent, original = (array("q", part) for part in zip(*bars, strict=True))
    return Columns(sent, cached, original, flags or bytes(len(bars)), frozenset())


def column(lines: list[list[tuple[str, str]]], place: int) -> str:
    return "".join(line[place][1] for line in lines)


@given(st.integers(0, 80), st.integers(0, 80), st.integers(0, 80), st.integers(1, 10))
def test_a_bar_is_as_high_as_what_is_sent_to_the_eighth(cached: int, fresh: int, saved: int, height: int) -> None:
    sent = cached + fresh
    eighths = 8 * height
    cells = [bar_cell(cached, sent, sent + saved, 8 * row) for row in range(height)]
    filled = sum(
        8 if look == "split" or char == FRESH else EIGHTHS.index(char)
        for look, char in cells
        if look in ("cached", "fresh", "split")
    )
    assert filled == min(sent, eighths)
    assert all(look in ("saved", "text") for look, _ in cells[-(-sent // 8) :])


def test_cached_fresh_and_saved_stand_on_one_another_in_different_glyphs() -> None:
    lines = plot(cut((40, 60, 100)), [], 5)
    assert column(lines, 0) == f"{SAVED}{SAVED}▒██"
    assert [line[0][0] for line in lines] == ["saved", "saved", "fresh", "cached", "cached"]


def test_any_token_is_seen() -> None:
    assert column(plot(cut((0, 1, 1), (0, 10**6, 10**6)), [], 3), 0) == "  ▁"


def test_a_line_is_drawn_behind_the_bars_with_its_name_where_there_is_room() -> None:
    lines = plot(cut(*[(10, 10, 10)] * 20, *[(100, 100, 100)] * 10), [Level(90, "window 90")], 5)
    assert "".join(char for _, char in lines[0]).startswith(" window 90 ┄┄┄┄")
    assert lines[0][25] == ("cached", "█")


def test_marks_say_what_fired_what_broke_and_where_the_cursor_is() -> None:
    columns = cut(*[(1, 1, 1)] * 5, flags=bytes([0, FIRED, FIRED | BROKE, 0, FIRED]))
    assert "".join(char for _, char in marks(columns._replace(recorded=frozenset({3})), 4)) == f" •◆C{CURSOR}"


def test_a_window_far_above_the_bars_is_not_drawn() -> None:
    picture = Picture(
        Run(session(turns(1))), SUMS, window=400_000, thresholds=(Level(50_000, "a"), Level(900_000, "b"))
    )
    assert picture.levels(60_000) == [(50_000, "a")]
    assert picture.levels(300_000) == [(50_000, "a"), (400_000, "window 400,000")]


@pytest.mark.parametrize("width", [78, 158])
def test_the_totals_fit_and_keep_cost_and_date(width: int) -> None:
    picture = Picture(Run(session(turns(1))), SUMS, 0, price="gpt-5, genai-prices 0.2.3, prices of 2026-11-30")
    first, second = totals_words(picture, width)
    assert len(first) <= width
    assert len(second) <= width
    assert "86 requests   83 fired   66.7 % cached" in first
    assert "prices of 2026-11-30" in first
    assert second.startswith("$1.5000 with, $1.2500 without, $1.0000 ideal   pays after 107 more requests")


def test_totals_that_are_not_whole_say_so() -> None:
    first, second = totals_words(Picture(Run(session(turns(1))), SUMS._replace(done=43), 0), 158)
    assert "replaying 50 %" in first
    assert "~83 fired" in first
    assert second.startswith("~$1.5000 with, $1.2500 without")


def test_what_is_not_known_is_said() -> None:
    picture = Picture(Run(session(turns(1))), SUMS._replace(cost=None), 0)
    assert totals_words(picture, 80)[1] == "no price is known for this model"
    assert break_even_words(SUMS._replace(break_even=None)) == ["the prefix was never broken"]
    assert break_even_words(SUMS._replace(break_even=inf))[0] == "most breaks never pay"


@given(st.lists(st.text("ab", max_size=20), max_size=6), st.integers(1, 60))
def test_pieces_fit(pieces: list[str], width: int) -> None:
    assert len(fitting(pieces, width)) <= width


def test_a_request_without_figures_yet_has_only_its_number() -> None:
    assert request_words(Run(session(turns(4))), 2) == "request 2 / 3"


# in the application ----------------------------------------------------------------------------------------------


def line_of(app: App) -> Timeline:
    return app.bench.query_one(Timeline)


def complete(app: App) -> bool:
    picture = line_of(app).picture
    return picture is not None and picture.sums.complete and picture.sums.sent > 0


async def opened(app: App) -> Timeline:
    await app.press("t")
    await app.until(lambda: complete(app))
    await app.pilot.pause()
    return line_of(app)


@pytest.mark.parametrize(("size", "height"), [(NARROW, 6), (WIDE, 10)])
async def test_t_opens_the_timeline_with_the_totals_and_closes_it(size: tuple[int, int], height: int) -> None:
    async with running(RECORDING, size) as app:
        timeline = await opened(app)
        assert (timeline.size.width, timeline.size.height) == (size[0], height)
        assert "106 requests   98 fired   57.6 % cached" in app.screen
        assert "$7.6786 with, $2.3074 without, $2.2606 ideal" in app.screen
        assert ("11,669 tokens in each are not recorded" in app.screen) == (size == WIDE)
        assert "one shot" in app.screen
        await app.press("t")
        assert not timeline.display
        assert app.ledger.has_focus


async def test_opened_again_it_shows_the_same_totals() -> None:
    async with running(RECORDING) as app:
        await opened(app)
        await app.press("t", "t")
        await app.until(lambda: complete(app))
        assert "$7.6786 with, $2.3074 without, $2.2606 ideal" in app.screen


async def test_closed_before_the_replay_was_done_it_is_replayed_when_opened_again() -> None:
    async with running(RECORDING) as app:
        await opened(app)
        run = app.bench.replay.run
        assert run is not None
        run.done = 40  # as if it had been closed half way
        await app.press("t", "t")
        await app.until(lambda: complete(app))
        assert "$7.6786 with, $2.3074 without, $2.2606 ideal" in app.screen


@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_moving_shows_the_view_of_a_request_and_esc_the_one_shot(size: tuple[int, int]) -> None:
    async with running(RECORDING, size) as app:
        await opened(app)
        whole = app.bench.shown
        await app.press("home", "right", "right", "right")
        await app.until(lambda: app.bench.shown is not None and app.bench.shown.sent_is_exact)
        shown = app.bench.shown
        assert shown is not None
        assert whole is not None
        assert "as of request 3, stateless" in app.screen
        assert shown.view.messages == view_at(shown.session, policy_named("head-tail"), {}, 3).messages
        assert list(shown.new) == [5, 6]
        assert app.ledger.cursor == 5
        assert "5▸" in app.screen
        assert shown.sent_tokens == sum(shown.before[:7])
        assert shown.saved_tokens == 0
        if size == WIDE:
            assert "after this request" in app.screen
        await app.press("escape")
        assert "one shot" in app.screen
        assert app.bench.shown is not None
        assert app.bench.shown.original_tokens == whole.original_tokens
        await app.press("escape")
        assert not line_of(app).display


async def test_the_ends_are_ends() -> None:
    async with running(RECORDING) as app:
        timeline = await opened(app)
        await app.press("end", "right")
        assert timeline.cursor == 105
        assert "as of request 105" in app.screen
        await app.press("home", "left", "left")
        assert timeline.cursor == 0
        await app.press("pagedown")
        assert timeline.cursor == 10


async def test_a_click_and_a_drag_go_to_the_request_under_the_mouse() -> None:
    async with running(RECORDING) as app:
        timeline = await opened(app)
        await app.pilot.mouse_down(timeline, offset=(80, 3))
        await app.pilot.pause()
        assert timeline.cursor == 80 * 106 // 160
        await app.pilot.hover(timeline, offset=(159, 3))
        await app.pilot.pause()
        assert timeline.cursor == 159 * 106 // 160
        await app.pilot.mouse_up(timeline, offset=(159, 3))
        await app.pilot.hover(timeline, offset=(4, 3))
        assert timeline.cursor == 159 * 106 // 160


async def test_a_carried_policy_shows_what_the_run_came_to() -> None:
    async with running(RECORDING, policy="cascade", target_tokens=9_000, ceiling_tokens=12_000) as app:
        await opened(app)
        await app.press("end")
        await app.until(lambda: "as of request 105, carried" in app.screen)
        shown = app.bench.shown
        assert shown is not None
        given: dict[str, Any] = {"target_tokens": 9_000, "ceiling_tokens": 12_000}
        wanted = view_at(shown.session, policy_named("cascade"), given, 105)
        assert shown.view.messages == wanted.messages
        await app.press("M")
        await app.until(lambda: "as of request 105, stateless" in app.screen)


@pytest.mark.parametrize("mode", ["carried", "stateless"])
async def test_a_session_may_open_at_a_request_in_either_mode(mode: Mode) -> None:
    async with running(RECORDING, policy="cascade", at=9, mode=mode) as run:
        await run.until(lambda: f"as of request 9, {mode}" in run.screen)
        assert run.bench.query_one(Timeline).display
        session = run.bench.session
        await run.press("R")
        await run.until(lambda: run.bench.session is not session)
        await run.until(lambda: f"as of request 9, {mode}" in run.screen)
        await run.press("escape")
        await run.until(lambda: "one shot" in run.screen)


async def test_a_request_that_is_not_there_is_said_and_one_shot_is_shown() -> None:
    async with running(RECORDING, at=5_000) as run:
        assert "there is no request 5000" in run.says
        assert "one shot" in run.screen
        assert not run.bench.query_one(Timeline).display


async def test_a_setting_that_moves_drops_the_replay_and_begins_another() -> None:
    async with running(RECORDING) as app:
        timeline = await opened(app)
        first = timeline.picture
        assert first is not None
        app.bench.set_value("compact_threshold_chars", 200_000)
        app.bench.set_value("compact_threshold_chars", 300_000)
        replays = [one for one in app.bench.workers if one.group == "replay" and not one.is_finished]
        assert all(one.is_cancelled for one in replays)
        await app.until(lambda: complete(app) and timeline.picture is not None and timeline.picture.sums.fired == 6)
        assert "$3.2107 with, $2.3074 without" in app.screen


async def test_the_view_of_a_request_follows_the_settings() -> None:
    async with running(RECORDING) as app:
        await opened(app)
        await app.press("end")
        before = app.bench.shown
        app.bench.set_value("old_tool_chars", 100)
        await app.pilot.pause()
        after = app.bench.shown
        assert before is not None
        assert after is not None
        assert after.sent_tokens < before.sent_tokens
        assert "as of request 105" in app.screen


async def test_space_plays_from_the_cursor_and_space_pauses() -> None:
    async with running(RECORDING) as app:
        timeline = await opened(app)
        await app.press("home", "right_parenthesis", "right_parenthesis", "space")
        assert app.says.startswith("playing 16 requests a second")
        await app.until(lambda: timeline.cursor >= 3)
        await app.press("space")
        assert app.says.startswith("paused")
        stood = timeline.cursor
        await app.pilot.pause(0.2)
        assert timeline.cursor == stood
        await app.press("ctrl+left")
        assert app.says.startswith("8 requests a second")


async def test_playing_ends_with_the_last_request() -> None:
    async with running(RECORDING) as app:
        timeline = await opened(app)
        await app.press("end", "left", "left", "space")
        await app.until(lambda: app.bench.replay.player is None)
        assert timeline.cursor == 105
        assert app.says.startswith("the last request")


async def test_another_session_is_replayed_from_the_start() -> None:
    async with running(RECORDING) as app:
        timeline = await opened(app)
        await app.press("end")
        app.bench.load(Source(str(SAMPLES / "long_coding_run.json")))
        await app.until(lambda: app.bench.replay.at is None and complete(app))
        assert timeline.display
        assert "one shot" in app.screen


async def test_a_recording_without_requests_says_so() -> None:
    async with running(SAMPLES / "damaged.jsonl") as app:
        app.bench.query_one(Timeline).picture = Picture(Run(session([])), SUMS, 0)
        app.bench.query_one(Timeline).display = True
        await app.pilot.pause()
        assert "the recording has no assistant message" in app.screen


async def test_the_header_says_calibrated_where_usage_tells_the_factor() -> None:
    async with running(RECORDING) as app:
        await app.until(lambda: app.bench.replay.calibration is not None)
        await app.pilot.pause()
        assert "o200k calibrated (x1.13 +-1 %)" in app.screen
        shown = app.bench.shown
        assert shown is not None
        assert shown.calibration is not None
        assert f"~{round(shown.calibration.factor * shown.original_tokens):,} ->" in app.screen


async def test_exact_counts_are_not_calibrated() -> None:
    async with running(SAMPLES / "long_coding_run.json") as app:
        await opened(app)
        assert "o200k exact" in app.screen
        assert replaying.words(app.bench) == ""


async def test_a_message_after_the_request_is_not_sent_and_counts_nowhere() -> None:
    async with running(RECORDING) as app:
        await opened(app)
        await app.press("home", "right", "G", "Y")
        assert app.ledger.cursor != 211  # the timeline has the focus, whose keys are its own
        app.ledger.focus()
        await app.press("G", "Y")
        assert app.ledger.cursor == 211
        assert app.says == "this message is not sent"
        shown = app.bench.shown
        assert shown is not None
        assert sum(shown.reached) == shown.original_tokens == sum(shown.before[:3])
        await app.press("b")
        await app.pilot.pause()
        assert f"{shown.sums[-1]:,}" not in app.screen
