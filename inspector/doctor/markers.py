"""Rules about leaks: markers of a cut, tokens of a template and calls that ended up where they do harm in silence.

Honest texts speak of the same things; a marker counts only where something was cut: at the end of a value, behind an
ellipsis (TAXONOMY.md, cases 049 and 093).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import orjson

from inspector.doctor.native import Inner, Kind, Native, Role, body_of, name_of, text_of
from inspector.doctor.pairing import Pairing
from inspector.doctor.report import about_part, named
from inspector.doctor.targets import Target
from inspector.finding import Finding

TOKEN = "<|"
CUT_MARKER = re.compile(
    r"(?:\.\.\.|…)\s*[\[(<{][^\[\](){}<>\n]{0,80}"
    r"(?:truncat|omit|compact|clear|elid|clip|shorten|trim|remov|cut|char|byte|token|line|more)"
    r"[^\[\](){}<>\n]{0,80}[\])>}]\s*\Z",
    re.IGNORECASE,
)
"""An ellipsis and a bracketed word for a cut, at the very end."""
MARKUP = re.compile(r"</[\w:.-]+>\s*<(?:\w+:)?parameter name=")
_LONGEST_MARKER = 200

_RENDERED = re.compile(
    r"""\s*(?:
      \[(?:assistant\s|historical\s|previous\s|old\s)?(?:tool|function)[\s_-]?(?:call|use)s?(?:\]|:)[^\n]{0,20}?[\w.-]+\s*[({:]
    | <tool_call>\s*\{?\s*["'\w]
    | <function_calls>\s*<
    | <(?:\w+:)?invoke\s+name=
    | <function=[\w.-]+>
    | \[TOOL_CALLS\]\s*[\[\w]
    | <[|｜]tool[_▁]calls?[_▁]?(?:section[_▁])?(?:begin)?[|｜]>
    | <\|python_tag\|>
    )""",
    re.IGNORECASE | re.VERBOSE,
)
"""How clients and templates write a call down."""
_LINE_BEGINS = re.compile(
    r"\n[ \t]{0,40}(?=<tool_call>|<function_calls>|<(?:\w+:)?invoke\s|<function=|\[TOOL_CALLS\]|<[|｜]tool)"
)
_ENDS = re.compile(r"(?:</tool_call>|</function_calls>|</(?:\w+:)?invoke>|</function>|[|｜]>|[)}\]])\s*\Z")


def cut_arguments(native: Native, pairing: Pairing, target: Target) -> Iterator[Finding]:
    """Arguments that end in the marker of a cut."""
    for call, given in native.given:
        where = _place(given, CUT_MARKER, _ends_cut)
        if where is not None:
            says = f"an argument of {named(call)} ends in the marker of a cut"
            yield about_part("marker-in-tool-arguments", native.turn_of(call), call, says, inner=where)


def markup_arguments(native: Native, pairing: Pairing, target: Target) -> Iterator[Finding]:
    """Arguments that hold the markup of further arguments."""
    for call, given in native.given:
        where = _place(given, MARKUP, lambda text: bool(MARKUP.search(text)))
        if where is not None:
            says = f"an argument of {named(call)} holds the markup of another argument"
            yield about_part("markup-in-tool-arguments", native.turn_of(call), call, says, inner=where)


def _ends_cut(text: str) -> bool:
    match = CUT_MARKER.search(text[-_LONGEST_MARKER:])
    return match is not None and (len(text) > _LONGEST_MARKER or bool(text[: match.start()].strip()))


def _place(given: Inner, pattern: re.Pattern[str], holds: Any) -> str | None:
    """The pointer of the first value that shows a sign: the arguments string itself, or the value in an object."""
    value = given.value
    if not isinstance(value, str):
        return next((given.pointer + pointer for pointer, text in strings_in(value) if holds(text)), None)
    if pattern is CUT_MARKER and not _may_be_cut(value):
        return None
    if pattern is MARKUP and "parameter name=" not in value:
        return None
    try:
        parsed = orjson.loads(value)
    except ValueError:
        return None
    return given.pointer if any(holds(text) for _, text in strings_in(parsed)) else None


def _may_be_cut(text: str) -> bool:
    return "..." in text or "…" in text or "\\u2026" in text


def strings_in(value: Any) -> Iterator[tuple[str, str]]:
    """The strings inside a value with their pointers, in order; nothing recurses."""
    stack: list[tuple[str, Any]] = [("", value)]
    while stack:
        pointer, item = stack.pop()
        if isinstance(item, str):
            yield pointer, item
        elif isinstance(item, dict):
            stack += [(f"{pointer}/{_escaped(key)}", inner) for key, inner in reversed(item.items())]
        elif isinstance(item, list):
            stack += [(f"{pointer}/{at}", inner) for at, inner in reversed(list(enumerate(item)))]


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")


def names(native: Native, pairing: Pairing, target: Target) -> Iterator[Finding]:
    """Names of tools that hold a token of a template."""
    for call in native.calls:
        if TOKEN in call.name:
            found = name_of(call)
            says = f"the name {call.name[:100]} holds a token of a chat template"
            inner = found.pointer if found else ""
            repair = "" if call.name.partition(TOKEN)[0].strip() else "None: nothing would be left of the name."
            yield about_part("marker-in-tool-name", native.turn_of(call), call, says, inner=inner, repair=repair)


def calls_as_text(native: Native, pairing: Pairing, target: Target) -> Iterator[Finding]:
    """Texts of the assistant that are calls written down."""
    for part in native.by_kind[Kind.TEXT]:
        turn = native.turn_of(part)
        if turn.role != Role.ASSISTANT or not is_written_call(text_of(part)):
            continue
        whole = isinstance(part.value, str) and "content" in body_of(turn.value)
        says = "a call is written as text; no tool ran"
        yield about_part("tool-call-as-text", turn, part, says, inner=turn.pointer if whole else "")


def is_written_call(text: str) -> bool:
    """Whether a text begins with a call in writing, or ends with one on lines of its own."""
    if "[" not in text and "<" not in text:
        return False
    if _RENDERED.match(text):
        return True
    begun = _LINE_BEGINS.search(text)
    return begun is not None and _RENDERED.match(text, begun.end()) is not None and bool(_ENDS.search(text[-80:]))
