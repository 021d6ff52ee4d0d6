"""What an image costs: by its pixels, read from the head of its file, never by the length of its base64.

The rule is OpenAI's tile rule as its guide "Images and vision" gives it for gpt-4o and gpt-4.1: 85 tokens at low
detail, else 85 and 170 for each tile of 512 pixels, after scaling into 2048 x 2048 and down to 768 on the short side.
An image whose size cannot be read, such as one behind an address, counts as a square of 1024: 765. Newer and smaller
models weigh tiles or patches differently; so do other providers.
"""

import binascii
from functools import partial

IMAGE_BASE, IMAGE_TILE, IMAGE_UNKNOWN = 85, 170, 765


def image_tokens(width: int, height: int) -> int:
    """Tokens of an image at high detail by OpenAI's tile rule: 1024 x 1024 is 765, 2048 x 4096 is 1105."""
    scale = min(1.0, 2048 / max(width, height))
    scale *= min(1.0, 768 / (min(width, height) * scale))
    across, down = (-(-max(round(side * scale), 1) // 512) for side in (width, height))
    return IMAGE_BASE + IMAGE_TILE * across * down


def image_size(data: str) -> tuple[int, int] | None:
    """Width and height of a PNG, GIF, WebP or JPEG given as a data URL or as bare base64; None if unreadable.

    Only the head is decoded: 64 characters, for JPEG up to 350,000, since profiles may stand before its size.
    """
    start = data.find(",", 0, 200) + 1 if data[:5].lower() == "data:" else 0
    head = _decoded(data, start, 64)
    size = _jpeg_size(_decoded(data, start, 350_000)) if head[:2] == b"\xff\xd8" else _header_size(head)
    return size if size and all(size) else None


def cost(image: object, detail: object = None) -> int:
    """Tokens of an image given as address, base64, or an object holding one (`url`, `data`); any value is taken."""
    if isinstance(image, dict):
        detail = image.get("detail", detail)
        image = image.get("url") or image.get("data")
    if detail == "low":
        return IMAGE_BASE
    size = image_size(image) if isinstance(image, str) else None
    return image_tokens(*size) if size else IMAGE_UNKNOWN


def _decoded(data: str, start: int, length: int) -> bytes:
    """The bytes of the first `length` base64 characters from `start`; none where they are not base64."""
    head = "".join(data[start : start + length].split())
    try:
        return binascii.a2b_base64(head[: len(head) // 4 * 4])
    except ValueError:
        return b""


def _header_size(head: bytes) -> tuple[int, int] | None:
    """Width and height from the fixed places of PNG (IHDR), GIF and WebP (VP8, VP8L, VP8X) headers."""
    little = partial(int.from_bytes, byteorder="little")
    if head[:8] == b"\x89PNG\r\n\x1a\n" and len(head) >= 24:
        return int.from_bytes(head[16:20], "big"), int.from_bytes(head[20:24], "big")
    if head[:4] == b"GIF8" and len(head) >= 10:
        return little(head[6:8]), little(head[8:10])
    if head[:4] != b"RIFF" or head[8:12] != b"WEBP" or len(head) < 30:
        return None
    if head[12:16] == b"VP8X":
        return little(head[24:27]) + 1, little(head[27:30]) + 1
    if head[12:16] == b"VP8L":
        bits = little(head[21:25])
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    return (little(head[26:28]) & 0x3FFF, little(head[28:30]) & 0x3FFF) if head[12:16] == b"VP8 " else None


def _jpeg_size(data: bytes) -> tuple[int, int] | None:
    """Width and height from the first start-of-frame segment (C0 to CF but C4, C8 and CC)."""
    at = 2
    while at + 9 <= len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        if marker == 0xFF:
            at += 1
        elif 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            return int.from_bytes(data[at + 7 : at + 9], "big"), int.from_bytes(data[at + 5 : at + 7], "big")
        else:
            at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
    return None
