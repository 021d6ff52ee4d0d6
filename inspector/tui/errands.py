"""Errands of the workbench: what asks a person something, or carries something out of the screen.

Each is one function of the workbench. Dialogs are imported when first opened, since the first frame needs none.
"""

from __future__ import annotations

import json
import os
from dataclasses import replace
from typing import TYPE_CHECKING

from inspector.policies import POLICIES, SentView
from inspector.settings import to_python, to_toml
from inspector.text import thousands, visible
from inspector.tui import comparing, navigation, repairing, replaying, tuning
from inspector.tui.background import Source
from inspector.tui.controls import Controls
from inspector.tui.filtering import Filter, filtered_rows
from inspector.tui.keys import KEYS
from inspector.tui.ledger import Ledger
from inspector.tui.reader import Page, Reader
from inspector.tui.search_bar import SearchBar
from inspector.tui.timeline import Timeline
from inspector.writing import STDIO, as_json

if TYPE_CHECKING:
    from inspector.tui.dialogs.export import Offer
    from inspector.tui.dialogs.picker import Picked
    from inspector.tui.workbench import Workbench

CLIPBOARD_CHARS = 100_000
"""What is sent to the terminal's clipboard at most: terminals drop longer ones, often silently (SCALING.md, 7)."""


def copy_original(bench: Workbench) -> None:
    """Send the message under the cursor, as recorded, to the terminal's clipboard."""
    _copy(bench, sent=False)


def copy_sent(bench: Workbench) -> None:
    """Send the message under the cursor, as the model would get it, to the terminal's clipboard."""
    _copy(bench, sent=True)


def _copy(bench: Workbench, *, sent: bool) -> None:
    """The text, or JSON where there is more than a text."""
    if bench.shown is None:
        return
    row = bench.query_one(Ledger).cursor
    plan, messages = bench.shown.view.plan, bench.shown.session.messages
    body = messages[row] if not sent else plan.body(row) if row < len(plan.action) else None
    if body is None:
        bench.say("this message is not sent")
        return
    content = body.get("content")
    if isinstance(content, str) and not body.get("tool_calls"):
        text = content
    else:
        text = json.dumps(body, ensure_ascii=False, indent=2, default=str)
    if len(text) > CLIPBOARD_CHARS:
        bench.say(f"{thousands(len(text))} characters are more than terminals take; e writes them to a file")
        return
    bench.app.copy_to_clipboard(text.encode("utf-8", "replace").decode())
    bench.say(f"{thousands(len(text))} characters sent to the terminal's clipboard")


def search(bench: Workbench) -> None:
    """Ask for words, and mark every message that holds them."""
    bench.query_one(SearchBar).open(bench.query_one(Ledger).needle)


def choose_filter(bench: Workbench) -> None:
    """Ask which roles, tools and actions to show."""
    from inspector.tui.dialogs.filter import FilterDialog

    if bench.shown is not None:
        bench.app.push_screen(FilterDialog(bench.shown, bench.filter), lambda chosen: _apply(bench, chosen))


def _apply(bench: Workbench, chosen: Filter | None) -> None:
    if chosen is not None:
        bench.filter = chosen
        refilter(bench)


def clear_filter(bench: Workbench) -> None:
    """Show every message again."""
    bench.filter = Filter()
    refilter(bench)


def refilter(bench: Workbench) -> None:
    """Apply the filter to what is shown now: an action's rows change with the settings."""
    ledger = bench.query_one(Ledger)
    if bench.shown is None or (not bench.filter and ledger.rows_shown is None):
        return
    rows = filtered_rows(bench.shown, bench.filter) if bench.filter else None
    if rows != ledger.rows_shown:
        ledger.rows_shown = rows
        bench.say("" if rows is None else f"{bench.filter.text}: {thousands(len(rows))} messages; esc shows all")


def breakdown(bench: Workbench) -> None:
    """Show where the tokens go."""
    from inspector.tui.breakdown import Breakdown

    if bench.shown is not None:
        bench.app.push_screen(Breakdown(bench.shown))


def show_help(bench: Workbench) -> None:
    """Show all keys, pane by pane."""
    from inspector.tui.dialogs.help import Help, keys_of

    panes = {
        pane: [(key.display or bench.app.get_key_display(key.binding), key.words) for key in KEYS if key.pane == pane]
        for pane in dict.fromkeys(key.pane for key in KEYS)
    }
    own = {
        "In the list": Ledger.BINDINGS, "In the settings": Controls.BINDINGS,
        "In the reader": Reader.BINDINGS, "On its page": Page.BINDINGS, "On the timeline": Timeline.BINDINGS,
    }  # fmt: skip
    panes |= {name: keys_of(bindings, bench.app) for name, bindings in own.items()}
    bench.app.push_screen(Help(panes, words=HELP_WORDS))


HELP_WORDS = (
    "Left: the policy and its settings. Middle: each message as recorded and as sent. Enter reads one whole. "
    "The map above shows the whole session: tokens as recorded, and under them what is sent. "
    "B holds the settings at work as B: go on tuning A beside it."
)


def go_to(bench: Workbench) -> None:
    """Ask for a message's number."""
    from inspector.tui.dialogs.go_to import GoTo

    if bench.session is not None:
        ledger = bench.query_one(Ledger)
        bench.app.push_screen(GoTo(len(bench.session)), lambda row: None if row is None else ledger.go_to(row))


def open_session(bench: Workbench, complaint: str = "") -> None:
    """Ask which session to open: samples, recent files, or a path; `complaint` says why the last one would not do."""
    from inspector.discover import discover
    from inspector.tui.dialogs.picker import Picker, entries

    given = {os.path.abspath(path) for path in bench.files_given}
    known = entries(bench.files_given, [path for path in bench.recent_files if path not in given])
    picker = Picker(known, complaint=complaint, finding=discover)
    bench.app.push_screen(picker, lambda picked: _open(bench, picked))


def complain(bench: Workbench, says: str) -> None:
    """Say why a file could not be read, and ask for another where none is open."""
    if bench.session is None:
        bench.say(says)
        open_session(bench, complaint=says)
    else:
        bench.say("it could not be read; what was open stays")
        bench.notify(visible(says), severity="error", timeout=10, markup=False)


def _open(bench: Workbench, picked: Picked | None) -> None:
    if picked is not None:
        bench.load(Source(picked.path, id=picked.id, asks=not picked.id))
    elif bench.session is None:
        bench.say("no session is open: o chooses one")


def reload(bench: Workbench) -> None:
    """Read the file again, and stay in place, at the same request too."""
    if bench.source is not None:
        source = replace(bench.source, at=bench.replay.at, mode=replaying.mode_of(bench))
        bench.load(source, bench.query_one(Ledger).cursor)


def export(bench: Workbench) -> None:
    """Ask what to write, and where."""
    from inspector.tui.dialogs.export import Export, Offer, proposed_path

    shown = bench.shown
    if shown is None:
        return
    view, file = shown.view, shown.session.file
    settings = {name: value for name, value in view.settings.items() if value is not None}
    screen = bench.app.export_screenshot(title="inspector")
    offers = [
        Offer("the sent view as JSON", proposed_path(file, "sent.json"), lambda: sent_json(view)),
        Offer("the screen as SVG", proposed_path(file, "svg"), lambda: screen.encode("utf-8", "replace")),
    ]
    if bench.recorded is None and bench.repaired is None:
        offers += [
            Offer("the settings as TOML", proposed_path(file, "toml"), lambda: to_toml(view.policy, settings).encode()),
            Offer(
                "the settings as Python", proposed_path(file, "py"),
                lambda: to_python(view.policy, settings, None if file == STDIO else os.path.abspath(file)).encode(),
            ),
        ]  # fmt: skip
        offers += _taken_home(view, file)
    offers = [*repairing.offers(bench), *offers] if bench.repaired else [*offers, *repairing.offers(bench)]
    bench.app.push_screen(Export(offers, inputs=[file]), lambda path: bench.say(f"written to {path}" if path else ""))


def _taken_home(view: SentView, file: str) -> list[Offer]:
    """The settings as the product of the policy takes them, where it takes any."""
    from inspector.tui.dialogs.export import Offer, proposed_path

    product = POLICIES[view.policy].product
    if product is None:
        return []
    path, document = proposed_path(file, f"{product.name}.{product.ending}"), product.document
    says = "" if product.has_comments else " ".join(product.snippet(view.settings).notes)
    return [Offer(f"the settings for {product.title}", path, lambda: document(view.settings).encode(), says)]


def sent_json(view: SentView) -> bytes:
    """The sent view as `{"messages": [...]}`."""
    return as_json({"messages": view.messages})


def checkpoint(bench: Workbench) -> None:
    """Show the checkpoint prompt, and take a model's answer."""
    from inspector.policies.checkpoint import build_prompt, prompt_source
    from inspector.tui.dialogs.checkpoint import CheckpointDialog

    session = bench.session
    if session is None:
        return
    dialog = CheckpointDialog(
        lambda: build_prompt(prompt_source(session)), bench.given("checkpoint") or "", inputs=[session.file]
    )
    bench.app.push_screen(dialog, lambda text: None if text is None else bench.set_value("checkpoint", text or None))


def close_layer(bench: Workbench) -> None:
    """Close the reader, else settings shown on a narrow screen, else clear the search, else the filter, else B."""
    reader, ledger = bench.query_one(Reader), bench.query_one(Ledger)
    if reader.display:
        bench.close_reader()
    elif replaying.leave(bench):
        return
    elif bench.has_class("-with-settings"):
        tuning.fold(bench)
    elif ledger.needle:
        navigation.clear_search(bench)
    elif ledger.rows_shown is not None:
        clear_filter(bench)
    elif comparing.leave(bench):
        return
    elif bench.query_one(Timeline).display:
        replaying.close(bench)
    else:
        ledger.focus()
