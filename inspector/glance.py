"""What the first lines of a session tell: where it was recorded, what it is about, and, of a short one, how long it is.

For a list of sessions of any tool, so one reading serves all: a message is an object with a speaker, or one that holds
such an object under a name that some tool uses. No reader is asked, and a large file is never read whole.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import orjson

from inspector.formats.format import UnreadableSession
from inspector.formats.records import salvage
from inspector.formats.shapes import as_dict, as_list, as_text
from inspector.message import Body, opening

HEAD = 1 << 16
"""Bytes read of a large file."""
WHOLE = 1 << 19
"""The largest file that is read whole, and so has its messages counted."""
_HOLDERS = ("message", "payload", "data", "llm_message")
_USERS = frozenset(("user", "human", "user.message", "user_message"))
_SPEAKERS = _USERS.union(
    ("assistant", "assistant.message", "gemini", "model", "ai", "tool", "toolResult", "tool_result", "system"),
    ("developer", "function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output"),
    ("tool.execution_complete",),
)
_TEXTS = ("content", "parts", "text")
_FOLDERS = ("cwd", "working_dir", "workspace_root", "directory")
_TITLES = ("customTitle", "aiTitle", "sessionTitle", "title", "description")
_CLINE_FOLDER = re.compile(r"Current (?:Working|Workspace) Directory \(([^)\n]{1,1000})\)")
_WRAPPED = re.compile(r"\A\s*<(task|user_query|user_message|feedback)>\s*(.*?)\s*(?:</\1>|\Z)", re.DOTALL)
_INJECTED = ("<", "# AGENTS.md", "Caveat:", "[Request interrupted")
"""What a tool says in the user's name begins so."""


class Glance(NamedTuple):
    """What was seen of a session."""

    project: str = ""
    """The folder that it was recorded in."""
    title: str = ""
    messages: int | None = None
    """Records with a message; None of a file that was not read whole."""


def glance(path: str, size: int) -> Glance:
    """Look at a file of JSON, or of lines of it. Never raises for what it holds; `OSError` where it cannot be read."""
    raw = head(path, size if size <= WHOLE else HEAD)
    if not raw.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"[")):
        return Glance()
    return glance_of(list(_values(raw, path)), whole=size <= WHOLE)


def head(path: str, most: int) -> bytes:
    """The first bytes of an ordinary file; of anything else none. Raises `OSError`."""
    opened = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with open(opened, "rb") as file:
        return file.read(most) if stat.S_ISREG(os.fstat(opened).st_mode) else b""


def glance_of(values: Iterable[Body], *, whole: bool) -> Glance:
    """What records tell; `whole` says that they are all of them."""
    project = title = first = injected = ""
    messages = 0
    for value in values:
        project = project or _folder(value)
        title = _title(value) or title
        said = _said(value)
        if said is None:
            continue
        messages += 1
        role, holder = said
        if role in _USERS and not first and not value.get("isMeta"):
            words, found = _words(holder)
            project = project or found
            if words.startswith(_INJECTED):
                injected = injected or words
            else:
                first = words
    return Glance(project, title or first or injected, messages if whole else None)


def _values(raw: bytes, name: str) -> Iterator[Body]:
    """The objects that a file holds: its lines, or its one value and the messages in it."""
    lines = raw.split(b"\n")
    first = next((line for line in lines if line.strip()), b"")
    if len(lines) > 1 and isinstance(_parsed(first), dict) and any(map(bytes.strip, lines[lines.index(first) + 1 :])):
        yield from (value for value in map(_parsed, lines) if isinstance(value, dict))
        return
    yield from _inside(_document(raw, name))


def _parsed(line: bytes) -> Any:
    try:
        return orjson.loads(line)
    except (ValueError, RecursionError):
        return None


def _document(raw: bytes, name: str) -> Any:
    document = _parsed(raw)
    if document is not None:
        return document
    try:
        return salvage(raw, name).document
    except (UnreadableSession, RecursionError):
        return None


def _inside(document: Any) -> Iterator[Body]:
    if isinstance(document, dict):
        yield {key: value for key, value in document.items() if key != "messages"}
        document = document.get("messages", document.get("history"))
    yield from (one for one in as_list(document) if isinstance(one, dict))


def _folder(value: Body) -> str:
    for holder in (value, as_dict(value.get("payload")), as_dict(as_dict(value.get("data")).get("context")),
                   as_dict(value.get("workspace"))):  # fmt: skip
        found = next((text for key in _FOLDERS if (text := as_text(holder.get(key)))), "")
        if found:
            return found
    return ""


def _title(value: Body) -> str:
    """A title that a record gives to the session: what users chose, or what the tool made."""
    kind = value.get("type")
    if kind == "summary":
        return opening({"content": as_text(value.get("summary"))})
    if kind == "session_info":
        return opening({"content": as_text(value.get("name"))})
    if "role" in value or "message" in value:  # a message may have a title of another thing
        return ""
    return opening({"content": next((text for key in _TITLES if (text := as_text(value.get(key)))), "")})


def _said(value: Body) -> tuple[str, Body] | None:
    """Who speaks in a record, and the object that says it."""
    if value.get("type") == "event_msg":  # Codex writes what is said once for the screen, and once for the model
        return None
    for holder in (*(as_dict(value.get(key)) for key in _HOLDERS), value):
        for role in (holder.get("role"), holder.get("type"), value.get("role"), value.get("type")):
            if holder and isinstance(role, str) and role in _SPEAKERS:
                return role, holder
    return None


def _words(holder: Body) -> tuple[str, str]:
    """What a user's message begins with, and the folder that Cline names in it."""
    content = next((holder[key] for key in _TEXTS if holder.get(key)), "")
    text = opening({"content": content})
    full = content if isinstance(content, str) else ""
    blocks = [as_text(as_dict(block).get("text")) for block in as_list(content)]
    folder = _CLINE_FOLDER.search("\n".join([full, *blocks])[:WHOLE])
    if text.startswith("<"):
        wrapped = _WRAPPED.match(full or next(filter(None, blocks), ""))
        text = opening({"content": wrapped[2]}) if wrapped else text
    return text, folder[1] if folder else ""
