"""Whose policies are offered first for a session."""

import subprocess
import sys

import pytest

from inspector.formats import FORMATS, load
from inspector.policies import POLICIES, offered_for, zoo
from inspector.policies.zoo import WRITERS
from tests.shared import SHARED, needs_shared

FIRST = {
    "aider-zen-mcp.md": ("aider-summary",),
    "anthropic-pydantic-tools.json": ("anthropic-clear-tools", "anthropic-clear-thinking"),
    "claude_code-compaction.jsonl": ("claude-code-microcompact", "anthropic-clear-tools", "anthropic-clear-thinking"),
    "claude_stream-02-tool-use-read.jsonl": ("claude-code-microcompact",),
    "cline-sdk-session.messages.json": ("cline-basic", "cline-half"),
    "codex-compaction.jsonl": ("codex-cap", "codex-compact"),
    "gemini-stage0-v040.jsonl": ("gemini-mask",),
    "inspect-browser.json": ("inspect-edit", "inspect-trim"),
    "langchain-deepagents-seed.json": (
        "langchain-clear", "langchain-trim", "langchain-summarize", "deepagents-args",
    ),
    "openai_responses-pydantic-retry.json": ("openai-agents-trimmer",),
    "opencode-events-parallel-tasks.jsonl": ("opencode-prune",),
    "opencode-storage-v2": ("opencode-prune",),
    "openhands-sdk-goal-events.jsonl": ("openhands-condenser",),
    "pi-session-v1.jsonl": ("pi-cut",),
    "sweagent-pydicom.traj": ("swe-agent-last-n",),
}  # fmt: skip
"""A session of each product that has a format of its own, and the policies that its list begins with."""


@needs_shared
@pytest.mark.parametrize("name", FIRST)
def test_a_session_of_a_product_is_offered_its_policies_first(name: str) -> None:
    session = load(SHARED / "sessions" / name, index=0)
    assert offered_for(session.format)[: len(FIRST[name])] == FIRST[name]


@pytest.mark.parametrize("form", [*WRITERS, "openai_chat", "no such format"])
def test_every_policy_is_offered_once_and_the_rest_in_its_order(form: str) -> None:
    names, order = offered_for(form), list(POLICIES)
    assert sorted(names) == sorted(order)
    rest = [name for name in names if name not in _own(form)]
    assert rest == [name for name in order if name not in _own(form)]


def _own(form: str) -> set[str]:
    return {name for name, home in zoo.HOMES.items() if home.rpartition(".")[2] in WRITERS.get(form, ())}


def test_a_format_that_everybody_writes_changes_nothing() -> None:
    assert offered_for("openai_chat") == tuple(POLICIES)


def test_formats_and_products_of_the_table_exist() -> None:
    assert {form.name for form in FORMATS} >= set(WRITERS)
    homes = {home.rpartition(".")[2] for home in zoo.HOMES.values()}
    assert {module for modules in WRITERS.values() for module in modules} <= homes


def test_no_product_is_imported_to_say_so() -> None:
    says = "import sys; from inspector.policies import offered_for; offered_for('codex'); print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", says], capture_output=True, text=True, check=True)
    assert not any(module in ran.stdout.split() for module in zoo.HOMES.values())
