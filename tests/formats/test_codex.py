"""Codex rollouts: items and their doubles, compactions, rollbacks, usage, older files."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.formats.codex import FORMAT
from inspector.message import Compaction, Usage
from tests.formats.made import check_shared, check_spoilt, codes, document, lines, only, script, spoilt
from tests.shared import needs_shared

Line = dict[str, Any]


def line(kind: str, payload: Any, time: str = "t") -> Line:
    return {"timestamp": time, "type": kind, "payload": payload}


def item(**keys: Any) -> Line:
    return line("response_item", keys)


def says(text: str, role: str = "user") -> Line:
    kind = "output_text" if role == "assistant" else "input_text"
    return item(type="message", role=role, content=[{"type": kind, "text": text}])


def event(kind: str, time: str = "t", **keys: Any) -> Line:
    return line("event_msg", {"type": kind, **keys}, time)


def counted(taken: int, total: int, time: str = "t") -> Line:
    last = {"input_tokens": taken, "cached_input_tokens": 5, "output_tokens": 2}
    return event("token_count", time, info={"last_token_usage": last, "total_token_usage": {"total_tokens": total}})


META = line("session_meta", {"id": "x", "cwd": "/", "base_instructions": {"text": "Be brief."}})
CONTEXT = says("<environment_context>\n</environment_context>")
TURN = [
    says("Which pier?"),
    event("user_message", message="Which pier?"),
    item(type="reasoning", summary=[], encrypted_content="gAAA"),
    item(type="function_call", call_id="c", name="shell", arguments="{}"),
    counted(50, 52, "t1"),
    counted(50, 52, "t1"),
    item(type="function_call_output", call_id="c", output="pier 2"),
    event("agent_message", message="Two."),
    says("Two.", "assistant"),
    counted(60, 114, "t2"),
]


def main(*values: Line) -> Any:
    return only(FORMAT, lines(META, line("turn_context", {"model": "gpt-x"}), *values))


def test_items_are_told_once_with_model_instructions_and_places() -> None:
    conversation = main(CONTEXT, *TURN)
    assert script(conversation) == [
        ("system", "Be brief."), ("user", "<environment_context>\n</environment_context>"), ("user", "Which pier?"),
        ("assistant", ["shell"]), ("tool", "pier 2"), ("assistant", "Two."),
    ]  # fmt: skip
    assert conversation.model == "gpt-x"
    assert conversation.origin(0).parts == ("/0/payload/base_instructions/text",)
    assert (conversation.origin(3).pointer, conversation.origin(3).line) == ("/5/payload", 6)
    assert conversation.origin(3).parts == ("/6/payload", "/5/payload")


def test_usage_belongs_to_the_answer_before_it_and_repeats_count_once() -> None:
    assert main(*TURN).usage == (Usage(2, 50, 5, 2), Usage(4, 60, 5, 2))
    assert len(main(*TURN, *TURN[2:6]).usage) == 2


def test_the_meta_line_that_a_fork_copies_is_no_second_prompt() -> None:
    conversation = main(*TURN, META, says("More."))
    assert [body["role"] for body in conversation.messages].count("system") == 1


def test_events_alone_are_no_messages() -> None:
    conversation = only(FORMAT, lines(line("session_meta", {"id": "x"}), event("agent_message", message="Two.")))
    assert (conversation.messages, conversation.usage) == ([], ())


def test_a_replacement_is_kept_as_messages_beside_the_session() -> None:
    history = [says("Which pier?")["payload"], {"type": "compaction", "encrypted_content": "g"}]
    conversation = main(*TURN, line("compacted", {"message": "", "replacement_history": history}), says("And?"))
    (found,) = conversation.compactions
    assert (found.row, found.kept) == (5, (0,))
    assert [body["role"] for body in found.replacement] == ["user", "assistant"]
    assert script(conversation)[-1] == ("user", "And?")


def test_without_a_replacement_the_summary_is_a_row_and_the_prompts_are_kept() -> None:
    conversation = main(CONTEXT, *TURN, line("compacted", {"message": "So far."}), says("And?"), *TURN)
    assert conversation.compactions == (Compaction(6, "compacted", kept=(0, 1, 2)),)
    assert script(conversation)[6] == ("user", "So far.")
    assert conversation.origin(6).parts == ("/13/payload/message",)


def test_an_old_compaction_keeps_prompts_up_to_its_room_and_no_summary() -> None:
    long = says("x" * 79_990)
    conversation = main(long, says("short"), line("compacted", {"message": "S1"}), line("compacted", {"message": "S2"}))
    assert [found.kept for found in conversation.compactions] == [(0, 1, 2), (0, 1, 2)]
    more = main(long, says("x" * 11), line("compacted", {"message": "S1"}))
    assert more.compactions[0].kept == (0, 2)


def test_a_rollback_takes_turns_back_with_the_notes_before_them() -> None:
    back = event("thread_rolled_back", num_turns=1)
    conversation = main(says("Hello."), says("Hi.", "assistant"), CONTEXT, *TURN, back, says("Else?"))
    assert [text for _, text in script(conversation)] == ["Be brief.", "Hello.", "Hi.", "Else?"]
    assert len(conversation.abandoned) == 5
    assert codes(conversation) == [("abandoned-branch", "/4/payload")]
    assert conversation.usage == ()


def test_a_rollback_of_more_turns_than_there_are_keeps_what_came_before_the_first() -> None:
    conversation = main(CONTEXT, *TURN, event("thread_rolled_back", num_turns=99))
    assert [body["role"] for body in conversation.messages] == ["system", "user"]


def test_a_compaction_of_a_turn_that_was_taken_back_is_gone() -> None:
    compacted = line("compacted", {"message": "S"})
    conversation = main(says("One."), *TURN, compacted, event("thread_rolled_back", num_turns=2))
    assert conversation.compactions == ()
    assert [text for _, text in script(conversation)] == ["Be brief."]


def test_older_files_have_bare_items_after_an_untyped_header() -> None:
    header = {"id": "x", "timestamp": "t", "instructions": "Be brief.", "git": {}}
    bare = [one["payload"] for one in TURN if one["type"] == "response_item"]
    conversation = only(FORMAT, lines(header, {"record_type": "state"}, *bare))
    assert [body["role"] for body in conversation.messages] == ["system", "user", "assistant", "tool", "assistant"]
    assert conversation.origin(1).pointer == "/2"
    oldest = only(FORMAT, document({"session": {"id": "x", "instructions": "Be brief."}, "items": bare}))
    assert oldest.messages == conversation.messages
    assert oldest.origin(1).pointer == "/items/0"


def test_a_line_without_its_payload_is_named() -> None:
    conversation = FORMAT.read(lines(META, line("response_item", [1]), 5, *TURN))[0]
    assert sorted(codes(conversation)) == [("unparseable-record", "/1/payload"), ("unparseable-record", "/2")]
    assert len(conversation.messages) == 5


WHOLE = [META, CONTEXT, *TURN, line("compacted", {"message": "S", "replacement_history": [TURN[0]["payload"]]}), *TURN,
         line("compacted", {"message": "S"}), event("thread_rolled_back", num_turns=1), *TURN]  # fmt: skip


@given(spoilt(WHOLE))
@settings(deadline=None)
def test_no_rollout_makes_the_reader_raise(values: list[Any]) -> None:
    check_spoilt(FORMAT, lines(*values))


@given(st.permutations(WHOLE))
@settings(deadline=None)
def test_no_order_of_lines_makes_the_reader_raise(values: list[Any]) -> None:
    check_spoilt(FORMAT, lines(*values))


@needs_shared
def test_the_public_files_have_the_figures_of_their_index() -> None:
    check_shared(FORMAT)
