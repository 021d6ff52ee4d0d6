"""What Cline's SDK tells of dropped work: the files read and edited, the commands run, and the last answers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from inspector.message import Context, text_of
from inspector.policies.zoo import arguments
from inspector.policies.zoo.exchanges import Exchanges

OPENING = "<SYSTEM_NOTICE>\nEarlier context was compacted. Summary of your actions after the request above:\n"
CLOSING = "</SYSTEM_NOTICE>"
RESPONSES = "\n\nYour recent responses:\n"
COMMAND_CHARS = 100
_PATHS = ("path", "file_path", "target_file", "new_file_path", "old_file_path")
_DIFF_LINE = re.compile(r"(?:^|\n|\\n)[-+](\d+): ")


@dataclass(frozen=True, slots=True)
class Tools:
    """The names of the tools whose work is told."""

    read: frozenset[str]
    edit: frozenset[str]
    command: frozenset[str]


@dataclass(slots=True)
class Activity:
    """What was done in a stretch of messages; each thing once, in order."""

    read: dict[str, None] = field(default_factory=dict)
    edited: dict[str, None] = field(default_factory=dict)
    commands: dict[str, None] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.read or self.edited or self.commands)

    def __str__(self) -> str:
        sections = {"Files read": self.read, "Files edited": self.edited, "Commands ran": self.commands}
        return "\n\n".join(f"{head}:\n{chr(10).join(lines)}" for head, lines in sections.items())


def notice(context: Context, rows: Iterable[int], tools: Tools, quoted: Mapping[int, str]) -> str:
    """The notice of dropped rows; empty where they hold neither such work nor one of the answers to quote."""
    rows = list(rows)
    done, answers = activity(context, rows, tools), [quoted[row] for row in rows if row in quoted]
    if not done and not answers:
        return ""
    said = RESPONSES + "\n---\n".join(answers) if answers else ""
    return f"{OPENING}{done}{said}{CLOSING}"


def activity(context: Context, rows: Iterable[int], tools: Tools) -> Activity:
    """What the calls in some rows did, with the lines that were read or edited where they are known."""
    exchanges, done, editing = context.derived(Exchanges), Activity(), dict[str, str]()
    for row in rows:
        for key, call in zip(exchanges.keys.get(row, ()), exchanges.calls.get(row, ()), strict=True):
            value = arguments.read(call.arguments)
            if call.name in tools.read:
                done.read.update(dict.fromkeys(_ranges(value)))
            elif call.name in tools.edit:
                editing[key] = next(_paths(value), "")
            elif call.name in tools.command:
                done.commands.update(dict.fromkeys(_commands(value)))
        path = editing.pop(exchanges.answers.get(row, ""), "")
        if path:
            done.edited[_edited(path, text_of(context.messages[row]))] = None
    done.edited.update(dict.fromkeys(filter(None, editing.values())))
    return done


def _ranges(value: Any) -> Iterator[str]:
    files = value.get("files") if isinstance(value, dict) else None
    if not isinstance(files, list):
        yield from _paths(value)
        return
    for one in files:
        path = one.get("path") if isinstance(one, dict) else None
        if isinstance(path, str) and path.strip():
            start, end = one.get("start_line"), one.get("end_line")
            known = isinstance(start, int) and isinstance(end, int)
            yield f"{path.strip()}:{start}-{end}" if known else path.strip()


def _paths(value: Any) -> Iterator[str]:
    """The paths in arguments, wherever Cline looks for them."""
    if not isinstance(value, dict):
        return
    files, named = value.get("files"), value.get("file_paths")
    found = [value.get(key) for key in _PATHS]
    found += [one.get("path") for one in files if isinstance(one, dict)] if isinstance(files, list) else []
    found += named if isinstance(named, list) else []
    yield from (path.strip() for path in found if isinstance(path, str) and path.strip())


def _commands(value: Any) -> Iterator[str]:
    given = value.get("commands", value.get("command")) if isinstance(value, dict) else None
    for one in given if isinstance(given, list) else [given]:
        if isinstance(one, str) and one.strip():
            command = one.strip()
            yield command if len(command) <= COMMAND_CHARS else f"{command[:COMMAND_CHARS]}..."


def _edited(path: str, result: str) -> str:
    """A path with the lines that the numbered diff in a result touches."""
    value = arguments.read(result)
    given = value.get("result") if isinstance(value, dict) else None
    text = given if isinstance(given, str) else result
    lines = [int(number) for number in _DIFF_LINE.findall(text) if len(number) < 20]
    return f"{path}:{min(lines)}-{max(lines)}" if lines else path
