"""Runs made at random, and the views of a run by loops that share no code with the replay."""

from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

from inspector.message import Body, Context
from inspector.policies import POLICIES, compact
from inspector.policies.cascade import cap_result
from inspector.policies.policy import Param
from tests.policies.sessions import context_of, odd_sessions, valid_sessions

long_odd_sessions = st.lists(odd_sessions, max_size=4).map(lambda many: [body for one in many for body in one])
sessions = st.one_of(valid_sessions(), odd_sessions, long_odd_sessions)


def settings_of(policy: str) -> st.SearchStrategy[dict[str, Any]]:
    """Parameters small enough for small sessions, legal and odd."""
    small = st.integers(-1, 12)
    every = {
        "head-tail": {
            "keep_recent": small,
            "old_tool_chars": st.sampled_from([0, 1, 20, 100, 300]),
            "compact_threshold_chars": st.sampled_from([0, 1, 400, 2_000, -5]),
        },
        "cascade": {
            "target_tokens": st.sampled_from([-1, 0, 60, 150, 400, 1_100]),
            "ceiling_tokens": st.sampled_from([0, 60, 150, 500, 1_500]),
            "keep_verbatim": st.integers(-1, 4),
            "protect": st.integers(-1, 4),
            "max_result_chars": st.sampled_from([None, -1, 0, 60, 250, 4_000]),
            "chars_per_token": st.sampled_from([0.5, 3.2, 4.0]),
        },
        "checkpoint": {
            "max_messages": st.sampled_from([0, 1, 3, 6, 12]),
            "max_bytes": st.sampled_from([0, 1, 900, 5_000, 100_000]),
            "keep_recent": small,
            "checkpoint": st.sampled_from([None, "", '{"version":1,"currentWork":"é"}', "no checkpoint"]),
        },
    }
    if policy in every:
        return st.fixed_dictionaries({}, optional=every[policy])
    params = POLICIES[policy].params
    return st.fixed_dictionaries({}, optional={param.name: values_of(param) for param in params})


def values_of(param: Param) -> st.SearchStrategy[Any]:
    """Values of a parameter that small sessions notice."""
    if param.kind == "choice":
        return st.sampled_from(param.choices)
    if param.kind == "float":
        return st.floats(param.low, min(param.limit or 10, 10))
    if param.kind == "int":
        low = int(param.low)
        top = int(param.limit) if param.limit is not None else low + 2_000
        return st.one_of(st.integers(low, min(top, low + 12)), st.sampled_from([low, min(top, low + 150), top]))
    return st.just(param.default)


def requests_in(messages: list[Body]) -> list[int]:
    return [row for row, body in enumerate(messages) if body.get("role") == "assistant"]


def as_it_enters(policy: str, body: Body, settings: dict[str, Any]) -> Body:
    """cascade cuts a result when it enters the transcript; the other policies let everything in."""
    limit = settings.get("max_result_chars", 4_000)
    text = body.get("content")
    if policy != "cascade" or body.get("role") != "tool" or limit is None or not isinstance(text, str):
        return body
    cut = cap_result(text, limit)
    return body if cut == text else {**body, "content": cut}


def of_runs(policy: str) -> dict[str, Any]:
    """What a run is given that one shot is not."""
    return {"cascade": {"max_result_chars": 4_000}, "opencode-prune": {"after_loop": True}}.get(policy, {})


def loop(messages: list[Body], policy: str, settings: dict[str, Any], mode: str) -> Iterator[list[Body]]:
    """The view of each request, as an agent would make it that calls the policy before every request."""
    held: list[Body] = []
    arrived = 0
    settings = {**of_runs(policy), **settings}
    for answer in requests_in(messages):
        if mode == "stateless":
            yield compact(context_of(messages[:answer]), policy, **settings).messages
            continue
        held += [as_it_enters(policy, body, settings) for body in messages[arrived:answer]]
        arrived = answer
        within = {**settings, "max_result_chars": None} if policy == "cascade" else settings
        held = list(compact(context_of(held), policy, **within).messages)
        yield list(held)


OWN = ("head-tail", "cascade", "checkpoint")
"""The policies that have fast steppers."""
runs = st.one_of(st.sampled_from(OWN), st.sampled_from(sorted(POLICIES))).flatmap(
    lambda policy: st.tuples(st.just(policy), settings_of(policy))
)


def context(messages: list[Body]) -> Context:
    return context_of(messages)
