"""Messages kept by their ids in one object, each with its parent: the exports of ChatGPT, Open WebUI and claude.ai.

The live path leads from the leaf that the file names up to the root; where it names none that it holds, the leaf is
found by going down to the last child. Nothing recurses, and no cycle, cut or copy can make the walk hang: where a link
is broken, the message before it in the file stands in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from inspector.finding import Finding
from inspector.formats.branches import Forks, branch, leaves_of
from inspector.formats.shapes import as_text
from inspector.formats.tree import unseen
from inspector.message import Body, Branch


class Node(NamedTuple):
    """One entry of a mapping."""

    number: int
    """Its place in the file's order, from 0."""
    pointer: str
    value: Body
    parent: Any
    """The parent's id as recorded; empty or None at the root."""
    speaks: bool
    """Whether it is a message; others are links at most."""


class Path(NamedTuple):
    """The nodes of a mapping, told apart."""

    live: list[Node]
    """From the root to the leaf."""
    left: list[Node]
    damage: tuple[Finding, ...]
    parents: Sequence[int] = ()
    """By number; below 0 at a root, and where the link is broken."""


def live_path(nodes: Mapping[str, Node], leaf: Any, key: str, leaf_pointer: str, children: str = "") -> Path:
    """The path to the leaf, an id.

    `key` is what the format calls the parent, `leaf_pointer` says where the leaf is named, `children` is the key of a
    node's list of children, where it has one.
    """
    order = list(nodes.values())
    damage: list[Finding] = []
    if not isinstance(leaf, str) or leaf not in nodes:
        if leaf is not None and leaf != "":
            says = f"{leaf_pointer} names a message that the file does not hold; the last one stands in."
            damage.append(Finding("broken-parent-link", "warning", says, pointer=leaf_pointer))
        start = _last_child(nodes, order, children)
    else:
        start = nodes[leaf].number
    live = _walk(nodes, order, start, key, damage)
    on = {node.number for node in live}
    left = [node for node in order if node.number not in on]
    return Path(live, left, (*damage, *_branches(nodes, left)), [_parent(nodes, node) for node in order])


def branches_of(
    path: Path, native: Sequence[int], told: Callable[[Node], Sequence[Body]]
) -> tuple[tuple[Node, ...], tuple[Branch, ...]]:
    """The leaves of the branches beside a path, and the branches. `told` tells one node as rows."""
    nodes = {node.number: node for node in (*path.live, *path.left)}
    leaves = leaves_of([node.number for node in path.left], path.parents, lambda number: nodes[number].speaks)
    forks = Forks(native, [node.number for node in path.live])
    found = [branch(forks.row(leaf.fork), len(leaf.own), told(nodes[leaf.own[0]])) for leaf in leaves]
    return tuple(nodes[leaf.place] for leaf in leaves), tuple(found)


def _walk(nodes: Mapping[str, Node], order: Sequence[Node], start: int, key: str, damage: list[Finding]) -> list[Node]:
    seen, live, here = bytearray(len(order)), [], start
    below = list(range(-1, len(order) - 1))
    while here >= 0:
        node = order[here]
        seen[here] = 1
        live.append(node)
        here = _parent(nodes, node)
        if here == _BROKEN or (here >= 0 and seen[here]):
            what = "a message that the file does not hold" if here == _BROKEN else "a message that follows it"
            damage.append(_broken_link(node, key, what))
            here = unseen(node.number, seen, below)
    live.reverse()
    return live


_ROOT, _BROKEN = -1, -2


def _parent(nodes: Mapping[str, Node], node: Node) -> int:
    if node.parent is None or node.parent == "":
        return _ROOT
    known = nodes.get(node.parent) if isinstance(node.parent, str) else None
    return _BROKEN if known is None else known.number


def _last_child(nodes: Mapping[str, Node], order: Sequence[Node], children: str) -> int:
    """The leaf that is reached from the last root by going to the last child each time."""
    if not order or not children:
        return len(order) - 1
    roots = [node for node in order if _parent(nodes, node) < 0]
    here, seen = roots[-1] if roots else order[0], set()
    while here.number not in seen:
        seen.add(here.number)
        listed = here.value.get(children)
        known = [nodes[one] for one in listed if isinstance(one, str) and one in nodes] if type(listed) is list else []
        here = known[-1] if known else here
    return here.number


def _broken_link(node: Node, key: str, what: str) -> Finding:
    says = f"{node.pointer}/{key} names {what}; the message before it in the file stands in."
    repair = "Link it to the message before it."
    return Finding("broken-parent-link", "warning", says, node.number, f"{node.pointer}/{key}", repair=repair)


def _branches(nodes: Mapping[str, Node], left: Sequence[Node]) -> list[Finding]:
    """One finding for each branch that was left and says anything, at its first message."""
    first: dict[int, int] = {}
    sizes: dict[int, tuple[Node, int]] = {}
    for node in left:
        start = first.get(_parent(nodes, node), node.number)
        first[node.number] = start
        if node.speaks:
            at, size = sizes.get(start, (node, 0))
            sizes[start] = (at, size + 1)
    return [_left(node, size) for node, size in sizes.values()]


def _left(node: Node, size: int) -> Finding:
    what = f"a branch of {size:,} messages" if size > 1 else "a branch of one message"
    says = f"{node.pointer} begins {what} that the conversation has left; it is not sent to the model."
    return Finding("abandoned-branch", "info", says, node.number, node.pointer)


def nodes_of(entries: Mapping[Any, Any], pointer_of: Callable[[Any], str], parent: str,
             speaks: Callable[[Body], bool]) -> tuple[dict[str, Node], list[Finding]]:  # fmt: skip
    """The nodes of an object of entries by id, and a finding for each entry that is no object."""
    nodes: dict[str, Node] = {}
    damage: list[Finding] = []
    for key, value in entries.items():
        if isinstance(value, dict):
            nodes[as_text(key)] = Node(len(nodes), pointer_of(key), value, value.get(parent), speaks(value))
        else:
            says = f"{pointer_of(key)} is no object; it was left out."
            damage.append(Finding("unparseable-record", "warning", says, pointer=pointer_of(key)))
    return nodes, damage
