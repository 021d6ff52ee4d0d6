"""The sent list of a run, and what it says of the recording."""

from array import array

from inspector.change import Action, Insert, InsertKind, Plan
from inspector.message import Body
from inspector.policies.transcript import MADE, Op, Transcript
from tests.policies.sessions import context_of

MESSAGES: list[Body] = [{"role": "user", "content": text} for text in ("one", "two", "three", "four")]


def started(rows: int = 4) -> Transcript:
    transcript = Transcript(context_of(MESSAGES))
    transcript.arrive(rows)
    transcript.take_ops()
    return transcript


def plan_of(transcript: Transcript, actions: list[Action], **more: object) -> Plan:
    context = transcript.as_context()
    zeros = bytes(len(actions))
    return Plan(
        context, bytes(actions), zeros, ("because",), array("q", [1] * len(actions)),
        lambda row: {**context.messages[row], "content": "!"}, **more,  # type: ignore[arg-type]
    )  # fmt: skip


def test_rows_that_arrive_are_one_change_and_stay_the_callers_own() -> None:
    transcript = Transcript(context_of(MESSAGES))
    transcript.arrive(3)
    (op,) = transcript.take_ops()
    assert (op.start, op.stop, list(op.rows)) == (0, 0, [0, 1, 2])
    assert all(a is b for a, b in zip(op.bodies, MESSAGES, strict=False))
    assert transcript.take_ops() == []


def test_a_message_that_is_put_back_is_as_recorded_again() -> None:
    transcript = started()
    transcript.put(1, {"role": "user", "content": "2"}, Action.HEAD, "shorter")
    transcript.put(1, MESSAGES[1], Action.HEAD, "shorter")
    assert [op.rows for op in transcript.take_ops()] == [(MADE,), (1,)]
    assert not transcript.plan().fired


def test_a_summary_of_a_summary_stands_for_all_rows() -> None:
    transcript = started()
    summary = Insert(0, InsertKind.SUMMARY, {"role": "user", "content": "s"}, "summary")
    transcript.merge(0, 2, (summary,), "gone")
    transcript.merge(0, 2, (summary,), "gone")
    plan = transcript.plan()
    assert [(insert.after, insert.merges) for insert in plan.inserts] == [(-1, (0, 3))]
    assert list(plan.action) == [Action.MERGE, Action.MERGE, Action.MERGE, Action.KEEP]


def test_moving_a_message_does_not_undo_what_was_done_to_it_before() -> None:
    transcript = started()
    transcript.put(0, {"role": "user", "content": "1"}, Action.HEAD, "shorter")
    keep, move = Action.KEEP, Action.MOVE
    transcript.apply(plan_of(transcript, [move, keep, keep, keep], order=[1, 2, 3, 0]))
    plan = transcript.plan()
    assert [body["content"] for body in transcript.bodies] == ["two", "three", "four", "1"]
    assert (plan.order, Action(plan.action[0])) == ([1, 2, 3, 0], Action.HEAD)
    assert plan.body(0) == {"role": "user", "content": "1"}


def test_a_plan_that_only_rewrites_is_carried_out_in_place() -> None:
    transcript = started()
    transcript.apply(plan_of(transcript, [Action.KEEP, Action.TAIL, Action.KEEP, Action.KEEP]))
    assert transcript.take_ops() == [Op(1, 2, ({"role": "user", "content": "!"},), (MADE,))]


def test_an_insert_that_is_rewritten_stays_an_insert() -> None:
    transcript = started(2)
    transcript.insert(2, Insert(1, InsertKind.REPAIR, {"role": "tool", "content": "none"}, "repaired"))
    transcript.apply(plan_of(transcript, [Action.DROP, Action.KEEP, Action.MIDDLE]))
    plan = transcript.plan()
    assert [(insert.kind, insert.body["content"], insert.after) for insert in plan.inserts] == [("repair", "!", 1)]
    assert Action(plan.action[0]) == Action.DROP
