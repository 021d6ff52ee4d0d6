"""Which rows answer a request: the steps that a replay takes through a session."""

from __future__ import annotations

from bisect import bisect_right

from inspector.message import ASSISTANT, Context


def answers_of(context: Context) -> tuple[int, ...]:
    """The first row of each native assistant message: each answers one request. Ask by `context.derived(answers_of)`.

    Rows with the same place in the recording are one message, as where a server's tool ran in the middle of an answer.
    """
    rows: list[int] = []
    before: tuple[str, str] | None = None
    role = context.columns.role
    row = role.find(ASSISTANT)
    while row >= 0:
        origin = context.origin(row)
        place = (origin.file, origin.pointer)
        if place != before:
            rows.append(row)
        before = place
        row = role.find(ASSISTANT, row + 1)
    return tuple(rows)


def answer_of(context: Context, request: int) -> int:
    """The row that answers a request, counted from 0. Raises `IndexError` with one sentence."""
    answers = context.derived(answers_of)
    if not 0 <= request < len(answers):
        has = "no request" if not answers else "1 request" if len(answers) == 1 else f"{len(answers):,} requests"
        raise IndexError(f"there is no request {request}; this session has {has}, counted from 0")
    return answers[request]


def request_of(context: Context, row: int) -> int:
    """The request whose answer holds a row, or that came last before it; -1 where none did."""
    return bisect_right(context.derived(answers_of), row) - 1
