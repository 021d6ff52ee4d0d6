"""What the recording itself has to show beside one conversation under a policy: the compactions that its tool did, the
other conversations of its file, the branches that were left.

Functions of the workbench, which holds the state.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from inspector import formats
from inspector.policies import SentView, recorded
from inspector.text import thousands
from inspector.tui import replaying
from inspector.tui.ledger import Ledger

if TYPE_CHECKING:
    from inspector.message import Session
    from inspector.tui.background import Source
    from inspector.tui.workbench import Workbench

ONE_SHOT = "one shot"


def view(bench: Workbench, session: Session, settings: Mapping[str, object]) -> SentView | None:
    """What the recording tool itself sent, or the repaired session; None while a policy's view is shown.

    The settings are the policy's.
    """
    if bench.repaired is not None:
        return SentView(bench.repaired.plan, bench.repaired.name, settings, bench.counter)
    if bench.recorded is None:
        return replaying.view(bench)
    return SentView(recorded.plan(session, bench.recorded), recorded.NAME, settings, bench.counter)


def moment(bench: Workbench, session: Session) -> str:
    """Which view is shown, in the header's words."""
    if bench.repaired is not None:
        return bench.repaired.moment
    if bench.recorded is None:
        return replaying.words(bench) or ONE_SHOT
    return f"as recorded by {tool_of(session)}"


def tool_of(session: Session) -> str:
    """What people call the tool that made a recording."""
    return next((one.title for one in formats.FORMATS if one.name == session.format), session.format)


def toggle(bench: Workbench) -> None:
    """Show what the tool itself sent after its last compaction before the cursor, or the policy's view again."""
    session = bench.session
    if session is None:
        return
    if bench.recorded is not None:
        leave(bench)
        bench.recompute()
        bench.say(f"as {bench.policy.name} would send it")
    elif recorded.compactions_of(session):
        _show(bench, session)
    else:
        bench.say("no compaction was recorded in this session")


def leave(bench: Workbench) -> None:
    """From now on the policy's view is shown."""
    bench.recorded, bench.repaired = None, None


def follow(bench: Workbench) -> None:
    """Show the compaction at the cursor, where the view is the recorded one."""
    if bench.recorded is not None and bench.session is not None:
        _show(bench, bench.session)


def _show(bench: Workbench, session: Session) -> None:
    bench.repaired = None
    bench.recorded = recorded.compaction_at(session, bench.query_one(Ledger).cursor)
    bench.recompute()
    bench.say(recorded.says(session, bench.recorded))


def step(bench: Workbench, by: int) -> None:
    """Open the next conversation of the same file, or with -1 the one before."""
    session, source = bench.session, bench.source
    if session is None or source is None or session.conversations < 2:
        bench.say("this file holds one conversation")
        return
    bench.load(replace(source, index=(session.index + by) % session.conversations, branch=None, id=""))


def choose(bench: Workbench) -> None:
    """Ask which conversation of the file to open, or which of its branches."""
    from inspector.tui.dialogs.conversations import Chosen, Conversations

    session = bench.session
    if session is None:
        return
    if len(session.contents) < 2 and not session.branches:
        bench.say("this file holds one conversation, which has left no branch")
        return

    here = Chosen(session.index, session.branch)

    def take(chosen: Chosen | None) -> None:
        if chosen is not None and bench.source is not None and chosen != here:
            bench.load(replace(bench.source, index=chosen.index, branch=chosen.branch, id=""))

    dialog = Conversations(session.name, session.contents, here)
    bench.app.push_screen(dialog, take)


def greet(bench: Workbench, before: Session | None, session: Session, source: Source) -> None:
    """Say what there is to say of a session just loaded, and do what its source asks for: choose, show a request."""
    mains, branches = sum(not one.side for one in session.contents), len(session.branches)
    parts = [f"conversation {session.index + 1:,} of {thousands(len(session.contents))}"] if mains > 1 else []
    if session.branch is not None:
        parts.append("a branch that was left")
    elif branches:
        parts.append(f"{thousands(branches)} branch{'es' * (branches > 1)} left")
    if parts:
        bench.say(f"{', '.join(parts)}; m chooses")
    elif before is not None:
        bench.say(f"read again: {thousands(len(session))} messages" if before.file == session.file else "")
    if source.at is not None:
        replaying.begin_at(bench, session, source.at, source.mode)
    if source.asks and mains > 1:
        choose(bench)
