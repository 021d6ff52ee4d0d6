"""head-tail, cascade and its entry cap against what the reference implementations really returned.

The selection in tests/golden was chosen so that each kind of message, setting and outcome of all rows stands in it more
than once; where the shared material is at hand, every row is run.
"""

import copy
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from inspector.message import Body, Context, listed
from inspector.policies import SentView, compact
from inspector.policies.cascade import cap_result
from tests.shared import SHARED, needs_shared

SELECTION = Path(__file__).parents[1] / "golden"
Difference = tuple[int, Any, Any]


def rows(folder: Path, name: str) -> Iterator[dict[str, Any]]:
    with (folder / f"{name}.jsonl").open(encoding="utf8") as lines:
        yield from map(json.loads, lines)


def written(messages: Sequence[Body]) -> list[str]:
    """As text, so that the order of keys counts, and 1 is neither 1.0 nor True."""
    return [json.dumps(body) for body in messages]


def viewed(row: dict[str, Any], policy: str, **extras: Any) -> SentView:
    given = copy.deepcopy(row["messages"])
    view = compact(Context(given, listed(""), range(len(given))), policy, **row["params"], **extras)
    assert written(view.messages) == written(row["sent"])
    assert written(given) == written(row["messages"]), "the input was changed"
    return view


def check_head_tail(row: dict[str, Any]) -> tuple[Any, Any]:
    view, wanted = viewed(row, "head-tail"), dict(row["stats"])
    if wanted["saved_chars"] == 0:  # the reference never says that a view grew; ours does
        wanted["saved_chars"] = wanted["original_chars"] - wanted["sent_chars"]
    return {name: view.plan.stats()[name] for name in wanted}, wanted


def check_cascade(row: dict[str, Any]) -> tuple[Any, Any]:
    asked: list[int] = []

    def summarise(head: list[Body]) -> str:
        asked.append(len(head))
        return f"summary of {len(head)} messages"

    view = viewed(row, "cascade", summarise=summarise)
    stats = view.plan.stats()
    got = (view.notes, asked, stats["estimated_before"], stats["estimated_after"])
    return got, (row["notes"], row["summarised"], row["tokens_before"], row["tokens_after"])


def check_cap_result(row: dict[str, Any]) -> tuple[Any, Any]:
    return cap_result(row["text"], row["limit"]), row["capped"]


CHECKS: dict[str, Callable[[dict[str, Any]], tuple[Any, Any]]] = {
    "head_tail": check_head_tail,
    "cascade": check_cascade,
    "cap_result": check_cap_result,
}


def differences(folder: Path, name: str) -> list[Difference]:
    outcomes = [(place, *CHECKS[name](row)) for place, row in enumerate(rows(folder, name))]
    assert outcomes
    return [(place, got, wanted) for place, got, wanted in outcomes if got != wanted]


@pytest.mark.parametrize("name", CHECKS)
def test_every_row_of_the_selection_gives_what_the_reference_gave(name: str) -> None:
    assert differences(SELECTION, name) == []


@needs_shared
@pytest.mark.parametrize("name", CHECKS)
def test_every_golden_row_gives_what_the_reference_gave(name: str) -> None:
    assert differences(SHARED / "golden", name) == []


def test_the_head_tail_selection_holds_every_kind_of_outcome() -> None:
    stats = [row["stats"] for row in rows(SELECTION, "head_tail")]
    for name in ("compaction_skipped", "repaired_tool_calls", "compacted_skill_messages", "compacted_tool_messages"):
        assert {row[name] > 0 for row in stats} == {True, False}, name
    assert any(row["sent_chars"] > row["original_chars"] for row in stats)


def test_the_cascade_selection_reaches_every_step() -> None:
    notes = "\n".join(note for row in rows(SELECTION, "cascade") for note in row["notes"])
    for words in ("older screenshot(s)", "to one line each", "into one block", "to stay under the ceiling"):
        assert words in notes
    assert any(not row["notes"] for row in rows(SELECTION, "cascade"))
