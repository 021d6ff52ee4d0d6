"""What agent products do to their context: their compaction policies, one file a product, over shared primitives.

`HOMES` says which module holds which policy, so that none is imported before one of its policies is asked for. Each
module has a tuple `POLICIES`. The exact rules are those of ZOO.md and POLICIES.md.
"""

from collections.abc import Mapping

_MODULES = {
    "langchain": ("langchain-clear", "langchain-trim", "langchain-summarize"),
    "deepagents": ("deepagents-args",),
    "inspect_ai": ("inspect-edit", "inspect-trim"),
    "strands": ("strands-sliding",),
    "agent_framework": (
        "agent-framework-truncation", "agent-framework-sliding", "agent-framework-selective",
        "agent-framework-tool-result", "agent-framework-context-window", "agent-framework-token-budget",
    ),
    "semantic_kernel": ("semantic-kernel-truncation",),
    "autogen": ("autogen-buffered", "autogen-head-tail", "autogen-token-limited"),
    "adk": ("adk-context-filter",),
    "openai_agents": ("openai-agents-trimmer",),
    "openhands": ("openhands-condenser",),
    "aider": ("aider-summary",),
    "opencode": ("opencode-prune",),
    "gemini": ("gemini-mask",),
    "anthropic": ("anthropic-clear-tools", "anthropic-clear-thinking"),
    "claude_code": ("claude-code-microcompact",),
    "swe_agent": ("swe-agent-last-n",),
    "codex": ("codex-cap", "codex-compact"),
    "cline": ("cline-basic", "cline-half"),
    "pi": ("pi-cut",),
}  # fmt: skip

HOMES: Mapping[str, str] = {
    name: f"inspector.policies.zoo.{module}" for module, names in _MODULES.items() for name in names
}
"""The module of each policy, in the order in which they are offered."""

WRITERS: Mapping[str, tuple[str, ...]] = {
    "aider_md": ("aider",),
    "anthropic": ("anthropic",),
    "bedrock_converse": ("strands",),
    "claude_code": ("claude_code", "anthropic"),
    "claude_stream_json": ("claude_code", "anthropic"),
    "cline": ("cline",),
    "codex": ("codex",),
    "gemini_cli": ("gemini",),
    "gemini_contents": ("gemini", "adk"),
    "inspect": ("inspect_ai",),
    "langchain": ("langchain", "deepagents"),
    "openai_responses": ("openai_agents",),
    "opencode_events": ("opencode",),
    "opencode_export": ("opencode",),
    "opencode_storage": ("opencode",),
    "openhands_v0": ("openhands",),
    "openhands_v1": ("openhands",),
    "pi": ("pi",),
    "swe_agent": ("swe_agent",),
}
"""The modules of the products that write a format, or take it, by its name: their policies are offered first for its
sessions. Formats that everybody writes, such as OpenAI's chat messages, are nobody's."""
