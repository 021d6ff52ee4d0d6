"""Gemini CLI's masking of tool outputs: a preview and a path stand for old ones once enough can be masked.

An output is taken for the response that Gemini CLI keeps: `{"output": text}`, of a failed call `{"error": text}`. The
file that the mask names is only named: nothing is written, and the random end of its name is left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from inspector.change import Action, Plan
from inspector.message import IMAGE_PARTS, SYSTEM, TOOL, Body, Context, text_of
from inspector.policies.policy import Mode, Param, Policy, Settings
from inspector.policies.product import Product, as_json
from inspector.policies.transcript import Done
from inspector.policies.zoo.drafting import Draft, left_alone, with_text
from inspector.policies.zoo.exchanges import Exchanges, kinds_of
from inspector.policies.zoo.params import flag, is_names, marker, named
from inspector.policies.zoo.rewriting import Waiting
from inspector.policies.zoo.units import utf16_units
from inspector.text import string_json_chars

TAG = "tool_output_masked"
SHELL = "run_shell_command"
EXEMPT = "activate_skill, ask_user, enter_plan_mode, exit_plan_mode"
PREVIEW, LONG = 250, 500
"""UTF-16 units of a response: kept at either end where it has more than the second."""
LINES, LONG_LINES = 10, 20
"""Lines of a shell's output, likewise."""
CUT = "\n... [TRUNCATED] ...\n"
IMAGE_TOKENS = 3_000

_SECTION = re.compile(r"^(Output|Error|Exit Code|Signal|Background PIDs|Process Group PGID): ", re.MULTILINE)
_LONE = re.compile("[\ud800-\udfff]")
_UNSAFE = re.compile(r"[^a-zA-Z0-9_-]")

REASONS = (
    "no tool output, or of an exempt tool: sent as recorded",
    "an old output: a preview and a path stand for it",
    "among the newest outputs, which are protected",
    "of the latest message, which is protected",
    "masked before",
    "a mask would take no fewer tokens",
    "too little could be masked: everything is sent",
)
_, MASKED, PROTECTED, LATEST, BEFORE, NO_GAIN, TOO_LITTLE = range(len(REASONS))


# --- what Gemini CLI counts ---


def script_json(value: Any) -> str:
    """A value as JavaScript writes it as JSON: halves of surrogate pairs are escaped."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text if text.isascii() else _LONE.sub(lambda half: f"\\u{ord(half[0]):04x}", text)


def _response(body: Body) -> Body:
    return {"error" if body.get("is_error") else "output": text_of(body)}


def _others(body: Body) -> list[Any]:
    """The parts of an output beside its text."""
    content = body.get("content")
    parts = content if isinstance(content, list) else ()
    return [part for part in parts if isinstance(part, dict) and not isinstance(part.get("text"), str)]


def tokens(name: str, response: Body, others: list[Any]) -> int:
    """Gemini CLI's estimate of a response: name and JSON through 4, and a fixed size for an image."""
    images = sum(part.get("type") in IMAGE_PARTS for part in others)
    units = sum(utf16_units(_safe_json(part)) for part in others if part.get("type") not in IMAGE_PARTS)
    ((key, said),) = response.items()
    own = utf16_units(name) + len(key) + len('{"":}') + _json_units(said)
    return (own + units) // 4 + IMAGE_TOKENS * images


def _json_units(text: str) -> int:
    """The length of a text as JSON, in UTF-16 units: what is no ASCII is never escaped, except halves of pairs."""
    try:
        wide = 0 if text.isascii() else len(text.encode("utf-16-le")) // 2 - len(text)
    except UnicodeEncodeError:
        return utf16_units(script_json(text))
    return string_json_chars(text) + wide


def _safe_json(value: Any) -> str:
    try:
        return script_json(value)
    except (TypeError, ValueError, RecursionError):
        return ""


def output_tokens(context: Context, row: int) -> int:
    """The estimate of a tool output."""
    body = context.messages[row]
    return tokens(context.derived(Exchanges).name(row), _response(body), _others(body))


# --- what stands for an output ---


def mask(preview: str, path: str) -> str:
    """What is sent of a masked output."""
    return f"<{TAG}>\n{preview}\n\nOutput too large. Full output available at: {path}\n</{TAG}>"


def preview_of(response: Body, shell: bool) -> str:
    """What a mask shows of a response."""
    if shell:
        return _shell_preview(response.get("output", ""))
    ((key, said),) = response.items()
    if len(said) > LONG:  # then the ends of the JSON are those of the ends of the text
        head, tail = _indented(key, said[:PREVIEW]), _indented(key, said[-PREVIEW:])
        return f"{_first(head, PREVIEW)}{CUT}{_last(tail, PREVIEW)}"
    text = _indented(key, said)
    return text if utf16_units(text) <= LONG else f"{_first(text, PREVIEW)}{CUT}{_last(text, PREVIEW)}"


def _indented(key: str, said: str) -> str:
    """A response as JSON on lines of its own."""
    return f'{{\n  "{key}": {script_json(said)}\n}}'


def _first(text: str, units: int) -> str:
    """The beginning of a text in UTF-16 units; a pair that is parted there goes."""
    if text.isascii():
        return text[:units]
    return text.encode("utf-16-le", "surrogatepass")[: 2 * units].decode("utf-16-le", "ignore")


def _last(text: str, units: int) -> str:
    if text.isascii():
        return text[-units:]
    return text.encode("utf-16-le", "surrogatepass")[-2 * units :].decode("utf-16-le", "ignore")


def _shell_preview(text: str) -> str:
    """Each section of a shell's output; only that of the output itself is shortened."""
    before, *named_sections = _SECTION.split(text)
    if not named_sections:
        return few_lines(text)
    shown = [few_lines(before.strip())] if before.strip() else []
    for name, said in zip(named_sections[::2], named_sections[1::2], strict=True):
        section = said.strip()
        shown.append(f"{name}: {few_lines(section) if name == 'Output' else section}")
    return "\n".join(shown)


def few_lines(text: str) -> str:
    """A text of many lines as its first and last ones."""
    lines = text.split("\n")
    if len(lines) <= LONG_LINES:
        return text
    head, tail = "\n".join(lines[:LINES]), "\n".join(lines[-LINES:])
    return f"{head}\n\n... [{len(lines) - 2 * LINES} lines omitted] ...\n\n{tail}"


# --- the plan ---


def plan(context: Context, settings: Settings) -> Plan:
    """The plan of one `mask`."""
    draft = Draft(context, REASONS)
    latest = _latest(context, len(context)) if settings["protect_latest_turn"] else frozenset[int]()
    draft.spare(latest, LATEST)
    total, prunable = 0, dict[int, int]()
    for row in _outputs(draft, latest, settings):
        count = output_tokens(context, row)
        total += count
        if total > max(0, settings["tool_protection_threshold"]):
            prunable[row] = count
        else:
            draft.spare((row,), PROTECTED)
    if not prunable or sum(prunable.values()) < settings["min_prunable_tokens_threshold"]:
        return left_alone(context, REASONS, TOO_LITTLE)
    for row, count in prunable.items():
        _mask(draft, row, count, settings["tool_outputs_dir"] or "")
    return draft.plan(lambda row: _masked(context, row, settings["tool_outputs_dir"] or ""))


def _latest(context: Context, stop: int) -> frozenset[int]:
    """The rows of outputs of the last content before `stop`: results of one round are one, whatever system messages
    stand between them."""
    kinds, row = context.derived(kinds_of), stop - 1
    while row >= 0 and kinds[row] in (TOOL, SYSTEM):
        row -= 1
    return frozenset(place for place in range(row + 1, stop) if kinds[place] == TOOL)


def _outputs(draft: Draft, latest: frozenset[int], settings: Settings) -> Iterator[int]:
    """The rows of outputs that count, the newest first."""
    context, exempt = draft.context, named(settings["exempt_tools"]) or frozenset()
    for row in reversed(context.derived(Exchanges).results):
        if row in latest or context.derived(Exchanges).name(row) in exempt:
            continue
        if _is_masked(context.messages[row]):
            draft.spare((row,), BEFORE)
        else:
            yield row


def _is_masked(body: Body) -> bool:
    return f"<{TAG}" in text_of(body)


def _mask(draft: Draft, row: int, before: int, folder: str) -> None:
    context = draft.context
    text, others = _snippet(context, row, folder), _others(context.messages[row])
    after = tokens(context.derived(Exchanges).name(row), {"output": text}, others)
    if after < before:
        draft.change(row, Action.PLACEHOLDER, MASKED, len(text))
    else:
        draft.spare((row,), NO_GAIN)


def _snippet(context: Context, row: int, folder: str) -> str:
    exchanges = context.derived(Exchanges)
    name, call = exchanges.name(row), context.messages[row].get("tool_call_id")
    file = f"{_file_part(name or 'unknown_tool')}_{_file_part(call if isinstance(call, str) else '')}.txt"
    return mask(preview_of(_response(context.messages[row]), name == SHELL), f"{folder}/{file}")


def _file_part(text: str) -> str:
    return _UNSAFE.sub("_", text).lower()


def _masked(context: Context, row: int, folder: str) -> Body:
    body, text = context.messages[row], _snippet(context, row, folder)
    others = _others(body)
    new = with_text(body, text)
    if others:
        new["content"] = [{"type": "text", "text": text}, *others]
    return {key: value for key, value in new.items() if key != "is_error"}


class Steps(Waiting):
    """The views of a run: the outputs that are not masked are counted once each."""

    def __init__(self, context: Context, settings: Settings) -> None:
        super().__init__(context, settings, plan)
        self._exempt = named(settings["exempt_tools"]) or frozenset()
        self._counts: dict[int, int] = {}
        """Tokens of the outputs that could be masked, by row, the oldest first."""
        self._seen = 0
        self._prunable: list[int] = []
        """Rows that the plan is asked to mask."""
        self._no_gain: set[int] = set()
        """Rows that a mask would not make smaller."""

    def due(self, stop: int) -> bool:
        """Whether enough can be masked, and a mask makes any of it smaller."""
        context, settings = self.transcript.context, self._settings
        self._read(stop)
        latest = _latest(context, stop) if settings["protect_latest_turn"] else ()
        total, self._prunable = 0, []
        for row, count in reversed(self._counts.items()):
            if row not in latest:
                total += count
                if total > max(0, settings["tool_protection_threshold"]):
                    self._prunable.append(row)
        enough = sum(self._counts[row] for row in self._prunable) >= settings["min_prunable_tokens_threshold"]
        if not enough or self._no_gain.issuperset(self._prunable):
            self._prunable = []
        return bool(self._prunable)

    def _read(self, stop: int) -> None:
        context = self.transcript.context
        kinds, exchanges = context.derived(kinds_of), context.derived(Exchanges)
        for row in range(self._seen, stop):
            if kinds[row] == TOOL and exchanges.name(row) not in self._exempt and not _is_masked(context.messages[row]):
                self._counts[row] = output_tokens(context, row)
        self._seen = stop

    def step(self, stop: int) -> Done:
        """The view of the request that the row `stop` answers."""
        done = super().step(stop)
        bodies, recorded = self.transcript.bodies, self.transcript.context.messages
        self._no_gain.update(row for row in self._prunable if bodies[row] is recorded[row])
        if done.fired:
            self._counts = {row: count for row, count in self._counts.items() if bodies[row] is recorded[row]}
        return done


def stepper(context: Context, settings: Settings, mode: Mode) -> Steps | None:
    """The fast way through a carried run."""
    return Steps(context, settings) if mode == "carried" and context.derived(Exchanges).has_own_names else None


def _reach(context: Context) -> int:
    return max(1_000, sum(context.columns.chars) // 3)


def _settings(settings: Settings) -> Body:
    masking = {
        "protectionThresholdTokens": settings["tool_protection_threshold"],
        "minPrunableThresholdTokens": settings["min_prunable_tokens_threshold"],
        "protectLatestTurn": settings["protect_latest_turn"],
    }
    return {"contextManagement": {"tools": {"outputMasking": masking}}}


POLICY = Policy(
    name="gemini-mask",
    mode="carried",
    params=(
        Param(
            "tool_protection_threshold", "tokens", 50_000,
            "So much of the newest outputs is kept; the output that exceeds it is not.", high=_reach, step=500,
            threshold=True,
        ),
        Param(
            "min_prunable_tokens_threshold", "tokens", 30_000, "Nothing is masked unless at least this much could be.",
            high=_reach, step=500, threshold=True,
        ),
        flag("protect_latest_turn", True, "Whether outputs of the last message stay whatever their size."),
        Param(
            "exempt_tools", "", EXEMPT, "Tools whose outputs stay and do not count, separated by commas.", kind="line",
            accepts=is_names,
        ),
        marker("tool_outputs_dir", "~/.gemini/tmp/tool-outputs", "The folder of the files that masks name."),
    ),
    plan=plan,
    help=(
        "Masks old tool outputs by a preview once enough of them lies beyond the newest. The latest turn that it "
        "protects is the last message alone, not all since the user spoke. No file is written here."
    ),
    protects="call arguments, images, what user and model say, and the newest outputs",
    source="toolOutputMaskingService.ts, google-gemini/gemini-cli 5411f113",
    stepper=stepper,
    product=Product(
        "gemini", "Gemini CLI", "jsonc", as_json(_settings),
        "For ~/.gemini/settings.json, or .gemini/settings.json of a project.",
        {
            "exempt_tools": "it is fixed in its source",
            "tool_outputs_dir": "it is a folder of the session's own",
        },
    ),
)  # fmt: skip

POLICIES = (POLICY,)
