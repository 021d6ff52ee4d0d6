import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import inspector
from inspector.cli import VERBS
from inspector.policies import POLICIES
from tests.cli.program import Answer, assert_one_sentence, call, conversation, process, session_file

INFO_KEYS = [
    "format", "source", "messages", "by_role", "tool_calls", "tool_results", "dangling_tool_calls",
    "orphan_tool_results", "images", "conversations", "tokens", "damage",
]  # fmt: skip
COMPACT_KEYS = ["policy", "params", "messages", "stats", "notes", "edits", "tokens", "findings"]
EDIT_KEYS = [
    "index", "action", "reason", "before_chars", "after_chars", "before_tokens", "after_tokens",
]  # fmt: skip
FINDING_KEYS = ["code", "severity", "message_index", "pointer", "line", "row", "says", "repair"]


def test_info_has_the_fixed_keys_and_counts(tmp_path: Path) -> None:
    path = session_file(tmp_path)
    answer = call("info", path, "--json")
    assert (answer.status, answer.err) == (0, "")
    found = answer.json
    assert list(found) == INFO_KEYS
    assert found["source"] == path
    assert found["format"] == "openai_chat"
    assert found["messages"] == 43
    assert found["by_role"] == {"system": 1, "user": 1, "assistant": 21, "tool": 20}
    assert (found["tool_calls"], found["tool_results"]) == (20, 20)
    assert (found["dangling_tool_calls"], found["orphan_tool_results"]) == (0, 0)
    assert (found["images"], found["conversations"], found["damage"]) == (0, 1, [])
    assert found["tokens"]["encoding"] == "o200k_base"
    assert found["tokens"]["exact"] is True
    assert found["tokens"]["total"] > 1_000


def test_info_pairs_by_id_anywhere_in_the_conversation(tmp_path: Path) -> None:
    messages = conversation(3)
    messages[3]["tool_call_id"] = "nobody"
    moved = messages.pop(5)
    messages.append(moved)
    found = call("info", session_file(tmp_path, messages), "--json").json
    assert (found["dangling_tool_calls"], found["orphan_tool_results"]) == (1, 1)


def test_info_matches_calls_without_ids_by_their_number(tmp_path: Path) -> None:
    messages = conversation(3)
    for body in messages:
        body.pop("tool_call_id", None)
        for made in body.get("tool_calls", ()):
            made.pop("id")
    del messages[-2]
    found = call("info", session_file(tmp_path, messages), "--json").json
    assert (found["tool_calls"], found["dangling_tool_calls"], found["orphan_tool_results"]) == (3, 1, 0)


def test_info_for_people_names_the_figures(tmp_path: Path) -> None:
    answer = call("info", session_file(tmp_path), "--window", "10000")
    assert "openai_chat" in answer.out
    assert "o200k exact" in answer.out
    assert "of 10,000" in answer.out


def test_a_model_without_a_public_tokenizer_is_an_estimate(tmp_path: Path) -> None:
    path = session_file(tmp_path)
    assert call("info", path, "--json", "--model", "claude-sonnet-4").json["tokens"]["exact"] is False
    assert "estimate" in call("compact", path, "-p", "head-tail", "--model", "claude-sonnet-4").out


def test_messages_are_json_lines_in_a_pipe(tmp_path: Path) -> None:
    messages = conversation(2)
    path = session_file(tmp_path, messages)
    for arguments in (("--json",), (), ("--to", "openai")):
        lines = [json.loads(line) for line in call("messages", path, *arguments).out.splitlines()]
        assert [line["message"] for line in lines] == messages
        assert all(list(line) == ["index", "origin", "tokens", "message"] for line in lines)
        assert [line["index"] for line in lines] == list(range(len(messages)))
        assert lines[2]["origin"] == {"index": 2, "pointer": "/messages/2", "line": None}
        assert all(line["tokens"] > 0 for line in lines)


def test_the_tokens_of_the_messages_add_up_to_those_of_info_and_compact(tmp_path: Path) -> None:
    path = session_file(tmp_path)
    lines = [json.loads(line) for line in call("messages", path, "--json").out.splitlines()]
    total = sum(line["tokens"] for line in lines)
    assert call("info", path, "--json").json["tokens"]["total"] == total
    assert call("compact", path, "-p", "head-tail", "--json").json["tokens"]["original"] == total


def test_compact_has_the_fixed_keys(tmp_path: Path) -> None:
    path = session_file(tmp_path)
    answer = call("compact", path, "-p", "head-tail", "-s", "keep_recent=4", "-s", "old_tool_chars=100", "--json")
    assert (answer.status, answer.err) == (0, "")
    found = answer.json
    assert list(found) == COMPACT_KEYS
    assert found["policy"] == "head-tail"
    assert found["params"] == {"keep_recent": 4, "old_tool_chars": 100, "compact_threshold_chars": 0}
    assert len(found["messages"]) == 43
    assert found["stats"]["compacted_tool_messages"] == len(found["edits"]) == 18
    assert list(found["edits"][0]) == EDIT_KEYS
    assert found["edits"][0]["index"] == 3
    assert list(found["tokens"]) == ["original", "sent", "saved"]
    assert found["tokens"]["saved"] == found["tokens"]["original"] - found["tokens"]["sent"] > 0
    assert found["findings"] == []


def test_compact_at_a_request_sees_only_what_came_before(tmp_path: Path) -> None:
    path = session_file(tmp_path)
    found = call("compact", path, "-p", "head-tail", "--at", "1", "--json").json
    assert len(found["messages"]) == 4


def test_compact_agrees_with_the_python_interface(tmp_path: Path) -> None:
    path = session_file(tmp_path)
    view = inspector.compact(inspector.load(path), "cascade", target_tokens=2_000, ceiling_tokens=3_000)
    found = call(
        "compact", path, "-p", "cascade", "-s", "target_tokens=2000", "-s", "ceiling_tokens=3000", "--json"
    ).json
    assert found["messages"] == view.messages
    assert found["notes"] == view.notes
    assert found["stats"] == view.stats


def broken(tmp_path: Path, *arguments: str) -> Answer:
    """A summary that parts calls from their results."""
    settings = ("target_tokens=10", "ceiling_tokens=10", "keep_verbatim=2")
    given = [word for setting in settings for word in ("-s", setting)]
    return call("compact", session_file(tmp_path, conversation(9)), "-p", "cascade", *given, *arguments)


def test_an_error_that_the_policy_introduced_is_exit_status_1(tmp_path: Path) -> None:
    found = broken(tmp_path, "--json")
    assert found.status == 1
    assert list(found.json["findings"][0]) == FINDING_KEYS
    assert "error" in {fault["severity"] for fault in found.json["findings"]}
    shown = broken(tmp_path)
    assert shown.status == 1
    assert "broken by the policy" in shown.out
    assert found.json["findings"][0]["code"] in shown.out


def test_what_a_provider_refuses_of_a_repair_is_told_as_the_doctor_tells_it(tmp_path: Path) -> None:
    system, task, asks, answer, *_ = conversation(1, 80)
    late = session_file(tmp_path, [system, task, asks, {"role": "user", "content": "Well?"}, answer])
    found = call("compact", late, "-p", "head-tail", "--json")
    assert found.status == 1
    assert [(one["code"], one["severity"]) for one in found.json["findings"]] == [("duplicate-tool-result", "error")]
    compared = call("compare", late, "-p", "head-tail", "--json").json["policies"][0]["findings"]
    assert [(one["code"], one["row"]) for one in compared] == [
        (one["code"], one["row"]) for one in found.json["findings"]
    ]


def test_a_warning_is_said_on_stderr_beside_the_document(tmp_path: Path) -> None:
    answer = broken(tmp_path, "--json")
    assert answer.err.startswith("inspector: ")
    assert answer.json


def test_a_default_of_runs_alone_is_told_where_it_would_change_what_is_sent(tmp_path: Path) -> None:
    long, short = (session_file(tmp_path, conversation(2, size), f"{size}.json") for size in (5_000, 4_000))
    told = "add -s max_result_chars=4000 to see it"
    assert told in call("compact", long, "-p", "cascade").err
    for quiet in (
        call("compact", long, "-p", "cascade", "-s", "max_result_chars=4000"),
        call("compact", short, "-p", "cascade"),
        call("compact", long, "-p", "head-tail"),
    ):
        assert told not in quiet.err


def test_a_view_that_grew_is_a_loss_in_words(tmp_path: Path) -> None:
    path = session_file(tmp_path, conversation(20, size=96))
    answer = call("compact", path, "-p", "head-tail", "-s", "old_tool_chars=80", "-s", "keep_recent=0")
    assert "grew by" in answer.out
    assert "saved" not in answer.out.splitlines()[3]


def test_compact_for_people_is_short(tmp_path: Path) -> None:
    answer = call("compact", session_file(tmp_path), "-p", "head-tail", "-s", "old_tool_chars=100")
    assert answer.status == 0
    assert "saved" in answer.out
    assert "keep_recent=12" in answer.out
    assert "--json has all" in answer.out
    assert "nothing is broken" in answer.out
    assert len(answer.out.splitlines()) < 40
    assert max(map(len, answer.out.splitlines())) <= 120


def test_the_settings_file_names_the_policy(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text('policy = "head-tail"\n\n[settings]\nkeep_recent = 5\n')
    found = call("compact", session_file(tmp_path), "-s", f"@{tmp_path / 's.toml'}", "--json").json
    assert (found["policy"], found["params"]["keep_recent"]) == ("head-tail", 5)


def test_output_is_the_messages_alone(tmp_path: Path) -> None:
    path, out = session_file(tmp_path), tmp_path / "out.json"
    answer = call("compact", path, "-p", "head-tail", "-o", str(out), "--json")
    assert json.loads(out.read_text(encoding="utf-8")) == {"messages": answer.json["messages"]}
    to_stdout = call("compact", path, "-p", "head-tail", "-o", "-")
    assert to_stdout.json == {"messages": answer.json["messages"]}


def test_output_may_hold_a_lone_surrogate(tmp_path: Path) -> None:
    messages = [{"role": "user", "content": "half \ud83d of it, 日本"}]
    out = tmp_path / "out.json"
    assert call("compact", session_file(tmp_path, messages), "-p", "head-tail", "-o", str(out)).status == 0
    text = out.read_text(encoding="utf-8")
    assert "日本" in text
    assert json.loads(text) == {"messages": messages}


def test_output_replaces_only_by_force_and_never_the_input(tmp_path: Path) -> None:
    path, out = session_file(tmp_path), tmp_path / "out.json"
    recorded = Path(path).read_bytes()
    out.write_text("mine")
    compact = ("compact", path, "-p", "head-tail", "-o")
    assert_one_sentence(call(*compact, str(out)), naming="--force")
    assert out.read_text() == "mine"
    assert call(*compact, str(out), "--force").status == 0
    assert out.read_text() != "mine"
    for same in (path, f"{tmp_path}/./session.json"):
        assert_one_sentence(call(*compact, same, "--force"), naming="never replaced")
    assert_one_sentence(call(*compact, str(tmp_path / "no" / "out.json")), naming="No such file")
    assert_one_sentence(call(*compact, str(tmp_path)), naming="folder")
    assert Path(path).read_bytes() == recorded


def test_reading_writes_nothing(tmp_path: Path) -> None:
    path = session_file(tmp_path)
    for verb in (("info",), ("messages",), ("compact", "-p", "head-tail"), ("checkpoint", "prompt")):
        call(*verb, path)
    assert [entry.name for entry in tmp_path.iterdir()] == ["session.json"]


@pytest.mark.parametrize(
    "verb", [("info",), ("messages",), ("compact", "-p", "head-tail"), ("checkpoint", "prompt")], ids=" ".join
)
def test_standard_input_answers_like_the_file(tmp_path: Path, verb: tuple[str, ...]) -> None:
    path = session_file(tmp_path)
    from_file = call(*verb, path, "--json")
    from_stdin = call(*verb, "-", "--json", stdin=Path(path).read_bytes())
    assert from_stdin.status == from_file.status
    assert from_stdin.out == from_file.out.replace(json.dumps(path), '"-"')


@pytest.mark.skipif(sys.platform != "linux", reason="file names that are not UTF-8")
def test_a_file_name_that_is_not_utf8_is_read(tmp_path: Path) -> None:
    path = os.fsencode(session_file(tmp_path))
    strange = os.path.join(os.fsencode(tmp_path), b"caf\xe9\x1b.json")
    os.rename(path, strange)
    answer = process(b"info", strange, b"--json")
    assert (answer.status, answer.json["messages"]) == (0, 43)
    assert process(b"compact", strange, b"-p", b"head-tail").status == 0


def test_policies_tell_what_may_be_set() -> None:
    found = call("policies", "--json").json["policies"]
    assert [policy["name"] for policy in found] == list(POLICIES)
    for policy in found:
        for param in policy["params"]:
            assert {"name", "unit", "default", "low", "high", "limit", "help"} <= set(param)
    shown = call("policies", "cascade").out
    assert all(param.name in shown for param in POLICIES["cascade"].params)
    assert "head-tail" not in shown


def test_formats_are_listed() -> None:
    names = [form["name"] for form in call("formats", "--json").json["formats"]]
    assert "openai_chat" in names
    assert all(name in call("formats").out for name in names)


CHECKPOINT = '{"version": 1, "historySummary": "a \\u009b <b>", "compactedTurnCount": 3}'
ENCODED = (
    '{"version":1,"historySummary":"a \x9b \\u003cb\\u003e","scriptDesign":"","operationHistory":null,'
    '"pendingTasks":null,"currentWork":"","nextStep":"","decisions":null,"constraints":null,"userPreferences":null,'
    '"compactedTurnCount":3}'
)


def test_a_checkpoint_is_asked_for(tmp_path: Path) -> None:
    path = session_file(tmp_path)
    text = call("checkpoint", "prompt", path)
    assert text.status == 0
    assert "Read all the files." in text.out
    found = call("checkpoint", "prompt", path, "--json").json
    assert found == {"prompt": text.out, "turn_count": 1}


@pytest.mark.parametrize(
    "wrapped", ["{}", "```json\n{}\n```", "<agent-context-checkpoint>{}</agent-context-checkpoint>"]
)
def test_a_checkpoint_is_parsed_bare_fenced_and_framed(tmp_path: Path, wrapped: str) -> None:
    (tmp_path / "answer").write_text(wrapped.replace("{}", CHECKPOINT))
    answer = call("checkpoint", "parse", str(tmp_path / "answer"), "--json")
    assert (answer.status, answer.out) == (0, ENCODED + "\n")
    shown = call("checkpoint", "parse", "-", stdin=CHECKPOINT.encode())
    assert "accepted" in shown.out
    assert "65,536" in shown.out


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"", "invalid checkpoint size or encoding"),
        (b"\xff", "invalid checkpoint size or encoding"),
        (b" " + b"x" * 65_537, "invalid checkpoint size or encoding (65,538 of 65,536 bytes)"),
        (b"{", "decode checkpoint: "),
        (b"I cannot do that.", "decode checkpoint: "),
        (b'{"version": 2}', "invalid checkpoint contract"),
        (b'{"version": 1} and more', "checkpoint contains trailing data"),
        (b"<agent-context-checkpoint>{}", "checkpoint frame is invalid"),
        (b"[" * 100_00, "decode checkpoint: "),
    ],
)
@pytest.mark.parametrize("verb", ["parse", "frame"])
def test_a_checkpoint_that_is_refused_says_exactly_why(raw: bytes, reason: str, verb: str) -> None:
    assert_one_sentence(call("checkpoint", verb, "-", stdin=raw), naming=reason)


def test_a_checkpoint_is_framed() -> None:
    answer = call("checkpoint", "frame", "-", stdin=CHECKPOINT.encode())
    framed = f"<agent-context-checkpoint>\n{ENCODED}\n</agent-context-checkpoint>"
    assert (answer.status, answer.out) == (0, framed + "\n")
    assert call("checkpoint", "frame", "-", "--json", stdin=CHECKPOINT.encode()).json == {"frame": framed}
    assert call("checkpoint", "frame", "-", stdin=framed.encode()).out == framed + "\n"


@pytest.mark.parametrize("verb", [(), *((verb,) for verb in VERBS), *(("checkpoint", v) for v in ("prompt", "parse"))])
def test_help_ends_with_an_example(verb: tuple[str, ...]) -> None:
    for flag in ("--help", "-h"):
        answer = call(*verb, flag)
        assert answer.status == 0
        assert "Example" in answer.out.splitlines()[-1] or "inspector" in answer.out.splitlines()[-1]
        assert "Example" in answer.out


def test_the_first_help_shows_the_options_of_the_application_and_every_verb() -> None:
    out = call("--help").out
    for word in ("[SESSION]", "--policy", "--window", "--no-mouse", *VERBS):
        assert word in out


def test_the_version_is_told() -> None:
    assert call("--version").out == f"inspector {inspector.__version__}\n"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_writes_a_script(shell: str) -> None:
    answer = call("completion", shell)
    assert answer.status == 0
    assert "_INSPECTOR_COMPLETE" in answer.out


@pytest.mark.parametrize(
    ("words", "at", "offered"),
    [
        ("inspector ", 1, "plain,compact"),
        ("inspector comp", 1, "plain,compact"),
        ("inspector compact x -p ", 4, "plain,head-tail"),
        ("inspector compact x -p cascade -s ", 6, "plain,target_tokens="),
        ("inspector info --format open", 3, "plain,openai_chat"),
        ("inspector info ", 2, "file,"),
        ("inspector ses", 1, "file,ses"),
    ],
)
def test_completion_offers_what_may_follow(words: str, at: int, offered: str) -> None:
    done = process(_INSPECTOR_COMPLETE="bash_complete", COMP_WORDS=words, COMP_CWORD=str(at))
    assert offered in done.out.splitlines()
    assert "Traceback" not in done.err


@pytest.mark.parametrize("verb", [("policies",), ("formats",), ("checkpoint", "parse", "-"), ("info", "-")])
def test_no_verb_imports_the_interface(verb: tuple[str, ...]) -> None:
    session = json.dumps(conversation(1)).encode()
    script = (
        "import sys; from inspector.__main__ import main; main(sys.argv[1:]);"
        "print([name for name in ('textual', 'rich.console', 'tiktoken', 'platformdirs') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *verb, "--json"], input=session, capture_output=True, timeout=60
    )
    assert done.stdout.decode().splitlines()[-1] == "[]"
