"""`info` for people names the branches that were left, and the compactions that the tool itself did."""

import re
from pathlib import Path

from tests.cli.program import call
from tests.formats.made import jsonl
from tests.formats.test_branches import CLAUDE, claude


def boundary(uuid: str, after: str, trigger: str) -> dict[str, object]:
    return {"type": "system", "subtype": "compact_boundary", "uuid": uuid, "parentUuid": None, "sessionId": "s",
            "logicalParentUuid": after, "compactMetadata": {"trigger": trigger, "preTokens": 9_000,
            "postTokens": 1_000}}  # fmt: skip


def row(out: str, name: str) -> str:
    found = re.search(rf"^{name} +(.*)$", out, re.MULTILINE)
    assert found
    return " ".join(found[1].split())


def test_branches_are_counted_and_the_newest_is_named(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(CLAUDE)
    for more in ((), ("--all",)):
        out = call("info", str(path), *more).out
        assert row(out, "branches left") == "1 the newest from row 2: Too short."
        assert row(out, "compactions") == "0"


def test_compactions_are_counted_by_kind_with_what_they_saved(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(jsonl(
        claude("user", "u1", None, "Name the boat."),
        boundary("b1", "u1", "auto"),
        claude("user", "u2", "b1", "Summary."),
        boundary("b2", "u2", "manual"),
        claude("user", "u3", "b2", "Summary."),
        boundary("b3", "u3", "auto"),
        claude("user", "u4", "b3", "Summary \x1b."),
    ))  # fmt: skip
    out = call("info", str(path)).out
    assert row(out, "compactions") == "3 auto 2 manual 1, 24,000 tokens saved as recorded"
    assert row(out, "branches left") == "0"


def test_the_keys_of_the_document_stay_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(CLAUDE)
    assert set(call("info", str(path), "--json").json) == {
        "format", "source", "messages", "by_role", "tool_calls", "tool_results", "dangling_tool_calls",
        "orphan_tool_results", "images", "conversations", "tokens", "damage",
    }  # fmt: skip
