"""The cases of broken and of valid sessions: those of this repository, and all where the shared material lies."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inspector.doctor import examine_file, target_named
from inspector.finding import Finding
from inspector.formats import UnreadableSession
from tests.shared import SHARED

OWN = Path(__file__).parents[1] / "cases"


@dataclass(frozen=True)
class Case:
    """One case folder."""

    folder: Path
    meta: dict[str, Any]

    @property
    def input(self) -> Path:
        return self.folder / self.meta["input"]

    @property
    def compared(self) -> Path | None:
        """The original of a compacted session."""
        names = (self.meta.get("checks") or {}).get("compare")
        return self.folder / names[0] if names else None

    def targets(self) -> Iterator[tuple[str, list[dict[str, Any]]]]:
        """Each target with the findings that are expected for it."""
        yield self.meta["target"], self.meta["expected_findings"]
        yield from (self.meta.get("expected_findings_for_other_targets") or {}).items()


def cases() -> list[Case]:
    folders = {path.name: path for root in (SHARED / "cases", OWN) if root.is_dir() for path in sorted(root.iterdir())}
    named = [
        folder for folder in sorted(folders.values(), key=lambda path: path.name) if (folder / "case.json").exists()
    ]
    return [Case(folder, json.loads((folder / "case.json").read_text(encoding="utf-8"))) for folder in named]


def expanded(case: Case, folder: Path) -> Path:
    """The input, with the long text that a case generates."""
    generate = case.meta.get("generate")
    if not generate:
        return case.input
    document = json.loads(case.input.read_bytes())
    *path, last = generate["pointer"].split("/")[1:]
    holder = document
    for key in path:
        holder = holder[int(key) if isinstance(holder, list) else key]
    place = int(last) if isinstance(holder, list) else last
    text = generate["text"]
    holder[place] = holder[place].replace(
        "@@FILL@@", (text * (generate["total_chars"] // len(text) + 1))[: generate["total_chars"]]
    )
    out = folder / case.input.name
    out.write_text(json.dumps(document), encoding="utf-8")
    return out


def found_in(path: Path, target: str) -> tuple[Sequence[Finding], int]:
    """The findings in a file for a target, and how many native messages were loaded."""
    try:
        examination = examine_file(str(path))
    except UnreadableSession as fault:
        return ((fault.finding,) if fault.finding else ()), 0
    return examination.findings(target_named(target)), examination.native.messages


def places(findings: Sequence[Finding], allowed: Sequence[str] = ()) -> list[tuple[str, int | None, str]]:
    """Code and native place of the errors and warnings whose code is not merely allowed."""
    serious = (one for one in findings if one.severity != "info" and one.code not in allowed)
    return sorted(((one.code, one.message_index, one.pointer) for one in serious), key=str)
