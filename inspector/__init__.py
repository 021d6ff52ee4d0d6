"""Inspect what context compaction does to a recorded agent session.

>>> import inspector
>>> session = inspector.from_messages([{"role": "user", "content": "hello"}])
>>> inspector.compact(session, "head-tail").messages == session.messages
True

The names below are imported when first asked for, so that `import inspector` costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inspector.doctor import diagnose
    from inspector.formats import UnreadableSession, from_messages, load
    from inspector.replay import compact

__version__ = "0.1.0"
__all__ = ["UnreadableSession", "__version__", "compact", "diagnose", "from_messages", "load"]

_HOMES = {
    "UnreadableSession": "inspector.formats",
    "compact": "inspector.replay",
    "diagnose": "inspector.doctor",
    "from_messages": "inspector.formats",
    "load": "inspector.formats",
}


def __getattr__(name: str) -> object:
    if name in _HOMES:
        value: object = getattr(import_module(_HOMES[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted((*globals(), *_HOMES))
