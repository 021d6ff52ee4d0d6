"""Counting the tokens of texts: exact where the encoding is at hand, a labelled estimate elsewhere.

toktok counts o200k and cl100k from ranks compiled into it. tiktoken counts the encodings whose ranks already lie in its
cache, and stands in where toktok has no wheel; nothing here ever fetches ranks. Both are imported at the first need:
tiktoken costs 35 ms, toktok's ranks 0.3 s.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from inspector.text import well_formed
from inspector.tokens.models import encoding_of

if TYPE_CHECKING:
    import tiktoken

QUARTERS = "chars/4"
ENCODINGS = ("o200k_base", "cl100k_base", QUARTERS)
"""What an interface lets people switch between."""

_TOKTOK = frozenset(("o200k_base", "cl100k_base", "o200k_harmony"))
# SHA-1 of the address that tiktoken fetches ranks from, which names the file in its cache, and the SHA-256 that it asks
# of the bytes: a file that differs it would fetch anew.
_O200K = (
    "fb374d419588a4632f3f557e76b4b70aebbca790",
    "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
)
_P50K = (
    "ec7223a39ce59f226a68acc30dc1af2788490e15",
    "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069",
)
_RANKS = {
    "o200k_base": _O200K,
    "o200k_harmony": _O200K,
    "cl100k_base": (
        "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    ),
    "p50k_base": _P50K,
    "p50k_edit": _P50K,
    "r50k_base": (
        "0ea1e91bbb3a60f729a8dc8f777fd2fc07cd8df4",
        "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930",
    ),
}

_SEAM = re.compile(r"(?<=\w) (?=\w)")
_PIECE = 40_000

Engine = Callable[[Sequence[str]], tuple[list[int], bool]]


@dataclass(frozen=True)
class Counter:
    """One way of counting. `exact`: it is the model's own encoding. `label`: words for the screen ("o200k exact")."""

    encoding: str
    exact: bool
    label: str

    def count(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, special-token strings as ordinary text, lone surrogates as U+FFFD; releases the GIL."""
        return self.measure(texts)[0]

    def measure(self, texts: Sequence[str]) -> tuple[list[int], bool]:
        """`count(texts)`, and whether all were counted: False where the tokenizer gave up on one, so estimated."""
        return _engine(self.encoding)(texts)


def counter_for(model: str | None) -> Counter:
    """The best counter for a model: exact for OpenAI's, an o200k estimate for others; exact o200k if none is named."""
    return counter_named(encoding_of(model) or ENCODINGS[0], model)


def counter_named(name: str, model: str | None = None) -> Counter:
    """The counter of one encoding: exact where the model's encoding counts the same, or no model is named.

    What cannot be counted here falls to an o200k estimate, and that to chars/4. ValueError: there is no such encoding.
    """
    if name != QUARTERS and name not in _RANKS:
        raise ValueError(f"there is no encoding {name!r}; choose from {', '.join(ENCODINGS)}")
    if _engine(name) is _quarters:
        return estimate(QUARTERS if name in (QUARTERS, ENCODINGS[0]) else counter_named(ENCODINGS[0]).encoding)
    own = not model or _ranks_of(encoding_of(model)) == _ranks_of(name)
    return Counter(name, True, f"{_short(name)} exact") if own else estimate(name)


def estimate(encoding: str) -> Counter:
    """The counter of an encoding that is not, or not wholly, what the model uses."""
    return Counter(encoding, False, f"{_short(encoding)} estimate")


def _ranks_of(encoding: str | None) -> tuple[str, str] | None:
    """Encodings that share ranks count ordinary text the same."""
    return _RANKS.get(encoding or "")


def _short(encoding: str) -> str:
    return encoding.removesuffix("_base")


@lru_cache(maxsize=16)
def _engine(encoding: str) -> Engine:
    """What counts an encoding here: toktok, tiktoken with ranks from its cache, or the estimate."""
    if encoding in _TOKTOK:
        try:
            import toktok  # type: ignore[import-untyped]
        except (ImportError, OSError):
            pass
        else:
            return partial(_guarded, lambda texts: toktok.batch_count(texts, encoding))
    ranks = _cached_encoding(encoding) if encoding in _RANKS else None
    return partial(_tiktoken_counts, ranks) if ranks is not None else _quarters


def _cached_encoding(encoding: str) -> tiktoken.Encoding | None:
    """tiktoken's encoding if its ranks lie whole in its cache, so that loading it cannot reach for the network."""
    import hashlib

    folder = os.environ.get("TIKTOKEN_CACHE_DIR", os.environ.get("DATA_GYM_CACHE_DIR"))
    if folder is None:
        folder = os.path.join(tempfile.gettempdir(), "data-gym-cache")
    name, digest = _RANKS[encoding]
    try:
        with open(os.path.join(folder, name), "rb") as file:
            if not folder or hashlib.sha256(file.read()).hexdigest() != digest:
                return None
        import tiktoken

        return tiktoken.get_encoding(encoding)
    except (ImportError, OSError, ValueError):
        return None


def _quarters(texts: Sequence[str]) -> tuple[list[int], bool]:
    """A token for every four characters begun: OpenAI's rule of thumb for English."""
    return [-(-len(text) // 4) for text in texts], True


def _guarded(count: Callable[[list[str]], list[int]], texts: Sequence[str]) -> tuple[list[int], bool]:
    """`count(texts)` despite surrogates and Rust panics; a text that panics is estimated, and the answer says so."""
    batch = list(texts)
    try:
        return count(batch), True
    except UnicodeEncodeError:
        return _guarded(count, [well_formed(text) for text in batch])
    except BaseException as error:
        if not _is_panic(error):
            raise
    if len(batch) == 1:
        return _quarters(batch)[0], False
    alone = [_guarded(count, [text]) for text in batch]
    return [counts[0] for counts, _ in alone], all(sure for _, sure in alone)


def _is_panic(error: BaseException) -> bool:
    """A panic in Rust reaches Python as a BaseException of a class that cannot be imported."""
    return type(error).__name__ == "PanicException"


def _tiktoken_counts(ranks: tiktoken.Encoding, texts: Sequence[str]) -> tuple[list[int], bool]:
    """Counts by tiktoken, long texts in pieces: a megabyte of spaces exhausts its regular expression engine."""
    pieces: list[str] = []
    ends = [0]
    seams_only = True
    for text in texts:
        cut, clean = _pieces(text)
        pieces += cut
        ends.append(len(pieces))
        seams_only = seams_only and clean
    counts, sure = _guarded(lambda batch: [len(ids) for ids in ranks.encode_ordinary_batch(batch)], pieces)
    sums = [0, *accumulate(counts)]
    return [sums[end] - sums[start] for start, end in pairwise(ends)], sure and seams_only


def _pieces(text: str) -> tuple[list[str], bool]:
    """`text` in pieces of at most 40,000 characters, and whether each cut is one that no token crosses.

    In every encoding of OpenAI's a space between two word characters begins a token, or is one.
    """
    pieces: list[str] = []
    clean = True
    start = 0
    while len(text) - start > _PIECE:
        seam = _SEAM.search(text, start + _PIECE // 2, start + _PIECE)
        clean = clean and seam is not None
        end = seam.start() if seam else start + _PIECE
        pieces.append(text[start:end])
        start = end
    return [*pieces, text[start:]], clean
