"""The tree in a Claude Code session file: which lines speak, whom they follow, which path is the live one.

Lines are linked by `uuid` and `parentUuid`; attachments and system lines are links too. The newest line of the main
conversation that speaks is the leaf, and its ancestors are the session; everything else was left behind by a rewind,
belongs to a subagent, or is a result that hangs off one line of a streamed message. One pass indexes the lines, one
walk finds the path; nothing recurses, and no order of lines, cut, copy or cycle can make either of them hang.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from inspector.finding import Finding
from inspector.message import Body

LINK, USER, ANSWER, BOUNDARY = range(4)
"""What a line is: only a link of the chain, a user's line, a model's line, a compaction."""

ROOT = -1
_KINDS = {"user": USER, "assistant": ANSWER}
_TITLES = {"custom-title": "customTitle", "ai-title": "aiTitle", "summary": "summary"}
_LINKING = frozenset(("parentUuid", "logicalParentUuid", "sessionId", "timestamp", "isSidechain"))
"""Keys in which a copied line may differ from its first record."""


class Tree:
    """The linked lines of a file, by place: 0, 1, 2 ... in file order, without duplicates."""

    def __init__(self, lines: Iterable[tuple[int, Any]], pointer: str = "", numbered: bool = True) -> None:
        """Index (native index, value) pairs. `pointer` leads to their array; `numbered` says that they are lines."""
        self._at, self._numbered = pointer, numbered
        self.values: list[Body] = []
        self.numbers: list[int] = []
        self.kinds = bytearray()
        self.parents: list[int] = []
        self.main: list[int] = []
        """Places of the main conversation's speaking lines."""
        self.sides: dict[str, list[int]] = {}
        """Places of each subagent's lines, by agent."""
        self.known: dict[str, int] = {}
        self.titles: dict[str, str] = {}
        self.damage: list[Finding] = []
        self.seen = bytearray()
        """By place, whether the line is on the path; empty before `path`."""
        self._speakers: dict[int, int] = {}
        self._side_of: dict[int, str] = {}
        self._loose: list[tuple[int, int]] = []
        """Lines without a parent, each with the speaking line before it."""
        self._late: list[tuple[int, str, int]] = []
        """Lines whose parent has not come yet, with its uuid and the speaking line before them."""
        self._linked = False
        self._broken: dict[int, Finding] = {}
        for number, value in lines:
            self._take(number, value)
        self._link_late()
        self._link_loose()

    @property
    def title(self) -> str:
        """The title that the user gave, else the tool's own, else its summary."""
        return next((self.titles[key] for key in _TITLES if key in self.titles), "")

    def _take(self, number: int, value: Any) -> None:
        if type(value) is not dict:
            self._unreadable(number, "holds no object")
            return
        kind, uuid, message = value.get("type"), value.get("uuid"), value.get("message")
        code = _KINDS.get(kind, LINK) if type(kind) is str else LINK
        if code and type(message) is not dict:
            self._unreadable(number, f"is a {kind} line without a message")
            code = LINK
        if not code:
            if type(uuid) is not str:
                self._note_title(kind, value)
                return
            code = _code_of(kind, value)
        first = self.known.get(uuid) if type(uuid) is str else None
        if first is not None and _is_copy(self.values[first], value):
            self._duplicate(number, first)
            return
        self._place(number, value, code, uuid)

    def _place(self, number: int, value: Body, code: int, uuid: Any) -> None:
        place = len(self.values)
        link = value.get("parentUuid")
        if code == BOUNDARY and link is None:
            link = value.get("logicalParentUuid")
        before = self.main[-1] if self.main else ROOT
        parent = self.known.get(link, ROOT) if type(link) is str else ROOT
        self.values.append(value)
        self.numbers.append(number)
        self.kinds.append(code)
        self.parents.append(parent)
        if type(uuid) is str:
            self.known[uuid] = place
        if value.get("isSidechain") is True:
            self._join_side(place, value, code, parent)
        else:
            if code in (USER, ANSWER):
                self.main.append(place)
            if parent >= 0:
                self._linked = True
            elif type(link) is str:
                self._late.append((place, link, before))
            elif code:
                self._loose.append((place, before))

    def _join_side(self, place: int, value: Body, code: int, parent: int) -> None:
        agent = value.get("agentId")
        if type(agent) is not str:
            agent = self._side_of.get(parent) or f"at line {self.numbers[place] + 1}"
        self._side_of[place] = agent
        if code:
            self.sides.setdefault(agent, []).append(place)

    def _link_late(self) -> None:
        for place, link, before in self._late:
            parent = self.known.get(link, ROOT)
            if parent >= 0 and parent != place:
                self.parents[place] = parent
                self._linked = True
            else:
                self.parents[place] = before
                self._broken[place] = self._broken_link(place, f"a line that the file does not hold ({link})")

    def _link_loose(self) -> None:
        """A prompt without parent starts anew where the file has links; all else goes on from the line before it."""
        for place, before in self._loose:
            value = self.values[place]
            starts = self.kinds[place] == USER and type(value.get("uuid")) is str
            if not (starts and self._linked and not value.get("isCompactSummary") and not is_results(value)):
                self.parents[place] = before

    def path(self, leaf: int | None = None) -> list[int]:
        """Places from the first line to the leaf, links included and subagents' lines left out.

        The leaf is the newest line that speaks where none is given; a tree is walked once.

        Broken links fall back to file order, each with a finding in `damage`.
        """
        self.seen = bytearray(len(self.values))
        skip: dict[int, int] = {}
        newest = self.main[-1] if self.main else ROOT
        here, path = newest if leaf is None else leaf, []
        while here >= 0:
            self.seen[here] = 1
            path.append(here)
            parent = self.parents[here]
            if here in self._broken:
                self.damage.append(self._broken[here])
            if parent >= 0 and self.seen[parent]:
                self.damage.append(self._broken_link(here, "a line that follows it"))
                parent = self._unseen_before(here, skip)
            here = parent
        path.reverse()
        return [place for place in path if place not in self._side_of] if self._side_of else path

    def _unseen_before(self, place: int, skip: dict[int, int]) -> int:
        """The nearest speaking line before a place that is not on the path; `skip` remembers what was passed over."""
        passed, here = [], place - 1
        while here >= 0 and (self.seen[here] or self.kinds[here] not in (USER, ANSWER) or here in self._side_of):
            passed.append(here)
            here = skip.get(here, here - 1)
        skip.update(dict.fromkeys(passed, here))
        return here

    def speaker(self, place: int) -> int:
        """The line that speaks at or above a place; `ROOT` where there is none."""
        known, passed = self._speakers, []
        while place >= 0 and self.kinds[place] not in (USER, ANSWER):
            if place in known:
                place = known[place]
                break
            known[place] = ROOT  # what a cycle of links comes to
            passed.append(place)
            place = self.parents[place]
        known.update(dict.fromkeys(passed, place))
        return place

    def _note_title(self, kind: Any, value: Body) -> None:
        key = _TITLES.get(kind) if type(kind) is str else None
        text = value.get(key) if key else None
        if isinstance(text, str) and text:
            self.titles[kind] = text

    def finding(self, code: str, severity: Any, says: str, number: int, key: str = "", repair: str = "") -> Finding:
        """A finding at a line, or at a key of it."""
        pointer = f"{self._at}/{number}{key}"
        line = number + 1 if self._numbered else None
        return Finding(code, severity, says, number, pointer, line, repair=repair)

    def _unreadable(self, number: int, why: str) -> None:
        says = f"Line {number + 1} {why}; it was passed over."
        self.damage.append(self.finding("unparseable-record", "warning", says, number))

    def _duplicate(self, number: int, first: int) -> None:
        says = f"Line {number + 1} is line {self.numbers[first] + 1} written once more; it counts once."
        self.damage.append(self.finding("duplicate-record", "warning", says, number, repair="Delete the later copy."))

    def _broken_link(self, place: int, what: str) -> Finding:
        number, value = self.numbers[place], self.values[place]
        key = "/parentUuid" if value.get("parentUuid") is not None else "/logicalParentUuid"
        says = f"Line {number + 1} names {what} as its parent; the line before it in the file stands in."
        return self.finding("broken-parent-link", "warning", says, number, key, "Link it to the line before it.")


def _code_of(kind: Any, value: Body) -> int:
    if kind == "system" and value.get("subtype") == "compact_boundary":
        return BOUNDARY
    # an older writer's summary is a message of its own, not a title
    return USER if kind == "summary" and type(value.get("message")) is dict else LINK


def _is_copy(first: Body, later: Body) -> bool:
    """Same uuid and equal message (TAXONOMY.md, duplicate-record); without a message, all but the links equal."""
    try:
        if "message" in first or "message" in later:
            return bool(first.get("message") == later.get("message") and first.get("type") == later.get("type"))
        return _without_links(first) == _without_links(later)
    except RecursionError:  # nested beyond what Python compares
        return False


def _without_links(value: Body) -> Body:
    return {key: held for key, held in value.items() if key not in _LINKING}


def is_results(value: Body) -> bool:
    """Whether a line's message begins with a tool's result."""
    content = value["message"].get("content") if type(value.get("message")) is dict else None
    return isinstance(content, list) and any(
        isinstance(block, dict) and block.get("type") == "tool_result" for block in content[:4]
    )
