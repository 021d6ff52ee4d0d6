"""Gemini CLI's masking, by the rules of POLICIES.md, section 3a."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.change import Action
from inspector.message import Body
from inspector.policies import SentView, compact
from inspector.policies.zoo.gemini import few_lines, mask, preview_of, script_json, tokens
from inspector.replay.view import compact as compact_at
from tests.policies.sessions import context_of, valid_sessions
from tests.policies.zoo.made import calls, result, says, use, user

FRAME = len('{"output":""}') + len("run")
PICTURE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
SMALL: dict[str, Any] = {"tool_protection_threshold": 0, "min_prunable_tokens_threshold": 0}


def output(count: int) -> str:
    """An output that is so many tokens with its frame."""
    return "x" * (4 * count - FRAME)


def masked(messages: list[Body], **settings: Any) -> list[int]:
    return [edit.index for edit in view_of(messages, **settings).edits]


def view_of(messages: list[Body], **settings: Any) -> SentView:
    return compact(context_of(messages), "gemini-mask", **settings)


def outputs(*counts: int) -> list[Body]:
    """Outputs at rows 2, 4, 6 ..., then an answer."""
    made = [body for at, count in enumerate(counts) for body in use(f"c{at}", output(count))]
    return [user(), *made, says()]


# --- what is masked ---


def test_by_default_50000_tokens_are_protected_and_at_least_30000_must_be_masked() -> None:
    assert masked(outputs(30_000, 50_000)) == [2]
    assert masked(outputs(29_999, 50_000)) == []


def test_the_output_that_exceeds_the_protected_amount_is_masked_and_the_one_that_meets_it_is_not() -> None:
    some = {"min_prunable_tokens_threshold": 0}
    assert masked(outputs(500, 500, 500), tool_protection_threshold=1_000, **some) == [2]
    assert masked(outputs(500, 501, 500), tool_protection_threshold=1_000, **some) == [2, 4]


def test_the_last_message_alone_is_the_latest_turn() -> None:
    messages = [user(), *use("a", output(500)), calls("b", "c"), result("b", output(500)), result("c", output(500))]
    assert masked(messages, **SMALL) == [2]
    assert masked(messages, **SMALL, protect_latest_turn=False) == [2, 4, 5]
    assert masked([*messages, user("more")], **SMALL) == [2, 4, 5]


def test_what_is_in_the_latest_message_does_not_count_as_protected() -> None:
    messages = outputs(500, 500)[:-1]
    assert masked(messages, tool_protection_threshold=499, min_prunable_tokens_threshold=0) == [2]
    assert masked(messages, tool_protection_threshold=500, min_prunable_tokens_threshold=0) == []


@pytest.mark.parametrize("name", ["activate_skill", "ask_user", "enter_plan_mode", "exit_plan_mode"])
def test_exempt_tools_neither_go_nor_count(name: str) -> None:
    messages = [user(), *use("a", output(500)), *use("s", output(900), name), *use("b", output(500)), says()]
    assert masked(messages, tool_protection_threshold=500, min_prunable_tokens_threshold=0) == [2]


def test_what_was_masked_before_neither_goes_nor_counts() -> None:
    before = mask("x" * 3_000, "a")
    messages = [user(), *use("a", output(500)), *use("m", before), *use("b", output(500)), says()]
    view = view_of(messages, tool_protection_threshold=500, min_prunable_tokens_threshold=0)
    assert [edit.index for edit in view.edits] == [2]
    assert view.plan.reasons[view.plan.reason[4]] == "masked before"


def test_an_output_that_a_mask_would_not_make_smaller_stays() -> None:
    view = view_of(outputs(20, 500), **SMALL)
    assert [edit.index for edit in view.edits] == [4]
    assert view.plan.reasons[view.plan.reason[2]] == "a mask would take no fewer tokens"
    assert masked(outputs(20), **SMALL, tool_outputs_dir="") == []


def test_images_and_arguments_stay() -> None:
    call = calls("a", arguments='{"path": "a"}')
    view = view_of([user(), call, result("a", [{"type": "text", "text": output(500)}, PICTURE]), says()], **SMALL)
    text, picture = view.messages[2]["content"]
    assert text["text"].startswith("<tool_output_masked>\n")
    assert picture is PICTURE
    assert view.messages[1] is call
    assert view.plan.action[2] == Action.PLACEHOLDER


def test_below_the_thresholds_the_messages_are_the_callers_own() -> None:
    messages = outputs(500, 500)
    view = view_of(messages)
    assert all(sent is recorded for sent, recorded in zip(view.messages, messages, strict=True))
    assert not view.plan.fired


# --- the mask ---


def test_a_mask_byte_for_byte() -> None:
    view = view_of([user(), *use("Call:1", "a" * 900 + "z" * 900, "read_file"), says()], **SMALL)
    assert view.messages[2]["content"] == (
        '<tool_output_masked>\n{\n  "output": "' + "a" * 235 + "\n... [TRUNCATED] ...\n" + "z" * 247 + '"\n}'
        "\n\nOutput too large. Full output available at: ~/.gemini/tmp/tool-outputs/read_file_call_1.txt\n"
        "</tool_output_masked>"
    )


def test_a_failed_output_is_an_error_and_its_mask_an_output() -> None:
    view = view_of([user(), *use("a", "b" * 900, "read_file", is_error=True), says()], **SMALL)
    assert view.messages[2]["content"].startswith('<tool_output_masked>\n{\n  "error": "bbb')
    assert "is_error" not in view.messages[2]


@pytest.mark.parametrize(("size", "cut"), [(482, False), (483, True)])
def test_a_response_of_up_to_500_units_is_shown_whole(size: int, cut: bool) -> None:
    whole = json.dumps({"output": "a" * size}, indent=2)
    assert (len(whole) > 500) == cut
    assert ("[TRUNCATED]" in preview_of({"output": "a" * size}, False)) == cut


def test_units_are_those_of_javascript() -> None:
    preview = preview_of({"output": "🙂" * 300}, False)
    assert preview == '{\n  "output": "' + "🙂" * 117 + "\n... [TRUNCATED] ...\n" + "🙂" * 123 + '"\n}'
    assert script_json({"output": '\ud800"\n字\x7f\x01'}) == '{"output":"\\ud800\\"\\n字\x7f\\u0001"}'


@pytest.mark.parametrize("lines", [20, 21, 25])
def test_of_more_than_20_lines_the_first_and_the_last_ten_are_shown(lines: int) -> None:
    every = [f"line {at}" for at in range(lines)]
    text = "\n".join(every)
    cut = "\n".join([*every[:10], "", f"... [{lines - 20} lines omitted] ...", "", *every[-10:]])
    assert few_lines(text) == (text if lines == 20 else cut)


def test_a_shell_s_output_is_shown_by_sections() -> None:
    long = "\n".join(f"line {at}" for at in range(30))
    text = f"Command: make\nOutput: {long}\nError: {long}\nExit Code: 2\n"
    assert (
        preview_of({"output": text}, True) == f"Command: make\nOutput: {few_lines(long)}\nError: {long}\nExit Code: 2"
    )
    assert preview_of({"output": long}, True) == few_lines(long)


@pytest.mark.parametrize(
    ("name", "text", "others", "count"),
    [
        ("run", "", [], 4),
        ("run", "x" * 4, [], 5),
        ("", "x" * 10, [], 5),
        ("", '"', [], 3),
        ("", "🙂" * 2, [], 4),
        ("run", "", [PICTURE], 3_004),
    ],
)
def test_a_token_is_four_units_of_name_and_json_and_an_image_is_3000(
    name: str, text: str, others: list[Any], count: int
) -> None:
    assert tokens(name, {"output": text}, others) == count


@given(st.text(st.sampled_from('ab"\\\n\x7f\x01é字🙂\ud800\u2028'), max_size=700))
def test_previews_and_sizes_are_those_of_the_whole_json(text: str) -> None:
    whole = json.dumps({"output": text}, indent=2, ensure_ascii=False)
    raw = "".join(f"\\u{ord(one):04x}" if "\ud800" <= one <= "\udfff" else one for one in whole)
    units = raw.encode("utf-16-le")
    cut = (units[:500].decode("utf-16-le", "ignore"), units[-500:].decode("utf-16-le", "ignore"))
    assert preview_of({"output": text}, False) == (raw if len(units) <= 1_000 else "\n... [TRUNCATED] ...\n".join(cut))
    assert tokens("", {"output": text}, []) == (len(units) // 2 - len("\n  \n ")) // 4


@given(valid_sessions(), st.integers(0, 60), st.integers(0, 60))
def test_a_second_run_changes_nothing_and_only_results_ever_change(
    messages: list[Body], protect: int, minimum: int
) -> None:
    given = {"tool_protection_threshold": protect, "min_prunable_tokens_threshold": minimum, "tool_outputs_dir": ""}
    view = view_of(messages, **given)
    assert {messages[edit.index]["role"] for edit in view.edits} <= {"tool"}
    assert view_of(view.messages, **given).messages == view.messages


def test_in_a_run_what_is_masked_stays_masked() -> None:
    messages = [user(), *(body for at in range(6) for body in use(f"c{at}", output(500))), says()]
    given = {"tool_protection_threshold": 1_000, "min_prunable_tokens_threshold": 1_000}
    views = [compact_at(context_of(messages), "gemini-mask", at=at, **given).messages for at in range(7)]
    counts = [sum("<tool_output_masked>" in str(body["content"]) for body in view) for view in views]
    assert counts == [0, 0, 0, 0, 0, 2, 2]
