"""Anthropic Messages: request bodies, bare message lists, request-and-response logs, and JSON Lines of any of them.

The system prompt is the first row; its origin has the index -1, so that it clashes with no message (in JSON Lines of
requests every row has the index of its line). A logged response is the last message: its index is the length of the
message array, its pointer leads to the response. A `compaction` block with content is a compaction: the server ignores
every message before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from inspector.finding import Finding
from inspector.formats.blocks import SERVER_CALLS, Place, Rows, is_result, origins, usage_of
from inspector.formats.format import Conversation, Format, Recording
from inspector.message import Body, Compaction, Usage

SYSTEM_PROMPT = -1
"""Native index of the system prompt, which is no element of the message array."""

_OWN_BLOCKS = frozenset(("tool_use", "thinking", "redacted_thinking", "compaction", "container_upload", *SERVER_CALLS))
_FOREIGN_ROLES = ("tool", "function", "developer")
_REQUEST_KEYS = ("request", "body")


@dataclass(frozen=True, slots=True)
class _Request:
    """One conversation and where it stands."""

    messages: Sequence[tuple[int, Any]]
    """Native index and value of each message."""
    array: str
    """Pointer of the array that the messages are elements of."""
    line: int | None = None
    """0-based line of a request in JSON Lines."""
    body: Mapping[str, Any] = field(default_factory=dict)
    """The request that holds the messages: system, tools, model."""
    pointer: str = ""
    response: Body | None = None
    response_pointer: str = ""
    title: str = ""

    @property
    def answer(self) -> int:
        """The native index of the logged response."""
        return len(self.messages)

    def place(self, native: int) -> Place:
        line = None if self.line is None else self.line + 1
        index = native if self.line is None else self.line
        if native == SYSTEM_PROMPT:
            return Place(index, f"{self.pointer}/system", f"{self.pointer}/system", line)
        answered = self.response is not None and native == self.answer
        pointer = self.response_pointer if answered else f"{self.array}/{native}"
        return Place(index, pointer, f"{pointer}/content", line)


@dataclass(frozen=True, slots=True)
class _Lines(_Request):
    """Messages that are lines of their own."""

    def place(self, native: int) -> Place:
        return Place(native, f"/{native}", f"/{native}/content", native + 1)


def recognise(recording: Recording) -> bool:
    """Whether a recording holds Anthropic requests: by their blocks, a system prompt beside the messages, or tools.

    `tool_calls` or a message of role tool make a file OpenAI-shaped, whatever blocks its content holds (TAXONOMY.md,
    mixed-tool-call-encodings). A list of plain text is either; it is left to the more common reading.
    """
    return any(map(_is_anthropic, islice(_requests(recording), 50)))


def read(recording: Recording) -> list[Conversation]:
    """Every request of a recording, in file order."""
    return [_conversation(request) for request in _requests(recording)]


def _requests(recording: Recording) -> Iterator[_Request]:
    if not recording.lines:
        yield from _in_document(recording.document)
        return
    messages = [(record.line, record.value) for record in recording.records if _is_message(record.value)]
    if messages:
        yield _Lines(messages, "")
        return
    for record in recording.records:
        found = _request(record.value, f"/{record.line}", record.line, f"line {record.line + 1}")
        if found is not None:
            yield found


def _in_document(document: Any) -> Iterator[_Request]:
    if isinstance(document, list):
        logged = [_request(value, f"/{place}", None, f"entry {place + 1}") for place, value in enumerate(document)]
        yield from (request for request in logged if request is not None)
        if any(map(_is_message, document)):
            yield _Request(list(enumerate(document)), "")
        return
    found = _request(document, "", None, "")
    if found is not None:
        yield found
    elif _is_message(document):  # JSON Lines of one line
        yield _Lines([(0, document)], "")


def _is_message(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("role"), str) and "content" in value


def _request(value: Any, pointer: str, line: int | None, title: str) -> _Request | None:
    """The request in a value: the value itself, or what its `request` or `body` holds."""
    if not isinstance(value, dict):
        return None
    body, inner = value, pointer
    for _ in _REQUEST_KEYS:
        if isinstance(body.get("messages"), list):
            break
        key = next((key for key in _REQUEST_KEYS if isinstance(body.get(key), dict)), None)
        if key is None:
            return None
        body, inner = body[key], f"{inner}/{key}"
    messages = body.get("messages")
    if not isinstance(messages, list):
        return None
    response, at = _response(value, pointer)
    return _Request(list(enumerate(messages)), f"{inner}/messages", line, body, inner, response, at, title)


def _response(value: Body, pointer: str) -> tuple[Body | None, str]:
    response, at = value.get("response"), f"{pointer}/response"
    if isinstance(response, dict) and isinstance(response.get("body"), dict):
        response, at = response["body"], f"{at}/body"
    if isinstance(response, dict) and response.get("role", "assistant") == "assistant" and "content" in response:
        return response, at
    return None, ""


def _is_anthropic(request: _Request) -> bool:
    body = request.body
    messages = [message for _, message in request.messages if isinstance(message, dict)]
    if any(_is_foreign(message) for message in messages):
        return False
    return (
        isinstance(body.get("system"), (str, list))
        or "anthropic_version" in body
        or any(isinstance(tool, dict) and "input_schema" in tool for tool in _list(body.get("tools")))
        or _asks_claude(body, messages)
        or any(_is_own(block) for message in messages for block in _list(message.get("content")))
    )


def _is_foreign(message: Body) -> bool:
    return message.get("role") in _FOREIGN_ROLES or "tool_calls" in message or "function_call" in message


def _asks_claude(body: Mapping[str, Any], messages: Sequence[Body]) -> bool:
    model = body.get("model")
    named = isinstance(model, str) and "claude" in model and "max_tokens" in body
    return named and not any(message.get("role") == "system" for message in messages)


def _is_own(block: Any) -> bool:
    if not isinstance(block, dict):
        return False
    kind = block.get("type")
    if kind in ("image", "document"):
        return isinstance(block.get("source"), dict)
    return isinstance(kind, str) and (kind in _OWN_BLOCKS or is_result(block))


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _conversation(request: _Request) -> Conversation:
    rows = Rows()
    usage: list[Usage] = []
    compactions: list[Compaction] = []
    damage: list[Finding] = []
    model = request.body.get("model")
    if isinstance(request.body.get("system"), (str, list)):
        rows.add(SYSTEM_PROMPT, "system", request.body["system"])
    answer = [] if request.response is None else [(request.answer, {"role": "assistant", **request.response})]
    for native, message in [*request.messages, *answer]:
        if not isinstance(message, dict):
            damage.append(_no_message(request.place(native), message))
            continue
        first = len(rows)
        _add(rows, native, message)
        found = usage_of(rows.answer(first), message.get("usage")) if message.get("role") == "assistant" else None
        usage += [found] if found else []
        compactions += _compactions(rows, first, message.get("content"))
        model = message.get("model") or model
    return Conversation(
        messages=rows.messages,
        origin=origins(rows, request.place),
        title=request.title,
        model=model if isinstance(model, str) else None,
        tools=tuple(tool for tool in _list(request.body.get("tools")) if isinstance(tool, dict)),
        usage=tuple(usage),
        compactions=tuple(compactions),
        damage=tuple(damage),
    )


def _add(rows: Rows, native: int, message: Body) -> None:
    role = message.get("role")
    rows.add(native, role if isinstance(role, str) else "other", message.get("content"))


def _compactions(rows: Rows, first: int, content: Any) -> Iterator[Compaction]:
    """Compaction blocks of a message; one without content says that the server's attempt failed."""
    done = {
        position for position, block in enumerate(_list(content))
        if isinstance(block, dict) and block.get("type") == "compaction" and block.get("content") is not None
    }  # fmt: skip
    if not done:
        return
    kept = (0,) if rows.native[0] == SYSTEM_PROMPT else ()
    row_of = {spot: row for row in reversed(range(first, len(rows))) for spot in rows.spots[row]}
    for position in sorted(done):
        yield Compaction(row_of[rows.native[first], position], "compaction", kept=kept)


def _no_message(place: Place, value: Any) -> Finding:
    kind = {list: "a list", str: "a string", type(None): "null"}.get(type(value), f"a {type(value).__name__}")
    says = f"Message {place.native} is {kind} where an object was expected; it was left out."
    return Finding("unparseable-record", "warning", says, place.native, place.pointer, place.line)


FORMAT = Format(
    name="anthropic",
    title="Anthropic Messages",
    recognise=recognise,
    read=read,
    help="Request bodies of the Messages API, as a client or a proxy logs them; also JSON Lines of them.",
    shape="back_blocks.MESSAGES",
)
