"""A field draws what was pasted into it, and obeys nothing of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.running import running, written

HOSTILE = "a\x1b]0;title\x07\x9b31m\u202eb"


@pytest.mark.parametrize("key", ["slash", "v"])
async def test_what_is_pasted_into_a_line_of_the_workbench_is_drawn_harmlessly(tmp_path: Path, key: str) -> None:
    path = written(tmp_path / "talk.json", [{"role": "user", "content": "hello"}])
    async with running(path) as run:
        await run.press(key)
        await run.type(HOSTILE)
        assert "31m" in run.screen
        assert not set(run.screen) & set("\x1b\x07\x9b\u202e")
