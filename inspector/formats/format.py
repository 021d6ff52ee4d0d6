"""What a session format is, and what its reader gets and gives. A new format costs one file and one line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from inspector.finding import Finding
from inspector.message import Body, Branch, Compaction, Origin, Usage
from inspector.text import visible_line

if TYPE_CHECKING:
    from inspector.formats.sources import Files
    from inspector.formats.sqlite import Database

Kind: TypeAlias = Literal["file", "folder", "database", "text"]
"""What a recording is: a file of JSON, a folder or archive of files, an SQLite database, a transcript as text."""


class UnreadableSession(Exception):
    """A file that holds no session, or none that can be read; `str` is one clear sentence that names the file."""

    def __init__(self, sentence: str, finding: Finding | None = None) -> None:
        super().__init__(visible_line(sentence))  # names of files and keys may hold anything
        self.finding = finding
        """The damage behind it, where it is damage."""


class CannotWrite(Exception):
    """A change that a format, or a damaged file, cannot express; `str` is one clear sentence."""


LOST = None
"""Stands in a list for an element that salvage could not read (its finding is in the damage), so that the elements
after it keep their native index."""


class Record(NamedTuple):
    """One JSON value of a JSON Lines file."""

    value: Any
    line: int
    """0-based physical line (lines end at LF only) on which it starts."""
    byte: int
    """Offset of its first byte in the file."""


@dataclass(frozen=True, eq=False)
class Recording:
    """A file after salvage: one JSON value, or lines of them, with what was wrong; or a folder, or a database."""

    name: str
    """The path as it was given."""
    document: Any = None
    """The file's one JSON value, where it is one; None for JSON Lines."""
    records: Sequence[Record] = ()
    """The values of a JSON Lines file, in order; empty where the file is one JSON value."""
    damage: tuple[Finding, ...] = ()
    files: Files | None = None
    """The files of a folder or an archive; None where the recording is neither."""
    database: Database | None = None
    text: bytes | None = None
    """The bytes of a transcript that is text, not JSON."""

    @property
    def kind(self) -> Kind:
        """What the recording is."""
        if self.files is not None:
            return "folder"
        return "database" if self.database is not None else "file" if self.text is None else "text"

    @property
    def all_damage(self) -> tuple[Finding, ...]:
        """What was wrong, with what reading files of a folder or tables of a database has found so far."""
        inside = self.files or self.database
        return self.damage if inside is None else (*self.damage, *inside.damage)

    @property
    def lines(self) -> bool:
        """Whether the file is JSON Lines."""
        return self.document is None and self.kind == "file"

    def sample(self, count: int = 50) -> Sequence[Any]:
        """The first values: what recognition looks at."""
        return [record.value for record in self.records[:count]]


@dataclass(frozen=True, eq=False, kw_only=True)
class Conversation:
    """One conversation of a file, as a reader gives it: OpenAI-shaped messages (DESIGN.md, "Loaded shape")."""

    messages: Sequence[Body]
    origin: Callable[[int], Origin]
    title: str = ""
    model: str | None = None
    tools: tuple[Body, ...] = ()
    usage: tuple[Usage, ...] = ()
    compactions: tuple[Compaction, ...] = ()
    damage: tuple[Finding, ...] = ()
    side: bool = False
    """A side conversation (a subagent's), kept apart from the main one."""
    abandoned: tuple[Body, ...] = ()
    """Messages on branches that were left; only `info --all` counts them."""
    branches: tuple[Branch, ...] = ()
    """The branches that were left, the newest first, where the format tells them apart."""
    read_branch: Callable[[int], Conversation] | None = None
    """One of `branches`, told whole, from the beginning of the conversation."""
    id: str = ""
    """The tool's own name for it, where a file holds several."""


@dataclass(frozen=True, slots=True)
class Format:
    """A session format."""

    name: str
    """Short name (FORMATS.md)."""
    title: str
    """What people call it."""
    recognise: Callable[[Recording], bool]
    """Whether a recording is of this format, by its content; must be quick and never raise."""
    read: Callable[[Recording], Sequence[Conversation]]
    """All conversations of a recording, the main one first; damage inside it is named, not raised."""
    help: str = field(default="")
    """One line: where such files come from."""
    reads: tuple[Kind, ...] = ("file",)
    """The kinds of recordings that may be of this format; `recognise` and `read` see no others."""
    shape: str = ""
    """Where its `rewriting.Shape` is, as "module.NAME" beside this one: reading needs none, so the first write imports
    it. "" where the format is not written back."""
