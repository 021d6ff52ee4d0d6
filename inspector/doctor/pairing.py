"""Which result answers which call, judged as providers do: inside the turn first, then elsewhere in the session.

A call and its result that stand apart are one fault (misplaced), not two; a second answer is a duplicate, no orphan;
an id that two calls of one message share explains the extra results that it has (TAXONOMY.md, "Order of judgement").
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple

from inspector.doctor.native import Kind, Native, Part, Role, Turn, input_of, is_failed
from inspector.doctor.native import content_of as said_in

ASSISTANT, RESULT_TURN, SPEAKER = Role.ASSISTANT, Role.RESULT, Role.SYSTEM
CALL, RESULT = Kind.CALL, Kind.RESULT
PLACEHOLDERS = ("no result", "not recorded", "interrupted", "aborted", "cancelled", "canceled", "was not executed")
"""Words of the results that clients put in for calls that never ran."""
_PLACEHOLDER_CHARS = 300
_COMPARED = 8
"""Calls with the id of another that are compared with it."""


class Misplaced(NamedTuple):
    """A result that stands away from its call."""

    result: Part
    call: Part
    before: bool
    """Whether it stands before its call; else something stands between."""


class Duplicate(NamedTuple):
    """A call that is answered once more."""

    result: Part
    """The answer that a repair removes."""
    kept: Part
    call: Part


class Shared(NamedTuple):
    """Two calls of one turn with one id."""

    call: Part
    """The later one."""
    first: Part
    identical: bool


@dataclass(slots=True)
class Pairing:
    """All pairs of a session and what is wrong with them, each list in the order of the session."""

    answers: dict[str, Part] = field(default_factory=dict)
    """The result of each answered call, by the call's pointer."""
    asked: dict[str, Part] = field(default_factory=dict)
    """The call that each result answers, by the result's pointer."""
    dangling: list[Part] = field(default_factory=list)
    at_end: set[str] = field(default_factory=set)
    """Pointers of the dangling calls that nothing follows."""
    orphans: list[Part] = field(default_factory=list)
    misplaced: list[Misplaced] = field(default_factory=list)
    duplicates: list[Duplicate] = field(default_factory=list)
    shared: list[Shared] = field(default_factory=list)
    reused: list[tuple[Part, Part]] = field(default_factory=list)
    """Calls whose id an earlier turn used, each with its first use."""
    split: list[Part] = field(default_factory=list)
    """Results that stand in a later turn than the first results of their group."""


class _Group:
    """The calls of one turn, and the results that may still come for them."""

    def __init__(self) -> None:
        self.last = 0
        """Its last turn with a call."""
        self.calls: list[Part] = []
        self.by_id: dict[str, list[Part]] = {}
        self.waiting: dict[str, deque[Part]] = {}
        """Calls by their id; those that are answered are passed over when they come first."""
        self.nameless: deque[Part] = deque()
        self.every: deque[Part] = deque()
        self.first_results = -1
        """The turn in which the first of its results stands."""

    def add(self, call: Part) -> None:
        self.calls.append(call)
        self.every.append(call)
        self.last = call.turn
        if call.id:
            self.by_id.setdefault(call.id, []).append(call)
            self.waiting.setdefault(call.id, deque()).append(call)
        else:
            self.nameless.append(call)


def pair(native: Native) -> Pairing:
    """Pair the calls and results of a session, in time that grows with its size."""
    walk = _Walk(native)
    walk.read()
    walk.settle()
    return walk.found


class _Walk:
    def __init__(self, native: Native) -> None:
        self.native = native
        self.found = Pairing()
        self.groups: list[_Group] = []
        self.open: _Group | None = None
        self.left: list[tuple[Part, int]] = []
        """Results that no call of their turn waits for, each with the number of groups before it."""
        self.calls_by_id: dict[str, list[Part]] = {}
        self.open_by_id: dict[str, list[Part]] = {}
        """Where results may stand anywhere, the calls that wait for one; those without an id under an empty one."""
        self.free: dict[str, list[Part]] = {}
        """Calls that nothing in their own turn answers, by id."""
        self._anywhere = native.shape.anywhere

    def read(self) -> None:
        """Pair inside the turns."""
        before = SPEAKER
        for turn in self.native.turns:
            role, parts = turn.role, turn.parts
            if role is ASSISTANT:
                calls = [part for part in parts if part.kind is CALL]
                self._take_answer(calls, parts, goes_on=before is ASSISTANT)
            elif role is RESULT_TURN or any(part.kind is RESULT for part in parts):
                self._take_results(parts)
            elif not self._anywhere and not turn.note:
                self.open = None
            before = role

    def _take_answer(self, calls: Sequence[Part], parts: Sequence[Part], *, goes_on: bool) -> None:
        if self.open is None or not (goes_on and self.native.shape.merged):
            if calls:
                self.open = _Group()
                self.groups.append(self.open)
            elif not self._anywhere:
                self.open = None
        for call in calls:
            self._add(self.open, call)
        for part in parts:
            if part.kind is RESULT:  # a client's record that keeps both in one message
                self._take(part)

    def _add(self, group: _Group | None, call: Part) -> None:
        assert group is not None
        earlier = group.by_id.get(call.id) if call.id else None
        if earlier:
            self.found.shared.append(Shared(call, earlier[0], _same(call, earlier)))
        elif call.id and call.id in self.calls_by_id:
            self.found.reused.append((call, self.calls_by_id[call.id][0]))
        group.add(call)
        if self._anywhere:
            self.open_by_id.setdefault(call.id or "", []).append(call)
        if call.id:
            self.calls_by_id.setdefault(call.id, []).append(call)

    def _take_results(self, parts: Sequence[Part]) -> None:
        others = False
        for part in parts:
            if part.kind is RESULT:
                self._take(part)
            else:
                others = True
        if others and not self.native.shape.whole_results and not self.native.shape.moves_notes:
            self.open = None

    def _take(self, result: Part) -> None:
        call = self._waiting_anywhere(result) if self._anywhere else self._waiting(result)
        if call is None:
            self.left.append((result, len(self.groups)))
            return
        self._pair(call, result)
        group = self.open
        if group is not None and not self._anywhere:
            if group.first_results < 0:
                group.first_results = result.turn
            elif group.first_results != result.turn:
                self.found.split.append(result)

    def _waiting(self, result: Part) -> Part | None:
        """The call of the open turn that a result answers."""
        group = self.open
        if group is None:
            return None
        if result.id in group.waiting:
            return self._first_open(group.waiting[result.id])
        if result.id and group.by_id:
            return None
        if result.id or not group.by_id:
            return self._named(group.nameless, result)
        return self._named(group.every, result)

    def _first_open(self, calls: deque[Part]) -> Part | None:
        while calls and calls[0].pointer in self.found.answers:
            calls.popleft()
        return calls.popleft() if calls else None

    def _named(self, calls: deque[Part], result: Part) -> Part | None:
        """The first open call of the tool that a result names, else the first open one."""
        first = self._first_open(calls)
        if first is None or not result.name or first.name == result.name:
            return first
        named = next((call for call in self._unanswered(calls) if call.name == result.name), None)
        if named is not None:
            calls.appendleft(first)
        return named or first

    def _waiting_anywhere(self, result: Part) -> Part | None:
        calls = self.open_by_id.get(result.id or "", [])
        places = range(len(calls))
        for at in reversed(places) if result.id else places:
            if answers_type(calls[at], result):
                return calls.pop(at)
        return None

    def _unanswered(self, calls: Sequence[Part]) -> Iterator[Part]:
        return (call for call in calls if call.pointer not in self.found.answers)

    def _pair(self, call: Part, result: Part) -> None:
        self.found.answers[call.pointer] = result
        self.found.asked[result.pointer] = call

    def settle(self) -> None:
        """Look for partners elsewhere, and judge what is left over."""
        answers, later = self.found.answers, {one.call.pointer for one in self.found.shared}
        for call_id, calls in self.calls_by_id.items() if self.left else ():
            self.free[call_id] = [call for call in calls if call.pointer not in answers]
        for result, groups in self.left:
            self._settle(result, groups)
        last = self._last_speaking()
        for group in self.groups:
            open_calls = [call for call in group.calls if call.pointer not in answers and call.pointer not in later]
            self.found.dangling += open_calls
            if open_calls and self._run_end(group.last) >= last:
                self.found.at_end.update(call.pointer for call in open_calls)

    def _settle(self, result: Part, groups: int) -> None:
        call = self._open_elsewhere(result, groups)
        if call is not None:
            self._pair(call, result)
            self.found.misplaced.append(Misplaced(result, call, result.turn < call.turn))
            return
        answered = self._answered(result)
        if answered is None:
            self.found.orphans.append(result)
            return
        kept = self.found.answers[answered.pointer]
        if is_placeholder(kept) and not is_placeholder(result):
            self._pair(answered, result)
            kept, result = result, kept
        self.found.duplicates.append(Duplicate(result, kept, answered))

    def _open_elsewhere(self, result: Part, groups: int) -> Part | None:
        if result.id:
            free = self.free.get(result.id, [])
            before = bisect_right(free, result.turn, key=lambda call: call.turn)
            places = chain(range(before - 1, -1, -1), range(before, len(free)))
            found = next((at for at in places if answers_type(free[at], result)), None)
            return None if found is None else free.pop(found)
        if not groups:
            return None
        return next((call for call in self._unanswered(self.groups[groups - 1].calls) if not call.id), None)

    def _answered(self, result: Part) -> Part | None:
        calls = self.calls_by_id.get(result.id, []) if result.id else []
        call = _nearest(calls, result)
        if call is None or (call.pointer in self.found.answers and answers_type(call, result)):
            return call
        fitting = (one for one in calls if one.pointer in self.found.answers and answers_type(one, result))
        return next(fitting, None)

    def _last_speaking(self) -> int:
        """The last turn that is no result alone."""
        numbers = range(len(self.native.turns) - 1, -1, -1)
        return next((number for number in numbers if not _is_results(self.native.turns[number])), -1)

    def _run_end(self, turn: int) -> int:
        """The last turn of the model's run that a turn is in, results among it."""
        turns = self.native.turns
        while turn + 1 < len(turns) and _is_results(turns[turn + 1]):
            turn += 1
        return turn


def _nearest(calls: Sequence[Part], result: Part) -> Part | None:
    """The last call before a result, else the first one after it."""
    before = bisect_right(calls, result.turn, key=lambda call: call.turn)
    return calls[before - 1] if before else calls[0] if calls else None


def _is_results(turn: Turn) -> bool:
    return turn.role == Role.RESULT or (bool(turn.parts) and all(part.kind == Kind.RESULT for part in turn.parts))


def _same(call: Part, earlier: Sequence[Part]) -> bool:
    given = input_of(call) or call
    some = earlier[:_COMPARED]
    return any(one.name == call.name and (input_of(one) or one).value == given.value for one in some)


_OUTPUTS = {
    "function_call": ("function_call_output",),
    "custom_tool_call": ("custom_tool_call_output",),
    "local_shell_call": ("function_call_output", "local_shell_call_output"),
}


def answers_type(call: Part, result: Part) -> bool:
    """Whether a result is of a type that may answer the call: items have one output type for each type of call."""
    asked = call.value.get("type") if isinstance(call.value, dict) else None
    given = result.value.get("type") if isinstance(result.value, dict) else None
    wanted = _OUTPUTS.get(asked) if isinstance(asked, str) else None
    return wanted is None or not isinstance(given, str) or not given.endswith("_output") or given in wanted


def is_placeholder(result: Part) -> bool:
    """Whether a result only says that there is none."""
    said = said_in(result)
    text = said.value if said is not None and isinstance(said.value, str) else ""
    if said is not None and isinstance(said.value, list):
        text = " ".join(str(item.get("text", "")) for item in said.value if isinstance(item, dict))
    short = len(text) <= _PLACEHOLDER_CHARS and any(word in text.lower() for word in PLACEHOLDERS)
    return short or is_failed(result)
