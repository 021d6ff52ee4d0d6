"""Where the tools of this machine keep their sessions: their folders, and the variables that move those.

One table, told in words of paths. Nothing is looked at here. The sources are each tool's own documentation or code
(FORMATS.md, "Where", and what is named beside an entry); a variable that is set to nothing counts as not set.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

Opens: TypeAlias = Literal["file", "folder", "store"]
"""What is opened for a file that matches: the file, the folder that it lies in, or the home with all its sessions."""


@dataclass(frozen=True, slots=True)
class Machine:
    """What decides where folders lie."""

    environ: Mapping[str, str]
    home: str
    platform: str
    """As `sys.platform` names it."""

    def moved(self, *variables: str, otherwise: str) -> str:
        """The folder that the first of the variables names, else one under the home folder."""
        named = (self.environ.get(name, "").strip() for name in variables)
        given = next(filter(None, named), None)
        return self.at(otherwise) if given is None else self.at(given)

    def at(self, path: str) -> str:
        """A path as the tools read it: `~` and what is relative is under the home folder."""
        inside = path[1:].lstrip("/\\") if path.startswith("~") else path
        return os.path.join(self.home, *inside.split("/")) if not os.path.isabs(inside) else inside

    @property
    def data(self) -> str:
        """Where programs keep data by the XDG rules, which the tools here follow on every platform."""
        return self.moved("XDG_DATA_HOME", otherwise=".local/share")

    @property
    def config(self) -> str:
        """Where editors keep what is a user's own."""
        if self.platform == "darwin":
            return self.at("Library/Application Support")
        if self.platform == "win32":
            return self.moved("APPDATA", otherwise="AppData/Roaming")
        return self.moved("XDG_CONFIG_HOME", otherwise=".config")


@dataclass(frozen=True, slots=True)
class Home:
    """A folder in which a tool keeps sessions."""

    tool: str
    format: str
    """Short name of the format; what is opened is recognised by its content all the same."""
    folder: str
    pattern: str
    """Which files under it are sessions: `*` within a name, `/` between names; the depth is fixed."""
    opens: Opens = "file"
    by_project: bool = False
    """Whether what the first `*` stands for names the project."""


def homes(machine: Machine) -> Iterator[Home]:
    """Every folder to look into, whether it is there or not."""
    yield from _claude(machine)
    yield from _codex(machine)
    yield from _gemini_and_qwen(machine)
    yield from _opencode_and_goose(machine)
    yield from _pi(machine)
    yield from _cline(machine)
    yield from _others(machine)


def _claude(machine: Machine) -> Iterator[Home]:
    """`CLAUDE_CONFIG_DIR` moves all of it; versions 1.0.30 and later may use the XDG folder."""
    moved = machine.moved("CLAUDE_CONFIG_DIR", otherwise=".claude")
    yield Home("Claude Code", "claude_code", moved, "projects/*/*.jsonl", by_project=True)
    if not machine.environ.get("CLAUDE_CONFIG_DIR", "").strip():
        other = os.path.join(machine.moved("XDG_CONFIG_HOME", otherwise=".config"), "claude")
        yield Home("Claude Code", "claude_code", other, "projects/*/*.jsonl", by_project=True)


def _codex(machine: Machine) -> Iterator[Home]:
    folder = machine.moved("CODEX_HOME", otherwise=".codex")
    for pattern in (
        "sessions/*/*/*/rollout-*.jsonl*",
        "sessions/rollout-*.json*",
        "archived_sessions/rollout-*.jsonl*",
    ):
        yield Home("Codex", "codex", folder, pattern)


def _gemini_and_qwen(machine: Machine) -> Iterator[Home]:
    """`GEMINI_CLI_HOME` stands for the home folder itself; of Qwen's two the runtime folder goes first."""
    gemini = os.path.join(machine.moved("GEMINI_CLI_HOME", otherwise=""), ".gemini")
    for pattern in ("tmp/*/chats/session-*.json", "tmp/*/chats/session-*.jsonl"):
        yield Home("Gemini CLI", "gemini_cli", gemini, pattern, by_project=True)
    yield Home("Gemini CLI", "gemini_contents", gemini, "tmp/*/checkpoint-*.json", by_project=True)
    qwen = machine.moved("QWEN_RUNTIME_DIR", "QWEN_HOME", otherwise=".qwen")
    for pattern in ("projects/*/chats/*.jsonl", "tmp/*/chats/*.jsonl"):
        yield Home("Qwen Code", "qwen_cli", qwen, pattern, by_project=True)


def _opencode_and_goose(machine: Machine) -> Iterator[Home]:
    """`GOOSE_PATH_ROOT` holds `data`; on Windows goose keeps it under Block (etcetera's native strategy)."""
    opencode = os.path.join(machine.data, "opencode")
    yield Home("opencode", "opencode_storage", opencode, "opencode*.db", "store")
    yield Home("opencode", "opencode_storage", os.path.join(opencode, "storage"), "session/*/*.json", "store")
    root = machine.environ.get("GOOSE_PATH_ROOT", "").strip()
    if root:
        goose = os.path.join(machine.at(root), "data")
    elif machine.platform == "win32":
        goose = os.path.join(machine.config, "Block", "goose", "data")
    else:
        goose = os.path.join(machine.data, "goose")
    yield Home("goose", "goose", goose, "sessions/sessions.db", "store")
    yield Home("goose", "goose", goose, "sessions/*.jsonl")


def _pi(machine: Machine) -> Iterator[Home]:
    agent = machine.moved("PI_CODING_AGENT_DIR", otherwise=".pi/agent")
    sessions = machine.environ.get("PI_CODING_AGENT_SESSION_DIR", "").strip()
    folder = machine.at(sessions) if sessions else os.path.join(agent, "sessions")
    yield Home("pi", "pi", folder, "*/*.jsonl", by_project=True)
    yield Home("pi", "pi", folder, "*.jsonl")


EDITORS = ("Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf", "Trae", "Kiro", "Antigravity")
SERVERS = (".vscode-server", ".vscode-server-insiders", ".vscodium-server", ".cursor-server", ".windsurf-server")
"""What the editors leave on a machine that they are connected to."""
EXTENSIONS = (
    ("Cline", "saoudrizwan.claude-dev"),
    ("Roo Code", "rooveterinaryinc.roo-cline"),
    ("Kilo Code", "kilocode.kilo-code"),
)


def _cline(machine: Machine) -> Iterator[Home]:
    """Cline and its forks in the editors' storage; Cline's command line in a folder of its own, moved at any level."""
    task = "tasks/*/api_conversation_history.json"
    users = [os.path.join(machine.config, editor, "User") for editor in EDITORS]
    users += [os.path.join(machine.at(server), "data", "User") for server in SERVERS]
    portable = machine.environ.get("VSCODE_PORTABLE", "").strip()
    users += [os.path.join(machine.at(portable), "user-data", "User")] if portable else []
    for user in users:
        for tool, extension in EXTENSIONS:
            yield Home(tool, "cline", os.path.join(user, "globalStorage", extension), task, "folder")
    root = machine.moved("CLINE_DIR", otherwise=".cline")
    data = machine.environ.get("CLINE_DATA_DIR", "").strip()
    folder = machine.at(data) if data else os.path.join(root, "data")
    yield Home("Cline", "cline", folder, task, "folder")
    sessions = machine.environ.get("CLINE_SESSION_DATA_DIR", "").strip()
    yield Home("Cline", "cline", machine.at(sessions) if sessions else os.path.join(folder, "sessions"),
               "*/*.messages.json")  # fmt: skip


def _others(machine: Machine) -> Iterator[Home]:
    copilot = machine.moved("COPILOT_HOME", otherwise=".copilot")
    for pattern in ("session-state/*/events.jsonl", "session-state/*.jsonl", "history-session-state/*.json"):
        yield Home("Copilot CLI", "copilot_cli", copilot, pattern)
    kimi = machine.moved("KIMI_CODE_HOME", otherwise=".kimi-code")
    yield Home("Kimi CLI", "kimi_cli", kimi, "sessions/*/*/agents/main/wire.jsonl", by_project=True)
    older = machine.moved("KIMI_SHARE_DIR", otherwise=".kimi")
    yield Home("Kimi CLI", "openai_chat", older, "sessions/*/*/context.jsonl", by_project=True)
    for pattern in ("sessions/*/*.jsonl", "sessions/*.jsonl"):
        yield Home("Droid", "droid_cli", machine.at(".factory"), pattern, by_project=pattern.count("*") > 1)
    for pattern in ("projects/*/agent-transcripts/*.jsonl", "projects/*/agent-transcripts/*/*.jsonl"):
        yield Home("Cursor", "cursor_cli", machine.at(".cursor"), pattern, by_project=True)
    hands = machine.moved("OPENHANDS_PERSISTENCE_DIR", otherwise=".openhands")
    talks = machine.environ.get("OPENHANDS_CONVERSATIONS_DIR", "").strip()
    yield Home("OpenHands", "openhands_v1", machine.at(talks) if talks else os.path.join(hands, "conversations"),
               "*/base_state.json", "folder")  # fmt: skip
    mini = machine.environ.get("MSWEA_GLOBAL_CONFIG_DIR", "").strip()
    folder = machine.at(mini) if mini else os.path.join(machine.config, "mini-swe-agent")
    yield Home("mini-swe-agent", "mini_swe_agent", folder, "*.traj.json")
