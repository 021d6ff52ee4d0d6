"""How long the doctor takes over a session that is loaded."""

from __future__ import annotations

import gc
from functools import lru_cache
from pathlib import Path
from time import perf_counter

from inspector.doctor import examine, target_named
from inspector.formats import Opened, conversations_in


@lru_cache(maxsize=1)
def _opened(path: Path) -> tuple[bytes, Opened]:
    raw = path.read_bytes()
    opened = conversations_in(raw, str(path))
    gc.freeze()
    return raw, opened


def examined(path: Path) -> float:
    """Milliseconds for the native view, the strict pass, the pairing and every rule."""
    raw, opened = _opened(path)
    start = perf_counter()
    examine(opened, 0, raw, str(path)).findings(target_named("native"))
    return 1000 * (perf_counter() - start)
