"""The fast ways through a run send what a plan for every request would."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.message import Body, Context, listed
from inspector.policies import POLICIES
from inspector.policies.transcript import Done
from inspector.replay.engine import stepper_for
from inspector.replay.plain import Carried, Stateless
from inspector.replay.requests import answers_of
from tests.policies.zoo.made import calls, result, says, use, user
from tests.replay.runs import sessions

SMALL = st.integers(0, 40)
FEW = st.integers(0, 4)
TOOLS = st.sampled_from(["", "run", "run, read"])
SETTINGS: dict[str, dict[str, st.SearchStrategy[Any]]] = {
    "opencode-prune": {"protect": SMALL, "minimum": SMALL, "protected_tools": TOOLS, "after_loop": st.booleans()},
    "gemini-mask": {
        "tool_protection_threshold": SMALL, "min_prunable_tokens_threshold": st.integers(0, 200),
        "protect_latest_turn": st.booleans(), "exempt_tools": TOOLS, "tool_outputs_dir": st.just(""),
    },
    "anthropic-clear-tools": {
        "trigger": st.integers(0, 60), "trigger_unit": st.sampled_from(["input_tokens", "tool_uses"]), "keep": FEW,
        "clear_at_least": st.sampled_from([0, 1, 20]), "exclude_tools": TOOLS, "clear_tool_inputs": st.booleans(),
        "clear_tool_inputs_of": TOOLS, "excluded_count": st.booleans(),
        "placeholder": st.sampled_from(["[cleared]", "", "much longer than most results"]),
    },
    "anthropic-clear-thinking": {"keep": FEW, "keep_unit": st.sampled_from(["thinking_turns", "all"])},
    "claude-code-microcompact": {"gap_minutes": st.integers(0, 3), "keep": FEW, "compactable_tools": TOOLS},
    "swe-agent-last-n": {"n": FEW, "polling": FEW},
    "langchain-clear": {
        "trigger": SMALL, "keep": FEW, "clear_at_least": st.sampled_from([0, 1, 20]), "system_counted": st.booleans(),
        "exclude_tools": TOOLS, "placeholder": st.sampled_from(["[cleared]", "", "much longer than most results"]),
        "clear_tool_inputs": st.booleans(),
    },
    "inspect-edit": {
        "keep_tool_uses": FEW, "keep_tool_inputs": st.just(True), "exclude_tools": TOOLS, "memory": st.booleans(),
    },
    "openai-agents-trimmer": {
        "recent_turns": st.integers(1, 3), "max_output_chars": st.integers(1, 60), "preview_chars": SMALL,
        "trimmable_tools": TOOLS,
    },
}  # fmt: skip


def views(context: Context, policy: str, given: dict[str, Any], plain: bool) -> list[tuple[list[Body], Done]]:
    chosen = POLICIES[policy]
    stepper = stepper_for(context, chosen, chosen.running(given), chosen.mode, plain=plain)
    found = []
    for answer in answers_of(context):
        done = stepper.step(answer)
        found.append((list(stepper.transcript.bodies), done))
    return found


def marked(body: Body, tag: str) -> Body:
    """A message with what some policies look at."""
    if tag == "thinks":
        return {**body, "thinking": "so"}
    return {**body, "tags": [tag]} if tag.endswith("output") else {**body, "is_demo": True} if tag == "demo" else body


@pytest.mark.parametrize("policy", SETTINGS)
@settings(max_examples=80)
@given(st.data())
def test_the_fast_way_is_the_plain_one(policy: str, data: st.DataObject) -> None:
    messages = data.draw(sessions)
    tags = st.sampled_from(["", "", "thinks", "thinks", "keep_output", "remove_output", "demo"])
    messages = [marked(body, data.draw(tags)) for body in messages]
    minutes = data.draw(st.lists(st.integers(0, 4), min_size=len(messages), max_size=len(messages)))
    times = [60.0 * sum(minutes[: row + 1]) for row in range(len(messages))]
    context = Context(messages, listed(""), range(len(messages)), times=times)
    given = data.draw(st.fixed_dictionaries({}, optional=SETTINGS[policy]))
    assert views(context, policy, given, plain=False) == views(context, policy, given, plain=True)


def a_run(*, ids: bool = True, names: bool = True, asked: int = 1) -> Context:
    messages = [user() for _ in range(asked)]
    for turn in range(3):
        made = use(f"c{turn}" if ids else "c", "long " * 9)
        messages += [made[0], made[1] if names else {k: v for k, v in made[1].items() if k != "name"}]
    return Context([*messages, says()], listed(""), range(len(messages) + 1))


@pytest.mark.parametrize(
    ("policy", "settled", "open_ended"),
    [
        ("opencode-prune", a_run(), a_run(names=False)),
        ("gemini-mask", a_run(), a_run(names=False)),
        ("claude-code-microcompact", a_run(), a_run(names=False)),
        ("anthropic-clear-tools", a_run(), a_run(ids=False)),
        ("swe-agent-last-n", a_run(), a_run(asked=2)),
        ("langchain-clear", a_run(), a_run(ids=False)),
        ("openai-agents-trimmer", a_run(), a_run(ids=False)),
        ("inspect-edit", a_run(), a_run(ids=False)),
    ],
)
def test_what_later_messages_could_change_goes_the_plain_way(
    policy: str, settled: Context, open_ended: Context
) -> None:
    chosen = POLICIES[policy]
    for context, fast in ((settled, True), (open_ended, False)):
        stepper = stepper_for(context, chosen, chosen.running({}), chosen.mode)
        assert isinstance(stepper, Stateless | Carried) != fast


def test_in_the_other_mode_there_is_no_fast_way() -> None:
    for policy in SETTINGS:
        chosen = POLICIES[policy]
        other = "carried" if chosen.mode == "stateless" else "stateless"
        assert isinstance(stepper_for(a_run(), chosen, chosen.running({}), other), Stateless | Carried)


def test_what_was_cleared_is_restored_where_too_little_of_it_is_left() -> None:
    """The second and third results are shorter than the placeholder, so that clearing them loses what the first won."""
    messages = [user(), *use("a", "x" * 60), *use("b", ""), *use("c", ""), *use("d", ""), says()]
    context = Context(messages, listed(""), range(len(messages)))
    given = {"trigger": 0, "keep": 1, "clear_at_least": 30, "placeholder": "p" * 20, "chars_per_token": 1.0}
    found = views(context, "anthropic-clear-tools", given, plain=False)
    assert found == views(context, "anthropic-clear-tools", given, plain=True)
    assert [done.edits for _, done in found] == [0, 0, 1, 0, 0]


def test_a_result_that_comes_late_is_cleared_when_it_is_there() -> None:
    messages = [user(), calls("a"), says("wait"), *use("b", "x" * 60), result("a", "x" * 60), says()]
    context = Context(messages, listed(""), range(len(messages)))
    given = {"trigger": 0, "keep": 0}
    assert [done.edits for _, done in views(context, "anthropic-clear-tools", given, plain=False)] == [0, 0, 0, 2]


def test_arguments_are_cleared_again_for_each_result_of_a_message() -> None:
    messages = [user(), calls("a", "b", arguments='{"x": 1}'), result("a"), result("b"), says("one"), says("two")]
    context = Context([*messages, *use("c"), says()], listed(""), range(len(messages) + 3))
    given = {"trigger": 0, "keep": 1, "clear_tool_inputs": True}
    found = views(context, "langchain-clear", given, plain=False)
    assert found == views(context, "langchain-clear", given, plain=True)
    assert [done.edits for _, done in found] == [0, 2, 2, 2, 3]


def test_clearing_stops_for_good_once_it_has_saved_enough() -> None:
    messages = [user(), *use("a", "x" * 90), *use("b", "x" * 90), *use("c", "x" * 90), says()]
    context = Context(messages, listed(""), range(len(messages)))
    given = {"trigger": 0, "keep": 0, "clear_at_least": 30}
    assert [done.edits for _, done in views(context, "langchain-clear", given, plain=False)] == [0, 1, 2, 2]


def test_an_output_is_trimmed_when_the_second_turn_after_it_begins() -> None:
    messages = [user(), *use("a", "x" * 900), says(), user(), says(), user(), says(), *use("b", "x" * 900), says()]
    context = Context(messages, listed(""), range(len(messages)))
    found = views(context, "openai-agents-trimmer", {}, plain=False)
    assert found == views(context, "openai-agents-trimmer", {}, plain=True)
    assert [done.edits for _, done in found] == [0, 0, 0, 1, 1, 1]


def test_inspect_edits_late_results_memories_and_uses_in_the_order_of_the_calls() -> None:
    saved = calls("m", name="memory", arguments='{"command": "create", "file_text": "long"}')
    late = [
        user(),
        calls("a"),
        user("wait"),
        *use("b", "x"),
        saved,
        result("m", name="memory"),
        result("a", "y"),
        says(),
    ]
    early = [user(), result("a", "before its call"), *use("a"), *use("b"), *use("b", "again"), says()]
    removed = [*use("a", "(Tool result removed)"), *use("b"), says()]
    for messages in (late, early, removed):
        context = Context(messages, listed(""), range(len(messages)))
        for keep in range(3):
            given = {"keep_tool_uses": keep}
            found = views(context, "inspect-edit", given, plain=False)
            assert found == views(context, "inspect-edit", given, plain=True)


@pytest.mark.parametrize("given", [{"keep_tool_inputs": False}, {"threshold": 5}])
def test_inspect_edits_that_drop_or_wait_go_the_plain_way(given: dict[str, Any]) -> None:
    chosen = POLICIES["inspect-edit"]
    assert isinstance(stepper_for(a_run(), chosen, chosen.running(given), "carried"), Carried)
    assert not isinstance(stepper_for(a_run(), chosen, chosen.running({}), "carried"), Carried)
    twice = Context([user(), says(), says()], listed(""), range(3))
    assert isinstance(stepper_for(twice, chosen, chosen.running({}), "carried"), Carried)
