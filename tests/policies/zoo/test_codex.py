"""Codex's two local measures, from their rules: borders, markers to the byte, what is protected."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from inspector.change import Action
from inspector.formats import load
from inspector.formats.codex import KEPT_TOKENS
from inspector.message import Body, text_of
from inspector.policies import SentView, recorded
from inspector.policies.zoo.codex import NO_SUMMARY, PREFIX, is_cut, message_tokens, middle_cut
from inspector.policies.zoo.units import utf8_bytes
from tests.policies.sessions import checked_view, context_of
from tests.shared import SHARED, needs_shared

ASK: Body = {"role": "user", "content": "go on"}
RULES: Body = {"role": "system", "content": "be brief"}
NOTE: Body = {"role": "user", "content": "<environment_context>\nhere\n</environment_context>"}
CALL: Body = {
    "role": "assistant",
    "content": "",
    "tool_calls": [{"id": "c", "type": "function", "function": {"name": "shell", "arguments": "{}"}}],
}
ALWAYS = {"model_context_window": 0, "summarise": lambda head: "SUMMARY"}
SUMMARY: Body = {"role": "user", "content": f"{PREFIX}\nSUMMARY"}


def output(content: Any) -> Body:
    return {"role": "tool", "tool_call_id": "c", "content": content}


def said(text: str) -> Body:
    return {"role": "user", "content": text}


def capped(content: Any, **settings: Any) -> Any:
    view = checked_view([ASK, CALL, output(content)], "codex-cap", **settings)
    return view.messages[2]["content"]


def compacted(messages: list[Body], **settings: Any) -> SentView:
    return checked_view(messages, "codex-compact", **{**ALWAYS, **settings})


# --- cap ---


def test_an_output_of_exactly_the_limit_and_its_allowance_stays() -> None:
    assert capped("x" * 48, limit=10) == "x" * 48  # 10 tokens * 1.2 * 4 bytes
    assert capped("x" * 12, limit=10, limit_unit="bytes") == "x" * 12


def test_one_byte_more_loses_its_middle_and_the_marker_is_not_charged() -> None:
    text = "a" * 24 + "-" + "z" * 24
    assert capped(text, limit=10) == "a" * 24 + "…1 tokens truncated…" + "z" * 24
    assert capped("a" * 6 + "-" + "z" * 6, limit=10, limit_unit="bytes") == "a" * 6 + "…1 chars truncated…" + "z" * 6


def test_of_an_odd_budget_the_end_has_the_odd_byte() -> None:
    assert middle_cut("abcdefgh", 5, tokens=False) == "ab…3 chars truncated…fgh"


def test_tokens_are_bytes_through_four_rounded_up_and_characters_are_counted_as_such() -> None:
    assert middle_cut("a" * 13, 4, tokens=True) == "aa…3 tokens truncated…aa"
    assert middle_cut("é" * 8, 6, tokens=False) == "é…6 chars truncated…é"  # three bytes of either end hold one é
    assert middle_cut("🙂" * 4, 0, tokens=True) == "…4 tokens truncated…"


def test_the_allowance_is_rounded_up() -> None:
    assert capped("x" * 4, limit=3, limit_unit="bytes") == "x" * 4  # 3.6
    assert capped("x" * 5, limit=3, limit_unit="bytes") == "xx…1 chars truncated…xx"


def test_items_share_the_limit_from_left_to_right() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:,"}}
    text = [{"type": "text", "text": letter * 20} for letter in "abcd"]
    content = [text[0], image, {"type": "text", "text": ""}, text[1], text[2], image, text[3]]
    assert capped(content, limit=20, limit_unit="bytes") == [
        text[0],
        image,
        {"type": "text", "text": "bb…16 chars truncated…bb"},
        image,
        {"type": "text", "text": "[omitted 2 text items ...]"},
    ]


def test_empty_items_alone_are_left_out_too() -> None:
    content = [{"type": "text", "text": "x"}, {"type": "text", "text": ""}]
    view = checked_view([ASK, CALL, output(content)], "codex-cap")
    assert view.messages[2]["content"] == content[:1]
    assert view.edits[0].reason == "an output with empty text items: they are left out"


def test_only_outputs_are_cut() -> None:
    long = "x" * 100
    messages = [said(long), {"role": "assistant", "content": long}, output(long)]
    assert list(checked_view(messages, "codex-cap", limit=1).plan.action) == [0, 0, Action.MIDDLE]


@given(st.text(max_size=60), st.integers(0, 40), st.booleans())
def test_what_is_left_without_the_marker_fits_and_is_known_again(text: str, budget: int, tokens: bool) -> None:
    cut = middle_cut(text, budget, tokens)
    assert cut == text if utf8_bytes(text) <= budget else is_cut(cut, budget)


@given(st.lists(st.sampled_from(["", "abc", "é" * 9, "x" * 40]), max_size=5), st.integers(0, 30), st.booleans())
def test_what_was_cut_once_is_not_cut_again(texts: list[str], limit: int, tokens: bool) -> None:
    settings = {"limit": limit, "limit_unit": "tokens" if tokens else "bytes"}
    content = [{"type": "text", "text": text} for text in texts]
    once = capped(content, **settings)
    assert capped(once, **settings) == once
    joined = capped("".join(texts), **settings)
    assert capped(joined, **settings) == joined


# --- compact ---


def test_below_the_trigger_everything_is_sent_and_at_it_a_summary_is_made() -> None:
    messages = [said("x" * 40), CALL, output("y" * 20)]
    size = sum(message_tokens(context_of(messages)))
    below, at = ({"model_auto_compact_token_limit": limit, "model_context_window": 999} for limit in (size + 1, size))
    assert checked_view(messages, "codex-compact", **below).messages == messages
    assert compacted(messages, **at).messages == [messages[0], SUMMARY]


def test_a_limit_can_only_lower_nine_tenths_of_the_window() -> None:
    messages = [said("x" * 396), {"role": "assistant", "content": ""}]  # 99 tokens
    assert not compacted(messages, model_context_window=112, model_auto_compact_token_limit=9_999).plan.fired
    assert compacted(messages, model_context_window=110, model_auto_compact_token_limit=9_999).plan.fired


def test_what_the_user_said_stays_and_all_else_becomes_a_summary_at_the_end() -> None:
    messages = [RULES, NOTE, said("one"), CALL, output("o"), said("two"), {"role": "assistant", "content": "done"}]
    view = compacted(messages)
    assert view.messages == [RULES, NOTE, said("one"), said("two"), SUMMARY]
    assert view.plan.inserts[0].merges == (3, 7)


def test_the_newest_fit_the_budget_and_the_first_that_does_not_is_cut_and_ends_the_walk() -> None:
    messages = [said("a"), said("b" * 40), said("c" * 8), {"role": "assistant", "content": ""}]
    cut = said("bb…9 tokens truncated…bb")
    assert compacted(messages, user_message_max_tokens=3).messages == [cut, messages[2], SUMMARY]
    assert compacted(messages, user_message_max_tokens=12).messages == [*messages[1:3], SUMMARY]
    assert compacted(messages, user_message_max_tokens=0).messages == [SUMMARY]


def test_an_earlier_summary_is_no_word_of_the_user() -> None:
    messages = [said("one"), SUMMARY, {"role": "assistant", "content": "on"}, said("two"), CALL, output("o")]
    assert compacted(messages).messages == [said("one"), said("two"), SUMMARY]


def test_in_the_middle_of_a_turn_the_initial_context_moves_before_the_last_word() -> None:
    messages = [RULES, NOTE, said("one"), CALL, output("o"), said("two"), CALL, output("p")]
    view = compacted(messages)
    assert view.messages == [RULES, said("one"), NOTE, said("two"), SUMMARY]
    assert view.plan.action[1] == Action.MOVE


def test_what_has_just_been_said_follows_the_summary() -> None:
    messages = [RULES, said("one"), CALL, output("o"), said("two")]
    assert compacted(messages, user_message_max_tokens=0).messages == [RULES, SUMMARY, said("two")]


def test_an_empty_summary_is_named() -> None:
    view = compacted([said("one"), CALL, output("o")], summarise=lambda head: "")
    assert view.messages[-1] == said(NO_SUMMARY)
    again = compacted([*view.messages, CALL, output("o")])
    assert again.messages == [said("one"), SUMMARY]


def test_images_leave_what_the_user_said() -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:,"}}
    messages: list[Body] = [
        {"role": "user", "content": [{"type": "text", "text": "look"}, picture]},
        {"role": "user", "content": [picture]},
        CALL,
        output("o"),
    ]
    assert compacted(messages).messages == [said("look"), SUMMARY]
    assert message_tokens(context_of(messages[1:2])) == [-(-7_373 // 4)]


def test_words_alone_give_nothing_to_summarise() -> None:
    assert not compacted([RULES, NOTE, said("one")]).plan.fired


@needs_shared
def test_the_recorded_compaction_kept_what_ours_keeps() -> None:
    """The one file with a `replacement_history` cannot be compared: its texts are scrubbed to one line, and none of its
    six histories ends with a summary (four end with the opaque item of a remote compaction). In this other one the
    reader says what was kept, by the rule of compact.rs."""
    session = load(SHARED / "sessions" / "codex-compaction.jsonl")
    done = recorded.compactions_of(session)[0]
    assert done.replacement is None
    summary = text_of(session.messages[done.row])
    view = compacted(list(session.messages[: done.row]), summarise=lambda head: summary)
    assert [row for row in view.source if row >= 0] == list(done.kept)
    assert text_of(view.messages[-1]).endswith(summary)


def test_the_default_budget_is_that_of_the_reader() -> None:
    assert KEPT_TOKENS == 20_000
