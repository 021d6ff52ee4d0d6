"""Small sessions in several shapes, and what the doctor says of them."""

import json
from collections.abc import Sequence
from typing import Any

from inspector.doctor import examine_file, target_named
from inspector.finding import Finding


def examined(document: Any, target: str = "native", format: str | None = None) -> tuple[Finding, ...]:
    """The findings of a document, or of JSON Lines where it is a tuple of lines, or of bytes."""
    if isinstance(document, bytes):
        raw = document
    elif isinstance(document, tuple):
        raw = b"".join(json.dumps(line).encode() + b"\n" for line in document)
    else:
        raw = json.dumps(document).encode()
    return examine_file("recording", format, 0, raw).findings(target_named(target))


def codes(document: Any, target: str = "native", *, remarks: bool = False) -> list[tuple[str, str]]:
    """Code and pointer of every finding; of those that are no remark unless asked."""
    found = examined(document, target)
    return [(one.code, one.pointer) for one in found if remarks or one.severity != "info"]


def user(text: str = "go on") -> dict[str, Any]:
    return {"role": "user", "content": text}


def said(text: str = "done") -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def calls(*ids: str | None, arguments: str = "{}", name: str = "look") -> dict[str, Any]:
    made = [{**({"id": one} if one else {}), "type": "function", "function": {"name": name, "arguments": arguments}}
            for one in ids]  # fmt: skip
    return {"role": "assistant", "content": None, "tool_calls": made}


def result(answers: str | None, text: Any = "seen") -> dict[str, Any]:
    return {"role": "tool", **({"tool_call_id": answers} if answers else {}), "content": text}


def chat(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"model": "gpt-4o", "messages": list(messages), **more}


def anthropic(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"model": "claude-sonnet-4-5", "max_tokens": 100, "system": "s", "messages": list(messages), **more}


def text_block(text: str = "hello") -> dict[str, Any]:
    return {"type": "text", "text": text}


def use(call_id: str, given: Any = None, name: str = "look") -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": name, "input": {} if given is None else given}


def answer(call_id: str, content: Any = "seen", **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, **more}


def turn(role: str, *blocks: dict[str, Any]) -> dict[str, Any]:
    return {"role": role, "content": list(blocks)}


def gemini(*contents: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"contents": list(contents), **more}


def model(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"role": "model", "parts": list(parts)}


def asked(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"role": "user", "parts": list(parts)}


def function_call(name: str = "look", **more: Any) -> dict[str, Any]:
    return {"functionCall": {"name": name, "args": {}}, **more}


def response(name: str = "look") -> dict[str, Any]:
    return {"functionResponse": {"name": name, "response": {"output": "seen"}}}


def items(*given: dict[str, Any]) -> dict[str, Any]:
    return {"model": "gpt-5", "store": False, "input": list(given)}


def item_user(text: str = "go on") -> dict[str, Any]:
    return {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}


def item_call(call_id: str, **more: Any) -> dict[str, Any]:
    return {"type": "function_call", "call_id": call_id, "name": "look", "arguments": "{}", **more}


def item_output(call_id: str, kind: str = "function_call_output") -> dict[str, Any]:
    return {"type": kind, "call_id": call_id, "output": "seen"}


def bedrock(*messages: dict[str, Any]) -> dict[str, Any]:
    return {"modelId": "anthropic.claude", "messages": list(messages)}


def line(number: int, kind: str, message: dict[str, Any], parent: int | None = None, **more: Any) -> dict[str, Any]:
    """A line of a Claude Code session; its parent is the one before it unless named."""
    above = number - 1 if parent is None else parent
    return {
        "type": kind, "uuid": f"u{number}", "parentUuid": f"u{above}" if above >= 0 else None, "sessionId": "s",
        "isSidechain": False, "timestamp": f"2026-01-01T00:00:{number:02d}Z", "message": message, **more,
    }  # fmt: skip


def png(width: int, height: int) -> str:
    """The head of a PNG of that size, in base64."""
    import base64

    head = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + width.to_bytes(4, "big") + height.to_bytes(4, "big") + b"\x08\x02\0\0\0"
    return base64.b64encode(head + b"\0" * 30).decode()


def image(width: int = 10, height: int = 10) -> dict[str, Any]:
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": png(width, height)}}


def only(found: Sequence[tuple[str, str]], code: str) -> list[str]:
    """The pointers of the findings of a code."""
    return [pointer for name, pointer in found if name == code]
