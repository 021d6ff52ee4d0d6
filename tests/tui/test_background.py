"""What is done beside the screen: it comes in small steps, and to the same figures as in one go."""

from __future__ import annotations

from array import array
from pathlib import Path

import pytest

from inspector import formats
from inspector.policies import compact, policy_named
from inspector.tokens import count_bodies, counter_for
from inspector.tui import background
from inspector.tui.background import CHUNK, Source, count_sent, count_session, estimate, opened
from tests.tui.builders import session, turns
from tests.tui.running import SAMPLES, written

POLICY = policy_named("head-tail")


def test_a_session_is_counted_in_steps_to_the_same_counts() -> None:
    made, counter = session(turns(CHUNK)), counter_for(None)
    steps = list(count_session(made, counter))
    assert len(steps) == 3
    assert [tokens for step in steps for tokens in step] == list(count_bodies(made.messages, counter))


def test_an_empty_session_is_counted_too() -> None:
    assert [list(step) for step in count_session(session([]), counter_for(None))] == [[]]


@pytest.mark.parametrize("policy", ["head-tail", "cascade", "checkpoint"])
def test_the_sent_view_is_counted_as_if_all_of_it_were(policy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "CHUNK", 3)
    made, counter = formats.load(SAMPLES / "interrupted_run.json"), counter_for(None)
    settings = {"target_tokens": 1_000, "ceiling_tokens": 2_000} if policy == "cascade" else {}
    view = compact(made, policy, **settings)
    before = array("q", count_bodies(made.messages, counter))
    *steps, after = count_sent(view, before, counter)
    assert set(steps) <= {None}
    assert after is not None
    inserted = sum(count_bodies([insert.body for insert in view.plan.inserts], counter))
    assert sum(after) + inserted == sum(count_bodies(view.messages, counter))
    sent = [view.plan.body(row) for row in range(len(made))]
    assert list(after) == [0 if body is None else count_bodies([body], counter)[0] for body in sent]


def test_an_estimate_has_a_number_for_each_message() -> None:
    made = session(turns(3))
    assert len(estimate(made)) == len(made)
    assert min(estimate(made)) > 0


def test_a_source_reads_a_path_or_the_bytes_given(tmp_path: Path) -> None:
    path = written(tmp_path / "a.json", turns(2))
    from_path, _ = opened(Source(str(path)), POLICY)
    from_bytes, _ = opened(Source("-", path.read_bytes()), POLICY)
    assert list(from_path.messages) == list(from_bytes.messages) == turns(2)


def test_whatever_is_wrong_with_a_file_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(bytes(range(256)))
    (tmp_path / "deep").write_text("[" * 200_000)
    (tmp_path / "empty").write_text("")
    for name in ("binary", "deep", "empty", "missing", ""):
        with pytest.raises(formats.UnreadableSession) as caught:
            opened(Source(str(tmp_path / name)), POLICY)
        says = str(caught.value)
        assert says.strip()
        assert "\n" not in says
        assert "Traceback" not in says


def test_a_fault_of_a_reader_is_one_sentence_about_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise KeyError("oh")

    monkeypatch.setattr(formats, "conversations", fail)
    with pytest.raises(formats.UnreadableSession, match=r"a\.json cannot be read: a fault of inspector's own"):
        opened(Source("a.json"), POLICY)


def test_standard_input_is_called_by_its_name_in_a_sentence() -> None:
    with pytest.raises(formats.UnreadableSession, match=r"^standard input: it holds a bare JSON number"):
        opened(Source("-", b"42"), POLICY)
