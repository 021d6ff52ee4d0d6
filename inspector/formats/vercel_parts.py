"""Parts of the Vercel AI SDK as pieces of rows: what its UI messages, its model messages and version 4 share."""

from __future__ import annotations

from typing import Any

from inspector.formats.blocks import json_text
from inspector.formats.datasets import arguments
from inspector.formats.rows import Draft, Rows, Spot, call_entry, data_image, image_part
from inspector.formats.shapes import as_dict, as_text
from inspector.message import Body

DENIED = "Tool call execution denied."
"""What the model is told where a user gave no reason (ai 6.0.326 and 7.0.173, and the providers beside them)."""
_SIGNED = ("signature", "data", "providerMetadata", "providerOptions", "details")


def kind_of(part: Any) -> str:
    """The type of a part; empty where it has none."""
    return as_text(as_dict(part).get("type"))


def result_text(value: Any) -> str:
    """A tool's output as the providers send it: a text as it is, anything else as JSON, null too."""
    return value if isinstance(value, str) else json_text(value)


def below(spot: Spot, holder: Body, key: str) -> Spot:
    """The place of a key of a part; the part's own where the key is not recorded."""
    return Spot(spot.native, f"{spot.inner}/{key}") if key in holder else spot


class Step:
    """One message in the making, and the results of its calls, which follow it."""

    def __init__(self, rows: Rows, native: int, role: str) -> None:
        self.draft = Draft()
        self._rows, self._native, self._role = rows, native, role
        self._results: list[tuple[bool, Spot, Any, str | list[Body], str, bool]] = []
        self._quiet = False
        """Whether there was a text, though an empty one: it makes a message but no part of it."""

    def take(self, spot: Spot, part: Any) -> None:
        """Take in a part that is no call and no result."""
        if kind_of(part) in ("reasoning", "redacted-reasoning"):
            text = as_text(part.get("text")) or as_text(part.get("reasoning"))
            self.draft.think(spot, text, part if any(part.get(key) for key in _SIGNED) else None)
        elif kind_of(part) == "text" and part.get("text") == "":
            self._quiet = True
        else:
            self.draft.say(spot, shown(part))

    def call(self, spot: Spot, call_id: Any, name: str, given: Any) -> None:
        """Take in a call."""
        self.draft.call(spot, call_entry(call_id, name, arguments(given)))

    def result(
        self, spot: Spot, call_id: Any, content: str | list[Body], name: str, *, failed: bool, early: bool = False
    ) -> None:
        """Take in a result; one that the provider had before the answer ended is `early`, before those of the app."""
        self._results.append((not early, spot, call_id, content, name, failed))

    def close(self, *, always: bool = False) -> None:
        """Make rows of what was taken in, and begin anew."""
        if self.draft or self._quiet or always:
            self._rows.add(self._native, self._role, self.draft)
        for _, spot, call_id, content, name, failed in sorted(self._results, key=lambda result: result[0]):
            self._rows.result(spot, call_id, content, name=name, error=failed)
        self.draft, self._results, self._quiet = Draft(), [], False


def shown(part: Any) -> str | Body:
    """A part as text, as an image, or whole."""
    if not isinstance(part, dict):
        return arguments(part)
    if part.get("type") == "text" and isinstance(part.get("text"), str):
        return str(part["text"])
    media = next((part[key] for key in ("mediaType", "mimeType", "contentType") if as_text(part.get(key))), "")
    held = next(filter(None, (_held(part.get(key)) for key in ("image", "url", "data"))), "")
    if held and (part.get("type") in ("image", "image-url", "image-data") or media.startswith("image/")):
        addressed = held.startswith(("data:", "http:", "https:", "blob:", "/")) and not held.startswith("/9j")
        return image_part(held) if addressed else data_image(media or None, held)
    return part


def _held(value: Any) -> str:
    """The address or the base64 of a file: a string, since version 7 also `{type: url|data}`."""
    tagged = as_dict(value)
    return as_text(value) or as_text(tagged.get("url")) or as_text(tagged.get("data"))
