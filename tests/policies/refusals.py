"""The refusals of the checkpoint contract, and pieces of text that are nearly JSON."""

import pytest
from hypothesis import strategies as st

from inspector.policies.contract import CheckpointError, parse

BAD_INPUT = "invalid checkpoint size or encoding"
BAD_FRAME = "checkpoint frame is invalid"
TRAILING = "checkpoint contains trailing data"
BAD_CONTRACT = "invalid checkpoint contract"
TOO_LARGE = "checkpoint exceeds limit"


def refusal(raw: str | bytes, read=parse) -> str:
    with pytest.raises(CheckpointError) as caught:
        read(raw)
    return str(caught.value)


def decoding(raw: str | bytes) -> str:
    message = refusal(raw)
    assert message.startswith("decode checkpoint: ")
    return message.removeprefix("decode checkpoint: ")


def with_fields(rest: str) -> str:
    return '{"version":1,' + rest + "}"


MARKS = tuple('{}[],:"-\\ \n\r\x00\x1c\x85\u3000\ud800ſé')
WORDS = (
    '{"version":1',
    '"a"',
    '"nextStep"',
    '"decisions"',
    "null",
    "true",
    "false",
    "NaN",
    "01",
    "1.5e3",
    r"\ud83d",
    r"\u",
)
SMALL_PIECES = st.sampled_from((*MARKS, *WORDS, "```"))
