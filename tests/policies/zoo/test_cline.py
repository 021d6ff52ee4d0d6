"""Cline's and Roo Code's truncations, from their rules, and what Cline itself made of a recorded session."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.formats import load
from inspector.message import Body, text_of
from inspector.policies import SentView, compact
from inspector.policies.zoo.cline import NOTICE, READ_AGAIN, removed
from inspector.policies.zoo.cline_budget import cut, shortened
from inspector.policies.zoo.cline_sdk import Budget, budget_of, tokens_of
from tests.policies.sessions import checked_view, context_of, faults, valid_sessions
from tests.shared import SHARED, needs_shared

RULES: Body = {"role": "system", "content": "be brief"}
PICTURE = {"type": "image_url", "image_url": {"url": "data:,"}}


def said(text: str) -> Body:
    return {"role": "user", "content": text}


def answer(text: str | None, **more: Any) -> Body:
    return {"role": "assistant", "content": text, **more}


def calling(key: str, name: str, arguments: str = "{}") -> Body:
    return answer(
        None, tool_calls=[{"id": key, "type": "function", "function": {"name": name, "arguments": arguments}}]
    )


def result(key: str, text: Any) -> Body:
    return {"role": "tool", "tool_call_id": key, "content": text}


def turns(count: int) -> list[Body]:
    return [body for turn in range(count) for body in (said(f"ask {turn}"), answer(f"answer {turn}"))]


# --- half ---


def half(messages: list[Body], **settings: Any) -> SentView:
    return checked_view(messages, "cline-half", **{"max_allowed_size": 1, **settings})


def test_cline_acts_at_its_limit_and_roo_code_over_it() -> None:
    messages = [said("x" * 40), *turns(4)]
    size = -(-sum(len(text_of(body)) for body in messages) // 4)
    for product, limit, fires in [("cline", size, 1), ("cline", size + 1, 0), ("roo", size, 0), ("roo", size - 1, 1)]:
        assert half(messages, product=product, max_allowed_size=limit, keep="half").plan.fired == bool(fires)


@pytest.mark.parametrize(
    ("product", "window", "limit"),
    [
        ("cline", 64_000, 37_000),
        ("cline", 128_000, 98_000),
        ("cline", 200_000, 160_000),
        ("cline", 100_000, 80_000),
        ("cline", 1_000_000, 960_000),
        ("roo", 200_000, 171_808),
    ],
)
def test_the_limit_follows_from_the_window(product: str, window: int, limit: int) -> None:
    for size, fires in ((limit, product == "cline"), (limit - 1, False), (limit + 1, True)):
        messages = [said("x" * (4 * size - 32)), *(answer("y" * 4) for _ in range(8))]
        view = compact(context_of(messages), "cline-half", product=product, context_window=window)
        assert view.plan.fired == fires


@pytest.mark.parametrize(
    ("count", "keep", "gone"),
    [
        (10, "half", range(2, 6)),
        (9, "half", range(2, 4)),
        (10, "quarter", range(2, 8)),
        (10, "lastTwo", range(2, 8)),
        (10, "none", range(2, 10)),
        (9, "none", range(2, 8)),
        (5, "half", range(2, 2)),
        (1, "none", range(2, 2)),
    ],
)
def test_an_even_number_goes_and_the_assistants_last(count: int, keep: str, gone: range) -> None:
    kinds = bytes((2, 3)[place % 2] for place in range(count))
    assert list(removed(kinds, keep)) == list(gone)


def test_where_the_last_that_goes_is_not_the_assistants_one_more_stays() -> None:
    assert list(removed(bytes([2, 3, 3, 2, 3, 2]), "half")) == [2]


def test_the_first_answer_says_that_history_is_missing() -> None:
    view = half([RULES, *turns(5)], keep="half")
    assert view.messages == [RULES, said("ask 0"), answer(NOTICE), *turns(5)[6:]]
    again = half(list(view.messages), keep="half")
    assert again.messages[2] is view.messages[2]


def test_over_twice_the_limit_three_quarters_go() -> None:
    messages = turns(5)
    size = -(-sum(len(text_of(body)) for body in messages) // 4)
    assert len(half(messages, max_allowed_size=size // 2).messages) == 4
    assert len(half(messages, max_allowed_size=size // 2 + 1).messages) == 6


def test_results_of_a_round_are_one_message_and_pairs_are_not_known() -> None:
    work = [calling("a", "run"), result("a", "x"), calling("b", "run"), result("b", "y")]
    view = half([said("ask"), *work, answer("done"), said("more")], keep="half")
    assert [body.get("tool_call_id") for body in view.messages] == [None, None, "b", None, None]


READ_A = '{"path":"a"}'
OLD = "old" * 99


@pytest.mark.parametrize(
    ("early", "late", "noted"),
    [
        ([calling("r", "read_file", READ_A), result("r", OLD)], "[read_file for 'a'] Result:\nnew", READ_AGAIN),
        (
            [said(f"[read_file for 'a'] Result:\n{OLD}\n<environment_details>e</environment_details>")],
            "[read_file for 'a'] Result:\nnew",
            f"[read_file for 'a'] Result:\n{READ_AGAIN}\n<environment_details>e</environment_details>",
        ),
        (
            [said(f'see <file_content path="a">{OLD}</file_content> there')],
            '<file_content path="a">new</file_content>',
            f'see <file_content path="a">{READ_AGAIN}</file_content> there',
        ),
        (
            [said(f"[write_to_file for 'a'] Result:\n<final_file_content path=\"a\">{OLD}</final_file_content>")],
            "[read_file for 'a'] Result:\nnew",
            f"[write_to_file for 'a'] Result:\n<final_file_content path=\"a\"> {READ_AGAIN} </final_file_content>",
        ),
    ],
)
def test_a_file_that_is_read_again_later_is_taken_back(early: list[Body], late: str, noted: str) -> None:
    messages = [said("ask"), answer("yes"), *early, answer("ok"), said(late), answer("done")]
    view = half(messages)
    changed = 1 + len(early)
    assert text_of(view.messages[changed]) == noted
    assert [row for row, action in enumerate(view.plan.action) if action] == [changed]  # it saves 30 %: nothing goes
    assert half(list(view.messages), keep="lastTwo").messages[-1] == answer("done")


def test_reads_that_save_less_are_taken_back_and_half_goes_as_well() -> None:
    reads = [said(f"[read_file for 'a'] Result:\n{OLD}"), answer("ok")] * 2
    view = half([said("ask" * 999), *turns(1)[1:], *reads, *turns(3)], keep="half")
    assert view.messages[1] == answer(NOTICE)
    assert len(view.messages) == 2 + 10 - 4


def test_the_latest_read_and_a_read_of_another_file_stay() -> None:
    messages = [said("ask"), answer("yes"), said("[read_file for 'a'] Result:\n" + "x" * 99), answer("ok"),
                said("[read_file for 'b'] Result:\n" + "x" * 99), answer("ok")]  # fmt: skip
    assert not half(messages, keep="lastTwo", read_tools="").plan.inserts
    assert READ_AGAIN not in "".join(map(text_of, half(messages, keep="half").messages))


def test_roo_code_hides_an_even_half_behind_a_marker_that_later_does_not_count() -> None:
    view = half([RULES, *turns(4)], product="roo")
    marker = said("[Sliding window truncation: 2 messages hidden to reduce context]")
    assert view.messages == [RULES, said("ask 0"), marker, *turns(4)[3:]]
    again = half([*view.messages, answer("more"), said("more")], product="roo")
    assert again.messages[2:4] == [marker, said("[Sliding window truncation: 2 messages hidden to reduce context]")]
    assert len(again.messages) == 1 + 8 - 2 + 2


# --- basic ---


def basic(messages: list[Body], goal: int, **settings: Any) -> SentView:
    """A fold that aims at so many tokens, which are seven tenths of its trigger."""
    given = {"trigger_tokens": -(-goal * 10 // 7), "max_output_tokens": 10**6}
    return checked_view(messages, "cline-basic", **{**given, **settings})


def notice(activity: str = "Files read:\n\n\nFiles edited:\n\n\nCommands ran:\n", said: str = "") -> str:
    quoted = f"\n\nYour recent responses:\n{said}" if said else ""
    head = "Earlier context was compacted. Summary of your actions after the request above:"
    return f"<SYSTEM_NOTICE>\n{head}\n{activity}{quoted}</SYSTEM_NOTICE>"


def test_a_fold_is_made_from_nine_tenths_on_of_what_the_model_takes() -> None:
    messages = [said("ask"), answer("a" * 300), said("more"), answer("b" * 300), said("more")]
    size = sum(tokens_of(context_of(messages)))
    for trigger, fires in ((size + 1, False), (size, True)):
        assert basic(messages, 0, trigger_tokens=trigger).plan.fired == fires
    for most, fires in ((size * 10 // 9 + 2, False), (size * 10 // 9, True)):
        assert basic(messages, 0, trigger_tokens=0, max_input_tokens=most).plan.fired == fires


def test_with_five_exchanges_the_target_is_half_of_the_input_if_the_answer_takes_less() -> None:
    def budget(count: int, answer: int) -> Budget:
        settings = {"max_input_tokens": 1_000, "max_output_tokens": answer, "trigger_tokens": 0, "manual": False}
        return budget_of(context_of(turns(count)), settings)

    assert [budget(5, 999), budget(4, 999), budget(5, 1_000)] == [(900, 500), (900, 630), (900, 630)]


def test_asked_for_a_fold_goes_down_to_half_of_what_there_is() -> None:
    messages = [RULES, said("ask"), answer("a" * 600), said("more"), answer("b" * 600), said("more")]
    costs = tokens_of(context_of(messages))
    settings = {"max_input_tokens": 10**6, "max_output_tokens": 0, "trigger_tokens": 0, "manual": True}
    assert budget_of(context_of(messages), settings).target == sum(costs[1:]) // 2
    assert list(checked_view(messages, "cline-basic", **settings).source) == [0, 1, 3, 5]


def test_the_newest_of_the_latest_turn_stay_from_an_assistants_message_on() -> None:
    work = [body for turn in range(6) for body in (calling(f"c{turn}", "run"), result(f"c{turn}", "x" * 300))]
    messages = [said("ask"), *work]
    costs = tokens_of(context_of(messages))
    whole = costs[0] + sum(costs[9:])
    for goal, first in ((whole, 9), (whole - 1, 11), (whole + costs[8], 9), (whole + sum(costs[7:9]), 7)):
        assert list(basic(messages, goal).source) == [0, *range(first, 13)]


def test_an_older_turn_keeps_its_last_answer_that_calls_nothing() -> None:
    older = [said("one"), answer("first"), answer("done", thinking="hm"), calling("a", "run"), result("a", "x" * 999)]
    view = basic([*older, said("two")], 200)
    assert [body["content"] for body in view.messages[1:]] == ["done", "two"]
    assert "thinking" not in view.messages[1]
    assert view.edits[2].reason == "sent without its reasoning"


def test_older_answers_are_kept_newest_first_while_they_fit() -> None:
    messages = [body for turn in range(4) for body in (said("ask"), answer(f"{turn}" * 300))] + [said("now")]
    costs = tokens_of(context_of(messages))
    prompts = sum(costs[::2])
    for spare, kept in ((2 * costs[1], [5, 7]), (2 * costs[1] - 1, [7]), (0, [])):
        assert [row for row in basic(messages, prompts + spare).source if row % 2] == kept


def test_work_that_is_dropped_is_told_after_the_prompt() -> None:
    read = calling("r", "read_files", '{"files":[{"path":"a","start_line":1,"end_line":9},{"path":"b"}]}')
    edit = calling("e", "editor", '{"path":"c","old_text":"x"}')
    run = calling("x", "run_commands", '{"commands":["ls","%s"]}' % ("y" * 101))
    diff = '{"query":"edit:c","result":"Edited\\n-12: old\\n+14: new"}'
    work = [read, result("r", "z" * 900), edit, result("e", diff), run, result("x", "")]
    view = basic([said("ask"), *work, said("now")], 150)
    told = f"Files read:\na:1-9\nb\n\nFiles edited:\nc:12-14\n\nCommands ran:\nls\n{'y' * 100}..."
    assert view.messages[0]["content"] == [{"type": "text", "text": "ask"}, {"type": "text", "text": notice(told)}]
    assert view.messages[1:] == [said("now")]
    assert view.edits[0].reason == "what the user said, with a notice of the work that is dropped after it"


def test_the_last_three_answers_are_quoted_where_they_are_dropped() -> None:
    messages = [said("ask"), *(answer(f"{turn}" * 200) for turn in range(5)), said("now")]
    view = basic(messages, 200)
    quoted = "\n---\n".join(f"{turn}" * 200 for turn in (2, 3))
    assert view.messages[0]["content"][1]["text"] == notice(said=quoted)
    assert view.messages[1] == messages[5]


def test_only_the_latest_prompt_keeps_its_images() -> None:
    prompt: Body = {"role": "user", "content": [{"type": "text", "text": "look"}, PICTURE]}
    view = basic([prompt, answer("a" * 900), prompt], 150)
    assert PICTURE not in view.messages[0]["content"]
    assert view.messages[-1] is prompt


def test_what_an_earlier_fold_left_is_left_alone() -> None:
    folded = [said("one\n" + notice(said="z")), answer("kept"), answer("kept too"), said("two\n" + notice(said="z"))]
    view = basic([*folded, calling("b", "run"), result("b", "y" * 1_999), answer("then"), said("three")], 300)
    assert view.messages[:3] == folded[:3]
    assert view.plan.reasons[view.plan.reason[1]] == "left by an earlier compaction: not touched again"


def test_a_call_that_waits_for_its_result_and_the_prompts_at_either_end_are_never_dropped() -> None:
    messages = [said("first" * 400), said("second" * 400), said("last" * 400), calling("w", "run")]
    view = basic(messages, 70)
    assert text_of(view.messages[0]).startswith("first")
    assert messages[2] in view.messages
    assert len(view.messages) < 4


def test_a_text_is_cut_with_its_marker_among_the_characters() -> None:
    assert shortened("x" * 200, 60) == "x" * 35 + "\n...[truncated 165 chars]"
    assert [shortened("x" * 200, most) for most in (200, 16, 0)] == ["x" * 200, "x" * 16, "x"]


def test_the_texts_of_a_message_share_its_characters() -> None:
    parts = [{"type": "text", "text": "a" * 20}, PICTURE, "b" * 20]
    assert cut({"content": parts}, 20)["content"] == [parts[0], PICTURE, ""]
    assert cut({"content": parts}, 40) == {"content": parts}


def test_a_lone_message_and_a_session_without_prompts_stay() -> None:
    assert not basic([RULES, said("x" * 999)], 1).plan.fired
    assert not basic([answer("x" * 999), answer("x" * 999)], 1).plan.fired


@given(valid_sessions(), st.integers(0, 400), st.booleans())
def test_prompts_survive_and_nothing_is_parted(messages: list[Body], trigger: int, manual: bool) -> None:
    view = checked_view(messages, "cline-basic", trigger_tokens=trigger, max_input_tokens=trigger, manual=manual)
    if not faults(messages):
        assert not faults(view.messages)
    prompts = [row for row, body in enumerate(messages) if body["role"] == "user"]
    sent = dict(zip(view.source, view.messages, strict=True))
    assert set(prompts[:1] + prompts[-1:]) <= set(sent)
    assert all(text_of(sent[row]).startswith(messages[row]["content"]) for row in prompts[-1:])


# --- what Cline did ---


@needs_shared
def test_cline_folded_its_session_as_ours_does() -> None:
    """The reader shows an attached file as text of the prompt, so ours cannot know and drop it as Cline did."""
    session, folded = (load(SHARED / "sessions" / f"cline-sdk-{name}.json")
                       for name in ("session.messages", "basic.compaction"))  # fmt: skip
    view = compact(session, "cline-basic", manual=True)
    ours, theirs = list(map(text_of, view.messages)), list(map(text_of, folded.messages))
    assert [body["role"] for body in view.messages] == [body["role"] for body in folded.messages]
    assert ours[:1] + ours[2:] == theirs[:1] + theirs[2:]
    prompt, told = theirs[1].split("\n<SYSTEM_NOTICE>")
    assert ours[1].startswith(f"{prompt}\n")
    assert ours[1].endswith(f"\n<SYSTEM_NOTICE>{told}")
