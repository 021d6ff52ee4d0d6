"""The checkpoint contract against what the reference really returned, error texts included."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pytest

from inspector.policies import contract
from tests.shared import SHARED, needs_shared

SELECTION = Path(__file__).parents[1] / "golden" / "checkpoint.jsonl"
ATTRIBUTES = {
    "historySummary": "history_summary",
    "scriptDesign": "script_design",
    "operationHistory": "operation_history",
    "pendingTasks": "pending_tasks",
    "currentWork": "current_work",
    "nextStep": "next_step",
    "userPreferences": "user_preferences",
    "compactedTurnCount": "compacted_turn_count",
}


def rows(path: Path) -> Iterator[dict]:
    with path.open(encoding="utf8") as lines:
        yield from map(json.loads, lines)


def as_checkpoint(fields: dict) -> contract.Checkpoint:
    return contract.Checkpoint(**{ATTRIBUTES.get(name, name): value for name, value in fields.items()})


def answer(row: dict) -> object:
    match row["op"]:
        case "parse":
            return contract.parse(row["raw"])
        case "parse_frame":
            return contract.parse_frame(row["raw"])
        case "frame":
            return contract.frame(as_checkpoint(row["checkpoint"]))
        case "should_compact":
            limits = ("history_messages", "encoded_bytes", "max_messages", "max_bytes")
            return contract.should_compact(*(row[name] for name in limits))
    raise AssertionError(f"no such operation: {row['op']}")


def outcome(row: dict) -> dict:
    try:
        got = answer(row)
    except contract.CheckpointError as error:
        return {"error": str(error)}
    if not isinstance(got, contract.Checkpoint):
        return {"ok": got}
    values = asdict(got)
    fields = {name: values[ATTRIBUTES.get(name, name)] for name in row["ok"]} if "ok" in row else values
    return {"ok": {name: list(value) if isinstance(value, tuple) else value for name, value in fields.items()}}


def differences(path: Path) -> list[tuple[int, dict, dict]]:
    wanted = (
        (i, row, {name: row[name] for name in ("ok", "error") if name in row}) for i, row in enumerate(rows(path))
    )
    return [(i, got, want) for i, row, want in wanted if (got := outcome(row)) != want]


def test_every_row_of_the_selection_gives_what_the_reference_gave() -> None:
    assert differences(SELECTION) == []


@needs_shared
def test_every_golden_row_gives_what_the_reference_gave() -> None:
    assert differences(SHARED / "golden" / "checkpoint.jsonl") == []


@pytest.mark.parametrize("op", ["parse", "parse_frame", "frame"])
def test_the_selection_holds_rows_that_succeed_and_rows_that_fail(op: str) -> None:
    assert {"error" in row for row in rows(SELECTION) if row["op"] == op} == {True, False}


def test_the_golden_objects_name_all_eleven_fields() -> None:
    assert all(len(row["ok"]) == 11 for row in rows(SELECTION) if isinstance(row.get("ok"), dict))
