"""Measures of the core, in milliseconds unless said otherwise. Each call does its work afresh."""

from __future__ import annotations

import gc
import subprocess
import sys
import time
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import orjson

import inspector
from inspector.message import Session
from inspector.tokens import count_bodies, counter_for
from inspector.tui.background import count_sent
from inspector.tui.search import search as search_session


def _timed(work: Callable[[], Any]) -> float:
    gc.collect()
    start = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - start)


@lru_cache(maxsize=1)
def _messages(path: Path) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = orjson.loads(path.read_bytes())["messages"]
    gc.freeze()
    return messages


def _session(path: Path) -> Session:
    """A session that nobody has asked anything yet."""
    return inspector.from_messages(_messages(path))


def load(path: Path) -> float:
    """Reading a file."""
    return _timed(lambda: inspector.load(path))


def load_ratio(path: Path) -> float:
    """Reading a file, beside `orjson.loads` of its bytes, both without the collector that would dominate either."""
    raw = path.read_bytes()
    gc.disable()
    plain = _timed(lambda: orjson.loads(raw))
    gc.enable()
    return load(path) / plain


def _one_shot(path: Path, policy: str, **settings: int) -> float:
    session = _session(path)
    counters: dict[str, int] = {}

    def work() -> None:
        view = inspector.compact(session, policy, **settings)
        _ = view.messages
        counters.update(view.plan.stats())

    return _timed(work)


def one_shot_head_tail(path: Path) -> float:
    """The sent messages and the policy's counters, from nothing."""
    return _one_shot(path, "head-tail")


def one_shot_cascade(path: Path) -> float:
    """The sent messages and the policy's counters, from nothing, down to half the estimate."""
    session = _session(path)
    half = inspector.compact(session, "cascade").plan.stats()["estimated_before"] // 2
    return _one_shot(path, "cascade", target_tokens=half, ceiling_tokens=half)


def one_shot_checkpoint(path: Path) -> float:
    """The sent messages and the policy's counters, from nothing."""
    return _one_shot(path, "checkpoint")


def session_tokens(path: Path) -> float:
    """Exact counts of every message, with the ranks loaded."""
    counter = counter_for(None)
    counter.count(["warm"])
    messages = _messages(path)
    return _timed(lambda: count_bodies(messages, counter))


def rewritten_tokens(path: Path) -> float:
    """Exact counts of what head-tail rewrote, as the screen takes them after a setting rests."""
    session, counter = _session(path), counter_for(None)
    before = count_bodies(session.messages, counter)
    view = inspector.compact(session, "head-tail")
    return _timed(lambda: list(count_sent(view, before, counter)))


def search(path: Path) -> float:
    """All matches of a word that few messages hold, capitals not minded."""
    session = _session(path)
    return _timed(lambda: list(search_session(session, "dict=77")))


_MEMORY = """
import sys
import inspector
session = inspector.load(sys.argv[1])
inspector.compact(session, "head-tail").edits
status = open("/proc/self/status").read()
print(status.partition("VmHWM:")[2].split()[0])  # getrusage would tell the peak of the process that started this one
"""


def memory_ratio(path: Path) -> float:
    """Peak memory of a process that loads, compacts and counts, less 150 MB, as a multiple of the file."""
    out = subprocess.run([sys.executable, "-c", _MEMORY, str(path)], capture_output=True, check=True, text=True)
    return (int(out.stdout) * 1024 - 150e6) / path.stat().st_size


def _process(*words: str) -> float:
    return _timed(lambda: subprocess.run([sys.executable, "-m", "inspector", *words], capture_output=True, check=True))


_RANKS = """
import time
import toktok
start = time.perf_counter()
toktok.batch_count(["one"], "o200k_base")
print(1000 * (time.perf_counter() - start))
"""


def ranks(path: Path) -> float:
    """Loading o200k's ranks, which nothing of ours can make faster: how fast this machine is beside the reference."""
    return float(subprocess.run([sys.executable, "-c", _RANKS], capture_output=True, check=True, text=True).stdout)


def info_process(path: Path) -> float:
    """`info --json` as a process."""
    return _process("info", str(path), "--json")


def policies_process(path: Path) -> float:
    """`policies --json` as a process."""
    return _process("policies", "--json")
