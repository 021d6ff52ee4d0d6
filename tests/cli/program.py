"""The command line called as a user calls it, in this process or as one of its own."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from inspector.__main__ import main

PROGRAM = (sys.executable, "-m", "inspector")


@dataclass(frozen=True)
class Answer:
    """What came back from a call."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def call(*arguments: str, stdin: bytes = b"") -> Answer:
    """Call the program in this process, through the guard that the console script goes through."""
    with CliRunner().isolation(input=stdin) as (out, err, _):
        status = main(arguments)
        sys.stdout.flush()
        sys.stderr.flush()
        return Answer(status, out.getvalue().decode(), err.getvalue().decode())


def process(*arguments: str | bytes, stdin: bytes = b"", **environment: str) -> Answer:
    """Call the program as a process."""
    done = subprocess.run(
        [*PROGRAM, *arguments], input=stdin, capture_output=True, timeout=60, env={**os.environ, **environment}
    )
    return Answer(done.returncode, done.stdout.decode(), done.stderr.decode())


def assert_one_sentence(answer: Answer, *, naming: str = "") -> None:
    """Exit status 2, nothing on stdout, and one line on stderr that is no traceback."""
    assert answer.status == 2
    assert answer.out == ""
    assert answer.err.startswith("inspector: ")
    assert answer.err.count("\n") == 1
    assert "Traceback" not in answer.err
    assert "fault of inspector's own" not in answer.err
    assert naming in answer.err


def conversation(results: int = 20, size: int = 3_000) -> list[dict[str, Any]]:
    """A system prompt, a task, then calls with their results, and an answer."""
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": "You are careful."},
        {"role": "user", "content": "Read all the files."},
    ]
    for number in range(results):
        name = f"call_{number}"
        function = {"name": "read_file", "arguments": json.dumps({"path": f"{number}.txt"})}
        messages += [
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": name, "type": "function", "function": function}],
            },
            {"role": "tool", "tool_call_id": name, "name": "read_file", "content": f"line {number}\n" * (size // 8)},
        ]
    return [*messages, {"role": "assistant", "content": "Done."}]


def session_file(folder: Path, messages: list[dict[str, Any]] | None = None, name: str = "session.json") -> str:
    """A recording in OpenAI's form."""
    path = folder / name
    document = {"model": "gpt-4o", "messages": conversation() if messages is None else messages}
    path.write_text(json.dumps(document), encoding="utf-8")
    return str(path)
