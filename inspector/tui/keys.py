"""The keys of the workbench, said once: bindings, help and palette are all made from this table."""

from __future__ import annotations

from typing import NamedTuple

from textual.binding import Binding


class Key(NamedTuple):
    """One key of the workbench."""

    keys: str
    """Textual's names, comma separated."""
    action: str
    words: str
    """What it does, in the infinitive."""
    pane: str
    """The heading under which help lists it."""
    shown: str = ""
    """Its word in the footer; empty where the footer does not show it."""
    display: str = ""
    """The key as people write it, where that differs."""

    @property
    def binding(self) -> Binding:
        """As textual has it."""
        words = self.shown or self.words
        return Binding(self.keys, self.action, words, show=bool(self.shown), key_display=self.display or None)


KEYS = (
    Key(
        "right_square_bracket",
        "go('edited', 1)",
        "next edited message; beside a B, difference",
        "Moving",
        "edit",
        "]",
    ),
    Key("left_square_bracket", "go('edited', -1)", "previous edited message, or difference", "Moving", "", "["),
    Key("right_curly_bracket", "go('broken', 1)", "go to the next finding or breakage", "Moving", "", "}"),
    Key("left_curly_bracket", "go('broken', -1)", "go to the previous finding or breakage", "Moving", "", "{"),
    Key("c", "go('compaction', 1)", "go to the next recorded compaction", "Moving"),
    Key("C", "go('compaction', -1)", "go to the previous recorded compaction", "Moving", "", "C"),
    Key("colon,ctrl+g", "errand('go_to')", "go to a message by number", "Moving", "", ":"),
    Key("slash,ctrl+f", "errand('search')", "search all messages", "Finding", "search", "/"),
    Key("n", "go('match', 1)", "go to the next match", "Finding"),
    Key("N", "go('match', -1)", "go to the previous match", "Finding", "", "N"),
    Key("f", "errand('choose_filter')", "show only some roles, tools or actions", "Finding"),
    Key("plus,equals_sign", "tune('step', 1)", "step the selected setting up, with - down", "Settings", "set", "+/-"),
    Key("minus", "tune('step', -1)", "step the selected setting down", "Settings", "", "-"),
    Key("greater_than_sign", "tune('select', 1)", "select the next setting", "Settings", "", ">"),
    Key("less_than_sign", "tune('select', -1)", "select the previous setting", "Settings", "", "<"),
    Key("0", "tune('reset')", "set the selected setting to its default", "Settings"),
    Key("w", "tune('fold')", "show or hide the settings", "Settings"),
    Key("v", "tune('type_value')", "type a value for the selected setting", "Settings"),
    Key("u", "tune('undo')", "take the last change back", "Settings"),
    Key("ctrl+r", "tune('redo')", "make the undone change again", "Settings", "", "ctrl+r"),
    Key("p", "tune('choose_policy')", "choose another policy", "Settings", "policy"),
    Key("P", "tune('turn_policy', 1)", "try the next policy", "Settings", "", "P"),
    Key("B", "compare('turn')", "hold the settings at work as B beside them, or let B go", "Comparing", "", "B"),
    Key("vertical_line", "compare('swap')", "swap A, the settings at work, and B", "Comparing", "", "|"),
    Key("A", "compare('table')", "compare policies in a table: tokens, cost, findings, promises", "Comparing", "", "A"),
    Key("a", "record('toggle')", "what the tool itself sent after its compaction, or the policy's view", "Reading"),
    Key("t", "replay('toggle')", "open or close the timeline of requests", "Run"),
    Key("M", "replay('turn_mode')", "replay the policy stateless or carried", "Run", "", "M"),
    Key("d", "doctor('findings')", "list what is wrong, and explain it", "Doctor"),
    Key("x", "doctor('choose_target')", "choose the provider to judge for", "Doctor"),
    Key("X", "doctor('repaired')", "the session repaired, or the policy's view", "Doctor", "", "X"),
    Key("E", "doctor('ask_error')", "paste a provider's error, and go to its cause", "Doctor", "", "E"),
    Key("r", "raw", "read the message as JSON", "Reading"),
    Key("b", "errand('breakdown')", "tokens by role and by tool", "Reading"),
    Key("y", "errand('copy_original')", "copy the original message", "Reading"),
    Key("Y", "errand('copy_sent')", "copy the message as sent", "Reading", "", "Y"),
    Key("T", "tune('next_counter')", "count with another tokenizer", "Session", "", "T"),
    Key("o", "errand('open_session')", "open another session", "Session"),
    Key("R", "errand('reload')", "read the file again, and stay in place", "Session", "", "R"),
    Key("m", "record('choose')", "choose a conversation of the file, or a branch", "Session"),
    Key("L", "record('step', 1)", "next conversation of the file", "Session", "", "L"),
    Key("H", "record('step', -1)", "previous conversation of the file", "Session", "", "H"),
    Key("e", "errand('export')", "export the sent view, the screen or the settings", "Session"),
    Key("escape", "errand('close_layer')", "close what is open, or clear the search", "Everywhere", "", "esc"),
    Key("tab", "app.focus_next", "go to the next pane", "Everywhere", "", "tab"),
    Key("ctrl+p", "app.command_palette", "find any command by its name", "Everywhere", "", "ctrl+p"),
    Key("question_mark,f1", "errand('show_help')", "show all keys", "Everywhere", "help", "?"),
    Key("q", "app.quit", "quit", "Everywhere", "quit"),
)


def bindings() -> list[Binding]:
    """The table as textual's bindings."""
    return [key.binding for key in KEYS]
