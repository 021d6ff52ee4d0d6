"""Messages as a request of the Anthropic Messages API holds them (platform.claude.com, "Messages" and "Tool use").

- System and developer messages are the system prompt on top, wherever they stood.
- Results come first in the user message after their calls; neighbours of one role are one message, so that user and
  assistant alternate. A server's tools and their results stay in the assistant's message.
- Calls without ids get some by their place, and so do the results that answer them by order.
- Thinking is carried where it is signed or redacted; other thinking is left out, since the API takes none. So are texts
  of nothing but white space, and messages of nothing else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from inspector.formats.blocks import SERVER_CALLS
from inspector.message import Body, Context, ToolCall, calls_of, compact_json, text_of
from inspector.pairs import pairs_of

_DATA_URL = re.compile(r"data:([\w.+-]+/[\w.+-]+)?;base64,", re.ASCII)
_THOUGHTS: Mapping[str, str] = {"thinking": "signature", "redacted_thinking": "data"}
"""What a thought must have for the API to take it back."""
_PASSED_ON = ("document", "search_result", "container_upload", "compaction")
_RASTER: Mapping[str, str] = {"iVBOR": "image/png", "/9j/": "image/jpeg", "R0lG": "image/gif", "UklG": "image/webp"}


def to_anthropic(context: Context) -> dict[str, Any]:
    """Messages as `{system, messages}`; without a system prompt the first key is left out."""
    ids = _Ids(context)
    system: list[str] = []
    messages: list[dict[str, Any]] = []
    for row, body in enumerate(context.messages):
        role = body.get("role")
        if role in ("system", "developer"):
            system += [text] if (text := text_of(body)).strip() else []
            continue
        blocks = list(_blocks(row, body, ids))
        speaker = "assistant" if role == "assistant" or _is_server_result(body) else "user"
        if not blocks:
            continue
        if messages and messages[-1]["role"] == speaker:
            messages[-1]["content"] += blocks
        else:
            messages.append({"role": speaker, "content": blocks})
    for message in messages:
        if message["role"] == "user":
            message["content"].sort(key=lambda block: block["type"] != "tool_result")
    made: dict[str, Any] = {"system": "\n\n".join(system)} if system else {}
    return {**made, "messages": messages}


class _Ids:
    """Ids for calls and results that were recorded without."""

    def __init__(self, context: Context) -> None:
        pairs = context.derived(pairs_of).pairs
        self._calls = {pair.result_row: (pair.call_row, pair.call) for pair in pairs}
        self._context = context

    def of_call(self, row: int, number: int, call: ToolCall) -> str:
        """The id of a call."""
        return call.id or f"call_{row}_{number}"

    def of_result(self, row: int, body: Body) -> str:
        """The id of the call that a result answers."""
        answers = body.get("tool_call_id")
        if isinstance(answers, str) and answers:
            return answers
        if row not in self._calls:
            return f"result_{row}"
        calling, number = self._calls[row]
        return self.of_call(calling, number, calls_of(self._context.messages[calling])[number])


def _is_server_result(body: Body) -> bool:
    kind = body.get("type")
    return body.get("role") == "tool" and isinstance(kind, str) and kind.endswith("_tool_result")


def _blocks(row: int, body: Body, ids: _Ids) -> Iterator[dict[str, Any]]:
    if body.get("role") in ("tool", "function"):
        yield _result(row, body, ids)
        return
    thoughts = body.get("thinking_blocks")
    for block in thoughts if isinstance(thoughts, list) else ():
        if isinstance(block, dict) and isinstance(block.get(_THOUGHTS.get(str(block.get("type")), "")), str):
            yield block
    yield from _content(body)
    entries = [entry for entry in body.get("tool_calls") or () if isinstance(entry, dict)] if calls_of(body) else []
    for number, (entry, call) in enumerate(zip(entries, calls_of(body), strict=True)):
        kind = entry["type"] if entry.get("type") in SERVER_CALLS else "tool_use"
        yield {"type": kind, "id": ids.of_call(row, number, call), "name": call.name, "input": _input(call.arguments)}


def _input(arguments: str) -> Any:
    """Arguments as the object that the API wants; what is none is kept as the one member of one."""
    try:
        value = json.loads(arguments) if arguments.strip() else {}
    except (ValueError, RecursionError):
        value = None
    return value if isinstance(value, dict) else {"arguments": arguments}


def _result(row: int, body: Body, ids: _Ids) -> dict[str, Any]:
    kind = body["type"] if _is_server_result(body) else "tool_result"
    content = body.get("content")
    said = content if isinstance(content, str) or kind != "tool_result" else list(_content(body))
    block = {"type": kind, "tool_use_id": ids.of_result(row, body), "content": said}
    return {**block, "is_error": True} if body.get("is_error") is True and kind == "tool_result" else block


def _content(body: Body) -> Iterator[dict[str, Any]]:
    content, images = body.get("content"), body.get("images")
    for part in content if isinstance(content, list) else [content]:
        block = _part(part)
        if block["type"] != "text" or str(block.get("text")).strip():
            yield block
    for image in images if isinstance(images, list) else ():
        if isinstance(image, str):
            kind = next((kind for head, kind in _RASTER.items() if image.startswith(head)), "image/png")
            yield _image(image if _DATA_URL.match(image) else f"data:{kind};base64,{image}")


def _part(part: Any) -> dict[str, Any]:
    if isinstance(part, str) or part is None:
        return {"type": "text", "text": part or ""}
    kind = part.get("type") if isinstance(part, dict) else None
    if kind == "text" and isinstance(part.get("text"), str):
        return dict(part)
    url = part.get("image_url") if kind in ("image_url", "input_image") else None
    url = url.get("url") if isinstance(url, dict) else url
    if isinstance(url, str):
        return _image(url)
    if kind in _PASSED_ON or (kind == "image" and isinstance(part.get("source"), dict)):
        return dict(part)
    return {"type": "text", "text": compact_json(part)}


def _image(url: str) -> dict[str, Any]:
    data = _DATA_URL.match(url)
    if data is None:
        return {"type": "image", "source": {"type": "url", "url": url}}
    source = {"type": "base64", "media_type": data[1] or "image/png", "data": url[data.end() :]}
    return {"type": "image", "source": source}
