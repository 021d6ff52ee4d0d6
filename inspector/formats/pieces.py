"""Changed messages in formats that keep them in blocks: which string, block or argument of the file is written anew.

A text that several blocks hold is written into the first of them, and the others go. Signed and encrypted thoughts are
kept whole or dropped whole. A change that has no place in the blocks is refused with a sentence.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from inspector.change import Doing, Patch, Site, replaced
from inspector.formats.difference import differences, same
from inspector.formats.format import CannotWrite
from inspector.formats.native import ABSENT, Native
from inspector.formats.rewriting import Change, Row
from inspector.message import Body

ARGUMENTS = (
    "/functionCall/args", "/function_call/args", "/function/arguments", "/arguments", "/args", "/state/input", "/input",
    "/action", "/operation",
)  # fmt: skip
"""Where, in a recorded call, what it asks for may stand."""
_THOUGHTS = frozenset(("thinking", "redacted_thinking", "reasoning", "compaction", "compaction_summary"))
_REWRITTEN = frozenset(("content", "tool_calls", "thinking", "thinking_blocks"))


class Part(NamedTuple):
    """A part of a message's content, where it stands."""

    site: Site
    text: Site | None
    """Where its text stands; None where it is no text."""
    instead: Callable[[str], Any] | None = None
    """What a text becomes that takes the place of a part that is none."""


class Content(NamedTuple):
    """What a message says, where it stands."""

    parts: list[Part]
    whole: Site | None
    """What holds all of it, where that can be written as one string."""


def is_thought(native: Native, site: Site) -> bool:
    """Whether a recorded block is a thought."""
    value = native.value(site)
    return isinstance(value, dict) and (value.get("type") in _THOUGHTS or value.get("thought") is True)


def text_in(native: Native, site: Site) -> Site | None:
    """Where, at a site, a text stands; None where there is none."""
    value = native.value(site)
    if isinstance(value, str):
        return site
    return site.under("/text") if isinstance(value, dict) and isinstance(value.get("text"), str) else None


def parts_under(native: Native, site: Site) -> Content:
    """The content at a site: a string, or a list of parts."""
    value = native.value(site)
    if isinstance(value, list):
        sites = [site.under(f"/{place}") for place in range(len(value))]
        return Content([Part(one, text_in(native, one)) for one in sites], site)
    if value is ABSENT or value is None:
        return Content([], site)
    return Content([Part(site, site if isinstance(value, str) else None)], site)


def result_at(native: Native, site: Site) -> Content:
    """What a result says, where it stands: below the block that the result is, or at its place."""
    value = native.value(site)
    kind = value.get("type") if isinstance(value, dict) else None
    if isinstance(kind, str) and kind.endswith("tool_result"):
        return parts_under(native, site.under("/content"))
    if isinstance(kind, str) and kind.endswith("_output"):
        return parts_under(native, site.under("/output"))
    return parts_under(native, site)


def text_block(text: str, row: Row) -> Any:
    """A text as a new block."""
    return {"type": "text", "text": text}


@dataclass(frozen=True, slots=True)
class Pieces:
    """How a format's blocks are written."""

    said: Callable[[str, Row], Any] = text_block
    """A text as a new block of a message."""
    result: Callable[[Native, Site], Content] = result_at
    bare: str = "/content"
    """Below an origin: the content of a message that has no blocks."""
    thought: Callable[[Native, Site], bool] = is_thought

    def change(self, native: Native, row: Row, after: Body) -> Change:
        """A changed message as patches. Raises `CannotWrite`."""
        change = Change()
        before = row.body
        for key in {**before, **after}:
            if key not in _REWRITTEN and not same(before.get(key), after.get(key)):
                raise CannotWrite(f"row {row.number:,}: a file of this format has no place for a change of {key!r}")
        if not same(before.get("content"), after.get("content")):
            self._say(native, row, after.get("content"), change)
        if not same(before.get("tool_calls"), after.get("tool_calls")):
            self._call(native, row, after, change)
        if any(not same(before.get(key), after.get(key)) for key in ("thinking", "thinking_blocks")):
            self._forget(native, row, after, change)
        return change

    def _content(self, native: Native, row: Row) -> Content:
        if row.body.get("role") in ("tool", "function") and len(row.pieces) == 1:
            return self.result(native, row.pieces[0])
        if not row.pieces and not row.calls:
            own = isinstance(native.value(row.site), (str, list))
            return parts_under(native, row.site if own else row.site.under(self.bare))
        sites = [site for site in row.pieces if not self.thought(native, site)]
        return Content([Part(site, text_in(native, site)) for site in sites], None)

    def _say(self, native: Native, row: Row, content: Any, change: Change) -> None:
        parts, whole = self._content(native, row)
        old = _old_parts(native, row, parts)
        new = [content] if isinstance(content, str) else [] if content is None else list(content)
        if not parts and whole is not None and len(new) == 1 and isinstance(_text(new[0]), str):
            change.patches.append(replaced(whole, _text(new[0])))
            return
        for start, stop, texts in _gaps(old, new, row):
            self._fill(native, row, parts, (start, stop), texts, change)

    def _fill(
        self, native: Native, row: Row, parts: list[Part], gap: tuple[int, int], texts: list[str], change: Change
    ) -> None:
        """Write texts over some parts: first into those that hold one, the rest after them; what is left over goes."""
        start, stop = gap
        left = list(texts)
        used: set[int] = set()
        of_texts = [place for place in range(start, stop) if parts[place].text is not None]
        for place in (of_texts or list(range(start, stop))[: len(left)]) if left else ():
            if left:
                change.patches += self._write(native, row, parts[place], left.pop(0))
                used.add(place)
        change.removed += [parts[place].site for place in range(start, stop) if place not in used]
        if left:
            change.patches.append(self._add(row, parts, stop, left))

    def _write(self, native: Native, row: Row, part: Part, text: str) -> Iterator[Patch]:
        if part.text is not None:
            yield replaced(part.text, text)
        elif part.instead is not None:
            yield replaced(part.site, part.instead(text))
        elif _is_element(part.site):
            yield replaced(part.site, self.said(text, row))
        elif native.value(part.site) != text:
            yield replaced(part.site, text)

    def _add(self, row: Row, parts: list[Part], stop: int, texts: list[str]) -> Patch:
        beside = parts[max(0, stop - 1)].site if parts else None
        if beside is None or not _is_element(beside):
            raise CannotWrite(f"row {row.number:,}: its text has no block beside which more could stand")
        doing = Doing.AFTER if stop else Doing.BEFORE
        return Patch(beside, doing, tuple(self.said(text, row) for text in texts))

    def _call(self, native: Native, row: Row, after: Body, change: Change) -> None:
        old, new = row.body.get("tool_calls") or [], after.get("tool_calls") or []
        if len(row.calls) != len(old):
            raise CannotWrite(f"row {row.number:,}: its calls cannot be told apart in the file")
        if len(new) < len(old):
            kept = [_name(call) for call in new]
            for site, call in zip(row.calls, old, strict=True):
                if kept and _name(call) == kept[0]:
                    kept.pop(0)
                else:
                    change.removed.append(site)
            old = [call for site, call in zip(row.calls, old, strict=True) if site not in change.removed]
        sites = [site for site in row.calls if site not in change.removed]
        if len(new) != len(old):
            raise CannotWrite(f"row {row.number:,}: a file of this format has no place for a new call in it")
        for site, was, now in zip(sites, old, new, strict=True):
            change.patches += _rewritten(native, row, site, was, now)

    def _forget(self, native: Native, row: Row, after: Body, change: Change) -> None:
        if "thinking" in after or "thinking_blocks" in after:
            raise CannotWrite(f"row {row.number:,}: a thought is kept whole or dropped whole, never rewritten")
        change.removed += [site for site in row.pieces if self.thought(native, site)]


def _old_parts(native: Native, row: Row, parts: Sequence[Part]) -> list[Any]:
    """The recorded content, part by part."""
    content = row.body.get("content")
    if isinstance(content, list) and len(content) == len(parts):
        return content
    if isinstance(content, str) and len(parts) == 1:
        return [content]
    texts = [native.value(part.text) if part.text is not None else ABSENT for part in parts]
    if isinstance(content, list) or ABSENT in texts:
        raise CannotWrite(f"row {row.number:,}: its parts cannot be told apart in the file")
    return texts


def _text(part: Any) -> Any:
    """The text of a part that is nothing else; `ABSENT` where it is no text."""
    if isinstance(part, str):
        return part
    plain = isinstance(part, dict) and part.get("type") == "text" and isinstance(part.get("text"), str)
    return part["text"] if plain else ABSENT


def _gaps(old: Sequence[Any], new: Sequence[Any], row: Row) -> Iterator[tuple[int, int, list[str]]]:
    """Between parts that stay: which of the old ones (start, stop) give way to which texts."""
    at, texts = 0, list[str]()
    for part in new:
        found = next((place for place in range(at, len(old)) if _alike(old[place], part)), None)
        if found is not None:
            if found > at or texts:
                yield at, found, texts
            at, texts = found + 1, []
        elif _text(part) is ABSENT:
            raise CannotWrite(f"row {row.number:,}: a new part that is no text cannot be written")
        else:
            texts.append(_text(part))
    if at < len(old) or texts:
        yield at, len(old), texts


def _alike(one: Any, other: Any) -> bool:
    text = _text(one)
    return text == _text(other) if text is not ABSENT else same(one, other)


def _is_element(site: Site) -> bool:
    return site.pointer.rpartition("/")[2].isdecimal()


def _name(call: Body) -> tuple[Any, Any]:
    return call.get("id"), (call.get("function") or call.get("custom") or {}).get("name")


def _asked(call: Body) -> Any:
    function = call.get("function")
    return function.get("arguments") if isinstance(function, dict) else (call.get("custom") or {}).get("input")


def _rewritten(native: Native, row: Row, site: Site, was: Body, now: Body) -> Iterator[Patch]:
    """A call with other arguments."""
    if same(was, now):
        return
    if _name(was) != _name(now) or was.get("type") != now.get("type"):
        raise CannotWrite(f"row {row.number:,}: a file of this format has no place for another call")
    pointer = next((one for one in ARGUMENTS if native.value(site.under(one)) is not ABSENT), None)
    if pointer is None:
        raise CannotWrite(f"row {row.number:,}: the arguments of a call have no place of their own in the file")
    recorded, asked = native.value(site.under(pointer)), _asked(now)
    if isinstance(recorded, str):
        yield replaced(site.under(pointer), asked)
        return
    try:
        yield from differences(site.under(pointer), recorded, json.loads(asked))
    except (TypeError, ValueError):
        raise CannotWrite(f"row {row.number:,}: the new arguments of a call are no JSON, as the file wants") from None
