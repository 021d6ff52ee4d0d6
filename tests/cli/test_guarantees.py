"""`inspector guarantees`: the page, the document, the exit status, and commands that show what was found."""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from inspector.guarantees import PROMISES
from tests.cli.program import assert_one_sentence, call, conversation, process, session_file

KEYS = [
    "policy", "mode", "seed", "held", "sources", "sessions", "settings", "views", "requests", "requests_tried",
    "requests_with_defaults", "requests_of_a_setting", "kept", "promises",
]  # fmt: skip
PROMISE_KEYS = ["name", "label", "verdict", "tried", "broken", "broken_with_defaults", "example"]
EXAMPLE_KEYS = ["source", "request", "mode", "row", "says", "params", "compact", "smallest"]
SMALLEST_KEYS = ["messages", "request", "row", "says", "file", "open", "compact"]


def of(document: dict[str, Any], name: str) -> dict[str, Any]:
    return next(promise for promise in document["promises"] if promise["name"] == name)


def test_the_document_has_fixed_keys_and_all_promises_in_order(tmp_path: Path) -> None:
    path = session_file(tmp_path)
    answer = call("guarantees", path, "-p", "autogen-token-limited", "--json")
    found = answer.json
    assert (answer.status, answer.err) == (1, "")
    assert list(found) == KEYS
    assert (found["policy"], found["mode"], found["sources"], found["kept"]) == (
        "autogen-token-limited", "stateless", [path], False,
    )  # fmt: skip
    assert [promise["name"] for promise in found["promises"]] == [promise.name for promise in PROMISES]
    pairs = of(found, "pairs")
    assert list(pairs) == PROMISE_KEYS
    assert list(pairs["example"]) == EXAMPLE_KEYS
    assert list(pairs["example"]["smallest"]) == SMALLEST_KEYS
    assert (pairs["verdict"], of(found, "system")["verdict"], of(found, "tail")["verdict"]) == (
        "broken", "kept", "not promised",
    )  # fmt: skip
    assert of(found, "tail")["tried"] == 0


def test_promises_that_hold_are_no_fault(tmp_path: Path) -> None:
    answer = call("guarantees", session_file(tmp_path), "-p", "head-tail", "--only", "pairs", "--only", "tail")
    assert answer.status == 0
    assert answer.out.endswith("Every promise held, 2 of 2.\n")
    assert "✓  kept  pairs whole" in answer.out
    assert "!" not in answer.out


def test_the_page_says_how_much_was_tried(tmp_path: Path) -> None:
    path = session_file(tmp_path, conversation(60, size=80))
    out = call("guarantees", path, "-p", "autogen-buffered", "--only", "system").out
    assert "61 of 61 in 1 session: the defaults at all, each other at up to 40 of them in turn" in out
    assert "200 mixes (seed 0)" in out


@pytest.mark.parametrize(
    ("policy", "promise", "code"),
    [
        ("cascade", "pairs", "orphan-tool-result"),
        ("semantic-kernel-truncation", "first-user", "first-user-message-dropped"),
    ],
)
def test_the_commands_told_show_the_failure_again(tmp_path: Path, policy: str, promise: str, code: str) -> None:
    path, folder = session_file(tmp_path, conversation(8)), tmp_path / "failures"
    answer = call("guarantees", path, "-p", policy, "--only", promise, "-o", str(folder), "--json")
    example = of(answer.json, promise)["example"]
    codes = {code, "dangling-tool-call"} if promise == "pairs" else {code}
    for command in (example["compact"], example["smallest"]["compact"]):
        program, *arguments = shlex.split(command)
        assert program == "inspector"
        found = call(*arguments, "--json").json["findings"]
        assert {finding["code"] for finding in found} & codes
    opening, showing = (shlex.split(example["smallest"][key]) for key in ("open", "compact"))
    assert [opening[0], "compact", *opening[1:]] == showing


def test_the_smallest_session_is_written_as_one_that_opens(tmp_path: Path) -> None:
    path, folder = session_file(tmp_path), tmp_path / "failures"
    answer = call("guarantees", path, "-p", "semantic-kernel-truncation", "-o", str(folder), "--json")
    broken = [promise for promise in answer.json["promises"] if promise["example"]]
    files = [Path(promise["example"]["smallest"]["file"]) for promise in broken]
    assert sorted(folder.iterdir()) == sorted(files)
    for promise, file in zip(broken, files, strict=True):
        document = json.loads(file.read_bytes())
        assert document == {"model": "gpt-4o", "messages": promise["example"]["smallest"]["messages"]}
        assert call("info", str(file), "--json").json["messages"] == len(document["messages"]) < 43


def test_files_that_are_there_already_stay_unless_forced(tmp_path: Path) -> None:
    path = session_file(tmp_path)
    there = tmp_path / "autogen-buffered-first-user.json"
    there.write_text("mine")
    asked = ("guarantees", path, "-p", "autogen-buffered", "--only", "first-user", "-o", str(tmp_path))
    assert_one_sentence(call(*asked), naming="exists already; --force replaces it")
    assert there.read_text() == "mine"
    assert call(*asked, "--force").status == 1
    assert "messages" in json.loads(there.read_bytes())


def test_a_parameter_that_is_held_is_in_every_command(tmp_path: Path) -> None:
    path = session_file(tmp_path)
    answer = call("guarantees", path, "-p", "head-tail", "-s", "old_tool_chars=2990", "--only", "results", "--json")
    assert answer.json["held"] == {"old_tool_chars": 2990}
    assert "-s old_tool_chars=2990" in of(answer.json, "results")["example"]["compact"]


def test_what_came_by_standard_input_is_called_so_in_commands(tmp_path: Path) -> None:
    session = Path(session_file(tmp_path)).read_bytes()
    arguments = ("-p", "semantic-kernel-truncation", "--only", "first-user", "--json")
    document = call("guarantees", "-", *arguments, stdin=session).json
    verb, path = shlex.split(of(document, "first-user")["example"]["compact"])[1:3]
    assert (verb, path) == ("compact", "-")


def test_the_page_names_place_settings_and_what_to_type(tmp_path: Path) -> None:
    path, folder = session_file(tmp_path), tmp_path / "out"
    out = call("guarantees", path, "-p", "semantic-kernel-truncation", "--only", "first-user", "-o", str(folder)).out
    assert "! first user message kept: the first user message, often the task, is not sent" in out
    assert f"  see it    inspector compact {path} -p semantic-kernel-truncation -s target_count=" in out
    assert (
        f"  open it   inspector {folder}/semantic-kernel-truncation-first-user.json -p semantic-kernel-truncation"
        in out
    )
    assert "1 of 1 promise broken." in out


def test_the_samples_are_tried_where_no_session_is_named() -> None:
    answer = call("guarantees", "-p", "autogen-token-limited", "--only", "pairs", "--json")
    assert answer.status == 1
    assert len(answer.json["sources"]) >= 10
    assert answer.json["requests_with_defaults"] == answer.json["requests_tried"] == answer.json["requests"] > 300


def test_the_same_call_says_the_same(tmp_path: Path) -> None:
    asked = ("guarantees", session_file(tmp_path, conversation(8)), "-p", "strands-sliding", "--seed", "7", "--json")
    assert call(*asked).out == call(*asked).out


def test_mistakes_are_one_sentence(tmp_path: Path) -> None:
    path, empty = session_file(tmp_path), session_file(tmp_path, conversation(0)[:2], "unanswered.json")
    assert_one_sentence(call("guarantees", path), naming="name a policy with -p")
    assert_one_sentence(call("guarantees", path, "-p", "head-tial"), naming="did you mean head-tail?")
    assert_one_sentence(
        call("guarantees", path, "-p", "cascade", "--only", "peace"), naming="there is no promise 'peace'"
    )
    assert_one_sentence(call("guarantees", "nowhere.json", "-p", "cascade"), naming="nowhere.json")
    assert_one_sentence(call("guarantees", empty, "-p", "cascade"), naming="no session given holds an answer")


def test_promises_and_policies_are_completed() -> None:
    words = {"COMP_WORDS": "inspector guarantees --only fi", "COMP_CWORD": "3", "_INSPECTOR_COMPLETE": "bash_complete"}
    assert "first-user" in process(**words).out
    words |= {"COMP_WORDS": "inspector guarantees -p casc"}
    assert "cascade" in process(**words).out
