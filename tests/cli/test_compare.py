"""`inspector compare`: the table, the document, the order, the exit status."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.program import assert_one_sentence, call, conversation, process

KEYS = {
    "policy", "label", "params", "tokens", "saved_percent", "edits", "first_change", "findings", "run", "promises",
    "broken",
}  # fmt: skip
THREE = ("head-tail", "cascade", "checkpoint")


@pytest.fixture
def path(tmp_path: Path) -> str:
    file = tmp_path / "session.json"
    file.write_text(json.dumps({"model": "gpt-5", "messages": conversation()}))
    return str(file)


def compared(path: str, *arguments: str) -> dict[str, Any]:
    answer = call("compare", path, "--json", *arguments)
    assert answer.status in (0, 1), answer.err
    document: dict[str, Any] = answer.json
    return document


def policies(*names: str) -> tuple[str, ...]:
    return tuple(word for name in names for word in ("-p", name))


def test_each_policy_is_told_as_compact_and_replay_tell_it(path: str) -> None:
    found = compared(path, *policies(*THREE))["policies"]
    assert [one["policy"] for one in found] == list(THREE)
    for one in found:
        assert one.keys() == KEYS
        alone = call("compact", path, "-p", one["policy"], "--json").json
        replayed = call("replay", path, "-p", one["policy"], "--json").json
        run = replayed["totals"]
        assert one["tokens"] == alone["tokens"]
        assert one["params"] == replayed["params"]
        assert one["edits"] == len(alone["edits"])
        assert one["run"]["cost"] == pytest.approx(run["cost"])
        assert one["run"]["cache_hit"] == run["cache_hit"]
        assert {fault["code"] for fault in alone["findings"]} <= {fault["code"] for fault in one["findings"]}


def test_without_a_policy_our_own_are_compared(path: str) -> None:
    assert [one["policy"] for one in compared(path)["policies"]][:3] == list(THREE)


def test_settings_stand_behind_the_policy_and_tell_two_of_one_apart(path: str) -> None:
    found = compared(path, *policies("head-tail:keep_recent=2", "head-tail:keep_recent=30,old_tool_chars=900"))
    assert [one["params"]["keep_recent"] for one in found["policies"]] == [2, 30]
    assert [one["label"] for one in found["policies"]] == [
        "head-tail keep_recent=2 old_tool_chars=2000", "head-tail keep_recent=30 old_tool_chars=900",
    ]  # fmt: skip


def test_a_comma_inside_a_number_belongs_to_it(path: str) -> None:
    found = compared(path, *policies("head-tail:old_tool_chars=1,200,keep_recent=3"))["policies"][0]
    assert (found["params"]["old_tool_chars"], found["params"]["keep_recent"]) == (1_200, 3)


def test_a_setting_for_all_reaches_every_policy_that_has_it_and_gives_way_to_its_own(path: str) -> None:
    found = compared(path, *policies("head-tail:keep_recent=3", "head-tail", "cascade"), "-s", "keep_recent=9")
    assert [one["params"].get("keep_recent") for one in found["policies"][:2]] == [3, 9]


def test_a_request_is_compared_as_compact_at_gives_it(path: str) -> None:
    found = compared(path, *policies(*THREE), "--at", "12")
    assert found["request"] == 12
    for one in found["policies"]:
        alone = call("compact", path, "-p", one["policy"], "--at", "12", "--json").json
        assert one["tokens"] == alone["tokens"]


@pytest.mark.parametrize("sort", ["sent", "saved", "cost", "cache-hit", "edits", "promises", "policy", "first_change"])
def test_sorting_puts_the_best_first_and_with_a_minus_the_worst(path: str, sort: str) -> None:
    best = [one["policy"] for one in compared(path, *policies(*THREE), "--sort", sort)["policies"]]
    worst = [one["policy"] for one in compared(path, *policies(*THREE), "--sort", f"-{sort}")["policies"]]
    assert sorted(best) == sorted(worst) == sorted(THREE)
    assert best != worst or len(set(map(str, best))) == 1


def test_csv_has_a_line_a_policy_and_a_column_a_promise(path: str) -> None:
    answer = call("compare", path, "--csv", *policies(*THREE))
    rows = list(csv.DictReader(io.StringIO(answer.out)))
    found = compared(path, *policies(*THREE))["policies"]
    assert [int(row["sent"]) for row in rows] == [one["tokens"]["sent"] for one in found]
    for row, one in zip(rows, found, strict=True):
        assert {name: row[name] == "1" for name in one["promises"]} == one["promises"]


def test_people_get_aligned_columns_with_units(path: str) -> None:
    answer = call("compare", path, *policies(*THREE))
    lines = answer.out.splitlines()
    head = next(line for line in lines if line.startswith("policy"))
    for title in ("sent tokens", "saved tokens", "first change", "run cost", "cache hit", "promises broken"):
        assert title in head
    end = head.index("sent tokens") + len("sent tokens")
    rows = lines[lines.index(head) + 1 :]
    assert len(rows) == 3
    assert all(row[end - 1].isdigit() and row[end] == " " for row in rows)


def test_a_file_is_written_as_its_name_says_and_never_over_another(path: str, tmp_path: Path) -> None:
    table, document = tmp_path / "table.csv", tmp_path / "table.json"
    assert call("compare", path, *policies("head-tail"), "-o", str(table)).status == 0
    assert table.read_text().startswith("policy,sent,")
    call("compare", path, *policies("head-tail"), "-o", str(document))
    assert json.loads(document.read_text())["policies"][0]["policy"] == "head-tail"
    assert "--force" in call("compare", path, *policies("head-tail"), "-o", str(table)).err
    assert call("compare", path, *policies("head-tail"), "-o", path, "--force").status == 2


def test_what_a_provider_would_refuse_is_exit_1(path: str) -> None:
    refused = ("autogen-token-limited:token_limit=9000",)
    found = compared(path, *policies(*refused))["policies"][0]
    errors = [fault for fault in found["findings"] if fault["severity"] == "error"]
    assert call("compare", path, *policies(*refused)).status == int(bool(errors)) == 1
    assert call("compare", path, *policies("head-tail")).status == 0


def test_a_session_without_answers_is_compared_without_a_run(tmp_path: Path) -> None:
    file = tmp_path / "asked.json"
    file.write_text('{"messages":[{"role":"user","content":"a"}]}')
    found = compared(str(file), *policies(*THREE))["policies"]
    assert [one["run"]["requests"] for one in found] == [0, 0, 0]
    assert call("compare", str(file), *policies(*THREE)).status == 0


@pytest.mark.parametrize(
    ("arguments", "naming"),
    [
        (("-p", "head-tial"), "did you mean head-tail?"),
        (("-p", "head-tail:keep=3"), "head-tail has no parameter 'keep'"),
        (("-p", "head-tail:keep_recent"), "write a setting as name=value"),
        (("-p", "head-tail:keep_recent=many"), "keep_recent wants a whole number"),
        (("-p", "head-tail", "-s", "target_tokens=3"), "none of the policies compared has a parameter 'target_tokens'"),
        (("--at", "999"), "there is no request 999"),
        (("--sort", "price"), "there is no column 'price'"),
        (("--provider", "acme"), "there is no provider 'acme'"),
        (("--json", "--csv"), "exclude each other"),
        (("-o", "-"), "-o wants a file"),
        (("-o", "nowhere/table.csv"), "cannot write nowhere/table.csv"),
    ],
)
def test_what_cannot_be_obeyed_is_one_sentence(path: str, arguments: tuple[str, ...], naming: str) -> None:
    assert_one_sentence(call("compare", path, *arguments), naming=naming)


def test_help_has_an_example_and_the_shell_completes_policies_their_parameters_and_columns() -> None:
    assert "inspector compare session.jsonl -p head-tail" in call("compare", "--help").out

    def completed(line: str) -> str:
        return process(
            _INSPECTOR_COMPLETE="bash_complete", COMP_WORDS=f"inspector compare {line}",
            COMP_CWORD=str(len(line.split()) + 1),
        ).out  # fmt: skip

    assert "head-tail" in completed("-p head-t")
    assert "head-tail:keep_recent=" in completed("-p head-tail:keep_r")
    assert "cache-hit" in completed("--sort cache")
