"""Claude Code: session files of JSON Lines, subagent files, and the web export `{"loglines": [...]}`.

- The main conversation is the whole live path, also before a compaction (through `logicalParentUuid`); `compactions`
  says where the tool's own compactions lie and what they kept. The summary stays the user message that it is.
- Streamed lines of one `message.id` are one assistant message at its first line, with the last line's usage. Results
  that stood between them follow it, and so do results that hang off one of them beside the path.
- Lines of other types (attachments, snapshots, progress) are links at most; `toolUseResult` is the screen's copy of a
  result and is not read. `isMeta` lines are sent to the model and stay.
- What an API error left (`isApiErrorMessage`, model `<synthetic>`) stays an assistant message, as the file has it; it
  gives neither model nor usage.
- A subagent's lines are a side conversation, in file order. In a subagent's own file that conversation is the main one.
- Lines without any links (hand-made or cut files) are read in file order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from inspector.finding import Finding
from inspector.formats.blocks import Located, Place, Rows, located, origins, usage_of
from inspector.formats.branches import Forks, branch, leaves_of
from inspector.formats.claude_folder import main_file, read_folder
from inspector.formats.claude_tree import ANSWER, BOUNDARY, ROOT, USER, Tree, is_results
from inspector.formats.format import Conversation, Format, Recording
from inspector.formats.kept import KeptRows
from inspector.message import Body, Branch, Compaction, Usage

_Key: TypeAlias = tuple[str, str]

SYNTHETIC = "<synthetic>"
"""The model that Claude Code names on messages which it wrote itself."""


def recognise(recording: Recording) -> bool:
    """Whether a recording has lines of type user or assistant that hold an Anthropic message, or links of such lines.

    Qwen Code's lines hold `message.parts`, and the stream-json output has `session_id` and no links: neither is ours.
    """
    if recording.files is not None:
        session = main_file(recording.files)
        return session is not None and recognise(recording.files[session])
    values = [value for _, value in _lines(recording, 1000) if isinstance(value, dict)]
    return any(map(_is_own, values)) and not any(map(_is_qwen, values))


def _is_own(value: Body) -> bool:
    kind = value.get("type")
    if "session_id" in value and "parentUuid" not in value:
        return False
    if kind in ("user", "assistant"):
        return isinstance(value.get("message"), dict)
    return "parentUuid" in value and "sessionId" in value and kind in ("system", "attachment", "progress")


def _is_qwen(value: Body) -> bool:
    message = value.get("message")
    return isinstance(message, dict) and "parts" in message


def read(recording: Recording) -> list[Conversation]:
    """The main conversation, then one for each subagent whose lines are in the file or the folder."""
    if recording.files is not None:
        return read_folder(recording, read)
    exported = not recording.lines and _is_export(recording.document)
    place = _exported if exported else _line

    def grown() -> Tree:
        return Tree(_lines(recording), "/loglines" if exported else "", not exported)

    tree = grown()
    main = _main(tree, place, grown)
    sides = [_side(tree, agent, places, place) for agent, places in tree.sides.items()]
    if tree.main or not sides:
        return [main, *sides]
    return [replace(sides[0], side=False, title=tree.title or sides[0].title, damage=main.damage), *sides[1:]]


def _is_export(document: Any) -> bool:
    return isinstance(document, dict) and isinstance(document.get("loglines"), list)


def _lines(recording: Recording, most: int | None = None) -> Iterable[tuple[int, Any]]:
    if recording.lines:
        return ((record.line, record.value) for record in recording.records[:most])
    if _is_export(recording.document):
        return enumerate(recording.document["loglines"][:most])
    return enumerate([recording.document])  # a file of one line is one JSON value


def _line(number: int) -> Place:
    return Place(number, f"/{number}/message", f"/{number}/message/content", number + 1)


def _exported(number: int) -> Place:
    pointer = f"/loglines/{number}/message"
    return Place(number, pointer, f"{pointer}/content")


def _main(
    tree: Tree, place: Callable[[int], Place], grown: Callable[[], Tree], leaf: int | None = None
) -> Conversation:
    path = tree.path(leaf)
    left, beside = _off_path(tree)
    script = _Script(tree, beside)
    script.play(path)
    lost = _Script(tree, _Beside(), script.rows.names)
    lost.play(left)
    damage = sorted([*tree.damage, *_branches(tree, left)], key=lambda found: found.message_index or 0)
    leaves, branches = _leaves(tree, path, left, script.rows)
    return replace(
        script.conversation(place),
        title=tree.title,
        damage=tuple(damage),
        abandoned=tuple(lost.rows.messages),
        branches=branches,
        read_branch=lambda number: _main(grown(), place, grown, leaves[number]),
    )


def _leaves(tree: Tree, path: list[int], left: list[int], rows: Rows) -> tuple[tuple[int, ...], tuple[Branch, ...]]:
    """The leaves of the branches that were left, as places, and the branches."""
    if not left:
        return (), ()
    above = {place: tree.speaker(tree.parents[place]) for place in left}
    goes_on = Counter(above.values())
    hanging = {place for place in left if is_results(tree.values[place]) and goes_on[above[place]] > 1}
    parents = [above.get(place, ROOT) for place in range(len(tree.values))]
    found = leaves_of([place for place in left if place not in hanging or place in goes_on], parents,
                      lambda place: True)  # fmt: skip
    forks = Forks(rows.native, [tree.numbers[place] for place in path])
    return tuple(leaf.place for leaf in found), tuple(
        branch(forks.row(tree.numbers[leaf.fork] if leaf.fork >= 0 else None), len(leaf.own),
               _told(tree, leaf.own[0]))
        for leaf in found
    )  # fmt: skip


def _told(tree: Tree, place: int) -> list[Body]:
    script = _Script(tree, _Beside())
    script.play([place])
    return script.rows.messages


def _side(tree: Tree, agent: str, places: Sequence[int], place: Callable[[int], Place]) -> Conversation:
    script = _Script(tree, _Beside())
    script.play(places)
    return replace(script.conversation(place), title=f"subagent {agent}", side=True)


@dataclass(frozen=True, slots=True)
class _Beside:
    """Lines beside the path that belong to it."""

    answers: dict[_Key, list[int]] = field(default_factory=dict)
    """Lines of a streamed message."""
    results: dict[int, list[int]] = field(default_factory=dict)
    """Results, and notes that follow them, by the model's line that they hang off."""


def _off_path(tree: Tree) -> tuple[list[int], _Beside]:
    """The lines beside the path: those that were left, and those that belong to it all the same."""
    on = [place for place in tree.main if tree.seen[place]]
    left: list[int] = []
    beside = _Beside()
    if len(on) == len(tree.main):
        return left, beside
    home = {place: place for place in on if tree.kinds[place] == ANSWER}
    live = {_key(tree.values[place]) for place in home}
    answered = {call for place in on for call in _answers(tree.values[place])}
    for place in tree.main:
        if tree.seen[place]:
            continue
        value, above = tree.values[place], _source(tree, place)
        key = _key(value)
        if tree.kinds[place] == ANSWER and key is not None and key in live:
            beside.answers.setdefault(key, []).append(place)
            home[place] = place
        elif tree.kinds[place] == USER and above in home and _belongs(value, tree.kinds[above], answered):
            home[place] = home[above]
            answered.update(_answers(value))
            beside.results.setdefault(home[above], []).append(place)
        else:
            left.append(place)
    return left, beside


def _belongs(value: Body, above: int, answered: set[str]) -> bool:
    """Whether a line is a result that its live call still lacks, or a note that the tool added to such a result."""
    calls = _answers(value)
    return not answered.issuperset(calls) if calls else above == USER and bool(value.get("isMeta"))


def _source(tree: Tree, place: int) -> int:
    """The line that a result answers, where it is named, else the speaking line above."""
    source = tree.values[place].get("sourceToolAssistantUUID")
    named = tree.known.get(source) if isinstance(source, str) else None
    return tree.speaker(tree.parents[place]) if named is None else named


def _answers(value: Body) -> list[str]:
    content = value["message"].get("content")
    if not isinstance(content, list):
        return []
    results = [block for block in content if isinstance(block, dict) and block.get("type") == "tool_result"]
    return [block["tool_use_id"] for block in results if isinstance(block.get("tool_use_id"), str)]


def _key(value: Body) -> _Key | None:
    """What the lines of one streamed message share: its id, and the request's, which some proxies' ids need."""
    found, request = value["message"].get("id"), value.get("requestId")
    if not isinstance(found, str) or not found:
        return None
    return found, request if isinstance(request, str) else ""


def _branches(tree: Tree, left: Sequence[int]) -> Iterator[Finding]:
    """One finding for each branch that was left, at its first line."""
    first: dict[int, int] = {}
    for place in left:
        first[place] = first.get(tree.speaker(tree.parents[place]), place)
    for place, lines in Counter(first.values()).items():
        number = tree.numbers[place]
        size = f"a branch of {lines} lines" if lines > 1 else "a branch of one line"
        says = f"Line {number + 1} begins {size} that the session has left; it is not sent to the model."
        yield tree.finding("abandoned-branch", "info", says, number)


class _Script:
    """Lines told in order, as rows."""

    def __init__(self, tree: Tree, beside: _Beside, names: dict[str, str] | None = None) -> None:
        self._tree, self._beside = tree, beside
        self.rows = Rows(names)
        self._model: str | None = None
        self._usage: list[Usage] = []
        self._compactions: list[tuple[Compaction, Body]] = []
        self._answer: list[int] = []
        """The lines of the streamed message that is open."""
        self._open: _Key | None = None
        self._waiting: list[int] = []
        """Results that stood between them."""
        self._bounded = False
        """Whether a compaction's boundary has just been passed."""

    def play(self, places: Iterable[int]) -> None:
        kinds, values = self._tree.kinds, self._tree.values
        for place in places:
            kind = kinds[place]
            if kind == ANSWER:
                key = _key(values[place])
                if key is None or key != self._open:
                    self._close()
                    self._open = key
                self._answer.append(place)
            elif kind == USER and self._answer and is_results(values[place]):
                self._waiting.append(place)
            elif kind == USER:
                self._close()
                self._say(place)
            elif kind == BOUNDARY:
                self._close()
                self._compact(values[place])
        self._close()

    def _close(self) -> None:
        """Tell the streamed message that is open, then its results in file order."""
        if not self._answer:
            return
        beside = self._beside
        if self._open in beside.answers:
            self._answer = sorted(self._answer + beside.answers.pop(self._open))
        if beside.results:
            hanging = [place for home in self._answer for place in beside.results.pop(home, ())]
            self._waiting = sorted(self._waiting + hanging)
        self._tell(self._answer)
        for place in self._waiting:
            self._say(place)
        self._answer, self._waiting, self._open = [], [], None

    def _tell(self, places: Sequence[int]) -> None:
        values, numbers, first = self._tree.values, self._tree.numbers, len(self.rows)
        last = values[places[-1]]
        if len(places) == 1:
            self.rows.add(numbers[places[0]], "assistant", last["message"].get("content"))
        else:
            blocks: list[Located] = []
            for place in places:
                blocks += located(numbers[place], values[place]["message"].get("content"))
            self.rows.add_blocks(numbers[places[0]], "assistant", blocks)
        self._bounded = False
        model = last["message"].get("model")
        if model != SYNTHETIC and not last.get("isApiErrorMessage"):
            self._model = model if isinstance(model, str) else self._model
            usage = usage_of(self.rows.answer(first), last["message"].get("usage"))
            self._usage += [usage] if usage else []

    def _say(self, place: int) -> None:
        value = self._tree.values[place]
        if value.get("isCompactSummary") and not self._bounded:
            self._compactions.append((Compaction(len(self.rows), "compact"), {}))
        self._bounded = False
        self.rows.add(self._tree.numbers[place], "user", value["message"].get("content"))

    def _compact(self, value: Body) -> None:
        held = value.get("compactMetadata")
        known: Body = held if isinstance(held, dict) else {}
        trigger = known.get("trigger")
        kind = trigger if isinstance(trigger, str) else "compact"
        found = Compaction(len(self.rows), kind, _tokens(known.get("preTokens")), _tokens(known.get("postTokens")))
        self._compactions.append((found, known))
        self._bounded = True

    def conversation(self, place: Callable[[int], Place]) -> Conversation:
        return Conversation(
            messages=self.rows.messages,
            origin=origins(self.rows, place),
            model=self._model,
            usage=tuple(self._usage),
            compactions=tuple(self._with_kept()),
        )

    def _with_kept(self) -> Iterator[Compaction]:
        kept = KeptRows()
        for found, known in self._compactions:
            if found.row < len(self.rows):
                lines = self._preserved(known)
                yield replace(found, kept=kept.of(self._of_lines(found.row, lines), found.row) if lines else ())

    def _of_lines(self, row: int, lines: Container[int]) -> Iterator[int]:
        """Rows before a compaction that come of lines which it preserved."""
        native, spots = self.rows.native, self.rows.spots
        for before in range(row):
            if native[before] in lines or any(line in lines for line, _ in spots[before]):
                yield before

    def _preserved(self, known: Body) -> Container[int]:
        """Line numbers that a boundary's `preservedMessages` lists, or that its `preservedSegment` spans."""
        segment, messages = known.get("preservedSegment"), known.get("preservedMessages")
        if isinstance(messages, dict) and isinstance(messages.get("uuids"), list):
            return {line for line in map(self._line_of, messages["uuids"]) if line is not None}
        if isinstance(segment, dict):
            head, tail = self._line_of(segment.get("headUuid")), self._line_of(segment.get("tailUuid"))
            if head is not None and tail is not None:
                return range(head, tail + 1)
        return ()

    def _line_of(self, uuid: Any) -> int | None:
        place = self._tree.known.get(uuid) if isinstance(uuid, str) else None
        return None if place is None else self._tree.numbers[place]


def _tokens(value: Any) -> int | None:
    return value if type(value) is int and value >= 0 else None


FORMAT = Format(
    name="claude_code",
    title="Claude Code",
    recognise=recognise,
    read=read,
    help="Files under ~/.claude/projects, one a session, and those of its subagents; a folder of the two.",
    reads=("file", "folder"),
    shape="back_blocks.LINES",
)
