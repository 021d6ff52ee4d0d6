"""Claude Code sessions with their subagents: `<session>.jsonl` beside `<session>/subagents/agent-*.jsonl`.

The session is the main conversation; what each subagent said is a side conversation, named by its `.meta.json`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from inspector.formats.format import Conversation, Recording
from inspector.formats.shapes import as_dict, as_text
from inspector.formats.sources import Files
from inspector.message import Origin

Read = Callable[[Recording], Sequence[Conversation]]


def main_file(files: Files) -> str | None:
    """The folder's one session file; None where it has none, or several, as a project's folder has."""
    sessions = [path for path in files if path.endswith(".jsonl") and "/" not in path]
    return sessions[0] if len(sessions) == 1 else None


def read_folder(recording: Recording, read: Read) -> list[Conversation]:
    """The session of a folder, then its subagents in the order of their files; `read` reads one file."""
    files = recording.files
    main = main_file(files) if files else None
    if files is None or main is None:
        return []
    found = [_placed(one, main) for one in read(files[main])]
    beside = main.removesuffix(".jsonl") + "/"
    for path in files:
        if path.startswith(beside) and path.endswith(".jsonl"):
            found += [_side(one, path, files) for one in read(files[path])]
    return found


def _side(one: Conversation, path: str, files: Files) -> Conversation:
    meta = path.removesuffix(".jsonl") + ".meta.json"
    about = as_dict(files[meta].document) if meta in files else {}
    said = as_text(about.get("description")) or as_text(about.get("agentType"))
    agent = path.rpartition("/")[2].removesuffix(".jsonl").removeprefix("agent-")
    return replace(_placed(one, path), side=True, title=f"subagent {agent}" + (f": {said}" if said else ""))


def _placed(one: Conversation, path: str) -> Conversation:
    """A conversation whose origins and findings say the file that they are of."""
    origin = one.origin

    def of_file(row: int) -> Origin:
        return replace(origin(row), file=path)

    damage = tuple(replace(found, pointer=f"{path}#{found.pointer}") for found in one.damage)
    told = one.read_branch
    return replace(
        one, origin=of_file, damage=damage, read_branch=told and (lambda number: _placed(told(number), path))
    )
