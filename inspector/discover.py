"""The sessions that the tools of this machine have recorded, for choosing one.

Looking costs a `stat` for each file and the first lines of those that are asked for; nothing is written, no link is
followed in circles (the depth of every search is fixed), and what cannot be read is passed over.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

import orjson

from inspector.formats.shapes import as_dict, as_text
from inspector.formats.sqlite import Database
from inspector.glance import WHOLE, Glance, glance, glance_of, head
from inspector.homes import Home, Machine, homes
from inspector.message import Body, opening

MOST = 5_000
"""Sessions found at most, the newest."""
ENTRIES = 200_000
"""Directory entries looked at under one home."""
LARGEST_COPY = 64 << 20
"""Bytes of a database that may be copied for a look into it: one that is in use, and says no more about how."""
FIRST_EVENTS = 6


@dataclass(frozen=True, slots=True)
class Found:
    """A session that a tool has recorded."""

    path: str
    """What to open: a file, a folder, or a database."""
    format: str
    tool: str
    """What people call the tool."""
    project: str
    """The folder that it was recorded in, or how the tool calls that; empty where it does not say."""
    changed: float
    """In seconds of the epoch."""
    size: int | None
    """In bytes; None of a session in a store of many."""
    messages: int | None
    """None where counting would take reading a large file."""
    title: str
    id: str = ""
    """Which conversation it is in a store of many."""


class _Seen(NamedTuple):
    """A file that is a session by its name."""

    changed: float
    path: str
    size: int
    home: Home


def discover(
    environ: Mapping[str, str] | None = None, home: str | None = None, platform: str | None = None
) -> Iterator[Found]:
    """The sessions on this machine, the newest first; each is looked into when it is asked for.

    The arguments stand in for this process's environment, home folder and `sys.platform`.
    """
    known = os.environ if environ is None else environ
    machine = Machine(known, home or os.path.expanduser("~"), platform or sys.platform)
    seen: list[_Seen | Found] = []
    files: set[tuple[int, int]] = set()
    for place in homes(machine):
        for file in _files(place, files):
            seen += _in_database(file) if file.path.endswith(".db") else [file]
    seen.sort(key=lambda one: one.changed, reverse=True)
    for one in seen[:MOST]:
        found = one if isinstance(one, Found) else _looked_at(one)
        if found is not None:
            yield found


def _files(home: Home, known: set[tuple[int, int]]) -> Iterator[_Seen]:
    """The ordinary files of a home, each once, whatever leads to it."""
    for path in _matching(home.folder, home.pattern.split("/"), [ENTRIES]):
        try:
            about = os.stat(path)
        except (OSError, ValueError):
            continue
        here = (about.st_dev, about.st_ino)
        if about.st_size and os.path.isfile(path) and here not in known:
            known.add(here)
            yield _Seen(about.st_mtime, path, about.st_size, home)


def _matching(folder: str, names: list[str], left: list[int]) -> Iterator[str]:
    """Paths under a folder that match the names one by one; `left` is how many entries may still be looked at."""
    name, rest = names[0], names[1:]
    if "*" not in name:
        path = os.path.join(folder, name)
        yield from _matching(path, rest, left) if rest else [path]
        return
    try:
        with os.scandir(folder) as entries:
            found = []
            for entry in entries:
                left[0] -= 1
                if left[0] < 0:
                    break
                if fnmatchcase(entry.name, name) and not (rest and _is_file(entry)):
                    found.append(entry.path)
    except (OSError, ValueError):
        return
    for path in found:
        yield from _matching(path, rest, left) if rest else [path]


def _is_file(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file()
    except OSError:
        return True


def _looked_at(one: _Seen) -> Found | None:
    """What a file tells; None where it cannot be read, or is no session after all."""
    home = one.home
    try:
        if home.opens == "store":
            return _stored(one)
        seen = _glance_at(one)
    except (OSError, ValueError):
        return None
    except Exception:  # a list of all sessions must not end at the one that nobody foresaw
        seen = Glance()
    path = os.path.dirname(one.path) if home.opens == "folder" else one.path
    project = seen.project or (_project_of(one) if home.by_project else "")
    return Found(path, home.format, home.tool, project, one.changed, one.size, seen.messages, seen.title)


def _glance_at(one: _Seen) -> Glance:
    if one.home.format == "openhands_v1":
        return _events_beside(one)
    seen = glance(one.path, one.size)
    if one.home.tool == "Gemini CLI" and not seen.project:  # tmp/<project>/.project_root, beside the folder of chats
        folder = os.path.dirname(one.path)
        folder = os.path.dirname(folder) if os.path.basename(folder) == "chats" else folder
        return seen._replace(project=_first_line(os.path.join(folder, ".project_root")))
    return seen


def _first_line(path: str) -> str:
    try:
        return head(path, 4_096).decode("utf-8", "replace").strip().partition("\n")[0]
    except (OSError, ValueError):
        return ""


def _project_of(one: _Seen) -> str:
    """What the first `*` of the pattern stands for."""
    depth = [("*" in name) for name in one.home.pattern.split("/")].index(True)
    inside = os.path.relpath(one.path, one.home.folder)
    return inside.split(os.sep)[depth]


def _events_beside(one: _Seen) -> Glance:
    """OpenHands keeps an event a file; the state beside them names the folder."""
    folder = os.path.join(os.path.dirname(one.path), "events")
    names = sorted(name for name in os.listdir(folder) if name.endswith(".json"))
    values = [_small(os.path.join(folder, name)) for name in names[:FIRST_EVENTS]]
    seen = glance_of([_small(one.path), *values], whole=False)
    return seen._replace(messages=len(names))


def _small(path: str) -> Body:
    try:
        return as_dict(orjson.loads(head(path, WHOLE)))
    except (OSError, ValueError):
        return {}


def _stored(one: _Seen) -> Found | None:
    """A session of opencode's folder: `session/<project>/<session>.json`, and a file for each message beside."""
    info = as_dict(orjson.loads(head(one.path, WHOLE)))
    name = as_text(info.get("id"))
    if not name or info.get("parentID"):
        return None
    try:
        messages: int | None = len(os.listdir(os.path.join(one.home.folder, "message", name)))
    except (OSError, ValueError):
        return None
    title = opening({"content": as_text(info.get("title"))})
    return Found(one.home.folder, one.home.format, one.home.tool, as_text(info.get("directory")), one.changed, None,
                 messages, title, name)  # fmt: skip


def _in_database(one: _Seen) -> list[Found]:
    """The sessions that a database lists; where it does not, or is too large to look into, the database itself."""
    whole = Found(one.path, one.home.format, one.home.tool, "", one.changed, one.size, None, "all sessions")
    if one.size > LARGEST_COPY and os.path.exists(one.path + "-wal") and not os.path.exists(one.path + "-shm"):
        return [whole]
    try:
        tables = Database(one.path).tables("session", "sessions")
        rows = (*tables["session"], *tables["sessions"])
        return [made for row in rows if (made := _listed(row, whole))] or [whole]
    except Exception:  # as above
        return [whole]


def _listed(row: Body, whole: Found) -> Found | None:
    """A session of opencode's or goose's table; those of subagents are told with their parents."""
    name = as_text(row.get("id"))
    if not name or row.get("parent_id") or row.get("session_type") in ("sub_agent", "subagent"):
        return None
    said = next((text for key in ("title", "name", "description") if (text := as_text(row.get(key)))), "")
    project = as_text(row.get("directory")) or as_text(row.get("working_dir"))
    changed = _moment(row.get("time_updated", row.get("updated_at")))
    return Found(whole.path, whole.format, whole.tool, project, whole.changed if changed is None else changed, None,
                 None, opening({"content": said}), name)  # fmt: skip


def _moment(value: Any) -> float | None:
    """A time as opencode writes it (milliseconds of the epoch) or as SQLite does (UTC, in words)."""
    if isinstance(value, (int, float)):
        return value / 1_000
    try:
        moment = datetime.fromisoformat(as_text(value))
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


def batches(found: Iterable[Found], size: int = 50) -> Iterator[list[Found]]:
    """Sessions in groups, so that a list of them need not be drawn anew for each."""
    batch: list[Found] = []
    for one in found:
        batch.append(one)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch
