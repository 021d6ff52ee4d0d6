"""What may happen to a session: a policy's plan over its messages.

The vocabulary covers what compaction products are known to do (keep, drop, replace a text, clear call arguments, drop
a block, insert, merge, reorder) and knows no product. A `Patch` is the same for the recorded file: which value is
replaced, removed or put in, in the format's own shape, and no word about bytes.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import Any, NamedTuple

from inspector.message import Body, Context, Origin


class Action(IntEnum):
    """What a plan does to one message. A message that several steps touched carries the one that cost it most."""

    KEEP = 0
    DROP = 1
    """Not sent, and nothing stands in its place."""
    PLACEHOLDER = 2
    """The text is replaced by a line that names what was there."""
    HEAD = 3
    """The beginning of the text is kept."""
    TAIL = 4
    """The end of the text is kept."""
    MIDDLE = 5
    """The middle of the text is cut out; head and tail are kept."""
    CLEAR_ARGUMENTS = 6
    """Arguments of the message's calls are cut or cleared."""
    DROP_IMAGE = 7
    DROP_REASONING = 8
    MERGE = 9
    """Not sent: an insert (a summary, as a rule) stands for it."""
    MOVE = 10
    """Sent unchanged at another place (see `Plan.order`)."""
    REWRITE = 11
    """Sent in other words or under another id, as a repair does it."""


GONE = frozenset((Action.DROP, Action.MERGE))
AS_RECORDED = frozenset((Action.KEEP, Action.MOVE))
IS_GONE = bytes(action in GONE for action in range(256))
IS_SENT = bytes(action not in GONE for action in range(256))
IS_REWRITTEN = bytes(action not in GONE and action not in AS_RECORDED for action in range(256))
"""Tables that make a column of actions one of answers, by `bytes.translate`."""


class InsertKind(StrEnum):
    """Why a message that was never recorded is sent."""

    REPAIR = "repair"
    """A result for a call that has none."""
    SUMMARY = "summary"
    """Stands for the messages that it merges."""
    NOTICE = "notice"
    """Tells the model something: an acknowledgement, a remark that context was cut."""


@dataclass(frozen=True, slots=True)
class Insert:
    """A message that the plan adds."""

    after: int
    """The row that it follows; -1 is the start. Several inserts after one row keep their order."""
    kind: InsertKind
    body: Body
    reason: str
    merges: tuple[int, int] | None = None
    """Rows [start, stop) that it stands for, where it is a summary."""

    @property
    def anchor(self) -> int:
        """The row beside which it is drawn: the first that it replaces, else the one that it follows."""
        return self.merges[0] if self.merges else self.after


@dataclass(frozen=True, slots=True)
class Edit:
    """One change that a plan makes, as people and `--json` read it."""

    index: int
    """Row of the loaded session; of an insert, the row that it follows (-1 the start)."""
    action: str
    reason: str
    before_chars: int
    after_chars: int
    before_tokens: int
    after_tokens: int


def _no_stats() -> Mapping[str, int]:
    return {}


@dataclass(frozen=True, eq=False, repr=False)
class Plan:
    """What a policy does to a context: one action a row, the inserts, and how to make a changed message.

    Columns hold what a screen needs at once for any number of rows; texts are made one by one, when looked at.
    """

    context: Context
    action: bytes
    """One `Action` a row."""
    reason: bytes
    """One index into `reasons` a row; kept rows too, since a reason may say why a row was spared."""
    reasons: tuple[str, ...]
    chars: array[int]
    """Characters of each row's text as sent: 0 where it is gone, equal to `columns.chars` where it is kept."""
    write: Callable[[int], Body]
    """The body sent for a changed row, made anew at each call; never asked of a row that is kept or gone."""
    inserts: tuple[Insert, ...] = ()
    order: Sequence[int] | None = None
    """The rows in the order of sending, where that differs from the order of recording."""
    stats: Callable[[], Mapping[str, int]] = _no_stats
    """The policy's own counters, worked out when asked for."""
    notes: tuple[str, ...] = ()
    """What the policy itself says that it did."""
    warnings: tuple[str, ...] = field(default=())
    """What a person should know: a summary that is only a stand-in, list contents left alone."""

    @property
    def edits(self) -> int:
        """How many rows are changed, moved or gone, and messages put in."""
        return len(self.action) - self.action.count(Action.KEEP) + len(self.inserts)

    @property
    def fired(self) -> bool:
        """Whether anything is changed at all."""
        return bool(self.inserts) or self.order is not None or any(self.action)

    def body(self, row: int) -> Body | None:
        """What is sent for a row: its own dict where it is kept, None where it is gone."""
        action = self.action[row]
        if action in GONE:
            return None
        if action in AS_RECORDED:
            return self.context.messages[row]
        return self.write(row)


def unchanged(context: Context, *, stats: Callable[[], Mapping[str, int]] = _no_stats, reason: str = "") -> Plan:
    """The plan that sends everything as it is."""
    rows = len(context)
    return Plan(context, bytes(rows), bytes(rows), (reason,), context.columns.chars, _never, stats=stats)


def _never(row: int) -> Body:
    raise LookupError(f"row {row} is sent as recorded")


class Site(NamedTuple):
    """Where a value stands in what was recorded."""

    pointer: str
    """JSON pointer in the file's one value, or in the record; empty where it is the whole of it."""
    line: int | None = None
    """0-based physical line on which the record starts; None where the file is one JSON value."""
    file: str = ""
    """In a folder: the file inside it."""
    nth: int | None = None
    """Which of the records that are glued together on the line; None where it holds one."""

    def under(self, pointer: str) -> Site:
        """A place inside this one."""
        return self._replace(pointer=self.pointer + pointer)


def site_of(origin: Origin) -> Site:
    """The site of a message's origin."""
    return _site(origin.pointer, origin.line is not None, origin.file)


def part_sites(origin: Origin) -> tuple[Site, ...]:
    """The sites of a message's calls and blocks."""
    return tuple(_part_site(part, origin) for part in origin.parts)


def _part_site(part: str, origin: Origin) -> Site:
    file, hash_sign, pointer = part.partition("#")
    if hash_sign and not part.startswith("/"):
        return Site(pointer, None, file)
    return _site(part, origin.line is not None, origin.file)


def _site(pointer: str, lined: bool, file: str) -> Site:
    if not lined:
        return Site(pointer, None, file)
    line, slash, inner = pointer[1:].partition("/")
    return Site(slash + inner, int(line), file)


class Doing(StrEnum):
    """What a patch does at its site."""

    REPLACE = "replace"
    """The one value stands there from now on; a member that an object lacks is added to it."""
    REMOVE = "remove"
    """The element, member, record or file is taken out."""
    BEFORE = "before"
    """The values become elements, or records, before the one at the site. The end of a list is a site too."""
    AFTER = "after"


@dataclass(frozen=True, slots=True)
class Copied:
    """In the place of a new value: what stands at a site of the same file, as it is written there."""

    site: Site


@dataclass(frozen=True, slots=True)
class Patch:
    """One change of what was recorded, in its own shape."""

    site: Site
    doing: Doing
    values: tuple[Any, ...] = ()
    """JSON values, or `Copied` ones: one to replace, any number to put in, none to remove."""


def replaced(site: Site, value: Any) -> Patch:
    """The patch that puts a value in the place of another."""
    return Patch(site, Doing.REPLACE, (value,))


def removed(site: Site) -> Patch:
    """The patch that takes an entry out."""
    return Patch(site, Doing.REMOVE)
