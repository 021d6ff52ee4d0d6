"""What is done beside the screen: loading a file, counting its tokens, counting what was rewritten.

Generators of small steps, so that a thread can stop between two of them; no textual.
"""

from __future__ import annotations

import gc
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import compress

from inspector import formats
from inspector.fault import named, sentence
from inspector.message import Context, Session
from inspector.pairs import pairs_of
from inspector.policies import Mode, Policy
from inspector.policies.sent import SentView
from inspector.tokens import Counter, count_bodies
from inspector.tui.shown import ROW_OVERHEAD, rows_with_images

CHARS_PER_TOKEN = 4
CHUNK = 1_500
"""Messages counted in one step: some 20 ms of a long session."""


@dataclass(frozen=True, slots=True)
class Source:
    """What to load: a path, or bytes that standard input gave."""

    path: str
    raw: bytes | None = None
    format: str | None = None
    index: int = 0
    branch: int | None = None
    """One that the conversation has left, instead of the live one."""
    id: str = ""
    """The tool's own name of the conversation, which goes before `index` where the file holds it."""
    asks: bool = False
    """Whether a person is to choose, where the file holds several conversations."""
    at: int | None = None
    """The request that is shown first, counted from 0; None: the policy applied once to the whole session."""
    mode: Mode | None = None
    """How the policy comes to that request, where not in its own way."""

    def load(self) -> tuple[Session, formats.Opened]:
        """The session, and the file that it came from. Raises `formats.UnreadableSession` with one sentence."""
        if self.raw is not None:
            held = formats.conversations_in(self.raw, self.path, self.format)
        else:
            held = formats.conversations(self.path, self.format)
        named = (index for index, one in enumerate(held.conversations) if self.id and one.id == self.id)
        return formats.session_of(held, self.path, next(named, self.index), self.branch), held


def opened(
    source: Source, policy: Policy, keep: Callable[[formats.Opened], None] = lambda held: None
) -> tuple[Session, array[int]]:
    """A session ready for the first frame, and an estimate of its tokens; `keep` is given the file it came from.

    Raises `formats.UnreadableSession` with one sentence, whatever is wrong with the file, a fault of a reader included.
    """
    try:
        session, held = source.load()
        keep(held)
        return session, prepare(session, policy)
    except formats.UnreadableSession as unreadable:
        raise formats.UnreadableSession(named(str(unreadable)), unreadable.finding) from unreadable
    except Exception as fault:
        raise formats.UnreadableSession(f"{source.path} cannot be read: {sentence(fault)}") from fault


def prepare(session: Session, policy: Policy) -> array[int]:
    """Find out what the first frame will ask for, and give an estimate of each message's tokens."""
    session.derived(pairs_of)
    session.derived(rows_with_images)
    policy.plan(session, policy.settings({}))
    for param in policy.params:
        param.top(session)
    gc.freeze()  # the session lives as long as the screen: collections need not walk it (22 ms each at 100,000 rows)
    return estimate(session)


def estimate(context: Context) -> array[int]:
    """Tokens of each message by its length alone, until they are counted."""
    return array("q", [chars // CHARS_PER_TOKEN + ROW_OVERHEAD for chars in context.columns.chars])


def count_session(session: Session, counter: Counter) -> Iterator[array[int]]:
    """Exact counts of a session's messages, chunk by chunk; one empty chunk of an empty session."""
    for start in range(0, len(session) or 1, CHUNK):
        yield count_bodies(session.messages[start : start + CHUNK], counter)


def count_sent(view: SentView, before: array[int], counter: Counter) -> Iterator[array[int] | None]:
    """None after each step, and at last the tokens of each row as sent, as many as `before` has.

    Only new texts are counted; the row of a message that is not sent has 0, and inserts have no row.
    """
    plan, unseen = view.plan, len(before) - len(view.plan.action)
    after = before[: len(plan.action)] + array("q", bytes(8 * unseen))
    changed = list(compress(range(len(plan.action)), plan.action))
    for start in range(0, len(changed), CHUNK):
        rows = changed[start : start + CHUNK]
        bodies = {row: body for row in rows if (body := plan.body(row)) is not None}
        for row in rows:
            after[row] = 0
        for row, tokens in zip(bodies, count_bodies(list(bodies.values()), counter), strict=True):
            after[row] = tokens
        yield None
    yield after
