"""Going about: edited messages, breakages, compactions, matches, and what a filter hides."""

from __future__ import annotations

from pathlib import Path

from tests.tui.builders import turns
from tests.tui.running import NARROW, SAMPLES, running, written

RUN = SAMPLES / "interrupted_run.json"


async def test_keys_go_to_edited_messages_breakages_and_compactions_round_the_end() -> None:
    async with running(SAMPLES / "claude_code_compacted.jsonl", policy="cascade", target_tokens=8_000) as run:
        shown = run.bench.shown
        edited = list(shown.edited_rows)
        await run.press("g", "right_square_bracket")
        assert run.ledger.cursor == next(row for row in edited if row > 0)
        await run.press("G", "right_square_bracket")
        assert run.ledger.cursor == edited[0]
        assert run.says == f"1 of {len(edited)} edited messages"
        await run.press("left_square_bracket")
        assert run.ledger.cursor == edited[-1]
        compaction = run.bench.session.compactions[0].row
        await run.press("c")
        assert run.ledger.cursor == compaction
        await run.press("g", "C")
        assert run.ledger.cursor == run.bench.session.compactions[-1].row
        broken = sorted(shown.breakages.rows)
        await run.press("g", "right_curly_bracket")
        if broken:
            assert run.ledger.cursor == next((row for row in broken if row > 0), broken[0])
        else:
            assert run.says == "the policy breaks nothing, and of the recording there are only notes: d lists them"


async def test_what_is_wrong_with_the_file_alone_is_not_called_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    lines = ['{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00Z","cwd":"/"}']
    message = '"message":{"role":"user","content":"hi"}'
    lines += [
        '{"type":"message","id":"m","parentId":null,"timestamp":"2026-01-01T00:00:00Z",' + message + "}",
        "no JSON",
    ]
    path.write_text("\n".join(lines))
    async with running(path) as run:
        assert "△ 1 warning" in run.screen
        await run.press("right_curly_bracket")
        assert run.says == "the policy breaks nothing, and what is wrong is the file's: d lists it"


async def test_a_number_goes_to_a_message_and_one_that_is_none_is_said(tmp_path: Path) -> None:
    async with running(RUN, NARROW) as run:
        await run.press("colon")
        await run.type("1000")
        assert "there is no message 1,000" in run.screen
        await run.press("backspace", "backspace", "enter")
        assert run.ledger.cursor == 10
        await run.press("right_curly_bracket")
        assert run.says == "1 of 2 messages with a finding"
        assert run.ledger.cursor == 12
        await run.press("c")
        assert run.says == "no compaction was recorded in this session"
        await run.press("n")
        assert run.says == "nothing is searched for: / starts a search"


async def test_a_search_counts_marks_and_goes_round(tmp_path: Path) -> None:
    messages = turns(20)
    messages[5]["content"] = "the needle, once"
    messages[9]["content"] = "NEEDLE twice: needle"
    async with running(written(tmp_path / "a.json", messages)) as run:
        await run.press("slash")
        await run.type("needle")
        await run.press("enter")
        await run.until(lambda: "hold" in run.says)
        assert run.says == '2 messages hold "needle"; n and N go through them'
        assert run.ledger.cursor == 5
        assert run.app.focused is run.ledger
        await run.press("n")
        assert run.ledger.cursor == 9
        assert run.says == '2 of 2 messages that hold "needle"'
        await run.press("n")
        assert run.ledger.cursor == 5
        await run.press("N")
        assert run.ledger.cursor == 9
        await run.press("slash")
        await run.type("Needle")
        await run.press("enter")
        await run.until(lambda: "no message" in run.says)
        assert run.says == 'no message holds "Needle"; capitals count in it'
        await run.press("slash", "delete", "enter")
        assert not run.ledger.needle
        assert not run.ledger.matches


async def test_what_a_filter_hides_is_passed_and_said(tmp_path: Path) -> None:
    messages = turns(20)
    messages[5]["content"] = messages[3]["content"] = "needle " * 400
    messages[6]["content"] = "a needle in an answer"
    async with running(written(tmp_path / "a.json", messages), policy="head-tail", old_tool_chars=100) as run:
        await run.press("f")
        await run.type("role:tool")
        await run.press("enter")
        tools = [row for row, body in enumerate(messages) if body["role"] == "tool"]
        assert list(run.ledger.rows_shown) == tools
        assert run.says == f"role:tool: {len(tools)} messages; esc shows all"
        await run.press("slash")
        await run.type("needle")
        await run.press("enter")
        await run.until(lambda: "hold" in run.says)
        assert run.says == '3 messages hold "needle"; 1 of them hidden by the filter'
        assert run.ledger.cursor in (3, 5)
        await run.press("n", "n", "n")
        assert run.ledger.cursor in (3, 5)
        await run.press("escape", "f")
        await run.type("role:user")
        await run.press("enter")
        await run.press("right_square_bracket")
        assert run.says == "the filter hides all edited messages"
        await run.press("escape")
        assert run.ledger.rows_shown is None


async def test_a_filter_by_action_follows_the_settings(tmp_path: Path) -> None:
    async with running(written(tmp_path / "a.json", turns(20, 3_000)), policy="head-tail", old_tool_chars=500) as run:
        await run.press("f")
        await run.type("action:edited")
        await run.press("enter")
        few = len(run.ledger.rows_shown)
        await run.press("minus", "minus", "minus", "minus")
        assert len(run.ledger.rows_shown) == few + 2
