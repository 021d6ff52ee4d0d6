"""What the doctor must know of a format: whose it is, how calls and results stand in it, who keeps what apart."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from inspector.doctor.targets import Provider


class Layout(StrEnum):
    """Which adapter reads a format, and so what its turns and parts are."""

    MESSAGES = "messages"
    """OpenAI's messages, the file's own: a result is a message."""
    BLOCKS = "blocks"
    """Messages of content blocks: results stand in the user's messages."""
    ITEMS = "items"
    """Responses items: every item is a turn."""
    PARTS = "parts"
    """Gemini contents: responses stand in the user's contents, often without ids."""
    ROWS = "rows"
    """A client's own record, examined as the messages that it was loaded as, with their places in the file."""


@dataclass(frozen=True, slots=True)
class Shape:
    """How a format is examined."""

    layout: Layout
    provider: Provider
    merged: bool = True
    """A run of assistant messages is one turn: its results may follow the last of them."""
    anywhere: bool = False
    """A result may stand anywhere after its call."""
    whole_results: bool = True
    """One entry is one result, so that a result's place is its entry; else it is a block or a part."""
    strict_arguments: bool = False
    """Arguments are strings that are sent as they are."""
    entry: str = ""
    """Pointer below a line at which its message stands; findings about a message point at the line."""
    drops_aborted: bool = False
    """The client leaves answers out that were aborted or failed."""
    links: tuple[str, ...] = ()
    """In a file whose lines name their parents: the key of a line's id, then those that may name the parent."""
    moves_notes: bool = False
    """The client moves its own remarks behind the results when it sends them."""


_CHAT = Shape(Layout.MESSAGES, Provider.OPENAI, merged=False, strict_arguments=True)
_CLIENT = Shape(Layout.ROWS, Provider.ANY)
_BLOCKS = Shape(Layout.BLOCKS, Provider.ANTHROPIC, whole_results=False)

SHAPES: dict[str, Shape] = {
    "messages": _CHAT,
    "openai_chat": _CHAT,
    "openai_batch": _CHAT,
    "anthropic": _BLOCKS,
    "bedrock_converse": Shape(Layout.BLOCKS, Provider.BEDROCK, whole_results=False),
    "claude_code": Shape(
        Layout.BLOCKS, Provider.ANTHROPIC, whole_results=False, entry="/message", moves_notes=True,
        links=("uuid", "parentUuid", "logicalParentUuid"),
    ),
    "claude_stream_json": Shape(
        Layout.BLOCKS, Provider.ANTHROPIC, whole_results=False, entry="/message", moves_notes=True
    ),
    "openai_responses": Shape(Layout.ITEMS, Provider.OPENAI, anywhere=True, strict_arguments=True),
    "codex": Shape(Layout.ITEMS, Provider.OPENAI, anywhere=True, strict_arguments=True),
    "gemini_contents": Shape(Layout.PARTS, Provider.GEMINI, merged=False, whole_results=False),
    "gemini_cli": Shape(Layout.ROWS, Provider.GEMINI, whole_results=False),
    "ollama": Shape(Layout.MESSAGES, Provider.OLLAMA, merged=False),
    "opencode_export": Shape(Layout.ROWS, Provider.ANY, whole_results=False),
    "opencode_storage": Shape(Layout.ROWS, Provider.ANY, whole_results=False),
    "opencode_events": Shape(Layout.ROWS, Provider.ANY, whole_results=False),
    "pi": Shape(Layout.ROWS, Provider.ANY, drops_aborted=True, links=("id", "parentId")),
}  # fmt: skip


def shape_of(format: str) -> Shape:
    """How a format is examined; one that is not listed is a client's own record."""
    return SHAPES.get(format, _CLIENT)
