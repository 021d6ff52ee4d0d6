"""What Inspect's compactions take out of the calls of its memory tool: the texts that are saved by them."""

from __future__ import annotations

from inspector.message import Context, ToolCall
from inspector.policies.zoo import arguments
from inspector.policies.zoo.exchanges import Exchanges

SAVED = "(content saved to memory)"
MEMORY_TOOL = "memory"
MEMORY_FIELDS = ("file_text", "insert_text", "new_str")


def memorised(name: str, given: str) -> str:
    """The arguments of a call, without the texts that it put into memory."""
    args = arguments.read(given) if name == MEMORY_TOOL else None
    if not isinstance(args, dict) or not any(field in args for field in MEMORY_FIELDS):
        return given
    new = {key: SAVED if key in MEMORY_FIELDS else value for key, value in args.items()}
    return given if new == args else arguments.write(new)


def _remembers(call: ToolCall) -> bool:
    return memorised(call.name, call.arguments) != call.arguments


def memory_rows(context: Context) -> list[int]:
    """Rows with a call that puts a text into memory."""
    calls = context.derived(Exchanges).calls
    named = sorted({row for row, made in calls.items() for call in made if call.name == MEMORY_TOOL})
    return [row for row in named if any(map(_remembers, calls[row]))]
