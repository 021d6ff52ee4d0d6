"""A glyph beside every hue, so that colour alone never carries meaning. One cell each, in every terminal font."""

from __future__ import annotations

from collections.abc import Mapping

from inspector.change import Action

GLYPHS: Mapping[int, str] = {
    Action.KEEP: " ",
    Action.DROP: "x",
    Action.PLACEHOLDER: "▣",
    Action.HEAD: "✂",
    Action.TAIL: "✂",
    Action.MIDDLE: "✂",
    Action.CLEAR_ARGUMENTS: "∅",
    Action.DROP_IMAGE: "▢",
    Action.DROP_REASONING: "◌",
    Action.MERGE: "≡",
    Action.MOVE: "↕",
    Action.REWRITE: "≈",
}
INSERTED = "+"
BROKEN = "!"
SEVERITIES: Mapping[str, str] = {"error": BROKEN, "warning": "△", "info": "·"}
"""How bad a finding is."""

NAMES: Mapping[int, str] = {
    Action.KEEP: "kept",
    Action.DROP: "dropped",
    Action.PLACEHOLDER: "placeholder",
    Action.HEAD: "head kept",
    Action.TAIL: "tail kept",
    Action.MIDDLE: "middle cut",
    Action.CLEAR_ARGUMENTS: "arguments cleared",
    Action.DROP_IMAGE: "image dropped",
    Action.DROP_REASONING: "reasoning dropped",
    Action.MERGE: "summarised",
    Action.MOVE: "moved",
    Action.REWRITE: "rewritten",
}
