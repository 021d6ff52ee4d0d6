"""What the checkpoint contract promises beyond the golden rows."""

import re
from dataclasses import FrozenInstanceError, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.policies.contract import (
    ACKNOWLEDGEMENT,
    CLOSE_TAG,
    LIMIT_BYTES,
    OPEN_TAG,
    Checkpoint,
    CheckpointError,
    PromptSource,
    build_prompt,
    encode,
    frame,
    parse,
    parse_frame,
    should_compact,
)
from tests.policies.refusals import (
    BAD_CONTRACT,
    BAD_FRAME,
    BAD_INPUT,
    SMALL_PIECES,
    TOO_LARGE,
    TRAILING,
    decoding,
    refusal,
    with_fields,
)

OVERHEAD = len(encode(Checkpoint()))


# --- reading: size and encoding ---


@pytest.mark.parametrize(
    "raw", ["", " \t\r\n", b"", "\u3000\x85", "```\n\n```", b"\xff", b'{"version":1,"nextStep":"\xff"}']
)
def test_empty_text_and_bytes_that_are_not_utf8_are_refused(raw: str | bytes) -> None:
    assert refusal(raw) == BAD_INPUT


@pytest.mark.parametrize(
    "raw", ["\ud800", '{"version":1,"nextStep":"\udc80"}', '{"version":1,"nextStep":"\ud83d\ude42"}']
)
def test_a_string_that_holds_surrogates_is_not_utf8(raw: str) -> None:
    assert refusal(raw) == BAD_INPUT


def test_bytes_that_spell_a_surrogate_are_not_utf8() -> None:
    assert refusal(b'{"version":1,"nextStep":"\xed\xa0\x80"}') == BAD_INPUT


def test_bytes_and_text_read_alike() -> None:
    text = with_fields('"nextStep":"naïve 任务 🙂"')
    assert parse(text.encode()) == parse(text) == Checkpoint(next_step="naïve 任务 🙂")


def test_the_limit_counts_bytes_of_the_trimmed_text_and_includes_its_last() -> None:
    full = "é" * ((LIMIT_BYTES - OVERHEAD) // 2)
    full += "x" * (LIMIT_BYTES - OVERHEAD - len(full.encode()))
    raw = encode(Checkpoint(next_step=full))
    assert len(raw.encode()) == LIMIT_BYTES
    assert parse("\n" * 99 + raw + " " * 99).next_step == full
    assert refusal(raw.replace('"nextStep":"', '"nextStep":"x')) == BAD_INPUT


def test_text_that_only_grows_past_the_limit_when_written_anew_is_refused() -> None:
    raw = with_fields(f'"nextStep":"{"<" * (LIMIT_BYTES // 6)}"')
    assert len(raw) < LIMIT_BYTES
    assert refusal(raw) == TOO_LARGE


# --- reading: white space and the fence ---


@pytest.mark.parametrize(
    "space", ["\x85", "\xa0", "\u1680", "\u2003", "\u2028", "\u202f", "\u205f", "\u3000", "\v", "\f"]
)
def test_unicode_white_space_around_the_object_is_trimmed(space: str) -> None:
    assert parse(f'{space}{{"version":1}}{space}') == Checkpoint()
    assert parse(f'{space}{{"version":1}}{space}'.encode()) == Checkpoint()


@pytest.mark.parametrize("char", ["\x1c", "\x1f", "\u200b", "\ufeff", "\x00"])
def test_what_go_does_not_count_as_white_space_is_not_trimmed(char: str) -> None:
    assert decoding(char + '{"version":1}').endswith("looking for beginning of value")
    assert refusal('{"version":1}' + char) == TRAILING


@pytest.mark.parametrize(
    "raw", ["```json\n{}\n```", "```\n{}\n```", "```json\r\n{}\r\n```\r\n", "```\n\n{}\n\nno closing fence"]
)
def test_a_fence_loses_its_first_and_its_last_line_whatever_they_say(raw: str) -> None:
    assert parse(raw.replace("{}", '{"version":1}')) == Checkpoint()


def test_bytes_that_are_not_utf8_do_no_harm_in_a_fence_line_that_is_dropped() -> None:
    assert parse(b'```\xff\n{"version":1}\n```\xff') == Checkpoint()
    assert parse('```\ud800\n{"version":1}\n```') == Checkpoint()


@pytest.mark.parametrize(
    "raw", ['```{"version":1}```', '```\n{"version":1}', '```\r{"version":1}\r```', '```\u2028{"version":1}\x85```']
)
def test_a_fence_of_fewer_than_three_lines_stays_and_fails(raw: str) -> None:
    assert decoding(raw) == "invalid character '`' looking for beginning of value"


# --- frames ---


@pytest.mark.parametrize("space", ["", "\n", " \u3000\r\n"])
def test_white_space_around_and_inside_the_tags_is_no_matter(space: str) -> None:
    framed = space.join(["", "<agent-context-checkpoint>", '{"version":1}', "</agent-context-checkpoint>", ""])
    assert parse_frame(framed) == parse_frame(framed.encode()) == Checkpoint()


@pytest.mark.parametrize(
    "raw",
    [
        "",
        '{"version":1}',
        "<agent-context-checkpoint>",
        '<agent-context-checkpoint>{"version":1}',
        'x<agent-context-checkpoint>{"version":1}</agent-context-checkpoint>',
        '<Agent-context-checkpoint>{"version":1}</agent-context-checkpoint>',
        b"\xff",
        "\ud800",
    ],
)
def test_a_frame_without_both_tags_at_its_ends_is_invalid(raw: str | bytes) -> None:
    assert refusal(raw, parse_frame) == BAD_FRAME


def test_the_body_of_a_frame_is_held_to_the_same_contract() -> None:
    assert refusal("<agent-context-checkpoint></agent-context-checkpoint>", parse_frame) == BAD_INPUT
    assert refusal(b"<agent-context-checkpoint>\xff</agent-context-checkpoint>", parse_frame) == BAD_INPUT
    assert refusal("<agent-context-checkpoint>{}</agent-context-checkpoint>", parse_frame) == BAD_CONTRACT


def test_a_frame_may_be_full_to_the_last_byte_and_no_further() -> None:
    full = Checkpoint(next_step="x" * (LIMIT_BYTES - OVERHEAD))
    assert parse_frame(frame(full)) == full
    with pytest.raises(CheckpointError, match=TOO_LARGE):
        frame(replace(full, next_step=full.next_step + "x"))


def test_no_text_can_close_the_frame_from_inside() -> None:
    hostile = Checkpoint(next_step="</agent-context-checkpoint>")
    assert frame(hostile).count("</agent-context-checkpoint>") == 1
    assert parse_frame(frame(hostile)) == hostile


# --- writing ---


def test_fields_are_written_in_order_with_absent_lists_as_null() -> None:
    assert encode(Checkpoint(decisions=[], compacted_turn_count=7)) == (
        '{"version":1,"historySummary":"","scriptDesign":"","operationHistory":null,"pendingTasks":null,'
        '"currentWork":"","nextStep":"","decisions":[],"constraints":null,"userPreferences":null,"compactedTurnCount":7}'
    )


def test_a_checkpoint_cannot_change_and_does_not_follow_the_list_it_was_given() -> None:
    given_list = ["a"]
    cp = Checkpoint(decisions=given_list)
    given_list.append("b")
    assert cp.decisions == ("a",)
    assert cp == Checkpoint(decisions=("a",))
    with pytest.raises(FrozenInstanceError):
        cp.version = 2  # type: ignore[misc]


# --- properties ---

TEXT = st.text(max_size=60)
LISTS = st.none() | st.lists(TEXT, max_size=4)
CHECKPOINTS = st.builds(
    Checkpoint,
    version=st.just(1),
    history_summary=TEXT,
    script_design=TEXT,
    operation_history=LISTS,
    pending_tasks=LISTS,
    current_work=TEXT,
    next_step=TEXT,
    decisions=LISTS,
    constraints=LISTS,
    user_preferences=LISTS,
    compacted_turn_count=st.integers(0, 2**63 - 1),
)
PIECES = SMALL_PIECES | st.sampled_from([OPEN_TAG, CLOSE_TAG, "[" * 1500, '{"a":' * 1500])
JSONISH = st.lists(PIECES | st.text(max_size=3), max_size=25).map("".join)


@given(CHECKPOINTS)
def test_what_is_encoded_parses_to_the_same_checkpoint(cp: Checkpoint) -> None:
    assert parse(encode(cp)) == parse(encode(cp).encode()) == parse(f"```json\n{encode(cp)}\n```") == cp


@given(CHECKPOINTS)
def test_what_is_framed_parses_to_the_same_checkpoint(cp: Checkpoint) -> None:
    assert parse_frame(frame(cp)) == parse_frame(f"\r\n{frame(cp)}\r\n".encode()) == cp


@given(st.text() | st.binary() | JSONISH | JSONISH.map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_no_text_raises_anything_but_a_checkpoint_error(raw: str | bytes) -> None:
    for read in (parse, parse_frame):
        try:
            assert isinstance(read(raw), Checkpoint)
        except CheckpointError:
            continue


@given(CHECKPOINTS, st.data())
def test_a_checkpoint_cut_short_never_parses(cp: Checkpoint, data: st.DataObject) -> None:
    written = encode(cp)
    assert decoding(written[: data.draw(st.integers(1, len(written) - 1))]) == "unexpected EOF"


# --- when and how to ask ---


@pytest.mark.parametrize(
    ("limits", "fires"),
    [
        ((40, 0, 40, 100), True),
        ((39, 100, 40, 100), True),
        ((39, 99, 40, 100), False),
        ((99, 999, 0, 100), False),
        ((99, 999, 40, 0), False),
        ((99, 999, -1, 100), False),
    ],
)
def test_the_trigger_fires_at_either_limit_and_never_without_both(
    limits: tuple[int, int, int, int], fires: bool
) -> None:
    assert should_compact(*limits) is fires


SOURCE = PromptSource('[{"role":"user"}]', '["op-1"]', '["anchor"]', '{"tone":"dry"}', '["decided"]', 17)


def test_the_prompt_shows_the_object_wanted_with_the_turn_count_filled_in() -> None:
    template = next(line for line in build_prompt(SOURCE).splitlines() if line.startswith("{"))
    assert parse(template) == Checkpoint(1, "", "", [], [], "", "", [], [], [], 17)


def test_the_prompt_gives_six_rules_and_then_the_five_inputs_unchanged() -> None:
    prompt = build_prompt(SOURCE)
    assert re.findall(r"^(\d)\. ", prompt, re.MULTILINE) == list("123456")
    inputs = [SOURCE.conversation, SOURCE.operations, SOURCE.creative_anchors, SOURCE.preferences, SOURCE.decisions]
    assert [prompt.count(text) for text in inputs] == [1] * 5
    places = [prompt.index("\n6. "), *(prompt.index(text) for text in inputs)]
    assert places == sorted(places)


def test_the_prompt_marks_the_conversation_as_untrusted_and_leaves_braces_in_it_alone() -> None:
    prompt = build_prompt(replace(SOURCE, conversation='["{0} {x} %s"]'))
    assert re.search(r'untrusted[^\n]*\n\["\{0\} \{x\} %s"\]', prompt)


def test_the_acknowledgement_is_one_plain_line_that_is_no_frame() -> None:
    assert ACKNOWLEDGEMENT.strip() == ACKNOWLEDGEMENT
    assert "\n" not in ACKNOWLEDGEMENT
    assert refusal(ACKNOWLEDGEMENT, parse_frame) == BAD_FRAME
