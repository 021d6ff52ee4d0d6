"""Bedrock Converse: request bodies, bare message lists, and JSON Lines of either; Strands sessions hold the same shape.

Blocks are told by their key, not by a type. A `toolUse` is a call, a `toolResult` a result of its own: the text and the
JSON in it joined by a line feed, pictures as `image_url` parts. Reasoning with a signature, or redacted, stands whole
in `thinking_blocks`; cache points are marks, and no row shows them. The system prompt is the first row, of index -1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inspector.formats.blocks import json_text
from inspector.formats.entries import Entry, entries_of, where
from inspector.formats.format import Conversation, Format, Recording
from inspector.formats.rows import Draft, Place, Rows, Spot, call_entry, data_image, joined
from inspector.formats.shapes import as_dict, as_list, as_text, dicts, unreadable
from inspector.message import Body

SYSTEM = -1
_BLOCKS = frozenset((
    "text", "image", "document", "video", "toolUse", "toolResult", "reasoningContent", "cachePoint", "guardContent",
    "citationsContent",
))  # fmt: skip
_OWN = frozenset(("toolUse", "toolResult", "reasoningContent", "cachePoint"))
_REQUEST_KEYS = ("modelId", "inferenceConfig", "toolConfig", "additionalModelRequestFields")
_SAMPLED = 50


def recognise(recording: Recording) -> bool:
    """Whether a recording holds messages whose blocks are told by their key, and one that only Converse has."""
    if recording.kind != "file":
        return False
    values = recording.sample(_SAMPLED) if recording.lines else [recording.document]
    lists = [values, *(value if isinstance(value, list) else _messages(value) for value in values)]
    keyed = any(_are_keyed(messages) for messages in lists)
    return keyed or any(_is_request(value) for value in values)


def _messages(value: Any) -> list[Any]:
    return as_list(as_dict(value).get("messages"))


def _is_request(value: Any) -> bool:
    known = isinstance(value, dict) and any(key in value for key in _REQUEST_KEYS)
    blocks = [block for message in dicts(_messages(value)) for block in as_list(message.get("content"))]
    return known and bool(blocks) and all(map(_is_block, blocks))


def _are_keyed(messages: Sequence[Any]) -> bool:
    spoken = [message for message in messages[:_SAMPLED] if _is_message(message)]
    blocks = [block for message in spoken for block in message["content"]]
    return all(map(_is_block, blocks)) and any(not _OWN.isdisjoint(block) for block in blocks)


def _is_message(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.get("role") in ("user", "assistant")
        and isinstance(value.get("content"), list)
    )


def _is_block(block: Any) -> bool:
    return isinstance(block, dict) and "type" not in block and not _BLOCKS.isdisjoint(block)


def read(recording: Recording) -> list[Conversation]:
    """Every request of a recording, or its one list of messages."""
    entries = entries_of(recording)
    if any(_is_message(entry.value) for entry in entries):
        return [_conversation(entries, Entry({}, Place(0, "")))]
    requests = [entry for entry in entries if _messages(entry.value)]
    return [_conversation(entry.each("messages"), entry) for entry in requests]


def _conversation(entries: Sequence[Entry], request: Entry) -> Conversation:
    rows = Rows()
    system = dicts(as_dict(request.value).get("system"))
    if system:
        draft = Draft()
        for at, block in enumerate(system):
            if "cachePoint" not in block:
                draft.say(Spot(SYSTEM, f"/system/{at}"), _said(block))
        rows.put(SYSTEM, draft.body("system"), Spot(SYSTEM, "/system"), *draft.spots)
    damage = []
    for native, entry in enumerate(entries):
        value = entry.value
        if isinstance(value, dict) and isinstance(value.get("role"), str):
            _add(rows, native, value)
        else:
            index, pointer, line = entry.place
            damage.append(unreadable(index, pointer, value, numbered=line is not None))
    places = where(entries)
    at_system = request.place._replace(native=SYSTEM if request.place.line is None else request.place.native)
    return Conversation(
        messages=rows.messages,
        origin=rows.origins(lambda native: at_system if native == SYSTEM else places(native)),
        title=f"line {request.place.line}" if request.place.line is not None else "",
        model=as_text(as_dict(request.value).get("modelId")) or None,
        tools=tuple(_tool(tool) for tool in dicts(as_dict(as_dict(request.value).get("toolConfig")).get("tools"))),
        damage=tuple(damage),
    )


def _tool(tool: Body) -> Body:
    return as_dict(tool.get("toolSpec")) or tool


def _add(rows: Rows, native: int, message: Body) -> None:
    draft, results = Draft(), 0
    content = message.get("content")
    blocks = content if isinstance(content, list) else [] if content is None else [content]
    for at, block in enumerate(blocks):
        spot = Spot(native, f"/content/{at}")
        if isinstance(block, dict) and isinstance(block.get("toolResult"), dict):
            _result(rows, spot, block["toolResult"])
            results += 1
        else:
            _take(draft, spot, block)
    if draft or not results:
        rows.add(native, message["role"], draft)


def _result(rows: Rows, spot: Spot, result: Body) -> None:
    said = [_said(block) for block in as_list(result.get("content"))]
    rows.result(spot, result.get("toolUseId"), joined(said), error=result.get("status") == "error")


def _take(draft: Draft, spot: Spot, block: Any) -> None:
    found = as_dict(block)
    if isinstance(found.get("toolUse"), dict):
        call = found["toolUse"]
        draft.call(spot, call_entry(call.get("toolUseId"), call.get("name"), _arguments(call.get("input"))))
    elif isinstance(found.get("reasoningContent"), dict):
        text = as_dict(found["reasoningContent"].get("reasoningText"))
        sealed = text.get("signature") or "redactedContent" in found["reasoningContent"]
        draft.think(spot, as_text(text.get("text")), block if sealed else None)
    elif "cachePoint" not in found:
        draft.say(spot, _said(block))


def _arguments(given: Any) -> str:
    return given if isinstance(given, str) else json_text({} if given is None else given)


def _said(block: Any) -> str | Body:
    if not isinstance(block, dict):
        return block if isinstance(block, str) else json_text(block)
    if isinstance(block.get("text"), str):
        return str(block["text"])
    if "json" in block:
        return json_text(block["json"])
    image = as_dict(block.get("image"))
    data = as_dict(image.get("source")).get("bytes")
    return data_image(f"image/{as_text(image.get('format')) or 'png'}", data) if isinstance(data, str) else block


FORMAT = Format(
    name="bedrock_converse",
    title="Bedrock Converse",
    recognise=recognise,
    read=read,
    help="Request bodies and message lists of Amazon Bedrock's Converse API.",
)
