"""`inspector replay`, and `compact --at`."""

import csv
import io
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from inspector.cli.replay_output import sparkline
from inspector.policies import compact as one_shot
from tests.cli.program import assert_one_sentence, call, conversation
from tests.policies.sessions import context_of
from tests.replay.runs import loop

KEYS = {"request", "answer", "sent_tokens", "cached_tokens", "fresh_tokens", "first_change", "fired", "price"}


@pytest.fixture
def path(tmp_path: Path) -> str:
    file = tmp_path / "session.json"
    file.write_text(json.dumps({"model": "gpt-5", "messages": conversation()}))
    return str(file)


def replayed(path: str, *arguments: str) -> dict[str, Any]:
    answer = call("replay", path, "--json", *arguments)
    assert answer.status == 0, answer.err
    document: dict[str, Any] = answer.json
    return document


# --- what it says ---


def test_json_has_the_keys_of_the_design_and_figures_that_add_up(path: str) -> None:
    found = replayed(path, "-p", "head-tail")
    requests, totals = found["requests"], found["totals"]
    answers = [row for row, body in enumerate(conversation()) if body["role"] == "assistant"]
    assert [(one["request"], one["answer"]) for one in requests] == list(enumerate(answers))
    assert all(one.keys() >= KEYS for one in requests)
    assert all(one["cached_tokens"] + one["fresh_tokens"] == one["sent_tokens"] for one in requests)
    assert totals["sent_tokens"] == sum(one["sent_tokens"] for one in requests)
    assert totals["cost"] == pytest.approx(sum(one["price"] for one in requests))
    assert totals["fired"] == sum(one["fired"] for one in requests) > 0
    assert (found["mode"], found["provider"]) == ("stateless", "openai")
    assert totals["price"]["source"].startswith("genai-prices ")


@pytest.mark.parametrize("policy", ["head-tail", "cascade", "checkpoint"])
@pytest.mark.parametrize("mode", ["stateless", "carried"])
def test_a_request_sends_what_compact_at_says(path: str, policy: str, mode: str) -> None:
    found = replayed(path, "-p", policy, f"--{mode}")
    wanted = list(loop(conversation(), policy, {}, mode))
    for request in (0, len(wanted) // 2, len(wanted) - 1):
        view = call("compact", path, "-p", policy, "--at", str(request), f"--{mode}", "--json").json
        assert view["messages"] == wanted[request]
        assert view["tokens"]["sent"] == found["requests"][request]["sent_tokens"]
        assert view["tokens"]["original"] == found["requests"][request]["original_tokens"]


def test_compact_without_a_request_stays_one_shot(path: str) -> None:
    view = call("compact", path, "-p", "cascade", "--json").json
    assert view["messages"] == one_shot(context_of(conversation()), "cascade").messages


def test_csv_has_a_line_a_request(path: str) -> None:
    answer = call("replay", path, "-p", "cascade", "--csv")
    rows = list(csv.DictReader(io.StringIO(answer.out)))
    found = replayed(path, "-p", "cascade")["requests"]
    assert [int(row["sent_tokens"]) for row in rows] == [one["sent_tokens"] for one in found]
    assert [row["fired"] for row in rows] == [str(int(one["fired"])) for one in found]


def test_people_get_a_sparkline_the_cost_and_the_requests(path: str) -> None:
    answer = call("replay", path, "-p", "head-tail")
    assert answer.status == 0
    for text in ("sent  ▁", "with an ideal cache", "o200k exact", "first change", "genai-prices", "none are recorded"):
        assert text in answer.out


def test_a_run_that_costs_the_same_is_not_said_to_cost_less(tmp_path: Path) -> None:
    file = tmp_path / "short.json"
    file.write_text('{"model":"gpt-5","messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]}')
    out = call("replay", str(file), "-p", "head-tail").out
    assert "as much as doing nothing" in out
    assert "less than" not in out


def test_usage_that_no_factor_fits_is_not_dressed_as_a_calibration() -> None:
    from inspector.cli.replay_output import _recorded_usage
    from inspector.replay.calibrate import Calibration, Measured

    usage = (Measured(1, 10, 50_000), Measured(3, 9_000, 60))
    wild = Calibration("m", usage, 1.0, 0, 21.8, ())
    run: Any = SimpleNamespace(calibration=wild)
    assert "too far from any one factor" in _recorded_usage(run)[0][1]


def test_the_help_says_how_a_price_table_is_written() -> None:
    assert '[models."NAME"]' in call("replay", "--help").out


def test_a_session_without_answers_has_nothing_to_replay(tmp_path: Path) -> None:
    file = tmp_path / "asked.json"
    file.write_text('{"messages":[{"role":"user","content":"a"}]}')
    assert "no request to replay" in call("replay", str(file), "-p", "cascade").out
    assert replayed(str(file), "-p", "cascade")["totals"]["requests"] == 0


def test_a_provider_decides_what_is_cached(path: str) -> None:
    none = replayed(path, "-p", "head-tail", "--provider", "none")["totals"]
    assert none["cached_tokens"] == 0
    written = replayed(path, "-p", "head-tail", "--provider", "anthropic")["totals"]
    assert written["written_tokens"] > 0


def test_a_price_table_of_ones_own_counts(path: str, tmp_path: Path) -> None:
    table = tmp_path / "prices.toml"
    table.write_text('date = 2026-01-01\n[models."gpt-5"]\ninput = 1000\nread = 1000\noutput = 0\n')
    totals = replayed(path, "-p", "head-tail", "--prices", str(table))["totals"]
    assert totals["cost"] == pytest.approx(totals["sent_tokens"] / 1_000)
    assert totals["price"]["source"].endswith("prices.toml, 2026-01-01")


# --- budgets ---


@pytest.mark.parametrize(
    ("budget", "status"),
    [
        ("max_request_tokens=1_000_000", 0),
        ("max_request_tokens=10", 1),
        ("max_cost=1000", 0),
        ("max_cost=0", 1),
        ("min_cache_hit=0", 0),
        ("min_cache_hit=1", 1),
        ("max_cost=1000,min_cache_hit=0", 0),
        ("max_cost=1000,max_request_tokens=10", 1),
    ],
)
def test_a_broken_budget_exits_1_and_names_it(path: str, budget: str, status: int) -> None:
    answer = call("replay", path, "-p", "head-tail", "--budget", budget, "--json")
    assert answer.status == status
    assert answer.err.count("budget broken: ") == status
    assert answer.json["totals"]["requests"] > 0


def test_a_budget_given_exactly_is_kept(path: str) -> None:
    totals = replayed(path, "-p", "cascade")["totals"]
    exact = f"max_request_tokens={totals['max_request_tokens']},min_cache_hit={totals['cache_hit']}"
    assert call("replay", path, "-p", "cascade", "--budget", exact).status == 0


@pytest.mark.parametrize(
    ("arguments", "naming"),
    [
        (("--budget", "max_tokens=3"), "write a budget as NAME=VALUE"),
        (("--budget", "max_cost"), "write a budget as NAME=VALUE"),
        (("--budget", "max_cost=cheap"), "max_cost wants a number"),
        (("--budget", "max_cost=nan"), "max_cost wants a number"),
        (("--budget", ""), "write a budget as NAME=VALUE"),
        (("--provider", "acme"), "there is no provider 'acme'; there are openai"),
        (("--prices", "nowhere.toml"), "cannot read nowhere.toml"),
        (("--json", "--csv"), "exclude each other"),
        (("-s", "keep=3"), "head-tail has no parameter 'keep'"),
    ],
)
def test_what_cannot_be_obeyed_is_one_sentence(path: str, arguments: tuple[str, ...], naming: str) -> None:
    assert_one_sentence(call("replay", path, "-p", "head-tail", *arguments), naming=naming)


def test_a_cost_budget_without_a_price_is_one_sentence(tmp_path: Path) -> None:
    file = tmp_path / "session.json"
    file.write_text(json.dumps({"messages": conversation()}))
    answer = call("replay", str(file), "-p", "head-tail", "--budget", "max_cost=1", "--csv")
    assert_one_sentence(answer, naming="no price is known")


def test_a_cache_hit_is_a_share(path: str) -> None:
    answer = call("replay", path, "-p", "head-tail", "--budget", "min_cache_hit=91.1")
    assert_one_sentence(answer, naming="min_cache_hit is a share from 0 to 1, not '91.1'")


def test_a_mode_of_compact_wants_a_request(path: str) -> None:
    assert_one_sentence(call("compact", path, "-p", "cascade", "--carried"), naming="name it with --at")
    assert_one_sentence(call("compact", path, "-p", "cascade", "--at", "99"), naming="there is no request 99")


# --- the sparkline ---


def test_a_sparkline_is_as_wide_as_asked_and_shows_the_largest() -> None:
    assert sparkline([0, 1, 2, 4], 10) == "▁▃▅█"
    assert sparkline([0] * 99 + [8], 4) == "▁▁▁█"
    assert sparkline([0, 0], 4) == "▁▁"
    assert sparkline([], 4) == ""
    assert len(sparkline(range(1_000), 72)) == 72
