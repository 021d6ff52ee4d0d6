"""Writing back Ollama chats: messages as they are, and answers that came in pieces, a line for each."""

from __future__ import annotations

from inspector.change import replaced
from inspector.formats import own_messages
from inspector.formats.difference import same
from inspector.formats.format import CannotWrite
from inspector.formats.native import ABSENT, Native
from inspector.formats.rewriting import Change, Row, Shape
from inspector.message import Body


def _change(native: Native, row: Row, after: Body) -> Change:
    """What differs in a message; the text of a streamed one goes into its first piece, and the others are emptied."""
    if len(row.sites) == 1:
        return own_messages.change(native, row, after)
    differing = [key for key in {**row.body, **after} if not same(row.body.get(key), after.get(key))]
    if differing != ["content"]:
        raise CannotWrite(f"row {row.number:,}: of an answer that came in pieces only the text can be written anew")
    change, text = Change(), after["content"]
    for site in (site.under("/content") for site in row.sites):
        recorded = native.value(site)
        if recorded is not ABSENT and recorded != text:
            change.patches.append(replaced(site, text))
        text = ""
    return change


SHAPE = Shape(change=_change, encode=own_messages.encode, inner="/message", own=True)
