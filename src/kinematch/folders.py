"""Places on the user's disk: what can be made again, and what the user wants kept."""

import os
import sys
from pathlib import Path


def cache_folder() -> Path:
    """Where this system keeps what can be made again; KINEMATCH_CACHE names another place."""
    return _folder("KINEMATCH_CACHE", windows="LOCALAPPDATA", mac="Caches", variable="XDG_CACHE_HOME", other=".cache")


def settings_folder() -> Path:
    """Where this system keeps what users have chosen; KINEMATCH_SETTINGS names another place."""
    return _folder(
        "KINEMATCH_SETTINGS",
        windows="APPDATA",
        mac="Application Support",
        variable="XDG_CONFIG_HOME",
        other=".config",
    )


def _folder(own: str, *, windows: str, mac: str, variable: str, other: str) -> Path:
    if given := os.environ.get(own):
        return Path(given)
    if sys.platform == "win32":
        return Path(os.environ.get(windows, Path.home() / "AppData" / "Local")) / "kinematch"
    if sys.platform == "darwin":
        return Path.home() / "Library" / mac / "kinematch"
    return Path(os.environ.get(variable, Path.home() / other)) / "kinematch"
