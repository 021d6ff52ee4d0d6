"""SWE-agent's window over observations: of the old ones only the number of lines is told.

An observation is all that the environment says: results of tools, or what stands in the user's place where actions are
text. The first one is the task. A demonstration is none. With `polling` the window moves in steps, so that the requests
between two of them begin alike and can be cached.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Collection, Iterator
from typing import Any

from inspector.change import Action, Plan
from inspector.message import ASSISTANT, SYSTEM, TOOL, USER, Body, Context, image_count
from inspector.policies.policy import Mode, Param, Policy, Settings
from inspector.policies.product import Product
from inspector.policies.zoo.drafting import Draft, with_text_alone
from inspector.policies.zoo.exchanges import kinds_of
from inspector.policies.zoo.params import is_names, listed, named
from inspector.policies.zoo.rewriting import Growing, Rewritten

REASONS = (
    "no observation, or within the window: sent as recorded",
    "an old observation: its number of lines stands for it",
    "tagged to be removed: its number of lines stands for it",
    "tagged to be kept",
    "the first observation, which is the task",
)
_, OLD, TAGGED, SPARED, TASK = range(len(REASONS))


def elided(body: Body) -> str:
    """What is sent of an old observation."""
    text = f"Old environment output: ({_lines(body.get('content'))} lines omitted)"
    images = image_count(body)
    return f"{text} ({images} images omitted)" if images else text


def _lines(content: Any) -> int:
    """Lines of a content, as Python splits them; of parts, those of each text."""
    if isinstance(content, str):
        return len(content.splitlines())
    parts = content if isinstance(content, list) else ()
    texts = (part.get("text") if isinstance(part, dict) else part for part in parts)
    return sum(len(text.splitlines()) for text in texts if isinstance(text, str))


def plan(context: Context, settings: Settings) -> Plan:
    """The plan of one `last_n_observations`."""
    draft, found = Draft(context, REASONS), observations(context)
    last = _last_old(len(found), settings)
    remove = named(settings["always_remove_output_for_tags"]) or frozenset()
    keep = named(settings["always_keep_output_for_tags"]) or frozenset()
    draft.spare(found[:1], TASK)
    for place, row in enumerate(found):
        body, old = context.messages[row], 0 < place < last
        if _tagged(body, remove):
            _elide(draft, row, TAGGED)
        elif old and _tagged(body, keep):
            draft.spare((row,), SPARED)
        elif old:
            _elide(draft, row, OLD)
    return draft.plan(lambda row: _elided(context.messages[row]))


def _last_old(count: int, settings: Settings) -> int:
    """The place among so many observations before which they are old."""
    polling: int = max(1, settings["polling"])
    keep: int = max(1, settings["n"])
    return max(0, count // polling * polling - keep)


def _elide(draft: Draft, row: int, reason: int) -> None:
    body = draft.context.messages[row]
    text = elided(body)
    if body.get("content") != text:
        draft.change(row, Action.PLACEHOLDER, reason, len(text))


def _elided(body: Body) -> Body:
    return with_text_alone(body, elided(body))


def observations(context: Context) -> list[int]:
    """The rows of observations: as they are recorded, else the first that the user says and every result; without
    results all that stands in the user's place."""
    kinds = context.derived(kinds_of)
    rows = [row for row, body in enumerate(context.messages) if not body.get("is_demo")]
    if any("message_type" in context.messages[row] for row in rows):
        told = (row for row in rows if kinds[row] not in (ASSISTANT, SYSTEM))
        return [row for row in told if context.messages[row].get("message_type") == "observation"]
    users = [row for row in rows if kinds[row] == USER]
    results = [row for row in rows if kinds[row] == TOOL]
    return sorted([*users[:1], *results]) if results else users


def _tagged(body: Body, tags: Collection[str]) -> bool:
    own = body.get("tags")
    return isinstance(own, list) and any(isinstance(tag, str) and tag in tags for tag in own)


class Steps(Growing):
    """The views of a run: the window only moves on."""

    def __init__(self, context: Context, settings: Settings) -> None:
        super().__init__(context)
        self._settings, self._found = settings, observations(context)
        self._remove = named(settings["always_remove_output_for_tags"]) or frozenset()
        self._keep = named(settings["always_keep_output_for_tags"]) or frozenset()
        self._seen, self._old = 0, 1

    def advance(self, stop: int) -> Iterator[Rewritten]:
        """The observations that the window has left, and the new ones with a tag to be removed."""
        messages, seen = self.transcript.context.messages, bisect_left(self._found, stop)
        for row in self._found[self._seen : seen]:
            if _tagged(messages[row], self._remove):
                yield from _rewritten(row, messages[row], TAGGED)
        old = max(self._old, _last_old(seen, self._settings))
        for row in self._found[self._old : old]:
            if not _tagged(messages[row], self._remove | self._keep):
                yield from _rewritten(row, messages[row], OLD)
        self._seen, self._old = seen, old


def _rewritten(row: int, body: Body, reason: int) -> Iterator[Rewritten]:
    new = _elided(body)
    if new["content"] != body.get("content"):
        yield Rewritten(row, new, Action.PLACEHOLDER, REASONS[reason])


def stepper(context: Context, settings: Settings, mode: Mode) -> Steps | None:
    """The fast way through a stateless run in which what an observation is does not change."""
    return Steps(context, settings) if mode == "stateless" and _is_settled(context) else None


def _is_settled(context: Context) -> bool:
    """Whether the observations of any beginning are those of the whole."""
    kinds = context.derived(kinds_of)
    rows = [row for row, body in enumerate(context.messages) if not body.get("is_demo")]
    if any("message_type" in context.messages[row] for row in rows):
        return "message_type" in context.messages[rows[0]]
    first = next((place for place, row in enumerate(rows) if kinds[row] == TOOL), 0)
    return sum(kinds[row] == USER for row in rows[:first]) <= 1


def _yaml(settings: Settings) -> str:
    lines = [
        "agent:",
        "  history_processors:",
        "    - type: last_n_observations",
        *(f"      {name}: {settings[name]}" for name in ("n", "polling")),
        *(f"      {name}: {json.dumps(listed(settings[name]))}" for name in TAGS),
    ]
    return "".join(f"{line}\n" for line in lines)


TAGS = ("always_remove_output_for_tags", "always_keep_output_for_tags")
POLICY = Policy(
    name="swe-agent-last-n",
    mode="stateless",
    params=(
        Param("n", "observations", 5, "Newest observations, which are sent whole.", low=1, high=100),
        Param(
            "polling", "observations", 1, "How many more come before the window moves on; larger breaks caches less.",
            low=1, high=50,
        ),
        Param(
            "always_remove_output_for_tags", "", "remove_output",
            "Observations with one of these tags go even when new, separated by commas.", kind="line", accepts=is_names,
        ),
        Param(
            "always_keep_output_for_tags", "", "keep_output",
            "Observations with one of these tags stay even when old, separated by commas.", kind="line",
            accepts=is_names,
        ),
    ),
    plan=plan,
    help=(
        "Tells only the number of lines of old observations. Results are observations here; where a session has none, "
        "what stands in the user's place is. A short observation grows, and a second run counts the line itself."
    ),
    protects="the task, the system prompt, what the model says, and the newest observations",
    source="LastNObservations, SWE-agent 3ea751c087",
    stepper=stepper,
    product=Product("swe-agent", "SWE-agent", "yaml", _yaml, "For the configuration file of a run."),
)  # fmt: skip

POLICIES = (POLICY,)
