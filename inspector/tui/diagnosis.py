"""The doctor beside the screen: the recording is examined once it is loaded, a sent view when it is at rest.

Functions of the workbench, which holds the state. One examination runs at a time; while it does, keys and frames go on,
and what it finds is taken only where the same session, view and target are still at work.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from inspector.fault import sentence
from inspector.text import clip, thousands
from inspector.tui.faults import NATIVE, Faults, Verdict
from inspector.tui.ledger import Ledger
from inspector.tui.news import TargetChosen

if TYPE_CHECKING:
    from inspector.doctor import Examination
    from inspector.doctor.errors import Diagnosis, Known
    from inspector.doctor.told import Compared, Examined, Fault
    from inspector.formats import Opened
    from inspector.message import Session
    from inspector.policies import SentView
    from inspector.tui.background import Source
    from inspector.tui.workbench import Workbench


@dataclass(slots=True)
class State:
    """What is known, and what is being found out."""

    target: str = NATIVE
    known: Examined | None = None
    """Of the recording."""
    faults: Faults | None = None
    """The same, by row."""
    busy: bool = False
    """Whether a sent view is being examined."""
    trouble: str = ""
    """Why nothing is known, in one sentence."""


def verdict(state: State) -> Verdict:
    """What is known of the recording, for a sent view that is not examined yet."""
    return Verdict(state.target, state.faults)


# the recording ---------------------------------------------------------------------------------------------------


def begin(bench: Workbench, held: Opened | None = None) -> None:
    """Examine the recording; what was known of another, or for another target, is forgotten.

    `held` is the file that the session was just loaded from; without it the file is read once more.
    """
    state, session, source = bench.doctor, bench.session, bench.source
    state.known, state.faults, state.trouble = None, None, ""
    if session is None:
        return
    target = state.target

    def work() -> None:
        examined, trouble = examined_safely(session, source, target, held)
        bench.call_later(_take_recorded, bench, session, target, examined, trouble)

    _beside(bench, work, "doctor")


def _beside(bench: Workbench, work: Callable[[], None], group: str) -> None:
    bench.run_worker(work, thread=True, group=group, exclusive=True, description="examines a session")


def examined_safely(
    session: Session, source: Source | None, target: str, held: Opened | None = None
) -> tuple[Examined | None, str]:
    """A session examined for a target, or None and the reason: a fault of a rule must not cost the screen."""
    from inspector.doctor import target_named
    from inspector.doctor.told import examined
    from inspector.formats.records import collector_paused

    try:
        with collector_paused():
            return examined(examination(session, source, held), session, target_named(target)), ""
    except Exception as fault:
        return None, f"the session could not be examined: {sentence(fault)}"


def examination(session: Session, source: Source | None, held: Opened | None = None) -> Examination:
    """The examination of what was loaded: as its file holds it, where that is known."""
    from inspector.doctor import examination_of, examine, examine_file
    from inspector.formats.files import read_bytes, unpacked

    if session.branch is not None:
        return examination_of(session)
    raw = source.raw if source is not None else None
    if held is None:
        return examine_file(session.file, session.format, session.index, raw) if raw else examination_of(session)
    if raw is None and os.path.isfile(session.file):
        raw = read_bytes(session.file)
    return examine(held, session.index, None if raw is None else unpacked(raw, session.file), session.file)


def _take_recorded(bench: Workbench, session: Session, target: str, examined: Examined | None, trouble: str) -> None:
    state = bench.doctor
    if session is not bench.session or target != state.target:
        return
    state.known, state.trouble = examined, trouble
    state.faults = Faults(examined.faults if examined else ())
    if bench.shown is not None:
        bench.show(bench.shown.judged(verdict(state)))
        examine_sent(bench)


# the sent view ---------------------------------------------------------------------------------------------------


def examine_sent(bench: Workbench) -> None:
    """Examine the view that is shown, unless that is done, or another is being examined."""
    state, shown = bench.doctor, bench.shown
    if state.busy or state.known is None or shown is None or shown.verdict.compared is not None:
        return
    state.busy = True
    view, known = shown.view, state.known

    def work() -> None:
        found = None
        try:
            found = compared_with(view, known)
        finally:
            bench.call_later(_take_sent, bench, view, known, found)

    _beside(bench, work, "doctor-sent")


def compared_with(view: SentView, known: Examined) -> Compared | None:
    """What is wrong with a sent view, told apart; None where a fault of a rule keeps that from being known."""
    from inspector.doctor import target_named
    from inspector.doctor.told import compared
    from inspector.formats.records import collector_paused

    try:
        with collector_paused():
            return compared(view, known, target_named(known.target))
    except Exception:
        return None


def _take_sent(bench: Workbench, view: SentView, known: Examined, found: Compared | None) -> None:
    from inspector.tui import at_rest

    state, shown = bench.doctor, bench.shown
    state.busy = False
    if shown is None:
        return
    if view is not shown.view or known is not state.known:
        at_rest.wait(bench)
    elif found is not None:
        bench.show(shown.judged(Verdict(state.target, state.faults, found)))


# what its keys do ------------------------------------------------------------------------------------------------


def findings(bench: Workbench) -> None:
    """List everything that is wrong: with the file, with the recording, and with what is sent."""
    from inspector.tui.dialogs.findings import Findings

    shown = bench.shown
    if shown is None:
        return
    if shown.verdict.recorded is None or bench.doctor.trouble:
        bench.say(bench.doctor.trouble or "the session is still being examined")
        return
    faults = everything(shown.verdict)
    if not faults:
        bench.say(sound_words(shown.session, shown.verdict))
        return
    title = f"What is wrong in {shown.session.name}{for_whom(bench.doctor.target)}"
    bench.app.push_screen(Findings(title, faults, shown.verdict), lambda row: _go(bench, row))


def everything(verdict: Verdict) -> list[Fault]:
    """What the policy brought in, then what the recording has; in each the worst first."""
    told = [fault for faults in (verdict.introduced, verdict.recorded) if faults for fault in faults.told]
    ranks = ("error", "warning", "info")
    return sorted(told, key=lambda fault: (not fault.introduced, ranks.index(fault.finding.severity)))


def sound_words(session: Session, verdict: Verdict) -> str:
    """That nothing is wrong, and what was looked at."""
    examined = f"{thousands(len(session))} messages, file and sent view examined"
    return f"nothing is wrong{for_whom(verdict.target)}: {examined}"


def for_whom(target: str) -> str:
    """The target, where it is not the file's own provider: ` for mistral`."""
    return "" if target == NATIVE else f" for {target}"


def _go(bench: Workbench, row: int | None) -> None:
    if row is not None and row < 0:
        bench.say("this finding is about the file as a whole")
    elif row is not None:
        bench.query_one(Ledger).go_to(row)


def choose_target(bench: Workbench) -> None:
    """Ask whom the session is to be judged for."""
    from inspector.doctor import TARGETS
    from inspector.tui.dialogs.targets import Targets

    def take(name: str | None) -> None:
        if name is not None and name != bench.doctor.target:
            set_target(bench, name)

    bench.app.push_screen(Targets(list(TARGETS.values()), bench.doctor.target), take)


def set_target(bench: Workbench, name: str) -> None:
    """Judge for another target from now on."""
    bench.doctor.target = name
    bench.post_message(TargetChosen(name))
    begin(bench)
    bench.repaired = None
    bench.recompute()
    bench.say("judged for the provider of its own format" if name == NATIVE else f"judged for {name}")


def repaired(bench: Workbench) -> None:
    """Show the session repaired, or the policy's view again."""
    from inspector.tui import repairing

    repairing.toggle(bench)


# a provider's error ----------------------------------------------------------------------------------------------


def ask_error(bench: Workbench) -> None:
    """Ask for a provider's error message, and go to the message that it speaks of."""
    from inspector.tui.dialogs.provider_error import ProviderError

    if bench.session is not None:
        bench.app.push_screen(ProviderError(), lambda text: trace(bench, text) if text else None)


def trace(bench: Workbench, text: str) -> None:
    """Find the fault that an error message speaks of, beside the screen."""
    from inspector.doctor.errors import recognised

    known, session, source, state = recognised(text), bench.session, bench.source, bench.doctor
    if known is None or session is None:
        bench.say("this is no error message that the doctor knows; d lists what is wrong")
        return
    target = state.target if known.target == NATIVE else known.target
    ready = state.known if target == state.target else None
    introduced = bench.shown.verdict.introduced if bench.shown is not None else None
    others = tuple(introduced.told) if introduced is not None else ()

    def work() -> None:
        examined, trouble = (ready, "") if ready else examined_safely(session, source, target)
        told = (*(examined.faults if examined else ()), *others)
        fault, more = traced(text, known, told)
        bench.call_later(_take_traced, bench, session, target, known, fault, more, trouble)

    bench.say("looking for what the error speaks of")
    _beside(bench, work, "doctor-error")


def traced(text: str, known: Known, told: tuple[Fault, ...]) -> tuple[Fault | None, int]:
    """The fault that an error text speaks of, and how many more there are of the kind."""
    from inspector.doctor.errors import diagnosed

    ids = {id(fault.finding): fault.call_id for fault in told}
    found: Diagnosis = diagnosed(text, known, [fault.finding for fault in told], lambda one: ids[id(one)])
    fault = next((fault for fault in told if fault.finding is found.finding), None)
    return fault, found.others


def _take_traced(
    bench: Workbench, session: Session, target: str, known: Known, fault: Fault | None, more: int, trouble: str
) -> None:
    if session is not bench.session:
        return
    if trouble or fault is None:
        bench.say(trouble or no_such_fault(known))
        return
    if target != bench.doctor.target:
        set_target(bench, target)
    if fault.row >= 0:
        bench.query_one(Ledger).go_to(fault.row)
        bench.read("findings")
    others = f"; {thousands(more)} more of the kind" if more else ""
    where = f"message {thousands(fault.row)}" if fault.row >= 0 else "the file"
    bench.say(f"{fault.finding.code} at {where}{others}: {clip(fault.finding.says, 200)}")


def no_such_fault(known: Known) -> str:
    """That a session has not got what an error speaks of, and what was looked for."""
    from inspector.doctor.rulebook import RULES

    rule = RULES[known.codes[0]]
    return f"the error speaks of {rule.code} ({rule.title}); this session has no such fault"
