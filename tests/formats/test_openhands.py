"""OpenHands: actions and observations of the first generation, events of the second, in files and in folders."""

import json
from pathlib import Path
from typing import Any

from hypothesis import given, settings

from inspector.formats import load, openhands_v0, openhands_v1
from inspector.message import Compaction, Usage
from tests.formats.indexed import assert_as_counted, rows_of
from tests.formats.made import check_shared, check_spoilt, codes, document, lines, only, script, spoilt
from tests.shared import needs_shared


def metadata(call: str, response: str = "r1", text: str = "I look.") -> dict[str, Any]:
    calls = [{"id": name, "function": {"name": "bash", "arguments": f'{{"at":"{name}"}}'}} for name in ("c1", "c2")]
    message = {"role": "assistant", "content": text, "tool_calls": calls}
    usage = {"prompt_tokens": 9, "completion_tokens": 2}
    body = {"id": response, "model": "m-1", "choices": [{"message": message}], "usage": usage}
    return {"function_name": "bash", "tool_call_id": call, "model_response": body}


V0: list[Any] = [
    {"id": 0, "source": "agent", "action": "system", "args": {"content": "Be brief.", "tools": [{"type": "function"}]}},
    {"id": 1, "source": "user", "action": "message", "args": {"content": "Fix it.", "image_urls": ["a.png"]}},
    {"id": 2, "source": "user", "action": "recall", "args": {"query": "x"}},
    {"id": 3, "source": "environment", "observation": "recall", "content": "Added", "cause": 2},
    {"id": 4, "source": "agent", "action": "run", "args": {"command": "ls"}, "tool_call_metadata": metadata("c1")},
    {"id": 5, "source": "agent", "action": "run", "args": {"command": "ls"}, "tool_call_metadata": metadata("c2")},
    {"id": 6, "source": "agent", "observation": "run", "content": "a.py", "cause": 4,
     "tool_call_metadata": metadata("c1")},
    {"id": 7, "source": "agent", "observation": "run", "content": "b.py", "cause": 5},
    {"id": 8, "source": "agent", "observation": "error", "content": "no such tool"},
    {"id": 9, "source": "agent", "action": "message", "args": {"content": "Done."}},
]  # fmt: skip


def test_actions_of_one_response_are_one_message_with_the_models_own_arguments() -> None:
    conversation = only(openhands_v0.FORMAT, document(V0))
    assert [body["role"] for body in conversation.messages] == [
        "system", "user", "assistant", "tool", "tool", "tool", "assistant",
    ]  # fmt: skip
    answer = conversation.messages[2]
    assert answer["content"] == "I look."
    assert [call["function"]["arguments"] for call in answer["tool_calls"]] == ['{"at":"c1"}', '{"at":"c2"}']
    assert [body.get("tool_call_id") for body in conversation.messages[3:6]] == ["c1", "c2", None]
    assert conversation.messages[5]["is_error"] is True
    assert conversation.messages[1]["content"][1]["type"] == "image_url"
    assert (conversation.model, conversation.usage) == ("m-1", (Usage(2, 9, 0, 2),))
    assert conversation.origin(2).parts[:2] == ("/4/tool_call_metadata", "/5/tool_call_metadata")
    assert conversation.origin(4).parts == ("/7/content",)


def test_without_metadata_an_action_is_the_call_and_its_cause_the_answer() -> None:
    old = [
        {"id": 1, "source": "agent", "action": "run", "args": {"command": "ls", "thought": "I look."}},
        {"id": 2, "source": "agent", "observation": "run", "content": "a.py", "cause": 1},
    ]
    asks, told = only(openhands_v0.FORMAT, document(old)).messages
    assert (asks["content"], asks["tool_calls"][0]["id"], told["tool_call_id"]) == ("I look.", "1", "1")
    assert asks["tool_calls"][0]["function"] == {"name": "run", "arguments": '{"command":"ls"}'}


def test_the_oldest_pairs_without_ids_are_read_one_by_one() -> None:
    pair = [{"action": "run", "args": {"command": "ls"}}, {"observation": "run", "content": "a.py", "extras": {}}]
    conversation = only(openhands_v0.FORMAT, document([pair, pair]))
    assert [body["role"] for body in conversation.messages] == ["assistant", "tool"] * 2
    assert conversation.origin(3).pointer == "/1/1"


def test_each_run_of_an_evaluation_is_a_conversation() -> None:
    first, second = openhands_v0.FORMAT.read(lines(*({"instance_id": name, "history": V0} for name in "ab")))
    assert (first.title, second.title) == ("a", "b")
    assert second.origin(0).pointer == "/1/history/0"
    assert second.origin(0).line == 2


def test_a_condensation_keeps_the_head_and_puts_its_summary_before_the_tail() -> None:
    condensation = {"id": 10, "source": "agent", "action": "condensation",
                    "args": {"forgotten_events_start_id": 4, "forgotten_events_end_id": 8, "summary": "Looked.",
                             "summary_offset": 2}}  # fmt: skip
    after = {"id": 11, "source": "agent", "action": "message", "args": {"content": "Bye."}}
    conversation = only(openhands_v0.FORMAT, document([*V0, condensation, after]))
    summary = {"role": "user", "content": "Looked."}
    tail = conversation.messages[6]
    assert conversation.compactions == (Compaction(7, "condensation", kept=(0, 1), replacement=(summary, tail)),)


def event(kind: str, name: str, **more: Any) -> dict[str, Any]:
    return {"kind": kind, "id": name, "source": "agent", **more}


def text(said: str) -> dict[str, str]:
    return {"type": "text", "text": said}


def action(name: str, call: str, thought: str = "") -> dict[str, Any]:
    return event("ActionEvent", name, thought=[text(thought)], tool_name="bash", tool_call_id=call,
                 llm_response_id="r1",
                 action={"kind": "Bash", "command": "ls"}, reasoning_content="hm" if thought else None,
                 tool_call={"id": call, "name": "bash", "arguments": '{"command": "ls"}'})  # fmt: skip


V1: list[Any] = [
    event("SystemPromptEvent", "e0", system_prompt=text("Be brief."), tools=[{"title": "bash"}]),
    event("MessageEvent", "e1", llm_message={"role": "user", "content": [text("Fix it.")]}),
    action("e2", "c1", "I look."),
    action("e3", "c2"),
    event("ObservationEvent", "e4", tool_name="bash", tool_call_id="c1", action_id="e2",
          observation={"content": [text("a.py")], "is_error": False}),
    event("AgentErrorEvent", "e5", tool_name="bash", tool_call_id="c2", error="no such file"),
    event("Condensation", "e6", forgotten_event_ids=["e2", "e3", "e4", "e5"], summary="Looked.", summary_offset=2),
    event("PauseEvent", "e7"),
    event("MessageEvent", "e8", llm_message={"role": "assistant", "content": [text("Done.")]}),
]  # fmt: skip
STATE = {
    "id": "s1",
    "agent": {"llm": {"model": "m-1"}},
    "stats": {"usage_to_metrics": {"agent": {"token_usages": [
        {"response_id": "r1", "prompt_tokens": 9, "completion_tokens": 2, "cache_read_tokens": 4}]}}},
}  # fmt: skip


def test_events_of_one_response_are_one_message() -> None:
    conversation = only(openhands_v1.FORMAT, lines(*V1))
    assert script(conversation) == [
        ("system", "Be brief."), ("user", "Fix it."), ("assistant", "I look."), ("tool", "a.py"),
        ("tool", "no such file"), ("assistant", "Done."),
    ]  # fmt: skip
    answer = conversation.messages[2]
    assert (answer["thinking"], [call["id"] for call in answer["tool_calls"]]) == ("hm", ["c1", "c2"])
    assert conversation.messages[4]["is_error"] is True
    assert conversation.origin(2).parts[:2] == ("/2/tool_call", "/3/tool_call")
    summary = {"role": "user", "content": "Looked."}
    assert conversation.compactions == (Compaction(5, "condensation", kept=(0, 1), replacement=(summary,)),)


def folder(path: Path) -> Path:
    (path / "events").mkdir()
    (path / "base_state.json").write_text(json.dumps(STATE))
    for number, one in enumerate(V1):
        (path / "events" / f"event-{number:05}-{one['id']}.json").write_text(json.dumps(one))
    return path


def test_a_folder_is_read_in_the_order_of_its_numbers_and_origins_name_the_file(tmp_path: Path) -> None:
    session = load(folder(tmp_path))
    assert (session.format, session.model, session.title) == ("openhands_v1", "m-1", "s1")
    assert [body["role"] for body in session.messages] == ["system", "user", "assistant", "tool", "tool", "assistant"]
    assert session.usage == (Usage(2, 9, 4, 2),)
    origin = session.origin(3)
    assert (origin.file, origin.pointer, origin.index) == ("events/event-00004-e4.json", "", 4)
    assert origin.parts == ("events/event-00004-e4.json#/observation/content/0",)


def test_a_damaged_event_of_a_folder_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    place = folder(tmp_path) / "events" / "event-00004-e4.json"
    place.write_text('{"kind": ')
    session = load(tmp_path)
    assert [body["role"] for body in session.messages] == ["system", "user", "assistant", "tool", "assistant"]
    assert any(found.pointer.startswith("events/event-00004-e4.json#") for found in session.damage)


def test_events_of_the_first_generation_may_be_a_folder_too(tmp_path: Path) -> None:
    (tmp_path / "events").mkdir()
    for one in V0:
        (tmp_path / "events" / f"{one['id']}.json").write_text(json.dumps(one))
    session = load(tmp_path)
    assert (session.format, len(session.messages)) == ("openhands_v0", 7)
    assert session.origin(6).file == "events/9.json"


def test_usage_of_a_stream_is_the_difference_of_its_totals() -> None:
    def stats(taken: int, made: int) -> dict[str, Any]:
        total = {"prompt_tokens": taken, "completion_tokens": made}
        value = {"usage_to_metrics": {"agent": {"model_name": "m-1", "accumulated_token_usage": total}}}
        return event("ConversationStateUpdateEvent", "s", key="stats", value=value)

    conversation = only(openhands_v1.FORMAT, lines(stats(10, 1), V1[2], stats(30, 4), V1[8]))
    assert conversation.usage == (Usage(0, 10, 0, 1), Usage(1, 20, 0, 3))


def test_entries_that_are_no_events_are_named() -> None:
    assert codes(only(openhands_v0.FORMAT, document([*V0[:2], 7]))) == [("unparseable-record", "/2")]


@needs_shared
def test_shared_files_are_as_counted() -> None:
    check_shared(openhands_v0.FORMAT)


@needs_shared
def test_shared_events_are_as_counted() -> None:
    rows = rows_of("openhands_v1")
    assert len(rows) == 2
    for row in rows:
        assert_as_counted(row)


@settings(max_examples=60, deadline=None)
@given(spoilt([*V0, {"instance_id": "a", "history": V0[4:]}]))
def test_no_damage_raises_in_the_first_generation(values: list[Any]) -> None:
    check_spoilt(openhands_v0.FORMAT, document(values))
    check_spoilt(openhands_v0.FORMAT, lines(*values))


@settings(max_examples=60, deadline=None)
@given(spoilt(V1))
def test_no_damage_raises_in_the_second_generation(values: list[Any]) -> None:
    check_spoilt(openhands_v1.FORMAT, lines(*values))


def test_a_number_too_long_to_be_one_is_no_event(tmp_path: Path) -> None:
    (folder(tmp_path) / "events" / f"event-{'9' * 200}-e9.json").write_text("{}")
    assert len(load(tmp_path)) == 6
