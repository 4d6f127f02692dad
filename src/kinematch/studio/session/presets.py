"""Presets: settings under a name, each a file that can be read, edited, shared and loaded by the library."""

import re
from pathlib import Path

from kinematch.character import Settings
from kinematch.character.settings_file import load_settings, save_settings
from kinematch.errors import KinematchError
from kinematch.studio.server import answers
from kinematch.studio.session.own_presets import OWN_PRESETS

# letters of any script, no separators, no leading dot: a name can never lead out of its folder
VALID_NAME = re.compile(r"\w(?:[\w .()+-]{0,62}[\w)+])?")
SUFFIX = ".toml"


class PresetFolder:
    """The presets of one folder."""

    def __init__(self, folder: Path):
        self.folder = folder

    def names(self) -> list[str]:
        found = (path.stem for path in self.folder.glob(f"*{SUFFIX}")) if self.folder.is_dir() else ()
        return sorted(name for name in found if VALID_NAME.fullmatch(name) and name not in OWN_PRESETS)

    def describe_own(self) -> dict[str, str]:
        """Those that come with Kinematch, and when to choose them."""
        return {name: preset.text for name, preset in OWN_PRESETS.items()}

    def describe(self, *, whole: bool) -> answers.Presets:
        """The message to a page; those of the user, and where they are, only as a whole."""
        return answers.Presets(self.names() if whole else [], str(self.folder) if whole else "", self.describe_own())

    def path(self, name: str) -> Path:
        if not VALID_NAME.fullmatch(name):
            raise KinematchError(f"a preset cannot be named {name!r}: use letters, digits, spaces and . ( ) + - _")
        return self.folder / f"{name}{SUFFIX}"

    def save(self, name: str, settings: Settings) -> None:
        path = self.path(name)
        if name in OWN_PRESETS:
            raise KinematchError(f"{name!r} is a preset that comes with Kinematch: choose another name")
        self.folder.mkdir(parents=True, exist_ok=True)
        save_settings(path, settings, comment=f"Settings of a Kinematch character: {name}")

    def load(self, name: str) -> Settings:
        return OWN_PRESETS[name].settings if name in OWN_PRESETS else load_settings(self.existing(name))

    def write(self, name: str, path: Path) -> None:
        """A preset's file, also of one that comes with Kinematch."""
        if name in OWN_PRESETS:
            save_settings(path, OWN_PRESETS[name].settings, comment=f"{name}: {OWN_PRESETS[name].text}")
        else:
            path.write_bytes(self.existing(name).read_bytes())

    def delete(self, name: str) -> None:
        self.existing(name).unlink(missing_ok=True)

    def existing(self, name: str) -> Path:
        path = self.path(name)
        if not path.is_file():
            raise KinematchError(f"no preset {name!r}")
        return path
