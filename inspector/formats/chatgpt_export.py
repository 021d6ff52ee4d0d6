"""ChatGPT's data export: `conversations.json`, a list of conversations, or one of them.

- A conversation is a tree, `mapping`; the live path leads from `current_node` to the root. Nodes without a message are
  links, empty and hidden messages count.
- A message to a `recipient` other than "all" is a call of that tool, its text the arguments; messages of role tool are
  results. Neither has an id: they pair by place.
- `thoughts` and `reasoning_recap` are thinking. What a user or a model keeps about the user (custom instructions,
  memories) is text. Pictures are addresses of files that the export may hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from inspector.formats.blocks import json_text
from inspector.formats.entries import Entry, entries_of, samples_of
from inspector.formats.format import Conversation, Format, Recording
from inspector.formats.lenient import step
from inspector.formats.mapping import Node, branches_of, live_path, nodes_of
from inspector.formats.rows import Draft, Place, Rows, Spot, call_entry, image_part
from inspector.formats.shapes import as_dict, as_list, as_text
from inspector.message import Body

_THINKING = ("thoughts", "reasoning_recap")
_TEXTS = ("text", "content", "result", "user_profile", "user_instructions", "model_set_context", "summary", "title")
"""Keys under which contents without `parts` keep their texts (ChatGPT, content types seen in exports)."""


def recognise(recording: Recording) -> bool:
    """Whether a recording holds an object with a `mapping` of nodes, or several."""
    return any(isinstance(value, dict) and _is_conversation(value) for value in samples_of(recording, 20))


def _is_conversation(value: Body) -> bool:
    mapping = value.get("mapping")
    if not isinstance(mapping, dict):
        return False
    return "current_node" in value or any(isinstance(node, dict) and "parent" in node for node in mapping.values())


def read(recording: Recording) -> list[Conversation]:
    """Every conversation, in file order."""
    return [_conversation(entry) for entry in entries_of(recording)
            if isinstance(entry.value, dict) and _is_conversation(entry.value)]  # fmt: skip


def _conversation(entry: Entry, leaf: Any = None) -> Conversation:
    """A conversation, on the path to the leaf that it names, or to another one."""
    value: Body = entry.value
    index, pointer, line = entry.place
    nodes, damage = nodes_of(value["mapping"], lambda key: f"{pointer}/mapping{step(key)}", "parent", _speaks)
    path = live_path(nodes, leaf or value.get("current_node"), "parent", f"{pointer}/current_node", "children")
    places = [Place(node.number if line is None else index, node.pointer, line) for node in nodes.values()]
    rows, left = Rows(), Rows()
    for node in path.live:
        _add(rows, node)
    for node in path.left:
        _add(left, node)
    leaves, branches = branches_of(path, rows.native, _alone)
    names = {node.number: name for name, node in nodes.items()}
    models = [model for node in path.live if (model := _model(node))]
    return Conversation(
        messages=rows.messages,
        origin=rows.origins(lambda number: places[number]._replace(pointer=places[number].pointer + "/message")),
        title=as_text(value.get("title")),
        model=models[-1] if models else as_text(value.get("default_model_slug")) or None,
        damage=(*damage, *path.damage),
        abandoned=tuple(left.messages),
        branches=branches,
        read_branch=lambda number: _conversation(entry, names[leaves[number].number]),
    )


def _alone(node: Node) -> Sequence[Body]:
    rows = Rows()
    _add(rows, node)
    return rows.messages


def _speaks(node: Body) -> bool:
    return isinstance(node.get("message"), dict)


def _model(node: Node) -> str:
    return as_text(as_dict(as_dict(node.value.get("message")).get("metadata")).get("model_slug"))


def _add(rows: Rows, node: Node) -> None:
    message = node.value.get("message")
    if not isinstance(message, dict):
        return
    author = as_dict(message.get("author"))
    role = as_text(author.get("role")) or "other"
    recipient = as_text(message.get("recipient"))
    draft = _drafted(node.number, as_dict(message.get("content")))
    if role == "tool":
        body: Body = {"role": "tool", "content": draft.body(role)["content"]}
        name = as_text(author.get("name"))
        rows.put(node.number, {**body, "name": name} if name else body, *draft.spots)
    elif role == "assistant" and recipient not in ("", "all") and not draft.thinking:
        content = draft.body(role)["content"]
        arguments = content if isinstance(content, str) else json_text(content)
        called: Body = {"role": role, "content": None, "tool_calls": [call_entry(None, recipient, arguments)]}
        rows.put(node.number, called, *draft.spots)
    else:
        rows.add(node.number, role, draft)


def _drafted(number: int, content: Body) -> Draft:
    draft = Draft()
    thinks = content.get("content_type") in _THINKING
    for inner, part in _pieces(content):
        spot = Spot(number, f"/content{inner}")
        if thinks:
            draft.think(spot, part if isinstance(part, str) else json_text(part))
        elif isinstance(part, dict) and isinstance(part.get("asset_pointer"), str):
            draft.say(spot, image_part(part["asset_pointer"]) if "image" in as_text(part.get("content_type")) else part)
        elif isinstance(part, (str, dict)):
            draft.say(spot, part)
        elif part is not None:
            draft.say(spot, json_text(part))
    return draft


def _pieces(content: Body) -> Iterator[tuple[str, Any]]:
    """What a content holds, each with its pointer below the content."""
    parts = content.get("parts")
    if isinstance(parts, list):
        yield from ((f"/parts/{place}", part) for place, part in enumerate(parts))
        return
    for place, thought in enumerate(as_list(content.get("thoughts"))):
        yield f"/thoughts/{place}/content", as_text(as_dict(thought).get("content"))
    for key in _TEXTS:
        text = content.get(key)
        if isinstance(text, str) and text:
            yield f"/{key}", text


FORMAT = Format(
    name="chatgpt_export",
    title="ChatGPT export",
    recognise=recognise,
    read=read,
    help="conversations.json of ChatGPT's data export, or one conversation of it.",
)
