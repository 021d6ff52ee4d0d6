"""Repairs of what messages hold: what is empty goes, what is no JSON is put aside, pictures and strings fit again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from inspector.change import Doing, Patch, removed, replaced
from inspector.doctor.markers import TOKEN, strings_in
from inspector.doctor.mend_calls import parts_of
from inspector.doctor.native import Kind, Part, Role, body_of, name_of
from inspector.doctor.pictures import ARGUMENT_CHARS, CACHE_MARKERS, STRING_CHARS, cache_markers, size_of
from inspector.doctor.shapes import Layout
from inspector.doctor.sick import Sick
from inspector.doctor.targets import Provider
from inspector.finding import Finding

UNSAID = "[the error said nothing]"
STAND_IN = "skip_thought_signature_validator"
"""What Google documents for calls whose signature is lost ("Thought signatures", FAQ)."""


def remove_texts(sick: Sick, findings: Sequence[Finding]) -> Iterator[Patch]:
    """Take empty texts out, and thoughts that cannot go back."""
    parts = parts_of(sick, findings)
    blocks = [part for part in parts if part.pointer.rpartition("/")[2].isdecimal()]
    yield from sick.without_parts(blocks)
    for part in parts:
        if part not in blocks:  # a message's one string
            yield from sick.without_entry(sick.native.turn_of(part))


def remove_entries(sick: Sick, findings: Sequence[Finding]) -> Iterator[Patch]:
    """Take whole entries out."""
    for finding in findings:
        turn = sick.turn_at(finding.pointer)
        if turn is not None:
            yield from sick.without_entry(turn)
        elif sick.native.shape.links and sick.lined and finding.message_index is not None:
            yield from sick.without_lines({finding.message_index})
        else:
            yield removed(sick.entry_site(finding.pointer))


def fill_null(sick: Sick, findings: Sequence[Finding]) -> Iterator[Patch]:
    """Give a result an empty string; take any other message out."""
    for finding in findings:
        turn = sick.turn_at(finding.pointer.removesuffix("/content"))
        if turn is None:
            continue
        if turn.role == Role.RESULT:
            yield replaced(sick.site(finding.pointer), "")
        else:
            yield removed(sick.site(turn.pointer))


def fill_errors(sick: Sick, findings: Sequence[Finding]) -> Iterator[Patch]:
    """Let an error's result say something."""
    typed = {"type": "text"} if sick.native.provider != Provider.BEDROCK else {}
    for finding in findings:
        if sick.part(finding) is not None and not finding.pointer.endswith("toolResult"):
            yield replaced(sick.site(finding.pointer), [{**typed, "text": UNSAID}])


def empty_arguments(sick: Sick, findings: Sequence[Finding]) -> Iterator[Patch]:
    """Put {} for arguments that are no JSON object."""
    yield from (replaced(sick.site(finding.pointer), "{}") for finding in findings)


def wrap_inputs(sick: Sick, findings: Sequence[Finding]) -> Iterator[Patch]:
    """Make an input an object: the one that its string holds, else one around it."""
    for finding in findings:
        yield replaced(sick.site(finding.pointer), _as_object(sick.value(finding.pointer)))


def _as_object(value: Any) -> dict[str, Any]:
    if isinstance(value, str):
        try:
            held = json.loads(value) if value.strip() else {}
        except ValueError:
            held = value
        value = held
    return value if isinstance(value, dict) else {} if value is None else {"value": value}


def empty_reasoning(sick: Sick, findings: Sequence[Finding]) -> Iterator[Patch]:
    """Give a call's message an empty reasoning, by consent."""
    yield from (replaced(sick.site(f"{finding.pointer}/reasoning_content"), "") for finding in findings)


def stand_in_signatures(sick: Sick, findings: Sequence[Finding]) -> Iterator[Patch]:
    """Give a call the documented stand-in of a signature, by consent."""
    for call in parts_of(sick, findings):
        if sick.native.shape.layout == Layout.PARTS:
            yield replaced(sick.site(f"{call.pointer}/thoughtSignature"), STAND_IN)
        elif "extra_content" not in body_of(call.value):
            signed = {"google": {"thought_signature": STAND_IN}}
            yield replaced(sick.site(f"{call.pointer}/extra_content"), signed)


def forget_item_ids(sick: Sick, findings: Sequence[Finding]) -> Iterator[Patch]:
    """Take the ids of items out, so that they are judged by their call ids alone."""
    yield from (removed(sick.site(f"{finding.pointer}/id")) for finding in findings)


def describe_images(sick: Sick, findings: Sequence[Finding]) -> Iterator[Patch]:
    """Put a note with its size in the place of a picture."""
    for finding in findings:
        size = size_of(sick.value(finding.pointer))
        words = f"[a picture of {size[0]:,} x {size[1]:,} pixels was here]" if size else "[a picture was here]"
        yield replaced(sick.site(finding.pointer), {"type": "text", "text": words})


def move_images(sick: Sick, findings: Sequence[Finding]) -> Iterator[Patch]:
    """Move pictures out of tool messages, unchanged, to a user message after the results."""
    batches: dict[int, list[Part]] = {}
    for part in parts_of(sick, findings):
        batches.setdefault(sick.group_end(part.turn), []).append(part)
    for number, parts in batches.items():
        last = sick.native.turns[number]
        message = {"role": "user", "content": [part.value for part in parts]}
        yield Patch(sick.site(last.pointer), Doing.AFTER, (message,))
        yield from _without_images(sick, parts)


def _without_images(sick: Sick, parts: Sequence[Part]) -> Iterator[Patch]:
    by_turn: dict[int, list[Part]] = {}
    for part in parts:
        by_turn.setdefault(part.turn, []).append(part)
    for number, images in by_turn.items():
        turn = sick.native.turns[number]
        if len(images) == len(body_of(turn.value).get("content") or ()):
            yield replaced(sick.site(f"{turn.pointer}/content"), "")
        else:
            yield from (removed(sick.site(image.pointer)) for image in images)


def bare_images(sick: Sick, findings: Sequence[Finding]) -> Iterator[Patch]:
    """Strip the data: prefix."""
    for finding in findings:
        value = sick.value(finding.pointer)
        if isinstance(value, str) and "," in value:
            yield replaced(sick.site(finding.pointer), value.partition(",")[2])


def fewer_markers(sick: Sick, findings: Sequence[Finding]) -> Iterator[Patch]:
    """Take the oldest cache markers of the messages out, as many as are too many."""
    markers = cache_markers(sick.native)
    too_many = len(markers) - CACHE_MARKERS
    oldest = [marker for marker in markers if marker.turn is not None][:too_many]
    for pointer, _ in oldest:
        block, _, key = pointer.rpartition("/")
        alone = key == "cachePoint" and len(body_of(sick.value(block))) == 1
        yield removed(sick.site(block if alone else pointer))


def cut_strings(sick: Sick, findings: Sequence[Finding]) -> Iterator[Patch]:
    """Cut the middle out of a string, saying how much; inside arguments, out of their longest values."""
    for finding in findings:
        part, value = sick.part(finding), sick.value(finding.pointer)
        if part is None or not isinstance(value, str):
            continue
        made = _cut_arguments(value) if part.kind == Kind.CALL else cut_middle(value, STRING_CHARS)
        if made is not None:
            yield replaced(sick.site(finding.pointer), made)


def cut_middle(text: str, most: int) -> str:
    """A text of at most `most` characters: its head and tail, and what is missing between."""
    note = f"\n[{len(text):,} characters were too many to be sent; the middle was cut out here]\n"
    keep = max(most - len(note), 0)
    return text[: keep - keep // 2] + note + text[len(text) - keep // 2 :]


def _cut_arguments(text: str) -> str | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    long = sorted(strings_in(value), key=lambda one: -len(one[1]))[:1]
    for pointer, string in long:
        over = len(text) - ARGUMENT_CHARS
        room = len(string) - 2 * over - 200
        if room > 0:
            _put(value, pointer, cut_middle(string, room))
            made = json.dumps(value, ensure_ascii=False)
            return made if len(made) <= ARGUMENT_CHARS else None
    return None


def _put(value: Any, pointer: str, new: str) -> None:
    *path, last = [token.replace("~1", "/").replace("~0", "~") for token in pointer.split("/")[1:]]
    for token in path:
        value = value[int(token) if isinstance(value, list) else token]
    value[int(last) if isinstance(value, list) else last] = new


def cut_names(sick: Sick, findings: Sequence[Finding]) -> Iterator[Patch]:
    """Cut a tool's name before the token of a template, on the call and on its result."""
    for call in parts_of(sick, findings):
        name = call.name.partition(TOKEN)[0]
        for part in (call, sick.pairing.answers.get(call.pointer)):
            found = name_of(part) if part is not None else None
            if name.strip() and found is not None and found.value == call.name:
                yield replaced(sick.site(found.pointer), name)
