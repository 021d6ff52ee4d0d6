"""No test of the screen reads or writes what a person's own runs remember."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for what is remembered."""
    folder = tmp_path / "config"
    monkeypatch.setenv("INSPECTOR_CONFIG_DIR", str(folder))
    return folder
