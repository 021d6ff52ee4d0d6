"""Anthropic content blocks as OpenAI-shaped messages: one reading, shared by every format that records such blocks.

How a native message becomes rows (DESIGN.md, "Loaded shape"):

- Blocks that are all text are joined by a line feed into a string. With an image or an unknown block among them the
  content is a list of parts: text blocks and unknown blocks are the file's own objects, whole; images are `image_url`
  parts with a data: URL or the recorded address.
- `tool_use` is a call of type "function". `server_tool_use` and `mcp_tool_use` keep their recorded type and their
  other keys on the call. Arguments are compact JSON of the recorded object; a recorded string stays as it is.
- A result is a message of its own (role tool), with the name of the tool that it answers and `is_error` as recorded;
  a server's result keeps its block type as `type`.
- A user message gives its results first, then one user message of all its other blocks, in recorded order.
- An assistant message with server tools becomes several rows in recorded order: what stood before a server's result,
  the result, what stood after it. A row with a `tool_use` is never split off from what follows in its message, since
  its results come later: there the server's results follow the row.
- The text of all thinking is `thinking`; blocks with a signature and redacted ones also stand whole in
  `thinking_blocks`, so a `thinking` without them was recorded without a signature.

Rows whose origins share a pointer come of one native message. The origin's `parts` are the pointers of the row's calls,
in the order of `tool_calls`, then those of its other blocks in recorded order. Keys of a text block beside its text
(cache_control, citations) are to be looked up there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, TypeAlias

import orjson

from inspector.message import Body, Origin, Usage, compact_json

Spot: TypeAlias = tuple[int, int]
"""A block: the native index of its message or line, and its place in the content list; `WHOLE` is the content."""
Located: TypeAlias = tuple[int, int, Any]
"""A spot with the block that stands there."""

TOO_DEEP = "[nested too deep to be written out]"
WHOLE = -1
SERVER_CALLS = ("server_tool_use", "mcp_tool_use")


class Place(NamedTuple):
    """Where a native message stands."""

    native: int
    """Its index, as `Origin.index` gives it."""
    pointer: str
    content: str
    """Pointer of the list that holds the message's blocks."""
    line: int | None = None


class Rows:
    """OpenAI-shaped messages in the making, with the native place of each."""

    __slots__ = ("messages", "names", "native", "spots")

    def __init__(self, names: dict[str, str] | None = None) -> None:
        self.messages: list[Body] = []
        self.native: list[int] = []
        """Native index of the message that each row comes of."""
        self.spots: list[tuple[Spot, ...]] = []
        """The blocks of each row: calls first."""
        self.names: dict[str, str] = {} if names is None else names
        """The tool that each call id so far has called."""

    def __len__(self) -> int:
        return len(self.messages)

    def add(self, native: int, role: str, content: Any) -> None:
        """Add one native message: at least one row, whatever `content` is."""
        if isinstance(content, str):
            self._put(native, (), {"role": role, "content": content})
        else:
            self.add_blocks(native, role, located(native, content))

    def add_blocks(self, native: int, role: str, blocks: Sequence[Located]) -> None:
        """Add one native message whose blocks may stand on several lines."""
        before = len(self.messages)
        if role == "assistant":
            self._add_answer(native, blocks)
        else:
            self._add_turn(native, role, blocks)
        if len(self.messages) == before:
            self._put(native, (), {"role": role, "content": ""})

    def answer(self, first: int) -> int:
        """The first assistant row from `first` on; `first` where there is none."""
        rows = range(first, len(self.messages))
        return next((row for row in rows if self.messages[row]["role"] == "assistant"), first)

    def _put(self, native: int, spots: tuple[Spot, ...], body: Body) -> None:
        self.messages.append(body)
        self.native.append(native)
        self.spots.append(spots)

    def _add_turn(self, native: int, role: str, blocks: Iterable[Located]) -> None:
        draft = _Draft()
        for block in blocks:
            if is_result(block[2]):
                self._add_result(native, block)
            else:
                draft.take(block)
        self._finish(native, role, draft)

    def _add_answer(self, native: int, blocks: Iterable[Located]) -> None:
        draft, held = _Draft(), []
        for block in blocks:
            if not is_result(block[2]):
                draft.take(block)
            elif draft.local:
                held.append(block)
            else:
                self._finish(native, "assistant", draft)
                draft = _Draft()
                self._add_result(native, block)
        self._finish(native, "assistant", draft)
        for block in held:
            self._add_result(native, block)

    def _finish(self, native: int, role: str, draft: _Draft) -> None:
        if draft.call_spots or draft.spots:
            for call in draft.calls:
                if isinstance(call.get("id"), str):
                    self.names[call["id"]] = call["function"]["name"]
            self._put(native, (*draft.call_spots, *draft.spots), draft.body(role))

    def _add_result(self, native: int, found: Located) -> None:
        line, position, block = found
        answers = block.get("tool_use_id")
        body: Body = {"role": "tool"}
        if answers is not None:
            body["tool_call_id"] = answers
            if isinstance(answers, str) and self.names.get(answers):
                body["name"] = self.names[answers]
        if block["type"] != "tool_result":
            body["type"] = block["type"]
        body["content"] = content_of(block.get("content"))
        if "is_error" in block:
            body["is_error"] = block["is_error"]
        self._put(native, ((line, position),), body)


class _Draft:
    """One message while its blocks are taken in."""

    __slots__ = ("call_spots", "calls", "local", "parts", "signed", "spots", "thinking")

    def __init__(self) -> None:
        self.parts: list[Body] = []
        self.calls: list[Body] = []
        self.thinking: list[str] = []
        self.signed: list[Body] = []
        self.spots: list[Spot] = []
        self.call_spots: list[Spot] = []
        self.local = False
        """Whether a call among them is answered by the user's side."""

    def take(self, found: Located) -> None:
        line, position, block = found
        kind = block.get("type") if isinstance(block, dict) else None
        if kind == "tool_use" or kind in SERVER_CALLS:
            self.calls.append(_call(block, kind))
            self.call_spots.append((line, position))
            self.local = self.local or kind == "tool_use"
            return
        self.spots.append((line, position))
        if kind == "thinking" or kind == "redacted_thinking":
            self._think(block)
        else:
            self.parts.append(part_of(block))

    def _think(self, block: Body) -> None:
        text = block.get("thinking")
        if isinstance(text, str) and text:
            self.thinking.append(text)
        if block["type"] == "redacted_thinking" or block.get("signature") or not isinstance(text, str):
            self.signed.append(block)

    def body(self, role: str) -> Body:
        body: Body = {"role": role, "content": _joined(self.parts) if self.parts or not self.calls else None}
        if self.thinking:
            body["thinking"] = "\n".join(self.thinking)
        if self.signed:
            body["thinking_blocks"] = self.signed
        if self.calls:
            body["tool_calls"] = self.calls
        return body


def located(native: int, content: Any) -> list[Located]:
    """The blocks of a content value, each with its spot; a value that is no list is one block, `WHOLE`."""
    if content is None:
        return []
    if not isinstance(content, list):
        return [(native, WHOLE, content)]
    return [(native, position, block) for position, block in enumerate(content)]


def is_result(block: Any) -> bool:
    """Whether a block is a tool's result: `tool_result`, or a server's (`web_search_tool_result` and so on)."""
    if not isinstance(block, dict):
        return False
    kind = block.get("type")
    return isinstance(kind, str) and kind.endswith("tool_result")


def content_of(content: Any) -> str | list[Body]:
    """A content value as a string, or as a list of parts where it holds more than text."""
    if isinstance(content, str):
        return content
    if content is None:
        return ""
    return _joined([part_of(block) for block in (content if isinstance(content, list) else [content])])


def part_of(block: Any) -> Body:
    """A block as a content part: an image as `image_url`, any other block whole, what has no type as text.

    Cline records what a tool gave as objects, which it sends as JSON.
    """
    if isinstance(block, dict) and "type" in block:
        return _image(block) if block.get("type") == "image" else block
    return {"type": "text", "text": block if isinstance(block, str) else compact_json(block)}


def _joined(parts: list[Body]) -> str | list[Body]:
    texts = [part["text"] for part in parts if part.get("type") == "text" and isinstance(part.get("text"), str)]
    return "\n".join(texts) if len(texts) == len(parts) else parts


def _image(block: Body) -> Body:
    """Images of a shape that the API does not document stay whole."""
    source = block.get("source")
    if not isinstance(source, dict):
        return block
    url, kind = source.get("url"), source.get("type")
    if kind == "base64" and isinstance(source.get("data"), str):
        url = f"data:{source.get('media_type', 'image/png')};base64,{source['data']}"
    return {"type": "image_url", "image_url": {"url": url}} if isinstance(url, str) else block


def _call(block: Body, kind: str) -> Body:
    call: Body = {"id": block["id"]} if "id" in block else {}
    name, recorded = block.get("name"), block.get("input", "")
    arguments = recorded if isinstance(recorded, str) else json_text(recorded)
    call["type"] = "function" if kind == "tool_use" else kind
    call["function"] = {"name": name if isinstance(name, str) else "", "arguments": arguments}
    if kind != "tool_use":
        call |= {key: value for key, value in block.items() if key not in ("id", "type", "name", "input")}
    return call


def json_text(value: Any) -> str:
    """A recorded value as compact JSON; a value of some thousand levels is only named as too deep."""
    try:
        return orjson.dumps(value).decode()
    except TypeError:  # a lone surrogate, a number beyond 64 bits, more than 254 levels
        pass
    try:
        return compact_json(value)
    except RecursionError:
        return TOO_DEEP


def origins(rows: Rows, place: Callable[[int], Place]) -> Callable[[int], Origin]:
    """The origin of each row, made when asked for. `place` knows where a native index stands."""
    native, spots = rows.native, rows.spots

    def origin(row: int) -> Origin:
        index, pointer, _, line = place(native[row])
        return Origin(index, pointer, line, tuple(_pointer(place(home), position) for home, position in spots[row]))

    return origin


def _pointer(place: Place, position: int) -> str:
    return place.content if position == WHOLE else f"{place.content}/{position}"


def usage_of(row: int, usage: Any) -> Usage | None:
    """The usage that Anthropic reported for the answer at a row, in tokens; None where there is none.

    `input_tokens` excludes what was read from the cache and what was written to it (Anthropic, "Prompt caching",
    "Tracking cache performance"); all three are the input.
    """
    if not isinstance(usage, dict):
        return None
    cached = _count(usage, "cache_read_input_tokens")
    taken = _count(usage, "input_tokens") + _count(usage, "cache_creation_input_tokens") + cached
    made = _count(usage, "output_tokens")
    return Usage(row, taken, cached, made) if taken or made else None


def _count(usage: Body, key: str) -> int:
    value = usage.get(key)
    return value if type(value) is int and value > 0 else 0
