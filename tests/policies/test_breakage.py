"""What a plan is said to break, and what not."""

from array import array
from typing import Any

import pytest

from inspector.change import Action, Plan
from inspector.message import Body, Context, Origin
from inspector.policies.breakage import Breakage, breakages, findings
from tests.policies.sessions import context_of

CALL: Body = {
    "role": "assistant",
    "content": "",
    "tool_calls": [{"id": "a", "function": {"name": "r", "arguments": "{}"}}],
}
RESULT: Body = {"role": "tool", "tool_call_id": "a", "content": "result"}
SYSTEM: Body = {"role": "system", "content": "rules"}
USER: Body = {"role": "user", "content": "task"}
SESSION = [SYSTEM, USER, CALL, RESULT, USER]


def planned(
    messages: list[Body], actions: dict[int, Action], *, sent: dict[int, int] | None = None, **keys: Any
) -> Plan:
    context = keys.pop("context", context_of(messages))
    action, chars = bytearray(len(messages)), array("q", context.columns.chars)
    for row, what in actions.items():
        action[row] = what
        chars[row] = 0 if what in (Action.DROP, Action.MERGE) else chars[row]
    for row, size in (sent or {}).items():
        chars[row] = size
    return Plan(context, bytes(action), bytes(len(messages)), ("",), chars, keys.pop("write", messages.__getitem__))


def broken(messages: list[Body], actions: dict[int, Action], **keys: Any) -> dict[int, tuple[Breakage, ...]]:
    return dict(breakages(planned(messages, actions, **keys)).rows)


@pytest.mark.parametrize("gone", [Action.DROP, Action.MERGE])
def test_a_call_parted_from_its_result_is_reported_where_the_other_is_left(gone: Action) -> None:
    assert broken(SESSION, {2: gone}) == {3: (Breakage.ORPHAN,)}
    assert broken(SESSION, {3: gone}) == {2: (Breakage.DANGLING,)}
    assert broken(SESSION, {2: gone, 3: gone}) == {}


def test_what_was_wrong_in_the_recording_is_not_the_plans_doing() -> None:
    assert broken([SYSTEM, USER, CALL, USER, {**RESULT, "tool_call_id": "b"}], {3: Action.DROP}) == {}


def test_the_first_system_and_the_first_user_message_are_missed_and_later_ones_not() -> None:
    assert broken(SESSION, {0: Action.DROP}) == {0: (Breakage.NO_SYSTEM,)}
    assert broken(SESSION, {1: Action.MERGE}) == {1: (Breakage.NO_FIRST_USER,)}
    assert broken(SESSION, {4: Action.DROP}) == {}
    assert broken([{"role": "developer"}, SYSTEM], {0: Action.DROP}) == {0: (Breakage.NO_SYSTEM,)}


def test_a_result_that_grew_is_reported_and_one_of_equal_length_is_not() -> None:
    assert broken(SESSION, {3: Action.MIDDLE}, sent={3: 7}) == {3: (Breakage.GREW,)}
    assert broken(SESSION, {3: Action.MIDDLE}, sent={3: 6}) == {}
    assert broken(SESSION, {1: Action.PLACEHOLDER}, sent={1: 99}) == {}


def test_a_line_in_place_of_a_picture_is_no_growth() -> None:
    assert broken(SESSION, {3: Action.DROP_IMAGE}, sent={3: 99}) == {}


def with_arguments(arguments: str) -> Body:
    return {**CALL, "tool_calls": [{"id": "a", "function": {"name": "r", "arguments": arguments}}]}


@pytest.mark.parametrize(
    ("arguments", "marked"),
    [
        ('{"code":"import os..."}', True),
        ('{"code":"import os…"}', True),
        ('{"code":"import os [cut]"}', True),
        ("{'code': '[cut]'}", True),
        ('{"code":"import …', True),
        ('{"paths":["a","b"]}', False),
        ('{"rows":[[1],[2]]}', False),
        ("{}", False),
        ("", False),
    ],
)
def test_a_marker_that_a_plan_writes_into_arguments_is_reported(arguments: str, *, marked: bool) -> None:
    found = broken(SESSION, {2: Action.CLEAR_ARGUMENTS}, write=lambda _: with_arguments(arguments))
    assert found == ({2: (Breakage.MARKER,)} if marked else {})


def test_a_marker_that_the_recording_holds_is_not_the_plans_doing() -> None:
    recorded = with_arguments('{"say":"well..."}')
    assert broken([recorded], {0: Action.CLEAR_ARGUMENTS}) == {}


def test_breakages_are_counted_by_kind_and_rows_ascend() -> None:
    found = breakages(planned(SESSION, {0: Action.DROP, 1: Action.DROP, 2: Action.DROP}))
    assert list(found.rows) == [0, 1, 3]
    assert dict(found.counts) == {Breakage.NO_SYSTEM: 1, Breakage.NO_FIRST_USER: 1, Breakage.ORPHAN: 1}
    assert found.total == 3


def test_findings_stand_at_the_native_place_of_their_message() -> None:
    context = Context(SESSION, lambda row: Origin(row * 10, f"/{row * 10}/message", row * 10 + 1), range(len(SESSION)))
    (finding,) = findings(planned(SESSION, {2: Action.DROP}, context=context))
    assert (finding.code, finding.severity, finding.row) == ("orphan-tool-result", "error", 3)
    assert (finding.message_index, finding.pointer, finding.line) == (30, "/30/message", 31)
    (grown,) = findings(planned(SESSION, {3: Action.HEAD}, sent={3: 9}, context=context))
    assert grown.severity == "warning"


def test_a_result_that_goes_with_its_call_leaves_nothing_dangling() -> None:
    calls = [{"id": call, "function": {"name": "run", "arguments": "{}"}} for call in ("a", "b")]
    answers = [{"role": "tool", "tool_call_id": call, "content": "fine"} for call in ("a", "b")]
    context = context_of([{"role": "assistant", "content": "", "tool_calls": calls}, *answers])
    chars = array("q", [0, 0, 0])
    for left, dangling in ((calls, 2), (calls[:1], 1), ([], 0)):
        body = {"role": "assistant", "content": "", "tool_calls": left}
        action = bytes([Action.CLEAR_ARGUMENTS, Action.DROP, Action.DROP])
        plan = Plan(context, action, bytes(3), ("",), chars, lambda _, body=body: body)
        assert breakages(plan).counts[Breakage.DANGLING] == dangling
