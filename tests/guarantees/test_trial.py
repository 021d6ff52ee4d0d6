"""A policy tried over settings and requests: what is tried, what is found, and that it is the same each time."""

from typing import Any

import pytest

import inspector
from inspector.change import Action, Plan, unchanged
from inspector.guarantees import Report, Verdict, check, try_policy
from inspector.guarantees.mixes import every, values_of
from inspector.guarantees.points import MOST_POINTS, Point, Recordings, points_of
from inspector.message import Context, Session
from inspector.policies import POLICIES, Param, Policy, Settings, policy_named
from inspector.policies.policy import SettingError
from inspector.replay import answers_of, view_at
from tests.guarantees.small import DONE, KEEPING, SYSTEM, TASK, doing, dropped_above, exchange, policy, session


def run(exchanges: int, size: int = 300) -> Session:
    made = [body for number in range(exchanges) for body in exchange(f"call_{number}", "word " * (size + number))]
    return session([SYSTEM, TASK, *made, DONE])


def verdict(report: Report, name: str) -> Verdict:
    return next(found for found in report.verdicts if found.promise.name == name)


def broken(name: str, sessions: list[Session], **more: Any) -> set[str]:
    report = try_policy(policy_named(name), sessions, **more)
    return {found.promise.name for found in report.verdicts if found.broken}


# --- settings ---


def test_a_parameter_with_few_steps_is_tried_at_every_one() -> None:
    assert values_of(Param("keep", "", 3, "", low=1, high=6), []) == [1, 2, 3, 4, 5, 6]
    assert values_of(Param("share", "", 0.5, "", high=1.0, limit=1.0, step=0.25, kind="float"), []) == [
        0.0, 0.25, 0.5, 0.75, 1.0,
    ]  # fmt: skip


def test_a_parameter_with_many_steps_is_tried_from_end_to_end_on_its_steps() -> None:
    found = values_of(Param("cap", "", 2_000, "", high=40_000, step=250), [])
    assert (found[0], found[1], found[-1]) == (0, 250, 40_000)
    assert len(found) <= 24
    assert all(isinstance(value, int) and value % 250 == 0 for value in found)


def test_a_range_that_depends_on_the_session_reaches_to_the_largest() -> None:
    assert values_of(Param("keep", "", 3, "", high=len), [run(2), run(4)])[-1] == len(run(4))


@pytest.mark.parametrize("name", POLICIES)
def test_every_setting_is_legal_different_and_the_defaults_come_first(name: str) -> None:
    made = policy_named(name)
    found = every(made, [run(6)], 50, 0)
    assert found[0] == {}
    assert len({repr(sorted(made.running(given).items())) for given in found}) == len(found) > 5
    for given in found:
        for param, value in given.items():
            made.param(param).check(value)
    assert found == every(made, [run(6)], 50, 0)
    assert found != every(made, [run(6)], 50, 1)


def test_what_is_held_is_in_every_setting_and_never_varied() -> None:
    found = every(policy_named("head-tail"), [run(3)], 20, 0, {"keep_recent": 5})
    assert {given["keep_recent"] for given in found} == {5}
    assert found[0] == {"keep_recent": 5}


def test_a_setting_that_the_policy_refuses_is_left_out() -> None:
    class Picky(Policy):
        def running(self, given: Settings) -> dict[str, Any]:
            if given.get("keep") == 2:
                raise SettingError("not two")
            return super().running(given)

    made = Picky("picky", "stateless", (Param("keep", "", 1, "", high=3),), KEEPING.plan, "")
    assert every(made, [], 10, 0) == [{}, {"keep": 0}, {"keep": 3}]


# --- request points ---


def test_the_defaults_are_tried_everywhere_and_the_others_come_by_all_together() -> None:
    recordings = Recordings([run(60), run(30)])
    made, total = policy_named("head-tail"), 61 + 31
    assert len(points_of(recordings, made, 0, 100)) == total
    others = [points_of(recordings, made, place, 100) for place in range(1, 10)]
    assert {len(points) for points in others} == {MOST_POINTS}
    assert len({point for points in others for point in points}) == total


def test_a_carried_policy_also_goes_through_runs() -> None:
    recordings = Recordings([run(3), run(5)])
    made = policy_named("cascade")
    assert {point.session for point in points_of(recordings, made, 0, 9) if point.mode == "carried"} == {0, 1}
    assert {point.session for point in points_of(recordings, made, 1, 9) if point.mode == "carried"} == {1}
    assert not any(point.mode == "carried" for point in points_of(recordings, policy_named("head-tail"), 0, 9))


@pytest.mark.parametrize("mode", ["stateless", "carried"])
def test_a_point_shows_what_the_replay_shows(mode: Any) -> None:
    recordings, made, asked = (
        Recordings([run(9)]),
        policy_named("cascade"),
        {"target_tokens": 900, "ceiling_tokens": 900},
    )
    points = [Point(0, request, mode) for request in (0, 4, 8)]
    for point, view in recordings.views(made, asked, points):
        expected = view_at(recordings.sessions[0], made, asked, point.request, mode)
        assert view.messages == expected.messages
        assert view.settings == expected.settings


def test_large_sessions_are_tried_at_fewer_points_and_the_report_says_so() -> None:
    recordings = Recordings([run(2_000, size=1)])
    assert 0 < len(points_of(recordings, KEEPING, 1, 250)) < MOST_POINTS
    assert len(points_of(recordings, KEEPING, 0, 250)) < 2_001


def test_a_trial_says_how_far_it_went() -> None:
    heard: list[tuple[int, int]] = []
    report = try_policy(dropped_above(), [run(4), session([TASK])], mixes=5, progress=lambda *of: heard.append(of))
    assert (report.sessions, report.requests, report.requests_tried, report.with_defaults) == (1, 5, 5, 5)
    assert report.views == report.settings * 5 == verdict(report, "pairs").tried
    assert heard == [(done, report.settings) for done in range(1, report.settings + 1)]
    assert verdict(report, "tail").tried == 0


def test_sessions_without_a_request_leave_nothing_to_try() -> None:
    report = try_policy(KEEPING, [session([TASK])])
    assert (report.requests, report.views, report.kept) == (0, 0, True)


# --- what is found ---


def test_the_smallest_failure_of_a_policy_is_found_with_settings_near_the_default_and_an_early_request() -> None:
    report = try_policy(dropped_above(), [run(12)], only=["first-user"])
    found = verdict(report, "first-user").example
    assert found is not None
    assert found.smallest is not None
    assert list(found.smallest.messages) == [SYSTEM, TASK]
    assert (found.request, found.row, found.settings) == (0, 1, {"at_most": 1})
    assert (found.smallest.row, found.smallest.request) == (1, None)


def test_a_failure_of_the_defaults_is_counted_as_one() -> None:
    def plan(context: Context, settings: Settings) -> Plan:
        return doing(context, {0: (Action.DROP, None)}) if settings["on"] else unchanged(context)

    made = policy(plan, Param("on", "", True, "", kind="choice", choices=(False, True)))
    found = verdict(try_policy(made, [run(3)]), "system")
    assert (found.tried, found.broken, found.with_defaults) == (8, 4, 4)
    assert found.example is not None
    assert found.example.settings == {}


def test_a_failure_that_only_a_run_comes_to_is_found_in_a_run() -> None:
    """With many messages the first is dropped, and next time the task is the first."""

    def plan(context: Context, _: Settings) -> Plan:
        return doing(context, {0: (Action.DROP, None)}) if len(context) > 6 else unchanged(context)

    report = try_policy(policy(plan, mode="carried"), [run(6)], only=["first-user"])
    found = verdict(report, "first-user").example
    assert found is not None
    assert (found.mode, found.request) == ("carried", 4)
    assert found.smallest is not None
    made = session(list(found.smallest.messages))
    assert found.smallest.request == len(made.derived(answers_of)) - 1
    view = view_at(made, policy(plan, mode="carried"), {}, found.smallest.request)
    assert check(view, policy(plan, mode="carried"))["first-user"] is not None


def test_the_same_seed_gives_the_same_report() -> None:
    made, sessions = policy_named("cascade"), [run(8), run(5, size=90)]
    first = try_policy(made, sessions, seed=3, mixes=30)
    assert first == try_policy(made, sessions, seed=3, mixes=30)


def test_only_what_is_asked_for_is_reported() -> None:
    report = try_policy(policy_named("autogen-buffered"), [run(30)], mixes=10, only=["system"])
    assert [found.promise.name for found in report.verdicts] == ["system"]
    assert report.kept


# --- known truths ---


@pytest.mark.parametrize(
    ("name", "breaks", "keeps"),
    [
        ("cascade", {"pairs"}, {"arguments"}),
        ("head-tail", {"results"}, {"pairs", "system", "first-user", "last-user", "arguments", "tail"}),
        ("semantic-kernel-truncation", {"first-user"}, {"pairs", "system"}),
        ("autogen-token-limited", {"pairs"}, {"system", "target"}),
        ("langchain-clear", {"results", "arguments"}, {"messages", "pairs", "system", "first-user", "last-user"}),
    ],
)
def test_what_is_known_of_policies_is_found(name: str, breaks: set[str], keeps: set[str]) -> None:
    found = broken(name, [run(25, size=10)], mixes=60, only=[*breaks, *keeps])
    assert found == breaks


@pytest.mark.parametrize("name", ["cascade", "semantic-kernel-truncation", "langchain-clear"])
def test_what_is_reported_breaks_the_promise_again_by_the_public_interface(name: str) -> None:
    sessions, made = [run(12, size=150)], policy_named(name)
    for found in try_policy(made, sessions, mixes=40).verdicts:
        if found.example is None or found.example.smallest is None:
            continue
        example, small = found.example, found.example.smallest
        view = view_at(sessions[0], made, example.settings, example.request, example.mode)
        where = check(view, made)[found.promise.name]
        assert where is not None
        assert (where.row, where.says) == (example.row, example.says)
        again = inspector.from_messages(list(small.messages))
        given = made.running(example.settings)
        if small.request is None:
            again_view = inspector.compact(again, name, **given)
        else:
            again_view = view_at(again, made, example.settings, small.request, example.mode)
        assert check(again_view, made)[found.promise.name] is not None
