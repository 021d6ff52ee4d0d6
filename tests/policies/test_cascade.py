"""cascade against the slow way (estimate everything again after each stub), and what it promises beyond that."""

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from inspector.change import Action
from inspector.message import Body
from inspector.policies.breakage import Breakage, breakages
from inspector.policies.cascade import SUMMARY_HEAD, cap_result
from inspector.policies.ladder import REASONS
from inspector.policies.stand_in import LABEL
from tests.policies.sessions import PICTURE, checked_view, odd_sessions, valid_sessions

OLD = {"role": "tool", "content": "x" * 900}
CALLING = {"role": "assistant", "content": "", "tool_calls": [{"id": "a", "function": {"name": "run"}}]}
ANSWER = {"role": "tool", "tool_call_id": "a", "content": "x" * 900}


# --- the slow way, written from SPEC.md alone; image parts count as images, and keep_verbatim 0 keeps none ---


def is_picture(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") == "image_url"


def pictures(body: Body) -> int:
    images, content = body.get("images"), body.get("content")
    parts = content if isinstance(content, list) else []
    return len(images if isinstance(images, list) else []) + sum(map(is_picture, parts))


def estimate(messages: list[Body], per_token: float) -> int:
    total = 0
    for body in messages:
        for key in ("content", "thinking"):
            if isinstance(body.get(key), str):
                total += int(len(body[key]) / per_token)
        if body.get("tool_calls"):
            total += int(len(json.dumps(body["tool_calls"])) / per_token)
        total += 1000 * pictures(body) + 4
    return total


def stubbed(body: Body) -> Body | None:
    content = body.get("content")
    if not isinstance(content, str) or len(content) < 200:
        return None
    label = body.get("_label") or "a tool result"
    return {**body, "content": f"[dropped to save context: {label}, {len(content):,} characters]"}


def without_pictures(body: Body) -> Body:
    line = (
        f"[screenshot dropped to save context - {pictures(body)} image(s). "
        "Take another with screenshot() if you need to look again.]"
    )
    kept, content = {key: value for key, value in body.items() if key != "images"}, body.get("content")
    if isinstance(content, list):
        return {**kept, "content": [p for p in content if not is_picture(p)] + [{"type": "text", "text": line}]}
    text = content.strip() if isinstance(content, str) else ""
    return {**kept, "content": f"{text}\n{line}".strip()}


def slow(
    messages: list[Body], target: int, ceiling: int, keep: int, protect: int, per_token: float, cap: int | None
) -> tuple[list[Body], list[str]]:
    out, notes = list(messages), []
    keep, protect = max(0, keep), max(0, protect)
    for at, body in enumerate(out):
        if cap is not None and body.get("role") == "tool" and isinstance(body.get("content"), str):
            content = cap_result(body["content"], cap)
            out[at] = body if content == body["content"] else {**body, "content": content}
    if estimate(out, per_token) <= target:
        return out, notes
    pictured = [at for at, body in enumerate(out) if pictures(body)]
    for at in pictured[:-1]:
        out[at] = without_pictures(out[at])
    if len(pictured) > 1:
        notes.append(f"dropped {len(pictured) - 1} older screenshot(s)")
    if estimate(out, per_token) <= target:
        return out, notes
    results = [at for at, body in enumerate(out) if at >= protect and body.get("role") == "tool"]
    count = stub_until(out, results[: max(0, len(results) - keep)], target, per_token)
    if count:
        notes.append(f"summarised {count} old tool result(s) to one line each")
    if estimate(out, per_token) <= ceiling:
        return out, notes
    stop = max(protect, len(out) - 2 * keep)
    if not out[protect:stop]:
        return out, notes
    notes.append(f"summarised {len(out[protect:stop])} earlier messages into one block")
    text = f"{SUMMARY_HEAD}\n\n{summarise(out[protect:stop])}"
    out = [*out[:protect], {"role": "user", "content": text}, *out[stop:]]
    results = [at for at, body in enumerate(out) if at >= protect + 1 and body.get("role") == "tool"]
    count = stub_until(out, results[:-2], ceiling, per_token)
    if count:
        notes.append(f"stubbed {count} more result(s) to stay under the ceiling")
    return out, notes


def stub_until(out: list[Body], rows: list[int], goal: int, per_token: float) -> int:
    count = 0
    for at in rows:
        if estimate(out, per_token) <= goal:
            break
        stub = stubbed(out[at])
        if stub is not None:
            out[at] = stub
            count += 1
    return count


def summarise(head: list[Body]) -> str:
    """Reads every message handed over, so that what a summariser sees is compared too."""
    return f"{len(head)} messages, {sum(len(repr(body)) for body in head)} long"


BUDGETS = st.one_of(st.integers(-5, 700), st.integers(700, 4_000), st.just(0))


@given(
    st.one_of(odd_sessions, valid_sessions()),
    BUDGETS, BUDGETS, st.integers(-1, 5), st.integers(-1, 5),
    st.sampled_from([3.2, 1.0, 0.7, 4]), st.one_of(st.none(), st.integers(-1, 400)),
)  # fmt: skip
@example([OLD, OLD, OLD], 100, 400, 0, 0, 3.2, None)
@example([{**OLD, "_label": "w" * 300}] * 6, 100, 120, 2, 0, 3.2, None)  # a stub long enough to be stubbed again
@example([{**OLD, "images": ["QUJD"]}, {"role": "user", "content": [PICTURE]}], 50, 60, 0, 0, 3.2, 300)
def test_it_sends_what_the_slow_way_sends(
    messages: list[Body], target: int, ceiling: int, keep: int, protect: int, per_token: float, cap: int | None
) -> None:
    view = checked_view(
        messages, "cascade", target_tokens=target, ceiling_tokens=ceiling, keep_verbatim=keep, protect=protect,
        chars_per_token=per_token, max_result_chars=cap, summarise=summarise,
    )  # fmt: skip
    sent, notes = slow(messages, target, ceiling, keep, protect, per_token, cap)
    assert [list(body.items()) for body in view.messages] == [list(body.items()) for body in sent]
    assert view.notes == notes
    assert view.plan.stats()["estimated_after"] == estimate(sent, per_token)


def test_a_session_just_at_the_target_is_sent_whole_and_one_token_less_is_not() -> None:
    messages = [OLD, OLD]
    size = estimate(messages, 3.2)
    settings = {"ceiling_tokens": size, "keep_verbatim": 1, "protect": 0}
    at, under = (checked_view(messages, "cascade", target_tokens=goal, **settings) for goal in (size, size - 1))
    assert (at.plan.fired, at.notes) == (False, [])
    assert under.notes == ["summarised 1 old tool result(s) to one line each"]
    assert under.messages[1] is OLD


def test_pictures_stay_where_the_session_is_just_at_the_target() -> None:
    messages = [{"role": "user", "images": ["QQ"]}] * 2
    assert not checked_view(messages, "cascade", target_tokens=2_008).plan.fired
    assert checked_view(messages, "cascade", target_tokens=2_007).notes == ["dropped 1 older screenshot(s)"]


def test_a_session_just_at_the_ceiling_is_not_summarised_and_one_token_less_is() -> None:
    settings = {"target_tokens": 0, "keep_verbatim": 1, "protect": 0}
    stubs = checked_view([OLD] * 4, "cascade", ceiling_tokens=10_000, **settings).stats["estimated_after"]
    at, under = (checked_view([OLD] * 4, "cascade", ceiling_tokens=goal, **settings) for goal in (stubs, stubs - 1))
    assert not at.plan.inserts
    assert under.plan.inserts


def test_keep_verbatim_0_keeps_no_result() -> None:
    view = checked_view([OLD] * 3, "cascade", target_tokens=0, ceiling_tokens=10_000, keep_verbatim=0, protect=0)
    assert view.notes == ["summarised 3 old tool result(s) to one line each"]


def test_only_results_of_200_chars_and_more_are_stubbed() -> None:
    messages = [{"role": "tool", "content": "x" * size} for size in (199, 200)]
    view = checked_view(messages, "cascade", target_tokens=0, ceiling_tokens=10_000, keep_verbatim=0, protect=0)
    assert [edit.index for edit in view.edits] == [1]
    assert view.messages[1]["content"] == "[dropped to save context: a tool result, 200 characters]"


def test_one_shot_caps_no_result_unless_the_cap_is_given() -> None:
    long = {"role": "tool", "content": "line\n" * 2_000}
    assert checked_view([long], "cascade").messages[0] is long
    view = checked_view([long], "cascade", max_result_chars=4_000)
    assert view.plan.action == bytes([Action.HEAD])
    assert view.messages[0]["content"].endswith(
        "line\n\n[TRUNCATED after 3,999 of 10,000 characters. Re-run with a narrower command - grep, tail, or a "
        "specific path - if you need the rest; do not assume what was cut.]"
    )


@pytest.mark.parametrize(("text", "kept"), [("\nabc", "\na"), ("a\nbc", "a"), ("ab\nc", "ab"), ("abcd", "ab")])
def test_the_entry_cap_goes_back_to_a_line_end_unless_nothing_would_be_left(text: str, kept: str) -> None:
    assert cap_result(text, 2).startswith(f"{kept}\n\n[TRUNCATED after {len(kept)} of 4 characters.")


@pytest.mark.parametrize("limit", [0, -1, -9])
def test_an_entry_cap_below_0_counts_as_0(limit: int) -> None:
    assert cap_result("ab\nc", limit).startswith("\n\n[TRUNCATED after 0 of 4 characters.")
    assert cap_result("", limit) == ""


def test_dropping_a_picture_is_no_grown_result() -> None:
    shot = {"role": "tool", "content": "ok", "images": ["QUJD"]}
    view = checked_view([shot, shot], "cascade", target_tokens=1_500)
    assert view.plan.action == bytes([Action.DROP_IMAGE, Action.KEEP])
    assert breakages(view.plan).total == 0


def test_a_picture_goes_from_protected_messages_too_and_a_list_of_parts_stays_a_list() -> None:
    messages = [
        {"role": "user", "content": [PICTURE, {"type": "text", "text": "see"}]},
        {"role": "user", "images": ["QQ"]},
    ]
    view = checked_view(messages, "cascade", target_tokens=1_100, protect=2)
    assert [part["text"][:11] for part in view.messages[0]["content"]] == ["see", "[screenshot"]
    assert view.messages[1] is messages[1]
    assert view.notes == ["dropped 1 older screenshot(s)"]


def test_a_summary_that_parts_a_call_from_its_result_is_reported() -> None:
    messages = [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}, CALLING, ANSWER, OLD]
    view = checked_view(messages, "cascade", target_tokens=10, ceiling_tokens=20, keep_verbatim=1, protect=2)
    assert [body["role"] for body in view.messages] == ["system", "user", "user", "tool", "tool"]
    assert dict(breakages(view.plan).rows) == {3: (Breakage.ORPHAN,)}


def test_a_summary_stands_for_its_rows_at_their_place() -> None:
    messages = [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}, *[CALLING, ANSWER] * 4]
    view = checked_view(messages, "cascade", target_tokens=10, ceiling_tokens=20, keep_verbatim=1, protect=2)
    (insert,) = view.plan.inserts
    assert (insert.after, insert.merges, insert.anchor) == (1, (2, 8), 2)
    assert list(view.source) == [0, 1, -1, 8, 9]
    assert {edit.reason for edit in view.edits if edit.action == "merge"} == {REASONS[3]}


def test_the_offline_summary_is_labelled_in_the_text_and_in_a_warning() -> None:
    settings = {"target_tokens": 10, "ceiling_tokens": 20, "keep_verbatim": 0, "protect": 0}
    view = checked_view([CALLING, ANSWER] * 4, "cascade", **settings)
    assert view.messages[0]["content"].startswith(f"{SUMMARY_HEAD}\n\n{LABEL}\n8 messages are replaced.")
    assert view.plan.warnings == ("the summary is an offline stand-in, not a model's",)
    assert checked_view([CALLING, ANSWER], "cascade", **settings, summarise=summarise).plan.warnings == ()


def test_the_summariser_reads_results_as_they_stand_after_the_earlier_steps() -> None:
    read: list[str] = []
    messages = [{**OLD, "images": ["QQ"]}, OLD, OLD]

    def keep(head: list[Body]) -> str:
        read.extend(body["content"][:12] for body in head)
        return ""

    checked_view(
        messages, "cascade", target_tokens=300, ceiling_tokens=10, keep_verbatim=1, protect=0, summarise=keep
    )  # fmt: skip
    assert read == ["[dropped to "]


def test_calls_nested_too_deeply_for_json_are_still_estimated() -> None:
    deep: Any = []
    for _ in range(20_000):
        deep = [deep]
    view_total = checked_deep({"role": "assistant", "tool_calls": [{"id": "a", "function": {"arguments": deep}}]})
    assert view_total > 40_000 / 3.2


def checked_deep(body: Body) -> int:
    from inspector.policies import compact
    from tests.policies.sessions import context_of

    return compact(context_of([body]), "cascade").plan.stats()["estimated_before"]
