"""Inspect what context compaction does to a recorded agent session."""

__version__ = "0.1.0"
