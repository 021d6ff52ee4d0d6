"""Settings taken home: what is written is what the product takes, and what it has no setting for is named."""

import json
import re
import tomllib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.policies import POLICIES, Param, Policy

TAKEN = [name for name, policy in POLICIES.items() if policy.product]
NONE = ["head-tail", "cascade", "checkpoint", "claude-code-microcompact", "cline-half"]
"""Our own, and those for which the product documents no setting."""


def product(name: str) -> Any:
    return POLICIES[name].product


def written(name: str, **given: Any) -> str:
    policy = POLICIES[name]
    assert policy.product is not None
    return policy.product.document(policy.settings(given))


def parsed(language: str, document: str) -> Any:
    """What a document says, read by a reader of its language."""
    if language == "python":
        return compile(document, "snippet", "exec")
    if language == "toml":
        return tomllib.loads(document)
    if language == "yaml":
        return None  # held exactly below
    return json.loads(re.sub(r"(?m)^// .*\n", "", document))


def others(param: Param) -> list[Any]:
    """A few legal values that are not the default."""
    if param.kind == "choice":
        found: list[Any] = list(param.choices)
    elif param.kind == "line":
        found = ["human"] if param.name in ("start_on", "end_on") else ["read, run"]
    else:
        found = [0.3] if param.kind == "float" else [7, 12_345]
    return [value for value in found if value != param.default]


def tuned(policy: Policy) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional={param.name: values(param) for param in policy.params})


def values(param: Param) -> st.SearchStrategy[Any]:
    if param.kind == "choice":
        return st.sampled_from(param.choices)
    if param.kind == "line":
        return st.text(max_size=12)
    top = param.limit or 10**6
    return st.floats(float(param.low), float(top)) if param.kind == "float" else st.integers(int(param.low), int(top))


def test_those_that_no_product_takes_are_known() -> None:
    assert [name for name in POLICIES if name not in TAKEN] == NONE


@pytest.mark.parametrize("name", TAKEN)
@settings(max_examples=30)
@given(st.data())
def test_any_settings_are_read_by_a_reader_of_the_language(name: str, data: st.DataObject) -> None:
    policy = POLICIES[name]
    document = written(name, **data.draw(tuned(policy)))
    parsed(product(name).language, document)
    assert document.endswith("\n")
    assert not document.endswith("\n\n")


@pytest.mark.parametrize("name", TAKEN)
def test_every_parameter_is_written_or_named(name: str) -> None:
    policy = POLICIES[name]
    base = product(name).snippet(policy.settings({}))
    for param in policy.params:
        named = any(re.search(rf"\b{param.name}\b", note) for note in base.notes)
        changed = [product(name).snippet(policy.settings({param.name: value})) for value in others(param)]
        assert named or any(snippet != base for snippet in changed), param.name


@pytest.mark.parametrize("name", TAKEN)
def test_what_a_product_lacks_is_a_parameter_and_changes_nothing(name: str) -> None:
    policy, lacks = POLICIES[name], product(name).lacks
    for param in lacks:
        if param == "limit_unit":
            continue  # the model's, and with it goes what the limit is worth
        for value in others(policy.param(param)):
            assert product(name).write(policy.settings({param: value})) == product(name).write(policy.settings({}))


@pytest.mark.parametrize("name", TAKEN)
def test_sentences_are_comments_where_the_language_has_any(name: str) -> None:
    policy = POLICIES[name]
    full = policy.settings({})
    notes, document = product(name).snippet(full).notes, product(name).document(full)
    assert all((note in document) == product(name).has_comments for note in notes)
    assert all(note.endswith(".") and "\n" not in note for note in notes)


def test_langchain_takes_an_edit_in_its_middleware() -> None:
    assert written("langchain-clear", trigger=50_000, keep=4, exclude_tools="read, run") == (
        "# LangChain has no setting for system_counted: create_agent keeps a leading system message apart, and does "
        "not count it.\n"
        "from langchain.agents.middleware import ClearToolUsesEdit, ContextEditingMiddleware\n"
        "\n"
        "middleware = ContextEditingMiddleware(\n"
        "    edits=[\n"
        "        ClearToolUsesEdit(\n"
        "            trigger=50000,\n"
        "            keep=4,\n"
        "            clear_at_least=0,\n"
        "            clear_tool_inputs=False,\n"
        '            exclude_tools=["read", "run"],\n'
        '            placeholder="[cleared]",\n'
        "        ),\n"
        "    ],\n"
        ")\n"
    )


def test_amounts_are_taken_in_their_unit() -> None:
    shares = written("langchain-summarize", trigger=85, trigger_unit="percent", keep=10, keep_unit="percent")
    assert 'trigger=("fraction", 0.85)' in shares
    assert 'keep=("fraction", 0.1)' in shares
    either = [["tokens", 9], {"messages": 5, "tokens": 4}]
    assert 'trigger=[("tokens", 9), {"messages": 5, "tokens": 4}]' in written("langchain-summarize", trigger=either)
    assert "trigger=None" in written("langchain-summarize", trigger_unit="never")


def test_trim_messages_has_nothing_that_goes_with_the_other_strategy() -> None:
    first = written("langchain-trim", strategy="first", include_system=True)
    assert first.startswith("# include_system and start_on are left out")
    assert "include_system=" not in first
    assert "start_on=" not in first
    assert "token_counter=len" in written("langchain-trim", token_counter="len")


def test_anthropic_takes_an_edit_in_the_request() -> None:
    text = written(
        "anthropic-clear-tools", trigger=30, trigger_unit="tool_uses", clear_at_least=5_000, clear_tool_inputs=True,
        clear_tool_inputs_of="run",
    )  # fmt: skip
    assert json.loads(text) == {
        "context_management": {
            "edits": [
                {
                    "type": "clear_tool_uses_20250919",
                    "trigger": {"type": "tool_uses", "value": 30},
                    "keep": {"type": "tool_uses", "value": 3},
                    "clear_at_least": {"type": "input_tokens", "value": 5_000},
                    "exclude_tools": [],
                    "clear_tool_inputs": ["run"],
                }
            ]
        }
    }
    assert json.loads(written("anthropic-clear-thinking", keep_unit="all")) == {
        "context_management": {"edits": [{"type": "clear_thinking_20251015", "keep": "all"}]}
    }


def test_objects_of_the_api_are_written_as_they_are() -> None:
    text = written("anthropic-clear-tools", trigger={"type": "input_tokens", "value": 9}, clear_tool_inputs=["b", "a"])
    (edit,) = json.loads(text)["context_management"]["edits"]
    assert edit["trigger"] == {"type": "input_tokens", "value": 9}
    assert edit["clear_tool_inputs"] == ["a", "b"]


def test_opencode_takes_a_switch_and_says_what_it_cannot_take() -> None:
    document = written("opencode-prune", protect=9)
    assert parsed("jsonc", document) == {"compaction": {"prune": True}}
    assert "// opencode has no setting for protect: it is fixed in its source, as 40,000.\n" in document


def test_codex_counts_tokens_even_for_a_model_that_counts_bytes() -> None:
    assert written("codex-cap", limit=8_000).endswith("\ntool_output_token_limit = 8000\n")
    assert written("codex-cap", limit=8_001, limit_unit="bytes").endswith("\ntool_output_token_limit = 2001\n")
    document = written("codex-compact", model_auto_compact_token_limit=100_000)
    assert parsed("toml", document) == {"model_auto_compact_token_limit": 100_000, "model_context_window": 272_000}
    assert "model_auto_compact_token_limit is left out" in written("codex-compact")


def test_yaml_is_exact() -> None:
    assert written("aider-summary", max_tokens=4_096).endswith("\nmax-chat-history-tokens: 4096\n")
    assert written("swe-agent-last-n", n=7, always_keep_output_for_tags="") == (
        "# For the configuration file of a run.\n"
        "agent:\n"
        "  history_processors:\n"
        "    - type: last_n_observations\n"
        "      n: 7\n"
        "      polling: 1\n"
        '      always_remove_output_for_tags: ["remove_output"]\n'
        "      always_keep_output_for_tags: []\n"
    )


def test_a_composed_strategy_holds_the_strategies_that_are_tried() -> None:
    document = written("agent-framework-token-budget", strategies="tool_result, sliding", keep_last_groups=9)
    assert "ToolResultCompactionStrategy(keep_last_tool_call_groups=1)" in document
    assert "SlidingWindowStrategy(keep_last_groups=9, preserve_system=True)" in document
    assert "Not in it" not in document
    given = [["truncation", {"max_n": 9, "compact_to": 5, "unit": "tokens"}]]
    assert "tokenizer=CharacterEstimatorTokenizer()" in written("agent-framework-token-budget", strategies=given)
    assert "keep_last_groups" in written("agent-framework-token-budget", strategies="none").partition("\n")[0]


@pytest.mark.parametrize(
    ("name", "given", "says"),
    [
        ("agent-framework-truncation", {"max_n": 5, "compact_to": 6}, "compact_to is over max_n"),
        ("agent-framework-context-window", {"max_output_tokens": 128_000}, "the output takes the whole window"),
        ("openhands-condenser", {"max_size": 8, "keep_first": 4}, "keep_first leaves no room under half of max_size"),
        ("langchain-summarize", {"trigger": 101, "trigger_unit": "percent"}, "trigger is over 100 percent"),
        ("deepagents-args", {"keep": 0}, "keep is 0"),
    ],
)
def test_values_that_the_product_refuses_are_told(name: str, given: dict[str, Any], says: str) -> None:
    assert f" refuses this: {says}." in written(name, **given)
    assert "refuses" not in written(name)
