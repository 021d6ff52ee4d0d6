"""Something wrong in a session, in its file, or in a sent view."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning", "info"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault, with its native place."""

    code: str
    """A rule of TAXONOMY.md."""
    severity: Severity
    says: str
    """One sentence for a person; may hold text from the recording."""
    message_index: int | None = None
    """Native 0-based place: index in the message array, or physical line; None is the whole file."""
    pointer: str = ""
    """JSON pointer; in a JSON Lines file its first token is the 0-based line."""
    line: int | None = None
    """1-based physical line of a JSON Lines file."""
    byte: int | None = None
    """Byte offset into the file, for damage."""
    row: int | None = None
    """Row of the loaded session, where the finding is about a loaded message."""
    repair: str = ""
    """What a repair would do."""
