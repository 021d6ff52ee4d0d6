"""The shared recordings of a format, with what their index counted."""

import csv
from pathlib import Path

import pytest

from inspector.cli.info import Figures, figures
from inspector.formats import conversations
from tests.shared import SHARED

FIELDS = ("tool_calls", "tool_results", "dangling_calls", "orphan_results", "images", "conversations")


def rows_of(*formats: str) -> list[dict[str, str]]:
    index = SHARED / "sessions" / "INDEX.tsv"
    if not index.is_file():
        return []
    with index.open(encoding="utf-8") as file:
        return [row for row in csv.DictReader(file, delimiter="\t") if row["format"] in formats]


def assert_as_counted(row: dict[str, str]) -> None:
    """What the reader finds in everything that the file holds is what the index counted."""
    path = SHARED / "sessions" / row["file"]
    if not Path(path).exists():
        pytest.skip(f"{row['file']} is not there")
    opened = conversations(path)
    assert opened.format.name == row["format"]
    each = [figures([*one.messages, *one.abandoned]) for one in opened.conversations]
    total = sum(each[1:], each[0])
    found = _found(total, sum(not one.side for one in opened.conversations))
    assert {name: found[name] for name in FIELDS if row[name]} == {name: row[name] for name in FIELDS if row[name]}


def _found(total: Figures, count: int) -> dict[str, str]:
    counts = (total.calls, total.results, total.dangling, total.orphans, total.images, count)
    return dict(zip(FIELDS, map(str, counts), strict=True))
