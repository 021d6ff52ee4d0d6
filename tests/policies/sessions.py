"""Sessions made at random, valid ones and odd ones, and what must hold of any sent view of them."""

import copy
from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from inspector.change import Action, InsertKind
from inspector.message import Body, Context, listed, text_of
from inspector.policies import SentView, compact
from inspector.policies.contract import ACKNOWLEDGEMENT, Checkpoint, frame
from inspector.tokens import count_bodies

LETTERS = st.sampled_from(
    ["a", "\n", " ", "\r", "\x85", "é", "字", "🙂", '"', "\\", "\x1b", "\x7f", "\ud800", ",", "]"]
)
SHORT = st.text(st.sampled_from('ab \n"字'), max_size=8)
LONG = st.builds(lambda unit, times: unit * times, st.text(LETTERS, min_size=1, max_size=6), st.integers(0, 90))
SKILLS = st.sampled_from(
    ["[skill=pdf]\nread me", "[skill=a, dir=s/a]", "x [skill=b,dir=c]\r\n", "[skill=]", "\n[skill=late]", "no tag", ""]
)
TEXTS = st.one_of(SHORT, LONG, LONG, SKILLS)
PICTURE: Body = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
PARTS = st.lists(
    st.one_of(st.just(PICTURE), st.builds(lambda t: {"type": "text", "text": t}, TEXTS), SHORT), max_size=3
)
ODD = st.sampled_from([None, 0, 1.5, True, {}, [], "x"])
IDS = st.sampled_from(["a", "b", "c", "call_1"])


def context_of(messages: list[Body]) -> Context:
    return Context(messages, listed(""), range(len(messages)))


# --- odd ones: whatever a file may hold ---

CALLS = st.one_of(
    st.fixed_dictionaries(
        {},
        optional={
            "id": st.one_of(IDS, ODD.filter(lambda value: value.__hash__ is not None)),
            "function": st.one_of(
                ODD, st.fixed_dictionaries({"arguments": TEXTS}, optional={"name": st.one_of(SHORT, ODD)})
            ),
        },
    ),
    ODD,
)
NAMES = st.sampled_from(["load_skill", "task_progress", "run", "", None, 3])
ODD_MESSAGES = st.fixed_dictionaries(
    {
        "role": st.sampled_from(
            ["tool", "tool", "tool", "assistant", "assistant", "user", "system", "function", "x", None, 5]
        )
    },
    optional={
        "content": st.one_of(TEXTS, TEXTS, PARTS, ODD),
        "tool_calls": st.one_of(st.lists(CALLS, max_size=3), ODD),
        "tool_call_id": st.one_of(IDS, ODD),
        "name": NAMES,
        "images": st.one_of(st.lists(st.just("QUJD"), max_size=3), st.none()),
        "thinking": st.one_of(TEXTS, ODD),
        "_label": st.one_of(SHORT, st.just("long label " * 30), ODD),
        "extra": st.one_of(ODD, st.just(float("inf"))),
    },
)
odd_sessions = st.lists(ODD_MESSAGES, max_size=14)


# --- valid ones: what a provider accepts ---

FRAMES = st.builds(
    lambda work, turns: frame(Checkpoint(current_work=work, compacted_turn_count=turns)),
    st.text("ab字<", max_size=5),
    st.integers(0, 9),
)


@st.composite
def turns(draw: st.DrawFn, style: str, turn: int) -> list[Body]:
    """A request, some rounds of calls that are all answered, and now and then a closing text."""
    texts = st.one_of(SHORT, LONG)
    messages: list[Body] = [{"role": "user", "content": draw(texts)}]
    if draw(st.integers(0, 5)) == 0:
        messages.insert(0, {"role": draw(st.sampled_from(["system", "developer"])), "content": draw(SHORT)})
    for step in range(draw(st.integers(0, 3))):
        names = draw(st.lists(st.sampled_from(["run", "read", "load_skill", "task_progress"]), min_size=1, max_size=3))
        ids = [f"c{place}" if style == "restarting" else f"t{turn}s{step}c{place}" for place in range(len(names))]
        calls = [{"type": "function", "function": {"name": name, "arguments": "{}"}} for name in names]
        results = [{"role": "tool", "content": draw(texts), "name": name} for name in names]
        if style != "nameless":
            for call, result, call_id in zip(calls, results, ids, strict=True):
                call["id"] = result["tool_call_id"] = call_id
            results = draw(st.permutations(results))
        messages += [{"role": "assistant", "content": draw(SHORT), "tool_calls": calls}, *results]
    if draw(st.booleans()):
        messages.append({"role": "assistant", "content": draw(texts)})
    return messages


@st.composite
def valid_sessions(draw: st.DrawFn) -> list[Body]:
    """Up to six turns; ids unique, or from zero in each turn, or none at all; earlier checkpoints among them."""
    style = draw(st.sampled_from(["unique", "restarting", "nameless"]))
    messages: list[Body] = [{"role": "system", "content": draw(SHORT)} for _ in range(draw(st.integers(0, 2)))]
    for turn in range(draw(st.integers(0, 6))):
        if draw(st.integers(0, 4)) == 0:
            messages.append({"role": "user", "content": draw(FRAMES)})
            messages.append({"role": "assistant", "content": ACKNOWLEDGEMENT})
        messages += draw(turns(style, turn))
    return messages


def faults(messages: Sequence[Body]) -> list[str]:
    """What a provider would refuse, by the plain rule: a message's calls are all answered by what follows directly."""
    found: list[str] = []
    place = 0
    while place < len(messages):
        calls = messages[place].get("tool_calls") or []
        end = place + 1
        while end < len(messages) and messages[end].get("role") == "tool":
            end += 1
        wanted = sorted(str(call.get("id")) for call in calls)
        got = sorted(str(body.get("tool_call_id")) for body in messages[place + 1 : end])
        if messages[place].get("role") == "tool":
            found.append(f"{place}: a result without a call")
        elif wanted != got:
            found.append(f"{place}: calls {wanted} answered by {got}")
        place = end
    return found


# --- what holds of every sent view ---


def checked_view(messages: list[Body], policy: str, **settings: Any) -> SentView:
    """The sent view, once plan, messages and edits are seen to agree, and the input to be as it was."""
    before = copy.deepcopy(messages)
    view = compact(context_of(messages), policy, **settings)
    assert_agreement(view)
    view.plan.stats()
    assert repr(messages) == repr(before), "the input was changed"
    return view


def assert_agreement(view: SentView) -> None:
    plan, rows = view.plan, view.plan.context.messages
    sent = {row: body for row, body in zip(view.source, view.messages, strict=True) if row >= 0}
    assert len(sent) + len(plan.inserts) == len(view.messages)
    for row, recorded in enumerate(rows):
        action = Action(plan.action[row])
        assert (row in sent) == (action not in (Action.DROP, Action.MERGE))
        assert plan.chars[row] == (len(text_of(sent[row])) if row in sent else 0), (row, action)
        if row in sent:
            assert (sent[row] is recorded) == (action in (Action.KEEP, Action.MOVE)), (row, action)
        assert 0 <= plan.reason[row] < len(plan.reasons)
    kept = [row for row in view.source if row >= 0]
    assert kept == sorted(kept) if plan.order is None else kept == [row for row in plan.order if row in sent]
    _assert_edits(view, sent)


def _assert_edits(view: SentView, sent: dict[int, Body]) -> None:
    plan, rows = view.plan, view.plan.context.messages
    kinds = {f"insert_{kind}" for kind in InsertKind}
    changed = [edit for edit in view.edits if edit.action not in kinds]
    added = [edit for edit in view.edits if edit.action in kinds]
    assert [edit.index for edit in changed] == [row for row, action in enumerate(plan.action) if action]
    for edit in changed:
        after = sent.get(edit.index)
        assert edit.action == Action(plan.action[edit.index]).name.lower()
        assert edit.reason == plan.reasons[plan.reason[edit.index]]
        assert edit.before_chars == len(text_of(rows[edit.index]))
        assert edit.after_chars == (len(text_of(after)) if after else 0)
        assert edit.before_tokens == count_bodies([rows[edit.index]], view.counter)[0]
        assert edit.after_tokens == (count_bodies([after], view.counter)[0] if after else 0)
    assert sorted((edit.index, edit.after_chars, edit.reason) for edit in added) == sorted(
        (insert.after, len(text_of(insert.body)), insert.reason) for insert in plan.inserts
    )
    assert {edit.before_tokens for edit in added} | {edit.before_chars for edit in added} <= {0}
    assert view.tokens["sent"] == sum(count_bodies(view.messages, view.counter))
    assert sum(edit.before_tokens - edit.after_tokens for edit in view.edits) == view.tokens["saved"]
