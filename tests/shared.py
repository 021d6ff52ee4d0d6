"""Where the material shared beside this repository lies; tests that need it skip with a reason elsewhere."""

import os
from pathlib import Path

import pytest

SHARED = Path(os.environ.get("INSPECTOR_SHARED", Path(__file__).resolve().parents[2] / "shared"))
needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason=f"the shared material is not at {SHARED}")
