"""Choosing a session to open: files given, files opened lately, the samples, or any path."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from time import time
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Button, Input, OptionList
from textual.widgets.option_list import Option

from inspector.text import clip, pad
from inspector.tui.dialogs.dialog import Complaint, Dialog, Field, Words, button
from inspector.tui.dialogs.samples import sample_files

LISTED = 200
"""Files of a folder that are listed."""
ENDINGS = (".json", ".jsonl")


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

    @property
    def name(self) -> str:
        """The file's own name."""
        return os.path.basename(self.path) or self.path


def entry(path: str, group: str, words: str = "") -> Entry:
    """A file as it lies on the disk now."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):  # ValueError: a NUL in the name
        return Entry(path, group, words)
    return Entry(path, group, words, found.st_size, found.st_mtime)


def entries(given: Iterable[str] = (), recent: Iterable[str] = ()) -> list[Entry]:
    """Everything there is to choose from: files given on the command line, recent ones, samples."""
    samples = [entry(str(path), "Samples", words) for path, words in sample_files()]
    return [
        *(entry(path, "Given") for path in given),
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
    return [one for one in known if all(word in f"{one.path}\n{one.words}".lower() for word in words)]


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
    """An entry as a line of columns: name, size, age, what it is; one that is missing is dim and says so."""
    name = max(16, min(32, width * 2 // 5))
    size, age = ("missing", "") if one.size is None else (size_words(one.size), age_words(now - one.changed))
    words = one.words or os.path.dirname(one.path)
    rest = max(0, width - name - 2 - 8 - 8 - 2)
    text = f"{pad(clip(one.name, name), name)}  {size:>7} {age:>8}  {clip(words, rest)}"
    return Content.styled(text, "$foreground 45%" if one.size is None else "")


class Picker(Dialog[str]):
    """Answers the path of a session to open."""

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

    def __init__(self, known: Sequence[Entry], *, complaint: str = "", now: float | None = None) -> None:
        super().__init__()
        self._complaint = complaint
        self._known, self._shown = known, list(known)
        self._now = time() if now is None else now

    def compose(self) -> ComposeResult:
        """A field that filters and takes a path, and the files."""
        with Vertical(classes="box"):
            yield Words("Open a session", classes="title")
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

    def on_resize(self, event: events.Resize) -> None:
        """Lay the columns out anew."""
        self.call_after_refresh(self._list)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Filter, or look into a folder."""
        typed = os.path.expanduser(event.value.strip())
        self._shown = folder_entries(typed) if _is_folder(typed) else matching(self._known, event.value)
        self.query_one(Complaint).say("")
        self._list()

    def _list(self) -> None:
        files = self.query_one(OptionList)
        width = max(20, files.scrollable_content_region.width - 1)
        options: list[Option] = []
        group = ""
        for number, one in enumerate(self._shown):
            if one.group != group:
                group = one.group
                options.append(Option(Content(group), disabled=True))
            options.append(Option(line_of(one, width, self._now), id=str(number)))
        if not options:
            options = [Option(Content("no file is called so; Enter opens what is typed as a path"), disabled=True)]
        kept = files.highlighted
        files.set_options(options)
        first = next((at for at, option in enumerate(options) if not option.disabled), None)
        if first is not None:
            files.highlighted = kept if kept and kept < len(options) and not options[kept].disabled else first

    def action_move(self, where: str) -> None:
        """Move the highlight while the field keeps the keys."""
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
        self._open(self._shown[int(event.option_id or 0)].path)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Open what is typed, where it is a path, else what is highlighted."""
        self._choose()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Open, or not."""
        self._choose() if event.button.id == "open" else self.dismiss(None)

    def _choose(self) -> None:
        typed = os.path.expanduser(self.query_one(Field).value.strip())
        files = self.query_one(OptionList)
        option = files.highlighted_option
        if typed and not _is_folder(typed) and (os.path.exists(typed) or option is None or option.id is None):
            self._open(typed)
        elif option is not None and option.id is not None:
            self._open(self._shown[int(option.id)].path)
        else:
            self.query_one(Complaint).say("choose a file, or type a path")

    def _open(self, path: str) -> None:
        if os.path.isfile(path):
            self.dismiss(path)
        else:
            wrong = "is not an ordinary file" if os.path.exists(path) else "is not there"
            self.query_one(Complaint).say(f"{clip(path, 200)} {wrong}")


def _is_folder(typed: str) -> bool:
    return bool(typed) and os.path.isdir(typed)
