"""Folders on the user's disk: caches, which can be deleted at any time, and settings."""

import os
import sys
from pathlib import Path


def find_cache_folder() -> Path:
    """The system's folder for caches; the environment variable KINEMATCH_CACHE overrides it."""
    return _find_folder(
        "KINEMATCH_CACHE", windows="LOCALAPPDATA", mac="Caches", variable="XDG_CACHE_HOME", other=".cache"
    )


def find_settings_folder() -> Path:
    """The system's folder for settings; the environment variable KINEMATCH_SETTINGS overrides it."""
    return _find_folder(
        "KINEMATCH_SETTINGS",
        windows="APPDATA",
        mac="Application Support",
        variable="XDG_CONFIG_HOME",
        other=".config",
    )


def _find_folder(own: str, *, windows: str, mac: str, variable: str, other: str) -> Path:
    if given := os.environ.get(own):
        return Path(given)
    if sys.platform == "win32":
        return Path(os.environ.get(windows, Path.home() / "AppData" / "Local")) / "kinematch"
    if sys.platform == "darwin":
        return Path.home() / "Library" / mac / "kinematch"
    return Path(os.environ.get(variable, Path.home() / other)) / "kinematch"
