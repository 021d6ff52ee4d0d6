"""Traces: OpenTelemetry, LangSmith, Langfuse; requests that repeat one another are one conversation."""

import json
from typing import Any

import pytest
from hypothesis import given, settings

from inspector.formats import langfuse, langsmith_runs, load_bytes, otel_genai
from inspector.message import Usage
from tests.formats.indexed import assert_as_counted, rows_of
from tests.formats.made import check_spoilt, document, jsonl, lines, script, spoilt

ASK: dict[str, Any] = {"role": "user", "content": "Which pier?"}
CALL = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
LOOK: dict[str, Any] = {"role": "assistant", "content": "", "tool_calls": [CALL]}
TOLD: dict[str, Any] = {"role": "tool", "tool_call_id": "c1", "content": "empty"}
DONE: dict[str, Any] = {"role": "assistant", "content": "Two."}
SAID = [("user", "Which pier?"), ("assistant", ["look"]), ("tool", "empty"), ("assistant", "Two.")]


def span(number: int, attributes: Any, **more: Any) -> dict[str, Any]:
    return {"traceId": "t1", "spanId": f"s{number}", "name": f"chat {number}",
            "startTimeUnixNano": str(1_000 + number), "attributes": attributes, **more}  # fmt: skip


def otlp(attributes: dict[str, Any]) -> list[dict[str, Any]]:
    wrapped = {str: "stringValue", int: "intValue"}
    return [{"key": key, "value": {wrapped[type(value)]: str(value)}} for key, value in attributes.items()]


def export(*spans: Any) -> dict[str, Any]:
    return {"resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {}, "spans": list(spans)}]}]}


def parts(role: str, *some: Any) -> dict[str, Any]:
    return {"role": role, "parts": list(some)}


IN_PARTS: list[Any] = [
    parts("user", {"type": "text", "content": "Which pier?"}),
    parts("assistant", {"type": "reasoning", "content": "hm"},
          {"type": "tool_call", "id": "c1", "name": "look", "arguments": {}}),
    parts("tool", {"type": "tool_call_response", "id": "c1", "response": "empty"}),
]  # fmt: skip
CURRENT: dict[str, Any] = {
    "gen_ai.operation.name": "chat",
    "gen_ai.request.model": "m-1",
    "gen_ai.system_instructions": json.dumps([{"type": "text", "content": "Be brief."}]),
    "gen_ai.input.messages": json.dumps(IN_PARTS),
    "gen_ai.output.messages": json.dumps([parts("assistant", {"type": "text", "content": "Two."})]),
    "gen_ai.usage.input_tokens": 9,
    "gen_ai.usage.output_tokens": 2,
    "gen_ai.tool.definitions": json.dumps([{"type": "function", "name": "look"}]),
}
FIRST: dict[str, Any] = {
    **CURRENT,
    "gen_ai.input.messages": json.dumps(IN_PARTS[:1]),
    "gen_ai.output.messages": json.dumps(IN_PARTS[1:2]),
    "gen_ai.usage.input_tokens": 5,
}
SPREAD = {
    "gen_ai.prompt.0.role": "user",
    "gen_ai.prompt.0.content": "Which pier?",
    "gen_ai.prompt.1.role": "assistant",
    "gen_ai.prompt.1.tool_calls.0.id": "c1",
    "gen_ai.prompt.1.tool_calls.0.name": "look",
    "gen_ai.prompt.1.tool_calls.0.arguments": "{}",
    "gen_ai.prompt.2.role": "tool",
    "gen_ai.prompt.2.content": "empty",
    "gen_ai.prompt.2.tool_call_id": "c1",
    "gen_ai.completion.0.role": "assistant",
    "gen_ai.completion.0.content": "Two.",
    "gen_ai.usage.prompt_tokens": 9,
}
OPENINFERENCE = {
    "openinference.span.kind": "LLM",
    "llm.model_name": "m-1",
    "llm.input_messages.0.message.role": "user",
    "llm.input_messages.0.message.content": "Which pier?",
    "llm.input_messages.1.message.role": "assistant",
    "llm.input_messages.1.message.tool_calls.0.tool_call.id": "c1",
    "llm.input_messages.1.message.tool_calls.0.tool_call.function.name": "look",
    "llm.input_messages.1.message.tool_calls.0.tool_call.function.arguments": "{}",
    "llm.input_messages.2.message.role": "tool",
    "llm.input_messages.2.message.content": "empty",
    "llm.input_messages.2.message.tool_call_id": "c1",
    "llm.output_messages.0.message.role": "assistant",
    "llm.output_messages.0.message.content": "Two.",
}


def test_a_request_that_repeats_an_earlier_one_is_one_conversation_with_it() -> None:
    recording = document(export(span(2, otlp(CURRENT)), span(1, otlp(FIRST))))
    assert otel_genai.FORMAT.recognise(recording)
    (conversation,) = otel_genai.FORMAT.read(recording)
    assert script(conversation) == [("system", "Be brief."), *SAID]
    assert conversation.messages[2]["thinking"] == "hm"
    assert conversation.usage == (Usage(2, 5, 0, 2), Usage(4, 9, 0, 2))
    assert (conversation.model, conversation.tools) == ("m-1", ({"type": "function", "name": "look"},))
    holder = "/resourceSpans/0/scopeSpans/0/spans/0/attributes"
    assert conversation.origin(1).pointer == f"{holder}/3/value/stringValue#/0"
    assert conversation.origin(1).parts == (f"{holder}/3/value/stringValue#/0/parts/0",)


@pytest.mark.parametrize("attributes", [SPREAD, OPENINFERENCE])
def test_messages_spread_over_keys_are_put_together_with_their_real_places(attributes: dict[str, Any]) -> None:
    for given_as in (attributes, otlp(attributes)):
        recording = document({"spans": [span(1, given_as)]})
        assert otel_genai.FORMAT.recognise(recording)
        (conversation,) = otel_genai.FORMAT.read(recording)
        assert script(conversation) == SAID
        for row, name in ((0, "Which pier?"), (1, "look"), (2, "empty")):
            pointer = conversation.origin(row).parts[0]
            value: Any = recording.document
            for step in pointer.split("/")[1:]:
                value = value[int(step)] if isinstance(value, list) else value[step]
            assert value in (name, "{}")


def test_messages_in_span_events_are_read() -> None:
    events = [
        {"name": "gen_ai.user.message", "attributes": {"content": "Which pier?"}},
        {"name": "gen_ai.assistant.message", "attributes": {"tool_calls": json.dumps([CALL])}},
        {"name": "gen_ai.tool.message", "attributes": {"content": "empty", "id": "c1"}},
        {"name": "gen_ai.choice", "attributes": {"message": json.dumps({"content": "Two."}), "index": 0}},
    ]
    recording = document([span(1, {"gen_ai.system": "x"}, events=events)])
    (conversation,) = otel_genai.FORMAT.read(recording)
    assert script(conversation) == SAID
    assert conversation.messages[2]["tool_call_id"] == "c1"


def test_spans_without_input_go_on_from_the_one_before() -> None:
    first = {"gen_ai.operation.name": "call_llm", "gen_ai.input.messages": json.dumps([ASK]),
             "gen_ai.output": json.dumps([{"tool.name": "look", "tool.args": "{}"}])}  # fmt: skip
    told = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "look", "gen_ai.output": "empty"}
    last = {"gen_ai.operation.name": "call_llm", "gen_ai.output": "Two."}
    (conversation,) = otel_genai.FORMAT.read(lines(span(1, first), span(2, told), span(3, last)))
    assert script(conversation) == SAID
    assert conversation.messages[2] == {"role": "tool", "name": "look", "content": "empty"}
    assert conversation.origin(1).parts == ("/0/attributes/gen_ai.output#/0",)
    assert conversation.origin(3).line == 3


def test_text_that_an_exporter_cut_is_read_as_far_as_it_goes() -> None:
    cut = {**CURRENT, "gen_ai.input.messages": json.dumps(IN_PARTS)[:-30]}
    (conversation,) = otel_genai.FORMAT.read(document([span(1, cut)]))
    assert [body["role"] for body in conversation.messages] == ["system", "user", "assistant", "assistant"]
    assert [found.code for found in conversation.damage] == ["truncated-record"]


def test_other_traces_and_subagents_are_conversations_of_their_own() -> None:
    other = {**CURRENT, "gen_ai.input.messages": json.dumps([parts("user", {"type": "text", "content": "Other"})])}
    spans = [span(1, FIRST), span(2, CURRENT), span(3, other), {**span(4, CURRENT), "traceId": "t2"}]
    found = otel_genai.FORMAT.read(document(spans))
    assert [(len(one.messages), one.side) for one in found] == [(5, False), (5, False), (3, True)]


def run(name: str, messages: list[Any], answer: Any, **more: Any) -> dict[str, Any]:
    return {"id": name, "trace_id": "t1", "dotted_order": name, "run_type": "llm", "name": "ChatX",
            "inputs": {"messages": messages}, "outputs": answer,
            "extra": {"metadata": {"ls_model_name": "m-1"}, "invocation_params": {"tools": [{"name": "look"}]}},
            **more}  # fmt: skip


CHOICE = {"choices": [{"message": DONE}], "usage_metadata": {"input_tokens": 9, "output_tokens": 2}}


def test_a_run_is_put_together_from_its_post_and_its_patch() -> None:
    posted = run("r1", [ASK], {})
    patched = {"id": "r1", "trace_id": "t1", "dotted_order": "r1", "outputs": CHOICE}
    recording = document({"post": [posted], "patch": [patched]})
    assert langsmith_runs.FORMAT.recognise(recording)
    (conversation,) = langsmith_runs.FORMAT.read(recording)
    assert script(conversation) == [SAID[0], SAID[3]]
    assert (conversation.model, conversation.usage) == ("m-1", (Usage(1, 9, 0, 2),))
    assert conversation.tools == ({"name": "look"},)
    assert conversation.origin(1).pointer == "/patch/0/outputs/choices/0/message"


def test_runs_of_langchain_hold_dumped_messages_in_a_list_of_lists() -> None:
    human = {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", "HumanMessage"],
             "kwargs": {"content": "Which pier?"}}  # fmt: skip
    answer = {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", "AIMessage"],
              "kwargs": {"content": "", "tool_calls": [{"id": "c1", "name": "look", "args": {}}]}}  # fmt: skip
    first = run("r1", [[human]], {"generations": [[{"text": "", "message": answer}]]})
    second = run("r2", [[human, answer, TOLD]], CHOICE)
    chain = {**run("r0", [[human]], {}), "run_type": "chain"}
    (conversation,) = langsmith_runs.FORMAT.read(document([second, chain, first]))
    assert script(conversation) == SAID
    assert conversation.origin(0).parts == ("/0/inputs/messages/0/0/kwargs/content",)


def observation(name: str, given_as: Any, answer: Any, start: str = "", kind: str = "GENERATION") -> dict[str, Any]:
    return {"id": name, "traceId": "t1", "type": kind, "name": "ChatX", "startTime": start, "model": "m-1",
            "input": given_as, "output": answer,
            "usageDetails": {"input": 9, "output": 2, "input_cache_read": 4}}  # fmt: skip


DEFINITION = {"role": "tool", "content": {"type": "function", "function": {"name": "look"}}}
OWN_CALLS = {**LOOK, "tool_calls": None, "additional_kwargs": {"tool_calls": [
    {"id": "c1", "type": "function", "function": {"name": "look", "arguments": {"pier": 2}}}]}}  # fmt: skip


def test_generations_are_sorted_and_tool_definitions_are_no_messages() -> None:
    later = observation("b", [ASK, OWN_CALLS, TOLD, DEFINITION], DONE, "2025-01-02")
    first = observation("a", {"messages": [ASK]}, OWN_CALLS, "2025-01-01")
    other = observation("c", "x", "y", "2025-01-03", "SPAN")
    recording = document({"trace": {"id": "t1"}, "observations": [later, other, first]})
    assert langfuse.FORMAT.recognise(recording)
    (conversation,) = langfuse.FORMAT.read(recording)
    assert script(conversation) == SAID
    assert conversation.messages[1]["tool_calls"][0]["function"]["arguments"] == '{"pier":2}'
    assert conversation.tools == (DEFINITION["content"],)
    assert conversation.usage == (Usage(1, 9, 4, 2), Usage(3, 9, 4, 2))
    assert conversation.origin(1).parts[0] == "/observations/0/input/1/additional_kwargs/tool_calls/0"


@pytest.mark.parametrize("spelt", [json.dumps([ASK]), repr([ASK]), repr({"messages": [ASK]}), "Which pier?"])
def test_an_input_may_be_text_of_json_or_of_python(spelt: str) -> None:
    (conversation,) = langfuse.FORMAT.read(document(observation("a", spelt, "Two.")))
    assert script(conversation) == [SAID[0], SAID[3]]


def test_text_that_only_looks_like_python_stays_text() -> None:
    for odd in ("[1, 2", "{'a': __import__('os')}", "[" * 5000, "{1: 2, [3]: 4}"):
        (conversation,) = langfuse.FORMAT.read(document(observation("a", odd, "Two.")))
        assert conversation.messages[0]["content"] == odd


def test_a_trace_without_generations_gives_what_it_was_given() -> None:
    trace = {"id": "t1", "input": {"messages": [ASK]}, "output": {"messages": [ASK, DONE]},
             "observations": [observation("a", None, None, kind="SPAN")]}  # fmt: skip
    (conversation,) = langfuse.FORMAT.read(document(trace))
    assert script(conversation) == [SAID[0], SAID[3]]


def test_each_is_known_by_its_content() -> None:
    made = {"otel_genai": export(span(1, otlp(CURRENT))), "langsmith_runs": {"post": [run("r1", [ASK], CHOICE)]},
            "langfuse": [observation("a", [ASK], DONE)]}  # fmt: skip
    assert {name: load_bytes(jsonl(value), "x.json").format for name, value in made.items()} == {n: n for n in made}


@pytest.mark.parametrize("row", rows_of("otel_genai", "langsmith_runs", "langfuse"), ids=lambda row: row["file"])
def test_shared_files_are_as_counted(row: dict[str, str]) -> None:
    assert_as_counted(row)


@settings(max_examples=80, deadline=None)
@given(spoilt([export(span(1, otlp(FIRST))), span(2, SPREAD), span(3, OPENINFERENCE), span(4, CURRENT)]))
def test_no_damage_of_spans_raises(values: list[Any]) -> None:
    check_spoilt(otel_genai.FORMAT, lines(*values))
    check_spoilt(otel_genai.FORMAT, document({"spans": values}))


@settings(max_examples=60, deadline=None)
@given(spoilt([{"post": [run("r1", [ASK], {})], "patch": [run("r1", [], CHOICE)]}, run("r2", [[ASK, LOOK]], CHOICE)]))
def test_no_damage_of_runs_raises(values: list[Any]) -> None:
    check_spoilt(langsmith_runs.FORMAT, document(values))


@settings(max_examples=60, deadline=None)
@given(spoilt([observation("a", [ASK, OWN_CALLS, DEFINITION], DONE), {"observations": [observation("b", "[1]", "x")]}]))
def test_no_damage_of_observations_raises(values: list[Any]) -> None:
    check_spoilt(langfuse.FORMAT, document(values))
    check_spoilt(langfuse.FORMAT, lines(*values))
