"""Gemini contents: request bodies, saved chats and checkpoints of Gemini CLI, logs, bare lists, and JSON Lines of them.

The system instruction is the first row; its origin has the index -1. A logged response is the last row, numbered after
the contents. A compression left no trace but its summary, the user message with a `<state_snapshot>`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from inspector.formats.format import Conversation, Format, Recording
from inspector.formats.gemini_parts import add_parts, is_content, is_snapshot, parts_at, usage_of
from inspector.formats.openai_chat import WRAPPERS, at
from inspector.formats.rows import Draft, Place, Rows, Spot, on_lines
from inspector.formats.shapes import as_dict, as_list, as_text, dicts, lines_of, unreadable
from inspector.message import Body, Compaction

SYSTEM = -1
_LISTS = ("contents", "clientHistory", "history")
_SYSTEMS = (
    "systemInstruction", "system_instruction", "config/systemInstruction", "config/system_instruction",
    "generationConfig/systemInstruction",
)  # fmt: skip
_ANSWERS = ("/response/body", "/response", "/response_body")
_SAMPLED = 50


@dataclass(frozen=True, slots=True)
class _Place:
    """The contents of one conversation."""

    contents: list[Any]
    pointer: str
    holder: Body
    holder_pointer: str
    answer: Body
    answer_pointer: str
    line: int | None
    numbers: tuple[int, ...] = ()
    """Where the contents are lines of their own: which."""

    def where(self, native: int) -> Place:
        if self.numbers:
            return on_lines()(self.numbers[native])
        line, index = (None, native) if self.line is None else (self.line + 1, self.line)
        if native == SYSTEM:
            return Place(index, self.holder_pointer, line)
        pointer = f"{self.pointer}/{native}" if native < len(self.contents) else self.answer_pointer
        return Place(index, pointer, line)


def recognise(recording: Recording) -> bool:
    """Whether most entries of a recording's list, or its lines, hold parts with a role of Gemini's."""
    if not recording.lines:
        return any(_are_contents(place.contents) for place in _places(recording.document, "", None))
    values = recording.sample(_SAMPLED)
    return _are_contents(values) or any(_are_contents(place.contents) for value in values
                                        for place in _places(value, "", 0))  # fmt: skip


def _are_contents(values: Any) -> bool:
    some = values[:_SAMPLED]
    return bool(some) and 2 * sum(map(is_content, some)) > len(some)


def read(recording: Recording) -> list[Conversation]:
    """All conversations of a recording, in the order of the file."""
    if not recording.lines:
        return [_conversation(place) for place in _places(recording.document, "", None)]
    lines = lines_of(recording)
    if _are_contents([value for _, value in lines]):
        numbers = tuple(line for line, _ in lines)
        return [_conversation(_Place([value for _, value in lines], "", {}, "", {}, "", None, numbers))]
    return [_conversation(place) for line, value in lines for place in _places(value, f"/{line}", line)]


def _places(value: Any, pointer: str, line: int | None) -> Iterator[_Place]:
    if isinstance(value, dict):
        place = _in_record(value, pointer, line)
        if place is not None:
            yield place
    elif isinstance(value, list) and _are_contents(value):
        yield _Place(value, pointer, {}, pointer, {}, "", line)
    elif isinstance(value, list):
        for index, element in enumerate(value):
            if isinstance(element, dict):
                yield from _places(element, f"{pointer}/{index}", line)


def _in_record(record: Body, pointer: str, line: int | None) -> _Place | None:
    for wrapper in WRAPPERS:
        holder = at(record, wrapper)
        for key in _LISTS if isinstance(holder, dict) else ():
            contents = holder.get(key)
            if isinstance(contents, str) and key == "contents":
                contents = [contents]
            if isinstance(contents, list) and (key != "history" or not contents or _are_contents(contents)):
                inside = f"{pointer}{wrapper}"
                answer, where = _answer(record, pointer)
                return _Place(contents, f"{inside}/{key}", holder, inside, answer, where, line)
    return None


def _answer(record: Body, pointer: str) -> tuple[Body, str]:
    """The recorded response that has candidates, and the pointer of its first candidate's content."""
    for place in _ANSWERS:
        answer = at(record, place)
        candidates = as_list(as_dict(answer).get("candidates"))
        if candidates and isinstance(as_dict(candidates[0]).get("content"), dict):
            return as_dict(answer), f"{pointer}{place}/candidates/0/content"
    return {}, ""


def _conversation(place: _Place) -> Conversation:
    rows, damage = Rows(), []
    _add_system(rows, place.holder)
    answered = [place.answer["candidates"][0]["content"]] if place.answer else []
    for native, content in enumerate((*place.contents, *answered)):
        if isinstance(content, dict):
            role = as_text(content.get("role")) or ("model" if native >= len(place.contents) else "user")
            add_parts(rows, native, role, parts_at(native, "/parts", content.get("parts")))
        elif isinstance(content, str):
            add_parts(rows, native, "user", parts_at(native, "", content))
        else:
            index, pointer, line = place.where(native)
            damage.append(unreadable(index, pointer, content, numbered=line is not None))
    kept = (0,) if rows.native[:1] == [SYSTEM] else ()
    model = place.holder.get("model") or place.answer.get("modelVersion")
    return Conversation(
        messages=rows.messages,
        origin=rows.origins(place.where),
        title=f"line {place.line + 1}" if place.line is not None else "",
        model=as_text(model) or None,
        tools=dicts(place.holder.get("tools") or as_dict(place.holder.get("config")).get("tools")),
        usage=usage_of(len(rows) - 1 if answered else None, place.answer.get("usageMetadata")),
        compactions=tuple(
            Compaction(row, "state_snapshot", kept=kept) for row, body in enumerate(rows.messages) if is_snapshot(body)
        ),
        damage=tuple(damage),
    )


def _add_system(rows: Rows, holder: Body) -> None:
    for key in _SYSTEMS:
        given = at(holder, f"/{key}")
        if given:
            inner = f"/{key}/parts" if isinstance(given, dict) and "parts" in given else f"/{key}"
            value = given["parts"] if isinstance(given, dict) and "parts" in given else given
            draft = Draft()
            for spot, part in parts_at(SYSTEM, inner, value):
                draft.say(spot, part["text"] if isinstance(part, dict) and isinstance(part.get("text"), str)
                          else part if isinstance(part, (str, dict)) else "")  # fmt: skip
            rows.put(SYSTEM, draft.body("system"), Spot(SYSTEM, f"/{key}"), *draft.spots)
            return


FORMAT = Format(
    name="gemini_contents",
    title="Gemini contents",
    recognise=recognise,
    read=read,
    help="Request bodies of the Gemini API, saved chats and checkpoints of Gemini CLI, and JSON Lines of contents.",
    shape="back_gemini.CONTENTS",
)
