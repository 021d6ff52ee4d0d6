"""Which rows the ledger shows: those of some roles, tools and actions, chosen by ticks or by typed words.

No textual here. The words are `role:tool`, `tool:NAME` and `action:cut`; several values of one kind widen the choice
(`role:tool,user`), several kinds narrow it.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from inspector.change import Action
from inspector.message import FUNCTION, ROLE_CODES, ROLES, TOOL, Context, calls_of
from inspector.pairs import pairs_of
from inspector.tui.shown import Shown

CUT = (Action.HEAD, Action.TAIL, Action.MIDDLE)
ACTIONS: Mapping[str, tuple[Action, ...]] = {
    "kept": (Action.KEEP,),
    "edited": tuple(action for action in Action if action),
    "dropped": (Action.DROP,),
    "placeholder": (Action.PLACEHOLDER,),
    "cut": CUT,
    "arguments": (Action.CLEAR_ARGUMENTS,),
    "image": (Action.DROP_IMAGE,),
    "reasoning": (Action.DROP_REASONING,),
    "summarised": (Action.MERGE,),
    "moved": (Action.MOVE,),
    "inserted": (),
    "broken": (),
}
"""What may follow `action:`. "inserted" are rows beside which something is inserted, "broken" those with a breakage."""


class FilterError(ValueError):
    """Words that are no filter; says in one sentence what would be."""


@dataclass(frozen=True, slots=True)
class Filter:
    """What a row must be. Empty sets ask for nothing."""

    roles: frozenset[str] = frozenset()
    tools: frozenset[str] = frozenset()
    actions: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.roles or self.tools or self.actions)

    @property
    def text(self) -> str:
        """The filter as one types it: `parse_filter(f.text) == f`."""
        kinds = (("role", self.roles), ("tool", self.tools), ("action", self.actions))
        return " ".join(f"{kind}:{','.join(map(_quoted, sorted(names)))}" for kind, names in kinds if names)


def _quoted(name: str) -> str:
    plain = re.fullmatch(r'[^\s,"\\]+', name)
    return name if plain else '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


WORD = re.compile(r'\s*(?:([a-z]+):)?((?:"(?:[^"\\]|\\.)*"|[^\s,"]+)(?:,(?:"(?:[^"\\]|\\.)*"|[^\s,"]+))*)', re.DOTALL)
VALUE = re.compile(r'"((?:[^"\\]|\\.)*)"|([^\s,"]+)', re.DOTALL)


def parse_filter(text: str) -> Filter:
    """The filter that typed words ask for. Raises `FilterError` with one sentence."""
    wanted: dict[str, set[str]] = {"role": set(), "tool": set(), "action": set()}
    at, text = 0, text.rstrip()
    while at < len(text):
        word = WORD.match(text, at)
        kind = word[1] if word else None
        if word is None or kind not in wanted:
            raise FilterError(f"write role:, tool: or action: and a name, not {text[at:].strip()[:40]!r}")
        wanted[kind] |= set(_values(word[2]))
        at = word.end()
    _check("role", wanted["role"], ROLES)
    _check("action", wanted["action"], tuple(ACTIONS))
    return Filter(*(frozenset(wanted[kind]) for kind in ("role", "tool", "action")))


def _values(text: str) -> Iterable[str]:
    for quoted, plain in VALUE.findall(text):
        yield plain or re.sub(r"\\(.)", r"\1", quoted, flags=re.DOTALL)


def _check(kind: str, given: Iterable[str], known: Sequence[str]) -> None:
    for name in sorted(given):
        if name not in known:
            near = get_close_matches(name, known, 1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"
            raise FilterError(f"there is no {kind} {name[:40]!r}; {hint}")


def rows_by_tool(context: Context) -> Mapping[str, array[int]]:
    """The rows that concern each tool: its calls and its results. Ask for it as `context.derived(rows_by_tool)`.

    A result that does not name its tool has the name of the call that it answers.
    """
    found: dict[str, array[int]] = {}
    names: dict[tuple[int, int], str] = {}
    for row, body in enumerate(context.messages):
        if body.get("tool_calls"):
            calls = calls_of(body)
            names |= {(row, place): call.name for place, call in enumerate(calls)}
            for name in {call.name for call in calls}:
                found.setdefault(name, array("q")).append(row)
    nameless = {}
    for row, code in enumerate(context.columns.role):
        if code in (TOOL, FUNCTION):
            body = context.messages[row]
            named = body.get("name") or body.get("tool_name")
            if isinstance(named, str):
                found.setdefault(named, array("q")).append(row)
            else:
                nameless[row] = ""
    if nameless:
        answered = {pair.result_row: (pair.call_row, pair.call) for pair in context.derived(pairs_of).pairs}
        for row in nameless:
            found.setdefault(names.get(answered.get(row, (-1, 0)), ""), array("q")).append(row)
    return {name: array("q", sorted(rows)) for name, rows in found.items() if name}


def filtered_rows(shown: Shown, chosen: Filter) -> Sequence[int]:
    """The rows that a filter lets through, ascending."""
    rows: Sequence[int] = range(len(shown.session))
    if chosen.tools:
        by_tool = shown.session.derived(rows_by_tool)
        rows = sorted({row for name in chosen.tools for row in by_tool.get(name, ())})
    if chosen.roles:
        role = shown.session.columns.role
        codes = {ROLE_CODES[name] for name in chosen.roles}
        rows = [row for row in rows if role[row] in codes]
    if chosen.actions:
        passes = _action_mask(shown, chosen.actions)
        rows = [row for row in rows if passes[row]]
    return array("q", rows)


def _action_mask(shown: Shown, names: Iterable[str]) -> bytearray:
    codes = {action for name in names for action in ACTIONS[name]}
    mask = bytearray(shown.view.plan.action.translate(bytes(code in codes for code in range(256))))
    mask += bytes(len(shown.session) - len(mask))
    for name, rows in (("inserted", shown.inserts_by_anchor), ("broken", shown.broken_rows)):
        if name in names:
            for row in rows:
                mask[row] = 1
    return mask


def role_counts(shown: Shown) -> dict[str, int]:
    """How many rows each role has, in the order of `ROLES`, those without any left out."""
    counts = Counter(shown.session.columns.role)
    return {name: counts[code] for code, name in enumerate(ROLES) if counts[code]}


def tool_counts(shown: Shown) -> dict[str, int]:
    """How many rows concern each tool, the most frequent first."""
    counts = {name: len(rows) for name, rows in shown.session.derived(rows_by_tool).items()}
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def action_counts(shown: Shown) -> dict[str, int]:
    """How many rows each word after `action:` lets through, those without any left out."""
    counts = {name: sum(_action_mask(shown, (name,))) for name in ACTIONS}
    return {name: count for name, count in counts.items() if count}
