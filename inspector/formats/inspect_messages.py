"""Messages of Inspect AI as rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspector.formats.blocks import part_of
from inspector.formats.datasets import arguments
from inspector.formats.rows import Draft, Rows, Spot, call_entry, image_part
from inspector.formats.shapes import as_dict, as_list, as_text
from inspector.message import Body

ATTACHED = "attachment://"


class Messages:
    """Rows of a sample's messages in the making."""

    def __init__(self, attachments: Mapping[str, Any]) -> None:
        self.rows = Rows()
        self.row_of: dict[str, int] = {}
        """The row of each message id; of a message with several rows the first."""
        self.ids: list[str] = []
        """The message id of each row."""
        self._attachments = attachments

    def add(self, native: int, message: Body) -> None:
        """Add a message; one with a server's tools gives several rows."""
        before, name = len(self.rows), as_text(message.get("id"))
        if message["role"] == "tool":
            self._result(native, message)
        else:
            self._say(native, message)
        self.ids += [name] * (len(self.rows) - before)
        if name:
            self.row_of.setdefault(name, before)

    def _result(self, native: int, message: Body) -> None:
        error, draft = as_dict(message.get("error")), Draft()
        if as_text(error.get("message")):
            draft.say(Spot(native, "/error/message"), f"Error: {self._resolved(error['message'])}")
        else:
            self._content(draft, native, message.get("content"), [])
        spot = draft.spots[0] if len(draft.spots) == 1 else Spot(native, "/content")
        name = as_text(message.get("function"))
        content = draft.body("tool")["content"]
        self.rows.result(spot, message.get("tool_call_id"), content, name=name, error=bool(error))

    def _say(self, native: int, message: Body) -> None:
        draft, served = Draft(), list[tuple[Spot, Body]]()
        self._content(draft, native, message.get("content"), served)
        for at, call in enumerate(as_list(message.get("tool_calls"))):
            if isinstance(call, dict):
                given = self._resolved(arguments(call.get("arguments")))
                entry = call_entry(call.get("id"), call.get("function"), given)
                draft.call(Spot(native, f"/tool_calls/{at}"), entry)
        self.rows.add(native, message["role"], draft)
        for spot, block in served:
            text = self._resolved(as_text(block.get("error")) or arguments(block.get("result")))
            name, failed = as_text(block.get("name")), bool(block.get("error"))
            self.rows.result(spot, block.get("id"), text, name=name, error=failed)

    def _content(self, draft: Draft, native: int, content: Any, served: list[tuple[Spot, Body]]) -> None:
        if not isinstance(content, list):
            if content is not None:
                draft.say(Spot(native, "/content"), self._resolved(arguments(content)))
            return
        for at, part in enumerate(content):
            self._part(draft, Spot(native, f"/content/{at}"), part, served)

    def _part(self, draft: Draft, spot: Spot, part: Any, served: list[tuple[Spot, Body]]) -> None:
        kind = part.get("type") if isinstance(part, dict) else None
        if kind == "text" and isinstance(part.get("text"), str):
            draft.say(spot, self._resolved(part["text"]))
        elif kind == "reasoning":
            signed = bool(part.get("signature") or part.get("redacted"))
            text = as_text(part.get("summary" if part.get("redacted") else "reasoning"))
            draft.think(spot, self._resolved(text), part if signed else None)
        elif kind == "image" and isinstance(part.get("image"), str):
            detail = part.get("detail")
            draft.say(spot, image_part(self._resolved(part["image"]), None if detail == "auto" else detail))
        elif kind == "tool_use" and "result" in part:
            given = self._resolved(arguments(part.get("arguments")))
            draft.call(spot, call_entry(part.get("id"), part.get("name"), given, "server_tool_use"))
            served.append((spot, part))
        else:
            draft.say(spot, part_of(part))

    def _resolved(self, text: str) -> str:
        """The text, or what it refers to; a reference that leads nowhere stays."""
        if not text.startswith(ATTACHED):
            return text
        held = self._attachments.get(text.removeprefix(ATTACHED))
        return held if isinstance(held, str) else text
