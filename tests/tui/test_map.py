"""The map: sums that add up, marks where things are, and jumps."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from textual.app import App, ComposeResult

from inspector.doctor.told import Fault
from inspector.finding import Finding
from inspector.tui.faults import Faults, Verdict
from inspector.tui.map import Map, bar, cell_of, first_row, slices
from tests.tui.builders import call, result, session, shown, turns, user


class Bench(App[None]):
    """A map alone on the screen, and where it was pointed at."""

    def __init__(self, view: object, height: int = 2) -> None:
        super().__init__()
        self.view, self.lines = view, height
        self.jumps: list[int] = []

    def compose(self) -> ComposeResult:
        drawn = Map(self.view)  # type: ignore[arg-type]
        drawn.styles.height = self.lines
        yield drawn

    def on_map_jumped(self, event: Map.Jumped) -> None:
        self.jumps.append(event.row)


def drawn(app: Bench) -> list[str]:
    map = app.query_one(Map)
    return [map.render_line(y).text for y in range(map.size.height)]


@given(st.integers(1, 500), st.integers(1, 200), st.data())
def test_a_row_lies_in_the_cell_that_shows_it(rows: int, width: int, data: st.DataObject) -> None:
    row = data.draw(st.integers(0, rows - 1))
    cell = cell_of(row, rows, width)
    assert 0 <= cell < width
    start = first_row(cell, rows, width)
    assert start <= row < max(start + 1, first_row(cell + 1, rows, width))


@given(st.integers(1, 60))
def test_slices_of_a_long_session_add_up(width: int) -> None:
    view = shown(turns(40), keep_recent=20, old_tool_chars=100)
    cut = slices(view, width)
    assert sum(cut.original) == view.original_tokens
    assert sum(cut.sent) == sum(view.after)
    assert len(cut.original) == len(cut.sent) == width


def test_a_short_session_is_stretched() -> None:
    cut = slices(shown([user("a"), user("b " * 500)]), 10)
    assert len(set(cut.original[:5])) == len(set(cut.original[5:])) == 1
    assert cut.original[0] < cut.original[9]


def test_a_session_without_messages_has_no_slices() -> None:
    assert not slices(shown([]), 10).original
    assert not slices(shown(turns(1)), 0).original


def test_breakages_and_inserts_lie_in_their_slices() -> None:
    messages = [*turns(10), call("x", name="look"), call("b", name="look"), result("b", "short"), user("more")]
    cut = slices(shown(messages, keep_recent=0, old_tool_chars=0), len(messages))
    assert cut.broken == {24: "warning"}
    assert cut.inserts == {22}
    assert cut.sent[22] > cut.original[22]


@given(st.integers(0, 10**7), st.integers(0, 10**7), st.integers(1, 10**7))
def test_a_bar_is_one_cell_never_lower_for_more_and_seen_for_any_token(a: int, b: int, peak: int) -> None:
    low, high = (bar(min(size, peak), peak) for size in sorted((a, b)))
    assert len(low) == len(high) == 1
    assert ord(low) <= ord(high)
    assert (bar(min(a, peak), peak) == " ") == (a == 0)
    assert bar(peak, peak) == "█"


async def test_both_lines_show_the_policy_and_the_cursor() -> None:
    async with Bench(shown(turns(40, size=900), keep_recent=20, old_tool_chars=0)).run_test(size=(82, 5)) as pilot:
        map = pilot.app.query_one(Map)
        map.cursor = 41
        await pilot.pause()
        upper, lower = drawn(pilot.app)  # type: ignore[arg-type]
        assert [at for at, cell in enumerate(upper) if cell == "▼"] == [41]
        assert upper[-20:] == lower[-20:]
        assert upper[:40] != lower[:40]


async def test_one_line_is_enough() -> None:
    messages = [*turns(10), call("b", name="look"), result("b", "short"), user("more")]
    view = shown(messages, keep_recent=0, old_tool_chars=0)
    async with Bench(view, 1).run_test(size=(len(messages), 5)) as pilot:
        (line,) = drawn(pilot.app)  # type: ignore[arg-type]
        assert line[0] == "▼"
        assert line[23] == "△"


async def test_a_click_and_a_drag_jump() -> None:
    app = Bench(shown(turns(49)))
    async with app.run_test(size=(50, 5)) as pilot:
        await pilot.click(Map, offset=(25, 0))
        assert app.jumps == [50]
        await pilot.mouse_down(Map, offset=(10, 0))
        await pilot.hover(Map, offset=(12, 1))
        await pilot.mouse_up(Map, offset=(12, 1))
        await pilot.hover(Map, offset=(30, 1))
        assert list(dict.fromkeys(app.jumps[1:])) == [20, 24]


async def test_an_empty_map_takes_clicks_calmly() -> None:
    for view in (None, shown([])):
        app = Bench(view)
        async with app.run_test(size=(50, 5)) as pilot:
            await pilot.click(Map, offset=(25, 0))
            assert app.jumps == []


async def test_a_moved_setting_is_drawn() -> None:
    made = session(turns(40, size=900))
    app = Bench(shown(made, keep_recent=200))
    async with app.run_test(size=(82, 5)) as pilot:
        before = drawn(app)
        app.query_one(Map).shown = shown(made, keep_recent=0, old_tool_chars=0)
        await pilot.pause()
        assert drawn(app)[0] == before[0]
        assert drawn(app)[1] != before[1]


async def test_a_frame_that_comes_before_its_resize_event_is_drawn() -> None:
    app = Bench(shown(turns(30)))
    async with app.run_test(size=(10, 2)) as pilot:
        await pilot.pause()
        map = app.query_one(Map)
        assert len(drawn(app)[0]) == 10
        map.set_reactive(Map.shown, shown(turns(30)))
        map._slices = slices(map.shown, 5)  # type: ignore[arg-type]
        assert [len(line) for line in drawn(app)] == [10, 10]


def test_a_finding_of_the_recording_marks_the_middle_of_its_slice_and_an_error_goes_before_a_warning() -> None:
    it = shown([user("x"), user("y"), user("z")])
    faults = [Fault(Finding("a", "warning", "a"), 1), Fault(Finding("b", "error", "b"), 1), _info(2)]
    judged = it.judged(Verdict("native", Faults(faults)))
    assert slices(judged, 30).faulty == {cell_of(1, 3, 30): "error"}
    assert slices(judged, 3).faulty == {1: "error"}
    assert slices(judged, 1).faulty == {0: "error"}


def _info(row: int) -> Fault:
    return Fault(Finding("c", "info", "c"), row)
