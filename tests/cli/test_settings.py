"""`inspector settings`: TOML for the next call, or what the product of the policy takes."""

import json
import tomllib
from pathlib import Path

import pytest

from inspector.policies import POLICIES
from tests.cli.program import assert_one_sentence, call, conversation, session_file


def test_without_a_product_it_is_toml_that_the_next_call_reads(tmp_path: Path) -> None:
    answer = call("settings", "-p", "head-tail", "-s", "keep_recent=3")
    assert (answer.status, answer.err) == (0, "")
    assert tomllib.loads(answer.out)["settings"]["keep_recent"] == 3
    assert '\n# inspector.compact(\n#     session,\n#     "head-tail",\n#     keep_recent=3,\n' in answer.out
    (tmp_path / "settings.toml").write_text(answer.out, encoding="utf-8")
    again = call("settings", "-s", f"@{tmp_path / 'settings.toml'}")
    assert again.out == answer.out


def test_a_product_takes_its_own_call() -> None:
    answer = call("settings", "-p", "strands-sliding", "-s", "window_size=12", "-s", "pin_first=1", "--for", "strands")
    assert (answer.status, answer.err) == (0, "")
    assert answer.out == (
        "# Strands has no setting for overflows: it acts on one whenever the model refuses for length.\n"
        "from strands.agent.conversation_manager import SlidingWindowConversationManager\n"
        "\n"
        "conversation_manager = SlidingWindowConversationManager(\n"
        "    window_size=12,\n"
        "    should_truncate_results=True,\n"
        "    pin_first=1,\n"
        ")\n"
    )


def test_a_product_that_takes_one_policy_names_it_and_one_that_takes_more_asks() -> None:
    assert call("settings", "--for", "pi").out == call("settings", "-p", "pi-cut", "--for", "pi").out
    assert_one_sentence(call("settings", "--for", "codex"), naming="codex-cap, codex-compact: name one with -p")
    assert_one_sentence(call("settings", "--for", "nobody"), naming="name a policy with -p")


def test_json_without_comments_goes_alone_and_the_sentences_to_stderr() -> None:
    answer = call("settings", "-p", "pi-cut", "-s", "keep_recent_tokens=9000", "--for", "pi")
    assert json.loads(answer.out)["compaction"]["keepRecentTokens"] == 9_000
    assert "inspector: pi has no setting for context_window: it takes that of its model.\n" in answer.err


def test_the_document_has_fixed_keys() -> None:
    taken = call("settings", "-p", "codex-cap", "--for", "codex", "--json").json
    assert list(taken) == ["policy", "params", "product", "language", "text", "notes"]
    assert (taken["product"], taken["language"], taken["text"]) == (
        "codex",
        "toml",
        "tool_output_token_limit = 10000\n",
    )
    plain = call("settings", "-p", "codex-cap", "--json").json
    assert (plain["product"], plain["language"], plain["notes"]) == (None, "toml", [])


@pytest.mark.parametrize(
    ("arguments", "naming"),
    [
        (("-p", "langchain-clear", "--for", "codex"), "langchain-clear is taken by langchain, not by 'codex'"),
        (("-p", "head-tail", "--for", "langchain"), "no product has settings for head-tail"),
        (("-p", "claude-code-microcompact", "--for", "claude-code"), "no product has settings for"),
        (("--for", "langchain"), "langchain-summarize: name one with -p"),
        (("-p", "langchain-clear", "-s", "keep=many"), "keep wants"),
    ],
)
def test_what_cannot_be_taken_is_one_sentence(arguments: tuple[str, ...], naming: str) -> None:
    assert_one_sentence(call("settings", *arguments), naming=naming)


def test_toml_holds_no_control_that_a_terminal_obeys(tmp_path: Path) -> None:
    text = "a\x9b31m\u202e\U000e0041 é\n\ttab"
    (tmp_path / "text").write_text(text, encoding="utf-8")
    out = call("settings", "-p", "checkpoint", "-s", f"checkpoint=@{tmp_path / 'text'}").out
    assert all(char.isprintable() or char == "\n" for char in out)
    assert tomllib.loads(out)["settings"]["checkpoint"] == text


@pytest.mark.parametrize("name", [name for name, policy in POLICIES.items() if policy.product])
def test_every_policy_says_how_its_settings_are_taken(name: str) -> None:
    product = call("policies", name, "--json").json["policies"][0]["product"]
    assert f"settings -p {name} --for {product}\n" in call("policies", name).out
    assert call("settings", "-p", name, "--for", product).status == 0


def test_policies_of_the_tool_that_recorded_a_session_come_first(tmp_path: Path) -> None:
    swe = [{"role": "system", "content": "s", "agent": "main", "message_type": "system_prompt"}]
    path = tmp_path / "run.traj"
    path.write_text(json.dumps({"trajectory": [], "history": swe, "info": {}}), encoding="utf-8")
    listed = call("policies", "--for", str(path), "--json").json["policies"]
    assert listed[0]["name"] == "swe-agent-last-n"
    assert sorted(policy["name"] for policy in listed) == sorted(POLICIES)
    anybodys = call("policies", "--for", session_file(tmp_path, conversation(2)), "--json").json["policies"]
    assert [policy["name"] for policy in anybodys] == list(POLICIES)
    assert_one_sentence(call("policies", "cascade", "--for", str(path)), naming="exclude each other")
    assert_one_sentence(call("policies", "--for", str(tmp_path / "none")), naming="none")
