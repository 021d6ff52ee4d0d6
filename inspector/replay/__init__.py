"""A session request by request: what a policy sends over a whole run, what the cache knows of it, what it costs."""

from inspector.replay.engine import Request, replay
from inspector.replay.requests import answer_of, answers_of
from inspector.replay.view import compact, view_at

__all__ = ["Request", "answer_of", "answers_of", "compact", "replay", "view_at"]
