import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import events, on
from textual.app import App, ComposeResult
from textual.widgets import Input

from inspector.policies import POLICIES
from inspector.policies.policy import Param, SettingError
from inspector.tui.controls import CHOOSER, Chooser, Controls
from inspector.tui.setting import Setting, amount, heading, meaning, read_typed, title
from inspector.tui.slider import Scale, Slider
from tests.tui.asking import on_screen
from tests.tui.builders import session, turns

MESSAGES = turns(99)  # 200 messages
KEEP, CAP, GATE = POLICIES["head-tail"].params


def test_values_are_read_as_people_write_them():
    assert amount(CAP, 2_000) == "2,000"
    assert amount(POLICIES["cascade"].param("chars_per_token"), 3.2) == "3.2"
    assert amount(POLICIES["cascade"].param("chars_per_token"), 4) == "4"
    assert amount(POLICIES["checkpoint"].param("checkpoint"), None) == "draft"
    assert amount(POLICIES["checkpoint"].param("checkpoint"), "é" * 1_000) == "2,000 bytes"


def test_a_title_gives_up_its_unit_before_the_value_is_cut():
    assert title(CAP, 20_000, 27) == "old tool chars"
    assert title(GATE, 550_000, 27) == "compact threshold"
    assert heading(GATE, 550_000, 550_000, 27) == ("compact threshold   ", "550,000")


def test_the_meaning_names_the_unit_wherever_the_title_does_not():
    assert meaning(KEEP, 12, 214, 27) == "messages, default    to 214"
    assert meaning(CAP, 2_100, 20_000, 27) == "default 2,000     to 20,000"
    assert meaning(GATE, 0, 550_000, 27) == "chars, off       to 550,000"


@given(st.integers(0, 10**12), st.integers(0, 10**12), st.integers(24, 60), st.sampled_from([KEEP, CAP, GATE]))
def test_heading_and_meaning_keep_to_the_width_and_never_cut_the_value(value, top, width, param):
    name, number = heading(param, value, top, width)
    assert len(name + number) == width
    assert number == f"{value:,}"
    assert len(meaning(param, value, top, width)) <= width


def test_words_and_separators_can_be_typed():
    assert read_typed(CAP, " 12,000 ") == 12_000
    assert read_typed(GATE, "OFF") == 0
    assert read_typed(CAP, "default") == 2_000
    assert read_typed(Param("t", "", None, "", kind="text"), "default") == "default"
    with pytest.raises(SettingError, match="old_tool_chars wants a whole number"):
        read_typed(CAP, "off")


class Bench(App[None]):
    """A workbench in small: it shows the settings that it hears of."""

    def __init__(self, policy: str = "head-tail", obeys: bool = True) -> None:
        super().__init__()
        self.policy, self.obeys = policy, obeys
        self.session = session(MESSAGES)
        self.settings: dict[str, object] = {}
        self.heard: list[tuple[object, ...]] = []

    def compose(self) -> ComposeResult:
        yield Controls()
        yield Slider(Scale(0, 1), id="elsewhere")

    def on_mount(self) -> None:
        self.show()
        self.controls.focus()

    @property
    def controls(self) -> Controls:
        return self.query_one(Controls)

    def show(self) -> None:
        self.controls.show(POLICIES[self.policy], self.settings, self.session)

    def block(self, place: int) -> Setting:
        return [block for block in self.query(Setting) if block.display][place]

    def text(self, place: int) -> str:
        block = self.block(place)
        return "\n".join(str(line.render()) for line in block.query("Line"))

    @on(Controls.Changed)
    def _change(self, event: Controls.Changed) -> None:
        self.heard.append((event.name, event.value))
        if self.obeys:
            self.settings[event.name] = event.value
            self.show()

    @on(Controls.PolicyChosen)
    def _choose(self, event: Controls.PolicyChosen) -> None:
        self.heard.append(("policy", event.name))
        self.policy, self.settings = event.name, {}
        self.show()

    @on(Controls.Clamped)
    def _clamp(self, event: Controls.Clamped) -> None:
        self.heard.append(("clamped", event.says))

    @on(Controls.TextWanted)
    def _text(self, event: Controls.TextWanted) -> None:
        self.heard.append(("text", event.name))


@pytest.fixture
async def bench():
    app = Bench()
    async with app.run_test(size=(40, 30)) as pilot:
        await pilot.pause()
        yield pilot


async def test_keys_select_and_step(bench):
    await bench.press("right", "right", "down", "left")
    assert bench.app.heard == [("keep_recent", 13), ("keep_recent", 14), ("old_tool_chars", 1_900)]
    assert "14" in bench.app.text(0)
    assert "1,900" in bench.app.text(1)


async def test_the_workbench_can_step_select_and_reset_from_any_pane(bench):
    controls = bench.app.controls
    controls.step(1)
    controls.step(1)
    controls.select_next(-1)
    controls.step(1)
    controls.select_next(1)
    controls.reset()
    await bench.pause()
    await bench.pause()
    assert bench.app.settings == {"keep_recent": 12, "compact_threshold_chars": 1_000}


async def test_selection_goes_round_for_the_workbench_and_stops_at_the_ends_for_arrows(bench):
    controls = bench.app.controls
    for _ in range(3):
        controls.select_next(1)
    assert controls.selected == 0
    controls.select_next(-1)
    assert controls.selected == 2
    await bench.press("down", "down")
    assert controls.selected == 2
    await bench.press("up", "up", "up", "up", "up")
    assert controls.selected == CHOOSER


async def test_a_mouse_drag_changes_the_value_and_selects_the_setting(bench):
    app = bench.app
    slider = app.block(1).query_one(Slider)
    width = slider.size.width
    await bench.mouse_down(slider, offset=(slider.scale.position(2_000, width), 0))
    await bench.hover(slider, offset=(width // 2, 0))
    await bench.hover(slider, offset=(width + 5, 0))
    await bench.mouse_up(slider, offset=(width + 5, 0))
    await bench.pause()
    assert [name for name, _ in app.heard] == ["old_tool_chars", "old_tool_chars"]
    assert 9_000 < app.heard[0][1] < 11_000
    assert app.heard[1] == ("old_tool_chars", 20_000)
    assert app.focused is app.controls


async def test_a_typed_value_may_lie_beyond_the_slider(bench):
    await bench.press("enter", *"300", "enter")
    assert bench.app.heard == [("keep_recent", 300)]
    assert bench.app.focused is bench.app.controls
    assert "▶" in str(bench.app.block(0).query_one(Slider).render())


async def test_a_value_beyond_the_slider_is_held_on_stepping_down_and_that_is_said(bench):
    await bench.press("equals_sign", *"300", "enter", "left")
    assert bench.app.heard[1:] == [("keep_recent", 200), ("clamped", "keep recent is at its end: 200")]
    assert "! at its end: 200" in bench.app.text(0)
    await bench.press("left")
    assert "at its end" not in bench.app.text(0)


async def test_a_value_beyond_the_slider_is_not_lowered_by_a_step_up(bench):
    await bench.press("equals_sign", *"300", "enter", "right")
    assert bench.app.settings == {"keep_recent": 300}
    assert bench.app.heard[1:] == [("clamped", "keep recent is beyond its end: 200")]


async def test_a_step_at_the_end_says_so(bench):
    await bench.press("home", "left")
    assert bench.app.heard == [("keep_recent", 0), ("clamped", "keep recent is at its end: 0")]


async def test_a_wrong_value_is_answered_by_a_sentence_and_changes_nothing(bench):
    await bench.press("enter", *"[/]x", "enter")
    block = bench.app.block(0)
    assert block.has_class("-trouble")
    assert "keep_recent wants a whole number of at least 0, not '[/]x'" in str(block.query_one("Trouble").render())
    assert bench.app.heard == []
    await bench.press("backspace")
    assert not block.has_class("-trouble")
    await bench.press("escape")
    assert bench.app.focused is bench.app.controls
    assert not block.has_class("-typing")


async def test_escape_leaves_the_value_as_it_was(bench):
    await bench.press("enter", "9", "escape")
    assert bench.app.heard == []
    assert bench.app.block(0).query_one(Input).display is False


async def test_a_field_opened_from_another_pane_gives_the_focus_back(bench):
    elsewhere = bench.app.query_one("#elsewhere")
    elsewhere.focus()
    await bench.pause()
    bench.app.controls.open()
    await bench.press("7", "enter")
    await bench.pause()
    assert bench.app.heard == [("keep_recent", 7)]
    assert bench.app.focused is elsewhere


async def test_a_field_stays_open_while_another_window_has_the_focus(bench):
    await bench.press("enter", "9")
    bench.app.post_message(events.AppBlur())
    await bench.pause()
    bench.app.post_message(events.AppFocus())
    await bench.pause()
    assert bench.app.block(0).has_class("-typing")
    await bench.press("enter")
    assert bench.app.heard == [("keep_recent", 9)]


async def test_a_field_closes_when_something_else_is_clicked(bench):
    await bench.press("enter", "9")
    await bench.click("#help")
    await bench.pause()
    assert not bench.app.block(0).has_class("-typing")
    assert bench.app.heard == []


async def test_backspace_sets_the_default(bench):
    await bench.press("right", "right", "backspace")
    assert bench.app.heard[-1] == ("keep_recent", 12)
    assert "default" in bench.app.text(0)


async def test_a_click_on_the_default_resets_and_one_on_the_value_opens_the_field(bench):
    await bench.press("down", "right")
    line = bench.app.block(1).query(".meaning").first()
    await bench.click(line, offset=(3, 0))
    assert bench.app.heard[-1] == ("old_tool_chars", 2_000)
    head = bench.app.block(1).query(".heading").first()
    await bench.click(head, offset=(head.size.width - 1, 0))
    assert isinstance(bench.app.focused, Input)


async def test_the_policy_is_chosen_by_arrows_and_by_the_mouse(bench):
    await bench.press("up", "right")
    assert bench.app.heard == [("policy", "cascade")]
    assert len([block for block in bench.app.query(Setting) if block.display]) == 6
    chooser = bench.app.query_one(Chooser)
    await bench.click(chooser, offset=(chooser.outer_size.width - 4, 0))
    await bench.pause()
    assert bench.app.heard[-1] == ("policy", "head-tail")
    assert len([block for block in bench.app.query(Setting) if block.display]) == 3


async def test_a_number_that_would_not_stand_beside_its_name_is_refused():
    app = Bench()
    async with app.run_test(size=(40, 30)) as pilot:
        await pilot.press("enter", *"9999999999", "enter")
        assert app.heard == []
        said = " ".join(on_screen(app).replace("▌", " ").split())
        assert "keep_recent wants at most 1,000,000,000 here, not '9999999999'" in said


async def test_a_text_parameter_asks_for_its_text():
    app = Bench("checkpoint")
    async with app.run_test(size=(40, 30)) as pilot:
        await pilot.press("down", "down", "down", "right", "enter")
        assert app.heard == [("clamped", "checkpoint is a text: v opens it"), ("text", "checkpoint")]
        assert "draft" in app.text(3)
        app.settings["checkpoint"] = "x" * 3_000
        app.show()
        assert "3,000 bytes" in app.text(3)


async def test_settings_older_than_the_last_movement_do_not_overdraw_it():
    app = Bench(obeys=False)
    async with app.run_test(size=(40, 30)) as pilot:
        await pilot.press("right", "right")
        app.settings["keep_recent"] = 13
        app.show()
        assert "14" in app.text(0)
        app.settings["keep_recent"] = 14
        app.show()
        app.settings["keep_recent"] = 12
        app.show()
        assert "12" in app.text(0)


async def test_a_moving_value_lays_out_nothing(bench):
    app = bench.app
    before = [widget.region for widget in app.query("Controls *")]
    laid: list[object] = []
    refresh = app.screen._refresh_layout
    app.screen._refresh_layout = lambda *args, **kwargs: laid.append(1) or refresh(*args, **kwargs)
    await bench.press("right", "right", "down", "left", "end", "right")
    assert laid == []
    assert [widget.region for widget in app.query("Controls *")] == before


async def test_remarks_are_drawn_as_text_and_never_obeyed(bench):
    bench.app.controls.remark(["see [/] and \x1b]52;c;x\x07"], ["[bold]dropped"])
    await bench.pause()
    drawn = str(bench.app.query_one("#remarks").render())
    assert "! see [/] and ␛]52;c;x␇" in drawn
    assert "· [bold]dropped" in drawn
    assert "never touched: call arguments" in drawn


async def test_help_is_that_of_the_selected_setting(bench):
    await bench.press("down")
    assert str(bench.app.query_one("#help").render()) == CAP.help
    await bench.press("up", "up")
    assert str(bench.app.query_one("#help").render()) == POLICIES["head-tail"].help


async def test_ranges_are_worked_out_once_a_session():
    asked: list[int] = []
    policy = POLICIES["head-tail"]
    param = Param("n", "messages", 1, "", high=lambda context: asked.append(1) or 50)
    made = type(policy)(**{**{f: getattr(policy, f) for f in policy.__slots__}, "params": (param,)})
    app = Bench()
    async with app.run_test(size=(40, 30)):
        for value in range(5):
            app.controls.show(made, {"n": value}, app.session)
        assert asked == [1]
        app.controls.show(made, {"n": 1}, session(MESSAGES))
        assert asked == [1, 1]
