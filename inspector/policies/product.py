"""Taking settings home: how a product takes those of its policy, be it as a call, a file or a part of a request.

Each policy of a product declares it beside its parameters, by what is written here. Only what the product can take is
written; a parameter for which it has no setting is named in a sentence.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from inspector.policies.python_call import script

if TYPE_CHECKING:
    from inspector.policies.policy import Settings

Language: TypeAlias = Literal["python", "json", "jsonc", "toml", "yaml"]

ENDINGS: Mapping[Language, str] = {"python": "py", "json": "json", "jsonc": "json", "toml": "toml", "yaml": "yml"}
"""How a file in each language is called."""
_COMMENTS = {"python": "# ", "toml": "# ", "yaml": "# ", "jsonc": "// "}


class Snippet(NamedTuple):
    """Settings as a product takes them."""

    text: str
    """Ends with a line feed."""
    notes: tuple[str, ...]
    """Sentences: where it goes, and which parameters are not in it."""


@dataclass(frozen=True, slots=True)
class Product:
    """A product that takes the settings of a policy."""

    name: str
    """As a command line names it, such as "openai-agents"."""
    title: str
    """As it calls itself."""
    language: Language
    write: Callable[[Settings], str]
    """Writes full settings (see `Policy.settings`), pure; ends with a line feed."""
    place: str = ""
    """Where it goes, in a sentence; empty: it says so itself."""
    lacks: Mapping[str, str] = field(default_factory=dict)
    """The parameters for which the product has no setting, and why, in words."""
    remarks: Callable[[Settings], tuple[str, ...]] = lambda _: ()
    """Further sentences, on values that the product cannot take."""

    @property
    def ending(self) -> str:
        """How a file with it ends."""
        return ENDINGS[self.language]

    def snippet(self, settings: Settings) -> Snippet:
        """Full settings of the policy as the product takes them."""
        lacking = [f"{self.title} has no setting for {name}: {why}." for name, why in self.lacks.items()]
        notes = (*filter(None, (self.place,)), *self.remarks(settings), *lacking)
        return Snippet(self.write(settings), notes)

    def document(self, settings: Settings) -> str:
        """The same as one text, with the sentences as comments where the language has any."""
        text, notes = self.snippet(settings)
        comment = _COMMENTS.get(self.language)
        return "".join(f"{comment}{note}\n" for note in notes) + text if comment else text

    @property
    def has_comments(self) -> bool:
        """Whether a document holds the sentences too."""
        return self.language in _COMMENTS


def refused(title: str, *rules: tuple[str, Callable[[Settings], bool]]) -> Callable[[Settings], tuple[str, ...]]:
    """Remarks on values that the product refuses together: for each rule what is wrong, and whether it is."""

    def remarks(settings: Settings) -> tuple[str, ...]:
        return tuple(f"{title} refuses this: {words}." for words, is_wrong in rules if is_wrong(settings))

    return remarks


def python(variable: str, build: Callable[[Settings], Any]) -> Callable[[Settings], str]:
    """Writes an assignment of what `build` makes of settings (see `python_call`)."""
    return lambda settings: script(variable, build(settings))


def as_json(build: Callable[[Settings], Any]) -> Callable[[Settings], str]:
    """Writes what `build` makes of settings as JSON, in ASCII."""
    return lambda settings: json.dumps(build(settings), indent=2) + "\n"


def as_toml(build: Callable[[Settings], Any]) -> Callable[[Settings], str]:
    """Writes what `build` makes of settings as TOML."""

    def write(settings: Settings) -> str:
        import tomli_w

        return tomli_w.dumps(build(settings))

    return write


def picked(settings: Settings, *names: str) -> dict[str, Any]:
    """Some of the settings, under their own names."""
    return {name: settings[name] for name in names}
