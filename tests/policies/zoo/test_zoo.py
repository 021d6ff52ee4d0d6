"""What holds of every product's policy: on any session, under any settings."""

import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.message import Body
from inspector.policies import POLICIES, Param, SettingError, compact
from inspector.policies.breakage import Breakage, breakages
from inspector.policies.zoo import HOMES
from tests.policies.sessions import checked_view, context_of, odd_sessions, valid_sessions

TOOLS = st.sampled_from(["", "run", "run, read", "memory"])
PARTING = (
    "langchain-trim", "autogen-buffered", "autogen-head-tail", "autogen-token-limited", "aider-summary", "cline-half",
)  # fmt: skip
"""Policies that know nothing of pairs, or mend only one end of what they cut."""


def values(param: Param) -> st.SearchStrategy[Any]:
    if param.kind == "choice":
        return st.sampled_from(param.choices)
    if param.kind == "line":
        return TOOLS if "tools" in param.name else st.sampled_from(["", "[gone]", "…🙂"])
    if param.kind == "float":
        return st.floats(float(param.low), float(param.top(None)))
    return st.one_of(st.integers(-2, 12), st.integers(0, 900))


def tuned(name: str) -> st.SearchStrategy[dict[str, Any]]:
    """Some of the parameters of a policy, the others left at their defaults."""
    return st.fixed_dictionaries({}, optional={param.name: values(param) for param in POLICIES[name].params})


@pytest.mark.parametrize("name", HOMES)
@settings(max_examples=25)
@given(st.data())
def test_plan_and_sent_messages_agree_on_any_session(name: str, data: st.DataObject) -> None:
    messages = data.draw(st.one_of(odd_sessions, valid_sessions()))
    checked_view(messages, name, **data.draw(tuned(name)))


@pytest.mark.parametrize("name", HOMES)
@settings(max_examples=15)
@given(st.data())
def test_what_is_sent_can_be_compacted_again(name: str, data: st.DataObject) -> None:
    view = checked_view(data.draw(valid_sessions()), name, **data.draw(tuned(name)))
    checked_view(list(view.messages), name)


@pytest.mark.parametrize("name", [name for name in HOMES if name not in PARTING])
@settings(max_examples=25)
@given(st.data())
def test_the_others_never_part_a_call_from_its_result(name: str, data: st.DataObject) -> None:
    view = compact(context_of(data.draw(valid_sessions())), name, **data.draw(tuned(name)))
    assert not {Breakage.ORPHAN, Breakage.DANGLING} & set(breakages(view.plan).counts)


def rounds(count: int, chars: int) -> list[Body]:
    messages: list[Body] = [{"role": "system", "content": "be brief"}, {"role": "user", "content": "begin"}]
    for turn in range(count):
        if turn % 5 == 4:
            messages.append({"role": "user", "content": f"now {turn}"})
        call = {"id": f"c{turn}", "type": "function", "function": {"name": "write_file", "arguments": "{}"}}
        call["function"] = {"name": "write_file", "arguments": '{"path": "a", "content": "%s"}' % ("w" * chars)}
        messages.append({"role": "assistant", "content": "", "thinking": "so be it", "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"c{turn}", "content": "r" * chars})
    return [*messages, {"role": "assistant", "content": "done"}, {"role": "user", "content": "thanks"}]


ACTING = {
    "agent-framework-context-window": {"max_context_window_tokens": 20_000, "max_output_tokens": 1_000},
    "cline-half": {"context_window": 64_000},
    "codex-cap": {"limit": 300},
    "codex-compact": {"model_context_window": 50_000},
    "anthropic-clear-tools": {"trigger": 5_000},
    "claude-code-microcompact": {"gap_minutes": 0, "compactable_tools": ""},
    "gemini-mask": {"tool_protection_threshold": 5_000, "min_prunable_tokens_threshold": 9_000},
    "langchain-clear": {"trigger": 5_000},
    "opencode-prune": {"protect": 5_000, "minimum": 9_000},
    "openhands-condenser": {"max_size": 60},
    "pi-cut": {"context_window": 50_000},
}


@pytest.mark.parametrize("name", HOMES)
def test_every_policy_acts_on_a_long_session_and_says_why(name: str) -> None:
    view = compact(context_of(rounds(60, 3_000)), name, **ACTING.get(name, {}))
    assert view.plan.fired
    assert view.tokens["saved"] > 0
    assert all(edit.reason for edit in view.edits)
    policy = POLICIES[name]
    assert policy.protects
    assert policy.source[-1].isdigit()


@pytest.mark.parametrize("name", [name for name in HOMES if "summarise" in POLICIES[name].extras])
def test_a_summary_without_a_model_is_labelled(name: str) -> None:
    context = context_of(rounds(60, 3_000))
    drafted = compact(context, name, **ACTING.get(name, {}))
    written = compact(context, name, summarise=lambda head: f"{len(head)} messages", **ACTING.get(name, {}))
    assert drafted.plan.warnings == ("the summary is an offline stand-in, not a model's",)
    assert written.plan.warnings == ()
    assert any("messages" in insert.body["content"] for insert in written.plan.inserts)


def test_no_module_of_the_zoo_is_imported_before_it_is_asked_for() -> None:
    program = (
        "import sys, inspector.policies as p; loaded = lambda: [m for m in sys.modules if m.startswith("
        "'inspector.policies.zoo.')]; assert len(p.POLICIES) > 20 and 'autogen-buffered' in p.POLICIES; "
        "assert not loaded(), loaded(); p.POLICIES['adk-context-filter']; assert loaded()"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_policy_that_is_not_offered_is_not_found() -> None:
    assert "nothing" not in POLICIES
    assert POLICIES.get("nothing") is None
    with pytest.raises(KeyError):
        POLICIES["nothing"]
    assert [policy.name for policy in POLICIES.values()] == list(POLICIES)


# --- amounts ---


@pytest.mark.parametrize(
    ("structured", "controls"),
    [
        ({"keep": ["messages", 4]}, {"keep": 4, "keep_unit": "messages"}),
        ({"keep": ["tokens", 300]}, {"keep": 300, "keep_unit": "tokens"}),
        ({"keep": ("fraction", 0.25)}, {"keep": 25, "keep_unit": "percent"}),
        ({"trigger": None}, {"trigger_unit": "never"}),
        ({"trigger": [["messages", 999], ["tokens", 100]]}, {"trigger": 100, "trigger_unit": "tokens"}),
        ({"trigger": {"messages": 3, "tokens": 100}}, {"trigger": 100, "trigger_unit": "tokens"}),
    ],
)
def test_an_amount_as_the_product_writes_it_is_the_two_controls(structured: Any, controls: Any) -> None:
    context = context_of(rounds(9, 100))
    always = {"trigger": 0, "max_input_tokens": 2_000, "summarise": lambda head: "short"}
    views = [compact(context, "langchain-summarize", **{**always, **given}) for given in (structured, controls)]
    assert views[0].messages == views[1].messages


@pytest.mark.parametrize(
    "value", [["pages", 3], ["tokens"], ["tokens", "many"], {"pages": 3}, [["tokens", True]], "20"]
)
def test_an_amount_of_another_shape_is_refused_in_a_sentence(value: Any) -> None:
    with pytest.raises(SettingError, match="keep wants a whole number of at least 0, not "):
        compact(context_of([]), "langchain-summarize", keep=value)


@pytest.mark.parametrize("given", ["run, read", ["run", "read"], ("read", "run"), {"run", "read"}])
def test_names_may_be_a_list_or_a_line(given: Any) -> None:
    messages: list[Body] = [{"role": "user", "content": "go"}]
    for name in ("run", "read", "grep"):
        call = {"id": name, "type": "function", "function": {"name": name, "arguments": "{}"}}
        messages += [{"role": "assistant", "content": "", "tool_calls": [call]}]
        messages += [{"role": "tool", "tool_call_id": name, "name": name, "content": "long " * 9}]
    view = compact(context_of(messages), "langchain-clear", trigger=0, keep=0, exclude_tools=given)
    assert [edit.index for edit in view.edits] == [6]


def test_only_a_list_says_that_no_tool_may_be_trimmed() -> None:
    context = context_of(rounds(8, 2_000))
    everything, nothing = (
        compact(context, "openai-agents-trimmer", recent_turns=1, trimmable_tools=given) for given in (None, [])
    )
    assert everything.plan.fired
    assert not nothing.plan.fired
