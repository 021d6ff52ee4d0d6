"""ATIF trajectories."""

from typing import Any

from hypothesis import given, settings

from inspector.formats import load_bytes
from inspector.formats.atif import FORMAT
from inspector.message import Usage
from tests.formats.made import check_spoilt, codes, document, jsonl, lines, only, script, spoilt

STEPS: list[Any] = [
    {"step_id": 1, "source": "system", "message": "Be brief."},
    {"step_id": 2, "source": "user", "message": [
        {"type": "text", "text": "Fix"}, {"type": "image", "source": {"media_type": "image/png", "path": "a.png"}}]},
    {
        "step_id": 3, "source": "agent", "message": "I look.", "reasoning_content": "hm", "model_name": "m-1",
        "tool_calls": [{"tool_call_id": "c1", "function_name": "bash", "arguments": {"at": "."}}],
        "observation": {"results": [{"source_call_id": "c1", "content": "a.py"}, {"content": None}]},
        "metrics": {"prompt_tokens": 9, "completion_tokens": 2, "cached_tokens": 4},
    },
    {"step_id": 4, "source": "agent", "message": "ls", "observation": {"results": [{"content": "b.py"}]}},
]  # fmt: skip
RUN: dict[str, Any] = {
    "schema_version": "ATIF-v1.6",
    "session_id": "s1",
    "agent": {"name": "a", "version": "1", "tool_definitions": [{"type": "function"}]},
    "steps": STEPS,
    "subagent_trajectories": [{"schema_version": "ATIF-v1.6", "trajectory_id": "t2", "steps": STEPS[:1]}],
}


def test_a_step_is_a_message_and_its_results_are_rows() -> None:
    main, side = FORMAT.read(document(RUN))
    assert FORMAT.recognise(document(RUN))
    assert [body["role"] for body in main.messages] == [
        "system", "user", "assistant", "tool", "tool", "assistant", "user",
    ]  # fmt: skip
    assert main.messages[2] == {
        "role": "assistant", "content": "I look.", "thinking": "hm",
        "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "bash", "arguments": '{"at":"."}'}}],
    }  # fmt: skip
    assert main.messages[3] == {"role": "tool", "tool_call_id": "c1", "name": "bash", "content": "a.py"}
    assert main.messages[1]["content"][1] == {"type": "image_url", "image_url": {"url": "a.png"}}
    assert (main.model, main.title, main.usage) == ("m-1", "s1", (Usage(2, 9, 4, 2),))
    assert main.origin(3).parts == ("/steps/2/observation/results/0/content",)
    assert (side.side, side.title, side.origin(0).pointer) == (True, "t2", "/subagent_trajectories/0/steps/0")


def test_what_a_step_without_calls_was_told_is_a_user_message() -> None:
    alone = {**RUN, "subagent_trajectories": []}
    assert script(only(FORMAT, document(alone)))[-1] == ("user", "b.py")


def test_a_file_may_hold_several_and_damage_is_named() -> None:
    broken = {**RUN, "steps": [*STEPS, None], "subagent_trajectories": None}
    session = load_bytes(jsonl(RUN, broken), "runs.jsonl", index=2)
    assert (session.format, session.conversations) == ("atif", 3)
    assert [(found.code, found.pointer, found.line) for found in session.damage] == [
        ("unparseable-record", "/1/steps/4", 2)
    ]
    assert codes(FORMAT.read(lines(broken))[0]) == [("unparseable-record", "/0/steps/4")]


@settings(max_examples=60, deadline=None)
@given(spoilt([RUN]))
def test_no_damage_raises(values: list[Any]) -> None:
    check_spoilt(FORMAT, lines(*values))
