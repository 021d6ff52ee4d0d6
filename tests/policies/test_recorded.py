"""What the tool itself sent after a compaction, as a plan."""

from hypothesis import given
from hypothesis import strategies as st

from inspector.change import Action
from inspector.formats import load_bytes
from inspector.message import Body, Compaction, Session, listed
from inspector.policies import POLICIES, SentView, recorded
from inspector.tokens import counter_for
from tests.formats.made import jsonl


def session(rows: int, *compactions: Compaction) -> Session:
    messages: list[Body] = [{"role": "user", "content": f"row {row}"} for row in range(rows)]
    return Session(messages=messages, origin=listed(""), source=range(rows), compactions=compactions)


def sent(made: Session, which: int = -1) -> list[str]:
    view = SentView(recorded.plan(made, which), recorded.NAME, {}, counter_for(None))
    return [body["content"] for body in view.messages]


def test_kept_rows_then_the_replacement_then_what_followed() -> None:
    summary: Body = {"role": "user", "content": "summary"}
    made = session(6, Compaction(4, "auto", kept=(0, 2), replacement=(summary, {**summary, "content": "ready"})))
    assert sent(made) == ["row 0", "row 2", "summary", "ready", "row 4", "row 5"]
    plan = recorded.plan(made)
    assert [insert.merges for insert in plan.inserts] == [(1, 4), (1, 4)]
    assert [plan.action[row] for row in range(6)] == [Action.KEEP, Action.MERGE, Action.KEEP, Action.MERGE, 0, 0]
    assert plan.reasons[plan.reason[1]] == "left out by the recorded compaction (auto)"


def test_without_a_replacement_the_rows_before_are_left_out() -> None:
    assert sent(session(4, Compaction(2, "manual"))) == ["row 2", "row 3"]
    assert recorded.plan(session(4, Compaction(2, "manual"))).action[0] == Action.DROP


def test_an_earlier_compaction_is_shown_up_to_the_next_one() -> None:
    made = session(8, Compaction(6, "auto", kept=(5,)), Compaction(3, "auto"))
    assert sent(made, 0) == ["row 3", "row 4", "row 5"]
    assert sent(made) == ["row 5", "row 6", "row 7"]


def test_the_compaction_of_a_row_is_the_last_before_it_and_before_all_the_last_of_all() -> None:
    made = session(8, Compaction(3, "auto"), Compaction(6, "auto"))
    assert [recorded.compaction_at(made, row) for row in (0, 2, 3, 5, 6, 7)] == [1, 1, 0, 0, 1, 1]


def test_a_session_without_compactions_is_sent_as_it_is() -> None:
    assert not recorded.plan(session(3)).fired


def test_a_compaction_is_told_with_its_tokens() -> None:
    first, last = Compaction(3, "auto", 155_000, 12_000), Compaction(6, "", 9_000)
    made = session(8, first, last)
    assert recorded.says(made, 0) == "compaction 1 of 2 (auto) before row 3: recorded as 155,000 tokens to 12,000"
    assert recorded.says(made) == "compaction 2 of 2 before row 6: recorded at 9,000 tokens"
    assert recorded.plan(made).notes == (recorded.says(made),)


def test_it_is_no_policy() -> None:
    assert recorded.NAME not in POLICIES


def test_codex_sends_its_replacement_history() -> None:
    def item(role: str, said: str) -> Body:
        return {"type": "message", "role": role, "content": [{"type": "input_text", "text": said}]}

    raw = jsonl(
        {"type": "session_meta", "payload": {"id": "s", "cwd": "/"}},
        {"type": "response_item", "payload": item("user", "old")},
        {"type": "compacted", "payload": {"message": "", "replacement_history": [item("user", "short")]}},
        {"type": "response_item", "payload": item("user", "new")},
    )
    assert sent(load_bytes(raw, "made")) == ["short", "new"]


@given(
    st.integers(0, 9),
    st.lists(st.tuples(st.integers(0, 9), st.sets(st.integers(0, 9)), st.none() | st.integers(0, 3)), max_size=4),
)
def test_any_compaction_gives_a_view_whose_stats_add_up(
    rows: int, made: list[tuple[int, set[int], int | None]]
) -> None:
    summary: Body = {"role": "user", "content": "s"}
    found = [Compaction(row, "x", kept=tuple(kept), replacement=None if put is None else (summary,) * put)
             for row, kept, put in made]  # fmt: skip
    one = session(rows, *found)
    for which in range(len(recorded.compactions_of(one))):
        plan = recorded.plan(one, which)
        stats = plan.stats()
        assert len(sent(one, which)) == rows - stats["rows_left_out"] + stats["messages_put_in"]
        assert all((plan.chars[row] == 0) == (plan.body(row) is None) for row in range(rows))
