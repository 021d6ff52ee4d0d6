"""Writing back opencode sessions: the storage folder, a file for each message and each part, and exports.

A call and its result are one part. So a result is written into its call, and of the two one cannot go alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import count, islice
from typing import Any

from inspector.change import Doing, Patch, Site, replaced
from inspector.formats.format import CannotWrite
from inspector.formats.native import Native
from inspector.formats.pieces import Content, Part, Pieces
from inspector.formats.rewriting import New, Row, Shape
from inspector.formats.shapes import as_dict, as_list
from inspector.message import Body

_MODEL = ("parentID", "agent", "mode", "model", "modelID", "providerID", "path", "system")
"""Members of an info that say who speaks to whom; the others are about what its message cost."""


def _said(text: str, row: Row) -> Body:
    raise CannotWrite(f"row {row.number:,}: a new text beside its parts has no place in an opencode session")


def _result(native: Native, site: Site) -> Content:
    """The output of a tool, then its attachments."""
    attached = site._replace(pointer=site.pointer.rpartition("/")[0] + "/attachments")
    held = len(as_list(native.value(attached)))
    parts = [Part(site, site if isinstance(native.value(site), str) else None)]
    return Content([*parts, *(Part(attached.under(f"/{place}"), None) for place in range(held))], None)


def _is_thought(native: Native, site: Site) -> bool:
    part = native.value(site._replace(pointer=site.pointer.removesuffix("/text")))
    return as_dict(part).get("type") == "reasoning"


def _answer(native: Native, call: Site, body: Body) -> Iterable[Patch]:
    """A result in the part of its call: the tool was cut off, which opencode records as an error."""
    state = as_dict(as_dict(native.value(call)).get("state"))
    if state.get("status") in ("completed", "error"):
        raise CannotWrite("a call of the opencode session has a result already")
    told = [replaced(call.under("/state/status"), "error"), replaced(call.under("/state/error"), body.get("content"))]
    start = as_dict(state.get("time")).get("start")
    return told if start is None else [*told, replaced(call.under("/state/time/end"), start)]


def _held(entry: Any) -> Sequence[str]:
    parts = as_dict(entry).get("parts")
    return [f"/parts/{place}" for place in range(len(parts))] if isinstance(parts, list) else ()


def _entry(row: Row, site: Site) -> Site:
    """A file, or a message of an export."""
    if site.file:
        return Site("", None, site.file)
    return site._replace(pointer=site.pointer.partition("/parts/")[0])


def _new_messages(new: New) -> list[Any]:
    """New messages as opencode's, after the model of those of their role: files, or elements of an export."""
    if not new.site.file:
        return [_message(new, body, f"msg_{_id(new)}") for body in new.bodies]
    made: list[Any] = []
    for name, body in zip(_names(new), new.bodies, strict=True):
        message = _message(new, body, name)
        folder = new.site.file.rpartition("/")[0]
        part = message["parts"][0]
        made.append((f"{folder}/{name}.json", message["info"]))
        made.append((f"{_part_folder(new, name)}/{part['id']}.json", part))
    return made


def _id(new: New) -> str:
    return new.native.fresh().replace("-", "")[:26]


def _names(new: New) -> list[str]:
    """Ids that sort right after that of the message beside, as files of one time are read by their names."""
    folder, _, file = new.site.file.rpartition("/")
    stem, known = file.removesuffix(".json"), set(new.native.files())
    free = (name for number in count() if f"{folder}/{(name := f'{stem}{number:02d}')}.json" not in known)
    return list(islice(free, len(new.bodies)))


def _part_folder(new: New, name: str) -> str:
    """Where the parts of a message lie, seen from those of its neighbours."""
    for row in new.rows:
        for site in (*row.calls, *row.pieces):
            above, _, _ = site.file.rpartition("/")
            if above and above != new.site.file.rpartition("/")[0]:
                return f"{above.rpartition('/')[0]}/{name}"
    raise CannotWrite("the session has no part beside whose file one of a new message could stand")


def _message(new: New, body: Body, name: str) -> Body:
    role, said = body.get("role"), body.get("content")
    if role not in ("user", "assistant") or not isinstance(said, str):
        raise CannotWrite(f"a new message of role {role} has no place in an opencode session")
    beside = _info(new.beside)
    model = next((info for row in new.rows if (info := _info(new.native.value(row.site))).get("role") == role), {})
    created = as_dict(beside.get("time")).get("created")
    times: Body = {"created": created - 1 if new.doing is Doing.BEFORE else created} if type(created) is int else {}
    if role == "assistant":
        times |= {"completed": times["created"]} if times else {}
    own: Body = {"id": name, "sessionID": beside.get("sessionID"), "role": role, "time": times}
    info = {**own, **{key: model[key] for key in _MODEL if key in model}}
    if role == "assistant":
        info |= {"cost": 0, "tokens": {"input": 0, "output": 0, "reasoning": 0, "cache": {"read": 0, "write": 0}}}
    part = {"id": f"prt_{_id(new)}", "sessionID": beside.get("sessionID"), "messageID": name, "type": "text"}
    return {"info": info, "parts": [{**part, "text": said}]}


def _info(entry: Any) -> Body:
    """The info of a message: a file, or a member of an export's element."""
    value = as_dict(entry)
    return as_dict(value.get("info")) if "info" in value else value


def _whole(native: Native, entry: Site) -> Iterable[Site]:
    """The file of a message with those of its parts, which nobody would find without it."""
    name = as_dict(native.value(entry)).get("id")
    if not entry.file or not isinstance(name, str) or "message" not in entry.file.split("/"):
        return [entry]
    return [entry, *(Site("", None, path) for path in native.files() if path.split("/")[-2:-1] == [name])]


PIECES = Pieces(said=_said, result=_result, thought=_is_thought)
SHAPE = Shape(change=PIECES.change, encode=_new_messages, entry=_entry, holds=_held, answer=_answer, whole=_whole)
