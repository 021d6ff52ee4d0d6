"""What is loaded when: an agent that only compacts pays neither for an interface nor for a tokenizer."""

import subprocess
import sys

import pytest

INTERFACE = ("textual", "rich.console", "click", "inspector.cli", "inspector.tui")
COUNTING = ("toktok", "tiktoken")
MESSAGES = "[{'role': 'user', 'content': 'hi'}, {'role': 'tool', 'content': 'x' * 9000}]"
COMPACTING = f"""
from inspector.formats import from_messages
from inspector.policies import POLICIES, compact
from inspector.policies.breakage import findings
for policy in POLICIES:
    view = compact(from_messages({MESSAGES}), policy)
    view.messages, view.notes, view.plan.stats(), findings(view.plan)
"""


def loaded(code: str) -> set[str]:
    """The modules that a fresh interpreter has loaded after `code`."""
    script = f"{code}\nimport sys\nprint(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split("\n")[-2].split())


@pytest.mark.parametrize(
    "code", ["import inspector", "import inspector.policies", "import inspector.formats", COMPACTING]
)
def test_the_core_loads_neither_an_interface_nor_a_tokenizer(code: str) -> None:
    assert {*INTERFACE, *COUNTING} & loaded(code) == set()


def test_inspector_alone_is_light() -> None:
    assert [name for name in loaded("import inspector") if name.startswith("inspector.")] == []
    assert "orjson" not in loaded("import inspector")


def test_a_count_loads_what_it_counts_with_and_no_interface() -> None:
    modules = loaded(f"{COMPACTING}\nassert view.tokens")
    assert set(COUNTING) & modules
    assert set(INTERFACE) & modules == set()
