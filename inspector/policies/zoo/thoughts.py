"""What a model has thought, in messages of any provider: found, and taken out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inspector.message import Body

TEXTS = ("thinking", "reasoning_content", "reasoning")
"""Where messages hold what a model thinks, by whatever name."""
THOUGHTS = frozenset((*TEXTS, "thinking_blocks"))
THOUGHT_PARTS = ("thinking", "redacted_thinking")


def thinks(body: Body) -> bool:
    """Whether a message holds any thinking, signed and redacted blocks included."""
    content = body.get("content")
    said = any(body.get(key) for key in TEXTS) or any(map(_is_thought_block, _blocks(body)))
    return said or (isinstance(content, list) and any(map(_is_thought, content)))


def _blocks(body: Body) -> Sequence[Any]:
    blocks = body.get("thinking_blocks")
    return blocks if isinstance(blocks, list) else ()


def _is_thought_block(block: Any) -> bool:
    """Whether a block is a thought; a provider's encrypted summary, which is kept beside thoughts, is none."""
    return not (isinstance(block, dict) and str(block.get("type")).startswith("compaction"))


def _is_thought(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") in THOUGHT_PARTS


def without_thinking(body: Body) -> Body:
    """A message without its thinking, signed and redacted blocks included."""
    new = {key: value for key, value in body.items() if key not in THOUGHTS}
    if summaries := [block for block in _blocks(body) if not _is_thought_block(block)]:
        new["thinking_blocks"] = summaries
    content: Sequence[Any] | None = new.get("content")
    if isinstance(content, list) and any(map(_is_thought, content)):
        new["content"] = [part for part in content if not _is_thought(part)]
    return new
