"""A summary without a model: what an offline view shows where a product would ask one.

It quotes, and invents nothing: the first and the latest requests, the latest steps in the agent's own words, the last
results. The work is bounded, whatever the length of what it stands for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from inspector.message import Body, calls_of, text_of

LABEL = "(offline extract; a model would have written a summary here)"
LOOKED_AT = 60
"""Messages looked at from either end."""
LINE_CHARS = 160


def stand_in_summary(messages: Sequence[Body]) -> str:
    """An extract of the messages: at most some 30 lines, labelled as no model's work."""
    first, last = messages[:LOOKED_AT], messages[max(0, len(messages) - LOOKED_AT) :]
    sections = [
        (LABEL, [f"{len(messages):,} messages are replaced."]),
        ("Asked at the beginning:", _texts(first, "user")[:2]),
        ("Asked most recently:", _texts(last, "user")[-3:]),
        ("Latest steps:", _steps(last)[-8:]),
        ("Latest answers of the machine:", _texts(last, "tool")[-4:]),
    ]
    return "\n\n".join("\n".join((head, *lines)) for head, lines in sections if lines)


def _texts(messages: Iterable[Body], role: str) -> list[str]:
    texts = (text_of(body) for body in messages if body.get("role") == role)
    return [f"- {_line(text)}" for text in texts if text.strip()]


def _steps(messages: Iterable[Body]) -> list[str]:
    steps = []
    for body in messages:
        if body.get("role") == "assistant":
            called = ", ".join(f"{call.name}({_line(call.arguments, 60)})" for call in calls_of(body))
            said = _line(text_of(body))
            steps.append(f"- {said}{' -> ' if said and called else ''}{called}")
    return [step for step in steps if step != "- "]


def _line(text: str, limit: int = LINE_CHARS) -> str:
    words = " ".join(text[: limit * 4].split())
    return words if len(words) <= limit else f"{words[: limit - 1]}…"
