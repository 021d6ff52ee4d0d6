"""Small recordings of our own, what became of them, and ways to spoil them: shared by the tests of many readers."""

import csv
import json
from collections.abc import Sequence
from copy import deepcopy
from typing import Any

from hypothesis import strategies as st

from inspector.cli.info import figures
from inspector.formats import conversations
from inspector.formats.format import Conversation, Format, Record, Recording
from inspector.message import Body
from tests.shared import SHARED

FIGURES = {"tool_calls": "calls", "tool_results": "results", "dangling_calls": "dangling", "orphan_results": "orphans",
           "images": "images"}  # fmt: skip


def lines(*values: Any) -> Recording:
    """A JSON Lines file of these values."""
    return Recording("made.jsonl", records=[Record(value, number, 0) for number, value in enumerate(values)])


def document(value: Any) -> Recording:
    """A file that is one JSON value."""
    return Recording("made.json", document=value)


def jsonl(*values: Any) -> bytes:
    return "".join(json.dumps(value) + "\n" for value in values).encode()


def only(format: Format, recording: Recording) -> Conversation:
    """The one conversation of a recording, which the format has to know, with places that are right."""
    assert format.recognise(recording)
    (conversation,) = format.read(recording)
    check_places(recording, conversation)
    return conversation


def script(conversation: Conversation) -> list[tuple[str, Any]]:
    """Each row as its role and its content; of a row that only calls, the names that it calls."""
    return [(body["role"], _said(body)) for body in conversation.messages]


def _said(body: Body) -> Any:
    calls = [(call.get("function") or call["custom"])["name"] for call in body.get("tool_calls", ())]
    return body["content"] or calls or body["content"]


def codes(conversation: Conversation) -> list[tuple[str, str]]:
    return [(found.code, found.pointer) for found in conversation.damage]


def values_of(recording: Recording) -> list[tuple[str, Any]]:
    """The values that pointers begin at, with their own: the file's one value, or its lines (two on a glued one)."""
    if not recording.lines:
        return [("", recording.document)]
    return [(f"/{record.line}", record.value) for record in recording.records]


def at(starts: dict[str, list[Any]], pointer: str) -> Any:
    """The value that a pointer leads to. Raises where it leads nowhere."""
    first, _, rest = pointer[1:].partition("/")
    start_at, inner = ("", pointer) if "" in starts else (f"/{first}", f"/{rest}" if rest else "")
    found: Exception = LookupError(pointer)
    for start in starts[start_at]:
        try:
            return _walk(start, inner)
        except (LookupError, TypeError) as error:
            found = error
    raise found


def _walk(value: Any, pointer: str) -> Any:
    for step in pointer.split("/")[1:]:
        value = value[int(step)] if isinstance(value, list) else value[step.replace("~1", "/").replace("~0", "~")]
    return value


def check_places(recording: Recording, conversation: Conversation) -> None:
    """Every pointer of every row leads somewhere, a call's to what names the tool, a line is the pointer's."""
    starts: dict[str, list[Any]] = {}
    for pointer, value in values_of(recording):
        starts.setdefault(pointer, []).append(value)
    for row, body in enumerate(conversation.messages):
        origin = conversation.origin(row)
        at(starts, origin.pointer)
        calls = body.get("tool_calls", ())
        for call, pointer in zip(calls, origin.parts, strict=False):
            assert (call.get("function") or call["custom"])["name"] in json.dumps(at(starts, pointer))
        assert len(origin.parts) >= len(calls)
        for pointer in origin.parts:
            at(starts, pointer)
        if origin.line is not None:
            assert origin.pointer.split("/")[1] == str(origin.line - 1) == str(origin.index)


def check_shared(format: Format) -> None:
    """The public files of a format have the figures of their index, are recognised, and have places that are right."""
    from inspector.formats.sources import recording_at

    rows = csv.DictReader((SHARED / "sessions" / "INDEX.tsv").open(encoding="utf8"), delimiter="\t")
    mine = [row for row in rows if row["format"] == format.name]
    assert mine
    for row in mine:
        path = SHARED / "sessions" / row["file"]
        opened = conversations(path)
        assert opened.format.name == format.name, row["file"]
        found = [figures([*one.messages, *one.abandoned]) for one in opened.conversations]
        wanted = {key: row[key] for key in FIGURES if row[key]}
        assert {key: str(sum(getattr(one, FIGURES[key]) for one in found)) for key in wanted} == wanted, row["file"]
        for one in opened.conversations:
            check_places(recording_at(str(path)), one)


ODD: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, 0, -1, 2**70, 1.5, "", "x", "\ud800", [], [[]], [None], [1, "x"], {}, {"type": []}, {"role": {}}]
)


@st.composite
def spoilt(draw: st.DrawFn, values: Sequence[Any]) -> list[Any]:
    """The values with some of their parts replaced, left out, doubled, put elsewhere."""
    made = deepcopy(list(values))
    for _ in range(draw(st.integers(1, 6))):
        holder: Any = made
        for _ in range(draw(st.integers(0, 6))):
            inside = _inside(holder)
            if not inside:
                break
            holder = draw(st.sampled_from(inside))
        if holder:
            _spoil(draw, holder)
    return made


def _inside(holder: Any) -> list[Any]:
    values = holder.values() if isinstance(holder, dict) else holder
    return [value for value in values if isinstance(value, (dict, list)) and value]


def _spoil(draw: st.DrawFn, holder: Any) -> None:
    keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
    key = draw(st.sampled_from(keys))
    what = draw(st.sampled_from(("odd", "drop", "swap", "double")))
    if what == "odd":
        holder[key] = deepcopy(draw(ODD))
    elif what == "drop":
        del holder[key]
    elif what == "swap":
        other = draw(st.sampled_from(keys))
        holder[key], holder[other] = holder[other], holder[key]
    elif isinstance(holder, list):
        holder.insert(draw(st.sampled_from(keys)), deepcopy(holder[key]))


def check_spoilt(format: Format, recording: Recording) -> None:
    """Whatever a recording holds: it is recognised or not, read, and every row has a place, without an exception."""
    format.recognise(recording)
    for conversation in format.read(recording):
        for row, body in enumerate(conversation.messages):
            assert isinstance(body["role"], str)
            assert all(isinstance(call, dict) for call in body.get("tool_calls", ()))
            conversation.origin(row)
        assert all(usage.row < len(conversation.messages) for usage in conversation.usage)
        for one in conversation.compactions:
            assert one.row <= len(conversation.messages)
            assert all(row < one.row for row in one.kept)
