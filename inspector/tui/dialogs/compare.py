"""Policies side by side in a table: what each sends, breaks and costs. Any row can be put to work, or held as B.

What is in the table is worked out one after the other in a thread, first every view, then every run; keys go on
meanwhile, and closing ends it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import ClassVar, NamedTuple

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Button, DataTable, Static
from textual.worker import get_current_worker

from inspector.comparison import Candidate, labels
from inspector.comparison.listing import COLUMNS, Column, Line, csv_text, document, ordered
from inspector.comparison.outcome import Ground, outcome_of, with_run
from inspector.fault import sentence
from inspector.policies import Policy
from inspector.replay import Cancelled, cancellable
from inspector.text import thousands, visible_line, well_formed
from inspector.tui.compared import Table, explained
from inspector.tui.dialogs.choose_policies import ChoosePolicies
from inspector.tui.dialogs.dialog import Dialog, Words, button
from inspector.tui.dialogs.export import Export, Offer, proposed_path
from inspector.tui.figures import thin_bar
from inspector.writing import as_json

WAITING = "…"
KEYS = "enter: put to work   b: hold as B   a: add   x: take out   s, S: order   e: export"
OF_THE_RUN = frozenset(("cost", "cache-hit"))
"""Columns that wait for the run."""
HARM = frozenset(("findings", "promises"))
"""Columns that stand out where they are not 0."""


class Chosen(NamedTuple):
    """What is to be done with a row."""

    candidate: Candidate
    beside: bool
    """Whether it is to be held as B, rather than put to work."""


class Compare(Dialog[Chosen]):
    """Answers the row to put to work, or to hold as B."""

    AUTO_FOCUS = "DataTable"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q", "cancel", "Close", show=False),
        Binding("j", "move(1)", "Down", show=False),
        Binding("k", "move(-1)", "Up", show=False),
        Binding("a", "add", "Add or take out policies"),
        Binding("x,delete", "remove", "Take the row out"),
        Binding("s", "sort(1)", "Order by the next column"),
        Binding("S", "turn", "The worst first"),
        Binding("b,B", "beside", "Hold the row as B"),
        Binding("e", "export", "Export"),
        Binding("down", "move(1)", "Down", show=False),
        Binding("up", "move(-1)", "Up", show=False),
    ]
    DEFAULT_CSS = """
    Compare > .box { width: 100%; height: 96%; overflow-y: hidden; }
    Compare .title { margin-bottom: 0; }
    Compare DataTable { height: 2fr; min-height: 5; margin-top: 1; background: $surface; scrollbar-size: 1 1; }
    Compare DataTable > .datatable--header, Compare DataTable > .datatable--header-hover {
        background: $surface; color: $foreground 60%; text-style: none;
    }
    Compare DataTable > .datatable--fixed { background: $surface; color: $foreground; }
    Compare DataTable > .datatable--cursor { background: $panel; color: $foreground; text-style: none; }
    Compare DataTable:focus > .datatable--cursor { background: $primary-muted; text-style: bold; }
    Compare .explained { height: 1fr; min-height: 4; background: $panel; padding: 0 1; scrollbar-size-vertical: 1; }
    Compare .buttons { margin-top: 0; }
    Compare Button { min-width: 8; }
    """

    def __init__(
        self, title: str, table: Table, prepare: Callable[[], Ground], policies: Sequence[Policy],
        candidate: Callable[[str], Candidate], marks: Callable[[Candidate], str],
    ) -> None:  # fmt: skip
        """A dialog over what is compared.

        Args:
            title: what is compared.
            table: the state, kept by whoever opens the dialog.
            prepare: makes the ground in a thread.
            policies: those that may be added.
            candidate: one of them with the settings that it has now.
            marks: "A" for the row at work, "B" for the one held, else nothing.
        """
        super().__init__()
        self._title, self._table, self._prepare = title, table, prepare
        self._policies, self._candidate, self._marks = policies, candidate, marks
        self._rows: list[Candidate] = []
        """In the order shown."""
        self._working = False

    def compose(self) -> ComposeResult:
        """The table, the row at the cursor explained, and buttons."""
        with Vertical(classes="box"):
            yield Words(self._title, classes="title")
            yield Words(id="state")
            yield DataTable[Text](cursor_type="row", zebra_stripes=False, fixed_columns=1)
            with VerticalScroll(classes="explained", can_focus=False):
                yield Static(id="explained", markup=False)
            with Horizontal(classes="buttons"):
                yield button("Put to work", "work", first=True)
                yield button("Hold as B", "beside")
                yield button("Add", "add")
                yield button("Export", "export")
                yield button("Close", "close")

    def on_mount(self) -> None:
        """Show what is known, and find out the rest."""
        self._fill()
        self._begin()

    # what is shown ---------------------------------------------------------------------------------------------------

    @property
    def _grid(self) -> DataTable[Text]:
        return self.query_one(DataTable)

    @property
    def _at_cursor(self) -> Candidate | None:
        place = self._grid.cursor_row
        return self._rows[place] if 0 <= place < len(self._rows) else None

    @property
    def _sorted_by(self) -> Column | None:
        return next((column for column in COLUMNS if column.name == self._table.sort), None)

    def _lines(self) -> list[Line]:
        """What is known, in the order asked for."""
        table, names = self._table, self._names
        lines = [Line(names[one], table.outcomes[one]) for one in table.entries if one in table.outcomes]
        column = self._sorted_by
        return lines if column is None else ordered(lines, column, table.worst_first)

    @property
    def _names(self) -> dict[Candidate, str]:
        return dict(zip(self._table.entries, labels(self._table.entries), strict=True))

    def _fill(self) -> None:
        """Draw the table anew, with the cursor on the same row."""
        grid, at, names = self._grid, self._at_cursor, self._names
        lines = {line.outcome.candidate: line for line in self._lines()}
        rest = [one for one in self._table.entries if one not in lines]
        self._rows = [*lines, *rest] if self._table.sort else list(self._table.entries)
        rows = [list(self._cells(one, names[one], lines.get(one))) for one in self._rows]
        grid.clear(columns=True)
        for column, *cells in zip(COLUMNS, map(self._head, COLUMNS), *rows, strict=True):
            grid.add_column(cells[0], key=column.name, width=max(cell.cell_len for cell in cells))
        for row in rows:
            grid.add_row(*row)
        if at in self._rows:
            grid.move_cursor(row=self._rows.index(at), animate=False)
        self._explain()
        self._tell()

    def _head(self, column: Column) -> Text:
        """A title, with an arrow where the table is ordered by it."""
        arrow = ("▴" if self._table.worst_first else "▾") if column.name == self._table.sort else ""
        return Text(f"{column.title}{arrow}", justify="right" if column.right else "left")

    def _cells(self, candidate: Candidate, name: str, line: Line | None) -> Iterator[Text]:
        failed = self._table.failed
        yield Text(visible_line(f"{self._marks(candidate) or ' '} {name}"), no_wrap=True)
        for column in COLUMNS[1:]:
            known = line is not None and (column.name not in OF_THE_RUN or line.outcome.run is not None)
            words = column.words(line) if line is not None and known else "" if candidate in failed else WAITING
            bad = line is not None and column.name in HARM and bool(column.value(line))
            yield Text(words, style="bold" if bad else "", justify="right" if column.right else "left", no_wrap=True)

    def _tell(self) -> None:
        """How far it is, or what can be done."""
        table, state = self._table, self.query_one("#state", Words)
        done, of = sum(map(table.done, table.entries)), 2 * len(table.entries)
        if done < of:
            state.say(f"{thin_bar(done / of, 20)} {thousands(done)} of {thousands(of)}: views first, then whole runs")
        else:
            state.say(KEYS if table.entries else "nothing is compared; a adds policies, esc closes")

    def _explain(self) -> None:
        """Say of the row at the cursor what does not fit into it."""
        one = self._at_cursor
        lines = [] if one is None else explained(one, self._table)
        self.query_one("#explained", Static).update(Content("\n").join([Content(visible_line(line)) for line in lines]))

    # finding out -----------------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        if self._working or not self._table.pending:
            return
        self._working = True
        self.run_worker(self._work, thread=True, exclusive=True, group="compare", description="compares policies")

    def _work(self) -> None:
        """Take what is left to find out, one after the other, until nothing is, or the dialog is closed."""
        worker, table = get_current_worker(), self._table
        try:
            ground = self._ground()
            while ground is not None and not worker.is_cancelled and (pending := table.pending):
                self._find_out(ground, pending[0], lambda: worker.is_cancelled)
                self.call_later(self._fill)
        except Cancelled:
            return
        finally:
            self.call_later(self._rest)

    def _ground(self) -> Ground | None:
        """What all are compared on; None where that cannot be made, which is then said of each."""
        table = self._table
        try:
            table.ground = table.ground or self._prepare()
        except Exception as fault:
            table.failed = dict.fromkeys(table.entries, sentence(fault))
        return table.ground

    def _find_out(self, ground: Ground, one: Candidate, cancelled: Callable[[], bool]) -> None:
        table = self._table
        checked = Candidate(cancellable(one.policy, cancelled), one.given)
        try:
            if one not in table.outcomes:
                found = outcome_of(ground, checked)
            else:
                found = with_run(ground, replace(table.outcomes[one], candidate=checked))
            table.outcomes[one] = replace(found, candidate=one)
        except Cancelled:
            raise
        except Exception as fault:  # one policy that fails must cost neither the others nor the screen
            table.failed[one] = sentence(fault)

    def _rest(self) -> None:
        self._working = False
        self._fill()
        self._begin()

    # what keys do ----------------------------------------------------------------------------------------------------

    def action_move(self, by: int) -> None:
        """Go to the next row, or with -1 to the one before."""
        (self._grid.action_cursor_down if by > 0 else self._grid.action_cursor_up)()

    def on_data_table_row_highlighted(self) -> None:
        """Explain the row at the cursor."""
        self._explain()

    def on_data_table_row_selected(self, event: DataTable.RowSelected) -> None:
        """Put it to work."""
        event.stop()
        self._choose(beside=False)

    def on_data_table_header_selected(self, event: DataTable.HeaderSelected) -> None:
        """Order by the column that was clicked; a second click turns the order."""
        event.stop()
        name = str(event.column_key.value)
        self._order(name, not self._table.worst_first if name == self._table.sort else False)

    def action_sort(self, by: int) -> None:
        """Order by the next column; after the last as they were added."""
        names = ["", *(column.name for column in COLUMNS)]
        self._order(names[(names.index(self._table.sort) + by) % len(names)], False)

    def action_turn(self) -> None:
        """Turn the order."""
        if not self._table.sort:
            self._say("they stand as they were added; s orders them by a column")
            return
        self._order(self._table.sort, not self._table.worst_first)

    def _order(self, name: str, worst_first: bool) -> None:
        self._table.sort, self._table.worst_first = name, worst_first
        self._fill()

    def action_add(self) -> None:
        """Ask which policies take part."""
        there = {one.policy.name for one in self._table.entries}
        self.app.push_screen(ChoosePolicies(self._policies, there), self._take_part)

    def _take_part(self, names: frozenset[str] | None) -> None:
        if names is None:
            return
        table = self._table
        there = {one.policy.name for one in table.entries}
        added = [self._candidate(policy.name) for policy in self._policies if policy.name in names - there]
        table.entries = [one for one in table.entries if one.policy.name in names] + added
        self._fill()
        self._begin()

    def action_remove(self) -> None:
        """Take the row at the cursor out."""
        one = self._at_cursor
        if one is not None:
            self._table.entries = [other for other in self._table.entries if other is not one]
            self._fill()

    def action_beside(self) -> None:
        """Hold the row at the cursor as B."""
        self._choose(beside=True)

    def _choose(self, *, beside: bool) -> None:
        if self._at_cursor is not None:
            self.dismiss(Chosen(self._at_cursor, beside))

    def action_export(self) -> None:
        """Ask where to write what is known."""
        ground, lines = self._table.ground, self._lines()
        if ground is None or not lines:
            return
        file = ground.session.file
        csv = well_formed(csv_text(lines))
        offers = [
            Offer("the table as CSV", proposed_path(file, "compared.csv"), csv.encode),
            Offer("the table as JSON", proposed_path(file, "compared.json"), lambda: as_json(document(lines, ground))),
        ]
        self.app.push_screen(Export(offers, inputs=[file]), self._say_written)

    def _say_written(self, path: str | None) -> None:
        if path:
            self._say(f"written to {path}")

    def _say(self, sentence: str) -> None:
        self.query_one("#state", Words).say(sentence)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Do what the button says."""
        event.stop()
        match event.button.id:
            case "work":
                self._choose(beside=False)
            case "beside":
                self._choose(beside=True)
            case "add":
                self.action_add()
            case "export":
                self.action_export()
            case _:
                self.dismiss(None)
