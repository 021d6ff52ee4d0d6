"""What workers tell the workbench, and what the workbench tells the application."""

from __future__ import annotations

from array import array

from textual.message import Message

from inspector import formats
from inspector.message import Session
from inspector.policies import Policy
from inspector.tokens import Counter
from inspector.tui.background import Source, opened
from inspector.tui.history import Setup


class Loaded(Message):
    """A session is there, with an estimate of its tokens, the row to go to, and the file that it came from."""

    def __init__(
        self, source: Source, session: Session, before: array[int], row: int = 0, held: formats.Opened | None = None
    ) -> None:
        super().__init__()
        self.source, self.session, self.before, self.row, self.held = source, session, before, row, held


class Unreadable(Message):
    """A file could not be read; `says` is one sentence."""

    def __init__(self, says: str) -> None:
        super().__init__()
        self.says = says


def loading(source: Source, policy: Policy, row: int) -> Loaded | Unreadable:
    """Load a session, and say how that went."""
    held: list[formats.Opened] = []
    try:
        session, before = opened(source, policy, held.append)
    except formats.UnreadableSession as unreadable:
        return Unreadable(str(unreadable))
    return Loaded(source, session, before, row, held[0])


class Counting(Message):
    """Exact counts have come, of the first rows."""

    def __init__(self, session: Session, counter: Counter, counts: array[int]) -> None:
        super().__init__()
        self.session, self.counter, self.counts = session, counter, counts


class Opened(Message):
    """A file is open: worth remembering."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self.path = path


class SetupChanged(Message):
    """Settings changed: worth remembering."""

    def __init__(self, setup: Setup) -> None:
        super().__init__()
        self.setup = setup


class CounterChosen(Message):
    """Another tokenizer counts: worth remembering. None is the one for the session's model."""

    def __init__(self, encoding: str | None) -> None:
        super().__init__()
        self.encoding = encoding


class TargetChosen(Message):
    """The doctor judges for another target: worth remembering."""

    def __init__(self, target: str) -> None:
        super().__init__()
        self.target = target


class Matched(Message):
    """What a search has found so far; with `goes` the first find is to be gone to."""

    def __init__(
        self, session: Session, query: str, rows: frozenset[int], searched: int, total: int, *, goes: bool
    ) -> None:  # fmt: skip
        super().__init__()
        self.session, self.query, self.rows = session, query, rows
        self.searched, self.total, self.goes = searched, total, goes

    def can_replace(self, message: Message) -> bool:
        """A later step of the same search holds all of this."""
        return isinstance(message, Matched) and message.query == self.query and message.session is self.session
