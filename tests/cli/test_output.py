import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.cli.output import json_text, printable, safe_json, table
from tests.cli.program import PROGRAM, call, conversation, process, session_file

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters()),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(st.characters(), max_size=5), inner, max_size=4)
    ),
    max_leaves=12,
)
OBEYED = {*map(chr, range(0x20)), *map(chr, range(0x7F, 0xA0)), "\u2028", "\u202e", "\u200b", "\ufeff", "\U000e0041"}
HOSTILE = "[/] [bold] \x1b[31m \x9b2J \x07 \x7f \u202e \ud83d \U000e0041 é 日本 <|endoftext|>"


def lenient(text: str) -> str:
    """Surrogates that happen to stand side by side become one character when JSON is read."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


@given(json_values, st.booleans())
def test_printable_json_is_equal_and_carries_no_control(value: object, indent: bool) -> None:
    text = printable(json_text(value, indent=indent))
    assert lenient(json.dumps(json.loads(text))) == lenient(json.dumps(json.loads(json.dumps(value))))
    assert not (OBEYED - {"\n"}) & set(text)
    text.encode()
    safe_json(json_text(value)).encode()


def test_json_of_any_depth_is_written() -> None:
    value: list[object] = []
    for _ in range(3_000):
        value = [value]
    assert json_text(value) == "[" * 3_001 + "]" * 3_001


def test_a_table_aligns_wide_characters_and_shows_controls() -> None:
    assert table([("日本", "1"), ("a", "\x1b22")], right=(1,)) == "日本    1\na     ␛22"


@pytest.mark.parametrize(
    "verb",
    [
        ("info",),
        ("messages", "--json"),
        ("compact", "-p", "head-tail"),
        ("compact", "-p", "head-tail", "--json"),
        ("compact", "-p", "cascade", "-s", "target_tokens=1", "-s", "ceiling_tokens=1", "--json"),
        ("compact", "-p", "checkpoint", "-s", "max_messages=1", "-s", "keep_recent=1", "-o", "-"),
        ("checkpoint", "prompt"),
        ("checkpoint", "prompt", "--json"),
    ],
    ids=" ".join,
)
def test_nothing_of_a_hostile_recording_is_obeyed(tmp_path: Path, verb: tuple[str, ...]) -> None:
    messages = conversation(12)
    for body in messages:
        body["content"] = f"{HOSTILE} {body['content']}"
        body["name"] = HOSTILE
    answer = call(*verb, session_file(tmp_path, messages, "hostile.json"))
    assert answer.status in (0, 1)
    assert "fault of inspector's own" not in answer.err
    if verb[-1] != "-":  # a file's bytes, and not for a terminal
        assert not (OBEYED - {"\n"}) & set(answer.out + answer.err)


def test_a_reader_that_leaves_early_ends_it_quietly(tmp_path: Path) -> None:
    path = session_file(tmp_path, conversation(400))
    running = subprocess.Popen(
        [*PROGRAM, "messages", path, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL
    )
    assert running.stdout is not None
    assert running.stderr is not None
    running.stdout.readline()
    running.stdout.close()
    said = running.stderr.read()
    running.stderr.close()
    assert running.wait(60) == 0
    assert said == b""


def test_a_terminal_of_ascii_still_gets_equal_json(tmp_path: Path) -> None:
    path = session_file(tmp_path, [{"role": "user", "content": "日本 é 😀"}])
    answer = process("messages", path, "--json", PYTHONIOENCODING="ascii")
    assert answer.out.isascii()
    assert answer.json["message"]["content"] == "日本 é 😀"


@pytest.mark.skipif(sys.platform == "win32", reason="closing stdout is a POSIX matter")
def test_a_closed_stdout_is_no_traceback(tmp_path: Path) -> None:
    command = " ".join((*PROGRAM, "info", session_file(tmp_path)))
    done = subprocess.run(["sh", "-c", f"{command} >&-"], capture_output=True, timeout=60)
    assert b"Traceback" not in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are a POSIX matter")
@pytest.mark.parametrize("verb", [("messages",), ("info",), ("compact", "-p", "head-tail", "--json")], ids=" ".join)
def test_no_control_of_a_recording_reaches_a_terminal(tmp_path: Path, verb: tuple[str, ...]) -> None:
    path = session_file(tmp_path, [{"role": "user", "content": HOSTILE}, {"role": HOSTILE, "content": HOSTILE}])
    shown = on_a_terminal(*verb, path).decode()
    assert not (OBEYED - {"\n", "\r"}) & set(shown)
    assert ("␛[31m" in shown) if verb == ("messages",) else shown


def on_a_terminal(*arguments: str) -> bytes:
    """What a pseudo-terminal receives on the program's stdout."""
    ours, theirs = os.openpty()
    running = subprocess.Popen([*PROGRAM, *arguments], stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs)
    os.close(theirs)
    shown = b""
    try:
        while piece := os.read(ours, 65_536):
            shown += piece
    except OSError:  # EIO: the other side is closed
        pass
    os.close(ours)
    running.wait(60)
    return shown
