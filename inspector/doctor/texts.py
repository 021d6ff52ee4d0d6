"""What texts hold that other programs stumble over: names of special tokens, control sequences, summaries."""

from __future__ import annotations

import re
from collections.abc import Iterator

from inspector.doctor.native import Kind, Native, Part, Role, Turn, text_of, texts_in
from inspector.doctor.pairing import Pairing
from inspector.doctor.report import about_part
from inspector.doctor.targets import Target
from inspector.finding import Finding

SPECIAL = re.compile(
    r"<\|(?:endoftext|endofprompt|fim_(?:prefix|middle|suffix)|im_(?:start|end|sep)|start|end|channel|message)\|>"
)
"""Special tokens of OpenAI's encodings and of ChatML (tiktoken, openai_public.py)."""
CONTROLS = ("\x1b", "\x9b", "\x07", "\x08")
"""What begins a sequence that terminals obey (ECMA-48: ESC and CSI), a bell, a backspace."""
SUMMARY = re.compile(
    r"\s*(?:This session is being continued from a previous conversation|<state_snapshot>|<conversation_summary>"
    r"|Another (?:language model|assistant) (?:started|worked)|The conversation history before this point was compacted"
    r"|\[?(?:Context|Conversation|Previous conversation) (?:compaction|summary)\b"
    r"|Here is a summary of (?:the|our) conversation"
    r"|(?:\W{0,4}(?:here|this) is (?:a|the) )?\W{0,4}"
    r"(?:(?:conversation|context|session|previous|earlier|compacted) ){0,2}(?:history )?summary\b)",
    re.IGNORECASE,
)
"""How the summaries begin that known tools write as a user's message."""
_BEGINNING = 300
"""Characters in which a summary says that it is one."""


def odd_texts(native: Native, pairing: Pairing, target: Target) -> Iterator[Finding]:
    """Texts with special tokens' names or control sequences."""
    for part in native.by_kind[Kind.TEXT]:
        text = text_of(part)
        if is_odd(text):
            yield from _odd(native.turn_of(part), part, text)
    for part, said in native.said:
        for text in texts_in(said.value):
            if is_odd(text):
                yield from _odd(native.turn_of(part), part, text, said.pointer)


def is_odd(text: str) -> bool:
    """Whether a text is worth a second look: the quick question, asked of everything."""
    special = "<" in text and "<|" in text  # one character is looked for at many times the speed of two
    return special or "\x1b" in text or "\x9b" in text or "\x07" in text or "\x08" in text


def _odd(turn: Turn, part: Part, text: str, inner: str = "") -> Iterator[Finding]:
    if "<|" in text and SPECIAL.search(text):
        yield about_part("special-token-text", turn, part, "a text names a special token of tokenizers", inner=inner)
    if any(control in text for control in CONTROLS):
        yield about_part(
            "control-sequence-text",
            turn,
            part,
            "a text holds control sequences that a terminal would obey",
            inner=inner,
        )


def summaries(native: Native, pairing: Pairing, target: Target) -> Iterator[Finding]:
    """Summaries of an earlier compaction that stand as a user's message."""
    for part in native.by_kind[Kind.TEXT]:
        turn = native.turn_of(part)
        if turn.role == Role.USER and SUMMARY.match(text_of(part)[:_BEGINNING]):
            yield about_part(
                "summary-as-user-message", turn, part, "the summary of a compaction stands as a user's message"
            )
