"""SWE-agent and mini-swe-agent trajectories."""

from typing import Any

from hypothesis import given, settings

from inspector.formats import mini_swe_agent, swe_agent
from inspector.message import Usage
from inspector.pairs import pairs_of
from tests.formats.made import check_shared, check_spoilt, codes, document, only, script, spoilt
from tests.formats.test_openai_batch import context
from tests.shared import needs_shared


def call(name: str) -> dict[str, Any]:
    return {"id": name, "type": "function", "function": {"name": "bash", "arguments": '{"command":"ls"}'}}


HISTORY: list[Any] = [
    {"role": "system", "content": "Be brief.", "agent": "main", "message_type": "system_prompt"},
    {"role": "user", "content": [{"type": "text", "text": "Fix"}, {"type": "text", "text": "it."}], "is_demo": True},
    {"role": "assistant", "content": "I look.", "thought": "t", "action": "ls", "tool_calls": [call("c1")]},
    {"role": "tool", "content": "a.py", "tool_call_ids": ["c1"]},
    {"role": "assistant", "content": "Again.", "tool_calls": [call("c1")]},
    {"role": "tool", "content": "b.py", "tool_call_ids": ["c1"]},
]
STEPS = [{"action": "ls", "observation": "a.py", "response": "I look.", "query": HISTORY[:2]}]
RUN = {"trajectory": STEPS, "history": HISTORY, "info": {"exit_status": "submitted"}, "environment": "swe_main"}


def test_the_history_is_the_conversation_and_the_repeated_prompts_are_not_read() -> None:
    conversation = only(swe_agent.FORMAT, document(RUN))
    assert script(conversation) == [
        ("system", "Be brief."), ("user", "Fix\nit."), ("assistant", "I look."), ("tool", "a.py"),
        ("assistant", "Again."), ("tool", "b.py"),
    ]  # fmt: skip
    assert set(conversation.messages[2]) == {"role", "content", "tool_calls"}
    assert conversation.origin(3).parts == ("/history/3/content",)
    assert conversation.origin(2).parts == ("/history/2/tool_calls/0", "/history/2/content")


def test_a_call_id_used_again_pairs_with_the_result_that_follows() -> None:
    pairs = pairs_of(context(only(swe_agent.FORMAT, document(RUN))))
    assert [(pair.call_row, pair.result_row) for pair in pairs.pairs] == [(2, 3), (4, 5)]
    assert pairs.dangling == pairs.orphans == ()


def test_a_run_without_history_is_told_by_its_steps() -> None:
    conversation = only(swe_agent.FORMAT, document({"trajectory": STEPS, "info": {}}))
    assert script(conversation) == [("assistant", "I look."), ("user", "a.py")]
    assert conversation.origin(1).parts == ("/trajectory/0/observation",)


RESPONSE = {"model": "m-1", "usage": {"prompt_tokens": 9, "completion_tokens": 2,
                                      "prompt_tokens_details": {"cached_tokens": 4}}}  # fmt: skip
MINI: dict[str, Any] = {
    "trajectory_format": "mini-swe-agent-1.1",
    "instance_id": "a__b-1",
    "info": {"config": {"model": {"model_name": "asked"}}},
    "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Fix it."},
        {"role": "assistant", "content": None, "reasoning_content": "hm", "tool_calls": [call("c1")],
         "extra": {"response": RESPONSE}},
        {"role": "tool", "content": "<returncode>0</returncode>", "tool_call_id": "c1", "extra": {"returncode": 0}},
        {"role": "assistant", "content": "Done.", "tool_calls": [call("c2")], "extra": {}},
        {"role": "exit", "content": "diff", "extra": {"exit_status": "Submitted"}},
    ],
}  # fmt: skip


def test_the_outcome_is_no_message_and_the_raw_response_gives_usage_and_model() -> None:
    conversation = only(mini_swe_agent.FORMAT, document(MINI))
    assert [body["role"] for body in conversation.messages] == ["system", "user", "assistant", "tool", "assistant"]
    assert conversation.messages[2] == {
        "role": "assistant", "content": None, "thinking": "hm", "tool_calls": [call("c1")],
    }  # fmt: skip
    assert (conversation.model, conversation.usage) == ("m-1", (Usage(2, 9, 4, 2),))
    assert conversation.title == "a__b-1"
    assert len(pairs_of(context(conversation)).dangling) == 1


def test_a_bare_list_of_code_blocks_and_return_codes_is_an_older_run() -> None:
    talk = [
        {"role": "user", "content": "Fix it."},
        {"role": "assistant", "content": "```bash\nls\n```"},
        {"role": "user", "content": "<returncode>0</returncode>\n<output>\na.py\n</output>"},
    ]
    assert len(only(mini_swe_agent.FORMAT, document(talk)).messages) == 3
    assert not mini_swe_agent.FORMAT.recognise(document(talk[:2]))


def test_entries_that_are_no_messages_are_named() -> None:
    run = {**RUN, "history": [HISTORY[0], None, {"content": "x"}]}
    assert codes(only(swe_agent.FORMAT, document(run))) == [
        ("unparseable-record", "/history/1"), ("unparseable-record", "/history/2"),
    ]  # fmt: skip


@needs_shared
def test_shared_files_are_as_counted() -> None:
    check_shared(swe_agent.FORMAT)
    check_shared(mini_swe_agent.FORMAT)


@settings(max_examples=50, deadline=None)
@given(spoilt([RUN, MINI]))
def test_no_damage_raises(values: list[Any]) -> None:
    for value in values:
        check_spoilt(swe_agent.FORMAT, document(value))
        if isinstance(value, (dict, list)):
            check_spoilt(mini_swe_agent.FORMAT, document(value))
