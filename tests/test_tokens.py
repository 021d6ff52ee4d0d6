import base64
import os
import socket
import struct
import subprocess
import sys
from array import array
from pathlib import Path
from typing import Any

import pytest
import tiktoken
from hypothesis import example, given
from hypothesis import strategies as st

from inspector.tokens import (
    ENCODINGS,
    MESSAGE_OVERHEAD,
    REPLY_PRIMING,
    count_bodies,
    counter_for,
    counter_named,
    encoding_of,
    image_size,
    image_tokens,
    parts,
    tally,
    window_for,
)
from inspector.tokens.counter import _guarded, _pieces, _tiktoken_counts

O200K = counter_named("o200k_base")
CL100K = counter_named("cl100k_base")
QUARTERS = counter_named("chars/4")
SPACES = " " * 1_000_000


@pytest.mark.parametrize("counter", [O200K, CL100K])
def test_known_counts(counter: Any) -> None:
    assert counter.count(["hello world", "tiktoken is great!", ""]) == [2, 6, 0]


def test_the_two_encodings_differ() -> None:
    assert (O200K.count(["お誕生日おめでとう"]), CL100K.count(["お誕生日おめでとう"])) == ([8], [9])


def test_four_characters_begun_are_a_token_of_the_estimate() -> None:
    assert QUARTERS.count(["", "a", "abcd", "abcde"]) == [0, 1, 1, 2]


@pytest.mark.parametrize("counter", [O200K, CL100K])
def test_special_tokens_in_text_are_text(counter: Any) -> None:
    assert counter.count(["<|endoftext|>", "<|im_start|>system"])[0] > 1


@pytest.mark.parametrize("counter", [O200K, CL100K])
def test_a_lone_surrogate_counts_as_the_replacement_character(counter: Any) -> None:
    assert counter.count(["a\ud800b", "ok"]) == counter.count(["a\ufffdb", "ok"])
    assert counter.measure(["a\ud800b"])[1]


@pytest.mark.parametrize("counter", [O200K, CL100K, QUARTERS])
def test_a_megabyte_of_spaces_is_counted(counter: Any) -> None:
    assert 0 < counter.count([SPACES])[0] < 300_000


def test_counts_equal_those_of_tiktoken_where_its_ranks_are_at_hand() -> None:
    folder = os.environ.get("TIKTOKEN_CACHE_DIR", "")
    if not (folder and any(Path(folder).glob("fb374d41*"))):
        pytest.skip("tiktoken's ranks are not on this machine, and nothing here fetches them")
    texts = ["hello world", "def f(x):\n\treturn x  # 構文", "a" * 999, "\n\n  \n", "I'll DON'T 1234567 🎉"]
    ranks = tiktoken.get_encoding("o200k_base")
    assert O200K.count(texts) == [len(ranks.encode_ordinary(text)) for text in texts]


# tiktoken itself, on ranks small enough to stand here: every byte, and some merges of the letters t, h, e and the space
SMALL = tiktoken.Encoding(
    name="small",
    pat_str=r"[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    mergeable_ranks={bytes([b]): b for b in range(256)}
    | {b" t": 256, b"he": 257, b" the": 258, b"  ": 259, b"    ": 260, b"t ": 261},
    special_tokens={},
)


def test_long_texts_count_in_pieces_as_they_do_whole() -> None:
    text = "the thé 12 the_ t\n\n" * 12_000
    whole = len(SMALL.encode_ordinary(text))
    assert _tiktoken_counts(SMALL, ["the", text, "", "the the"]) == ([2, whole, 0, 3], True)


def test_a_megabyte_of_spaces_does_not_crash_tiktoken_and_is_called_an_estimate() -> None:
    counts, sure = _tiktoken_counts(SMALL, [SPACES, "the"])
    assert counts == [250_000, 2]
    assert not sure


@given(st.text(st.sampled_from("ab 1_é\n"), max_size=50).map(lambda text: text * 3_000))
def test_pieces_are_bounded_and_lose_nothing(text: str) -> None:
    pieces, _ = _pieces(text)
    assert "".join(pieces) == text
    assert all(len(piece) <= 40_000 for piece in pieces)


class PanicException(BaseException):
    """As Rust's panics look from Python: of this name, not an Exception, not importable."""


def panics_on_x(texts: list[str]) -> list[int]:
    if any("x" in text for text in texts):
        raise PanicException
    return [7 for _ in texts]


def test_a_panic_is_bounded_to_its_text() -> None:
    assert _guarded(panics_on_x, ["a", "xxxxx", "b"]) == ([7, 2, 7], False)


def test_an_interrupt_is_not_taken_for_a_panic() -> None:
    def interrupted(texts: list[str]) -> list[int]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        _guarded(interrupted, ["a"])


@pytest.mark.parametrize(
    ("model", "encoding"),
    [
        ("gpt-5", "o200k_base"),
        ("gpt-5.2-codex", "o200k_base"),
        ("openai/gpt-4.1-mini", "o200k_base"),
        ("gpt-4o-2024-08-06", "o200k_base"),
        ("ft:gpt-4o-mini:acme::x", "o200k_base"),
        ("chatgpt-4o-latest", "o200k_base"),
        ("o1", "o200k_base"),
        ("o3-mini", "o200k_base"),
        ("o4-mini-2025-04-16", "o200k_base"),
        ("gpt-oss-120b", "o200k_harmony"),
        ("gpt-4", "cl100k_base"),
        ("gpt-4-turbo", "cl100k_base"),
        ("gpt-3.5-turbo-0125", "cl100k_base"),
        ("gpt-35-turbo", "cl100k_base"),
        ("text-embedding-3-small", "cl100k_base"),
        ("text-davinci-003", "p50k_base"),
        ("gpt2", "r50k_base"),
        ("claude-sonnet-4-5", None),
        ("gemini-2.5-pro", None),
        ("llama3.1:8b", None),
        ("qwen2.5-coder", None),
        ("text-nobody-knows", None),
        ("o200", None),
        ("", None),
        (None, None),
    ],
)
def test_the_encoding_of_a_model(model: str | None, encoding: str | None) -> None:
    assert encoding_of(model) == encoding


@pytest.mark.parametrize(
    ("model", "label", "exact"),
    [
        (None, "o200k exact", True),
        ("gpt-5", "o200k exact", True),
        ("gpt-4", "cl100k exact", True),
        ("gpt-oss-20b", "o200k_harmony exact", True),
        ("claude-opus-4-1", "o200k estimate", False),
        ("llama3:70b", "o200k estimate", False),
    ],
)
def test_what_a_models_count_is_called(model: str | None, label: str, exact: bool) -> None:
    assert (counter_for(model).label, counter_for(model).exact) == (label, exact)


def test_an_encoding_chosen_by_hand_is_exact_only_for_its_own_models() -> None:
    assert counter_named("o200k_base", "gpt-oss-20b").exact
    assert counter_named("o200k_base", "gpt-4").label == "o200k estimate"
    assert counter_named("cl100k_base", "claude-3").label == "cl100k estimate"
    assert [counter_named(name).label for name in ENCODINGS] == ["o200k exact", "cl100k exact", "chars/4 estimate"]


def test_an_unknown_encoding_is_refused_in_a_sentence() -> None:
    with pytest.raises(ValueError, match=r"no encoding 'x'; choose from o200k_base, cl100k_base, chars/4"):
        counter_named("x")


OFFLINE = """
import sys
from inspector.tokens import counter_for
counter = counter_for("text-davinci-003")
print(counter.label, counter.count(["hello world"]))
"""


def test_ranks_that_are_not_cached_are_never_fetched(tmp_path: Path) -> None:
    spoilt = tmp_path / "ec7223a39ce59f226a68acc30dc1af2788490e15"
    spoilt.write_bytes(b"not the ranks")
    with socket.create_server(("127.0.0.1", 0)) as proxy:
        proxy.settimeout(0.01)
        address = f"http://127.0.0.1:{proxy.getsockname()[1]}"
        env = os.environ | {"TIKTOKEN_CACHE_DIR": str(tmp_path), "https_proxy": address, "HTTPS_PROXY": address}
        done = subprocess.run([sys.executable, "-c", OFFLINE], env=env, capture_output=True, text=True, check=True)
        with pytest.raises(TimeoutError):
            proxy.accept()
    assert done.stdout.strip() == "o200k estimate [2]"
    assert spoilt.read_bytes() == b"not the ranks"


def test_importing_costs_neither_tokenizer() -> None:
    code = "import sys, inspector.tokens as t; t.encoding_of('gpt-5'), t.encoding_of('claude-3')\n"
    code += "print([m for m in ('tiktoken', 'toktok', 'requests', 'textual') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("model", "window"),
    [
        (None, 128_000),
        ("nobody-knows", 128_000),
        ("gpt-5", 400_000),
        ("gpt-5-chat-latest", 128_000),
        ("gpt-5.4", 1_050_000),
        ("gpt-5.4-mini", 400_000),
        ("gpt-4.1-nano", 1_047_576),
        ("gpt-4o-mini", 128_000),
        ("gpt-4-1106-preview", 128_000),
        ("gpt-4-0613", 8_192),
        ("gpt-3.5-turbo", 16_385),
        ("o1-preview", 128_000),
        ("o3", 200_000),
        ("claude-sonnet-4-20250514", 200_000),
        ("claude-sonnet-4-5-20250929", 200_000),
        ("claude-sonnet-4-5[1m]", 1_000_000),
        ("us.anthropic.claude-opus-4-6-v1", 1_000_000),
        ("claude-opus-5-5", 1_000_000),
        ("models/gemini-2.5-flash", 1_048_576),
        ("meta-llama/Meta-Llama-3.1-8B-Instruct", 131_072),
        ("llama3:8b", 8_192),
        ("qwen3:32b", 40_960),
        ("Qwen/Qwen3-Coder-480B", 262_144),
    ],
)
def test_the_window_of_a_model(model: str | None, window: int) -> None:
    assert window_for(model) == window


def cost(body: Any, counter: Any = O200K) -> int:
    return count_bodies([body], counter)[0]


def test_the_cookbooks_conversation_costs_what_openai_says() -> None:
    """Six messages, 129 tokens for gpt-4 and 124 for gpt-4o as the API reported them: OpenAI Cookbook, section 6."""
    told = [
        (
            "system",
            None,
            "You are a helpful, pattern-following assistant that translates corporate jargon into plain English.",
        ),
        ("system", "example_user", "New synergies will help drive top-line growth."),
        ("system", "example_assistant", "Things working well together will increase revenue."),
        (
            "system",
            "example_user",
            "Let's circle back when we have more bandwidth to touch base on opportunities for increased leverage.",
        ),
        ("system", "example_assistant", "Let's talk later when we're less busy about how to do better."),
        (
            "user",
            None,
            "This late pivot means we don't have time to boil the ocean for the client deliverable.",
        ),
    ]
    bodies = [{"role": r, "content": c} | ({"name": n} if n else {}) for r, n, c in told]
    assert tally(bodies, CL100K).total == 129
    assert tally(bodies, O200K).total == 124


def test_a_call_costs_its_name_and_its_arguments() -> None:
    bare = {"role": "assistant", "content": None}
    call = {"id": "call_123456789", "type": "function", "function": {"name": "read_file", "arguments": '{"path": "a"}'}}
    spent = sum(O200K.count(["read_file", '{"path": "a"}']))
    assert cost(bare | {"tool_calls": [call]}) - cost(bare) == spent
    assert cost(bare | {"function_call": call["function"]}) - cost(bare) == spent


def test_arguments_that_are_an_object_count_as_compact_json() -> None:
    whole = {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": {"path": "é", "n": 1}}}]}
    assert parts(whole)[0] == ["assistant", "f", '{"path":"é","n":1}']


def test_thinking_counts_and_unknown_keys_do_not() -> None:
    body = {"role": "assistant", "content": "hello", "thinking": "hello world"}
    assert cost(body) == cost({"role": "assistant", "content": "hello"}) + 2
    assert cost(body | {"_label": "x" * 99, "audio": {"data": "x" * 99}, "tool_call_id": "c"}) == cost(body)


def test_text_parts_count_as_their_text() -> None:
    listed = [
        {"type": "text", "text": "hello"},
        {"type": "input_audio", "input_audio": {"data": "QUJD" * 99}},
        " world",
    ]
    assert parts({"role": "user", "content": listed}) == (["user", "hello", " world"], MESSAGE_OVERHEAD)


@pytest.mark.parametrize(
    ("width", "height", "tokens"),
    [
        (1024, 1024, 765),  # these two are OpenAI's own examples
        (2048, 4096, 1105),
        (512, 512, 255),
        (1, 1, 255),
        (513, 512, 425),
        (4096, 1, 85 + 170 * 4),
        (768, 768, 765),
    ],
)
def test_an_image_costs_its_tiles(width: int, height: int, tokens: int) -> None:
    assert image_tokens(width, height) == tokens


def png(width: int, height: int) -> bytes:
    return b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", width, height) + b"\x08\x06\0\0\0" + b"x" * 90


def jpeg(width: int, height: int, profile: int = 0) -> bytes:
    segment = b"\xff\xe2" + struct.pack(">H", profile + 2) + b"p" * profile
    tables = b"\xff\xc4" + struct.pack(">H", 6) + b"huff"
    return b"\xff\xd8" + segment + tables + b"\xff\xff\xc2\0\x11\x08" + struct.pack(">HH", height, width) + b"x" * 90


def webp(chunk: bytes, rest: bytes) -> bytes:
    return b"RIFF\0\0\0\0WEBP" + chunk + b"\0\0\0\0" + rest + b"x" * 90


PICTURES = {
    "png": png(300, 200),
    "gif": b"GIF89a" + struct.pack("<HH", 300, 200) + b"x" * 90,
    "jpeg": jpeg(300, 200),
    "jpeg with a profile": jpeg(300, 200, 60_000),
    "webp lossy": webp(b"VP8 ", b"\0\0\0\x9d\x01\x2a" + struct.pack("<HH", 300, 200)),
    "webp lossless": webp(b"VP8L", b"\x2f" + struct.pack("<I", 299 | 199 << 14)),
    "webp extended": webp(b"VP8X", b"\0\0\0\0" + struct.pack("<I", 299)[:3] + struct.pack("<I", 199)[:3]),
}


@pytest.mark.parametrize("kind", PICTURES)
def test_the_size_of_an_image_is_read_from_its_head(kind: str) -> None:
    bare = base64.b64encode(PICTURES[kind]).decode()
    assert image_size(bare) == (300, 200)
    assert image_size(f"data:image/any;charset=x;base64,{bare}") == (300, 200)
    assert image_size(bare[:20] + "\n" + bare[20:]) == (300, 200)


@pytest.mark.parametrize(
    "data",
    [
        "",
        "data:",
        "https://example.org/a.png",
        "é" * 99,
        "iVBORw0KGgo",
        "/9j/",
        "UklGR" * 20,
        base64.b64encode(png(0, 9)).decode(),
    ],
)
def test_an_image_without_a_readable_size_has_none(data: str) -> None:
    assert image_size(data) is None


@given(st.sampled_from(sorted(PICTURES)), st.integers(0, 120), st.binary(max_size=40))
def test_a_damaged_image_never_raises(kind: str, keep: int, noise: bytes) -> None:
    image_size(base64.b64encode(PICTURES[kind][:keep] + noise).decode())


BIG = base64.b64encode(png(2048, 4096)).decode()


@pytest.mark.parametrize(
    ("part", "tokens"),
    [
        ({"type": "image_url", "image_url": {"url": f"data:image/png;base64,{BIG}"}}, 1105),
        ({"type": "image_url", "image_url": {"url": f"data:image/png;base64,{BIG}", "detail": "high"}}, 1105),
        ({"type": "image_url", "image_url": {"url": f"data:image/png;base64,{BIG}", "detail": "low"}}, 85),
        ({"type": "image_url", "image_url": {"url": "https://example.org/cat.png"}}, 765),
        ({"type": "image_url"}, 765),
        ({"type": "input_image", "image_url": f"data:image/png;base64,{BIG}", "detail": "low"}, 85),
        ({"type": "image", "source": {"type": "base64", "data": BIG}}, 1105),
        ({"type": "image", "source": None}, 765),
    ],
)
def test_what_an_image_part_costs(part: dict[str, Any], tokens: int) -> None:
    assert parts({"role": "user", "content": [part]}) == (["user"], MESSAGE_OVERHEAD + tokens)


def test_ollamas_images_cost_their_pixels_not_their_base64() -> None:
    assert parts({"role": "user", "content": "", "images": [BIG, "not an image"]})[1] == MESSAGE_OVERHEAD + 1105 + 765


def test_a_tally_sums_from_any_row_to_any_other() -> None:
    bodies = [{"role": "user", "content": "hello world " * n} for n in range(5)]
    made = tally(bodies, O200K)
    assert made.tokens == count_bodies(bodies, O200K)
    assert made.total == sum(made.tokens) + REPLY_PRIMING
    assert [made.span(0, 5), made.span(1, 3), made.span(2, 2)] == [sum(made.tokens), sum(made.tokens[1:3]), 0]


def test_no_messages_cost_nothing() -> None:
    assert (tally([], O200K).total, count_bodies([], O200K)) == (0, array("q"))


def test_counting_in_chunks_keeps_each_message_apart() -> None:
    bodies = [{"role": "user", "content": "hello " * (n % 7)} for n in range(9_000)]
    assert count_bodies(bodies, O200K) == (array("q", [cost(body) for body in bodies[:7]]) * 1_286)[:9_000]


malformed = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.text(st.sampled_from("\ud800é"))),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(
                [
                    "type",
                    "text",
                    "image_url",
                    "url",
                    "detail",
                    "function",
                    "custom",
                    "name",
                    "arguments",
                    "input",
                    "source",
                    "data",
                ]
            ),
            inner,
        ),
    ),
    max_leaves=8,
)
bodies = st.dictionaries(
    st.sampled_from(["role", "name", "content", "tool_calls", "function_call", "images", "thinking", "tool_call_id"]),
    malformed,
)


@given(st.lists(st.one_of(bodies, malformed), max_size=4))
@example(
    [
        {
            "content": [{"type": []}],
            "tool_calls": [None, 3, "x", [], {"function": []}, {"function": {"arguments": float("nan")}}],
        }
    ]
)
@example([{"content": {"a": 2**70}, "tool_calls": {"function": {"name": {}}}, "images": ["", 0, {"url": 3}]}])
def test_malformed_messages_are_counted_and_never_raise(listed: list[Any]) -> None:
    assert all(count >= MESSAGE_OVERHEAD for count in count_bodies(listed, O200K))


def test_arguments_nested_beyond_the_stack_do_not_raise() -> None:
    deep: Any = []
    for _ in range(5_000):
        deep = [deep]
    assert cost({"tool_calls": [{"function": {"name": "f", "arguments": deep}}]}) == MESSAGE_OVERHEAD + 1
