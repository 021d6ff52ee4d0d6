from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.app import App, ComposeResult

from inspector.finding import Finding
from inspector.message import Session, listed
from inspector.text import percent, thousands
from inspector.tui import figures
from inspector.tui.banner import BEAT, Banner, busy_bar, lines, lines_needed, opening, spread
from inspector.tui.figures import Count, gauge, thin_bar
from inspector.tui.shown import Tokens
from tests.tui.asking import on_screen, until
from tests.tui.builders import call, result, shown, turns, user


def recorded(messages, **more):
    more = {"file": "/tmp/run.json", "format": "openai_chat", "model": "gpt-5", **more}
    return Session(messages, listed(""), range(len(messages)), **more)


SAVES = shown(recorded(turns(100, 4_000)))
LOSES = shown(recorded(turns(20, 40)), old_tool_chars=10)
BROKEN = shown(recorded(turns(40, 4_000)), "cascade", target_tokens=1_000, ceiling_tokens=2_000)


def uncounted(it):
    return replace(it, tokens=Tokens(it.before, False), counted_sent=None)


def exact(it, sent):
    rows = it.after[:]
    rows[0] += sent - sum(rows) - it.insert_tokens
    return replace(it, counted_sent=rows)


def test_the_gauge_fills_to_the_eighth():
    assert gauge(0, 100, 12) == "▕░░░░░░░░░░▏"
    assert gauge(50, 100, 12) == "▕█████░░░░░▏"
    assert gauge(55, 100, 12) == "▕█████▌░░░░▏"
    assert gauge(100, 100, 12) == "▕██████████▏"
    assert gauge(101, 100, 12) == "▕██████████▶"
    assert gauge(1, 1_000_000, 12) == "▕▏░░░░░░░░░▏"


def test_the_gauge_shows_thresholds_and_leaves_out_those_beyond_the_window():
    assert gauge(50, 100, 12, (25, 80, 120)) == "▕██│██░░░│░▏"
    assert gauge(50, 100, 12, (100,)) == "▕█████░░░░│▏"


@given(st.integers(0, 10**7), st.integers(0, 10**7), st.integers(3, 80), st.lists(st.integers(0, 10**7), max_size=4))
def test_the_gauge_is_as_wide_as_asked_and_never_shrinks_as_use_grows(used, window, width, marks):
    assert len(gauge(used, window, width, marks)) == width
    assert gauge(used, window, width).count("█") <= gauge(used + 1, window, width).count("█")


@given(st.floats(-1, 2), st.integers(1, 40))
def test_a_thin_bar_is_as_wide_as_asked(share, width):
    assert len(thin_bar(share, width)) == width


def test_a_larger_view_is_a_loss_in_words():
    it = exact(LOSES, LOSES.original_tokens + 84)
    assert figures.saved_words(it).split() == ["▲", "larger", "by", "84", percent(-84, it.original_tokens), "%"]
    assert percent(-84, it.original_tokens).startswith("-")


def test_what_was_broken_has_the_mark_of_the_worst_of_it():
    assert [figures.counts(it)[2].glyph for it in (SAVES, LOSES, BROKEN)] == ["!", "△", "!"]


def test_a_saving_is_said_plainly():
    it = exact(SAVES, SAVES.original_tokens // 2)
    assert figures.saved_words(it).split()[0] == "saved"
    assert "~" not in figures.saved_words(it)


def test_an_estimated_saving_stands_apart_from_its_word_however_large_it_is():
    it = exact(uncounted(SAVES), 1)
    assert len(thousands(it.saved_tokens)) == figures.number_width(it)
    assert "saved ~" in figures.saved_words(it)


def test_estimates_carry_a_tilde_and_exact_numbers_do_not():
    sent = SAVES.original_tokens // 2
    assert figures.tokens_words(exact(SAVES, sent)).count("~") == 0
    assert figures.tokens_words(replace(SAVES, counted_sent=None)).count("~") == 1
    assert figures.tokens_words(uncounted(SAVES)).count("~") == 2
    guess = replace(exact(SAVES, sent), counter=replace(SAVES.counter, exact=False, label="o200k estimate"))
    assert figures.tokens_words(guess).count("~") == 2


def test_the_label_says_estimate_until_tokens_are_counted():
    assert figures.exactness_words(SAVES) == "o200k exact"
    assert figures.exactness_words(uncounted(SAVES)) == "o200k estimate"


def test_beyond_the_window_is_said_in_words():
    assert figures.window_words(replace(exact(SAVES, 64_000), window=128_000)).split() == ["50", "%", "of", "128,000"]
    assert " 37 % over 100,000" in figures.window_words(replace(exact(SAVES, 137_000), window=100_000))
    small = replace(SAVES, window=100)
    most, none = (figures.window_words(exact(small, sent)) for sent in (small.original_tokens, 1))
    assert f"{small.original_tokens - 100:,} % over 100" in most
    assert len(most) == len(none)


def test_counts_have_a_glyph_and_a_field_of_one_width():
    assert Count("!", 2, "broken", 3).text == "  ! 2 broken"
    assert Count("!", 123, "broken", 3).short == "! 123"
    assert {count.glyph for count in figures.counts(SAVES)} == {"✂", "+", "!"}


def test_what_is_edited_repaired_and_broken_is_counted():
    big = "x" * 5_000
    messages = [user("go"), call("a"), result("a", big), call("b", "c"), result("b", big), user("no"), *turns(8)[2:]]
    edited, repaired, broken = figures.counts(shown(recorded(messages), keep_recent=4))
    assert (edited.number, repaired.number, broken.number) == (2, 1, 0)
    assert figures.counts(LOSES)[2].number == LOSES.breakages.total > 0


def test_thresholds_in_characters_become_tokens_of_this_session():
    it = shown(recorded(turns(100, 4_000)), compact_threshold_chars=100_000)
    (mark,) = figures.thresholds(it)
    chars = sum(it.session.columns.json_chars)
    assert mark == round(100_000 * it.original_tokens / chars)


def test_a_threshold_that_is_off_is_not_drawn_and_one_in_tokens_stands_as_it_is():
    assert figures.thresholds(SAVES) == ()
    assert figures.thresholds(BROKEN) == (1_000, 2_000)


def test_bytes_beyond_ascii_are_counted_as_bytes():
    messages = [user("é" * 1_000)]
    assert figures.json_bytes(recorded(messages)) - figures.json_chars(recorded(messages)) == 1_000


@pytest.mark.parametrize("width", [80, 100, 120, 160, 200])
@pytest.mark.parametrize("it", [SAVES, LOSES, BROKEN, exact(SAVES, 3), uncounted(SAVES)])
def test_every_line_is_as_wide_as_the_screen_and_no_number_is_cut(it, width):
    made = lines(it, width, "one shot", None)
    assert [line.cell_length for line in made] == [width] * lines_needed(it, width)
    text = "\n".join(line.plain for line in made)
    for number in (it.original_tokens, it.sent_tokens, abs(it.saved_tokens), it.window, len(it.session)):
        assert thousands(number) in text
    for word in ("edited", "repaired", "broken", "%", "one shot", "o200k"):
        assert word in text


def test_wide_screens_have_two_lines_and_80_columns_three():
    assert len(lines(SAVES, 160, "one shot", None)) == 2
    assert len(lines(SAVES, 80, "one shot", None)) == 3


@pytest.mark.parametrize("width", [80, 160])
def test_nothing_but_the_numbers_moves_while_a_setting_does(width):
    def places(it):
        text = "\n".join(line.plain for line in lines(it, width, "one shot", None))
        return [text.index(word) for word in (" -> ", " tokens", " %", " edited", " repaired", " broken")]

    views = [exact(SAVES, sent) for sent in (9, 999, 61_904, SAVES.original_tokens)]
    views += [shown(SAVES.session, keep_recent=keep) for keep in (0, 5, 150, 202)]
    assert len({tuple(places(it)) for it in views}) == 1


def test_damage_is_said_on_the_first_line():
    assert figures.damage_words(SAVES.session) == ""
    damage = (Finding("cut-json", "error", "the file ends early"),) * 3
    it = shown(recorded(turns(5), damage=damage))
    assert "! damaged in 3 places" in lines(it, 80, "one shot", None)[0].plain


def test_a_long_hostile_file_name_is_clipped_and_shown_harmless():
    it = shown(recorded(turns(5), file="/x/" + "[b]\x1b]0;owned\x07名" * 30))
    first = lines(it, 80, "one shot", None)[0]
    assert first.cell_length == 80
    assert "\x1b" not in first.plain
    assert "[b]␛]0;" in first.plain
    assert "12 messages" in first.plain


def test_progress_stands_in_place_of_the_label():
    first = lines(uncounted(SAVES), 120, "one shot", ("counting tokens", 0.4))[0].plain
    assert "counting tokens ━━━━──────  40 %" in first
    assert "o200k" not in first


def test_before_a_session_the_header_says_what_is_loaded():
    name, bar = opening(80, ("reading big\x1b.json", 0.25))
    assert name.plain.strip() == "inspector"
    assert bar.plain.strip().startswith("reading big␛.json ━")
    assert bar.plain.strip().endswith("25 %")
    assert opening(80, None)[1].plain.strip() == "no session is open"
    assert [line.cell_length for line in opening(40, ("x" * 200, 2.0))] == [40, 40]


@given(st.integers(0, 200), st.integers(1, 60))
def test_a_bar_of_unknown_share_stays_as_wide_and_moves_by_a_cell(beat, width):
    now, then = ("".join(text for text, _ in busy_bar(at, width)) for at in (beat, beat + 1))
    assert len(now) == len(then) == width
    assert abs(now.index("━") - then.index("━")) == (width > 1)


async def test_the_bar_moves_while_a_file_is_read_and_stands_when_it_is_there():
    async with Bench().run_test() as pilot:
        banner = pilot.app.query_one(Banner)
        banner.progress = ("reading big.json", None)
        await until(pilot, lambda: banner.beat >= 2)
        assert "%" not in on_screen(pilot.app)
        banner.progress = None
        stood = banner.beat
        await pilot.pause(3 * BEAT)
        assert banner.beat == stood


@given(st.integers(4, 60))
def test_a_spread_is_as_wide_as_asked_even_where_there_is_no_room(width):
    from textual.content import Content

    assert spread([Content("left")], [Content("right")], width).cell_length == width


class Bench(App[None]):
    def compose(self) -> ComposeResult:
        yield Banner()


async def test_the_banner_takes_two_lines_or_three_as_it_needs():
    app = Bench()
    async with app.run_test(size=(80, 10)) as pilot:
        banner = app.query_one(Banner)
        assert banner.size.height == 2
        banner.shown = SAVES
        await pilot.pause()
        assert banner.size.height == 3
        await pilot.resize_terminal(160, 10)
        await pilot.pause()
        assert banner.size.height == 2
        assert "one shot" in str(banner.render())
