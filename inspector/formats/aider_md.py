"""Aider's chat history (`.aider.chat.history.md`): every run of a project in one Markdown file.

- A run starts at its heading, and is a conversation of its own, also where nothing was said in it.
- `#### ` begins a line that the user wrote; a blank line ends the message, as in aider's own reader
  (`split_chat_history_markdown`). Commands such as `/add` are among them. `> ` begins a notice or a tool's output,
  which is no message. All else is the model's answer. Lines in its code fences may begin the same way: there only a
  line that ends in the two blanks that aider writes is taken for its own, so the reading stays a guess.
- Of notices only the model, the token counts (rounded by aider) and a cleared history are read.
- An origin's `parts` are the first and the last line of the message.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Literal, NamedTuple, TypeAlias

from inspector.finding import Finding
from inspector.formats.format import Conversation, Format, Recording
from inspector.formats.records import BOM
from inspector.message import Body, Compaction, Origin, Usage

HEADING = "# aider chat started at "
USER, NOTICE, FENCES = "#### ", "> ", ("```", "~~~")
_BREAK = "  "
_CLEARED = "All chat history cleared"
_MODEL = re.compile(r"> (?:Main model|Model|Models): (\S+)")
_TOKENS = re.compile(r"> Tokens: ([\d.,]+)(k|M)? sent")
_MORE = re.compile(r"([\d.,]+)(k|M)? (cache write|cache hit|received)")
_SCALE = {"k": 1_000, "M": 1_000_000}

Kind: TypeAlias = Literal["user", "assistant", "notice", "blank"]


class _Line(NamedTuple):
    number: int
    text: str


class _Said(NamedTuple):
    """A message and its lines."""

    role: Kind
    lines: list[_Line]


def recognise(recording: Recording) -> bool:
    """Whether a text has the heading that starts a run."""
    return recording.text is not None and any(line.startswith(HEADING) for line in _decoded(recording.text))


def _decoded(raw: bytes) -> list[str]:
    return raw.removeprefix(BOM).decode("utf-8", "replace").split("\n")


def read(recording: Recording) -> list[Conversation]:
    """One conversation a run; what stands before the first heading is one too."""
    raw = recording.text or b""
    found = [_conversation(heading, lines) for heading, lines in _runs(_decoded(raw))]
    damage = _invalid(raw)
    return [replace(found[0], damage=damage), *found[1:]] if damage else found


def _runs(lines: list[str]) -> Iterator[tuple[str, list[_Line]]]:
    heading, held = "", list[_Line]()
    for number, text in enumerate(lines):
        if text.startswith(HEADING):
            if heading or any(line.text.strip() for line in held):
                yield heading, held
            heading, held = text.removeprefix(HEADING).strip(), []
        else:
            held.append(_Line(number, text.removesuffix("\r")))
    yield heading, held


def _conversation(heading: str, lines: list[_Line]) -> Conversation:
    run = _Run()
    for line in lines:
        run.take(line)
    run.close()
    return Conversation(
        messages=run.messages,
        origin=run.origin(),
        title=heading,
        model=run.model or None,
        usage=tuple(run.usage),
        compactions=tuple(one for one in run.compactions if one.row < len(run.messages)),
    )


class _Run:
    """The messages of a run in the making."""

    def __init__(self) -> None:
        self.messages: list[Body] = []
        self.usage: list[Usage] = []
        self.compactions: list[Compaction] = []
        self.model = ""
        self._spans: list[tuple[int, int]] = []
        self._open: _Said | None = None
        self._fence = ""

    def take(self, line: _Line) -> None:
        """Take the next line in."""
        kind = self._kind(line.text)
        if kind == "notice":
            self.close()
            self._notice(line.text)
        elif kind == "blank" and (self._open is None or self._open.role == "user"):
            self.close()
        elif kind == "blank":
            self._add("assistant", line)
        else:
            self._add(kind, line)

    def _kind(self, text: str) -> Kind:
        if self._fence and not (text.startswith((USER, NOTICE)) and text.endswith(_BREAK)):
            if text.startswith(self._fence) and not text.strip(self._fence[0]).strip():
                self._fence = ""
            return "assistant"
        if text.startswith(USER) or text.rstrip() == USER.strip():
            return "user"
        if text.startswith(NOTICE) or text.rstrip() == NOTICE.strip():
            return "notice"
        if not text.strip():
            return "blank"
        if text.startswith(FENCES):
            self._fence = text[: len(text) - len(text.lstrip(text[0]))]
        return "assistant"

    def _add(self, role: Kind, line: _Line) -> None:
        if self._open is None or self._open.role != role:
            self.close()
            self._fence = self._fence if role == "assistant" else ""
            self._open = _Said(role, [])
        self._open.lines.append(line)

    def close(self) -> None:
        """End the message that is open."""
        said, self._open = self._open, None
        if said is None:
            return
        while not said.lines[-1].text.strip():
            said.lines.pop()
        texts = [line.text for line in said.lines]
        if said.role == "user":
            texts = [text.removeprefix(USER.strip()).removeprefix(" ").removesuffix(_BREAK) for text in texts]
        self.messages.append({"role": said.role, "content": "\n".join(texts)})
        self._spans.append((said.lines[0].number, said.lines[-1].number))

    def _notice(self, text: str) -> None:
        self._fence = ""
        model, tokens = _MODEL.match(text), _TOKENS.match(text)
        self.model = model[1] if model else self.model
        if tokens and self.messages and self.messages[-1]["role"] == "assistant":
            more = {match[3]: _number(match[1], match[2]) for match in _MORE.finditer(text)}
            row = len(self.messages) - 1
            sent, cached = _number(tokens[1], tokens[2]), more.get("cache hit", 0)
            self.usage.append(Usage(row, sent, cached, more.get("received", 0)))
        if _CLEARED in text:
            self.compactions.append(Compaction(len(self.messages), "clear"))

    def origin(self) -> Callable[[int], Origin]:
        """The lines of each message."""
        spans = self._spans
        return lambda row: _origin(*spans[row])


def _origin(first: int, last: int) -> Origin:
    return Origin(first, f"/{first}", first + 1, (f"/{first}", f"/{last}"))


def _number(digits: str, scale: str | None) -> int:
    try:
        return round(float(digits.replace(",", "")) * _SCALE.get(scale or "", 1))
    except (ValueError, OverflowError):
        return 0


def _invalid(raw: bytes) -> tuple[Finding, ...]:
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start)
        says = f"line {line + 1:,} (byte {error.start:,}): bytes that are no UTF-8; U+FFFD stands for them"
        return (Finding("invalid-utf8", "warning", says, line, f"/{line}", line + 1, error.start),)
    return ()


FORMAT = Format(
    name="aider_md",
    title="Aider",
    recognise=recognise,
    read=read,
    help="The .aider.chat.history.md of a project; one conversation a run.",
    reads=("text",),
)
