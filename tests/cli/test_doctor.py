"""The verbs doctor, repair and targets, called as a user calls them."""

import json
from pathlib import Path

import pytest

from tests.cli.program import assert_one_sentence, call
from tests.doctor.builders import calls, chat, result, said, user

BROKEN = chat(user(), calls("call_1", "call_2"), result("call_1"), user(), said())
SOUND = chat(user(), calls("call_1"), result("call_1"), said())


def written(folder: Path, document: object, name: str = "session.json") -> str:
    path = folder / name
    path.write_text(json.dumps(document), encoding="utf-8")
    return str(path)


def test_a_place_many_levels_deep_is_cut_for_people_and_whole_for_programs(tmp_path: Path) -> None:
    path = str(tmp_path / "deep.json")
    twice = '{"deeper":' * 100 + '{"key":1,"key":2}' + "}" * 100
    Path(path).write_text('{"messages":[{"role":"user","content":"x","more":' + twice + "}]}")
    found = call("doctor", path, "--json").json["findings"]
    longest = max(len(one["pointer"]) for one in found)
    assert longest > 200
    assert max(map(len, call("doctor", path).out.splitlines())) < longest


def test_the_doctor_says_where_what_who_and_how(tmp_path: Path) -> None:
    answer = call("doctor", written(tmp_path, BROKEN))
    assert answer.status == 1
    for words in ("message 1", "/messages/1/tool_calls/1", "nothing answers the call of look (call_2)", "openai says",
                  "repair: Put in a result", "1 error"):  # fmt: skip
        assert words in answer.out


def test_nothing_wrong_is_said_with_what_was_checked(tmp_path: Path) -> None:
    answer = call("doctor", written(tmp_path, SOUND))
    assert answer.status == 0
    assert "Nothing is wrong" in answer.out
    assert "4 messages with 1 call and 1 result" in answer.out


def test_the_doctor_says_of_damage_what_the_repair_then_does(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(json.dumps({**SOUND, "metadata": 1}).encode().replace(b"1}", b"NaN}") + b'\n{"messages": [\n')
    told = [one["repair"] for one in call("doctor", str(path), "--json").json["findings"]]
    done = [one["did"] for one in call("repair", str(path), "--dry-run", "--json").json["repaired"]]
    assert sorted(told) == sorted(done) == ["Put null.", "Set the partial record aside."]


def test_json_has_the_keys_of_the_design(tmp_path: Path) -> None:
    found = call("doctor", written(tmp_path, BROKEN), "--json").json
    assert (found["target"], found["messages"]) == ("native", 5)
    assert set(found["findings"][0]) == {
        "code", "severity", "message_index", "pointer", "line", "row", "says", "repair",
    }  # fmt: skip
    assert found["findings"][0]["row"] == 1


def test_all_targets_are_a_table(tmp_path: Path) -> None:
    answer = call("doctor", written(tmp_path, SOUND), "--target", "all")
    assert answer.status == 1
    assert any(line.startswith("mistral") and "tool-call-id-format" in line for line in answer.out.splitlines())
    both = call("doctor", written(tmp_path, SOUND), "--target", "mistral", "--target", "openai", "--json").json
    assert [report["target"] for report in both["reports"]] == ["mistral", "openai"]


def test_strict_counts_warnings(tmp_path: Path) -> None:
    path = written(tmp_path, chat(user(), calls("a")))
    assert call("doctor", path).status == 0
    assert call("doctor", path, "--strict").status == 1


def test_a_folder_is_a_line_for_each_recording(tmp_path: Path) -> None:
    written(tmp_path, BROKEN, "a.json")
    written(tmp_path, SOUND, "b.json")
    (tmp_path / "notes.txt").write_text("no session", encoding="utf-8")
    (tmp_path / "c.jsonl").write_bytes(b"")
    answer = call("doctor", str(tmp_path))
    lines = answer.out.splitlines()
    assert len(lines) == 3
    assert "1 error: dangling-tool-call" in lines[0]
    assert lines[1].endswith("nothing is wrong")
    assert "empty" in lines[2]
    assert answer.status == 2


def store(folder: Path, session: str) -> None:
    """A store of opencode's, whose one recording is a folder."""
    for path, body in (
        (f"session/p/{session}.json", {"id": session}),
        (f"message/{session}/m1.json", {"id": "m1", "sessionID": session, "role": "user"}),
        ("part/m1/p1.json", {"id": "p1", "messageID": "m1", "sessionID": session, "type": "text", "text": "hello"}),
    ):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        written(folder, body, path)


def test_of_several_conversations_it_is_said_that_one_was_examined(tmp_path: Path) -> None:
    path = tmp_path / "two.jsonl"
    path.write_text(f"{json.dumps(SOUND)}\n{json.dumps(BROKEN)}\n", encoding="utf-8")
    assert "1 of 2 conversations: --index N examines another" in call("doctor", str(path)).out
    assert call("doctor", str(path), "--json").json["conversations"] == 2
    assert "(1 of 2 conversations)" in call("doctor", str(path), str(path)).out
    assert "--index" not in call("doctor", written(tmp_path, SOUND)).out


def test_a_format_that_there_is_not_is_said_of_a_folder_too(tmp_path: Path) -> None:
    written(tmp_path, SOUND)
    assert_one_sentence(call("doctor", str(tmp_path), "--format", "nope"), naming="no format 'nope'")


def test_a_recording_that_is_a_folder_does_not_hide_those_beside_it(tmp_path: Path) -> None:
    store(tmp_path / "a", "ses_1")
    alone = call("doctor", str(tmp_path))
    assert "opencode_storage" in alone.out
    assert len(alone.out.split("\n\n")) == 2
    written(tmp_path, BROKEN, "broken.json")
    beside = call("doctor", str(tmp_path)).out.splitlines()
    assert ["opencode_storage" in line for line in beside] == [True, False]
    assert "1 error: dangling-tool-call" in beside[1]
    store(tmp_path / "b", "ses_2")
    assert sum("opencode_storage" in line for line in call("doctor", str(tmp_path)).out.splitlines()) == 2


def test_an_unreadable_file_still_gives_its_finding(tmp_path: Path) -> None:
    (tmp_path / "c.jsonl").write_bytes(b"")
    answer = call("doctor", str(tmp_path / "c.jsonl"), "--json")
    assert answer.status == 2
    assert [one["code"] for one in answer.json["findings"]] == ["empty-file"]
    assert answer.err.count("\n") == 1


def test_a_refusal_names_the_call_that_it_is_about(tmp_path: Path) -> None:
    out = call("doctor", written(tmp_path, SOUND), "--target", "mistral").out
    assert "mistral says: Tool call id was call_1 but must be" in out


def test_an_error_text_leads_to_its_message_by_id(tmp_path: Path) -> None:
    session = chat(user(), calls("call_1"), user(), calls("call_2"), user(), said())
    text = (
        "Error code: 400 - {'error': {'message': \"An assistant message with 'tool_calls' must be followed by tool "
        "messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: "
        'call_2"}}'
    )
    answer = call("doctor", written(tmp_path, session), "--error", text)
    assert "/messages/3/tool_calls/0" in answer.out
    assert "/messages/1/tool_calls/0" not in answer.out
    assert "1 more of the kind" in answer.out
    found = call("doctor", written(tmp_path, session), "--error", "-", "--json", stdin=text.encode()).json
    assert found["error"]["finding"]["pointer"] == "/messages/3/tool_calls/0"


def test_an_error_text_chooses_the_target_whose_rule_it_is(tmp_path: Path) -> None:
    answer = call("doctor", written(tmp_path, SOUND), "--error", "Tool call id was x but must be a-z, A-Z, 0-9")
    assert "tool-call-id-format" in answer.out
    assert "/messages/1/tool_calls/0/id" in answer.out


def test_an_error_that_the_session_does_not_show_is_said_to_be_absent(tmp_path: Path) -> None:
    answer = call("doctor", written(tmp_path, SOUND), "--error", "messages: text content blocks must be non-empty")
    assert "This session has no such fault" in answer.out


def test_the_original_tells_of_a_lost_prompt(tmp_path: Path) -> None:
    original = written(tmp_path, chat({"role": "system", "content": "rules"}, user(), said()), "original.json")
    compacted = written(tmp_path, chat(user(), said()))
    found = call("doctor", compacted, "--original", original, "--json").json["findings"]
    assert [(one["code"], one["message_index"], one["pointer"]) for one in found] == [
        ("system-prompt-dropped", 0, "/messages/0")
    ]
    assert call("repair", compacted, "--original", original, "-o", str(tmp_path / "o.json")).status == 0
    assert json.loads((tmp_path / "o.json").read_text())["messages"][0]["content"] == "rules"


def test_a_wrong_target_is_one_sentence(tmp_path: Path) -> None:
    assert_one_sentence(call("doctor", written(tmp_path, SOUND), "--target", "mistrall"), naming="mistral")


def test_a_repair_writes_a_copy_and_says_what_it_did(tmp_path: Path) -> None:
    path, out = written(tmp_path, BROKEN), tmp_path / "out.json"
    before = Path(path).read_bytes()
    answer = call("repair", path, "-o", str(out), "--json")
    assert answer.status == 0
    assert [(one["code"], one["message_index"]) for one in answer.json["repaired"]] == [("dangling-tool-call", 1)]
    assert Path(path).read_bytes() == before
    assert call("doctor", str(out)).status == 0


def test_nothing_to_repair_gives_the_same_bytes(tmp_path: Path) -> None:
    path, out = written(tmp_path, SOUND), tmp_path / "out.json"
    answer = call("repair", path, "-o", str(out))
    assert "nothing to repair" in answer.out
    assert out.read_bytes() == Path(path).read_bytes()


def test_a_dry_run_shows_the_difference_and_writes_nothing(tmp_path: Path) -> None:
    answer = call("repair", written(tmp_path, BROKEN), "--dry-run")
    assert any(line.startswith("+") and "no result was recorded" in line for line in answer.out.splitlines())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["session.json"]


def test_pieces_of_records_go_into_a_file_beside_the_copy(tmp_path: Path) -> None:
    path, out = tmp_path / "s.jsonl", tmp_path / "out.jsonl"
    path.write_bytes(json.dumps(user()).encode() + b"\n" + json.dumps(said()).encode() + b'\n{"role": "us')
    assert call("repair", str(path), "-o", str(out)).status == 0
    assert (tmp_path / "out.jsonl.rejected").read_bytes() == b'{"role": "us\n'


@pytest.mark.parametrize("arguments", [("--consent", "bom", "-o", "x"), (), ("-o", "-", "--json")])
def test_wrong_use_is_one_sentence(arguments: tuple[str, ...], tmp_path: Path) -> None:
    assert_one_sentence(call("repair", written(tmp_path, SOUND), *arguments))


def test_the_recording_is_never_replaced(tmp_path: Path) -> None:
    path = written(tmp_path, BROKEN)
    assert_one_sentence(call("repair", path, "-o", path, "--force"), naming="never replaced")


def test_a_repaired_copy_can_go_to_standard_output(tmp_path: Path) -> None:
    answer = call("repair", written(tmp_path, BROKEN), "-o", "-")
    assert len(json.loads(answer.out)["messages"]) == 6


def test_targets_are_listed() -> None:
    assert call("targets").out.startswith("native")
    assert {"name", "provider", "help"} == set(call("targets", "--json").json["targets"][0])
