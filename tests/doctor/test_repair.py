"""Repairs: the smallest change in the file's own shape, and nothing that is forbidden."""

import json
from typing import Any

import pytest

from inspector.doctor import target_named
from inspector.doctor.repair import Outcome, Wish, repaired
from inspector.doctor.stubs import NO_RESULT
from inspector.formats import from_messages
from tests.doctor.builders import (
    answer,
    anthropic,
    asked,
    calls,
    chat,
    examined,
    function_call,
    gemini,
    image,
    item_call,
    item_output,
    item_user,
    items,
    line,
    model,
    png,
    response,
    result,
    said,
    text_block,
    turn,
    use,
    user,
)
from tests.doctor.case_folders import Case, cases, expanded
from tests.doctor.valid import raw_of

CASES = [case for case in cases() if case.meta["expected_repair"].get("file") and case.compared is None]


def mend(session: Any, target: str = "native", *consent: str, original: Any = None) -> Outcome:
    raw = session if isinstance(session, bytes) else raw_of(session)
    return repaired(raw, "session", Wish(target_named(target), frozenset(consent), original))


def mended(session: Any, target: str = "native", *consent: str, original: Any = None) -> Any:
    raw = mend(session, target, *consent, original=original).raw
    return tuple(map(json.loads, raw.splitlines())) if isinstance(session, tuple) else json.loads(raw)


@pytest.mark.parametrize("case", CASES, ids=[case.folder.name for case in CASES])
def test_a_case_is_repaired_so_that_no_error_is_left_and_only_once(case: Case, tmp_path: Any) -> None:
    raw = expanded(case, tmp_path).read_bytes()
    wish = Wish(target_named(case.meta["target"]))
    outcome = repaired(raw, case.input.name, wish)
    assert outcome.raw != raw
    assert [one for one in outcome.left if one.severity == "error"] == []
    assert repaired(outcome.raw, case.input.name, wish).raw == outcome.raw


def test_everything_beside_the_repair_keeps_its_bytes() -> None:
    raw = b'{"model":"m", "x": 1.50,\t"messages": [\n {"role": "user", "content": "\\u00e9"},\n' + (
        b' {"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function",'
        b'"function":{"name":"f","arguments":"{}"}}]},\n {"role": "user", "content": "on"}]}\n'
    )
    outcome = mend(raw)
    stub = b'{"role": "tool", "tool_call_id": "a", "content": "%s"}' % NO_RESULT.encode()
    assert outcome.raw.replace(b",\n " + stub, b"").replace(stub, b"") == raw


def test_an_orphan_goes_and_so_does_the_message_that_it_filled() -> None:
    session = anthropic(user(), said(), turn("user", answer("x")), said())
    assert len(mended(session)["messages"]) == 3
    kept = anthropic(user(), said(), turn("user", answer("x"), text_block()), said())
    assert mended(kept)["messages"][2] == turn("user", text_block())


def test_a_real_result_is_kept_rather_than_a_placeholder() -> None:
    session = chat(user(), calls("a"), result("a", NO_RESULT), result("a", "real"), said())
    assert [one.get("content") for one in mended(session)["messages"]] == ["go on", None, "real", "done"]


def test_results_move_to_the_beginning_of_their_message() -> None:
    session = anthropic(user(), turn("assistant", use("a"), use("b")),
                        turn("user", answer("a"), text_block(), answer("b")), said())  # fmt: skip
    assert mended(session)["messages"][2] == turn("user", answer("a"), answer("b"), text_block())


def test_a_result_in_another_message_moves_into_the_next_turn() -> None:
    session = anthropic(user(), turn("assistant", use("a")), user("wait"), turn("user", answer("a")), said())
    assert mended(session)["messages"][2:] == [turn("user", answer("a"), text_block("wait")), said()]


def test_split_responses_are_merged_into_the_first_turn() -> None:
    session = gemini(asked({"text": "q"}), model(function_call("a"), function_call("b")), asked(response("a")),
                     asked(response("b")), model({"text": "x"}))  # fmt: skip
    assert mended(session)["contents"][2:] == [asked(response("a"), response("b")), model({"text": "x"})]


def test_pictures_move_to_a_user_message_and_a_bare_result_says_nothing() -> None:
    part = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{png(4, 4)}"}}
    session = chat(user(), calls("a", "b"), result("a", [part]), result("b", [text_block(), part]), said())
    found = mended(session)["messages"]
    assert found[2]["content"] == ""
    assert found[3]["content"] == [text_block()]
    assert found[4] == {"role": "user", "content": [part, part]}


def test_an_input_is_parsed_or_wrapped_and_arguments_are_never_completed() -> None:
    session = anthropic(user(), turn("assistant", use("a", "free text")), turn("user", answer("a")), said())
    assert mended(session)["messages"][1]["content"][0]["input"] == {"value": "free text"}
    cut = chat(user(), calls("a", arguments='{"path": "a.t'), result("a"), said())
    assert mended(cut)["messages"][1]["tool_calls"][0]["function"]["arguments"] == "{}"


def test_ids_are_rewritten_in_pairs_without_collisions() -> None:
    session = chat(user(), calls("a.b", "a_b", "a:b"), result("a.b", "1"), result("a_b", "2"), result("a:b", "3"),
                   said())  # fmt: skip
    found = mended(session, "anthropic")["messages"]
    made = [call["id"] for call in found[1]["tool_calls"]]
    assert len(set(made)) == 3
    assert made[1] == "a_b"
    assert [one["tool_call_id"] for one in found[2:5]] == made
    short = [call["id"] for call in mended(session, "mistral")["messages"][1]["tool_calls"]]
    assert all(len(one) == 9 and one.isalnum() for one in short)


def test_consent_is_needed_for_stand_ins() -> None:
    session = chat(user(), calls("a"), result("a"), user())
    assert mend(session, "deepseek-thinking").repaired == ()
    found = mended(session, "deepseek-thinking", "missing-reasoning-content")
    assert found["messages"][1]["reasoning_content"] == ""
    signed = gemini(asked({"text": "q"}), model(function_call("a")), asked(response("a")))
    assert mend(signed, "gemini-3").repaired == ()
    part = mended(signed, "gemini-3", "missing-thought-signature")["contents"][1]["parts"][0]
    assert part["thoughtSignature"]


def test_texts_of_one_role_are_joined_for_a_strict_template() -> None:
    found = mended(chat(user("a"), user("b"), user("c"), said()), "strict-template")
    assert found["messages"] == [user("a\n\nb\n\nc"), said()]


def test_a_long_string_loses_its_middle_and_says_so() -> None:
    found = mended(chat(user("a" * 10_485_760 + "z"), said()))["messages"][0]["content"]
    assert len(found) <= 10_485_760
    assert "10,485,761 characters" in found
    assert (found[0], found[-1]) == ("a", "z")
    session = chat(user(), calls("a", arguments=json.dumps({"t": "x" * 1_048_570, "u": 1})), result("a"), said())
    arguments = mended(session)["messages"][1]["tool_calls"][0]["function"]["arguments"]
    assert json.loads(arguments)["u"] == 1


def test_large_pictures_among_many_become_notes() -> None:
    session = anthropic(turn("user", *[image() for _ in range(20)], image(2001, 10)), said())
    last = mended(session)["messages"][0]["content"][20]
    assert last == {"type": "text", "text": "[a picture of 2,001 x 10 pixels was here]"}


def test_items_lose_their_copies_their_ids_and_their_lost_reasoning() -> None:
    call = item_call("a", id="fc_1")
    assert mended(items(item_user(), call, call, item_output("a"), item_user()))["input"][1:3] == [
        call, item_output("a"),
    ]  # fmt: skip
    found = mended(items(item_user(), call, item_output("a"), item_user()), "openai-reasoning")
    assert found["input"][1] == item_call("a")
    thought = {"type": "reasoning", "id": "rs_1", "summary": []}
    assert mended(items(item_user(), thought, item_user()))["input"] == [item_user(), item_user()]


def test_a_line_that_is_put_in_takes_its_place_in_the_chain() -> None:
    session = (line(0, "user", user()), line(1, "assistant", {"id": "m", "role": "assistant", "content": [use("a")]}),
               line(2, "user", user()))  # fmt: skip
    found = mended(session)
    assert [one["parentUuid"] for one in found] == [None, "u0", "u1", found[2]["uuid"]]
    assert found[2]["timestamp"] == found[1]["timestamp"]
    assert found[2]["message"]["content"] == [answer("a", NO_RESULT, is_error=True)]


def test_a_line_that_goes_leaves_the_chain_whole() -> None:
    session = (line(0, "user", user()), line(1, "assistant", {"id": "m", "role": "assistant", "content": []}),
               line(2, "user", user()), line(3, "assistant", {"id": "n", **said()}))  # fmt: skip
    found = mended(session)
    assert [one["uuid"] for one in found] == ["u0", "u2", "u3"]
    assert found[1]["parentUuid"] == "u0"


def test_a_streamed_message_without_a_block_goes_with_all_its_lines() -> None:
    empty = {"id": "m", "role": "assistant", "content": []}
    session = (line(0, "user", user()), line(1, "assistant", empty), line(2, "assistant", empty),
               line(3, "user", user("more")), line(4, "assistant", {"id": "n", **said()}))  # fmt: skip
    assert [(one["uuid"], one["parentUuid"]) for one in mended(session)] == [("u0", None), ("u3", "u0"), ("u4", "u3")]


def test_a_line_that_moves_keeps_the_chain_whole() -> None:
    session = (line(0, "user", user()), line(1, "assistant", {"id": "m", "role": "assistant", "content": [use("a")]}),
               line(2, "user", user("wait")), line(3, "user", turn("user", answer("a"))),
               line(4, "assistant", {"id": "n", **said()}))  # fmt: skip
    found = mended(session)
    assert [(one["uuid"], one["parentUuid"]) for one in found] == [
        ("u0", None), ("u1", "u0"), ("u3", "u1"), ("u2", "u3"), ("u4", "u2"),
    ]  # fmt: skip


def test_a_link_that_leads_nowhere_is_led_to_the_record_before() -> None:
    session = (line(0, "user", user()), {**line(1, "assistant", {"id": "m", **said()}), "parentUuid": "gone"},
               line(2, "user", user()))  # fmt: skip
    assert mended(session)[1]["parentUuid"] == "u0"


def test_a_line_that_is_put_in_names_no_parent_that_is_not_there() -> None:
    session = (
        {"type": "user", "uuid": "a", "parentUuid": None, "sessionId": "s", "message": user()},
        {**line(1, "assistant", {"id": "m", **turn("assistant", use("t"))}), "parentUuid": "gone"},
        {"type": "user", "uuid": "c", "parentUuid": None, "sessionId": "s", "message": user()},
    )
    outcome = mend(session)
    assert [done.finding.code for done in outcome.repaired] == ["dangling-tool-call"]
    assert [one.code for one in outcome.left] == [
        one.code for one in examined(session) if one.code == "broken-parent-link"
    ]


def test_lines_are_parted_joined_stripped_and_set_aside() -> None:
    one, two = (json.dumps(line(number, "user", user())).encode() for number in range(2))
    torn = json.dumps(line(2, "user", user("first\nsecond"))).encode().replace(b"\\n", b"\n")
    raw = b"\xef\xbb\xbf" + one + two + b"\r\n" + torn + b"\n\0\0\0\n" + b"no json\n" + b'{"type": "us'
    outcome = mend(raw)
    lines = outcome.raw.splitlines()
    assert lines[:2] == [one, two]
    assert json.loads(lines[2])["message"]["content"] == "first\nsecond"
    assert len(lines) == 3
    assert outcome.rejected == b'no json\n{"type": "us\n'


def test_bytes_that_are_no_text_become_marks_each() -> None:
    raw = json.dumps(chat(user("caf@e"), said())).encode().replace(b"@", b"\xff\xfe")
    assert json.loads(mend(raw).raw)["messages"][0]["content"] == "caf\ufffd\ufffde"


def test_half_a_pair_is_replaced_and_a_whole_one_kept() -> None:
    raw = rb'{"model": "m", "messages": [{"role": "user", "content": "\ud83d \ud83d\ude00 \ude00 \\ud83d"}]}'
    assert json.loads(mend(raw).raw)["messages"][0]["content"] == "\ufffd \U0001f600 \ufffd \\ud83d"


def test_of_twin_members_the_one_that_says_something_stays() -> None:
    raw = b'{"messages": [{"role": "user", "content": "a", "n": 1, "content": "b"}, {"x": 1, "x": null, "role": "user",'
    raw += b' "content": "c", "x": null}]}'
    assert mend(raw).raw == (
        b'{"messages": [{"role": "user", "n": 1, "content": "b"}, {"x": 1, "role": "user", "content": "c"}]}'
    )


def test_a_lost_system_prompt_is_put_back() -> None:
    original = from_messages([{"role": "system", "content": "rules"}, user(), said()])
    assert mended(chat(user(), said()), original=original)["messages"][0] == {"role": "system", "content": "rules"}
    body = {"model": "m", "messages": [turn("user", text_block()), turn("assistant", use("a"))]}
    assert mended(body, original=original)["system"] == "rules"
    assert mend(chat({"role": "system", "content": "my rules now"}, user()), original=original).repaired == ()


def test_honest_and_silent_damage_is_left_and_named() -> None:
    inside = json.dumps({"content": "text ...[truncated]"})
    outcome = mend(chat(user(), calls("a", arguments=inside), result("a"), said()))
    assert outcome.repaired == ()
    assert [one.code for one in outcome.left] == ["marker-in-tool-arguments"]


def test_what_was_repaired_is_named_by_its_place_in_the_recording() -> None:
    outcome = mend(chat(user(), result("nobody"), user(), calls("a")))
    assert [(done.finding.code, done.finding.message_index) for done in outcome.repaired] == [
        ("orphan-tool-result", 1), ("dangling-tool-call", 3),
    ]  # fmt: skip


def test_a_name_of_which_nothing_would_be_left_is_left_with_the_reason() -> None:
    outcome = mend(chat(user(), calls("a", name="<|x|>"), result("a"), said()))
    assert [(one.code, one.repair) for one in outcome.left] == [
        ("marker-in-tool-name", "None: nothing would be left of the name.")
    ]


def test_a_document_that_is_cut_off_is_left_with_the_reason_and_lines_are_set_aside() -> None:
    cut = mend(raw_of(chat(user(), said()))[:-20])
    assert cut.repaired == ()
    assert [one.repair.partition(":")[0] for one in cut.left] == ["None"]
    assert cut.left[0].code == "truncated-record"
    lines = mend(json.dumps(chat(user(), said())).encode() + b'\n{"messages": [{"ro\n')
    assert [done.did for done in lines.repaired] == ["Set the partial record aside."]


def test_a_link_is_not_mended_where_that_would_hide_messages() -> None:
    loose = [
        {
            key: value
            for key, value in line(number, kind, {**message, "id": f"m{number}"}).items()
            if key != "parentUuid"
        }
        for number, (kind, message) in enumerate([("user", user()), ("assistant", said()), ("user", user())])
    ]
    session = (*loose, {**line(3, "assistant", {"id": "z", **said()}), "parentUuid": "gone"})
    outcome = mend(session)
    assert [one.code for one in outcome.left] == ["broken-parent-link"]
    assert outcome.raw == raw_of(session)


def test_loose_lines_stay_loose() -> None:
    session = (
        {"type": "user", "uuid": "a", "sessionId": "s", "message": user()},
        {"type": "assistant", "uuid": "b", "sessionId": "s", "message": {"id": "m", **turn("assistant", use("t"))}},
        {"type": "user", "uuid": "c", "sessionId": "s", "message": user()},
    )
    found = mended(session)
    assert len(found) == 4
    assert all("parentUuid" not in one for one in found)
