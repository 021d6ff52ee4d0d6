"""How many tokens texts and messages take, and which window they must fit.

One file each for a model's name (`models`), the counting of texts (`counter`), the cost of a message (`bodies`) and
of an image (`images`). Plain dicts in, ints out; nothing here reaches for the network.
"""

from inspector.tokens.bodies import (
    MESSAGE_OVERHEAD,
    NAME_OVERHEAD,
    REPLY_PRIMING,
    Tally,
    common_length,
    count_bodies,
    parts,
    shared_tokens,
    tally,
)
from inspector.tokens.counter import ENCODINGS, Counter, counter_for, counter_named
from inspector.tokens.images import IMAGE_BASE, IMAGE_TILE, IMAGE_UNKNOWN, image_size, image_tokens
from inspector.tokens.models import DEFAULT_WINDOW, encoding_of, window_for

__all__ = [
    "DEFAULT_WINDOW",
    "ENCODINGS",
    "IMAGE_BASE",
    "IMAGE_TILE",
    "IMAGE_UNKNOWN",
    "MESSAGE_OVERHEAD",
    "NAME_OVERHEAD",
    "REPLY_PRIMING",
    "Counter",
    "Tally",
    "common_length",
    "count_bodies",
    "counter_for",
    "counter_named",
    "encoding_of",
    "image_size",
    "image_tokens",
    "parts",
    "shared_tokens",
    "tally",
    "window_for",
]
