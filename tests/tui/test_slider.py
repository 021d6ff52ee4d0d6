import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import on
from textual.app import App, ComposeResult

from inspector.policies.policy import Param
from inspector.tui.slider import Scale, Slider, scale_of, track

whole_scales = st.builds(
    lambda low, span, step, ratio: Scale(low, low + span, step, ratio),
    low=st.integers(0, 50),
    span=st.integers(0, 5_000_000),
    step=st.sampled_from([1, 2, 5, 10, 100, 250, 500, 1_000, 4_096]),
    ratio=st.booleans(),
)
fractional_scales = st.builds(
    lambda low, span, ratio: Scale(low / 10, (low + span) / 10, 0.1, ratio, whole=False),
    low=st.integers(0, 20),
    span=st.integers(0, 400),
    ratio=st.booleans(),
)
scales = st.one_of(whole_scales, fractional_scales)
widths = st.integers(2, 60)


@given(scales, widths, st.data())
def test_a_value_taken_from_a_cell_is_in_range_and_grows_with_the_cell(scale, width, data):
    left, right = sorted(data.draw(st.tuples(st.floats(-5, 70), st.floats(-5, 70))))
    assert scale.low <= scale.value(left, width) <= scale.value(right, width) <= scale.high


@given(scales, widths, st.data())
def test_a_cell_grows_with_the_value_and_lies_on_the_track(scale, width, data):
    left, right = sorted(data.draw(st.tuples(st.integers(-10, 6_000_000), st.integers(-10, 6_000_000))))
    assert 0 <= scale.position(left, width) <= scale.position(right, width) <= width - 1


@given(scales, widths)
def test_the_ends_of_the_track_are_the_ends_of_the_range(scale, width):
    assert scale.value(0, width) == scale.low
    assert scale.position(scale.low, width) == 0
    if scale.high > scale.low:
        assert scale.value(width - 1, width) == scale.high
        assert scale.position(scale.high, width) == width - 1


@given(st.integers(2, 60), st.integers(2, 50), st.data())
def test_a_cell_gives_a_value_that_is_drawn_in_that_cell_where_there_are_values_enough(width, each, data):
    scale = Scale(0, each * (width - 1))
    cell = data.draw(st.integers(0, width - 1))
    assert scale.position(scale.value(cell, width), width) == cell


@given(scales, st.data())
def test_a_step_up_raises_and_a_step_down_lowers_until_the_end(scale, data):
    value = data.draw(st.integers(0, 5_000_100)) if scale.whole else data.draw(st.integers(0, 500)) / 10
    value = scale.clamp(value)
    up, down = scale.stepped(value, 1), scale.stepped(value, -1)
    assert up > value if value < scale.high else up == value
    assert down < value if value > scale.low else down == value
    assert scale.low <= down <= up <= scale.high


@given(st.sampled_from([1, 10, 100, 500, 1_000]), st.integers(1, 60))
def test_steps_up_and_down_again_come_back(step, count):
    scale = Scale(0, 10**12, step, ratio=True)
    assert scale.stepped(scale.stepped(0, count), -count) == 0


@given(st.integers(1_000, 10**9))
def test_a_step_in_ratios_is_4_to_10_percent_and_lands_on_two_digits(value):
    scale = Scale(0, 10**12, 1, ratio=True)
    up = scale.stepped(value, 1)
    assert value < up <= value * 1.101
    assert len(str(up).rstrip("0")) <= 2
    assert scale.stepped(up, 1) >= up * 1.039


def test_linear_steps_add_the_step_and_bring_a_value_between_two_to_the_next():
    scale = Scale(0, 20_000, 100)
    assert scale.stepped(2_000, 1) == 2_100
    assert scale.stepped(2_000, -1) == 1_900
    assert scale.stepped(2_037, 1) == 2_100
    assert scale.stepped(2_037, -1) == 2_000


def test_a_fraction_steps_without_rounding_dust():
    scale = Scale(1.0, 8.0, 0.1, whole=False)
    assert [scale.stepped(3.2, by) for by in (-3, -2, -1, 1, 2, 3)] == [2.9, 3.0, 3.1, 3.3, 3.4, 3.5]


def test_beyond_the_end_a_step_down_goes_to_the_end_and_a_step_up_changes_nothing():
    assert Scale(0, 100).stepped(500, -1) == 100
    assert Scale(0, 100).stepped(500, 1) == 500


def test_wide_ranges_move_in_ratios_and_narrow_ones_do_not():
    assert scale_of(Param("gate", "chars", 0, "", step=1_000, off=0), 550_000).ratio
    assert not scale_of(Param("cap", "chars", 2_000, "", step=100), 20_000).ratio
    assert scale_of(Param("cap", "chars", 2_000, "", scale="ratio"), 50).ratio


def test_the_track_shows_knob_default_and_a_value_beyond_the_end():
    scale = Scale(0, 10)
    assert track(scale, 4, 8, 11) == "├───●───┴─┤"
    assert track(scale, 4, 0, 11) == "└───●─────┤"
    assert track(scale, 4, 10, 11) == "├───●─────┘"
    assert track(scale, 4, 4, 11) == "├───●─────┤"
    assert track(scale, 11, None, 11) == "├─────────▶"


@given(scales, st.integers(0, 60), st.integers(0, 6_000_000))
def test_the_track_is_as_wide_as_asked(scale, width, value):
    assert len(track(scale, value, 3, width)) == width


class Bench(App[None]):
    CSS = "Slider { width: 21; margin: 1 2; }"

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[float] = []

    def compose(self) -> ComposeResult:
        yield Slider(Scale(0, 100), 20, 20, id="one")
        yield Slider(Scale(0, 100), 50, id="two")

    @on(Slider.Changed)
    def _hear(self, event: Slider.Changed) -> None:
        self.heard.append(event.value)


@pytest.fixture
async def bench():
    app = Bench()
    async with app.run_test(size=(40, 10)) as pilot:
        yield pilot


async def test_a_drag_follows_the_mouse_beyond_the_widget_and_ends_with_the_button(bench):
    app = bench.app
    slider = app.query_one("#one", Slider)
    await bench.mouse_down("#one", offset=(4, 0))
    assert app.mouse_captured is slider
    assert app.heard == []  # the knob was taken where it lay
    await bench.hover("#one", offset=(10, 0))
    await bench.hover("#one", offset=(30, 3))
    await bench.mouse_up("#one", offset=(30, 3))
    assert app.heard == [50, 100]
    assert app.mouse_captured is None
    await bench.hover("#one", offset=(5, 0))
    assert slider.value == 100


async def test_a_click_on_the_track_sets_the_value(bench):
    await bench.click("#one", offset=(10, 0))
    assert bench.app.heard == [50]


async def test_a_drag_ends_when_the_slider_is_hidden_or_another_is_focused(bench):
    app = bench.app
    await bench.mouse_down("#one", offset=(4, 0))
    app.query_one("#two").focus()
    await bench.pause()
    assert app.mouse_captured is None
    await bench.mouse_down("#one", offset=(4, 0))
    app.query_one("#one").display = False
    await bench.pause()
    assert app.mouse_captured is None


async def test_keys_step_and_go_to_the_ends(bench):
    app = bench.app
    app.query_one("#one").focus()
    await bench.press("right", "left", "left", "end", "home")
    assert app.heard == [21, 20, 19, 100, 0]


async def test_a_key_at_the_end_changes_nothing(bench):
    app = bench.app
    app.query_one("#one").focus()
    await bench.press("end", "right", "home", "left")
    assert app.heard == [100, 0]


async def test_a_value_set_by_the_program_posts_nothing(bench):
    bench.app.query_one("#one", Slider).value = 70
    await bench.pause()
    assert bench.app.heard == []


async def test_only_a_later_change_of_the_same_slider_supersedes(bench):
    one, two = bench.app.query(Slider)
    assert Slider.Changed(one, 1).can_replace(Slider.Changed(one, 2))
    assert not Slider.Changed(one, 1).can_replace(Slider.Changed(two, 2))
