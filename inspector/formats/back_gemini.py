"""Writing back Gemini's parts: contents of the API, and the records of Gemini CLI, where a call holds its result."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from inspector.change import Patch, Site, replaced
from inspector.formats.format import CannotWrite
from inspector.formats.gemini_parts import response_of
from inspector.formats.native import Native
from inspector.formats.pieces import Content, Part, Pieces, is_thought, parts_under, text_in
from inspector.formats.rewriting import Change, New, Row, Shape
from inspector.formats.shapes import as_dict, as_list
from inspector.message import Body

_ROLES = {"user": "user", "assistant": "model"}


def _said(text: str, row: Row) -> Body:
    return {"text": text}


def _output(text: str) -> Body:
    return {"output": text}


def _response(native: Native, site: Site) -> Part:
    """The text of a `functionResponse`, or of another part of a result."""
    value = native.value(site)
    if response_of(value) is None:
        return Part(site, text_in(native, site))
    key = "functionResponse" if "functionResponse" in value else "function_response"
    inside = site.under(f"/{key}/response")
    said = native.value(inside)
    if isinstance(said, dict) and len(said) == 1:
        for name in ("output", "error"):
            if isinstance(said.get(name), str):
                return Part(site, inside.under(f"/{name}"))
    return Part(inside, inside if isinstance(said, str) else None, _output)


def _result(native: Native, site: Site) -> Content:
    value = native.value(site)
    if response_of(value) is not None:
        return Content([_response(native, site)], None)
    if isinstance(value, list):
        return Content([_response(native, site.under(f"/{place}")) for place in range(len(value))], None)
    return parts_under(native, site)


def _response_part(body: Body, name: str) -> Body:
    named = {"id": body["tool_call_id"]} if body.get("tool_call_id") else {}
    return {"functionResponse": {**named, "name": body.get("name") or name, "response": _output(_text(body))}}


def _text(body: Body) -> str:
    said = body.get("content")
    if not isinstance(said, str):
        raise CannotWrite("a new message that is no text has no place in a Gemini session")
    return said


# Contents of the API.


def _contents(new: New) -> list[Any]:
    contents: list[Any] = []
    for results, run in groupby(new.bodies, key=lambda body: body.get("role") == "tool"):
        if results:
            contents.append({"role": "user", "parts": [_response_part(body, "") for body in run]})
            continue
        for body in run:
            role = _ROLES.get(str(body.get("role")))
            if role is None:
                raise CannotWrite(f"a new message of role {body.get('role')} has no place among Gemini contents")
            contents.append({"role": role, "parts": [{"text": _text(body)}]})
    return contents


def _of_content(native: Native, row: Row, after: Body) -> Change:
    """The system instruction stands before its parts among its pieces."""
    if row.body.get("role") == "system":
        first = row.pieces[:1]
        row = replace(row, pieces=row.pieces[1:] if len(row.pieces) > 1 else first)
    return _CONTENT.change(native, row, after)


def _content_entry(row: Row, site: Site) -> Site:
    if row.body.get("role") == "system" and row.pieces:
        return row.pieces[0]
    head, found, _ = site.pointer.rpartition("/parts/")
    return site._replace(pointer=(head if found else site.pointer).removesuffix("/parts"))


def _parts_held(content: Any) -> Sequence[str]:
    return [f"/parts/{place}" for place in range(len(as_list(as_dict(content).get("parts"))))]


_CONTENT = Pieces(said=_said, result=_result, bare="/parts")
CONTENTS = Shape(
    change=_of_content,
    encode=_contents,
    entry=_content_entry,
    holds=_parts_held,
    block=lambda new: _response_part(new.bodies[0], ""),
)


# Records of Gemini CLI.


def _is_thought(native: Native, site: Site) -> bool:
    return "/thoughts/" in site.pointer or is_thought(native, site)


def _records(new: New) -> list[Any]:
    beside = as_dict(new.beside)
    return [_record(beside, body, new) for body in new.bodies]


def _record(beside: Body, body: Body, new: New) -> Body:
    kind = {"user": "user", "assistant": "gemini"}.get(str(body.get("role")))
    if kind is None:
        raise CannotWrite(f"a new message of role {body.get('role')} has no place in a Gemini CLI session")
    said: Any = [{"text": _text(body)}] if isinstance(beside.get("content"), list) else _text(body)
    time = {"timestamp": beside["timestamp"]} if "timestamp" in beside else {}
    return {"id": new.native.fresh(), **time, "type": kind, "content": said}


def _records_held(record: Any) -> Iterator[str]:
    value = as_dict(record)
    for key in ("content", "parts", "thoughts", "toolCalls"):
        if isinstance(value.get(key), list):
            yield from (f"/{key}/{place}" for place in range(len(value[key])))
        elif value.get(key) is not None:
            yield f"/{key}"


def _answer(native: Native, call: Site, body: Body) -> Iterable[Patch]:
    """A result in the record of its call."""
    if as_list(as_dict(native.value(call)).get("result")):
        raise CannotWrite("a call of the Gemini CLI session has a result already")
    name = str(as_dict(native.value(call)).get("name", ""))
    return [replaced(call.under("/result"), [_response_part(body, name)])]


def _name(record: Any) -> Iterator[str]:
    if isinstance(record, dict) and "type" in record and isinstance(record.get("id"), str):
        yield record["id"]


def _doubled(record: Any) -> Iterator[str]:
    """The calls whose results a record only says once more."""
    parts = as_list(as_dict(record).get("content"))
    answered = [as_dict(response_of(part)).get("id") for part in parts]
    if parts and all(isinstance(one, str) for one in answered):
        yield from (str(one) for one in answered)


def _all_of_record(native: Native, entry: Site) -> Iterable[Site]:
    """A record with the earlier ones of its id, which it replaced, and with doubles of its results: both would be read
    without it."""
    value = native.value(entry)
    calls = [as_dict(call).get("id") for call in as_list(as_dict(value).get("toolCalls"))]
    doubles = native.index(entry, _doubled) if calls else {}
    names = native.index(entry, _name) if entry.line is not None else {}
    found = [site for name in _name(value) for site in names.get(name, ())]
    return {entry, *found, *(site for call in calls if isinstance(call, str) for site in doubles.get(call, ()))}


RECORDS = Shape(
    change=Pieces(said=_said, result=_result, thought=_is_thought).change,
    encode=_records,
    holds=lambda record: tuple(_records_held(record)),
    answer=_answer,
    whole=_all_of_record,
)
