"""Whose policies are offered first for sessions of a format: those of the products that write or take it.

Told in names of modules of this package, for none is imported to say so. Formats that everybody writes, such as
OpenAI's chat messages, are nobody's.
"""

from collections.abc import Mapping

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
"""The modules of those products, by the name of the format; the first is offered first."""
