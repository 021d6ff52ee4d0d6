"""Patches put into the bytes of a file: the touched spans change, and every other byte stays as it was.

Unknown keys and lines, the order of keys, the spelling of numbers, white space, line ends and what stands at the end of
the file are therefore kept without anybody knowing them. An element that is taken out takes one comma with it, a record
its line end.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from inspector.change import Copied, Doing, Patch, Site
from inspector.formats.format import CannotWrite
from inspector.formats.scan import NoSpan, Value, scan, space_end, tokens, wanted
from inspector.formats.spelling import SAMPLED, Style, spelled, style_around, style_of

BOM = b"\xef\xbb\xbf"
Starts = Mapping[int, Sequence[int]]
"""The bytes at which records start, by their 0-based line."""

_LINE_INDENT = re.compile(rb"[ \t]*")


class Cut(NamedTuple):
    """Bytes [start, end) and what stands for them."""

    start: int
    end: int
    text: bytes


@dataclass(slots=True)
class _Changes:
    """What happens in one list or object, by the number of the item."""

    holder: Value
    gone: set[int] = field(default_factory=set)
    new: dict[int, list[Any]] = field(default_factory=dict)
    """Values that come before the item; those of the number after the last come at the end."""
    members: list[tuple[str, Any]] = field(default_factory=list)


def splice(raw: bytes, patches: Iterable[Patch], starts: Starts | None = None) -> bytes:
    """The bytes of a file after some patches of it.

    `starts` are the records of a JSON Lines file; without them the file is one JSON value. Patches of one place apply
    in their order; none may reach into what another takes away.

    Raises `CannotWrite` where a site does not exist, or the text around it is no JSON.
    """
    given = list(patches)
    if not given:
        return raw
    ended = raw.endswith(b"\n") or all(patch.site.line is None for patch in given)
    text = raw if ended else raw + _line_end(raw)
    by_record: dict[tuple[int | None, int | None], list[Patch]] = {}
    for patch in given:
        by_record.setdefault((patch.site.line, patch.site.nth), []).append(patch)
    cuts: list[Cut] = []
    styles: dict[int, Style] = {}
    for (line, nth), of_record in by_record.items():
        cuts += _Record(text, line, _start(text, line, nth, of_record, starts), styles).cuts(of_record, starts)
    made = _carried_out(text, cuts)
    return made if ended else made.removesuffix(_line_end(raw))


def _line_end(raw: bytes) -> bytes:
    return b"\r\n" if b"\r\n" in raw[:SAMPLED] else b"\n"


def _start(raw: bytes, line: int | None, nth: int | None, patches: Sequence[Patch], starts: Starts | None) -> int:
    """Where the value that holds the sites starts."""
    if line is None:
        return space_end(raw, len(BOM) if raw.startswith(BOM) else 0)
    found = (starts or {}).get(line, ())
    if not found:
        raise CannotWrite(f"line {line + 1:,} holds no record")
    if len(found) == 1 or (nth is not None and nth < len(found)):
        return found[nth or 0]
    holding = [at for at in found if all(_holds(raw, at, patch.site.pointer) for patch in patches)]
    if len(holding) != 1:
        raise CannotWrite(f"line {line + 1:,} holds {len(found):,} records glued together; part them first")
    return holding[0]


def _holds(raw: bytes, at: int, pointer: str) -> bool:
    try:
        value = scan(raw, at, wanted([pointer]))
    except NoSpan:
        return False
    for token in tokens(pointer):
        if token not in value.inside:
            return False
        value = value.inside[token]
    return True


def _carried_out(raw: bytes, cuts: list[Cut]) -> bytes:
    cuts.sort(key=lambda cut: cut[:2])
    pieces: list[bytes] = []
    at = 0
    for start, end, text in cuts:
        if start < at:
            raise CannotWrite(f"two changes touch byte {start:,}")
        pieces += (raw[at:start], text)
        at = end
    return b"".join([*pieces, raw[at:]])


class _Record:
    """One value of a file, and what is changed in it."""

    def __init__(self, raw: bytes, line: int | None, start: int, styles: dict[int, Style]) -> None:
        self._raw, self._line, self._start = raw, line, start
        self._styles = styles
        """By stretch of the file, so that each is looked at once."""
        self._holders: dict[str, _Changes] = {}
        self._cuts: list[Cut] = []

    def cuts(self, patches: Sequence[Patch], starts: Starts | None) -> list[Cut]:
        """What the patches change. Raises `CannotWrite`."""
        copies = [value.site for patch in patches for value in patch.values if isinstance(value, Copied)]
        inside = [site.pointer for site in copies if site.line == self._line]
        try:
            self._root = scan(self._raw, self._start, wanted([*(patch.site.pointer for patch in patches), *inside]))
        except NoSpan as fault:
            raise CannotWrite(f"the file is damaged at byte {fault.at:,}, and is not written around that") from None
        for patch in patches:
            if patch.site.pointer:
                self._change(patch)
            elif patch.doing is Doing.REPLACE:
                self._replace(self._root, patch.values[0])
            elif self._line is None:
                raise CannotWrite("a file of one JSON value is not taken out, nor has it neighbours")
            else:
                self._change_line(patch, starts or {})
        for changes in self._holders.values():
            self._settle(changes)
        return self._cuts

    def _change(self, patch: Patch) -> None:
        above, _, _ = patch.site.pointer.rpartition("/")
        token = tokens(patch.site.pointer)[-1]
        holder = self._found(above, patch.site)
        changes = self._holders.setdefault(above, _Changes(holder))
        is_list = self._raw.startswith(b"[", holder.start)
        number = holder.at(token)
        if number is None and is_list and token in ("-", str(len(holder))) and patch.doing is Doing.BEFORE:
            number = len(holder)
        if number is None:
            if is_list or patch.doing is not Doing.REPLACE:
                raise CannotWrite(f"there is nothing at {patch.site.pointer}")
            changes.members.append((token, patch.values[0]))
        elif patch.doing is Doing.REPLACE:
            self._replace(holder.inside[token], patch.values[0])
        elif patch.doing is Doing.REMOVE:
            twice = (place for place, key in enumerate(holder.keys) if key == token)
            changes.gone.update(twice if holder.keys else (number,))
        else:
            place = number + (patch.doing is Doing.AFTER)
            changes.new.setdefault(place, []).extend(patch.values)

    def _found(self, pointer: str, site: Site) -> Value:
        value = self._root
        for token in tokens(pointer):
            if token not in value.inside:
                raise CannotWrite(f"there is nothing at {site.pointer}")
            value = value.inside[token]
        if not value.looked_into:
            raise CannotWrite(f"there is nothing at {site.pointer}")
        return value

    def _replace(self, old: Value, value: Any) -> None:
        raw = self._raw
        style = style_of(raw[old.start : min(old.end, old.start + SAMPLED)], self._around(old.start))
        self._cuts.append(Cut(old.start, old.end, self._text(value, style, _indent_at(raw, old.start))))

    def _text(self, value: Any, style: Style, base: bytes) -> bytes:
        if isinstance(value, Copied):
            found = self._root
            for token in tokens(value.site.pointer):
                found = found.inside[token]
            return self._raw[found.start : found.end]
        try:
            return spelled(value, style, base)
        except (ValueError, TypeError, RecursionError) as fault:
            raise CannotWrite(f"a new value cannot be written as JSON: {fault}") from None

    def _around(self, at: int) -> Style:
        stretch = at // SAMPLED
        if stretch not in self._styles:
            self._styles[stretch] = style_around(self._raw[stretch * SAMPLED : (stretch + 1) * SAMPLED])
        return self._styles[stretch]

    def _settle(self, changes: _Changes) -> None:
        """Work out, run by run, what stands between two items that stay."""
        count = len(changes.holder)
        if changes.members:
            changes.new[count] = [*changes.new.get(count, ()), *changes.members]
        touched = sorted({*changes.gone, *changes.new})
        place = 0
        while place < len(touched):
            first = last = touched[place]
            while place + 1 < len(touched) and touched[place + 1] <= last + (last in changes.gone):
                place += 1
                last = touched[place]
            self._settle_run(changes, first, last)
            place += 1

    def _settle_run(self, changes: _Changes, first: int, last: int) -> None:
        """Items from `first` on go, up to `last`, which stays where only something comes before it."""
        holder = changes.holder
        values = [value for number in range(first, last + 1) for value in changes.new.get(number, ())]
        gone = [number for number in range(first, last + 1) if number in changes.gone]
        before, after = first - 1, gone[-1] + 1 if gone else first
        texts, joint = self._spelled(changes, values, first) if values else ([], b"")
        if gone and texts:
            self._cuts.append(Cut(holder.starts[gone[0]], holder.ends[gone[-1]], joint.join(texts)))
        elif gone and before >= 0:
            self._cuts.append(Cut(holder.ends[before], holder.ends[gone[-1]], b""))
        elif gone and after < len(holder):
            self._cuts.append(Cut(holder.starts[gone[0]], holder.starts[after], b""))
        elif gone:
            self._cuts.append(Cut(holder.start + 1, holder.end - 1, b""))
        elif before >= 0:
            self._cuts.append(Cut(holder.ends[before], holder.ends[before], b"".join(joint + text for text in texts)))
        elif after < len(holder):
            self._cuts.append(Cut(holder.starts[after], holder.starts[after], b"".join(t + joint for t in texts)))
        else:
            self._fill(holder, texts, joint)

    def _fill(self, holder: Value, texts: list[bytes], joint: bytes) -> None:
        """Put items into an empty list or object."""
        lead, tail = b"", b""
        if b"\n" in joint:
            lead = joint[1:]
            tail = lead[: lead.index(b"\n") + 1] + _indent_at(self._raw, holder.start)
        self._cuts.append(Cut(holder.start + 1, holder.end - 1, lead + joint.join(texts) + tail))

    def _spelled(self, changes: _Changes, values: Sequence[Any], number: int) -> tuple[list[bytes], bytes]:
        """New items as their neighbours are written, and what parts them."""
        holder, raw = changes.holder, self._raw
        near, at, base = b"", holder.start, b""
        if len(holder):
            beside = min(number, len(holder) - 1)
            at = holder.values[beside]
            near = raw[at : min(holder.ends[beside], at + SAMPLED)]
        style = style_of(near, self._around(at))
        joint = _joint(raw, holder, style)
        if b"\n" in joint:
            base = joint.rpartition(b"\n")[2]
            if near[:1] not in (b"{", b"["):
                around = raw[max(0, at - SAMPLED // 2) : at + SAMPLED // 2]
                style = replace(style, indent=_step(around, base).decode())
        of_object = raw.startswith(b"{", holder.start)
        texts = []
        for value in values:
            if of_object:
                key, value = value
                texts.append(self._text(key, style, b"") + style.colon.encode() + self._text(value, style, base))
            else:
                texts.append(self._text(value, style, base))
        return texts, joint

    def _change_line(self, patch: Patch, starts: Starts) -> None:
        """Take a record out of its line, or put lines before or after it."""
        raw = self._raw
        begin, end = _line_of(raw, self._start, self._root.end)
        leads = not raw[begin : self._start].strip(b" \t\r\0")
        ends = not raw[self._root.end : end].strip(b" \t\r\n\0")
        if patch.doing is Doing.REMOVE:
            self._cuts.append(Cut(begin, end, b"") if leads and ends else Cut(self._start, self._root.end, b""))
            return
        style = style_of(raw[self._start : min(self._root.end, self._start + SAMPLED)], self._around(self._start))
        line_end = b"\r\n" if raw.endswith(b"\r\n", begin, end) else b"\n"
        lines = b"".join(self._line_text(value, style, starts) + line_end for value in patch.values)
        before = patch.doing is Doing.BEFORE
        if leads if before else ends:
            at = begin if before else end
        else:  # records are glued together there; they are parted
            at, lines = self._start if before else self._root.end, line_end + lines
        self._cuts.append(Cut(at, at, lines))

    def _line_text(self, value: Any, style: Style, starts: Starts) -> bytes:
        if not isinstance(value, Copied):
            return self._text(value, style, b"")
        found = starts.get(-1 if value.site.line is None else value.site.line, ())
        if len(found) != 1:
            raise CannotWrite(f"the record at line {(value.site.line or 0) + 1:,} cannot be moved by itself")
        return self._raw[found[0] : scan(self._raw, found[0], {}).end]


def _line_of(raw: bytes, start: int, end: int) -> tuple[int, int]:
    """The line, or lines, on which a record stands, with the line end."""
    begin = raw.rfind(b"\n", 0, start) + 1
    if begin == 0 and raw.startswith(BOM):
        begin = len(BOM)
    after = raw.find(b"\n", end)
    return begin, after + 1 if after >= 0 else len(raw)


def _joint(raw: bytes, holder: Value, style: Style) -> bytes:
    """What parts two items of a list or object."""
    if len(holder) > 1:
        return raw[holder.ends[0] : holder.starts[1]]
    if len(holder) == 1:
        lead = raw[holder.start + 1 : holder.starts[0]]
        return b"," + lead if b"\n" in lead else style.comma.encode()
    around = raw[max(0, holder.start - SAMPLED) : holder.start]
    own = _indent_at(raw, holder.start)
    if b"\n" not in around or not own:
        return style.comma.encode()
    return b",\n" + own + _step(around, own)


def _step(around: bytes, own: bytes) -> bytes:
    """One level of indentation: the least that a line in the neighbourhood has."""
    found = re.findall(rb"\n([ \t]+)(?=\S)", around)
    return min(found, key=len) if found else own


def _indent_at(raw: bytes, at: int) -> bytes:
    """The indentation of the line on which a byte stands; none where the line is long."""
    line = raw.rfind(b"\n", max(0, at - SAMPLED), at) + 1
    match = _LINE_INDENT.match(raw, line) if line or at < SAMPLED else None
    return match[0] if match else b""
