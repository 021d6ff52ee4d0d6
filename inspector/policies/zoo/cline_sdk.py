"""Cline's fold without a model (its SDK's "basic"): prompts and answers stay, the work between them becomes a notice.

Its token is three characters of a message's JSON. What survived one fold is left alone by the next: that is known here
by the notices, so what stands after the newest prompt with one is looked at again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from inspector.change import Action, Plan
from inspector.message import ASSISTANT, SYSTEM, USER, Body, Context, image_count, text_of
from inspector.policies.policy import Param, Policy, Settings
from inspector.policies.product import Product, as_json
from inspector.policies.zoo.cline_budget import Kept, first_waiting, fitted, is_attachment, message_tokens
from inspector.policies.zoo.cline_notice import OPENING, Tools, notice
from inspector.policies.zoo.drafting import Draft, left_alone
from inspector.policies.zoo.exchanges import Exchanges, kinds_of
from inspector.policies.zoo.params import flag, is_names, named, optional

TRIGGER, TARGET = 9, 7
"""Tenths: of the input that the model takes, and of that trigger."""
PAIRS = 5
"""With so many exchanges the target is half of the input, where the model may answer with less than that."""
QUOTED = 3
"""How many of the newest answers a notice quotes, where they are dropped."""
REASONING = ("thinking", "thinking_blocks", "reasoning_content")

REASONS = (
    "sent as recorded",
    "what the user said: always sent",
    "left by an earlier compaction: not touched again",
    "among the newest of the latest turn: within the target",
    "the answer that closes an older turn: within the target",
    "older work, or over the target: a notice tells of it",
    "what the user said, with a notice of the work that is dropped after it",
    "sent without its reasoning",
    "sent without images, which only the latest prompt keeps",
    "cut, since what must stay is over the trigger",
    "dropped, since what must stay is over the trigger",
    "below the trigger: everything is sent",
    "there is no prompt, or nothing beside it",
)
(
    _, PROMPT, FROZEN, TAIL, ANSWER, FOLDED, NOTICED, NO_REASONING, NO_IMAGES, CUT, OVER, BELOW, NOTHING,
) = range(len(REASONS))  # fmt: skip


def tokens_of(context: Context) -> list[int]:
    """Cline's estimate of each message."""
    return [message_tokens(size) for size in context.columns.json_chars]


class Budget(NamedTuple):
    """Sizes in tokens."""

    trigger: int
    target: int


def budget_of(context: Context, settings: Settings) -> Budget:
    """From which size on a fold is made, and to which."""
    most: int = max(0, settings["max_input_tokens"])
    trigger: int = max(0, settings["trigger_tokens"] or 0) or most * TRIGGER // 10
    kinds = context.derived(kinds_of)
    if settings["manual"]:
        target = sum(cost for cost, kind in zip(context.derived(tokens_of), kinds, strict=True) if kind != SYSTEM) // 2
    elif min(kinds.count(USER), kinds.count(ASSISTANT)) >= PAIRS and settings["max_output_tokens"] < most:
        target = most // 2
    else:
        target = trigger * TARGET // 10
    return Budget(trigger, max(1, min(target, trigger - 1)))


@dataclass(slots=True)
class _Fold:
    """The rows that stay, while they are chosen."""

    context: Context
    target: int
    kinds: bytes
    costs: list[int]
    prompts: list[int]
    why: dict[int, int] = field(default_factory=dict)
    """The reason of each row that stays."""
    bodies: dict[int, Body] = field(default_factory=dict)
    """What is sent of it."""
    total: int = 0

    def keep(self, row: int, reason: int, body: Body | None = None) -> None:
        """Let a row stay, in the form given."""
        message = self.context.messages[row]
        self.why[row], self.bodies[row] = reason, message if body is None else body
        self.total += self.cost(row, self.bodies[row])

    def cost(self, row: int, body: Body) -> int:
        """Tokens of a row in a form."""
        return self.costs[row] if body is self.context.messages[row] else Kept.cost(body)

    def choose(self) -> None:
        """Prompts and what is frozen in any case; then the newest of the latest turn, then older answers."""
        latest = self.prompts[-1]
        for row in self.prompts:
            body = self.context.messages[row]
            self.keep(row, PROMPT, body if row == latest else without_attachments(body))
        for row in self._frozen():
            self.keep(row, FROZEN)
        for row in self._tail(latest):
            self.keep(row, TAIL)
        for before, after in list(zip(self.prompts, self.prompts[1:], strict=False))[::-1]:
            self._answer(before, after)

    def _frozen(self) -> list[int]:
        """What an earlier fold has left: all before the newest prompt with a notice."""
        folded = [row for row in self.prompts if OPENING in text_of(self.context.messages[row])]
        return [row for row in range(folded[-1] if folded else 0) if self.kinds[row] not in (USER, SYSTEM)]

    def _tail(self, latest: int) -> list[int]:
        """The newest rows after the latest prompt that fit the target, from an assistant's on."""
        start, spent = len(self.kinds), self.total
        for row in range(len(self.kinds) - 1, latest, -1):
            cost = 0 if self.kinds[row] == SYSTEM else self.costs[row]
            if spent + cost > self.target:
                break
            start, spent = row, spent + cost
        start = self.kinds.find(ASSISTANT, start)
        return [row for row in range(start, len(self.kinds)) if self.kinds[row] != SYSTEM] if start >= 0 else []

    def _answer(self, before: int, after: int) -> None:
        """The last answer of a turn that calls nothing, if it fits."""
        calls = self.context.derived(Exchanges).calls
        for row in range(after - 1, before, -1):
            if row in self.why:
                return
            if self.kinds[row] == ASSISTANT and row not in calls:
                body = without_reasoning(self.context.messages[row])
                if text_of(body).strip() and self.total + self.cost(row, body) <= self.target:
                    self.keep(row, ANSWER, body)
                return


def without_reasoning(body: Body) -> Body:
    """A message without its reasoning; itself where it has none."""
    content = body.get("content")
    parts = [part for part in content if not _is_reasoning(part)] if isinstance(content, list) else content
    if parts == content and not any(key in body for key in REASONING):
        return body
    return {key: parts if key == "content" else value for key, value in body.items() if key not in REASONING}


def _is_reasoning(part: object) -> bool:
    return isinstance(part, dict) and part.get("type") in ("thinking", "redacted_thinking", "reasoning")


def without_attachments(body: Body) -> Body:
    """A message without images and files; itself where it has none."""
    content = body.get("content")
    parts = [part for part in content if not is_attachment(part)] if isinstance(content, list) else content
    if parts == content and not body.get("images"):
        return body
    return {key: parts if key == "content" else value for key, value in body.items() if key != "images"}


def plan(context: Context, settings: Settings) -> Plan:
    """The plan of one `runBasicCompaction`."""
    kinds, costs, budget = context.derived(kinds_of), context.derived(tokens_of), budget_of(context, settings)
    if not settings["manual"] and sum(costs) < budget.trigger:
        return left_alone(context, REASONS, BELOW)
    prompts = [row for row, kind in enumerate(kinds) if kind == USER]
    if not prompts or len(kinds) - kinds.count(SYSTEM) < 2:
        return left_alone(context, REASONS, NOTHING)
    fold = _Fold(context, budget.target, kinds, costs, prompts)
    fold.choose()
    kept = fitted(context, _lightened(fold), prompts, min(max(budget.target, fold.total), max(1, budget.trigger)))
    told = _told(context, fold, kept, settings)
    return _written(context, fold, kept, told)


def _lightened(fold: _Fold) -> dict[int, Body]:
    """What stays, without reasoning, and without images before the first call that still waits for its result."""
    waiting, bodies = first_waiting(fold.context, fold.bodies), dict[int, Body]()
    for row in sorted(fold.bodies):
        body = without_reasoning(fold.bodies[row])
        if row != fold.prompts[-1] and row < waiting and image_count(body):
            body = without_attachments(body)
        if body is fold.context.messages[row] or text_of(body) or _says(body):
            bodies[row] = body
    return bodies


def _says(body: Body) -> bool:
    content = body.get("content")
    return bool(body.get("tool_calls") or body.get("function_call") or body.get("role") in ("tool", "function")) or (
        isinstance(content, list) and len(content) > 0
    )


def _told(context: Context, fold: _Fold, kept: Kept, settings: Settings) -> dict[int, str]:
    """The notice of each prompt after which work is dropped."""
    tools = Tools(*(named(settings[f"{what}_tools"]) or frozenset() for what in ("read", "edit", "command")))
    quoted = _quoted(context, fold.kinds)
    stays, told = sorted(kept.bodies), dict[int, str]()
    for place, row in enumerate(stays):
        if fold.kinds[row] == USER:
            stop = stays[place + 1] if place + 1 < len(stays) else len(context)
            told[row] = notice(context, range(row + 1, stop), tools, quoted)
    return {row: text for row, text in told.items() if text}


def _quoted(context: Context, kinds: bytes) -> Mapping[int, str]:
    """The newest texts of the assistant, by row."""
    found: dict[int, str] = {}
    row = kinds.rfind(ASSISTANT)
    while row >= 0 and len(found) < QUOTED:
        text = text_of(context.messages[row]).strip()
        found.update({row: text} if text else {})
        row = kinds.rfind(ASSISTANT, 0, row)
    return found


def _written(context: Context, fold: _Fold, kept: Kept, told: Mapping[int, str]) -> Plan:
    draft, bodies = Draft(context, REASONS), {**kept.bodies}
    for row, text in told.items():
        bodies[row] = {**bodies[row], "content": [*_parts(bodies[row].get("content")), {"type": "text", "text": text}]}
    for row, kind in enumerate(fold.kinds):
        body = bodies.get(row)
        if body is None:
            draft.drop([row] if kind != SYSTEM else [], OVER if row in kept.dropped else FOLDED)
        elif body is context.messages[row]:
            draft.spare((row,), fold.why[row])
        else:
            action, reason = _change(context.messages[row], body, row in told, row in kept.cut)
            draft.change(row, action, reason, len(text_of(body)))
    return draft.plan(lambda row: dict(bodies[row]))


def _parts(content: object) -> Iterable[object]:
    if isinstance(content, list):
        return content
    return [{"type": "text", "text": content}] if isinstance(content, str) and content else []


def _change(before: Body, after: Body, noticed: bool, cut: bool) -> tuple[Action, int]:
    if noticed:
        return Action.REWRITE, NOTICED
    if cut:
        return Action.HEAD, CUT
    if image_count(before) > image_count(after):
        return Action.DROP_IMAGE, NO_IMAGES
    return Action.DROP_REASONING, NO_REASONING


def _tools(name: str, default: str, help: str) -> Param:
    return Param(name, "", default, help, kind="line", accepts=is_names)


BASIC = Policy(
    name="cline-basic",
    mode="carried",
    params=(
        optional(
            "trigger_tokens", "tokens", 0, "From this size on a fold is made; 0: nine tenths of what the model takes.",
            high=300_000, step=1_000, threshold=True,
        ),
        Param(
            "max_input_tokens", "tokens", 128_000, "What the model takes; a fold aims at half of it, or at 63 %.",
            high=1_000_000, step=1_000,
        ),
        Param(
            "max_output_tokens", "tokens", 8_192, "What the model may answer; as much as it takes: the target is 63 %.",
            high=128_000, step=1_024,
        ),
        flag("manual", False, "Whether a person asks for it: at any size, and down to half of what there is."),
        _tools("read_tools", "read_files", "Tools whose files a notice names as read, separated by commas."),
        _tools("edit_tools", "editor, apply_patch", "Tools whose files a notice names as edited."),
        _tools("command_tools", "run_commands", "Tools whose commands a notice tells."),
    ),
    plan=plan,
    help=(
        "Keeps what the user said, the answers of older turns and the newest messages of the latest, and tells the "
        "dropped work in a notice after each prompt. A kept message may lose its reasoning; a notice may be longer "
        "than what it replaces."
    ),
    protects="the system messages, what the user said, calls with their results, and calls that wait for one",
    source="runBasicCompaction, cline/cline 21cb8d2525",
    product=Product(
        "cline", "Cline's SDK", "json", as_json(lambda _: {"compaction": {"enabled": True, "strategy": "basic"}}),
        "Part of the configuration of a session.",
        {
            "trigger_tokens": "it is nine tenths of what the model takes",
            "max_input_tokens": "it takes it from the model",
            "max_output_tokens": "it takes it from the model",
            "manual": "a person asks for it in the session",
            "read_tools": "it knows its own tools",
            "edit_tools": "it knows its own tools",
            "command_tools": "it knows its own tools",
        },
    ),
)  # fmt: skip
