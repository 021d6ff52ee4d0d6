"""Writing back: what a plan touches changes, every other byte stays, and what is written reads as what is sent."""

import gzip
import itertools
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import inspector
from inspector.formats import FORMATS, UnreadableSession, conversations, format_named, from_messages, load
from inspector.formats.format import CannotWrite
from inspector.formats.native import native_of
from inspector.formats.writing_back import says_the_same, written_back
from inspector.message import Body, Session, calls_of
from inspector.policies import SentView
from tests.formats import writable
from tests.formats.made import jsonl
from tests.formats.writable import FILES, OUTPUT, opencode_folder
from tests.shared import SHARED, needs_shared

SETTINGS: dict[str, list[dict[str, Any]]] = {
    "head-tail": [{"keep_recent": 0, "old_tool_chars": 20}],
    "cascade": [{"max_result_chars": 60}, {"target_tokens": 1, "ceiling_tokens": 1, "keep_verbatim": 1, "protect": 1}],
    "checkpoint": [{"max_messages": 2, "keep_recent": 1}],
}
RUNS = [(policy, given) for policy, runs in SETTINGS.items() for given in runs]


def fresh() -> str:
    return f"00000000-0000-4000-8000-{next(NUMBERS):012d}"


NUMBERS = itertools.count()


def written(session: Session, messages: Sequence[Body], source: Sequence[int]) -> bytes:
    data = written_back(session, messages, source, fresh)[""]
    assert data is not None
    return data


def natively(view: SentView, session: Session) -> dict[str, bytes | None]:
    rows = view.plan.context.source
    source = [rows[row] if row >= 0 else row for row in view.source]
    return dict(written_back(session, view.messages, source, fresh))


def with_rows(session: Session, change: dict[int, Body | None]) -> tuple[list[Body], list[int]]:
    """The messages of a session, some replaced or (None) left out, and the row of each."""
    rows = [row for row in range(len(session)) if change.get(row, session.messages[row]) is not None]
    return [change.get(row) or session.messages[row] for row in rows], rows


def assert_reads_as(path: Path, messages: Sequence[Body], index: int = 0) -> None:
    found = load(path, index=index).messages
    assert len(found) == len(messages)
    assert all(map(says_the_same, found, messages))


@pytest.fixture(params=FILES)
def recorded(request: pytest.FixtureRequest, tmp_path: Path) -> Session:
    path = tmp_path / "recorded"
    path.write_bytes(FILES[request.param])
    session = load(path)
    assert session.format == request.param.split()[0]
    return session


def test_every_writable_format_has_a_session_here() -> None:
    made = {name.split()[0] for name in FILES} | {"opencode_storage"}
    own_dicts = {"messages_jsonl_dataset", "litellm_log"}
    assert {format.name for format in FORMATS if format.shape} == made | own_dicts


def test_nothing_changed_gives_the_same_bytes(recorded: Session) -> None:
    assert written(recorded, recorded.messages, range(len(recorded))) == Path(recorded.file).read_bytes()


def test_of_a_changed_result_only_the_text_changes(recorded: Session) -> None:
    row = next(row for row, body in enumerate(recorded.messages) if body["role"] == "tool")
    messages, source = with_rows(recorded, {row: {**recorded.messages[row], "content": "r\u00e9sum\u00e9"}})
    raw = Path(recorded.file).read_bytes()
    old, new = (OUTPUT, "r\u00e9sum\u00e9")
    spellings = [(json.dumps(old, ensure_ascii=ascii).encode(), json.dumps(new, ensure_ascii=ascii).encode())
                 for ascii in (True, False)]  # fmt: skip
    (spelled,) = [(was, now) for was, now in spellings if was in raw]
    first = raw.index(spelled[0])
    assert written(recorded, messages, source) == raw[:first] + spelled[1] + raw[first + len(spelled[0]) :]


@pytest.mark.parametrize("run", RUNS, ids=str)
def test_what_is_written_reads_as_what_is_sent(recorded: Session, run: tuple[str, dict[str, Any]]) -> None:
    view = inspector.compact(recorded, run[0], **run[1])
    assert view.plan.fired
    data = natively(view, recorded)[""]
    assert data is not None
    out = Path(recorded.file).with_name("out")
    out.write_bytes(data)
    assert_reads_as(out, view.messages)
    assert load(out).format == recorded.format


def test_the_view_of_an_early_request_ends_where_it_was_asked(recorded: Session) -> None:
    view = inspector.compact(recorded, "head-tail", at=1, keep_recent=0, old_tool_chars=20)
    assert len(view.messages) < len(recorded)
    data = natively(view, recorded)[""]
    out = Path(recorded.file).with_name("out")
    out.write_bytes(data or b"")
    assert_reads_as(out, view.messages)


def test_a_written_file_has_no_new_damage(recorded: Session) -> None:
    view = inspector.compact(recorded, "cascade", target_tokens=1, ceiling_tokens=1, keep_verbatim=1, protect=1)
    out = Path(recorded.file).with_name("out")
    out.write_bytes(natively(view, recorded)[""] or b"")
    assert [found.code for found in load(out).damage] == [found.code for found in recorded.damage]


def test_what_is_written_is_written_back_the_same(recorded: Session) -> None:
    view = inspector.compact(recorded, "checkpoint", max_messages=2, keep_recent=1)
    out = Path(recorded.file).with_name("out")
    out.write_bytes(natively(view, recorded)[""] or b"")
    again = load(out)
    assert written(again, again.messages, range(len(again))) == out.read_bytes()


@pytest.mark.parametrize("name", FILES)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_any_choice_of_rows_is_written_or_refused(
    name: str, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("any") / "recorded"
    path.write_bytes(FILES[name])
    session = load(path)
    messages: list[Body] = []
    source: list[int] = []
    for row, body in enumerate(session.messages):
        what = data.draw(st.sampled_from(["keep", "keep", "drop", "say", "add"]))
        if what == "add":
            messages.append(
                {"role": data.draw(st.sampled_from(["user", "assistant"])), "content": f"added \u00fc {row}"}
            )
            source.append(-1)
        if what == "say" and isinstance(body.get("content"), str):
            body = {**body, "content": data.draw(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))}
        if what != "drop":
            messages.append(body)
            source.append(row)
    try:
        made = written(session, messages, source)
    except CannotWrite:
        return
    path.with_name("out").write_bytes(made)
    found = conversations(path.with_name("out"), session.format).conversations[0].messages
    assert len(found) == len(messages)
    assert all(map(says_the_same, found, messages))


JUNK = st.sampled_from([b"", b"\0\0", b"\xff", b"\n", b"{}", b"null", b'"', b",", b"]", b'"id":1,', b"\\ud800"])


@pytest.mark.parametrize("name", FILES)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_damaged_file_is_written_as_sent_or_refused(
    name: str, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    raw = FILES[name]
    at = data.draw(st.integers(0, len(raw)))
    path = tmp_path_factory.mktemp("spoilt") / "recorded"
    path.write_bytes(raw[:at] + data.draw(JUNK) + raw[at + data.draw(st.sampled_from([0, 0, 1, 30, len(raw)])) :])
    policy, chosen = data.draw(st.sampled_from(RUNS))
    try:
        session = load(path)
        view = inspector.compact(session, policy, **chosen)
        made = natively(view, session)[""]
    except (CannotWrite, UnreadableSession):
        return
    path.with_name("out").write_bytes(made or b"")
    found = conversations(path.with_name("out"), session.format).conversations[0].messages
    assert len(found) == len(view.messages)
    assert all(map(says_the_same, found, view.messages))


# One format at a time: what its file looks like afterwards.


def loaded(tmp_path: Path, raw: bytes) -> Session:
    path = tmp_path / "recorded"
    path.write_bytes(raw)
    return load(path)


def test_a_message_list_loses_an_element_and_one_comma(tmp_path: Path) -> None:
    session = loaded(tmp_path, writable.OPENAI)
    made = written(session, *with_rows(session, {5: None}))
    assert made == writable.OPENAI.replace(b', {"role": "user", "content": "Thanks."}', b"")


def test_lines_go_with_their_line_ends(tmp_path: Path) -> None:
    session = loaded(tmp_path, writable.CODEX)
    lines = writable.CODEX.splitlines(keepends=True)
    made = written(session, *with_rows(session, {5: None}))
    assert made == b"".join(line for line in lines if b"Thanks." not in line)


def test_claude_code_relinks_only_the_neighbours_of_what_changes(tmp_path: Path) -> None:
    session = loaded(tmp_path, writable.CLAUDE_CODE)
    before = [json.loads(line) for line in writable.CLAUDE_CODE.splitlines()]
    summary: Body = {"role": "user", "content": "What came before."}
    made = written(session, [summary, *session.messages[3:]], [-1, *range(3, len(session))])
    after = [json.loads(line) for line in made.splitlines()]
    new = next(line for line in after if line.get("message", {}).get("content") == summary["content"])
    assert new["uuid"] not in {line.get("uuid") for line in before}
    assert (new["parentUuid"], new["sessionId"], new["timestamp"]) == (None, "s", "2026-01-01T00:00:00Z")
    parents = {line["uuid"]: line["parentUuid"] for line in after if "uuid" in line}
    assert parents == {new["uuid"]: None, "x1": new["uuid"], "a4": "x1", "u3": "a4"}
    assert [line for line in after if "uuid" not in line] == [line for line in before if "uuid" not in line]


def test_a_line_that_loses_its_only_block_goes(tmp_path: Path) -> None:
    session = loaded(tmp_path, writable.CLAUDE_CODE)
    row = next(row for row, body in enumerate(session.messages) if "thinking" in body)
    body = {key: value for key, value in session.messages[row].items() if not key.startswith("thinking")}
    after = [json.loads(line) for line in written(session, *with_rows(session, {row: body})).splitlines()]
    parents = {line["uuid"]: line["parentUuid"] for line in after if "uuid" in line}
    assert parents == {"u1": None, "x1": "u1", "a2": "x1", "a3": "a2", "u2": "a3", "a4": "u2", "u3": "a4"}


def test_a_copied_line_goes_with_the_line_that_counts(tmp_path: Path) -> None:
    last = writable.CLAUDE_CODE.splitlines()[-2]
    session = loaded(tmp_path, writable.CLAUDE_CODE + b"\r\n" + last.replace(b'"sessionId":"s"', b'"sessionId":"t"'))
    assert [found.code for found in session.damage] == ["duplicate-record"]
    assert b"Thanks." not in written(session, *with_rows(session, {len(session) - 1: None}))


def test_a_stub_stands_where_the_format_keeps_results(tmp_path: Path) -> None:
    use = {"type": "tool_use", "id": "c2", "name": "look", "input": {}}
    turns = [*writable.TURNS[:1], {"role": "assistant", "content": [writable.USE, use]}, *writable.TURNS[2:]]
    session = loaded(tmp_path, json.dumps({"system": "", "messages": turns}).encode())
    view = inspector.compact(session, "head-tail")
    made = json.loads(natively(view, session)[""] or b"")
    assert [block.get("tool_use_id") for block in made["messages"][2]["content"]] == ["c1", "c2", None]
    assert len(made["messages"]) == len(turns)


def test_gemini_cli_takes_a_stub_into_the_record_of_its_call(tmp_path: Path) -> None:
    open_call = {key: value for key, value in writable.RECORDS[1]["toolCalls"][0].items() if key != "result"}
    records = [writable.RECORDS[0], {**writable.RECORDS[1], "toolCalls": [open_call]}, *writable.RECORDS[2:]]
    session = loaded(tmp_path, json.dumps({**writable.GEMINI_HEAD, "messages": records}).encode())
    view = inspector.compact(session, "head-tail")
    made = json.loads(natively(view, session)[""] or b"")
    answered = made["messages"][1]["toolCalls"][0]["result"][0]["functionResponse"]
    assert answered["id"] == "c1"
    assert "missing" in answered["response"]["output"]


def test_a_record_that_an_earlier_one_stands_behind_goes_with_it(tmp_path: Path) -> None:
    session = loaded(tmp_path, writable.GEMINI_LINES)
    made = written(session, *with_rows(session, {1: None, 2: None}))
    assert b'"id": "2"' not in made


def test_a_result_that_gemini_cli_says_twice_goes_twice(tmp_path: Path) -> None:
    double = {"id": "2b", "timestamp": "t2", "type": "user", "content": [writable.ANSWERED]}
    raw = writable.indented(
        {**writable.GEMINI_HEAD, "messages": [*writable.RECORDS[:2], double, *writable.RECORDS[2:]]}
    )
    session = loaded(tmp_path, raw)
    assert raw.count(b"pier 2: empty") == 2
    assert b"pier 2: empty" not in written(session, *with_rows(session, {1: None, 2: None}))


def test_a_custom_call_gets_a_custom_result(tmp_path: Path) -> None:
    call = {"type": "custom_tool_call", "call_id": "k", "name": "patch", "input": "x"}
    raw = jsonl(*(json.loads(line) for line in writable.CODEX.splitlines()), writable._rollout("response_item", call))
    session = loaded(tmp_path, raw)
    made = natively(inspector.compact(session, "head-tail"), session)[""] or b""
    assert json.loads(made.splitlines()[-1])["payload"]["type"] == "custom_tool_call_output"


def test_pi_moves_what_a_compaction_kept_to_what_is_still_there(tmp_path: Path) -> None:
    entries = [json.loads(line) for line in writable.PI.splitlines()]
    compaction = {"type": "compaction", "id": "e7", "parentId": "e6", "timestamp": "t", "summary": "S"}
    session = loaded(tmp_path, jsonl(*entries, {**compaction, "firstKeptEntryId": "e5"}))
    made = [json.loads(line) for line in written(session, *with_rows(session, {3: None})).splitlines()]
    assert made[-1]["firstKeptEntryId"] == "e6"
    assert made[-2]["parentId"] == "e4"


def test_pi_counts_the_entries_before_a_compaction_anew(tmp_path: Path) -> None:
    entries = [json.loads(line) for line in writable.PI_1.splitlines()]
    compaction = {"type": "compaction", "timestamp": "t", "summary": "S", "firstKeptEntryIndex": 5}
    session = loaded(tmp_path, jsonl(*entries, compaction))
    made = [json.loads(line) for line in written(session, *with_rows(session, {1: None, 2: None})).splitlines()]
    assert made[-1]["firstKeptEntryIndex"] == 3


def test_records_glued_on_one_line_are_changed_one_by_one(tmp_path: Path) -> None:
    raw = writable.PI_1.replace(b"\n", b"", 4).replace(b"", b"", 1)
    session = loaded(tmp_path, raw)
    assert [found.code for found in session.damage] == ["glued-records"]
    row = next(row for row, body in enumerate(session.messages) if body["role"] == "tool")
    made = written(session, *with_rows(session, {row: {**session.messages[row], "content": "short"}}))
    assert made == raw.replace(json.dumps(OUTPUT).encode(), b'"short"')


def test_a_text_of_several_blocks_goes_into_the_first(tmp_path: Path) -> None:
    blocks = [{"type": "text", "text": part} for part in ("one", "two", "three")]
    session = loaded(tmp_path, indented_chat(blocks))
    made = json.loads(written(session, *with_rows(session, {1: {"role": "user", "content": "all"}})))
    assert made["messages"][0]["content"] == [{"type": "text", "text": "all"}]


def indented_chat(content: Any) -> bytes:
    return writable.indented({"system": "S", "messages": [{"role": "user", "content": content}, *writable.TURNS[1:]]})


def test_arguments_are_changed_member_by_member(tmp_path: Path) -> None:
    session = loaded(tmp_path, writable.ANTHROPIC)
    row = next(row for row, body in enumerate(session.messages) if calls_of(body))
    body = session.messages[row]
    entry = {**body["tool_calls"][0], "function": {"name": "look", "arguments": '{"pier": 2, "cleared": true}'}}
    made = written(session, *with_rows(session, {row: {**body, "tool_calls": [entry]}}))
    assert json.loads(made.decode("utf-8-sig"))["messages"][1]["content"][2]["input"] == {"pier": 2, "cleared": True}


@pytest.mark.parametrize("name", ["anthropic", "claude_code", "cline"])
def test_a_thought_is_never_rewritten(name: str, tmp_path: Path) -> None:
    session = loaded(tmp_path, FILES[name])
    row = next(row for row, body in enumerate(session.messages) if "thinking" in body)
    with pytest.raises(CannotWrite, match="kept whole or dropped whole"):
        written(session, *with_rows(session, {row: {**session.messages[row], "thinking": "Otherwise."}}))


def test_rows_of_one_message_are_not_parted_by_a_new_one(tmp_path: Path) -> None:
    session = loaded(tmp_path, writable.RESPONSES)
    added: Body = {"role": "assistant", "content": "More."}
    with pytest.raises(CannotWrite, match="cannot express"):
        written(session, [*session.messages[:3], added, *session.messages[3:]], [0, 1, 2, -1, *range(3, len(session))])


def test_a_moved_message_keeps_its_bytes(tmp_path: Path) -> None:
    session = loaded(tmp_path, writable.OPENAI)
    order = [1, 0, *range(2, len(session))]
    made = written(session, [session.messages[row] for row in order], order)
    assert load_bytes_of(tmp_path, made) == [session.messages[row] for row in order]
    assert sorted(made) == sorted(writable.OPENAI)


def load_bytes_of(tmp_path: Path, raw: bytes) -> list[Body]:
    return list(loaded(tmp_path, raw).messages)


def test_a_streamed_answer_of_ollama_is_written_into_its_first_piece(tmp_path: Path) -> None:
    pieces = [{"model": "m", "created_at": "t", "message": {"role": "assistant", "content": text}, "done": last}
              for text, last in (("It ", False), ("is 2.", True))]  # fmt: skip
    request = {"model": "m", "options": {}, "messages": [{"role": "user", "content": "Which?"}]}
    session = loaded(tmp_path, jsonl(request, *pieces))
    assert session.messages[1]["content"] == "It is 2."
    made = written(session, *with_rows(session, {1: {**session.messages[1], "content": "Two."}}))
    assert made == jsonl(request, *pieces).replace(b"It ", b"Two.").replace(b"is 2.", b"")


# Folders.


def test_a_folder_changes_only_in_the_files_of_what_changed(tmp_path: Path) -> None:
    session = load(opencode_folder(tmp_path / "storage"))
    assert session.format == "opencode_storage"
    row = next(row for row, body in enumerate(session.messages) if body["role"] == "tool")
    messages, source = with_rows(session, {row: {**session.messages[row], "content": "short"}})
    changed = written_back(session, messages, source, fresh)
    path = "part/msg_2/prt_4.json"
    old = (tmp_path / "storage" / path).read_bytes()
    assert changed == {path: old.replace(json.dumps(OUTPUT).encode(), b'"short"')}
    assert written_back(session, session.messages, range(len(session)), fresh) == {}


@pytest.mark.parametrize("run", RUNS, ids=str)
def test_a_written_folder_reads_as_what_is_sent(tmp_path: Path, run: tuple[str, dict[str, Any]]) -> None:
    session = load(opencode_folder(tmp_path / "storage"))
    view = inspector.compact(session, run[0], **run[1])
    for path, data in natively(view, session).items():
        place = tmp_path / "storage" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data) if data is not None else place.unlink()
    assert_reads_as(tmp_path / "storage", view.messages)


def test_the_parts_of_a_message_go_with_it(tmp_path: Path) -> None:
    session = load(opencode_folder(tmp_path / "storage"))
    changed = written_back(session, *with_rows(session, {1: None, 2: None}), fresh)
    gone = {"message/ses_1/msg_2.json", *(f"part/msg_2/prt_{number}.json" for number in (2, 3, 4, 5))}
    assert changed == dict.fromkeys(gone)


# What is refused, and when.


def test_a_file_that_has_changed_is_not_mixed_with_what_was_loaded(tmp_path: Path) -> None:
    session = loaded(tmp_path, writable.PI)
    Path(session.file).write_bytes(writable.PI.replace(b"Thanks.", b"No thanks."))
    with pytest.raises(CannotWrite, match="has changed since it was read"):
        written(session, session.messages, range(len(session)))


def test_a_file_that_is_gone_is_a_sentence(tmp_path: Path) -> None:
    session = loaded(tmp_path, writable.PI)
    Path(session.file).unlink()
    with pytest.raises(UnreadableSession, match="no such file"):
        written(session, session.messages, range(len(session)))


def test_a_session_is_not_written_without_a_message(recorded: Session) -> None:
    with pytest.raises(CannotWrite, match="no message of the conversation would be left"):
        written(recorded, [], [])


def test_messages_of_a_program_have_no_file() -> None:
    session = from_messages(writable.CHAT)
    native = format_named("openai_chat")
    with pytest.raises(CannotWrite, match="given by a program"):
        native_of(session, native, fresh)


def test_a_format_that_is_not_written_back_says_which_are(tmp_path: Path) -> None:
    turns = [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Hello"}]
    session = loaded(tmp_path, json.dumps([{"conversations": turns}]).encode())
    with pytest.raises(CannotWrite, match=r"sharegpt is not written back, only .*claude_code.* in OpenAI shape"):
        written(session, session.messages, [0, 1])


def test_a_packed_file_stays_packed(tmp_path: Path) -> None:
    packed = gzip.compress(writable.CLAUDE_CODE)
    session = loaded(tmp_path, packed)
    assert written(session, session.messages, range(len(session))) == packed
    made = written(session, *with_rows(session, {0: None}))
    assert b'"uuid":"u1"' not in gzip.decompress(made)


def test_what_came_from_standard_input_is_written_from_the_same_bytes() -> None:
    session = inspector.formats.load_bytes(writable.CODEX, "-")
    messages, source = with_rows(session, {5: None})
    made = written_back(session, messages, source, fresh, writable.CODEX)[""]
    assert made is not None
    assert b"Thanks." not in made


def test_only_the_chosen_conversation_is_touched(tmp_path: Path) -> None:
    path = tmp_path / "recorded"
    path.write_bytes(writable.BATCH)
    session = load(path, index=1)
    made = written(session, *with_rows(session, {0: None}))
    assert made.splitlines()[0] == writable.BATCH.splitlines()[0]
    assert json.loads(made.splitlines()[1])["body"]["messages"] == writable.CHAT[1:2]


# Other people's recordings.


def shared_sessions() -> list[Path]:
    folder = SHARED / "sessions"
    if not folder.is_dir():
        return []
    writable_names = {format.name for format in FORMATS if format.shape}
    rows = (line.split("\t") for line in (folder / "INDEX.tsv").read_text().splitlines()[1:])
    return [folder / row[0] for row in rows if row[1] in writable_names]


@needs_shared
@pytest.mark.parametrize("path", shared_sessions(), ids=lambda path: path.name)
def test_recordings_are_written_back_as_they_were(path: Path) -> None:
    session = load(path)
    made = written_back(session, session.messages, range(len(session)), fresh)
    assert made == ({"": path.read_bytes()} if path.is_file() else {})


@needs_shared
@pytest.mark.parametrize("path", shared_sessions(), ids=lambda path: path.name)
def test_in_recordings_one_changed_result_changes_one_span(path: Path) -> None:
    session = load(path)
    rows = [row for row, body in enumerate(session.messages) if body["role"] == "tool" and body.get("content")]
    plain = [row for row in rows if isinstance(session.messages[row]["content"], str)]
    if not plain:
        pytest.skip("it holds no result that is a text")
    row = plain[len(plain) // 2]
    messages, source = with_rows(session, {row: {**session.messages[row], "content": "MARK"}})
    for file, made in written_back(session, messages, source, fresh).items():
        raw = (path / file if file else path).read_bytes()
        before, after = (made or b"").split(b"MARK")
        assert raw.startswith(re.sub(rb'(\{\s*("output"|"type":\s*"text",\s*"text"):\s*)?"$', b"", before))
        assert raw.endswith(re.sub(rb'^"(\s*\})?', b"", after))


@needs_shared
@pytest.mark.parametrize("run", RUNS, ids=str)
@pytest.mark.parametrize("path", shared_sessions(), ids=lambda path: path.name)
def test_recordings_are_written_as_sent_or_refused(path: Path, run: tuple[str, dict[str, Any]], tmp_path: Path) -> None:
    session = load(path)
    view = inspector.compact(session, run[0], **run[1])
    try:
        made = natively(view, session)
    except CannotWrite:
        assert path.name in REFUSED
        return
    if path.is_file():
        (tmp_path / path.name).write_bytes(made[""] or b"")
        found = conversations(tmp_path / path.name, session.format).conversations[0].messages
        assert len(found) == len(view.messages)
        assert all(map(says_the_same, found, view.messages))


REFUSED = {
    "gemini-stage0-v040.jsonl": "a call goes, and its result stays, in one record",
    "openai_responses-pydantic-mcp.json": "two assistant messages in a row read as one",
    "anthropic-pydantic-pause-turn.json": "a summary would part the blocks of one message",
    "claude_code-stage0-small.jsonl": "links and ids are blanked out in this fixture",
    "claude_code-forked.jsonl": "a branch that was left would come back",
    "litellm-claude-sonnet-046.json": "there is nothing but an answer, and nothing can follow it",
    "openai_responses-pydantic-compaction.json": "two assistant messages in a row read as one",
}
"""Recordings for which some plan has no place in their format."""
