"""Microsoft Agent Framework's six compaction strategies, over its groups (see `af_groups`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from inspector.change import Plan
from inspector.message import Context
from inspector.policies.policy import Param, Policy, Settings
from inspector.policies.product import Product, picked, python, refused
from inspector.policies.python_call import Call
from inspector.policies.zoo.af_groups import OLD_TOOLS, OUTSIDE, OVER_LIMIT, Groups, Kind, row_groups, row_tokens
from inspector.policies.zoo.params import flag, one_of

SOURCE = "agent-framework-core 1.23.0"
MODULE = "agent_framework"
Strategy: TypeAlias = Callable[[Groups, Settings], None]


def truncation(groups: Groups, settings: Settings) -> None:
    """Drop the oldest groups until `compact_to` is met, if `max_n` is exceeded."""
    unit, left = settings["unit"], groups.size(settings["unit"])
    if left <= settings["max_n"]:
        return
    spared = {id(groups.newest())}
    if settings["preserve_first_user_group"]:
        spared.add(id(next((group for group in groups.all if group.kind is Kind.USER), None)))
    for group in groups.left:
        if left <= settings["compact_to"]:
            break
        if id(group) in spared or (settings["preserve_system"] and group.kind is Kind.SYSTEM):
            continue
        group.gone = OVER_LIMIT
        left -= groups.cost(group, unit)


def sliding(groups: Groups, settings: Settings) -> None:
    """Keep the newest groups. System messages are not counted: they all stay, or all go."""
    others = [group for group in groups.left if group.kind is not Kind.SYSTEM]
    old = others[: max(0, len(others) - max(0, settings["keep_last_groups"]))]
    systems = [group for group in groups.left if group.kind is Kind.SYSTEM]
    for group in old if settings["preserve_system"] else (*old, *systems):
        group.gone = OUTSIDE


def selective(groups: Groups, settings: Settings) -> None:
    """Drop all but the newest calls with their results."""
    for group in groups.old_tools(max(0, settings["keep_last_tool_call_groups"])):
        group.gone = OLD_TOOLS


def tool_result(groups: Groups, settings: Settings) -> None:
    """Put one line in the place of all but the newest calls with their results."""
    groups.condense(max(0, settings["keep_last_tool_call_groups"]))


def context_window(groups: Groups, settings: Settings) -> None:
    """First lines for results, then truncation, each from its share of the window on."""
    budget = max(0, settings["max_context_window_tokens"] - settings["max_output_tokens"])
    evict = int(budget * settings["tool_eviction_threshold"])
    limit = int(budget * settings["truncation_threshold"])
    if groups.size("tokens") > evict:
        tool_result(groups, settings)
    bounds = {"max_n": limit, "compact_to": evict, "unit": "tokens", "preserve_system": True}
    truncation(groups, {**settings, **bounds})


def token_budget(groups: Groups, settings: Settings) -> None:
    """Strategies in turn until the budget is met, then the oldest groups, at last even the system's."""
    budget = max(0, settings["token_budget"])
    if groups.size("tokens") <= budget:
        return
    for name, given in _steps(settings):
        if settings["early_stop"] and groups.size("tokens") <= budget:
            return
        STRATEGIES[name](groups, given)
    for kinds in (set(Kind) - {Kind.SYSTEM}, {Kind.SYSTEM}):
        _drop_oldest(groups, budget, kinds)


def _steps(settings: Settings) -> list[tuple[str, Settings]]:
    """The strategies to run and their parameters: as a caller gives them, or as a person chooses them."""
    chosen = settings["strategies"]
    if isinstance(chosen, str):
        return [(name.strip(), settings) for name in chosen.split(",") if name.strip() in STRATEGIES]
    return [(name, {**settings, **STEP_DEFAULTS, **given}) for name, given in chosen]


def _drop_oldest(groups: Groups, budget: int, kinds: set[Kind]) -> None:
    newest, left = groups.newest(), groups.size("tokens")
    for group in groups.left:
        if left <= budget:
            return
        if group.kind in kinds and group is not newest:
            group.gone = OVER_LIMIT
            left -= groups.cost(group, "tokens")


STRATEGIES: Mapping[str, Strategy] = {
    "tool_result": tool_result,
    "selective": selective,
    "sliding": sliding,
    "truncation": truncation,
}
STEP_DEFAULTS: Mapping[str, Any] = {
    "preserve_system": True, "preserve_first_user_group": False, "unit": "messages", "keep_last_tool_call_groups": 1,
    "keep_last_groups": 20, "max_n": 80, "compact_to": 40,
}  # fmt: skip


def _are_steps(value: Any) -> bool:
    """Whether a value is a list of pairs of a strategy's name and its parameters."""
    return isinstance(value, list | tuple) and all(
        isinstance(step, list | tuple) and len(step) == 2 and step[0] in STRATEGIES and isinstance(step[1], Mapping)
        for step in value
    )


def _planned(strategy: Strategy) -> Callable[[Context, Settings], Plan]:
    def plan(context: Context, settings: Settings) -> Plan:
        groups = Groups(context)
        strategy(groups, settings)
        return groups.plan()

    return plan


def _token_reach(context: Context) -> int:
    return max(1_000, int(sum(context.derived(row_tokens)) * 1.1))


def _group_reach(context: Context) -> int:
    return max(64, len(context.derived(row_groups)))


def _policy(
    name: str,
    strategy: Strategy,
    params: tuple[Param, ...],
    help: str,
    protects: str,
    product: str,
    taken: Callable[[Settings], Settings] = dict,
    remarks: Callable[[Settings], tuple[str, ...]] = lambda _: (),
) -> Policy:
    """A policy; `taken` makes of settings the arguments of the framework's class of that name."""
    write = python("strategy", lambda settings: Call(MODULE, product, taken(settings)))
    return Policy(
        name=f"agent-framework-{name}",
        mode="carried",
        params=params,
        plan=_planned(strategy),
        help=help,
        protects=protects,
        source=f"{product}, {SOURCE}",
        product=Product("agent-framework", TITLE, "python", write, remarks=remarks),
    )


# --- taken home ---

TITLE = "Agent Framework"
TOKENIZER = Call(MODULE, "CharacterEstimatorTokenizer", {})
CLASSES = {
    "selective": ("SelectiveToolCallCompactionStrategy", ("keep_last_tool_call_groups",)),
    "tool_result": ("ToolResultCompactionStrategy", ("keep_last_tool_call_groups",)),
    "sliding": ("SlidingWindowStrategy", ("keep_last_groups", "preserve_system")),
}
"""The class of each strategy that may be tried, and what it takes."""


def _with_unit(settings: Settings) -> Settings:
    """The framework counts tokens where it is given a tokenizer, else messages."""
    given = picked(settings, "max_n", "compact_to", "preserve_system", "preserve_first_user_group")
    return {**given, "tokenizer": TOKENIZER if settings["unit"] == "tokens" else None}


def _is_all_output(settings: Settings) -> bool:
    return bool(settings["max_output_tokens"] >= settings["max_context_window_tokens"])


def _evicts_late(settings: Settings) -> bool:
    return bool(settings["truncation_threshold"] < settings["tool_eviction_threshold"])


def _with_steps(settings: Settings) -> Settings:
    steps = [_step_call(name, given) for name, given in _steps(settings)]
    given = {"token_budget": settings["token_budget"], "tokenizer": TOKENIZER, "strategies": steps}
    return {**given, "early_stop": settings["early_stop"]}


def _step_call(name: str, given: Settings) -> Call:
    if name not in CLASSES:
        return Call(MODULE, "TruncationStrategy", _with_unit(given))
    product, takes = CLASSES[name]
    return Call(MODULE, product, picked(given, *takes))


def _unused(settings: Settings) -> tuple[str, ...]:
    """Which parameters are of strategies that are not tried."""
    used = {name for step, _ in _steps(settings) for name in CLASSES.get(step, ("", ()))[1]}
    own = isinstance(settings["strategies"], str)
    unused = [name for name in (KEEP_TOOLS.name, KEEP_GROUPS.name, KEEP_SYSTEM.name) if name not in used or not own]
    return (f"Not in it, for no strategy that is tried takes it: {', '.join(unused)}.",) if unused else ()


KEEP_SYSTEM = flag("preserve_system", True, "Whether system messages are never dropped.")
KEEP_FIRST_USER = flag("preserve_first_user_group", False, "Whether the first user message is never dropped.")
KEEP_TOOLS = Param("keep_last_tool_call_groups", "groups", 1, "Newest calls that stay, with their results.", high=64)
KEEP_GROUPS = Param(
    "keep_last_groups", "groups", 20, "Newest groups that are sent (ours: the framework has no default).", low=1,
    high=_group_reach,
)  # fmt: skip

POLICIES = (
    _policy(
        "truncation", truncation,
        (
            Param(
                "max_n", "units", 32_000, "Nothing happens up to this (ours: the framework has no default).",
                high=_token_reach, scale="ratio",
            ),
            Param("compact_to", "units", 16_000, "Groups go until this is met.", high=_token_reach, scale="ratio"),
            one_of("unit", ("tokens", "messages"), "What max_n and compact_to count."),
            KEEP_SYSTEM,
            KEEP_FIRST_USER,
        ),
        "Drops the oldest groups once the session is too large. A call and its results are one group.",
        "the newest group and, unless that is switched off, system messages", "TruncationStrategy", _with_unit,
        refused(TITLE, ("compact_to is over max_n", lambda given: given["compact_to"] > given["max_n"])),
    ),
    _policy(
        "sliding", sliding, (KEEP_GROUPS, KEEP_SYSTEM),
        "Sends the newest groups, always. The first user message goes with the others.",
        "system messages, and calls with their results", "SlidingWindowStrategy",
    ),
    _policy(
        "selective", selective, (KEEP_TOOLS,), "Drops all older calls with their results, and nothing else.",
        "everything that is said, and the newest calls", "SelectiveToolCallCompactionStrategy",
    ),
    _policy(
        "tool-result", tool_result, (KEEP_TOOLS,),
        "Puts one line of the assistant's in the place of each older call with its results; a short one can grow.",
        "everything that is said, and the newest calls", "ToolResultCompactionStrategy",
    ),
    _policy(
        "context-window", context_window,
        (
            Param(
                "max_context_window_tokens", "tokens", 128_000, "The model's window.", high=1_000_000, step=1_000,
            ),
            Param("max_output_tokens", "tokens", 16_000, "What of it is left to the answer.", high=128_000, step=500),
            Param(
                "tool_eviction_threshold", "", 0.5, "From this share of the budget on, lines stand for old results.",
                high=1.0, limit=1.0, step=0.05, kind="float",
            ),
            Param(
                "truncation_threshold", "", 0.8, "From this share on, the oldest groups are dropped.", high=1.0,
                limit=1.0, step=0.05, kind="float",
            ),
            Param("keep_last_tool_call_groups", "groups", 4, "Newest calls that stay, with their results.", high=64),
            KEEP_FIRST_USER,
        ),
        "Puts lines in the place of old results from half of the window on, and drops old groups if need be.",
        "system messages and the newest group", "ContextWindowCompactionStrategy",
        lambda settings: {**settings, "tokenizer": TOKENIZER},
        refused(
            TITLE,
            ("the output takes the whole window", _is_all_output),
            ("results would be evicted after the truncation", _evicts_late),
        ),
    ),
    _policy(
        "token-budget", token_budget,
        (
            Param(
                "token_budget", "tokens", 32_000, "Nothing happens up to this (ours: the framework has no default).",
                high=_token_reach, step=500, threshold=True,
            ),
            one_of(
                "strategies",
                ("tool_result", "none", "selective", "sliding", "tool_result, sliding", "selective, sliding"),
                "What is tried before the oldest groups are dropped.", accepts=_are_steps,
            ),
            KEEP_TOOLS,
            KEEP_GROUPS,
            KEEP_SYSTEM,
            flag("early_stop", True, "Whether a strategy is left out once the budget is met."),
        ),
        "Tries strategies in turn, then drops the oldest groups, at last even the system messages, to meet a budget.",
        "the newest group", "TokenBudgetComposedStrategy", _with_steps, _unused,
    ),
)  # fmt: skip
