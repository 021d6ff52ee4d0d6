"""OpenAI-shaped messages in the making, each with its native place: shared by the readers of items and of parts.

A native entry (an item, a content with parts, a line) may give several rows, and several entries may give one. A
`Draft` is a message while its pieces are taken in; `Rows` are the finished ones. A piece's place is a `Spot`: the
entry's native number and the pointer below it. The origin's `parts` are the places of the row's calls, in the order of
`tool_calls`, then those of its other pieces in recorded order; of a tool's result they are the place of the result.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

from inspector.finding import Finding
from inspector.message import Body, Origin


class Place(NamedTuple):
    """Where a native entry stands; what each number means is the reader's affair."""

    native: int
    """As `Origin.index` gives it."""
    pointer: str
    line: int | None = None
    """1-based."""


Where: TypeAlias = Callable[[int], Place]


class Spot(NamedTuple):
    """A piece of a native entry."""

    native: int
    inner: str
    """Pointer of the piece below the entry's own; empty where the entry is the piece."""


def on_lines(inner: str = "") -> Where:
    """Entries that are lines of their own: the native number is the 0-based line, `inner` leads to the entry."""
    return lambda number: Place(number, f"/{number}{inner}", number + 1)


def in_list(pointer: str, line: int | None = None) -> Where:
    """Entries that are elements of a list; in JSON Lines (0-based `line`) their index is that of the line."""
    if line is None:
        return lambda number: Place(number, f"{pointer}/{number}")
    return lambda number: Place(line, f"{pointer}/{number}", line + 1)


class Draft:
    """One message while its pieces are taken in."""

    __slots__ = ("call_spots", "calls", "parts", "signed", "spots", "thinking")

    def __init__(self) -> None:
        self.parts: list[str | Body] = []
        self.calls: list[Body] = []
        self.thinking: list[str] = []
        self.signed: list[Any] = []
        self.spots: list[Spot] = []
        self.call_spots: list[Spot] = []

    def __bool__(self) -> bool:
        return bool(self.spots or self.call_spots)

    def say(self, spot: Spot, part: str | Body) -> None:
        """Take in a text, or a part that is no text."""
        self.parts.append(part)
        self.spots.append(spot)

    def think(self, spot: Spot, text: str, signed: Any = None) -> None:
        """Take in a thought; `signed` is the whole recorded piece where it is signed or encrypted."""
        if text:
            self.thinking.append(text)
        if signed is not None:
            self.signed.append(signed)
        self.spots.append(spot)

    def call(self, spot: Spot, entry: Body) -> None:
        """Take in a call, as an entry of `tool_calls`."""
        self.calls.append(entry)
        self.call_spots.append(spot)

    def body(self, role: str) -> Body:
        """The message: text alone is joined by a line feed, with other parts among it the content is a list."""
        body: Body = {"role": role, "content": joined(self.parts) if self.parts or not self.calls else None}
        if self.thinking:
            body["thinking"] = "\n".join(self.thinking)
        if self.signed:
            body["thinking_blocks"] = self.signed
        if self.calls:
            body["tool_calls"] = self.calls
        return body


class Rows:
    """Finished messages, with the native place of each."""

    __slots__ = ("_nameless", "messages", "names", "native", "spots")

    def __init__(self, names: dict[str, str] | None = None) -> None:
        self.messages: list[Body] = []
        self.native: list[int] = []
        """Number of the native entry that each row begins in."""
        self.spots: list[tuple[Spot, ...]] = []
        self.names: dict[str, str] = {} if names is None else names
        """The tool that each call id so far has called."""
        self._nameless: deque[str] = deque()
        """The tools that the latest answer called without an id, and that no result has followed yet."""

    def __len__(self) -> int:
        return len(self.messages)

    def put(self, native: int, body: Body, *spots: Spot) -> None:
        """Add a row."""
        self.messages.append(body)
        self.native.append(native)
        self.spots.append(spots)

    def add(self, native: int, role: str, draft: Draft) -> Body:
        """Add a row of what a draft took in, and return its body."""
        if draft.calls:
            self._nameless.clear()
        for call in draft.calls:
            name = (call.get("function") or call["custom"])["name"]
            if isinstance(call.get("id"), str):
                self.names[call["id"]] = name
            else:
                self._nameless.append(name)
        body = draft.body(role)
        self.put(native, body, *draft.call_spots, *draft.spots)
        return body

    def result(
        self, spot: Spot, answers: Any, content: Any, *, name: str = "", error: bool = False, kind: str = ""
    ) -> None:
        """Add the result of a call, with the name of the tool that its id called where the result has none; one without
        an id answers the calls without one in their order.

        `kind` is its recorded type, where the format has several.
        """
        body: Body = {"role": "tool"}
        if isinstance(answers, str) and answers:
            body["tool_call_id"] = answers
            name = name or self.names.get(answers, "")
        elif self._nameless:
            called = self._nameless.popleft()
            name = name or called
        if name:
            body["name"] = name
        if kind:
            body["type"] = kind
        body["content"] = content
        if error:
            body["is_error"] = True
        self.put(spot.native, body, spot)

    def cut(self, row: int) -> Rows:
        """Take the rows from `row` on away; they are what is returned."""
        gone = Rows(self.names)
        gone.messages, gone.native, gone.spots = self.messages[row:], self.native[row:], self.spots[row:]
        del self.messages[row:], self.native[row:], self.spots[row:]
        return gone

    def origins(self, where: Where) -> Callable[[int], Origin]:
        """The origin of each row, made when asked for."""
        native, spots = self.native, self.spots

        def origin(row: int) -> Origin:
            index, pointer, line = where(native[row])
            return Origin(index, pointer, line, tuple(where(home).pointer + inner for home, inner in spots[row]))

        return origin


def joined(parts: Sequence[str | Body]) -> str | list[Body]:
    """Texts alone as one string, joined by a line feed; else a list of parts."""
    texts = [part for part in parts if isinstance(part, str)]
    if len(texts) == len(parts):
        return "\n".join(texts)
    return [{"type": "text", "text": part} if isinstance(part, str) else part for part in parts]


def call_entry(call_id: Any, name: Any, arguments: str, kind: str = "function") -> Body:
    """An entry of `tool_calls`; without an id of its own it has none."""
    entry: Body = {"id": call_id} if isinstance(call_id, str) and call_id else {}
    entry["type"] = kind
    entry["function"] = {"name": name if isinstance(name, str) else "", "arguments": arguments}
    return entry


def image_part(url: str, detail: Any = None) -> Body:
    """An image at an address, or in a data: URL."""
    image: Body = {"url": url}
    if isinstance(detail, str):
        image["detail"] = detail
    return {"type": "image_url", "image_url": image}


def data_image(media_type: Any, data: str) -> Body:
    """An image in base64."""
    return image_part(f"data:{media_type if isinstance(media_type, str) else 'image/png'};base64,{data}")


def left_branch(place: Place, rows: int, why: str) -> Finding:
    """The finding that messages from a place on are on no live branch (TAXONOMY.md, abandoned-branch)."""
    size = f"{rows:,} messages" if rows > 1 else "one message"
    says = f"{why}: {size} from {place.pointer} on are not sent to the model."
    return Finding("abandoned-branch", "info", says, place.native, place.pointer, place.line)
