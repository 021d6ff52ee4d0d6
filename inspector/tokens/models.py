"""Which tokenizer a model has, and how much it can be sent, by its name.

A small table decides for the models that people run; tiktoken, which costs 35 ms to import, is asked about OpenAI's old
ones only. Models of other makers have no public tokenizer that we could run, or one of their own.
"""

import re

DEFAULT_WINDOW = 128_000

_OPENAI = (
    (re.compile(r"gpt-5|gpt-4\.[15]|(chat)?gpt-4o|o[134](?![^-@:])"), "o200k_base"),
    (re.compile(r"gpt-oss"), "o200k_harmony"),
    (re.compile(r"gpt-4(?![^-@:])|gpt-3\.?5"), "cl100k_base"),
)
_OLD_OPENAI = re.compile(r"gpt-?2|text-|code-|davinci|curie|babbage|ada|cushman")

_WINDOWS = tuple(
    (re.compile(pattern), tokens)
    for pattern, tokens in (
        (r"gpt-5(\.\d)?-chat", 128_000),
        (r"gpt-5\.[4-9](?!.*(mini|nano))", 1_050_000),
        (r"gpt-5", 400_000),
        (r"gpt-4\.1", 1_047_576),
        (r"gpt-4\.5|(chat)?gpt-4o|gpt-4-(turbo|\d{4}-preview|vision)", 128_000),
        (r"gpt-4-32k", 32_768),
        (r"gpt-4", 8_192),
        (r"gpt-3\.?5", 16_385),
        (r"gpt-oss", 131_072),
        (r"o1-(mini|preview)", 128_000),
        (r"o[134](?![^-@:])|codex-mini", 200_000),
        (r"claude-(1|2\.0|instant)", 100_000),
        (r"claude.*\[1m\]|claude-(opus|sonnet)-4[-.][6-9](?!\d)", 1_000_000),
        (r"claude-(opus|sonnet)-5|claude-haiku-5[-.]5(?!\d)|claude-(fable|mythos)", 1_000_000),
        (r"claude", 200_000),
        (r"gemini-1\.5-pro", 2_097_152),
        (r"gemini-(1\.0|pro)", 32_768),
        (r"gemini", 1_048_576),
        (r"llama-?4-scout", 10_485_760),
        (r"llama-?4", 1_048_576),
        (r"llama-?3\.[123]", 131_072),
        (r"llama-?3", 8_192),
        (r"llama-?2", 4_096),
        (r"qwen-?3(\.\d|-coder|-max|-next|.*2507)", 262_144),
        (r"qwen-?3", 40_960),
        (r"qwen-?2\.5", 131_072),
    )
)


def encoding_of(model: str | None) -> str | None:
    """The public encoding of a model; None where it has none that we know, or no model is named."""
    name = _family(model)
    known = next((encoding for pattern, encoding in _OPENAI if pattern.match(name)), None)
    if known or not _OLD_OPENAI.match(name):
        return known
    try:
        from tiktoken.model import encoding_name_for_model

        found = encoding_name_for_model(name)
    except (ImportError, KeyError):
        return None
    return "r50k_base" if found == "gpt2" else found  # the same ranks under another name


def window_for(model: str | None) -> int:
    """The context window in tokens, by model family; 128,000 where the family is unknown.

    Sources, as of November 2026: the model pages of OpenAI, Anthropic (a million from Claude 4.6, haiku from 5.5) and
    Google, the model cards of Llama and Qwen (Qwen 3 without rope scaling). A server may allow less, as Ollama's
    `num_ctx` does: where it matters, say the window and not the model.
    """
    name = _family(model)
    return next((tokens for pattern, tokens in _WINDOWS if pattern.match(name)), DEFAULT_WINDOW)


def _family(model: object) -> str:
    """A model's name without provider, region and fine-tuning prefixes, in lower case; "" for what is no string."""
    name = model.lower().rsplit("/", 1)[-1].removeprefix("ft:") if isinstance(model, str) else ""
    return next((name[name.index(family) :] for family in ("claude", "llama") if family in name), name)
