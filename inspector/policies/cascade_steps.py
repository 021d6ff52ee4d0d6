"""cascade over a whole run: the estimate is kept as a running total, and only what a step cuts is looked at again."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import TypeAlias

from inspector.change import Action, Insert, InsertKind
from inspector.message import TOOL, Body, Context
from inspector.policies.ladder import (
    ENTRY_CAP,
    IMAGE_TOKENS,
    MESSAGE_TOKENS,
    OLD_IMAGE,
    OLD_RESULT,
    OVER_CEILING,
    REASONS,
    SHORT,
    STUB,
    SUMMARISED,
    Sizes,
    cap_result,
    result_stub,
    without_images,
)
from inspector.policies.policy import Entered, Mode, Settings
from inspector.policies.stand_in import stand_in_summary
from inspector.policies.transcript import Done, Transcript

Summarise: TypeAlias = Callable[[list[Body]], str]

LAST_RESORT_RESULTS = 2
"""How many of the newest results even the last step keeps."""
SUMMARY_HEAD = (
    "PROGRESS SO FAR (an automatic summary of earlier steps in this same session - "
    "it replaces them, and they are gone):"
)


def summary_text(head: Sequence[Body], summarise: Summarise | None) -> str:
    """What stands for the messages that a summary replaces."""
    summary = stand_in_summary(head) if summarise is None else summarise(list(head))
    return f"{SUMMARY_HEAD}\n\n{summary}"


def summary_reason(messages: int) -> str:
    """Why it is there."""
    return f"a summary of {messages:,} earlier messages"


def enter(body: Body, settings: Settings) -> Entered | None:
    """A result is cut when it enters the transcript; everything else enters as it is."""
    cap, text = settings["max_result_chars"], body.get("content")
    if cap is None or body.get("role") != "tool" or not isinstance(text, str) or len(text) <= max(0, cap):
        return None
    return Entered({**body, "content": cap_result(text, cap)}, Action.HEAD, REASONS[ENTRY_CAP])


class Steps:
    """The lists of a carried run, one made from the other."""

    def __init__(self, context: Context, settings: Settings) -> None:
        self.transcript = Transcript(context)
        self._settings = settings
        self._target: int = settings["target_tokens"]
        self._ceiling: int = settings["ceiling_tokens"]
        self._protect: int = max(0, settings["protect"])
        self._keep: int = max(0, settings["keep_verbatim"])
        self._per_token: float = settings["chars_per_token"]
        sizes = context.derived(Sizes)
        self._recorded = array("q", sizes.tokens(self._per_token, sizes.content))
        self._content, self._images, self._roles = sizes.content, sizes.images, context.columns.role
        self._total = 0
        self._estimates: list[int] = []
        """Of each message of the list."""
        self._results: list[int] = []
        """Places of tool results."""
        self._long: list[int] = []
        """Places of those worth a stub."""
        self._pictures: dict[int, int] = {}
        """Places of messages with images, with their number; in order."""
        self._touched: set[int] = set()

    def step(self, stop: int) -> Done:
        """The view of the request that the row `stop` answers."""
        capped = self._arrive(stop)
        if self._total <= self._target:
            return Done(capped, False)
        self._touched = set()
        edits = self._cut()
        return Done(capped + edits, edits > 0)

    def _arrive(self, stop: int) -> int:
        transcript, capped = self.transcript, 0
        for row in range(transcript.arrived, stop):
            estimate, chars, place = self._recorded[row], self._content[row], len(self._estimates)
            if self._roles[row] == TOOL:
                entered = enter(transcript.context.messages[row], self._settings)
                if entered is not None:
                    transcript.arrive(row)
                    transcript.enter(*entered)
                    before, chars = chars, len(entered.body["content"])
                    estimate += self._tokens(chars) - self._tokens(before)
                    capped += 1
                self._results.append(place)
                if chars >= SHORT:
                    self._long.append(place)
            if self._images[row]:
                self._pictures[place] = self._images[row]
            self._estimates.append(estimate)
            self._total += estimate
        transcript.arrive(stop)
        return capped

    def _tokens(self, chars: int) -> int:
        return int(chars / self._per_token)

    def _cut(self) -> int:
        """The four steps, each stopping as soon as it may; the number of messages that they changed."""
        self._drop_images()
        if self._total <= self._target:
            return len(self._touched)
        self._stub_old()
        rows = len(self._estimates)
        stop = min(rows, max(self._protect, rows - 2 * self._keep))
        if self._total <= self._ceiling or stop <= self._protect:
            return len(self._touched)
        self._summarise(self._protect, stop)
        gone = stop - self._protect
        self._stub_again(self._protect + 1)
        return len(self._touched) + gone + 1

    def _put(self, place: int, body: Body, action: Action, reason: int, before: int) -> None:
        """A message gives way to another form, its content of so many characters to the new one."""
        text = body["content"]
        more = self._tokens(len(text) if isinstance(text, str) else before) - self._tokens(before)
        self.transcript.put(place, body, action, REASONS[reason])
        self._estimates[place] += more
        self._total += more
        self._touched.add(place)

    def _drop_images(self) -> None:
        for place in list(self._pictures)[:-1]:
            body = self.transcript.bodies[place]
            text = body.get("content")
            images = IMAGE_TOKENS * self._pictures.pop(place)
            sent = without_images(body)
            self._put(place, sent, Action.DROP_IMAGE, OLD_IMAGE, len(text) if isinstance(text, str) else 0)
            self._estimates[place] -= images
            self._total -= images
            if self._is_result(place):
                self._weigh(place, sent["content"])

    def _is_result(self, place: int) -> bool:
        at = bisect_left(self._results, place)
        return at < len(self._results) and self._results[at] == place

    def _weigh(self, place: int, text: object) -> None:
        """Note whether a result that was changed is worth a stub."""
        long = isinstance(text, str) and len(text) >= SHORT
        at = bisect_left(self._long, place)
        noted = at < len(self._long) and self._long[at] == place
        if long and not noted:
            self._long.insert(at, place)
        elif noted and not long:
            del self._long[at]

    def _stub(self, place: int, reason: int) -> bool:
        """One line for a result; whether even that is worth a stub."""
        body = self.transcript.bodies[place]
        chars = len(body["content"])
        line = result_stub(body, chars)
        self._put(place, {**body, "content": line}, STUB, reason, chars)
        return len(line) >= SHORT

    def _stub_old(self) -> None:
        old = self._results[: max(0, len(self._results) - self._keep)]
        first = bisect_left(self._long, self._protect)
        last = bisect_left(self._long, old[-1] + 1) if old else first
        left, at = [], first
        while at < last and self._total > self._target:
            place = self._long[at]
            if self._stub(place, OLD_RESULT):
                left.append(place)
            at += 1
        self._long[first:at] = left

    def _summarise(self, start: int, stop: int) -> None:
        text = summary_text(self.transcript.bodies[start:stop], self._settings.get("summarise"))
        body: Body = {"role": "user", "content": text}
        insert = Insert(start - 1, InsertKind.SUMMARY, body, summary_reason(stop - start))
        self.transcript.merge(start, stop, (insert,), REASONS[SUMMARISED])
        estimate = self._tokens(len(text)) + MESSAGE_TOKENS
        self._total += estimate - sum(self._estimates[start:stop])
        self._estimates[start:stop] = [estimate]
        self._results = _without(self._results, start, stop)
        self._long = _without(self._long, start, stop)
        moved = _without(list(self._pictures), start, stop)
        kept = [count for place, count in self._pictures.items() if not start <= place < stop]
        self._pictures = dict(zip(moved, kept, strict=True))
        self._touched = set(_without(sorted(self._touched), start, stop))

    def _stub_again(self, first: int) -> None:
        """Stubs even among the newest results, all but the last two, until the ceiling is met."""
        places = self._results[bisect_left(self._results, first) :]
        for place in places[: max(0, len(places) - LAST_RESORT_RESULTS)]:
            if self._total <= self._ceiling:
                break
            at = bisect_left(self._long, place)
            if at < len(self._long) and self._long[at] == place and not self._stub(place, OVER_CEILING):
                del self._long[at]


def _without(places: list[int], start: int, stop: int) -> list[int]:
    """Places after [start, stop) gave way to one message."""
    return [place if place < start else place - (stop - start - 1) for place in places if not start <= place < stop]


def stepper(context: Context, settings: Settings, mode: Mode) -> Steps | None:
    """The fast way through a carried run."""
    return Steps(context, settings) if mode == "carried" else None
