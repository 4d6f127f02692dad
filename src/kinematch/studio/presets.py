"""Presets: settings under a name, each a TOML file that can be read, edited, shared and loaded by the library."""

import re
import tomllib
from pathlib import Path
from typing import Any

from kinematch.character.settings import Settings, from_plain, to_plain
from kinematch.errors import FileError, KinematchError
from kinematch.files.reading import opened
from kinematch.writing import write_beside

# letters of any script, no separators, no leading dot: a name can never lead out of its folder
VALID_NAME = re.compile(r"\w(?:[\w .()+-]{0,62}[\w)+])?")
LARGEST_PRESET = 100_000  # bytes
SUFFIX = ".toml"


def read_preset(path: str | Path) -> Settings:
    """Settings from a preset's file; those it leaves out have their defaults."""
    path = Path(path)
    with opened(path, "a preset") as (file, size):
        if size > LARGEST_PRESET:
            raise FileError(path, f"is no preset: {size} bytes long")
        content = file.read(LARGEST_PRESET)
    try:
        values: dict[str, Any] = tomllib.loads(content.decode())
        return from_plain(values)
    except (KinematchError, ValueError, RecursionError) as error:  # TOML's and Unicode's errors are ValueErrors
        raise FileError(path, f"is no preset: {error}") from None


def write_preset(path: str | Path, settings: Settings) -> None:
    write_beside(path, preset_text(settings).encode())


def preset_text(settings: Settings) -> str:
    """A preset as TOML."""
    values = to_plain(settings)
    weights = values.pop("weights")
    lines = ["# Settings of a Kinematch character"]
    lines += [f"{name} = {_toml(value)}" for name, value in values.items()]
    if weights:
        lines += ["", "[weights]", *(f"{_toml(name)} = {_toml(value)}" for name, value in weights.items())]
    return "\n".join(lines) + "\n"


def _toml(value: float | bool | str) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'
    return repr(float(value))


class Presets:
    """The presets of one folder."""

    def __init__(self, folder: Path):
        self.folder = folder

    def names(self) -> list[str]:
        found = (path.stem for path in self.folder.glob(f"*{SUFFIX}")) if self.folder.is_dir() else ()
        return sorted(name for name in found if VALID_NAME.fullmatch(name))

    def path(self, name: str) -> Path:
        if not VALID_NAME.fullmatch(name):
            raise KinematchError(f"a preset cannot be named {name!r}: use letters, digits, spaces and . ( ) + - _")
        return self.folder / f"{name}{SUFFIX}"

    def save(self, name: str, settings: Settings) -> None:
        path = self.path(name)
        self.folder.mkdir(parents=True, exist_ok=True)
        write_preset(path, settings)

    def load(self, name: str) -> Settings:
        return read_preset(self._existing(name))

    def delete(self, name: str) -> None:
        self._existing(name).unlink(missing_ok=True)

    def _existing(self, name: str) -> Path:
        path = self.path(name)
        if not path.is_file():
            raise KinematchError(f"no preset {name!r}")
        return path
