"""`inspector info`: what a recording holds, in figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from inspector.cli.options import as_json, example, measuring, reading
from inspector.cli.output import finding_json, finding_line, table, write, write_json
from inspector.cli.reading import read_all, read_session
from inspector.finding import Finding
from inspector.message import FUNCTION, ROLES, TOOL, Body, Branch, Compaction, calls_of, image_count, role_code
from inspector.text import clip, thousands

if TYPE_CHECKING:
    from inspector.tokens import Tally

SHOWN_DAMAGE = 20
NEWEST_CELLS = 60


@dataclass(frozen=True, slots=True)
class Figures:
    """What is counted of messages; of several conversations the sum."""

    by_role: Counter[str]
    calls: int = 0
    results: int = 0
    dangling: int = 0
    orphans: int = 0
    images: int = 0

    def __add__(self, other: Figures) -> Figures:
        return Figures(
            self.by_role + other.by_role,
            self.calls + other.calls,
            self.results + other.results,
            self.dangling + other.dangling,
            self.orphans + other.orphans,
            self.images + other.images,
        )


@dataclass(frozen=True, slots=True)
class Subject:
    """What `info` reports on: the active conversation, or everything in the file."""

    source: str
    format: str
    model: str | None
    conversations: int
    bodies: Sequence[Body]
    figures: Figures
    damage: tuple[Finding, ...]
    branches: Sequence[Branch] = ()
    """The branches that were left."""
    compactions: Sequence[Compaction] = ()
    """Those that the recording tool itself did."""


def figures(bodies: Iterable[Body]) -> Figures:
    """Count one conversation. A call is dangling where no result with its id stands anywhere in it, a result an orphan
    where no call has its id; those without ids are matched by their number.
    """
    roles: Counter[str] = Counter()
    call_ids: list[str | None] = []
    result_ids: list[str | None] = []
    images = 0
    for body in bodies:
        code = role_code(body)
        roles[ROLES[code]] += 1
        images += image_count(body)
        if code in (TOOL, FUNCTION):
            answers = body.get("tool_call_id")
            result_ids.append(answers if isinstance(answers, str) and answers else None)
        elif body.get("tool_calls"):
            call_ids += [call.id for call in calls_of(body)]
        elif body.get("function_call"):
            call_ids.append(None)
    return Figures(
        roles,
        len(call_ids),
        len(result_ids),
        _unmatched(call_ids, result_ids),
        _unmatched(result_ids, call_ids),
        images,
    )


def _unmatched(ids: Sequence[str | None], others: Sequence[str | None]) -> int:
    known = set(others)
    nameless = max(0, ids.count(None) - others.count(None))
    return sum(one is not None and one not in known for one in ids) + nameless


def _active(session: str, form: str | None, index: int, model: str | None) -> Subject:
    read = read_session(session, form, index, model)
    return Subject(
        source=read.file,
        format=read.format,
        model=read.model,
        conversations=read.conversations,
        bodies=read.messages,
        figures=figures(read.messages),
        damage=read.damage,
        branches=read.branches,
        compactions=read.compactions,
    )


def _everything(session: str, form: str | None, model: str | None) -> Subject:
    from inspector.formats import damage_of

    opened = read_all(session, form)
    each = [[*conversation.messages, *conversation.abandoned] for conversation in opened.conversations]
    return Subject(
        source=session,
        format=opened.format.name,
        model=model or opened.conversations[0].model,
        conversations=sum(not conversation.side for conversation in opened.conversations),
        bodies=[body for bodies in each for body in bodies],
        figures=sum(map(figures, each), Figures(Counter())),
        damage=damage_of(opened),
        branches=[branch for one in opened.conversations for branch in one.branches],
        compactions=[done for one in opened.conversations for done in one.compactions],
    )


def document(subject: Subject, tokens: Tally) -> dict[str, Any]:
    """The figures under the keys of DESIGN.md."""
    counts = subject.figures
    return {
        "format": subject.format,
        "source": subject.source,
        "messages": len(subject.bodies),
        "by_role": {role: counts.by_role[role] for role in ROLES if counts.by_role[role]},
        "tool_calls": counts.calls,
        "tool_results": counts.results,
        "dangling_tool_calls": counts.dangling,
        "orphan_tool_results": counts.orphans,
        "images": counts.images,
        "conversations": subject.conversations,
        "tokens": {"total": tokens.sums[-1], "encoding": tokens.counter.encoding, "exact": tokens.counter.exact},
        "damage": [finding_json(fault) for fault in subject.damage],
    }


def _shown(subject: Subject, tokens: Tally, window: int) -> str:
    counts, total = subject.figures, tokens.sums[-1]
    roles = "  ".join(f"{role} {counts.by_role[role]:,}" for role in ROLES if counts.by_role[role])
    rows = [
        ("source", subject.source, ""),
        ("format", subject.format, ""),
        ("model", subject.model or "not recorded", ""),
        ("messages", thousands(len(subject.bodies)), roles),
        ("tool calls", thousands(counts.calls), f"{counts.dangling:,} without a result"),
        ("tool results", thousands(counts.results), f"{counts.orphans:,} without a call"),
        ("images", thousands(counts.images), ""),
        ("conversations", thousands(subject.conversations), ""),
        ("branches left", thousands(len(subject.branches)), _branch_words(subject.branches)),
        ("compactions", thousands(len(subject.compactions)), _compaction_words(subject.compactions)),
        ("tokens", thousands(total), f"{tokens.counter.label}, {total / window:.0%} of {window:,}"),
        ("damage", thousands(len(subject.damage)) if subject.damage else "none", ""),
    ]
    texts = {"source", "format", "model"}
    wide = max(len(value) for name, value, _ in rows if name not in texts)
    lines = [(name, value if name in texts else f"{value:>{wide}}  {more}") for name, value, more in rows]
    return table(lines)


def _branch_words(branches: Sequence[Branch]) -> str:
    """What the newest branch is."""
    return clip(f"the newest from row {branches[0].row:,}: {branches[0].title}", NEWEST_CELLS) if branches else ""


def _compaction_words(compactions: Sequence[Compaction]) -> str:
    """How many of each kind, and what they saved where the tool says so."""
    kinds = Counter(done.kind or "of no kind" for done in compactions)
    known = [(done.before_tokens, done.after_tokens) for done in compactions]
    saved = sum(before - after for before, after in known if before and after)
    words = "  ".join(f"{clip(kind, 20)} {count:,}" for kind, count in kinds.items())
    return f"{words}, {saved:,} tokens saved as recorded" if saved else words


@click.command(epilog=example("inspector info session.jsonl --json", "inspector info export.json --all"))
@reading
@click.option("--all", "everything", is_flag=True, help="Count every conversation and branch, not only the active one.")
@measuring
@as_json
def command(
    session: str,
    form: str | None,
    index: int,
    everything: bool,
    model: str | None,
    window: int | None,
    as_json: bool,
) -> int:
    """Say what SESSION holds: messages, calls, tokens, damage.

    A call is dangling where no result with its id stands anywhere in its conversation. Exit status 1: the damage
    includes an error.
    """
    from inspector.tokens import counter_for, tally, window_for

    subject = _everything(session, form, model) if everything else _active(session, form, index, model)
    tokens = tally(subject.bodies, counter_for(subject.model))
    if as_json:
        write_json(document(subject, tokens))
    else:
        write(_shown(subject, tokens, window or window_for(subject.model)))
        _write_damage(subject.damage)
    return int(any(fault.severity == "error" for fault in subject.damage))


def _write_damage(damage: Sequence[Finding]) -> None:
    if damage:
        write("\n" + table([(finding_line(fault),) for fault in damage[:SHOWN_DAMAGE]]))
    if len(damage) > SHOWN_DAMAGE:
        write(f"and {len(damage) - SHOWN_DAMAGE:,} more; --json names all")
