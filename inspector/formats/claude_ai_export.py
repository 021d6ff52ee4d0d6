"""claude.ai's data export: `conversations.json`, a list of conversations, or one of them.

- The calls of an answer and their results stand in one message, and so does what the model said after them: it becomes
  several rows, in recorded order.
- Where messages name their parents, the live path leads to the last message, else to the leaf that the file names.
- The extracted text of an attachment is text of its message. Files are only named in the export; they are not read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from inspector.formats.blocks import WHOLE, Located, Place, Rows, is_result, located, origins
from inspector.formats.entries import Entry, entries_of, samples_of
from inspector.formats.format import Conversation, Format, Recording
from inspector.formats.mapping import Node, Path, branches_of, live_path
from inspector.formats.shapes import as_list, as_text, unreadable
from inspector.message import Body

_ROLES = {"human": "user", "assistant": "assistant"}
_HOLDERS = ("content", "attachments", "text")
_NO_PARENT = "00000000-0000-4000-8000-000000000000"


def recognise(recording: Recording) -> bool:
    """Whether a recording holds an object with `chat_messages`, or several."""
    return any(isinstance(value, dict) and _is_conversation(value) for value in samples_of(recording, 20))


def _is_conversation(value: Body) -> bool:
    return isinstance(value.get("chat_messages"), list)


def read(recording: Recording) -> list[Conversation]:
    """Every conversation, in file order."""
    return [_conversation(entry) for entry in entries_of(recording)
            if isinstance(entry.value, dict) and _is_conversation(entry.value)]  # fmt: skip


def _conversation(entry: Entry, leaf: str = "") -> Conversation:
    """A conversation, on the path to the leaf that it names, or to another one."""
    messages = entry.each("chat_messages")
    damage = tuple(
        unreadable(one.place.native, one.place.pointer, one.value, numbered=one.place.line is not None)
        for one in messages
        if not isinstance(one.value, dict)
    )

    def place(number: int) -> Place:
        """Where the blocks of a message stand: a third of the numbers each for those of `_HOLDERS`."""
        holder, at = divmod(number, len(messages))
        index, pointer, line = messages[at].place
        return Place(index, pointer, f"{pointer}/{_HOLDERS[holder]}", line)

    path = _path(entry, messages, leaf)
    rows, left = Rows(), Rows()
    for node in path.live:
        _add(rows, node, len(messages))
    for node in path.left:
        _add(left, node, len(messages))

    def alone(node: Node) -> Sequence[Body]:
        told = Rows()
        _add(told, node, len(messages))
        return told.messages

    leaves, branches = branches_of(path, rows.native, alone)
    return Conversation(
        messages=rows.messages,
        origin=origins(rows, place),
        title=as_text(entry.value.get("name")),
        model=as_text(entry.value.get("model")) or None,
        damage=(*damage, *path.damage),
        abandoned=tuple(left.messages),
        branches=branches,
        read_branch=lambda number: _conversation(entry, leaves[number].value["name"]),
    )


def _path(entry: Entry, messages: list[Entry], leaf: str) -> Path:
    nodes: dict[str, Node] = {}
    linked = any(isinstance(one.value, dict) and "parent_message_uuid" in one.value for one in messages)
    for number, one in enumerate(messages):
        if isinstance(one.value, dict):
            parent = one.value.get("parent_message_uuid")
            name = as_text(one.value.get("uuid")) or f"at {number}"
            name = f"{name} at {number}" if name in nodes else name
            nodes[name] = Node(
                len(nodes), one.place.pointer, {"at": number, "message": one.value, "name": name},
                None if parent == _NO_PARENT else parent, True,
            )  # fmt: skip
    if not linked:
        return Path(list(nodes.values()), [], ())
    leaf = leaf or entry.value.get("current_leaf_message_uuid")
    return live_path(nodes, leaf, "parent_message_uuid", f"{entry.place.pointer}/current_leaf_message_uuid")


def _add(rows: Rows, node: Node, count: int) -> None:
    number: int = node.value["at"]
    message: Body = node.value["message"]
    role = _ROLES.get(as_text(message.get("sender")), as_text(message.get("sender")) or "other")
    blocks = list(_blocks(message, number, count))
    if not blocks:
        rows.add(number, role, "")
    for results, group in groupby(blocks, key=lambda found: is_result(found[2])):
        rows.add_blocks(number, "user" if results else role, list(group))


def _blocks(message: Body, number: int, count: int) -> Iterator[Located]:
    content, text = as_list(message.get("content")), as_text(message.get("text"))
    yield from located(number, content)
    if text and not content:
        yield number + 2 * count, WHOLE, {"type": "text", "text": text}
    for position, attached in enumerate(as_list(message.get("attachments"))):
        extracted = as_text(attached.get("extracted_content")) if isinstance(attached, dict) else ""
        if extracted:
            yield number + count, position, {"type": "text", "text": extracted}


FORMAT = Format(
    name="claude_ai_export",
    title="claude.ai export",
    recognise=recognise,
    read=read,
    help="conversations.json of claude.ai's data export, or one conversation of it.",
)
