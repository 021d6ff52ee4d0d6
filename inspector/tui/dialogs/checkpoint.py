"""A checkpoint by hand: the prompt to give to a model, and its answer, judged as soon as it is there."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Button, Input, Static

from inspector.policies.checkpoint import LIMIT_BYTES, CheckpointError, parse, parse_frame
from inspector.policies.contract import OPEN_TAG
from inspector.text import clip, thousands, visible_line
from inspector.tui.dialogs.dialog import Area, Complaint, Dialog, Field, Words, button
from inspector.tui.dialogs.export import Offer, export

CLIPBOARD_BYTES = 100_000
"""Terminals limit OSC 52, often without a word; 100,000 characters of base64 or less pass nearly everywhere."""
READ_BYTES = 4 * LIMIT_BYTES
"""Of a file: what is longer is no checkpoint, and is said to be too long without being shown."""
REASON_CHARS = 200


def size_of(answer: str) -> int:
    """The bytes of an answer, white space around it aside, as the limit counts them."""
    return len(answer.strip().encode("utf-8", "surrogatepass"))


def refusal(answer: str) -> str:
    """Why an answer is not accepted, in the contract's own words, shortened; empty where it is."""
    try:
        parse_frame(answer) if answer.lstrip().startswith(OPEN_TAG) else parse(answer)
    except CheckpointError as error:
        return clip(str(error), REASON_CHARS)
    return ""


def verdict(answer: str) -> tuple[str, bool]:
    """What to say of an answer, and whether it is accepted."""
    size = f"{thousands(size_of(answer))} of {thousands(LIMIT_BYTES)} bytes"
    if not answer.strip():
        return f"{size}: no answer yet, the draft stands", False
    reason = refusal(answer)
    return (f"! {size}, not accepted: {reason}", False) if reason else (f"✓ {size}, accepted", True)


class Answer(Area):
    """Where an answer is pasted or typed; one given whole is kept to the letter, whatever the widget makes of it."""

    def __init__(self, text: str = "") -> None:
        super().__init__("", show_line_numbers=False, soft_wrap=True, id="answer")
        self._given = ("", "")
        self.give(text)

    @property
    def answer(self) -> str:
        """The answer, to the letter."""
        drawn, given = self._given
        return given if self.text == drawn else self.text

    def give(self, text: str) -> None:
        """Put an answer in place of what is there."""
        self.load_text(text)
        self._given = (self.text, text)

    async def _on_paste(self, event: events.Paste) -> None:
        event.text = line_feeds(event.text)
        if self.text.strip():
            await super()._on_paste(event)
            return
        event.stop()
        event.prevent_default()
        self.give(event.text)


def line_feeds(pasted: str) -> str:
    """What was pasted with the line ends that it had: many terminals send a carriage return for each."""
    return pasted.replace("\r\n", "\n").replace("\r", "\n")


class CheckpointDialog(Dialog[str]):
    """Answers the text of an accepted checkpoint; an empty one to return to the draft."""

    AUTO_FOCUS = "#answer"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f2", "copy_prompt", "Copy the prompt"),
        Binding("f3", "write_prompt", "Write the prompt"),
        Binding("f4", "read_answer", "Read the answer"),
        Binding("f5", "accept", "Accept"),
    ]
    DEFAULT_CSS = """
    CheckpointDialog > .box { width: 100; height: 90%; }
    CheckpointDialog .row Button { width: 20; margin: 0 1 0 0; }
    CheckpointDialog .row Input { width: 1fr; }
    CheckpointDialog .row Words { width: 1fr; height: 1; }
    CheckpointDialog .steps { height: 1; color: $foreground 70%; margin-top: 1; }
    CheckpointDialog Answer { height: 1fr; min-height: 3; border: none; padding: 0 1; background: $panel; }
    CheckpointDialog Answer:focus { border: none; background: $boost; }
    CheckpointDialog .title { margin-bottom: 0; }
    CheckpointDialog #verdict { height: auto; max-height: 4; }
    CheckpointDialog .buttons { margin-top: 0; }
    """

    def __init__(self, prompt: Callable[[], str], answer: str = "", *, inputs: Sequence[str] = ()) -> None:
        super().__init__()
        self._make_prompt, self._answer, self._inputs = prompt, answer, inputs
        self._prompt: str | None = None

    def compose(self) -> ComposeResult:
        """The prompt, the answer, the verdict."""
        with Vertical(classes="box"):
            yield Words("A checkpoint written by a model", classes="title")
            yield Words("1  Give a model this prompt", classes="steps")
            with Horizontal(classes="row"):
                yield button("Copy it      f2", "copy_prompt")
                yield Words("the prompt is being made", id="prompt")
            with Horizontal(classes="row"):
                yield button("Write to file f3", "write_prompt")
                yield Field("checkpoint-prompt.txt", id="prompt_file")
            yield Words("2  Paste its answer here, or read it from a file", classes="steps")
            yield Answer(self._answer)
            with Horizontal(classes="row"):
                yield button("Read file    f4", "read_answer")
                yield Field(placeholder="path of a file that holds the answer", id="answer_file")
            yield Static(id="verdict")
            yield Complaint()
            with Horizontal(classes="buttons"):
                yield button("Accept f5", "accept", first=True)
                yield button("Back to the draft", "clear")
                yield button("Cancel", "cancel")

    def on_mount(self) -> None:
        """Judge what is there, and make the prompt meanwhile."""
        self._judge()
        self._prepare()

    @work(exclusive=True, group="prompt")
    async def _prepare(self) -> None:
        self._prompt = await asyncio.to_thread(self._make_prompt)
        size = len(self._prompt.encode("utf-8", "replace"))
        limit = "" if size <= CLIPBOARD_BYTES else ": too long for a terminal's clipboard, write it to a file"
        self.query_one("#prompt", Words).say(f"{thousands(size)} bytes{limit}")

    @on(Answer.Changed)
    def _judge(self) -> None:
        words, accepted = verdict(self.query_one(Answer).answer)
        style = "$text-success" if accepted else "$text-error" if words.startswith("!") else "$foreground 70%"
        self.query_one("#verdict", Static).update(Content.assemble((visible_line(words), style)))
        self.query_one("#accept", Button).disabled = not accepted

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Do what the button says."""
        actions: dict[str | None, Callable[[], object]] = {
            "copy_prompt": self.action_copy_prompt,
            "write_prompt": self.action_write_prompt,
            "read_answer": self.action_read_answer,
            "accept": self.action_accept,
            "clear": lambda: self.dismiss(""),
            "cancel": self.action_cancel,
        }
        actions[event.button.id]()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter in a path does what stands beside it."""
        self.action_write_prompt() if event.input.id == "prompt_file" else self.action_read_answer()

    def action_copy_prompt(self) -> None:
        """Send the prompt to the terminal's clipboard, where it is short enough."""
        if self._prompt is None:
            return
        size = len(self._prompt.encode("utf-8", "replace"))
        if size > CLIPBOARD_BYTES:
            sizes = f"{thousands(size)} of {thousands(CLIPBOARD_BYTES)} bytes"
            self._say(f"the prompt is too long for a terminal's clipboard ({sizes}): write it to a file")
            return
        self.app.copy_to_clipboard(self._prompt.encode("utf-8", "replace").decode())
        self.query_one("#prompt", Words).say(f"{thousands(size)} bytes, sent to the terminal's clipboard")

    def action_write_prompt(self) -> None:
        """Write the prompt to a new file."""
        if self._prompt is None:
            return
        data = self._prompt.encode("utf-8", "replace")
        path = self.query_one("#prompt_file", Field).value
        try:
            written = export(Offer("prompt", path, lambda: data), path, inputs=self._inputs)
        except ValueError as error:
            self._say(str(error).replace("tick replace to write over it", "name another"))
        else:
            self._say("")
            self.query_one("#prompt", Words).say(f"{thousands(len(data))} bytes, written to {written}")

    def action_read_answer(self) -> None:
        """Read the answer from a file; where none is named, go to where it is."""
        field = self.query_one("#answer_file", Field)
        path = os.path.expanduser(field.value.strip())
        if not path:
            field.focus()
        try:
            self.query_one(Answer).give(read_answer(path))
        except ValueError as error:
            self._say(str(error))
        else:
            self._say("")
            self._judge()

    def action_accept(self) -> None:
        """Close with the answer, if it is accepted."""
        answer = self.query_one(Answer).answer
        if verdict(answer)[1]:
            self.dismiss(answer)

    def _say(self, complaint: str) -> None:
        self.query_one(Complaint).say(complaint)


def read_answer(path: str) -> str:
    """What a file holds, bytes that are not UTF-8 kept as surrogates. Raises ValueError with one sentence."""
    if not path:
        raise ValueError("name a file to read")
    try:
        if not os.path.isfile(path):
            raise ValueError(f"{path} is {'not an ordinary file' if os.path.exists(path) else 'not there'}")
        with open(path, "rb") as file:
            data = file.read(READ_BYTES + 1)
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror or error}") from None
    if len(data) > READ_BYTES:
        raise ValueError(
            f"{path} is longer than {thousands(READ_BYTES)} bytes; a checkpoint has {thousands(LIMIT_BYTES)}"
        )
    return data.decode("utf-8", "surrogateescape")
