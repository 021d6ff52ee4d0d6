"""Claude Code's stream: merged answers, results among them, subagents, what repeats is not read."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.formats.claude_stream_json import FORMAT
from inspector.formats.format import Record, Recording
from inspector.message import Compaction, Origin, Usage
from tests.formats.damaged import read_or_refused, spoilt
from tests.formats.indexed import assert_as_counted, rows_of

Line = dict[str, Any]


def line(kind: str, **more: Any) -> Line:
    return {"type": kind, "session_id": "s", **more}


def answers(id: str, *blocks: Line, **more: Any) -> Line:
    message = {"id": id, "role": "assistant", "model": "m1", "content": list(blocks), "usage": more.pop("usage", {})}
    return line("assistant", message=message, **more)


def result(id: str, content: str) -> Line:
    blocks = [{"type": "tool_result", "tool_use_id": id, "content": content}]
    return line("user", message={"role": "user", "content": blocks})


def call(id: str) -> Line:
    return {"type": "tool_use", "id": id, "name": "Read", "input": {"path": id}}


LINES = [
    line("system", subtype="init", model="m0", tools=["Read"]),
    line("stream_event", event={"type": "message_start", "message": {"role": "assistant", "content": []}}),
    answers("a", {"type": "thinking", "thinking": "hm", "signature": "sg"}, usage={"output_tokens": 1}),
    answers("a", call("t1")),
    result("t1", "one"),
    answers("a", call("t2"), usage={"input_tokens": 3, "cache_read_input_tokens": 4, "output_tokens": 9}),
    answers("q", {"type": "text", "text": "aside"}, parent_tool_use_id="t2"),
    result("t2", "two"),
    answers("b", {"type": "text", "text": "Done."}),
    line("result", subtype="success", result="Done.", usage={"input_tokens": 99, "output_tokens": 99}),
]  # fmt: skip


def recording(*lines: Any) -> Recording:
    return Recording("made.jsonl", records=[Record(value, number, 0) for number, value in enumerate(lines)])


def test_lines_of_one_answer_are_one_message_and_its_results_follow() -> None:
    main, side = FORMAT.read(recording(*LINES))
    assert [body["role"] for body in main.messages] == ["assistant", "tool", "tool", "assistant"]
    assert [entry["id"] for entry in main.messages[0]["tool_calls"]] == ["t1", "t2"]
    assert main.messages[0]["thinking"] == "hm"
    assert [body["content"] for body in main.messages[1:]] == ["one", "two", "Done."]
    assert main.usage == (Usage(0, 7, 4, 9),)
    assert (main.model, main.damage, main.side) == ("m1", (), False)
    assert (side.side, side.messages[0]["content"]) == (True, "aside")


def test_each_block_says_its_own_line() -> None:
    main, _ = FORMAT.read(recording(*LINES))
    parts = ("/3/message/content/0", "/5/message/content/0", "/2/message/content/0")
    assert main.origin(0) == Origin(2, "/2/message", 3, parts)
    assert main.origin(1) == Origin(4, "/4/message", 5, ("/4/message/content/0",))


def test_the_array_of_the_same_objects_reads_alike() -> None:
    recorded = Recording("made.json", document=LINES)
    assert FORMAT.recognise(recorded)
    assert FORMAT.read(recorded)[0].origin(1) == Origin(4, "/4/message", None, ("/4/message/content/0",))


def test_a_boundary_is_a_compaction() -> None:
    boundary = line("system", subtype="compact_boundary", compact_metadata={"trigger": "auto", "pre_tokens": 900})
    main = FORMAT.read(recording(LINES[2], boundary, LINES[8]))[0]
    assert main.compactions == (Compaction(1, "auto", 900),)


def test_a_message_that_is_none_is_named() -> None:
    main = FORMAT.read(recording(*LINES, 7, line("user", message=None)))[0]
    assert [(found.code, found.pointer) for found in main.damage] == [
        ("unparseable-record", "/10"),
        ("unparseable-record", "/11"),
    ]


def test_sessions_with_links_are_claude_codes_own() -> None:
    assert not FORMAT.recognise(recording({**LINES[8], "parentUuid": None}))


@pytest.mark.parametrize("row", rows_of("claude_stream_json"), ids=lambda row: row["file"])
def test_shared_files_are_as_counted(row: dict[str, str]) -> None:
    assert_as_counted(row)


@settings(deadline=None, max_examples=150)
@given(st.one_of(spoilt(LINES, lines=True), spoilt(LINES, lines=False)))
def test_damage_is_read_around_or_refused(raw: bytes) -> None:
    read_or_refused(raw)
    read_or_refused(raw, "claude_stream_json")
