"""The fallback checkpoint: what a caller can say from the record alone, where no model has written one.

It is taken from the session, an earlier checkpoint included, is labelled a draft, and always fits the limit. The work
is bounded, whatever the length of what it stands for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

from inspector.message import Body, Context, ToolCall, calls_of, listed, text_of
from inspector.pairs import pairs_of
from inspector.policies.contract import LIMIT_BYTES, Checkpoint, CheckpointError, encode

LABEL = "Draft made from the recording by rule, not written by a model."
BEGAN, SAID = "The user began with: ", "The user said: "
NEWEST_OPERATIONS = 120
OPERATION_CHARS = 12_000
"""Of all operations together: a model writes a checkpoint of a few thousand tokens, and a draft stands in for one."""
NEWEST_REQUESTS = 24
LINE_CHARS = 240
OPENING_CHARS = 2_000
MOST_TURNS = 2**63 - 1
"""The largest count that the contract reads back."""


Answers: TypeAlias = Callable[[int, int], Body | None]
"""The result of a call, by the place of its message among the merged ones and its number there."""


def draft(
    merged: Sequence[Body],
    turns: int,
    pending: Sequence[ToolCall],
    earlier: Checkpoint | None,
    answers: Answers | None = None,
) -> Checkpoint:
    """A checkpoint of the messages that it replaces.

    Args:
        merged: the messages, oldest first; checkpoints and acknowledgements left out.
        turns: plain user messages among them.
        pending: calls that nothing has answered.
        earlier: a checkpoint that stood among them; it is absorbed.
        answers: which result answers which call, where that is known; else calls and results are paired here.
    """
    made = Checkpoint(
        version=1,
        history_summary="\n".join((LABEL, *_history(merged, earlier.history_summary if earlier else ""))),
        script_design=earlier.script_design if earlier else "",
        operation_history=_newest([*_kept(earlier, "operation_history"), *_operations(merged, answers)]),
        pending_tasks=[*_kept(earlier, "pending_tasks"), *(f"{call.name} {_line(call.arguments)}" for call in pending)],
        current_work=_line(_last_text(merged, "assistant")),
        next_step=earlier.next_step if earlier else "",
        decisions=_kept(earlier, "decisions"),
        constraints=_kept(earlier, "constraints"),
        user_preferences=_kept(earlier, "user_preferences"),
        compacted_turn_count=min(MOST_TURNS, turns + (earlier.compacted_turn_count if earlier else 0)),
    )
    return trimmed(made)


def trimmed(checkpoint: Checkpoint) -> Checkpoint:
    """The checkpoint, cut until it fits the limit: oldest operations first, then the longer texts."""
    while not _fits(checkpoint):
        operations = checkpoint.operation_history or []
        if operations:
            checkpoint = replace(checkpoint, operation_history=operations[len(operations) // 2 + 1 :])
        else:
            checkpoint = _halved(checkpoint)
    return checkpoint


def _fits(checkpoint: Checkpoint) -> bool:
    try:
        return len(encode(checkpoint).encode("utf-8", "replace")) <= LIMIT_BYTES
    except CheckpointError:
        return False


def _halved(checkpoint: Checkpoint) -> Checkpoint:
    def text(value: str) -> str:
        return value[: len(value) // 2]

    def newest(values: Sequence[str] | None) -> list[str]:
        return list(values or ())[len(values or ()) // 2 + 1 :]

    return replace(
        checkpoint,
        history_summary=text(checkpoint.history_summary),
        script_design=text(checkpoint.script_design),
        current_work=text(checkpoint.current_work),
        next_step=text(checkpoint.next_step),
        pending_tasks=newest(checkpoint.pending_tasks),
        decisions=newest(checkpoint.decisions),
        constraints=newest(checkpoint.constraints),
        user_preferences=newest(checkpoint.user_preferences),
    )


def _kept(earlier: Checkpoint | None, name: str) -> list[str]:
    return list(getattr(earlier, name) or []) if earlier else []


def _history(merged: Sequence[Body], earlier: str) -> list[str]:
    """What an earlier checkpoint says, how the user began, and the newest requests, those that a draft had included."""
    drafted = earlier.startswith(LABEL)
    before = [line for line in earlier.removeprefix(LABEL).strip().split("\n") if line]
    said = [line for line in before if line.startswith(SAID)] if drafted else []
    told = [line for line in before if not (drafted and line.startswith(SAID))]
    began = any(line.startswith(BEGAN) for line in told)
    return [*told, *([] if began else _opening(merged)), *[*said, *_requests(merged)][-NEWEST_REQUESTS:]]


def _newest(operations: list[str]) -> list[str]:
    """As many of the newest as there is room for."""
    chars, first = 0, len(operations)
    while (
        first and len(operations) - first < NEWEST_OPERATIONS and chars + len(operations[first - 1]) < OPERATION_CHARS
    ):
        first -= 1
        chars += len(operations[first])
    return operations[first:]


def _opening(merged: Sequence[Body]) -> list[str]:
    first = next((text_of(body) for body in merged[:20] if body.get("role") == "user"), "")
    return [f"{BEGAN}{_clean(first[:OPENING_CHARS])}"] if first.strip() else []


def _requests(merged: Sequence[Body]) -> list[str]:
    found: list[str] = []
    for body in reversed(merged):
        if body.get("role") == "user" and text_of(body).strip():
            found.append(f"{SAID}{_line(text_of(body))}")
        if len(found) == NEWEST_REQUESTS:
            break
    return found[::-1]


def _operations(merged: Sequence[Body], answers: Answers | None) -> list[str]:
    """The newest calls, each with what the machine answered."""
    first = _newest_calling(merged)
    answer = answers or _paired(merged)
    found: list[str] = []
    for place in range(first, len(merged)):
        body = merged[place]
        for number, call in enumerate(calls_of(body) if body.get("tool_calls") else ()):
            result = answer(place, number)
            found.append(_operation(call, None if result is None else text_of(result)))
    return found


def _paired(merged: Sequence[Body]) -> Answers:
    first = _newest_calling(merged)
    newest = Context(merged[first:], listed(""), range(len(merged) - first))
    answered = {(row, call): result for row, call, result in pairs_of(newest).pairs}

    def answer(place: int, number: int) -> Body | None:
        row = answered.get((place - first, number))
        return None if row is None else newest.messages[row]

    return answer


def _newest_calling(merged: Sequence[Body]) -> int:
    """The place from which on there are calls enough."""
    calls, place = 0, len(merged)
    while place and calls < NEWEST_OPERATIONS:
        place -= 1
        calls += len(calls_of(merged[place])) if merged[place].get("tool_calls") else 0
    return place


def _operation(call: ToolCall, result: str | None) -> str:
    answer = "no result recorded" if result is None else _line(result) or "(empty result)"
    return f"{_clean(call.name)} {_line(call.arguments)}: {answer}"


def _last_text(merged: Sequence[Body], role: str) -> str:
    texts: Iterator[str] = (text_of(body) for body in reversed(merged) if body.get("role") == role)
    return next((text for text in texts if text.strip()), "")


def _line(text: str) -> str:
    words = " ".join(text[: LINE_CHARS + 60].split())
    if len(words) <= LINE_CHARS < len(text):  # much white space
        words = " ".join(text[: 4 * LINE_CHARS].split())
    return _clean(words if len(words) <= LINE_CHARS else f"{words[: LINE_CHARS - 1]}…")


def _clean(text: str) -> str:
    """A text that UTF-8 can hold: half of a surrogate pair becomes U+FFFD."""
    return text.encode("utf-8", "replace").decode() if not text.isascii() else text
