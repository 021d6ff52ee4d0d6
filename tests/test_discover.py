"""Sessions of the tools on a made machine: found where each tool keeps them, by first lines, without a trace."""

import json
import os
import sqlite3
import tempfile
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector import discover as discovering
from inspector.discover import Found, batches, discover
from inspector.formats import load
from inspector.glance import HEAD, WHOLE, glance, glance_of
from inspector.homes import Machine, homes
from tests.formats.test_branches import CHATGPT, CLAUDE, DROID, PI, QWEN
from tests.shared import SHARED, needs_shared

Line = dict[str, Any]


def put(path: Path, *values: Line | bytes, at: float = 1_000) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(one if isinstance(one, bytes) else json.dumps(one).encode() + b"\n" for one in values))
    os.utime(path, (at, at))
    return path


def found(home: Path, platform: str = "linux", **environ: str) -> list[Found]:
    return list(discover(environ, str(home), platform))


def message(kind: str, said: str) -> Line:
    return {"type": "response_item", "payload": {"type": "message", "role": kind,
            "content": [{"type": "input_text", "text": said}]}}  # fmt: skip


CODEX = (
    {"type": "session_meta", "payload": {"id": "s", "cwd": "/src/boat"}},
    message("user", "<environment_context>\n</environment_context>"),
    message("user", "Name the boat."),
    {"type": "event_msg", "payload": {"type": "user_message", "message": "Name the boat."}},
    message("assistant", "Heron?"),
)
COPILOT = (
    {"type": "session.start", "data": {"sessionId": "s", "context": {"cwd": "/src/boat"}}},
    {"type": "user.message", "data": {"content": "Name the boat."}},
    {"type": "assistant.message", "data": {"content": "Heron?"}},
)
GEMINI = json.dumps({"sessionId": "s", "projectHash": "h", "messages": [
    {"id": "1", "type": "user", "content": [{"text": "Name the boat."}]},
    {"id": "2", "type": "gemini", "content": "Heron?"},
]}).encode()  # fmt: skip
CLINE = json.dumps([
    {"role": "user", "ts": 1, "content": [
        {"type": "text", "text": "<task>\nName the boat.\n</task>"},
        {"type": "text", "text": "<environment_details>\n# Current Working Directory (/src/boat) Files\n"},
    ]},
    {"role": "assistant", "content": [{"type": "text", "text": "Heron?"}]},
]).encode()  # fmt: skip
GOOSE = (
    {"working_dir": "/src/boat", "description": "Boats"},
    {"role": "user", "created": 1, "content": [{"type": "text", "text": "Name the boat."}]},
    {"role": "assistant", "created": 2, "content": [{"type": "text", "text": "Heron?"}]},
)
SAID = [{"type": "text", "text": "Name it."}]
KIMI = (
    {"type": "metadata", "protocol_version": "1.4"},
    {"type": "context.append_message", "message": {"role": "user", "content": SAID}},
)
CURSOR = (
    {"role": "user", "message": {"content": [{"type": "text", "text": "<user_query>\nName it.\n</user_query>"}]}},
    {"role": "assistant", "message": {"content": [{"type": "text", "text": "Heron?"}]}},
)
WIN = "AppData/Roaming"
PLACES: list[tuple[str, str, tuple[Line | bytes, ...], str, str, int]] = [
    (".claude/projects/-src-boat/s.jsonl", "claude_code", (CLAUDE,), "-src-boat", "Name the boat.", 9),
    (".config/claude/projects/-src-boat/s.jsonl", "claude_code", (CLAUDE,), "-src-boat", "Name the boat.", 9),
    (".codex/sessions/2026/01/02/rollout-1.jsonl", "codex", CODEX, "/src/boat", "Name the boat.", 3),
    (".codex/archived_sessions/rollout-2.jsonl", "codex", CODEX, "/src/boat", "Name the boat.", 3),
    (".gemini/tmp/boat/chats/session-1.json", "gemini_cli", (GEMINI,), "boat", "Name the boat.", 2),
    (".qwen/projects/-src-boat/chats/s.jsonl", "qwen_cli", (QWEN,), "-src-boat", "Name the boat.", 4),
    (".pi/agent/sessions/--src-boat--/s.jsonl", "pi", (PI,), "/", "Name the boat.", 4),
    (".local/share/goose/sessions/s.jsonl", "goose", GOOSE, "/src/boat", "Boats", 2),
    (".cline/data/tasks/7/api_conversation_history.json", "cline", (CLINE,), "/src/boat", "Name the boat.", 2),
    (".config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/7/api_conversation_history.json", "cline", (CLINE,),
     "/src/boat", "Name the boat.", 2),
    (".copilot/session-state/s/events.jsonl", "copilot_cli", COPILOT, "/src/boat", "Name the boat.", 2),
    (".kimi-code/sessions/boat/s/agents/main/wire.jsonl", "kimi_cli", KIMI, "boat", "Name it.", 1),
    (".factory/sessions/-src-boat/s.jsonl", "droid_cli", (DROID,), "-src-boat", "Boats", 4),
    (".cursor/projects/src-boat/agent-transcripts/s/s.jsonl", "cursor_cli", CURSOR, "src-boat", "Name it.", 2),
]  # fmt: skip


@pytest.mark.parametrize(("place", "format", "values", "project", "title", "messages"), PLACES)
def test_each_tool_is_found_where_it_keeps_its_sessions(
    tmp_path: Path, place: str, format: str, values: tuple[Line | bytes, ...], project: str, title: str, messages: int
) -> None:
    path = put(tmp_path / place, *values)
    (one,) = found(tmp_path)
    opens = path.parent if format == "cline" else path
    assert (one.path, one.format, one.project, one.title, one.messages) == (
        str(opens),
        format,
        project,
        title,
        messages,
    )
    assert (one.changed, one.size) == (1_000, path.stat().st_size)
    assert load(one.path).format == format


MOVED = [
    ({"CLAUDE_CONFIG_DIR": "x"}, "x/projects/p/s.jsonl"),
    ({"CODEX_HOME": "x"}, "x/sessions/2026/01/02/rollout-1.jsonl"),
    ({"GEMINI_CLI_HOME": "x"}, "x/.gemini/tmp/p/chats/session-1.jsonl"),
    ({"QWEN_HOME": "x"}, "x/projects/p/chats/s.jsonl"),
    ({"QWEN_HOME": "y", "QWEN_RUNTIME_DIR": "x"}, "x/projects/p/chats/s.jsonl"),
    ({"PI_CODING_AGENT_DIR": "x"}, "x/sessions/p/s.jsonl"),
    ({"PI_CODING_AGENT_SESSION_DIR": "x"}, "x/p/s.jsonl"),
    ({"XDG_DATA_HOME": "x"}, "x/goose/sessions/s.jsonl"),
    ({"GOOSE_PATH_ROOT": "x"}, "x/data/sessions/s.jsonl"),
    ({"CLINE_DIR": "x"}, "x/data/tasks/1/api_conversation_history.json"),
    ({"CLINE_DATA_DIR": "x"}, "x/sessions/s/s.messages.json"),
    ({"CLINE_SESSION_DATA_DIR": "x"}, "x/s/s.messages.json"),
    (
        {"XDG_CONFIG_HOME": "x"},
        "x/Kiro/User/globalStorage/kilocode.kilo-code/tasks/1/api_conversation_history.json",
    ),
    ({"COPILOT_HOME": "x"}, "x/session-state/s/events.jsonl"),
    ({"KIMI_CODE_HOME": "x"}, "x/sessions/p/s/agents/main/wire.jsonl"),
    ({"KIMI_SHARE_DIR": "x"}, "x/sessions/p/s/context.jsonl"),
    ({"OPENHANDS_CONVERSATIONS_DIR": "x"}, "x/s/base_state.json"),
    ({"MSWEA_GLOBAL_CONFIG_DIR": "x"}, "x/last_mini_run.traj.json"),
]


@pytest.mark.parametrize(("environ", "place"), MOVED)
def test_variables_that_move_a_home_are_obeyed(tmp_path: Path, environ: dict[str, str], place: str) -> None:
    put(tmp_path / place, *CODEX)
    (tmp_path / Path(place).parent / "events").mkdir()
    assert not found(tmp_path)
    assert not found(tmp_path, **dict.fromkeys(environ, " "))
    assert len(found(tmp_path, **{name: str(tmp_path / value) for name, value in environ.items()})) == 1


@pytest.mark.parametrize(
    ("platform", "place"),
    [
        ("darwin", "Library/Application Support/Code/User/globalStorage/saoudrizwan.claude-dev"),
        ("win32", f"{WIN}/Cursor/User/globalStorage/rooveterinaryinc.roo-cline"),
        ("linux", ".vscode-server/data/User/globalStorage/saoudrizwan.claude-dev"),
    ],
)
def test_the_editors_keep_extensions_by_platform(tmp_path: Path, platform: str, place: str) -> None:
    put(tmp_path / place / "tasks/1/api_conversation_history.json", CLINE)
    (one,) = found(tmp_path, platform)
    assert one.tool == ("Roo Code" if "roo" in place else "Cline")


def test_goose_on_windows_lies_under_block(tmp_path: Path) -> None:
    put(tmp_path / WIN / "Block/goose/data/sessions/s.jsonl", *GOOSE)
    assert [one.tool for one in found(tmp_path, "win32")] == ["goose"]


def test_the_newest_comes_first_and_batches_keep_the_order(tmp_path: Path) -> None:
    for number in range(7):
        put(tmp_path / f".claude/projects/p/{number}.jsonl", CLAUDE, at=1_000 + number)
    put(tmp_path / ".codex/archived_sessions/rollout-1.jsonl", *CODEX, at=1_003.5)
    names = [Path(one.path).stem for one in found(tmp_path)]
    assert names == ["6", "5", "4", "rollout-1", "3", "2", "1", "0"]
    assert [len(batch) for batch in batches(found(tmp_path), 3)] == [3, 3, 2]


def test_sessions_of_subagents_are_not_listed(tmp_path: Path) -> None:
    put(tmp_path / ".claude/projects/p/s/subagents/agent-1.jsonl", CLAUDE)
    assert not found(tmp_path)


def test_opencode_lists_each_session_of_its_folder(tmp_path: Path) -> None:
    store = tmp_path / ".local/share/opencode/storage"
    for name, more in (("ses_1", {}), ("ses_2", {"parentID": "ses_1"}), ("ses_3", {})):
        info = {"id": name, "title": f"Boats {name}", "directory": "/src/boat", "time": {"created": 1, "updated": 2}}
        put(store / f"session/p/{name}.json", {**info, **more})
        said = {"id": f"msg_{name}", "sessionID": name, "role": "user", "time": {"created": 1}}
        put(store / f"message/{name}/msg_{name}.json", said)
        put(store / f"part/msg_{name}/prt_1.json", {"id": "prt_1", "type": "text", "text": f"Name {name}."})
    one = next(one for one in found(tmp_path) if one.id == "ses_3")
    assert {seen.id for seen in found(tmp_path)} == {"ses_1", "ses_3"}
    assert (one.path, one.project, one.title, one.messages) == (str(store), "/src/boat", "Boats ses_3", 1)
    assert {session.title for session in load(one.path).contents} == {"Boats ses_1", "Boats ses_2", "Boats ses_3"}


def database(path: Path, *statements: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as opened:
        for statement in statements:
            opened.execute(statement)
        opened.commit()
    return path


def test_databases_list_their_sessions_without_a_trace(tmp_path: Path) -> None:
    data = tmp_path / ".local/share"
    database(
        data / "opencode/opencode.db",
        "CREATE TABLE session (id TEXT, parent_id TEXT, title TEXT, directory TEXT, time_updated INTEGER)",
        "INSERT INTO session VALUES ('ses_1', NULL, 'Boats', '/src/boat', 2000000), ('ses_2', 'ses_1', 'x', '', 1)",
    )
    database(
        data / "goose/sessions/sessions.db",
        "CREATE TABLE sessions (id TEXT, name TEXT, working_dir TEXT, session_type TEXT, updated_at TEXT)",
        "INSERT INTO sessions VALUES ('g', 'Piers', '/src/pier', 'user', '1970-01-01 00:50:00')",
    )
    before = sorted(path.name for path in data.rglob("*"))
    seen = [(one.tool, one.id, one.title, one.project, one.changed) for one in found(tmp_path)]
    assert seen == [("goose", "g", "Piers", "/src/pier", 3_000), ("opencode", "ses_1", "Boats", "/src/boat", 2_000)]
    assert sorted(path.name for path in data.rglob("*")) == before


def test_a_database_that_cannot_be_looked_into_is_listed_whole(tmp_path: Path) -> None:
    put(tmp_path / ".local/share/opencode/opencode.db", b"SQLite format 3\0" + bytes(200))
    assert [(one.id, one.title, one.messages) for one in found(tmp_path)] == [("", "all sessions", None)]


def test_gemini_says_its_project_in_a_file_beside(tmp_path: Path) -> None:
    put(tmp_path / ".gemini/tmp/0a1b/chats/session-1.json", GEMINI)
    (tmp_path / ".gemini/tmp/0a1b/.project_root").write_text("/src/boat\n")
    assert [one.project for one in found(tmp_path)] == ["/src/boat"]


def test_openhands_counts_its_events(tmp_path: Path) -> None:
    folder = tmp_path / ".openhands/conversations/c"
    put(folder / "base_state.json", {"workspace": {"working_dir": "/src/boat"}})
    said = {"role": "user", "content": [{"type": "text", "text": "Name the boat."}]}
    put(folder / "events/event-00000-a.json", {"kind": "SystemPromptEvent"})
    put(folder / "events/event-00001-b.json", {"kind": "MessageEvent", "source": "user", "llm_message": said})
    (one,) = found(tmp_path)
    assert (one.path, one.project, one.title, one.messages) == (str(folder), "/src/boat", "Name the boat.", 2)


# what may lie there


def test_what_is_no_session_is_passed_over(tmp_path: Path) -> None:
    folder = tmp_path / ".claude/projects/p"
    put(folder / "empty.jsonl")
    (folder / "folder.jsonl").mkdir()
    (folder / "gone.jsonl").symlink_to(folder / "nowhere")
    os.mkfifo(folder / "pipe.jsonl")
    put(folder / "noise.jsonl", b"\x00\xff" * 50)
    put(tmp_path / ".claude/projects/a file", b"x")
    assert [(Path(one.path).name, one.title, one.messages) for one in found(tmp_path)] == [("noise.jsonl", "", None)]


def test_links_in_a_circle_are_not_followed_and_a_file_is_listed_once(tmp_path: Path) -> None:
    folder = tmp_path / ".claude/projects"
    put(folder / "p/s.jsonl", CLAUDE)
    (folder / "again").symlink_to(folder / "p")
    (folder / "p/up").symlink_to(folder)
    (tmp_path / ".config").mkdir()
    (tmp_path / ".config/claude").symlink_to(tmp_path / ".claude")
    assert len(found(tmp_path)) == 1


def test_a_home_without_end_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discovering, "ENTRIES", 5)
    monkeypatch.setattr(discovering, "MOST", 3)
    for number in range(20):
        put(tmp_path / f".claude/projects/p/{number}.jsonl", CLAUDE)
    assert len(found(tmp_path)) == 3


def test_a_large_file_is_read_at_its_beginning_only(tmp_path: Path) -> None:
    late = {"type": "summary", "summary": "Too late to be seen"}
    path = put(tmp_path / "s.jsonl", *CODEX, b" " * WHOLE + b"\n", late)
    assert glance(str(path), path.stat().st_size) == ("/src/boat", "Name the boat.", None)


def test_a_document_cut_at_the_head_still_tells_what_it_is_about(tmp_path: Path) -> None:
    long = json.loads(GEMINI)
    more = {"id": "3", "type": "gemini", "content": "x" * 1_000}
    long["messages"] += [more] * (WHOLE // 900)
    path = put(tmp_path / "s.json", json.dumps(long).encode())
    assert path.stat().st_size > WHOLE > HEAD
    assert glance(str(path), path.stat().st_size) == ("", "Name the boat.", None)


def test_titles_go_before_first_words_and_what_tools_inject_comes_last() -> None:
    injected, asked = ({"type": "user", "message": {"role": "user", "content": said}}
                       for said in ("<command-name>/clear</command-name>", "Name the boat."))  # fmt: skip
    meta = {"type": "user", "isMeta": True, "message": {"role": "user", "content": "Of the tool."}}
    assert glance_of([injected, meta, asked], whole=True) == ("", "Name the boat.", 3)
    assert glance_of([injected], whole=True).title.startswith("<command-name>")
    assert glance_of([asked, {"type": "custom-title", "customTitle": "Boats"}], whole=True).title == "Boats"


odd = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["type", "role", "message", "payload", "data", "content", "parts", "cwd", "title", "context"]),
        inner | st.sampled_from(["user", "summary", "session_info"]), max_size=4,
    ),
    max_leaves=20,
)  # fmt: skip


@given(st.lists(st.dictionaries(st.text(max_size=4) | st.sampled_from(["type", "role", "message", "payload", "data",
       "content", "summary", "workspace", "isMeta"]), odd, max_size=5), max_size=5), st.booleans())  # fmt: skip
def test_records_of_any_shape_are_glanced_at(values: list[Line], whole: bool) -> None:
    seen = glance_of(values, whole=whole)
    assert isinstance(seen.project, str)
    assert isinstance(seen.title, str)
    assert (seen.messages is None) != whole


@given(st.binary(max_size=300))
def test_files_of_any_bytes_are_glanced_at(raw: bytes) -> None:
    path = Path(tempfile.gettempdir()) / f"inspector-glance-{os.getpid()}"
    for made in (raw, b"{" + raw, b"[" + raw, b'{"type": "user", "message": ' + raw):
        path.write_bytes(made)
        glance(str(path), len(made))
    path.unlink()


def test_every_home_has_a_pattern_of_fixed_depth() -> None:
    known = list(homes(Machine({}, "/home/a", "linux")))
    assert all("**" not in home.pattern and home.folder.startswith("/home/a") for home in known)


@needs_shared
def test_public_files_say_what_they_are_about() -> None:
    assert SHARED is not None
    seen = {path.name: glance(str(path), path.stat().st_size) for path in _tools(SHARED / "sessions")}
    assert [name for name, one in seen.items() if not one.title] == []


def _tools(folder: Path) -> Iterable[Path]:
    names = ("claude_code-forked", "codex-stage0", "gemini-stage0", "pi-", "other-copilot", "other-droid", "other-qwen",
             "other-cursor", "goose-")  # fmt: skip
    return sorted(path for path in folder.iterdir() if path.is_file() and path.name.startswith(names))


def test_an_export_is_glanced_at_like_any_document(tmp_path: Path) -> None:
    path = put(tmp_path / "c.json", CHATGPT)
    assert glance(str(path), path.stat().st_size).title == "Boats"
