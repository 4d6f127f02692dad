"""Folders on the user's disk: caches, which can be deleted at any time, and settings."""

import logging
import os
import shutil
import sys
import tempfile
import threading
from contextlib import suppress
from pathlib import Path

from kinematch.errors import KinematchError

LOG = logging.getLogger("kinematch")
CACHE_VARIABLE, SETTINGS_VARIABLE = "KINEMATCH_CACHE", "KINEMATCH_SETTINGS"
SETTINGS_SUFFIXES = (".toml", ".json", ".crt", ".key")

_STAND_INS: dict[tuple[str, Path | None], tempfile.TemporaryDirectory[str]] = {}  # deleted when the program ends
_MAKING = threading.Lock()


def find_cache_folder() -> Path:
    """A folder for caches that can be written: that of `name_cache_folder`, or else a temporary one."""
    return _find_writable(name_cache_folder(), CACHE_VARIABLE, "caches (the built-in motion, Studio's workspace)")


def find_settings_folder() -> Path:
    """A folder for settings that can be written: the system's, or KINEMATCH_SETTINGS, or else a temporary copy."""
    folder = _name_folder(
        SETTINGS_VARIABLE,
        windows="APPDATA",
        mac="Application Support",
        variable="XDG_CONFIG_HOME",
        other=".config",
    )
    return _find_writable(folder, SETTINGS_VARIABLE, "settings (presets, calibrations, the certificate)", copied=True)


def name_cache_folder() -> Path | None:
    """The system's folder for caches, whether or not it can be written; None where the user has no home.

    The environment variable KINEMATCH_CACHE overrides it.
    """
    return _name_folder(CACHE_VARIABLE, windows="LOCALAPPDATA", mac="Caches", variable="XDG_CACHE_HOME", other=".cache")


def _name_folder(own: str, *, windows: str, mac: str, variable: str, other: str) -> Path | None:
    if given := os.environ.get(own):
        return Path(given)
    system = os.environ.get(windows if sys.platform == "win32" else variable, "")
    if sys.platform != "darwin" and os.path.isabs(system):  # relative and empty ones do not count, as XDG says
        return Path(system) / "kinematch"
    try:
        home = Path.home()
    except RuntimeError:  # neither HOME nor an entry among the system's users
        return None
    if not home.is_absolute():  # "~", where the user has none
        return None
    if sys.platform == "win32":
        return home / "AppData" / "Local" / "kinematch"
    return home / ("Library/" + mac if sys.platform == "darwin" else other) / "kinematch"


def _find_writable(folder: Path | None, variable: str, content: str, *, copied: bool = False) -> Path:
    """The folder if it can be written; else a temporary one of this user alone, with what can be read `copied`."""
    with _MAKING:
        if kept := _STAND_INS.get((variable, folder)):
            return Path(kept.name)
        refusal = "the user has no home folder" if folder is None else _find_refusal(folder)
        if folder is not None and not refusal:
            return folder
        try:
            made = tempfile.TemporaryDirectory(prefix="kinematch-", ignore_cleanup_errors=True)
        except OSError:
            raise KinematchError(
                f"no folder for {content}: {refusal}, and there is no temporary folder; "
                f"set {variable} to a folder that can be written"
            ) from None
        if copied and folder is not None:
            _copy_settings(folder, Path(made.name))
        _STAND_INS[variable, folder] = made
    LOG.warning(
        f"{content} are kept only until this program ends: {refusal}; "
        f"set {variable} to a folder that can be written to keep them"
    )
    return Path(made.name)


def _copy_settings(folder: Path, copy: Path) -> None:
    """Copy what settings folders hold, `presets/name.toml` and the like; not more: a variable may name any folder."""
    for path in folder.glob("*/*"):
        if path.suffix in SETTINGS_SUFFIXES:
            with suppress(OSError):  # one that cannot be read, or is not a file
                target = copy / path.relative_to(folder)
                target.parent.mkdir(exist_ok=True)
                shutil.copyfile(path, target)
                target.chmod(0o600)  # one of them is the certificate's key


def _find_refusal(folder: Path) -> str:
    """Why a folder cannot be written; empty if it can. Permissions do not say it, so a file is opened in it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except (OSError, ValueError) as error:  # ValueError: a path with a null character
        return f"{folder} cannot be written ({getattr(error, 'strerror', None) or error})"
    return ""
