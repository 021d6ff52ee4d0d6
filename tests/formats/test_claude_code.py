"""Claude Code sessions: the live path, streamed messages, compactions, subagents, damage."""

import csv
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.formats import conversations
from inspector.formats.claude_code import FORMAT
from inspector.formats.format import Conversation, Recording
from inspector.message import Body, Compaction, Context, Origin, Usage, calls_of, image_count
from inspector.pairs import pairs_of
from tests.formats.claude_lines import Line, answers, boundary, call, line, recording, result, says, text
from tests.shared import SHARED, needs_shared

SAMPLE = Path(__file__).parents[2] / "sample_sessions" / "claude_code_compacted.jsonl"


def read(*lines: Any) -> Sequence[Conversation]:
    return FORMAT.read(recording(*lines))


def main(*lines: Any) -> Conversation:
    return read(*lines)[0]


def script(conversation: Conversation) -> list[tuple[str, Any]]:
    """Each row as its role and its text, else the ids of its calls."""
    return [
        (body["role"], body["content"] or [call["id"] for call in body.get("tool_calls", ())])
        for body in conversation.messages
    ]


def codes(conversation: Conversation) -> list[tuple[str, str, int | None, str]]:
    return [(found.code, found.severity, found.message_index, found.pointer) for found in conversation.damage]


TWO = [says("u1", None, "Name the boat."), answers("a1", "u1", "m1", text("Heron?"))]


def test_a_plain_session_gives_its_messages_model_and_places() -> None:
    conversation = main(*TWO, {"type": "custom-title", "customTitle": "A boat"}, {"type": "new-kind", "x": [1]})
    assert script(conversation) == [("user", "Name the boat."), ("assistant", "Heron?")]
    assert (conversation.model, conversation.title, conversation.damage) == ("claude-x", "A boat", ())
    assert conversation.origin(0) == Origin(0, "/0/message", 1)
    assert conversation.origin(1) == Origin(1, "/1/message", 2, ("/1/message/content/0",))


def test_the_web_export_has_pointers_into_its_loglines() -> None:
    recorded = Recording("made.json", document={"loglines": TWO})
    assert FORMAT.recognise(recorded)
    (conversation,) = FORMAT.read(recorded)
    assert conversation.origin(1) == Origin(1, "/loglines/1/message", None, ("/loglines/1/message/content/0",))


def test_a_file_of_one_line_is_a_session() -> None:
    recorded = Recording("made.jsonl", document=TWO[0])
    assert FORMAT.recognise(recorded)
    assert FORMAT.read(recorded)[0].origin(0) == Origin(0, "/0/message", 1)


def test_streamed_lines_are_one_message_with_the_last_usage() -> None:
    early, last = (
        {"input_tokens": 2, "cache_creation_input_tokens": 30, "cache_read_input_tokens": 400, "output_tokens": made}
        for made in (1, 50)
    )
    conversation = main(
        says("u1", None, "Go."),
        answers("a1", "u1", "m1", {"type": "thinking", "thinking": "hm", "signature": "c2ln"}, usage=early),
        answers("a2", "a1", "m1", text("Going."), usage=early),
        answers("a3", "a2", "m1", call("t1"), usage=last),
        says("u2", "a3", result("t1", "gone")),
    )
    assert [body["role"] for body in conversation.messages] == ["user", "assistant", "tool"]
    answer = conversation.messages[1]
    assert (answer["thinking"], answer["content"], len(answer["tool_calls"])) == ("hm", "Going.", 1)
    assert conversation.usage == (Usage(row=1, input=432, cached=400, output=50),)
    parts = ("/3/message/content/0", "/1/message/content/0", "/2/message/content/0")
    assert conversation.origin(1) == Origin(1, "/1/message", 2, parts)


def test_results_between_streamed_lines_follow_the_message() -> None:
    conversation = main(
        says("u1", None, "Go."),
        answers("a1", "u1", "m1", call("t1")),
        says("r1", "a1", result("t1", "one")),
        answers("a2", "r1", "m1", call("t2")),
        says("r2", "a2", result("t2", "two")),
    )
    assert script(conversation) == [
        ("user", "Go."),
        ("assistant", ["t1", "t2"]),
        ("tool", "one"),
        ("tool", "two"),
    ]


def test_results_that_hang_off_one_streamed_line_belong_to_the_path() -> None:
    conversation = main(
        says("u1", None, "Go."),
        answers("a1", "u1", "m1", call("t1")),
        answers("a2", "a1", "m1", call("t2")),
        line("progress", "p1", "a1"),
        says("r1", "p1", result("t1", "one")),
        says("n1", "r1", "A note that the tool added.", isMeta=True),
        says("r2", "a2", result("t2", "two")),
        answers("b1", "r2", "m2", text("Both.")),
    )
    assert script(conversation) == [
        ("user", "Go."),
        ("assistant", ["t1", "t2"]),
        ("tool", "one"),
        ("user", "A note that the tool added."),
        ("tool", "two"),
        ("assistant", "Both."),
    ]
    assert (conversation.abandoned, conversation.damage) == ((), ())


def test_a_streamed_line_beside_the_path_is_merged_with_its_result() -> None:
    conversation = main(
        says("u1", None, "Go."),
        answers("a1", "u1", "m1", call("t1")),
        answers("a2", "u1", "m1", call("t2")),
        says("r2", "a2", result("t2", "two")),
        says("r1", "a1", result("t1", "one")),
    )
    assert script(conversation)[1:] == [("assistant", ["t1", "t2"]), ("tool", "two"), ("tool", "one")]


def test_one_id_in_two_requests_is_two_messages() -> None:
    conversation = main(
        says("u1", None, "Go."),
        answers("a1", "u1", "msg", text("One."), requestId="r1"),
        answers("a2", "a1", "msg", text("Two."), requestId="r2"),
        says("u2", "a2", "On."),
        answers("a3", "u2", "msg", text("Three."), requestId="r2"),
    )
    assert [said for _, said in script(conversation)] == ["Go.", "One.", "Two.", "On.", "Three."]


def test_a_rewound_branch_is_left_out_and_named() -> None:
    conversation = main(
        *TWO,
        says("u2", "a1", "Too short."),
        answers("a2", "u2", "m2", call("t1")),
        says("u3", "a1", "Paint it on."),
        answers("a3", "u3", "m3", text("Painted.")),
        {"type": "file-history-snapshot", "snapshot": {}},
    )
    assert [said for _, said in script(conversation)] == ["Name the boat.", "Heron?", "Paint it on.", "Painted."]
    assert [body["role"] for body in conversation.abandoned] == ["user", "assistant"]
    assert codes(conversation) == [("abandoned-branch", "info", 2, "/2")]


def test_a_rerun_tool_result_on_another_branch_is_not_added() -> None:
    conversation = main(
        says("u1", None, "Go."),
        answers("a1", "u1", "m1", call("t1")),
        says("r1", "a1", result("t1", "first try")),
        says("r2", "a1", result("t1", "second try")),
    )
    assert script(conversation)[2:] == [("tool", "second try")]
    assert conversation.abandoned[0]["content"] == "first try"
    assert conversation.abandoned[0]["name"] == "Bash"


def test_a_prompt_edited_at_the_very_start_is_a_new_root() -> None:
    conversation = main(*TWO, says("v1", None, "Name the dog."), answers("b1", "v1", "m2", text("Rex?")))
    assert [said for _, said in script(conversation)] == ["Name the dog.", "Rex?"]
    assert len(conversation.abandoned) == 2


def test_records_appended_again_count_once() -> None:
    usage = {"input_tokens": 9, "output_tokens": 1}
    lines = [
        says("u1", None, "Feed the hens."),
        answers("a1", "u1", "m1", call("t1"), usage=usage),
        says("r1", "a1", result("t1")),
        line("attachment", "x1", "r1", attachment={"k": 1}),
        answers("a2", "x1", "m2", text("Fed.")),
    ]
    copies = [{**copied, "parentUuid": None} for copied in lines[:4]]
    conversation = main(*lines, *copies)
    assert script(conversation) == script(main(*lines))
    assert len(conversation.usage) == 1
    assert codes(conversation) == [("duplicate-record", "warning", place, f"/{place}") for place in (5, 6, 7, 8)]


def test_a_repeated_uuid_with_another_message_is_no_duplicate() -> None:
    conversation = main(says("u", None, "One."), answers("u", "u", "m1", text("Two.")), says("u", "u", "Three."))
    assert [said for _, said in script(conversation)] == ["One.", "Two.", "Three."]
    assert conversation.damage == ()


def test_a_broken_parent_falls_back_to_file_order() -> None:
    conversation = main(*TWO, says("u2", "gone", "On."), answers("a2", "u2", "m2", text("Done.")))
    assert [said for _, said in script(conversation)] == ["Name the boat.", "Heron?", "On.", "Done."]
    assert codes(conversation) == [("broken-parent-link", "warning", 2, "/2/parentUuid")]


def test_a_cycle_is_walked_once_and_named() -> None:
    conversation = main(says("u1", "a2", "One."), answers("a1", "u1", "m1", text("Two.")), says("a2", "a1", "Three."))
    assert [said for _, said in script(conversation)] == ["One.", "Two.", "Three."]
    assert [found.code for found in conversation.damage] == ["broken-parent-link"]


def test_a_boundary_that_names_its_own_descendant_goes_on_in_file_order() -> None:
    conversation = main(
        *TWO,
        boundary("b", "u3", trigger="auto", preTokens=100),
        says("u2", "b", "Summary.", isCompactSummary=True),
        says("u3", "u2", "On."),
    )
    assert [said for _, said in script(conversation)] == ["Name the boat.", "Heron?", "Summary.", "On."]
    assert codes(conversation) == [("broken-parent-link", "warning", 2, "/2/logicalParentUuid")]


def test_a_compact_boundary_is_crossed_and_kept_as_a_compaction() -> None:
    conversation = main(
        *TWO,
        says("u2", "a1", "Why?"),
        answers("a2", "u2", "m2", text("It wades.")),
        boundary("b", "a2", trigger="auto", preTokens=155116, postTokens=900),
        says("s", "b", "They named a boat.", isCompactSummary=True),
        says("u3", "s", "Paint it."),
    )
    assert script(conversation)[4] == ("user", "They named a boat.")
    assert conversation.compactions == (Compaction(4, "auto", 155116, 900),)


@pytest.mark.parametrize(
    "metadata",
    [
        {"preservedSegment": {"headUuid": "u2", "anchorUuid": "s", "tailUuid": "a2"}},
        {"preservedMessages": {"anchorUuid": "s", "uuids": ["u2", "a2", "unknown", 3]}},
    ],
)
def test_rows_that_a_compaction_preserved_are_named(metadata: Line) -> None:
    conversation = main(
        *TWO,
        says("u2", "a1", "Why?"),
        answers("a2", "u2", "m2", text("It wades.")),
        boundary("b", "a2", trigger="manual", **metadata),
        says("s", "b", "They named a boat.", isCompactSummary=True),
    )
    assert conversation.compactions == (Compaction(4, "manual", kept=(2, 3)),)


def test_a_summary_without_a_boundary_is_a_compaction_too() -> None:
    conversation = main(*TWO, says("s", None, "They named a boat.", isCompactSummary=True))
    assert len(conversation.messages) == 3
    assert conversation.compactions == (Compaction(2, "compact"),)


def test_an_older_summary_line_with_a_message_is_a_user_message() -> None:
    summary = line("summary", "s", "b", {"role": "user", "content": "They named a boat."})
    conversation = main(*TWO, boundary("b", "a1"), summary, says("u2", "s", "On."))
    assert script(conversation)[2:] == [("user", "They named a boat."), ("user", "On.")]
    assert conversation.compactions == (Compaction(2, "compact"),)


def test_subagents_are_side_conversations_one_an_agent() -> None:
    side: Line = {"isSidechain": True}
    loaded = read(
        says("u1", None, "Search."),
        answers("a1", "u1", "m1", call("t1", "Task")),
        says("v1", None, "Find TODOs.", agentId="one", **side),
        says("w1", None, "Find FIXMEs.", **side),
        answers("v2", "v1", "n1", text("None."), agentId="one", **side),
        answers("w2", "w1", "n2", text("Two."), **side),
        says("r1", "a1", result("t1", "Found.")),
    )
    assert [(c.side, c.title, [said for _, said in script(c)]) for c in loaded] == [
        (False, "", ["Search.", ["t1"], "Found."]),
        (True, "subagent one", ["Find TODOs.", "None."]),
        (True, "subagent at line 4", ["Find FIXMEs.", "Two."]),
    ]
    assert loaded[1].origin(1).index == 4


def test_a_subagents_own_file_is_a_main_conversation() -> None:
    (conversation,) = read(says("v1", None, "Find TODOs.", isSidechain=True, agentId="one"))
    assert (conversation.side, conversation.title) == (False, "subagent one")


def test_lines_without_links_are_read_in_file_order() -> None:
    bare = [{"type": kind, "message": {"content": word}} for kind, word in [("user", "a"), ("assistant", "b")] * 2]
    assert FORMAT.recognise(recording(*bare))
    assert [said for _, said in script(main(*bare))] == ["a", "b", "a", "b"]
    rootless = [says("u1", None, "a"), answers("a1", None, "m1", text("b")), says("u2", None, "c")]
    assert [said for _, said in script(main(*rootless))] == ["a", "b", "c"]


def test_an_api_error_stays_an_assistant_message_without_model_or_usage() -> None:
    message = {"id": "x", "role": "assistant", "model": "<synthetic>", "content": [text("API Error: 529")]}
    usage = {"input_tokens": 3, "output_tokens": 3}
    failed = line("assistant", "e1", "a1", {**message, "usage": usage}, isApiErrorMessage=True)
    conversation = main(*TWO, failed)
    assert script(conversation)[2] == ("assistant", "API Error: 529")
    assert (conversation.model, conversation.usage) == ("claude-x", ())


def test_lines_that_hold_no_message_are_named_and_passed_over() -> None:
    conversation = main(TWO[0], 42, "massive error", {**TWO[1], "message": "error"}, TWO[1])
    assert script(conversation) == script(main(*TWO))
    assert codes(conversation) == [("unparseable-record", "warning", place, f"/{place}") for place in (1, 2, 3)]


@pytest.mark.parametrize(
    "value",
    [
        {"type": "user", "message": {"role": "user", "parts": []}, "uuid": "u", "parentUuid": None, "sessionId": "s"},
        {"type": "assistant", "message": {"content": []}, "session_id": "s", "parent_tool_use_id": None},
        {"type": "message", "id": "m1", "message": {"role": "user", "content": []}},
        {"type": "response_item", "payload": {}},
        {"role": "user", "content": "Hi."},
        {"type": ["user"], "message": {}},
        3,
    ],
)
def test_lines_of_other_tools_are_not_recognised(value: Any) -> None:
    assert not FORMAT.recognise(recording(value))


def test_qwen_lines_are_not_recognised_by_the_links_among_them() -> None:
    said = {"type": "user", "message": {"role": "user", "parts": []}, "uuid": "u", "parentUuid": "x"}
    assert not FORMAT.recognise(recording(line("system", "x", None), said))


def test_a_file_that_begins_with_other_lines_is_recognised() -> None:
    assert FORMAT.recognise(recording(*[{"type": "queue-operation"}] * 60, *TWO))


PLACES = st.sampled_from(["u1", "a1", "a2", "r1", "r2", "b", "s", "v1", "gone"])
WILD = st.fixed_dictionaries(
    {
        "type": st.sampled_from(["user", "assistant", "system", "attachment", "summary"]),
        "parentUuid": PLACES | st.none() | st.integers(),
        "uuid": PLACES | st.none() | st.integers(),
        "message": st.sampled_from([{}, {"id": "m1", "content": [call("t1")]}, {"content": result("t1")}, None, "x"]),
    },
    optional={
        "isSidechain": st.booleans(),
        "isMeta": st.booleans(),
        "agentId": st.just("one"),
        "subtype": st.just("compact_boundary"),
        "logicalParentUuid": PLACES,
        "sourceToolAssistantUUID": PLACES,
        "compactMetadata": st.just({"preservedSegment": {"headUuid": "u1", "tailUuid": "s"}}) | st.integers(),
        "isCompactSummary": st.booleans(),
    },
)


@settings(max_examples=300)
@given(st.lists(WILD | st.integers(), max_size=25))
def test_every_message_line_is_in_exactly_one_place_whatever_the_links(lines: list[Any]) -> None:
    loaded = read(*lines)
    origins = [c.origin(row) for c in loaded for row in range(len(c.messages))]
    parts = [part for origin in origins for part in origin.parts]
    assert len(parts) == len(set(parts))
    told = {origin.index for origin in origins} | {int(part.split("/")[1]) for part in parts}
    copies = {found.message_index for found in loaded[0].damage if found.code == "duplicate-record"}
    spoken = {place for place, value in enumerate(lines) if speaks(value)} - copies
    assert told <= spoken
    left = loaded[0].abandoned
    assert len(left) <= len(spoken - told)
    assert bool(left) == bool(spoken - told)


def speaks(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value["message"], dict):
        return False
    return value["type"] in ("user", "assistant") or (value["type"] == "summary" and isinstance(value["uuid"], str))


@settings(max_examples=100)
@given(st.permutations(range(len(TWO) + 5)), st.integers(1, 7))
def test_shuffled_and_cut_sessions_load(order: list[int], kept: int) -> None:
    lines = [
        *TWO,
        answers("a2", "a1", "m1", call("t1")),
        says("r1", "a2", result("t1")),
        boundary("b", "r1"),
        says("s", "b", "Sum.", isCompactSummary=True),
        answers("c1", "s", "m2", text("On.")),
    ]
    loaded = read(*[lines[place] for place in order[:kept]])
    rows = sum(len(conversation.messages) + len(conversation.abandoned) for conversation in loaded)
    speaking = sum(place != 4 for place in order[:kept])
    assert speaking - 1 <= rows <= speaking


FIELDS = ("tool_calls", "tool_results", "dangling_calls", "orphan_results", "images", "conversations")


def counted(loaded: Iterable[Conversation]) -> dict[str, int]:
    """Everything in a file, abandoned branches and side conversations too, as INDEX.tsv counts it."""
    found = list(loaded)
    bodies: list[Body] = [body for c in found for body in (*c.messages, *c.abandoned)]
    calls = {call.id for body in bodies for call in calls_of(body)} - {None}
    results = {body.get("tool_call_id") for body in bodies if body["role"] == "tool"} - {None}
    return {
        "tool_calls": sum(len(calls_of(body)) for body in bodies),
        "tool_results": sum(body["role"] == "tool" for body in bodies),
        "dangling_calls": len(calls - results),
        "orphan_results": len(results - calls),
        "images": sum(map(image_count, bodies)),
        "conversations": sum(not c.side for c in found),
    }


def index_rows() -> list[dict[str, str]]:
    path = SHARED / "sessions" / "INDEX.tsv"
    if not path.exists():
        return []
    with path.open(encoding="utf8") as file:
        return [row for row in csv.DictReader(file, delimiter="\t") if row["format"] == "claude_code"]


@needs_shared
@pytest.mark.parametrize("row", index_rows(), ids=lambda row: row["file"])
def test_public_files_count_as_their_index_says(row: dict[str, str]) -> None:
    """The index counts a session's folder as one conversation, and subagents inside a file as none."""
    path = SHARED / "sessions" / row["file"]
    files = sorted(path.rglob("*.jsonl")) if path.is_dir() else [path]
    opened = [conversations(file) for file in files]
    assert {found.format.name for found in opened} == {"claude_code"}
    got = counted(c for found in opened for c in found.conversations)
    got["conversations"] -= len(files) - 1
    assert {name: str(got[name]) for name in FIELDS if row[name]} == {name: row[name] for name in FIELDS if row[name]}


def cases() -> list[Path]:
    found = sorted((SHARED / "cases").glob("*/case.json"))
    kept = [path.parent for path in found if json.loads(path.read_bytes())["format"] == "claude-code-jsonl"]
    return [path for path in kept if (path / "input.jsonl").stat().st_size]


@needs_shared
@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_case_files_load_as_they_say(case: Path) -> None:
    wanted = json.loads((case / "case.json").read_bytes())
    conversation, *_ = conversations(case / "input.jsonl").conversations
    rows = range(len(conversation.messages))
    assert len({conversation.origin(row).pointer for row in rows}) == wanted["expected_behaviour"]["loaded_messages"]
    expected = [
        (f["code"], f["severity"], f["message_index"], f["pointer"])
        for f in wanted["expected_findings"]
        if f["code"] in ("duplicate-record", "broken-parent-link")
    ]
    assert [found for found in codes(conversation) if found[1] != "info"] == expected
    if "active_lines" in wanted.get("checks", {}):
        assert [conversation.origin(row).line for row in rows] == wanted["checks"]["active_lines"]


@pytest.mark.skipif(not SAMPLE.exists(), reason="the sample session is not there yet")
def test_the_sample_session_is_whole() -> None:
    conversation, *sides = conversations(SAMPLE).conversations
    context = Context(conversation.messages, conversation.origin, range(len(conversation.messages)))
    pairs = pairs_of(context)
    assert (pairs.dangling, pairs.orphans) == ((), ())
    assert [found.kind for found in conversation.compactions] == ["manual"]
    assert [side.side for side in sides] == [True]
    assert {found.code for found in conversation.damage} == {"abandoned-branch"}
