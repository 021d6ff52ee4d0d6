"""Gemini content parts as OpenAI-shaped messages: one reading for request bodies, Gemini CLI and Qwen Code.

- Text parts are joined by a line feed; `thought` parts are `thinking`. A part with a `thoughtSignature` stands whole in
  `thinking_blocks` besides, whatever else it is.
- `functionCall` is a call, with its id where it has one; `functionResponse` is a result of its own. A response with the
  one key `output` or `error` (the keys that Google documents) is that text, any other is compact JSON.
- Images are `image_url` parts; other data, files and executed code are the file's own parts, whole.
- A user's content gives its results first, then one user message of all its other parts, in recorded order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from inspector.formats.blocks import json_text
from inspector.formats.rows import Draft, Rows, Spot, call_entry, data_image, image_part, joined
from inspector.formats.shapes import as_count, as_dict, as_list, as_text
from inspector.message import Body, Usage

ROLES = {"model": "assistant", "function": "user", "tool": "user"}
"""Native roles that are called otherwise here; a function's content holds results alone."""
_RESPONSE = ("functionResponse", "function_response")
_CALL = ("functionCall", "function_call")


class Part(NamedTuple):
    """A part with its place."""

    spot: Spot
    value: Any


def parts_at(native: int, inner: str, content: Any) -> list[Part]:
    """The parts of a value that is a list of parts, one part, or a string; `inner` is its pointer."""
    if content is None:
        return []
    if not isinstance(content, list):
        return [Part(Spot(native, inner), content)]
    return [Part(Spot(native, f"{inner}/{place}"), value) for place, value in enumerate(content)]


def is_content(value: Any) -> bool:
    """Whether a value is a `Content`: parts, with a role of Gemini's or none. A part of Gemini's has no type."""
    if not isinstance(value, dict) or not isinstance(value.get("parts"), list):
        return False
    if any(isinstance(part, dict) and isinstance(part.get("type"), str) for part in value["parts"]):
        return False
    return value.get("role", "user") in ("user", "model", "function", "tool")


def add_parts(rows: Rows, native: int, role: str, parts: Sequence[Part]) -> Body | None:
    """Add the parts of one content as rows: at least one. Gives the body of the row that is no result, if any."""
    draft = Draft()
    results = 0
    for part in parts:
        response = response_of(part.value)
        if response is not None:
            add_response(rows, part.spot, response)
            results += 1
        else:
            take(draft, part)
    if draft or not results:
        return rows.add(native, ROLES.get(role, role), draft)
    return None


def response_of(part: Any) -> Body | None:
    """The `functionResponse` of a part, if it is one."""
    return _inside(part, _RESPONSE)


def add_response(rows: Rows, spot: Spot, response: Body, *, error: bool = False) -> None:
    """Add the result that a `functionResponse` holds."""
    said, failed = _said(response.get("response"))
    shown = [said, *map(_shown, as_list(response.get("parts")))]
    name = as_text(response.get("name"))
    rows.result(spot, response.get("id"), joined(shown), name=name, error=error or failed)


def _said(response: Any) -> tuple[str, bool]:
    """The text of a response, and whether it is an error's."""
    if isinstance(response, dict) and len(response) == 1:
        for key in ("output", "error"):
            if isinstance(response.get(key), str):
                return response[key], key == "error"
    if response is None or isinstance(response, str):
        return response or "", False
    return json_text(response), isinstance(response, dict) and bool(response.get("error"))


def take(draft: Draft, part: Part) -> None:
    """Take a part that is no response into a message."""
    spot, value = part
    signed = isinstance(value, dict) and bool(value.get("thoughtSignature") or value.get("thought_signature"))
    call = _inside(value, _CALL)
    if call is not None:
        draft.call(spot, call_entry(call.get("id"), call.get("name"), arguments(call.get("args"))))
    elif isinstance(value, dict) and value.get("thought"):
        draft.think(spot, as_text(value.get("text")), value if signed else None)
        return
    else:
        draft.say(spot, _shown(value))
    if signed:
        draft.signed.append(value)


def _inside(part: Any, keys: Sequence[str]) -> Body | None:
    if isinstance(part, dict):
        for key in keys:
            if isinstance(part.get(key), dict):
                return as_dict(part[key])
    return None


def arguments(args: Any) -> str:
    """A call's recorded arguments as JSON; none are an empty object."""
    return args if isinstance(args, str) else json_text({} if args is None else args)


def _shown(value: Any) -> str | Body:
    if not isinstance(value, dict):
        return value if isinstance(value, str) else json_text(value)
    if isinstance(value.get("text"), str):
        return str(value["text"])
    data = value.get("inlineData") or value.get("inline_data") or value.get("fileData") or value.get("file_data")
    found = as_dict(data)
    kind = found.get("mimeType", found.get("mime_type"))
    if isinstance(kind, str) and kind.startswith("image/"):
        uri = found.get("fileUri", found.get("file_uri"))
        if isinstance(found.get("data"), str):
            return data_image(kind, found["data"])
        if isinstance(uri, str):
            return image_part(uri)
    return value


def usage_of(row: int | None, usage: Any) -> tuple[Usage, ...]:
    """The usage in a response's `usageMetadata`. Prompt tokens include cached ones, candidates exclude thoughts
    (Gemini API reference, UsageMetadata)."""
    found = as_dict(usage)
    taken = as_count(found.get("promptTokenCount")) + as_count(found.get("toolUsePromptTokenCount"))
    made = as_count(found.get("candidatesTokenCount")) + as_count(found.get("thoughtsTokenCount"))
    if row is None or not (taken or made):
        return ()
    return (Usage(row, taken, as_count(found.get("cachedContentTokenCount")), made),)


SNAPSHOT = "<state_snapshot>"
"""How the user message begins that Gemini CLI writes when it compresses a chat (gemini-cli, chatCompressionService)."""


def is_snapshot(body: Body) -> bool:
    """Whether a message is the summary of a compression."""
    content = body.get("content")
    return body.get("role") == "user" and isinstance(content, str) and content.lstrip().startswith(SNAPSHOT)


def history_of(contents: Any) -> tuple[Body, ...]:
    """A recorded list of contents as messages."""
    rows = Rows()
    for place, content in enumerate(as_list(contents)):
        if isinstance(content, dict):
            add_parts(rows, place, as_text(content.get("role")) or "user", parts_at(place, "", content.get("parts")))
    return tuple(rows.messages)
