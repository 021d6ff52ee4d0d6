"""When messages were recorded, as far as a recording says so."""

import json
from math import isnan
from typing import Any

import pytest

from inspector.formats import load_bytes
from inspector.formats.times import seconds
from tests.shared import SHARED, needs_shared

NOON = 1_767_268_800.0  # 2026-01-01T12:00:00Z


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ({"timestamp": "2026-01-01T12:00:00Z"}, NOON),
        ({"timestamp": "2026-01-01T13:00:00.500+01:00"}, NOON + 0.5),
        ({"timestamp": "2026-01-01T12:00:00"}, NOON),
        ({"timestamp": 1_767_268_800}, NOON),
        ({"timestamp": 1_767_268_800_250}, NOON + 0.25),
        ({"ts": NOON}, NOON),
    ],
)
def test_a_time_is_read_from_iso_seconds_or_milliseconds(value: Any, wanted: float) -> None:
    assert seconds(value) == wanted


@pytest.mark.parametrize(
    "value", [None, [], {}, {"timestamp": "soon"}, {"timestamp": True}, {"timestamp": -1}, {"ts": {}}]
)
def test_what_is_no_time_is_unknown(value: Any) -> None:
    assert isnan(seconds(value))


def test_lines_of_claude_code_give_their_times() -> None:
    lines = [
        {"type": "user", "uuid": "a", "parentUuid": None, "sessionId": "s", "timestamp": "2026-01-01T12:00:00Z",
         "message": {"role": "user", "content": "hi"}},
        {"type": "assistant", "uuid": "b", "parentUuid": "a", "sessionId": "s",
         "message": {"role": "assistant", "content": [{"type": "text", "text": "hello"}]}},
    ]  # fmt: skip
    session = load_bytes("\n".join(map(json.dumps, lines)).encode(), "x.jsonl")
    assert session.format == "claude_code"
    assert session.times[0] == NOON
    assert isnan(session.times[1])


def test_messages_without_times_have_none() -> None:
    assert len(load_bytes(b'{"messages":[{"role":"user","content":"a"}]}', "x.json").times) == 0


@needs_shared
@pytest.mark.parametrize(
    "name",
    ["claude_code-compaction.jsonl", "codex-compaction.jsonl", "pi-session-v1.jsonl", "gemini-stage0-large.json"],
)
def test_public_sessions_have_times_that_do_not_run_backwards(name: str) -> None:
    import inspector

    session = inspector.load(SHARED / "sessions" / name)
    known = [time for time in session.times if not isnan(time)]
    assert len(session.times) == len(session.messages)
    assert len(known) > len(session.messages) / 2
    assert known == sorted(known)
