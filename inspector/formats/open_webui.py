"""Open WebUI: chat exports, a list of chats or one, and the inner `chat` object alone.

- A chat is a tree, `history.messages`; the live path leads from `currentId` to the root. The flat `messages` beside it
  is a copy that may be stale and is not read.
- What the model did is recorded in the text of its answer, as `<details>` blocks of the types `tool_calls` and
  `reasoning`, and in newer versions as `output`, a list of items. Where there is an `output` with text or calls, the
  text is drawn from it and is not read. An answer with calls becomes several rows.
- The system prompt of the chat's settings is the first row.
"""

from __future__ import annotations

from collections.abc import Sequence

from inspector.formats.entries import Entry, entries_of, samples_of
from inspector.formats.format import Conversation, Format, Recording
from inspector.formats.lenient import step
from inspector.formats.mapping import Node, Path, branches_of, live_path, nodes_of
from inspector.formats.open_webui_answer import Piece, pieces_of
from inspector.formats.rows import Draft, Place, Rows, Spot, Where, call_entry, image_part
from inspector.formats.shapes import as_count, as_dict, as_list, as_text
from inspector.message import Body, Usage

_SYSTEM = ("/params/system", "/system")


def recognise(recording: Recording) -> bool:
    """Whether a recording holds a chat with a `history` of messages by id, or several."""
    return any(isinstance(value, dict) and _chat(Entry(value, Place(0, ""))) for value in samples_of(recording, 20))


def _chat(entry: Entry) -> Entry | None:
    """The chat object of a value: its `chat`, or the value itself."""
    for one in (entry.at("chat"), entry):
        messages = as_dict(as_dict(one.value).get("history")).get("messages")
        if isinstance(messages, dict):
            return one
    return None


def read(recording: Recording) -> list[Conversation]:
    """Every chat, in file order."""
    chats = [(entry, _chat(entry)) for entry in entries_of(recording) if isinstance(entry.value, dict)]
    return [_conversation(entry, chat) for entry, chat in chats if chat is not None]


def _conversation(entry: Entry, chat: Entry, leaf: str = "") -> Conversation:
    """A chat, on the path to the leaf that it names, or to another one."""
    history = chat.at("history")
    pointer = history.place.pointer
    nodes, damage = nodes_of(
        history.value["messages"], lambda key: f"{pointer}/messages{step(key)}", "parentId", lambda _: True
    )
    path = live_path(nodes, leaf or history.value.get("currentId"), "parentId", f"{pointer}/currentId", "childrenIds")
    script, left = _Script(), _Script()
    script.instruct(chat)
    for node in path.live:
        script.tell(node)
    for node in path.left:
        left.tell(node)
    leaves, branches = branches_of(path, script.rows.native, _alone)
    names = {node.number: name for name, node in nodes.items()}
    return Conversation(
        messages=script.rows.messages,
        origin=script.rows.origins(_places(list(nodes.values()), chat)),
        title=as_text(chat.value.get("title")) or as_text(entry.value.get("title")),
        model=_model(path, chat.value),
        usage=tuple(script.usage),
        damage=(*damage, *path.damage),
        abandoned=tuple(left.rows.messages),
        branches=branches,
        read_branch=lambda number: _conversation(entry, chat, names[leaves[number].number]),
    )


def _alone(node: Node) -> Sequence[Body]:
    script = _Script()
    script.tell(node)
    return script.rows.messages


def _places(nodes: Sequence[Node], chat: Entry) -> Where:
    index, pointer, line = chat.place

    def place(number: int) -> Place:
        inner = nodes[number].pointer if number >= 0 else pointer
        return Place(number if line is None else index, inner, line)

    return place


def _model(path: Path, chat: Body) -> str | None:
    used = [model for node in path.live if (model := as_text(node.value.get("model")))]
    listed = [model for model in as_list(chat.get("models")) if isinstance(model, str)]
    return next((model for model in (*used[-1:], *listed) if model), None)


class _Script:
    """Messages told in order, as rows."""

    def __init__(self) -> None:
        self.rows = Rows()
        self.usage: list[Usage] = []

    def instruct(self, chat: Entry) -> None:
        """Add the chat's system prompt."""
        for pointer in _SYSTEM:
            prompt = chat.at(*pointer.split("/")[1:]).value
            if isinstance(prompt, str) and prompt:
                self.rows.put(-1, {"role": "system", "content": prompt}, Spot(-1, pointer))
                return

    def tell(self, node: Node) -> None:
        """Add one message."""
        role = as_text(node.value.get("role")) or "other"
        first = len(self.rows)
        if role == "assistant":
            self._answer(node.number, pieces_of(node.value))
            usage = _usage(first, node.value)
            self.usage += [usage] if usage else []
        else:
            draft = Draft()
            draft.say(Spot(node.number, "/content"), as_text(node.value.get("content")))
            self._attach(draft, node)
            self.rows.add(node.number, role, draft)

    def _attach(self, draft: Draft, node: Node) -> None:
        for place, file in enumerate(as_list(node.value.get("files"))):
            url = as_text(as_dict(file).get("url"))
            if url and as_dict(file).get("type") == "image":
                draft.say(Spot(node.number, f"/files/{place}"), image_part(url))

    def _answer(self, number: int, pieces: list[Piece]) -> None:
        """What was said after a result is a row of its own; the results of calls in a row come after all of them."""
        first, draft, results = len(self.rows), Draft(), list[Piece]()
        for piece in pieces:
            if results and piece.kind != "result" and not (piece.kind == "call" and piece.follows):
                draft = self._close(number, draft, results)
            spot = Spot(number, piece.inner)
            if piece.kind == "call":
                draft.call(spot, call_entry(piece.id, piece.name, piece.text))
            elif piece.kind == "thought":
                draft.think(spot, piece.text)
            elif piece.kind == "text":
                draft.say(spot, piece.text)
            else:
                results.append(piece)
        self._close(number, draft, results)
        if len(self.rows) == first:
            self.rows.add(number, "assistant", Draft())

    def _close(self, number: int, draft: Draft, results: list[Piece]) -> Draft:
        if draft:
            self.rows.add(number, "assistant", draft)
        for piece in results:
            self.rows.result(Spot(number, piece.inner), piece.id, piece.text, name=piece.name)
        results.clear()
        return Draft()


def _usage(row: int, message: Body) -> Usage | None:
    """What the provider reported; `info` holds Ollama's counters in older chats."""
    known = as_dict(message.get("usage")) or as_dict(message.get("info"))
    taken = as_count(known.get("prompt_tokens")) or as_count(known.get("input_tokens"))
    made = as_count(known.get("completion_tokens")) or as_count(known.get("output_tokens"))
    cached = as_count(as_dict(known.get("prompt_tokens_details")).get("cached_tokens"))
    taken, made = taken or as_count(known.get("prompt_eval_count")), made or as_count(known.get("eval_count"))
    return Usage(row, taken, cached, made) if taken or made else None


FORMAT = Format(
    name="open_webui",
    title="Open WebUI",
    recognise=recognise,
    read=read,
    help="Exported chats of Open WebUI, one or all.",
)
