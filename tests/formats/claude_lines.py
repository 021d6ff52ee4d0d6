"""Builders of Claude Code lines: small sessions of our own, with only the keys that a reader looks at."""

from typing import Any

from inspector.formats.format import Record, Recording

Line = dict[str, Any]


def line(kind: str, uuid: str, parent: str | None, message: Line | None = None, **more: Any) -> Line:
    made: Line = {"parentUuid": parent, "isSidechain": False, "sessionId": "s", "type": kind, "uuid": uuid}
    return {**made, **({} if message is None else {"message": message}), **more}


def says(uuid: str, parent: str | None, content: Any, **more: Any) -> Line:
    return line("user", uuid, parent, {"role": "user", "content": content}, **more)


def answers(uuid: str, parent: str | None, id: str, *blocks: Line, usage: Line | None = None, **more: Any) -> Line:
    message = {"id": id, "role": "assistant", "model": "claude-x", "content": list(blocks)}
    return line("assistant", uuid, parent, {**message, **({} if usage is None else {"usage": usage})}, **more)


def text(value: str) -> Line:
    return {"type": "text", "text": value}


def call(id: str, name: str = "Bash", **arguments: Any) -> Line:
    return {"type": "tool_use", "id": id, "name": name, "input": arguments}


def result(id: str, content: Any = "done") -> list[Line]:
    return [{"type": "tool_result", "tool_use_id": id, "content": content}]


def boundary(uuid: str, logical: str | None, **metadata: Any) -> Line:
    made = line("system", uuid, None, subtype="compact_boundary", compactMetadata=metadata)
    return made if logical is None else {**made, "logicalParentUuid": logical}


def recording(*lines: Any) -> Recording:
    return Recording("made.jsonl", records=[Record(value, number, 0) for number, value in enumerate(lines)])
