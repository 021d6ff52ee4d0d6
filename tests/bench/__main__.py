"""The measures of DESIGN.md, each beside its reference: python -m tests.bench [--quick] [FILE ...]

Without files it makes sessions of 10,000 and 100,000 messages by the shared tool. Every figure is a median of fresh
runs; nothing here passes or fails. Figures of this machine say little about another: compare columns, not runs.
Programs are started as installed ones start, with their bytecode at hand.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import NamedTuple

from tests.bench import core, doctor, runs, screen, timeline
from tests.shared import SHARED


class Measure(NamedTuple):
    """One line of the table."""

    name: str
    unit: str
    reference: tuple[str, str]
    """DESIGN.md's figure at 10,000 and at 100,000 messages."""
    take: Callable[[Path], float]
    runs: int = 5


MEASURES = (
    Measure("first paint", "ms", ("500", "500"), screen.first_paint),
    Measure("load, as a multiple of orjson.loads", "x", ("2.2", "2.2"), core.load_ratio, 3),
    Measure("load", "ms", ("", ""), core.load, 3),
    Measure("one shot, cold: head-tail", "ms", ("40", "400"), core.one_shot_head_tail, 3),
    Measure("one shot, cold: cascade to half", "ms", ("60", "600"), core.one_shot_cascade, 3),
    Measure("one shot, cold: checkpoint", "ms", ("", ""), core.one_shot_checkpoint, 3),
    Measure("setting moved -> frame repainted", "ms", ("16", "50"), screen.setting_moved),
    Measure("exact tokens of all rewritten texts", "ms", ("20", "200"), core.rewritten_tokens, 3),
    Measure("exact counts of the whole session, warm", "ms", ("150", "1000"), core.session_tokens, 3),
    Measure("memory, as a multiple of the file (less 150 MB)", "x", ("2.5", "2.5"), core.memory_ratio, 1),
    Measure("the doctor, its strict pass over the bytes included", "ms", ("", "2000"), doctor.examined, 3),
    *(
        Measure(f"replay of the first 3,000 messages: {name}", "ms", ("300", "300"), runs.whole_run(name, 3_000), 3)
        for name in ("head-tail", "cascade", "checkpoint")
    ),
    *(
        Measure(f"replay of the whole session: {name}", "ms", ("", "4000"), runs.whole_run(name), 3)
        for name in ("head-tail", "cascade", "checkpoint")
    ),
    Measure("next request of a carried run: cascade", "ms", ("", ""), runs.next_view("cascade"), 3),
    Measure("timeline of 50,000 requests, moved -> drawn", "ms", ("16.7", "16.7"), timeline.moved, 1),
    Measure("timeline of 50,000 requests, figures came -> drawn", "ms", ("", ""), timeline.refined, 1),
    Measure("search of all messages", "ms", ("", ""), core.search, 3),
)
SMALL_FILE = Path("sample_sessions/interrupted_run.json")
SMALL = (
    Measure("info --json, a small file (counts tokens)", "ms", ("500", ""), core.info_process),
    Measure("policies --json (counts nothing)", "ms", ("250", ""), core.policies_process),
    Measure("the ranks of o200k alone: this machine's pace", "ms", ("300", ""), core.ranks),
)


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("files", nargs="*", type=Path)
    options.add_argument("--quick", action="store_true", help="10,000 messages only")
    options.add_argument("--only", default="", help="measures whose name holds this text")
    given = options.parse_args()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # else each start would compile an editable install anew
    print(f"{platform.python_version()} on {os.cpu_count()} cores, {platform.machine()}\n")
    with tempfile.TemporaryDirectory() as folder:
        files = given.files or list(_made(Path(folder), (10_000,) if given.quick else (10_000, 100_000)))
        _table(files, given.only)


def _made(folder: Path, sizes: tuple[int, ...]) -> Iterator[Path]:
    tool = SHARED / "tools" / "big_session.py"
    if not tool.exists():
        sys.exit(f"the sessions are made by {tool}, which is not here; give a file instead")
    for size in sizes:
        path = folder / f"{size}.json"
        subprocess.run([sys.executable, str(tool), str(size), str(path)], check=True)
        yield path


def _table(files: list[Path], only: str) -> None:
    names = [f"{path.name} {path.stat().st_size / 1e6:.0f} MB" for path in files]
    print(f"{'measure':<50}" + "".join(f"{name:>22}{'reference':>12}" for name in names))
    for measure in MEASURES:
        if only not in measure.name:
            continue
        cells = []
        for place, path in enumerate(files):
            value = median(measure.take(path) for _ in range(measure.runs))
            reference = measure.reference[min(place, 1)]
            cells.append(f"{value:>19,.1f} {measure.unit:<2}{reference:>12}")
        print(f"{measure.name:<50}" + "".join(cells), flush=True)
    for measure in SMALL:
        if only not in measure.name:
            continue
        measure.take(SMALL_FILE)
        value = median(measure.take(SMALL_FILE) for _ in range(measure.runs))
        print(f"{measure.name:<50}{value:>19,.1f} {measure.unit:<2}{measure.reference[0]:>12}", flush=True)


main()
