"""What a recorded conversation is: messages, where each one came from, and columns of figures over them.

A message is kept as the OpenAI-shaped dict that an agent would hold (a "body"), never changed by us. Records such as
`Message` are made when somebody looks at a row; what 100,000 rows need is kept in columns of ints.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias, TypeVar, cast

from inspector.facts import Facts
from inspector.finding import Finding
from inspector.text import json_chars

Body: TypeAlias = dict[str, Any]
T = TypeVar("T")

ROLES = ("system", "developer", "user", "assistant", "tool", "function", "other")
SYSTEM, DEVELOPER, USER, ASSISTANT, TOOL, FUNCTION, OTHER = range(len(ROLES))
ROLE_CODES: Mapping[object, int] = {name: code for code, name in enumerate(ROLES)}
TOO_DEEP = "(nested too deeply to be written)"


@dataclass(frozen=True, slots=True)
class Origin:
    """The native place of a message: what to look for in the recorded file."""

    index: int
    """0-based place in the message array, or the physical line (lines end at LF only) of a JSON Lines file."""
    pointer: str
    """JSON pointer of the message; in a JSON Lines file its first token is the line."""
    line: int | None = None
    """1-based line; None where the file is one JSON value."""
    parts: tuple[str, ...] = ()
    """Pointers of the message's calls or blocks, in order, where they have places of their own; in a folder those that
    stand in another file than the message are `file#pointer`."""
    file: str = ""
    """In a folder or an archive: the file inside it (`/` between names) that index, pointer and line are of."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of a tool, as an assistant message makes it."""

    id: str | None
    name: str
    arguments: str
    """The arguments as recorded: a JSON string that may be damaged; an object is written as compact JSON."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a session, read from its body."""

    role: str
    """One of `ROLES`; a role outside them reads as "other"."""
    body: Body
    calls: tuple[ToolCall, ...]
    answers: str | None
    """Of a tool result: the id of the call that it answers, where it has one."""
    origin: Origin

    @property
    def text(self) -> str:
        """The message's text: its content string, or the text parts of a content list."""
        return text_of(self.body)

    @property
    def tool(self) -> str:
        """The tool's name on a result, else the name of the first call, else nothing."""
        if self.role not in ("tool", "function"):  # a user or an assistant may have a name of their own
            return self.calls[0].name if self.calls else ""
        name = self.body.get("name") or self.body.get("tool_name")
        return name if isinstance(name, str) else ""


def role_code(body: Body) -> int:
    """The code of a body's role (an index into `ROLES`)."""
    role = body.get("role")
    return ROLE_CODES.get(role, OTHER) if isinstance(role, str) else OTHER


def text_of(body: Body) -> str:
    """The text of a body: the content string, or a content list's text parts joined by a line feed."""
    content = body.get("content")
    if isinstance(content, str):
        return content
    return "\n".join(_part_texts(content)) if isinstance(content, list) else ""


def _part_texts(content: Iterable[Any]) -> Iterator[str]:
    for part in content:
        text = part.get("text") if isinstance(part, dict) else part
        if isinstance(text, str):
            yield text


def calls_of(body: Body) -> tuple[ToolCall, ...]:
    """The tool calls of a body; entries that are no objects are left out."""
    calls = body.get("tool_calls")
    if not isinstance(calls, list):
        return ()
    return tuple(_call(entry) for entry in calls if isinstance(entry, dict))


def _call(entry: Body) -> ToolCall:
    function = entry.get("function")
    if not isinstance(function, dict):
        custom = entry.get("custom")
        function = custom if isinstance(custom, dict) else {}
    call_id, name = entry.get("id"), function.get("name")
    arguments = function.get("arguments", function.get("input", ""))
    return ToolCall(
        id=call_id if isinstance(call_id, str) and call_id else None,
        name=name if isinstance(name, str) else "",
        arguments=arguments if isinstance(arguments, str) else compact_json(arguments),
    )


def compact_json(value: Any) -> str:
    """A value as compact JSON text, or as `str` shows it where it is no JSON. Never raises for built-in types."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except RecursionError:
        return TOO_DEEP
    except (TypeError, ValueError):
        pass
    try:
        return str(value)
    except (ValueError, RecursionError):
        return TOO_DEEP


def same(one: Body | None, other: Body | None) -> bool:
    """Whether two messages say the same; those too deep to compare are taken to differ."""
    try:
        return one is other or one == other
    except RecursionError:
        return False


def image_count(body: Body) -> int:
    """How many images a body carries: entries of `images`, and image parts of a content list."""
    images, content = body.get("images"), body.get("content")
    count = len(images) if isinstance(images, list) else 0
    if isinstance(content, list):
        count += sum(isinstance(part, dict) and part.get("type") in IMAGE_PARTS for part in content)
    return count


IMAGE_PARTS = ("image_url", "input_image", "image")


def _next_unknown(chars: array[int], start: int) -> int:
    try:
        return chars.index(-1, start)
    except ValueError:
        return -1


class Columns:
    """One int a message, for questions about the whole session. Each column is made when first asked for."""

    def __init__(self, messages: Sequence[Body]) -> None:
        self._messages = messages

    @cached_property
    def role(self) -> bytes:
        """The role code of each message (see `ROLES`)."""
        codes = ROLE_CODES
        try:
            return bytes([codes.get(body.get("role"), OTHER) for body in self._messages])
        except TypeError:  # a role that cannot be hashed
            return bytes(map(role_code, self._messages))

    @cached_property
    def chars(self) -> array[int]:
        """Characters of each message's text, as `text_of` reads it."""
        bodies = self._messages
        chars = array("q", [len(text) if type(text := body.get("content")) is str else -1 for body in bodies])
        row = _next_unknown(chars, 0)
        while row >= 0:
            chars[row] = len(text_of(self._messages[row]))
            row = _next_unknown(chars, row + 1)
        return chars

    @cached_property
    def json_chars(self) -> array[int]:
        """Length of each message's JSON text as Python writes it (SPEC.md, head-tail's measure)."""
        return array("q", map(json_chars, self._messages))

    def until(self, row: int, messages: Sequence[Body]) -> Columns:
        """The figures of the messages before a row: those that are known already are not worked out again."""
        columns = Columns(messages)
        for name in ("role", "chars", "json_chars"):
            if name in self.__dict__:
                columns.__dict__[name] = getattr(self, name)[:row]
        return columns


@dataclass(frozen=True, eq=False, repr=False)
class Context:
    """Messages in the order in which a model reads them: all that policies and counts see."""

    messages: Sequence[Body]
    """OpenAI-shaped dicts; the caller's own objects, never changed."""
    origin: Callable[[int], Origin]
    """The native place of a row."""
    source: Sequence[int]
    """Row of the loaded session that each row stands for; -1 for a message that no recording holds."""
    times: Sequence[float] = field(default=(), kw_only=True)
    """When each message was recorded, in seconds since 1970 (UTC), NaN where that is not known; empty: of none."""
    _derived: dict[Callable[[Context], Any], Any] = field(default_factory=dict, init=False, repr=False)
    _facts: dict[Callable[..., Any], Facts[Any]] = field(default_factory=dict, init=False, repr=False)
    _is_beginning: bool = field(default=True, init=False, repr=False)
    """Whether the rows are the first of those that `_facts` tells of, rather than some of them and others."""

    def __len__(self) -> int:
        return len(self.messages)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self):,} messages>"

    @cached_property
    def columns(self) -> Columns:
        """The figures of every row."""
        return Columns(self.messages)

    def derived(self, make: Callable[[Context], T]) -> T:
        """What `make` finds out about these messages, worked out once and kept as long as they are."""
        if make not in self._derived:
            self._derived[make] = make(self)
        return cast(T, self._derived[make])

    def each(self, make: Callable[..., T], *of: Callable[[Body], Any]) -> list[T]:
        """What `make` finds out about each message, worked out once a message, here and in `until` and `beside`.

        It is called with the message, and with what each function in `of` finds out about it.
        """
        facts: Facts[T] = self._facts.setdefault(make, Facts(make))
        others = map(self.each, of)
        return facts.of_first(self.messages, *others) if self._is_beginning else facts.of_any(self.messages, *others)

    def message(self, row: int) -> Message:
        """The message at a row, read."""
        body = self.messages[row]
        answers = body.get("tool_call_id")
        return Message(
            role=ROLES[role_code(body)],
            body=body,
            calls=calls_of(body),
            answers=answers if isinstance(answers, str) and answers else None,
            origin=self.origin(row),
        )

    def until(self, row: int) -> Context:
        """The messages before a row: what a request answered by that row could see."""
        seen = self.beside(self.messages[:row], self.source[:row], self.times[:row])
        seen.__dict__["_is_beginning"] = self._is_beginning
        if "columns" in self.__dict__:
            seen.__dict__["columns"] = self.columns.until(row, seen.messages)
        return seen

    def beside(self, messages: Sequence[Body], source: Sequence[int], times: Sequence[float] = ()) -> Context:
        """Other messages, most of them of this context: what is known of each is not worked out again."""
        other = Context(messages, self.origin, source, times=times)
        other.__dict__.update(_facts=self._facts, _is_beginning=False)
        return other


def listed(pointer: str) -> Callable[[int], Origin]:
    """Origins of the elements of one JSON array: `listed("/messages")(3)` is element 3."""
    return lambda row: Origin(row, f"{pointer}/{row}")


@dataclass(frozen=True, slots=True)
class Usage:
    """What the provider said that one request took, in tokens."""

    row: int
    """The assistant message that answers the request."""
    input: int
    """All input tokens, cached ones included (Anthropic's figure excludes them; readers add them)."""
    cached: int
    output: int


@dataclass(frozen=True, slots=True)
class Compaction:
    """A compaction that the recording tool itself did: after it the context was the kept rows, the replacement where
    there is one, and the rows from `row` on. A summary outside a replacement is itself a row, the first one."""

    row: int
    """The first row after it."""
    kind: str
    """As the format names it, such as "auto" or "manual"."""
    before_tokens: int | None = None
    after_tokens: int | None = None
    kept: tuple[int, ...] = ()
    """Rows before it that the tool kept in context."""
    replacement: tuple[Body, ...] | None = None
    """The messages that took the place of the other rows before it, where they are recorded; no rows of the session."""


TITLE_CHARS = 120


def opening(body: Body) -> str:
    """What a message begins with, on one line: a name for what has none."""
    words = " ".join(text_of(body)[: 4 * TITLE_CHARS].split())
    return words if len(words) <= TITLE_CHARS else f"{words[: TITLE_CHARS - 1]}…"


@dataclass(frozen=True, slots=True)
class Branch:
    """A branch of a conversation that was left: an answer tried again, a rewind."""

    title: str
    """What it begins with, where it is its own."""
    row: int
    """The first row of the live conversation that it does not share."""
    messages: int
    """How many records with a message it has after that."""


@dataclass(frozen=True, slots=True)
class Outline:
    """One conversation of a file, as far as a choice among them needs it."""

    title: str
    opening: str
    """What the user said first, in short."""
    messages: int
    side: bool = False
    """A subagent's."""
    branches: tuple[Branch, ...] = ()


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Session(Context):
    """One recorded conversation, as loaded."""

    file: str = ""
    """The path as it was given; "-" for standard input; empty for messages given by a caller."""
    format: str = "messages"
    """Short name of the format (FORMATS.md)."""
    title: str = ""
    """What tells this conversation from the others in its file."""
    index: int = 0
    """Which conversation of the file this is."""
    conversations: int = 1
    model: str | None = None
    tools: tuple[Body, ...] = ()
    """Tool definitions, as recorded."""
    usage: tuple[Usage, ...] = ()
    compactions: tuple[Compaction, ...] = ()
    damage: tuple[Finding, ...] = ()
    """What was wrong with the file; the rest of it is loaded."""
    contents: tuple[Outline, ...] = ()
    """Every conversation of the file, this one at `index`; empty for messages given by a caller."""
    branch: int | None = None
    """Which of its branches this is; None is the live one."""

    @property
    def branches(self) -> tuple[Branch, ...]:
        """The branches that this conversation has left, the newest first."""
        return self.contents[self.index].branches if self.contents else ()

    @property
    def name(self) -> str:
        """The file's own name, without its folder; standard input, whose path is "-", is called so."""
        if self.file == "-":
            return "standard input"
        return self.file.replace("\\", "/").rsplit("/", 1)[-1] or "messages"
