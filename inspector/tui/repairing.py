"""The repaired session as a third view, beside the recording and what a policy sends; and the repaired file to write.

Functions of the workbench, which holds the state. A repair reads the file again and examines it many times, so it is
done beside the screen.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from inspector.fault import sentence
from inspector.text import thousands
from inspector.tui.diagnosis import for_whom

if TYPE_CHECKING:
    from inspector.change import Plan
    from inspector.doctor.repair import Outcome
    from inspector.doctor.told import Fault
    from inspector.message import Session
    from inspector.tui.background import Source
    from inspector.tui.dialogs.export import Offer
    from inspector.tui.workbench import Workbench


@dataclass(frozen=True, eq=False)
class Repaired:
    """A repaired session as a plan over the recorded one, with the repaired file."""

    plan: Plan
    outcome: Outcome
    target: str
    name: str = "repaired"

    @property
    def moment(self) -> str:
        """Which view this is, in the header's words."""
        return f"repaired{for_whom(self.target)}"


def toggle(bench: Workbench) -> None:
    """Show the repaired session, or the policy's view again."""
    session, source = bench.session, bench.source
    if session is None or source is None:
        return
    if bench.repaired is not None:
        bench.repaired = None
        bench.recompute()
        bench.say(f"as {bench.policy.name} would send it")
        return
    target, told = bench.doctor.target, bench.doctor.known.faults if bench.doctor.known else ()

    def work() -> None:
        try:
            made, says = repaired_view(session, source, target, told), ""
        except (ValueError, OSError) as fault:
            made, says = None, str(fault)
        except Exception as fault:  # a fault of a repair must not cost the screen
            made, says = None, f"the session could not be repaired: {sentence(fault)}"
        bench.call_later(_take, bench, session, target, made, says)

    bench.say("repairing")
    bench.run_worker(work, thread=True, group="repair", exclusive=True, description="repairs a session")


def _take(bench: Workbench, session: Session, target: str, made: Repaired | None, says: str) -> None:
    if session is not bench.session or target != bench.doctor.target:
        return
    if made is None:
        bench.say(says)
    elif made.outcome.repaired:
        bench.recorded, bench.repaired = None, made
        bench.recompute()
        bench.say(f"{made.plan.notes[0]}; e writes the file, X goes back")
    else:
        bench.say(made.plan.notes[0])


def repaired_view(session: Session, source: Source, target: str, told: Sequence[Fault]) -> Repaired:
    """The repair of a session's file, as a plan. Raises ValueError or OSError with one sentence."""
    from inspector.doctor.repaired_plan import plan
    from inspector.formats import load_bytes

    outcome = repair(session, source, target)
    again = load_bytes(outcome.raw, session.file, format=session.format, index=session.index)
    done = {one.finding.code for one in outcome.repaired}
    codes: dict[int, list[str]] = {}
    for fault in told:
        if fault.finding.code in done:
            codes.setdefault(fault.row, []).append(fault.finding.code)
    return Repaired(plan(session, again, codes, [words(outcome)]), outcome, target)


def words(outcome: Outcome) -> str:
    """`3 faults repaired, 1 left`."""
    done, left = len(outcome.repaired), len(outcome.left)
    rest = f", {thousands(left)} left" if left else ""
    if not done:
        why = f": of {thousands(left)} finding{'s' * (left > 1)} in it none has a safe repair" if left else ""
        return f"there is nothing to repair in the recording{why}"
    return f"{thousands(done)} fault{'s' * (done > 1)} repaired{rest}"


def repair(session: Session, source: Source, target: str) -> Outcome:
    """The repair of a session's file. Raises ValueError or OSError with one sentence."""
    from inspector.doctor import target_named
    from inspector.doctor.repair import Wish, repaired
    from inspector.formats.files import read_bytes, unpacked

    if session.branch is not None:
        raise ValueError("a branch that was left is not repaired: m chooses the live one")
    if source.raw is None and not os.path.isfile(session.file):
        raise ValueError("only a session that is one file can be repaired")
    raw = unpacked(source.raw if source.raw is not None else read_bytes(session.file), session.file)
    return repaired(raw, session.file, Wish(target_named(target), format=session.format, index=session.index))


def may_repair(session: Session, source: Source) -> bool:
    """Whether there is a file that can be written repaired."""
    return session.branch is None and (source.raw is not None or os.path.isfile(session.file))


def offers(bench: Workbench) -> list[Offer]:
    """The repaired file, and what the repair set aside, for the export."""
    from inspector.tui.dialogs.export import Offer, proposed_path

    session, source, made, target = bench.session, bench.source, bench.repaired, bench.doctor.target
    if session is None or source is None or not may_repair(session, source):
        return []
    bare = session.file.removesuffix(".gz").removesuffix(".zst")
    ending = os.path.splitext(bare)[1].lstrip(".") or "json"
    name = "the repaired file, in its own format" + ("" if made is not None else for_whom(target))
    found = [
        Offer(
            name, proposed_path(session.file, f"repaired.{ending}"),
            lambda: (made.outcome if made is not None else repair(session, source, target)).raw,
        )
    ]  # fmt: skip
    if made is not None and made.outcome.rejected:
        rejected = made.outcome.rejected
        found.append(Offer("what the repair set aside", proposed_path(session.file, "rejected"), lambda: rejected))
    return found
