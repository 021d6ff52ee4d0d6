from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.tui.difference import COMPARED, CONTEXT, SHOWN, difference
from inspector.tui.message_lines import Kind

words = st.lists(st.sampled_from(["a", "b", "c", "", "d e"]), max_size=30).map("\n".join)


def plain(lines):
    return [line.plain for line in lines]


def test_equal_texts_say_that_nothing_is_changed():
    assert plain(difference("a\nb", "a\nb")) == ["no text is changed"]


def test_a_changed_line_shows_old_then_new_between_what_is_alike():
    assert plain(difference("a\nb\nc", "a\nB\nc")) == ["  a", "- b", "+ B", "  c"]


def test_lines_are_compared_whole_unless_it_is_a_cut():
    assert plain(difference("abcd\n", "abXd\n")) == ["- abcd", "+ abXd"]
    assert plain(difference("abcd", "ab[..]d", cut=True)) == ["  ab", "- c", "+ [..]", "  d"]


def test_a_blank_line_that_went_is_seen():
    assert plain(difference("a\n\nb", "a\nb")) == ["  a", "- ", "  b"]


def test_two_changes_in_one_text_are_two_changes():
    before = "\n".join(f"line {n}" for n in range(40))
    after = before.replace("line 3\n", "LINE 3\n").replace("line 30\n", "")
    found = plain(difference(before, after))
    assert [line for line in found if line[0] in "+-"] == ["- line 3", "+ LINE 3", "- line 30"]
    assert sum(line.endswith("lines alike") for line in found) == 2


def test_only_the_context_of_a_change_is_shown():
    before = "\n".join(map(str, range(100)))
    found = difference(before, before.replace("50", "fifty"))
    assert sum(line.kind is Kind.SAME for line in found) == 2 * CONTEXT


@settings(deadline=None)
@given(words, words)
def test_new_lines_and_gone_lines_add_up(before, after):
    found = difference(before, after)
    if before == after:
        return
    count = {kind: sum(line.kind is kind for line in found) for kind in Kind}
    alike = count[Kind.SAME] + sum(
        int(line.text.split()[1]) for line in found if line.kind is Kind.NOTE and "alike" in line.text
    )
    assert alike + count[Kind.REMOVED] == len(before.removesuffix("\n").split("\n")) * bool(before)
    assert alike + count[Kind.ADDED] == len(after.removesuffix("\n").split("\n")) * bool(after)


def test_a_huge_stretch_is_cut_in_its_middle():
    before = "\n".join(map(str, range(300_000)))
    found = difference(before, "0\n[cut]\n299999", cut=True)
    assert len(found) < SHOWN + 10
    assert any("more lines gone" in line.text for line in found)


def test_middles_too_long_to_compare_are_shown_as_gone_and_new():
    before = "\n".join(f"a{n}" for n in range(COMPARED + 1))
    after = "\n".join(f"b{n}" for n in range(COMPARED + 1))
    kinds = [line.kind for line in difference(before, after)]
    assert kinds == [Kind.REMOVED] * (COMPARED + 1) + [Kind.ADDED] * (COMPARED + 1)


def test_a_line_of_a_megabyte_is_shown_in_short():
    found = difference("x" * 1_000_000, "y")
    assert all(len(line.text) < 30_000 for line in found)
    assert "980,000 more characters" in found[0].text
