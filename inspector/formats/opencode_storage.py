"""opencode's own store: the folder `storage` of JSON files (to version 1.1), or the database `opencode.db` (from 1.2).

- In the folder `session/<project>/<session>.json` is a session, `message/<session>/<message>.json` an info and
  `part/<message>/<part>.json` a part. Older versions keep the same under `session/info`, `session/message/..` and
  `session/part/<session>/..`; folders above these are passed over, so that any folder that holds them can be named.
- In the database the tables session, message and part hold the same; the rest of each is JSON in the column `data`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from inspector.finding import Finding
from inspector.formats.format import Conversation, Format, Recording
from inspector.formats.lenient import step
from inspector.formats.opencode import Piece, Said, Told, conversations_of
from inspector.formats.rows import Place
from inspector.formats.shapes import as_dict, as_text, unreadable
from inspector.formats.sources import Files, split_file
from inspector.formats.sqlite import Database, json_column
from inspector.message import Body

_TABLES = ("session", "message", "part")


def recognise(recording: Recording) -> bool:
    """Whether a folder has messages where opencode keeps them, or a database has its tables."""
    if recording.files is not None:
        return any(_names(path)[0] == "message" for path in recording.files)
    return recording.database is not None and all(
        {"id", "data"} <= set(recording.database.columns.get(name, ())) for name in ("message", "part")
    )


def read(recording: Recording) -> list[Conversation]:
    """All sessions, the newest first, each with those of its subagents after it."""
    damage: list[Finding] = []
    if recording.files is not None:
        return conversations_of(_in_folder(recording.files, damage), damage, split_file)
    if recording.database is not None:
        return conversations_of(_in_database(recording.database, damage), damage)
    return []


def _names(path: str) -> tuple[str, str]:
    """What a file holds (session, message, part or nothing known), and the folder that says of what."""
    names = path.split("/")
    if not path.endswith(".json"):
        return "", ""
    for kind, depth in (("part", 3), ("part", 4), ("message", 3), ("session", 3)):
        if len(names) >= depth and names[-depth] == kind:
            return kind, names[-2]
    return "", ""


def _in_folder(files: Files, damage: list[Finding]) -> list[Told]:
    paths: dict[str, dict[str, list[str]]] = {kind: {} for kind in ("session", "message", "part", "")}
    for path in files:
        kind, under = _names(path)
        paths[kind].setdefault(under, []).append(path)
    infos = [piece.value for of in paths["session"].values() for piece in _pieces(files, of, damage)]
    sessions = {as_text(info.get("id")): info for info in infos}
    found = []
    for session, of in paths["message"].items():
        messages = []
        for piece in _pieces(files, of, damage):
            held = paths["part"].get(as_text(piece.value.get("id")), [])
            parts = [part._replace(place=part.place._replace(native=piece.place.native))
                     for part in _pieces(files, held, damage)]  # fmt: skip
            messages.append(Said(piece, parts))
        found.append(Told(sessions.get(session, {"id": session}), messages))
    return found


def _pieces(files: Files, paths: Sequence[str], damage: list[Finding]) -> list[Piece]:
    found = []
    for number, path in enumerate(paths):
        read = files[path]
        if isinstance(read.document, dict):
            found.append(Piece(read.document, Place(number, f"{path}#")))
        elif not read.damage:
            damage.append(unreadable(number, f"{path}#", read.document, numbered=False))
    return found


def _in_database(database: Database, damage: list[Finding]) -> list[Told]:
    tables = database.tables(*_TABLES)
    parts: dict[str, list[Piece]] = {}
    for piece in sorted(_data("part", tables["part"], damage), key=lambda piece: as_text(piece.value["id"])):
        parts.setdefault(as_text(piece.value["messageID"]), []).append(piece)
    messages: dict[str, list[Said]] = {}
    for piece in _data("message", tables["message"], damage):
        of_session = messages.setdefault(as_text(piece.value["sessionID"]), [])
        place = piece.place._replace(native=len(of_session))
        held = parts.get(as_text(piece.value["id"]), [])
        of_session.append(Said(piece._replace(place=place), [
            part._replace(place=part.place._replace(native=place.native)) for part in held
        ]))  # fmt: skip
    sessions = {as_text(row.get("id")): _info(row, damage) for row in tables["session"]}
    return [Told(sessions.get(session, {"id": session}), said) for session, said in messages.items()]


def _data(table: str, rows: Iterable[Body], damage: list[Finding]) -> list[Piece]:
    found = []
    for row in rows:
        pointer = f"/{table}{step(as_text(row.get('id')))}/data"
        value = json_column(row.get("data"), pointer, damage)
        if isinstance(value, dict):
            known = {"id": row.get("id"), "sessionID": row.get("session_id"), "messageID": row.get("message_id")}
            found.append(Piece({**value, **known}, Place(0, pointer)))
        elif value is not None:
            damage.append(unreadable(0, pointer, value, numbered=False))
    return found


def _info(row: Body, damage: list[Finding]) -> Body:
    """A session's row as the info that the JSON files hold."""
    pointer = f"/session{step(as_text(row.get('id')))}/revert"
    return {
        "id": row.get("id"),
        "parentID": row.get("parent_id"),
        "title": row.get("title"),
        "time": {"created": row.get("time_created"), "updated": row.get("time_updated")},
        "revert": as_dict(json_column(row.get("revert"), pointer, damage)),
    }


FORMAT = Format(
    name="opencode_storage",
    title="opencode",
    recognise=recognise,
    read=read,
    help="The folder ~/.local/share/opencode/storage, or opencode.db beside it.",
    reads=("folder", "database"),
    shape="back_opencode.SHAPE",
)
