"""Every bad input: one clear sentence, the right exit status, no traceback, nothing written."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.program import assert_one_sentence, call, conversation, process, session_file
from tests.formats.test_claude_folder import make as claude_folder

READERS = (
    ("info",),
    ("info", "--all"),
    ("messages",),
    ("compact", "-p", "head-tail"),
    ("checkpoint", "prompt"),
)
posix = pytest.mark.skipif(os.name != "posix", reason="POSIX files")


def missing(path: Path) -> None:
    pass


def folder(path: Path) -> None:
    path.mkdir()


def written(data: bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(data)


BAD: dict[str, Callable[[Path], object]] = {
    "missing": missing,
    "folder": folder,
    "empty": written(b""),
    "only-spaces": written(b" \n \n"),
    "binary": written(bytes(range(256)) * 40),
    "nul": written(b"\0" * 5_000),
    "number": written(b"42"),
    "text": written(b"This is a letter, not a recording.\n"),
    "string": written(b'"messages"'),
    "null": written(b"null"),
    "object": written(b'{"name": "something else"}'),
    "list-of-numbers": written(b"[1, 2, 3]"),
    "cut-before-anything": written(b'{"mess'),
    "invalid-utf8": written(b"\xff\xfe\xfd"),
    "deep": written(b"[" * 200_000),
    "gzip-cut": written(b"\x1f\x8b\x08\x00\x00\x00"),
}


@pytest.mark.parametrize("verb", READERS, ids=" ".join)
@pytest.mark.parametrize("kind", BAD)
def test_a_file_that_holds_no_session_is_one_sentence(
    tmp_path: Path, verb: tuple[str, ...], kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    BAD[kind](tmp_path / "given.json")
    before = sorted(tmp_path.rglob("*"))
    for json in ((), ("--json",)):
        assert_one_sentence(call(*verb, "given.json", *json), naming="given.json")
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("kind", ["missing", "folder", "empty"])
def test_the_application_says_so_before_it_opens(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "given.json"
    BAD[kind](path)
    assert_one_sentence(process(str(path)), naming="given.json")


def test_a_folder_that_is_a_session_may_open_in_the_application(tmp_path: Path) -> None:
    claude_folder(tmp_path)
    assert_one_sentence(process(str(tmp_path)), naming="needs a terminal")


def test_a_request_to_open_at_wants_a_session_and_a_mode_wants_a_request(tmp_path: Path) -> None:
    assert_one_sentence(call("--at", "3"), naming="name the session")
    assert_one_sentence(call(session_file(tmp_path), "--carried"), naming="name it with --at")


def test_a_word_that_is_neither_verb_nor_file_is_called_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert_one_sentence(process("bogus"), naming="there is no file or verb bogus")
    assert_one_sentence(process("inof"), naming="there is no file or verb inof; did you mean inspector info?")
    assert_one_sentence(process("bogus.json"), naming="there is no file bogus.json")


def test_no_terminal_on_stdout_is_one_sentence(tmp_path: Path) -> None:
    for arguments in ((), (session_file(tmp_path),), (session_file(tmp_path), "-p", "cascade", "-s", "protect=1")):
        assert_one_sentence(process(*arguments), naming="terminal")


@pytest.mark.parametrize("kind", ["empty", "binary", "number", "invalid-utf8"])
def test_standard_input_is_judged_alike(tmp_path: Path, kind: str) -> None:
    BAD[kind](tmp_path / "given")
    assert_one_sentence(call("info", "-", stdin=(tmp_path / "given").read_bytes()), naming="standard input: ")


def test_a_cut_file_keeps_what_is_whole_and_names_the_damage(tmp_path: Path) -> None:
    whole = Path(session_file(tmp_path, conversation(4))).read_bytes()
    cut = tmp_path / "cut.json"
    cut.write_bytes(whole[: len(whole) // 2])
    answer = call("info", str(cut), "--json")
    assert answer.status in (0, 1)
    assert answer.json["messages"] >= 4
    assert answer.json["damage"]
    shown = call("info", str(cut))
    assert answer.json["damage"][0]["code"] in shown.out
    compacted = call("compact", str(cut), "-p", "head-tail")
    assert "fault" in compacted.err


def test_invalid_utf8_inside_a_text_is_named_and_the_rest_is_read(tmp_path: Path) -> None:
    path = tmp_path / "bytes.json"
    path.write_bytes(b'{"messages": [{"role": "user", "content": "caf\xe9"}, {"role": "user", "content": "b"}]}')
    answer = call("info", str(path), "--json")
    assert answer.status in (0, 1)
    assert answer.json["messages"] == 2
    assert [fault["code"] for fault in answer.json["damage"]] == ["invalid-utf8"]


@pytest.mark.parametrize(
    ("arguments", "naming"),
    [
        (("-p", "head-tial"), "did you mean head-tail?"),
        (("-p", ""), "head-tail"),
        ((), "-p"),
        (("-p", "head-tail", "-s", "keep_recnt=5"), "did you mean keep_recent?"),
        (("-p", "head-tail", "-s", "keep_recent=-1"), "at least 0"),
        (("-p", "head-tail", "-s", "keep_recent=x"), "whole number"),
        (("-p", "cascade", "-s", "chars_per_token=0.1"), "to 100"),
        (("-p", "head-tail", "-s", "@missing.toml"), "missing.toml"),
        (("-p", "head-tail", "-s", "keep_recent"), "name=value"),
        (("-p", "head-tail", "--at", "99999"), "request"),
        (("-p", "head-tail", "--at", "-1"), "--at"),
        (("-p", "head-tail", "--index", "7"), "7"),
        (("-p", "head-tail", "--format", "no_such"), "no_such"),
        (("-p", "head-tail", "--window", "0"), "--window"),
        (("-p", "head-tail", "--jsn"), "--json"),
        (("-p", "head-tail", "another.json"), "another.json"),
        (("-p", "head-tail", "--json", "-o", "-"), "standard output"),
    ],
)
def test_a_wrong_option_is_one_sentence(tmp_path: Path, arguments: tuple[str, ...], naming: str) -> None:
    path = session_file(tmp_path)
    before = sorted(tmp_path.iterdir())
    assert_one_sentence(call("compact", path, *arguments), naming=naming)
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    ("arguments", "naming"),
    [
        (("-p", "nothing"), "nothing"),
        (("-p", "head-tail", "-s", "keep_recent=-1"), "at least 0"),
        (("--format", "no_such"), "no_such"),
        (("--no-such-option",), "--no-such-option"),
    ],
)
def test_the_application_checks_its_options_before_it_opens(
    tmp_path: Path, arguments: tuple[str, ...], naming: str
) -> None:
    assert_one_sentence(call(session_file(tmp_path), *arguments), naming=naming)


@pytest.mark.parametrize(
    ("arguments", "naming"),
    [
        (("compcat",), "did you mean inspector compact?"),
        (("no_such.json",), "no_such.json"),
        (("-p", "head-tail", "info"), "verb first"),
        (("info",), "SESSION"),
        (("checkpoint",), "checkpoint --help"),
        (("checkpoint", "prse", "x"), "prse"),
        (("completion", "tcsh"), "tcsh"),
        (("policies", "nothing"), "nothing"),
    ],
)
def test_a_wrong_word_is_one_sentence(arguments: tuple[str, ...], naming: str) -> None:
    assert_one_sentence(call(*arguments), naming=naming)


def test_a_sentence_carries_no_control_of_a_file_name(tmp_path: Path) -> None:
    answer = call("info", f"{tmp_path}/\x1b[31m\x9bred\u202e")
    assert_one_sentence(answer)
    assert not {"\x1b", "\x9b", "\u202e"} & set(answer.err)


@posix
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may read anything")
def test_a_file_without_permission_is_one_sentence(tmp_path: Path) -> None:
    path = Path(session_file(tmp_path))
    path.chmod(0)
    assert_one_sentence(call("info", str(path)), naming="ermission")


@posix
def test_a_full_disk_on_stdout_is_one_sentence(tmp_path: Path) -> None:
    import subprocess

    from tests.cli.program import PROGRAM

    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full here")
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*PROGRAM, "messages", session_file(tmp_path)], stdout=full, stderr=subprocess.PIPE, timeout=60
        )
    assert done.returncode == 2
    assert done.stderr.decode().splitlines() == ["inspector: No space left on device"]


def test_a_fault_of_ours_is_one_sentence_unless_debugging(monkeypatch: pytest.MonkeyPatch) -> None:
    class PanicException(BaseException):
        pass

    def panic(*_: object) -> None:
        raise PanicException("range end\nand more")

    monkeypatch.setattr("inspector.policies.policy_named", panic)
    answer = call("policies", "x")
    assert answer.status == 2
    assert answer.err.count("\n") == 1
    assert "PanicException: range end" in answer.err
    monkeypatch.setenv("INSPECTOR_DEBUG", "1")
    with pytest.raises(PanicException):
        call("policies", "x")


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        (RecursionError("x"), "nested too deeply"),
        (MemoryError(), "memory"),
        (OSError(5, "Input/output error", "x.json"), "x.json: Input/output error"),
        (UnicodeEncodeError("ascii", "x", 0, 1, "no"), "cannot be read or written"),
    ],
)
def test_faults_of_the_machine_are_sentences(monkeypatch: pytest.MonkeyPatch, fault: Exception, says: str) -> None:
    def fail(*_: object) -> None:
        raise fault

    monkeypatch.setattr("inspector.policies.policy_named", fail)
    assert_one_sentence(call("policies", "x"), naming=says)


def test_ctrl_c_is_130_and_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("inspector.policies.policy_named", interrupt)
    answer = call("policies", "x")
    assert answer.status == 130
    assert answer.err.strip() == ""
