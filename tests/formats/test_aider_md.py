"""Aider's chat history: runs, messages, fences, notices."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.formats import UnreadableSession, conversations_in, load_bytes
from inspector.message import Compaction, Origin, Usage
from tests.formats.damaged import read_or_refused
from tests.formats.indexed import assert_as_counted, rows_of
from tests.shared import needs_shared

RUN = """
# aider chat started at 2025-01-01 10:00:00

> /usr/bin/aider --model gpt-x··
> Main model: gpt-x with diff edit format··

#### fix the pier··
#### and the boat··

Here it is:

```python
# a comment
> not a notice
#### not a user
```

> Tokens: 5.5k sent, 2k cache hit, 97 received. Cost: $0.02 message, $0.13 session.··

#### /clear··
> All chat history cleared.··

#### thanks··

You are welcome.
""".replace("··", "  ")  # aider ends its own lines in two blanks
EMPTY = "# aider chat started at 2025-01-02 10:00:00\n\n> ^C KeyboardInterrupt  \n"


def test_a_run_is_a_conversation_and_notices_are_no_messages() -> None:
    session = load_bytes(RUN.encode(), ".aider.chat.history.md")
    assert (session.format, session.title, session.model) == ("aider_md", "2025-01-01 10:00:00", "gpt-x")
    assert [(body["role"], body["content"]) for body in session.messages] == [
        ("user", "fix the pier\nand the boat"),
        ("assistant", "Here it is:\n\n```python\n# a comment\n> not a notice\n#### not a user\n```"),
        ("user", "/clear"),
        ("user", "thanks"),
        ("assistant", "You are welcome."),
    ]
    assert session.usage == (Usage(1, 5500, 2000, 97),)
    assert session.compactions == (Compaction(3, "clear"),)
    lines = RUN.split("\n")
    assert session.origin(0) == Origin(6, "/6", 7, ("/6", "/7"))
    assert lines[7] == "#### and the boat  "
    assert (lines[session.origin(4).index], session.origin(4).line) == ("You are welcome.", 25)


def test_every_run_counts_even_where_nothing_was_said() -> None:
    opened = conversations_in((EMPTY + RUN + EMPTY).encode(), "h.md")
    assert [len(one.messages) for one in opened.conversations] == [0, 5, 0]


def test_a_fence_that_was_never_closed_ends_where_aider_writes_again() -> None:
    cut = RUN.replace("#### not a user\n```\n", "")
    session = load_bytes(cut.encode(), "h.md")
    assert [body["role"] for body in session.messages] == ["user", "assistant", "user", "user", "assistant"]


def test_line_ends_of_windows_and_a_byte_order_mark_change_nothing() -> None:
    session = load_bytes(b"\xef\xbb\xbf" + RUN.replace("\n", "\r\n").encode(), "h.md")
    assert [body["content"] for body in session.messages[2:]] == ["/clear", "thanks", "You are welcome."]


def test_bytes_that_are_no_utf8_are_named() -> None:
    session = load_bytes(RUN.encode().replace(b"welcome", b"wel\xffcome"), "h.md")
    assert session.messages[4]["content"] == "You are wel\ufffdcome."
    assert [(found.code, found.line) for found in session.damage] == [("invalid-utf8", 25)]


def test_other_markdown_is_refused() -> None:
    with pytest.raises(UnreadableSession):
        load_bytes(b"# Notes\n\n> quoted\n", "notes.md")


@needs_shared
def test_the_shared_file_is_as_counted() -> None:
    (row,) = rows_of("aider_md")
    assert_as_counted(row)


PIECES = st.sampled_from(["#### x  ", "> y  ", "```", "text", "", "# aider chat started at z", "> Tokens: 1..2k sent",
                          "####", ">", "\r", "~~~~ x"])  # fmt: skip


@settings(max_examples=80, deadline=None)
@given(st.lists(PIECES, max_size=30))
def test_any_lines_are_read_and_every_message_says_its_lines(pieces: list[str]) -> None:
    text = "\n".join(["# aider chat started at a", *pieces])
    read_or_refused(text.encode())
    lines = text.split("\n")
    for one in conversations_in(text.encode(), "h.md").conversations:
        for row, body in enumerate(one.messages):
            first, last = (int(part[1:]) for part in one.origin(row).parts)
            assert body["content"].split("\n")[0].strip() in lines[first]
            assert first <= last < len(lines)
