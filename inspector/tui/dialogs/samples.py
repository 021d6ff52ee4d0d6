"""The sample sessions that come with the program, and what each one is."""

from __future__ import annotations

import re
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2]
FOLDERS = (PACKAGE / "sample_sessions", PACKAGE.parent / "sample_sessions")
"""Where they lie: in the installed package, else in the repository."""


def sample_files(folders: tuple[Path, ...] = FOLDERS) -> list[tuple[Path, str]]:
    """Each sample with the line that the README has for it, in the README's order. Never raises; none are found: []."""
    folder = next((folder for folder in folders if (folder / "README.md").is_file()), None)
    if folder is None:
        return []
    try:
        readme = (folder / "README.md").read_text("utf-8", "replace")
    except OSError:
        return []
    rows = (row for line in readme.splitlines() if (row := _row(line)))
    return [(folder / name, words) for name, words in rows if (folder / name).is_file()]


def _row(line: str) -> tuple[str, str] | None:
    """The file and the words of one line of the README's table, or of a list."""
    found = re.match(r"^\s*[|*-]\s*\[?`?([\w.-]+\.jsonl?)`?[^|:]*[|:]\s*([^|]*)", line)
    return (found[1], found[2].replace("`", "").replace("*", "").strip()) if found else None
