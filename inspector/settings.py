"""Settings as people write them (on the command line, in TOML, as a Python call), and what is remembered between runs.

What a person types is checked against the policy's own parameter descriptions, so that each mistake is one sentence.
What is remembered is a convenience: a damaged or unwritable file costs the memory, never the program.
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, TypeAlias

from inspector.policies.policy import Policy, SettingError, Value
from inspector.policies.python_call import Call, Name, expression, quoted
from inspector.text import well_formed
from inspector.writing import write_new

LARGEST_FILE = 1 << 20
"""Bytes read of a settings file or of a value's file: a checkpoint may have 64 KiB, and nobody writes longer ones."""
RECENT_FILES = 20
FILE_NAME = "remembered.json"
FOLDER_VARIABLE = "INSPECTOR_CONFIG_DIR"


@dataclass(frozen=True, slots=True)
class Preset:
    """What a settings file holds."""

    policy: str | None
    """The policy that it is for, where it says so."""
    settings: Mapping[str, Any]


def read_given(given: Sequence[str]) -> list[Preset]:
    """What was given with `-s`, in order: `name=value`, `name=@FILE` and `@settings.toml`, values not yet checked.

    Raises `SettingError`, with one sentence, for what is none of these and for a file that cannot be read.
    """
    return [_read_one(text) for text in given]


def _read_one(text: str) -> Preset:
    if text.startswith("@"):
        return from_toml(_file_text(text[1:]).removeprefix("\ufeff"), text[1:])
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise SettingError(f"write a setting as name=value, name=@FILE or @settings.toml, not {text[:60]!r}")
    typed = _file_text(value[1:]) if value.startswith("@") else value
    return Preset(None, {name.strip().replace("-", "_"): typed})


def _file_text(path: str) -> str:
    try:
        with open(path, "rb") as file:
            data = file.read(LARGEST_FILE + 1)
    except (OSError, ValueError) as fault:  # ValueError: a NUL in the name
        raise SettingError(f"cannot read {path[:200]!r}: {getattr(fault, 'strerror', None) or fault}") from None
    if len(data) > LARGEST_FILE:
        raise SettingError(f"{path!r} is too large to hold settings: over {LARGEST_FILE:,} bytes")
    try:
        return data.decode()
    except UnicodeDecodeError as fault:
        raise SettingError(f"{path!r} is not UTF-8 text at byte {fault.start:,}") from None


def policy_of(given: Iterable[Preset]) -> str | None:
    """The policy that the settings files are for, the last one winning; None where none says so."""
    names = [preset.policy for preset in given if preset.policy]
    return names[-1] if names else None


def checked(policy: Policy, given: Iterable[Preset]) -> dict[str, Value]:
    """The settings given, later ones winning, each read and checked by the policy's parameter.

    Raises `SettingError`, with one sentence, for an unknown parameter, a value of the wrong kind or out of range, and a
    settings file of another policy.
    """
    settings: dict[str, Value] = {}
    for preset in given:
        if preset.policy and preset.policy != policy.name:
            raise SettingError(f"the settings file is for {preset.policy[:60]!r}, not for {policy.name}")
        for name, value in preset.settings.items():
            param = policy.param(name)
            typed = isinstance(value, str) and param.kind != "text"
            settings[name] = param.read(value) if typed else param.check(value)
    return settings


def parse_settings(policy: Policy, given: Sequence[str]) -> dict[str, Value]:
    """`-s` arguments as checked settings of a policy. Raises `SettingError` with one sentence."""
    return checked(policy, read_given(given))


def fitting(policy: Policy, settings: Mapping[str, Any]) -> dict[str, Value]:
    """Those of the settings that the policy can take: what was remembered may be of an older version."""
    kept: dict[str, Value] = {}
    for name, value in settings.items():
        try:
            kept[name] = policy.param(name).check(value)
        except SettingError:
            continue
    return kept


def from_toml(text: str, name: str = "the settings") -> Preset:
    """A settings file as `to_toml` writes it. `name` is what the sentence of a `SettingError` calls it."""
    try:
        document = tomllib.loads(text)
    except (ValueError, RecursionError) as fault:  # ValueError also of a number too long to read
        raise SettingError(f"{name!r} is not TOML: {_first_line(fault)}") from None
    for key in document:
        if key not in ("policy", "settings"):
            raise SettingError(f"{name!r} has a key {key[:60]!r}; it should have policy and a [settings] table")
    policy, settings = document.get("policy"), document.get("settings", {})
    if not isinstance(policy, str | None) or not isinstance(settings, dict):
        raise SettingError(f"{name!r} should have a text as policy and a table as settings")
    return Preset(policy, settings)


def _first_line(fault: BaseException) -> str:
    return "nested too deeply" if isinstance(fault, RecursionError) else str(fault).partition("\n")[0][:200]


def to_toml(policy: str, settings: Mapping[str, Any]) -> str:
    """The settings as a file that `-s @FILE` reads. What is not set (None) is left out; a lone surrogate is U+FFFD."""
    import tomli_w

    return tomli_w.dumps({"policy": policy, "settings": {name: _plain(value) for name, value in _set(settings)}})


def _plain(value: Value) -> Value:
    return well_formed(value) if isinstance(value, str) else value


def _set(settings: Mapping[str, Any]) -> list[tuple[str, Value]]:
    return [(name, value) for name, value in settings.items() if isinstance(value, int | float | str)]


def to_python(policy: str, settings: Mapping[str, Any], path: str | None = None) -> str:
    """The settings as Python: the call alone, or with `path` a script that loads the session and calls."""
    call = expression(Call("", "inspector.compact", dict(_set(settings)), (Name("session"), policy)))
    if path is None:
        return call
    return f"import inspector\n\nsession = inspector.load({quoted(path)})\nview = {call}\n"


@dataclass(frozen=True)
class Remembered:
    """What the application keeps from one run to the next."""

    theme: str = ""
    """Empty: none was chosen."""
    policy: str = ""
    """The last policy; empty before the first run."""
    settings: Mapping[str, Mapping[str, Value]] = field(default_factory=dict)
    """The last settings of each policy, to be passed through `fitting` before use."""
    recent: tuple[str, ...] = ()
    """Absolute paths, the most recent first; at most `RECENT_FILES`."""
    panes: Mapping[str, int] = field(default_factory=dict)
    """Sizes of panes, in cells, by the pane's name."""
    counter: str = ""
    """The name of the token counter; empty: the one that goes with the model."""
    target: str = ""
    """Whom the doctor judges for; empty: the provider of the file's own format."""

    def opened(self, path: str) -> Remembered:
        """The same with a file that was just opened in front."""
        absolute = os.path.abspath(path)
        others = [known for known in self.recent if known != absolute]
        return replace(self, recent=(absolute, *others)[:RECENT_FILES])

    def tuned(self, policy: str, settings: Mapping[str, Value]) -> Remembered:
        """The same with the policy and settings last used."""
        return replace(self, policy=policy, settings={**self.settings, policy: dict(_set(settings))})


Loaded: TypeAlias = "tuple[Remembered, str]"


def config_folder() -> Path:
    """The platform's folder for this program's settings; the environment variable `INSPECTOR_CONFIG_DIR` wins."""
    chosen = os.environ.get(FOLDER_VARIABLE)
    if chosen:
        return Path(chosen)
    import platformdirs

    return Path(platformdirs.user_config_dir("inspector", appauthor=False))


def load(folder: Path | None = None) -> Loaded:
    """What was remembered, and a sentence saying what of it could not be used (empty: nothing is wrong).

    Never raises. No file is a first run. Values of a wrong kind fall back one by one; unknown ones are passed over.
    """
    try:
        path = (folder or config_folder()) / FILE_NAME
        text = path.read_bytes()
    except FileNotFoundError:
        return Remembered(), ""
    except (OSError, ValueError, RuntimeError) as fault:  # RuntimeError: no home folder
        return Remembered(), f"the remembered settings cannot be read ({_why(fault)}); the defaults are used"
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        return Remembered(), f"the remembered settings in {path} are damaged; the defaults are used"
    return _from_document(document)


def _from_document(document: Mapping[str, Any]) -> Loaded:
    values: dict[str, Any] = {}
    wrong: list[str] = []
    for entry in fields(Remembered):
        if entry.name not in document:
            continue
        value = _READERS[entry.name](document[entry.name])
        if value is None:
            wrong.append(entry.name)
        else:
            values[entry.name] = value
    sentence = f"of the remembered settings, {', '.join(wrong)} cannot be used; the default is used" if wrong else ""
    return Remembered(**values), sentence


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _recent(value: Any) -> tuple[str, ...] | None:
    if not isinstance(value, list) or not all(isinstance(path, str) for path in value):
        return None
    return tuple(value[:RECENT_FILES])


def _panes(value: Any) -> dict[str, int] | None:
    if not isinstance(value, dict):
        return None
    return dict(value) if all(type(size) is int and 0 < size < 10_000 for size in value.values()) else None


def _settings(value: Any) -> dict[str, dict[str, Value]] | None:
    if not isinstance(value, dict) or not all(isinstance(given, dict) for given in value.values()):
        return None
    return {policy: dict(_set(given)) for policy, given in value.items()}


_READERS = {
    "theme": _text, "policy": _text, "settings": _settings, "recent": _recent, "panes": _panes, "counter": _text,
    "target": _text,
}  # fmt: skip


def save(remembered: Remembered, folder: Path | None = None) -> str:
    """Keep it for the next run; the sentence says why that was not possible (empty: it was). Never raises."""
    document = {entry.name: getattr(remembered, entry.name) for entry in fields(Remembered)}
    try:
        place = folder or config_folder()
        place.mkdir(parents=True, exist_ok=True)
        write_new(place / FILE_NAME, json.dumps(document, indent=1, default=dict).encode("ascii"), force=True)
    except (OSError, ValueError, TypeError, RuntimeError) as fault:
        return f"the settings cannot be remembered ({_why(fault)})"
    return ""


def _why(fault: BaseException) -> str:
    return (getattr(fault, "strerror", None) or str(fault) or type(fault).__name__)[:200]
