"""No test of the screen reads or writes what a person's own runs remember."""

from pathlib import Path

import pytest

from inspector.tui import at_rest

MOVING = (
    *("CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "QWEN_HOME", "QWEN_RUNTIME_DIR", "XDG_DATA_HOME"),
    *("XDG_CONFIG_HOME", "GOOSE_PATH_ROOT", "PI_CODING_AGENT_DIR", "PI_CODING_AGENT_SESSION_DIR", "CLINE_DIR"),
    *("CLINE_DATA_DIR", "CLINE_SESSION_DATA_DIR", "VSCODE_PORTABLE", "COPILOT_HOME", "KIMI_CODE_HOME"),
    *("KIMI_SHARE_DIR", "OPENHANDS_PERSISTENCE_DIR", "OPENHANDS_CONVERSATIONS_DIR", "MSWEA_GLOBAL_CONFIG_DIR"),
)
"""What moves the folders in which tools keep their sessions."""


@pytest.fixture(autouse=True)
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder in which no tool has recorded anything."""
    folder = tmp_path / "machine"
    monkeypatch.setenv("HOME", str(folder))
    for name in MOVING:
        monkeypatch.delenv(name, raising=False)
    return folder


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """The doctor, whom a person's drag would miss, looks at once: nearly every test waits for it."""
    monkeypatch.setattr(at_rest, "LONGER_REST", 0.02)


@pytest.fixture(autouse=True)
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for what is remembered."""
    folder = tmp_path / "config"
    monkeypatch.setenv("INSPECTOR_CONFIG_DIR", str(folder))
    return folder
