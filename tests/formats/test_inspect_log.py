"""Inspect AI logs: as JSON, as archives of deflate and of zstd, whole and cut off; what only their events say."""

import json
from typing import Any

import pytest
from hypothesis import given, settings

from inspector.formats import conversations_in, load_bytes
from inspector.formats.inspect_log import FORMAT
from inspector.message import Compaction, Usage
from tests.formats.damaged import read_or_refused
from tests.formats.indexed import assert_as_counted, rows_of
from tests.formats.made import check_spoilt, codes, document, only, script, spoilt
from tests.formats.test_archive import zipped, zstd_zipped

LONG = "attachment://0123456789abcdef0123456789abcdef"
CALL = {"id": "c1", "function": "look", "arguments": {"pier": 2}, "type": "function"}
MESSAGES: list[Any] = [
    {"id": "m1", "role": "system", "content": "Be brief."},
    {"id": "m2", "role": "user", "content": [{"type": "text", "text": LONG}, {"type": "image", "image": LONG}]},
    {"id": "m3", "role": "assistant", "content": [
        {"type": "reasoning", "reasoning": "hm", "signature": "s"}, {"type": "text", "text": "I look."}],
     "tool_calls": [CALL]},
    {"id": "m4", "role": "tool", "content": "", "tool_call_id": "c1", "function": "look",
     "error": {"type": "timeout", "message": "too slow"}},
    {"id": "m5", "role": "assistant", "content": [
        {"type": "tool_use", "tool_type": "web_search", "id": "s1", "name": "search", "arguments": "{}",
         "result": "found"}, {"type": "text", "text": "Done."}]},
]  # fmt: skip
SUMMARY = {"id": "s0", "role": "user", "content": "So far: looked."}


def model_event(inputs: Any, answer: str, **more: Any) -> dict[str, Any]:
    usage = {"input_tokens": 9, "output_tokens": 2, "total_tokens": 15, "input_tokens_cache_read": 4}
    output = {"choices": [{"message": {"id": answer, "role": "assistant", "content": "x"}}], "usage": usage}
    return {"event": "model", "model": "m-1", "output": output, **inputs, **more}


EVENTS: list[Any] = [
    {"event": "span_begin", "id": "a1", "type": "agent", "name": "helper", "parent_id": None},
    {"event": "span_begin", "id": "a2", "type": "tool", "name": "x", "parent_id": "a1"},
    model_event({"input": [], "input_refs": [[0, 2]]}, "m3", tools=[{"name": "look"}]),
    model_event({"input": [SUMMARY]}, "elsewhere", span_id="a2"),
    {"event": "compaction", "type": "summary", "tokens_before": 100, "tokens_after": 20},
    model_event({"input": [], "input_refs": [[0, 1], [2, 3]]}, "m5"),
]
SAMPLE: dict[str, Any] = {
    "id": "s-1", "epoch": 2, "input": "x", "target": "y", "messages": MESSAGES, "output": {}, "events": EVENTS,
    "attachments": {LONG.removeprefix("attachment://"): "a long text"},
    "events_data": {"messages": [MESSAGES[0], MESSAGES[1], SUMMARY], "calls": []},
}  # fmt: skip
LOG = {"version": 2, "status": "success", "eval": {"model": "vendor/m-1", "task": "t"}, "samples": [SAMPLE]}
ARCHIVED = {
    "_journal/start.json": json.dumps({"version": 2, "eval": LOG["eval"]}).encode(),
    "samples/s-1_epoch_2.json": json.dumps(SAMPLE).encode(),
    "header.json": json.dumps({**LOG, "samples": None}).encode(),
}
TOLD = [
    ("system", "Be brief."),
    ("user", [{"type": "text", "text": "a long text"}, {"type": "image_url", "image_url": {"url": "a long text"}}]),
    ("assistant", "I look."), ("tool", "Error: too slow"), ("assistant", "Done."), ("tool", "found"),
]  # fmt: skip


def test_a_sample_is_a_conversation_with_attachments_looked_up() -> None:
    main, _ = FORMAT.read(document(LOG))
    assert FORMAT.recognise(document(LOG))
    assert script(main) == TOLD
    assert (main.title, main.model, main.tools) == ("s-1 epoch 2", "vendor/m-1", ({"name": "look"},))
    answer = main.messages[2]
    assert (answer["thinking"], len(answer["thinking_blocks"])) == ("hm", 1)
    assert answer["tool_calls"][0]["function"] == {"name": "look", "arguments": '{"pier":2}'}
    assert main.messages[3]["is_error"] is True
    assert main.messages[4]["tool_calls"][0]["type"] == "server_tool_use"
    assert main.origin(3).parts == ("/samples/0/messages/3/error/message",)
    assert main.origin(5).pointer == main.origin(4).pointer == "/samples/0/messages/4"


def test_usage_is_by_request_and_counts_what_the_cache_held() -> None:
    main, _ = FORMAT.read(document(LOG))
    assert main.usage == (Usage(2, 13, 4, 2), Usage(4, 13, 4, 2))


def test_a_compaction_says_what_the_next_request_was_sent() -> None:
    main, _ = FORMAT.read(document(LOG))
    replacement = ({"role": "user", "content": "So far: looked."},)
    assert main.compactions == (Compaction(4, "summary", 100, 20, kept=(0,), replacement=replacement),)


def test_a_subagent_is_a_side_conversation() -> None:
    _, side = FORMAT.read(document(LOG))
    assert (side.side, side.title) == (True, "s-1 epoch 2, helper")
    assert script(side) == [("user", "So far: looked."), ("assistant", "x")]
    assert side.origin(0).pointer == "/samples/0/events/3/input/0"


@pytest.mark.parametrize("pack", [zipped, zstd_zipped])
def test_an_archive_holds_a_file_a_sample(pack: Any) -> None:
    session = load_bytes(pack(ARCHIVED), "x.eval")
    assert (session.format, session.model, session.title) == ("inspect", "vendor/m-1", "s-1 epoch 2")
    assert [(body["role"], body["content"]) for body in session.messages] == TOLD
    origin = session.origin(2)
    assert (origin.file, origin.pointer) == ("samples/s-1_epoch_2.json", "/messages/2")


@pytest.mark.parametrize("pack", [zipped, zstd_zipped])
def test_a_killed_run_without_header_and_directory_is_read(pack: Any) -> None:
    raw = pack({path: data for path, data in ARCHIVED.items() if path != "header.json"})
    session = load_bytes(raw[: raw.index(b"PK\x01\x02")], "x.eval")
    assert len(session.messages) == len(TOLD)
    assert session.model == "vendor/m-1"
    assert [found.code for found in session.damage] == ["truncated-record"]


def test_a_sample_by_itself_is_read_too() -> None:
    assert FORMAT.recognise(document(SAMPLE))
    assert script(FORMAT.read(document(SAMPLE))[0]) == TOLD


def test_several_samples_are_several_conversations_and_their_damage_is_named() -> None:
    log = {**LOG, "samples": [{**SAMPLE, "events": []}, {**SAMPLE, "epoch": 3, "events": [], "messages": [None, 5]}]}
    first, second = FORMAT.read(document(log))
    assert (first.title, second.title) == ("s-1 epoch 2", "s-1 epoch 3")
    assert codes(second) == [
        ("unparseable-record", "/samples/1/messages/0"), ("unparseable-record", "/samples/1/messages/1"),
    ]  # fmt: skip


def test_references_into_a_pool_are_bounded() -> None:
    endless = model_event({"input": [], "input_refs": [[0, 10**18]] * 1000}, "elsewhere", span_id="a1")
    sample = {**SAMPLE, "events": [EVENTS[0], endless], "message_pool": [SUMMARY] * 10}
    _, side = FORMAT.read(document(sample))
    assert len(side.messages) <= 10_001


def test_a_reference_that_leads_nowhere_stays() -> None:
    sample = {**SAMPLE, "attachments": {}, "events": []}
    assert only(FORMAT, document(sample)).messages[1]["content"][0]["text"] == LONG


@pytest.mark.parametrize("row", rows_of("inspect"), ids=lambda row: row["file"])
def test_shared_files_are_as_counted(row: dict[str, str]) -> None:
    assert_as_counted(row)


@settings(max_examples=80, deadline=None)
@given(spoilt([LOG]))
def test_no_damage_raises(values: list[Any]) -> None:
    check_spoilt(FORMAT, document(values))
    for value in values[:1]:
        if isinstance(value, dict):
            check_spoilt(FORMAT, document(value))


@settings(max_examples=30, deadline=None)
@given(spoilt([SAMPLE]))
def test_no_damage_inside_an_archive_raises(values: list[Any]) -> None:
    files = {**ARCHIVED, "samples/s-1_epoch_2.json": json.dumps(values[0] if values else None).encode()}
    read_or_refused(zipped(files))
    for one in conversations_in(zipped({**files, "samples/s_epoch_1.json": ARCHIVED["samples/s-1_epoch_2.json"]}),
                                "x.eval").conversations:  # fmt: skip
        assert all(one.origin(row).file for row in range(len(one.messages)))
