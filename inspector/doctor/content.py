"""Rules about the shape of the content: nothing empty where a provider wants something, arguments that are JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import orjson

from inspector.doctor.native import (
    Inner,
    Kind,
    Native,
    Part,
    Role,
    Turn,
    body_of,
    content_of,
    is_failed,
    text_of,
)
from inspector.doctor.pairing import Pairing
from inspector.doctor.report import about_part, about_turn, finding, named
from inspector.doctor.shapes import Layout
from inspector.doctor.targets import Provider, Target
from inspector.finding import Finding
from inspector.formats.lenient import DEPTH_LIMIT, decode

_NEEDS_CONTENT = (Provider.ANTHROPIC, Provider.GEMINI, Provider.BEDROCK)
_SPEAKING = (Role.USER, Role.ASSISTANT)
_INSTEAD = ("tool_calls", "function_call", "refusal", "audio")
"""What an OpenAI message may hold in the place of content (API reference, Chat)."""
_INVALID = "invalid_tool_calls"


def empty_texts(native: Native, pairing: Pairing, target: Target) -> Iterator[Finding]:
    """Text blocks without text, or with white space alone."""
    if target.provider != Provider.ANTHROPIC or native.shape.layout == Layout.ROWS:
        return
    for part in native.by_kind[Kind.TEXT]:
        block = isinstance(part.value, dict)
        text = text_of(part) if block or isinstance(part.value, str) else "-"
        if text.strip() or (block and not isinstance(part.value.get("text"), str)):
            continue
        turn = native.turn_of(part)
        if not text and block:
            yield about_part("empty-text-block", turn, part, "a text block is empty")
        elif text and not _says_more(turn, part):
            yield about_part("whitespace-only-text", turn, part, "a text holds nothing but white space")


def _says_more(turn: Turn, part: Part) -> bool:
    """Whether a plain string of white space stands beside calls: turned into blocks, it is left out."""
    return isinstance(part.value, str) and len(turn.parts) > 1


def empty_messages(native: Native, pairing: Pairing, target: Target) -> Iterator[Finding]:
    """Messages without any content, but Anthropic's last one of the assistant."""
    if target.provider not in _NEEDS_CONTENT or native.shape.layout in (Layout.ROWS, Layout.ITEMS):
        return
    last = len(native.turns) - 1
    for number, turn in enumerate(native.turns):
        if turn.role not in _SPEAKING or any(not _is_empty(part) for part in turn.parts):
            continue
        if number == last and turn.role == Role.ASSISTANT and target.provider == Provider.ANTHROPIC:
            continue
        yield about_turn("empty-message", turn, "the message has no content")


def _is_empty(part: Part) -> bool:
    return part.kind == Kind.TEXT and part.value == ""


def null_content(native: Native, pairing: Pairing, target: Target) -> Iterator[Finding]:
    """Content that is null where nothing else is said."""
    if target.provider != Provider.OPENAI or native.shape.layout != Layout.MESSAGES:
        return
    for turn in native.turns:
        value = turn.value
        if value.get("content", "") is None and not any(value.get(key) for key in _INSTEAD):
            says = f"the content of this {value.get('role')} message is null, and it says nothing else"
            yield about_turn("null-content", turn, says, inner=f"{turn.pointer}/content")


def empty_error_results(native: Native, pairing: Pairing, target: Target) -> Iterator[Finding]:
    """Results of errors that say nothing."""
    if target.provider != Provider.BEDROCK:
        return
    for result in native.results:
        said = content_of(result)
        if is_failed(result) and (said is None or said.value in ("", [], None)):
            inner = said.pointer if said else ""
            says = f"the result of {named(result)} is an error's and says nothing"
            yield about_part("empty-error-result", native.turn_of(result), result, says, inner=inner)


def arguments(native: Native, pairing: Pairing, target: Target) -> Iterator[Finding]:
    """Argument strings that are no JSON object, or are nested too deep."""
    for call, given in native.given:
        if not isinstance(given.value, str) or not given.value.strip():
            continue
        kept_apart = _INVALID in call.pointer
        if not native.shape.strict_arguments and not kept_apart:
            continue
        fault = arguments_fault(given.value)
        if fault:
            yield _about_arguments(native.turn_of(call), call, given, fault, kept_apart=kept_apart)


def _about_arguments(turn: Turn, call: Part, given: Inner, fault: str, *, kept_apart: bool) -> Finding:
    if fault == "too-deep":
        says = f"the arguments of {named(call)} are nested deeper than {DEPTH_LIMIT} levels"
        return finding("too-deep", turn, given.pointer, says, row=call.row)
    says = f"the arguments of {named(call)} are {fault}"
    if kept_apart:
        repair = "None: the client keeps this call apart, and cut arguments are never completed."
        return finding("invalid-tool-arguments", turn, given.pointer, says, row=call.row, severity="warning",
                       repair=repair)  # fmt: skip
    return finding("invalid-tool-arguments", turn, given.pointer, says, row=call.row)


def arguments_fault(text: str) -> str:
    """What is wrong with arguments that are text; empty where nothing is, "too-deep" for what no parser takes."""
    value: Any
    try:
        value = orjson.loads(text)
    except ValueError:
        try:
            value, end, odd = decode(text, len(text) - len(text.lstrip()))
        except json.JSONDecodeError as error:
            return f"no JSON ({error.msg[0].lower()}{error.msg[1:]})"
        if any(one.code == "too-deep" for one in odd):
            return "too-deep"
        if text[end:].strip():
            return "JSON with something behind it"
    if not isinstance(value, dict):
        return "JSON, but no object"
    return "too-deep" if text.count("{") + text.count("[") > DEPTH_LIMIT and depth_of(value) > DEPTH_LIMIT else ""


def depth_of(value: Any) -> int:
    """Levels of nesting; a bare value has none."""
    depth, level = 0, [value]
    while level:
        held = [item for item in level if isinstance(item, (dict, list))]
        depth += bool(held)
        level = [inner for item in held for inner in (item.values() if isinstance(item, dict) else item)]
    return depth


def inputs(native: Native, pairing: Pairing, target: Target) -> Iterator[Finding]:
    """Inputs of tool_use blocks that are no objects."""
    if native.shape.layout != Layout.BLOCKS or target.provider != Provider.ANTHROPIC:
        return
    for call in (*native.calls, *native.by_kind[Kind.SERVER_CALL]):
        block = body_of(call.value)
        if "input" in block and not isinstance(block["input"], dict):
            says = f"the input of {named(call)} is no object"
            inner = f"{call.pointer}/input"
            yield about_part("tool-input-not-object", native.turn_of(call), call, says, inner=inner)
