"""Small policies that each break one promise, and sessions to break it on."""

from array import array
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from inspector.change import GONE, Action, Insert, InsertKind, Plan, unchanged
from inspector.formats import from_messages
from inspector.guarantees import Verdicts, check
from inspector.message import Body, Context, Session, text_of
from inspector.policies import Param, Policy, Settings
from inspector.policies.policy import Mode
from inspector.policies.sent import SentView
from inspector.tokens import counter_for

SYSTEM: Body = {"role": "system", "content": "Be careful."}
TASK: Body = {"role": "user", "content": "Read all the files."}
NOTE: Body = {"role": "user", "content": "And be quick."}
DONE: Body = {"role": "assistant", "content": "Done."}


def exchange(name: str, result: str = "what the file says") -> list[Body]:
    """A call with its result."""
    function = {"name": "read", "arguments": f'{{"path":"{name}"}}'}
    return [
        {"role": "assistant", "content": "", "tool_calls": [{"id": name, "type": "function", "function": function}]},
        {"role": "tool", "tool_call_id": name, "name": "read", "content": result},
    ]


SESSION = [SYSTEM, TASK, *exchange("a"), *exchange("b"), NOTE, *exchange("c"), DONE]


def session(messages: list[Body]) -> Session:
    return from_messages(messages)


def doing(
    context: Context, changes: Mapping[int, tuple[Action, Body | None]], inserts: Iterable[Insert] = (), **more: Any
) -> Plan:
    """A plan that does these things to rows, where there are such."""
    changes = {row: change for row, change in changes.items() if row < len(context)}
    action, chars = bytearray(len(context)), array("q", context.columns.chars)
    for row, (what, body) in changes.items():
        action[row] = what
        chars[row] = 0 if what in GONE else len(text_of(body or context.messages[row]))
    bodies = {row: body for row, (_, body) in changes.items()}
    write = bodies.__getitem__
    return Plan(context, bytes(action), bytes(len(context)), ("",), chars, write, tuple(inserts), **more)  # type: ignore[arg-type]  # never asked for a row that is gone


def policy(
    plan: Callable[[Context, Settings], Plan], *params: Param, mode: Mode = "stateless", name: str = "small"
) -> Policy:
    return Policy(name=name, mode=mode, params=params, plan=plan, help="")


def dropping(*rows: int) -> Policy:
    return policy(lambda context, _: doing(context, dict.fromkeys(rows, (Action.DROP, None))))


def rewriting(row: int, body: Body, action: Action = Action.MIDDLE) -> Policy:
    return policy(lambda context, _: doing(context, {row: (action, body)}))


KEEPING = policy(lambda context, _: unchanged(context))


def dropped_above(count_name: str = "at_most") -> Policy:
    """Drops the second message as soon as there are more than a number of messages."""

    def plan(context: Context, settings: Settings) -> Plan:
        over = len(context) > settings[count_name]
        return doing(context, {1: (Action.DROP, None)}) if over and len(context) > 1 else unchanged(context)

    return policy(plan, Param(count_name, "messages", 1_000, "", high=50))


def view_of(made: Policy, messages: list[Body], **settings: Any) -> SentView:
    full = made.running(settings)
    return SentView(made.plan(session(messages), full), made.name, full, counter_for(None))


def broken(made: Policy, messages: list[Body] = SESSION, **settings: Any) -> dict[str, int]:
    """Promise to row, of those that are broken."""
    found: Verdicts = check(view_of(made, messages, **settings), made)
    return {name: where.row for name, where in found.items() if where is not None}


def summary(after: int, text: str, role: str = "user") -> Insert:
    return Insert(after, InsertKind.SUMMARY, {"role": role, "content": text}, "")
