"""The policies of other products against what their real packages returned.

The selection in tests/golden/zoo was chosen so that each kind of setting, session and outcome stands in it twice, where
there are so many; where the shared material is at hand, every row is run. In a selected row, a sent message that the
input holds is its place there.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from inspector.message import Body
from inspector.policies import POLICIES
from tests.policies.sessions import checked_view
from tests.shared import SHARED, needs_shared

SELECTION = Path(__file__).parents[2] / "golden" / "zoo"
Row = dict[str, Any]

OURS = {
    "adk.ContextFilterPlugin": "adk-context-filter",
    "agent_framework.context_window": "agent-framework-context-window",
    "agent_framework.selective": "agent-framework-selective",
    "agent_framework.sliding": "agent-framework-sliding",
    "agent_framework.token_budget": "agent-framework-token-budget",
    "agent_framework.tool_result": "agent-framework-tool-result",
    "agent_framework.truncation": "agent-framework-truncation",
    "aider.ChatSummary": "aider-summary",
    "autogen.Buffered": "autogen-buffered",
    "autogen.HeadAndTail": "autogen-head-tail",
    "autogen.TokenLimited": "autogen-token-limited",
    "deepagents.truncate_args": "deepagents-args",
    "inspect_ai.CompactionEdit.compact": "inspect-edit",
    "inspect_ai.CompactionEdit.compaction": "inspect-edit",
    "inspect_ai.CompactionTrim.compact": "inspect-trim",
    "inspect_ai.CompactionTrim.compaction": "inspect-trim",
    "langchain.ClearToolUsesEdit": "langchain-clear",
    "langchain.SummarizationMiddleware": "langchain-summarize",
    "langchain_core.trim_messages": "langchain-trim",
    "openai_agents.ToolOutputTrimmer": "openai-agents-trimmer",
    "openhands.LLMSummarizingCondenser": "openhands-condenser",
    "semantic_kernel.TruncationReducer": "semantic-kernel-truncation",
    "strands.SlidingWindow.overflow": "strands-sliding",
    "strands.SlidingWindow.window": "strands-sliding",
}
"""The product's policy, or a mode of it, to our name. Strands' `per_turn` is a matter of replay."""
FILES = sorted(path.stem for path in SELECTION.glob("*.jsonl"))


def rows(folder: Path, name: str) -> Iterator[tuple[int, Row]]:
    with (folder / f"{name}.jsonl").open(encoding="utf8") as lines:
        for place, line in enumerate(lines):
            row = json.loads(line)
            if _can_be_run(row):
                yield place, row


def _can_be_run(row: Row) -> bool:
    """Not where the package raised, nor where it deletes a wrong message."""
    params = row["params"]
    editing = row["policy"].startswith("inspect_ai.CompactionEdit") and not params["keep_tool_inputs"]
    misled = editing and row.get("notes", {}).get("results_out_of_order")
    return row["policy"] in OURS and row["sent"] is not None and not misled and not params.get("model_fails")


def sent(row: Row) -> list[Body]:
    return [row["messages"][body] if isinstance(body, int) else body for body in row["sent"]]


def parsed(messages: Sequence[Body]) -> list[Body]:
    """Call arguments as values: products write the ones that they change in their own spacing."""
    return [
        {**body, "tool_calls": list(map(_parsed_call, body["tool_calls"]))} if body.get("tool_calls") else body
        for body in messages
    ]


def _parsed_call(call: Body) -> Body:
    return {**call, "function": {**call["function"], "arguments": json.loads(call["function"]["arguments"])}}


def ours(row: Row) -> list[Body]:
    params = dict(row["params"])
    text = params.pop("summary", "FIXED SUMMARY")
    params.pop("model_fails", None)
    name = OURS[row["policy"]]
    if "summarise" in POLICIES[name].extras:
        params["summarise"] = lambda head: text
    return checked_view(row["messages"], name, **params).messages


def unequal(folder: Path, name: str) -> list[int]:
    outcomes = {place: parsed(ours(row)) == parsed(sent(row)) for place, row in rows(folder, name)}
    assert outcomes
    return [place for place, equal in outcomes.items() if not equal]


@pytest.mark.parametrize("name", FILES)
def test_every_row_of_the_selection_gives_what_the_package_gave(name: str) -> None:
    assert unequal(SELECTION, name) == []


@needs_shared
@pytest.mark.parametrize("name", FILES)
def test_every_row_gives_what_the_package_gave(name: str) -> None:
    assert unequal(SHARED / "zoo", name) == []


def test_the_selection_holds_every_policy_changed_and_unchanged() -> None:
    found: dict[str, set[bool]] = {}
    for name in FILES:
        for _, row in rows(SELECTION, name):
            found.setdefault(row["policy"], set()).add(row["messages"] == sent(row))
    assert found.keys() == OURS.keys()
    assert {policy for policy, kinds in found.items() if len(kinds) < 2} == set()
