"""Repairs for one target, and of the transcript's graph: ids, the order of roles, links, a lost system prompt."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from typing import Any

from inspector.change import Doing, Patch, removed, replaced
from inspector.doctor.compared import leading_system
from inspector.doctor.ids import FORMS
from inspector.doctor.mend_calls import parts_of
from inspector.doctor.native import Native, Role, Turn, body_of, id_of
from inspector.doctor.shapes import Layout
from inspector.doctor.sick import Sick
from inspector.doctor.targets import Provider
from inspector.finding import Finding
from inspector.message import text_of

BRIDGE = "[continued]"
_ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_MISTRAL_CHARS = 9


def rewrite_ids(sick: Sick, findings: Sequence[Finding]) -> Iterator[Patch]:
    """Rewrite ids as the target takes them, the same id everywhere by the same new one."""
    wanted = {call.id for call in parts_of(sick, findings)}
    taken = {part.id for part in (*sick.native.calls, *sick.native.results) if part.id}
    names = {old: _new_id(old, sick.target.provider, taken) for old in sorted(one for one in wanted if one)}
    for part in (*sick.native.calls, *sick.native.results):
        found = id_of(part) if part.id in names else None
        if found is not None and part.id is not None:
            yield replaced(sick.site(found.pointer), names[part.id])


def _new_id(old: str, provider: Provider, taken: set[str]) -> str:
    """An id of the provider's form that nothing has yet: readable where that goes."""
    number = 0
    while True:
        made = _short(f"{old}:{number}") if provider == Provider.MISTRAL else _plain(old, number)
        if made not in taken and FORMS[provider].fullmatch(made):
            taken.add(made)
            return made
        number += 1


def _plain(old: str, number: int) -> str:
    made = re.sub(r"[^a-zA-Z0-9_-]", "_", old)
    return made if not number else f"{made}_{number}"


def _short(seed: str) -> str:
    value = int.from_bytes(hashlib.sha256(seed.encode("utf-8", "surrogatepass")).digest()[:8], "big")
    chars = []
    for _ in range(_MISTRAL_CHARS):
        value, place = divmod(value, len(_ALPHABET))
        chars.append(_ALPHABET[place])
    return "".join(chars)


def bridge_roles(sick: Sick, findings: Sequence[Finding]) -> Iterator[Patch]:
    """Put a short assistant message between a result and the user."""
    if sick.native.shape.layout != Layout.MESSAGES:
        return
    for finding in findings:
        yield Patch(sick.site(finding.pointer), Doing.BEFORE, ({"role": "assistant", "content": BRIDGE},))


def merge_roles(sick: Sick, findings: Sequence[Finding]) -> Iterator[Patch]:
    """Merge runs of messages of one role into their first."""
    if sick.native.shape.layout != Layout.MESSAGES:
        return
    second = {finding.pointer for finding in findings}
    turns = sick.native.turns
    run: list[Turn] = []
    for turn in (*turns, None):
        if turn is not None and turn.pointer in second and run:
            run.append(turn)
            continue
        if len(run) > 1:
            yield replaced(sick.site(f"{run[0].pointer}/content"), _merged(run))
            yield from (removed(sick.site(one.pointer)) for one in run[1:])
        run = [turn] if turn is not None else []


def _merged(run: Sequence[Turn]) -> Any:
    contents = [body_of(turn.value).get("content") for turn in run]
    if all(isinstance(one, str) or one is None for one in contents):
        return "\n\n".join(one for one in contents if one)
    parts: list[Any] = []
    for one in contents:
        parts += one if isinstance(one, list) else [{"type": "text", "text": one}] if one else []
    return parts


def relink(sick: Sick, findings: Sequence[Finding]) -> Iterator[Patch]:
    """Link records to the one before them."""
    links = sick.native.shape.links
    if not links or not sick.lined:
        return
    for finding in findings:
        line = finding.message_index
        before = [one for one in sick.records if line is not None and one < line and _speaks(sick, one)]
        parent = sick.records[max(before)].get(links[0]) if before else None
        yield replaced(sick.site(finding.pointer), parent if isinstance(parent, str) else None)


def _speaks(sick: Sick, line: int) -> bool:
    record = sick.records[line]
    if not isinstance(record.get(sick.native.shape.links[0]), str) or record.get("isSidechain") is True:
        return False
    return sick.examination.format == "pi" or record.get("type") in ("user", "assistant")


def put_prompt_back(sick: Sick, findings: Sequence[Finding]) -> Iterator[Patch]:
    """Put the original's system prompt back where the format keeps it."""
    prompts = leading_system(sick.original.messages) if sick.original is not None else []
    if not prompts:
        return
    text = "\n\n".join(map(text_of, prompts))
    native, at = sick.native, sick.native.holder_pointer
    first = next((turn for turn in native.turns if turn.role != Role.SYSTEM), None)
    if native.shape.layout == Layout.MESSAGES and first is not None:
        yield Patch(sick.site(first.pointer), Doing.BEFORE, tuple(prompts))
    elif native.holder and not sick.native.shape.links:
        yield from _in_holder(sick, native, at, text)


def _in_holder(sick: Sick, native: Native, at: str, text: str) -> Iterator[Patch]:
    if native.shape.layout == Layout.PARTS and "systemInstruction" not in native.holder:
        yield replaced(sick.site(f"{at}/systemInstruction"), {"parts": [{"text": text}]})
    elif native.shape.layout == Layout.ITEMS and "instructions" not in native.holder:
        yield replaced(sick.site(f"{at}/instructions"), text)
    elif native.shape.layout == Layout.BLOCKS and "system" not in native.holder:
        keyed = native.provider == Provider.BEDROCK
        yield replaced(sick.site(f"{at}/system"), [{"text": text}] if keyed else text)
