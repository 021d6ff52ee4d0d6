"""Whom a session is checked for: a provider with the special rules of one kind of model, or the file's own.

A target judges by its own rules alone; `native` is the provider whose format the file is in. No special rule is
inferred from the model that a file names (TAXONOMY.md, "Anchors and who may repair").
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass, replace
from enum import StrEnum


class Provider(StrEnum):
    """Whose rules hold."""

    OPENAI = "openai"
    ANTHROPIC = "anthropic"
    BEDROCK = "bedrock"
    MISTRAL = "mistral"
    DEEPSEEK = "deepseek"
    GEMINI = "gemini"
    OLLAMA = "ollama"
    TEMPLATE = "template"
    """A server that renders messages with a strict chat template."""
    ANY = "any"
    """A client's own record, which it turns into requests for one provider or another."""


@dataclass(frozen=True, slots=True)
class Target:
    """A profile that a session is judged by."""

    name: str
    provider: Provider
    help: str
    reasoning_back: bool = False
    """The model wants the reasoning of its tool loop back as text."""
    signed_calls: bool = False
    """The model wants the signatures of its calls back."""
    reasoning_items: bool = False
    """Calls are refused without the reasoning items that led to them."""

    @property
    def native(self) -> bool:
        """Whether the target is the provider of the file's own format."""
        return self.name == NATIVE

    def for_provider(self, provider: Provider) -> Target:
        """The target to judge a file of that provider by: `native` becomes it, any other stays what it is."""
        return replace(self, provider=provider) if self.native else self


class UnknownTarget(ValueError):
    """A target that there is not; `str` is a sentence that says which there are."""


NATIVE = "native"
ALL = "all"
TARGETS: dict[str, Target] = {
    target.name: target
    for target in (
        Target(NATIVE, Provider.ANY, "The provider whose format the file is in."),
        Target("openai", Provider.OPENAI, "OpenAI, by Chat Completions or Responses."),
        Target("openai-reasoning", Provider.OPENAI, "OpenAI's reasoning models: calls need the reasoning before them.",
               reasoning_items=True),
        Target("openai-non-reasoning", Provider.OPENAI, "OpenAI's models without reasoning."),
        Target("anthropic", Provider.ANTHROPIC, "Anthropic Messages."),
        Target("bedrock", Provider.BEDROCK, "Amazon Bedrock, by Converse."),
        Target("mistral", Provider.MISTRAL, "Mistral: ids of nine letters or digits, no user message after a result."),
        Target("deepseek", Provider.DEEPSEEK, "DeepSeek without thinking."),
        Target("deepseek-thinking", Provider.DEEPSEEK, "DeepSeek with thinking: reasoning goes back with each call.",
               reasoning_back=True),
        Target("gemini-2.5", Provider.GEMINI, "Gemini up to 2.5."),
        Target("gemini-3", Provider.GEMINI, "Gemini 3: calls of the current turn keep their thought signatures.",
               signed_calls=True),
        Target("strict-template", Provider.TEMPLATE, "A local server whose chat template wants roles to alternate."),
        Target("ollama", Provider.OLLAMA, "Ollama: pictures are bare base64."),
    )
}  # fmt: skip
"""Every target, by name, in the order in which they are listed."""


def target_named(name: str) -> Target:
    """The target of that name. Raises `UnknownTarget`."""
    if name in TARGETS:
        return TARGETS[name]
    near = difflib.get_close_matches(name, TARGETS, 1)
    hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(TARGETS)}"
    raise UnknownTarget(f"there is no target {name[:60]!r}; {hint}")
