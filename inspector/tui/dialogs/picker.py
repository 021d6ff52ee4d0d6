"""Choosing a session to open: files given, files opened lately, what tools recorded, the samples, or any path.

The tools' sessions are found beside the screen, and come into the list while one types.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from time import time
from typing import ClassVar, NamedTuple

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Button, Input, OptionList
from textual.widgets.option_list import Option
from textual.worker import get_current_worker

from inspector.discover import Found, batches
from inspector.text import clip, pad, thousands
from inspector.tui.dialogs.dialog import Complaint, Dialog, Field, Words, button
from inspector.tui.dialogs.samples import sample_files
from inspector.writing import STDIO

LISTED = 200
"""Files of a folder that are listed."""
GROUP = 100
"""Lines of one group; typing narrows them down."""
ENDINGS = (".json", ".jsonl", ".traj", ".eval", ".db", ".json.gz", ".jsonl.gz", ".json.zst", ".jsonl.zst")
SAMPLES = "Samples"


class Picked(NamedTuple):
    """What to open."""

    path: str
    id: str = ""
    """Which conversation, where the tool keeps many in one store."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A file to choose."""

    path: str
    group: str
    """The heading that it stands under."""
    words: str = ""
    """What it is; empty: its folder is shown."""
    size: int | None = None
    """In bytes; None where the file is missing."""
    changed: float = 0.0
    """When it was last changed, in seconds of the epoch."""
    project: str = ""
    """The folder that a tool recorded it in."""
    messages: int | None = None
    id: str = ""

    @property
    def name(self) -> str:
        """The project in short, else the file's own name."""
        return shortened(self.project) if self.project else os.path.basename(self.path) or self.path

    @property
    def there(self) -> bool:
        """Whether there was something to open when it was listed."""
        return bool(self.changed) or self.size is not None

    @property
    def said(self) -> str:
        """All that typing may find."""
        return f"{self.path}\n{self.words}\n{self.project}\n{self.group}".lower()


def shortened(folder: str) -> str:
    """The last two names of a folder: "src/boat"."""
    names = [name for name in folder.replace("\\", "/").split("/") if name]
    return "/".join(names[-2:]) or folder


def entry_of(found: Found) -> Entry:
    """A session that a tool recorded."""
    return Entry(found.path, found.tool, found.title, found.size, found.changed, found.project, found.messages,
                 found.id)  # fmt: skip


def entry(path: str, group: str, words: str = "") -> Entry:
    """A file as it lies on the disk now."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):  # ValueError: a NUL in the name
        return Entry(path, group, words)
    return Entry(path, group, words, found.st_size, found.st_mtime)


def entries(given: Iterable[str] = (), recent: Iterable[str] = ()) -> list[Entry]:
    """Everything there is to choose from: files given on the command line, recent ones, samples."""
    samples = [entry(str(path), SAMPLES, words) for path, words in sample_files()]
    return [
        *(entry(path, "Given") for path in given if path != STDIO),  # standard input is read once
        *(entry(path, "Recent") for path in recent),
        *samples,
    ]


def folder_entries(folder: str) -> list[Entry]:
    """The recordings in a folder, as far as their names say so; none where it cannot be read."""
    try:
        names = sorted(name for name in os.listdir(folder) if name.lower().endswith(ENDINGS))
    except OSError:
        return []
    return [entry(os.path.join(folder, name), "In that folder") for name in names[:LISTED]]


def matching(known: Sequence[Entry], typed: str) -> list[Entry]:
    """The entries that hold every typed word in their path or in what they are."""
    words = typed.lower().split()
    return [one for one in known if all(word in one.said for word in words)] if words else list(known)


def size_words(size: int) -> str:
    """A size for people: "312 B", "1.2 MB"."""
    amount, unit = float(size), "B"
    for larger in ("KB", "MB", "GB", "TB"):
        if amount < 999.5:
            break
        amount, unit = amount / 1000, larger
    return f"{amount:.0f} {unit}" if unit == "B" or amount >= 9.95 else f"{amount:.1f} {unit}"


AGES = ((365 * 86_400, "y"), (30 * 86_400, "mo"), (86_400, "d"), (3_600, "h"), (60, "min"))


def age_words(seconds: float) -> str:
    """An age for people: "now", "5 min", "3 d"."""
    for length, unit in AGES:
        if seconds >= length:
            return f"{int(seconds // length)} {unit}"
    return "now"


def line_of(one: Entry, width: int, now: float) -> Content:
    """An entry as a line of columns: name, age, size, messages, what it is; one that is missing is dim and says so."""
    name = max(16, min(32, width * 3 // 10))
    size = "" if one.size is None else size_words(one.size)
    size, age = (size, age_words(now - one.changed)) if one.there else ("missing", "")
    count = "" if one.messages is None else f"{thousands(one.messages)} msg"
    words = one.words or os.path.dirname(one.path)
    rest = max(0, width - name - 2 - 7 - 8 - 10 - 2)
    text = f"{pad(clip(one.name, name), name)}  {age:>7}{size:>8}{count:>10}  {clip(words, rest)}"
    return Content.styled(text, "" if one.there else "$foreground 45%")


class Picker(Dialog[Picked]):
    """Answers the session to open."""

    class More(Message):
        """Sessions that tools recorded; without any, the search is over."""

        def __init__(self, entries: Sequence[Entry] = ()) -> None:
            super().__init__()
            self.entries = entries

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "move('down')", "Down", show=False),
        Binding("up", "move('up')", "Up", show=False),
        Binding("pagedown", "move('page_down')", "Page down", show=False),
        Binding("pageup", "move('page_up')", "Page up", show=False),
    ]
    DEFAULT_CSS = """
    Picker > .box { width: 120; height: 90%; }
    Picker .title { margin-bottom: 0; }
    Picker OptionList {
        height: 1fr; min-height: 3; border: none; padding: 0; background: $surface; margin-top: 1;
        scrollbar-size-vertical: 1; overflow-x: hidden;
    }
    Picker OptionList:focus { border: none; }
    Picker OptionList > .option-list--option-disabled { color: $text-primary; text-style: bold; }
    Picker .buttons { margin-top: 0; }
    """

    def __init__(
        self, known: Sequence[Entry], *, complaint: str = "", now: float | None = None,
        finding: Callable[[], Iterable[Found]] | None = None,
    ) -> None:  # fmt: skip
        """`finding` gives what tools recorded; it is asked beside the screen."""
        super().__init__()
        self._complaint = complaint
        self._given = [one for one in known if one.group != SAMPLES]
        self._samples = [one for one in known if one.group == SAMPLES]
        self._found: dict[str, list[Entry]] = {}
        self._shown, self._listed = list(known), list[Entry]()
        self._finding, self._moved = finding, False
        self._now = time() if now is None else now

    def compose(self) -> ComposeResult:
        """A field that filters and takes a path, and the files."""
        with Vertical(classes="box"):
            yield Words("Open a session", id="heading", classes="title")
            yield Field(placeholder="type to filter, or a path to a file or folder")
            yield OptionList(markup=False)
            yield Complaint()
            with Horizontal(classes="buttons"):
                yield button("Open", "open", first=True)
                yield button("Cancel", "cancel")

    def on_mount(self) -> None:
        """List what there is, and say what was wrong before."""
        self._list()
        self.query_one(Complaint).say(self._complaint)
        if self._finding is not None:
            self._find(self._finding)

    @work(thread=True, exclusive=True, group="find")
    def _find(self, finding: Callable[[], Iterable[Found]]) -> None:
        """Look for sessions; whatever goes wrong there costs those that are not found yet."""
        worker = get_current_worker()
        with suppress(Exception):
            for batch in batches(finding()):
                if worker.is_cancelled:
                    return
                self.post_message(self.More([entry_of(one) for one in batch]))
        if not worker.is_cancelled:
            self.post_message(self.More())

    @on(More)
    def _take_more(self, more: More) -> None:
        for one in more.entries:
            self._found.setdefault(one.group, []).append(one)
        count = sum(map(len, self._found.values()))
        looking = "" if not more.entries else ", looking for more"
        says = f"   {thousands(count)} recorded on this machine{looking}" if count else ""
        self.query_one("#heading", Words).say(f"Open a session{says}")
        self._narrow()

    @property
    def _known(self) -> list[Entry]:
        return [*self._given, *(one for group in self._found.values() for one in group), *self._samples]

    def on_resize(self, event: events.Resize) -> None:
        """Lay the columns out anew."""
        self.call_after_refresh(self._list)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Filter, or look into a folder."""
        self._moved = False
        self.query_one(Complaint).say("")
        self._narrow()

    def _narrow(self) -> None:
        value = self.query_one(Field).value
        typed = os.path.expanduser(value.strip())
        self._shown = folder_entries(typed) if _is_folder(typed) else matching(self._known, value)
        self._list()

    def _list(self) -> None:
        files = self.query_one(OptionList)
        kept = self._highlighted if self._moved else None
        width = max(20, files.scrollable_content_region.width - 1)
        options = list(self._options(width))
        if not options:
            options = [Option(Content("no file is called so; Enter opens what is typed as a path"), disabled=True)]
        files.set_options(options)
        places = {option.id: at for at, option in enumerate(options) if option.id is not None}
        if places:
            same = str(self._listed.index(kept)) if kept in self._listed else ""
            files.highlighted = places.get(same, min(places.values()))

    def _options(self, width: int) -> Iterator[Option]:
        """Each group under its heading, and how many more it has."""
        self._listed = []
        groups: dict[str, list[Entry]] = {}
        for one in self._shown:
            groups.setdefault(one.group, []).append(one)
        for group, entries in groups.items():
            yield Option(Content(group), disabled=True)
            for one in entries[:GROUP]:
                self._listed.append(one)
                yield Option(line_of(one, width, self._now), id=str(len(self._listed) - 1))
            if len(entries) > GROUP:
                more = f"and {thousands(len(entries) - GROUP)} more: type to narrow them down"
                yield Option(Content(more), disabled=True)

    @property
    def _highlighted(self) -> Entry | None:
        option = self.query_one(OptionList).highlighted_option
        return None if option is None or option.id is None else self._listed[int(option.id)]

    def action_move(self, where: str) -> None:
        """Move the highlight while the field keeps the keys."""
        self._moved = True
        files = self.query_one(OptionList)
        moves: dict[str, Callable[[], None]] = {
            "down": files.action_cursor_down,
            "up": files.action_cursor_up,
            "page_down": files.action_page_down,
            "page_up": files.action_page_up,
        }
        moves[where]()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Open the file that was clicked."""
        event.stop()
        self._open(self._listed[int(event.option_id or 0)])

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Open what is typed, where it is a path, else what is highlighted."""
        self._choose()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Open, or not."""
        self._choose() if event.button.id == "open" else self.dismiss(None)

    def _choose(self) -> None:
        typed = os.path.expanduser(self.query_one(Field).value.strip())
        here = self._highlighted
        if typed and (here is None or (os.path.exists(typed) and not _is_folder(typed))):
            self._open(Entry(typed, ""))
        elif here is not None:
            self._open(here)
        else:
            self.query_one(Complaint).say("choose a file, or type a path")

    def _open(self, one: Entry) -> None:
        if os.path.isfile(one.path) or _is_folder(one.path):
            self.dismiss(Picked(one.path, one.id))
        else:
            wrong = "is not an ordinary file" if os.path.exists(one.path) else "is not there"
            self.query_one(Complaint).say(f"{clip(one.path, 200)} {wrong}")


def _is_folder(typed: str) -> bool:
    return bool(typed) and os.path.isdir(typed)
